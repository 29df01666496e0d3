"""rank, methods, read, prep, kmeans, accuracy, nmi."""
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn import metrics

import pith
from conftest import blobs, command, counts


def test_rank_takes_names_and_labels(X, y):
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    assert pith.rank(frame, "spec").feature_names == frame.columns.tolist()
    assert pith.rank(X, "spec", feature_names=range(12)).feature_names == [str(j) for j in range(12)]
    assert sorted(pith.rank(X, "mutual-info", y=y).ranking[:4]) == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="mutual-info is supervised and needs labels; give them as y"):
        pith.rank(X, "mutual-info")
    with pytest.raises(ValueError, match="one label per sample"):
        pith.rank(X, "mutual-info", y=y[:-1])
    with pytest.raises(ValueError, match="11 feature names given where 12 are needed"):
        pith.rank(X, "spec", feature_names=range(11))
    result = pickle.loads(pickle.dumps(pith.rank(X, "spec")))
    np.testing.assert_array_equal(result.scores, pith.rank(X, "spec").scores)


def test_a_constant_feature_comes_last_without_a_score(X):
    X[:, 2] = 3
    result = pith.rank(X, "variance")
    assert result.ranking[-1] == 2 and np.isnan(result.scores[2])
    assert np.isnan(result.to_frame()["score"].iloc[-1])
    assert result.reasons == [None, None, "constant"] + [None] * (X.shape[1] - 3)
    sel = pith.Selector("variance", n_features=2).fit(X)
    assert sel.reasons_ == result.reasons


def test_methods_tell_about_themselves():
    names = [m.name for m in pith.methods()]
    assert "cl-des" in names and len(names) == len(set(names)) >= 19
    m = pith.methods("cl-des")
    assert m.name == "cl-des" and m.auto_features and not m.needs_labels and m.title in repr(m)
    lam = next(p for p in m.parameters if p.name == "lambda")
    assert (lam.keyword, lam.type, lam.default, lam.low, lam.high) == ("lambda_", "real", 1e-4, 0, 1000)
    assert next(p for p in m.parameters if p.name == "metric").choices == ("auto", "euclidean", "cosine")
    for wrong, error in (("cl-dez", ValueError), ("auto", ValueError), (3, TypeError)):
        with pytest.raises(error):
            pith.methods(wrong)


def test_read_says_what_is_wrong(tmp_path):
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(ValueError, match=r"bad.csv:3: "):
        pith.read(tmp_path / "bad.csv")
    for error in (OSError, ValueError, pith.FileError):
        with pytest.raises(error, match="No such file"):
            pith.read(tmp_path / "none.csv")
    with pytest.raises(pith.FileError, match="is not a known format"):
        pith.read(tmp_path / "none.xyz")
    for wrong, error in ((3, TypeError), (None, TypeError), ("a\0b.csv", ValueError)):
        with pytest.raises(error):
            pith.read(wrong)
    with pytest.raises(ValueError, match="missing: 'some' is not one of"):
        pith.read(tmp_path / "bad.csv", missing="some")


@pytest.mark.parametrize("text, sentence", [
    ("a,b\n1,2\n3,\n", "x.csv:3: column 'b' is empty; fill it in, or choose missing='drop-rows', 'mean' or 'zero'"),
    ("a,b\n1,u\n2,v\n3,u\n", "leave it out, or name it with labels= if it holds the classes"),
    ("1,u\n2,v\n3,u\n", "or name it with labels='f1' if it holds the classes"),
    ("value\n1,5\n2,5\n", "Use decimal=',' for the first or sep=',' for the second"),
])
def test_read_names_its_arguments_and_not_the_options_of_the_command(tmp_path, text, sentence):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(ValueError, match=re.escape(sentence)):
        pith.read(tmp_path / "x.csv")
    with pytest.raises(ValueError, match=re.escape(sentence) + r".* \(arguments of pith.read\)$"):
        pith.prep(tmp_path / "x.csv", "zscore")
    with pytest.raises(pith.FileError, match=r"documents are read by pith.prep\(path, 'text'\)$"):
        pith.read(tmp_path)


