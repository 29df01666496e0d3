"""Approximate neighbours: --search and --recall."""
import json

from support import Case, main


class Search(Case):
    def setUp(self):
        super().setUp()
        self.pith("synth", "blobs", "--samples", 2500, "--features", 30, "-qo", "d.npz")

    def ranked(self, method, *words):
        return json.loads(self.pith("rank", "d.npz", "-qm", method, "--format", "json", *words))

    def test_auto_is_exact_on_small_data(self):
        left = self.ranked("laplacian")
        told = self.ranked("laplacian", "--search", "exact")
        self.assertEqual(left["parameters"]["search"], "exact")
        self.assertNotIn("recall", left["facts"])
        self.assertNotIn("distance_excess", left["facts"])
        self.assertEqual(left["facts"]["search_operations"], 2500 ** 2 * 30)
        self.assertEqual(left["features"], told["features"])

    def test_the_recall_is_part_of_the_result(self):
        for method in ("laplacian", "spec", "mcfs", "evsc"):
            run = self.ranked(method, "--search", "approximate")
            self.assertGreaterEqual(run["facts"]["recall"], 0.95, method)
            self.assertLessEqual(run["facts"]["recall"], 1, method)
            self.assertEqual(run["parameters"]["recall"], 0.95)
            self.assertTrue(0 <= run["facts"]["distance_excess"] < 0.05, method)

    def test_threads_change_nothing(self):
        runs = [self.pith("rank", "d.npz", "-qm", "laplacian", "--search", "approximate", "--threads", t) for t in (1, 3)]
        self.assertEqual(runs[0], runs[1])

    def test_a_recall_out_of_range_is_refused(self):
        for recall in ("1.5", "0", "-1", "nan"):
            told = self.refused(2, "rank", "d.npz", "-m", "laplacian", "--recall", recall)
            self.assertIn(f"recall: a number in 0.01..1 expected, not '{recall}'", told)

    def test_asked_and_measured_have_names_of_their_own(self):
        told = self.run_pith("rank", "d.npz", "-vm", "laplacian", "--search", "approximate", "--recall", 0.5).stderr
        self.assertIn("\npith: recall: 0.5\n", told)
        self.assertRegex(told, r"\npith: measured recall: (0\.[5-9]|1)")

    def test_a_comparison_searches_as_its_methods_do_and_tells_the_recall(self):
        self.pith("synth", "blobs", "--samples", 1100, "--features", 12, "-qo", "small.npz")
        words = ("compare", "small.npz", "-qm", "laplacian,variance", "-n", 5, "--restarts", 2, "--clusterer", "spectral")
        self.pith(*words, "-o", "exact.json")
        self.pith(*words, "--search", "approximate", "-o", "c.json", "--report", "c.html")
        exact, told = json.loads(self.read("exact.json")), json.loads(self.read("c.json"))
        self.assertNotIn("recall", exact)
        self.assertTrue(0.9 <= told["recall"] <= 1)
        least = {row["method"]: row.get("recall") for row in told["rows"]}
        self.assertGreaterEqual(least["laplacian"], told["recall"])
        self.assertIsNone(least["variance"])
        self.assertIn(f'"recall":{told["recall"]}', self.read("c.html").replace(" ", ""))
        self.assertIn("recall", self.refused(2, *words, "--search", "approximate", "--recall", "0", "-o", "e.json"))


if __name__ == "__main__":
    main()
