#!/bin/sh
# Digits that are held to an oracle must not hang on how OpenBLAS's kernel for this processor rounds: runs what
# is given with each set of kernels that the processor can execute.
#
#     kernels.sh UNIT_TESTS NAME... -- PROGRAM...
status=0
try() {
    if ! OPENBLAS_CORETYPE=$kernels "$@" >"$log" 2>&1; then
        echo "$* fails with OpenBLAS's $kernels kernels:"
        grep -E 'ERROR|differ' "$log"
        status=1
    fi
}
run() {
    kernels=$1
    for name in $names; do try "$unit_tests" "$name"; done
    for program in $programs; do try "$program"; done
}
unit_tests=$1 names=
shift
while [ "$1" != -- ]; do
    names="$names $1"
    shift
done
shift
programs=$*
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
flags=$(grep -m 1 '^flags' /proc/cpuinfo)
case $flags in *" pni "*) run Prescott ;; esac
case $flags in *" avx "*) run Sandybridge ;; esac
case $flags in *" avx2 "*" fma "* | *" fma "*" avx2 "*) run Haswell; run Zen ;; esac
case $flags in *" avx512vl "*) run SkylakeX ;; esac
exit $status
