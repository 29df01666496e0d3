#!/usr/bin/env python3
"""Does a change of the inside leave every ranking as it was, to the byte?

    tools/same-bytes.py BEFORE AFTER DATA... [--methods A,B] [--option=OPTION]... [--limit SECONDS]

BEFORE and AFTER are pith commands of the same kind of build. Both run 'rank -m METHOD --format csv
--threads 1' on every file, for every method of BEFORE; standard output and exit status are compared. One line
per file and method that differs or fails in one only, then a count; exit 1 if there is any. What both refuse
in the same way, such as a supervised method on data without labels, is counted and is no difference.

    tools/same-bytes.py --self-test       does it see each kind of difference, and only those?
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOO_LONG = "too long"


def methods_of(command):
    listing = subprocess.run([command, "methods", "--json"], stdout=subprocess.PIPE, check=True).stdout
    return [method["name"] for method in json.loads(listing)]


def rank(command, path, method, options, limit):
    """(exit status, standard output), or TOO_LONG for the status."""
    call = [command, "rank", path, "-m", method, "--format", "csv", "--threads", "1", *options]
    try:
        done = subprocess.run(call, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return TOO_LONG, b""
    return done.returncode, done.stdout


def first_difference(before, after):
    a, b = before.split(b"\n"), after.split(b"\n")
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    shown = [lines[at].decode(errors="replace") if at < len(lines) else "(end)" for lines in (a, b)]
    return f"line {at + 1}: {shown[0]!r} became {shown[1]!r}"


def told(status):
    return status if status == TOO_LONG else f"exit status {status}"


def compare(before, after):
    """What became of a run: one of same, refused, too long, different; and how it differs."""
    if before[0] != after[0]:
        return "different", f"{told(before[0])} became {told(after[0])}"
    if before[0] == TOO_LONG:
        return TOO_LONG, None
    if before[1] != after[1]:
        return "different", first_difference(before[1], after[1])
    return ("same" if before[0] == 0 else "refused"), None


def compare_all(commands, paths, methods, options, limit):
    count = collections.Counter()
    for path in paths:
        for method in methods:
            became, how = compare(*(rank(command, path, method, options, limit) for command in commands))
            count[became] += 1
            if became in ("different", TOO_LONG):
                print(f"{os.path.basename(path)} {method}: {how or f'more than {limit:g} s in both'}", flush=True)
    print(f"{count['same']} the same, {count['different']} different, {count['refused']} refused by both, "
          f"{count[TOO_LONG]} too long to compare")
    return 1 if count["different"] else 0


FAKE = """#!/bin/sh
if [ "$1" = methods ]; then echo '[{"name": "same"}, {"name": "other"}, {"name": "ends"}, {"name": "fails"},
{"name": "refused"}]'; exit 0; fi
case $4 in
same) echo 1,a; echo 2,b ;;
other) echo 1,a; echo "$WHO",b ;;
ends) echo 1,a; [ "$WHO" = before ] || echo 2,b ;;
fails) [ "$WHO" = before ] || exit 3 ;;
refused) exit 2 ;;
slow) exec sleep 60 ;;
esac
"""
SAID = """x.csv other: line 2: 'before,b' became 'after,b'
x.csv ends: line 2: '' became '2,b'
x.csv fails: exit status 0 became exit status 3
1 the same, 3 different, 1 refused by both, 0 too long to compare
"""
SLOW = """x.csv slow: more than 0.2 s in both
0 the same, 0 different, 0 refused by both, 1 too long to compare
"""


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        commands = []
        for who in ("before", "after"):
            command = pathlib.Path(folder, who)
            command.write_text(FAKE.replace("#!/bin/sh\n", f"#!/bin/sh\nWHO={who}\n"))
            command.chmod(0o755)
            commands.append(str(command))
        for arguments, status, said in (
            ([], 1, SAID),
            (["--methods=slow", "--limit=0.2"], 0, SLOW),
            (["--methods=same,refused"], 0, "1 the same, 0 different, 1 refused by both, 0 too long to compare\n"),
        ):
            call = [sys.executable, __file__, *commands, "x.csv", *arguments]
            done = subprocess.run(call, stdout=subprocess.PIPE, check=False)
            if done.returncode != status or done.stdout.decode() != said:
                print(f"{arguments}: exit status {done.returncode}, said\n{done.stdout.decode()}")
                return 1
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("data", nargs="+")
    parser.add_argument("--methods", help="these only, separated by commas")
    parser.add_argument("--option", action="append", default=[], help="for both, such as --option=--neighbors=7")
    parser.add_argument("--limit", type=float, default=60, help="seconds for each run (default: 60)")
    a = parser.parse_args()
    methods = a.methods.split(",") if a.methods else methods_of(a.before)
    return compare_all((a.before, a.after), a.data, methods, a.option, a.limit)


if __name__ == "__main__":
    sys.exit(main())
