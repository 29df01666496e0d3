"""HDF5 is read by another process: one that is missing, dies, hangs or lies costs one line, never more."""
import os
import signal
import subprocess
import sys
import time
import unittest

from support import IRIS, PITH, Case

FAILED = "cannot be read as HDF5 (the reader failed)"

# A reader that speaks the protocol of src/io/hdf5_protocol.h and answers what it is told to.
LIAR = """#!{python}
import os, socket, struct, sys
link = socket.socket(fileno=3)
REPLY = "=iiqq8q512siiiiiiii32qqq"
def say(problem=0, kind=0, id=1, count=0, number=(), text=b"", element=b"\\0", size=8, rank=2, dims=(), bytes=8, chunk=0):
    number, dims = list(number) + [0] * (8 - len(number)), list(dims) + [0] * (32 - len(dims))
    link.send(struct.pack(REPLY, problem, kind, id, count, *number, text, element[0], size, 0, 0, 0, 0, rank, 0, *dims,
                          bytes, chunk))
KIND, OPEN, CLOSE, FOLLOW, HAS, TEXT, INTEGERS, LIST, CHECK, READ, TEXTS, CELLS, AXIS, KEEP = range(1, 15)
GROUP, DATASET = 1, 2
say(count=2)
say()
window = None
while True:
    got = link.recv(4096)
    if not got: break
    op, kind, id, first, count, size, begin, end, name = struct.unpack("=iiqqqqqq512s", got)
    name = name.split(b"\\0")[0].decode()
    {what}
"""


