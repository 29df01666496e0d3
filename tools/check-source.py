#!/usr/bin/env python3
"""Checks what a compiler does not: functions that outgrow a screen, paths of somebody's machine, notes to
self.

    tools/check-source.py [ROOT]        one line per offence, exit 1 if there is any
    tools/check-source.py --self-test   does it see each kind of offence, and only those?
"""
import os
import pathlib
import re
import sys

import checking

LONGEST = 70  # lines of a function, from its first line to its closing brace
# Put together from pieces, so that this file is clean itself.
NOTE = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME)\b")
MACHINE = re.compile(r"(?<![\w.$}])/(?:ho" + r"me/\w|ro" + r"ot/\w|Us" + r"ers/\w|wo" + r"rk/\w)")
LEFT_OUT = {".git", "build", "__pycache__"}


def texts(root):
    """Every text file of the checkout and its lines."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in LEFT_OUT)
        for name in sorted(names):
            path = pathlib.Path(folder, name)
            if name in (".git", "Makevars") or path.is_symlink():  # Makevars: written by r/configure
                continue
            data = path.read_bytes()
            try:
                if b"\0" not in data:
                    yield path, data.decode().splitlines()
            except UnicodeDecodeError:
                pass


def long_functions(lines):
    """(line, name, length) of the functions longer than LONGEST. clang-format puts a function's braces, and
    no others, alone into column 1."""
    opening = None
    for i, line in enumerate(lines):
        if line == "{":
            opening = i
        elif line == "}" and opening is not None:
            first = opening
            while first > 0 and not re.match(r"$|[#}]|/\*| \*", lines[first - 1]):
                first -= 1
            name = re.search(r"(\w+)\(", " ".join(lines[first:opening]))
            if i - first + 1 > LONGEST:
                yield first + 1, name[1] if name else "?", i - first + 1
            opening = None


def offences(root):
    for path, lines in texts(root):
        where = path.relative_to(root)
        for number, line in enumerate(lines, 1):
            if NOTE.search(line):
                yield f"{where}:{number}: a note to self"
            if MACHINE.search(line):
                yield f"{where}:{number}: a path of somebody's machine"
        if path.suffix in (".c", ".h"):
            for number, name, length in long_functions(lines):
                yield f"{where}:{number}: {name}() has {length} lines, {LONGEST} fit a screen"


def function(lines):
    """The text of one with so many lines."""
    return "/* What it does. */\nstatic int long_one(int a,\n                    int b)\n{\n" + \
        "    a++;\n" * (lines - 4) + "}\n"


SELF_TEST = {  # file: (its text, what is said of it; None: nothing)
    "ok.c": (function(LONGEST) + "\n" + function(LONGEST) + "struct s {\n" + "    int a;\n" * 90 + "};\n", None),
    "long.c": (function(3 + 4) + "\n" + function(LONGEST + 1), "long_one() has 71 lines, 70 fit a screen"),
    "note.md": ("To do: nothing.\nTO" + "DO: this\n", "a note to self"),
    "fix.c": ("/* FIX" + "ME */\n", "a note to self"),
    "path.sh": ("cat /ho" + "me/ann/x\n", "a path of somebody's machine"),
    "path2.py": ("open('/wo" + "rk/x')\n", "a path of somebody's machine"),
    "fine.sh": ("cat /usr/share/x ../wo" + "rk/x $HOME/wo" + "rk/y https://a.org/ho" + "me/x\n", None),
    "build/out.c": ("TO" + "DO\n", None),
    "blob.bin": (b"\0TO" + b"DO", None),
}


if __name__ == "__main__":
    sys.exit(checking.main("source", offences, SELF_TEST))
