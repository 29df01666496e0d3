"""Null moments of a feature's evidence, written out slowly: numbers.h.

Run with Debian's Python (python3-scipy): python3 tests/oracle/evidence/make.py. tests/unit/test_chance.c holds pith to it.

T = x'Mx / x'x over all orders of x. The mean over orders of a product of entries of M, times values of x, depends only on
which of the indices coincide, so it is a sum over the set partitions of the indices:

    E[(x'Mx)^q] = sum over set partitions s of 2q indices of M(s) X(s) / n(n-1)..(n-b+1),    b blocks,

M(s) and X(s) being sums over indices that differ between blocks. These come from sums over free indices by Moebius inversion
on the lattice of set partitions. This is done twice: once as numbers, with the dense matrix (moments), and once as symbols
(the integer tables K_b of the third moment). The tail is that of scipy's lognormal, its shape found by bisection.
"""
import math
import os

import numpy as np
from scipy.optimize import brentq
from scipy.stats import lognorm, norm


def set_partitions(count):
    """As lists: the block of each index, blocks numbered by their first index."""
    def grow(blocks):
        if len(blocks) == count:
            yield tuple(blocks)
            return
        for block in range(max(blocks, default=-1) + 2):
            yield from grow(blocks + [block])
    return list(grow([]))


def coarser(fine):
    """The partitions that merge blocks of `fine`, each with its Moebius number."""
    for merged in set_partitions(max(fine) + 1):
        mu = 1
        for block in set(merged):
            size = merged.count(block)
            mu *= (-1) ** (size - 1) * math.factorial(size - 1)
        yield tuple(merged[block] for block in fine), mu


def falling(n, b):
    return math.prod(n - i for i in range(b))


# ---- As symbols: K_b -------------------------------------------------------------------------------------------------

INVARIANTS = ("S3", "c3", "Rr", "U", "Bq")
POWERS = ("s6", "s4 s2", "s3^2", "s2^3")


def invariant_of(s):
    """Which invariant the free sum of M_s0s1 M_s2s3 M_s4s5 is when rows of M sum to 0, and its diagonal too; None: 0."""
    edges = [tuple(sorted(s[i:i + 2])) for i in (0, 2, 4)]
    vertices = set(s)
    loops = [e for e in edges if e[0] == e[1]]
    links = [e for e in edges if e[0] != e[1]]
    if any(sum(e.count(v) for e in edges) == 1 for v in vertices):
        return None                                                # a row's sum
    if any(all(v not in e for e in edges if e != (v, v)) and edges.count((v, v)) == 1 for v in vertices):
        return None                                                # the trace
    if len(vertices) == 1:
        return "S3"
    if len(vertices) == 2 and len(loops) == 0:
        return "U"
    if len(vertices) == 2 and len(loops) == 1:
        return "Rr"
    if len(vertices) == 2 and len(set(loops)) == 2 and len(links) == 1:
        return "Bq"
    if len(vertices) == 3 and len(loops) == 0 and len(set(links)) == 3:
        return "c3"
    raise AssertionError(s)


def power_of(s):
    sizes = tuple(sorted((s.count(b) for b in set(s)), reverse=True))
    return {(6,): "s6", (4, 2): "s4 s2", (3, 3): "s3^2", (2, 2, 2): "s2^3"}.get(sizes)


def tables():
    K = np.zeros((6, 5, 4), dtype=int)
    for s in set_partitions(6):
        of_M, of_x = np.zeros(5, dtype=int), np.zeros(4, dtype=int)
        for t, mu in coarser(s):
            if invariant_of(t):
                of_M[INVARIANTS.index(invariant_of(t))] += mu
            if power_of(t):
                of_x[POWERS.index(power_of(t))] += mu
        K[max(s)] += np.outer(of_M, of_x)
    return K


# ---- As numbers: a dense matrix --------------------------------------------------------------------------------------

def moment(M, x, q):
    n = len(x)
    free_M, free_x = {}, {}
    letters = "abcdef"
    for s in set_partitions(2 * q):
        indices = ",".join(letters[s[2 * i]] + letters[s[2 * i + 1]] for i in range(q))
        free_M[s] = float(np.einsum(indices + "->", *[M] * q, optimize="greedy"))
        free_x[s] = math.prod((x ** s.count(b)).sum() for b in set(s))
    total = 0
    for s in set_partitions(2 * q):
        distinct_M = sum(mu * free_M[t] for t, mu in coarser(s))
        distinct_x = sum(mu * free_x[t] for t, mu in coarser(s))
        total += distinct_M * distinct_x / falling(n, max(s) + 1)
    return total


def tail(z, skew):
    if abs(skew) < 0.01:
        return norm.sf(z)
    w = brentq(lambda w: (w + 2) * math.sqrt(w - 1) - abs(skew), 1 + 1e-12, 1e6, xtol=1e-15, rtol=1e-15)
    s = math.sqrt(math.log(w))
    scale = 1 / math.sqrt(w * (w - 1))
    shape = lognorm(s, loc=-scale * math.sqrt(w), scale=scale)
    assert abs(shape.mean()) < 1e-8 and abs(shape.var() - 1) < 1e-8
    return shape.sf(z) if skew > 0 else shape.cdf(-z)


