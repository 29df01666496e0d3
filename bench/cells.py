#!/usr/bin/env python3
"""How well cells cluster on the genes that pith chooses, beside what single-cell people use.

    cmake --build --preset release && bench/cells.py [SET ...] [--methods METHOD ...]

Every labelled set sc_*.h5ad of the data folder (PITH_DATA, or ../shared/data): raw counts, labels in obs['label'].
After a choice of genes comes scanpy's usual way, written out: log1p of counts per 10,000 of all genes, columns to unit
variance and clipped at 10, 50 principal components; then k-means with the true number of classes (best of 10 starts)
and Leiden at resolution 1 on UMAP's graph of 15 neighbours. Each clustering is made with three seeds; a figure is the mean of
ARI and NMI. Beside pith: seurat_v3, dispersion and deviance (gene_peers.py), all genes, and random genes. What was
judged is kept in build/choices: a call that is cut short goes on where it was. Needs Debian's python3-anndata,
python3-sklearn and, for Leiden, python3-leidenalg (else k-means alone, and the table says so).
"""
import argparse

import anndata
import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.neighbors import NearestNeighbors

import choices
import gene_peers

try:
    import igraph
    import leidenalg
except ImportError:
    leidenalg = None

SEEDS = 3
METHODS = ["auto", "consensus", "laplacian", "laplacian --prep counts-per-10k,log1p", "cl-des", "kmeans-energy", "ht-des", "variance"]
PEERS = {"seurat_v3": gene_peers.seurat_v3, "dispersion": gene_peers.dispersion, "deviance": gene_peers.deviance}


class Cells:
    def __init__(self, path):
        data = anndata.read_h5ad(path)
        self.path, self.name = path, path.stem.removeprefix("sc_")
        self.counts = sp.csr_matrix(data.X)
        self.label = np.asarray(data.obs["label"])
        self.logged = gene_peers.per_10k(self.counts).tocsc()
        self.logged.data = np.log1p(self.logged.data)


def components(x):
    """The first 50 principal components of the columns, scaled and clipped first."""
    sd = x.std(axis=0, ddof=1)
    x = np.clip((x - x.mean(axis=0)) / np.where(sd > 0, sd, 1), -10, 10)
    x -= x.mean(axis=0)
    value, vector = np.linalg.eigh(x @ x.T)
    first = np.argsort(-value)[:min(50, x.shape[1])]
    return vector[:, first] * np.sqrt(np.maximum(value[first], 0))


def umap_graph(points, k=15):
    """UMAP's weights, as scanpy's neighbors has them: exp(-(d - nearest) / width), widths such that the weights of a
    point's k - 1 neighbours (scanpy's k counts the point) sum to log2(k), joined by a + b - ab."""
    k = min(k, len(points))
    d, near = NearestNeighbors(n_neighbors=k).fit(points).kneighbors(points)
    d, near = d[:, 1:], near[:, 1:]
    rho = d[:, :1]
    lo, hi = np.full(len(d), 1e-12), np.full(len(d), 1e6)
    for _ in range(100):
        width = np.sqrt(lo * hi)
        many = np.exp(-(d - rho) / width[:, None]).sum(axis=1) > np.log2(k)
        lo, hi = np.where(many, lo, width), np.where(many, width, hi)
    w = np.exp(-(d - rho) / width[:, None])
    graph = sp.csr_matrix((w.ravel(), (np.repeat(np.arange(len(d)), k - 1), near.ravel())), shape=(len(d), len(d)))
    return graph + graph.T - graph.multiply(graph.T)


def score(truth, found):
    return (adjusted_rand_score(truth, found) + normalized_mutual_info_score(truth, found)) / 2


