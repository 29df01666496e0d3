"""Selector and the classes of the methods, as a user of scikit-learn meets them."""
import inspect
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pith
from conftest import COUNTS, METHODS, QUICK, blobs
from pith import Selector


def test_mcfs_may_take_as_many_coefficients_as_features():
    X = np.random.default_rng(3).normal(size=(60, 40))
    for count in (4, 9):
        kept = pith.MCFS(n_features=count, mcfs_active="count", clusters=5).fit(X)
        assert kept.result_.parameters["mcfs_active"] == "count"
        assert (kept.get_support() == pith.MCFS(n_features=count, mcfs_active=count, clusters=5).fit(X).get_support()).all()
    assert (kept.get_support() != pith.MCFS(n_features=9, mcfs_active=20, clusters=5).fit(X).get_support()).any()
    with pytest.raises(ValueError, match="number of features"):
        pith.rank(X, "mcfs", mcfs_active="count")


def test_keeps_the_features_that_matter_in_the_order_of_the_data(X):
    sel = Selector("spec", n_features=4).fit(X)
    assert sel.get_support().tolist() == [True] * 4 + [False] * 8
    assert sel.get_support(indices=True).tolist() == [0, 1, 2, 3]
    assert sorted(sel.ranking_[:4]) == [0, 1, 2, 3] and sorted(sel.ranking_) == list(range(12))
    assert (np.diff(sel.scores_[sel.ranking_]) <= 0).all()
    assert sel.n_features_in_ == 12 and sel.n_features_ == 4
    np.testing.assert_array_equal(sel.transform(X), X[:, :4])
    np.testing.assert_array_equal(sel.fit_transform(X), X[:, :4])
    back = sel.inverse_transform(X[:, :4])
    np.testing.assert_array_equal(back[:, :4], X[:, :4])
    assert (back[:, 4:] == 0).all()


def test_n_features_is_a_number_a_share_or_auto(X):
    assert Selector("variance", n_features=1).fit(X).n_features_ == 1
    assert Selector("variance", n_features=np.int64(12)).fit(X).n_features_ == 12
    assert Selector("variance", n_features=0.25).fit(X).n_features_ == 3
    assert Selector("variance", n_features=1.0).fit(X).n_features_ == 12
    assert Selector("variance", n_features=1e-9).fit(X).n_features_ == 1
    assert Selector("variance").fit(X).n_features_ == 6
    sel = Selector("cl-des", pairs=2000).fit(X)
    assert sel.n_features_ == sel.result_.keep != 6


@pytest.mark.parametrize("wrong, error", [(0, ValueError), (-1, ValueError), (13, ValueError), (0.0, ValueError),
                                          (1.5, ValueError), (float("nan"), ValueError), ("some", ValueError),
                                          (True, TypeError), (None, TypeError), ([3], TypeError)])
def test_other_n_features_are_refused(X, wrong, error):
    with pytest.raises(error, match="n_features"):
        Selector("variance", n_features=wrong).fit(X)


def test_a_method_that_would_keep_nothing_says_so_and_keeps_the_best(X):
    with pytest.warns(UserWarning, match="snfs would keep no feature"):
        sel = Selector("snfs", rho=1.0).fit(X)
    assert sel.n_features_ == 1 and sel.get_support(indices=True) == sel.ranking_[:1]


def test_names_of_a_frame_are_kept(X):
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(12)], index=[f"s{i}" for i in range(60)])
    sel = Selector("spec", n_features=2).fit(frame)
    assert sel.feature_names_in_.tolist() == frame.columns.tolist()
    kept = [frame.columns[j] for j in sel.get_support(indices=True)]
    assert sel.get_feature_names_out().tolist() == kept
    out = sel.set_output(transform="pandas").transform(frame)
    pd.testing.assert_frame_equal(out, frame[kept])
    assert sel.result_.to_frame()["name"].tolist() == [frame.columns[j] for j in sel.ranking_]
    with pytest.warns(UserWarning, match="feature names"):
        sel.transform(X)


def test_result_tells_everything(X):
    result = pith.NDFS(n_features=3, max_iter=7).fit(X).result_
    assert result.method == "ndfs" and result.parameters["max_iter"] == 7
    assert isinstance(result.parameters["clusters"], int)  # what auto became
    assert result.parameters["standardize"] != "auto"
    assert result.seconds > 0 and result.peak_bytes > 0 and result.seed == 1
    assert result.iterations == 7 == len(result.history) and result.objective == result.history[-1]
    assert result.feature_names is None and result.why is None
    assert "ndfs" in repr(result)
    frame = result.to_frame()
    assert frame.columns.tolist() == ["rank", "index", "name", "score"] and frame["name"][0] == f"f{frame['index'][0]}"


def test_auto_picks_a_method_and_says_why(X):
    sel = Selector().fit(X)
    assert sel.result_.method == "consensus" and "dense" in sel.result_.why
    assert Selector().fit(sp.random(40, 30, 0.1, "csr", random_state=0)).result_.method == "energy"


