"""The binding with what nobody should give it: every call ends in an answer or in a plain exception.

A crash would take pytest along. Seeded, so that what fails, fails again."""
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import pith
from conftest import counts
from pith import _core

ALLOWED = (ValueError, TypeError, OverflowError, ArithmeticError, MemoryError, BufferError, OSError)
DTYPES = [np.float64, np.float32, np.float16, np.longdouble, np.int8, np.int32, np.uint64, bool, complex, ">f8", "<f4",
          ">i4", "S3", "U2", object, "M8[s]", [("a", "f8"), ("b", "f4")], "V5"]


def survives(call, *args, **more):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call(*args, **more)
    except ALLOWED as why:
        assert str(why)
    return None


def odd_array(random):
    """An array of any dtype, dimension, stride, alignment, order; perhaps read-only, perhaps empty."""
    dtype = np.dtype(DTYPES[random.integers(len(DTYPES))] if random.random() < 0.5 else DTYPES[random.integers(2)])
    shape = tuple(random.choice([0, 1, 2, 3, 7, 20], size=random.choice([0, 1, 2, 2, 2, 2, 3])))
    raw = random.integers(0, 256, int(np.prod(shape)) * dtype.itemsize * 2 + 64, dtype=np.uint8)
    if dtype.hasobject:
        X = np.array(random.integers(0, 5, shape), dtype=object)
    else:
        start = random.choice([0, 0, 1, 3])
        X = raw[start:start + int(np.prod(shape)) * dtype.itemsize].view(np.uint8)
        X = np.frombuffer(X.tobytes() if start == 0 else memoryview(raw)[start:start + X.size], dtype).reshape(shape)
    if dtype.kind == "f" and random.random() < 0.8:
        X = X.copy()
        X[...] = random.normal(size=shape)
    for axis in range(X.ndim):
        step = random.choice([1, 1, 1, 2, -1])
        X = X[(slice(None),) * axis + (slice(None, None, step),)]
    if random.random() < 0.3:
        X = X.T
    if random.random() < 0.2 and X.ndim == 2:
        X = np.lib.stride_tricks.as_strided(X, X.shape, (0, X.strides[1])) if X.shape[0] else X
    if random.random() < 0.3 and not X.dtype.hasobject:
        X = X.copy(order="F") if random.random() < 0.5 else X.view()
        X.flags.writeable = False
    return X


def odd_vector(random, length):
    kinds = [np.int64, np.int32, np.int16, np.float64, np.float32, ">i8", np.uint64]
    v = random.integers(-2, max(length, 1) + 3, length).astype(kinds[random.integers(len(kinds))])
    return np.sort(v) if random.random() < 0.5 else v


def test_fits_of_odd_arrays():
    random = np.random.default_rng(1)
    fitted = 0
    for _ in range(400):
        X = odd_array(random)
        sel = survives(pith.Selector(str(random.choice(["variance", "laplacian", "spec", "kmeans-energy"]))).fit, X)
        fitted += sel is not None
    assert 20 < fitted < 380  # both happen


def test_the_core_itself_with_odd_arrays():
    """The C code must not rely on what the Python code checks."""
    random = np.random.default_rng(2)
    ran = 0
    for _ in range(600):
        said = survives(_core.run, "variance", odd_array(random), None, None, {}, 1, 1, None)
        ran += said is not None
    assert 20 < ran < 580


def odd_csr(random, good):
    """The parts of a matrix, some of them changed."""
    parts = [good.indptr.astype(np.int64), good.indices.copy(), good.data.copy()]
    for _ in range(random.integers(0, 3)):
        k = random.integers(3)
        part = parts[k]
        change = random.integers(5) if isinstance(part, np.ndarray) else 2
        if change == 0 and len(part):
            part[random.integers(len(part))] = random.choice([-1, 0, 1, 4, 5, 10**6, -2**31])
        elif change == 1:
            parts[k] = part[:random.integers(0, len(part) + 1)]
        elif change == 2:
            parts[k] = odd_vector(random, random.integers(0, 12))
        elif change == 3:
            parts[k] = part[::-1]
        else:
            parts[k] = [None, "abc", b"abc", 3, part.reshape(1, -1), part.tolist()][random.integers(6)]
    columns = [5, 5, 5, 0, -1, 4, 100, 2**31, 2**62, "5", None][random.integers(11)]
    return columns, *parts


def test_the_core_itself_with_odd_csr():
    random = np.random.default_rng(3)
    ran = 0
    good = counts(6, 5)[0]
    for _ in range(1500):
        said = survives(_core.run, "variance", odd_csr(random, good), None, None, {}, 1, 1, None)
        ran += said is not None
    assert 50 < ran < 1400


