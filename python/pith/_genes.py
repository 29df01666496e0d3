"""Genes of an AnnData object."""
import numbers
import os
import re
import sys
import warnings
from typing import Optional, Union

import numpy as np

from . import _core
from ._anndata import entry, matrix_of
from ._functions import rank
from ._result import METHODS, check_fdr, check_method, check_words, with_evidence
from ._selector import check_count, count_of

# What scanpy calls some of the methods, and which is nearest to those that pith does not have.
FLAVORS = {"seurat_v3": "seurat-v3", "seurat_v3_paper": "seurat-v3", "seurat": "dispersion"}
ABSENT = {"cell_ranger": "dispersion", "pearson_residuals": "deviance"}
# What users of scanpy or of the rest of pith try, and what they want.
CUTOFF = "pith selects by rank: use n_top_genes, or fdr"
ELSEWHERE = {"n_top": "use n_top_genes", "n_features": "use n_top_genes", "n_genes": "use n_top_genes",
             "batch": "use batch_key, a column of adata.obs", "y": "use labels, a column of adata.obs",
             "feature_names": "the names are adata.var_names", "copy": "use inplace=False", "use_raw": "use layer",
             "neighbors_key": "use graph, a key of adata.obsp", "check_values": "pith always checks", "min_mean": CUTOFF, "max_mean": CUTOFF, "min_disp": CUTOFF,
             "max_disp": CUTOFF}
COLUMNS = ["highly_variable", "highly_variable_rank", "pith_score", "pith_lift", "pith_p", "pith_q",
           "highly_variable_nbatches", "highly_variable_intersection"]


def select_genes(adata, method: Optional[str] = None, *, flavor: Optional[str] = None,
                 n_top_genes: Union[int, float, str] = 2000, fdr: Optional[float] = None, layer: Optional[str] = None,
                 batch_key: Optional[str] = None, batch_graph: bool = False, subset: bool = False, inplace: bool = True,
                 use_rep: Optional[str] = None, graph=None, labels: Optional[str] = None, prep: Optional[str] = None,
                 random_state=1, threads: Optional[int] = None, verbose: int = 0, engine: Optional[str] = None, **parameters):
    """Selects genes of an AnnData object as scanpy's `pp.highly_variable_genes` does, by any method of pith.

    method, flavor : synonyms: a method of pith, "auto" (the default) or scanpy's "seurat_v3", "seurat_v3_paper" and
        "seurat", which are pith's seurat-v3 (the first two) and dispersion. All take raw counts
    n_top_genes : a number, at most that of the genes with a score; a share of the genes; or "auto": as many as
        the method recommends, if it does, else half of them
    fdr : select genes with a q-value of at most this, such as 0.05, and at most n_top_genes of them ("auto": no limit)
    layer : the layer to use; None: adata.X. Counts, counts per 10,000 or their logarithms; not yet scaled
    batch_key : a column of adata.obs; each batch is ranked separately, and the rankings are merged: genes among the
        best of more batches come first, as with scanpy's "seurat_v3_paper"
    batch_graph : instead, rank all cells at once, on a graph with neighbours balanced across the batches
    subset : keep the selected genes only
    inplace : False returns the frame instead of writing it into adata
    use_rep : a key of adata.obsm, such as "X_pca"; the neighbours of the method's graph are found there
    graph : a key of adata.obsp, such as "connectivities", or a matrix of similarities between cells; the method's graph
    labels : a column of adata.obs, for supervised methods only
    prep : "auto" takes ln(1 + counts per 10,000) of raw counts first, for methods that need logarithms, and logarithms of
        reads of bulk RNA for all but those that are made for raw counts
    random_state : seed of the methods that draw random numbers
    threads : number of threads; None: all cores. The result does not depend on it
    verbose : 1: a progress bar and what was decided, on stderr
    engine : what computes neighbours and eigenpairs, as with --engine; None: the library itself
    parameters : of the method, such as neighbors=10

    Writes adata.var["highly_variable"] (selected or not), ["highly_variable_rank"] (from 0, NaN where not selected) and
    ["pith_score"]; with evidence ["pith_lift"], ["pith_p"] and ["pith_q"]; with batch_key also
    ["highly_variable_nbatches"] and ["highly_variable_intersection"]. Those of an earlier call are replaced.
    adata.uns["hvg"] and ["pith"] record how it was done.
    """
    if not (hasattr(adata, "var_names") and hasattr(adata, "obs")):
        where = (": anndata.read_h5ad reads one" if isinstance(adata, (str, os.PathLike)) else
                 ": give adata.raw.to_adata()" if type(adata).__name__ == "Raw" else "")
        raise TypeError(f"adata: an AnnData object is expected, not {type(adata).__name__}{where}")
    check_words(select_genes, parameters, ELSEWHERE)
    check_count(n_top_genes, "n_top_genes")
    method = _method_of(method, flavor)
    _check_target(adata, inplace, subset)
    given = _given(adata, method, use_rep, graph)
    batches = {} if batch_key is None else {"batch": entry(adata.obs, batch_key, "adata.obs").to_numpy(),
                                            "batch_graph": batch_graph}
    if batch_graph and batch_key is None:
        raise ValueError("batch_graph: batch_key is needed, the column of adata.obs that names the batches")
    check_fdr(fdr)
    if fdr is not None and batch_key is not None:
        raise ValueError("fdr and batch_key cannot be used together: q-values assume independent samples, and those of a "
                         "batch are not")
    if not isinstance(n_top_genes, str):
        batches["n_top"] = _count(n_top_genes, adata.n_vars, None)
    elif fdr is None:
        batches["n_top"] = "auto"
    y = None if labels is None else entry(adata.obs, labels, "adata.obs").to_numpy()
    result = _ranked(adata, layer, use_rep, matrix_of(adata, layer), method, y=y, feature_names=adata.var_names,
                     prep=prep, random_state=random_state, threads=threads, verbose=verbose, engine=engine, **given, **batches,
                     **with_evidence(parameters, fdr))
    frame = _frame(adata, result, n_top_genes, fdr)
    _tell(result, frame, n_top_genes, fdr, verbose)
    if not inplace:
        return frame[frame["highly_variable"]] if subset else frame
    _write(adata, frame, _record(result, n_top_genes, fdr=fdr, layer=layer, batch_key=batch_key, batch_graph=batch_graph or None,
                                 use_rep=use_rep, labels=labels, prep=prep,
                                 engine=None if result.engine == "local" else result.engine,
                                 graph="(given)" if hasattr(graph, "shape") else graph))
    if subset:
        adata._inplace_subset_var(frame["highly_variable"].to_numpy())
    return None


