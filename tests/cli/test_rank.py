"""pith rank: what it writes, and that nothing but data, seed and parameters decides it."""
import json
import math
import os
import pathlib
import subprocess
import sys
import unittest

from support import IRIS, Case, has_sanitizer, thorough

CONSTANT = "a,b,c\n1,7,3\n2,7,1\n3,7,9\n5,7,2\n"


class Rank(Case):
    def methods(self):
        names = [m["name"] for m in self.json("methods", "--json") if not m["needs_labels"] and not m["needs_counts"]]
        return names[::6] if has_sanitizer() else names  # which meets all of them in conformance

    def test_csv_has_the_header_and_every_feature_once_best_first(self):
        self.write("iris.csv", IRIS)
        text = self.pith("rank", "iris.csv", "-m", "variance")
        self.assertEqual(text.splitlines()[0], "rank,index,name,score")
        rows = self.rows(text)
        self.assertEqual([r["rank"] for r in rows], ["1", "2", "3"])
        self.assertEqual(sorted(r["index"] for r in rows), ["0", "1", "2"])
        self.assertEqual([r["name"] for r in rows], ["petal", "width", "sepal"])
        for r in rows:
            column = [float(line.split(",")[int(r["index"])]) for line in IRIS.splitlines()[1:]]
            mean = sum(column) / len(column)
            variance = sum((v - mean) ** 2 for v in column) / len(column)
            self.assertTrue(math.isclose(float(r["score"]), variance, rel_tol=1e-12), r)

    def blobs(self):
        """Small data with labels, the last column: every method runs on it, several times."""
        self.pith("synth", "blobs", "--samples", "260", "--features", "34", "--clusters", "4", "-o", "b.csv")

    def test_scores_fall_with_the_rank_for_every_method(self):
        self.blobs()
        for method in self.methods():
            scores = [float(r["score"]) for r in self.rows(self.rank("b.csv", method))]
            self.assertEqual(len(scores), 34)
            if method not in ("nrfs", "consensus"):  # ranked by turns over spectra, and with diversity
                self.assertEqual(scores, sorted(scores, reverse=True), method)

    def test_diversity_puts_off_what_repeats_a_better_feature(self):
        rows = [(i % 7, 2 * (i % 7) + 1, (i * i) % 5, i % 2) for i in range(70)]  # b says what a says
        self.write("twins.csv", "a,b,c,d\n" + "".join("%d,%d,%d,%d\n" % row for row in rows))
        names = [r["name"] for r in self.rows(self.pith("rank", "twins.csv", "-m", "variance"))]
        self.assertEqual(names, ["b", "a", "c", "d"])
        names = [r["name"] for r in self.rows(self.pith("rank", "twins.csv", "-m", "variance", "--diversity", "1"))]
        self.assertEqual(names, ["b", "c", "a", "d"])
        out = json.loads(self.pith("rank", "twins.csv", "-m", "variance", "--diversity", "1", "--format", "json"))
        self.assertEqual(out["parameters"]["diversity"], 1)
        self.assertIn("diversity", self.refused(2, "rank", "twins.csv", "-m", "variance", "--diversity", "-1"))

    def test_a_constant_feature_is_last_without_a_score(self):
        self.write("c.csv", CONSTANT)
        for method in self.methods():
            last = self.rows(self.rank("c.csv", method))[-1]
            self.assertEqual((last["name"], last["score"]), ("b", ""), method)
            last = json.loads(self.rank("c.csv", method, "--format", "json"))["features"][-1]
            self.assertEqual((last["name"], last["score"], last["reason"]), ("b", None, "constant"), method)

    def notes(self, done):
        """Standard error, but for the line that says how the file was read."""
        return "".join(line for line in done.stderr.splitlines(True) if ": read with " not in line)

    def test_one_line_sums_up_the_features_without_a_score_and_why(self):
        self.write("c.csv", CONSTANT)
        done = self.run_pith("rank", "c.csv", "-m", "laplacian")
        self.assertEqual(self.notes(done), "pith: 1 of 3 features has no score: constant (b)\n")
        self.assertEqual(self.run_pith("rank", "c.csv", "-qm", "laplacian").stderr, "")
        names = "abcdefghi"  # b to h are constant, i but for its last digit
        rows = [[i * i % 7, 1, 2, 3, 4, 5, 6, 7, 0.1 + 0.2 if i % 2 else 0.3] for i in range(20)]
        self.write("many.csv", "\n".join([",".join(names)] + [",".join(map(repr, row)) for row in rows]) + "\n")
        done = self.run_pith("rank", "many.csv", "-m", "laplacian")
        self.assertEqual(self.notes(done), "pith: 8 of 9 features have no score: constant (b, c, d, e, f and 2 more); "
                         "constant up to rounding (i)\n")
        self.assertEqual([r["name"] for r in self.rows(done.stdout)], list("aibcdefgh"))

    def test_no_score_at_all_is_a_warning_that_json_has_too(self):
        rows = [[(i * j) % 5 if i else 1e18 for j in (1, 2, 3)] for i in range(60)]  # z-scores of 59 rows are equal
        self.write("far.csv", "a,b,c\n" + "".join("%.17g,%.17g,%.17g\n" % tuple(row) for row in rows))
        done = self.run_pith("rank", "far.csv", "-m", "spec", "--clusters", "2", "--format", "json")
        self.assertEqual(self.notes(done), "pith: warning: no feature has a score, so the ranking is meaningless: "
                         "constant among connected samples (a, b, c)\n")
        self.assertIn("no feature has a score", json.loads(done.stdout)["warning"])

    def test_times_and_an_outlier_do_not_cost_the_scores(self):
        rows = [[1.7e9 + i % 3 + 1e-3 * (i * i % 11), i * i % 7] for i in range(60)]
        self.write("times.csv", "t,v\n" + "".join("%.17g,%d\n" % tuple(row) for row in rows))
        self.write("shifted.csv", "t,v\n" + "".join("%.17g,%d\n" % (t - 1.7e9, v) for t, v in rows))
        for method in ("laplacian", "spec"):
            far, near = (self.rows(self.rank(name, method)) for name in ("times.csv", "shifted.csv"))
            self.assertEqual([r["name"] for r in far], [r["name"] for r in near])
            for a, b in zip(far, near):
                self.assertTrue(math.isclose(float(a["score"]), float(b["score"]), rel_tol=1e-10), (method, a, b))
        rows[7] = [1e12, 1e12]
        self.write("outlier.csv", "t,v\n" + "".join("%.17g,%.17g\n" % tuple(row) for row in rows))
        for method in ("laplacian", "spec"):
            self.assertNotIn("", [r["score"] for r in self.rows(self.rank("outlier.csv", method))], method)

    def test_a_supervised_method_needs_labels(self):
        self.write("iris.csv", IRIS)
        self.assertEqual(len(self.rows(self.pith("rank", "iris.csv", "-qm", "mutual-info"))), 3)
        self.assertIn("needs labels", self.refused(3, "rank", "iris.csv", "-m", "mutual-info", "--no-labels"))

    def test_features_without_a_name_are_f_and_their_index(self):
        self.write("x.csv", "1,2\n3,9\n4,1\n")
        names = {r["index"]: r["name"] for r in self.rows(self.pith("rank", "x.csv", "-m", "variance"))}
        self.assertEqual(names, {"0": "f0", "1": "f1"})

    def test_ties_go_to_the_lower_index(self):
        self.write("t.csv", "a,b,c\n1,1,2\n2,2,1\n3,3,5\n")
        rows = self.rows(self.pith("rank", "t.csv", "-m", "variance"))
        self.assertEqual([r["name"] for r in rows], ["c", "a", "b"])

    def test_json_says_what_ran_with_what(self):
        self.write("iris.csv", IRIS)
        j = self.json("rank", "iris.csv", "-m", "laplacian", "--neighbors", "2", "--format", "json", "--seed", "9")
        self.assertEqual(j["method"], "laplacian")
        self.assertEqual(j["parameters"]["neighbors"], 2)
        self.assertEqual("pith " + j["version"] + "\n", self.pith("--version"))
        self.assertGreaterEqual(j["seconds"], 0)
        self.assertEqual([f["rank"] for f in j["features"]], [1, 2, 3])
        self.assertIn("iris.csv", json.dumps(j["data"]))
        described = {p["name"] for p in self.json("methods", "laplacian", "--json")["parameters"]}
        self.assertLessEqual(described, set(j["parameters"]))

    def test_json_tells_what_auto_became(self):
        self.pith("synth", "nrfs", "-o", "nrfs.csv")
        done = self.run_pith("rank", "nrfs.csv", "-m", "spec", "--clusters", "auto", "--format", "json")
        clusters = json.loads(done.stdout)["parameters"]["clusters"]
        self.assertGreaterEqual(clusters, 2)
        self.assertRegex(done.stderr, rf"(?m)^pith: using {clusters} clusters \(largest gap between eigenvalues\)$")

    def chips(self):
        """Simulated raw intensities, 40 of 800 genes are markers."""
        script = pathlib.Path(__file__).resolve().parents[2] / "examples" / "chips.py"
        self.write("chips.csv", subprocess.run([sys.executable, script], check=True, capture_output=True).stdout)

    def markers_first(self, text, count):
        return sum(r["name"].startswith("marker") for r in self.rows(text)[:count])

    def test_auto_ranks_the_logarithms_of_intensities(self):
        self.chips()
        done = self.run_pith("rank", "chips.csv")
        self.assertEqual(self.markers_first(done.stdout, 40), 40)
        self.assertIn("pith: ranking after log10,quantile,double-center, since the values span orders of magnitude, as reads and intensities do", done.stderr)
        self.assertNotIn("warning", done.stderr)
        self.assertEqual(done.stdout, self.pith("rank", "chips.csv", "--prep", "microarray", "-m", "consensus"))
        self.assertIn("ranking after log10", self.json("rank", "chips.csv", "--format", "json", "-q")["note"])
        self.assertIn("orders of magnitude", self.pith("info", "chips.csv"))
        self.assertIs(self.json("info", "chips.csv", "--json")["unlogged"], True)

    def test_a_method_by_its_name_ranks_values_as_they_are_and_warns(self):
        self.chips()
        done = self.run_pith("rank", "chips.csv", "-m", "laplacian")
        self.assertIn("laplacian sees them as they are: --prep auto takes their logarithms\n", done.stderr)
        done = self.run_pith("rank", "chips.csv", "-m", "laplacian", "--prep", "zscore,zscore")
        self.assertNotIn("warning", done.stderr)
        done = self.run_pith("rank", "chips.csv", "-m", "laplacian", "--prep", "min-df=2")
        self.assertIn("--prep min-df=2,microarray takes their logarithms\n", done.stderr)
        done = self.run_pith("rank", "chips.csv", "-m", "laplacian", "--prep", "auto")
        self.assertIn("prep auto: values become logarithms of equal quantiles, with means removed", done.stderr)
        self.assertNotIn("warning", done.stderr)
        self.assertEqual(done.stdout, self.pith("rank", "chips.csv", "-m", "laplacian", "--prep", "microarray"))

    def test_what_auto_selects_is_written_as_it_was(self):
        self.chips()
        self.pith("select", "chips.csv", "--fdr", "0.05", "-o", "few.csv")
        all_rows, few = self.rows(self.read("chips.csv")), self.rows(self.read("few.csv"))
        markers = [name for name in few[0] if name.startswith("marker")]
        self.assertEqual((len(markers), len(few[0])), (40, 1 + 40 + 1))
        for row, was in zip(few, all_rows, strict=True):
            self.assertEqual([float(row[name]) for name in markers], [float(was[name]) for name in markers])

    def test_a_comparison_of_intensities_asks_for_logarithms(self):
        self.chips()
        words = ("compare", "chips.csv", "-m", "variance", "-n", "40", "--restarts", "2")
        said = "pith: warning: the values span orders of magnitude, as reads and intensities do: compare their logarithms, which prep auto takes"
        self.assertIn(said, self.run_pith(*words).stderr)
        for more in (("--prep", "auto"), ("--protocol", "nrfs")):
            self.assertNotIn("warning", self.run_pith(*words, *more).stderr)

    def test_the_ending_of_the_output_picks_the_format(self):
        self.write("iris.csv", IRIS)
        for ending in ("csv", "tsv", "json"):
            self.assertEqual(self.pith("rank", "iris.csv", "-m", "variance", "-o", f"r.{ending}"), "")
        stdout = self.pith("rank", "iris.csv", "-m", "variance")
        self.assertEqual(self.read("r.csv"), stdout)
        self.assertEqual(self.read("r.tsv"), stdout.replace(",", "\t"))
        self.assertEqual(self.pith("rank", "iris.csv", "-m", "variance", "--format", "tsv"), self.read("r.tsv"))
        self.assertEqual(json.loads(self.read("r.json"))["method"], "variance")
        self.pith("rank", "iris.csv", "-m", "variance", "-o", "R.CSV")
        self.assertEqual(self.read("R.CSV"), stdout)
        self.assertEqual(self.pith("rank", "iris.csv", "-m", "variance", "-o", "-"), stdout)
        self.pith("rank", "iris.csv", "-m", "variance", "-o", "plain")
        self.assertEqual(self.read("plain"), stdout)
        self.pith("rank", "iris.csv", "-m", "variance", "-o", "r.dat", "--format", "csv")
        self.assertEqual(self.read("r.dat"), stdout)

    def test_an_ending_that_is_none_or_disagrees_is_refused(self):
        self.write("iris.csv", IRIS)
        self.assertIn(".json", self.refused(2, "rank", "iris.csv", "-o", "r.xlsx"))
        self.assertIn("contradicts", self.refused(2, "rank", "iris.csv", "-o", "r.csv", "--format", "json"))
        self.assertEqual(self.files(), ["iris.csv"])

    def test_names_are_quoted_where_the_format_needs_it(self):
        self.write("q.csv", '"a,b","say ""x""",c\n1,5,2\n2,3,8\n4,4,1\n')
        want = {'a,b', 'say "x"', "c"}
        self.assertEqual({r["name"] for r in self.rows(self.pith("rank", "q.csv", "-m", "variance"))}, want)
        j = self.json("rank", "q.csv", "-m", "variance", "--format", "json")
        self.assertEqual({f["name"] for f in j["features"]}, want)

    @thorough
    def test_threads_do_not_change_a_byte(self):
        self.blobs()
        self.pith("synth", "blobs", "--samples", "300", "--features", "80", "--density", "0.1", "-o", "s.csv")
        for data in ("b.csv", "s.csv"):
            for method in self.methods():
                one = self.rank(data, method, "--threads", "1")
                self.assertEqual(one, self.rank(data, method, "--threads", "8"), method)
                self.assertEqual(one, self.rank(data, method), method)

    def test_a_clustering_to_start_from(self):
        self.pith("synth", "blobs", "--samples", "30", "--features", "8", "--clusters", "3", "-o", "b.csv")
        self.write("start.txt", "".join(f"{'xyz'[i % 3]}\n" for i in range(30)))
        words = ["rank", "b.csv", "-m", "kmeans-energy", "--format", "json"]
        j = self.json(*words, "--init-labels", "start.txt")
        self.assertEqual((j["parameters"]["init_labels"], j["parameters"]["clusters"]), ("start.txt", 3))
        self.assertIsNone(self.json(*words, "-q", "--clusters", "3")["parameters"]["init_labels"])
        self.assertIn("none.txt", self.refused(3, *words, "--init-labels", "none.txt"))
        self.assertIn("have 3", self.refused(2, *words, "--init-labels", "start.txt", "--clusters", "4"))
        self.write("short.txt", "a\nb\n")
        self.assertIn("2 initial labels", self.refused(3, *words, "--init-labels", "short.txt"))
        self.write("one.txt", "a\n" * 30)
        self.assertIn("at least 2 different labels", self.refused(2, *words, "--init-labels", "one.txt"))
        told = self.run_pith(*words, "--init-labels", "start.txt").stderr
        self.assertIn("pith: using 3 clusters (as many as the initial labels have)\n", told)
        note = self.run_pith("rank", "b.csv", "-m", "variance", "--init-labels", "start.txt").stderr
        self.assertIn("does not use --init-labels", note)
        self.pith("compare", "b.csv", "-qm", "kmeans-energy", "-n", "2", "--restarts", "2", "--init-labels", "start.txt",
                  "-o", "c.json")
        self.pith("compare", "b.csv", "-qm", "kmeans-energy", "-n", "2", "--restarts", "2", "--init-labels", "start.txt",
                  "--resume", "c.json", "-o", "d.json")
        self.assertIn('"init_labels":"start.txt"', self.read("d.json").replace(": ", ":"))

    def test_labels_never_reach_an_unsupervised_method(self):
        self.pith("synth", "blobs", "--samples", "60", "--features", "10", "--clusters", "4", "-o", "b.csv")
        lines = self.read("b.csv").splitlines()
        self.assertTrue(lines[0].endswith(",label"), lines[0][-40:])
        self.write("bare.csv", "\n".join(line.rsplit(",", 1)[0] for line in lines) + "\n")
        self.write("other.txt", "".join(f"{'ab'[i % 2]}\n" for i in range(len(lines) - 1)))
        for method in self.methods():
            want = self.rank("bare.csv", method)
            self.assertEqual(self.rank("b.csv", method), want, method)
            self.assertEqual(self.rank("b.csv", method, "--no-labels"), want, method)
            self.assertEqual(self.rank("bare.csv", method, "--labels", "other.txt"), want, method)

    def test_the_named_label_column_is_no_feature(self):
        self.write("s.csv", IRIS.replace("label", "species"))
        rows = self.rows(self.pith("rank", "s.csv", "-m", "variance", "--labels", "species"))
        self.assertEqual({r["name"] for r in rows}, {"sepal", "petal", "width"})

    def test_missing_values_are_an_error_or_treated_as_asked(self):
        self.write("m.csv", "a,b\n1,2\n,5\n3,4\n8,NA\n2,2\n")
        self.assertIn("m.csv:3", self.refused(3, "rank", "m.csv", "-m", "variance"))
        self.write("drop.csv", "a,b\n1,2\n3,4\n2,2\n")
        self.write("zero.csv", "a,b\n1,2\n0,5\n3,4\n8,0\n2,2\n")
        self.write("mean.csv", "a,b\n1,2\n3.5,5\n3,4\n8,3.25\n2,2\n")
        for rule, same in (("drop-rows", "drop.csv"), ("zero", "zero.csv"), ("mean", "mean.csv")):
            self.assertEqual(self.pith("rank", "m.csv", "-m", "variance", "--missing", rule),
                             self.pith("rank", same, "-m", "variance"), rule)

    def test_verbose_says_what_was_done(self):
        self.write("iris.csv", IRIS)
        done = self.run_pith("rank", "iris.csv", "-vm", "laplacian")
        for part in ("6 samples, 3 features", "neighbors: 5", "laplacian took"):
            self.assertIn(part, done.stderr)
        self.assertEqual(done.stdout, self.pith("rank", "iris.csv", "-m", "laplacian"))

    def test_the_locale_changes_nothing(self):
        self.write("iris.csv", IRIS)
        want = self.pith("rank", "iris.csv", "-m", "variance")
        for name in ("de_DE.UTF-8", "C.UTF-8"):
            self.assertEqual(self.pith("rank", "iris.csv", "-m", "variance", env={**os.environ, "LC_ALL": name}),
                             want)


if __name__ == "__main__":
    unittest.main()
