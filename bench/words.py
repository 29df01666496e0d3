#!/usr/bin/env python3
"""How well documents cluster on the words that pith chooses, judged as a text miner would: by unit rows of tf-idf.

    cmake --build --preset release && bench/words.py [SET ...] [--methods METHOD ...]

The sets named below in the data folder (PITH_DATA, or ../shared/data), cut to 2,500 documents. tf ln(n / df) over all
documents and words; then the chosen columns, rows to unit length again, k-means with the true number of classes (best of
4 starts, three seeds) and NMI over the larger entropy. What was judged is kept in build/choices.
"""
import argparse

import numpy as np
import scipy.io
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score
from sklearn.preprocessing import normalize

import choices

SETS = ["BBCSport", "Guardian", "Newsgroups_mini", "PCMAC", "TDT2"]
MOST, SEEDS = 2500, 3
METHODS = ["auto", "consensus", "cl-des", "ht-des", "kmeans-energy", "laplacian", "variance"]


class Words:
    def __init__(self, path, folder):
        self.name, self.path = path.stem, path
        data = scipy.io.loadmat(self.path)
        counts = sp.csr_matrix(data["fea"] if "fea" in data else data["X"]).astype(float)
        label = np.ravel(data["gnd"] if "gnd" in data else data["Y"])
        if counts.shape[0] > MOST:
            some = np.sort(np.random.default_rng(1).choice(counts.shape[0], MOST, replace=False))
            counts, label = counts[some], label[some]
            self.path = folder / f"{self.name}_{MOST}.mat"
            scipy.io.savemat(self.path, {"fea": counts, "gnd": label[:, None]}, do_compression=True)
        self.label = label
        df = np.asarray((counts > 0).sum(axis=0)).ravel()
        self.tfidf = (counts @ sp.diags(np.log(len(label) / np.maximum(df, 1)))).tocsc()


def judge(words, columns):
    rows = normalize(sp.csr_matrix(words.tfidf[:, columns]))
    classes = len(np.unique(words.label))
    return float(np.mean([normalized_mutual_info_score(words.label, KMeans(classes, n_init=4, random_state=s).fit_predict(rows),
                                                       average_method="max") for s in range(SEEDS)]))


def judged(cache, words, columns):
    columns = np.sort(columns)
    return cache.get(["words 1", words.name, words.tfidf.shape, columns.astype("<i8").tobytes()],
                     lambda: judge(words, columns))


def figures(cache, options, words):
    found = {}
    every = judged(cache, words, np.arange(words.tfidf.shape[1]))
    for count in options.counts:
        found["all words", count] = every
        for method in options.methods:
            orders = [choices.pith_ranking(cache, options.pith, words.path, method, s + 1) for s in range(options.seeds)]
            found[method, count] = float(np.mean([judged(cache, words, order[:count]) for order in orders]))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    choices.add_options(parser, [100, 300, 600], METHODS)
    options = parser.parse_args()
    cache = choices.Cache(options.cache)
    found = {}
    for name in options.sets or SETS:
        found[name] = figures(cache, options, Words(choices.data_folder() / f"{name}.mat", options.cache))
    columns = {f"{name}, {c}": (name, c) for name in [*found, "mean"] for c in options.counts}

    def cell(method, column):
        name, count = columns[column]
        return np.mean([f[method, count] for f in found.values()]) if name == "mean" else found[name][method, count]

    rows = sorted(["all words", *options.methods], key=lambda m: -np.mean([cell(m, c) for c in columns]))
    print(choices.table("", rows, columns, cell))


if __name__ == "__main__":
    main()
