#!/usr/bin/env python3
"""Checks who includes whom.

    core < matrix < linalg < { graph, cluster, tree } < methods < { select < evaluate < report, prep } < api

A file includes from its own folder and from those to its left; what braces hold apart does not see each other. Beside
linalg stand io, seen by tree and api, and synth, seen by evaluate, bench and api; bench, seen by nobody, stands beside api.
Includes name the folder. A method is methods/NAME.c or the folder methods/NAME/, and no method includes another.
A header NAME_inside.h says what a type consists of; the .c files of its own folder alone include it, and others like it.
The command, the examples, the Python and the R package include the public headers and nothing from src/; the reader of HDF5 files
includes its protocol and nothing else from there.

    tools/check-layering.py [ROOT]        one line per offence, exit 1 if there is any
    tools/check-layering.py --self-test   does it see each kind of offence, and only those?
"""
import pathlib
import re
import sys

import checking

MIDDLE = ["core", "matrix", "linalg", "graph", "cluster", "tree", "methods"]
SEES = {
    "core": [],
    "matrix": ["core"],
    "linalg": ["core", "matrix"],
    "io": ["core", "matrix"],
    "synth": ["core", "matrix"],
    "graph": ["core", "matrix", "linalg"],
    "cluster": ["core", "matrix", "linalg"],
    "tree": ["core", "matrix", "linalg", "io"],
    "methods": MIDDLE[:-1],
    "prep": MIDDLE,
    "select": MIDDLE,
    "evaluate": MIDDLE + ["select", "synth"],
    "report": MIDDLE + ["select", "evaluate"],
    "bench": ["core", "matrix", "linalg", "graph", "synth"],
    "api": MIDDLE + ["select", "evaluate", "report", "io", "prep", "synth"],
}
# Beside libc, core has only threads; file formats and their libraries are io's alone, words and their stems prep's.
OUTSIDE = {
    "cblas.h": ["matrix", "linalg", "graph", "cluster", "methods", "bench"],
    "hdf5.h": ["io"],
    "libstemmer.h": ["prep", "tree"],
    "utf8proc.h": ["prep"],
    "zip.h": ["io"],
    "zlib.h": ["io"],
}
PUBLIC = ["pith.h", "pith-engine.h"]
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        found = INCLUDE.match(line)
        if found:
            yield number, found[1] == '"', found[2]


def method_names(root):
    listing = root / "src/methods/methods.def"
    return set(re.findall(r"^METHOD\((\w+)\)", listing.read_text(), re.M)) if listing.exists() else set()


def method_of(path, methods):
    """The method that a file of src/methods/ belongs to; None where several share it."""
    room = path.parts[0].removesuffix(path.suffix)
    return room if room in methods else None


def offence_in_library(root, path, quoted, name, methods):
    """What is wrong with a file of src/ including this, or None."""
    folder = path.relative_to(root / "src").parts[0]
    if not quoted:
        if folder not in OUTSIDE.get(name, SEES):
            return f"<{name}> is not for {folder}/"
        return None
    if name in PUBLIC:
        return None
    target, slash, rest = name.partition("/")
    if rest.endswith("_inside.h") and (target != folder or not path.name.endswith((".c", "_inside.h"))):
        return f'"{name}" is for the .c files of {target}/ alone: use the functions of "{name[:-len("_inside.h")]}.h"'
    if not slash:
        return f'"{name}" does not name its folder'
    if target not in SEES:
        return f'"{name}" is in no folder of src/'
    if target != folder and target not in SEES[folder]:
        return f"{folder}/ does not see {target}/"
    if target == "methods":
        other = method_of(pathlib.PurePath(rest), methods)
        own = method_of(path.relative_to(root / "src/methods"), methods) if folder == "methods" else None
        if other is not None and other != own:
            return f"{f'method {own}' if own else folder + '/'} includes method {other}"
    return None


def offence_outside(root, path, quoted, name):
    """What is wrong with a file of cli/, examples/, python/ or r/ including this, or None."""
    if name in PUBLIC:
        return None
    if quoted:
        top = root / path.relative_to(root).parts[0]
        own = [(path.parent / name).resolve(), (root / name).resolve()]
        if not any(top in o.parents and o.exists() for o in own):
            return f'"{name}" is neither pith.h nor its own'
    elif (root / "src" / name).exists():
        return f"<{name}> is from src/"
    return None


def offence_in_reader(root, path, quoted, name):
    """What is wrong with a file of hdf5/ including this, or None."""
    if quoted and name != "io/hdf5_protocol.h" and not (path.parent / name).exists():
        return f'"{name}" is neither its protocol nor its own'
    return None


def offences(root):
    methods = method_names(root)
    for path in sorted((root / "src").rglob("*.[ch]")):
        folder = path.relative_to(root / "src").parts[0]
        where = path.relative_to(root)
        if folder not in SEES:
            yield f"{where}: src/{folder} is not in the layering"
            continue
        for number, quoted, name in includes(path):
            wrong = offence_in_library(root, path, quoted, name, methods)
            if wrong:
                yield f"{where}:{number}: {wrong}"
    for top, offence in (("cli", offence_outside), ("examples", offence_outside), ("python", offence_outside), ("r", offence_outside),
                         ("hdf5", offence_in_reader)):
        for path in sorted((root / top).rglob("*.[ch]")):
            for number, quoted, name in includes(path):
                wrong = offence(root, path, quoted, name)
                if wrong:
                    yield f"{path.relative_to(root)}:{number}: {wrong}"


