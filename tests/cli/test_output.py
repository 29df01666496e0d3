"""Where output goes: whole or not at all, and no success without it."""
import csv
import io
import os
import re
import resource
import signal
import socket
import subprocess
import unittest

from support import IRIS, PITH, Case, has_sanitizer


class Output(Case):
    def setUp(self):
        super().setUp()
        self.write("iris.csv", IRIS)

    def test_a_full_device_is_a_failure(self):
        for words in (["rank", "iris.csv", "-qm", "variance"], ["select", "iris.csv", "-qm", "variance", "-n1"],
                      ["info", "iris.csv"], ["methods"], ["--help"], ["rank", "--help"], ["synth", "nrfs"],
                      ["help", "--man"], ["--version"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PITH, *words], cwd=self.folder, stdout=full, stderr=subprocess.PIPE,
                                      text=True)
            self.assertEqual(done.returncode, 1, words)
            self.assertRegex(done.stderr, r"\Apith: .*No space left.*\n\Z", words)

    def test_a_full_disk_leaves_the_old_file_and_nothing_else(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True)
        if mounted.returncode != 0:
            self.skipTest("a small tmpfs cannot be mounted here: " + mounted.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        for ending in self.endings():
            old = disk / f"out.{ending}"
            old.write_text("old\n")
            message = self.refused(1, "synth", "nrfs", "-o", f"disk/out.{ending}")
            self.assertIn(f"out.{ending}", message)
            self.assertEqual(old.read_text(), "old\n")
            self.assertEqual(sorted(os.listdir(disk)), [f"out.{ending}"])
            old.unlink()

    def test_a_limit_on_file_size_leaves_the_old_file_and_nothing_else(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000))
        said = self.run_pith("synth", "nrfs", "-o", "probe.csv", preexec_fn=limit).stderr
        if "ThreadSanitizer: BUS" in said or (has_sanitizer() and "became shorter" in said):
            for left in self.folder.glob("probe*"):
                left.unlink()
            self.skipTest("the thread sanitizer maps a file of its own, which this limit cuts short")
        for ending in self.endings():
            self.write(f"out.{ending}", "old\n")
            message = self.refused(1, "synth", "nrfs", "-o", f"out.{ending}", preexec_fn=limit)
            self.assertRegex(message, rf"\Aout\.{ending}: cannot be written: .*(too large|room|full|left)")
            self.assertEqual(self.read(f"out.{ending}"), "old\n")
            self.assertEqual(self.files(), ["iris.csv", f"out.{ending}"])
            (self.folder / f"out.{ending}").unlink()

    def test_places_that_cannot_be_written(self):
        self.assertIn("no folder", self.refused(1, "rank", "iris.csv", "-m", "variance", "-o", "gone/r.csv"))
        (self.folder / "folder.csv").mkdir()
        self.assertIn("directory", self.refused(1, "rank", "iris.csv", "-m", "variance", "-o", "folder.csv"))
        self.assertIn("directory", self.refused(1, "convert", "iris.csv", "folder.csv"))

    def test_a_place_without_permission(self):
        command = [PITH, "rank", "iris.csv", "-m", "variance", "-o", "closed/r.csv"]
        (self.folder / "closed").mkdir(mode=0o555)
        os.chmod(self.folder, 0o755)
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
            if subprocess.run(command[:4] + ["test", "-x", PITH], capture_output=True).returncode != 0:
                self.skipTest("root writes everywhere, and 'nobody' may not run the command here")
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"\Apith: closed/r\.csv: .*[Pp]ermission denied.*\n\Z")

    def test_a_failed_run_leaves_the_old_file(self):
        self.write("old.csv", "old\n")
        self.write("bad.csv", "a,b\n1,x\n2,3\n")
        self.refused(3, "rank", "bad.csv", "-m", "variance", "-o", "old.csv")
        self.refused(3, "select", "bad.csv", "-m", "variance", "-n", "1", "-o", "old.csv")
        self.assertEqual(self.read("old.csv"), "old\n")
        self.assertEqual(self.files(), ["bad.csv", "iris.csv", "old.csv"])

    def test_a_link_stays_a_link_and_modes_stay(self):
        self.write("real.csv", "old\n")
        os.chmod(self.folder / "real.csv", 0o640)
        os.symlink("real.csv", self.folder / "link.csv")
        self.pith("rank", "iris.csv", "-m", "variance", "-o", "link.csv")
        self.assertTrue((self.folder / "link.csv").is_symlink())
        self.assertTrue(self.read("real.csv").startswith("rank,index,name,score\n"))
        self.assertEqual((self.folder / "real.csv").stat().st_mode & 0o777, 0o640)

    def test_a_reader_that_goes_away_hears_no_noise(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([PITH, "synth", "nrfs"], stdout=writer, stderr=subprocess.PIPE, text=True)
        os.close(writer)
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.returncode, -signal.SIGPIPE)

    def test_devices_can_be_written(self):
        self.pith("rank", "iris.csv", "-m", "variance", "-o", "/dev/null")
        self.assertEqual(self.pith("rank", "iris.csv", "-m", "variance", "-o", "/dev/stdout"),
                         self.pith("rank", "iris.csv", "-m", "variance"))

    def test_through_standard_output_a_file_is_neither_replaced_nor_cut(self):
        self.write("log", "before\n")
        inode = (self.folder / "log").stat().st_ino
        with open(self.folder / "log", "a") as log:
            subprocess.run([PITH, "rank", "iris.csv", "-m", "variance", "-o", "/dev/stdout"], cwd=self.folder, stdout=log,
                           check=True)
        self.assertTrue(self.read("log").startswith("before\nrank,index,name,score\n1,"))
        self.assertEqual((self.folder / "log").stat().st_ino, inode)

    def test_a_dangling_link_is_followed(self):
        (self.folder / "there").mkdir()
        os.symlink("there/new.csv", self.folder / "link.csv")
        self.pith("rank", "iris.csv", "-m", "variance", "-o", "link.csv")
        self.assertTrue((self.folder / "link.csv").is_symlink())
        self.assertTrue(self.read("there/new.csv").startswith("rank,index,name,score\n"))
        os.symlink("gone/new.csv", self.folder / "lost.csv")
        self.assertIn("No such file", self.refused(1, "rank", "iris.csv", "-m", "variance", "-o", "lost.csv"))

    def test_names_of_255_bytes(self):
        for ending in self.endings():
            name = "n" * (254 - len(ending)) + "." + ending
            if ending.startswith("mtx"):  # room for its .classes
                name = name[4:]
            self.pith("synth", "nrfs", "-o", name)
            self.assertIn("1280", self.pith("info", name))
        self.assertIn("too long", self.refused(1, "rank", "iris.csv", "-m", "variance", "-o", "n" * 252 + ".csv"))

    def test_pipes_take_what_is_written_in_one_go(self):
        for at, ending in enumerate(self.endings()):
            pipe, file = f"pipe{at}.{ending}", f"file{at}.{ending}"
            os.mkfifo(self.folder / pipe)
            if ending in ("npz", "h5ad"):
                said = self.refused(1, "convert", "gone.csv", pipe)  # before the data is read
                self.assertEqual(said, f"{pipe}: this format can only be written to regular files")
                continue
            reader = subprocess.Popen(["cat", pipe], cwd=self.folder, stdout=subprocess.PIPE)
            self.addCleanup(reader.communicate)
            self.addCleanup(reader.kill)
            self.pith("convert", "iris.csv", pipe, "--no-labels")
            whole, _ = reader.communicate(timeout=60)
            self.pith("convert", "iris.csv", file, "--no-labels")
            self.assertEqual(whole, (self.folder / file).read_bytes(), ending)

    def test_a_socket_is_refused(self):
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(str(self.folder / "s.csv"))
            self.assertEqual(self.refused(1, "rank", "gone.csv", "-m", "variance", "-o", "s.csv"),
                             "s.csv: cannot be written: it is a socket")


