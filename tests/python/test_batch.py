"""Batches of samples: rankings of each, merged, and graphs that are balanced over them."""
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import pith
from conftest import COUNTS, METHODS, QUICK

SIZES = {"a": 40, "b": 30, "c": 25}


def batches(seed=0, p=14, effect=50.0):
    """X, the batch and the group of each sample: columns 0..3 tell groups apart, 4..7 batches, 8 is constant, and 9
    to 11 hold few values, which tie."""
    random = np.random.default_rng(seed)
    batch = random.permutation(np.repeat(list(SIZES), list(SIZES.values())))
    n = len(batch)
    group = random.integers(0, 3, n)
    X = random.normal(size=(n, p))
    X[:, :4] += 5 * ((group[:, None] + np.arange(4)) % 3)
    X[:, 4:8] += effect * np.searchsorted(list(SIZES), batch)[:, None]
    X[:, 8] = 3
    X[:, 9:12] = random.integers(0, 2, (n, 3))
    return X, batch, group


def merged(results, n):
    """The merge as scanpy defines it for seurat_v3_paper, for results of each batch: ranking, batches, score."""
    p = len(results[0].scores)
    rank = np.empty((len(results), p))
    for b, r in enumerate(results):
        rank[b, r.ranking] = np.arange(1, p + 1)
    scored = np.array([~np.isnan(r.scores) for r in results])
    top = np.ma.masked_array(rank, ~scored | (rank > n))
    number = (~np.ma.getmaskarray(top)).sum(axis=0)
    median = np.where(number > 0, np.ma.median(top, axis=0).filled(0), np.median(rank, axis=0))
    ranking = np.lexsort((np.arange(p), median, -number, ~scored.any(axis=0)))
    return ranking, number, np.where(scored.any(axis=0), number + 1 - median / (p + 1), np.nan)


