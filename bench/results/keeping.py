"""How many features: what `-n auto` keeps, what stands out from chance at a false discovery rate of 5 %, and how well the samples cluster there."""
import json
import pathlib
import subprocess
import tempfile

import runs

METHODS = ("cl-des", "consensus", "energy", "snfs")  # those that can choose a number
RATE = 0.05


def pith(program, *words):
    return subprocess.run([str(program), *map(str, words), "--threads", "1", "-q"], check=True, capture_output=True, text=True).stdout


def ranked(program, path, method, *words):
    return json.loads(pith(program, "rank", path, "-m", method, "-n", "auto", "--format", "json", *words))


def default(found):
    """What -m auto took, as the pages call it."""
    return runs.PARETO if found["parameters"].get("scaling") == "pareto" else found["method"]


def compared(program, path, folder, *words):
    out = pathlib.Path(folder) / "compared.json"
    pith(program, "compare", path, *words, "--restarts", 20, "-o", out)
    return runs.read(out)


def nmi(found, method, count=None):
    return next(runs.rounded(row["nmi"]["mean"]) for row in found["rows"]
                if row["method"] == method and count in (None, row["features"]))


def called(program, path, folder, judge, prepared):
    """The features that stand out: q belongs to the data, not to a method, so the cheapest method will do."""
    some = pathlib.Path(folder) / "called.mat"
    done = subprocess.run([str(program), "select", str(path), "-m", "variance", "--evidence", "groups", "--fdr", str(RATE), "-o", str(some),
                           "--threads", "1", "-q", *prepared], capture_output=True, text=True)
    if "has a q-value this small" in done.stderr:
        return None
    done.check_returncode()
    found = compared(program, some, folder, "-m", "variance", "-n", 1, "--cluster-on", judge["cluster_on"], "--cluster-metric", judge["metric"])
    return {"features": found["data"]["features"], "nmi": nmi(found, "all-features")}


def make(program, path, job):
    prepared = runs.LOGARITHMS.get(job.entry["domain"], [])
    with tempfile.TemporaryDirectory(prefix="pith-keep-") as folder:
        keep = {method: ranked(program, path, method, *prepared)["keep"] for method in METHODS}
        counts = sorted(set(keep.values()) - {0})
        found = compared(program, path, folder, "-m", ",".join(METHODS), "-n", ",".join(map(str, counts)), *prepared)
        return {"default": default(ranked(program, path, "auto")),
                "auto": {method: {"features": count, "nmi": nmi(found, method, count)} if count else None for method, count in keep.items()},
                "called": called(program, path, folder, found["protocol"], prepared)}
