#!/bin/sh
# The R package as its user meets it: installed into a library of its own, its tests, and what the pages show.
# Or, with `check`, R CMD check, which must find nothing to say.
#
#     run.sh test|check SOURCE BUILD
#
# Without R, or without testthat, it is skipped (exit 77).
set -eu
what=$1 source=$2 build=$3

skip() {
    echo "skipped: $*"
    if [ "${PITH_NO_SKIP:-0}" = 1 ]; then exit 1; fi
    exit 77
}

has() {
    Rscript --vanilla -e "for (p in commandArgs(TRUE)) loadNamespace(p)" "$@" >/dev/null 2>&1
}

command -v R >/dev/null || skip "no R here"
has Matrix testthat || skip "R has no Matrix or no testthat here"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PITH_LIBRARY="$build" R_LIBS="$work/library"
mkdir "$R_LIBS"
cp -R "$source/r" "$work/pith"
cd "$work"
rm -f pith/src/*.o pith/src/*.so pith/src/Makevars

header=$(sed -n 's/^#define PITH_VERSION_M[A-Z]* //p; s/^#define PITH_VERSION_PATCH //p' "$source/include/pith.h" | paste -sd.)
[ "$(sed -n 's/^Version: //p' pith/DESCRIPTION)" = "$header" ] || { echo "DESCRIPTION has another version than pith.h"; exit 1; }

if [ "$what" = check ]; then
    has knitr markdown || skip "R has no knitr or no markdown here"
    # The clock is asked of a server; a package that is only suggested may be missing, unless nothing may be.
    export _R_CHECK_SYSTEM_CLOCK_=0 _R_CHECK_FORCE_SUGGESTS_="${PITH_NO_SKIP:-0}" _R_CHECK_FUTURE_FILE_TIMESTAMPS_=0
    # The vignette is made here, and the tests are the other part's: neither again.
    R CMD build pith
    R CMD check --no-manual --no-tests --no-build-vignettes pith_*.tar.gz
    grep -q '^Status: OK$' pith.Rcheck/00check.log || { cat pith.Rcheck/*.Rout.fail 2>/dev/null; exit 1; }
    exit 0
fi

R CMD INSTALL --no-docs --no-test-load --library="$R_LIBS" pith >install.log 2>&1 || { cat install.log; exit 1; }
cd pith/tests
Rscript --vanilla -e 'library(testthat); library(pith)' -e 'test_dir("testthat", package = "pith", load_package = "installed", reporter = "check")'
cd "$work"
python3 "$source/examples/chips.py" >chips.csv
for page in r tutorials/genes; do
    awk '/^```r$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$source/docs/$page.md" >page.R
    [ -s page.R ] || { echo "docs/$page.md has no examples"; exit 1; }
    Rscript --vanilla page.R >page.log 2>&1 || { cat page.log; exit 1; }
done
