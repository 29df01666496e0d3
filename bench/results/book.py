#!/usr/bin/env python3
"""The results book: every method on every data set with the papers' protocols, and the pages that show it.

    cmake --preset release && cmake --build --preset release
    python3 bench/results/book.py --data DIR [--jobs 2] [--stage STAGE ...] [SET ...]

DIR holds NAME.mat or NAME.h5ad for the sets of bench/results/sets.tsv, which says where each can be had; sets that are not
there are left out and named. A finished comparison is kept in bench/results/runs, and is not made again for the same version of
pith unless --again says so; one that takes longer than --hours stops, and the next call goes on with it. Each runs on one
thread, --jobs of them at a time; times are measured one at a time, with nothing else running.

--plan   prints what is left to do, stage by stage, with an estimate of its CPU minutes
--pages  writes docs/results and the generated part of docs/choosing.md from the kept runs, and runs nothing
--check  runs and writes nothing: fails if a run is missing or a page is not what the runs say
"""
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # before numpy is there
    os.environ[name] = "1"

import argparse
import concurrent.futures
import csv
import pathlib
import subprocess
import sys
import tempfile
import time

import choosing
import claims
import estimates
import fields
import keeping
import pages
import runs
import synthetic
import timing

ROOT = pathlib.Path(__file__).resolve().parents[2]


def known_sets():
    with open(pathlib.Path(__file__).parent / "sets.tsv", newline="") as f:
        return list(csv.DictReader(f, delimiter="\t"))


def data_of(folder, entry):
    """The set's file; None if it is not there."""
    paths = [pathlib.Path(folder) / (entry["name"] + ending) for ending in (".mat", ".h5ad")]
    return next((path for path in paths if path.exists()), None)


MAKES_FIGURES = ("src", "include", "cli", "hdf5", "cmake", "CMakeLists.txt", "bench", ":!bench/results")


def git(*words):
    return subprocess.run(["git", "-C", ROOT, *words], check=True, capture_output=True, text=True).stdout.strip()


def commit():
    """The last one that could change a figure: to commit runs or pages makes no other."""
    return git("describe", "--always", git("log", "-1", "--format=%H", "--", *MAKES_FIGURES))


def make(options, job):
    """What is kept of a job; None: not finished."""
    path = data_of(options.data, job.entry) if job.entry else None
    if job.kind == "synthetic":
        return synthetic.make(options.program)
    if job.kind == "timing":
        return timing.make(options.program, path, job)
    if job.kind == "keep":
        return keeping.make(options.program, path, job)
    if job.kind == "field":
        return fields.make(options.program, path, job, options.work)
    return runs.compare(options.program, path, job, options.work, 3600 * options.hours)


def run(options, stamp, job):
    """Whether it was finished; what went wrong with one job is said and does not stop the others."""
    start = time.monotonic()
    if options.again:
        (options.work / job.file).unlink(missing_ok=True)
    try:
        content = make(options, job)
    except (Exception, SystemExit) as error:
        print(f"{job.file}: failed: {type(error).__name__}: {getattr(error, 'stderr', None) or error}", flush=True)
        return False
    if content is not None:
        runs.write(options.runs, job, stamp, content)
    print(f"{job.file}: {'not finished' if content is None else 'done'}, {time.monotonic() - start:.0f} s", flush=True)
    return content is not None


def jobs_of(options, sets):
    """(all jobs of the stages and sets asked for, those that are left, what they cost)"""
    costs = estimates.Costs(options.runs)
    wanted = [job for job in runs.plan(runs.registry(options.program), sets, costs.seconds) if job.stage in (options.stage or runs.STAGES)]
    now = runs.version(options.program)
    return wanted, [job for job in wanted if options.again or not runs.there(options.runs, job, now)], costs


def print_plan(options, sets):
    wanted, left, costs = jobs_of(options, sets)
    print(f"{'stage':10} {'jobs':>5} {'left':>5} {'CPU minutes left':>17}   the dearest")
    for stage in (options.stage or runs.STAGES):
        some = sorted((job for job in left if job.stage == stage), key=costs.seconds, reverse=True)
        dear = ", ".join(f"{job.file.removesuffix('.json')} {costs.seconds(job) / 60:.1f}" for job in some[:3])
        print(f"{stage:10} {sum(job.stage == stage for job in wanted):5} {len(some):5} {sum(map(costs.seconds, some)) / 60:17.1f}   {dear}")


