#!/bin/sh
# Digits that are held to an oracle must not hang on how OpenBLAS's kernel for this processor rounds: runs what
# is given with sets of kernels that the processor can execute: the oldest, without fused products, the most common,
# and the widest. (Sandybridge fuses no products either, and Zen has Haswell's kernels.) Exits 77, skipped, where that is none:
# another processor, or a BLAS that does not choose its kernels at run time.
#
#     kernels.sh UNIT_TESTS NAME... -- PROGRAM...
status=0 ran=
# OpenBLAS says which kernels it took; other libraries say nothing, and neither does one that has no such set.
chosen() {
    OPENBLAS_VERBOSE=2 OPENBLAS_CORETYPE=$1 "$unit_tests" ${names%% *} 2>&1 | grep -q "^Core: $1\$"
}
try() {
    if ! OPENBLAS_CORETYPE=$kernels "$@" >"$log" 2>&1; then
        echo "$* fails with OpenBLAS's $kernels kernels:"
        grep -E 'ERROR|differ' "$log" || tail -n 5 "$log"
        status=1
    fi
}
run() {
    if ! chosen "$1"; then
        echo "this BLAS has no $1 kernels to choose"
        return
    fi
    kernels=$1 ran=1
    for name in $names; do try "$unit_tests" "$name"; done
    for program in $programs; do try "$program"; done
}
[ $# -gt 2 ] || { echo "usage: $0 UNIT_TESTS NAME... -- PROGRAM..." >&2; exit 2; }
unit_tests=$1 names=$2
shift 2
while [ "$1" != -- ]; do
    names="$names $1"
    shift
done
shift
programs=$*
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
flags=$(grep -s -m 1 '^flags' "${PITH_CPUINFO:-/proc/cpuinfo}")
case $flags in *" pni "*) run Prescott ;; esac
case $flags in *" avx2 "*" fma "* | *" fma "*" avx2 "*) run Haswell ;; esac
case $flags in *" avx512vl "*) run SkylakeX ;; esac
if [ -z "$ran" ]; then
    echo "kernels: skipped, no set of OpenBLAS's kernels can be chosen here"
    exit 77
fi
exit $status
