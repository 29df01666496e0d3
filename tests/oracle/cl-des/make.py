"""CL-DES by eager steps: every weight is shrunk at every step, all D of them, on dense vectors of products."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def values_of(X, values):
    if values == "auto":
        values = "binary" if X.min() >= 0 and (X != 0).mean() <= 0.5 else "maxabs"
    if values == "binary":
        return (X != 0).astype(float)
    if values == "maxabs":
        largest = np.abs(X).max(axis=0)
        return X / np.where(largest > 0, largest, 1)
    if values == "unit":
        norm = np.sqrt((X ** 2).sum(axis=1, keepdims=True))
        return X / np.where(norm > 0, norm, 1)
    return X


def one_run(X, lam, values, step, schedule, pairs, epochs, sampling, seed, options):
    V = values_of(X, values)
    drawn = o.sample_pairs(o.choices(X, **options), pairs, sampling, seed)
    m = len(drawn)
    square = np.mean([((V[i] * V[j]) ** 2).sum() for i, j, _ in drawn])
    w, t = np.zeros(X.shape[1]), 0
    for epoch in range(epochs):
        order = list(range(m))
        if epoch > 0:
            order.sort(key=lambda r: (o.splitmix(seed, 100 + epoch, r), r))
        for r in order:
            i, j, sign = drawn[r]
            eta = step / square
            if schedule == "sqrt":
                eta /= np.sqrt(1 + 10 * t / m)
            f = V[i] * V[j]
            if sign * (w @ f) < 1:
                w = w + eta * sign * f
            w = np.sign(w) * np.maximum(np.abs(w) - eta * lam, 0)
            t += 1
    return w


def cl_des(X, lam=1e-4, values="auto", step=0.3, schedule="sqrt", pairs=40000, epochs=1, runs=1, sampling="coin",
           **options):
    w = sum(one_run(X, lam, values, step, schedule, pairs, epochs, sampling, 1 + r, options)
            for r in range(runs)) / runs
    return np.where(o.constant(X), np.nan, w)


numbers = o.Numbers(__file__)


def case(X, **params):
    given = dict(params)
    if "lam" in given:
        given["lambda"] = given.pop("lam")
    numbers.case(cl_des(X, **params), 1e-11, **given)


# Debts that are paid late are sums of the same steps in another order; over a few thousand steps that is
# some 1e-13 of the largest weight. No margin comes so near to 1 that rounding decides a step.
for X in (o.counts(), o.blobs(), o.counts(n=33, p=50, seed=7)):
    X = numbers.data(X)
    case(X, pairs=3000)
    case(X, pairs=2000, lam=0.02)
    case(X, pairs=2000, lam=0, schedule="const", step=0.1)
    case(X, pairs=1001, sampling="alternate", epochs=3, neighbors=3)
    case(X, pairs=500, runs=3, lam=1e-3)
    for values in ("binary", "maxabs", "unit"):
        case(X, pairs=1000, values=values, lam=1e-3)
    case(X, pairs=1000, metric="euclidean")
X = numbers.data(o.integers())
case(X, pairs=2000, values="none")
numbers.write()
