"""The results book on a set of its own: what is done is not done again, what is cut short goes on, the pages say what was run
and can be made from the runs that are kept in the repository.

    test_book.py SOURCE PROGRAM
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE, PROGRAM = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "bench" / "results"))
import book
import choosing
import claims
import figures
import keeping
import pages
import runs

ECOLI = next(s for s in book.known_sets() if s["name"] == "ECOLI")  # the one whose place the test's data takes
STAMP = {"version": runs.version(PROGRAM), "commit": "abc1234"}
KEPT = SOURCE / "bench" / "results" / "runs"


class Book(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pith-book-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = self.folder / "ECOLI.mat"
        self.runs, self.work = self.folder / "runs", self.folder / "work"
        self.work.mkdir()
        shutil.copy(SOURCE / "docs" / "choosing.md", self.folder / "choosing.md")
        subprocess.run([PROGRAM, "synth", "blobs", "--samples", "60", "--features", "60", "-o", self.data], check=True)

    def job(self, methods, kind="defaults", ending=""):
        return runs.Job("defaults", ECOLI, kind, methods, ending)

    def compare(self, job, seconds=100):
        """What pith wrote, if it is finished; it is then kept."""
        content = runs.compare(PROGRAM, self.data, job, self.work, seconds)
        if content is not None:
            runs.write(self.runs, job, STAMP, content)
        return content and runs.read(self.work / job.file)

    def book(self, *words, kept=None):
        return subprocess.run([sys.executable, SOURCE / "bench/results/book.py", *words, "--program", PROGRAM, "--data", self.folder, "--runs", kept or self.runs,
                               "--work", self.work, "--out", self.folder / "pages", "--choosing", self.folder / "choosing.md"], capture_output=True, text=True)

    def write_pages(self, kept=None):
        done = self.book("--pages", kept=kept)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {path.name: path.read_text() for path in (self.folder / "pages").glob("*.md")}

    def test_what_is_done_is_not_done_again(self):
        job = self.job(("variance", "spec"))
        self.assertFalse(runs.there(self.runs, job, STAMP["version"]))
        self.compare(job)
        self.assertTrue(runs.there(self.runs, job, STAMP["version"]))
        self.assertFalse(runs.there(self.runs, job, "0.0.1"))
        self.assertFalse(runs.there(self.runs, self.job(("variance",)), STAMP["version"]))

    def test_a_run_that_was_cut_short_goes_on(self):
        job = self.job(("variance", "spec"))
        self.assertIsNone(self.compare(job, seconds=0))
        self.assertFalse((self.runs / job.file).exists())
        self.assertTrue(self.compare(job)["complete"])

    def test_a_kept_run_has_the_figures_that_pith_wrote(self):
        job = self.job(("laplacian", "mcfs"), "hufs")
        whole = self.compare(job)
        kept = runs.collect(self.runs, "ECOLI", "hufs")
        for row in (row for row in whole["rows"] if "error" not in row):
            self.assertAlmostEqual(kept["figures"][row["method"]][row["setting"]][row["features"]]["nmi"], row["nmi"]["mean"], delta=1e-6)
        best, median = (figures.over_grid(kept, "acc", which) for which in ("best", "median"))
        for entry in whole["summary"]:
            self.assertAlmostEqual(best[entry["method"]][entry["features"]], entry["best"]["acc"]["mean"], delta=1e-6)
            self.assertAlmostEqual(median[entry["method"]][entry["features"]], entry["median"]["acc"], delta=1e-6)
        self.assertLess((self.runs / job.file).stat().st_size, 300_000)

    def test_both_parts_of_a_protocol_make_one_table(self):
        self.compare(self.job(("variance", "spec"), "nrfs"))
        self.compare(self.job(("laplacian",), "nrfs", ".rest"))
        found = runs.collect(self.runs, "ECOLI", "nrfs")
        self.assertEqual(set(found["figures"]), {"variance", "spec", "laplacian", "kmeans-energy", "all-features", "random"})
        self.assertIn("| ECOLI |  | – | 4 methods |", self.write_pages()["sets.md"])  # and kmeans-energy, which always runs

    def test_a_page_tells_the_commit_of_its_runs(self):
        self.compare(self.job(("variance", "spec")))
        text = self.write_pages()
        for method in ("variance", "spec", "all-features", "random"):
            self.assertRegex(text["defaults.md"], rf"(?m)^\| {method} \| \**[01]\.\d+")
        self.assertTrue(text["defaults.md"].endswith(f"Figures from runs of pith {STAMP['version']} at commit abc1234.\n"))
        self.assertTrue(text["grids.md"].endswith("No runs yet.\n"))

    def test_diversity_has_a_page_with_both_settings(self):
        self.compare(self.job(("variance", "laplacian"), "diversity"))
        found = pages.diversity_figures(runs.collect(self.runs, "ECOLI", "diversity"))
        self.assertEqual(sorted(found), ["kmeans-energy", "laplacian", "variance"])
        text = self.write_pages()["diversity.md"]
        for method, (without, with_it) in found.items():
            self.assertIn(f"| {method} | {without:.3f} ({with_it - without:+.3f}) |", text)

    def test_pages_without_any_run_say_so(self):
        self.assertIn("**not run**", self.write_pages()["README.md"])

    def test_pages_can_be_made_from_the_runs_in_the_repository(self):
        self.assertEqual(len(self.write_pages(KEPT)), 8)
        for path in KEPT.glob("*.json"):
            self.assertLess(path.stat().st_size, 300_000, path.name)

    def test_check_says_which_page_and_which_run_is_wrong(self):
        self.compare(self.job(runs.registry(PROGRAM)))
        self.write_pages()
        (self.folder / "pages" / "cost.md").write_text("typed in")
        done = self.book("--check")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("ECOLI.defaults.json", done.stdout)
        self.assertIn("ECOLI.timing.json: not run", done.stdout)
        self.assertEqual(re.findall(r"(\w+\.md): not what the runs say", done.stdout), ["cost.md"])

    def test_times_and_numbers_of_features_are_kept_as_well(self):
        done = self.book("--stage", "timing", "--stage", "defaults", "--jobs", "2", "--no-pages", "ECOLI")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(set(runs.load(self.runs / "ECOLI.timing.json")["seconds"]), {*runs.registry(PROGRAM), "nrfs, no sampling"})
        text = self.write_pages()
        keep = runs.load(self.runs / "ECOLI.keep.json")
        self.assertEqual(keep["default"], "consensus")
        self.assertIn(pages.keep_cell(keep["auto"]["consensus"]), text["defaults.md"])
        self.assertNotIn("|  |", text["cost.md"])
        self.assertIn("consensus (`-m auto`)", (self.folder / "choosing.md").read_text())

    def test_the_methods_that_choose_a_number_are_those_that_pith_names(self):
        done = subprocess.run([PROGRAM, "select", self.data, "-m", "variance", "-n", "auto"], capture_output=True, text=True)
        self.assertEqual(sorted(done.stderr.strip().split("use one of: ")[1].split(", ")), sorted(keeping.METHODS))

    def test_the_plan_has_every_method_once_for_every_protocol_of_a_set(self):
        everything = runs.registry(PROGRAM)
        for s in book.known_sets():
            planned = runs.plan(everything, [s], lambda job: 0)
            self.assertEqual(len({job.file for job in planned}), len(planned))
            for kind in runs.kinds_of(s):
                methods = [m for job in planned if job.kind == kind for m in job.methods]
                self.assertEqual(sorted(methods), sorted(runs.DIVERSITY if kind == "diversity" else everything), (s["name"], kind))

    def test_the_plan_is_printed_with_an_estimate(self):
        done = self.book("--plan")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()[1:]], list(runs.STAGES))
        self.assertTrue(all(float(line.split()[3]) > 0 for line in done.stdout.splitlines()[1:]))

    def test_a_table_orders_methods_by_what_all_sets_have(self):
        table = pages.cost_table({"a": {"slow": 3.0, "quick": 1.0}, "b": {"quick": 100.0}}, str)
        self.assertEqual([line.split(" | ")[0] for line in table.splitlines()[2:]], ["| quick", "| slow"])

    def test_times_are_told_in_the_direction_of_the_claim(self):
        seconds = {"nrfs": 4.0, "nrfs, no sampling": 12.0, "mcfs": 1.0, "ndfs": 2.0}
        told = {c.text: (c.found.split(" to ")[0], c.verdict) for c in claims.nrfs_cost({"ALLAML": {"timing": {"seconds": seconds}}})}
        self.assertEqual(told, {"nrfs is 57 % faster with its sampling than without": ("3", "holds"),
                                "nrfs takes about as long as mcfs": ("4", "does not hold"),
                                "nrfs is more than 2.5 times as fast as ndfs": ("0.5", "does not hold")})


class Choosing(unittest.TestCase):
    """Scores of three made-up sets, in which one method is ahead by so much on each."""

    def results(self, gains):
        def run(gain):
            return {"figures": {m: {"": {10: {"nmi": v}}} for m, v in (("all-features", 0.5), ("random", 0.4), ("variance", 0.5), ("consensus", 0.55),
                                                                     ("energy", 0.55 + gain), ("ndfs", 0.3), ("mcfs", 0.2))}, **STAMP}
        return {f"s{i}": {"defaults": run(gain), "keep": {"default": "consensus", **STAMP}} for i, gain in enumerate(gains)}

    def verdict(self, gains):
        results = self.results(gains)
        return next(choosing.verdicts(results, {s: "bio" for s in results}))

    def test_a_lead_on_all_sets_changes_the_default(self):
        self.assertIn("should take `energy`", self.verdict((0.1, 0.11, 0.12)))

    def test_a_lead_within_the_spread_does_not(self):
        self.assertIn("stays `consensus`", self.verdict((0.3, -0.1, 0.0)))

    def test_the_interval_is_students(self):
        mean, low, high = figures.interval([1.0, 2.0, 3.0])
        self.assertEqual(mean, 2)
        self.assertAlmostEqual(high - mean, 4.302653 / 3 ** 0.5, places=5)
        self.assertAlmostEqual(mean - low, high - mean)

    def test_sets_that_nothing_helps_are_named(self):
        results = self.results((0.1, 0.1))
        results["s1"]["defaults"]["figures"]["all-features"][""][10]["nmi"] = 0.9
        text = choosing.part(results, {s: "bio" for s in results})
        self.assertIn("On s1 no method is better than all features.", text)
        self.assertIn("No method is better than all features beyond the spread between sets.", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