TOGETHER = (("defaults", "field"), ("timing",), ("synthetic", "diversity", "own", "rest"))  # nothing else runs while times are measured


def run_all(options, sets):
    """Stage after stage, most important first: a book that is cut short is whole in what it has."""
    for s in sets:
        if data_of(options.data, s) is None:
            print(f"{s['name']}: not in {options.data}, left out", flush=True)
    here = [s for s in sets if data_of(options.data, s) is not None]
    stamp = {"version": runs.version(options.program), "commit": commit()}
    options.work = options.work or ROOT / "build" / "results" / stamp["commit"]
    options.work.mkdir(parents=True, exist_ok=True)
    done = []
    for stages in TOGETHER:
        left = [job for job in jobs_of(options, here)[1] if job.stage in stages]
        with concurrent.futures.ThreadPoolExecutor(1 if "timing" in stages else options.jobs) as pool:
            done += pool.map(lambda job: run(options, stamp, job), left)
    return all(done)


def texts(options, out):
    """({page: text}, the generated part of docs/choosing.md, what -m auto should take); pictures are drawn into out."""
    sets = known_sets()
    results, domains = runs.collect_all(options.runs, sets), {s["name"]: s["domain"] for s in sets}
    made_up = runs.load(options.runs / "synthetic.json")
    found = claims.all_claims(results, made_up)
    return ({"README.md": pages.front_page(results, domains, found), "defaults.md": pages.defaults_page(results, out),
             "grids.md": pages.grids_page(results, out), "diversity.md": pages.diversity_page(results),
             "papers.md": pages.papers_page(results, made_up), "cost.md": pages.cost_page(results),
             "counts.md": pages.counts_page(results, domains), "sets.md": pages.sets_page(sets, results)},
            choosing.part(results, domains), list(choosing.verdicts(results, domains)))


def write(options):
    options.out.mkdir(parents=True, exist_ok=True)
    found, part, verdicts = texts(options, options.out)
    for name, text in found.items():
        (options.out / name).write_text(text)
    options.choosing.write_text(choosing.filled(options.choosing.read_text(), part))
    print(f"{options.out}: {len(found)} pages; {options.choosing}: its part from the runs")
    print("\n".join(verdicts))


def check(options):
    """What is wrong: runs that are missing, pages that differ from what the runs say, pictures that are not there."""
    left = jobs_of(options, known_sets())[1]
    with tempfile.TemporaryDirectory(prefix="pith-book-") as folder:
        found, part, _ = texts(options, pathlib.Path(folder))
        pictures = sorted(path.name for path in pathlib.Path(folder).glob("*.svg"))
    wrong = [f"{job.file}: not run with this version" for job in left]
    wrong += [f"{options.out / name}: not what the runs say" for name, text in found.items()
              if not (options.out / name).exists() or (options.out / name).read_text() != text]
    wrong += [f"{options.out / name}: not there" for name in pictures if not (options.out / name).exists()]
    page = options.choosing.read_text()
    return wrong + ([f"{options.choosing}: not what the runs say"] if choosing.filled(page, part) != page else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", metavar="SET", help="run these sets only; pages have all that was run")
    parser.add_argument("--data", default=os.environ.get("PITH_DATA", ROOT.parent / "shared" / "data"))
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build" / "release" / "pith")
    parser.add_argument("--runs", type=pathlib.Path, default=ROOT / "bench" / "results" / "runs", help="where finished runs are kept")
    parser.add_argument("--work", type=pathlib.Path, help="where unfinished ones are (default: build/results/COMMIT)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs" / "results")
    parser.add_argument("--choosing", type=pathlib.Path, default=ROOT / "docs" / "choosing.md")
    parser.add_argument("--stage", action="append", choices=runs.STAGES, help="only this stage; again for more (default: all, in this order)")
    parser.add_argument("--hours", type=float, default=1, help="the most that one comparison may take on the clock in one call")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="also what is there for this version")
    parser.add_argument("--no-pages", action="store_true", help="run only")
    parser.add_argument("--plan", action="store_true")
    parser.add_argument("--pages", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    sets = [s for s in known_sets() if not options.sets or s["name"] in options.sets]
    if options.plan:
        return print_plan(options, sets)
    if options.check:
        wrong = check(options)
        print("\n".join(wrong))
        return 1 if wrong else 0
    done = True
    if not options.pages:
        done = run_all(options, sets)
    if not options.no_pages:
        write(options)
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())
