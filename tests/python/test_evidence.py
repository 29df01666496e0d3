"""Evidence in Python: q-values, fdr and the number of features to keep."""
import numpy as np
import pytest

import pith


@pytest.fixture(scope="module")
def planted():
    """Four groups in the first 15 of 60 columns."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 60))
    levels = rng.integers(0, 2, size=(4, 15)) * 3
    X[:, :15] += levels[np.arange(120) % 4]
    return X, np.flatnonzero(levels.std(axis=0) > 0)


def test_a_ranking_has_evidence(planted):
    X, informative = planted
    result = pith.rank(X, "consensus")
    assert result.lift.shape == result.pvalues.shape == result.qvalues.shape == (60,)
    called = result.called(0.05)
    assert len(set(informative) - set(called)) <= 1 and len(set(called) - set(informative)) <= 3
    assert list(called) == [j for j in result.ranking if result.qvalues[j] <= 0.05]
    assert result.facts["called"] == len(called) and result.untested == [None] * 60
    frame = result.to_frame()
    assert list(frame.columns) == ["rank", "index", "name", "score", "lift", "p", "q"]
    np.testing.assert_array_equal(frame["q"], result.qvalues[result.ranking])
    # Benjamini and Hochberg
    p = np.sort(result.pvalues)
    q = np.minimum.accumulate((p * 60 / np.arange(1, 61))[::-1])[::-1]
    np.testing.assert_allclose(np.sort(result.qvalues), np.minimum(q, 1), rtol=1e-12)


def test_other_methods_have_it_on_demand(planted):
    X, _ = planted
    plain = pith.rank(X, "variance")
    assert plain.qvalues is None and plain.untested is None
    with pytest.raises(ValueError, match="there is no evidence: run the method with evidence='groups'"):
        plain.called()
    beside = pith.rank(X, "variance", evidence="groups")
    np.testing.assert_array_equal(beside.ranking, plain.ranking)
    np.testing.assert_array_equal(beside.qvalues, pith.rank(X, "consensus").qvalues)
    linear = pith.rank(X, "variance", evidence="linear")
    assert not np.array_equal(linear.qvalues, beside.qvalues)


def test_selectors_select_by_fdr(planted):
    X, informative = planted
    model = pith.Consensus(fdr=0.05).fit(X)
    np.testing.assert_array_equal(model.get_support(indices=True), np.sort(model.result_.called(0.05)))
    assert model.n_features_ == model.get_support().sum() and model.qvalues_ is model.result_.qvalues
    assert model.lift_.shape == model.pvalues_.shape == (60,)
    few = pith.Selector("variance", n_features=4, fdr=0.05).fit(X)
    assert few.n_features_ == 4 and list(few.get_support(indices=True)) == sorted(few.result_.called(0.05)[:4])
    assert pith.Selector("variance", n_features=4).fit(X).qvalues_ is None
    with pytest.raises(ValueError, match="fdr: needs evidence"):
        pith.Consensus(fdr=0.05, evidence="none").fit(X)
    for bad in (0, 1.5, "few", True):
        with pytest.raises(ValueError, match="fdr: a rate above 0"):
            pith.Consensus(fdr=bad).fit(X)


def test_noise_is_warned_of_and_fdr_keeps_nothing():
    X = np.random.default_rng(1).normal(size=(60, 40))
    with pytest.warns(UserWarning, match="no feature stands out from chance"):
        model = pith.Consensus(fdr=1e-6).fit(X)
    assert model.n_features_ == 0
    with pytest.warns(UserWarning, match="No features were selected"):
        assert model.transform(X).shape == (60, 0)


def test_auto_takes_the_curve(planted):
    X, _ = planted
    model = pith.Consensus().fit(X)
    assert [m for m, _ in model.result_.curve] == [5, 10, 20, 30, 50, 60]
    assert model.n_features_ == model.result_.keep
    most = max(a for _, a in model.result_.curve)
    thrifty = pith.Consensus(thrifty=True).fit(X)
    assert thrifty.n_features_ == min(m for m, a in model.result_.curve if a >= 0.95 * most)
    assert pith.rank(X, "consensus").keep is None and not pith.rank(X, "consensus").curve
    assert pith.rank(X, "consensus", n_top="auto").keep == model.result_.keep
