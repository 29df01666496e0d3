#!/bin/sh
# Are these files built as cmake/Compiler.cmake says? Programs, shared libraries and modules, by what readelf says.
#
#     tests/package/hardened.sh FILE...
set -eu
export LC_ALL=C
failures=0

fail() {
    echo "FAILED: $*" >&2
    failures=$((failures + 1))
}

# The loader takes an empty entry for the folder that the user is in, and a relative one from there.
check_path() {
    path=$(readelf -dW "$1" | sed -n 's/.*Library r\(un\)\{0,1\}path: \[\(.*\)\]/\2:/p')
    while [ -n "$path" ]; do
        # shellcheck disable=SC2016 # the loader's word, not the shell's
        case ${path%%:*} in
        /* | '$ORIGIN' | '$ORIGIN'/*) ;;
        '') fail "$1: an empty entry among the folders of its libraries" ;;
        *) fail "$1: libraries from a relative folder: ${path%%:*}" ;;
        esac
        path=${path#*:}
    done
}

check() {
    # Whole outputs, not pipes into grep -q: readelf would complain of the reader that went away.
    segments=$(readelf -lW "$1") dynamic=$(readelf -dW "$1") symbols=$(readelf -W --dyn-syms "$1")
    case $segments in *GNU_RELRO*) ;; *) fail "$1: no RELRO" ;; esac
    case $dynamic in *BIND_NOW* | *'Flags: NOW'*) ;; *) fail "$1: symbols are bound late: RELRO is not full" ;; esac
    case $segments in *'GNU_STACK'*' RWE '*) fail "$1: its stack can be executed" ;; esac
    case $segments in *'file type is DYN'*) ;; *) fail "$1: loaded at a fixed address" ;; esac
    case $symbols in *__stack_chk_fail*) ;; *) fail "$1: no stack protector" ;; esac
    # With it, no call of these stays without its check; others do where the compiler sees that there is room.
    case $symbols in *' printf@'* | *' fprintf@'*) fail "$1: no _FORTIFY_SOURCE" ;; esac
    check_path "$1"
}

for file; do
    check "$file"
done
exit $((failures > 0))
