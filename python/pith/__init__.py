"""Unsupervised feature selection: pith's methods as scikit-learn transformers and as functions.

    from pith import Selector
    small = Selector("cl-des", n_features=100).fit_transform(X)
"""
from . import _estimators
from ._core import FileError, version as __version__
from ._compare import compare
from ._data import Data
from ._estimators import *
from ._functions import Clusters, Method, Parameter, accuracy, agreement, kmeans, methods, nmi, prep, rank, read
from ._genes import select_genes
from ._result import Result

__all__ = ["Clusters", "Data", "FileError", "Method", "Parameter", "Result", "accuracy", "agreement",
           "compare", "kmeans", "methods", "nmi", "prep", "rank", "read", "select_genes", *_estimators.__all__]

