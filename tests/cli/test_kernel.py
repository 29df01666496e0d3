"""What libraries decide when they are loaded: the command starts itself again where it knows better. OpenBLAS takes old
kernels on a processor that has more; GCC's OpenMP lets threads wait for longer than is good where cores are busy."""
import os
import re
import subprocess
import unittest

from support import IRIS, PITH, Case, main


def has_avx2():
    try:
        with open("/proc/cpuinfo") as about:
            flags = re.search(r"^flags.*$", about.read(), re.M)
    except OSError:
        return False
    return flags is not None and {"avx2", "fma"} <= set(flags[0].split())


def environment(**more):
    kept = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
    return {**kept, **more}


def starts(folder, *words, **variables):
    """How often the program was executed; None where it cannot be told."""
    try:
        trace = subprocess.run(["strace", "-f", "-qq", "-e", "trace=execve", PITH, *words], capture_output=True,
                               env=environment(**variables), cwd=folder)
    except FileNotFoundError:
        return None
    return len(re.findall(rb"execve\(.*= 0", trace.stderr)) if trace.returncode == 0 else None


class Waits(Case):
    def test_threads_wait_briefly_unless_the_user_says_how(self):
        if starts(self.folder, "--version") is None:
            self.skipTest("strace is not installed, or may not trace here")
        self.assertEqual(starts(self.folder, "--version"), 2)
        for name, value in (("GOMP_SPINCOUNT", "0"), ("OMP_WAIT_POLICY", "active")):
            self.assertEqual(starts(self.folder, "--version", **{name: value}), 1, name)

    def test_the_program_that_starts_again_gets_what_it_was_given(self):
        done = subprocess.run([PITH, "two words", "", "a\nb"], env=environment(), capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"unknown command 'two words'", done.stderr)


@unittest.skipUnless(has_avx2(), "this processor has no AVX2, so there are no better kernels to take")
class Kernel(Case):
    def kernel(self, **variables):
        """The name that bench shows, text first; what follows it takes seconds and is not waited for."""
        with subprocess.Popen([PITH, "bench", "--quick", "--threads", "1"], stdout=subprocess.PIPE,
                              env=environment(**variables), cwd=self.folder) as bench:
            head = bench.stdout.readline().decode()
            bench.kill()
        found = re.search(r"OpenBLAS kernel (\S+)", head)
        if found is None:
            self.skipTest("this BLAS is not OpenBLAS")
        return found[1]

    def test_old_kernels_are_replaced(self):
        self.assertEqual(self.kernel(PITH_TEST_BLAS_KERNEL="Prescott"), "Haswell")

    def test_known_kernels_stay(self):
        own = self.kernel()
        self.assertEqual(self.kernel(PITH_TEST_BLAS_KERNEL="SkylakeX"), "SkylakeX")  # asked, and believed
        self.assertEqual(self.kernel(), own)

    def test_the_user_s_word_stands(self):
        self.assertEqual(self.kernel(PITH_TEST_BLAS_KERNEL="Prescott", OPENBLAS_CORETYPE="Nehalem"), "Nehalem")

    def test_words_and_input_arrive(self):
        self.write("d.csv", IRIS)
        words = [PITH, "rank", "/dev/stdin", "-m", "variance", "--labels", "label", "-q"]
        with open(self.folder / "d.csv", "rb") as table:
            plain = subprocess.run(words, stdin=table, env=environment(), capture_output=True, check=False)
        with open(self.folder / "d.csv", "rb") as table:
            again = subprocess.run(words, stdin=table, env=environment(PITH_TEST_BLAS_KERNEL="Prescott"),
                                   capture_output=True, check=False)
        self.assertEqual((again.returncode, again.stderr), (plain.returncode, plain.stderr))
        self.assertEqual(again.stdout, plain.stdout)

    def test_a_pipe_loses_no_byte(self):
        words = ["sh", "-c", f"printf %s '{IRIS}' | {PITH} info /dev/stdin --format json"]
        plain = subprocess.run(words, env=environment(), capture_output=True, check=False)
        again = subprocess.run(words, env=environment(PITH_TEST_BLAS_KERNEL="Prescott"), capture_output=True,
                               check=False)
        self.assertEqual((again.returncode, again.stdout, again.stderr),
                         (plain.returncode, plain.stdout, plain.stderr))

    def test_words_that_a_shell_would_split_stay_whole(self):
        done = subprocess.run([PITH, "two words", "", "a\nb"], env=environment(PITH_TEST_BLAS_KERNEL="Prescott"),
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"unknown command 'two words'", done.stderr)

    def test_it_starts_twice_and_no_more(self):
        waits = {"GOMP_SPINCOUNT": "0"}
        count = starts(self.folder, "--version", PITH_TEST_BLAS_KERNEL="Prescott", **waits)
        if count is None:
            self.skipTest("strace is not installed, or may not trace here")
        self.assertEqual(count, 2)
        self.assertEqual(starts(self.folder, "--version", PITH_TEST_BLAS_KERNEL="Prescott"), 2)
        self.assertEqual(starts(self.folder, "--version", **waits), 1)


if __name__ == "__main__":
    main()