@pytest.mark.filterwarnings("ignore:more than half")
def test_every_method_has_a_class_with_its_parameters(X, y):
    for method in pith.methods():
        cls = pith._estimators.class_of(method.name)
        assert cls is getattr(pith, cls.__name__) and cls.__name__ in pith.__all__
        given = {k: v.default for k, v in inspect.signature(cls).parameters.items()}
        assert list(given)[0] == "n_features" and list(given)[-5:] == ["fdr", "random_state", "threads", "verbose", "engine"]
        assert list(given)[1:-5] == [p.keyword for p in method.parameters]
        for p in method.parameters:
            assert given[p.keyword] == p.default and type(given[p.keyword]) is type(p.default), (method, p)
            assert f"{p.keyword} :" in cls.__doc__
        assert method.title in cls.__doc__
        quick = QUICK.get(method.name, {})
        fit = np.abs(np.round(X)) if method.needs_counts else X
        one = cls(n_features=3, **quick).fit(fit, y)
        other = Selector(method.name, n_features=3, **quick).fit(fit, y)
        np.testing.assert_array_equal(one.scores_, other.scores_)
        np.testing.assert_array_equal(one.ranking_, other.ranking_)
    assert pith.CLDES().method == "cl-des" and pith.CLDES().lambda_ == 1e-4
    assert pith.NRFS and pith.MutualInfo and pith.KmeansEnergy and pith.SPEC


def test_selector_has_every_keyword(X):
    keywords = set(inspect.signature(Selector).parameters)
    for method in pith.methods():
        assert {p.keyword for p in method.parameters} <= keywords
    assert Selector("cl-des", lambda_=0.01, pairs=500).fit(X).result_.parameters["lambda"] == 0.01


@pytest.mark.parametrize("make, error, sentence", [
    (lambda: Selector("cldes"), ValueError, "unknown method 'cldes'; did you mean 'cl-des'?"),
    (lambda: Selector(3), TypeError, "method: a name is expected"),
    (lambda: Selector("variance", lambda_=1), ValueError, "variance has no parameter 'lambda'"),
    (lambda: Selector("laplacian", neighbors=0), ValueError, "neighbors: a whole number in 1.."),
    (lambda: Selector("laplacian", neighbors=2.5), ValueError, "not '2.5'"),
    (lambda: Selector("laplacian", neighbors=[2]), TypeError, "neighbors: a number or a text is expected, not list"),
    (lambda: Selector("laplacian", neighbors=True), ValueError, "a whole number in .* expected, not 'yes'"),
    (lambda: Selector("laplacian", metric="cosin"), ValueError, "did you mean 'cosine'?"),
    (lambda: Selector("laplacian", metric="a\0b"), ValueError, "NUL"),
    (lambda: Selector("laplacian", metric="\udc80"), ValueError, "surrogates"),
    (lambda: pith.CLDES(lambda_=-1), ValueError, "lambda: a number in 0..1000 expected, not '-1'"),
    (lambda: pith.CLDES(lambda_=float("nan")), ValueError, "lambda: a number"),
    (lambda: Selector("spec", threads=0), ValueError, "threads"),
    (lambda: Selector("spec", threads=1.5), TypeError, "threads"),
    (lambda: Selector("spec", random_state=-1), ValueError, "random_state"),
    (lambda: Selector("spec", random_state="x"), TypeError, "random_state"),
    (lambda: pith.NDFS(init_labels=[0] * 60), ValueError, "needs at least 2 different labels"),
    (lambda: pith.NDFS(init_labels=[0, 1]), ValueError, "2 initial labels, one per sample, for 60"),
])
def test_mistakes_are_told_in_the_librarys_words(X, make, error, sentence):
    with pytest.raises(error, match=sentence):
        make().fit(X)


def test_labels_to_start_from_may_be_an_array_or_a_file(X, y, tmp_path):
    path = tmp_path / "labels.txt"
    path.write_text("".join(f"class {k}\n" for k in y))
    by_file = pith.NDFS(init_labels=path).fit(X)
    by_array = pith.NDFS(init_labels=[f"class {k}" for k in y]).fit(X)
    np.testing.assert_array_equal(by_file.scores_, by_array.scores_)
    assert by_file.result_.parameters["init_labels"] == str(path)
    assert (by_file.scores_ != pith.NDFS().fit(X).scores_).any()


def test_a_tree_is_chosen_and_told(X):
    assert pith.HUFS().tree == "auto"
    for tree, became in ((None, "cluster"), ("auto", "cluster"), ("auto:3x4", "grid:3x4")):
        sel = pith.HUFS(tree=tree, max_iter=10).fit(X)
        assert sel.result_.parameters["tree"] == became
        np.testing.assert_array_equal(sel.scores_, pith.HUFS(tree=became, max_iter=10).fit(X).scores_)


