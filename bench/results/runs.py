"""The comparisons behind the results book: which there are, how one is run, and what of it is kept.

A finished one is kept as a small file in bench/results/runs: the figures that the pages use, with the version and the commit of
pith that made them. What `pith compare` wrote, from which an interrupted run goes on, stays in the folder for work."""
import json
import pathlib
import subprocess
import time
from typing import NamedTuple, Optional

# What a set is like decides which papers' protocols it is put through.
PROTOCOLS = {"text": ("des", "nrfs", "hufs"), "image": ("hufs", "lgdfs"), "bio": ("nrfs", "lgdfs", "hufs"),
             "other": ("nrfs", "lgdfs", "hufs"), "cells": ()}
# What the papers compare; of des also what SNFS does. All other methods follow by the same protocol.
OWN = {
    "des": ("laplacian", "udfs", "rsfs", "fsasl", "ht-des", "cl-des", "mutual-info", "mcfs", "rufs", "snfs"),
    "nrfs": ("laplacian", "spec", "mcfs", "ndfs", "nrfs"),
    "lgdfs": ("laplacian", "evsc", "mcfs", "jelsr", "lgdfs"),
    "hufs": ("laplacian", "mcfs", "ndfs", "rufs", "eufs", "hufs"),
}
# SNFS's protocol is that of DES with four of its five counts: one run serves both.
SNFS_COUNTS = (100, 200, 400, 600)
DIVERSITY = ("variance", "laplacian", "spec", "kmeans-energy", "mcfs", "consensus", "energy", "eufs", "hufs")
MANY_SETTINGS = "lgdfs"  # its grid has 125: by other papers' protocols it comes last
MOST = 10  # CPU minutes, beyond which methods that a paper does not compare are not run by its protocol

# What the methods and the judge get, where a paper's data is not taken as it is. NRFS says how it prepares its own. HUFS
# does not, but its k-means is Euclidean, and no level of its tables can be had from that on counts: rows of tf-idf.
PREPARED = {("nrfs", "bio"): ["--prep", "microarray", "--standardize", "none"],
            ("nrfs", "text"): ["--prep", "tfidf,l2,binormalize", "--standardize", "none"],
            ("hufs", "text"): ["--prep", "tfidf,l2", "--standardize", "none"]}

# Arrays as their field compares them, where it is not a paper's protocol: by logarithms, where they are not logarithms already.
LOGARITHMS = {"bio": ["--prep", "auto"]}

# What -m auto takes of logarithms, as the pages call it.
PARETO = "consensus --scaling pareto"

STAGES = ("defaults", "field", "timing", "synthetic", "diversity", "own", "rest")
MEASURES = (("acc", "mean"), ("acc", "sd"), ("nmi", "mean"), ("nmi_geometric", "mean"))


class Job(NamedTuple):
    """One file of the folder of runs."""
    stage: str
    entry: Optional[dict]
    kind: str
    methods: tuple
    ending: str = ""

    @property
    def file(self):
        return (f"{self.entry['name']}." if self.entry else "") + f"{self.kind}{self.ending}.json"


def kinds_of(entry):
    """defaults: no label is used anywhere but to measure; diversity: the same for some methods, with --diversity 0 and 0.5; the
    others are papers' protocols, with their grids. LGDFS draws five classes."""
    classes = int(entry["shape"].split()[-2])
    return ("defaults", "diversity") + tuple(kind for kind in PROTOCOLS[entry["domain"]] if kind != "lgdfs" or classes >= 5)


def registry(program):
    said = subprocess.run([str(program), "methods", "--json"], check=True, capture_output=True, text=True).stdout
    return tuple(method["name"] for method in json.loads(said))


def version(program):
    return subprocess.run([str(program), "--version"], check=True, capture_output=True, text=True).stdout.split()[1]


def plan(everything, sets, seconds):
    """All jobs, the most important first; of the papers' protocols the cheapest first, by seconds(job)."""
    unsupervised = tuple(m for m in everything if m != "mutual-info")
    jobs = []
    for s in sets:
        jobs += [Job("defaults", s, "defaults", everything), Job("defaults", s, "keep", ())]
    jobs += [Job("field", s, "field", unsupervised) for s in sets if s["domain"] in ("cells", "text")]
    jobs += [Job("field", s, kind, methods) for s in sets if s["domain"] in LOGARITHMS for kind, methods in (("logs", everything), ("pareto", ("consensus",)))]
    jobs += [Job("timing", s, "timing", everything) for s in sets]
    jobs += [Job("synthetic", None, "synthetic", ())]
    jobs += [Job("diversity", s, "diversity", DIVERSITY) for s in sets]
    own = [Job("own", s, kind, OWN[kind]) for s in sets for kind in kinds_of(s)[2:]]
    others = [(s, kind, [m for m in everything if m not in OWN[kind]]) for s in sets for kind in kinds_of(s)[2:]]
    many = {kind: MANY_SETTINGS not in OWN[kind] and kind != "nrfs" for kind in OWN}  # NRFS's protocol has no grids
    rest = [Job("rest", s, kind, tuple(m for m in methods if m != MANY_SETTINGS or not many[kind]), ".rest") for s, kind, methods in others]
    last = [Job("rest", s, kind, (MANY_SETTINGS,), ".last") for s, kind, methods in others if many[kind]]
    extra = sorted(rest, key=seconds) + sorted(last, key=seconds)
    return jobs + sorted(own, key=seconds) + [job for job in extra if seconds(job) <= 60 * MOST]


