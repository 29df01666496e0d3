"""Methods side by side."""
import numbers
import os
from typing import TYPE_CHECKING, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._call import seed_of, threads_of, watching
from ._data import checked, label_texts, on_table, value_text
from ._functions import _library_names, _names
from ._result import check_words, parameter_texts

if TYPE_CHECKING:
    from ._comparison import Comparison


ELSEWHERE = {"labels": "use y", "method": "use methods", "prep": "prepare X by pith.prep first",
             **dict.fromkeys(("batch", "batch_graph"), "batches cannot be compared; rank, Selector and select_genes take them")}


def _grids(grid):
    """The grid as the library reads it: name=value,value."""
    if grid == "default":
        return ["default"]
    if grid is not None and not isinstance(grid, Mapping):
        raise TypeError(f"grid: 'default' or a dict such as {{'neighbors': [5, 9]}} is expected, not {grid!r}")
    return [f"{name}={_words([values] if isinstance(values, (str, numbers.Number)) else values)}"
            for name, values in _library_names(grid or {}).items()]


def _words(values):
    return ",".join(value_text("grid", v) for v in values)


def _evidence(found):
    """With arrays in place of bytes."""
    if found is None:
        return None
    found = {k: np.frombuffer(v, np.float64) if isinstance(v, bytearray) else v for k, v in found.items()}
    if "control" in found:
        found["control"] = _evidence(found["control"])
    return found


def compare(X, y=None, methods: Union[str, Sequence[str]] = "all", *, n_features: Union[int, Sequence[int], None] = None,
            grid: Union[str, Mapping[str, Sequence], None] = None, protocol: Optional[str] = None,
            clusterer: Optional[str] = None, metric: Optional[str] = None, cluster_on: Optional[str] = None,
            start: Optional[str] = None, restarts: Optional[int] = None, clusters: Optional[int] = None, stability: Optional[int] = None,
            control: bool = False, feature_names=None, report: Union[str, os.PathLike, None] = None, random_state=1,
            threads: Optional[int] = None, verbose: int = 0, engine: Optional[str] = None, **parameters) -> "Comparison":
    """Compares methods, as `pith compare` does: a pandas frame with one row per measurement, and `plot()`.

    y : labels, for evaluation only; no unsupervised method sees them
    methods : "all", "laplacian,spec" or a list of names; all-features, random and kmeans-energy are always included
    n_features : a list of numbers of features; None: six, depending on the size of the data
    grid : {"lambda_": [1e-4, 1e-3]}, values of parameters to try; "default": each method's own grid
    protocol : evaluation protocol of a paper: "des", "snfs", "nrfs", "lgdfs" or "hufs"
    clusterer, metric, start, restarts, clusters : how the data is clustered on a selection; None: k-means, cosine
        for counts, k-means++, 20 runs, as many clusters as classes
    cluster_on : "values" or "tf-idf", values to cluster on; None: tf-idf for counts, unless a
        protocol is given
    stability : also rank this many subsamples of four fifths of the rows
    control : also test the features of similar data without structure, to show what chance looks like
    engine : what computes neighbours and eigenpairs, as with --engine; None: the library itself
    report : a path for an HTML report
    parameters : for every method that has them, such as neighbors=7
    """
    from ._comparison import COLUMNS, Comparison  # pandas is needed here only
    check_words(compare, parameters, ELSEWHERE)
    options = {
        "methods": methods if isinstance(methods, str) else ",".join(methods),
        "features": None if n_features is None else _words(np.atleast_1d(n_features).tolist()),
        "grids": _grids(grid),
        "protocol": protocol, "clusterer": clusterer, "metric": metric, "cluster_on": cluster_on, "start": start,
        "restarts": restarts or 0, "clusters": clusters or 0, "stability": stability or 0,
        "control": control,
    }
    if not options["grids"]:
        del options["grids"]
    names, X = _names(X, feature_names), checked(X)
    with watching(verbose, "compare") as watch, parameter_texts(_library_names(parameters)) as texts:
        for name, text in texts.items():
            if not isinstance(text, str):
                raise TypeError(f"{name}: compare takes a file here, not an array")
        options["settings"] = [f"{name}={text}" for name, text in texts.items()]
        rest = (names, label_texts(y, X.shape[0]), options, None if report is None else os.fspath(report),
                seed_of(random_state), threads_of(threads), watch, engine)
        entries, evidence = on_table(X, lambda table: _core.compare(table, *rest))
    rows = [(e["method"], e["parameters"], features, *figure[:3], figure[3], e["seconds"])
            for e in entries for features, figures in e["rows"] for figure in figures]
    frame = Comparison(rows, columns=COLUMNS)
    frame.errors = {(e["method"], e["parameters"]): e["error"] for e in entries if e["error"] is not None}
    frame.rankings = {(e["method"], e["parameters"]): np.frombuffer(e["ranking"], np.int64)
                      for e in entries if e["ranking"]}
    frame.evidence = _evidence(evidence)
    return frame
