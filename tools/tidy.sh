#!/bin/sh
# clang-tidy over the library and the command, by .clang-tidy.
#
#     tools/tidy.sh BUILD [JOBS]
#
# BUILD is a build folder with a compilation database. Without clang-tidy it is skipped (exit 77).
set -eu
cd "$(dirname "$0")/.."
build=$1 jobs=${2:-2}

program=clang-tidy-14
command -v $program >/dev/null || program=clang-tidy
if ! command -v $program >/dev/null; then
    echo "skipped: no clang-tidy here"
    if [ "${PITH_NO_SKIP:-0}" = 1 ]; then exit 1; fi
    exit 77
fi
found=$(find src hdf5 cli python -name '*.c' | sort | xargs -n 4 -P "$jobs" "$program" -p "$build" --quiet 2>&1 |
    grep -Ev '^[0-9]+ warnings? generated\.$|^$' || true)
if [ -n "$found" ]; then
    echo "$found"
    exit 1
fi
