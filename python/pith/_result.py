"""What a run of a method found."""
import contextlib
import inspect
import numbers
import os
import tempfile
from dataclasses import dataclass
from typing import Any, Optional, Sequence

import numpy as np

from . import _core
from ._data import on_table, value_text
from ._tree import Tree


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """What a run of a method found.

    method : the method that ran, and `why`, if the library chose it
    parameters : all of them, with the values chosen for "auto"
    scores : one score per feature, higher is better; NaN: the feature cannot be scored
    reasons : why a feature has no score, such as "constant"; None for those that have one
    ranking : indices of the features, best first
    feature_names : names of a frame's columns, or None
    seconds, peak_bytes : time, and memory beyond the data
    facts : further numbers by their names, such as "iterations"
    history : objective of an iterative method, in each of its first 200 iterations
    keep : how many features the method recommends to keep, or None
    lift, pvalues, qvalues : evidence that a feature shares structure with others: lift over chance, p-value and false
        discovery rate; NaN: not tested, and `untested` has the reason. All None if evidence was not requested
    curve : pairs of a number of features and its agreement with the groups found in halves of the features, by which
        consensus chooses `keep`; empty if not requested
    batches : for data with batches, in how many of them a feature is among the best, and n_batches, how many were
        ranked; None and 0 if no rankings were merged
    engine : what computed neighbours and eigenpairs; "local" is the library itself
    note, warning : what the method decided, and what makes the result doubtful, in a sentence, or None
    """

    method: str
    why: Optional[str]
    parameters: dict[str, Any]
    scores: np.ndarray
    reasons: list[Optional[str]]
    ranking: np.ndarray
    feature_names: Optional[list[str]]
    seconds: float
    peak_bytes: int
    facts: dict[str, float]
    history: np.ndarray
    keep: Optional[int]
    note: Optional[str]
    warning: Optional[str]
    seed: int
    batches: Optional[np.ndarray] = None
    n_batches: int = 0
    lift: Optional[np.ndarray] = None
    pvalues: Optional[np.ndarray] = None
    qvalues: Optional[np.ndarray] = None
    untested: Optional[list[Optional[str]]] = None
    curve: Sequence[tuple[int, float]] = ()
    engine: str = "local"

    def called(self, fdr: float = 0.05) -> np.ndarray:
        """Indices of the features with a q-value of at most fdr, best first."""
        if self.qvalues is None:
            raise ValueError("there is no evidence: run the method with evidence='groups'")
        return self.ranking[self.qvalues[self.ranking] <= fdr]

    @property
    def iterations(self) -> Optional[int]:
        """Iterations of an iterative method, or None."""
        return int(self.facts["iterations"]) if "iterations" in self.facts else None

    @property
    def objective(self) -> Optional[float]:
        """Final value of the method's objective, or None."""
        return self.facts.get("objective")

    def to_frame(self):
        """The ranking as `pith rank` writes it: a pandas frame of rank, index, name and score, best first; of data
        with batches also batches and in_all_batches, with evidence lift, p and q."""
        import pandas as pd
        names = self.feature_names or [f"f{j}" for j in range(len(self.scores))]
        frame = pd.DataFrame({"rank": np.arange(1, len(self.ranking) + 1), "index": self.ranking,
                              "name": [names[j] for j in self.ranking], "score": self.scores[self.ranking]})
        if self.qvalues is not None:
            frame["lift"], frame["p"], frame["q"] = (v[self.ranking] for v in (self.lift, self.pvalues, self.qvalues))
        if self.batches is not None:
            frame["batches"] = self.batches[self.ranking]
            frame["in_all_batches"] = frame["batches"] == self.n_batches
        return frame

    def __repr__(self):
        return f"<pith.Result of {self.method}: {len(self.scores)} features, {self.seconds:.3g} s>"


def _value(parameter, text):
    kind = parameter["type"]
    if kind == "boolean":
        return text == "yes"
    if kind == "file":
        return text or None
    if kind in ("integer", "real") and text != parameter["auto_word"]:
        return int(float(text)) if kind == "integer" else float(text)
    return text


METHODS = {m["name"]: m for m in _core.methods()}


