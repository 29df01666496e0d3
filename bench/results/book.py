#!/usr/bin/env python3
"""The results book: every method on every data set with the papers' protocols, and the pages that show it.

    cmake --preset release && cmake --build --preset release
    python3 bench/results/book.py --data DIR [--runs build/results] [--out docs/results] [--hours 1] [SET ...]

DIR holds NAME.mat for the sets of bench/results/sets.tsv, which says where each can be had; sets that are not there are
left out and named. Every comparison may take --hours; what is finished then is kept, and the next call goes on.
Each runs on one thread, --jobs of them at a time: more than one at a time blurs the figures of cost.md.
--pages writes the pages from what is there and runs nothing.
"""
import argparse
import concurrent.futures
import csv
import os
import pathlib

import claims
import pages
import runs
import synthetic
import timing

ROOT = pathlib.Path(__file__).resolve().parents[2]


def known_sets():
    with open(pathlib.Path(__file__).parent / "sets.tsv", newline="") as f:
        return list(csv.DictReader(f, delimiter="\t"))


def run_all(options, sets):
    """A book that is cut short is still whole in what it has: see runs.plan."""
    there = {s["name"]: pathlib.Path(options.data) / f"{s['name']}.mat" for s in sets}
    for path in there.values():
        if not path.exists():
            print(f"{path}: not there, left out", flush=True)
    jobs = [job for job in runs.plan(options.program, sets) if there[job[0]["name"]].exists()]
    if options.own:
        jobs = [job for job in jobs if job[1] == "defaults" or job[3] == ""]

    def run(job):
        entry, kind, methods, ending = job
        runs.run(options.program, there[entry["name"]], entry, kind, methods,
                 options.runs / f"{entry['name']}.{kind}{ending}.json", 3600 * options.hours)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(run, jobs))
    synthetic.run(options.program, options.runs / "synthetic.json")
    timing.run(options.program, [(s, there[s["name"]]) for s in sets if there[s["name"]].exists()],
               runs.registry(options.program), options.runs)


def collect(options, sets):
    results = {}
    for entry in sets:
        for kind in runs.kinds_of(entry):
            found = runs.collect(options.runs, entry["name"], kind)
            if found is not None:
                results.setdefault(entry["name"], {})[kind] = found
    return results


def write(options, results, sets):
    options.out.mkdir(parents=True, exist_ok=True)
    times = {s["name"]: runs.load(options.runs / f"{s['name']}.timing.json") for s in sets}
    times = {name: found for name, found in times.items() if found}
    synthetic_table = runs.load(options.runs / "synthetic.json")
    domains = {s["name"]: s["domain"] for s in sets}
    texts = {"README.md": pages.front_page(results, domains, claims.all_claims(results, synthetic_table, times), options.out),
             "defaults.md": pages.defaults_page(results, options.out), "grids.md": pages.grids_page(results, options.out),
             "diversity.md": pages.diversity_page(results),
             "papers.md": pages.papers_page(results, synthetic_table), "cost.md": pages.cost_page(results, times),
             "sets.md": pages.sets_page(sets, results)}
    for name, text in ((n, t) for n, t in texts.items() if not options.only or n in options.only):
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
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--own", action="store_true", help="of each paper's protocol only the methods that it compares")
    parser.add_argument("--only", action="append", metavar="PAGE", help="write this page and no other, such as diversity.md; again for more")
    parser.add_argument("--pages", action="store_true", help="run nothing")
    options = parser.parse_args()
    sets = [s for s in known_sets() if not options.sets or s["name"] in options.sets]
    options.runs.mkdir(parents=True, exist_ok=True)
    if not options.pages:
        run_all(options, sets)
    write(options, collect(options, sets), sets)


if __name__ == "__main__":
    main()
