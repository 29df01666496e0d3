"""The examples of docs/python.md and README.md, and the tutorial."""
import doctest
import os
import re
import subprocess
import sys

import pytest

from conftest import ROOT, need

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples(page):
    """The ```pycon blocks of a page as one session; what is between them as empty lines, so that numbers fit."""
    text, lines, inside = page.read_text(encoding="utf-8"), [], False
    for line in text.splitlines():
        fence = re.match(r"```(\w*)", line)
        lines.append(line if inside and not fence else "")
        inside = fence[1] == "pycon" if fence else inside
        assert inside or not line.startswith(">>>"), f"{page}: an example in a block of another kind: {line}"
    return "\n".join(lines) + "\n"


@pytest.mark.filterwarnings("error::UserWarning")  # users would see them, and the page does not
@pytest.mark.parametrize("name", ["docs/python.md", "README.md"])
def test_examples(name):
    page = ROOT / name
    test = doctest.DocTestParser().get_doctest(examples(page), {}, name, str(page), 0)
    assert len(test.examples) >= (20 if name == "docs/python.md" else 2)
    said = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert not said, "".join(said)


def test_cells_of_the_tutorial(tmp_path, monkeypatch):
    need("anndata")
    page = ROOT / "docs/tutorials/cells.md"
    subprocess.run([sys.executable, ROOT / "examples/cells.py", tmp_path / "pbmc"], check=True)
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest(examples(page), {}, page.name, str(page), 0)
    assert len(test.examples) >= 9
    said = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert not said, "".join(said)


def test_the_tutorial_makes_its_plots(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "docs/tutorials/python.py", tmp_path], capture_output=True, text=True,
                          timeout=120, env={**os.environ, "MPLCONFIGDIR": str(tmp_path / "config")})
    assert done.returncode == 0, done.stderr
    for name in ("pixels", "accuracy", "agreement", "objective"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG"), name
    assert "consensus" in done.stdout and "ndfs: 30 rounds" in done.stdout
