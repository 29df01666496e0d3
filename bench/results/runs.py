"""The comparisons behind the results book: which there are, and how one is run, kept and gone on with."""
import json
import pathlib
import subprocess
import time

KINDS = ("defaults", "diversity", "snfs", "hufs", "nrfs", "des", "lgdfs")
# What a set is like decides which papers' protocols it is put through.
PROTOCOLS = {"text": ("des", "snfs", "nrfs", "hufs"), "image": ("hufs", "lgdfs"), "bio": ("nrfs", "lgdfs", "hufs")}
# What comes first of each kind: of the papers' what they compare, of the defaults what is done with one graph or a few.
# All other methods follow by the same protocol.
FIRST = {
    "defaults": ("variance", "laplacian", "spec", "evsc", "ht-des", "cl-des", "kmeans-energy", "mutual-info", "mcfs",
                 "consensus", "hufs", "eufs"),
    "diversity": ("variance", "laplacian", "spec", "kmeans-energy", "mcfs", "consensus", "energy", "eufs", "hufs"),
    "des": ("laplacian", "udfs", "rsfs", "fsasl", "ht-des", "cl-des", "mutual-info"),
    "snfs": ("laplacian", "mcfs", "udfs", "rufs", "rsfs", "snfs"),
    "nrfs": ("laplacian", "spec", "mcfs", "ndfs", "nrfs"),
    "lgdfs": ("laplacian", "evsc", "mcfs", "jelsr", "lgdfs"),
    "hufs": ("laplacian", "mcfs", "ndfs", "rufs", "eufs", "hufs"),
}

# What the methods and the judge get, where a paper's data is not taken as it is. NRFS says how it prepares its own. HUFS
# does not, but its k-means is Euclidean, and no level of its tables can be had from that on counts: rows of tf-idf.
PREPARED = {("nrfs", "bio"): ["--prep", "microarray", "--standardize", "none"],
            ("nrfs", "text"): ["--prep", "tfidf,l2,binormalize", "--standardize", "none"],
            ("hufs", "text"): ["--prep", "tfidf,l2", "--standardize", "none"]}


def kinds_of(entry):
    """defaults: no label is used anywhere but to measure; diversity: the same for some methods, with --diversity 0 and 0.5; the
    others are papers' protocols, with their grids. LGDFS draws five classes."""
    classes = int(entry["shape"].split()[-2])
    return ("defaults", "diversity") + tuple(kind for kind in PROTOCOLS[entry["domain"]] if kind != "lgdfs" or classes >= 5)


def registry(program):
    said = subprocess.run([str(program), "methods", "--json"], check=True, capture_output=True, text=True).stdout
    return tuple(method["name"] for method in json.loads(said))


def plan(program, sets):
    """(set, kind, methods, ending of the file's name): the defaults, then the papers' own methods, then all others."""
    everything = registry(program)

    def jobs(kinds, ending):
        return [(s, kind, tuple(m for m in everything if (m in FIRST[kind]) == (ending == "")), ending)
                for kind in kinds for s in sets if kind in kinds_of(s)]

    return jobs(KINDS[:1], "") + jobs(KINDS[:1], ".rest") + jobs(KINDS[1:], "") + jobs(KINDS[2:], ".rest")


def words(program, path, entry, kind, methods):
    command = [str(program), "compare", str(path), "-m", ",".join(methods), "--threads", "1", "--progress", "never"]
    command += ["--tree", entry["tree"]] if "hufs" in methods else []
    command += PREPARED.get((kind, entry["domain"]), [])
    command += ["--grid", "diversity=0,0.5"] if kind == "diversity" else []
    return command + (["--restarts", "20"] if kind in ("defaults", "diversity") else ["--protocol", kind])


def load(path):
    try:
        return json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError):
        return None


def run(program, data, entry, kind, methods, out, seconds):
    """Runs or goes on, until it is done or the time is over; what is finished stays in the file either way."""
    before = load(out)
    if before is not None and before["complete"]:
        return
    command = words(program, data, entry, kind, methods) + ["-o", str(out), "-q"]
    if before is not None:
        command += ["--resume", str(out)]
    start = time.monotonic()
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        said = process.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        process.terminate()
        said = process.communicate()[1]
    except KeyboardInterrupt:
        process.communicate()
        raise
    after = load(out)
    print(f"{out.stem}: {'done' if after and after['complete'] else 'not finished'}, {time.monotonic() - start:.0f} s" + (f"; {said.strip().splitlines()[-1]}" if said.strip() else ""), flush=True)


def finished(result):
    """Of a run that was cut short the method that it was at may lack a part of its grid: without it."""
    if result is None or result["complete"]:
        return result
    last = ([row["method"] for row in result["rows"] if row["method"] not in ("all-features", "random")] or [None])[-1]
    return {**result, **{key: [e for e in result[key] if e["method"] != last] for key in ("rows", "summary")}}


def collect(folder, name, kind):
    """What there is of one set and protocol, the papers' own methods and the others together; None: nothing."""
    own, rest = (finished(load(folder / f"{name}.{kind}{ending}.json")) for ending in ("", ".rest"))
    if own is None or rest is None:
        return own
    have = {row["method"] for row in own["rows"]}
    return {**own, "complete": own["complete"] and rest["complete"],
            **{key: own[key] + [e for e in rest[key] if e["method"] not in have] for key in ("rows", "summary")}}
