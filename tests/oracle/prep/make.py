"""What scikit-learn, scipy and plain numpy make of two small tables, step by step: numbers.h.

Run with Debian's Python (python3-sklearn): python3 tests/oracle/prep/make.py. tests/unit/test_steps.c holds pith
to 1e-13 of the largest value of each result; both work in double.
"""
import os

import numpy as np
from scipy.stats import rankdata
from sklearn.cluster._bicluster import _scale_normalize
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import Binarizer, MinMaxScaler, StandardScaler, normalize

N, P = 14, 9


def tables():
    rng = np.random.RandomState(4)
    counts = rng.poisson(0.7, (N, P)).astype(float)
    counts[5] = 0           # an empty sample
    counts[:, 2] = 0        # a word of no document
    counts[:, 3] += 1       # a word of every document but the empty one
    counts[5, 3] = 0
    counts[:, 6] = counts[:, 4]     # twins
    real = np.round(rng.standard_normal((N, P)) * 40 + 30, 1)
    real[rng.uniform(size=(N, P)) < 0.3] = 0
    real[:, 1] = 2.5        # constant
    real[4] = real[9]       # twins
    real[7, :4] = 11        # ties within a sample
    return counts, real


def quantile(x):
    q = np.sort(x, axis=1).mean(axis=0)
    out = np.empty_like(x)
    for i, row in enumerate(x):
        first, last = rankdata(row, "min").astype(int), rankdata(row, "max").astype(int)
        out[i] = [q[a - 1:b].mean() for a, b in zip(first, last)]
    return out


def tfidf(x, **how):
    return TfidfTransformer(norm=None, **how).fit_transform(x).toarray()


def plain_tfidf(x):
    df = (x > 0).sum(axis=0)
    return x * np.log(len(x) / np.maximum(df, 1))


def kept(x, mask):
    return x[:, mask]


def bistochastic(x):
    return _scale_normalize(x)[0]


def top(x, count):
    best = np.sort(np.argsort(-x.var(axis=0), kind="stable")[:count])
    return x[:, best]


def size_factors(x, total=1e4):
    """Median of ratios, a sample at a time; the mean total becomes `total`, and that of a sample without a reference feature."""
    positive = x > 0
    refers = positive.mean(axis=0) >= 0.9
    ratio = np.full(len(x), np.nan)
    for i in range(len(x)):
        some = [x[i, j] / np.exp(np.log(x[positive[:, j], j]).mean()) for j in np.flatnonzero(refers & positive[i])]
        if some:
            ratio[i] = np.exp(np.median(np.log(some)))
    y = x / ratio[:, None]
    y *= total / y.sum(axis=1)[~np.isnan(ratio)].mean()
    for i in np.flatnonzero(np.isnan(ratio)):
        y[i] = x[i] * total / x[i].sum() if x[i].sum() > 0 else 0
    return y


def log10(x):
    return np.log10(np.maximum(x, 1))


counts, real = tables()
df = (counts != 0).sum(axis=0)
with np.errstate(all="ignore"):
    CASES = [
        (0, "tfidf", plain_tfidf(counts)),
        (0, "tfidf=smooth", tfidf(counts, smooth_idf=True)),
        (0, "tfidf=smooth:tf=log", tfidf(counts, smooth_idf=True, sublinear_tf=True)),
        (0, "tfidf:idf=shifted", np.where(counts > 0, tfidf(counts, smooth_idf=False), 0)),
        (0, "tfidf=smooth,l2", TfidfTransformer().fit_transform(counts).toarray()),
        (0, "l1", normalize(counts, "l1")),
        (1, "l1", normalize(real, "l1")),
        (1, "l2", normalize(real, "l2")),
        (1, "max", normalize(real, "max")),
        (0, "counts-per-10k", 1e4 * normalize(counts, "l1")),
        (0, "counts", np.log1p(1e4 * normalize(counts, "l1"))),
        (0, "size-factors", size_factors(counts)),
        (1, "minmax,size-factors=500", size_factors(MinMaxScaler().fit_transform(real), 500)),
        (1, "minmax,reads", np.log1p(size_factors(MinMaxScaler().fit_transform(real)))),
        (0, "log1p", np.log1p(counts)),
        (1, "log10", log10(real)),
        (1, "binary=20", Binarizer(threshold=20).fit_transform(real)),
        (0, "binary", Binarizer().fit_transform(counts)),
        (1, "center", StandardScaler(with_std=False).fit_transform(real)),
        (1, "zscore", StandardScaler().fit_transform(real)),
        (0, "zscore", StandardScaler().fit_transform(counts)),
        (1, "minmax", MinMaxScaler().fit_transform(real)),
        (0, "minmax", MinMaxScaler().fit_transform(counts)),
        (1, "quantile", quantile(real)),
        (0, "quantile", quantile(counts)),
        (1, "double-center", real - real.mean(0) - real.mean(1)[:, None] + real.mean()),
        (0, "binormalize", np.nan_to_num(bistochastic(counts))),
        (1, "drop-constant", kept(real, real.std(axis=0) > 0)),
        (0, "drop-duplicates", np.delete(counts, 6, axis=1)),
        (1, "drop-duplicates=samples", np.delete(real, 9, axis=0)),
        (0, "min-df=7", kept(counts, df >= 7)),
        (0, "min-df=0.5", kept(counts, df >= 0.5 * N)),
        (0, "max-df=0.5", kept(counts, df <= 0.5 * N)),
        (0, "max-df=7", kept(counts, df <= 7)),
        (1, "top-variance=3", top(real, 3)),
        (0, "top-variance=100", counts),
        (1, "microarray", (lambda y: y - y.mean(0) - y.mean(1)[:, None] + y.mean())(quantile(log10(real)))),
        (1, "drop-constant,zscore,l2", normalize(StandardScaler().fit_transform(kept(real, real.std(axis=0) > 0)))),
    ]

lines = ["/* Made by make.py beside this file; do not edit. */", "/* clang-format off */",
         "#ifndef PITH_TESTS_ORACLE_PREP_NUMBERS_H", "#define PITH_TESTS_ORACLE_PREP_NUMBERS_H", "",
         "enum { ORACLE_N = %d, ORACLE_P = %d };" % (N, P)]


def array(name, values):
    lines.append("static const double %s[] = {" % name)
    row = ""
    for v in np.asarray(values).ravel():
        t = repr(float(v) + 0.0)
        if len(row) + len(t) > 105:
            lines.append(row)
            row = ""
        row += t + ","
    lines.append(row + "};")


array("oracle_counts", counts)
array("oracle_real", real)
for k, (_, _, result) in enumerate(CASES):
    array("oracle_%d" % k, result)
lines.append("static const struct {\n    int table;\n    const char *steps;\n    int n, p;\n    const double *values;\n"
             "} oracle_cases[] = {")
for k, (table, steps, result) in enumerate(CASES):
    assert np.isfinite(result).all(), steps
    lines.append('    {%d, "%s", %d, %d, oracle_%d},' % (table, steps, *result.shape, k))
lines += ["};", "", "#endif", ""]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "numbers.h"), "w") as f:
    f.write("\n".join(lines))
