"""What cells.py and words.py share: choices of features by pith and by others, judged once and kept, and their tables."""
import csv
import hashlib
import io
import json
import os
import pathlib
import shlex
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent


def data_folder():
    return pathlib.Path(os.environ.get("PITH_DATA", ROOT.parent / "shared" / "data"))


def add_options(parser, counts, methods):
    parser.add_argument("sets", nargs="*", help="names of data sets (default: all)")
    parser.add_argument("--pith", type=pathlib.Path, default=ROOT / "build/release/pith", help="the built command")
    parser.add_argument("--methods", nargs="*", default=methods, metavar="METHOD",
                        help="pith's methods, with options: 'laplacian --neighbors 10'; auto is the default")
    parser.add_argument("--seeds", type=int, default=3, help="rankings of each of pith's methods, by seed")
    parser.add_argument("--counts", type=int, nargs="*", default=counts, help="how many features to choose")
    parser.add_argument("--cache", type=pathlib.Path, default=ROOT / "build/choices", help="where judgements are kept")


class Cache:
    """JSON values by a key of strings, numbers and bytes; one file each, so that a run that is cut short goes on."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def get(self, key, make):
        digest = hashlib.sha256(b"\0".join(k if isinstance(k, bytes) else str(k).encode() for k in key)).hexdigest()
        path = self.folder / digest[:32]
        if not path.exists():
            path.with_suffix(".part").write_text(json.dumps(make()))
            path.with_suffix(".part").rename(path)
        return json.loads(path.read_text())


def built(program):
    """What tells a build from others: the command and the library beside it."""
    parts = [program, *sorted(program.parent.glob("libpith.so*"))]
    return hashlib.sha256(b"".join(hashlib.sha256(p.read_bytes()).digest() for p in parts)).digest()


def pith_ranking(cache, program, path, method, seed):
    """Indices of the features that have a score, best first."""
    def run():
        name, *options = shlex.split(method)
        done = subprocess.run([program, "rank", path, "-m", name, *options, "--seed", str(seed), "-q", "--no-labels"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"pith {method}: {done.stderr.strip()}")
        return [int(row["index"]) for row in csv.DictReader(io.StringIO(done.stdout)) if row["score"] != ""]

    key = ["rank", built(program), path.name, path.stat().st_size, method, seed]
    return np.array(cache.get(key, run))


def by_score(score):
    """The same for scores, nan: none. Ties go to the lower index."""
    order = np.argsort(-score, kind="stable")
    return order[~np.isnan(score[order])]


def mean_of(values):
    return {name: float(np.mean([v[name] for v in values])) for name in values[0]}


def table(title, rows, columns, cell):
    """Markdown; cell(row, column) is a number or None."""
    lines = [f"| {title} | " + " | ".join(str(c) for c in columns) + " |", "| --- |" + " --- |" * len(columns)]
    for row in rows:
        values = [cell(row, c) for c in columns]
        lines.append(f"| {row} | " + " | ".join("" if v is None else f"{v:.3f}".replace("0.", ".", 1) for v in values) + " |")
    return "\n".join(lines) + "\n"