@pytest.mark.parametrize("method", ["variance", "laplacian", "mcfs", "dispersion"])
@pytest.mark.parametrize("n", [1, 3, 6, 14])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_merge_is_that_of_its_definition(method, n, sparse):
    X, batch, _ = batches()
    X = np.abs(X)
    if sparse:
        X = sp.csr_matrix(np.where(X < 1, 0, np.floor(X)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # dispersion wants counts, and says so
        each = [pith.rank(X[batch == b], method) for b in SIZES]
        result = pith.rank(X, method, batch=batch, n_top=n)
    ranking, number, score = merged(each, n)
    np.testing.assert_array_equal(result.ranking, ranking)
    np.testing.assert_array_equal(result.batches, number)
    np.testing.assert_allclose(result.scores, score, rtol=1e-14)
    assert result.n_batches == 3


def test_two_batches_of_equal_rows_tie_everywhere():
    X = np.random.default_rng(1).integers(0, 3, (40, 6)).astype(float)
    twice, batch = np.vstack([X, X]), np.repeat([1, 2], 40)
    result = pith.rank(twice, "variance", batch=batch, n_top=2)
    np.testing.assert_array_equal(result.ranking, pith.rank(X, "variance").ranking)
    assert set(result.batches) == {0, 2}


@pytest.mark.parametrize("method", METHODS)
def test_one_batch_is_the_plain_ranking(method):
    X, _, group = batches(effect=1.0)
    if method in COUNTS:
        X = np.floor(np.abs(X))
    words = dict(y=group if method == "mutual-info" else None, evidence="none", **QUICK.get(method, {}))
    plain = pith.rank(X, method, **words)
    result = pith.rank(X, method, batch=np.zeros(len(X)), n_top=4, **words)
    np.testing.assert_array_equal(result.ranking, plain.ranking)
    assert set(np.flatnonzero(result.batches)) <= set(plain.ranking[:4])
    assert result.parameters == plain.parameters


@pytest.mark.parametrize("method", [m for m in METHODS if m != "mutual-info"])
def test_every_method_ranks_batches(method):
    X, batch, _ = batches(effect=1.0)
    if method in COUNTS:
        X = np.floor(np.abs(X))
    result = pith.rank(X, method, batch=batch, n_top=4, **QUICK.get(method, {}))
    assert sorted(result.ranking) == list(range(X.shape[1])) and result.n_batches == 3
    number = result.batches[result.ranking]
    assert (np.diff(number[~np.isnan(result.scores[result.ranking])]) <= 0).all()


def test_the_order_of_the_samples_does_not_matter():
    X, batch, _ = batches()
    order = np.random.default_rng(2).permutation(len(X))
    for words in ({"n_top": 3}, {"batch_graph": True}):
        one = pith.rank(X, "laplacian", batch=batch, **words)
        other = pith.rank(X[order], "laplacian", batch=batch[order], **words)
        np.testing.assert_array_equal(one.ranking, other.ranking)


def test_a_batch_effect_is_overcome():
    X, batch, _ = batches()
    assert set(pith.rank(X, "laplacian").ranking[:4]) == {4, 5, 6, 7}
    for words in ({"n_top": 4}, {"batch_graph": True, "neighbors": 6}):
        assert set(pith.rank(X, "laplacian", batch=batch, **words).ranking[:4]) == {0, 1, 2, 3}, words
    assert set(pith.rank(X, "consensus").ranking[:4]) & {4, 5, 6, 7}
    # The best repeat each other; and of 14 features halves have seven, so that it takes many of them.
    result = pith.rank(X, "consensus", batch=batch, batch_graph=True, diversity=0, draws=88)
    assert set(result.ranking[:4]) == {0, 1, 2, 3}


def test_dense_and_sparse_give_the_same_graph():
    X, batch, _ = batches()
    X = np.floor(np.abs(X))
    for metric in ("euclidean", "cosine"):
        words = dict(batch=batch, batch_graph=True, metric=metric, standardize="none", weight="heat")
        dense, sparse = (pith.rank(Z, "laplacian", **words) for Z in (X, sp.csr_matrix(X)))
        np.testing.assert_allclose(dense.scores, sparse.scores, rtol=1e-9)
        assert dense.batches is None and dense.n_batches == 0


def test_threads_do_not_matter():
    X, batch, _ = batches()
    for method, words in (("laplacian", {"n_top": 3}), ("laplacian", {"batch_graph": True}),
                          ("consensus", {"batch_graph": True, "draws": 4})):
        one, two = (pith.rank(X, method, batch=batch, threads=t, **words) for t in (1, 2))
        assert one.scores.tobytes() == two.scores.tobytes() and (one.ranking == two.ranking).all()


def test_selectors_take_batches_when_they_are_fitted():
    X, batch, _ = batches()
    selector = pith.Selector("laplacian", 4)
    assert selector.fit(X, batch=batch).get_support().nonzero()[0].tolist() == [0, 1, 2, 3]
    assert selector.result_.n_batches == 3
    assert selector.fit_transform(X, batch=batch).shape == (len(X), 4)
    selector = pith.Laplacian(4, neighbors=6).fit(X, batch=batch, batch_graph=True)
    assert selector.get_support().nonzero()[0].tolist() == [0, 1, 2, 3]
    assert pith.Laplacian(4).fit(X).get_support().nonzero()[0].tolist() == [4, 5, 6, 7]


def test_the_frame_has_the_columns_of_the_command():
    X, batch, _ = batches()
    frame = pith.rank(X, "variance", batch=batch, n_top=5).to_frame()
    assert list(frame) == ["rank", "index", "name", "score", "batches", "in_all_batches"]
    assert (frame["in_all_batches"] == (frame["batches"] == 3)).all()
    assert list(pith.rank(X, "variance").to_frame()) == ["rank", "index", "name", "score"]


def test_small_batches_are_told_of():
    X, batch, _ = batches()
    batch = batch.astype(object)
    batch[np.flatnonzero(batch == "a")[:6]] = "few"
    with pytest.warns(UserWarning, match=r"left out: few \(6 samples\)"):
        assert pith.rank(X, "variance", batch=batch).n_batches == 3


def test_a_doubt_of_all_batches_is_told_of_the_whole():
    batch, random = batches()[1], np.random.default_rng(3)
    X = random.exponential(size=(len(batch), 9))
    with pytest.warns(UserWarning, match="^dispersion"):
        pith.rank(X, "dispersion", batch=batch)
    X[batch != "b"] = random.poisson(2, (X[batch != "b"]).shape)
    with pytest.warns(UserWarning, match="^batch b: dispersion"):
        pith.rank(X, "dispersion", batch=batch)


@pytest.mark.parametrize("words,match", [
    ({"batch": ["a"] * 3}, r"expected one batch per sample \(95\)"),
    ({"batch": "donor"}, r"expected one batch per sample \(95\), not the text 'donor': give the column itself, such as frame\['donor'\]"),
    ({"batch": [None] + ["a"] * 94}, "sample 1 .* has no batch"),
    ({"batch": [float("nan")] + [1.0] * 94}, "sample 1 .* has no batch"),
    ({"batch": list(range(95))}, "no batch has the 20 samples"),
    ({"batch": ["a"] * 95, "batch_graph": True}, "variance builds no nearest-neighbour graph"),
    ({"batch": ["a"] * 95, "n_top": 0}, "n_top"),
    ({"batch": ["a"] * 95, "n_top": 2.5}, "n_top"),
])
def test_bad_batches_are_refused(words, match):
    X = batches()[0]
    with pytest.raises(ValueError, match=match):
        pith.rank(X, "variance", **words)


def test_a_batch_graph_needs_batches():
    with pytest.raises(ValueError, match="needs the batches"):
        pith.rank(batches()[0], "laplacian", batch_graph=True)


def test_a_graph_of_the_users_own_is_not_cut():
    X, batch, _ = batches()
    graph = sp.csr_matrix(np.ones((len(X), len(X))) - np.eye(len(X)))
    for words in ({"graph": graph}, {"graph": graph, "batch_graph": True}, {"graph_rows": X[:, :4]}):
        with pytest.raises(ValueError, match="cannot be split into batches"):
            pith.rank(X, "laplacian", batch=batch, **words)
    result = pith.rank(X, "laplacian", batch=batch, batch_graph=True, graph_rows=X[:, :4], neighbors=6)
    assert set(result.ranking[:4]) == {0, 1, 2, 3}
