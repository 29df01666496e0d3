"""Cells and texts, judged as people in their fields would: the judges of bench/cells.py and bench/words.py on what every method chooses with its defaults."""
import pathlib
import sys

import numpy as np

COUNTS = {"cells": (200, 500, 1000, 2000), "text": (100, 300, 600)}
SEEDS = 3  # rankings of each method
DRAWS = 5  # of random features
# As the Laplacian score is often used on cells, and what docs/methods/energy.md advises for few words.
EXTRA = {"cells": ("laplacian --prep counts-per-10k,log1p",), "text": ("energy --idf 0.5",)}


def opened(path, domain, cache):
    """(file to rank, number of features, judge): the judge takes features and gives {name: score}."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    if domain == "cells":
        import cells
        data = cells.Cells(path)
        return path, data.counts.shape[1], lambda some: cells.judged(cache, data, some)
    import words
    data = words.Words(path, cache.folder)
    return data.path, data.tfidf.shape[1], lambda some: {"k-means": words.judged(cache, data, some)}


def orders(rank):
    """Rankings by seed; where the first two are the same, chance plays no part."""
    first, second = rank(1), rank(2)
    return [first] if np.array_equal(first, second) else [first, second, *(rank(seed) for seed in range(3, SEEDS + 1))]


def make(program, path, job, work):
    """{method: {count: {judge: score}}}; cells need anndata, and leidenalg for Leiden."""
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    import choices
    domain, cache = job.entry["domain"], choices.Cache(work / "choices")
    path, features, judge = opened(path, domain, cache)

    def judged(some):
        found = {str(c): choices.mean_of([judge(order[:c]) for order in some]) for c in COUNTS[domain] if c < features}
        return {count: {name: float(f"{v:.6g}") for name, v in by.items()} for count, by in found.items()}

    scores = {method: judged(orders(lambda seed, m=method: choices.pith_ranking(cache, program, path, f"{m} --threads 1", seed)))
              for method in (*job.methods, *EXTRA[domain])}
    scores["random"] = judged([np.random.default_rng(s).permutation(features) for s in range(DRAWS)])
    scores["all-features"] = {str(features): {name: float(f"{v:.6g}") for name, v in judge(np.arange(features)).items()}}
    return {"scores": scores}


def judges(result):
    return tuple(next(iter(result["scores"]["random"].values())))


def at(result, method, count):
    """The score at one count, over the judges; all features have their own count."""
    by_count = result["scores"][method]
    return float(np.mean(list(next(iter(by_count.values())).values() if method == "all-features" else by_count[str(count)].values())))


def averages(result, judge=None):
    """{method: mean over the counts}, of one judge or of all."""
    return {m: float(np.mean([v for by in by_count.values() for name, v in by.items() if judge in (None, name)]))
            for m, by_count in result["scores"].items()}
