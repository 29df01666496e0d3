"""pith compare: what it writes, what it refuses, stopping and going on."""
import json
import os
import re
import shutil
import signal
import subprocess
import unittest

from support import PITH, Case, has_sanitizer

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

DRAWN = unittest.skipUnless(CHROMIUM or os.environ.get("PITH_NO_SKIP"), "no Chromium: the page is not drawn")


class Compare(Case):
    def setUp(self):
        super().setUp()
        self.pith("synth", "blobs", "--samples", "90", "--features", "24", "--clusters", "3", "--informative", "0.5",
                  "--separation", "6", "-o", "b.csv")

    def compare(self, *words):
        self.pith("compare", "b.csv", "-n", "4,12", "--restarts", "4", *words, "-o", "out.json", "-q")
        return json.loads(self.read("out.json"))

    def test_json_has_every_row_with_what_made_it(self):
        out = self.compare("-m", "variance,laplacian", "--seed", "5")
        methods = [r["method"] for r in out["rows"]]
        self.assertEqual(methods, ["variance"] * 2 + ["laplacian"] * 2 + ["kmeans-energy"] * 2 + ["all-features"]
                         + ["random"] * 2)
        for row in out["rows"]:
            for measure in ("acc", "nmi", "nmi_mean", "ari", "purity", "silhouette", "redundancy"):
                self.assertIn("mean", row[measure])
                self.assertGreaterEqual(row[measure]["sd"], 0)
        laplacian = out["rows"][2]
        self.assertEqual((laplacian["features"], laplacian["acc"]["runs"]), (4, 4))
        self.assertEqual(laplacian["parameters"]["metric"], "euclidean")  # what auto became
        self.assertEqual(out["protocol"]["seed"], 5)
        self.assertEqual(out["protocol"]["clusters"], 3)
        self.assertTrue(out["complete"])
        self.assertEqual({s["method"] for s in out["ranking"] if s["yardstick"]},
                         {"all-features", "random", "kmeans-energy"})

    def test_separated_clusters_are_found_and_informative_features_help(self):
        out = self.compare("-m", "laplacian")
        best = {s["method"]: s["nmi"]["mean"] for s in out["ranking"]}
        self.assertGreater(best["laplacian"], 0.95)
        for top in out["top"]:
            self.assertTrue(all(f["name"].startswith("info") for f in top["features"][:4]), top)

    def test_the_same_bytes_at_any_number_of_threads(self):
        def untimed(out):
            text = json.dumps({k: v for k, v in out.items() if k != "command"})
            data = json.loads(text)
            for row in data["rows"] + data["ranking"]:
                row.pop("seconds")
                row.pop("peak_bytes")
            return data
        self.assertEqual(untimed(self.compare("--threads", "1")), untimed(self.compare("--threads", "8")))

    def test_csv_is_a_row_a_measurement(self):
        text = self.pith("compare", "b.csv", "-m", "variance", "-n", "4", "--restarts", "2", "--format", "csv")
        rows = self.rows(text)
        self.assertEqual(list(rows[0]), ["method", "parameters", "features", "measure", "mean", "sd", "runs",
                                         "seconds"])
        self.assertEqual(sum(r["method"] == "variance" for r in rows), 9)
        self.assertTrue(all(0 <= float(r["mean"]) <= 1 for r in rows if r["measure"] == "nmi"))

    def test_a_grid_has_best_and_median(self):
        out = self.compare("-m", "laplacian", "--grid", "neighbors=2,5,9", "--grid", "weight=heat,binary")
        settings = {r["setting"] for r in out["rows"] if r["method"] == "laplacian"}
        self.assertEqual(len(settings), 6)
        self.assertIn("neighbors=9 weight=binary", settings)
        at4 = sorted(r["nmi"]["mean"] for r in out["rows"] if r["method"] == "laplacian" and r["features"] == 4)
        summary = next(s for s in out["summary"] if s["method"] == "laplacian" and s["features"] == 4)
        self.assertEqual(summary["best"]["nmi"]["mean"], at4[-1])
        self.assertAlmostEqual(summary["median"]["nmi"], (at4[2] + at4[3]) / 2, places=15)

    def test_parameters_reach_every_method_that_has_them(self):
        out = self.compare("--neighbors", "7")
        for row in out["rows"]:
            if "neighbors" in row["parameters"]:
                self.assertEqual(row["parameters"]["neighbors"], 7)
        self.assertIn("no", self.refused(2, "compare", "b.csv", "-m", "variance", "--grid", "neighbors=3,5"))

    def test_without_labels_agreement_leads(self):
        out = self.compare("--no-labels")
        self.assertEqual(out["protocol"]["sort"], "agreement")
        self.assertTrue(all(0 <= r["agreement"]["mean"] <= 1 for r in out["rows"]))
        self.assertEqual(out["protocol"]["clusters_from"], "eigengap")
        self.assertIsNone(out["data"]["classes"])
        self.assertTrue(all("acc" not in r for r in out["rows"]))

    def test_columns_of_large_units_are_told(self):
        for heavy, said in ((1, "100 % of the variance is that of the feature p0, so"), (4, "100 % of the variance is that of 4 of 10 features, most of all p3, so"), (0, None)):
            names = [f"p{j}" if j < heavy else f"t{j}" for j in range(10)]
            rows = [[str((i * (7 + 2 * j) % 31) * (1000 + j if j < heavy else 1)) for j in range(10)] for i in range(31)]
            self.write("units.csv", "\n".join(map(",".join, [names, *rows])) + "\n")
            words = ("compare", "units.csv", "-m", "variance,laplacian", "-n", "4", "--restarts", "2")
            done = self.run_pith(*words)
            self.assertEqual("warning" in done.stderr, said is not None, done.stderr)
            if said:
                self.assertIn(f"pith: warning: {said} clusters show hardly any other", done.stderr)
            self.assertNotIn("warning", self.run_pith(*words, "--prep", "zscore").stderr)

    def test_names_for_labels_are_doubted(self):
        rows = [f"{i * 37 % 11},{i * 17 % 13},sample {min(i, 15)}" for i in range(24)]
        for count, doubted in ((24, True), (19, False)):  # few samples may all be different
            self.write("x.csv", "\n".join(["a,b,name", *rows[:count]]) + "\n")
            said = self.run_pith("compare", "x.csv", "-m", "variance", "-n", "1", "--labels", "name").stderr
            self.assertEqual("16 classes in 24 samples" in said, doubted, said)

    def test_labels_change_no_ranking(self):
        with_labels, without = self.compare("--clusters", "3"), self.compare("--clusters", "3", "--no-labels")
        with_labels["rankings"] = [r for r in with_labels["rankings"] if r["method"] != "mutual-info"]
        self.assertEqual(with_labels["rankings"], without["rankings"])

    def test_a_supervised_reference_is_used_with_labels_only_and_never_wins(self):
        out = self.compare("-m", "all")
        reference = next(s for s in out["ranking"] if s["method"] == "mutual-info")
        self.assertTrue(reference["yardstick"])
        self.assertFalse(reference["nmi"]["wins"] or reference["nmi"]["ties"])
        self.assertTrue(any(s["nmi"]["wins"] for s in out["ranking"]))
        table = self.pith("compare", "b.csv", "-m", "mutual-info", "-n", "4", "--restarts", "2", "-q")
        self.assertIn("mutual-info saw the labels", table)
        without = self.compare("-m", "all", "--no-labels")
        self.assertNotIn("mutual-info", {r["method"] for r in without["rows"]})
        asked = self.compare("-m", "mutual-info", "--no-labels")
        self.assertIn("needs labels", next(r for r in asked["rows"] if r["method"] == "mutual-info")["error"])

    def test_spectral_clustering(self):
        out = self.compare("-m", "variance", "--clusterer", "spectral")
        self.assertGreater(next(r["nmi"]["mean"] for r in out["rows"] if r["method"] == "all-features"), 0.9)

    def test_protocols_set_what_the_papers_did(self):
        out = json.loads(self.pith("compare", "b.csv", "-m", "variance", "--protocol", "hufs", "-n", "6", "--format",
                                   "json"))
        self.assertEqual((out["protocol"]["restarts"], out["protocol"]["start"]), (20, "random"))
        self.assertEqual(out["protocol"]["sort"], "acc")
        self.assertIn("des", self.refused(2, "compare", "b.csv", "--protocol", "hufsy"))
        self.assertIn("5 classes", self.refused(3, "compare", "b.csv", "--protocol", "lgdfs"))

    def test_the_subsets_of_a_protocol(self):
        self.pith("synth", "blobs", "--samples", "120", "--features", "30", "--clusters", "8", "-o", "eight.csv")
        out = json.loads(self.pith("compare", "eight.csv", "-m", "variance", "--protocol", "lgdfs", "-n", "10",
                                   "--restarts", "2", "--format", "json"))
        row = next(r for r in out["rows"] if r["method"] == "variance")
        self.assertEqual(row["acc"]["runs"], 20)  # the best of two runs counts, in each of 20 draws
        self.assertEqual(out["protocol"]["subsets"], {"classes": 5, "draws": 20})

    def test_methods_of_counts_are_left_out_where_a_value_is_negative_and_that_is_said(self):
        rows = [[(7 * i + 3 * j) % 5 + (i % 3 == j % 3) for j in range(4)] for i in range(12)]
        self.write("whole.csv", "a,b,c,d\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
        rows[4][2] = -1
        self.write("negative.csv", "a,b,c,d\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
        quick = "-n", "2", "--restarts", "1", "--pairs", "50", "--draws", "2", "--max-iter", "2"
        said = "left out: seurat-v3, dispersion, deviance (for counts only, and the data has negative values)"
        done = self.run_pith("compare", "negative.csv", *quick)
        self.assertIn(said, done.stderr)
        self.assertNotIn("deviance", done.stdout)
        done = self.run_pith("compare", "whole.csv", *quick)
        self.assertNotIn(said, done.stderr)
        self.assertIn("deviance", done.stdout)

    def test_counts_are_clustered_on_tf_idf_unless_told(self):
        self.pith("synth", "blobs", "--samples", "60", "--features", "80", "--density", "0.1", "-o", "counts.mtx")
        def clustered(*words):
            self.pith("compare", "counts.mtx", "-m", "variance", "-n", "20", "--restarts", "2", "-q", "-o", "out.json", "--force", *words)
            out = json.loads(self.read("out.json"))
            row = next(r for r in out["rows"] if r["method"] == "variance")
            return out["protocol"]["cluster_on"], row["nmi"]["mean"]
        on, nmi = clustered()
        self.assertEqual(on, "tf-idf")
        self.assertEqual(clustered("--cluster-on", "values")[0], "values")
        self.assertEqual(clustered("--cluster-on", "tf-idf"), (on, nmi))
        self.pith("prep", "counts.mtx", "weighed.mtx", "--steps", "tfidf,l2")
        self.pith("compare", "weighed.mtx", "-m", "variance", "-n", "80", "--restarts", "2", "-q", "-o", "w.json", "--cluster-on", "values")
        self.pith("compare", "counts.mtx", "-m", "variance", "-n", "80", "--restarts", "2", "-q", "-o", "c.json")
        both = [next(r for r in json.loads(self.read(f))["rows"] if r["method"] == "variance")["nmi"] for f in ("w.json", "c.json")]
        self.assertEqual(*both)  # all features: the same rows, weighed by hand or by the judge
        self.assertIn("'tfidf' is not one of values, tf-idf; did you mean 'tf-idf'?", self.refused(2, "compare", "counts.mtx", "--cluster-on", "tfidf"))

    def test_a_choice_that_depends_on_the_count_is_judged_at_each(self):
        words = ("-m", "mcfs", "--restarts", "3", "--stability", "3", "--mcfs-active")
        together = {r["features"]: r for r in self.compare(*words, "count", "-n", "3,8")["rows"] if r["method"] == "mcfs"}
        for k, count in enumerate((3, 8)):
            alone = [r for r in self.compare(*words, str(count), "-n", "3,8")["rows"]
                     if r["method"] == "mcfs" and r["features"] == count]
            for measure in ("nmi", "redundancy", "stability"):
                self.assertEqual(together[count][measure], alone[0][measure], measure)

    def test_stability_is_seen_on_subsamples(self):
        out = self.compare("-m", "variance,laplacian", "--stability", "6")
        self.assertEqual(out["protocol"]["subsamples"], 6)
        for row in out["rows"]:
            self.assertEqual("stability" in row, row["method"] not in ("all-features", "random"), row)
        few, half = (row["stability"] for row in out["rows"][2:4])
        self.assertEqual(half["mean"], 1)  # the 12 columns of clusters far apart: any part of the rows shows them
        self.assertLess(few["mean"], 1)  # which 4 of those is chance
        self.assertEqual((few["runs"], half["runs"]), (6, 6))
        self.assertIn("stability", self.pith("compare", "b.csv", "-m", "variance", "-n", "4", "--stability", "2"))
        self.assertNotIn("stability", self.compare("-m", "variance")["rows"][0])
        self.assertIn("2", self.refused(2, "compare", "b.csv", "--stability", "1"))

    def test_a_line_of_the_table_is_about_one_selection(self):
        out = self.compare("-m", "variance,laplacian")
        for line in out["ranking"]:
            lead = line["nmi"]
            row = next(r for r in out["rows"] if r["method"] == line["method"] and r["features"] == lead["features"])
            for measure in ("acc", "redundancy", "silhouette"):
                self.assertEqual(line[measure]["mean"], row[measure]["mean"])

    def test_a_method_that_fails_is_a_row_with_its_reason(self):
        out = self.compare("-m", "spec", "--grid", "clusters=3,89,90")
        failed = [r for r in out["rows"] if "error" in r and r["method"] == "spec"]
        self.assertEqual([r["setting"] for r in failed], ["clusters=90"])
        self.assertIn("90", failed[0]["error"])
        self.assertTrue(out["complete"])

    def test_bad_input_is_one_clear_line(self):
        self.assertIn("24", self.refused(2, "compare", "b.csv", "-n", "25"))
        self.assertIn("samples", self.refused(2, "compare", "b.csv", "--clusters", "91"))
        self.assertIn("laplacian", self.refused(2, "compare", "b.csv", "-m", "laplacain"))
        self.assertIn("name methods, or take 'all'", self.refused(2, "compare", "b.csv", "-m", "auto"))
        self.assertIn("no folder", self.refused(1, "compare", "b.csv", "--report", "gone/r.html"))
        self.assertIn("'pith methods' lists them", self.refused(2, "compare", "b.csv", "-m", "zzzzzzzz"))
        self.assertIn(".json", self.refused(2, "compare", "b.csv", "-o", "r.xlsx"))
        self.assertIn("use --report", self.refused(2, "compare", "b.csv", "-o", "r.html"))
        self.assertEqual(self.refused(3, "compare", "b.csv", "--resume", "gone.json"),
                         "gone.json: cannot be read: No such file or directory")
        self.assertIn("b.csv:1: not valid JSON", self.refused(3, "compare", "b.csv", "--resume", "b.csv"))
        self.assertIn("32x32", self.refused(2, "compare", "b.csv", "--image-shape", "big"))
        self.assertIn("pixels", self.refused(2, "compare", "b.csv", "-n", "4", "--restarts", "1", "-q", "--image-shape",
                                             "5x5", "-m", "variance"))
        self.write("one.csv", "a,b,label\n1,2,x\n2,3,x\n3,1,x\n5,2,x\n")
        self.assertIn("one class", self.refused(3, "compare", "one.csv"))
        self.write("flat.csv", "a,b,label\n1,2,x\n1,2,y\n1,2,x\n1,2,y\n")
        self.assertIn("constant", self.refused(3, "compare", "flat.csv"))

    def test_evidence_is_that_of_rank_and_told_in_a_line(self):
        out = self.compare("-m", "consensus")["evidence"]
        done = self.run_pith("rank", "b.csv", "-m", "consensus", "-o", "r.json")
        ranked = json.loads(self.read("r.json"))
        self.assertEqual((out["called"], out["smallest_q"], out["halves"]), tuple(ranked["facts"][k] for k in ("called", "smallest_q", "halves_agreement")))
        self.assertEqual((out["tested"], out["features"], out["samples"]), (24, 24, 90))
        self.assertEqual([p["features"] for p in out["curve"]], [5, 10, 20, 24])
        self.assertIn(out["keep"], [5, 10, 20, 24])
        self.assertIsNone(out["control"])
        q = {f["name"]: f["q"] for f in ranked["features"]}
        self.assertEqual(sorted(out["points"]["name"]), sorted(q))
        for name, y in zip(out["points"]["name"], out["points"]["minus_log10_q"]):
            self.assertAlmostEqual(10 ** -y, q[name], delta=3e-4 * q[name])
        self.assertIn(f"pith: {out['sentence']}\n", done.stderr)
        text = self.pith("compare", "b.csv", "-m", "variance", "-n", "4", "--restarts", "2", "-q")
        self.assertEqual(text.count(out["sentence"] + "\n"), 1)
        self.assertNotIn("chance looks like", text)

    def test_a_control_tells_what_chance_looks_like(self):
        out = self.compare("-m", "variance", "--control")["evidence"]
        self.assertEqual((out["curve"], out["keep"]), ([], None))
        self.assertEqual((out["control"]["kind"], out["control"]["called"], out["control"]["tested"]), ("columns shuffled", 0, 24))
        self.assertGreater(out["control"]["smallest_q"], 0.05)
        self.assertGreaterEqual(out["called"], 12)
        self.assertEqual(out, self.compare("-m", "variance", "--control", "--threads", "1")["evidence"])
        text = self.pith("compare", "b.csv", "-m", "variance", "-n", "4", "--restarts", "2", "-q", "--control")
        self.assertIn("what chance looks like here (columns shuffled): 0 of 24 features (smallest q 0.", text)

    def test_few_samples_have_no_evidence_and_a_control_says_so(self):
        self.write("few.csv", "a,b,c\n" + "".join(f"{i % 3},{i},{i * i % 7}\n" for i in range(19)))
        done = self.run_pith("compare", "few.csv", "-m", "variance", "-n", "2", "--restarts", "1", "--control", "-o", "few.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("there is no control, because the features cannot be tested against chance: fewer than 20 samples are too few", done.stderr)
        self.assertIsNone(json.loads(self.read("few.json"))["evidence"])

    def test_stopped_runs_keep_what_is_finished_and_go_on(self):
        restarts = "1500" if has_sanitizer() else "10000"  # long enough to be stopped in the middle
        words = [PITH, "compare", "b.csv", "-m", "variance,laplacian,spec", "-n", "4,12", "--restarts", restarts, "-o",
                 "part.json", "--threads", "1", "--progress", "always"]
        run = subprocess.Popen(words, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        seen = b""
        while b"laplacian: clustering" not in seen:
            part = os.read(run.stderr.fileno(), 4096)
            self.assertTrue(part, seen)
            seen += part
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, err)
        self.assertIn(b"--resume part.json", err)
        part = json.loads(self.read("part.json"))
        self.assertFalse(part["complete"])
        finished = len(part["rows"])
        self.assertGreaterEqual(finished, 2)  # variance, and whatever else was done before the signal came
        done = self.run_pith(*words[1:], "--resume", "part.json", "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        whole = json.loads(self.read("part.json"))
        self.assertTrue(whole["complete"])
        self.assertGreater(len(whole["rows"]), finished)
        self.assertEqual(whole["rows"][:finished], part["rows"])  # seconds too: they were not run again
        self.assertIn("another shape", self.refused_resume("part.json"))

    def test_results_of_other_data_are_not_taken_over(self):
        self.pith("synth", "blobs", "--samples", "90", "--features", "24", "--clusters", "3", "--seed", "2", "-o", "c.csv")
        words = ["-n", "4", "--restarts", "2", "-q", "-o", "r.json"]
        self.pith("compare", "b.csv", "-m", "variance", *words)
        before = self.read("r.json")
        said = self.refused(3, "compare", "c.csv", "-m", "variance,spec", *words, "--resume", "r.json")
        self.assertEqual(said, "r.json: cannot be resumed: its data has other values; start again with another output")
        self.write("named.csv", "other" + self.read("b.csv"))
        said = self.refused(3, "compare", "named.csv", "-m", "variance,spec", *words, "--resume", "r.json")
        self.assertIn("its data has other feature names", said)
        self.assertEqual(self.read("r.json"), before)
        self.pith("convert", "b.csv", "b.h5ad")  # the same data in another file
        self.pith("compare", "b.h5ad", "-m", "variance,spec", *words, "--resume", "r.json")
        self.pith("compare", "b.csv", "-m", "variance", "--prep", "minmax", *words)
        said = self.refused(3, "compare", "b.csv", "-m", "variance", *words, "--resume", "r.json")
        self.assertIn("prepared differently", said)

    def refused_resume(self, path):
        self.write("other.csv", "a,b,label\n1,2,x\n2,3,y\n3,1,x\n5,2,y\n")
        return self.refused(3, "compare", "other.csv", "-n", "1", "--resume", path)


class Drawn(Case):
    def draw(self, name):
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                               "--disable-background-networking", "--disable-component-update", "--disable-sync",
                               f"--user-data-dir={self.folder}/profile", "--enable-logging=stderr", "--v=0",
                               "--virtual-time-budget=5000", "--dump-dom", f"file://{self.folder}/{name}"],
                              capture_output=True, text=True, timeout=120)
        self.assertTrue('data-drawn="yes"' in done.stdout, done.stderr)
        self.assertNotIn("Uncaught", done.stderr)
        return done.stdout


class Page(Drawn):
    def setUp(self):
        super().setUp()
        self.pith("synth", "blobs", "--samples", "80", "--features", "64", "--clusters", "3", "-o", "b.csv")
        self.pith("compare", "b.csv", "-m", "variance,laplacian,spec", "-n", "8,16", "--restarts", "2", "--grid", "default",
                  "--stability", "3", "--image-shape", "8x8", "--report", "page.html", "-q")

    def test_the_page_loads_nothing(self):
        page = self.read("page.html")
        for outside in ("http://", "https://", "src=", "@import", "url("):
            self.assertNotIn(outside, page.replace("http://www.w3.org/2000/svg", ""))
        self.assertIn("b.csv", page)

    @DRAWN
    def test_the_charts_are_drawn_and_nothing_errs(self):
        page = self.draw("page.html")
        self.assertEqual(page.count('class="curves"'), 2)
        self.assertEqual(page.count('class="bars"'), 2)
        self.assertEqual(page.count('class="map"'), 2)
        self.assertEqual(page.count('class="sensitivity"'), 3)  # laplacian's width, spec's style and power
        self.assertGreaterEqual(page.count('class="pixels"'), 4)
        for section in ("table", "curves", "structure", "costs", "sensitivity", "top", "agreement", "maps", "images", "reproduce"):
            self.assertIn(f'<section id="{section}"', page)
        self.assertEqual((page.count('class="volcano"'), page.count('class="keep"')), (1, 0))  # consensus is not compared


class Structure(Drawn):
    @DRAWN
    def test_structure_is_drawn_with_names_that_do_not_overlap(self):
        self.pith("synth", "blobs", "--samples", "80", "--features", "3000", "--clusters", "4", "--informative", "0.3", "-o", "wide.csv")
        self.pith("compare", "wide.csv", "-m", "consensus", "-n", "8", "--restarts", "2", "--control", "--report", "wide.html", "-q")
        page = self.draw("wide.html")
        plot = page[page.index('class="volcano"'):page.index('class="key"')]
        dots = {kind: plot.count(f'class="{kind}"') for kind in ("called", "other", "chance")}
        self.assertEqual(dots["called"] + dots["other"], 2000)
        self.assertEqual(dots["chance"], 2000)
        self.assertIn("2,000 of 3,000 features are drawn", page)
        self.assertIn("q = 0.05", plot)
        self.assertEqual(page.count('class="keep"'), 1)
        names = re.findall(r'<text class="name" x="([\d.]+)" y="([\d.]+)" text-anchor="(end|start)">([^<]+)<', plot)
        self.assertTrue(5 <= len(names) <= 10, names)
        boxes = [(float(x) - (6.5 * len(text) if anchor == "end" else 0), float(y), 6.5 * len(text)) for x, y, anchor, text in names]
        for k, (x, y, w) in enumerate(boxes):
            self.assertTrue(52 <= x and x + w <= 560, names[k])
            for a, b, v in boxes[:k]:
                self.assertTrue(abs(y - b) >= 12 or x >= a + v or a >= x + w, (names[k], a, b))
        self.assertTrue(all(text.startswith("info") for *_, text in names), names)
        sentence = page[page.index('<section id="structure"'):].split('class="lead">')[1].split("</p>")[0]
        self.assertRegex(sentence, "features share structure at a false discovery rate of 5 %")
        self.assertNotIn("cluster", sentence)

    @DRAWN
    def test_a_page_about_noise_says_so_at_the_top(self):
        self.pith("synth", "blobs", "--samples", "60", "--features", "100", "--separation", "0", "-o", "noise.csv")
        self.pith("compare", "noise.csv", "-m", "consensus", "-n", "8", "--restarts", "2", "--report", "noise.html", "-q")
        page = self.draw("noise.html")
        self.assertIn("No method beats the baselines here</strong>: consensus reaches NMI", page)
        self.assertIn("And </strong>no feature stands out from chance", page[:page.index("<section")])
        self.assertIn("no number of them means much here", page)


if __name__ == "__main__":
    unittest.main()
