"""Unsupervised feature selection: pith's methods as scikit-learn transformers and as functions.

    from pith import Selector
    small = Selector("cl-des", n_features=100).fit_transform(X)
"""
from . import _estimators
from ._core import FileError, version as __version__
from ._compare import compare
from ._data import Data
from ._estimators import *
from ._functions import (Clusters, Method, Parameter, Step, accuracy, agreement, kmeans, methods, nmi, prep, rank,
                         read, set_memory, steps)
from ._genes import select_genes
from ._result import Result
from ._tree import Tree, read_tree, tree

__all__ = ["Clusters", "Data", "FileError", "Method", "Parameter", "Result", "Step", "Tree", "accuracy", "agreement",
           "compare", "kmeans", "methods", "nmi", "prep", "rank", "read", "read_tree",
           "select_genes", "set_memory", "steps", "tree", *_estimators.__all__]

