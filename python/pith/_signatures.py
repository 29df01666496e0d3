"""Signatures, docstrings and type stubs of the methods, written from what the registry says about them.

Pure text: it imports nothing of the package, so that tools/update-docs.py can write the stubs from
`pith methods --json` without the package being built. A method is a dict as that command prints it.
"""
import keyword
import textwrap

# What every estimator has beside its method's parameters: (name, default, type in the docs, type in the stubs, help).
FIRST = ("n_features", "auto", '"auto", int or float', 'int | float | Literal["auto"]',
         'How many features to keep: a number, or a share of them. "auto": as many as the method recommends, if it does, '
         "else half of them.")
LAST = (
    ("fdr", None, "float or None", "float | None",
     "Keep the features with a q-value of at most this, best first, and at most n_features of them, if that is a "
     "number or a share. None: do not use q-values."),
    ("random_state", 1, "int, RandomState, Generator or None", "int | np.random.RandomState | np.random.Generator | None",
     "Seed of all random numbers. None draws a new one from NumPy; 1 is the default of the command `pith`."),
    ("threads", None, "int or None", "int | None", "Number of threads. None: all cores. The result does not depend on it."),
    ("verbose", 0, "int", "int", "1: a progress bar on stderr."),
    ("engine", None, "str or None", "str | None",
     "What computes neighbours and eigenpairs: the name of an engine, libpith-NAME.so beside the package's library or in a folder "
     "of PITH_ENGINE_PATH. 'auto': 'cuda' where a GPU can be used, else the library itself. None: the library itself."),
)
# What may be given instead of a file: (in the docs, in the stubs).
FILES = {"init_labels": ("path or array of labels", "str | PathLike[str] | ArrayLike"),
         "graph": ("path or sparse matrix of similarities, samples x samples", "str | PathLike[str] | ArrayLike | spmatrix"),
         "graph_rows": ("path or array, one row per sample", "str | PathLike[str] | ArrayLike | spmatrix"),
         "tree": ("path, builder such as 'cluster', or pith.Tree", "str | PathLike[str] | Tree"),
         "": ("path", "str | PathLike[str]")}
ATTRIBUTES = (
    ("scores_", "ndarray of shape (n_features_in_,)", "Higher is better; NaN: the feature cannot be scored."),
    ("reasons_", "list of str or None", "Why a feature has no score, such as 'constant'; None: it has one."),
    ("ranking_", "ndarray of shape (n_features_in_,)", "Indices of the features, best first."),
    ("lift_, pvalues_, qvalues_", "ndarrays of shape (n_features_in_,) or None",
     "Evidence that a feature shares structure with others: lift over chance, p-value, and false discovery rate; NaN: not "
     "tested. None: evidence was not requested."),
    ("n_features_", "int", "Number of selected features."),
    ("n_features_in_", "int", "Number of features seen by `fit`."),
    ("feature_names_in_", "ndarray of str", "Their names, if `fit` was given a frame with names."),
    ("n_iter_", "int", "Iterations of an iterative method, else 1."),
    ("result_", "pith.Result", "Everything else: parameters with the values chosen for auto, seconds, iterations, ..."),
)


def keyword_name(name):
    """The parameter as a Python keyword: lambda is lambda_."""
    return name + "_" if keyword.iskeyword(name) else name


def class_name(method):
    """cl-des is CLDES, mutual-info is MutualInfo: up to five letters are an abbreviation."""
    parts = method.split("-")
    return "".join(p.upper() if sum(map(len, parts)) <= 5 else p.capitalize() for p in parts)


def default(parameter):
    """As a Python value. JSON has one kind of number, so the type decides."""
    value, kind = parameter["default"], parameter["type"]
    return {"integer": int, "real": float}[kind](value) if kind in ("integer", "real") and value != "auto" else value


def _number(value):
    return f"{value:g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def _doc_type(p):
    kind = p["type"]
    if kind == "choice":
        return "{" + ", ".join(f'"{c}"' for c in p["choices"]) + "}" + (f" or {FILES[p['name']][0]}" if p["name"] in FILES else "")
    if kind in ("integer", "real"):
        number = "int" if kind == "integer" else "float"
        return f"{number} in {_number(p['low'])}..{_number(p['high'])}" + (f' or "{p["auto_word"]}"' if p["can_be_auto"] else "")
    return {"boolean": "bool", "name": "str"}.get(kind) or FILES.get(p["name"], FILES[""])[0]


def _stub_type(p):
    kind = p["type"]
    if kind == "choice":
        words = "Literal[" + ", ".join(f'"{c}"' for c in p["choices"]) + "] | None"
        return f"{FILES[p['name']][1]} | {words}" if p["name"] in FILES else words
    text = {"integer": "int", "real": "float", "boolean": "bool", "name": "str"}.get(kind)
    text = text or FILES.get(p["name"], FILES[""])[1]
    return text + (f' | Literal["{p["auto_word"]}"]' if p["can_be_auto"] else "") + " | None"