def test_read_leaves_labels_and_fills_missing_values(tmp_path):
    (tmp_path / "a.csv").write_text("name,a,b,label\ns1,1,,x\ns2,3,4,y\ns3,5,8,x\n")
    got = pith.read(tmp_path / "a.csv", missing="mean")
    assert got.X.tolist() == [[1, 6], [3, 4], [5, 8]] and got.y.tolist() == ["x", "y", "x"]
    assert got.feature_names.tolist() == ["a", "b"] and got.sample_names.tolist() == ["s1", "s2", "s3"]
    assert np.isnan(pith.read(tmp_path / "a.csv", missing="keep").X[0, 1])
    assert pith.read(tmp_path / "a.csv", missing="zero").X[0, 1] == 0
    dropped = pith.read(tmp_path / "a.csv", missing="drop-rows")
    assert dropped.X.shape == (2, 2) and dropped.sample_names.tolist() == ["s2", "s3"]
    assert pith.read(tmp_path / "a.csv", missing="zero", no_labels=True).y is None
    with pytest.raises(ValueError, match="a.csv:2"):
        pith.read(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text("a,label\n1,0.5\n2,1.5\n")
    assert pith.read(tmp_path / "b.csv").y.tolist() == [0.5, 1.5]


def test_prep_keeps_names_and_labels(X, y):
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(12)])
    made = pith.prep(frame, "drop-noisy:remove=0.5", y=[f"k{k}" for k in y], sample_names=[f"s{i}" for i in range(60)])
    rows = [int(s[1:]) for s in made.sample_names]
    assert len(rows) == 30
    np.testing.assert_array_equal(made.X, X[rows])
    assert made.y.tolist() == [f"k{y[i]}" for i in rows] and made.feature_names.tolist() == frame.columns.tolist()
    sparse = pith.prep(counts()[0], "drop-noisy")
    assert sp.issparse(sparse.X) and sparse.X.shape[1] == 30
    with pytest.raises(ValueError, match="unknown step 'drop-nois'; did you mean 'drop-noisy'?"):
        pith.prep(X, "drop-nois")
    with pytest.raises(ValueError, match="remove"):
        pith.prep(X, [("drop-noisy", {"remove": 3})])


@pytest.mark.filterwarnings("ignore:log10")
def test_prepared_data_tells_its_columns_and_steps():
    X = counts()[0].toarray()
    X[:, 3] = 7
    made = pith.prep(X, "drop-constant,log1p")
    assert made.columns.tolist() == [j for j in range(30) if j != 3] and made.steps.startswith("drop-constant")
    np.testing.assert_allclose(made.X, np.log1p(X[:, made.columns]))
    assert pith.prep(made.X, made.steps).steps == made.steps
    for recipe in (s for s in pith.steps() if s.stands_for):
        assert recipe.title and pith.prep(abs(X) + 1, recipe.name).X.shape[0] == 60
    assert {"log1p", "zscore", "drop-noisy"} <= {s.name for s in pith.steps()}
    assert next(p for s in pith.steps() if s.name == "drop-noisy" for p in s.parameters if p.name == "remove").default == 0.1
    for wrong in ([3], [("log1p",)], [("log1p", 3)]):
        with pytest.raises(TypeError, match="steps: a text or a pair"):
            pith.prep(X, wrong)


def test_what_becomes_dense_is_warned_of():
    with pytest.warns(UserWarning, match="zscore makes sparse data dense"):
        assert isinstance(pith.prep(counts()[0], "zscore").X, np.ndarray)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="makes sparse data dense"):
            pith.prep(counts()[0], "zscore,log1p")


NEWS = ["The striker scored a goal.", "A goal for the home team!", "Shares fell; the market fell.", "The market rose again."]


