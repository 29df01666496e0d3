#!/bin/sh
# Builds libpith with everything off that it can do without, and tries it: what it is linked with, what it says of what
# is left out, the numbers of the oracles, and that its scores have the bytes of a whole build.
#
#     tests/package/small.sh CC BUILD_FOLDER_OF_A_WHOLE_BUILD
set -eu
cc=$1 whole=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
corpus=$root/tests/fuzz/corpus
work=$(mktemp -d "${TMPDIR:-/tmp}/pith-small.XXXXXX")
trap 'rm -rf "$work"' EXIT
fail() {
    echo "$0: $*" >&2
    exit 1
}

# Not optimised: most of the time is the compiler's.
cmake -S "$root" -B "$work/build" -G Ninja -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 \
    -DPITH_TESTS=OFF -DPITH_WERROR=ON -DPITH_HDF5=OFF -DPITH_ZIP=OFF -DPITH_JSON=OFF -DPITH_TEXT=OFF -DPITH_ZLIB=OFF -DPITH_OPENMP=OFF \
    -DPITH_COMMAND=OFF >"$work/log"
cmake --build "$work/build" --target pith pith_static >>"$work/log" 2>&1 || { tail -n 20 "$work/log"; fail "it does not build"; }
cmake --install "$work/build" --prefix "$work/prefix" >/dev/null
[ ! -e "$work/prefix/bin/pith" ] || fail "the command is there"

needed=$(readelf -d "$work/build/libpith.so" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | sort)
for name in $needed; do
    case $name in
    libopenblas.so.* | libblas.so.* | liblapack.so.* | libarpack.so.*) ;;
    libm.so.* | libc.so.* | ld-linux*) ;; # libc, of which the loader is a part
    *) fail "libpith.so needs $name" ;;
    esac
done

pc=$(find "$work/prefix" -name pith.pc)
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046 # flags are words
"$cc" -O1 -Wall -Werror "$here/small.c" $(pkg-config --cflags --libs pith) -o "$work/small"
printf '{"text":"a word"}\n' >"$work/d.jsonl"
: >"$work/r.json"
cp "$corpus/h5ad/good-csr-names.h5ad" "$work/d.h5ad"
cp "$corpus/mat/good-v73-y.mat" "$work/v73.mat"
cp "$corpus/mat/good-v5-packed-y.mat" "$work/packed.mat"
cp "$corpus/mat/good-v5-plain-y.mat" "$work/plain.mat"
cp "$corpus/csv/packed.csv.gz" "$work/"
cp "$(find "$corpus/npz" -name '*.npz' | head -n 1)" "$work/d.npz"
libraries=$(dirname "$PKG_CONFIG_PATH")
(cd "$work" && LD_LIBRARY_PATH=$libraries ./small) || fail "what is left out is not told, or what is left does not work"

# A program without any shared library, where the archives for it are.
if [ -e "$("$cc" -print-file-name=libgfortran.a)" ] && [ -e "$("$cc" -print-file-name=libquadmath.a)" ]; then
    # shellcheck disable=SC2046
    "$cc" -static "$here/consumer.c" $(pkg-config --cflags --libs --static pith) -lgfortran -lquadmath -lm -o "$work/alone" 2>"$work/log" ||
        { cat "$work/log"; fail "it does not link into a static program"; }
    "$work/alone" || fail "a static program does not work: $?"
else
    echo "skipped: a static program, which needs libgfortran.a and libquadmath.a"
fi

# The command with the same parts left out, not optimised either.
cmake -DPITH_COMMAND=ON "$work/build" >"$work/log"
cmake --build "$work/build" >"$work/log" 2>&1 || { tail -n 20 "$work/log"; fail "the command does not build"; }
"$work/build/pith" info "$work/plain.mat" >/dev/null || fail "the command does not work"

# The same program; the loader gives it the one library or the other.
LD_LIBRARY_PATH=$libraries "$work/small" scores >"$work/without"
LD_LIBRARY_PATH=$whole "$work/small" scores >"$work/with"
cmp "$work/with" "$work/without" || fail "the scores differ from those of a whole build"

# shellcheck disable=SC2046
for name in oracle oracle_spectrum; do
    "$cc" -std=gnu17 -O1 -D_GNU_SOURCE -DPITH_TESTS="\"$root/tests\"" -DORACLE_DIR="\"$root/tests/oracle\"" -I"$root/src" \
        -I"$root/tests" -I"$root/include" "$root/tests/oracle/test_$name.c" "$work/build/libpith.a" \
        $(pkg-config --libs-only-l --static pith | sed 's/-lpith//') $(pkg-config --libs cmocka) -o "$work/test_$name"
    "$work/test_$name" >"$work/log" 2>&1 || { grep -E 'ERROR|differ|FAILED' "$work/log"; fail "test_$name fails"; }
done
printf "small: needs %s\n" "$needed"
