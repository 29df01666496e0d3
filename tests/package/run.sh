#!/bin/sh
# Installs the build into a new folder and uses it as a stranger would: pkg-config and CMake, shared and
# static, C and C++, the command and its man page.
#
#     tests/package/run.sh BUILD CC CXX
set -eu
build=$1 cc=$2 cxx=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# Which libpith a program was linked with.
linked() {
    if readelf -d "$1" | grep -q 'NEEDED.*libpith\.so'; then echo shared; else echo static; fi
}

use() {
    echo "--- $1"
    [ "$(linked "$2")" = "$3" ] || fail "$1: linked $(linked "$2"), not $3"
    LD_LIBRARY_PATH=$libdir "$2" || fail "$1: exit $?"
}

cmake --install "$build" --prefix "$prefix" >/dev/null
version=$(sed -n 's/^#define PITH_VERSION_[A-Z]* \([0-9]*\)$/\1/p' "$prefix/include/pith.h" | paste -sd .)
pc=$(find "$prefix" -name pith.pc)
libdir=$(cd "$(dirname "$pc")/.." && pwd)
export PKG_CONFIG_PATH="$libdir/pkgconfig"

echo "--- header"
for standard in c11 c17; do
    "$cc" -std=$standard -pedantic -Wall -Wextra -Werror -fsyntax-only -x c "$prefix/include/pith.h"
done
for standard in c++11 c++20; do
    "$cxx" -std=$standard -pedantic -Wall -Wextra -Werror -fsyntax-only -x c++ "$prefix/include/pith.h"
done

echo "--- hardening"
for file in "$libdir/libpith.so" "$libdir/pith/pith-hdf5" "$prefix/bin/pith" "$build/pith" "$build"/python/pith/_core.*.so; do
    [ ! -e "$file" ] || "$here/hardened.sh" "$file" || fail "built without its defences"
done
# The check itself: each of these lacks one thing.
printf '#include <stdio.h>\nint main(int n, char **words) { return printf("%%s", words[n - 1]); }\n' >"$work/bare.c"
for flag in -U_FORTIFY_SOURCE -fno-stack-protector -Wl,-z,norelro -Wl,-z,lazy -no-pie -Wl,-z,execstack '-Wl,-rpath,/lib:' -Wl,-rpath,lib; do
    "$cc" -O2 -fPIE -pie -fstack-protector-all -D_FORTIFY_SOURCE=2 -Wl,-z,relro,-z,now "$work/bare.c" "$flag" -o "$work/bare"
    ! "$here/hardened.sh" "$work/bare" 2>"$work/said" || fail "hardened.sh has nothing against $flag"
    [ "$(wc -l <"$work/said")" = 1 ] || fail "hardened.sh on $flag: $(cat "$work/said")"
done
# Files that happen to lie where the user is are no libraries.
mkdir "$work/elsewhere"
soname=$(readelf -d "$libdir/libpith.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
# Before 1.0 a program must not load the library of another minor version.
case $version in
    0.*) [ "$soname" = "libpith.so.${version%.*}" ] || fail "libpith $version is $soname" ;;
esac
for name in libz.so.1 libc.so.6 "$soname" libzip.so.4; do
    echo 'not a library' >"$work/elsewhere/$name"
done
for program in "$prefix/bin/pith" "$build/pith"; do
    [ ! -e "$program" ] || (cd "$work/elsewhere" && "$program" --version >/dev/null) || fail "$program loads from where it is run"
done

echo "--- symbols"
stray=$(nm -D --defined-only "$libdir/libpith.so" | awk '$3 !~ /^pith_/ || $3 ~ /^pith_i_/ { print $3 }')
[ -z "$stray" ] || fail "libpith.so shows: $stray"
# The other way round: what the header promises is there.
"$cc" -E "$prefix/include/pith.h" | grep -o 'pith_[a-z_]*(' | tr -d '(' | sort -u >"$work/promised"
nm -D --defined-only "$libdir/libpith.so" | awk '{ print $3 }' | sort -u >"$work/shown"
lacking=$(comm -23 "$work/promised" "$work/shown" | grep -v '_fn$' || true)
[ -z "$lacking" ] || fail "pith.h declares what libpith.so lacks: $lacking"

[ "$(pkg-config --modversion pith)" = "$version" ] || fail "pith.pc has another version than pith.h"
# shellcheck disable=SC2046 # flags are words
"$cc" -std=c11 "$here/consumer.c" $(pkg-config --cflags --libs pith) -o "$work/shared"
use "pkg-config, shared" "$work/shared" shared

cmake -S "$here/cmake" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
    -DPITH_WANTED="$version" >/dev/null
cmake --build "$work/cmake" >/dev/null
use "CMake, shared" "$work/cmake/consumer_shared" shared
use "CMake, static" "$work/cmake/consumer_static" static

echo "--- part of another project"
cmake -S "$here/part" -B "$work/part" -DCMAKE_C_COMPILER="$cc" >"$work/log" 2>&1 || {
    cat "$work/log"
    fail "add_subdirectory"
}
[ ! -e "$work/part/pith/tests" ] || fail "its tests become those of the other project"
[ ! -e "$work/part/pith/engines" ] || fail "the engine for clusters is built for a project that did not ask for it"
[ ! -e "$work/part/CPackConfig.cmake" ] || fail "it makes packages for the other project"
if grep -q '/pith\.1"' "$work/part/pith/cmake_install.cmake"; then
    grep -q "part/pith/pith\.1\"" "$work/part/pith/cmake_install.cmake" || fail "its man page is installed from where it is not made"
fi

if [ -x "$prefix/bin/pith" ]; then
    echo "--- command"
    said=$("$prefix/bin/pith" --version)
    [ "$said" = "pith $version" ] || fail "pith --version says: $said"
    "$prefix/bin/pith" synth blobs --samples 20 --features 5 -q -o "$work/blobs.h5ad"
    "$prefix/bin/pith" info "$work/blobs.h5ad" >/dev/null || fail "the reader of HDF5 is not found"
    echo "--- man page"
    page=$prefix/share/man/man1/pith.1
    if command -v man >/dev/null; then
        complaints=$(LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
        [ -z "$complaints" ] || fail "man page: $complaints"
    else
        echo "skipped: no man here"
        [ "${PITH_NO_SKIP:-0}" != 1 ] || exit 1
    fi
    echo "--- completions"
    bash -n "$prefix/share/bash-completion/completions/pith"
    [ -s "$prefix/share/zsh/site-functions/_pith" ] || fail "no completion for zsh"
    [ -s "$prefix/share/fish/vendor_completions.d/pith.fish" ] || fail "no completion for fish"
    # Moved away together, command and library still find each other.
    mv "$prefix" "$work/moved"
    [ "$(env -u LD_LIBRARY_PATH "$work/moved/bin/pith" --version)" = "pith $version" ] || fail "moved prefix"
    env -u LD_LIBRARY_PATH "$work/moved/bin/pith" info "$work/blobs.h5ad" >/dev/null || fail "moved reader of HDF5"
    mv "$work/moved" "$prefix"
fi

# Last, because it takes the shared library away: -lpith is then the archive.
rm "$libdir"/libpith.so*
# shellcheck disable=SC2046
"$cc" -std=c11 "$here/consumer.c" $(pkg-config --static --cflags --libs pith) -o "$work/static"
use "pkg-config, static" "$work/static" static
