"""Files that are mapped, and the limit of memory."""
import numpy as np
import pytest
import scipy.sparse as sp

import pith
from conftest import command


@pytest.fixture
def counts():
    return sp.random(3000, 400, density=0.2, random_state=1, format="csr", dtype=np.float32)


@pytest.mark.parametrize("kind", ["csr", "csc"])
def test_numpy_and_scipy_open_what_pith_writes(tmp_path, counts, kind):
    sp.save_npz(tmp_path / "a.npz", counts.asformat(kind))
    command("convert", "a.npz", "b.npz", "-q", cwd=tmp_path)
    back = sp.load_npz(tmp_path / "b.npz")
    assert back.dtype == np.float32 and (back != counts).nnz == 0
    np.save(tmp_path / "d.npy", np.asfortranarray(counts.toarray()))
    command("convert", "d.npy", "d.npz", "-q", cwd=tmp_path)
    assert np.array_equal(np.load(tmp_path / "d.npz")["X"], counts.toarray())


def test_the_limit_changes_no_score_and_is_kept(tmp_path, counts):
    plain = pith.rank(counts, method="dispersion").scores
    try:
        pith.set_memory(1 << 23, tmp_path)
        assert np.array_equal(pith.rank(counts, method="dispersion").scores, plain)
        with pytest.raises(MemoryError, match="the limit is 8.4 MB"):
            pith.rank(counts.toarray().astype(float), method="udfs")
    finally:
        pith.set_memory()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("memory", [0, 5, -1, True, 1.5e9, "16GB"])
def test_sizes_that_make_no_sense(memory):
    with pytest.raises(ValueError, match="memory: a number of bytes"):
        pith.set_memory(memory)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match="is not a folder"):
        pith.set_memory(scratch=tmp_path / "nowhere")
