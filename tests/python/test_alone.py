"""NumPy alone: no SciPy, no scikit-learn, no pandas. Each case is a process of its own that cannot import them."""
import os
import subprocess
import sys
import textwrap

import pytest

SETUP = """
import sys
class Nowhere:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in BLOCKED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Nowhere())
import numpy as np, pith
random = np.random.default_rng(1)
X = random.normal(size=(90, 20)).astype("f4")
X[:, :5] += 4 * (np.arange(90) % 3)[:, None]
"""


def alone(code, folder=None, blocked=("scipy", "sklearn", "pandas", "matplotlib", "anndata", "joblib")):
    done = subprocess.run([sys.executable, "-c", f"BLOCKED = {blocked!r}\n" + SETUP + textwrap.dedent(code)], capture_output=True, text=True, cwd=folder,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_three_lines_rank():
    told = alone("""
        best = pith.rank(X, method="laplacian").ranking[:5]
        print(sorted(best.tolist()))
        """)
    assert told == "[0, 1, 2, 3, 4]\n"


def test_scores_are_those_with_scikit_learn():
    import numpy as np
    import pith
    random = np.random.default_rng(1)
    X = random.normal(size=(90, 20)).astype("f4")
    X[:, :5] += 4 * (np.arange(90) % 3)[:, None]
    for method in ("laplacian", "mcfs", "consensus", "variance"):
        told = alone(f"print(pith.rank(X, method={method!r}).scores.tobytes().hex())").strip()
        assert told == pith.rank(X, method=method).scores.tobytes().hex()


def test_lists_and_whole_numbers_are_taken():
    told = alone("""
        print(pith.rank([[1, 2], [3, 5], [4, 4]], method="variance").scores.tolist() ==
              pith.rank(np.array([[1., 2.], [3., 5.], [4., 4.]]), method="variance").scores.tolist())
        print(len(pith.kmeans(X, 3).labels), round(pith.nmi([0, 0, 1, 1], [1, 1, 0, 0]), 6))
        """)
    assert told == "True\n90 1.0\n"


def test_scipy_alone_is_enough_for_sparse_data():
    told = alone("""
        import scipy.sparse as sp
        S = np.where(X > 1, X, 0)
        want = pith.rank(S, method="variance").scores
        print(all(np.allclose(pith.rank(sp.coo_matrix(S).asformat(f), method="variance").scores, want, rtol=1e-12, atol=0)
                  for f in ("csr", "csc", "coo")), "sklearn" in sys.modules)
        print(pith.rank(sp.csr_matrix(S).astype(int), method="variance").scores.dtype)
        """, blocked=("sklearn", "joblib"))
    assert told == "True False\nfloat64\n"


@pytest.mark.parametrize("bad, told", [("[1, 2, 3]", "Expected 2D array, got 1D"), ("np.zeros((0, 3))", "0 sample(s)"),
                                       ("np.zeros((3, 3), complex)", "Complex data"), ("[['a', 'b']]", "could not convert")])
def test_what_is_no_table_is_refused(bad, told):
    assert told in alone(f"""
        try:
            pith.rank({bad}, method="variance")
        except ValueError as why:
            print(why)
        """)


def test_what_needs_more_says_what(tmp_path):
    import scipy.sparse
    scipy.sparse.save_npz(tmp_path / "sparse.npz", scipy.sparse.identity(4, format="csr"))
    told = alone("""
        for call in (lambda: pith.Selector("variance"), lambda: pith.Laplacian(), lambda: pith.read("sparse.npz")):
            try:
                call()
            except ModuleNotFoundError as why:
                print(why)
        """, tmp_path).splitlines()
    assert told[0] == "Selector needs scikit-learn: pip install scikit-learn. pith.rank does without."
    assert told[1].startswith("Laplacian needs scikit-learn")
    assert told[2] == "sparse data needs SciPy: pip install scipy"
