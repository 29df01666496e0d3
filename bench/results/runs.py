"""The comparisons behind the results book: which there are, and how one is run, kept and gone on with."""
import json
import pathlib
import subprocess
import time

# What a set is like decides which papers' protocols it is put through.
KINDS = ("defaults", "snfs", "hufs", "nrfs", "des", "lgdfs")
PROTOCOLS = {"text": ("des", "snfs", "hufs"), "image": ("hufs", "lgdfs"), "bio": ("nrfs", "lgdfs", "hufs")}


def kinds_of(domain):
    """defaults: no label is used anywhere but to measure; the others are papers' protocols, with their grids."""
    return ("defaults",) + PROTOCOLS[domain]


def words(program, path, tree, kind):
    command = [str(program), "compare", str(path), "-m", "all", "--tree", tree, "--threads", "1", "--progress", "never"]
    return command + (["--restarts", "20"] if kind == "defaults" else ["--protocol", kind])


def load(path):
    try:
        return json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError):
        return None


def run(program, data, tree, kind, out, seconds):
    """Runs or goes on, until it is done or the time is over; what is finished stays in the file either way."""
    before = load(out)
    if before is not None and before["complete"]:
        return before
    command = words(program, data, tree, kind) + ["-o", str(out), "-q"]
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
    result = load(out)
    print(f"{data.stem}, {kind}: {'done' if result and result['complete'] else 'not finished'}, {time.monotonic() - start:.0f} s"
          + (f"; {said.strip().splitlines()[-1]}" if said.strip() else ""), flush=True)
    return result
