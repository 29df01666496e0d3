#!/usr/bin/env python3
"""Writes small synthetic images: signs.py > signs.csv

160 grey images of 20 x 20 pixels, row by row: a ring, a cross, a square or a triangle in the middle, shifted by up to one
pixel, of varying brightness, with noise on every pixel. The pixels near the edge show noise alone. The label names the
sign. Everything is drawn from one seed, so the file is always the same.
"""
import csv
import math
import random
import sys

SIDE, IMAGES = 20, 160
RADIUS = 6.0


def ring(x, y):
    return abs(math.hypot(x, y) - RADIUS * 0.9)


def cross(x, y):
    return abs(abs(x) - abs(y)) / math.sqrt(2) if max(abs(x), abs(y)) <= RADIUS * 0.8 else RADIUS


def square(x, y):
    return abs(max(abs(x), abs(y)) - RADIUS * 0.8)


def triangle(x, y):
    """Distance to the nearest of three lines at equal angles around the middle."""
    return abs(max(y, -y / 2 + x * math.sqrt(3) / 2, -y / 2 - x * math.sqrt(3) / 2) - RADIUS / 2)


SIGNS = {"ring": ring, "cross": cross, "square": square, "triangle": triangle}


def image(rng, distance):
    across, down, bright = rng.choice((-1, 0, 1)), rng.choice((-1, 0, 1)), rng.uniform(0.6, 1)
    middle = (SIDE - 1) / 2
    for row in range(SIDE):
        for col in range(SIDE):
            ink = max(0.0, 1 - distance(col - middle - across, row - middle - down) / 1.5)
            yield min(255, max(0, round(255 * (0.25 + 0.5 * bright * ink + rng.gauss(0, 0.1)))))


def main():
    rng = random.Random(7)
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow([*(f"row{r}_col{c}" for r in range(SIDE) for c in range(SIDE)), "label"])
    for i in range(IMAGES):
        name, distance = list(SIGNS.items())[i % len(SIGNS)]
        out.writerow([*image(rng, distance), name])


if __name__ == "__main__":
    main()
