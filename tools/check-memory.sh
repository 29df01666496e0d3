#!/bin/sh
# The tests again, under a tool that watches memory or threads.
#
#     tools/check-memory.sh asan|tsan|valgrind [JOBS]
#
# asan: AddressSanitizer, with its leak check, and UndefinedBehaviorSanitizer. tsan: ThreadSanitizer, with
# clang's OpenMP runtime and its Archer tool, because gcc's runtime is unknown to it and gives false reports.
# valgrind: the suites over all methods, the tests of readers and one run of the command, for values that were never
# set. A tool that is missing is said so and left out; with PITH_NO_SKIP=1 that is an error.
set -eu
cd "$(dirname "$0")/.."
what=$1 jobs=${2:-2}

leave_out() {
    echo "=== $what: skipped, $1 is not installed (tools/packages.txt, section check)"
    if [ "${PITH_NO_SKIP:-0}" = 1 ]; then exit 1; fi
    exit 0
}

# The preset, and further options of ctest.
build_and_test() {
    preset=$1
    shift
    cmake --preset "$preset" >/dev/null
    cmake --build --preset "$preset"
    ctest --preset "$preset" -j "$jobs" "$@"
}

# One program under valgrind; silent when clean. The tests' own output would hide what valgrind says.
# OpenBLAS is held to kernels whose instructions valgrind knows; threads that wait must sleep, because
# valgrind runs one at a time.
under_valgrind() {
    log=$(mktemp)
    if ! OPENBLAS_CORETYPE=Prescott PITH_TEST_SHORT=1 OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive \
        valgrind -q --leak-check=full --show-leak-kinds=definite,indirect \
        --errors-for-leak-kinds=definite,indirect --error-exitcode=99 --num-callers=30 \
        --suppressions=tools/valgrind.supp "$@" >"$log" 2>&1; then
        cat "$log"
        rm -f "$log"
        echo "FAILED under valgrind: $*"
        return 1
    fi
    rm -f "$log"
    echo "clean under valgrind: $*"
}

case $what in
asan)
    build_and_test asan -LE check # thorough runs show it nothing more
    ;;
tsan)
    command -v clang >/dev/null || leave_out clang
    command -v llvm-symbolizer >/dev/null || leave_out llvm
    libraries=$(clang -print-resource-dir)/../..
    [ -e "$libraries/libarcher.so" ] || leave_out libomp-dev
    # Those that start threads: suites over all methods, and tests of files with parallel loops. Of the command, only
    # what signals do to them.
    build_and_test tsan -L threads
    ctest --preset tsan -j "$jobs" -R '^(cli[.]stop|canary[.])'
    ;;
valgrind)
    command -v valgrind >/dev/null || leave_out valgrind
    cmake --preset dev >/dev/null
    cmake --build --preset dev
    # Its silence means something only if it sees what is there.
    if under_valgrind build/dev/tests/canary/canary leak >/dev/null; then
        echo "FAILED: valgrind does not see a leak"
        exit 1
    fi
    # Values that were never set are what no sanitizer of ours sees: all methods meet them in the oracles and in those
    # claims of the registry that bring other forms of data, sizes and settings; all readers in their own tests. The
    # longest come first.
    {
        echo build/dev/tests/test_oracle
        for claim in '*csr*' '*degenerate*' 'approximate*' 'a_view*' 'every_setting*'; do
            echo "build/dev/tests/test_conformance 1/1 $claim"
        done
        echo build/dev/tests/test_oracle_spectrum
        for subject in src/io/*.c src/prep/*.c src/tree/*.c src/report/*.c src/select/*.c; do
            name=test_$(basename "$subject" .c)
            if [ -e "tests/unit/$name.c" ]; then echo "build/dev/tests/unit_tests $name"; fi
        done
    } | xargs -L 1 -P "$jobs" "$0" under-valgrind
    if [ -x build/dev/pith ]; then
        folder=$(mktemp -d)
        trap 'rm -rf "$folder"' EXIT
        under_valgrind build/dev/pith synth nrfs -o "$folder/nrfs.csv"
        under_valgrind build/dev/pith rank "$folder/nrfs.csv" -m laplacian -o "$folder/ranking.json"
    fi
    ;;
under-valgrind)
    shift
    under_valgrind "$@"
    ;;
*)
    echo "$0: asan, tsan or valgrind, not $what" >&2
    exit 2
    ;;
esac