def test_documents_become_counts(tmp_path):
    made = pith.prep(NEWS, "text", y=["sport", "sport", "money", "money"], sample_names="abcd")
    assert sorted(made.feature_names) == ["goal", "market"]
    goal = made.feature_names.tolist().index("goal")
    assert made.X[:, [goal]].toarray().ravel().tolist() == [1, 1, 0, 0] and made.y.tolist()[2:] == ["money", "money"]
    assert made.sample_names.tolist() == list("abcd") and made.steps.startswith("text")
    both = pith.prep(np.array(NEWS), [("text", {"min_df": 1}), "tfidf"])
    assert both.X.shape[0] == 4 and "tfidf" in both.steps and both.y is None
    column = pith.prep(pd.DataFrame({"words": NEWS}, index=list("dcba"))["words"], "text:min-df=1,tfidf")
    assert (column.X != both.X).nnz == 0
    (tmp_path / "news.txt").write_text("\n".join(NEWS) + "\n")
    read = pith.prep(tmp_path / "news.txt", "text:min-df=1,tfidf")
    assert (read.X != both.X).nnz == 0 and read.feature_names.tolist() == both.feature_names.tolist()
    for wrong, error, sentence in (((NEWS, "tfidf"), ValueError, "begin with 'text'"), ((NEWS, "text:stem=klingon"), ValueError, "stem"),
                                   ((NEWS[:1] + [3], "text"), TypeError, "text expected, not int"),
                                   ((tmp_path / "none.txt", "text"), OSError, "No such file")):
        with pytest.raises(error, match=sentence):
            pith.prep(*wrong)
    with pytest.raises(ValueError, match="y: one per document"):
        pith.prep(NEWS, "text", y=[1])
    with pytest.raises(ValueError, match="a file has its own labels"):
        pith.prep(tmp_path / "news.txt", "text", y=[1])


def test_trees(tmp_path):
    X = blobs(40, 64)[0]
    grid = pith.tree(X, "grid", size=(8, 8), leaf=16)
    assert (grid.features, grid.depth, len(grid.nodes)) == (64, 2, 5)
    assert grid.parents.tolist() == [-1, 0, 0, 0, 0] and grid.labels[1] == "rows 0-3 cols 0-3"
    assert grid.nodes[0].tolist() == list(range(64))
    assert grid.nodes[1].tolist() == [8 * i + j for i in range(4) for j in range(4)]
    assert any("hardly more similar" in r for r in grid.remarks)
    grid.write(tmp_path / "grid.tree")
    again = pith.read_tree(tmp_path / "grid.tree")
    assert again.text == grid.text and [n.tolist() for n in again.nodes] == [n.tolist() for n in grid.nodes]
    np.save(tmp_path / "X.npy", X)
    command("tree", "cluster", "X.npy", "--linkage", "ward", "-q", "-o", "ward.tree", cwd=tmp_path)
    assert pith.tree(X, linkage="ward").text == (tmp_path / "ward.tree").read_text()
    assert pickle.loads(pickle.dumps(grid)).text == grid.text
    for more, sentence in ((dict(builder="gird"), "not one of root, grid"), (dict(builder="grid", size=(7, 8)), "7 x 8"),
                           (dict(leaf=0), "leaf: a whole number"), (dict(size=3), "no setting 'size'")):
        with pytest.raises(ValueError, match=sentence):
            pith.tree(X, **more)
    (tmp_path / "bad.tree").write_text("pith-tree 1\nfeatures 3\nnode 1 0 5\n")
    with pytest.raises(ValueError, match="bad.tree:3"):
        pith.read_tree(tmp_path / "bad.tree")


def test_kmeans(X, y):
    found = pith.kmeans(X, 3)
    assert pith.accuracy(y, found.labels) == 1 and found.labels.dtype == np.int32 and found.iterations >= 1
    centres = np.stack([X[found.labels == k].mean(axis=0) for k in range(3)])
    assert found.inertia == pytest.approx(((X - centres[found.labels]) ** 2).sum(), rel=1e-12)
    assert pith.kmeans(counts()[0], 3, metric="cosine", start="random", restarts=3).labels.shape == (60,)
    assert (pith.kmeans(X, 3, random_state=1).labels == pith.kmeans(X, 3, random_state=1, threads=1).labels).all()
    for more, sentence in ((dict(clusters=0), "at least 1"), (dict(clusters=61), "cannot be made of 60 samples"),
                           (dict(clusters=2, metric="l1"), "metric: 'l1' is not one of"),
                           (dict(clusters=2, start="x"), "start"), (dict(clusters=2, restarts=-1), "restarts")):
        with pytest.raises(ValueError, match=sentence):
            pith.kmeans(X, **more)


