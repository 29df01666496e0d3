"""Matrices out of an AnnData object, also of one that is backed by a file."""
import numpy as np

from . import _core
from ._optional import sp

PIECE = 1 << 22  # values that are read at once


def entry(mapping, key, where):
    """mapping[key], or an error with the nearest name; where is what a user calls the mapping."""
    try:
        if key in mapping:
            return mapping[key]
    except TypeError:  # a list, or the values themselves
        raise TypeError(f"{where}: the name of one entry is expected, not {type(key).__name__}") from None
    names = [str(k) for k in mapping.keys()]
    near = _core.nearest(str(key), names) if "\0" not in str(key) else None
    there = f"did you mean {near!r}?" if near else f"it has {', '.join(map(repr, names[:10]))}" if names else "it is empty"
    raise KeyError(f"{where} has no {key!r}; {there}")


def _pieces(count, width=1):
    step = max(1, PIECE // max(1, width))
    return ((start, min(start + step, count)) for start in range(0, count, step))


def _float_of(dtype):
    """The type that pith takes values of this one as."""
    return np.float32 if np.dtype(dtype).kind == "f" and np.dtype(dtype).itemsize <= 4 else np.float64


def _read_dense(dataset):
    x = np.empty(dataset.shape, _float_of(dataset.dtype))
    for start, end in _pieces(*dataset.shape):
        x[start:end] = dataset[start:end]
    return x


def _read_vector(dataset, dtype):
    values = np.empty(dataset.shape, dtype)
    for start, end in _pieces(len(dataset)):
        values[start:end] = dataset[start:end]
    return values


def _read_csr(group, shape):
    return sp.csr_matrix((_read_vector(group["data"], _float_of(group["data"].dtype)),
                          _read_vector(group["indices"], np.int32), group["indptr"][:]), shape=shape)


def _read_csc(group, shape):
    """As CSR, without the whole as CSC beside it: rows are counted first, then filled by some columns at a time."""
    n, p = shape
    start, at = group["indptr"][:], np.zeros(n + 1, np.int64)
    for first, end in _pieces(int(start[-1])):
        count = np.bincount(group["indices"][first:end], minlength=n)
        if len(count) > n:
            raise ValueError("adata.X is invalid: its file has entries beyond the last cell")
        at[1:] += count
    indptr = np.cumsum(at)
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1], _float_of(group["data"].dtype))
    free = indptr[:-1].copy()  # of each row, where its next entry goes
    column = 0
    while column < p:
        end = max(column + 1, int(np.searchsorted(start, start[column] + PIECE, "right")) - 1)
        lo, hi = int(start[column]), int(start[end])
        block = sp.csc_matrix((group["data"][lo:hi], group["indices"][lo:hi], start[column:end + 1] - lo),
                              shape=(n, end - column)).tocsr()
        length = np.diff(block.indptr)
        to = np.repeat(free - block.indptr[:-1], length) + np.arange(block.nnz)
        indices[to], values[to] = block.indices + column, block.data
        free += length
        column = end
    return sp.csr_matrix((values, indices, indptr), shape=shape)


def matrix_of(adata, layer=None):
    """adata.X or a layer, as pith takes it. A backed X is read once, piece by piece, and sparse stays sparse."""
    if layer is not None:
        return entry(adata.layers, layer, "adata.layers")
    X = adata.X
    if X is None:
        raise ValueError("adata.X is empty: choose a layer with layer=")
    if isinstance(X, np.ndarray) or sp.issparse(X):  # also of a view of a backed object, which is read as a whole
        return X
    group = getattr(X, "group", None)
    if group is None:
        return _read_dense(X)
    kind = getattr(X, "format", None) or X.format_str
    return (_read_csr if kind == "csr" else _read_csc)(group, X.shape)
