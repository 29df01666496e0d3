"""RSFS by its equations, densely, in the p x p form; every step must lower the objective."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np
import robust as r_


def rsfs(X, labels, standardize="zscore", v=0.5, a=1.0, rho=0.2, r=0.1, neighbors=5, max_iter=30, inner_iter=50):
    kept = np.flatnonzero(~o.constant(X))
    V = o.standardize(X, standardize)[:, kept]
    n, c = len(V), labels.max() + 1
    V = V - V.mean(axis=0)  # whatever the view
    L = r_.local_learning(V, neighbors, r)
    Lp, Lm = r_.parts(L)
    Y = r_.start(labels, c)
    h, Z = Y.mean(axis=0), np.zeros((n, c))
    tau, z = v * np.sqrt(c / n), 10 * (1 + a)
    b = rho * 2 * a * np.sqrt(((V.T @ np.clip(Y - h, -tau, tau)) ** 2).sum(axis=1)).max()
    W = r_.weighted_ridge(V, np.ones(n), b / a, np.ones(len(kept)), Y - h)
    e = 1e-6 * np.sqrt((W ** 2).sum(axis=1)).max()

    def objective():
        return (np.trace(Y.T @ L @ Y) + a * ((Y - V @ W - h - Z) ** 2).sum() + b * r_.smooth(W, e).sum()
                + 2 * a * tau * np.abs(Z).sum() + z / 4 * ((Y.T @ Y - np.eye(c)) ** 2).sum())

    check = r_.Falling()
    for _ in range(max_iter):
        W = r_.weighted_ridge(V, np.ones(n), b / a, 1 / (2 * r_.smooth(W, e)), Y - Z - h)
        check(objective())
        h = (Y - Z - V @ W).mean(axis=0)
        check(objective())
        misfit = Y - V @ W - h
        Z = np.sign(misfit) * np.maximum(np.abs(misfit) - tau, 0)
        check(objective())
        Ap, Am = r_.parts(V @ W + h + Z)
        for _ in range(inner_iter):
            pos = 2 * Lp @ Y + 2 * a * (Y + Am)
            neg = 2 * Lm @ Y + 2 * a * Ap
            Y = Y * ((neg + z * Y) / (pos + z * Y @ (Y.T @ Y))) ** 0.25
            check(objective())
    return r_.scores(X, kept, W)


r_.write_cases(__file__, rsfs, v=0.1, a=10)
