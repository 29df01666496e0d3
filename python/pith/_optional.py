"""What SciPy and scikit-learn are asked for. pith works on NumPy's arrays without them."""
import inspect

import numpy as np

try:
    import scipy.sparse as sp
except ModuleNotFoundError:
    sp = None
try:
    from sklearn.utils import check_array
except ModuleNotFoundError:
    check_array = None

# NaN is left to the library, which says where it is; scikit-learn changed the word in 1.6.
_FINITE = "force_all_finite" if check_array is None or "force_all_finite" in inspect.signature(
    check_array).parameters else "ensure_all_finite"
VALUES = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], _FINITE: False}


def is_sparse(X):
    return sp is not None and sp.issparse(X)


def need_sparse():
    """scipy.sparse, for data that has no other form."""
    if sp is None:
        raise ModuleNotFoundError("sparse data needs SciPy: pip install scipy")
    return sp


def _plain(X):
    """What check_array makes of arrays, lists and sparse matrices, without scikit-learn."""
    x = X.tocsr() if is_sparse(X) else np.asarray(X)
    if x.ndim != 2:
        raise ValueError(f"Expected 2D array, got {x.ndim}D array instead: samples in rows, features in columns")
    if 0 in x.shape:
        raise ValueError("Found array with %d sample(s) and %d feature(s) while a minimum of 1 is required." % x.shape)
    if x.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    return x if x.dtype in VALUES["dtype"] else x.astype(np.float64)


def floats(X):
    """X as an array of doubles or floats, or in CSR."""
    return _plain(X) if check_array is None else check_array(X, **VALUES)