def test_measures_are_those_of_scikit_learn():
    random = np.random.default_rng(0)
    for _ in range(20):
        n = random.integers(2, 60)
        y, z = random.integers(0, 4, n), random.integers(0, random.integers(1, 6), n)
        for ours, theirs in (("max", "max"), ("arithmetic", "arithmetic"), ("geometric", "geometric")):
            want = metrics.normalized_mutual_info_score(y, z, average_method=theirs)
            assert pith.nmi(y, z, average=ours) == pytest.approx(want, abs=1e-12)
        all_of_them = pith.agreement(y, z)
        assert all_of_them["ari"] == pytest.approx(metrics.adjusted_rand_score(y, z), abs=1e-12)
        assert all_of_them["acc"] == pith.accuracy(y, z) <= all_of_them["purity"]
    assert pith.accuracy(["a", "a", "b"], [7, 7, -3]) == 1
    assert pith.accuracy(pd.Series(["a", "b"]), np.array([None, 1], dtype=object)) == 1
    for wrong in (([], []), ([1], [1, 2]), ([[1]], [[1]]), (3, 4)):
        with pytest.raises(ValueError):
            pith.accuracy(*wrong)
    with pytest.raises(ValueError, match="average"):
        pith.nmi([1, 2], [1, 2], average="min")


@pytest.mark.parametrize("use", [pith.rank, lambda X: pith.Variance().fit(X), lambda X: pith.prep(X, "zscore"),
                                 lambda X: pith.kmeans(X, 2), pith.compare, pith.tree])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_a_missing_value_is_refused_with_what_can_be_done(use, form):
    X = blobs()[0]
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match="^row 4, column 5 .counted from 1. is NaN or infinite; leave the feature or sample out, or impute"):
        use(form(X))


def test_text_is_refused_with_its_columns_and_with_what_counts_words():
    frame = pd.DataFrame({"a": [1.0, 2, 3], "site": ["x", "y", "z"], "b": [1, 2, 3], "kind": pd.Categorical(list("uvu")), "c": list("123")})
    for use in (pith.rank, pith.Variance().fit):
        with pytest.raises(ValueError, match="to float: 'x'; leave out or encode the columns that are not numbers: 'site', 'kind'$"):
            use(frame)
        with pytest.raises(ValueError, match="to float: 'x'$"):
            use(frame.to_numpy())
        for documents in (NEWS, np.array(NEWS), pd.Series(NEWS)):
            with pytest.raises(ValueError, match=r"; pith.prep\(X, 'text'\) counts the words of documents"):
                use(documents)


def test_what_was_read_is_shown_in_one_line(tmp_path):
    (tmp_path / "a.csv").write_text("name,a,b,label\n" + "".join(f"s{i},{i},{-i},x{i % 2}\n" for i in range(400)))
    data = pith.read(tmp_path / "a.csv")
    assert repr(data) == "<pith.Data: 400 samples x 2 features, dense; y, feature_names, sample_names>"
    assert repr(pith.prep(sp.eye(9, format="csr"), "l2")) == "<pith.Data: 9 samples x 9 features, sparse; columns, steps>"


@pytest.mark.parametrize("function, how, sentence", [
    (pith.rank, dict(n_features=2), "rank has no argument 'n_features': every feature is ranked, so take the first of the result's ranking"),
    (pith.rank, dict(n_jobs=2), "rank has no argument 'n_jobs': use threads"),
    (pith.rank, dict(thread=2), "rank has no argument 'thread'; did you mean 'threads'?"),
    (pith.rank, dict(neighbours=2), "spec has no parameter 'neighbours'; did you mean 'neighbors'?"),
    (pith.rank, dict(lambda_=2), "spec has no parameter 'lambda'"),
    (pith.compare, dict(n_feature=[2]), "compare has no argument 'n_feature'; did you mean 'n_features'?"),
    (pith.compare, dict(batch=[2]), "compare has no argument 'batch': batches cannot be compared; rank, Selector and select_genes take them"),
    (pith.compare, dict(labels=[2]), "compare has no argument 'labels': use y"),
], ids=str)
def test_a_mistyped_keyword_is_told_which_one_is_near(function, how, sentence):
    X = np.random.default_rng(0).normal(size=(30, 4))
    with pytest.raises(ValueError, match=re.escape(sentence)):
        function(X, **({"method": "spec"} if function is pith.rank else {"methods": "spec"}), **how)