def judge(cells, genes):
    points = components(cells.logged[:, genes].toarray())
    classes = len(np.unique(cells.label))
    result = {"k-means": np.mean([score(cells.label, KMeans(classes, n_init=10, random_state=s).fit_predict(points))
                                  for s in range(SEEDS)])}
    if leidenalg is not None:
        upper = sp.triu(umap_graph(points), 1).tocoo()
        graph = igraph.Graph(n=len(points), edges=list(zip(upper.row.tolist(), upper.col.tolist())))
        found = [leidenalg.find_partition(graph, leidenalg.RBConfigurationVertexPartition, weights=upper.data.tolist(),
                                          n_iterations=-1, seed=s).membership for s in range(SEEDS)]
        result["Leiden"] = np.mean([score(cells.label, f) for f in found])
    return {name: float(value) for name, value in result.items()}


def judged(cache, cells, genes):
    genes = np.sort(genes)
    key = ["cells 1", leidenalg is not None, cells.name, cells.counts.shape, genes.astype("<i8").tobytes()]
    return cache.get(key, lambda: judge(cells, genes))


def rankings(cache, options, cells):
    """Name -> rankings, one for each seed where there is chance in it."""
    for method in options.methods:
        yield method, [choices.pith_ranking(cache, options.pith, cells.path, method, s + 1) for s in range(options.seeds)]
    for name, peer in PEERS.items():
        key = ["peer 2", name, cells.name, cells.counts.shape]
        scores = cache.get(key, lambda peer=peer: peer(cells.counts).tolist())
        yield name, [choices.by_score(np.array(scores))]
    yield "random genes", [np.random.default_rng(s).permutation(cells.counts.shape[1]) for s in range(5)]


def figures(cache, options, cells):
    """(method, count) -> judgement."""
    found = {("all genes", 0): judged(cache, cells, np.arange(cells.counts.shape[1]))}
    for name, orders in rankings(cache, options, cells):
        for count in options.counts:
            found[name, count] = choices.mean_of([judged(cache, cells, order[:count]) for order in orders])
    return found


def both(judgement):
    return float(np.mean(list(judgement.values())))


def set_table(name, found, counts):
    methods = list(dict.fromkeys(m for m, _ in found))
    columns = {f"{judge_name}, {c}": (judge_name, c) for judge_name in found["all genes", 0] for c in counts}

    def cell(method, column):
        judge_name, count = columns[column]
        return found[method, 0 if method == "all genes" else count][judge_name]

    rows = sorted(methods, key=lambda m: -np.mean([cell(m, c) for c in columns]))
    return choices.table(name, rows, columns, cell)


def summary(all_found, counts):
    sets = list(all_found)
    methods = list(dict.fromkeys(m for m, _ in all_found[sets[0]]))
    judges = list(all_found[sets[0]]["all genes", 0])

    def values(method, name):
        return [all_found[name][method, 0 if method == "all genes" else c] for c in counts]

    def cell(method, column):
        if column in sets:
            return np.mean([both(v) for v in values(method, column)])
        if column == "mean":
            return np.mean([cell(method, s) for s in sets])
        return np.mean([v[column] for s in sets for v in values(method, s)])

    rows = sorted(methods, key=lambda m: -cell(m, "mean"))
    return choices.table("mean over the counts", rows, [*sets, "mean", *judges], cell)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    choices.add_options(parser, [200, 500, 1000, 2000], METHODS)
    options = parser.parse_args()
    cache = choices.Cache(options.cache)
    paths = sorted(choices.data_folder().glob("sc_*.h5ad"))
    if options.sets:
        paths = [p for p in paths if p.stem.removeprefix("sc_") in options.sets]
    if not paths:
        raise SystemExit(f"{choices.data_folder()}: no set of the names asked for; they are sc_NAME.h5ad there")
    if leidenalg is None:
        print("no leidenalg: k-means alone\n")
    all_found = {}
    for path in paths:
        cells = Cells(path)
        all_found[cells.name] = figures(cache, options, cells)
        print(set_table(cells.name, all_found[cells.name], options.counts), flush=True)
    print(summary(all_found, options.counts))


if __name__ == "__main__":
    main()