def test_a_tree_may_be_a_file_a_builder_or_an_object(X, tmp_path):
    tree = pith.tree(X, "cluster", linkage="ward", leaf=2)
    tree.write(tmp_path / "X.tree")
    sel = pith.HUFS(tree=tree, n_features=4, max_iter=10)
    again = pickle.loads(pickle.dumps(clone(sel))).fit(X)
    for other in (tmp_path / "X.tree", str(tmp_path / "X.tree"), "cluster:linkage=ward:leaf=2"):
        np.testing.assert_array_equal(pith.HUFS(tree=other, max_iter=10).fit(X).scores_, again.scores_)
    assert (pith.HUFS(tree="root", max_iter=10).fit(X).scores_ != again.scores_).any()
    frame = pith.compare(X, methods="hufs", n_features=3, restarts=1, clusters=3, tree=tree, max_iter=5)
    assert frame.errors == {} and "hufs" in set(frame["method"])
    for wrong, error in (("gird", (ValueError, OSError)), (3, (ValueError, OSError)),
                         (pith.tree(X[:, :5]), ValueError)):
        with pytest.raises(error):
            pith.HUFS(tree=wrong).fit(X)


def test_labels_reach_only_the_supervised_method(X, y):
    plain, told = Selector("spec").fit(X), Selector("spec").fit(X, y)
    np.testing.assert_array_equal(plain.scores_, told.scores_)
    assert sorted(pith.MutualInfo(n_features=4).fit(X, y).get_support(indices=True)) == [0, 1, 2, 3]
    np.testing.assert_array_equal(pith.MutualInfo().fit(X, y).scores_,
                                  pith.MutualInfo().fit(X, [f"c{k}" for k in y]).scores_)
    with pytest.raises(ValueError, match="requires y to be passed"):
        pith.MutualInfo().fit(X)
    with pytest.raises(ValueError, match="continuous"):
        pith.MutualInfo().fit(X, X[:, 0])


def test_randomness_flows_from_random_state(X):
    def scores(state):
        return pith.CLDES(pairs=500, random_state=state).fit(X).scores_
    np.testing.assert_array_equal(scores(7), scores(7))
    assert (scores(7) != scores(8)).any()
    np.testing.assert_array_equal(scores(np.random.RandomState(3)), scores(np.random.RandomState(3)))
    np.testing.assert_array_equal(scores(np.random.default_rng(3)), scores(np.random.default_rng(3)))
    np.random.seed(5)
    first = scores(None)
    assert (first != scores(None)).any()
    np.random.seed(5)
    np.testing.assert_array_equal(first, scores(None))
    assert pith.CLDES(pairs=500, random_state=2**64 - 1).fit(X).result_.seed == 2**64 - 1


def test_threads_change_no_bit(X):
    for method in ("laplacian", "cl-des", "ndfs"):
        one, two = (Selector(method, threads=t, **QUICK.get(method, {})).fit(X).scores_ for t in (1, 2))
        assert one.tobytes() == two.tobytes()


@pytest.mark.filterwarnings("ignore:more than half")
@pytest.mark.parametrize("method", METHODS)
def test_clone_and_pickle(X, y, method):
    X = np.abs(np.round(X)) if method in COUNTS else X
    sel = pith._estimators.class_of(method)(n_features=3, random_state=4, **QUICK.get(method, {}))
    twin = clone(sel)
    assert twin is not sel and repr(twin.get_params()) == repr(sel.get_params())
    sel.fit(X, y)
    again = pickle.loads(pickle.dumps(sel))
    np.testing.assert_array_equal(again.transform(X), sel.transform(X))
    np.testing.assert_array_equal(again.result_.scores, sel.result_.scores)
    assert again.result_.parameters == sel.result_.parameters


def test_a_pipeline_and_a_grid(X, y):
    pipe = make_pipeline(StandardScaler(), Selector("spec", n_features=4), KMeans(3, n_init=3, random_state=0))
    assert pith.accuracy(y, pipe.fit_predict(X)) == 1
    pipe = make_pipeline(Selector(n_features=2), LogisticRegression())
    search = GridSearchCV(pipe, {"selector__method": ["variance", "spec", "laplacian"],
                                 "selector__n_features": [1, 4, 0.5]}, cv=3).fit(X, y)
    assert search.best_params_["selector__n_features"] in (4, 0.5) and search.best_score_ > 0.9
    two = GridSearchCV(make_pipeline(pith.Laplacian(), LogisticRegression()), {"laplacian__neighbors": [2, 5]}, cv=2,
                       n_jobs=2).fit(X, y)
    assert two.best_score_ > 0.9


def test_verbose_draws_a_bar(X, capsys):
    Selector("spec", verbose=1).fit(X)
    said = capsys.readouterr().err
    assert said.startswith("\rspec: ") and "100%|████████████████████|" in said
    assert said.rstrip(" \n").endswith("done") and said.endswith("\n")
    Selector("spec").fit(X)
    assert capsys.readouterr().err == ""


def test_a_doubtful_result_warns():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Selector("spec").fit(blobs()[0])
    with pytest.warns(UserWarning, match="more than half of the values are nonzero") as seen:
        result = Selector("ht-des").fit(blobs()[0]).result_
    assert [str(w.message) for w in seen] == [result.warning]


def test_not_fitted_is_said(X):
    from sklearn.exceptions import NotFittedError
    for sel in (Selector(), pith.CLDES()):
        with pytest.raises(NotFittedError):
            sel.transform(X)
