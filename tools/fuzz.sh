#!/bin/sh
# Throws broken files at the readers, with clang's libFuzzer and the address and undefined sanitizers.
#
#     tools/fuzz.sh [SECONDS] [READER ...]      builds, then runs each target that long; 60 s, all of them
#     tools/fuzz.sh build | run SECONDS [READER ...]
#
# What is learned is kept in build/fuzz/corpus and used by the next run. An input that breaks a reader is kept
# as build/fuzz/found-*: fix the reader and move the input to tests/regression/fuzz/READER, where the tests
# replay it. Exits 77 if there is no clang with its fuzzer; with PITH_NO_SKIP=1 that is an error.
set -eu
cd "$(dirname "$0")/.."
build=build/fuzz

leave_out() {
    echo "fuzz: skipped, $1 (tools/packages.txt, section check)"
    if [ "${PITH_NO_SKIP:-0}" = 1 ]; then exit 1; fi
    exit 77
}

find_clang() {
    command -v clang >/dev/null || leave_out "clang is not installed"
    echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n); int LLVMFuzzerTestOneInput(const char *d,
        unsigned long n) { return d && n ? 0 : 0; }' |
        clang -x c -fsanitize=fuzzer,address,undefined -fopenmp - -o /dev/null 2>/dev/null ||
        leave_out "clang's fuzzer or OpenMP runtime is not installed"
}

# All but HDF5's, which is read by another process: tests/hostile has a mutator for it.
targets() {
    for source in tests/fuzz/fuzz_*.c; do
        [ "$source" = tests/fuzz/fuzz_h5ad.c ] || basename "$source" .c
    done
}

build_targets() {
    find_clang
    cmake -S . -B "$build" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPITH_FUZZ=ON \
        -DPITH_SANITIZE=address,undefined -DCMAKE_C_FLAGS=-fsanitize=fuzzer-no-link \
        -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -g1" >/dev/null
    # shellcheck disable=SC2046 # words, not one
    cmake --build "$build" --parallel "$(nproc)" --target $(targets)
}

run_target() {
    seconds=$1 reader=$2
    mkdir -p "$build/corpus/$reader" "tests/fuzz/corpus/$reader" "$build/none"
    kept=tests/regression/fuzz/$reader
    [ -d "$kept" ] || kept=$build/none
    echo "fuzz: $reader for $seconds s"
    # Claims of memory that no file backs are what we look for, so little is granted.
    ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=1:max_allocation_size_mb=2048 \
        LSAN_OPTIONS=suppressions=tests/fuzz/leaks.supp:print_suppressions=0 \
        OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 UBSAN_OPTIONS=print_stacktrace=1 \
        "$build/tests/fuzz/fuzz_$reader" -max_total_time="$seconds" -max_len=65536 -timeout=25 \
        -rss_limit_mb=3000 -error_exitcode=1 -timeout_exitcode=1 -artifact_prefix="$build/found-$reader-" -print_final_stats=1 -verbosity=0 \
        "$build/corpus/$reader" "tests/fuzz/corpus/$reader" "$kept"
}

case ${1:-} in
build)
    build_targets
    exit
    ;;
run)
    shift
    [ -x "$build/tests/fuzz/fuzz_csv" ] || leave_out "the targets are not built"
    ;;
*)
    build_targets
    ;;
esac
seconds=${1:-60}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || {
    # shellcheck disable=SC2046
    set -- $(targets | sed s/fuzz_//)
}
for reader in "$@"; do
    run_target "$seconds" "$reader"
done
