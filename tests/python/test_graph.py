"""graph= and graph_rows=: a user's own neighbours."""
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.neighbors import kneighbors_graph

import pith
from conftest import blobs, command_json

TAKE = [m.name for m in pith.methods() if "graph_rows" in [p.name for p in m.parameters]]


@pytest.fixture
def near():
    return kneighbors_graph(blobs()[0], 5)


def test_methods_that_take_a_graph():
    assert set(TAKE) == {"laplacian", "energy", "spec", "ht-des", "cl-des", "ndfs", "mcfs", "jelsr", "eufs"}
    assert all("graph" in [p.name for p in pith.methods(m).parameters] for m in TAKE)


def test_the_graph_that_pith_would_build(X, near):
    own = dict(weight="binary", standardize="none", metric="euclidean")
    for method in ("laplacian", "spec", "mcfs"):
        np.testing.assert_array_equal(pith.rank(X, method, **own).scores, pith.rank(X, method, graph=near, **own).scores)


def test_any_kind_of_matrix(X, near):
    want = pith.rank(X, "laplacian", graph=near).scores
    wide = near.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    backwards = sp.csr_matrix((near.data, near.indices.reshape(60, 5)[:, ::-1].ravel(), near.indptr), shape=near.shape)
    halves = sp.coo_matrix((np.repeat(near.data / 2, 2), (np.repeat(near.tocoo().row, 2), np.repeat(near.tocoo().col, 2))))
    for graph in (near.tocsc(), near.tocoo(), near.tolil(), near.astype(np.float32), near.astype(bool), near.toarray(),
                  sp.csr_array(near), wide, backwards, halves, near.maximum(near.T)):
        kept = graph.copy()
        np.testing.assert_array_equal(pith.rank(X, "laplacian", graph=graph).scores, want)
        assert (kept != graph).sum() == 0
    assert pith.rank(X, "laplacian", graph=near).parameters["graph"] == "(given)"
    assert pith.rank(X, "laplacian").parameters["graph"] is None


def test_files(X, near, tmp_path):
    sp.save_npz(tmp_path / "g.npz", near)
    want = pith.rank(X, "laplacian", graph=near).scores
    for path in (tmp_path / "g.npz", str(tmp_path / "g.npz")):
        result = pith.rank(X, "laplacian", graph=path, verbose=0)
        np.testing.assert_array_equal(result.scores, want)
        assert result.parameters["graph"] == str(path)
    np.savetxt(tmp_path / "x.csv", X, delimiter=",")
    said = command_json("rank", "x.csv", "-qm", "laplacian", "--graph", "g.npz", "--format", "json", cwd=tmp_path)
    assert said["features"][0]["score"] == pytest.approx(max(want), rel=1e-12)
    with pytest.raises(pith.FileError, match="none.npz: cannot be read"):
        pith.rank(X, "laplacian", graph=tmp_path / "none.npz")


def test_rows_to_build_it_from(X):
    import pandas as pd
    want = pith.rank(X, "laplacian", graph=kneighbors_graph(X[:, :4], 5), standardize="none").scores
    own = dict(weight="binary", standardize="none")
    for rows in (X[:, :4], pd.DataFrame(X[:, :4]), sp.csr_matrix(X[:, :4]), X[:, :4].tolist(), np.asfortranarray(X[:, :4])):
        np.testing.assert_allclose(pith.rank(X, "laplacian", graph_rows=rows, **own).scores, want, rtol=1e-12)


def test_selectors_have_them(X, near):
    want = pith.rank(X, "laplacian", graph=near)
    for selector in (pith.Selector("laplacian", n_features=3, graph=near), pith.Laplacian(n_features=3, graph=near)):
        assert selector.fit(X).ranking_.tolist() == want.ranking.tolist()
        assert clone(selector).fit(X).ranking_.tolist() == want.ranking.tolist()
    assert pith.Laplacian(graph_rows=X[:, :2]).fit(X).scores_.shape == (12,)
    np.testing.assert_array_equal(pith.SPEC().fit(X).scores_, pith.SPEC(graph="knn").fit(X).scores_)
    assert not np.array_equal(pith.SPEC().fit(X).scores_, pith.SPEC(graph="full").fit(X).scores_)
    assert not np.array_equal(pith.SPEC().fit(X).scores_, pith.SPEC(graph=near).fit(X).scores_)


def broken(n):
    graph = kneighbors_graph(np.arange(n)[:, None], 2)
    graph.indices[3] = 10 ** 6
    return graph


@pytest.mark.parametrize("how, kind, sentence", [
    (dict(graph=sp.eye(60) * -1), ValueError, "has no edge"),
    (dict(graph=np.full((60, 60), -1.0)), ValueError, "from sample 1 to 2 .counted from 1. has the weight -1"),
    (dict(graph=np.full((60, 60), np.nan)), ValueError, "has the weight nan"),
    (dict(graph=np.ones((60, 59))), ValueError, "square matrix, not 60 x 59"),
    (dict(graph=np.ones((59, 59))), ValueError, "graph of 59 samples, but the data has 60"),
    (dict(graph=np.ones(60)), ValueError, "square matrix, not 1 x 60"),
    (dict(graph=broken(60)), ValueError, "columns of row 1 must ascend|invalid"),
    (dict(graph=broken(60).tocsr().astype(np.float64).asformat("csr")), ValueError, "must ascend|invalid"),
    (dict(graph=3.5), ValueError, "3.5"),
    (dict(graph=[1, 2]), TypeError, "graph: a path, sparse matrix or array of similarities is expected, not list"),
    (dict(graph_rows=np.ones((59, 2))), ValueError, "graph_rows: rows of 59 samples, but the data has 60"),
    (dict(graph_rows=np.full((60, 2), np.nan)), ValueError, "graph_rows: row 1, column 1"),
    (dict(graph_rows=np.ones(60)), ValueError, "2D|1D"),
    (dict(graph=np.ones((60, 60)), graph_rows=np.ones((60, 2))), ValueError, "cannot be used together"),
    (dict(method="fsasl", graph=np.ones((60, 60))), ValueError, "fsasl cannot use a graph of the samples"),
    (dict(method="auto", graph=np.ones((60, 60))), ValueError, "consensus cannot use a graph of the samples"),
])
def test_what_is_no_graph_is_refused(X, how, kind, sentence):
    with pytest.raises(kind, match=sentence):
        pith.rank(X, **{"method": "laplacian", **how})


def test_a_comparison_takes_files_only(X, near, tmp_path):
    sp.save_npz(tmp_path / "g.npz", near)
    with pytest.raises(TypeError, match="graph: compare takes a file here"):
        pith.compare(X, methods=["laplacian"], graph=near)
    frame = pith.compare(X, methods=["laplacian", "variance"], n_features=[4], restarts=2, graph=tmp_path / "g.npz")
    assert not frame.errors and set(frame["method"]) >= {"laplacian", "variance"}
