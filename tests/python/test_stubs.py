"""Type stubs agree with what is there."""
import ast
import inspect
import subprocess
import sys

import numpy as np

import pith
from conftest import ROOT
from pith import _estimators

STUB = ROOT / "python/pith/_estimators.pyi"


def test_stubs_of_the_classes_have_their_signatures():
    tree = ast.parse(STUB.read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    assert list(classes) == _estimators.__all__
    for name, node in classes.items():
        init = next(f for f in node.body if isinstance(f, ast.FunctionDef) and f.name == "__init__").args
        there = inspect.signature(getattr(pith, name)).parameters.values()
        assert [a.arg for a in init.args[1:]] == [p.name for p in there if p.kind == p.POSITIONAL_OR_KEYWORD], name
        assert [a.arg for a in init.kwonlyargs] == [p.name for p in there if p.kind == p.KEYWORD_ONLY], name
        fields = [f.target.id for f in node.body if isinstance(f, ast.AnnAssign)]
        assert fields == [p.name for p in there], name


def test_defaults_have_the_types_of_the_stubs():
    tree = ast.parse(STUB.read_text())
    scope = {}
    exec("from os import PathLike\nfrom typing import Literal\nimport numpy as np\nfrom numpy.typing import ArrayLike\n"
         "from pith import Tree\nfrom scipy.sparse import spmatrix", scope)
    for node in tree.body:
        for field in node.body if isinstance(node, ast.ClassDef) else []:
            if not isinstance(field, ast.AnnAssign):
                continue
            kind = eval(ast.unparse(field.annotation), scope)
            value = inspect.signature(getattr(pith, node.name)).parameters[field.target.id].default
            assert fits(value, kind), (node.name, field.target.id, value, kind)


def fits(value, kind):
    parts = getattr(kind, "__args__", (kind,))
    if type(kind).__name__ == "_LiteralGenericAlias":
        return value in parts
    if parts == (kind,):
        return value is None if kind is type(None) else isinstance(value, kind)
    return any(fits(value, p) for p in parts if isinstance(p, type) or type(p).__name__ == "_LiteralGenericAlias")


def test_everything_promised_is_there_and_documented():
    for name in pith.__all__:
        thing = getattr(pith, name)
        assert thing.__doc__ and len(thing.__doc__) > 20, name
    assert (ROOT / "python/pith/py.typed").exists()
    assert np.dtype(pith.rank(np.eye(4), "variance").scores.dtype) == np.float64


def test_importing_pith_does_not_import_pandas():
    code = "import sys, pith; print([m for m in ('pandas', 'matplotlib', 'anndata') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