def check_method(name):
    """The name, or the sentence about one that is unknown."""
    if not isinstance(name, str):
        raise TypeError(f"method: a name is expected, not {type(name).__name__}")
    if name != "auto" and name not in METHODS:
        near = _core.nearest(name, ["auto", *METHODS]) if "\0" not in name else None
        raise ValueError(f"unknown method {name!r}; " + (f"did you mean {near!r}?" if near else
                                                          "pith.methods() lists them"))
    return name


# What users of scanpy, of scikit-learn or of the command try instead of an argument of every function.
COMMON = {"seed": "use random_state", "n_jobs": "use threads"}


def check_words(function, parameters, elsewhere):
    """An error for a keyword that is nearer to an argument of `function` than to any method's parameter. Others are left to
    the library, which knows what the method has. elsewhere: words that are neither, and what to use."""
    own = [p.name for p in inspect.signature(function).parameters.values() if p.kind != p.VAR_KEYWORD]
    known = {p["name"] for m in METHODS.values() for p in m["parameters"]}
    for name in parameters:
        word, advice = name.rstrip("_"), {**COMMON, **elsewhere}.get(name)
        if word in known or "\0" in name:
            continue
        near = None if advice else _core.nearest(name, [*sorted(known), *own])
        if advice or near in own:
            raise ValueError(f"{function.__name__} has no argument {name!r}" + (f": {advice}" if advice else f"; did you mean {near!r}?"))


@contextlib.contextmanager
def parameter_texts(parameters):
    """The parameters as the library reads them, those that are None left out; a tree lies in a file meanwhile."""
    with contextlib.ExitStack() as stack:
        texts = {}
        for name, value in parameters.items():
            if isinstance(value, Tree):
                path = os.path.join(stack.enter_context(tempfile.TemporaryDirectory(prefix="pith-")), "given.tree")
                value.write(path)
                value = path
            if value is not None:
                texts[name] = value_text(name, value)
        yield texts


def check_prep(prep):
    if prep is not None and prep != "auto":
        raise ValueError(f"prep: None or 'auto' is expected, not {prep!r}; pith.prep takes other steps")


def check_fdr(fdr):
    if fdr is not None and (isinstance(fdr, bool) or not isinstance(fdr, numbers.Real) or not 0 < fdr <= 1):
        raise ValueError(f"fdr: a rate above 0 and up to 1 or None is expected, not {fdr!r}")


def with_evidence(parameters, fdr):
    """The parameters, with evidence where a false discovery rate needs it."""
    if fdr is not None and parameters.get("evidence") == "none":
        raise ValueError("fdr: needs evidence, so evidence='none' cannot be used")
    return parameters if fdr is None or parameters.get("evidence") not in (None, "auto") else {**parameters, "evidence": "groups"}


def run(method, X, names, labels, parameters, seed, threads, watch, count=0, batch=None, batch_graph=False,
        prepare=False, keep=False, engine=None) -> Result:
    """Runs a method on a matrix that is `checked`. None among the parameters leaves them to the method. count: how many
    features will be selected, if known. batch: one string per sample, or None. prepare: by `prep auto`. keep: how
    many features to keep is asked for. engine: its name; None: the library itself."""
    with parameter_texts(parameters) as texts:
        said = on_table(X, lambda table: _core.run(method, table, names, labels, texts, seed, threads, watch, count,
                                                   batch, batch_graph, prepare, keep, engine))
    evidence = said["evidence"] or {}
    known = {p["name"]: p for p in METHODS[said["method"]]["parameters"]}
    return Result(
        method=said["method"], why=said["why"],
        parameters={name: _value(known[name], text) for name, text in said["parameters"].items()},
        scores=np.frombuffer(said["scores"], np.float64), reasons=said["reasons"],
        ranking=np.frombuffer(said["ranking"], np.int64),
        feature_names=names, seconds=said["seconds"], peak_bytes=said["peak_bytes"], facts=said["facts"],
        history=np.array(said["objective"]), keep=said["keep"] if said["keep"] >= 0 else None, note=said["note"],
        warning=said["warning"], seed=seed, n_batches=said["n_batches"],
        batches=None if said["batches"] is None else np.frombuffer(said["batches"], np.int32),
        **{name: np.frombuffer(evidence[key], np.float64) for name, key in
           (("lift", "lift"), ("pvalues", "p"), ("qvalues", "q")) if key in evidence},
        untested=evidence.get("untested"), curve=said["curve"], engine=said["engine"])
