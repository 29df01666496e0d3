"""What people use to choose genes from raw counts, written from the published definitions. One score per gene, higher is
better; a constant gene has none (nan).

seurat_v3   Stuart et al., Cell 2019; the variance of standardised counts, clipped at sqrt(n)
dispersion  Satija et al., Nat. Biotechnol. 2015; log(variance / mean) of counts per 10,000, z-scored in 20 bins of the mean
deviance    Townes et al., Genome Biol. 2019; binomial deviance from a constant share of each cell's total

counts is a scipy CSR or CSC matrix, rows are cells.
"""
import numpy as np
import pandas as pd


def moments(counts):
    """Mean and variance (n - 1) of every column."""
    n = counts.shape[0]
    columns = counts.tocsc().astype(float)
    mean = np.asarray(columns.sum(axis=0)).ravel() / n  # not mean(), which rounds before it adds and so breaks ties
    square = columns.copy()
    square.data = (square.data - np.repeat(mean, np.diff(square.indptr))) ** 2
    gaps = n - np.diff(columns.indptr)
    return mean, (np.asarray(square.sum(axis=0)).ravel() + gaps * mean ** 2) / (n - 1)


def local_fit(x, y, at, q):
    """Value and slope at `at` of the quadratic fitted to the q nearest points with tricube weights."""
    d = np.abs(x - at)
    h = np.partition(d, q - 1)[q - 1]
    near = np.flatnonzero(d < 0.999 * h) if h > 0 else np.flatnonzero(d == 0)
    u = d[near] / h if h > 0 else d[near]
    w = np.where(u > 0.001, (1 - u ** 3) ** 3, 1.0)
    root = np.sqrt(w)[:, None]
    basis = np.stack([np.ones(len(near)), x[near] - at, (x[near] - at) ** 2], axis=1)
    scale = np.linalg.norm(root * basis, axis=0)
    scale[scale == 0] = 1
    beta = np.linalg.lstsq(root * basis / scale, root[:, 0] * y[near], rcond=1e-10)[0] / scale
    return beta[0], beta[1]


def cut(x, lo, hi):
    """The point at which a cell is cut: its median, or the nearest to it that is followed by a larger value; the next
    one up goes first. None is looked for beyond the cell's nearer end."""
    m, step = (lo + hi) // 2, 0
    while lo <= m + step < hi and x[m + step] == x[m + step + 1]:
        step = 1 - step if step <= 0 else -step
    return m + step if lo <= m + step < hi else m


def knots(x, leaf):
    """Where Cleveland's dloess, and so skmisc, fits: the ends, half a per cent beyond the data, and the cuts of a k-d tree
    with at most `leaf` points in a cell. x is sorted."""
    margin = 0.005 * max(x[-1] - x[0], 1e-10 * max(abs(x[0]), abs(x[-1])) + 1e-30)
    ends = x[0] - margin, x[-1] + margin
    found, cells = set(ends), [(0, len(x) - 1, *ends)]
    while cells:
        lo, hi, left, right = cells.pop()
        m = cut(x, lo, hi)
        if hi - lo + 1 > leaf and left < x[m] < right:
            found.add(x[m])
            cells += [(lo, m, left, x[m]), (m + 1, hi, x[m], right)]
    return np.array(sorted(found))


def loess(x, y, span=0.3, cell=0.2):
    """Local regression of degree 2, as skmisc computes it: exact at the knots, between them the cubic that has the
    value and the slope of both."""
    order = np.argsort(x, kind="stable")
    n = len(x)
    at = knots(x[order], int(np.floor(n * span * cell)))
    q = min(n, int(np.floor(n * span + 1e-5)))
    value, slope = np.array([local_fit(x, y, v, q) for v in at]).T
    k = np.clip(np.searchsorted(at, x, side="right") - 1, 0, len(at) - 2)
    h = at[k + 1] - at[k]
    t = (x - at[k]) / h
    return ((1 + 2 * t) * (1 - t) ** 2 * value[k] + t ** 2 * (3 - 2 * t) * value[k + 1]
            + h * (t * (1 - t) ** 2 * slope[k] - t ** 2 * (1 - t) * slope[k + 1]))


def seurat_v3(counts):
    counts = counts.tocsc().astype(float)
    n = counts.shape[0]
    mean, variance = moments(counts)
    varies = variance > 0
    fit = np.zeros(len(mean))
    fit[varies] = loess(np.log10(mean[varies]), np.log10(variance[varies]))
    sd = np.sqrt(10 ** fit)
    clipped = counts.copy()
    limit = np.repeat(sd * np.sqrt(n) + mean, np.diff(counts.indptr))
    clipped.data = np.minimum(clipped.data, limit)
    total = np.asarray(clipped.sum(axis=0)).ravel()
    square = np.asarray(clipped.multiply(clipped).sum(axis=0)).ravel()
    score = (n * mean ** 2 + square - 2 * total * mean) / ((n - 1) * sd ** 2)
    return np.where(varies, score, np.nan)


def per_10k(counts):
    total = np.asarray(counts.sum(axis=1), dtype=float).ravel()
    rows = counts.tocsr().astype(float)
    rows.data *= np.repeat(1e4 / np.where(total > 0, total, 1), np.diff(rows.indptr))
    return rows


def dispersion(counts, bins=20):
    mean, variance = moments(per_10k(counts))
    varies = variance > 0
    log_mean, log_dispersion = np.log1p(mean[varies]), np.log(variance[varies] / mean[varies])
    group = pd.cut(pd.Series(log_mean), bins=bins)
    stats = pd.Series(log_dispersion).groupby(group).agg(["mean", "std"])
    centre = stats["mean"].reindex(group).to_numpy()
    spread = stats["std"].reindex(group).to_numpy()
    alone = np.isnan(spread)
    score = np.full(len(mean), np.nan)
    score[varies] = np.where(alone, 1.0, (log_dispersion - np.where(alone, 0, centre)) / np.where(alone, 1, spread))
    return score


def deviance(counts):
    rows = counts.tocsr().astype(float)
    total = np.asarray(rows.sum(axis=1)).ravel()
    share = np.asarray(rows.sum(axis=0)).ravel() / total.sum()
    score = np.full(len(share), np.nan)
    columns = rows.tocsc()
    for j in np.flatnonzero((share > 0) & (share < 1)):
        x = np.zeros(len(total))
        part = slice(columns.indptr[j], columns.indptr[j + 1])
        x[columns.indices[part]] = columns.data[part]
        rest, mu = total - x, total * share[j]
        with np.errstate(divide="ignore", invalid="ignore"):
            a = np.where(x > 0, x * np.log(x / mu), 0)
            b = np.where(rest > 0, rest * np.log(rest / (total - mu)), 0)
        score[j] = 2 * np.sum(a + b)
    return score