def test_the_core_itself_with_odd_graphs():
    random = np.random.default_rng(8)
    X, good = random.normal(size=(5, 4)), counts(5, 5)[0]
    ran = 0
    for _ in range(1500):
        graph = {"graph": odd_csr(random, good) if random.integers(4) else odd_array(random)}
        rows = {"graph_rows": odd_csr(random, good) if random.integers(2) else odd_array(random)}
        said = survives(_core.run, "laplacian", X, None, None, graph if random.integers(2) else rows, 1, 1, None)
        ran += said is not None
    assert 50 < ran < 1400


def test_wrong_arguments_of_every_function(tmp_path):
    random = np.random.default_rng(4)
    X = random.normal(size=(12, 4))
    odd = [None, 0, -1, 2**70, 1.5, float("nan"), "", "auto", "a\0b", "\udcff", b"x", [], [1], (), (1, 2), {}, {"a": 1},
           object(), X, X[:0], X[:, :0], X.astype(complex), np.zeros(0), lambda *a: None, "x" * 10000, ["a"] * 12,
           ["a", None], np.int32(3), range(12)]
    calls = {
        _core.run: ["variance", X, None, None, {}, 1, 1, None],
        _core.prep: [X, None, None, None, "drop-noisy", 1, 1, None],
        _core.kmeans: [X, 2, 2, 5, False, False, 1, 1, None],
        _core.compare: [X, None, None, {"methods": "variance", "restarts": 1, "clusters": 2}, None, 1, 1, None],
        _core.read: ["no-such-file.csv", None, None, False, 0, 1, None],
        _core.agreement: [np.zeros(3, np.int32), np.zeros(3, np.int32)],
        _core.nearest: ["a", ["b"]],
        _core.prep_texts: [["a b", "a b"], "text", 1, 1, None],
        _core.prep_read: ["no-such-file.txt", "text", 1, 1, None],
        _core.tree: [X, None, "cluster", None, str(tmp_path / "made.tree"), 1, 1, None],
    }
    for call, right in calls.items():
        for at in range(len(right)):
            for wrong in odd:
                if call in (_core.compare, _core.tree) and at == 4 and isinstance(wrong, str):
                    continue  # it would be the name of a file to write
                survives(call, *right[:at], wrong, *right[at + 1:])
        survives(call)
        survives(call, *right, 1)


def test_wrong_options_of_a_comparison():
    X = np.random.default_rng(5).normal(size=(20, 4))
    odd = [None, 0, -1, 2**40, 2**70, 1.5, "", "all,all", "variance,", ",", "0", "-3", "1e9", "a=b", [], [1], ["", "="],
           ["lambda"], ["lambda=", "=1"], {}]
    for key in ("methods", "features", "grids", "settings", "protocol", "clusterer", "metric", "start", "restarts",
                "clusters", "stability", "nonsense"):
        for wrong in odd:
            if key in ("restarts", "stability") and wrong == 2**40:
                continue  # it is asked for, and would run for ever
            survives(_core.compare, X, None, None,
                     {"methods": "variance", "features": "2", "restarts": 1, "clusters": 2, key: wrong}, None, 1, 1, None)


def test_parameters_of_every_method_with_odd_values():
    X = np.abs(np.random.default_rng(6).normal(size=(12, 5)))
    odd = [-1, 2**80, -1e300, float("nan"), float("inf"), "", "\0", "é" * 300, [], {}, (1,), object(), np.zeros(3), 1j]
    ran = refused = files = 0
    for method in pith.methods():
        for p in method.parameters:
            files += p.type == "file"
            for wrong in odd:
                said = survives(pith.rank, X, method.name, y=[0, 1] * 6, **{p.keyword: wrong})
                ran += said is not None
                refused += said is None
    assert ran <= files and refused > 2000  # an empty name of a file is none


def test_more_columns_than_fit_are_refused():
    wide = np.broadcast_to(np.zeros((1, 1)), (1, 2**31))
    with pytest.raises(ValueError, match="columns 0..2147483647"):
        _core.run("variance", wide, None, None, {}, 1, 1, None)


def test_sparse_of_no_rows_or_columns():
    for shape in ((0, 0), (0, 5), (5, 0), (1, 1), (3, 1), (1, 3)):
        survives(pith.Selector("variance").fit, sp.csr_matrix(shape))
        survives(pith.rank, sp.csc_matrix(shape), "spec")
        survives(pith.Selector("laplacian").fit, np.zeros(shape))
        start = np.zeros(shape[0] + 1, np.int64)
        survives(_core.run, "laplacian", (shape[1], start, np.zeros(0, np.int32), np.zeros(0)), None, None, {}, 1, 1, None)
