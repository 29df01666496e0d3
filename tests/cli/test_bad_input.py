"""Data that cannot be read or is unfit: one line that names the file, the place and what is wrong; exit 3."""
import gzip
import os
import struct
import subprocess
import unittest

from support import IRIS, PITH, Case, mat5, npy


class BadInput(Case):
    def unfit(self, name, *words):
        """Refused with 3 by info, rank and convert alike; the message begins with the file."""
        self.refused(3, "convert", name, "out.csv")
        self.assertFalse((self.folder / "out.csv").exists())
        message = self.refused(3, "rank", name, "-m", "variance", *words)
        self.assertTrue(message.startswith(name), message)
        return message

    def test_a_file_that_is_not_there(self):
        self.assertIn("No such file", self.unfit("nowhere.csv"))

    def test_an_unknown_ending(self):
        self.write("data.xyz", IRIS)
        self.assertIn(".csv", self.unfit("data.xyz"))

    def test_an_empty_file(self):
        for ending in self.endings():
            self.unfit(self.write(f"empty.{ending}", b""))

    def test_a_header_only(self):
        self.unfit(self.write("header.csv", "a,b,c\n"))

    def test_one_row(self):
        name = self.write("row.csv", "a,b,c\n1,2,3\n")
        self.assertEqual(self.json("info", name, "--json")["samples"], 1)
        self.assertIn("2 samples", self.refused(3, "rank", name, "-m", "laplacian"))

    def test_one_column(self):
        name = self.write("column.csv", "a\n1\n2\n3\n7\n8\n")
        for method in ("variance", "laplacian"):
            self.assertEqual(len(self.rows(self.pith("rank", name, "-qm", method))), 1)

    def test_a_column_of_text(self):
        message = self.unfit(self.write("text.csv", "a,city,b\n1,Bonn,3\n2,Ulm,4\n5,Bonn,9\n"))
        self.assertTrue(message.startswith("text.csv:2"), message)
        self.assertIn("Bonn", message)

    def test_a_row_of_units(self):
        said = "line 2, which has no number (is it units?), as a sample"
        for name, text in (("a.csv", "T1,T2\ndegC,Pa\n2.5,3\n2.6,4\n"), ("b.csv", "time;T1;T2\n;degC;1/min\n1;2,5;3\n2;2,6;4\n"),
                           ("c.csv", "when,T1,T2\n,degC,Pa\nmon,2.5,3\ntue,2.6,4\n")):
            message = self.unfit(self.write(name, text))
            self.assertRegex(message, rf"^{name}:2: no cell of this line is a number \(column 'T1': 'degC'\), as in a row of units; delete the line \(sed 2d\), "
                             "or choose --missing drop-rows")
            self.assertIn(said, self.run_pith("info", name).stderr)
            self.assertIn(said, self.run_pith("convert", name, "out.npy", "--missing", "mean", "--force").stderr)
            self.assertNotIn(said, self.run_pith("convert", name, "out.npy", "--missing", "drop-rows", "--force").stderr)
            self.assertEqual(self.json("info", "out.npy", "--json")["samples"], 2)
        for text in ("a,b\nNA,\n1,2\n2,3\n", "a,b\nx,5\n1,2\n2,3\n", "a,b\n1,2\nx,y\n2,3\n"):
            self.assertNotIn("units", self.unfit(self.write("d.csv", text)))
            self.assertNotIn("units", self.run_pith("info", "d.csv").stderr)

    def test_nan_in_row_three(self):
        for word in ("NaN", "nan", "inf", "-Inf", ""):
            message = self.unfit(self.write("nan.csv", f"a,b\n1,2\n3,4\n5,{word}\n7,8\n"))
            self.assertTrue(message.startswith("nan.csv:4"), message)
            self.assertIn("--missing", message)

    def test_nan_in_a_binary_file(self):
        message = self.unfit(self.write("nan.npy", npy((3, 2), [1, 2, 3, 4, float("nan"), 6])))
        self.assertIn("3", message)

    def test_ragged_rows(self):
        message = self.unfit(self.write("ragged.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n"))
        self.assertTrue(message.startswith("ragged.csv:3"), message)
        self.assertIn("3", message)
        self.assertIn("2", message)

    def test_a_claim_of_two_gigabytes_in_a_kilobyte(self):
        name = self.write("lie.npy", npy((1 << 14, 1 << 14), [0.0] * 100))
        self.unfit(name)
        name = self.write("lie.mtx", "%%MatrixMarket matrix coordinate real general\n100000 100000 200000000\n1 1 1\n")
        self.unfit(name)

    def test_a_shape_beyond_all_numbers(self):
        self.unfit(self.write("vast.npy", npy((1 << 62, 1 << 62), [0.0])))
        self.unfit(self.write("minus.npy", npy((-3, 2), [0.0] * 6)))

    def test_a_mat_without_x(self):
        x = [[1, 2], [3, 5], [4, 4]]
        message = self.unfit(self.write("two.mat", mat5(first=x, second=x)))
        self.assertIn("first", message)
        self.assertIn("--var", message)
        want = self.rows(self.pith("rank", self.write("x.mat", mat5(X=x)), "-m", "variance"))
        self.assertEqual(self.rows(self.pith("rank", "two.mat", "-m", "variance", "--var", "second")), want)
        self.assertIn("third", self.unfit_var("two.mat", "third"))

    def unfit_var(self, name, var):
        return self.refused(3, "rank", name, "-m", "variance", "--var", var)

    def test_files_cut_short(self):
        self.write("iris.csv", IRIS)
        for ending in set(self.endings()) - {"csv", "tsv", "txt", "svm", "libsvm"}:  # no end that could miss
            self.pith("convert", "iris.csv", f"whole.{ending}")
            whole = (self.folder / f"whole.{ending}").read_bytes()
            self.unfit(self.write(f"cut.{ending}", whole[:len(whole) * 2 // 3]))

    def test_a_file_of_another_kind(self):
        for ending in self.endings():
            self.unfit(self.write(f"other.{ending}", "This is no data at all.\n" * 50))

    def test_packed_text_that_is_not_packed_is_read_and_the_reverse(self):
        self.write("plain.csv.gz", IRIS)
        self.write("packed.csv", gzip.compress(IRIS.encode()))
        want = self.pith("convert", "plain.csv.gz", "-")
        self.assertEqual(want, IRIS)
        self.assertEqual(self.pith("convert", "packed.csv", "-"), IRIS)

    def test_a_directory(self):
        (self.folder / "folder.csv").mkdir()
        self.assertIn("directory", self.unfit("folder.csv").lower())

    def test_a_file_without_read_permission(self):
        name = self.write("closed.csv", IRIS)
        os.chmod(self.folder / name, 0)
        os.chmod(self.folder, 0o755)
        command = [PITH, "rank", name, "-m", "variance"]
        if os.geteuid() == 0:  # root reads everything: ask as nobody
            command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command]
            probe = subprocess.run(command[:4] + ["test", "-x", PITH], capture_output=True)
            if probe.returncode != 0:
                self.skipTest("root reads everything, and 'nobody' may not run the command here")
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"\Apith: closed\.csv: .*[Pp]ermission denied.*\n\Z")

    def test_all_rows_equal(self):
        name = self.write("equal.csv", "a,b\n" + "1,2\n" * 20)
        for method in ("variance", "laplacian", "spec"):
            message = self.refused(3, "rank", name, "-m", method)
            self.assertRegex(message, r"^equal\.csv: .*constant")
        self.assertEqual(self.json("info", name, "--json")["constant_features"], 2)

    def test_more_neighbours_than_samples(self):
        name = self.write("iris.csv", IRIS)
        for k in (6, 7, 1000):
            done = self.run_pith("rank", name, "-qm", "laplacian", "--neighbors", k)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, self.pith("rank", name, "-qm", "laplacian", "--neighbors", 5))

    def test_more_clusters_than_samples(self):
        name = self.write("iris.csv", IRIS)
        self.assertIn("clusters", self.refused(2, "rank", name, "-m", "spec", "--clusters", "6"))

    def test_labels_that_do_not_fit(self):
        self.write("iris.csv", IRIS)
        self.write("short.txt", "a\nb\n")
        message = self.refused(3, "rank", "iris.csv", "-m", "variance", "--labels", "short.txt")
        self.assertIn("short.txt", message)
        message = self.refused(3, "rank", "iris.csv", "-m", "variance", "--labels", "nothing")
        self.assertIn("nothing", message)

    def test_names_with_line_breaks_stay_one_line(self):
        self.assertIn("nowhere", self.refused(3, "rank", "no\nnowhere\x1b[31m.csv", "-m", "variance"))

    def test_a_damaged_svmlight_line_is_named(self):
        message = self.unfit(self.write("bad.svm", "1 1:2 3:4\n0 2:x\n"))
        self.assertTrue(message.startswith("bad.svm:2"), message)

    def test_nul_bytes_and_binary_rubbish(self):
        self.unfit(self.write("nul.csv", b"a,b\n1,2\n3,\x00\n"))
        self.unfit(self.write("rubbish.csv", bytes(range(256)) * 8 + struct.pack("<I", 7)))


if __name__ == "__main__":
    unittest.main()
