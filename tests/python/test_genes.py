"""select_genes: genes of AnnData objects, as scanpy's highly_variable_genes would mark them."""
import inspect
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.neighbors import kneighbors_graph

import pith
from conftest import counts, need
from pith import _anndata, _genes

anndata = need("anndata")

pytestmark = pytest.mark.filterwarnings("ignore:.*uses values as they are, and these are raw counts")
N, P = 60, 30


@pytest.fixture
def adata():
    """Counts, two genes of which are constant; the halves of them as a layer, and a graph."""
    X, y = counts(N, P)
    X = X.tolil()
    X[:, [4, 9]] = 0
    X = X.tocsr()
    made = anndata.AnnData(X.astype(np.float32),
                           obs=pd.DataFrame({"kind": [f"k{k}" for k in y], "run": ["a", "b"] * (N // 2)},
                                            index=[f"cell{i}" for i in range(N)]),
                           var=pd.DataFrame({"mito": False}, index=[f"gene{j}" for j in range(P)]),
                           layers={"half": X / 2}, dtype=np.float32)
    made.obsm["X_pca"] = np.random.default_rng(3).normal(size=(N, 5)) + 3 * y[:, None]
    made.obsp["connectivities"] = kneighbors_graph(made.obsm["X_pca"], 6)
    made.obsp["distances"] = kneighbors_graph(made.obsm["X_pca"], 6, mode="distance")
    return made


def marked(adata):
    return adata.var["highly_variable"].to_numpy().nonzero()[0].tolist()


def test_genes_are_written_where_scanpy_looks(adata, tmp_path):
    assert pith.select_genes(adata, "laplacian", n_top_genes=5) is None
    want = pith.rank(adata.X, "laplacian")
    assert adata.var["highly_variable"].dtype == bool and marked(adata) == sorted(want.ranking[:5])
    ranks = adata.var["highly_variable_rank"]
    assert ranks.isna().sum() == P - 5 and ranks.iloc[want.ranking[:5]].tolist() == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(adata.var["pith_score"], want.scores)
    assert adata.uns["hvg"] == {"flavor": "pith laplacian"}
    assert adata.var.columns.tolist() == ["mito", "highly_variable", "highly_variable_rank", "pith_score"]
    adata.write_h5ad(tmp_path / "a.h5ad")
    again = anndata.read_h5ad(tmp_path / "a.h5ad")
    assert again.uns["pith"]["parameters"]["neighbors"] == 5 and marked(again) == marked(adata)


def test_genes_of_a_layer_as_a_subset_or_a_frame(adata):
    before = adata.var.columns.tolist(), list(adata.uns)
    frame = pith.select_genes(adata, "variance", layer="half", n_top_genes=0.5, inplace=False)
    assert frame["highly_variable"].sum() == 15 and frame.index.equals(adata.var_names)
    assert (adata.var.columns.tolist(), list(adata.uns)) == before
    np.testing.assert_array_equal(frame["pith_score"], pith.rank(adata.layers["half"], "variance").scores)
    assert len(pith.select_genes(adata, "variance", n_top_genes=3, inplace=False, subset=True)) == 3
    pith.select_genes(adata, "mutual-info", labels="kind", n_top_genes=7, subset=True)
    assert adata.shape == (N, 7) and adata.var["highly_variable"].all() and adata.layers["half"].shape == (N, 7)


def test_two_thousand_genes_unless_told_and_never_one_without_a_score(adata, capsys):
    assert inspect.signature(pith.select_genes).parameters["n_top_genes"].default == 2000
    pith.select_genes(adata, "laplacian")
    assert marked(adata) == [j for j in range(P) if j not in (4, 9)] and adata.var["pith_score"].isna().sum() == 2
    assert adata.var["highly_variable_rank"].max() == 27 and capsys.readouterr().err == ""
    pith.select_genes(adata, "laplacian", verbose=1)
    assert "n_top_genes=2000, but 28 of 30 genes have a score: 28 are selected" in capsys.readouterr().err
    pith.select_genes(adata, "cl-des", n_top_genes="auto", pairs=2000)
    assert len(marked(adata)) == max(1, pith.rank(adata.X, "cl-des", pairs=2000).keep)
    pith.select_genes(adata, "variance", n_top_genes=1.0)
    assert len(marked(adata)) == 28


def test_columns_of_an_earlier_call_go(adata, monkeypatch):
    adata.var["highly_variable_nbatches"] = 2
    adata.var["highly_variable_intersection"] = True
    adata.var["pith_score"] = "old"
    pith.select_genes(adata, "variance", n_top_genes=4)
    assert adata.var.columns.tolist() == ["mito", "pith_score", "highly_variable", "highly_variable_rank"]
    assert adata.var["pith_score"].dtype == float and len(marked(adata)) == 4
    pith.select_genes(adata, "variance", n_top_genes=2)
    assert len(marked(adata)) == 2 and "batch_key" not in adata.uns["pith"]


def test_flavor_is_another_word_for_method(adata):
    frames = [pith.select_genes(adata, n_top_genes=5, inplace=False, **how)
              for how in (dict(method="seurat-v3"), dict(flavor="seurat_v3"), dict(flavor="seurat-v3"), dict(method="seurat_v3"),
                         dict(flavor="seurat_v3_paper"))]
    for frame in frames[1:]:
        pd.testing.assert_frame_equal(frames[0], frame)
    pith.select_genes(adata, flavor="seurat", n_top_genes=5)
    assert adata.uns["pith"]["method"] == "dispersion"
    np.testing.assert_array_equal(adata.var["pith_score"], pith.rank(adata.X, "dispersion").scores)
    with pytest.raises(ValueError, match="method='energy' and flavor='seurat' mean the same"):
        pith.select_genes(adata, "energy", flavor="seurat")
    with pytest.raises(ValueError, match="unknown method 'seurat_v4'"):
        pith.select_genes(adata, flavor="seurat_v4")


def test_what_auto_chose_and_why_is_kept_and_told(adata, capsys, tmp_path):
    pith.select_genes(adata, n_top_genes=6, layer="half", random_state=5, verbose=1)
    kept = adata.uns["pith"]
    assert kept["method"] == "energy" and "counts of words or transcripts" in kept["reason"]
    assert (kept["seed"], kept["version"], kept["n_top_genes"], kept["layer"]) == (5, pith.__version__, 6, "half")
    assert not {"batch_key", "use_rep", "graph"} & set(kept) and None not in kept["parameters"].values()
    assert f"using the method energy: {kept['reason']}" in capsys.readouterr().err
    adata.write_h5ad(tmp_path / "a.h5ad")
    assert anndata.read_h5ad(tmp_path / "a.h5ad").uns["pith"]["reason"] == kept["reason"]
    pith.select_genes(adata, "laplacian", n_top_genes=6)
    assert "reason" not in adata.uns["pith"]


def test_graphs_and_rows_of_the_object(adata, tmp_path):
    own = pith.rank(adata.X, "laplacian").scores
    pith.select_genes(adata, "laplacian", use_rep="X_pca", n_top_genes=5, neighbors=6)
    rows = adata.var["pith_score"].to_numpy()
    np.testing.assert_array_equal(rows, pith.rank(adata.X, "laplacian", graph_rows=adata.obsm["X_pca"], neighbors=6).scores)
    assert adata.uns["pith"]["use_rep"] == "X_pca" and "graph_rows" not in adata.uns["pith"]["parameters"]
    pith.select_genes(adata, "laplacian", graph="connectivities", n_top_genes=5)
    near = adata.var["pith_score"].to_numpy()
    np.testing.assert_array_equal(near, pith.rank(adata.X, "laplacian", graph=adata.obsp["connectivities"]).scores)
    assert adata.uns["pith"]["graph"] == "connectivities"
    pith.select_genes(adata, "laplacian", graph=adata.obsp["connectivities"].tocoo(), n_top_genes=5)
    np.testing.assert_array_equal(adata.var["pith_score"], near)
    assert adata.uns["pith"]["graph"] == "(given)"
    for a, b in ((own, rows), (own, near), (rows, near)):
        assert not np.allclose(a, b, equal_nan=True)
    adata.write_h5ad(tmp_path / "a.h5ad")
    adata.obsm["frame"] = pd.DataFrame(adata.obsm["X_pca"], index=adata.obs_names, columns=list("abcde"))
    pith.select_genes(adata, "laplacian", use_rep="frame", n_top_genes=5, neighbors=6)
    np.testing.assert_array_equal(adata.var["pith_score"], rows)


def test_words_for_graphs_stay_words(adata):
    pith.select_genes(adata, "spec", graph="full", n_top_genes=5)
    np.testing.assert_array_equal(adata.var["pith_score"], pith.rank(adata.X, "spec", graph="full").scores)


@pytest.mark.parametrize("kind", ["dense", "f64", "int", "csr", "csc"])
@pytest.mark.parametrize("piece", [7, 1 << 22])
def test_backed_objects_are_read_piece_by_piece(adata, tmp_path, monkeypatch, kind, piece):
    if kind in ("dense", "f64", "int"):
        adata.X = adata.X.toarray().astype({"dense": np.float32, "f64": np.float64, "int": np.int32}[kind])
    elif kind == "csc":
        adata.X = adata.X.tocsc()
    adata.write_h5ad(tmp_path / "b.h5ad")
    backed = anndata.read_h5ad(tmp_path / "b.h5ad", backed="r")
    monkeypatch.setattr(_anndata, "PIECE", piece)
    X = _anndata.matrix_of(backed)
    assert sp.issparse(X) == (kind in ("csr", "csc")) and X.dtype == (np.float64 if kind in ("f64", "int") else np.float32)
    np.testing.assert_array_equal(X.toarray() if sp.issparse(X) else X, np.asarray(sp.csr_matrix(adata.X).todense()))
    for layer in (None, "half"):
        want = pith.select_genes(adata, "laplacian", layer=layer, n_top_genes=5, inplace=False)
        pith.select_genes(backed, "laplacian", layer=layer, n_top_genes=5)
        pd.testing.assert_frame_equal(backed.var[want.columns.tolist()], want)
    assert backed.isbacked


@pytest.mark.parametrize("kind", ["dense", "csr", "csc"])
def test_a_backed_object_costs_one_copy(tmp_path, monkeypatch, kind):
    n, p = 2000, 600
    random = np.random.default_rng(0)
    X = sp.random(n, p, 0.2, format="csr", dtype=np.float32, random_state=1)
    X.data[:] = random.integers(1, 9, X.nnz)
    X = X.toarray() if kind == "dense" else X.asformat(kind)
    anndata.AnnData(X, dtype=np.float32).write_h5ad(tmp_path / "b.h5ad")
    one = X.nbytes if kind == "dense" else X.nnz * 8 + n * 8
    backed = anndata.read_h5ad(tmp_path / "b.h5ad", backed="r")
    monkeypatch.setattr(_anndata, "PIECE", 20000)
    tracemalloc.start()
    try:
        _anndata.matrix_of(backed)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert one <= peak < 1.4 * one + 10 * 20000 * 8, (peak, one)


def test_backed_views_and_subsets(adata, tmp_path):
    adata.write_h5ad(tmp_path / "b.h5ad")
    backed = anndata.read_h5ad(tmp_path / "b.h5ad", backed="r")
    view = backed[::2, 3:]
    frame = pith.select_genes(view, "laplacian", n_top_genes=5, inplace=False)
    want = pith.select_genes(adata[::2, 3:].copy(), "laplacian", n_top_genes=5, inplace=False)
    pd.testing.assert_frame_equal(frame, want)
    with pytest.raises(ValueError, match="view of a backed object.*to_memory"):
        pith.select_genes(view, "laplacian", n_top_genes=5)
    with pytest.raises(ValueError, match="rewrite the file behind adata"):
        pith.select_genes(backed, "laplacian", n_top_genes=5, subset=True)


def test_a_view_becomes_actual_and_its_parent_stays_as_it_is(adata):
    for cells in (slice(0, 40), adata.obs["run"] == "a"):
        view = adata[cells]
        with pytest.warns(UserWarning, match="adata is a view: it is copied"):
            pith.select_genes(view, "laplacian", n_top_genes=5, graph="connectivities")
        assert not view.is_view and len(marked(view)) == 5 and "highly_variable" not in adata.var
        np.testing.assert_array_equal(
            view.var["pith_score"],
            pith.rank(adata.X[np.arange(N)[cells]], "laplacian", graph=view.obsp["connectivities"]).scores)
    view = adata[:30]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pith.select_genes(view, "energy", n_top_genes=5, inplace=False)
    assert view.is_view


def test_batches_are_merged_or_balanced(adata):
    donor = np.array(["a", "b"])[np.arange(adata.n_obs) % 2]
    adata.obs["donor"] = donor
    pith.select_genes(adata, "variance", batch_key="donor", n_top_genes=7)
    parts = [pith.rank(adata.X[donor == d], "variance").ranking[:7] for d in "ab"]
    counted = [sum(j in part for part in parts) for j in range(P)]
    assert adata.var["highly_variable_nbatches"].tolist() == counted
    assert adata.var["highly_variable_intersection"].tolist() == [c == 2 for c in counted]
    assert adata.var["highly_variable"].sum() == 7
    pith.select_genes(adata, "laplacian", batch_key="donor", batch_graph=True, n_top_genes=7)
    assert "highly_variable_nbatches" not in adata.var and adata.var["highly_variable"].sum() == 7


def test_batches_are_handed_on(adata, monkeypatch):
    """What rank() makes of them is its own matter."""
    seen = {}

    def fake(X, method, **options):
        seen.update(options)
        plain = pith.rank(X, method)
        batches = np.arange(P) % 3
        return type("Result", (), {**plain.__dict__, "batches": batches, "n_batches": 2})

    monkeypatch.setattr(_genes, "rank", fake)
    pith.select_genes(adata, "variance", batch_key="run", n_top_genes=7)
    assert seen["batch"].tolist() == adata.obs["run"].tolist() and seen["n_top"] == 7 and seen["batch_graph"] is False
    assert adata.var["highly_variable_nbatches"].tolist() == (np.arange(P) % 3).tolist()
    assert adata.var["highly_variable_intersection"].tolist() == (np.arange(P) % 3 == 2).tolist()
    assert adata.uns["pith"]["batch_key"] == "run"
    pith.select_genes(adata, "variance", batch_key="run", batch_graph=True)
    assert seen["n_top"] == P and seen["batch_graph"] is True
    monkeypatch.setattr(_genes, "rank", pith.rank)
    pith.select_genes(adata, "variance", n_top_genes=7)
    assert "highly_variable_nbatches" not in adata.var and "highly_variable_intersection" not in adata.var
    with pytest.raises(ValueError, match="batch_key is needed"):
        pith.select_genes(adata, "variance", batch_graph=True)


def put(adata, i, j, value):
    X = np.array(sp.csr_matrix(adata.X).todense())
    X[i, j] = value
    adata.X = X


BAD = [
    (dict(n_top_genes=0), ValueError, "n_top_genes: a positive whole number"),
    (dict(n_top_genes=True), TypeError, "n_top_genes: a number, a share or 'auto'"),
    (dict(n_top_genes=[5]), TypeError, "n_top_genes: .* not list"),
    (dict(layer="haf"), KeyError, "adata.layers has no 'haf'; did you mean 'half'?"),
    (dict(labels="kinds"), KeyError, "adata.obs has no 'kinds'; did you mean 'kind'?"),
    (dict(batch_key="rnu"), KeyError, "adata.obs has no 'rnu'"),
    (dict(use_rep="X_pac"), KeyError, "adata.obsm has no 'X_pac'; did you mean 'X_pca'?"),
    (dict(use_rep="umap"), KeyError, "adata.obsm has no 'umap'; it has 'X_pca'"),
    (dict(graph="conectivities"), KeyError, "adata.obsp has no 'conectivities'; did you mean 'connectivities'?"),
    (dict(graph="distances"), ValueError, "holds distances, but a graph needs similarities: give graph='connectivities'"),
    (dict(graph="connectivities", use_rep="X_pca"), ValueError, "use_rep and graph cannot be used together"),
    (dict(graph=sp.eye(N - 1)), ValueError, "has no edge"),
    (dict(graph=sp.csr_matrix(np.ones((N - 1, N - 1)))), ValueError, "a graph of 59 samples, but the data has 60"),
    (dict(graph=np.ones((N, 3))), ValueError, "square matrix, not 60 x 3"),
    (dict(graph=5), ValueError, "5"),
    (dict(method="variance", graph="connectivities"), ValueError, "variance cannot use a graph of the samples"),
    (dict(neighbours=3), ValueError, "no parameter 'neighbours'; did you mean 'neighbors'?"),
    (dict(n_top_gene=5), ValueError, "select_genes has no argument 'n_top_gene'; did you mean 'n_top_genes'?"),
    (dict(seed=5), ValueError, "select_genes has no argument 'seed': use random_state"),
    (dict(n_top=5), ValueError, "select_genes has no argument 'n_top': use n_top_genes"),
    (dict(batch=[0] * N), ValueError, "no argument 'batch': use batch_key, a column of adata.obs"),
    (dict(y=[0] * N), ValueError, "no argument 'y': use labels, a column of adata.obs"),
    (dict(min_mean=0.01), ValueError, "no argument 'min_mean': pith selects by rank"),
    (dict(batch_key=["run", "kind"]), TypeError, "adata.obs: the name of one entry is expected, not list"),
    (dict(use_rep=np.ones((N, 2))), TypeError, "adata.obsm: the name of one entry is expected, not ndarray"),
    (dict(batch_key="run", fdr=0.05), ValueError, "fdr and batch_key cannot be used together"),
    (dict(batch_key="run", use_rep="X_pca"), ValueError, "use_rep covers all cells .*: add batch_graph=True, or leave out batch_key"),
    (dict(batch_key="run", graph="connectivities"), ValueError, "graph covers all cells .*: use either graph or batch_key"),
    (dict(method="mutual-info"), ValueError, "needs labels: give labels=, a column of adata.obs"),
    (dict(method="cell_ranger"), ValueError, "pith has no 'cell_ranger'; the nearest is its 'dispersion', on raw counts"),
]


@pytest.mark.parametrize("how, kind, sentence", BAD, ids=lambda v: str(v)[:40] if isinstance(v, dict) else "")
def test_mistakes_are_told_in_the_words_of_this_function(adata, how, kind, sentence):
    columns = adata.var.columns.tolist()
    with pytest.raises(kind, match=sentence):
        pith.select_genes(adata, **{"method": "laplacian", **how})
    assert adata.var.columns.tolist() == columns and not adata.uns


def test_cells_and_genes_are_named(adata):
    adata.obs["donor"] = ["d", None] * (N // 2)
    with pytest.raises(ValueError, match="^cell 'cell1' has no batch, and every cell needs one; fill it in, or drop the cell"):
        pith.select_genes(adata, "laplacian", batch_key="donor")
    put(adata, 3, 17, np.nan)
    with pytest.raises(ValueError, match=r"^adata.X: cell 'cell3', gene 'gene17' is NaN or infinite; pith takes finite"):
        pith.select_genes(adata, "laplacian")
    put(adata, 3, 17, -2)
    with pytest.raises(ValueError, match=r"^seurat-v3 is for counts: gene 'gene17' has negative values; .*by layer= "
                                         r"\(adata.layers has 'half'\)$"):
        pith.select_genes(adata, flavor="seurat_v3")
    with pytest.warns(UserWarning, match="gene 'gene17' has negative values, but hardly any other does"):
        pith.select_genes(adata, "spec", n_top_genes=5)
    put(adata, 3, 17, 0)
    adata.X = np.log1p(adata.X / adata.X.sum(axis=1, keepdims=True) * 1e4)
    with pytest.warns(UserWarning, match=r"^seurat-v3 is for raw counts, but these are logarithms of counts; raw counts can be "
                                         r"taken from a layer by layer= \(adata.layers has 'half'\)$"):
        pith.select_genes(adata, "seurat-v3", n_top_genes=5)
    adata.obsm["X_pca"][7, 2] = np.inf
    with pytest.raises(ValueError, match=r"^adata.obsm\['X_pca'\]: cell 'cell7', column 3 is NaN"):
        pith.select_genes(adata, "laplacian", use_rep="X_pca")
    adata.obsp["connectivities"][5, 8] = -1
    with pytest.raises(ValueError, match="from cell 'cell5' to cell 'cell8' has the weight -1"):
        pith.select_genes(adata, "laplacian", graph="connectivities")


def test_raw_counts_where_logarithms_are_wanted(adata):
    with pytest.warns(UserWarning, match=r"raw counts: prep='auto' takes their logarithms, and layer= a layer that has them$"):
        pith.select_genes(adata, "laplacian", n_top_genes=5)


def test_what_was_ranked_is_recorded(adata, tmp_path):
    rng = np.random.default_rng(5)
    reads = np.exp(5 + 1.5 * rng.normal(size=120) + 0.3 * rng.normal(size=(60, 1)) + 0.5 * rng.normal(size=(60, 120)))
    bulk = anndata.AnnData(reads.astype(np.float32), dtype=np.float32)
    pith.select_genes(bulk, n_top_genes=10, evidence="none")
    bulk.write_h5ad(tmp_path / "a.h5ad")
    said = anndata.read_h5ad(tmp_path / "a.h5ad").uns["pith"]
    assert said["note"].startswith("ranking after size-factors,log1p, since the values span orders of magnitude") and "prep" not in said
    chosen = marked(bulk)
    pith.select_genes(bulk, "consensus", n_top_genes=10, evidence="none", prep="auto", scaling="pareto")
    assert (bulk.uns["pith"]["prep"], marked(bulk)) == ("auto", chosen) and "note" not in bulk.uns["pith"]
    pith.select_genes(adata, "mutual-info", n_top_genes=5, labels="kind")
    assert adata.uns["pith"]["labels"] == "kind" and "batch_graph" not in adata.uns["pith"]
    pith.select_genes(adata, "laplacian", n_top_genes=5, batch_key="run", batch_graph=True)
    assert adata.uns["pith"]["batch_graph"] and "labels" not in adata.uns["pith"]


def test_genes_in_other_units_are_warned_of():
    X = np.random.default_rng(2).normal(size=(40, 6)) * [1, 1, 1e4, 1, 1, 1]
    proteins = anndata.AnnData(X.astype(np.float32), dtype=np.float32)
    with pytest.warns(UserWarning, match="^100 % of the variance .* have different units, prepare them first, as z-scores in a layer$"):
        pith.select_genes(proteins, "laplacian", n_top_genes=2)


def test_a_poor_agreement_is_warned_of_with_the_argument_that_helps():
    cells = anndata.AnnData(np.random.default_rng(0).normal(size=(200, 300)).astype(np.float32), dtype=np.float32)
    with pytest.warns(UserWarning, match=r"agreement is below 0.15: .*; see whether another number does \(n_top_genes='auto'\)"):
        pith.select_genes(cells, "consensus", n_top_genes=5, top=1, evidence="none")


def test_what_is_no_anndata_is_refused():
    with pytest.raises(TypeError, match="adata: an AnnData object is expected, not ndarray"):
        pith.select_genes(np.eye(4))
    with pytest.raises(TypeError, match="not str: anndata.read_h5ad reads one"):
        pith.select_genes("cells.h5ad")
    cells = anndata.AnnData(np.eye(4, dtype=np.float32), dtype=np.float32)
    cells.raw = cells
    with pytest.raises(TypeError, match=r"not Raw: give adata.raw.to_adata\(\)"):
        pith.select_genes(cells.raw)
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        pith.select_genes(cells[:, :0].copy(), "variance")
    with pytest.raises(ValueError, match="adata.X is empty: choose a layer"):
        pith.select_genes(anndata.AnnData(obs=pd.DataFrame(index=list("abc")), var=pd.DataFrame(index=list("xy"))), "variance")


@pytest.mark.parametrize("call", [pith.rank, pith.compare, lambda X: pith.kmeans(X, 2), lambda X: pith.Selector("variance").fit(X)])
def test_what_has_a_table_but_is_none_is_refused_with_where_it_is(adata, tmp_path, call):
    adata.write_h5ad(tmp_path / "a.h5ad")
    on_disk = anndata.read_h5ad(tmp_path / "a.h5ad", backed="r").X
    for X, sentence in ((adata, "not an AnnData object: give adata.X, or mark genes by pith.select_genes"),
                        (str(tmp_path / "a.h5ad"), r"not the path .*: pith.read\(path\).X is the table of a file"),
                        (tmp_path / "a.h5ad", "not the path"), (pith.read(tmp_path / "a.h5ad"), "not a pith.Data: give its X"),
                        (on_disk, r"on disk: give X.to_memory\(\)")):
        with pytest.raises(TypeError, match=f"^X: an array, sparse matrix or frame is expected, .*{sentence}"):
            call(X)


def test_a_rate_is_told_as_such(adata, capsys):
    pith.select_genes(adata, "variance", fdr=0.05, n_top_genes=P, verbose=1)
    count = (adata.var["pith_q"] <= 0.05).sum()
    assert count == adata.var["highly_variable"].sum() < P
    assert f"n_top_genes={P}, but {count} of {P} genes have q at most 0.05: {count} are selected" in capsys.readouterr().err


def test_the_example_of_the_docs_names_real_arguments():
    from conftest import ROOT
    text = (ROOT / "docs/python.md").read_text()
    table = text[text.index("| argument | |"):].split("\n\n")[0]
    named = {word.strip("`") for line in table.splitlines()[2:] for word in line.split("|")[1].split(",") for word in [word.strip()]}
    assert named == set(inspect.signature(pith.select_genes).parameters) - {"adata", "random_state", "threads", "verbose",
                                                                            "parameters"}


def test_threads_change_nothing(adata):
    frames = [pith.select_genes(adata, "energy", graph="connectivities", n_top_genes=5, inplace=False, threads=t) for t in (1, 8)]
    pd.testing.assert_frame_equal(*frames)
