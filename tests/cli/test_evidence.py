"""Evidence: lift, p and q beside a ranking, --fdr, -n auto, and the line that sums it up."""
import json
import unittest

from support import Case

LINE = r"^pith: [\d,]+ of [\d,]+ features shares? structure at a false discovery rate of 5 % \(smallest q [\de.+-]+\)"
NOTHING = ("pith: no feature stands out from chance: the features of this data share no structure, or there are too few samples")


class Evidence(Case):
    def setUp(self):
        super().setUp()
        self.pith("synth", "blobs", "--samples", "100", "--features", "60", "--informative", "0.3", "-o", "d.csv")

    def noise(self):
        self.pith("synth", "blobs", "--samples", "100", "--features", "60", "--separation", "0", "-o", "noise.csv")
        return "noise.csv"

    def test_three_more_columns_behind_the_score(self):
        done = self.run_pith("rank", "d.csv", "-m", "consensus")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.splitlines()[0], "rank,index,name,score,lift,p,q")
        rows = self.rows(done.stdout)
        called = {r["name"] for r in rows if float(r["q"]) <= 0.05}
        informative = {r["name"] for r in rows if r["name"].startswith("info_")}
        self.assertGreaterEqual(len(called & informative), len(informative) - 1)
        self.assertLessEqual(len(called - informative), 3)
        said = [line for line in done.stderr.splitlines() if "structure" in line]
        self.assertEqual(len(said), 1)
        self.assertRegex(said[0], LINE + r"; agreement between halves of the features: 0\.\d\d$")
        self.assertIn(f" {len(called)} of 60 features", said[0])
        self.assertNotIn("cluster", said[0])
        self.assertEqual(self.pith("rank", "d.csv", "-qm", "consensus", "--format", "tsv"),
                         done.stdout.replace(",", "\t"))

    def test_none_keeps_the_columns_as_they_were(self):
        done = self.run_pith("rank", "d.csv", "-m", "consensus", "--evidence", "none")
        self.assertEqual(done.stdout.splitlines()[0], "rank,index,name,score")
        self.assertNotIn("structure", done.stderr)

    def test_any_method_has_evidence_beside_its_own_ranking(self):
        plain = self.rows(self.pith("rank", "d.csv", "-qm", "laplacian"))
        consensus = {r["name"]: r for r in self.rows(self.pith("rank", "d.csv", "-qm", "consensus"))}
        for kind in ("groups", "linear"):
            beside = self.rows(self.pith("rank", "d.csv", "-qm", "laplacian", "--evidence", kind))
            self.assertEqual([{k: r[k] for k in ("rank", "name", "score")} for r in beside],
                             [{k: r[k] for k in ("rank", "name", "score")} for r in plain])
            self.assertEqual(kind == "groups", all(r["p"] == consensus[r["name"]]["p"] for r in beside))

    def test_the_number_of_groups_is_not_what_is_tested(self):
        """The ranking has c and 2c groups, the test 4, 8 and 16 whatever c is."""
        one = {r["name"]: r for r in self.rows(self.pith("rank", "d.csv", "-qm", "consensus", "--clusters", "2"))}
        two = {r["name"]: r for r in self.rows(self.pith("rank", "d.csv", "-qm", "consensus", "--clusters", "5"))}
        self.assertTrue(any(one[n]["score"] != two[n]["score"] for n in one))
        differ = sum(abs(float(one[n]["lift"]) - float(two[n]["lift"])) > 0.2 for n in one)
        self.assertLess(differ, 10)  # the eigenvectors come in blocks of another width, which starts may show

    def test_noise_is_told_from_nothing_and_still_ranked(self):
        done = self.run_pith("rank", self.noise(), "-m", "consensus", "-o", "r.json")
        self.assertEqual(done.returncode, 0)
        self.assertEqual([line for line in done.stderr.splitlines() if "chance" in line], [NOTHING])
        made = json.loads(self.read("r.json"))
        self.assertEqual(made["warning"], NOTHING[len("pith: "):])
        self.assertEqual(len(made["features"]), 60)
        self.assertEqual(made["facts"]["called"], 0)

    def test_json_has_reasons_and_the_curve(self):
        text = "a,b,c,same,rare\n" + "\n".join(f"{i % 2},{i % 3 % 2},{i % 5 % 2},0,{int(i < 4)}" for i in range(60))
        self.write("counts.csv", text + "\n")
        made = self.json("rank", "counts.csv", "-qm", "consensus", "--no-labels", "--format", "json")
        found = {f["name"]: f for f in made["features"]}
        self.assertEqual(found["same"]["untested"], "constant")
        self.assertEqual(found["rare"]["untested"], "fewer than 5 values that are not 0")
        self.assertEqual((found["rare"]["p"], found["rare"]["q"], found["rare"]["lift"]), (None, None, None))
        made = self.json("rank", "d.csv", "-qm", "consensus", "--format", "json")
        self.assertEqual([c["features"] for c in made["curve"]], [5, 10, 20, 30, 50, 60])
        self.assertIn(made["keep"], [c["features"] for c in made["curve"]])
        self.assertEqual(made["facts"]["auto_features"], made["keep"])
        self.assertNotIn("untested", made["features"][0])

    def test_fdr_keeps_what_is_called(self):
        rows = self.rows(self.pith("rank", "d.csv", "-qm", "consensus"))
        called = [r["name"] for r in rows if float(r["q"]) <= 0.01]
        kept = self.pith("select", "d.csv", "-qm", "consensus", "--fdr", "0.01").splitlines()[0].split(",")
        self.assertEqual(set(kept) - {"label"}, set(called))
        few = self.pith("select", "d.csv", "-qm", "consensus", "--fdr", "0.01", "-n", "3").splitlines()[0].split(",")
        self.assertEqual(set(few) - {"label"}, set(called[:3]))
        other = self.pith("select", "d.csv", "-qm", "variance", "--fdr", "0.01").splitlines()[0].split(",")
        self.assertEqual(set(other), set(kept))  # evidence is asked for by itself
        said = self.refused(1, "select", self.noise(), "-qm", "consensus", "--fdr", "1e-9")
        self.assertIn("no feature of noise.csv has a q-value this small", said)
        self.assertIn("--evidence none", self.refused(2, "select", "d.csv", "-qm", "consensus", "--fdr", "0.1",
                                                      "--evidence", "none"))
        for bad in ("0", "1.5", "few"):
            self.refused(2, "select", "d.csv", "-m", "consensus", "--fdr", bad)
        self.assertIn("--fdr RATE", self.refused(2, "select", "d.csv", "-m", "consensus"))

    def test_auto_and_thrifty(self):
        made = self.json("rank", "d.csv", "-qm", "consensus", "-n", "auto", "--format", "json")
        told = self.run_pith("rank", "d.csv", "-m", "consensus", "-n", "auto").stderr
        self.assertIn(f"pith: consensus would keep the {made['keep']} best features\n", told)
        self.assertIn("variance cannot say how many", self.run_pith("rank", "d.csv", "-m", "variance", "-n", "auto").stderr)
        done = self.run_pith("select", "d.csv", "-m", "consensus", "-n", "auto", "-o", "kept.csv")
        self.assertIn(f"keeping {made['keep']} features", done.stderr)
        self.assertEqual(self.json("info", "kept.csv", "--json")["features"], made["keep"])
        most = max(c["agreement"] for c in made["curve"])
        fewest = min(c["features"] for c in made["curve"] if c["agreement"] >= 0.95 * most)
        for words in (("--thrifty",), ("--thrifty", "yes")):
            thrifty = self.json("rank", "d.csv", "-qm", "consensus", "-n", "auto", *words, "--format", "json")
            self.assertEqual(thrifty["keep"], fewest)
        self.assertEqual(self.json("rank", "d.csv", "--thrifty", "no", "-qm", "consensus", "--format", "json")["keep"],
                         made["keep"])

    def test_where_there_is_no_number_it_is_said(self):
        self.pith("synth", "blobs", "--samples", "800", "--features", "400", "--separation", "0", "-o", "big.npy")
        done = self.run_pith("select", "big.npy", "-m", "consensus", "-n", "auto", "-o", "kept.npy")
        self.assertEqual(done.returncode, 0)
        self.assertIn("no number of features reaches an agreement of 0.15", done.stderr)
        self.assertEqual(self.json("info", "kept.npy", "--json")["features"], 300)

    def test_where_it_cannot_be_had(self):
        self.pith("synth", "blobs", "--samples", "19", "--features", "30", "-o", "few.csv")
        self.assertEqual(self.pith("rank", "few.csv", "-qm", "consensus").splitlines()[0], "rank,index,name,score")
        said = self.refused(3, "rank", "few.csv", "-qm", "consensus", "--evidence", "groups")
        self.assertEqual(said, "few.csv: evidence needs at least 20 samples, but there are 19")
        lines = self.read("d.csv").splitlines()
        self.write("b.csv", "\n".join(line + "," + ("run" if i == 0 else "xy"[i % 2]) for i, line in enumerate(lines)))
        self.assertEqual(self.pith("rank", "b.csv", "-qm", "consensus", "--batch", "run").splitlines()[0],
                         "rank,index,name,score,batches,in_all_batches")
        for words in ((), ("--batch-graph",)):
            said = self.refused(2, "rank", "b.csv", "-qm", "consensus", "--batch", "run", *words, "--evidence", "groups")
            self.assertIn("use either evidence or batches", said)
        self.assertIn("did you mean 'groups'", self.refused(2, "rank", "d.csv", "-m", "consensus", "--evidence", "group"))

    def test_threads_and_seeds(self):
        one = self.pith("rank", "d.csv", "-qm", "consensus", "--threads", "1")
        self.assertEqual(self.pith("rank", "d.csv", "-qm", "consensus", "--threads", "3"), one)
        self.assertNotEqual(self.pith("rank", "d.csv", "-qm", "consensus", "--seed", "2"), one)


if __name__ == "__main__":
    unittest.main()
