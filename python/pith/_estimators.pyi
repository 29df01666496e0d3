# Written by tools/update-docs.py (`make docs`) from `pith methods --json`; do not edit.
from os import PathLike
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import spmatrix

from ._selector import BaseSelector
from ._tree import Tree

__all__: list[str] = ["Selector", "HTDES", "CLDES", "SNFS", "NRFS", "LGDFS", "HUFS", "Consensus", "KmeansEnergy", "Energy", "Variance", "Laplacian", "SPEC", "EVSC", "MCFS", "JELSR", "NDFS", "RUFS", "RSFS", "FSASL", "UDFS", "EUFS", "SeuratV3", "Dispersion", "Deviance", "MutualInfo"]

def class_of(method: str) -> type[BaseSelector]: ...

class Selector(BaseSelector):
    method: str
    n_features: int | float | Literal["auto"]
    a: float | None
    agg: Literal["max", "mean"] | None
    alpha: float | None
    b: float | None
    beta: float | None
    bins: int | None
    cand: int | None
    clusters: int | Literal["auto"] | None
    discretize: Literal["auto", "presence", "bins"] | None
    diversity: float | None
    diversity_top: int | None
    draws: int | None
    epochs: int | None
    eps: float | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    exact: bool | None
    fold: int | None
    g: float | None
    graph: str | PathLike[str] | ArrayLike | spmatrix | Literal["knn", "full"] | None
    graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None
    group_weight: Literal["one", "sqrt"] | None
    gtol: float | None
    h: int | Literal["auto"] | None
    idf: float | None
    init_labels: str | PathLike[str] | ArrayLike | None
    inner_iter: int | None
    iters: int | None
    judge: bool | None
    k: int | None
    k_prime: int | Literal["auto"] | None
    kernel: Literal["auto", "gaussian", "cosine"] | None
    l: float | None
    l2: float | None
    lam: float | None
    lam_l: float | None
    lambda_: float | Literal["auto"] | None
    laplacian: Literal["normalized", "lle"] | None
    levels: int | Literal["auto"] | None
    max_iter: int | None
    mcfs_active: int | Literal["count"] | None
    memory: int | None
    metric: Literal["auto", "euclidean", "cosine"] | None
    mu: float | None
    mu0: float | Literal["auto"] | None
    mu_max: float | Literal["auto"] | None
    neighbors: int | None
    p: float | None
    pairs: int | None
    perplexity: float | None
    q: int | None
    r: float | None
    rank: Literal["rounds", "score", "paper"] | None
    ratio: float | None
    recall: float | None
    remove: float | None
    rho: float | None
    ridge: float | None
    runs: int | None
    sampling: Literal["coin", "alternate", "representatives", "none"] | None
    scaling: Literal["auto", "zscore", "pareto"] | None
    schedule: Literal["sqrt", "const"] | None
    search: Literal["auto", "exact", "approximate"] | None
    share: float | None
    sigma_from: Literal["auto", "all", "reps"] | None
    sign: Literal["abs", "down"] | None
    similarity: Literal["cosine", "sqeuclid"] | None
    solver: Literal["mm", "admm", "admm-tree"] | None
    span: float | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    starts: int | None
    step: float | None
    style: int | None
    t_factor: float | None
    temperature: float | None
    threshold: Literal["zero", "mean"] | None
    thrifty: bool | None
    tol: float | None
    top: int | None
    tree: str | PathLike[str] | Tree | Literal["auto"] | None
    v: float | None
    values: Literal["auto", "binary", "maxabs", "unit", "none"] | None
    weight: Literal["binary", "heat", "cosine"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        method: str = ...,
        n_features: int | float | Literal["auto"] = ...,
        *,
        a: float | None = ...,
        agg: Literal["max", "mean"] | None = ...,
        alpha: float | None = ...,
        b: float | None = ...,
        beta: float | None = ...,
        bins: int | None = ...,
        cand: int | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        discretize: Literal["auto", "presence", "bins"] | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        draws: int | None = ...,
        epochs: int | None = ...,
        eps: float | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        exact: bool | None = ...,
        fold: int | None = ...,
        g: float | None = ...,
        graph: str | PathLike[str] | ArrayLike | spmatrix | Literal["knn", "full"] | None = ...,
        graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        group_weight: Literal["one", "sqrt"] | None = ...,
        gtol: float | None = ...,
        h: int | Literal["auto"] | None = ...,
        idf: float | None = ...,
        init_labels: str | PathLike[str] | ArrayLike | None = ...,
        inner_iter: int | None = ...,
        iters: int | None = ...,
        judge: bool | None = ...,
        k: int | None = ...,
        k_prime: int | Literal["auto"] | None = ...,
        kernel: Literal["auto", "gaussian", "cosine"] | None = ...,
        l: float | None = ...,
        l2: float | None = ...,
        lam: float | None = ...,
        lam_l: float | None = ...,
        lambda_: float | Literal["auto"] | None = ...,
        laplacian: Literal["normalized", "lle"] | None = ...,
        levels: int | Literal["auto"] | None = ...,
        max_iter: int | None = ...,
        mcfs_active: int | Literal["count"] | None = ...,
        memory: int | None = ...,
        metric: Literal["auto", "euclidean", "cosine"] | None = ...,
        mu: float | None = ...,
        mu0: float | Literal["auto"] | None = ...,
        mu_max: float | Literal["auto"] | None = ...,
        neighbors: int | None = ...,
        p: float | None = ...,
        pairs: int | None = ...,
        perplexity: float | None = ...,
        q: int | None = ...,
        r: float | None = ...,
        rank: Literal["rounds", "score", "paper"] | None = ...,
        ratio: float | None = ...,
        recall: float | None = ...,
        remove: float | None = ...,
        rho: float | None = ...,
        ridge: float | None = ...,
        runs: int | None = ...,
        sampling: Literal["coin", "alternate", "representatives", "none"] | None = ...,
        scaling: Literal["auto", "zscore", "pareto"] | None = ...,
        schedule: Literal["sqrt", "const"] | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        share: float | None = ...,
        sigma_from: Literal["auto", "all", "reps"] | None = ...,
        sign: Literal["abs", "down"] | None = ...,
        similarity: Literal["cosine", "sqeuclid"] | None = ...,
        solver: Literal["mm", "admm", "admm-tree"] | None = ...,
        span: float | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        starts: int | None = ...,
        step: float | None = ...,
        style: int | None = ...,
        t_factor: float | None = ...,
        temperature: float | None = ...,
        threshold: Literal["zero", "mean"] | None = ...,
        thrifty: bool | None = ...,
        tol: float | None = ...,
        top: int | None = ...,
        tree: str | PathLike[str] | Tree | Literal["auto"] | None = ...,
        v: float | None = ...,
        values: Literal["auto", "binary", "maxabs", "unit", "none"] | None = ...,
        weight: Literal["binary", "heat", "cosine"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class HTDES(BaseSelector):
    n_features: int | float | Literal["auto"]
    exact: bool | None
    pairs: int | None
    sampling: Literal["coin", "alternate"] | None
    threshold: Literal["zero", "mean"] | None
    neighbors: int | None
    metric: Literal["auto", "euclidean", "cosine"] | None
    graph: str | PathLike[str] | ArrayLike | spmatrix | None
    graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        exact: bool | None = ...,
        pairs: int | None = ...,
        sampling: Literal["coin", "alternate"] | None = ...,
        threshold: Literal["zero", "mean"] | None = ...,
        neighbors: int | None = ...,
        metric: Literal["auto", "euclidean", "cosine"] | None = ...,
        graph: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class CLDES(BaseSelector):
    n_features: int | float | Literal["auto"]
    lambda_: float | None
    values: Literal["auto", "binary", "maxabs", "unit", "none"] | None
    step: float | None
    schedule: Literal["sqrt", "const"] | None
    pairs: int | None
    epochs: int | None
    runs: int | None
    sampling: Literal["coin", "alternate"] | None
    neighbors: int | None
    metric: Literal["auto", "euclidean", "cosine"] | None
    graph: str | PathLike[str] | ArrayLike | spmatrix | None
    graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        lambda_: float | None = ...,
        values: Literal["auto", "binary", "maxabs", "unit", "none"] | None = ...,
        step: float | None = ...,
        schedule: Literal["sqrt", "const"] | None = ...,
        pairs: int | None = ...,
        epochs: int | None = ...,
        runs: int | None = ...,
        sampling: Literal["coin", "alternate"] | None = ...,
        neighbors: int | None = ...,
        metric: Literal["auto", "euclidean", "cosine"] | None = ...,
        graph: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class SNFS(BaseSelector):
    n_features: int | float | Literal["auto"]
    similarity: Literal["cosine", "sqeuclid"] | None
    perplexity: float | None
    lambda_: float | Literal["auto"] | None
    rho: float | None
    alpha: float | None
    eps: float | None
    memory: int | None
    gtol: float | None
    max_iter: int | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        similarity: Literal["cosine", "sqeuclid"] | None = ...,
        perplexity: float | None = ...,
        lambda_: float | Literal["auto"] | None = ...,
        rho: float | None = ...,
        alpha: float | None = ...,
        eps: float | None = ...,
        memory: int | None = ...,
        gtol: float | None = ...,
        max_iter: int | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class NRFS(BaseSelector):
    n_features: int | float | Literal["auto"]
    q: int | None
    kernel: Literal["auto", "gaussian", "cosine"] | None
    ridge: float | None
    sampling: Literal["representatives", "none"] | None
    remove: float | None
    levels: int | Literal["auto"] | None
    fold: int | None
    mu: float | None
    temperature: float | None
    k_prime: int | Literal["auto"] | None
    sigma_from: Literal["auto", "all", "reps"] | None
    agg: Literal["max", "mean"] | None
    rank: Literal["rounds", "score", "paper"] | None
    h: int | Literal["auto"] | None
    neighbors: int | None
    clusters: int | Literal["auto"] | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        q: int | None = ...,
        kernel: Literal["auto", "gaussian", "cosine"] | None = ...,
        ridge: float | None = ...,
        sampling: Literal["representatives", "none"] | None = ...,
        remove: float | None = ...,
        levels: int | Literal["auto"] | None = ...,
        fold: int | None = ...,
        mu: float | None = ...,
        temperature: float | None = ...,
        k_prime: int | Literal["auto"] | None = ...,
        sigma_from: Literal["auto", "all", "reps"] | None = ...,
        agg: Literal["max", "mean"] | None = ...,
        rank: Literal["rounds", "score", "paper"] | None = ...,
        h: int | Literal["auto"] | None = ...,
        neighbors: int | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class LGDFS(BaseSelector):
    n_features: int | float | Literal["auto"]
    k: int | None
    alpha: float | None
    lam: float | None
    lam_l: float | None
    iters: int | None
    tol: float | None
    clusters: int | Literal["auto"] | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        k: int | None = ...,
        alpha: float | None = ...,
        lam: float | None = ...,
        lam_l: float | None = ...,
        iters: int | None = ...,
        tol: float | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class HUFS(BaseSelector):
    n_features: int | float | Literal["auto"]
    tree: str | PathLike[str] | Tree | Literal["auto"] | None
    alpha: float | None
    beta: float | None
    group_weight: Literal["one", "sqrt"] | None
    solver: Literal["mm", "admm", "admm-tree"] | None
    starts: int | None
    max_iter: int | None
    tol: float | None
    mu0: float | Literal["auto"] | None
    mu_max: float | Literal["auto"] | None
    rho: float | None
    clusters: int | Literal["auto"] | None
    init_labels: str | PathLike[str] | ArrayLike | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        tree: str | PathLike[str] | Tree | Literal["auto"] | None = ...,
        alpha: float | None = ...,
        beta: float | None = ...,
        group_weight: Literal["one", "sqrt"] | None = ...,
        solver: Literal["mm", "admm", "admm-tree"] | None = ...,
        starts: int | None = ...,
        max_iter: int | None = ...,
        tol: float | None = ...,
        mu0: float | Literal["auto"] | None = ...,
        mu_max: float | Literal["auto"] | None = ...,
        rho: float | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        init_labels: str | PathLike[str] | ArrayLike | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class Consensus(BaseSelector):
    n_features: int | float | Literal["auto"]
    draws: int | None
    share: float | None
    neighbors: int | None
    clusters: int | Literal["auto"] | None
    scaling: Literal["auto", "zscore", "pareto"] | None
    diversity: float | None
    top: int | None
    judge: bool | None
    thrifty: bool | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        draws: int | None = ...,
        share: float | None = ...,
        neighbors: int | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        scaling: Literal["auto", "zscore", "pareto"] | None = ...,
        diversity: float | None = ...,
        top: int | None = ...,
        judge: bool | None = ...,
        thrifty: bool | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class KmeansEnergy(BaseSelector):
    n_features: int | float | Literal["auto"]
    starts: int | None
    clusters: int | Literal["auto"] | None
    init_labels: str | PathLike[str] | ArrayLike | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        starts: int | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        init_labels: str | PathLike[str] | ArrayLike | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class Energy(BaseSelector):
    n_features: int | float | Literal["auto"]
    neighbors: int | None
    metric: Literal["auto", "euclidean", "cosine"] | None
    idf: float | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    graph: str | PathLike[str] | ArrayLike | spmatrix | None
    graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        neighbors: int | None = ...,
        metric: Literal["auto", "euclidean", "cosine"] | None = ...,
        idf: float | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        graph: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class Variance(BaseSelector):
    n_features: int | float | Literal["auto"]
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class Laplacian(BaseSelector):
    n_features: int | float | Literal["auto"]
    neighbors: int | None
    metric: Literal["auto", "euclidean", "cosine"] | None
    weight: Literal["binary", "heat", "cosine"] | None
    t_factor: float | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    graph: str | PathLike[str] | ArrayLike | spmatrix | None
    graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        neighbors: int | None = ...,
        metric: Literal["auto", "euclidean", "cosine"] | None = ...,
        weight: Literal["binary", "heat", "cosine"] | None = ...,
        t_factor: float | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        graph: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class SPEC(BaseSelector):
    n_features: int | float | Literal["auto"]
    style: int | None
    p: float | None
    graph: str | PathLike[str] | ArrayLike | spmatrix | Literal["knn", "full"] | None
    neighbors: int | None
    metric: Literal["auto", "euclidean", "cosine"] | None
    weight: Literal["binary", "heat", "cosine"] | None
    t_factor: float | None
    clusters: int | Literal["auto"] | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        style: int | None = ...,
        p: float | None = ...,
        graph: str | PathLike[str] | ArrayLike | spmatrix | Literal["knn", "full"] | None = ...,
        neighbors: int | None = ...,
        metric: Literal["auto", "euclidean", "cosine"] | None = ...,
        weight: Literal["binary", "heat", "cosine"] | None = ...,
        t_factor: float | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class EVSC(BaseSelector):
    n_features: int | float | Literal["auto"]
    neighbors: int | None
    t_factor: float | None
    sign: Literal["abs", "down"] | None
    clusters: int | Literal["auto"] | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        neighbors: int | None = ...,
        t_factor: float | None = ...,
        sign: Literal["abs", "down"] | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class MCFS(BaseSelector):
    n_features: int | float | Literal["auto"]
    mcfs_active: int | Literal["count"] | None
    neighbors: int | None
    metric: Literal["auto", "euclidean", "cosine"] | None
    weight: Literal["binary", "heat", "cosine"] | None
    t_factor: float | None
    clusters: int | Literal["auto"] | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    graph: str | PathLike[str] | ArrayLike | spmatrix | None
    graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        mcfs_active: int | Literal["count"] | None = ...,
        neighbors: int | None = ...,
        metric: Literal["auto", "euclidean", "cosine"] | None = ...,
        weight: Literal["binary", "heat", "cosine"] | None = ...,
        t_factor: float | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        graph: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class JELSR(BaseSelector):
    n_features: int | float | Literal["auto"]
    rho: float | None
    b: float | None
    max_iter: int | None
    tol: float | None
    laplacian: Literal["normalized", "lle"] | None
    neighbors: int | None
    metric: Literal["auto", "euclidean", "cosine"] | None
    weight: Literal["binary", "heat", "cosine"] | None
    t_factor: float | None
    clusters: int | Literal["auto"] | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    graph: str | PathLike[str] | ArrayLike | spmatrix | None
    graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        rho: float | None = ...,
        b: float | None = ...,
        max_iter: int | None = ...,
        tol: float | None = ...,
        laplacian: Literal["normalized", "lle"] | None = ...,
        neighbors: int | None = ...,
        metric: Literal["auto", "euclidean", "cosine"] | None = ...,
        weight: Literal["binary", "heat", "cosine"] | None = ...,
        t_factor: float | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        graph: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class NDFS(BaseSelector):
    n_features: int | float | Literal["auto"]
    a: float | None
    rho: float | None
    g: float | None
    max_iter: int | None
    tol: float | None
    starts: int | None
    init_labels: str | PathLike[str] | ArrayLike | None
    neighbors: int | None
    metric: Literal["auto", "euclidean", "cosine"] | None
    weight: Literal["binary", "heat", "cosine"] | None
    t_factor: float | None
    clusters: int | Literal["auto"] | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    graph: str | PathLike[str] | ArrayLike | spmatrix | None
    graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        a: float | None = ...,
        rho: float | None = ...,
        g: float | None = ...,
        max_iter: int | None = ...,
        tol: float | None = ...,
        starts: int | None = ...,
        init_labels: str | PathLike[str] | ArrayLike | None = ...,
        neighbors: int | None = ...,
        metric: Literal["auto", "euclidean", "cosine"] | None = ...,
        weight: Literal["binary", "heat", "cosine"] | None = ...,
        t_factor: float | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        graph: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class RUFS(BaseSelector):
    n_features: int | float | Literal["auto"]
    rho: float | None
    v: float | None
    a: float | None
    r: float | None
    neighbors: int | None
    max_iter: int | None
    inner_iter: int | None
    tol: float | None
    starts: int | None
    clusters: int | Literal["auto"] | None
    init_labels: str | PathLike[str] | ArrayLike | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        rho: float | None = ...,
        v: float | None = ...,
        a: float | None = ...,
        r: float | None = ...,
        neighbors: int | None = ...,
        max_iter: int | None = ...,
        inner_iter: int | None = ...,
        tol: float | None = ...,
        starts: int | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        init_labels: str | PathLike[str] | ArrayLike | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class RSFS(BaseSelector):
    n_features: int | float | Literal["auto"]
    rho: float | None
    v: float | None
    a: float | None
    r: float | None
    neighbors: int | None
    max_iter: int | None
    inner_iter: int | None
    tol: float | None
    starts: int | None
    clusters: int | Literal["auto"] | None
    init_labels: str | PathLike[str] | ArrayLike | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        rho: float | None = ...,
        v: float | None = ...,
        a: float | None = ...,
        r: float | None = ...,
        neighbors: int | None = ...,
        max_iter: int | None = ...,
        inner_iter: int | None = ...,
        tol: float | None = ...,
        starts: int | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        init_labels: str | PathLike[str] | ArrayLike | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class FSASL(BaseSelector):
    n_features: int | float | Literal["auto"]
    rho: float | None
    ratio: float | None
    l2: float | None
    cand: int | None
    neighbors: int | None
    max_iter: int | None
    inner_iter: int | None
    clusters: int | Literal["auto"] | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        rho: float | None = ...,
        ratio: float | None = ...,
        l2: float | None = ...,
        cand: int | None = ...,
        neighbors: int | None = ...,
        max_iter: int | None = ...,
        inner_iter: int | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class UDFS(BaseSelector):
    n_features: int | float | Literal["auto"]
    l: float | None
    g: float | None
    max_iter: int | None
    tol: float | None
    neighbors: int | None
    clusters: int | Literal["auto"] | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        l: float | None = ...,
        g: float | None = ...,
        max_iter: int | None = ...,
        tol: float | None = ...,
        neighbors: int | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class EUFS(BaseSelector):
    n_features: int | float | Literal["auto"]
    alpha: float | None
    beta: float | None
    solver: Literal["mm", "admm"] | None
    starts: int | None
    max_iter: int | None
    tol: float | None
    mu0: float | Literal["auto"] | None
    mu_max: float | Literal["auto"] | None
    rho: float | None
    neighbors: int | None
    metric: Literal["auto", "euclidean", "cosine"] | None
    weight: Literal["binary", "heat", "cosine"] | None
    t_factor: float | None
    clusters: int | Literal["auto"] | None
    init_labels: str | PathLike[str] | ArrayLike | None
    standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None
    graph: str | PathLike[str] | ArrayLike | spmatrix | None
    graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None
    search: Literal["auto", "exact", "approximate"] | None
    recall: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        alpha: float | None = ...,
        beta: float | None = ...,
        solver: Literal["mm", "admm"] | None = ...,
        starts: int | None = ...,
        max_iter: int | None = ...,
        tol: float | None = ...,
        mu0: float | Literal["auto"] | None = ...,
        mu_max: float | Literal["auto"] | None = ...,
        rho: float | None = ...,
        neighbors: int | None = ...,
        metric: Literal["auto", "euclidean", "cosine"] | None = ...,
        weight: Literal["binary", "heat", "cosine"] | None = ...,
        t_factor: float | None = ...,
        clusters: int | Literal["auto"] | None = ...,
        init_labels: str | PathLike[str] | ArrayLike | None = ...,
        standardize: Literal["auto", "none", "center", "zscore", "minmax", "tfidf", "tfidf-center", "center-unit", "tfidf-unit", "sqrt-idf", "pareto"] | None = ...,
        graph: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        graph_rows: str | PathLike[str] | ArrayLike | spmatrix | None = ...,
        search: Literal["auto", "exact", "approximate"] | None = ...,
        recall: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class SeuratV3(BaseSelector):
    n_features: int | float | Literal["auto"]
    span: float | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        span: float | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class Dispersion(BaseSelector):
    n_features: int | float | Literal["auto"]
    bins: int | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        bins: int | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class Deviance(BaseSelector):
    n_features: int | float | Literal["auto"]
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...

class MutualInfo(BaseSelector):
    n_features: int | float | Literal["auto"]
    discretize: Literal["auto", "presence", "bins"] | None
    bins: int | None
    diversity: float | None
    diversity_top: int | None
    evidence: Literal["auto", "groups", "linear", "none"] | None
    fdr: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    threads: int | None
    verbose: int
    engine: str | None
    def __init__(
        self,
        n_features: int | float | Literal["auto"] = ...,
        *,
        discretize: Literal["auto", "presence", "bins"] | None = ...,
        bins: int | None = ...,
        diversity: float | None = ...,
        diversity_top: int | None = ...,
        evidence: Literal["auto", "groups", "linear", "none"] | None = ...,
        fdr: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        threads: int | None = ...,
        verbose: int = ...,
        engine: str | None = ...,
    ) -> None: ...
