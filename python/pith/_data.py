"""Arrays on their way into the library, without a copy where the memory allows it, and back."""
import contextlib
import numbers
import os
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import numpy as np

from ._optional import floats, is_sparse, need_sparse

if TYPE_CHECKING:
    import scipy.sparse as sp


class Data(NamedTuple):
    """A table with what belongs to it.

    X : ndarray or scipy.sparse.csr_matrix, samples in rows
    y : ndarray or None, one label per sample: integers if all labels are, else numbers, else text; NaN or None: no
        label
    feature_names, sample_names : ndarray of str, or None
    columns : for prepared data, the original index of each column, and `steps`, what was done; else None
    """

    X: Union[np.ndarray, "sp.csr_matrix"]
    y: Optional[np.ndarray]
    feature_names: Optional[np.ndarray]
    sample_names: Optional[np.ndarray]
    columns: Optional[np.ndarray] = None
    steps: Optional[str] = None

    def __repr__(self):
        """One line: the fields can be longer than a screen."""
        n, p = self.X.shape
        there = ", ".join(name for name, value in zip(self._fields[1:], self[1:]) if value is not None)
        return f"<pith.Data: {n} samples x {p} features, {'sparse' if is_sparse(self.X) else 'dense'}; {there or 'X only'}>"


def check_kind(X):
    """Refuses what has a table but is none, by a sentence that says where it is."""
    if isinstance(X, (str, os.PathLike)):
        what, where = f"the path {os.fspath(X)!r}", "pith.read(path).X is the table of a file"
    elif isinstance(X, Data):
        what, where = "a pith.Data", "give its X"
    elif hasattr(X, "obs_names") and hasattr(X, "var_names"):
        what, where = "an AnnData object", "give adata.X, or mark genes by pith.select_genes(adata)"
    elif hasattr(X, "to_memory"):
        what, where = f"a {type(X).__name__} on disk", "give X.to_memory()"
    else:
        return
    raise TypeError(f"X: an array, sparse matrix or frame is expected, not {what}: {where}")


def check_sound(X):
    """Refuses CSR and CSC whose arrays do not match: SciPy's own code would read or write out of bounds.

    The columns of a CSR matrix that is taken as it is are left to the library, which looks at them anyway."""
    if not (is_sparse(X) and X.format in ("csr", "csc")):
        return
    outer, inner = X.shape if X.format == "csr" else X.shape[::-1]
    start, index = np.asarray(X.indptr), np.asarray(X.indices)
    converted = X.format == "csc" or index.dtype != np.int32
    if not (start.ndim == index.ndim == np.ndim(X.data) == 1 and start.dtype.kind == index.dtype.kind == "i"
            and len(start) == outer + 1 and start[0] == 0 and (start[1:] >= start[:-1]).all()
            and start[-1] <= len(index) == len(X.data)
            and (not converted or len(index) == 0 or (index.min() >= 0 and index.max() < inner))):
        raise ValueError(f"the {X.format} matrix is invalid: indptr, indices and data do not match")


def values_of(X):
    """The array of a frame whose columns are all float or all double; else X. scikit-learn would ask column by
    column."""
    if not (hasattr(X, "to_numpy") and hasattr(X, "columns") and hasattr(X, "dtypes")):
        return X
    kinds = set(X.dtypes)
    return X.to_numpy() if len(kinds) == 1 and kinds <= {np.dtype("f4"), np.dtype("f8")} else X


def _no_numbers(values):
    try:
        np.asarray(values, np.float64)
    except (ValueError, TypeError):
        return True
    return False


def texts_of(X):
    """A column of a frame, which may hold documents, as an array; anything else as it is."""
    return X.to_numpy() if hasattr(X, "to_numpy") and getattr(X, "ndim", 2) == 1 else X


def is_texts(X):
    """Is it a sequence of documents?"""
    return isinstance(X, (list, tuple)) and len(X) > 0 and isinstance(X[0], str) or \
        isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "UO"


@contextlib.contextmanager
def telling_text(X):
    """Adds to the refusal of text which columns of a frame hold it, or what counts the words of documents."""
    try:
        yield
    except ValueError as error:
        if not str(error).startswith("could not convert string to float"):
            raise
        names = [repr(c) for c in X.columns if _no_numbers(X[c])] if getattr(getattr(X, "columns", None), "is_unique", False) else []
        if names:
            more = ", ..." if len(names) > 10 else ""
            raise ValueError(f"{error}; leave out or encode the columns that are not numbers: {', '.join(names[:10])}{more}") from None
        if not is_texts(texts_of(X)):
            raise
        raise ValueError(f"{error}; pith.prep(X, 'text') counts the words of documents") from None


def checked(X):
    """X as scikit-learn hands it to estimators, but for estimators' own bookkeeping."""
    check_kind(X)
    check_sound(X)
    with telling_text(X):
        return floats(values_of(X))


def _lies_well(x):
    return x.flags.aligned and x.dtype.isnative and all(
        n <= 1 or (s >= 0 and s % x.itemsize == 0) for n, s in zip(x.shape, x.strides))


