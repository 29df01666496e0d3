"""RUFS by its equations, densely, in the p x p form; every step must lower the objective."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np
import robust as r_


def rufs(X, labels, standardize="zscore", v=1.0, a=1.0, rho=0.2, r=0.1, neighbors=5, max_iter=30, inner_iter=50):
    kept = np.flatnonzero(~o.constant(X))
    Y = o.standardize(X, standardize)[:, kept]
    n, c = len(Y), labels.max() + 1
    N = Y - Y.min(axis=0)
    Y = Y - Y.mean(axis=0)  # whatever the view
    s = np.sqrt((N ** 2).sum(axis=1)).mean()
    L = r_.local_learning(Y, neighbors, r)
    Lp, Lm = r_.parts(L)
    G = r_.start(labels, c)
    h = G.mean(axis=0)
    e_fit, e_label = 1e-6 * s, 1e-6 * np.sqrt(c / n)
    b = rho * a * np.sqrt(((Y.T @ ((G - h) / r_.smooth(G - h, e_label)[:, None])) ** 2).sum(axis=1)).max()
    z = 10 * (n / c + v + a * np.sqrt(n / c))
    F = np.maximum(np.linalg.inv(G.T @ G) @ G.T @ N, 0)
    F = F + 0.2 * F.mean()
    W = r_.weighted_ridge(Y, np.ones(n), b / a, np.ones(len(kept)), G - h)
    e_w = 1e-6 * np.sqrt((W ** 2).sum(axis=1)).max()

    def objective():
        return (r_.smooth(N - G @ F, e_fit).sum() / s + v * np.trace(G.T @ L @ G)
                + a * r_.smooth(Y @ W + h - G, e_label).sum() + b * r_.smooth(W, e_w).sum()
                + z / 4 * ((G.T @ G - np.eye(c)) ** 2).sum())

    check = r_.Falling()
    for _ in range(max_iter):
        u = 1 / (2 * r_.smooth(Y @ W + h - G, e_label))
        W = r_.weighted_ridge(Y, u, b / a, 1 / (2 * r_.smooth(W, e_w)), G - h)
        check(objective())
        u = 1 / (2 * r_.smooth(Y @ W + h - G, e_label))
        h = (u[:, None] * (G - Y @ W)).sum(axis=0) / u.sum()
        check(objective())
        T = Y @ W + h
        Tp, Tm = r_.parts(T)
        for _ in range(inner_iter):
            p = 1 / (s * r_.smooth(N - G @ F, e_fit))[:, None]
            y = a / r_.smooth(T - G, e_label)[:, None]
            pos = p * (G @ F @ F.T) + 2 * v * Lp @ G + y * (G + Tm)
            neg = p * (N @ F.T) + 2 * v * Lm @ G + y * Tp
            G = G * ((neg + z * G) / (pos + z * G @ (G.T @ G))) ** 0.25
            check(objective())
        p = 1 / r_.smooth(N - G @ F, e_fit)[:, None]
        F = F * (G.T @ (p * N)) / np.maximum(G.T @ (p * G) @ F, 1e-300)
        check(objective())
    return r_.scores(X, kept, W)


r_.write_cases(__file__, rufs, v=10, a=0.1)
