#!/usr/bin/env python3
"""The results book: every method on every data set with the papers' protocols, and the pages that show it.

    cmake --preset release && cmake --build --preset release
    python3 bench/results/book.py --data DIR [--runs build/results] [--out docs/results] [--hours 1] [SET ...]

DIR holds NAME.mat for the sets of bench/results/sets.tsv, which says where each can be had; sets that are not there are
left out and named. Every comparison may take --hours; what is finished then is kept, and the next call goes on.
--pages writes the pages from what is there and runs nothing.
"""
import argparse
import csv
import os
import pathlib

import pages
import runs

ROOT = pathlib.Path(__file__).resolve().parents[2]


def known_sets():
    with open(pathlib.Path(__file__).parent / "sets.tsv", newline="") as f:
        return list(csv.DictReader(f, delimiter="\t"))


def collect(options, sets):
    results = {}
    for entry in sets:
        name, found = entry["name"], {}
        data = pathlib.Path(options.data) / f"{name}.mat"
        print(f"{name}{'' if data.exists() else ': not in ' + str(options.data)}", flush=True)
        for kind in runs.kinds_of(entry["domain"]):
            out = options.runs / f"{name}.{kind}.json"
            found[kind] = (runs.load(out) if options.pages or not data.exists() else
                           runs.run(options.program, data, entry["tree"], kind, out, 3600 * options.hours))
        if any(found.values()):
            results[name] = found
    return results


def write(options, results, sets):
    options.out.mkdir(parents=True, exist_ok=True)
    texts = {"defaults.md": pages.defaults_page(results, options.out), "grids.md": pages.grids_page(results),
             "papers.md": pages.papers_page(results), "cost.md": pages.cost_page(results), "sets.md": pages.sets_page(sets)}
    for name, text in texts.items():
        (options.out / name).write_text(text)
        print(options.out / name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET")
    parser.add_argument("--data", default=os.environ.get("PITH_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "release" / "pith")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "build" / "results")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "results")
    parser.add_argument("--hours", type=float, default=1)
    parser.add_argument("--pages", action="store_true")
    options = parser.parse_args()
    sets = [s for s in known_sets() if not options.sets or s["name"] in options.sets]
    options.runs.mkdir(parents=True, exist_ok=True)
    write(options, collect(options, sets), sets)


if __name__ == "__main__":
    main()