SELF_TEST = {  # file: (its text, what is said of it; None: nothing)
    "src/methods/methods.def": ("METHOD(foo)\nMETHOD(bar)\nMETHOD(room)\n", None),
    "src/core/core.h": ("#include <stdint.h>\n#include <omp.h>\n#include \"pith.h\"\n#include \"pith-engine.h\"\n", None),
    "src/core/up.c": ('#include "matrix/data.h"\n', "core/ does not see matrix/"),
    "src/core/blas.c": ("#include <cblas.h>\n", "<cblas.h> is not for core/"),
    "src/matrix/data.h": ('#include "core/core.h"\n', None),
    "src/io/csv.c": ('#include "matrix/data.h"\n#include <zlib.h>\n', None),
    "src/io/lift.c": ('# include  "linalg/eigen.h"\n', "io/ does not see linalg/"),
    "src/linalg/beside.c": ('\n#include "prep/scale.h"\n', "linalg/ does not see prep/"),
    "src/graph/knn.c": ('#include "linalg/eigen.h"\n#include "matrix/data.h"\n', None),
    "src/graph/brace.c": ('#include "cluster/kmeans.h"\n', "graph/ does not see cluster/"),
    "src/graph/graph_inside.h": ('#include "graph/knn.h"\n', None),
    "src/graph/spread_inside.h": ('#include "graph/graph_inside.h"\n', None),
    "src/graph/build.c": ('#include "graph/graph_inside.h"\n', None),
    "src/graph/arcs.h": (
        '#include "graph/graph_inside.h"\n',
        '"graph/graph_inside.h" is for the .c files of graph/ alone: use the functions of "graph/graph.h"',
    ),
    "src/methods/looks_inside.c": (
        '#include "graph/graph.h"\n#include "graph/graph_inside.h"\n',
        '"graph/graph_inside.h" is for the .c files of graph/ alone: use the functions of "graph/graph.h"',
    ),
    "tests/unit/test_graph.c": ('#include "graph/graph_inside.h"\n', None),
    "src/tree/names.c": ('#include "io/io.h"\n', None),
    "src/tree/steps.c": ('#include "prep/scale.h"\n', "tree/ does not see prep/"),
    "src/prep/rows.c": ('#include "graph/knn.h"\n#include "methods/run.h"\n', None),
    "src/prep/foo.c": ('#include "methods/foo.h"\n', "prep/ includes method foo"),
    "src/bench/bench.c": ('#include "graph/knn.h"\n#include "synth/synth.h"\n', None),
    "src/api/speed.c": ('#include "bench/bench.h"\n', "api/ does not see bench/"),
    "src/methods/foo.c": ('#include "graph/knn.h"\n#include "methods/foo.h"\n#include "methods/run.h"\n', None),
    "src/methods/bar.c": ('#include "methods/foo.h"\n', "method bar includes method foo"),
    "src/methods/room/room.c": ('#include "methods/room/parts.h"\n#include "methods/pair/shared.h"\n', None),
    "src/methods/room/parts.c": ('#include "methods/foo.h"\n', "method room includes method foo"),
    "src/methods/baz.c": ('#include "methods/room/parts.h"\n', "methods/ includes method room"),
    "src/methods/reader.c": ('#include "io/io.h"\n', "methods/ does not see io/"),
    "src/select/bare.c": ('#include "rank.h"\n', '"rank.h" does not name its folder'),
    "src/select/climb.c": ('#include "../api/api.h"\n', '"../api/api.h" is in no folder of src/'),
    "src/api/run.c": ('#include "io/io.h"\n#include "report/json.h"\n#include "methods/run.h"\n', None),
    "src/utils/all.c": ("", "src/utils is not in the layering"),
    "cli/main.c": ('#include <stdio.h>\n#include <pith.h>\n#include "options.h"\n#include "cli/options.h"\n', None),
    "cli/options.h": ('#include "pith.h"\n', None),
    "cli/deep.c": ('#include "core/core.h"\n', '"core/core.h" is neither pith.h nor its own'),
    "cli/deep2.c": ("#include <core/core.h>\n", "<core/core.h> is from src/"),
    "cli/deep3.c": ('#include "../src/core/core.h"\n', '"../src/core/core.h" is neither pith.h nor its own'),
    "hdf5/main.c": ('#include <hdf5.h>\n#include "main.h"\n#include "io/hdf5_protocol.h"\n', None),
    "hdf5/main.h": ("", None),
    "hdf5/deep.c": ('#include "core/core.h"\n', '"core/core.h" is neither its protocol nor its own'),
    "python/core/core.h": ("#include <Python.h>\n#include <pith.h>\n", None),
    "python/core/deep.c": ('#include "core.h"\n#include <core/core.h>\n', "<core/core.h> is from src/"),
    "examples/small.c": ('#include "../src/core/core.h"\n', '"../src/core/core.h" is neither pith.h nor its own'),
}


if __name__ == "__main__":
    sys.exit(checking.main("layering", offences, SELF_TEST))
