"""The commands of pith as functions."""
import contextlib
import numbers
import os
import re
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from . import _core, _signatures
from ._call import seed_of, threads_of, watching
from ._data import Data, checked, codes, from_core, is_texts, label_texts, names_of, on_table, texts_of, value_text
from ._result import METHODS, Result, check_method, check_prep, check_words, run
from ._selector import tell


@dataclass(frozen=True)
class Parameter:
    """One parameter of a method or a step, as the library describes it."""

    name: str
    keyword: str
    type: str
    default: Any
    low: Optional[float]
    high: Optional[float]
    choices: Optional[tuple[str, ...]]
    can_be_auto: bool
    help: str


@dataclass(frozen=True)
class Method:
    """One method, as the library describes it. auto_features: it can say how many to keep; spreads: it works if the rows are
    spread over processes."""

    name: str
    family: str
    title: str
    reference: str
    notes: str
    needs_labels: bool
    needs_tree: bool
    needs_counts: bool
    auto_features: bool
    spreads: bool
    parameters: tuple[Parameter, ...]

    def __repr__(self):
        return f"<pith.Method {self.name}: {self.title}>"


@dataclass(frozen=True)
class Step:
    """One step of a preparation, as the library describes it; a recipe stands for other steps."""

    name: str
    title: str
    stands_for: Optional[str]
    parameters: tuple[Parameter, ...]

    def __repr__(self):
        return f"<pith.Step {self.name}: {self.title}>"


def steps() -> list[Step]:
    """All steps of a preparation and all recipes, as `pith prep` takes them."""
    return [Step(**{**s, "parameters": tuple(map(_parameter, s["parameters"]))}) for s in _core.steps()]


def _parameter(p):
    choices = tuple(p["choices"]) if "choices" in p else None
    return Parameter(p["name"], _signatures.keyword_name(p["name"]), p["type"], p["default"], p.get("low"),
                     p.get("high"), choices, p["can_be_auto"], p["help"])


def methods(name: Optional[str] = None) -> Union[list[Method], Method]:
    """All methods, or the one of that name: what it does, its paper, every parameter."""
    made = {m["name"]: Method(**{**m, "parameters": tuple(map(_parameter, m["parameters"]))}) for m in METHODS.values()}
    if name is None:
        return list(made.values())
    if check_method(name) == "auto":
        raise ValueError("'auto' is not a method: it picks one for the kind of data")
    return made[name]


def _library_names(parameters):
    """Keywords as the library knows them: lambda_ is lambda."""
    return {name[:-1] if name.endswith("_") else name: value for name, value in parameters.items()}


def _names(X, feature_names):
    names = names_of(X) if feature_names is None else [str(n) for n in feature_names]
    return names if names is None or len(names) > 0 else None


COUNT = "every feature is ranked, so take the first of the result's ranking, or use Selector(n_features=...)"
ELSEWHERE = {"n_features": COUNT, "n_top_genes": COUNT, "labels": "use y", "batch_key": "use batch, an array with the batch of each sample",
             "flavor": "use method", "fdr": "use evidence='groups', and called(fdr) of the result"}


def _best(n_top):
    """n_top as the library takes it; 0: not given."""
    if n_top is None or n_top == "auto":
        return 0
    if isinstance(n_top, (bool, np.bool_)) or not isinstance(n_top, numbers.Integral) or n_top < 1:
        raise ValueError(f"n_top: a positive number of features or 'auto' expected, not {n_top!r}")
    return int(n_top)


def rank(X, method: str = "auto", *, y=None, feature_names=None, batch=None, batch_graph: bool = False,
         n_top: Union[int, str, None] = None, prep: Optional[str] = None, random_state=1, threads: Optional[int] = None, verbose: int = 0,
         engine: Optional[str] = None, **parameters) -> Result:
    """Scores and ranks every feature of X, as `pith rank` does.

    X : array, sparse matrix or frame, samples in rows
    y : labels, for supervised methods only
    feature_names : names of the features, if X is not a frame with its own
    batch : the batch (donor, plate, run) of each sample; every batch of at least 20 samples is ranked separately, and
        features that are among the n_top best in more batches come first, then those with a better median rank
    batch_graph : instead, use one graph with neighbours balanced across the batches, for methods that build one
    n_top : how many features will be selected: with batch, how many count as the best of a batch; None: 2000, or all if
        there are fewer. "auto": the result's `keep` says how many, if the method can
    prep : "auto" takes ln(1 + counts per 10,000) of raw counts first, for methods that need logarithms, and logarithms of
        reads of bulk RNA and of intensities for all methods; for other steps call `prep` yourself
    engine : what computes neighbours and eigenpairs, as with --engine; None: the library itself
    parameters : of the method, such as lambda_=1e-3
    """
    check_method(method)
    check_words(rank, parameters, ELSEWHERE)
    count = _best(n_top)
    check_prep(prep)
    names, X = _names(X, feature_names), checked(X)
    with watching(verbose, method) as watch:
        result = run(method, X, names, label_texts(y, X.shape[0]), _library_names(parameters),
                     seed_of(random_state), threads_of(threads), watch, count,
                     label_texts(batch, X.shape[0], "batch"), batch_graph, prep == "auto", n_top == "auto", engine)
    tell(result, None, "prep='auto' takes their logarithms", "n_top='auto' says how many")
    return result