class Reader(Case):
    def setUp(self):
        super().setUp()
        self.write("iris.csv", IRIS)
        self.pith("convert", "iris.csv", "iris.h5ad")

    def reader(self, text):
        """A program in the reader's place."""
        path = self.folder / "reader"
        path.write_text(text)
        path.chmod(0o755)
        return {"env": {**os.environ, "PITH_HDF5_READER": str(path)}}

    def liar(self, what):
        return self.reader(LIAR.format(python=sys.executable, what=what.replace("\n", "\n    ")))

    def test_a_reader_that_does_not_start(self):
        nowhere = {"env": {**os.environ, "PITH_HDF5_READER": "/nowhere/pith-hdf5"}}
        self.assertIn("PITH_HDF5_READER names no program: /nowhere/pith-hdf5",
                      self.refused(3, "info", "iris.h5ad", **nowhere))
        said = self.refused(1, "info", "iris.h5ad", **self.reader("#!/bin/sh\nexit 127\n"))
        self.assertRegex(said, "^iris.h5ad: out of memory, or a library is missing: .*reader does not start$")

    def test_a_reader_of_another_version(self):
        said = self.refused(3, "info", "iris.h5ad", **self.reader(
            LIAR.replace("say(count=2)", "say(count=99)").format(python=sys.executable, what="pass")))
        self.assertRegex(said, "^iris.h5ad: cannot be read: .*reader belongs to another version of pith$")

    def test_a_reader_that_dies(self):
        for what in ("os.kill(os.getpid(), 11)", "os.abort()", "sys.exit(0)", "link.send(b'?')", "link.send(b'?' * 5000)"):
            self.assertEqual(self.refused(3, "info", "iris.h5ad", **self.liar(what)), f"iris.h5ad: {FAILED}", what)

    def test_a_reader_that_lies(self):
        dense = "say(kind=DATASET, element=b'f', rank=2, dims={dims}) if op == OPEN else say(kind=DATASET)"
        lies = {
            "a size beyond memory": (dense.format(dims="(1 << 40, 1 << 20)"), FAILED),
            "an overflowing size": (dense.format(dims="(1 << 62, 1 << 62)"), "claims an impossible size"),
            "a negative size": (dense.format(dims="(-5, 3)"), "claims an impossible size"),
            "an absurd rank": ("say(kind=DATASET, element=b'f', rank=1000)", FAILED),
            "an unknown problem": ("say(problem=77, kind=DATASET)", FAILED),
            "a negative problem": ("say(problem=-77, kind=DATASET)", FAILED),
            "a filter with a nasty name": (
                "say(problem=8, number=[-1], text=b'\\x1b[31m' * 80) if op == CHECK else " +
                dense.format(dims="(6, 3)"), "is compressed with the HDF5 filter -1"),
        }
        for name, (what, said) in lies.items():
            with self.subTest(name):
                line = self.refused(3, "info", "iris.h5ad", **self.liar(what))
                self.assertIn(said, line)
                self.assertNotIn("\x1b", line)

    def test_lists_that_do_not_end(self):
        """Names and texts come through shared memory: more of them than it holds."""
        names = """
if window is None:
    import mmap
    window = mmap.mmap(4, size)
    window[:] = b"x" * size
say(count=5)"""
        self.write("iris73.mat", b"MATLAB 7.3".ljust(512, b" ") + b"\x89HDF\r\n\x1a\n" + bytes(600))
        self.assertEqual(self.refused(3, "info", "iris73.mat", **self.liar(names)), f"iris73.mat: {FAILED}")
        texts = """
if op == TEXTS:
    say(count=count + 1)
elif op == KIND:
    say(kind=GROUP if name == "obs" else DATASET if name in ("X", "_index") else 0)
elif op == OPEN and name == "obs":
    say(kind=GROUP)
elif op == OPEN:
    link.send(struct.pack(REPLY, 0, DATASET, 1, 0, *[0] * 8, b"", 0 if name == "_index" else 102, 8,
                          name == "_index", 0, 0, 0, 1 if name == "_index" else 2, 0, 6, 3, *[0] * 30, 8, 0))
elif op in (HAS, TEXT, INTEGERS):
    say(problem=2)
else:
    say(kind=DATASET)"""
        self.assertEqual(self.refused(3, "info", "iris.h5ad", "--no-labels", **self.liar(texts)),
                         f"iris.h5ad: {FAILED}")

    def test_an_old_table_whose_index_is_damaged(self):
        """Without a member of text called index it has no names; with one, what goes wrong is told."""
        old = """
if op == KIND:
    say(kind=DATASET if name in ("X", "obs") else 0)
elif op == OPEN:
    say(kind=DATASET, element=b"f" if name == "X" else b"\\0", rank=2 if name == "X" else 1, dims=(6, 3) if name == "X" else (6,))
elif op in (HAS, TEXT, INTEGERS):
    say(problem=2)
elif op == TEXTS:
    say(problem={problem})
else:
    say(kind=DATASET)"""
        no_texts, damaged = old.format(problem=10), old.format(problem="9 if count > 0 else 0")
        self.assertIn("sample names       none", self.pith("info", "iris.h5ad", "--no-labels", **self.liar(no_texts)))
        self.assertEqual(self.refused(3, "info", "iris.h5ad", "--no-labels", **self.liar(damaged)),
                         "iris.h5ad: obs: cannot be read: the file is damaged")

    def test_a_hanging_reader_can_be_stopped(self):
        for sent, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            run = subprocess.Popen([PITH, "info", "iris.h5ad"], cwd=self.folder, stderr=subprocess.PIPE,
                                   **self.reader("#!/bin/sh\nexec sleep 1000\n"))
            time.sleep(0.5)
            began = time.monotonic()
            run.send_signal(sent)
            err = run.communicate(timeout=60)[1]
            self.assertEqual((run.returncode, err), (status, b"pith: stopped\n"))
            self.assertLess(time.monotonic() - began, 5)

    def test_what_cannot_be_hdf5(self):
        os.mkfifo(self.folder / "pipe.h5ad")
        feeder = subprocess.Popen(["sh", "-c", "cat iris.h5ad > pipe.h5ad"], cwd=self.folder)
        self.addCleanup(feeder.wait)
        self.addCleanup(feeder.kill)
        self.assertEqual(self.refused(3, "info", "pipe.h5ad"),
                         "pipe.h5ad: an HDF5 file must be a regular file, not a pipe and not compressed with gzip")

    def test_a_closed_standard_input_is_no_matter(self):
        done = subprocess.run(["sh", "-c", '"$0" info iris.h5ad <&- 2>&1', PITH], cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
