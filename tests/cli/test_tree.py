"""pith tree: building and showing trees over the features."""
import os
import unittest

from support import Case

WORDNET = unittest.skipUnless(os.path.exists("/usr/share/wordnet/data.noun") or os.environ.get("PITH_NO_SKIP"),
                              "wordnet-base is not installed")

SIX = "pith-tree 1\nfeatures 6\nbase 0\nnode 0 - *\nnode 1 0 0-2\nlabel 1 money\nnode 2 0 3-5\nnode 3 1 0-1\nnode 4 2 4-5\n"


class Tree(Case):
    def setUp(self):
        super().setUp()
        self.pith("synth", "blobs", "--samples", "60", "--features", "64", "--clusters", "3", "-o", "b.csv")

    def test_a_grid_is_written_read_and_shown(self):
        done = self.run_pith("tree", "grid", "b.csv", "--size", "4x16", "--leaf", "8", "-o", "b.tree")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("adjacent pixels have a mean correlation of", done.stderr)
        self.assertIn("size or order may be wrong", done.stderr)
        text = self.read("b.tree")
        self.assertTrue(text.startswith("pith-tree 1\nfeatures 64\nbase 0\nnode 0 - *\nlabel 0 rows 0-3 cols 0-15\n"))
        shown = self.pith("tree", "show", "b.tree")
        self.assertIn("b.tree: 64 features, 21 nodes, 3 levels", shown)
        self.assertIn("\n  1: rows 0-1 cols 0-7, 16 features: 0-7 16-23\n", shown)

    def test_a_square_is_found_and_told(self):
        done = self.run_pith("tree", "grid", "b.csv", "-o", "b.tree")
        self.assertIn("the image is taken to have 8 x 8 pixels", done.stderr)
        self.assertEqual(self.run_pith("tree", "grid", "b.csv", "-q", "-o", "b.tree").stderr, "")

    def test_threads_do_not_matter_to_cluster(self):
        for linkage in ("average", "ward", "bisect"):
            trees = [self.pith("tree", "cluster", "b.csv", "--linkage", linkage, "--leaf", "2", "--threads", threads)
                     for threads in (1, 8)]
            self.assertEqual(trees[0], trees[1])
            self.assertIn("\nnode 1 0 ", trees[0])

    def test_the_order_of_matlab_files_is_by_columns(self):
        self.pith("convert", "b.csv", "b.mat", "--no-labels")
        by_column = self.pith("tree", "grid", "b.mat", "--size", "4x16", "-q")
        self.assertEqual(by_column, self.pith("tree", "grid", "b.csv", "--size", "4x16", "--order", "column", "-q"))
        self.assertNotEqual(by_column, self.pith("tree", "grid", "b.csv", "--size", "4x16", "-q"))

    def test_words_beside_a_file_are_its_features_names(self):
        self.write("x.csv", "1,0,2\n0,3,1\n2,2,0\n")
        self.write("x.terms.txt", "dog\ncat\ncar\n")
        self.assertIn("dog", self.pith("rank", "x.csv", "-m", "variance"))
        self.write("x.terms.txt", "dog\ncat\n")  # not as many as features: something else's
        self.assertNotIn("dog", self.pith("rank", "x.csv", "-m", "variance"))

    @WORDNET
    def test_words_are_grouped_by_wordnet(self):
        self.write("w.csv", "dog,cat,car,truck,xyzzy\n1,0,2,1,1\n0,3,1,4,2\n2,2,0,1,1\n")
        done = self.run_pith("tree", "wordnet", "w.csv", "-o", "w.tree")
        self.assertIn("4 of 5 words are in WordNet", done.stderr)
        self.assertIn("living_thing.n.01, 2 features: 0-1", self.pith("tree", "show", "w.tree"))

    def test_no_wordnet_is_told_with_the_way_to_get_it(self):
        line = self.refused(3, "tree", "wordnet", "b.csv", "--dict", "nowhere")
        self.assertEqual(line, "no WordNet found in nowhere (Debian: apt install wordnet-base)")

    def test_mistakes_in_a_tree_are_told_by_line(self):
        self.write("six.tree", SIX.replace("node 4 2 4-5", "node 4 2 2-5"))
        self.assertEqual(self.refused(3, "tree", "show", "six.tree"),
                         "six.tree:9: node '4' is not inside its parent '2': feature 2")
        self.assertIn("cannot be read", self.refused(3, "tree", "show", "no.tree"))

    def test_hufs_takes_a_tree_by_file_and_by_recipe(self):
        self.pith("tree", "grid", "b.csv", "--size", "8x8", "-q", "-o", "b.tree")
        by_file = self.pith("rank", "b.csv", "-m", "hufs", "--tree", "b.tree", "--clusters", "3", "-q")
        self.assertEqual(by_file, self.pith("rank", "b.csv", "-m", "hufs", "--tree", "grid:8x8", "--clusters", "3", "-q"))
        self.assertNotEqual(by_file, self.pith("rank", "b.csv", "-m", "hufs", "--tree", "root", "--clusters", "3", "-q"))
        said = self.json("rank", "b.csv", "-m", "hufs", "--tree", "grid:8x8", "--clusters", "3", "-q", "--format", "json")
        self.assertEqual(said["parameters"]["tree"], "grid:8x8")
        self.assertEqual(said["facts"]["tree_nodes"], 5)

    def test_mistakes_of_a_tree_for_hufs_are_told(self):
        self.assertIn("no setting 'branch'", self.refused(2, "rank", "b.csv", "-m", "hufs", "--tree", "grid:branch=2"))
        self.assertIn("cannot be read", self.refused(3, "rank", "b.csv", "-m", "hufs", "--tree", "no.tree"))
        self.write("six.tree", SIX)
        self.assertEqual(self.refused(3, "rank", "b.csv", "-m", "hufs", "--tree", "six.tree"),
                         "six.tree:2: tree is for 6 features, the data has 64")

    def chosen(self, data, *words, **more):
        """The ranking by hufs, and the tree that was chosen for it."""
        done = self.run_pith("rank", data, "-m", "hufs", "--clusters", "3", *words, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = [line for line in done.stderr.splitlines() if line.startswith("pith: using the tree ")]
        self.assertEqual(len(said), 1, done.stderr)
        return done.stdout, said[0][len("pith: using the tree "):]

    def test_hufs_chooses_a_tree(self):
        similar, pixels = "features grouped by similarity", "the features are pixels of an image"
        for tree, why, words in (("cluster", similar, ()), ("cluster", similar, ("--tree", "auto")),
                                 ("grid:8x8", pixels, ("--image-shape", "8x8")),
                                 ("grid:4x16:column", pixels, ("--image-shape", "4x16", "--image-order", "column"))):
            ranking, told = self.chosen("b.csv", *words)
            self.assertEqual(told, f"{tree} ({why})")
            self.assertEqual(ranking, self.pith("rank", "b.csv", "-qm", "hufs", "--clusters", "3", "--tree", tree))
        self.assertEqual(self.json("rank", "b.csv", "-qm", "hufs", "--clusters", "3", "--image-shape", "8x8", "--format",
                                   "json")["parameters"]["tree"], "grid:8x8")

    def words(self):
        rows = "".join(f"{i % 5},{7 * i % 6},{3 * i % 4},{i * i % 7},{11 * i % 5}\n" for i in range(30))
        self.write("w.csv", "dog,cat,xyzzy,truck,river\n" + rows)

    @WORDNET
    def test_words_have_the_tree_of_wordnet(self):
        self.words()
        ranking, told = self.chosen("w.csv")
        self.assertEqual(told, "wordnet (most feature names are words in WordNet)")
        self.assertEqual(ranking, self.pith("rank", "w.csv", "-qm", "hufs", "--clusters", "3", "--tree", "wordnet"))

    def test_words_without_a_dictionary_have_the_tree_of_their_columns(self):
        self.words()
        away = {**os.environ, "WNSEARCHDIR": str(self.folder / "nowhere")}
        self.assertEqual(self.chosen("w.csv", env=away)[1], "cluster (features grouped by similarity)")
        self.assertIn("no WordNet found", self.refused(3, "rank", "w.csv", "-qm", "hufs", "--tree", "wordnet", env=away))

    def test_the_shape_of_an_image_reaches_select_and_compare(self):
        grid = "select", "b.csv", "-qm", "hufs", "--clusters", "3", "-n", "5"
        self.assertEqual(self.pith(*grid, "--image-shape", "8x8", "-o", "-"), self.pith(*grid, "--tree", "grid:8x8", "-o", "-"))
        quick = "compare", "b.csv", "-q", "-m", "hufs", "-n", "5", "--restarts", "2", "--clusters", "3", "--format", "json"
        told = [self.json(*quick, *words)["rows"] for words in (("--image-shape", "8x8"), ("--tree", "grid:8x8"), ())]
        mine = [[r["acc"] for r in rows if r["method"] == "hufs"] for rows in told]
        self.assertEqual(mine[0], mine[1])
        self.pith(*quick[:4], "variance", *quick[5:], "--image-shape", "8x8")

    def test_mistakes_of_a_shape_are_told(self):
        self.assertIn("HEIGHTxWIDTH expected", self.refused(2, "rank", "b.csv", "-qm", "hufs", "--image-shape", "8"))
        self.assertIn("an image of 8 x 9 pixels", self.refused(3, "rank", "b.csv", "-qm", "hufs", "--image-shape", "8x9"))
        done = self.run_pith("rank", "b.csv", "-m", "variance", "--image-shape", "8x8", "-o", "r.csv")
        self.assertIn("variance does not use --image-shape; it has no effect", done.stderr)

    def test_all_methods_of_compare_are_with_hufs(self):
        quick = "-m", "all", "-n", "4", "--restarts", "1", "--pairs", "500", "--draws", "2", "--max-iter", "2"
        self.write("few.csv", "\n".join(",".join(line.split(",")[:6]) for line in self.read("b.csv").splitlines()[:25]) + "\n")
        done = self.run_pith("compare", "few.csv", *quick)
        self.assertNotIn("hufs", done.stderr)
        self.assertIn("hufs ", done.stdout)

    def test_mistakes_on_the_command_line_are_told(self):
        self.assertIn("did you mean 'grid'", self.refused(2, "tree", "gird", "b.csv"))
        self.assertIn("no setting 'branch'", self.refused(2, "tree", "grid", "b.csv", "--branch", "3"))
        self.assertIn("does not match the 64 features of the data", self.refused(3, "tree", "grid", "b.csv", "--size", "5x5"))
        self.assertEqual(self.files(), ["b.csv"])


if __name__ == "__main__":
    unittest.main()