MISSING = ("error", "drop-rows", "mean", "zero", "keep")


def _answer(value):
    return 0 if value is None else 1 if value else 2


def set_memory(memory: Optional[int] = None, scratch: Union[str, os.PathLike, None] = None) -> None:
    """Limits the memory of all later calls of the library.

    memory : most bytes to hold; None: three quarters of what the machine has
    scratch : folder for what has the size of the data and does not fit; None: TMPDIR, or /tmp
    """
    if memory is not None and (isinstance(memory, bool) or not isinstance(memory, numbers.Integral) or memory < 1 << 20):
        raise ValueError(f"memory: a number of bytes, at least 2^20, or None is expected, not {memory!r}")
    _core.set_memory(0 if memory is None else int(memory), None if scratch is None else os.fspath(scratch))


@contextlib.contextmanager
def _arguments(of=""):
    """Refusals of a file name options of the command; here they are arguments of `read`."""
    try:
        yield
    except ValueError as error:
        text = str(error).replace("--prep text counts", "pith.prep(path, 'text') counts").replace("--no-labels", "no_labels=True")
        text = text.replace("documents are read by the step 'text' of pith prep and --prep", "documents are read by pith.prep(path, 'text')")
        plain = text
        text = text.replace("--missing drop-rows, mean or zero", "missing='drop-rows', 'mean' or 'zero'")
        text = text.replace("--missing mean or zero", "missing='mean' or 'zero'").replace("--missing zero", "missing='zero'")
        text = re.sub(r"--(sep|decimal) (,)", r"\1='\2'", text)
        text = re.sub(r"--labels (f\d+)", r"labels='\1'", text)
        text = re.sub(r"--(sep|decimal|labels|var)\b", r"\1=", text)
        if text == str(error):
            raise
        raise type(error)(text + (of if text != plain else "")) from None


def read(path: Union[str, os.PathLike], *, var: Optional[str] = None, labels: Union[str, os.PathLike, None] = None,
         no_labels: bool = False, missing: str = "error", sep: Optional[str] = None, decimal: Optional[str] = None,
         header: Optional[bool] = None, row_names: Optional[bool] = None, transpose: bool = False,
         threads: Optional[int] = None, verbose: int = 0) -> Data:
    """Reads a data file; its ending selects the format: CSV, TSV, Matrix Market, MATLAB, NumPy, svmlight, AnnData.

    var : the matrix variable of a .mat, .npz or .h5ad, such as "layers/counts"; None: X, fea or the only matrix
    labels : label variable or column, or a file with one label per line; None: Y, gnd or label, if present
    missing : what to do with NaN, Inf and text: "error", "drop-rows", "mean", "zero" or "keep" (as NaN)
    sep : column separator of delimited text, " " for runs of spaces; None: detected
    decimal : decimal mark of delimited text, "." or ","; None: detected
    header, row_names : does the first row, or the first column, of delimited text hold names? None: detected
    transpose : the rows of the file are features and its columns samples; labels in it are ignored
    """
    for name, value in (("sep", sep), ("decimal", decimal)):
        if value is not None and (not isinstance(value, str) or len(value) != 1 or not "\0" < value < "\x80"):
            raise ValueError(f"{name}: one ASCII character is expected, not {value!r}")
    if missing not in MISSING:
        raise ValueError(f"missing: {missing!r} is not one of {', '.join(MISSING)}")
    with _arguments(), watching(verbose, os.path.basename(os.fspath(path))) as watch:
        return from_core(_core.read(path, var, None if labels is None else os.fspath(labels), no_labels,
                                    MISSING.index(missing), sep or "\0", decimal or "\0", _answer(header),
                                    _answer(row_names), transpose, threads_of(threads), watch))


