"""Comparisons as frames and as plots."""
import pickle

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import pith
from conftest import blobs


@pytest.fixture(scope="module")
def frame():
    X, y = blobs()
    return pith.compare(X, y, "variance,spec", n_features=[2, 4, 8], restarts=3)


def test_is_a_frame_a_row_a_measurement(frame):
    assert isinstance(frame, pd.DataFrame)
    assert frame.columns.tolist() == ["method", "parameters", "features", "measure", "mean", "sd", "runs", "seconds"]
    assert set(frame["method"]) == {"variance", "spec", "kmeans-energy", "all-features", "random"}
    assert frame["mean"].notna().all() and frame["runs"].min() >= 1
    part = frame[frame["measure"] == "acc"]
    assert type(part) is pd.DataFrame and len(part) == 3 * 4 + 1
    assert frame.measures[0] == "acc" and frame.errors == {}
    assert sorted(frame.rankings["spec", ""][:4]) == [0, 1, 2, 3]
    assert pickle.loads(pickle.dumps(frame)).equals(frame)


def test_table_and_plot(frame):
    table = frame.table()
    assert table.index.tolist()[:2] == ["variance", "spec"] and table.columns.tolist() == [2, 4, 8, 12]
    assert table.loc["spec", 4] == frame.query("method == 'spec' and features == 4 and measure == 'acc'")["mean"].item()
    axes = frame.plot("nmi")
    assert axes.get_ylabel() == "nmi" and axes.get_xlabel() == "features"
    assert [t.get_text() for t in axes.get_legend().get_texts()] == table.index.tolist()
    line = next(one for one in axes.get_lines() if one.get_label() == "spec")
    assert line.get_ydata().tolist() == frame.table("nmi").loc["spec", [2, 4, 8]].tolist()
    other = plt.subplots()[1]
    assert frame.plot(ax=other) is other
    with pytest.raises(ValueError, match="'width' is not one of the measures"):
        frame.plot("width")
    plt.close("all")


def test_a_grid_shows_the_best_setting():
    X, y = blobs()
    frame = pith.compare(X, y, ["laplacian"], n_features=4, restarts=2, grid={"neighbors": [3, 9]})
    mine = frame[(frame["method"] == "laplacian") & (frame["measure"] == "acc")]
    assert mine["parameters"].tolist() == ["neighbors=3", "neighbors=9"]
    assert frame.table("acc").loc["laplacian", 4] == mine["mean"].max()
    low = frame[(frame["method"] == "laplacian") & (frame["measure"] == "redundancy")]
    assert frame.table("redundancy").loc["laplacian", 4] == low["mean"].min()


def test_without_labels_and_with_a_failing_method():
    X = blobs()[0]
    frame = pith.compare(X, methods="laplacian,mutual-info", n_features=3, restarts=2, clusters=3, neighbors=4)
    assert "acc" not in frame.measures and "silhouette" in frame.measures
    assert list(frame.errors) == [("mutual-info", "")] and "needs labels" in frame.errors["mutual-info", ""]


@pytest.mark.parametrize("more, sentence", [
    (dict(methods="variances"), "variances"), (dict(n_features=[0]), "features: a positive whole number"),
    (dict(n_features=[]), "no number"), (dict(n_features=99), "more than the 12"),
    (dict(grid={"neighbours": [3]}), "neighbours"), (dict(protocol="x"), "protocol"),
    (dict(clusterer="x"), "clusterer"), (dict(metric="l1"), "metric"), (dict(neighbors=-1), "neighbors"),
])
def test_mistakes_are_told(more, sentence):
    X, y = blobs()
    with pytest.raises(ValueError, match=sentence):
        pith.compare(X, y, **{"methods": "laplacian", "restarts": 1, **more})


def test_one_class_is_refused_with_what_to_do():
    X, y = blobs()
    with pytest.raises(ValueError, match="only one class: there is nothing to evaluate against; leave out y"):
        pith.compare(X, [1] * len(y), "laplacian")


def test_a_grid_is_a_dict_of_values():
    X, y = blobs()
    for grid in ([3, 9], "neighbors=3,9"):
        with pytest.raises(TypeError, match=r"grid: 'default' or a dict such as {'neighbors': \[5, 9\]} is expected"):
            pith.compare(X, y, "laplacian", grid=grid)
    how = dict(n_features=4, restarts=2, metric="euclidean")
    for one, many in ((3, [3]), ("auto", ["auto"])):
        name = "neighbors" if one == 3 else "standardize"
        frames = [pith.compare(X, y, "laplacian", grid={name: values}, **how) for values in (one, many)]
        assert frames[0]["parameters"].tolist() == frames[1]["parameters"].tolist() and not frames[0].errors


def test_evidence_and_its_control():
    X, y = blobs(p=40)  # a dozen columns are too few to say much
    found = pith.compare(X, y, methods="consensus", n_features=[4], restarts=2, control=True).evidence
    ranked = pith.compare(X, y, methods="variance", n_features=[4], restarts=2).evidence
    assert found["called"] == (found["q"] <= 0.05).sum() > 0
    assert found["lift"].shape == found["p"].shape == (X.shape[1],)
    assert (found["q"] == ranked["q"]).all()
    assert found["keep"] in [features for features, agreement in found["curve"]]
    assert (ranked["curve"], ranked["keep"], ranked["control"]) == ([], None, None)
    assert found["control"]["called"] == 0 < found["control"]["smallest_q"]
    assert found["sentence"].startswith(f"{found['called']} of {X.shape[1]} features share structure")
    assert pith.compare(X[:19], methods="variance", n_features=[4], restarts=2, clusters=2).evidence is None