class Formulas(Case):
    """Names and labels that a spreadsheet would take for formulas are in quotes, and are read back as they were."""

    NAMES = ["=cmd|' /C calc'!A0", "+sum(1)", "-log10p", "@user", "\tx", "\rx", "=1,2", '="q"', "-", "plain"]

    def setUp(self):
        super().setUp()
        cells = [["", *self.NAMES, "-5", "label"]]
        cells += [[f"@row{i}", *range(i, i + 11), ["=A1", "-1", "+b"][i % 3]] for i in range(6)]
        text = io.StringIO()
        csv.writer(text, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n").writerows(cells)
        self.write("in.csv", text.getvalue())

    def raw_cells(self, text, delimiter):
        """What begins a cell, outside of quotes."""
        return [c for line in re.sub(r'"(?:[^"]|"")*"', '"', text).split("\n") for c in line.split(delimiter)]

    def test_tables(self):
        want = None
        for ending, delimiter in (("csv", ","), ("tsv", "\t"), ("txt", "\t")):
            self.pith("convert", "in.csv", f"out.{ending}")
            text = (self.folder / f"out.{ending}").read_bytes().decode()
            for cell in self.raw_cells(text, delimiter):
                self.assertFalse(cell[:1] in list("=+-@\t\r") and not re.fullmatch(r"[-+]?[\d.]+", cell), cell)
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
            self.assertEqual(rows[0][1:-1], [*self.NAMES, "-5"])  # other readers get the names as they are, too
            self.assertEqual([r[-1] for r in rows[1:4]], ["=A1", "-1", "+b"])
            self.pith("convert", f"out.{ending}", f"again-{ending}.csv")
            want = want or self.read(f"again-{ending}.csv")
            self.assertEqual(self.read(f"again-{ending}.csv"), want)
            self.pith("convert", f"out.{ending}", f"again-{ending}.npz")
            self.assertEqual(self.json("rank", f"again-{ending}.npz", "-qm", "variance", "--format", "json")["features"],
                             self.json("rank", "in.csv", "-qm", "variance", "--format", "json")["features"])

    def test_rankings(self):
        for form, delimiter in (("csv", ","), ("tsv", "\t")):
            text = self.run_pith("rank", "in.csv", "-qm", "variance", "--format", form).stdout
            self.assertIn(f'{delimiter}"@user"{delimiter}', text)
            self.assertIn(f"{delimiter}-5{delimiter}", text)  # a number
            names = {r["name"] for r in csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)}
            self.assertEqual(names, {*self.NAMES, "-5"})
            for cell in self.raw_cells(text, delimiter):
                self.assertFalse(cell[:1] in list("=+-@\t\r") and not re.fullmatch(r"[-+]?[\d.e+-]+", cell), cell)

    def test_files_of_names_alone_have_no_such_quotes(self):
        self.write("few.csv", "@user,-x,label\n1,2,+a\n3,4,b\n")
        self.pith("convert", "few.csv", "mm.mtx")
        self.assertEqual((self.read("mm.cols"), self.read("mm.classes")), ("@user\n-x\n", "+a\nb\n"))