def test_a_poor_agreement_is_warned_of_with_the_argument_that_helps():
    X, poor = np.random.default_rng(0).normal(size=(200, 300)), dict(top=1, evidence="none")
    with pytest.warns(UserWarning, match=r"agreement is below 0.15: .*; see whether another number does \(n_top='auto' says how many\)"):
        pith.rank(X, "consensus", **poor)
    with pytest.warns(UserWarning, match=r"agreement is below 0.15: .*; see whether another number does \(n_features='auto'\)"):
        pith.Consensus(n_features=5, **poor).fit(X)
    X = np.random.default_rng(0).poisson(0.2, (200, 300)).astype(float)
    X[3, 7] = -1  # why counts are not treated as counts is told first
    with pytest.warns(UserWarning, match="^column 8 .* has negative values, but hardly any other does"):
        assert pith.rank(X, "consensus", **poor).facts["agreement"] < 0.15


def test_auto_takes_logarithms_of_what_spans_orders_of_magnitude():
    rng = np.random.default_rng(5)
    reads = np.exp(5 + 1.5 * rng.normal(size=120) + 0.3 * rng.normal(size=(60, 1)) + 0.5 * rng.normal(size=(60, 120)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chosen = pith.rank(reads, evidence="none")
        assert np.array_equal(chosen.scores, pith.rank(pith.prep(reads, "auto").X, "consensus", scaling="pareto", evidence="none").scores)
    assert chosen.note.startswith("ranking after size-factors,log1p, since the values span orders of magnitude")
    with pytest.warns(UserWarning, match="spec sees them as they are: prep='auto' takes their logarithms"):
        pith.rank(reads, "spec")
    with pytest.warns(UserWarning, match=r"spec sees them as they are: pith.prep\(X, 'auto'\).X has their logarithms"):
        pith.SPEC().fit(reads)
    with pytest.warns(UserWarning, match=r"^the values .* do: compare their logarithms, which pith.prep\(X, 'auto'\).X has$"):
        pith.compare(reads, methods="variance", n_features=[20], restarts=2)


def test_features_in_other_units_are_warned_of_with_what_helps_where_it_was_called():
    X = np.random.default_rng(2).normal(size=(40, 6)) * [1, 1, 1e4, 1, 1, 1]
    frame = pd.DataFrame(X, columns=list("abcdef"))
    for call, words in ((lambda: pith.compare(frame, methods="variance", n_features=[2], restarts=2), "^100 % of the variance is that of the feature c, so clusters"),
                        (lambda: pith.rank(frame, "laplacian"), "^100 % of the variance is that of one feature, so laplacian"),
                        (lambda: pith.Laplacian().fit(frame), "^100 % of the variance is that of one feature, so laplacian")):
        with pytest.warns(UserWarning, match=words + r".*: where features have different units, prepare them first, as pith.prep\(X, 'zscore'\).X$") as seen:
            call()
        assert [w.filename for w in seen] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pith.compare(pith.prep(frame, "zscore").X, methods="variance", n_features=[2], restarts=2)
        with pytest.raises(UserWarning, match="so clusters show hardly any other"):
            pith.compare(frame, methods="variance", n_features=[2], restarts=2)


def test_prep_auto_takes_logarithms_of_raw_counts_for_methods_that_want_them():
    def same(a, b):
        return np.array_equal(a.scores, b.scores, equal_nan=True)

    rng = np.random.default_rng(3)
    counts = rng.poisson(rng.uniform(0.5, 1.5, (80, 1)) * rng.exponential(0.15, 60)).astype(float)
    logged = pith.prep(counts, "counts-per-10k,log1p").X
    with pytest.warns(UserWarning, match="these are raw counts: prep='auto' takes their logarithms"):
        plain = pith.rank(counts, "laplacian")
    with pytest.warns(UserWarning, match=r"these are raw counts: pith.prep\(X, 'counts'\).X has their logarithms"):
        pith.Laplacian().fit(counts)  # it has no prep=
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prepared = pith.rank(counts, "laplacian", prep="auto")
        assert same(prepared, pith.rank(logged, "laplacian"))
        assert same(pith.rank(logged, "laplacian", prep="auto"), prepared)
        assert same(pith.rank(counts, "seurat-v3", prep="auto"), pith.rank(counts, "seurat-v3"))
    assert not same(plain, prepared)
    with pytest.raises(ValueError, match="prep: None or 'auto' is expected, not 'log1p'; pith.prep takes other steps"):
        pith.rank(counts, "laplacian", prep="log1p")
