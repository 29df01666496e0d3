"""Selector and a class for each method, made from the registry: explicit keywords, defaults and docstrings."""
from . import _signatures
from ._result import METHODS
from ._selector import BaseSelector


def _make(name, items, doc, parameters, **fixed):
    scope = {}
    exec(_signatures.init_source(items), scope)  # keywords come from the registry, and from nowhere else
    init = scope["__init__"]
    init.__qualname__, init.__module__ = f"{name}.__init__", "pith"
    names = tuple(dict.fromkeys(p["name"] for p in parameters))
    return type(name, (BaseSelector,), {"__init__": init, "__doc__": doc, "__module__": "pith", "_names": names, **fixed})


def class_of(method):
    """The class of a method by its name."""
    return globals()[_signatures.class_name(method)]


_methods = list(METHODS.values())
Selector = _make("Selector", _signatures.selector_arguments(_methods), _signatures.selector_docstring(_methods),
                 [p for m in _methods for p in m["parameters"]])
__all__ = ["Selector", *map(_signatures.class_name, METHODS)]
for _name, _method in zip(__all__[1:], _methods):
    globals()[_name] = _make(_name, _signatures.arguments(_method), _signatures.method_docstring(_method),
                             _method["parameters"], method=_method["name"])
