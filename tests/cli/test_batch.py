"""--batch and --batch-graph of pith rank and pith select."""
import random
import statistics
import unittest

from support import Case, mat5, npy

SIZES = {"a": 40, "b": 30, "c": 25, "tiny": 7}
FEATURES = 12


def table(seed=1):
    """Batches and rows: g0..g2 tell three groups apart, g3..g5 the batches, g6 is constant, the others are noise in
    few values, which tie."""
    draw = random.Random(seed)
    batches = [b for b, n in SIZES.items() for _ in range(n)]
    draw.shuffle(batches)
    place = {b: k for k, b in enumerate(SIZES)}
    rows = []
    for b in batches:
        group = draw.randrange(3)
        row = [draw.gauss(0, 1) for _ in range(FEATURES)]
        row[:3] = [row[j] + 5 * ((group + j) % 3) for j in range(3)]
        row[3:6] = [v + 60 * place[b] for v in row[3:6]]
        row[6] = 2.0
        row[7:10] = [float(draw.randrange(3)) for _ in range(3)]
        rows.append([round(v, 4) for v in row])
    return batches, rows


def text(batches, rows, at=2):
    """CSV whose column `at` holds the batches."""
    lines = [[f"g{j}" for j in range(FEATURES)], *([f"{v:g}" for v in row] for row in rows)]
    for line, b in zip(lines, ["donor", *batches]):
        line.insert(at, b)
    return "".join(",".join(line) + "\n" for line in lines)


def merged(rankings, n):
    """The definition, from lists of (name, has a score) of each batch, best first: a list of (name, batches, score)."""
    p, out = len(rankings[0]), []
    for j, name in enumerate(f"g{j}" for j in range(p)):
        places = [next((r, ok) for r, (who, ok) in enumerate(ranking, 1) if who == name) for ranking in rankings]
        best = [r for r, ok in places if ok and r <= n]
        median = statistics.median(best or [r for r, _ in places])
        scored = any(ok for _, ok in places)
        out.append((not scored, -len(best), median, j, name, len(best) + 1 - median / (p + 1) if scored else None))
    return [(name, -most, score) for _, most, _, _, name, score in sorted(out)]


