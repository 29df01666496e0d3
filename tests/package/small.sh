#!/bin/sh
# Builds libpith with everything off that it can do without, and tries it: what it is linked with, what it says of what
# is left out, and the numbers of the oracles.
#
#     tests/package/small.sh CC
set -eu
cc=$1
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
work=$(mktemp -d "${TMPDIR:-/tmp}/pith-small.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$0: $*" >&2
    exit 1
}

# Little optimisation: most of the time is the compiler's.
cmake -S "$root" -B "$work/build" -G Ninja -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O1 \
    -DPITH_TESTS=OFF -DPITH_WERROR=ON -DPITH_HDF5=OFF -DPITH_ZIP=OFF -DPITH_JSON=OFF -DPITH_TEXT=OFF -DPITH_COMMAND=OFF >"$work/log"
cmake --build "$work/build" >>"$work/log" 2>&1 || { tail -n 20 "$work/log"; fail "it does not build"; }
cmake --install "$work/build" --prefix "$work/prefix" >/dev/null
[ ! -e "$work/prefix/bin/pith" ] || fail "the command is there"

# zlib stays: .csv.gz and compressed .mat need it, and all readers pass through it.
needed=$(readelf -d "$work/build/libpith.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort)
for name in $needed; do
    case $name in
    libopenblas.so.* | libblas.so.* | liblapack.so.* | libarpack.so.* | libgomp.so.* | libomp.so.* | libz.so.* | libm.so.* | libc.so.* | ld-linux*) ;;
    *) fail "libpith.so needs $name" ;;
    esac
done

pc=$(find "$work/prefix" -name pith.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # flags are words
"$cc" -O1 -Wall -Werror "$here/small.c" $(pkg-config --cflags --libs pith) -Wl,-rpath,"$(dirname "$(dirname "$pc")")" -o "$work/small"
printf '{"text":"a word"}\n' >"$work/d.jsonl"
: >"$work/r.json"
mat73=$(find "$root/tests/fuzz/corpus/mat" -type f | while read -r f; do
    if head -c 20 "$f" | grep -q 'MATLAB 7.3'; then echo "$f"; break; fi
done)
[ -n "$mat73" ] || fail "no .mat of version 7.3 in the corpus"
cp "$mat73" "$work/d.mat"
npz=$(find "$root/tests/fuzz/corpus/npz" -name '*.npz' | head -n 1)
(cd "$work" && ./small "$root/tests/fuzz/corpus/h5ad/good-csr-names.h5ad" d.mat "$npz" d.jsonl r.json out.csv) ||
    fail "what is left out is not told, or what is left does not work"

# shellcheck disable=SC2046
for name in oracle oracle_spectrum; do
    "$cc" -std=gnu17 -O1 -D_GNU_SOURCE -DPITH_TESTS="\"$root/tests\"" -DORACLE_DIR="\"$root/tests/oracle\"" -fopenmp -I"$root/src" \
        -I"$root/tests" -I"$root/include" "$root/tests/oracle/test_$name.c" "$work/build/libpith.a" \
        $(pkg-config --libs-only-l --static pith | sed 's/-lpith//') $(pkg-config --libs cmocka) -o "$work/test_$name"
    "$work/test_$name" >"$work/log" 2>&1 || { grep -E 'ERROR|differ|FAILED' "$work/log"; fail "test_$name fails"; }
done
printf "small: needs %s\n" "$needed"
