"""A graph over the samples from a file, and rows to build one from."""
import math
import os
import unittest

from support import Case


def mtx(n, entries):
    body = "".join(f"{i + 1} {j + 1} {w!r}\n" for i, j, w in entries)
    return f"%%MatrixMarket matrix coordinate real general\n{n} {n} {len(entries)}\n{body}"


def csv(rows):
    return "".join(",".join(map(repr, row)) + "\n" for row in rows)


class Graph(Case):
    N, K = 24, 3

    def setUp(self):
        super().setUp()
        self.x = [[(i % 3) * 5 + math.sin(i * 1.7), (i % 3) * -4 + math.cos(i * 2.3), math.sin(i * 3.1), i * 0.1]
                  for i in range(self.N)]
        self.write("d.csv", csv(self.x))
        self.edges = self.nearest([0, 1, 2, 3])
        self.write("g.mtx", mtx(self.N, self.edges))

    def nearest(self, columns):
        """The directed graph of the K nearest by these columns, weight 1."""
        made = []
        for i, a in enumerate(self.x):
            away = sorted((sum((a[c] - b[c]) ** 2 for c in columns), j) for j, b in enumerate(self.x) if j != i)
            made += [(i, j, 1.0) for _, j in away[:self.K]]
        return made

    def lines(self, *words, method="laplacian"):
        return self.pith("rank", "d.csv", "-qm", method, *words)

    def test_the_graph_that_pith_would_build_changes_nothing(self):
        own = ("--neighbors", self.K, "--weight", "binary", "--metric", "euclidean", "--standardize", "none")
        for method in ("laplacian", "spec"):
            self.assertEqual(self.lines(*own, method=method), self.lines(*own, "--graph", "g.mtx", method=method))
        self.assertNotEqual(self.lines(*own), self.lines(*own, "--neighbors", self.K + 2))

    def test_every_format_gives_the_same_graph(self):
        want = self.lines("--graph", "g.mtx")
        for ending in ("csv", "npy", "npz", "mat", "tsv"):
            self.pith("convert", "g.mtx", f"g.{ending}", "-q")
            self.assertEqual(self.lines("--graph", f"g.{ending}"), want, ending)

    def test_direction_weight_and_diagonal(self):
        both = {(i, j): 2.0 for i, j, _ in self.edges} | {(j, i): 1.0 for i, j, _ in self.edges}
        both |= {(i, j): 2.0 for i, j, _ in self.edges}
        symmetric = {(i, j): 2.0 for i, j in both}
        self.write("one.mtx", mtx(self.N, [(i, j, 2.0) for i, j, _ in self.edges] + [(3, 3, -7.0)]))
        self.write("both.mtx", mtx(self.N, [(i, j, w) for (i, j), w in both.items()]))
        self.write("symmetric.mtx", mtx(self.N, [(i, j, w) for (i, j), w in symmetric.items()]))
        want = self.lines("--graph", "symmetric.mtx")
        self.assertEqual(self.lines("--graph", "one.mtx"), want)
        self.assertEqual(self.lines("--graph", "both.mtx"), want)

    def test_rows_to_build_it_from(self):
        self.write("rows.csv", csv([row[:2] for row in self.x]))
        own = ("--neighbors", self.K, "--weight", "binary", "--standardize", "none")
        self.write("two.mtx", mtx(self.N, self.nearest([0, 1])))
        self.assertEqual(self.lines(*own, "--graph-rows", "rows.csv"), self.lines(*own, "--graph", "two.mtx"))
        self.assertNotEqual(self.lines(*own, "--graph-rows", "rows.csv"), self.lines(*own))

    def test_words_of_spec_stay_words(self):
        knn, full = self.lines("--graph", "knn", method="spec"), self.lines("--graph", "full", method="spec")
        self.assertEqual(knn, self.lines(method="spec"))
        self.assertNotEqual(knn, full)
        self.assertNotEqual(knn, self.lines("--graph", "g.mtx", method="spec"))
        self.assertEqual(self.json("rank", "d.csv", "-qm", "spec", "--graph", "full", "--format", "json")
                         ["parameters"]["graph"], "full")
        self.assertIn("'ful' is not one of knn, full; did you mean 'full'?",
                      self.refused(2, "rank", "d.csv", "-m", "spec", "--graph", "ful"))
        self.assertIn("cannot choose between graphs", self.refused(2, "rank", "d.csv", "-m", "laplacian", "--graph", "full"))

    def test_what_was_given_is_told(self):
        j = self.json("rank", "d.csv", "-qm", "laplacian", "--graph", "g.mtx", "--format", "json")
        self.assertEqual(j["parameters"]["graph"], "g.mtx")
        self.assertIsNone(j["parameters"]["graph_rows"])
        self.assertIn("graph: g.mtx", self.run_pith("rank", "d.csv", "-vm", "laplacian", "--graph", "g.mtx").stderr)

    def test_bad_graphs_get_one_line(self):
        n, few = self.N, self.edges[:6]
        self.write("negative.mtx", mtx(n, [*few, (7, 2, -1.5)]))
        self.write("small.mtx", mtx(n - 1, few))
        self.write("flat.mtx", mtx(n, few).replace(f"{n} {n} ", f"{n - 1} {n} "))
        self.write("outside.mtx", mtx(n, [*few, (n, 0, 1.0)]))
        self.write("none.mtx", mtx(n, [(1, 1, 1.0)]))
        self.write("nan.csv", csv([[math.nan if (i, j) == (4, 9) else float(i != j) for j in range(n)] for i in range(n)]))
        self.write("hole.csv", csv([[1.0, math.nan if i == 2 else 2.0] for i in range(n)]))
        cases = [
            ("--graph", "negative.mtx", 3, "negative.mtx: the edge from sample 8 to 3 (counted from 1) has the weight -1.5"),
            ("--graph", "small.mtx", 3, "small.mtx: a graph of 23 samples, but the data has 24"),
            ("--graph", "flat.mtx", 3, "flat.mtx: a graph of the samples must be a square matrix, not 23 x 24"),
            ("--graph", "outside.mtx", 3, "outside.mtx:9"),
            ("--graph", "none.mtx", 3, "none.mtx: has no edge"),
            ("--graph", "nan.csv", 3, "nan.csv: the edge from sample 5 to 10 (counted from 1) has the weight nan"),
            ("--graph", "nowhere.mtx", 3, "nowhere.mtx: cannot be read"),
            ("--graph", "nowhere.h5ad:connectivities", 3, "nowhere.h5ad: cannot be read"),
            ("--graph-rows", "small.mtx", 3, "small.mtx: rows of 23 samples, but the data has 24"),
            ("--graph-rows", "hole.csv", 3, "hole.csv: row 3, column 2"),
        ]
        for option, path, status, says in cases:
            self.assertIn(says, self.refused(status, "rank", "d.csv", "-m", "laplacian", option, path))
        self.assertIn("cannot be used together", self.refused(2, "rank", "d.csv", "-m", "laplacian", "--graph", "g.mtx",
                                                         "--graph-rows", "d.csv"))

    def test_methods_without_a_graph_refuse_one(self):
        for method in ("variance", "consensus", "fsasl", "lgdfs", "snfs"):
            for option in ("--graph", "--graph-rows"):
                said = self.refused(2, "rank", "d.csv", "-m", method, option, "g.mtx")
                self.assertRegex(said, f"^{method} cannot use a graph of the samples; these methods can: .*laplacian")
        self.assertIn("cannot use a graph", self.refused(2, "rank", "d.csv", "-m", "jelsr", "--laplacian", "lle", "--graph",
                                                     "g.mtx"))

    def test_compare_gives_it_to_the_methods_that_take_one(self):
        words = ("compare", "d.csv", "-q", "-m", "laplacian,spec,variance", "-n", "2", "--restarts", "2")
        self.pith(*words, "--graph", "g.mtx", "-o", "c.json")
        text = self.read("c.json").replace(": ", ":")
        self.assertEqual(text.count('"graph":"g.mtx"'), 2)
        self.pith(*words, "--graph", "g.mtx", "--resume", "c.json", "-o", "d.json")
        self.assertEqual(self.read("d.json").replace(": ", ":").count('"graph":"g.mtx"'), 2)
        self.assertIn("stability is measured on subsamples", self.refused(2, *words, "--graph", "g.mtx", "--stability", "3"))
        self.pith(*words, "--graph", "full", "-o", "f.json")
        self.assertEqual(self.read("f.json").replace(": ", ":").count('"graph":"full"'), 1)

    def test_threads_do_not_change_a_byte(self):
        for method in ("laplacian", "energy", "cl-des"):
            self.assertEqual(self.lines("--graph", "g.mtx", "--threads", "1", method=method),
                             self.lines("--graph", "g.mtx", "--threads", "8", method=method))

    def test_an_output_does_not_overwrite_the_graph(self):
        self.pith("convert", "d.csv", "d.h5ad")
        said = self.refused(2, "select", "d.csv", "-n", "2", "-m", "laplacian", "--graph-rows", "d.h5ad:X", "-o", "d.h5ad")
        self.assertIn("d.h5ad", said)

    def test_keys_of_an_h5ad(self):
        try:
            import h5py
        except ImportError:
            if os.environ.get("PITH_NO_SKIP"):
                raise
            self.skipTest("h5py is not installed")
        self.pith("convert", "d.csv", "d.h5ad", "-q")
        start = [0]
        for i in range(self.N):
            start.append(start[-1] + sum(a == i for a, _, _ in self.edges))
        with h5py.File(self.folder / "d.h5ad", "a") as f:
            group = f.create_group("obsp/near")
            group.attrs["encoding-type"], group.attrs["encoding-version"] = "csr_matrix", "0.1.0"
            group.attrs["shape"] = [self.N, self.N]
            group["data"] = [w for _, _, w in self.edges]
            group["indices"] = [j for _, j, _ in sorted(self.edges)]
            group["indptr"] = start
            f["obsm/X_pca"] = [row[:2] for row in self.x]
        self.write("rows.csv", csv([row[:2] for row in self.x]))
        self.assertEqual(self.lines("--graph", "d.h5ad:near"), self.lines("--graph", "g.mtx"))
        self.assertEqual(self.lines("--graph", "d.h5ad:obsp/near"), self.lines("--graph", "g.mtx"))
        self.assertEqual(self.lines("--graph-rows", "d.h5ad:X_pca"), self.lines("--graph-rows", "rows.csv"))
        self.assertEqual(self.refused(3, "rank", "d.csv", "-m", "laplacian", "--graph", "d.h5ad:nearr"),
                         "d.h5ad: no matrix obsp/nearr; did you mean obsp/near? It holds obsp/near (sparse 24 x 24)")
        self.assertEqual(self.refused(2, "rank", "d.csv", "-m", "laplacian", "--graph", "d.h5ad"),
                         "d.h5ad: say which matrix of obsp is the graph, as in d.h5ad:connectivities")
        self.assertIn("obsm/X_pca (dense 24 x 2)",
                      self.refused(3, "rank", "d.csv", "-m", "laplacian", "--graph-rows", "d.h5ad:X_umap"))


if __name__ == "__main__":
    unittest.main()
