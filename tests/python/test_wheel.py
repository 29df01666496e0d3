"""The wheel in an environment that has nothing but NumPy, SciPy and scikit-learn of Debian."""
import glob
import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import pith
from conftest import ROOT, leave_out

BUILD = pathlib.Path(os.environ["PITH_BUILD"])
LIBRARY = "libpith.so." + ".".join(pith.__version__.split(".")[:2 if pith.__version__.startswith("0.") else 1])
# And what those three need themselves.
PACKAGES = {"numpy": "numpy", "scipy": "scipy", "sklearn": "scikit-learn", "joblib": "joblib",
            "threadpoolctl": "threadpoolctl"}

USE = """
import importlib.util, sys
import numpy as np, scipy.sparse as sp
import pith
for absent in ("pandas", "matplotlib", "pip", "pytest", "anndata"):
    assert importlib.util.find_spec(absent) is None, absent
X = np.load(sys.argv[1])
scores = [pith.rank(X, m).scores for m in ("laplacian", "spec", "ndfs", "kmeans-energy")]
np.save(sys.argv[2], scores)
assert pith.Selector("cl-des", n_features=3, pairs=500).fit_transform(sp.csr_matrix(abs(X))).shape == (len(X), 3)
assert pith.read(sys.argv[3]).X.shape[0] == 4  # HDF5: by the program that comes with the library
assert pith.accuracy([0, 1], pith.kmeans([[0.0], [1.0]], 2).labels) == 1
try:
    pith.compare(X)
except ImportError as why:
    assert "pandas" in str(why)
else:
    raise SystemExit("no pandas, and a frame all the same?")
print(pith.__file__)
print(*sorted({line.split()[-1] for line in open("/proc/self/maps") if "libpith" in line}))
"""