def _merged(parameters):
    """One stub type for a keyword that several methods share."""
    seen, words = [], []
    for p in parameters:
        if p["type"] == "choice":
            words += [c for c in p["choices"] if c not in words]
        else:
            seen += [t for t in _stub_type(p).split(" | ") if t not in seen and t != "None"]
    if 'Literal["auto"]' in seen:
        seen.remove('Literal["auto"]')
        words = words if "auto" in words else ["auto", *words]
    if words:
        seen.append("Literal[" + ", ".join(f'"{w}"' for w in words) + "]")
    return " | ".join([*seen, "None"])


def arguments(method):
    """(keyword, default, type in the docs, type in the stubs, help) of one method's class, in order."""
    own = [(keyword_name(p["name"]), default(p), _doc_type(p), _stub_type(p), p["help"]) for p in method["parameters"]]
    return [FIRST, *own, *LAST]


def selector_arguments(methods):
    """The same of Selector: every parameter of every method, None being the method's own default."""
    owners = {}
    for m in methods:
        for p in m["parameters"]:
            owners.setdefault(p["name"], []).append((m["name"], p))
    first = ("method", "auto", "str", "str", 'A name of `pith.methods()`. "auto" picks one for the kind of data.')
    own = []
    for name in sorted(owners):
        who, same = owners[name], list(dict.fromkeys(p["help"] for _, p in owners[name]))
        whose = "every method" if len(who) == len(methods) else ", ".join(m for m, _ in who)
        own.append((keyword_name(name), None, "optional", _merged([p for _, p in who]), f"{same[0]} (of {whose})"))
    return [first, FIRST, *own, *LAST]


def positional(items):
    """How many arguments may be given without their names: up to n_features."""
    return 1 + [name for name, *_ in items].index("n_features")


def init_source(items):
    """The text of __init__, explicit keywords and all, as scikit-learn wants it."""
    count = positional(items)
    words = [f"{name}={value!r}" for name, value, *_ in items]
    words.insert(count, "*")
    lines = [f"    self.{name} = {name}" for name, *_ in items]
    return f"def __init__(self, {', '.join(words)}):\n" + "\n".join(lines) + "\n"


def _wrapped(text, indent):
    return textwrap.fill(text, 100, initial_indent=indent, subsequent_indent=indent)


def docstring(title, items, notes=(), reference=None):
    """In numpydoc's form."""
    lines = [title, "", "Parameters", "----------"]
    for name, value, kind, _, text in items:
        lines += [f"{name} : {kind}" + ("" if kind == "optional" else f", default={value!r}"), _wrapped(text, "    ")]
    lines += ["", "Attributes", "----------"]
    for name, kind, text in ATTRIBUTES:
        lines += [f"{name} : {kind}", _wrapped(text, "    ")]
    if any(notes):
        lines += ["", "Notes", "-----", *(_wrapped(n, "") for n in notes if n)]
    if reference:
        lines += ["", "References", "----------", _wrapped(reference, "")]
    return "\n".join(lines) + "\n"


def method_docstring(method):
    said = method["notes"], "Needs labels: `fit(X, y)`." if method["needs_labels"] else ""
    return docstring(method["title"], arguments(method), said, method["reference"])


def selector_docstring(methods):
    note = "A parameter that the method does not have is an error; None leaves it to the method."
    return docstring("Selects features by any method.", selector_arguments(methods), [note])


STUB = '''# Written by tools/update-docs.py (`make docs`) from `pith methods --json`; do not edit.
from os import PathLike
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import spmatrix

from ._selector import BaseSelector
from ._tree import Tree

__all__: list[str]

def class_of(method: str) -> type[BaseSelector]: ...
'''


def stubs(methods):
    """The text of _estimators.pyi."""
    classes = ["Selector", *(class_name(m["name"]) for m in methods)]
    text = STUB.replace("list[str]\n", "list[str] = [" + ", ".join(f'"{c}"' for c in classes) + "]\n")
    for name, items in zip(classes, [selector_arguments(methods), *map(arguments, methods)]):
        words = [f"{word}: {kind} = ..." for word, _, _, kind, _ in items]
        words.insert(positional(items), "*")
        fields = "".join(f"    {word}: {kind}\n" for word, _, _, kind, _ in items)
        text += f"\nclass {name}(BaseSelector):\n{fields}    def __init__(\n        self,\n"
        text += "".join(f"        {word},\n" for word in words) + "    ) -> None: ...\n"
    return text
