#!/usr/bin/env python3
"""Writes simulated expression values of cells from several donors: donors.py > donors.csv

150 cells of three types from three donors and ten cells of a fourth, 60 genes. The eight called marker_* differ between types, in the same way in every donor; the eight called donor_* differ between donors only, and by more. Everything is drawn from one seed, so the file is always the same.
"""
import csv
import random
import sys

CELLS = {"Ann": 60, "Bob": 50, "Cleo": 40, "Dan": 10}
NAMES = [f"marker_{j}" for j in range(8)] + [f"donor_{j}" for j in range(8)] + [f"gene_{j}" for j in range(44)]


def main():
    rng = random.Random(11)
    cells = [donor for donor, count in CELLS.items() for _ in range(count)]
    rng.shuffle(cells)
    level = {donor: [rng.gauss(0, 6) for _ in range(8)] for donor in CELLS}
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["donor", *NAMES])
    for donor in cells:
        kind = rng.randrange(3)
        shift = [3 * ((kind + j) % 3) for j in range(8)] + level[donor] + [0] * 44
        out.writerow([donor, *("%.3f" % (8 + s + rng.gauss(0, 1)) for s in shift)])


if __name__ == "__main__":
    main()
