"""SNFS with P and Q written out, widths by bisection, and Newton's method with the whole Hessian on the free weights.

`objective` and `solve_plain` are also the slow program that bench/snfs.py races: dense, P stored, SciPy's L-BFGS-B.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def prepared(X, similarity):
    if similarity == "cosine":
        norm = np.sqrt((X ** 2).sum(axis=1, keepdims=True))
        return X / np.where(norm > 0, norm, 1)
    spread = X.max(axis=0) - X.min(axis=0)
    return (X - X.min(axis=0)) / np.where(spread > 0, spread, 1)


def similarities(Z, w, similarity):
    G = (Z * w) @ Z.T
    if similarity == "cosine":
        return G
    a = (Z ** 2) @ w
    return 2 * G - a[:, None] - a[None, :]


def probabilities(S, b):
    A = b[:, None] * S
    np.fill_diagonal(A, -np.inf)
    top = A.max(axis=1, keepdims=True)
    E = np.exp(A - top)
    Z = E.sum(axis=1, keepdims=True)
    return E / Z, (top + np.log(Z)).ravel()


def widths(S, perplexity):
    n, b = len(S), np.ones(len(S))
    for i in range(n):
        a = np.delete(S[i], i)
        a = a - a.max()
        if a.min() == 0:
            continue

        def entropy(beta):
            e = np.exp(beta * a)
            return np.log(e.sum()) - beta * (e * a).sum() / e.sum()

        lo, hi = 0.0, -1 / a.mean()
        start = hi
        while entropy(hi) >= np.log(perplexity) and hi < 1e8 * start:
            lo, hi = hi, 2 * hi
        for _ in range(200):
            middle = (lo + hi) / 2
            if entropy(middle) > np.log(perplexity):
                lo = middle
            else:
                hi = middle
        b[i] = (lo + hi) / 2 if hi < 1e8 * start else hi
    return b


class Problem:
    def __init__(self, X, similarity="cosine", perplexity=30.0):
        n = len(X)
        self.similarity, self.Z = similarity, prepared(X, similarity)
        ones = np.ones(X.shape[1])
        S = similarities(self.Z, ones, similarity)
        self.b = widths(S, min(perplexity, max((n - 1) / 3, min(2, 0.6 * (n - 1)))))
        self.P, lse = probabilities(S, self.b)
        self.entropy = -np.where(self.P > 0, self.P * np.log(np.where(self.P > 0, self.P, 1)), 0).sum()
        self.c = self.moment(self.P)
        uniform = (np.ones((n, n)) - np.eye(n)) / (n - 1)
        self.lambda_max = (self.c - self.moment(uniform)).max()

    def moment(self, Q):
        """sum_ij b_i q_ij ds_ij/dw_t."""
        M = self.b[:, None] * Q
        inner = (self.Z * (M @ self.Z)).sum(axis=0)
        if self.similarity == "cosine":
            return inner
        k = M.sum(axis=0) + M.sum(axis=1)
        return 2 * inner - (k[:, None] * self.Z ** 2).sum(axis=0)

    def objective(self, w, lam):
        """KL and the price, with P in full: sum p log p - sum p log q."""
        S = similarities(self.Z, w, self.similarity)
        Q, lse = probabilities(S, self.b)
        f = -self.entropy - (self.P * self.b[:, None] * S).sum() + lse.sum() + lam * w.sum()
        return f, lam - self.c + self.moment(Q)

    def hessian(self, w):
        S = similarities(self.Z, w, self.similarity)
        Q, _ = probabilities(S, self.b)
        H = np.zeros((len(w), len(w)))
        for i in range(len(self.Z)):
            D = self.Z[i] * self.Z if self.similarity == "cosine" else -(self.Z[i] - self.Z) ** 2
            mean = Q[i] @ D
            H += self.b[i] ** 2 * ((D - mean).T @ (Q[i][:, None] * (D - mean)))
        return H


def solve(problem, lam):
    w = np.ones(problem.Z.shape[1])
    f, g = problem.objective(w, lam)
    for _ in range(500):
        free = ~(((w <= 0) & (g > 0)) | ((w >= 1) & (g < 0)))
        if not free.any() or np.abs(np.clip(w - g / max(lam, 1e-300), 0, 1) - w).max() < 1e-13:
            break
        H = problem.hessian(w)[np.ix_(free, free)]
        d = np.zeros_like(w)
        d[free] = -np.linalg.solve(H + 1e-14 * np.trace(H) * np.eye(len(H)), g[free])
        step = 1.0
        while True:
            new = np.clip(w + step * d, 0, 1)
            f_new, g_new = problem.objective(new, lam)
            if f_new <= f + 1e-4 * g @ (new - w) or step < 1e-10:
                break
            step /= 2
        if step < 1e-10:
            break
        w, f, g = new, f_new, g_new
    return w, f, g


def solve_plain(problem, lam):
    """As an outsider would: SciPy's L-BFGS-B from w = 1."""
    from scipy.optimize import minimize
    r = minimize(problem.objective, np.ones(problem.Z.shape[1]), args=(lam,), jac=True, method="L-BFGS-B",
                 bounds=[(0, 1)] * problem.Z.shape[1],
                 options={"maxiter": 5000, "maxfun": 10000, "ftol": 1e-14, "gtol": 1e-5 * lam})
    return r.x, r.fun, r.nfev


def snfs(X, similarity="cosine", perplexity=30.0, rho=0.003, lam=None):
    problem = Problem(X, similarity, perplexity)
    w, _, g = solve(problem, rho * problem.lambda_max if lam is None else lam)
    largest = np.abs(g).max()
    scores = np.where(w == 1, 1 + np.maximum(-g, 0) / largest, np.where(w == 0, -np.maximum(g, 0) / largest, w))
    return np.where(o.constant(X), np.nan, scores)


if __name__ == "__main__":
    numbers = o.Numbers(__file__)

    # Steps end where the objective, a sum of about 1e3 in modulus, falls by less than its rounding, 1e-13: there
    # weights are known to the root of that over the curvature, some 1e-6.
    def case(X, **params):
        given = dict(params, gtol=1e-9, max_iter=2000)
        if "lam" in given:
            given["lambda"] = given.pop("lam")
        numbers.case(snfs(X, **params), 3e-6, **given)

    near = o.blobs()
    near[:, 5] -= 1000  # far from 0 it makes all rows parallel but for 1e-5, and the widths as small
    for X in (o.counts(), near, o.counts(n=33, p=50, seed=7, empty=False)):
        X = numbers.data(X)
        case(X)
        case(X, rho=0.05)
        case(X, rho=0.3, perplexity=5)
        case(X, lam=0.5, perplexity=3)
        case(X, similarity="sqeuclid", rho=0.05)
        case(X, similarity="sqeuclid", rho=0.3, perplexity=4)
    numbers.write()
