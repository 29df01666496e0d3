"""Where output goes: whole or not at all, and no success without it."""
import os
import signal
import subprocess
import unittest

from support import IRIS, PITH, Case


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


if __name__ == "__main__":
    unittest.main()
