"""The package and the command give the same bits."""
import numpy as np
import pytest
import scipy.sparse as sp

import pith
from conftest import COUNTS, METHODS, QUICK, blobs, command, command_json, counts


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The same data as arrays and as files that keep every bit."""
    folder = tmp_path_factory.mktemp("data")
    X, y = blobs()
    C = counts()[0]
    data = {"f8": X, "f4": X.astype(np.float32), "csr": C}
    for name in ("f8", "f4"):
        data[f"{name}-counts"] = np.abs(np.round(data[name]))
    for name in data.keys() - {"csr"}:
        np.save(folder / f"{name}.npy", data[name])
    sp.save_npz(folder / "csr.npz", C)
    (folder / "labels.txt").write_text("".join(f"{k}\n" for k in y))
    return folder, data, y


def options(parameters):
    return [word for name, value in parameters.items() for word in (f"--{name.replace('_', '-')}", value)]


@pytest.mark.filterwarnings("ignore:more than half")
@pytest.mark.parametrize("kind", ["f8", "f4", "csr"])
@pytest.mark.parametrize("method", METHODS)
def test_rank(files, method, kind):
    folder, data, y = files
    if kind != "csr" and method in COUNTS:
        kind += "-counts"
    name = "csr.npz" if kind == "csr" else f"{kind}.npy"
    quick = QUICK.get(method, {})
    said = command_json("rank", name, "-qm", method, "--labels", "labels.txt", "--format", "json", "--seed", "3",
                        *options(quick), cwd=folder)
    result = pith.rank(data[kind], method, y=y, random_state=3, **quick)
    index = [f["index"] for f in said["features"]]
    scores = np.array([np.nan if f["score"] is None else f["score"] for f in said["features"]])
    assert result.ranking.tolist() == index
    assert result.scores[index].tobytes() == scores.tobytes()
    assert result.method == said["method"] and pith.__version__ == said["version"]
    given = {k: v for k, v in result.parameters.items() if v is not None}
    assert {k: v for k, v in said["parameters"].items() if v not in ("", None)} == {**given, "seed": result.seed}


def test_registry_is_that_of_the_command():
    assert [{**m, "parameters": [{k: v for k, v in p.items() if k != "option"} for p in m["parameters"]]}
            for m in command_json("methods", "--json")] == pith._core.methods()


def test_select_keeps_the_same_columns(files):
    folder, data, _ = files
    command("select", "f8.npy", "-qm", "cl-des", "-n", "auto", "-o", "kept.npy", cwd=folder)
    np.testing.assert_array_equal(np.load(folder / "kept.npy"), pith.CLDES().fit_transform(data["f8"]))


def test_compare(files):
    folder, data, y = files
    words = ["-m", "laplacian,mutual-info", "-n", "2,5", "--restarts", "4", "--labels", "labels.txt", "--seed", "5"]
    command("compare", "f8.npy", "-q", *words, "--grid", "neighbors=3,7", "-o", "rows.csv", cwd=folder)
    lines = [line.split(",") for line in (folder / "rows.csv").read_text().splitlines()]
    frame = pith.compare(data["f8"], y, ["laplacian", "mutual-info"], n_features=[2, 5], restarts=4,
                         grid={"neighbors": [3, 7]}, random_state=5)
    assert lines[0] == frame.columns.tolist() and len(lines) - 1 == len(frame) > 40
    for line, row in zip(lines[1:], frame.itertuples(index=False)):
        assert line[:2] == list(row[:2]) and line[3] == row.measure
        assert [float(line[i]) for i in (2, 4, 5, 6)] == [row.features, row.mean, row.sd, row.runs]


def test_read(files, tmp_path):
    folder, data, y = files
    for name in ("nrfs.csv", "nrfs.mat", "nrfs.h5ad"):
        command("synth", "nrfs", "-o", name, cwd=tmp_path)
        got = pith.read(tmp_path / name)
        assert got.X.shape == (1280, 34) and got.y.tolist() == [1] * 300 + [2] * 300 + [3] * 300 + [4] * 300 + [0] * 80
        assert got.y.dtype == int and got.X.dtype == np.float64 and got.X.flags.writeable
    assert pith.read(tmp_path / "nrfs.csv").feature_names.tolist() == [f"f{j}" for j in range(1, 35)]
    for name, kind in (("f8.npy", "f8"), ("f4.npy", "f4")):
        got = pith.read(str(folder / name), labels=folder / "labels.txt")
        assert got.X.dtype == data[kind].dtype and got.y.tolist() == y.tolist()
        np.testing.assert_array_equal(got.X, data[kind])
        assert got.feature_names is None and got.sample_names is None
    got = pith.read(folder / "csr.npz")
    assert sp.issparse(got.X) and got.X.dtype == np.float64 and (got.X != data["csr"]).nnz == 0 and got.y is None
    got.X.check_format()


def test_prep(tmp_path):
    command("synth", "nrfs", "-o", "a.npy", cwd=tmp_path)
    command("prep", "a.npy", "b.npy", "--steps", "drop-noisy:remove=0.2", "-q", cwd=tmp_path)
    made = pith.prep(np.load(tmp_path / "a.npy"), [("drop-noisy", {"remove": 0.2})])
    np.testing.assert_array_equal(made.X, np.load(tmp_path / "b.npy"))
    np.testing.assert_array_equal(made.X, pith.prep(np.load(tmp_path / "a.npy"), "drop-noisy:remove=0.2").X)


def test_the_report_is_that_of_the_command(files, tmp_path):
    _, data, y = files
    pith.compare(data["f8"], y, "variance", n_features=[3], restarts=2, report=tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.lstrip().startswith("<!") and "variance" in page
