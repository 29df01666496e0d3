"""Trees over features."""
import os
import pathlib
import tempfile
from dataclasses import dataclass, field
from typing import Optional, Union

import numpy as np

from . import _core
from ._call import seed_of, threads_of, watching
from ._data import checked, on_table, value_text


@dataclass(frozen=True, eq=False)
class Tree:
    """Groups of features, each inside its parent; the root, node 0, holds all of them.

    nodes : for each node the numbers of its features, ascending
    parents : for each node the number of its parent; -1 for the root
    labels : for each node a text, or ""
    features, depth : how many features and levels there are
    remarks : what was noticed while it was built or read
    text : the tree as a file holds it; methods take it as their parameter `tree`
    """

    nodes: list[np.ndarray] = field(repr=False)
    parents: np.ndarray = field(repr=False)
    labels: list[str] = field(repr=False)
    features: int
    depth: int
    remarks: list[str]
    text: str = field(repr=False)

    def write(self, path: Union[str, os.PathLike]) -> None:
        """Writes the tree to a file, as `pith tree` does."""
        pathlib.Path(path).write_text(self.text, encoding="utf-8")


def _made(call, *rest) -> Tree:
    with tempfile.TemporaryDirectory(prefix="pith-") as folder:
        path = os.path.join(folder, "made.tree")
        said = call(path, *rest)
        text = pathlib.Path(path).read_text(encoding="utf-8")
    parents, labels, nodes = zip(*said["nodes"])
    return Tree([np.frombuffer(n, np.int32) for n in nodes], np.array(parents), list(labels), said["features"],
                said["depth"], said["remarks"], text)


def _setting(name, value):
    if name == "size" and isinstance(value, (tuple, list)):
        return "size=" + "x".join(str(v) for v in value)
    return f"{name}={value_text(name, value)}"


def tree(X, builder: str = "cluster", *, feature_names=None, random_state=1, threads: Optional[int] = None, verbose: int = 0,
         **settings) -> Tree:
    """Builds a tree over the features of X, as `pith tree` does.

    builder : "grid" (the features are pixels), "cluster" (by the data), "wordnet" (by the meaning of their names) or
        "root" (no groups)
    settings : of the builder, such as size=(32, 32) or leaf=8; docs/trees.md lists them
    """
    from ._functions import _names
    names, X = _names(X, feature_names), checked(X)
    recipe = ":".join([builder, *(_setting(name, value) for name, value in settings.items())])
    with watching(verbose, "tree") as watch:
        rest = seed_of(random_state), threads_of(threads), watch
        return _made(lambda path: on_table(X, lambda table: _core.tree(table, names, recipe, None, path, *rest)))


def read_tree(path: Union[str, os.PathLike]) -> Tree:
    """Reads a tree from a file."""
    return _made(lambda output: _core.tree(None, None, None, os.fspath(path), output, 1, 1, None))
