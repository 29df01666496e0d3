"""Ctrl-C in the middle, and the progress bar."""
import os
import select
import signal
import subprocess
import time
import unittest

from support import IRIS, PITH, Case


class Stop(Case):
    def setUp(self):
        super().setUp()
        self.pith("synth", "blobs", "--samples", "30000", "--features", "60", "-o", "big.npy")
        self.write("old.csv", "old\n")

    def stop(self, sent, *words):
        """Sends the signal once the bar shows that a graph is being built; returns the ended process."""
        run = subprocess.Popen([PITH, *words, "--progress", "always", "--threads", "1"], cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        seen = b""
        while b"graph" not in seen:
            part = os.read(run.stderr.fileno(), 4096)
            self.assertTrue(part, f"ended before it could be stopped: {seen!r}")
            seen += part
        run.send_signal(sent)
        began = time.monotonic()
        out, err = run.communicate(timeout=60)
        return run.returncode, out, seen + err, time.monotonic() - began

    def test_ctrl_c_leaves_no_output_and_the_old_file(self):
        for sent, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            code, out, err, seconds = self.stop(sent, "rank", "big.npy", "-m", "laplacian", "-o", "old.csv")
            self.assertEqual(code, status, err)
            self.assertEqual(out, b"")
            self.assertTrue(err.endswith(b"pith: stopped\n"), err[-80:])
            self.assertEqual(self.read("old.csv"), "old\n")
            self.assertEqual(self.files(), ["big.npy", "old.csv"])
            self.assertLess(seconds, 5)

    def test_ctrl_c_before_standard_output(self):
        code, out, _, _ = self.stop(signal.SIGINT, "rank", "big.npy", "-m", "laplacian")
        self.assertEqual((code, out), (130, b""))

    def test_a_pipe_without_a_writer_can_be_left(self):
        os.mkfifo(self.folder / "pipe.csv")
        run = subprocess.Popen([PITH, "info", "pipe.csv"], cwd=self.folder, stderr=subprocess.PIPE)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        time.sleep(0.5)
        run.send_signal(signal.SIGTERM)
        self.assertEqual((run.communicate(timeout=60)[1], run.returncode), (b"pith: stopped\n", 143))

    def test_a_pipe_is_read_to_its_end(self):
        os.mkfifo(self.folder / "pipe.csv")
        feeder = subprocess.Popen(["sh", "-c", "sleep 0.3; printf 'a,b\\n1,2\\n' > pipe.csv"], cwd=self.folder)
        self.addCleanup(feeder.wait)
        self.assertIn('"features":2', self.pith("info", "pipe.csv", "--json").replace(" ", ""))

    def first_on_a_terminal(self, *words):
        """What the command writes first to a terminal, and after how many seconds; None: it ended without a word."""
        ours, theirs = self.terminal()
        began = time.monotonic()
        run = subprocess.Popen([PITH, *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        try:
            return os.read(ours, 4096).decode(), time.monotonic() - began
        except OSError:  # Linux's way to say that nobody can write to the terminal any more
            return None
        finally:
            os.close(ours)

    def test_on_a_terminal_the_bar_comes_after_a_second(self):
        for features in (60, 240, 960):  # a fast machine is done with the first before the bar comes
            self.pith("synth", "blobs", "--samples", "30000", "--features", str(features), "-o", "long.npy", "--force")
            seen = self.first_on_a_terminal("rank", "long.npy", "-m", "laplacian", "--threads", "1")
            if seen:
                break
        first, waited = seen
        self.assertRegex(first, r"\A\r\w.* \[")
        self.assertGreaterEqual(waited, 1)

    def test_an_ignored_signal_stays_ignored(self):
        run = subprocess.run(["sh", "-c", 'trap "" INT; "$0" info big.npy --json & pid=$!; kill -INT $pid; wait $pid',
                              PITH], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)


class Writing(Case):
    """Signals while a file is being written: nothing half written stays, and no second signal of a program kills."""

    def half_written(self, run):
        """Waits until some of the output is there; False: the run was quicker."""
        while run.poll() is None:
            for file in self.folder.glob("*.part"):
                try:
                    if file.stat().st_size > 0:
                        return True
                except FileNotFoundError:  # it has just got its name
                    pass
            time.sleep(0.002)
        return False

    def end(self, name, *sent):
        for samples in (10000, 40000, 160000):
            run = subprocess.Popen([PITH, "synth", "blobs", "--samples", str(samples), "--features", "600", "-o", name,
                                    "--threads", "1"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
            self.addCleanup(run.wait)
            self.addCleanup(run.kill)
            if self.half_written(run):
                break
            run.communicate()
            (self.folder / name).unlink()
        for one in sent:
            run.send_signal(one)
        out, err = run.communicate(timeout=60)
        return run.returncode, out + err

    def test_signals_leave_no_half_written_file(self):
        for sent in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGINT, signal.SIGXCPU):
            self.assertEqual(self.end("x.csv", sent), (128 + sent, "pith: stopped\n"))
            self.assertEqual(self.files(), [])

    def test_nor_do_they_in_other_formats(self):
        for name in ("x.mtx.gz", "x.txt.gz"):
            self.assertEqual(self.end(name, signal.SIGHUP), (129, "pith: stopped\n"))
            self.assertEqual(self.files(), [])

    def test_timeout_sends_its_signal_twice(self):
        self.assertEqual(self.end("x.csv", signal.SIGTERM, signal.SIGTERM)[0], 143)
        self.assertEqual(self.end("x.csv", signal.SIGHUP, signal.SIGHUP, signal.SIGTERM)[0] // 128, 1)
        self.assertEqual(self.files(), [])

    def test_a_pipe_that_breaks_meanwhile(self):
        self.assertEqual(self.end("x.csv", signal.SIGPIPE), (-signal.SIGPIPE, ""))
        self.assertEqual(self.files(), [])


class Progress(Case):
    def bar(self, *words):
        """stderr of a run whose stderr is a terminal."""
        ours, theirs = self.terminal()
        run = subprocess.Popen([PITH, *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        seen = b""
        while True:
            select.select([ours], [], [], 60)
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            seen += part
        os.close(ours)
        self.assertEqual(run.wait(), 0, seen)
        return seen.decode()

    def test_short_work_shows_no_bar_on_a_terminal(self):
        self.write("iris.csv", IRIS)
        self.assertEqual(self.bar("rank", "iris.csv", "-qm", "variance"), "")
        self.assertRegex(self.bar("rank", "iris.csv", "-m", "variance"), r"\Apith: iris\.csv: read with .*\r\n\Z")

    def test_always_shows_stage_and_percent_and_clears_the_line(self):
        self.pith("synth", "blobs", "--samples", "3000", "--features", "60", "-o", "b.npy")
        for seen in (self.bar("rank", "b.npy", "-m", "laplacian", "--progress", "always"),
                     self.run_pith("rank", "b.npy", "-m", "laplacian", "--progress", "always").stderr):
            self.assertRegex(seen, r"\r\w[^\r]* \[=*>? *\] +\d+ %")
            self.assertRegex(seen, r"\r +\r\Z")

    def test_never_and_quiet_show_none(self):
        self.pith("synth", "blobs", "--samples", "3000", "--features", "60", "-o", "b.npy")
        self.assertEqual(self.bar("rank", "b.npy", "-m", "laplacian", "--progress", "never"), "")
        self.assertEqual(self.bar("rank", "b.npy", "-qm", "laplacian"), "")

    def test_no_bar_without_a_terminal(self):
        self.pith("synth", "blobs", "--samples", "3000", "--features", "60", "-o", "b.npy")
        self.assertEqual(self.run_pith("rank", "b.npy", "-m", "laplacian").stderr, "")

    def test_of_many_samples_the_time_and_memory_are_told_in_advance(self):
        self.pith("synth", "blobs", "--samples", "60000", "--features", "4", "-o", "b.npy")
        told = r"pith: variance on 60000 samples x 4 features: about \d+ s and up to \d+\.\d GB of memory beyond the data \(estimated " \
               r"from \d+ samples\)\n"
        self.assertRegex(self.run_pith("rank", "b.npy", "-vm", "variance").stderr, told)
        # What takes no time is not worth a line, and -q wants none.
        self.assertNotIn("about", self.run_pith("rank", "b.npy", "-m", "variance").stderr)
        self.assertNotIn("about", self.run_pith("rank", "b.npy", "-qm", "variance").stderr)
        self.assertEqual(self.pith("rank", "b.npy", "-vm", "variance"), self.pith("rank", "b.npy", "-qm", "variance"))


if __name__ == "__main__":
    unittest.main()
