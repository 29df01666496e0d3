#!/usr/bin/env python3
"""What every method costs where samples and features are both many: CPU seconds and peak memory of one thread.

    cmake --preset release && cmake --build --preset release --target pith_command
    python3 bench/large.py [--methods ndfs,rufs] [--sizes text,dense] [--limit 900] [--build build/release]

Two sizes: the text TDT2 (9,394 x 36,771, sparse; from PITH_DATA or ../shared/data) and 20,000 x 2,000 dense, by
'pith synth blobs --samples 20000 -n 2000 --clusters 10'. Defaults everywhere, the number of clusters included; reading
the file and writing the ranking count. The table is Markdown. A method that has not ended after --limit CPU seconds is
stopped, and its cell says so.
"""
import argparse
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
NEEDS_COUNTS = {"seurat-v3", "dispersion", "deviance"}  # genes: refuse what is not counts
SIZES = {"text": "TDT2, 9,394 x 36,771", "dense": "20,000 x 2,000"}


def text_file(_program, _folder):
    path = pathlib.Path(os.environ.get("PITH_DATA", ROOT.parent / "shared/data")) / "TDT2.mat"
    if not path.exists():
        sys.exit("bench/large.py: no %s; set PITH_DATA" % path)
    return path


def dense_file(program, folder):
    path = pathlib.Path(folder) / "dense.npy"
    subprocess.run([program, "synth", "blobs", "--samples", "20000", "-n", "2000", "--clusters", "10", "-o", path],
                   check=True, stderr=subprocess.DEVNULL)
    return path


def methods(program):
    out = subprocess.run([program, "methods", "--json"], check=True, stdout=subprocess.PIPE).stdout
    return [m["name"] for m in json.loads(out) if not m["needs_labels"] and m["name"] not in NEEDS_COUNTS]


def run(program, data, method, limit):
    """CPU seconds and peak megabytes, or what went wrong. The child's own usage, not that of all children."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        os.execv(program, [str(program), "rank", str(data), "-qm", method, "--threads", "1"])
    _, status, usage = os.wait4(child, 0)
    if os.WIFSIGNALED(status):
        timed_out = os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
        return None, "more than %d s" % limit if timed_out else "signal %d" % os.WTERMSIG(status)
    if os.WEXITSTATUS(status) != 0:
        return None, "exit status %d" % os.WEXITSTATUS(status)
    return usage.ru_utime + usage.ru_stime, "%.0f" % (usage.ru_maxrss / 1024)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--methods", help="names with commas between them (default: all)")
    parser.add_argument("--sizes", default="text,dense")
    parser.add_argument("--limit", type=int, default=900, help="CPU seconds of one run (default: 900)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    args = parser.parse_args()
    program = args.build / "pith"
    sizes = args.sizes.split(",")
    with tempfile.TemporaryDirectory() as folder:
        data = {size: (text_file if size == "text" else dense_file)(program, folder) for size in sizes}
        print("| method | " + " | ".join("%s: CPU s | MB" % SIZES[size] for size in sizes) + " |")
        print("| --- |" + " --- | --- |" * len(sizes))
        for method in args.methods.split(",") if args.methods else methods(program):
            cells = []
            for size in sizes:
                seconds, rest = run(program, data[size], method, args.limit)
                cells += ["%.1f" % seconds, rest] if seconds is not None else [rest, ""]
            print("| %s | %s |" % (method, " | ".join(cells)), flush=True)


if __name__ == "__main__":
    main()