class Spared(Case):
    """Outputs that would destroy something: refused before the work, unless --force says that it is meant."""

    HINT = "; choose another name, or use --force"

    def setUp(self):
        super().setUp()
        self.write("iris.csv", IRIS)
        self.write("labels.txt", "a\na\nb\nb\nc\nc\n")

    def spared(self, *words):
        """The message, after looking that nothing has changed."""
        def all_files():
            return {p: p.read_bytes() for p in self.folder.rglob("*") if p.is_file()}
        before = all_files()
        said = self.refused(2, *words)
        self.assertEqual(all_files(), before)
        self.assertTrue(said.endswith(self.HINT), said)
        return said[:-len(self.HINT)]

    def test_the_input_by_its_name_in_every_command(self):
        for words in (["rank", "iris.csv", "-o", "iris.csv"], ["select", "iris.csv", "-n", "1", "-o", "iris.csv"],
                      ["compare", "iris.csv", "-o", "iris.csv"], ["compare", "iris.csv", "--report", "iris.csv"],
                      ["prep", "iris.csv", "iris.csv", "--steps", "log1p"], ["convert", "iris.csv", "iris.csv"],
                      ["tree", "cluster", "iris.csv", "-o", "iris.csv"]):
            self.assertEqual(self.spared(*words), "iris.csv: would be overwritten, but it is also an input", words)

    def test_the_input_by_other_names(self):
        (self.folder / "d").mkdir()
        os.symlink("../iris.csv", self.folder / "d/link.csv")
        os.link(self.folder / "iris.csv", self.folder / "hard.csv")
        for name in ("./iris.csv", "d/../iris.csv", "d/link.csv", "hard.csv", str(self.folder / "iris.csv")):
            self.assertEqual(self.spared("convert", "iris.csv", name),
                             f"{name}: would be overwritten, but it is the same file as the input iris.csv")
        self.assertIn("iris.csv", self.spared("convert", "d/link.csv", "iris.csv"))
        with open(self.folder / "iris.csv", "a") as out:  # by a descriptor, named or not
            done = self.run_pith("rank", "iris.csv", "-o", f"/proc/self/fd/{out.fileno()}", pass_fds=[out.fileno()])
            self.assertEqual(done.returncode, 2, done.stderr)
            done = subprocess.run([PITH, "rank", "iris.csv"], cwd=self.folder, stdout=out, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertTrue(done.stderr.startswith("pith: standard output: would be overwritten"), done.stderr)
        self.assertEqual(self.read("iris.csv"), IRIS)

    def test_other_files_that_are_read(self):
        self.assertIn("labels.txt", self.spared("select", "iris.csv", "-n1", "--labels", "labels.txt", "-o", "labels.txt"))
        self.pith("tree", "cluster", "iris.csv", "-o", "t.csv")
        self.assertIn("t.csv", self.spared("rank", "iris.csv", "-m", "hufs", "--tree", "t.csv", "-o", "t.csv"))
        self.pith("convert", "iris.csv", "mm.mtx")
        self.assertIn("belongs to the input mm.mtx", self.spared("tree", "cluster", "mm.mtx", "-o", "mm.cols"))
        self.write("j.json", "{}")
        self.assertIn("j.json", self.spared("compare", "iris.csv", "--resume", "j.json", "--report", "j.json"))

    def test_a_folder_that_is_read(self):
        (self.folder / "news").mkdir()
        self.write("news/a.txt", "apples and pears\n")
        self.write("news/b.txt", "pears and plums\n")
        self.assertIn("news", self.spared("prep", "news", "news/a.txt", "--steps", "text"))
        self.assertIn("news", self.spared("prep", "news/", "./news/../news/c.txt", "--steps", "text"))
        self.pith("prep", "news", "news.txt", "--steps", "text")

    def test_one_file_for_two_outputs(self):
        (self.folder / "d").mkdir()
        os.symlink("r.json", self.folder / "dangling")
        for name in ("r.json", "./r.json", "d/../r.json", "dangling", "R.json"):
            self.assertIn("written twice", self.spared("compare", "iris.csv", "-o", "r.json", "--report", name))
        self.write("old.json", "")
        os.link(self.folder / "old.json", self.folder / "same")
        self.assertIn("written twice", self.spared("compare", "iris.csv", "-o", "old.json", "--report", "same"))

    def test_foreign_files_beside_a_matrix(self):
        for ending in ("cols", "rows", "classes"):
            self.write(f"mm.{ending}", "mine\n")
            for name in ("mm.mtx", "mm.mtx.gz"):
                self.assertIn(f"mm.{ending}", self.spared("convert", "iris.csv", name))
                self.assertIn(f"mm.{ending}", self.spared("synth", "nrfs", "-o", name))
            (self.folder / f"mm.{ending}").unlink()
        self.write("mm.mtx", "%%MatrixMarket matrix array real general\n1 1\n5\n")
        self.write("mm.cols", "mine\n")
        self.assertIn("mm.cols", self.spared("convert", "iris.csv", "mm.mtx"))
        self.pith("convert", "iris.csv", "mm.mtx", "--force")
        self.assertEqual(self.read("mm.cols"), "sepal\npetal\nwidth\n")
        self.pith("convert", "iris.csv", "mm.mtx")  # now it is an earlier output
        self.pith("convert", "iris.csv", "packed.mtx.gz")
        self.pith("select", "iris.csv", "-qm", "variance", "-n1", "-o", "packed.mtx.gz")
        self.write("packed.rows", "mine\n")
        self.assertIn("packed.rows", self.spared("convert", "iris.csv", "packed.mtx.gz"))

    def test_force(self):
        self.pith("prep", "iris.csv", "iris.csv", "--steps", "log1p", "--force")
        self.assertNotEqual(self.read("iris.csv"), IRIS)
        self.pith("compare", "iris.csv", "-qm", "variance", "-n1", "--clusters", "2", "-o", "r.json", "--report", "r.json",
                  "--force")
        self.assertTrue(self.read("r.json").lstrip().startswith("<!"))

    def test_earlier_outputs_are_overwritten_as_ever(self):
        for _ in range(2):
            self.pith("rank", "iris.csv", "-qm", "variance", "-o", "r.csv")
            self.pith("convert", "iris.csv", "c.npz")
            self.pith("compare", "iris.csv", "-qm", "variance", "-n1", "-o", "r.json", "--report", "r.html")
        self.pith("compare", "iris.csv", "-qm", "variance", "-n1", "-o", "r.json", "--resume", "r.json")


if __name__ == "__main__":
    unittest.main()