class Batch(Case):
    def setUp(self):
        super().setUp()
        self.batches, self.rows_ = table()
        self.write("d.csv", text(self.batches, self.rows_))
        self.write("x.csv", "".join(",".join(c for k, c in enumerate(line.split(",")) if k != 2) + "\n"
                                    for line in text(self.batches, self.rows_).splitlines()))
        self.write("donors.txt", "".join(b + "\n" for b in self.batches))

    def names(self, *words):
        return [r["name"] for r in self.rows(self.pith("rank", *words, "-q"))]

    def of_batch(self, b, method):
        self.write("part.csv", "".join(line for k, line in enumerate(self.read("x.csv").splitlines(keepends=True))
                                       if k == 0 or self.batches[k - 1] == b))
        return [(r["name"], r["score"] != "") for r in self.rows(self.pith("rank", "part.csv", "-qm", method))]

    def test_the_merge_is_that_of_the_definition(self):
        for method in ("variance", "laplacian", "spec"):
            rankings = [self.of_batch(b, method) for b in ("a", "b", "c")]
            for n in (1, 3, 5, FEATURES):
                want = merged(rankings, n)
                got = self.rows(self.pith("rank", "d.csv", "-qm", method, "--batch", "donor", "-n", n))
                self.assertEqual([(r["name"], int(r["batches"])) for r in got], [w[:2] for w in want], (method, n))
                for r, (_, most, score) in zip(got, want):
                    self.assertEqual(r["in_all_batches"], "true" if most == 3 else "false")
                    if score is None:
                        self.assertEqual(r["score"], "")
                    else:
                        self.assertAlmostEqual(float(r["score"]), score, 12)

    def test_without_n_it_is_2000_or_all(self):
        self.assertEqual(self.pith("rank", "d.csv", "-qm", "variance", "--batch", "donor"),
                         self.pith("rank", "d.csv", "-qm", "variance", "--batch", "donor", "-n", FEATURES))

    def test_columns_come_with_batches_only(self):
        plain = self.pith("rank", "x.csv", "-qm", "variance")
        self.assertEqual(plain.splitlines()[0], "rank,index,name,score")
        words = "rank", "d.csv", "-qm", "variance", "--batch", "donor", "-n", "4"
        self.assertEqual(self.pith(*words).splitlines()[0], "rank,index,name,score,batches,in_all_batches")
        self.assertEqual(self.pith(*words, "--format", "tsv"), self.pith(*words).replace(",", "\t"))
        said = self.json(*words, "--format", "json")
        for r, f in zip(self.rows(self.pith(*words)), said["features"]):
            self.assertEqual((r["name"], int(r["batches"]), r["in_all_batches"] == "true"),
                             (f["name"], f["batches"], f["in_all_batches"]))
        self.assertEqual(said["facts"], {"batches": 3, "batches_left_out": 1, "best_of_a_batch": 4})
        self.assertEqual(said["parameters"]["seed"], 1)

    def test_a_column_and_a_file_say_the_same(self):
        for more in ((), ("--batch-graph",)):
            words = "-qm", "laplacian", *more
            self.assertEqual(self.pith("rank", "d.csv", *words, "--batch", "donor"),
                             self.pith("rank", "x.csv", *words, "--batch", "donors.txt"))

    def test_the_column_may_stand_anywhere(self):
        want = self.pith("rank", "d.csv", "-qm", "variance", "--batch", "donor", "-n", "3")
        for at in (0, 1, FEATURES):
            self.write("e.csv", text(self.batches, self.rows_, at))
            self.assertEqual(self.pith("rank", "e.csv", "-qm", "variance", "--batch", "donor", "-n", "3"), want)

    def test_labels_stand_beside_it(self):
        lines = self.read("d.csv").splitlines()
        self.write("e.csv", "".join(f"{line},{'label' if k == 0 else 'xy'[k % 2]}\n" for k, line in enumerate(lines)))
        got = self.json("rank", "e.csv", "-qm", "mutual-info", "--batch", "donor", "--format", "json")
        self.assertEqual([f["batches"] for f in got["features"]][:3], [3, 3, 3])
        self.assertIn("both the labels and the batches",
                      self.refused(3, "rank", "d.csv", "-m", "variance", "--batch", "donor", "--labels", "donor"))
        # A column by the name of labels is the batches where the user says so.
        self.write("f.csv", self.read("d.csv").replace("donor", "label"))
        self.assertEqual(self.pith("rank", "f.csv", "-qm", "variance", "--batch", "label"),
                         self.pith("rank", "d.csv", "-qm", "variance", "--batch", "donor"))

    def test_one_batch_is_the_plain_ranking(self):
        self.write("one.txt", "all\n" * len(self.batches))
        for method in ("variance", "laplacian", "consensus"):
            plain = self.names("x.csv", "-m", method)
            self.assertEqual(self.names("x.csv", "-m", method, "--batch", "one.txt"), plain)
        for method in ("laplacian", "consensus"):
            self.assertEqual(self.pith("rank", "x.csv", "-qm", method, "--batch", "one.txt", "--batch-graph"),
                             self.pith("rank", "x.csv", "-qm", method, "--evidence", "none"))

    def test_features_of_the_batches_are_not_the_best(self):
        self.assertEqual(set(self.names("x.csv", "-m", "laplacian")[:3]), {"g3", "g4", "g5"})
        right = {"g0", "g1", "g2"}
        self.assertEqual(set(self.names("d.csv", "-m", "laplacian", "--batch", "donor", "-n", "3")[:3]), right)
        for method in ("laplacian", "consensus"):
            got = self.names("d.csv", "-m", method, "--batch", "donor", "--batch-graph", "--neighbors", "6")
            self.assertEqual(set(got[:3]), right, method)

    def test_the_order_of_the_samples_does_not_matter(self):
        order = list(range(len(self.batches)))
        random.Random(5).shuffle(order)
        self.write("e.csv", text([self.batches[i] for i in order], [self.rows_[i] for i in order]))
        words = "--batch", "donor", "-n", "3"
        self.assertEqual(self.names("d.csv", "-m", "laplacian", *words), self.names("e.csv", "-m", "laplacian", *words))

    def test_the_number_of_threads_does_not_matter(self):
        for more in (("-n", "3"), ("--batch-graph",)):
            words = "rank", "d.csv", "-qm", "laplacian", "--batch", "donor", *more, "--threads"
            self.assertEqual(self.pith(*words, "1"), self.pith(*words, "2"))

    def test_small_batches_are_named_and_left_out(self):
        done = self.run_pith("rank", "d.csv", "-m", "variance", "--batch", "donor")
        self.assertIn("pith: batches of fewer than 20 samples are left out: tiny (7 samples)\n", done.stderr)
        self.assertIn("batches in column 'donor'", done.stderr)
        self.assertEqual(self.run_pith("rank", "d.csv", "-qm", "variance", "--batch", "donor").stderr, "")

    def test_select_keeps_the_merged_best(self):
        best = set(self.names("d.csv", "-m", "laplacian", "--batch", "donor", "-n", "3")[:3])
        got = self.pith("select", "d.csv", "-qm", "laplacian", "--batch", "donor", "-n", "3")
        self.assertEqual(set(got.splitlines()[0].split(",")), best)
        self.assertEqual(len(got.splitlines()), 1 + len(self.batches))

    def test_preparing_keeps_the_batches(self):
        steps, words = "drop-constant,zscore,top-variance=9", ("-qm", "laplacian", "-n", "3")
        self.pith("prep", "x.csv", "p.csv", "--steps", steps, "-q")
        want = self.rows(self.pith("rank", "p.csv", *words, "--batch", "donors.txt"))
        got = self.rows(self.pith("rank", "d.csv", *words, "--batch", "donor", "--prep", steps))
        self.assertEqual([(r["name"], r["batches"]) for r in got], [(r["name"], r["batches"]) for r in want])

    def test_rows_that_are_dropped_take_their_batch_along(self):
        lines = self.read("d.csv").splitlines()
        lines[5] = ",".join("" if k == 0 else c for k, c in enumerate(lines[5].split(",")))
        self.write("gap.csv", "\n".join(lines) + "\n")
        self.write("short.csv", "\n".join(lines[:5] + lines[6:]) + "\n")
        words = "-qm", "laplacian", "--batch", "donor", "-n", "3"
        self.assertEqual(self.pith("rank", "gap.csv", *words, "--missing", "drop-rows"),
                         self.pith("rank", "short.csv", *words))

    def test_a_column_of_obs(self):
        self.write("e.csv", self.read("d.csv").replace("donor", "label"))
        self.pith("convert", "e.csv", "d.h5ad", "-q")
        words = "-qm", "variance", "-n", "3"
        want = self.pith("rank", "d.csv", *words, "--batch", "donor")
        self.assertEqual(self.pith("rank", "d.h5ad", *words, "--no-labels", "--batch", "label"), want)
        self.assertEqual(self.refused(3, "rank", "d.h5ad", *words, "--no-labels", "--batch", "labels"),
                         "d.h5ad: no column labels in obs; did you mean label?")

    def test_files_of_variables(self):
        number = {b: k for k, b in enumerate(SIZES)}
        self.write("d.mat", mat5(X=self.rows_, plate=[[number[b]] for b in self.batches], Y=[[1], [2]]))
        words = "-qm", "variance", "-n", "3"
        want = [r["index"] for r in self.rows(self.pith("rank", "x.csv", *words, "--batch", "donors.txt"))]
        got = self.rows(self.pith("rank", "d.mat", *words, "--batch", "plate", "--no-labels"))
        self.assertEqual([r["index"] for r in got], want)
        said = self.refused(3, "rank", "d.mat", *words, "--no-labels", "--batch", "plates")
        self.assertIn("plate", said)
        self.assertIn("vector of 102", self.refused(3, "rank", "d.mat", *words, "--no-labels", "--batch", "Y"))

    def test_formats_without_columns_take_a_file(self):
        self.write("d.npy", npy((len(self.rows_), FEATURES), [v for row in self.rows_ for v in row]))
        self.pith("convert", "x.csv", "d.mtx", "-q")
        self.pith("convert", "x.csv", "d.svm", "-q")
        want = self.pith("rank", "x.csv", "-qm", "variance", "--batch", "donors.txt")
        for name in ("d.npy", "d.mtx", "d.svm"):
            got = self.pith("rank", name, "-qm", "variance", "--batch", "donors.txt")
            self.assertEqual([r["index"] for r in self.rows(got)], [r["index"] for r in self.rows(want)])
            self.assertIn("no batches called 'donor'; give a file",
                          self.refused(3, "rank", name, "-qm", "variance", "--batch", "donor"))

    def test_what_makes_no_sense(self):
        rank = "rank", "d.csv", "-qm", "variance"
        self.assertEqual(self.refused(3, *rank, "--batch", "doner"),
                         "d.csv: no column is called 'doner'; did you mean 'donor'?")
        self.write("few.txt", "a\nb\n")
        self.assertEqual(self.refused(3, "rank", "x.csv", "-qm", "variance", "--batch", "few.txt"),
                         "few.txt: 2 batches, one per line, for the 102 rows of x.csv")
        self.write("gap.txt", "".join("NA\n" if k == 4 else "a\n" for k in range(len(self.batches))))
        self.assertIn("gap.txt: sample 5 (counted from 1) has no batch",
                      self.refused(3, "rank", "x.csv", "-qm", "variance", "--batch", "gap.txt"))
        self.write("many.txt", "".join(f"b{k // 5}\n" for k in range(len(self.batches))))
        self.assertIn("x.csv: no batch has the 20 samples that a ranking needs: b0 (5 samples), b1 (5 samples)",
                      self.refused(3, "rank", "x.csv", "-qm", "variance", "--batch", "many.txt"))
        self.assertIn("--batch-graph needs --batch", self.refused(2, *rank, "--batch-graph"))
        self.assertIn("variance builds no nearest-neighbour graph", self.refused(2, *rank, "--batch", "donor", "--batch-graph"))
        self.assertIn("works only with --batch", self.refused(2, *rank, "-n", "3"))
        self.assertIn("more features than d.csv has: 12", self.refused(2, *rank, "--batch", "donor", "-n", "99"))
        self.assertIn("a whole number", self.refused(2, *rank, "--batch", "donor", "-n", "some"))
        self.assertIn("-n auto cannot be used with --batch",
                      self.refused(2, "select", "d.csv", "-m", "cl-des", "-n", "auto", "--batch", "donor"))
        self.assertIn("donors.txt", self.refused(2, "rank", "x.csv", "-m", "variance", "--batch", "donors.txt",
                                                 "--format", "csv", "-o", "donors.txt"))

    def test_a_graph_of_all_pairs_cannot_be_balanced(self):
        said = self.refused(2, "rank", "d.csv", "-qm", "spec", "--graph", "full", "--batch", "donor", "--batch-graph")
        self.assertIn("all pairs", said)


if __name__ == "__main__":
    unittest.main()
