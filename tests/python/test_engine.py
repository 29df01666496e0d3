"""engine= of everything that searches neighbours or eigenpairs."""
import os
import pathlib

import numpy as np
import pytest

import pith
from conftest import need

ENGINES = pathlib.Path(os.environ["PITH_BUILD"]) / "tests/engines"


@pytest.fixture(autouse=True)
def path(monkeypatch):
    monkeypatch.setenv("PITH_ENGINE_PATH", str(ENGINES))


@pytest.fixture
def X():
    random = np.random.default_rng(5)
    return random.normal(size=(60, 12)) + 3 * (np.arange(60)[:, None] // 20 == np.arange(12) // 3)


def test_none_and_local_are_the_library(X):
    here = pith.rank(X, "mcfs")
    assert here.engine == "local" == pith.rank(X, "mcfs", engine="local").engine
    assert np.array_equal(here.scores, pith.rank(X, "mcfs", engine="local").scores)


def test_plain_gives_the_same_ranking(X):
    for method in ("laplacian", "spec", "mcfs", "consensus"):
        result = pith.rank(X, method, engine="plain")
        assert result.engine == "plain" and np.array_equal(result.ranking, pith.rank(X, method).ranking)


def test_selectors_take_it_and_tell(X):
    for selector in (pith.MCFS(4, engine="plain"), pith.Selector("mcfs", 4, engine="plain")):
        fitted = selector.fit(X)
        assert fitted.result_.engine == "plain" and selector.get_params()["engine"] == "plain"
        assert np.array_equal(fitted.get_support(), pith.MCFS(4).fit(X).get_support())


def test_prep_and_compare_take_it(X):
    assert np.array_equal(pith.prep(X, "drop-noisy", engine="plain").X, pith.prep(X, "drop-noisy").X)
    told = [pith.compare(X, methods="mcfs", n_features=3, restarts=2, clusters=3, engine=e) for e in (None, "plain")]
    assert np.array_equal(told[0].rankings["mcfs", ""], told[1].rankings["mcfs", ""])


def test_genes(X):
    anndata = need("anndata")
    adata = anndata.AnnData(X)
    pith.select_genes(adata, "mcfs", n_top_genes=4)
    assert "engine" not in adata.uns["pith"]
    here = adata.var["highly_variable"].to_numpy()
    pith.select_genes(adata, "mcfs", n_top_genes=4, engine="plain")
    assert adata.uns["pith"]["engine"] == "plain" and np.array_equal(here, adata.var["highly_variable"])


def test_one_that_cannot_be_loaded_is_a_file_error_with_its_path(X):
    for call in (lambda e: pith.rank(X, engine=e), lambda e: pith.compare(X, engine=e), lambda e: pith.prep(X, "zscore", engine=e),
                 lambda e: pith.Laplacian(engine=e).fit(X)):
        for name in ("nowhere", "old", "other", "empty", "broken"):
            with pytest.raises(pith.FileError, match=f"libpith-{name}.so"):
                call(name)
        with pytest.raises(ValueError, match="engine ../x: a name has"):
            call("../x")
        with pytest.raises(TypeError, match="engine: a name or None is expected, not int"):
            call(3)
        with pytest.raises(ValueError, match="NUL"):
            call("pl\0ain")


def test_what_breaks_its_word_is_a_runtime_error(X, monkeypatch):
    monkeypatch.setenv("PITH_BAD_ENGINE", "self")
    with pytest.raises(RuntimeError, match="engine bad returned an invalid result"):
        pith.rank(X, "laplacian", engine="bad")
    monkeypatch.setenv("PITH_BAD_ENGINE", "fails")
    with pytest.raises(MemoryError, match="engine bad: the device has no memory left"):
        pith.rank(X, "laplacian", engine="bad")
    monkeypatch.setenv("PITH_BAD_ENGINE", "closed")
    with pytest.raises(pith.FileError, match="there is no device"):
        pith.rank(X, "laplacian", engine="bad")


def test_methods_tell_whether_rows_may_be_spread():
    assert all(isinstance(m.spreads, bool) for m in pith.methods())