def quiet(*words, **more):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=300, **more)
    assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def clean(**more):
    """The environment without what leads to the build's own package."""
    return {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")} | more


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A copy: building leaves things behind."""
    folder = tmp_path_factory.mktemp("checkout")
    left_out = shutil.ignore_patterns("build", "*.egg-info", "__pycache__")
    shutil.copytree(ROOT / "python", folder / "python", ignore=left_out)
    shutil.copytree(ROOT / "include", folder / "include")
    return folder


@pytest.fixture(scope="module")
def plain(sources, tmp_path_factory):
    """The wheel that is built, with libpith in it and the libraries of the system."""
    folder = tmp_path_factory.mktemp("plain")
    quiet(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-index", "--no-deps", "-w", folder,
          sources / "python", env=clean(PITH_LIBRARY=str(BUILD)))
    wheel, = folder.glob("pith-*.whl")
    return wheel


def empty_environment(folder, packages=PACKAGES):
    """A virtual environment with Debian's packages linked in, one by one, and their metadata; no pip."""
    quiet(sys.executable, "-m", "venv", "--without-pip", folder, env=clean())
    place = pathlib.Path(glob.glob(str(folder / "lib/python3*/site-packages"))[0])
    for module, project in packages.items():
        found = importlib.metadata.distribution(project)
        there = pathlib.Path(found.locate_file(""))
        for name in (module, f"{module}.py", found._path.name):
            if (there / name).exists():
                (place / name).symlink_to(there / name)
    return folder / "bin/python", place


def use(python, tmp_path, env):
    """Runs USE; what it printed, after its scores were compared with those of this process."""
    X = np.random.default_rng(0).normal(size=(50, 9))
    np.save(tmp_path / "X.npy", X)
    said = quiet(python, "-B", "-c", USE, tmp_path / "X.npy", tmp_path / "scores.npy",
                 ROOT / "tests/fuzz/corpus/h5ad/good-csr-names.h5ad", env=env, cwd=tmp_path).split("\n")
    want = [pith.rank(X, m).scores for m in ("laplacian", "spec", "ndfs", "kmeans-energy")]
    assert np.load(tmp_path / "scores.npy").tobytes() == np.array(want).tobytes()
    return said


def test_wheel_in_an_empty_environment(plain, tmp_path):
    (tmp_path / "dist").mkdir()
    wheel = pathlib.Path(shutil.copy(plain, tmp_path / "dist"))
    assert wheel.name.startswith(f"pith-{pith.__version__}-cp3") and "linux" in wheel.name
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"pith/{LIBRARY}", "pith/py.typed", "pith/_estimators.pyi", "pith/__init__.py"} <= names
    assert any(n.startswith("pith/_core.") and n.endswith(".so") for n in names)
    assert any(n.endswith("LICENSE") for n in names) and not any("core.h" in n or n.endswith(".c") for n in names)
    python, place = empty_environment(tmp_path / "env")
    quiet(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", wheel, env=clean())
    shutil.rmtree(tmp_path / "dist")
    quiet(ROOT / "tests/package/hardened.sh", place / "pith" / LIBRARY, place / "pith/pith-hdf5",
          *(place / "pith").glob("_core.*.so"))
    for name in ("libz.so.1", "libzip.so.4"):  # in the folder that it is used in
        (tmp_path / name).write_text("not a library")
    where, library, _ = use(python, tmp_path, clean())
    assert where == str(place / "pith/__init__.py") and library == str(place / "pith" / LIBRARY)


BESIDE = """
import os, sys, threading
import numpy as np
import pith

def largest(X):  # by NumPy's own BLAS
    return float(np.linalg.eigvalsh(X.T @ X)[-1])

X = np.random.default_rng(0).normal(size=(400, 60))
want, norm = pith.rank(X, "mcfs").scores.tobytes(), largest(X)

def work(results):
    for _ in range(3):
        results.append((pith.rank(X, "mcfs").scores.tobytes() == want, abs(largest(X) - norm) < 1e-9 * norm))

results = []
threads = [threading.Thread(target=work, args=(results,)) for _ in range(4)]
[t.start() for t in threads], [t.join() for t in threads]
assert len(results) == 12 and all(a and b for a, b in results), results
children = []
for _ in range(3):
    child = os.fork()
    if child == 0:
        mine = []
        work(mine)
        os._exit(0 if all(a and b for a, b in mine) else 1)
    children.append(child)
assert all(os.waitpid(c, 0)[1] == 0 for c in children)
work(results)
assert all(a and b for a, b in results)
assert all(m not in sys.modules for m in ("scipy", "sklearn"))
print(pith.read(sys.argv[1]).X.shape, pith.read(sys.argv[2]).X.shape)
print(*sorted({line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}))
"""


def test_wheel_that_needs_nothing(plain, tmp_path):
    """Beside NumPy alone, and its BLAS: threads and forks; files, also those that the program pith-hdf5 reads. All libraries
    but the C library are those of the wheel."""
    if shutil.which("patchelf") is None:
        pytest.skip(leave_out("patchelf is not installed"))
    quiet(sys.executable, ROOT / "tools/bundle-wheel.py", plain, tmp_path / "dist")
    wheel, = (tmp_path / "dist").glob("pith-*.whl")
    assert "-manylinux_2_" in wheel.name and wheel.stat().st_size < 40e6
    python, place = empty_environment(tmp_path / "env", {"numpy": "numpy"})
    quiet(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-deps", wheel, env=clean())
    for path in [*(place / "pith.libs").iterdir(), place / "pith/pith-hdf5", *(place / "pith").glob("*.so*")]:
        said = quiet("ldd", "-r", path, env=clean(LD_BIND_NOW="1"))
        assert "not found" not in said
        assert not [s for s in said.splitlines() if "undefined symbol" in s and " Py" not in s and "_Py" not in s], said
        outside = [s.split()[0] for s in said.splitlines() if "=> /" in s and str(place) not in s]
        assert {s.partition(".so")[0] for s in outside} <= {"libc", "libm", "libgcc_s"}, (path, outside)
    names = {p.name.partition("-")[0] for p in (place / "pith.libs").iterdir()}
    assert {"libopenblas", "libarpack", "libhdf5_serial", "libzip", "libjansson", "libutf8proc", "libstemmer", "libz",
            "libgfortran", "libgomp"} <= names and not {"libcurl", "libcrypto"} & names
    licences, = place.glob("pith-*.dist-info/licenses")
    assert len(list(licences.iterdir())) >= 10 and all("opyright" in p.read_text() for p in licences.iterdir())
    np.save(tmp_path / "X.npy", np.eye(4))
    shapes, maps, _ = quiet(python, "-B", "-c", BESIDE, tmp_path / "X.npy", ROOT / "tests/fuzz/corpus/h5ad/good-dense-y-names.h5ad",
                            env=clean(), cwd=tmp_path).split("\n")
    assert shapes.startswith("(4, 4) (")
    blas = [m for m in maps.split() if "libopenblas" in m]
    assert any(str(place) in m for m in blas)


def test_install_against_the_installed_library(sources, tmp_path):
    prefix = tmp_path / "prefix"
    quiet("cmake", "--install", BUILD, "--prefix", prefix)
    config, = prefix.rglob("pith.pc")
    env = clean(PITH_LIBRARY="installed", PKG_CONFIG_PATH=str(config.parent))
    python, place = empty_environment(tmp_path / "env")
    quiet(sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-index", "--no-deps", "--target", place,
          sources / "python", env=env)
    where, library, _ = use(python, tmp_path, clean())
    assert where == str(place / "pith/__init__.py") and library.startswith(str(prefix.resolve()))
    assert not list((place / "pith").glob("libpith*"))


def test_without_a_library_the_build_says_so(sources, tmp_path):
    env = clean(PITH_LIBRARY="installed", PKG_CONFIG_PATH="", PKG_CONFIG_LIBDIR=str(tmp_path))
    done = subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "-b", tmp_path / "b", "-t", tmp_path / "t"],
                          cwd=sources / "python", env=env, capture_output=True, text=True)
    assert done.returncode != 0 and "no libpith" in done.stderr


@pytest.mark.parametrize("folder, advice", [("build/release", "; give the full path"), ("/", "has no libpith.so")])
def test_a_folder_without_a_library_is_refused_before_anything_is_compiled(sources, tmp_path, folder, advice):
    done = subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "-b", tmp_path / "b", "-t", tmp_path / "t"],
                          cwd=sources / "python", env=clean(PITH_LIBRARY=folder), capture_output=True, text=True)
    assert done.returncode != 0 and f"PITH_LIBRARY={folder}: has no libpith.so" in done.stderr and advice in done.stderr
    assert not (tmp_path / "t").exists()