def null(M, x):
    """tau, T, sd, skew, p."""
    n = len(x)
    x = x - x.mean()
    tau = np.trace(M) / (n - 1)
    centred = M - tau * (np.eye(n) - 1 / n)
    s2 = (x ** 2).sum()
    T = x @ M @ x / s2
    x = x / math.sqrt(s2)
    assert abs(moment(centred, x, 1)) < 1e-12
    sd = math.sqrt(moment(centred, x, 2))
    skew = moment(centred, x, 3) / sd ** 3
    return [tau, T, sd, skew, tail((T - tau) / sd, skew)]


def of_labels(labels):
    M = 0
    for own in labels:
        G = (own[:, None] == np.unique(own)).astype(float)
        P = G @ np.diag(1 / G.sum(axis=0)) @ G.T - 1 / len(own)
        M = M + P / max(G.shape[1] - 1, 1)
    return M


# ---- Cases -----------------------------------------------------------------------------------------------------------

rng = np.random.RandomState(6)


def drawn(n, count, groups):
    return np.array([np.r_[np.arange(groups), rng.randint(groups, size=n - groups)] for _ in range(count)])


twelve = np.arange(12)
specified = np.array([twelve // 4, twelve % 2, [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 3]])
squares = np.array([1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 400.])
alike = drawn(24, 1, 3)
same = np.repeat(alike, 4, axis=0)
some = drawn(22, 5, 4)
rare = np.array([np.arange(20) // 18, np.arange(20) % 3, np.arange(20) // 5])
halves = np.array([np.arange(20) // 10, np.arange(20) % 2])
pairs = np.array([np.minimum(np.arange(20) // 2, 8)])
with_one = np.vstack([drawn(21, 3, 3), np.zeros((1, 21), dtype=int)])
CASES = [
    ("the case of the specification", specified, squares),
    ("heavy tails", some, np.round(np.exp(3 * rng.standard_normal(22)), 3)),
    ("one sample has all", some, (np.arange(22) == 7).astype(float)),
    ("all labellings are the same, and the column follows", same, np.round(alike[0] + 0.3 * rng.standard_normal(24), 3)),
    ("a group of two samples", rare, np.round(rng.standard_normal(20), 3)),
    ("groups that cross, and a column of two values", halves, (np.arange(20) % 4 < 2).astype(float)),
    ("a negative skew", pairs, (np.arange(20) == 18).astype(float)),
    ("a labelling of one group counts nothing", with_one, np.round(rng.standard_t(2, size=21), 3)),
]
KERNEL_N, KERNEL_R = 23, 4
Y = rng.standard_normal((KERNEL_N, KERNEL_R)) * [3, 1, 1, 0.5]
Y[5] *= 6                                                          # an outlying row
Y -= Y.mean(axis=0)
kernel_x = np.round(np.exp(rng.standard_normal(KERNEL_N)), 3)

lines = ["/* Made by make.py beside this file; do not edit. */", "/* clang-format off */",
         "#ifndef PITH_TESTS_ORACLE_EVIDENCE_NUMBERS_H", "#define PITH_TESTS_ORACLE_EVIDENCE_NUMBERS_H", "",
         "#include <stdint.h>", ""]


def listed(values):
    return "{" + ",".join(repr(float(v)) if isinstance(v, (float, np.floating)) else str(int(v)) for v in values) + "}"


K = tables()
lines.append("static const int oracle_third_moment[6][5][4] = {")
for table in K:
    lines.append("{" + ",".join(listed(row) for row in table) + "},")
lines += ["};", "",
          "static const struct oracle_evidence {", "    const char *name;", "    int64_t n, count;",
          "    int32_t label[6][24];", "    double x[24], tau, T, sd, skew, p;",
          "} oracle_evidence[%d] = {" % len(CASES)]
for name, labels, x in CASES:
    found = null(of_labels(labels), x)
    print("%-55s" % name, " ".join("%.6g" % v for v in found))
    lines.append('{"%s", %d, %d,' % (name, labels.shape[1], len(labels)))
    lines.append("{" + ",\n".join(listed(own) for own in labels) + "},")
    lines.append(listed(x) + ",\n" + ",".join(repr(float(v)) for v in found) + "},")
lines += ["};", ""]
found = null(Y @ Y.T, kernel_x)
print("%-55s" % "rows", " ".join("%.6g" % v for v in found))
lines += ["static const double oracle_rows[%d][%d] = {" % Y.shape]
lines += [listed(row) + "," for row in Y]
lines += ["};", "static const double oracle_rows_x[%d] = %s;" % (KERNEL_N, listed(kernel_x)),
          "/* tau, T, sd, skew, p */",
          "static const double oracle_rows_null[5] = %s;" % listed([float(v) for v in found]), "", "#endif"]
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "numbers.h"), "w", encoding="ascii") as out:
    out.write("\n".join(lines) + "\n")
