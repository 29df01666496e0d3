"""What the tests of the command share: a folder of its own per test, running pith, small data files."""
import csv
import functools
import io
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

THOROUGH = os.environ.get("PITH_TEST_THOROUGH") == "1"
PITH = os.environ.get("PITH") or shutil.which("pith") or "pith"

IRIS = """sepal,petal,width,label
5.1,1.4,0.2,setosa
4.9,1.4,0.2,setosa
7,4.7,1.4,versicolor
6.4,4.5,1.5,versicolor
6.3,6,2.5,virginica
5.8,5.1,1.9,virginica
"""


@functools.cache
def need_a_tree():
    listed = subprocess.run([PITH, "methods", "--json"], check=True, capture_output=True, timeout=300).stdout
    return {m["name"] for m in json.loads(listed) if m["needs_tree"]}


@functools.cache
def has_sanitizer():
    """Is pith built with a sanitizer? Then it takes memory of its own, and does not start with 1 GB of addresses."""
    limit = (1 << 30, 1 << 30)
    return subprocess.run([PITH, "--version"], capture_output=True, check=False, timeout=300,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit)).returncode != 0


def thorough(test):
    """Of a test that takes long and whose subject has shorter ones as well: `make check` runs it, `make test` does not."""
    test.thorough = True
    return test


def main():
    """Runs the tests of a file; one of which all were skipped has not passed: 77 tells ctest so."""
    result = unittest.main(exit=False).result
    if result.wasSuccessful() and result.skipped and len(result.skipped) >= result.testsRun:
        sys.exit(77)
    sys.exit(not result.wasSuccessful())


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        if getattr(getattr(self, self._testMethodName), "thorough", False) != THOROUGH:
            self.skipTest("for `make test`" if THOROUGH else "for `make check`")
        folder = tempfile.TemporaryDirectory(prefix="pith-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def read(self, name):
        return (self.folder / name).read_text()

    def files(self):
        return sorted(p.name for p in self.folder.iterdir())

    def run_pith(self, *words, **more):
        """The finished process; stdout and stderr as text, line ends as they are."""
        done = subprocess.run([PITH, *map(str, words)], cwd=self.folder, capture_output=True, timeout=300, **more)
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        return done

    def pith(self, *words, **more):
        """Runs what must succeed; returns stdout."""
        done = self.run_pith(*words, **more)
        self.assertEqual(done.returncode, 0, f"pith {' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    def rank(self, data, method, *words):
        """pith rank, with a tree where the method needs one."""
        return self.pith("rank", data, "-qm", method, *words, *(("--tree", "root") if method in need_a_tree() else ()))

    def refused(self, status, *words, **more):
        """Runs what must fail with this status, nothing on stdout and one line on stderr; returns the line."""
        done = self.run_pith(*words, **more)
        shown = f"pith {' '.join(map(str, words))}\n{done.stderr}"
        self.assertEqual(done.returncode, status, shown)
        self.assertEqual(done.stdout, "", shown)
        self.assertTrue(done.stderr.startswith("pith: "), shown)
        self.assertTrue(done.stderr.endswith("\n"), shown)
        self.assertEqual(done.stderr.count("\n"), 1, shown)
        return done.stderr[len("pith: "):-1]

    def terminal(self):
        """Both ends of a pseudo-terminal."""
        try:
            return pty.openpty()
        except OSError as why:  # a bare chroot has no /dev/pts
            self.skipTest(f"no pseudo-terminal to be had: {why}")

    def endings(self):
        """Every ending that the command reads and writes, by its own help: 'csv', 'csv.gz', ..."""
        text = self.pith("--help")
        part = text[text.index("\nfiles, "):]
        return re.findall(r"(?<=[ ])\.([a-z0-9.]+)", part[:part.index("\n\n")])

    def rows(self, text, delimiter=","):
        return list(csv.DictReader(io.StringIO(text), delimiter=delimiter))

    def json(self, *words):
        return json.loads(self.pith(*words))


def npy(shape, values, descr="<f8"):
    """A .npy file as bytes; values may be fewer than the shape claims."""
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    code = {"<f8": "d", "<f4": "f", "<i4": "i"}[descr]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<{len(values)}{code}", *values))


def mat5(**matrices):
    """A .mat file (version 5, not packed) as bytes: name=rows, double."""
    def element(kind, data):
        return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)
    out = b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<HH", 0x0100, 0x4D49)
    for name, rows in matrices.items():
        n, p = len(rows), len(rows[0])
        columns = [rows[i][j] for j in range(p) for i in range(n)]
        out += element(14, element(6, struct.pack("<II", 6, 0)) + element(5, struct.pack("<ii", n, p))
                       + element(1, name.encode()) + element(9, struct.pack(f"<{n * p}d", *columns)))
    return out
