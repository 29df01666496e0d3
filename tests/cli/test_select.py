"""pith select and pith convert: tables out."""
import unittest

from support import IRIS, Case


class Select(Case):
    def setUp(self):
        super().setUp()
        self.write("iris.csv", IRIS)

    def test_the_best_columns_in_the_order_of_the_data(self):
        text = self.pith("select", "iris.csv", "-m", "variance", "-n", "2")
        want = [",".join((c[1], c[2], c[3])) for c in (line.split(",") for line in IRIS.splitlines())]
        self.assertEqual(text.splitlines(), want)

    def test_the_order_is_not_that_of_the_ranking(self):
        self.write("d.csv", "low,high\n1,10\n2,30\n3,20\n")
        self.assertEqual([r["name"] for r in self.rows(self.pith("rank", "d.csv", "-m", "variance"))],
                         ["high", "low"])
        self.assertEqual(self.pith("select", "d.csv", "-m", "variance", "-n", "2").splitlines()[0], "low,high")

    def test_all_features_give_the_data_back(self):
        self.assertEqual(self.pith("select", "iris.csv", "-m", "variance", "-n", "3"), IRIS)

    def test_formats_of_the_output(self):
        want = self.pith("select", "iris.csv", "-m", "variance", "-n", "2")
        self.assertEqual(self.pith("select", "iris.csv", "-m", "variance", "-n", "2", "--format", "tsv"),
                         want.replace(",", "\t"))
        for ending in self.endings():
            self.assertEqual(self.pith("select", "iris.csv", "-m", "variance", "-n2", "-o", f"r.{ending}"), "")
            shape = self.json("info", f"r.{ending}", "--json")
            self.assertEqual((shape["samples"], shape["features"]), (6, 2), ending)

    def test_counts_that_make_no_sense(self):
        self.assertIn("3", self.refused(2, "select", "iris.csv", "-m", "variance", "-n", "4"))
        for bad in ("0", "-1", "2.5", "many", ""):
            self.refused(2, "select", "iris.csv", "-m", "variance", "-n", bad)
        self.assertIn("-n COUNT", self.refused(2, "select", "iris.csv", "-m", "variance"))
        self.assertIn("variance has no parameter 'thrifty'; only the method consensus has it",
                      self.refused(2, "select", "iris.csv", "-m", "variance", "-n", "2", "--thrifty"))

    def test_the_number_can_be_left_to_methods_that_have_one(self):
        self.pith("synth", "blobs", "--samples", "80", "--features", "60", "--density", "0.2", "-o", "d.csv")
        for method, above, *price in (("cl-des", 0, "--lambda", "0.01"), ("snfs", 0.9, "--rho", "0.02")):
            ranked = self.json("rank", "d.csv", "-qm", method, *price, "--format", "json")
            count = sum(f["score"] is not None and f["score"] > above for f in ranked["features"])
            self.assertEqual(ranked["facts"]["auto_features"], count)
            self.assertTrue(0 < count < 60)
            done = self.run_pith("select", "d.csv", "-m", method, *price, "-n", "auto", "-o", "r.csv")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"keeping {count} features", done.stderr)
            self.assertEqual(self.json("info", "r.csv", "--json")["features"], count)
        said = self.refused(2, "select", "nowhere.csv", "-m", "variance", "-n", "auto")
        self.assertIn("variance cannot choose", said)
        self.assertIn("cl-des, snfs, consensus, energy", said)
        self.pith("synth", "blobs", "--samples", "80", "--features", "60", "-o", "dense.csv")
        self.pith("select", "dense.csv", "-qn", "auto", "-o", "r.csv")  # whatever method is picked for the data
        self.assertIn("keep no feature", self.refused(1, "select", "d.csv", "-qm", "cl-des", "--lambda", "1000",
                                                      "-n", "auto"))

    def test_mcfs_may_take_as_many_coefficients_as_features(self):
        self.pith("synth", "blobs", "--samples", "60", "--features", "40", "-o", "d.csv")
        for count in ("4", "9"):
            select = ("select", "d.csv", "-qm", "mcfs", "--clusters", "5", "-n", count, "--mcfs-active")
            kept = self.pith(*select, "count")
            self.assertEqual(kept, self.pith(*select, count))
            self.assertNotEqual(kept, self.pith(*select, "20"), "or the test would say nothing")
        self.assertIn("number of features", self.refused(2, "rank", "d.csv", "-qm", "mcfs", "--mcfs-active", "count"))
        self.assertIn("'count'", self.refused(2, "rank", "d.csv", "-m", "mcfs", "--mcfs-active", "cuont"))

    def test_an_unknown_ending_is_refused_before_the_work(self):
        self.assertIn(".csv", self.refused(2, "select", "nowhere.csv", "-n", "1", "-o", "r.xlsx"))
        self.assertIn("contradicts",
                      self.refused(2, "select", "nowhere.csv", "-n", "1", "-o", "r.txt", "--format", "tsv"))
        self.assertIn("no folder", self.refused(1, "select", "nowhere.csv", "-n", "1", "-o", "gone/r.csv"))


class Convert(Case):
    def test_round_trips_keep_values_names_and_labels(self):
        self.write("iris.csv", IRIS)
        for ending in set(self.endings()) & {"csv", "tsv", "txt", "csv.gz", "tsv.gz", "txt.gz", "h5ad"}:
            self.pith("convert", "iris.csv", f"x.{ending}")
            self.pith("convert", f"x.{ending}", "back.csv")
            self.assertEqual(self.read("back.csv"), IRIS, ending)

    def test_values_survive_every_format(self):
        self.pith("synth", "blobs", "--samples", "40", "--features", "7", "-o", "x.csv")
        self.pith("synth", "blobs", "--samples", "40", "--features", "30", "--density", "0.2", "-o", "s.csv")
        for data in ("x.csv", "s.csv"):
            want = self.pith("rank", data, "-m", "variance")
            for ending in self.endings():
                self.pith("convert", data, f"y.{ending}")
                got = self.pith("rank", f"y.{ending}", "-m", "variance")
                for a, b in zip(self.rows(got), self.rows(want), strict=True):
                    self.assertEqual(a["index"], b["index"], ending)
                    if "svm" in ending:  # always sparse: zeros are left out of the sums, which round otherwise
                        self.assertAlmostEqual(float(a["score"]), float(b["score"]), 12, ending)
                    else:
                        self.assertEqual(a["score"], b["score"], ending)

    def test_to_standard_output(self):
        self.write("iris.csv", IRIS)
        self.assertEqual(self.pith("convert", "iris.csv", "-"), IRIS)
        self.assertEqual(self.pith("convert", "iris.csv", "-", "--format", "tsv"), IRIS.replace(",", "\t"))

    def test_labels_can_be_left_out(self):
        self.write("iris.csv", IRIS)
        text = self.pith("convert", "iris.csv", "-", "--no-labels")
        self.assertEqual(text.splitlines()[0], "sepal,petal,width")

    def test_a_file_may_be_written_over_itself_by_force(self):
        self.write("iris.csv", IRIS)
        self.pith("convert", "iris.csv", "iris.csv", "--force")
        self.assertEqual(self.read("iris.csv"), IRIS)


if __name__ == "__main__":
    unittest.main()
