"""Which memory is taken as it lies, and that its form changes no answer."""
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import pith
from conftest import QUICK, UNSUPERVISED, blobs, counts
from pith import Selector, _core


@pytest.fixture
def given(monkeypatch):
    """What reaches the library: the table of the last fit."""
    seen, run = [], _core.run

    def spy(method, table, *rest):
        seen.append(table)
        return run(method, table, *rest)
    monkeypatch.setattr(_core, "run", spy)
    return lambda X: (Selector("variance").fit(X), seen.pop())[1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_arrays_are_not_copied(given, dtype):
    wide = np.asarray(blobs(60, 24)[0], dtype)
    frozen = wide.copy()
    frozen.flags.writeable = False
    for X in (wide, np.asfortranarray(wide), wide[::2], wide[:, ::2], wide[5:, 3:], wide.T, frozen,
              np.broadcast_to(wide[:, :1], (60, 3))):
        table = given(X)
        assert table.dtype == dtype and np.shares_memory(table, X) and table.strides == X.strides


def test_a_type_may_name_the_byte_order_of_this_machine():
    X = blobs()[0]
    named = np.frombuffer(X.tobytes(), X.dtype.newbyteorder("<" if np.little_endian else ">")).reshape(X.shape)
    assert memoryview(named).format in ("<d", ">d")
    np.testing.assert_array_equal(Selector("variance").fit(named).scores_, Selector("variance").fit(X).scores_)


def test_frames_are_not_copied(given):
    for order in "CF":
        frame = pd.DataFrame(np.array(blobs()[0], order=order))
        assert np.shares_memory(given(frame), frame.to_numpy())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_csr_is_not_copied(given, dtype):
    X = counts()[0].astype(dtype)
    X.indptr = X.indptr.astype(np.int64)  # the library's own type
    columns, indptr, indices, values = given(X)
    assert columns == X.shape[1]
    for part, array in ((indptr, X.indptr), (indices, X.indices), (values, X.data)):
        assert np.shares_memory(part, array)
    X.indptr = X.indptr.astype(np.int32)  # SciPy's usual one: only the row pointers are converted
    columns, indptr, indices, values = given(X)
    assert np.shares_memory(indices, X.indices) and np.shares_memory(values, X.data)


def test_what_cannot_be_taken_as_it_lies_is_copied(given):
    X = blobs()[0]
    odd = np.frombuffer(b"x" + X.tobytes(), np.uint8)[1:].view(np.float64).reshape(X.shape)
    record = np.zeros(60, [("x", np.float64, 12), ("c", np.int8)])
    record["x"] = X
    forms = {"backwards": X[::-1][::-1], "reversed": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1], "odd": odd,
             "swapped": X.astype(">f8"), "half": X.astype(np.float16), "long": X.astype(np.longdouble),
             "record": record["x"], "object": X.astype(object), "list": X.tolist()}
    for name, form in forms.items():
        want = Selector("variance").fit(X.astype(np.float16).astype(float) if name == "half" else X).scores_
        np.testing.assert_array_equal(Selector("variance").fit(form).scores_, want, name)