def _method_of(method, flavor):
    if method is not None and flavor is not None and FLAVORS.get(method, method) != FLAVORS.get(flavor, flavor):
        raise ValueError(f"method={method!r} and flavor={flavor!r} mean the same: give only one")
    name = "auto" if method is None and flavor is None else flavor if method is None else method
    if isinstance(name, str) and name in ABSENT:
        raise ValueError(f"pith has no {name!r}; the nearest is its {ABSENT[name]!r}, on raw counts")
    return check_method(FLAVORS.get(name, name) if isinstance(name, str) else name)


def _check_target(adata, inplace, subset):
    """Fails before any work if the result could not be written."""
    if inplace and adata.isbacked and adata.is_view:
        raise ValueError("adata is a view of a backed object, which cannot be written into: give adata.to_memory(), or "
                         "inplace=False")
    if inplace and subset and adata.isbacked:
        raise ValueError("subset=True would have to rewrite the file behind adata: give adata.to_memory(), or select by "
                         "adata[:, adata.var['highly_variable']] afterwards")


def _given(adata, method, use_rep, graph):
    """The graph, or the rows it is built from, as parameters of the method."""
    if use_rep is not None and graph is not None:
        raise ValueError("use_rep and graph cannot be used together: use_rep is for building a graph")
    if use_rep is not None:
        return {"graph_rows": entry(adata.obsm, use_rep, "adata.obsm")}
    if not isinstance(graph, str):
        return {} if graph is None else {"graph": graph}
    words = [p.get("choices", ()) for p in METHODS.get(method, {"parameters": ()})["parameters"] if p["name"] == "graph"]
    if words and graph in words[0] and graph not in adata.obsp:
        return {"graph": graph}
    found = entry(adata.obsp, graph, "adata.obsp")
    if graph == "distances" or graph.endswith("_distances"):
        near = graph[:-len("distances")] + "connectivities"
        raise ValueError(f"adata.obsp[{graph!r}] holds distances, but a graph needs similarities" +
                         (f": give graph={near!r}" if near in adata.obsp else ""))
    return {"graph": found}


def _count(n_top_genes, p, keep):
    """How many genes of p, at most all of them; keep is the number that the method recommends, or None."""
    p = max(1, p)  # rank() refuses a table without genes
    return count_of(min(n_top_genes, p) if isinstance(n_top_genes, numbers.Integral) else n_top_genes, p, keep)


