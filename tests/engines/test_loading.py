"""Engines asked for by name: those that cannot be loaded, that lie, and one that is right."""
import os
import pathlib
import random
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cli"))
from support import Case  # noqa: E402

ENGINES = os.environ["PITH_ENGINES"]
# What `bad` does, by PITH_BAD_ENGINE, and what is said about it.
LIES = {"range": "row 1 has an impossible neighbour: there is no such row",
        "self": "row 1 has an impossible neighbour: that is the row itself",
        "nan": "row 1 has an impossible neighbour: its distance is not a valid distance",
        "order": "row 1 has an impossible neighbour: it is out of order by distance, or listed twice",
        "copy": "row 1 has an impossible neighbour: it is listed twice", "subsets": "in a subset of the columns row 1 cannot have row 1",
        "eigen-nan": "eigenpair 1 has a number that is not finite",
        "eigen-order": "eigenvalue 2 is larger than the one before"}


def blobs(sparse):
    """Three groups of 20 rows, 12 columns; counts if sparse."""
    random.seed(7)
    rows = [[random.gauss(3 * (i // 20 == j // 3), 1) for j in range(12)] for i in range(60)]
    return [[max(0, round(2 * v)) for v in row] for row in rows] if sparse else rows


class Engines(Case):
    def setUp(self):
        super().setUp()
        self.write("dense.csv", "".join(",".join(map(repr, row)) + "\n" for row in blobs(False)))
        cells = [f"{i + 1} {j + 1} {v}" for i, row in enumerate(blobs(True)) for j, v in enumerate(row) if v]
        self.write("sparse.mtx", "\n".join(["%%MatrixMarket matrix coordinate integer general", f"60 12 {len(cells)}",
                                            *cells, ""]))
        self.env = {**os.environ, "PITH_ENGINE_PATH": ENGINES}

    def ranked(self, data, method, *words, **more):
        return [row["name"] for row in self.rows(self.pith("rank", data, "-qm", method, *words, env=self.env, **more))]

    def lying(self, way):
        self.env["PITH_BAD_ENGINE"] = way
        return {"env": self.env}


class Loading(Engines):
    def test_local_is_the_default_and_says_nothing(self):
        for words in (["rank", "dense.csv", "-m", "mcfs"], ["rank", "dense.csv", "-m", "mcfs", "--format", "json"]):
            self.assertEqual(*[self.without_time(self.pith(*words, *more)) for more in ([], ["--engine", "local"])])
        self.assertNotIn("engine", self.json("rank", "dense.csv", "-m", "mcfs", "--format", "json"))
        self.assertNotIn("engine", self.run_pith("rank", "dense.csv", "-vm", "mcfs").stderr)

    def without_time(self, text):
        head, _, tail = text.partition('"seconds":')
        return head, tail.partition(",")[2]

    def test_no_file_names_the_folders_and_the_engines(self):
        line = self.refused(2, "rank", "dense.csv", "--engine", "nowhere", env=self.env)
        self.assertIn("engine nowhere: there is no libpith-nowhere.so in ", line)
        for word in (ENGINES, "local, bad, broken, empty, old, other, plain;", "PITH_ENGINE_PATH"):
            self.assertIn(word, line)

    def test_what_is_no_engine_is_told_by_its_path(self):
        for name, said in (("old", "version 0 of the engine table, but this pith has version 2"), ("other", "calls itself another, not other"),
                           ("empty", "it has no function pith_engine_get"), ("broken", "engine broken cannot be loaded")):
            line = self.refused(2, "rank", "dense.csv", "--engine", name, env=self.env)
            self.assertIn(f"{ENGINES}/libpith-{name}.so", line)
            self.assertIn(said, line)

    def test_a_folder_of_that_name_is_no_file(self):
        (self.folder / "libpith-folder.so").mkdir()
        self.env["PITH_ENGINE_PATH"] = str(self.folder)
        self.assertIn("there is no libpith-folder.so", self.refused(2, "rank", "dense.csv", "--engine", "folder", env=self.env))

    def test_a_name_is_no_path(self):
        for name in ("../plain", "/plain", "", "Plain", "pl ain", "plain.so", "a" * 33):
            self.assertIn("a name has", self.refused(2, "rank", "dense.csv", "--engine", name, env=self.env))

    def test_one_that_does_not_open(self):
        self.assertEqual(self.refused(2, "rank", "dense.csv", "--engine", "bad", **self.lying("closed")),
                         "engine bad cannot be used: there is no device")

    def test_it_is_looked_for_before_the_data_by_all_that_take_it(self):
        for words in (["rank", "nowhere.csv"], ["select", "nowhere.csv", "-n", "3"], ["compare", "nowhere.csv"], ["bench"],
                      ["demo"], ["prep", "nowhere.csv", "out.csv", "--steps", "drop-noisy"]):
            self.assertIn("libpith-empty.so", self.refused(2, *words, "--engine", "empty", env=self.env))
        for words in (["info", "dense.csv"], ["tree", "cluster", "dense.csv"], ["convert", "dense.csv", "out.csv"]):
            self.assertIn("'--engine'", self.refused(2, *words, "--engine", "plain", env=self.env))


class Auto(Engines):
    """`cuda` in a folder of its own is `bad` under that name."""
    def setUp(self):
        super().setUp()
        self.words = ["rank", "dense.csv", "-m", "laplacian", "--engine", "auto"]
        self.local = self.pith("rank", "dense.csv", "-qm", "laplacian")

    def auto(self, way, *more):
        env = {**os.environ, "PITH_ENGINE_PATH": f"{ENGINES}/auto", "PITH_BAD_ENGINE": way}
        return self.run_pith(*self.words, *more, env=env)

    def test_without_the_file_local_is_used_and_the_user_is_told(self):
        said = self.run_pith(*self.words, env=self.env)
        self.assertEqual((said.returncode, said.stdout), (0, self.local))
        self.assertIn("pith: engine auto: using local, since engine cuda: there is no libpith-cuda.so in ", said.stderr)
        self.assertEqual(self.run_pith(*self.words, "-q", env=self.env).stderr, "")

    def test_without_a_device_likewise(self):
        said = self.auto("closed")
        self.assertEqual((said.returncode, said.stdout), (0, self.local))
        self.assertIn("pith: engine auto: using local, since engine cuda cannot be used: there is no device", said.stderr)

    def test_without_memory_for_a_search_it_goes_on_with_local(self):
        said = self.auto("fails")
        self.assertEqual((said.returncode, said.stdout), (0, self.local))
        self.assertIn("pith: engine auto: continuing with local, since engine cuda failed: the device has no memory left", said.stderr)
        self.words[3] = "consensus"
        said = self.auto("subsets-fail")
        self.assertEqual((said.returncode, said.stdout), (0, self.pith("rank", "dense.csv", "-qm", "consensus")))
        self.assertEqual(said.stderr.count("the device has no memory left"), 1)

    def test_where_it_can_be_used_it_is(self):
        said = self.auto("no more", "-v", "--format", "json")
        self.assertIn("pith: engine cuda: the neighbours may be approximate", said.stderr)
        self.assertIn('"engine":"cuda"', said.stdout)
        self.assertNotIn("engine auto", said.stderr)

    def test_what_it_returns_is_checked_all_the_same(self):
        self.assertIn("engine cuda returned an invalid result", self.auto("nan").stderr)


class Lies(Engines):
    def test_every_lie_is_refused_with_the_engine_named(self):
        for data in ("dense.csv", "sparse.mtx"):
            for way, said in LIES.items():
                method = "consensus" if way == "subsets" else "mcfs"
                line = self.refused(1, "rank", data, "-qm", method, "--engine", "bad", **self.lying(way))
                self.assertIn("engine bad returned an invalid result: ", line)
                self.assertIn(said, line)

    def test_a_failure_is_told_in_its_words(self):
        self.assertEqual(self.refused(1, "rank", "dense.csv", "-qm", "laplacian", "--engine", "bad", **self.lying("fails")),
                         "engine bad: the device has no memory left")

    def test_rows_left_open_are_searched_by_pith(self):
        for data in ("dense.csv", "sparse.mtx"):
            for metric in ("euclidean", "cosine"):
                words = ["rank", data, "-qm", "laplacian", "--metric", metric]
                self.assertEqual(self.pith(*words, "--engine", "bad", **self.lying("open")), self.pith(*words))

    def test_wrong_neighbours_would_be_seen_here(self):
        self.assertNotEqual(self.pith("rank", "dense.csv", "-qm", "laplacian", "--engine", "bad", **self.lying("no more")),
                            self.pith("rank", "dense.csv", "-qm", "laplacian"))


class Plain(Engines):
    def test_the_ranking_is_that_of_local(self):
        for data in ("dense.csv", "sparse.mtx"):
            for method in ("laplacian", "spec", "mcfs", "consensus"):
                for more in ([], ["--metric", "cosine", "--standardize", "none"])[:1 if method == "consensus" else 2]:
                    words = [data, method, *more]
                    self.assertEqual(self.ranked(*words, "--engine", "plain"), self.ranked(*words), words)

    def test_exact_neighbours_give_the_same_bytes(self):
        for data in ("dense.csv", "sparse.mtx"):
            for metric in ("euclidean", "cosine"):
                words = ["rank", data, "-qm", "laplacian", "--metric", metric]
                self.assertEqual(self.pith(*words, "--engine", "plain", env=self.env), self.pith(*words))

    def test_ties_and_rows_of_zeros(self):
        self.write("ties.csv", "".join(f"{i % 3},{i % 2},{i // 4 % 2},{i * i % 5}\n" for i in range(24)))
        for metric in ("euclidean", "cosine"):
            words = ["rank", "ties.csv", "-qm", "laplacian", "--header", "no", "--metric", metric, "--neighbors", "4",
                     "--standardize", "none"]
            self.assertEqual(self.pith(*words, "--engine", "plain", env=self.env), self.pith(*words))

    def test_it_is_told_by_v_and_json(self):
        said = self.run_pith("rank", "dense.csv", "-vm", "mcfs", "--format", "json", "--engine", "plain", env=self.env)
        self.assertIn("pith: engine plain: the neighbours are those of local", said.stderr)
        self.assertIn('"engine":"plain"', said.stdout)
        self.assertEqual(self.run_pith("rank", "dense.csv", "-qm", "mcfs", "--engine", "plain", env=self.env).stderr, "")

    def test_select_takes_it(self):
        words = ["select", "dense.csv", "-qm", "mcfs", "-n", "5"]
        self.assertEqual(self.pith(*words, "--engine", "plain", env=self.env), self.pith(*words))

    def test_prep_takes_it(self):
        words = ["prep", "dense.csv", "-", "-q", "--steps", "drop-noisy"]
        self.assertEqual(self.pith(*words, "--engine", "plain", env=self.env), self.pith(*words))

    def test_compare_names_it_and_goes_on_with_no_other(self):
        words = ["compare", "dense.csv", "-qm", "laplacian", "-n", "3", "--restarts", "2", "--clusters", "3", "-o", "c.json"]
        self.pith(*words, "--engine", "plain", env=self.env)
        self.assertIn('"engine":"plain"', self.read("c.json"))
        self.assertIn("its engine differs", self.refused(3, *words, "--resume", "c.json"))
        self.pith(*words, "--resume", "c.json", "--engine", "plain", env=self.env)
        self.pith(*words, "--force")
        self.assertNotIn('"engine":"plain"', self.read("c.json"))
        self.assertIn("its engine differs", self.refused(3, *words, "--resume", "c.json", "--engine", "plain", env=self.env))


if __name__ == "__main__":
    unittest.main()
