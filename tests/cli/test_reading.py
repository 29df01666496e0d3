"""What a file is taken for: said in one line, with the way to say otherwise; and labels that are missing."""
import io
import os
import unittest
import warnings
import zipfile

from support import IRIS, Case, npy

CHANGE = "(to change: --header, --row-names, --labels, --no-labels)"
HALF = "a,b,label\n" + "".join(f"{i % 2 * 9 + i / 50},{i / 50},{('x', 'y')[i % 2] if i < 10 else ('', 'NA', 'NaN', 'nan')[i % 4]}\n"
                               for i in range(20))


class Said(Case):
    def said(self, content, *words, name="x.csv"):
        done = self.run_pith("info", self.write(name, content), *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_one_line_says_what_was_taken_for_what(self):
        for content, want in (
                (IRIS, "a header, no row names, labels in column 'label'"),
                ("1,2\n3,4\n", "no header, no row names, no labels"),
                (",a\nr,1\ns,2\n", "a header, row names, no labels"),
                ("a;b\n1,5;2\n", "';' between columns, decimal commas, a header, no row names, no labels"),
                ("a\tb\n1\t2\n", "tabs between columns, a header, no row names, no labels"),
                ("x,y\n1,0.5\n2,0.7\n3,0.9\n", "a header, no row names, no labels (column 'y' is a feature: all its values differ)"),
                ("x,y,z\n1,0.5,1\n2,0.5,1\n3,2,1\n", "a header, no row names, no labels (column 'y' is a feature: it has fractions, and stands beside a column x)"),
                ("x,y\n1,2\n2,2\n3,1\n", "a header, no row names, labels in column 'y'"),
                ("a,y\n1,0.5\n2,0.5\n3,2\n", "a header, no row names, labels in column 'y'"),
                ("x,label\n1,p\n2,q\n3,r\n", "a header, no row names, no labels (column 'label' is left out: all its values differ)"),
                ("label,x\np,1\nq,2\nr,3\n", "a header, row names, no labels (column 'label' is the row names: all its values differ)")):
            self.assertEqual(self.said(content), f"pith: x.csv: read with {want} {CHANGE}\n")
        self.assertIn("column 'label' left out", self.said(IRIS, "--no-labels"))
        self.assertEqual(self.said(IRIS, "-q"), "")

    def test_a_failure_stays_one_line(self):
        self.write("x.csv", "a,b\n1,2\n3,4\n5,7\n")
        self.assertIn("needs labels", self.refused(3, "rank", "x.csv", "-m", "mutual-info"))

    def test_labels_of_other_formats_are_said_too(self):
        self.write("iris.csv", IRIS)
        self.pith("convert", "iris.csv", "iris.npz", "-q")
        self.assertEqual(self.run_pith("info", "iris.npz").stderr,
                         "pith: iris.npz: read with labels of 3 classes (to change: --labels, --no-labels)\n")
        self.assertEqual(self.run_pith("info", "iris.npz", "--no-labels").stderr, "")

    def test_values_that_all_differ_are_labels_when_named_or_quoted(self):
        path = self.write("x.csv", "x,y\n1,0.5\n2,0.7\n3,0.9\n")
        self.assertEqual(self.json("info", path, "--json")["features"], 2)
        named = self.json("info", path, "--json", "--labels", "y")
        self.assertEqual((named["features"], len(named["classes"])), (1, 3))
        self.pith("convert", path, "out.csv", "--labels", "y", "-q")  # and come back as such
        self.assertEqual(len(self.json("info", "out.csv", "--json")["classes"]), 3)

    def test_what_counts_like_names_comes_back_as_data(self):
        path = self.write("x.csv", "0,1,2\n5,3,1\n4,9,1\n")
        self.pith("convert", path, "out.csv", "--header", "no", "-q")
        self.assertEqual(self.json("info", "out.csv", "--json")["samples"], 3)


class Missing(Case):
    def test_missing_labels_are_no_class(self):
        path = self.write("x.csv", HALF)
        j = self.json("info", path, "--json")
        self.assertEqual(j["classes"], [{"name": "x", "samples": 5}, {"name": "y", "samples": 5}])
        self.assertEqual(j["unlabelled"], 10)
        self.assertIn("x (5), y (5); 10 samples without a label", self.pith("info", path))

    def test_they_come_back_in_every_format(self):
        path = self.write("x.csv", HALF)
        for ending in ("csv", "tsv", "txt", "mtx", "mat", "npz", "svm", "h5ad"):
            with self.subTest(ending):
                self.pith("convert", path, f"y.{ending}", "-q")
                j = self.json("info", f"y.{ending}", "--json")
                self.assertEqual(([c["samples"] for c in j["classes"]], j["unlabelled"]), ([5, 5], 10))
        self.write("n.csv", HALF.replace("x", "1").replace("y", "2"))
        for ending in ("mat", "npz", "svm"):
            with self.subTest("numbers in ." + ending):
                self.pith("convert", "n.csv", f"n.{ending}", "-q")
                self.assertEqual(self.json("info", f"n.{ending}", "--json")["unlabelled"], 10)

    def test_such_samples_take_no_part_in_measuring(self):
        self.write("half.csv", HALF)
        # All 20 samples are clustered, without a fault on the ten that are labelled: a class of their own, or
        # counting them as wrong, would make it less than 1.
        rows = self.rows(self.pith("compare", "half.csv", "-q", "-m", "variance", "-n", "1", "--restarts", "2", "--format", "csv"))
        got = {r["measure"]: float(r["mean"]) for r in rows if r["method"] == "all-features"}
        for measure in ("acc", "nmi", "ari", "purity"):
            self.assertEqual(got[measure], 1, measure)

    def test_a_supervised_method_sees_the_labelled_alone(self):
        self.write("half.csv", HALF)
        self.write("known.csv", "".join(HALF.splitlines(True)[:11]))
        self.assertEqual(self.pith("rank", "half.csv", "-qm", "mutual-info"), self.pith("rank", "known.csv", "-qm", "mutual-info"))
        both = [self.rows(self.pith("compare", name, "-q", "-m", "mutual-info", "-n", "1", "--restarts", "2", "--format", "csv"))
                for name in ("half.csv", "known.csv")]
        self.assertEqual(*[[r["mean"] for r in rows if r["method"] == "mutual-info" and r["measure"] == "acc"] for rows in both])

    def test_labels_in_a_file_may_be_missing(self):
        self.write("x.csv", "1,2\n3,4\n5,7\n")
        self.write("l.txt", "p\nNA\nq\n")
        self.assertEqual(self.json("info", "x.csv", "--json", "--labels", "l.txt")["unlabelled"], 1)

    def test_the_report_shows_them_without_a_class(self):
        self.write("half.csv", HALF)
        self.pith("compare", "half.csv", "-q", "-m", "variance", "-n", "1", "--restarts", "2", "--report", "r.html", "-o", "r.json")
        self.assertIn("no label", self.read("r.html"))


class Odd(Case):
    def test_of_members_by_one_name_the_last_counts(self):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as z, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the second by the same name
            for values in ([1, 2, 3, 4], [5, 6, 7, 8]):
                z.writestr("X.npy", npy((2, 2), values))
        self.write("x.npz", packed.getvalue())
        self.pith("convert", "x.npz", "x.csv", "-q")
        self.assertEqual(self.read("x.csv"), "5,6\n7,8\n")

    def test_json_lines_with_a_mark_or_without_a_label(self):
        self.write("d.jsonl", b"\xef\xbb\xbf" + b'{"text":"cup dog","label":null}\n{"text":"cup dog","label":"x"}\n')
        self.pith("prep", "d.jsonl", "d.mtx", "--steps", "text", "-q")
        self.assertEqual(self.json("info", "d.mtx", "--json")["unlabelled"], 1)

    def test_names_with_newlines_are_shown_in_a_line(self):
        os.makedirs(self.folder / "f/a")
        for name in ("b", "c\nd"):
            (self.folder / "f/a" / name).write_text("cup dog")
        os.mkfifo(self.folder / "f/a/pipe")
        os.symlink(".", self.folder / "f/a/loop")
        self.pith("prep", "f", "d.mtx", "--steps", "text", "-q")
        self.assertIn("a/b, a/c?d\n", self.pith("info", "d.mtx"))

    def test_labels_to_start_from_are_checked(self):
        self.write("x.csv", "".join(f"{i},{i * i % 7},{i % 3}\n" for i in range(6)))
        for content, status, part in (
                ("1\n2\n", 3, "2 initial labels"), ("1\n" * 6, 2, "needs at least 2 different labels"),
                ("1\n2\nnan\n1\n2\n1\n", 3, "l.txt:3: 'nan' is not a cluster"), ("1\n\n2\n1\n2\n1\n", 3, "l.txt:2: an empty line"),
                ("", 3, "no labels"), ("a\0\nb\n", 3, "NUL"), ("1\n2\n3\n4\n5\n6\n", 2, "samples - 1")):
            self.write("l.txt", content)
            self.assertIn(part, self.refused(status, "rank", "x.csv", "-m", "ndfs", "--init-labels", "l.txt"))
        for content in ("a\nb\na\nb\na\nb\n", "-5\n99999999999999999999\n" * 3, "1,0\r\n2,0\r\n" * 3):
            self.write("l.txt", content)
            self.pith("rank", "x.csv", "-m", "ndfs", "--init-labels", "l.txt")


if __name__ == "__main__":
    unittest.main()
