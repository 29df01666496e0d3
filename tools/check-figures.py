#!/usr/bin/env python3
"""Checks that a page with measured figures says at which commit they were measured, in a paragraph such as

    Figures measured at commits abc1234 (times) and def5678 (memory).

    tools/check-figures.py [ROOT]             one line per page without such a paragraph, exit 1 if there is any
    tools/check-figures.py --history [ROOT]   are these commits in the history of the checkout? exit 77 where there is none
    tools/check-figures.py --self-test        does it see each kind of offence, and only those?

What counts as measured is a rough guess: times, sizes, rates, columns of them, and scores with three digits. Blocks of code do not count, since
tests run them, nor do tables of options.
"""
import pathlib
import re
import subprocess
import sys

import checking

MEASURED = re.compile(r"""(?<![\w.,])(?:
    [\d.,]*\d\ (?:ms|s|min|minutes|hours|h|kB|MB|GB|MB/s|GFLOP/s)(?!\w)   # 3.4 ms, 250 MB
  | [\d.,]*\d\ times\ as\ (?:fast|long|much)
  | 0?\.\d{3}(?![\w.])                                                    # .672, 0.672/0.701
)|\|[^|\n]*\b(?:seconds|ms|CPU\ s|MB|GB)\b[^|\n]*\|                      # the head of a column: CPU s
""", re.VERBOSE)
MARK = re.compile(r"^(?:Figures|Pictures?)\b[^\n]*\bat commits? (?:.+\n?)+", re.MULTILINE)
COMMIT = re.compile(r"\b[0-9a-f]{7,40}\b")
OPTIONS = re.compile(r"<!-- (methods|parameters|steps) -->.*?<!-- /\1 -->", re.DOTALL)
BLOCK = re.compile(r"^ *```.*?^ *```", re.DOTALL | re.MULTILINE)
RESULTS = "docs/results/"  # bench/results/book.py writes the commits of its runs there itself
NOT_MEASURED = {  # page: why what looks like a figure is none
    "docs/embedding.md": "the least memory that a program can allow",
    "docs/security.md": "limits under which files are read",
}


def pages(root):
    """The name and the text of each page that people write."""
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        name = path.relative_to(root).as_posix()
        if path.exists() and not name.startswith(RESULTS):
            yield name, path.read_text(encoding="utf-8")


def marks(text):
    return [mark for mark in MARK.findall(text) if COMMIT.search(mark)]


def offences(root):
    for name, text in pages(root):
        plain = BLOCK.sub("", OPTIONS.sub("", text))
        found = MEASURED.search(plain)
        if found and name not in NOT_MEASURED and not marks(text):
            yield f"{name}: '{found[0]}' looks measured, and no line 'Figures measured at commit ...' says when"


def strangers(root, history):
    """The commits of marks that are not in the history, full names one per line."""
    for name, text in pages(root):
        for commit in COMMIT.findall("".join(marks(text))):
            if f"\n{commit}" not in f"\n{history}":
                yield f"{name}: commit {commit} is not in the history"


def git(root, *words):
    """What git prints; None where there is no git, or it fails."""
    try:
        return subprocess.run(["git", "-C", root, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout.decode()
    except (OSError, subprocess.CalledProcessError):
        return None


def check_history(root):
    # Unpacked inside another checkout, a tarball of the sources has that one's history, not its own.
    top = git(root, "rev-parse", "--show-toplevel")
    whole = (git(root, "rev-parse", "--is-shallow-repository") or "").strip() == "false"
    history = git(root, "rev-list", "HEAD")
    if top is None or pathlib.Path(top.strip()).resolve() != root or not whole or history is None:
        print("figures: SKIPPED: no git history here to look the commits up in")
        return 77
    found = list(strangers(root, history))
    print("\n".join(found) if found else "figures: every commit is in the history")
    return 1 if found else 0


MISSING = "looks measured, and no line 'Figures measured at commit ...' says when"
SELF_TEST = {  # file: (its text, what is said of it; None: nothing)
    "README.md": ("It takes 3.4 ms.\n\nFigures measured at commit abc1234.\n", None),
    "docs/time.md": ("It took 12 s.\n", f"'12 s' {MISSING}"),
    "docs/size.md": ("It takes 2.1 GB.\n", f"'2.1 GB' {MISSING}"),
    "docs/column.md": ("| data | CPU s |\n| --- | --- |\n| a | 12 |\n", f"'| CPU s |' {MISSING}"),
    "docs/security.md": ("at most 64 MB\n", None),
    "docs/ratio.md": ("It is 3.5 times as fast.\n", f"'3.5 times as fast' {MISSING}"),
    "docs/score.md": ("| a | .672/.701 |\n", f"'.672' {MISSING}"),
    "docs/mark.md": ("It took 12 s.\n\nFigures measured at commit soon.\n", f"'12 s' {MISSING}"),
    "docs/two.md": ("NMI 0.672\n\nFigures measured at commits abc1234 (times)\nand def5678 (NMI).\n\nMore.\n", None),
    "docs/none.md": ("4,000 samples, 0.05, 5 % in 2026, 3 steps, 1,024 x 2.345, 6 halves\n", None),
    "docs/code.md": ("```console\n$ pith bench\nknn 12 s\n```\n", None),
    "docs/options.md": ("<!-- parameters -->\n| `--rho` | 0.003 |\n<!-- /parameters -->\n", None),
    "docs/results/cost.md": ("12 s\n", None),
    "src/notes.md": ("12 s\n", None),
}
HISTORY = "abc1234000000000000000000000000000000000\n"
SELF_TEST_HISTORY = {
    "README.md": ("Figures measured at commit abc1234.\n", None),
    "docs/two.md": ("Figures measured at commits abc1234 (times)\nand def5678 (NMI).\n", "commit def5678 is not in the history"),
    "docs/tail.md": ("Figures measured at commit 1234000.\n", "commit 1234000 is not in the history"),
    "docs/text.md": ("The table is from commit def5678.\n", None),
}


def main():
    if sys.argv[1:2] == ["--history"]:
        return check_history(pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent.parent).resolve())
    if sys.argv[1:] == ["--self-test"] and checking.self_test(lambda root: strangers(root, HISTORY), SELF_TEST_HISTORY):
        return 1
    return checking.main("figures", offences, SELF_TEST)


if __name__ == "__main__":
    sys.exit(main())
