#!/usr/bin/env python3
"""Writes simulated cells in the format of Cell Ranger: cells.py FOLDER

600 cells of four types from two runs, 2,000 genes. MARK_1 to MARK_60 are active in one type each, BATCH_1 to BATCH_40 in one run
only; the others have a level of their own and carry no information. FOLDER gets matrix.mtx.gz, features.tsv.gz, barcodes.tsv.gz, and
cells.csv, which says what each cell is.
"""
import gzip
import math
import pathlib
import random
import sys

CELLS, GENES, MARKERS, OF_BATCH = 600, 2000, 60, 40
TYPES, RUNS = ("B", "T", "NK", "mono"), ("monday", "friday")
draw = random.Random(7)


def poisson(rate):
    count, product = 0, draw.random()
    while product > math.exp(-rate):
        count, product = count + 1, product * draw.random()
    return count


def rate(gene, kind, run):
    if gene < MARKERS:
        return 1.5 if gene % len(TYPES) == kind else 0.15
    if gene < MARKERS + OF_BATCH:
        return 1.5 if gene % 2 == run else 0.15
    return 0.02 + 1.2 / (1 + (gene % 97))


def name(gene):
    if gene < MARKERS:
        return f"MARK_{gene + 1}"
    return f"BATCH_{gene - MARKERS + 1}" if gene < MARKERS + OF_BATCH else f"GENE_{gene + 1}"


def main(folder):
    folder.mkdir(exist_ok=True)
    entries, about = [], ["barcode,type,run"]
    for cell in range(CELLS):
        kind, run, depth = cell % len(TYPES), cell // len(TYPES) % 2, math.exp(draw.gauss(0, 0.4))
        about.append(f"CELL{cell:04d}-1,{TYPES[kind]},{RUNS[run]}")
        for gene in range(GENES):
            count = poisson(depth * rate(gene, kind, run))
            if count:
                entries.append(f"{gene + 1} {cell + 1} {count}")
    files = {
        "matrix.mtx.gz": ["%%MatrixMarket matrix coordinate integer general", f"{GENES} {CELLS} {len(entries)}", *entries],
        "features.tsv.gz": [f"ENSG{gene:011d}\t{name(gene)}\tGene Expression" for gene in range(GENES)],
        "barcodes.tsv.gz": [line.split(",")[0] for line in about[1:]],
    }
    for file, lines in files.items():
        with gzip.open(folder / file, "wt") as out:
            out.write("\n".join(lines) + "\n")
    (folder / "cells.csv").write_text("\n".join(about) + "\n")


main(pathlib.Path(sys.argv[1]))
