#!/usr/bin/env python3
"""Writes simulated microarrays as raw intensities, as a scanner gives them: chips.py > chips.csv

Sixty samples of three diagnoses, 800 genes, of which the forty called marker_* are active in one diagnosis only. Each chip has a brightness of its own, up to four times that of another; the background has been subtracted, so the
weakest signals are negative. Everything is drawn from one seed, so the file is always the same.
"""
import csv
import random
import sys

SAMPLES, GENES, MARKERS = 60, 800, 40
DIAGNOSES = ["healthy", "mild", "severe"]


def main():
    rng = random.Random(7)
    level = [rng.gauss(2.4, 0.5) for _ in range(GENES)]             # of each gene, log10
    on = {j: rng.randrange(3) for j in rng.sample(range(GENES), MARKERS)}
    names = [("marker_%d" if j in on else "gene_%d") % j for j in range(GENES)]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["sample", *names, "label"])
    for i in range(SAMPLES):
        bright = rng.uniform(-0.3, 0.3)                             # of this chip, log10
        row = []
        for j in range(GENES):
            signal = level[j] + bright + rng.gauss(0, 0.12) + (0.45 if on.get(j) == i % 3 else 0)
            row.append("%.1f" % (10 ** signal - rng.uniform(0, 30)))
        out.writerow(["chip_%02d" % i, *row, DIAGNOSES[i % 3]])


if __name__ == "__main__":
    main()
