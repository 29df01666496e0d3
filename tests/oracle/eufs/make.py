"""EUFS by the equations of tests/oracle/factor.py, with the normalised Laplacian of the samples' graph."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import factor
import numpy as np


def eufs(X, labels, standardize="zscore", alpha=0.01, beta=0.1, solver="mm", neighbors=5, weight="heat", **options):
    q = factor.Problem(X, labels, standardize, alpha, graph=beta, neighbors=neighbors, weight=weight)
    return factor.solve(q, solver, **options)


numbers = o.Numbers(__file__)
# As for hufs: rounding that grows a little with the iterations; admm holds its one n x D array in single precision.
tolerance = {"mm": 1e-8, "admm": 1e-6}
X = numbers.data(o.blobs(n=48, p=24))
labels = (np.arange(len(X)) * 7) % 3
for solver in ("mm", "admm"):
    for case in (dict(), dict(alpha=0.05, beta=1.0), dict(beta=0.0), dict(alpha=0.0, beta=10.0),
                 dict(neighbors=3, weight="binary")):
        case = dict(case, solver=solver, max_iter=30, tol=0)
        numbers.case(eufs(X, labels, **case), tolerance[solver], init_labels=labels, **case)
    numbers.case(eufs(X, labels, solver=solver), tolerance[solver], init_labels=labels, solver=solver)
C = numbers.data(o.counts(n=40, p=30, empty=False))
labels = np.arange(len(C)) % 4
for solver in ("mm", "admm"):
    case = dict(solver=solver, max_iter=20, tol=0, standardize="tfidf")
    numbers.case(eufs(C, labels, **case), tolerance[solver], init_labels=labels, **case)
numbers.write()