def _ranked(adata, layer, use_rep, X, method, **options):
    """rank(), with cells and genes by their names in what it warns of or refuses."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = rank(X, method, **options)
    except ValueError as error:
        text = _in_words(adata, layer, use_rep, str(error))
        if text == str(error):
            raise
        raise type(error)(text) from None
    for w in caught:
        warnings.warn(_in_words(adata, layer, use_rep, str(w.message)), w.category, stacklevel=3)
    return result


def _in_words(adata, layer, use_rep, text):
    """A sentence of the library, about rows and columns and options of the command, for this function."""
    def gene(j):
        return f"gene {str(adata.var_names[int(j) - 1])!r}"

    def cell(i):
        return f"cell {str(adata.obs_names[int(i) - 1])!r}"

    where = "adata.X" if layer is None else f"adata.layers[{layer!r}]"
    if text.startswith("graph_rows: "):
        text = re.sub(r"row (\d+), column (\d+) \(counted from 1\)", lambda m: f"{cell(m[1])}, column {m[2]}", text)
        text = text.replace("graph_rows: ", f"adata.obsm[{use_rep!r}]: ", 1) if use_rep is not None else text
    text = re.sub(r"from sample (\d+) to (\d+) \(counted from 1\)", lambda m: f"from {cell(m[1])} to {cell(m[2])}", text)
    text = re.sub(r"row (\d+), column (\d+) \(counted from 1\)", lambda m: f"{where}: {cell(m[1])}, {gene(m[2])}", text)
    text = re.sub(r"column (\d+) \(counted from 1\)", lambda m: gene(m[1]), text)
    text = re.sub(r"sample (\d+) \(counted from 1\) has no batch, and every sample needs one; fill it in, or drop the sample",
                  lambda m: f"{cell(m[1])} has no batch, and every cell needs one; fill it in, or drop the cell", text)
    if text.startswith("your own graph covers all samples and cannot be split into batches"):
        text = ("graph covers all cells and cannot be split into batches: use either graph or batch_key" if use_rep is None else
                "use_rep covers all cells and cannot be split into batches: add batch_graph=True, or leave out batch_key")
    text = text.replace("needs labels; give them as y", "needs labels: give labels=, a column of adata.obs")
    text = re.sub(r"--([a-z][a-z-]*) (\w+)", lambda m: f"{m[1].replace('-', '_')}={m[2]!r}", text)
    text = re.sub(r"--([a-z][a-z-]*)", lambda m: f"{m[1].replace('-', '_')}=", text)
    text = text.replace("leave the feature or sample out, or impute the value", "pith takes finite values only")
    text = text.replace("n_top='auto' says how many", "n_top_genes='auto'")
    text = text.replace("as pith.prep(X, 'zscore').X", "as z-scores in a layer")
    text = text.replace("prep='auto' takes their logarithms", "prep='auto' takes their logarithms, and layer= a layer that has them")
    if "is for counts: " in text or "is for raw counts, " in text:
        text = text.replace(": use the raw counts", "")
        text += "; " + _counts_advice(adata, layer)
    return text


def _counts_advice(adata, layer):
    layers = [repr(str(k)) for k in adata.layers.keys() if k != layer]
    there = f" (adata.layers has {', '.join(layers[:10])})" if layers else ""
    return f"raw counts can be taken from a layer by layer={there}"


def _frame(adata, result, n_top_genes, fdr):
    import pandas as pd
    chosen = result.ranking if fdr is None else result.called(fdr)
    if fdr is None or n_top_genes != "auto":
        chosen = chosen[:_count(n_top_genes, len(result.ranking), result.keep)]
    chosen = chosen[~np.isnan(result.scores[chosen])]
    frame = pd.DataFrame({"highly_variable": False, "highly_variable_rank": np.nan, "pith_score": result.scores},
                         index=adata.var_names)
    frame.iloc[chosen, 0] = True
    frame.iloc[chosen, 1] = np.arange(len(chosen), dtype=float)
    if result.qvalues is not None:
        frame["pith_lift"], frame["pith_p"], frame["pith_q"] = result.lift, result.pvalues, result.qvalues
    if result.batches is not None:
        frame["highly_variable_nbatches"] = np.asarray(result.batches)
        frame["highly_variable_intersection"] = np.asarray(result.batches) == result.n_batches
    return frame


def _tell(result, frame, n_top_genes, fdr, verbose):
    """Says on stderr what was decided."""
    if not verbose:
        return
    count = int(frame["highly_variable"].sum())
    if result.why:
        print(f"pith: using the method {result.method}: {result.why}", file=sys.stderr)
    if isinstance(n_top_genes, numbers.Integral) and count < n_top_genes:
        fit, what = ((~np.isnan(result.scores), "a score") if fdr is None else (result.qvalues <= fdr, f"q at most {fdr:g}"))
        print(f"pith: n_top_genes={n_top_genes}, but {int(fit.sum())} of {len(frame)} genes have {what}: {count} are selected",
              file=sys.stderr)
    if result.note:
        print(f"pith: {result.note}", file=sys.stderr)


def _record(result, n_top_genes, **asked):
    """adata.uns["pith"]: what .h5ad can hold, so no None."""
    parameters = {k: v for k, v in result.parameters.items() if v is not None and v != "(given)"}
    record = {"method": result.method, "reason": result.why, "note": result.note, "parameters": parameters, "seed": result.seed,
              "version": _core.version, "n_top_genes": n_top_genes, **asked}
    return {k: v for k, v in record.items() if v is not None}


def _write(adata, frame, record):
    if adata.is_view:
        warnings.warn("adata is a view: it is copied, so that the genes can be written into it", UserWarning,
                      stacklevel=3)
        adata._init_as_actual(adata.copy())
    for column in COLUMNS:
        if column in adata.var and column not in frame:
            del adata.var[column]
    for column in frame:
        adata.var[column] = frame[column].to_numpy()
    adata.uns["hvg"] = {"flavor": f"pith {record['method']}"}
    adata.uns["pith"] = record
