"""What the tests of the Python package share: small data, and the command to compare with."""
import importlib
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn


def leave_out(why):
    """Skips what cannot be had here; with PITH_NO_SKIP=1, as in .ci/run, that is an error."""
    if os.environ.get("PITH_NO_SKIP") == "1":
        raise RuntimeError(f"{why}, and nothing may be skipped")
    return why


def need(package):
    """The package; without it the test, or the whole file, is skipped."""
    try:
        return importlib.import_module(package)
    except ImportError:
        pytest.skip(leave_out(f"{package} is not installed"), allow_module_level=True)


def pytest_sessionfinish(session):
    """A file of which all was skipped has not passed: 77 tells ctest so."""
    told = session.config.pluginmanager.get_plugin("terminalreporter").stats
    if told.get("skipped") and not any(told.get(how) for how in ("passed", "failed", "error", "xfailed")):
        session.exitstatus = 77


if tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 2):
    pytest.exit("skipped: " + leave_out("scikit-learn 1.2 is needed"), returncode=77)

import pith  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
METHODS = [m.name for m in pith.methods()]
UNSUPERVISED = [m.name for m in pith.methods() if not m.needs_labels]
COUNTS = {m.name for m in pith.methods() if m.needs_counts}
# Settings under which a method that is slow by its nature is quick; what they are does not matter here.
QUICK = {"cl-des": {"pairs": 2000}, "consensus": {"draws": 4}, "ht-des": {"pairs": 2000}}


def command(*words, cwd=None):
    """Standard output of the command."""
    done = subprocess.run([os.environ["PITH"], *map(str, words)], capture_output=True, text=True, cwd=cwd, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def command_json(*words, cwd=None):
    return json.loads(command(*words, cwd=cwd))


def blobs(n=60, p=12, seed=0):
    """Three clusters that the first four columns tell apart, and their labels."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = random.normal(size=(n, p))
    X[:, :4] += 4 * np.stack([(y + j) % 3 for j in range(4)], axis=1)
    return X, y


def counts(n=60, p=30, seed=0):
    """Sparse counts in three clusters."""
    random = np.random.default_rng(seed)
    rate = np.where((np.arange(p) % 3)[None, :] == (np.arange(n) % 3)[:, None], 0.6, 0.1)
    return sp.csr_matrix(random.poisson(rate).astype(float)), np.arange(n) % 3


@pytest.fixture
def X():
    return blobs()[0]


@pytest.fixture
def y():
    return blobs()[1]