def as_table(X):
    """What pith._core takes, of a matrix that is `checked`."""
    if not is_sparse(X):
        return X if _lies_well(X) else np.array(X, order="K" if X.flags.f_contiguous else "C", subok=False)
    return (X.shape[1], np.ascontiguousarray(X.indptr, dtype=np.int64),
            np.ascontiguousarray(X.indices, dtype=np.int32), np.ascontiguousarray(X.data))


# Advice of the library that is for files or for the command, and what an array's owner can do.
ADVICE = {"clean the data or choose what to do with missing values": "leave the feature or sample out, or impute the value",
          "needs labels; the data has none": "needs labels; give them as y",
          "ignore them with --no-labels": "leave out y"}


def _called(call, X):
    try:
        return call(as_table(X))
    except ValueError as error:
        for theirs, ours in ADVICE.items():
            if theirs in str(error):
                raise ValueError(str(error).replace(theirs, ours)) from None
        raise


def on_table(X, call):
    """call(table). Only when it was refused, are the columns of sparse rows looked at, sorted, and tried again."""
    try:
        return _called(call, X)
    except ValueError:
        if not is_sparse(X) or X.has_canonical_format:
            raise
    X = X.copy()
    X.sum_duplicates()
    return _called(call, X)


def names_of(X):
    """The names of a frame's columns as a list of str, None for anything else."""
    columns = getattr(X, "columns", None)
    return None if columns is None else [str(c) for c in columns]


def label_texts(y, n, what="label"):
    """Labels as the library takes them, one string per sample; None stays None."""
    if y is None:
        return None
    if isinstance(y, str):
        raise ValueError(f"expected one {what} per sample ({n}), not the text {y!r}: give the column itself, such as frame[{y!r}]")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.ndim != 1 or len(y) != n:
        raise ValueError(f"expected one {what} per sample ({n}), not an array of shape {y.shape}")
    if y.dtype.kind == "O":  # None and NaN, also pandas' own, differ from themselves or are nothing
        return ["" if v is None or type(v).__name__ in ("NAType", "NaTType") or v != v else str(v) for v in y.tolist()]
    values, number = np.unique(y, return_inverse=True)
    texts = [str(v) for v in values.tolist()]
    return [texts[i] for i in number.tolist()]


def codes(labels, what):
    """Labels of any kind as int32 numbers from 0 on."""
    labels = np.asarray(labels)
    if labels.ndim != 1 or len(labels) == 0:
        raise ValueError(f"{what}: expected one label per sample, in one dimension, not shape {labels.shape}")
    number = np.unique(labels.astype(str) if labels.dtype.kind == "O" else labels, return_inverse=True)[1]
    return np.ascontiguousarray(number, dtype=np.int32)


def graph_table(graph):
    """A graph over the samples, any sparse matrix or array, as pith._core takes it: CSR of doubles."""
    check_sound(graph)
    graph = need_sparse().csr_matrix(graph)
    if graph.shape[0] != graph.shape[1]:
        raise ValueError("graph: a graph of the samples must be a square matrix, not %d x %d" % graph.shape)
    if not graph.has_canonical_format:
        graph = graph.copy()
        graph.sum_duplicates()
    return as_table(graph.astype(np.float64, copy=False))


def value_text(name: str, value: Any):
    """A parameter's value as the library reads it: text, or for labels to start from an array of int32, or a table."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if name == "init_labels":
        return codes(value, name)
    if name == "graph" and hasattr(value, "shape"):
        return graph_table(value)
    if name == "graph_rows":
        return as_table(checked(value))
    wanted = "a path, sparse matrix or array of similarities" if name == "graph" else "a number or a text"
    raise TypeError(f"{name}: {wanted} is expected, not {type(value).__name__}")


def _class_values(classes):
    for kind in (int, float):
        try:
            return np.array([kind(c) for c in classes])
        except (ValueError, OverflowError):
            pass
    return np.array(classes)


def _labels(values, number):
    """The class of each sample; NaN, or None among texts, for one that has none."""
    if (number >= 0).all():
        return values[number]
    y = values[np.maximum(number, 0)].astype(float if values.dtype.kind in "if" else object)
    y[number < 0] = np.nan if y.dtype.kind == "f" else None
    return y


def from_core(table) -> Data:
    """A table that pith._core has read or made."""
    shape, dtype = (table["rows"], table["cols"]), np.dtype(table["dtype"])
    if "x" in table:
        X = np.frombuffer(table["x"], dtype).reshape(shape, order=table["order"])
    else:
        arrays = [np.frombuffer(table[k], t) for k, t in (("values", dtype), ("indices", np.int32), ("indptr", np.int64))]
        if len(arrays[1]) <= np.iinfo(np.int32).max:  # SciPy likes both alike
            arrays[2] = arrays[2].astype(np.int32)
        X = need_sparse().csr_matrix(tuple(arrays), shape=shape)
        X.has_sorted_indices = X.has_canonical_format = True
    y = None
    if table["labels"] is not None:
        y = _labels(_class_values(table["classes"]), np.frombuffer(table["labels"], np.int32))
    names = [None if table[k] is None else np.array(table[k], dtype=object) for k in ("feature_names", "sample_names")]
    columns = None if table["columns"] is None else np.frombuffer(table["columns"], np.int64)
    return Data(X, y, *names, columns, table["steps"])
