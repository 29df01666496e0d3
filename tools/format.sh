#!/bin/sh
# Formats every C file by .clang-format, or with --check only looks: exit 1 names the files that differ.
# Versions of clang-format differ in what they make of one configuration, so the check is for that of
# Debian 12; without it, it is skipped (exit 77).
set -eu
cd "$(dirname "$0")/.."

version=14
program=clang-format-$version
command -v "$program" >/dev/null || program=clang-format
if ! "$program" --version 2>/dev/null | grep -q "version $version\."; then
    echo "skipped: no clang-format $version here"
    if [ "${PITH_NO_SKIP:-0}" = 1 ]; then exit 1; fi
    exit 77
fi
case ${1:-} in
    --check) set -- --dry-run -Werror ;;
    *) set -- -i ;;
esac
find . \( -name build -o -name .git \) -prune -o -name '*.[ch]' -exec "$program" "$@" {} + 2>&1
