#!/bin/sh
# Every shell script through shellcheck; skipped (exit 77) without it.
set -eu
cd "$(dirname "$0")/.."
if ! command -v shellcheck >/dev/null; then
    echo "skipped: no shellcheck here"
    if [ "${PITH_NO_SKIP:-0}" = 1 ]; then exit 1; fi
    exit 77
fi
find . \( -name build -o -name .git \) -prune -o \( -name '*.sh' -o -path ./.ci/run \) -exec shellcheck -S warning {} +
