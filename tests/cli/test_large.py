"""Data larger than the memory it may take: mapped files, convert, --memory and --scratch."""
import os
import subprocess
import sys
import zipfile

import support
from support import PITH, Case, npy, thorough

MEMORY = 16 << 20   # what pith is allowed
RESIDENT = 90e6    # what the process may have in memory, its own code and the pages of mapped files included


# A process of its own starts pith: the peak of a process begins with that of the one that started it.
WATCH = """
import os, sys
_, status, used = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[1], sys.argv[1:]), 0)
print(flush=True)
print(status, used.ru_maxrss)
"""


class Large(Case):
    def peak(self, *words):
        """Runs what must succeed; the most memory, in bytes, that the process had."""
        done = subprocess.run([sys.executable, "-c", WATCH, PITH, *map(str, words)], cwd=self.folder, check=True,
                              capture_output=True)
        status, most = done.stdout.split()[-2:]
        self.assertEqual(int(status), 0, (words, done.stderr))
        return int(most) * 1024

    def need_plain_build(self):
        if support.has_sanitizer():
            self.skipTest("a sanitizer takes memory of its own in this build")

    def pack(self, name):
        """As name.gz, more quickly than pith, which packs well."""
        subprocess.run(["gzip", "-1", name], cwd=self.folder, check=True)

    def same(self, a, b):
        with zipfile.ZipFile(self.folder / a) as one, zipfile.ZipFile(self.folder / b) as other:
            for name in ("indptr.npy", "indices.npy", "data.npy"):
                self.assertEqual(one.read(name), other.read(name), f"{name} of {a} and {b}")

    def streams(self, source, target, reference):
        """Converts in 16 MB; the table is larger than all that the process ever has in memory, code and libraries too."""
        size = (self.folder / reference).stat().st_size
        self.assertGreater(size, 1.3 * RESIDENT)
        self.assertLess(self.peak("convert", source, target, "-q", "--memory", MEMORY), RESIDENT, source)

    @thorough
    def test_convert_takes_memory_that_does_not_grow(self):
        self.need_plain_build()
        self.pith("synth", "blobs", "--samples", "50000", "--features", "2000", "--density", "0.1", "-qo", "x.npz")
        for ending in ("mtx.gz", "svm", "h5ad"):
            self.pith("convert", "x.npz", f"y.{ending.removesuffix('.gz')}", "-q", "--no-labels", "--force")
            if ending == "mtx.gz":
                self.pack("y.mtx")
            self.streams(f"y.{ending}", "z.npz", "x.npz")
            self.same("x.npz", "z.npz")
            (self.folder / f"y.{ending}").unlink()

    @thorough
    def test_entries_in_any_order(self):
        """The file is sorted by columns: its entries are sorted into rows in a scratch file."""
        self.need_plain_build()
        self.pith("synth", "blobs", "--samples", "2000", "--features", "40000", "--density", "0.13", "-qo", "x.npz")
        self.pith("convert", "x.npz", "t.npz", "-q", "--transpose")
        self.pith("convert", "t.npz", "t.mtx", "-q", "--no-labels")
        head, entries = self.folder / "t.mtx", self.folder / "y.mtx"
        with head.open("rb") as source, entries.open("wb") as target:
            target.write(source.readline())
            source.readline()
            n, p, count = source.readline().split()
            target.write(b"%s %s %s\n" % (p, n, count))
            for line in source:
                i, j, v = line.split()
                target.write(b"%s %s %s\n" % (j, i, v))
        head.unlink()
        self.streams("y.mtx", "z.npz", "x.npz")
        self.same("x.npz", "z.npz")

    @thorough
    def test_dense_text(self):
        self.need_plain_build()
        self.pith("synth", "blobs", "--samples", "17000", "--features", "900", "-qo", "x.npy")
        self.pith("convert", "x.npy", "y.csv", "-q")
        self.pack("y.csv")
        self.streams("y.csv.gz", "z.npy", "x.npy")
        self.assertEqual((self.folder / "x.npy").read_bytes(), (self.folder / "z.npy").read_bytes())

    def test_a_ranking_whose_transpose_is_in_scratch(self):
        """The same bytes; --verbose tells, and nothing is left behind."""
        self.pith("synth", "blobs", "--samples", "20000", "--features", "2000", "--density", "0.05", "-qo", "x.npz")
        (self.folder / "tmp").mkdir()
        for method in ("dispersion", "mutual-info"):
            plain = self.pith("rank", "x.npz", "-qm", method)
            done = self.run_pith("rank", "x.npz", "-vm", method, "--memory", "20MB", "--scratch", "tmp")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, plain)
            self.assertEqual(list((self.folder / "tmp").iterdir()), [])
        self.assertIn("MB did not fit into memory and went to files in tmp", done.stderr)

    def test_what_cannot_fit_is_refused(self):
        self.pith("synth", "blobs", "--samples", "3000", "--features", "2000", "-qo", "x.npy")
        said = self.refused(1, "rank", "x.npy", "-qm", "udfs", "--memory", "8MB")
        self.assertRegex(said, r"out of memory: .* more needed beside .* in use, and the limit is 8\.0 MB")
        for method in ("laplacian", "kmeans-energy"):  # 24 MB of rows in single precision
            said = self.refused(1, "rank", "x.npy", "-qm", method, "--memory", "20MB")
            self.assertIn("out of memory: 24.0 MB more needed beside", said)

    def test_sizes_and_folders_are_checked(self):
        self.write("d.csv", support.IRIS)
        for call in (("rank", "d.csv"), ("compare", "d.csv")):  # a number is that of snfs
            said = self.refused(2, *call, "-m", "variance", "--memory", "8")
            self.assertRegex(said, r"parameter 'memory'.*; a limit of memory needs a unit, such as --memory 10GB$")
        self.assertIn("a size of at least 1MiB", self.refused(2, "convert", "d.csv", "e.csv", "--memory", "8"))
        for bad in ("12KB", "x", "-3GB", "1GBx", "nan", "inf"):
            self.assertIn("--memory: a size of at least 1MiB", self.refused(2, "rank", "d.csv", "--memory", bad))
        for good in ("2000000", "2MB", "2m", "1.5GB", "2MiB", "1TB"):
            self.pith("rank", "d.csv", "-qm", "variance", "--memory", good)
        self.assertIn("is not a folder", self.refused(2, "rank", "d.csv", "--scratch", "nowhere"))

    def test_a_file_of_more_than_2_to_the_31_values(self):
        """Of holes, which take no room on the disk. To read one takes minutes; whether it is whole is told at once."""
        n, p = (1 << 21) + 3, 1 << 10
        self.assertGreater(n * p, 1 << 31)
        with (self.folder / "holes.npy").open("wb") as file:
            header = npy((n, p), [], "<f4")
            file.write(header)
            file.truncate(len(header) + 4 * n * p - 4)
        message = self.refused(3, "rank", "holes.npy", "-qm", "variance")
        self.assertIn(f"{n} x {p}", message)
        self.assertIn("truncated", message)

    def test_a_file_that_becomes_shorter(self):
        """No crash without a word."""
        self.pith("synth", "blobs", "--samples", "30000", "--features", "60", "-o", "big.npy")
        run = subprocess.Popen([PITH, "rank", "big.npy", "-m", "laplacian", "--progress", "always", "--threads", "1"],
                               cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        seen = b""
        while b"graph" not in seen:
            part = os.read(run.stderr.fileno(), 4096)
            self.assertTrue(part, f"ended before it could be cut: {seen!r}")
            seen += part
        os.truncate(self.folder / "big.npy", 4096)
        out, err = run.communicate(timeout=120)
        self.assertEqual((run.returncode, out), (3, b""), err)
        self.assertIn(b"pith: a data file became shorter while it was in use", err)


if __name__ == "__main__":
    support.main()
