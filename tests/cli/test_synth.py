"""pith synth: data whose informative features are known."""
import collections
import unittest

from support import Case, thorough


class Synth(Case):
    def test_nrfs_is_the_noisy_set(self):
        rows = self.rows(self.pith("synth", "nrfs"))
        self.assertEqual(len(rows), 1280)
        self.assertEqual(list(rows[0]), [f"f{j}" for j in range(1, 35)] + ["label"])
        self.assertEqual(collections.Counter(r["label"] for r in rows),
                         {"1": 300, "2": 300, "3": 300, "4": 300, "0": 80})
        normal = [float(r["f7"]) for r in rows if r["label"] != "0"]
        self.assertLess(max(map(abs, normal)), 11)
        self.assertGreater(max(map(abs, normal)), 10.9)

    def test_half_width_is_that_of_the_noise(self):
        rows = self.rows(self.pith("synth", "nrfs", "--half-width", "2.5"))
        normal = [float(r["f34"]) for r in rows if r["label"] != "0"]
        self.assertLess(max(map(abs, normal)), 2.5)
        self.assertGreater(max(map(abs, normal)), 2.4)

    def test_null_is_a_control_of_a_file(self):
        self.pith("synth", "blobs", "--samples", "40", "--features", "12", "-o", "b.csv")
        self.pith("synth", "null", "b.csv", "-o", "null.csv")
        before, after = (self.rows(self.read(name)) for name in ("b.csv", "null.csv"))
        self.assertEqual([name for name in before[0] if name != "label"], list(after[0]))
        for name in after[0]:
            self.assertEqual(sorted(r[name] for r in before), sorted(r[name] for r in after), name)
        first = next(iter(before[0]))
        self.assertNotEqual([r[first] for r in before], [r[first] for r in after])
        self.assertEqual(self.read("null.csv"), self.pith("synth", "null", "b.csv", "--threads", "1"))
        self.assertNotEqual(self.read("null.csv"), self.pith("synth", "null", "b.csv", "--seed", "2"))
        self.assertIn("pith synth null DATA", self.refused(2, "synth", "null"))
        self.assertIn("synth blobs reads no data", self.refused(2, "synth", "blobs", "b.csv"))
        self.assertIn("cannot be read", self.refused(3, "synth", "null", "away.csv"))
        self.assertIn("b.csv", self.refused(2, "synth", "null", "b.csv", "-o", "b.csv"))

    def test_the_seed_and_not_the_threads_decide(self):
        for kind in (["nrfs"], ["blobs"], ["blobs", "--density", "0.1"]):
            one = self.pith("synth", *kind, "--threads", "1")
            self.assertEqual(one, self.pith("synth", *kind, "--threads", "8", "--seed", "1"))
            self.assertNotEqual(one, self.pith("synth", *kind, "--seed", "2"))

    def test_blobs_of_any_shape(self):
        self.pith("synth", "blobs", "--samples", "90", "--features", "40", "--clusters", "3", "--informative",
                  "0.25", "-o", "b.csv")
        info = self.json("info", "b.csv", "--json")
        self.assertEqual((info["samples"], info["features"]), (90, 40))
        self.assertEqual([c["samples"] for c in info["classes"]], [30, 30, 30])
        names = self.read("b.csv").splitlines()[0].split(",")[:-1]
        self.assertEqual(sum(n.startswith("info_") for n in names), 10)
        self.assertEqual([int(n.split("_")[1]) for n in names], list(range(40)))

    def test_sparse_blobs_are_counts_of_the_density(self):
        self.pith("synth", "blobs", "--samples", "500", "-n", "400", "--density", "0.05", "-o", "s.mtx")
        info = self.json("info", "s.mtx", "--json")
        self.assertTrue(info["sparse"] and info["counts"] and info["integers"])
        self.assertAlmostEqual(info["density"], 0.05, delta=0.0025)

    def test_a_method_finds_what_is_informative(self):
        self.pith("synth", "blobs", "--samples", "600", "-n", "50", "--informative", "0.2", "-o", "b.csv")
        best = self.rows(self.pith("rank", "b.csv", "-qm", "laplacian"))[:10]
        self.assertTrue(all(r["name"].startswith("info_") for r in best), best)

    def test_settings_without_sense(self):
        self.assertIn("NAME", self.refused(2, "synth"))
        self.refused(2, "synth", "blobs", "--clusters", "1")
        self.refused(2, "synth", "blobs", "--samples", "10", "--clusters", "11")
        self.refused(2, "synth", "blobs", "--density", "0")
        self.refused(2, "synth", "blobs", "--density", "1.5")
        self.refused(2, "synth", "blobs", "--informative", "2")
        self.refused(2, "synth", "blobs", "--features", "0")
        self.refused(2, "synth", "nrfs", "--half-width", "-1")

    @thorough
    def test_demo_runs_every_method_that_needs_no_labels(self):
        text = self.pith("demo")
        for method in self.json("methods", "--json"):
            if not method["needs_labels"] and not method["needs_counts"]:
                self.assertRegex(text, rf"(?m)^{method['name']} +f\d+ f\d+ f\d+ f\d+ +[01]\.\d+ +[01]\.\d+ +\d")
        self.assertRegex(text, r"(?m)^all-features +\(all 34\) +0\.[0-3]")
        found = next(line for line in text.splitlines() if line.startswith("spec")).split()
        self.assertEqual(sorted(found[1:5]), ["f1", "f2", "f3", "f4"])
        self.assertGreater(float(found[5]), 0.9)


if __name__ == "__main__":
    unittest.main()
