#!/bin/sh
# Digits that are held to an oracle must not hang on how OpenBLAS's kernel for this processor rounds: runs the
# programs given with each set of kernels that the processor can execute.
status=0
run() {
    for program in $programs; do
        if ! OPENBLAS_CORETYPE=$1 "$program" >"$log" 2>&1; then
            echo "$program fails with OpenBLAS's $1 kernels:"
            grep -E 'ERROR|differ' "$log"
            status=1
        fi
    done
}
programs=$*
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
flags=$(grep -m 1 '^flags' /proc/cpuinfo)
case $flags in *" pni "*) run Prescott ;; esac
case $flags in *" avx "*) run Sandybridge ;; esac
case $flags in *" avx2 "*" fma "* | *" fma "*" avx2 "*) run Haswell; run Zen ;; esac
case $flags in *" avx512vl "*) run SkylakeX ;; esac
exit $status
