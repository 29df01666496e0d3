"""pith info, pith methods, pith bench: what they tell."""
import json
import unittest

from support import IRIS, Case


class Info(Case):
    def test_shape_values_names_and_labels(self):
        self.write("iris.csv", IRIS)
        j = self.json("info", "iris.csv", "--json")
        self.assertEqual(j, self.json("info", "iris.csv", "--format", "json"))
        self.assertEqual((j["samples"], j["features"], j["sparse"]), (6, 3, False))
        self.assertEqual((j["min"], j["max"], j["integers"], j["nonnegative"]), (0.2, 7.0, False, True))
        self.assertEqual((j["nonzeros"], j["density"], j["missing"], j["empty_samples"]), (18, 1, 0, 0))
        self.assertEqual(j["feature_names"], ["sepal", "petal", "width"])
        self.assertEqual(j["classes"], [{"name": n, "samples": 2} for n in ("setosa", "versicolor", "virginica")])
        text = self.pith("info", "iris.csv")
        for part in ("iris.csv", "6\n", "sepal, petal, width", "3 classes: setosa (2)", "0.2 to 7, real", "100 % (18 nonzero"):
            self.assertIn(part, text)

    def test_missing_values_are_counted_and_no_error(self):
        self.write("m.csv", "a,b,c\n1,,0\nNaN,2,0\n3,4,0\n")
        j = self.json("info", "m.csv", "--json")
        self.assertEqual((j["missing"], j["constant_features"]), (2, 1))
        self.assertEqual((j["min"], j["max"]), (0, 4))
        self.assertEqual(self.json("info", "m.csv", "--json", "--missing", "drop-rows")["samples"], 1)
        self.refused(3, "info", "m.csv", "--missing", "error")

    def test_constant_features_empty_samples_and_counts(self):
        self.write("c.csv", "a,b,c,d\n0,0,0,0\n0,5,0,0\n2,0,0,0\n")
        j = self.json("info", "c.csv", "--json", "--no-labels")
        self.assertEqual((j["constant_features"], j["empty_samples"], j["nonzeros"]), (2, 1, 2))
        self.assertTrue(j["counts"] and j["integers"])
        self.assertEqual(j["classes"], [])

    def test_nothing_finite(self):
        self.write("n.csv", "a,b\nNaN,NaN\nNaN,NaN\n")
        j = self.json("info", "n.csv", "--json")
        self.assertEqual((j["missing"], j["min"], j["max"]), (4, None, None))
        self.assertIn("none is finite", self.pith("info", "n.csv"))


class Methods(Case):
    def test_the_list_names_every_method(self):
        listed = self.json("methods", "--json")
        text = self.pith("methods")
        for m in listed:
            self.assertRegex(text, rf"(?m)^{m['name']}  ")
        self.assertEqual([line.split("\t")[0] for line in self.pith("methods", "--format", "tsv").splitlines()],
                         [m["name"] for m in listed])
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_one_method_with_every_parameter(self):
        for m in self.json("methods", "--json"):
            text = self.pith("methods", m["name"])
            for part in (m["family"], "paper", "does"):
                self.assertIn(part, text)
            self.assertEqual(m, self.json("methods", m["name"], "--json"))
            markdown = self.pith("methods", m["name"], "--format", "markdown")
            for p in m["parameters"]:
                self.assertEqual(p["option"], "--" + p["name"].replace("_", "-"))
                self.assertRegex(text, rf"(?m)^  {p['option']}\b")
                self.assertIn(f"| `{p['option']}` | ", markdown)
                self.assertIn(p["type"], ("integer", "real", "boolean", "choice", "file"))

    def test_defaults_are_what_rank_uses(self):
        self.write("iris.csv", IRIS)
        for m in self.json("methods", "--json"):
            if m["needs_labels"]:
                continue
            words = [w for p in m["parameters"] for w in
                     (p["option"], {True: "yes", False: "no"}.get(p["default"], str(p["default"]))
                      if p["type"] == "boolean" else "" if p["type"] == "file" else str(p["default"]))]
            self.assertEqual(self.rank("iris.csv", m["name"], *words), self.rank("iris.csv", m["name"]), m["name"])

    def test_the_turned_sign_of_the_laplacian_score_is_said(self):
        self.assertIn("sign", self.pith("methods", "laplacian"))


class Bench(Case):
    def test_quick_bench_gives_shares_of_the_limits(self):
        j = self.json("bench", "--quick", "--json", "-q")
        self.assertGreater(len(j["measures"]), 2)
        self.assertIn("blas_kernel", j)  # null of a BLAS that does not say
        for m in j["measures"]:
            self.assertGreater(m["value"], 0, m)
            if m["limit"] is not None:
                self.assertAlmostEqual(m["share"], m["value"] / m["limit"], places=6)


if __name__ == "__main__":
    unittest.main()
