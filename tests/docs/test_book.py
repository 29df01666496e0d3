"""The results book on a set of its own: what is done is not done again, what is cut short is kept whole, and the pages say
what was run.

    test_book.py SOURCE PROGRAM
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE, PROGRAM = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "bench" / "results"))
import book
import pages
import runs

ECOLI = next(s for s in book.known_sets() if s["name"] == "ECOLI")  # the one whose place the test's data takes


class Book(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="pith-book-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = self.folder / "ECOLI.mat"
        subprocess.run([PROGRAM, "synth", "blobs", "--samples", "60", "--features", "60", "-o", self.data], check=True)

    def run_methods(self, methods, ending="", seconds=100):
        out = self.folder / f"ECOLI.defaults{ending}.json"
        runs.run(PROGRAM, self.data, ECOLI, "defaults", methods, out, seconds)
        return out

    def write_pages(self):
        out = self.folder / "pages"
        subprocess.run([sys.executable, SOURCE / "bench/results/book.py", "--pages", "--runs", self.folder, "--out", out],
                       check=True, stdout=subprocess.DEVNULL)
        return {path.name: path.read_text() for path in out.glob("*.md")}

    def test_what_is_done_is_not_done_again(self):
        out = self.run_methods(("variance", "spec"))
        before = out.stat().st_mtime_ns
        self.assertTrue(runs.load(out)["complete"])
        self.run_methods(("variance", "spec"))
        self.assertEqual(out.stat().st_mtime_ns, before)

    def test_a_run_that_was_cut_short_goes_on(self):
        out = self.run_methods(("variance", "spec"), seconds=0)
        self.assertFalse((runs.load(out) or {"complete": False})["complete"])
        self.run_methods(("variance", "spec"))
        self.assertTrue(runs.load(out)["complete"])

    def test_both_parts_of_a_protocol_make_one_table(self):
        self.run_methods(("variance", "spec"))
        self.run_methods(("laplacian",), ".rest")
        found = runs.collect(self.folder, "ECOLI", "defaults")
        self.assertLessEqual({"variance", "spec", "laplacian", "all-features", "random"}, {r["method"] for r in found["rows"]})
        text = self.write_pages()
        for method in ("variance", "spec", "laplacian", "all-features", "random"):
            self.assertRegex(text["defaults.md"], rf"(?m)^\| {method} \| \**[01]\.\d+")
        self.assertRegex(text["sets.md"], r"(?m)^\| ECOLI \| 4 methods \|")  # and kmeans-energy, which always runs

    def test_diversity_has_a_page_with_both_settings(self):
        out = self.folder / "ECOLI.diversity.json"
        runs.run(PROGRAM, self.data, ECOLI, "diversity", ("variance", "laplacian"), out, 100)
        found = pages.diversity_figures(runs.load(out))
        self.assertEqual(sorted(found), ["kmeans-energy", "laplacian", "variance"])
        text = self.write_pages()["diversity.md"]
        for method, (without, with_it) in found.items():
            self.assertIn(f"| {method} | {without:.3f} ({with_it - without:+.3f}) |", text)

    def test_pages_without_any_run_say_so(self):
        self.assertIn("**not run**", self.write_pages()["README.md"])

    def test_the_plan_has_every_method_once_for_every_protocol_of_a_set(self):
        everything = sorted(runs.registry(PROGRAM))
        for s in book.known_sets():
            for kind in runs.kinds_of(s):
                planned = [m for t, k, methods, _ in runs.plan(PROGRAM, [s]) if k == kind for m in methods]
                wanted = sorted(runs.FIRST[kind]) if kind == "diversity" else everything
                self.assertEqual(sorted(planned), wanted, (s["name"], kind))

    def test_a_table_orders_methods_by_what_all_sets_have(self):
        table = pages.cost_table({"a": {"slow": 3.0, "quick": 1.0}, "b": {"quick": 100.0}}, str)
        self.assertEqual([line.split(" | ")[0] for line in table.splitlines()[2:]], ["| quick", "| slow"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