def _step_text(step):
    """A step as text: a text as it is, or (name, parameters)."""
    if isinstance(step, str):
        return step
    if not (isinstance(step, (tuple, list)) and len(step) == 2 and isinstance(step[0], str) and isinstance(step[1], dict)):
        raise TypeError(f"steps: a text or a pair (name, parameters) is expected, not {step!r}")
    name, parameters = step
    return ":".join([name, *(f"{k}={value_text(k, v)}" for k, v in _library_names(parameters).items())])


def _with_labels(data, n, y, sample_names):
    """Documents, once counted, with what belongs to them."""
    for name, values in (("y", y), ("sample_names", sample_names)):
        if values is not None and len(values) != n:
            raise ValueError(f"{name}: one per document expected, {n} in total, not {len(values)}")
        if values is not None and data.X.shape[0] != n:
            raise ValueError(f"{name}: the steps left {data.X.shape[0]} of {n} documents: drop some in a second call")
    return data._replace(y=None if y is None else np.asarray(y),
                         sample_names=None if sample_names is None else np.array(list(sample_names), dtype=object))


def prep(X, steps, *, y=None, feature_names=None, sample_names=None, random_state=1, threads: Optional[int] = None,
         verbose: int = 0, engine: Optional[str] = None) -> Data:
    """Prepares data, as `pith prep` does, and returns a new table; X is not changed.

    X : array, sparse matrix or frame; a list, array or column of a frame with a text per document, if the first step is
        "text"; or the path of a file or of a folder of documents
    steps : "log1p,zscore", "drop-noisy:remove=0.2", or a list of such texts and of pairs ("drop-noisy", {"remove": 0.2});
        `pith.steps()` lists them
    engine : what computes neighbours and eigenpairs for the steps that need them; None: the library itself
    """
    text = steps if isinstance(steps, str) else ",".join(map(_step_text, steps))
    with watching(verbose, "prep") as watch:
        how = text, seed_of(random_state), threads_of(threads), watch, engine
        if isinstance(X, (str, os.PathLike)):
            if not (y is None and feature_names is None and sample_names is None):
                raise ValueError("y and names are for arrays: a file has its own labels and names")
            with _arguments(" (arguments of pith.read)"):
                return from_core(_core.prep_read(X, *how))
        X = texts_of(X)
        if is_texts(X):
            return _with_labels(from_core(_core.prep_texts(X, *how)), len(X), y, sample_names)
        names, X = _names(X, feature_names), checked(X)
        samples = None if sample_names is None else [str(s) for s in sample_names]
        labels = label_texts(y, X.shape[0])
        return from_core(on_table(X, lambda table: _core.prep(table, names, samples, labels, *how)))


@dataclass(frozen=True, eq=False)
class Clusters:
    """What k-means found: a label in 0..clusters-1 for each sample, the inertia and the rounds of the best run."""

    labels: np.ndarray
    inertia: float
    iterations: int


def _one_of(name, word, words):
    if word not in words:
        raise ValueError(f"{name}: {word!r} is not one of {', '.join(words)}")
    return word


def kmeans(X, clusters: int, *, restarts: int = 20, max_iter: int = 300, metric: str = "euclidean",
           start: str = "k-means++", random_state=1, threads: Optional[int] = None, verbose: int = 0) -> Clusters:
    """Clusters the rows of X, as `pith compare` does: the best of several runs of k-means.

    metric : "euclidean" or "cosine"
    start : "k-means++" or "random"
    """
    cosine = _one_of("metric", metric, ("euclidean", "cosine")) == "cosine"
    random = _one_of("start", start, ("k-means++", "random")) == "random"
    with watching(verbose, "k-means") as watch:
        rest = clusters, restarts, max_iter, cosine, random, seed_of(random_state), threads_of(threads), watch
        labels, inertia, rounds = on_table(checked(X), lambda table: _core.kmeans(table, *rest))
    return Clusters(np.frombuffer(labels, np.int32), inertia, rounds)


def agreement(y_true, y_pred) -> dict[str, float]:
    """How well clusters agree with classes, by all measures: acc, nmi, nmi_mean, nmi_geometric, ari, purity."""
    return _core.agreement(codes(y_true, "y_true"), codes(y_pred, "y_pred"))


def accuracy(y_true, y_pred) -> float:
    """Share of samples whose cluster matches their class, with the best one-to-one matching (Hungarian method)."""
    return agreement(y_true, y_pred)["acc"]


NMI = {"max": "nmi", "arithmetic": "nmi_mean", "geometric": "nmi_geometric"}


def nmi(y_true, y_pred, *, average: str = "max") -> float:
    """Mutual information of clusters and classes divided by a mean of their entropies: the larger one, as in the
    papers, or "arithmetic", as in scikit-learn, or "geometric"."""
    return agreement(y_true, y_pred)[NMI[_one_of("average", average, tuple(NMI))]]