def words(program, path, job):
    command = [str(program), "compare", str(path), "-m", ",".join(job.methods), "--threads", "1", "--progress", "never", "-q"]
    command += ["--tree", job.entry["tree"]] if "hufs" in job.methods else []
    command += PREPARED.get((job.kind, job.entry["domain"]), [])
    if job.kind not in ("defaults", "diversity", "logs", "pareto"):
        return command + ["--protocol", job.kind]
    command += LOGARITHMS[job.entry["domain"]] if job.kind in ("logs", "pareto") else []
    command += ["--scaling", "pareto"] if job.kind == "pareto" else []
    command += ["--grid", "diversity=0,0.5"] if job.kind == "diversity" else ["--control"]
    return command + ["--restarts", "20"]


def read(path):
    try:
        return json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError):
        return None


def compare(program, path, job, work, seconds):
    """Runs or goes on, until it is done or the time is over: what is kept of it, or None if it is not finished."""
    out = work / job.file
    command = words(program, path, job) + ["-o", str(out)]
    if read(out) is not None:
        command += ["--resume", str(out)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        said = process.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        process.terminate()
        said = process.communicate()[1]
    except KeyboardInterrupt:
        process.communicate()
        raise
    found = read(out)
    if found is None and process.returncode > 0:
        raise RuntimeError(said.strip())
    return compact(found) if found is not None and found["complete"] else None


def rounded(value):
    return value if value is None else float(f"{value:.6g}")


def compact(found):
    """{method: {setting: {count: figures}}} and what else the pages use."""
    figures, cost, errors = {}, {}, {}
    for row in found["rows"]:
        if "error" in row:
            errors[row["method"]] = row["error"]
            continue
        values = [rounded(row[name][part]) if row.get(name) else None for name, part in MEASURES]
        figures.setdefault(row["method"], {}).setdefault(row["setting"], {})[str(row["features"])] = values
        cost.setdefault(row["method"], [rounded(row["seconds"]), row["peak_bytes"]])
    protocol = {key: found["protocol"][key] for key in ("metric", "cluster_on", "restarts", "clusters")}
    return {"protocol": protocol, "figures": figures, "cost": cost, "errors": errors, "evidence": evidence(found["evidence"])}


def evidence(found):
    """How many features stand out from chance, in the data and in a control without structure."""
    if found is None:
        return None
    control = found.get("control")
    return {"called": found["called"], "tested": found["tested"], "features": found["features"], "halves": rounded(found["halves"]),
            "control": control and {"kind": control["kind"], "called": control["called"], "tested": control["tested"]}}


def lines(value, depth):
    """JSON with a line for each entry of the outer levels, so that a diff tells what changed."""
    if depth == 0 or not isinstance(value, dict) or not value:
        return json.dumps(value, separators=(",", ":"))
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {lines(v, depth - 1)}" for key, v in value.items()) + "}"


def write(folder, job, stamp, content):
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / f"{job.file}.part"
    part.write_text(lines({**stamp, "methods": list(job.methods), **content}, 3) + "\n")
    part.rename(folder / job.file)


def load(path):
    """A kept file; counts are numbers again."""
    found = read(path)
    if found is not None and "figures" in found:
        found["figures"] = {method: {setting: {int(count): dict(zip(("acc", "acc_sd", "nmi", "nmi_geometric"), values))
                                               for count, values in by_count.items()} for setting, by_count in by_setting.items()}
                            for method, by_setting in found["figures"].items()}
    return found


def there(folder, job, now):
    """Whether the job is done, by this version of pith."""
    found = read(folder / job.file)
    return found is not None and found["version"] == now and found["methods"] == list(job.methods)


def stamps(found):
    return {(found["version"], found["commit"])}


def collect(folder, name, kind):
    """What there is of one set and protocol, the papers' own methods and the others together; None: nothing."""
    parts = [found for found in (load(folder / f"{name}.{kind}{ending}.json") for ending in ("", ".rest", ".last")) if found is not None]
    if not parts:
        return None
    merged = {**parts[0], "stamps": set().union(*map(stamps, parts))}
    for key in ("figures", "cost", "errors"):
        merged[key] = {m: v for part in reversed(parts) for m, v in part[key].items()}
    return merged


def at_counts(result, counts):
    """The same comparison with some of its counts; all features have a count of their own."""
    cut = {m: {s: {c: v for c, v in by.items() if c in counts or m == "all-features"} for s, by in settings.items()}
           for m, settings in result["figures"].items()}
    return {**result, "figures": cut}


def as_auto_sees(results):
    """The comparison with the defaults on what -m auto ranks: on logarithms, where that was run; None: neither was."""
    return results.get("logs") or results.get("defaults")


def collect_all(folder, sets):
    """{set: {kind: what there is}}."""
    results = {}
    for entry in sets:
        found = {kind: collect(folder, entry["name"], kind) for kind in kinds_of(entry)}
        if found.get("des"):
            found["snfs"] = at_counts(found["des"], SNFS_COUNTS)
        found.update({kind: load(folder / f"{entry['name']}.{kind}.json") for kind in ("keep", "field", "timing", "logs")})
        found = {kind: result for kind, result in found.items() if result is not None}
        pareto = load(folder / f"{entry['name']}.pareto.json")
        if pareto and "logs" in found:
            found["logs"] = {**found["logs"], "figures": {**found["logs"]["figures"], PARETO: pareto["figures"]["consensus"]}, "stamps": stamps(found["logs"]) | stamps(pareto)}
        if found:
            results[entry["name"]] = found
    return results
