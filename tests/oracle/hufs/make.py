"""HUFS by the equations of tests/oracle/factor.py, on trees given as lists of features."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import factor
import numpy as np


def grid(height, width, leaf):
    """A quad-tree of pixels counted along the rows, level by level; blocks equal to their parents left out."""
    found, level = [(0, height, 0, width)], [(0, height, 0, width)]
    while level:
        below = []
        for r0, r1, c0, c1 in level:
            if (r1 - r0) * (c1 - c0) <= leaf:
                continue
            rm, cm = r0 + (r1 - r0 + 1) // 2, c0 + (c1 - c0 + 1) // 2
            for block in ((r0, rm, c0, cm), (r0, rm, cm, c1), (rm, r1, c0, cm), (rm, r1, cm, c1)):
                if (block[1] - block[0]) * (block[3] - block[2]) > 1:
                    below.append(block)
        found, level = found + below, below
    return [[r * width + c for r in range(r0, r1) for c in range(c0, c1)] for r0, r1, c0, c1 in found]


def hufs(X, labels, tree, standardize="zscore", alpha=0.001, beta=0.01, group_weight="one", solver="mm", **options):
    q = factor.Problem(X, labels, standardize, beta, tree=tree, groups=alpha, weights=group_weight)
    return factor.solve(q, solver, **options)


def tolerance(solver):
    """admm holds its one n x D array in single precision."""
    return 1e-8 if solver == "mm" else 1e-6


numbers = o.Numbers(__file__)
# A polar factor and a hundred products an iteration: rounding grows a little with the iterations. The number of
# iterations is fixed (tol 0), but for one case of each solver that ends by itself far from the threshold.
X = numbers.data(o.blobs(n=48, p=24))
labels = (np.arange(len(X)) * 7) % 3
quad = grid(4, 6, 2)
root = [list(range(24))]
for tree, text in ((quad, "grid:4x6:row:leaf=2"), (root, "root")):
    for solver in ("mm", "admm", "admm-tree"):
        for case in (dict(), dict(alpha=0.05, beta=0.05), dict(alpha=0.0), dict(beta=0.0, alpha=0.01, group_weight="sqrt")):
            case = dict(case, solver=solver, max_iter=30, tol=0)
            numbers.case(hufs(X, labels, tree, **case), tolerance(solver), tree=text, init_labels=labels, **case)
numbers.case(hufs(X, labels, quad), 1e-8, tree="grid:4x6:row:leaf=2", init_labels=labels)
numbers.case(hufs(X, labels, quad, solver="admm"), 1e-6, tree="grid:4x6:row:leaf=2", init_labels=labels, solver="admm")
numbers.case(hufs(X, labels, root, solver="admm", mu0=0.5, rho=1.2, max_iter=20, tol=0), 1e-6, tree="root",
             init_labels=labels, solver="admm", mu0=0.5, rho=1.2, max_iter=20, tol=0)
numbers.case(hufs(X, labels, root, mu0=0.1, rho=1.3, mu_max=2.0, max_iter=20, tol=0), 1e-8, tree="root",
             init_labels=labels, mu0=0.1, rho=1.3, mu_max=2.0, max_iter=20, tol=0)
numbers.case(hufs(X, labels, quad, standardize="minmax", max_iter=20, tol=0), 1e-8, tree="grid:4x6:row:leaf=2",
             init_labels=labels, standardize="minmax", max_iter=20, tol=0)
C = numbers.data(o.counts(n=40, p=30, empty=False))
labels = np.arange(len(C)) % 4
for solver in ("mm", "admm"):
    for view in ("tfidf", "none", "center"):
        case = dict(solver=solver, max_iter=20, tol=0, standardize=view, alpha=0.005)
        numbers.case(hufs(C, labels, grid(5, 6, 4), **case), tolerance(solver), tree="grid:5x6:row:leaf=4",
                     init_labels=labels, **case)
numbers.write()
