"""HUFS and EUFS as the papers' equations have them, with every array written out: E, Y1, Y2, Y3 and the 0/1 matrix M.

    min ||X - U V'||_{2,1} + rows ||V||_{2,1} + groups sum_G w_G sum_k ||V[G,k]||_2 + graph tr(U'LU),  U'U = I, U >= 0
"""
import common as o
import numpy as np


def polar(N):
    S, _, Q = np.linalg.svd(N, full_matrices=False)
    return S @ Q


def shrink_rows(A, t):
    norm = np.linalg.norm(A, axis=1)
    return A * np.maximum(0, 1 - t / np.where(norm > 0, norm, np.inf))[:, None] if t > 0 else A.copy()


def shrink_group(A, t):
    """Each column of A towards 0 as one vector."""
    norm = np.linalg.norm(A, axis=0)
    return A * np.where(norm > t, 1 - t / np.where(norm > 0, norm, 1), 0)


class Problem:
    def __init__(self, X, labels, standardize, rows, tree=None, groups=0.0, weights=None, graph=0.0, **graph_options):
        self.constant = o.constant(X)
        Y = o.standardize(X, standardize)
        Y[:, self.constant] = 0
        self.scale = np.linalg.norm(Y, axis=1).mean()
        self.X = Y / self.scale
        self.n, self.p = Y.shape
        names = np.unique(labels)
        self.K = len(names)
        U = (np.asarray(labels)[:, None] == names).astype(float)
        self.U = U / np.sqrt(U.sum(axis=0))
        self.V = self.X.T @ self.U
        self.Z = self.U.copy()
        self.rows, self.groups, self.graph = rows, groups, graph
        self.tree = tree if tree is not None and groups > 0 else []  # lists of features, the deepest last
        self.weights = [np.sqrt(len(G)) if weights == "sqrt" else 1.0 for G in self.tree]
        self.A = None
        if graph_options or graph > 0:
            S = o.graph(o.standardize(X, standardize), **graph_options)
            self.A = np.eye(self.n) - o.normalized_laplacian(S)
            self.A[S.sum(axis=1) == 0] = 0

    def objective(self):
        F = np.linalg.norm(self.X - self.U @ self.V.T, axis=1).sum() + self.rows * np.linalg.norm(self.V, axis=1).sum()
        for G, w in zip(self.tree, self.weights):
            F += self.groups * w * np.linalg.norm(self.V[G], axis=0).sum()
        if self.A is not None:
            F += self.graph * (self.K - np.trace(self.U.T @ self.A @ self.U))
        return F

    def scores(self, norm, threshold, divisor=1.0):
        score = self.scale * (norm - threshold) / divisor
        score[self.constant] = np.nan
        return score


def admm(q, max_iter=100, tol=1e-4, mu0=1.0, mu_max=1e10, rho=1.1, nested=False):
    """The papers' steps with E and the multipliers as they are; nested: one copy of V."""
    X, K = q.X, q.K
    G = [np.asarray(g) for g in q.tree]
    nested = nested and bool(G)  # without groups there is nothing to copy
    M = np.zeros((q.p if nested else sum(map(len, G)), q.p)) if G else np.zeros((0, q.p))
    if nested:
        M = np.eye(q.p)
    else:
        M[np.arange(len(M)), np.concatenate(G) if G else []] = 1
    h = M.sum(axis=0)
    U, V, Z, P = q.U, q.V, q.Z, M @ q.V
    Y1, Y2, Y3 = np.zeros_like(U), np.zeros_like(X), np.zeros_like(P)
    mu, last = mu0, np.inf
    for t in range(1, max_iter + 1):
        Q = X - U @ V.T + Y2 / mu
        E = shrink_rows(Q, 1 / mu)
        S = X - E + Y2 / mu
        a = S.T @ U + M.T @ (P + Y3 / mu)
        norm, threshold = np.linalg.norm(a, axis=1), q.rows / mu
        V = shrink_rows(a, threshold) / (1 + h)[:, None]
        N = Z + Y1 / mu + S @ V + (q.graph / mu * q.A @ Z if q.A is not None else 0)
        U = polar(N)
        B, P = M @ V - Y3 / mu, np.zeros_like(P)
        if nested:
            P = tree_prox(B, q, q.groups / mu)
        else:
            at = 0
            for g, w in zip(G, q.weights):
                P[at:at + len(g)] = shrink_group(B[at:at + len(g)], q.groups * w / mu)
                at += len(g)
        Z = np.maximum(0, U - Y1 / mu + (q.graph / mu * q.A @ U if q.A is not None else 0))
        Y1, Y2, Y3 = Y1 + mu * (Z - U), Y2 + mu * (X - U @ V.T - E), Y3 + mu * (P - M @ V)
        q.U, q.V, q.Z = U, V, Z
        mu = min(rho * mu, mu_max)
        if t % 5 == 0:
            F = q.objective()
            r1 = np.linalg.norm(Z - U) / np.sqrt(K)
            r2 = np.linalg.norm(X - U @ V.T - E) / np.linalg.norm(X)
            r3 = np.linalg.norm(P - M @ V) / max(np.linalg.norm(M @ V), 1e-150) if G else 0
            if max(r1 / 100, r2, r3) < tol and abs(F - last) <= tol * F:
                break
            last = F
    return q.scores(norm, threshold, 1 + h)


def tree_prox(V, q, t):
    V = V.copy()
    for g, w in list(zip(q.tree, q.weights))[::-1]:
        V[g] = shrink_group(V[g], t * w)
    return V


def mm(q, max_iter=100, tol=1e-4, mu0=0.01, mu_max=1e6, rho=1.1):
    X, m = q.X, (q.X ** 2).sum(axis=1).mean()
    Y1, mu, F = np.zeros_like(q.U), mu0, np.inf
    for t in range(1, max_iter + 1):
        before = q.objective()
        r2 = ((X - q.U @ q.V.T) ** 2).sum(axis=1)
        w = 1 / (2 * np.sqrt(np.maximum(r2, 1e-4 * m)))
        C, B = q.U.T @ (w[:, None] * q.U), X.T @ (w[:, None] * q.U)
        l = 2 * np.linalg.eigvalsh(C)[-1]
        for _ in range(3):
            V = tree_prox(q.V - 2 * (q.V @ C - B) / l, q, q.groups / l)
            norm, threshold = np.linalg.norm(V, axis=1), q.rows / l
            q.V = shrink_rows(V, threshold)
        G = q.V.T @ q.V
        for _ in range(3):
            N = 2 * (w[:, None] * (X @ q.V) + (w.max() - w)[:, None] * (q.U @ G)) + mu * q.Z + Y1
            if q.A is not None:
                N += 2 * q.graph * (q.A + np.eye(q.n)) @ q.U
            q.U = polar(N)
        q.Z = np.maximum(0, q.U - Y1 / mu)
        Y1 += mu * (q.Z - q.U)
        mu = min(rho * mu, mu_max)
        F = q.objective()
        if t >= 20 and np.linalg.norm(q.Z - q.U) / np.sqrt(q.K) < 100 * tol and abs(F - before) <= tol * F:
            break
    return q.scores(norm, threshold)


def solve(q, solver, **options):
    if solver == "mm":
        return mm(q, **options)
    return admm(q, nested=solver == "admm-tree", **options)