def _forms(X):
    dense = X.toarray()
    swapped = X.copy()
    for i in range(X.shape[0]):  # columns that do not ascend
        swapped.indices[swapped.indptr[i]:swapped.indptr[i + 1]] = X.indices[X.indptr[i]:X.indptr[i + 1]][::-1]
        swapped.data[swapped.indptr[i]:swapped.indptr[i + 1]] = X.data[X.indptr[i]:X.indptr[i + 1]][::-1]
    swapped.has_sorted_indices = False
    swapped.has_canonical_format = False
    coo = X.tocoo()
    twice = sp.coo_matrix((np.r_[coo.data / 2, coo.data / 2], (np.r_[coo.row, coo.row], np.r_[coo.col, coo.col])),
                          X.shape)
    big = X.copy()
    big.indices, big.indptr = big.indices.astype(np.int64), big.indptr.astype(np.int64)
    return {"csr": X, "csc": X.tocsc(), "coo": coo, "unsorted": swapped, "duplicates": twice, "int64": big,
            "array": sp.csr_array(X)}, {"C": dense, "F": np.asfortranarray(dense), "frame": pd.DataFrame(dense),
                                        "int": dense.astype(int)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", UNSUPERVISED)
def test_the_form_of_the_data_changes_nothing(method):
    """Of sparse data not a bit, of dense data neither; between the two it may be rounding."""
    X = counts(45, 21)[0]
    keep = X.copy()
    for forms in _forms(X):
        scores = {name: Selector(method, **QUICK.get(method, {})).fit(form).scores_ for name, form in forms.items()}
        first = next(iter(scores.values()))
        for name, other in scores.items():
            np.testing.assert_array_equal(other, first, name)
    assert (X != keep).nnz == 0


def test_broken_sparse_matrices_are_refused():
    def broken(change, form="csr"):
        X = counts()[0].asformat(form).copy()
        change(X)
        return X

    def last(X):
        X.indptr[-1] += 1

    def falling(X):
        X.indptr[5] = X.indptr[4] - 1

    def begin(X):
        X.indptr[0] = 1

    def negative(X):
        X.indices[3] = -1

    def beyond(X):
        X.indices[3] = 10**6

    def short(X):
        X.data = X.data[:-1]

    def fewer(X):
        X.indptr = X.indptr[:-2]

    for form in ("csr", "csc"):
        for change in (last, falling, begin, negative, beyond, short, fewer):
            X = broken(change, form)
            for use in (Selector("variance").fit, lambda X: pith.rank(X, "variance"), lambda X: pith.kmeans(X, 2)):
                with pytest.raises(ValueError, match="invalid|columns of row . must ascend within 0..29"):
                    use(X)
    swapped = counts()[0]
    swapped.indices[:2] = swapped.indices[1::-1]  # and SciPy is told a lie
    swapped.has_sorted_indices = swapped.has_canonical_format = True
    with pytest.raises(ValueError, match="columns of row 0 must ascend"):
        pith.rank(swapped, "variance")


def test_separator_decimals_header_and_row_names_are_found_or_given(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a;b\n1,5;2\n2,5;3\n")
    assert pith.read(path).X.tolist() == [[1.5, 2], [2.5, 3]]
    path.write_text("value\n1,5\n2,5\n")
    with pytest.raises(ValueError, match="decimal comma"):
        pith.read(path)
    assert pith.read(path, decimal=",").X.tolist() == [[1.5], [2.5]]
    assert pith.read(path, sep=",").sample_names.tolist() == ["1", "2"]
    path.write_text("5:6\n1:2\n3:4\n")
    data = pith.read(path, sep=":", header=True, row_names=True)
    assert (data.X.tolist(), data.feature_names.tolist(), data.sample_names.tolist()) == ([[2], [4]], ["6"], ["1", "3"])
    for wrong in ({"sep": "::"}, {"sep": "x"}, {"decimal": ";"}, {"decimal": 1}):
        with pytest.raises(ValueError):
            pith.read(path, **wrong)


@pytest.mark.parametrize("y, missing", [([0, 0, 1, 1, np.nan, np.nan], np.nan), (["a", "a", "b", "b", None, np.nan], None)])
def test_missing_labels_are_no_class(tmp_path, y, missing):
    X = np.array([[0, 1], [0, 2], [9, 1], [9, 2], [0, 1.5], [9, 1.5]])
    full = pith.rank(X[:4], "mutual-info", y=y[:4])
    assert pith.rank(X, "mutual-info", y=y).scores.tolist() == full.scores.tolist()
    result = pith.compare(X, y, methods=["variance"], n_features=[1], restarts=2, clusters=2)
    rows = result[(result.method == "all-features") & (result.measure == "acc")]
    assert rows["mean"].tolist() == [1]
    path = tmp_path / "x.csv"
    path.write_text("u,label\n" + "".join(f"{i},{'' if v is None or v != v else v}\n" for i, v in enumerate(y)))
    back = pith.read(path).y
    assert list(back[:4]) == y[:4]
    assert all(v is None if missing is None else np.isnan(v) for v in back[4:])
