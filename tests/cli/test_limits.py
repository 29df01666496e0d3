"""Too little memory: every command ends by itself, with its result or with one line and status 1.

The limit is on the address space (ulimit -v). Where the dynamic linker fails before the command begins, the system
says so; all limits here are above that. Each command is bisected to where it begins to fail, and every run on the way is
checked. PITH_TEST_LIMITS=full takes many limits for every command instead, which takes minutes.
"""
import functools
import json
import os
import re
import resource
import subprocess

from support import PITH, Case, main, thorough

MB = 10**6
ENOUGH = 320 * MB  # above what loading takes: BLAS's 134 MB, and as much again
CLOSE = 6 * MB     # where bisecting ends


def limited(words, limit, folder):
    """The ended process, with so much address space."""
    def lower():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return subprocess.run([PITH, *words], cwd=folder, capture_output=True, timeout=300, preexec_fn=lower)


@functools.cache
def loaded():
    """The least address space in which the command begins, with half a megabyte to spare: words on the command line
    and the system's placing of the stack move it by some pages. None: not even 1 GB, as under sanitizers."""
    low, high = 0, 1000 * MB
    def begins(limit):
        done = limited(["--version"], limit, ".")
        return done.returncode == 0 or done.stderr == b"pith: out of memory\n"
    if not begins(high):
        return None
    while high - low > 50_000:
        middle = (low + high) // 2
        low, high = (low, middle) if begins(middle) else (middle, high)
    return high + MB // 2


class Limits(Case):
    def setUp(self):
        super().setUp()
        if loaded() is None:
            self.skipTest("this build does not start with 1 GB of address space (sanitizers take more)")
        self.pith("synth", "blobs", "--samples", "120", "--features", "40", "-o", "b.csv")

    def outputs(self, done):
        """Standard output and the files, less what differs from run to run; removes the files."""
        made = {"-": done.stdout}
        for path in self.folder.glob("out*"):
            made[path.name] = path.read_bytes()
            path.unlink()
        return {name: re.sub(rb'"(seconds|peak_bytes)":[^,}]*', b"", data) for name, data in made.items()}

    def fits(self, words, limit, want):
        """Does it work? If so as ever; if not, with one line, status 1 and nothing written."""
        done = limited(words, limit, self.folder)
        shown = f"pith {' '.join(words)} with {limit / MB:.1f} MB: {done.returncode}: {done.stderr.decode()}"
        outputs = self.outputs(done)
        if done.returncode == 0:
            self.assertTrue(outputs == want, shown)  # no assertEqual: its account of a difference takes minutes
            return True
        self.assertEqual(done.returncode, 1, shown)
        self.assertRegex(done.stderr.decode(), r"\Apith: [^\n]*out of memory[^\n]*\n\Z", shown)
        self.assertEqual(outputs, {"-": b""}, shown)
        return False

    def lower(self, *words):
        done = self.run_pith(*words)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        done.stdout = done.stdout.encode()
        want = self.outputs(done)
        low, high = loaded(), loaded() + ENOUGH
        self.assertTrue(self.fits(words, high, want), f"{words}: no result with {high / MB} MB")
        if os.environ.get("PITH_TEST_LIMITS") == "full":
            for extra in [*range(0, 30, 1), *range(120, 160, 2)]:
                self.fits(words, low + extra * MB // 2 if extra < 30 else low + extra * MB, want)
            return
        if self.fits(words, low, want):
            return
        while high - low > CLOSE:
            middle = (low + high) // 2
            low, high = (low, middle) if self.fits(words, middle, want) else (middle, high)

    @thorough
    def test_every_method(self):
        self.write("counts.csv", "".join(",".join(str((7 * i * i + 5 * i * j + j * j) % 11) for j in range(40)) + "\n"
                                         for i in range(1, 121)))
        for method in json.loads(self.pith("methods", "--json")):
            with self.subTest(method=method["name"]):
                tree = ("--tree", "cluster") if method["needs_tree"] else ()
                data = "counts.csv" if method["needs_counts"] else "b.csv"
                self.lower("rank", data, "-qm", method["name"], *tree, "-o", "out.csv")

    @thorough
    def test_every_command(self):
        self.write("docs.csv", "text,label\n" + "the cat sat on the mat,a\ndogs bark at cats,b\n" * 4)
        for words in (
                "--version", "--help", "help rank", "help --man", "methods", "methods --json", "info b.csv",
                "info b.csv --json", "rank b.csv -q", "select b.csv -qn 5 -m laplacian -o out.csv",
                "compare b.csv -q -m variance,spec -n 5 --restarts 2 --format json --report out.html",
                "prep b.csv out.csv --steps zscore", "prep docs.csv out.mtx --steps text", "tree cluster b.csv",
                "tree root b.csv -o out.json", "synth blobs --samples 100 --features 20 -o out.npy"):
            with self.subTest(command=words):
                self.lower(*words.split())

    @thorough
    def test_every_format(self):
        for ending in self.endings():
            with self.subTest(ending=ending):
                self.lower("convert", "b.csv", f"out.{ending}")
                self.pith("convert", "b.csv", f"in.{ending}")
                self.lower("convert", f"in.{ending}", "out.csv")

    def test_more_threads_than_fit(self):
        """OpenMP would end the process where it cannot start a thread."""
        self.lower("rank", "b.csv", "-qm", "laplacian", "--threads", "64", "-o", "out.csv")

    def test_stacks_that_do_not_fit(self):
        want = self.pith("rank", "b.csv", "-qm", "spec")
        for size in ("100G", "99999999999 M", "4194304"):
            done = subprocess.run([PITH, "rank", "b.csv", "-qm", "spec", "--threads", "4"], cwd=self.folder,
                                  capture_output=True, text=True, timeout=300,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2000 * MB, 2000 * MB)),
                                  env={**os.environ, "OMP_STACKSIZE": size})
            self.assertEqual((done.returncode, done.stdout), (0, want), f"{size}: {done.stderr}")

    def test_what_prints_as_it_goes(self):
        """demo and bench have said something before they fail; the error is one line all the same."""
        for command in ("demo", "bench"):
            done = limited([command], loaded() + 60 * MB, self.folder)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr.decode(), r"\Apith: out of memory[^\n]*\n\Z")

    def test_a_file_larger_than_the_memory(self):
        with open(self.folder / "vast.csv", "wb") as vast:
            vast.write(b"a,b\n1,2\n")
            vast.truncate(ENOUGH)
        done = limited(["info", "vast.csv"], loaded() + 100 * MB, self.folder)
        self.assertEqual((done.returncode, done.stderr), (1, b"pith: out of memory: vast.csv does not fit\n"))


if __name__ == "__main__":
    main()
