#!/bin/sh
# Makes the source tarball of the R package, with its vignette, in a folder.
#
#     tools/r-package.sh BUILD OUTPUT
#
# BUILD is a build folder whose libpith is used meanwhile. Without R it is skipped, visibly.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
mkdir -p "$2"
output=$(cd "$2" && pwd)

if ! command -v R >/dev/null; then
    echo "R package: skipped, no R here"
    if [ "${PITH_NO_SKIP:-0}" = 1 ]; then exit 1; fi
    exit 0
fi
set -- --no-resave-data
if ! Rscript -e 'for (p in c("knitr", "markdown")) loadNamespace(p)' >/dev/null 2>&1; then
    echo "R package: without its vignette, which knitr and markdown make"
    if [ "${PITH_NO_SKIP:-0}" = 1 ]; then exit 1; fi
    set -- "$@" --no-build-vignettes
fi
# A copy: what was built in the checkout stays out.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R r "$work/r"
cd "$work"
PITH_LIBRARY=$build R CMD build "$@" r >log 2>&1 || { cat log; exit 1; }
mv pith_*.tar.gz "$output/"
