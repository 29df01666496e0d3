"""pith prep: steps of preparation."""
import csv
import io
import json
import unittest

from support import Case


class Prep(Case):
    def setUp(self):
        super().setUp()
        self.pith("synth", "blobs", "--samples", "80", "--features", "6", "--clusters", "2", "-o", "b.csv")

    def test_noisy_samples_go_and_a_quarter_of_the_others_stays(self):
        self.pith("prep", "b.csv", "r.csv", "--steps", "drop-noisy,representatives", "-q")
        data, kept = (self.folder / "b.csv").read_text(), (self.folder / "r.csv").read_text()
        self.assertEqual(kept.splitlines()[0], data.splitlines()[0])
        self.assertEqual(len(kept.splitlines()), 1 + 18)
        self.assertLessEqual(set(kept.splitlines()), set(data.splitlines()))

    def test_to_standard_output_and_other_formats(self):
        text = self.pith("prep", "b.csv", "-", "--steps", "representatives:levels=3", "-q")
        self.assertEqual(len(text.splitlines()), 1 + 10)
        self.assertEqual(text.replace(",", "\t"),
                         self.pith("prep", "b.csv", "-", "--steps", "representatives:levels=3", "--format", "tsv"))
        self.pith("prep", "b.csv", "r.npz", "--steps", "representatives:levels=3")
        self.assertEqual(self.json("info", "r.npz", "--json")["samples"], 10)

    def test_threads_do_not_matter(self):
        one = self.pith("prep", "b.csv", "-", "--steps", "drop-noisy", "--threads", "1", "-q")
        self.assertEqual(one, self.pith("prep", "b.csv", "-", "--steps", "drop-noisy", "--threads", "8", "-q"))

    def test_verbose_says_what_is_left(self):
        done = self.run_pith("prep", "b.csv", "r.csv", "--steps", "drop-noisy:remove=0.5", "-v")
        self.assertIn("40 of 80 samples and 6 of 6 features are left", done.stderr)

    def test_help_and_list_name_every_step(self):
        offered = [line.split("\t") for line in self.pith("help", "--list", "prep").splitlines()]
        steps = next(words for option, words, _ in offered if option == "--steps").split()
        self.assertLessEqual({"drop-noisy", "representatives"}, set(steps))
        page = self.pith("help", "--man").replace("\\-", "-")
        for step in steps:
            self.assertRegex(self.pith("prep", "--help"), rf"(?m)^  {step} ")
            self.assertRegex(page, rf"(?m)^\.SS {step}$")

    def test_wrong_command_lines(self):
        self.assertIn("--steps", self.refused(2, "prep", "b.csv", "r.csv"))
        self.assertIn("IN... OUT", self.refused(2, "prep", "b.csv", "--steps", "drop-noisy"))
        self.assertIn("did you mean 'drop-noisy'", self.refused(2, "prep", "b.csv", "r.csv", "--steps", "drop_noisy"))
        self.assertIn("a number in", self.refused(2, "prep", "b.csv", "r.csv", "--steps", "drop-noisy:remove=1"))
        self.assertFalse((self.folder / "r.csv").exists())


COUNTS = """same,goal,vote,rare,goals,label
1,3,0,0,3,sport
1,2,0,0,2,sport
1,4,1,0,4,sport
1,0,3,0,0,politics
1,0,5,1,0,politics
1,1,4,0,1,politics
"""


class Steps(Case):
    def setUp(self):
        super().setUp()
        self.write("c.csv", COUNTS)

    def prepared(self, steps, data="c.csv"):
        return self.rows(self.pith("prep", data, "-", "--steps", steps, "-q"))

    def test_features_and_values(self):
        rows = self.prepared("drop-constant,drop-duplicates,min-df=2,l1")
        self.assertEqual(list(rows[0]), ["goal", "vote", "label"])
        self.assertEqual(rows[2], {"goal": "0.8", "vote": "0.2", "label": "sport"})
        self.assertEqual([r["label"] for r in rows], ["sport"] * 3 + ["politics"] * 3)

    def test_the_order_counts(self):
        self.assertNotEqual(self.prepared("log1p,l2"), self.prepared("l2,log1p"))

    def test_a_recipe_is_its_steps(self):
        self.assertEqual(self.prepared("counts"), self.prepared("counts-per-10k,log1p"))

    def test_sparse_data_is_told_before_it_becomes_dense(self):
        self.write("c.mtx", "%%MatrixMarket matrix coordinate real general\n6 5 4\n1 1 2\n2 1 1\n3 4 1\n6 5 3\n")
        self.pith("prep", "c.mtx", "weighted.mtx", "--steps", "tfidf,l2")
        self.assertTrue(self.json("info", "weighted.mtx", "--json")["sparse"])
        done = self.run_pith("prep", "c.mtx", "dense.npy", "--steps", "tfidf,zscore")
        self.assertRegex(done.stderr, r"^pith: zscore makes sparse data dense: 240 B instead of \d+ B\n$")
        self.assertEqual(self.run_pith("prep", "c.mtx", "dense.npy", "--steps", "zscore", "-q").stderr, "")

    def test_unfit_data_and_wrong_lists(self):
        self.write("minus.csv", "a,b\n1,2\n-1,0\n")
        for steps, status, said in [("tfidf", 3, "minus.csv: tfidf is for counts: row 2, column 1"),
                                    ("log1p", 3, "minus.csv: log1p: row 2, column 1"),
                                    ("min-df=3", 3, "minus.csv: min-df leaves no feature"),
                                    ("top-variance=x", 2, "count: a whole number in 1..2147483647 expected, not 'x'"),
                                    ("microaray", 2, "unknown step 'microaray'; did you mean 'microarray'?"),
                                    ("vst", 2, "unknown step 'vst'; 'pith prep --help' lists them"),
                                    ("auto,l2", 2, "'auto' stands for the whole list: it cannot be combined"),
                                    ("l2=1", 2, "l2 takes no value")]:
            with self.subTest(steps):
                self.assertIn(said, self.refused(status, "prep", "minus.csv", "out.csv", "--steps", steps))
        self.assertIn("did you mean", self.refused(2, "prep", "not-there.csv", "out.csv", "--steps", "tfdif"))
        self.assertEqual(self.files(), ["c.csv", "minus.csv"])


class Text(Case):
    """Documents to counts."""
    NEWS = {"sport/cup.txt": "The cup final: goals, goals and a late goal.", "sport/race.txt": "A goal is not a race.",
            "politics/vote": "Voters voted; every vote counts.", "politics/law": "The law passed by one vote, a final one."}

    def setUp(self):
        super().setUp()
        for name, text in self.NEWS.items():
            (self.folder / "news" / name).parent.mkdir(parents=True, exist_ok=True)
            self.write(f"news/{name}", text)

    def test_a_folder_becomes_a_table_with_classes(self):
        rows = list(csv.DictReader(io.StringIO(self.pith("prep", "news", "-", "--steps", "text", "-q"))))
        self.assertEqual([(r[""], r["final"], r["goal"], r["vote"], r["label"]) for r in rows],
                         [("politics/law", "1", "0", "1", "politics"), ("politics/vote", "0", "0", "2", "politics"),
                          ("sport/cup.txt", "1", "3", "0", "sport"), ("sport/race.txt", "0", "1", "0", "sport")])

    def test_a_term_is_called_by_its_most_frequent_word(self):
        head = self.pith("prep", "news", "-", "--steps", "text:min-df=1", "-q").splitlines()[0].split(",")
        self.assertIn("vote", head)     # 2 votes, 1 voted
        self.assertNotIn("voted", head)
        self.assertIn("voters", head)   # another stem

    def test_a_warning_about_counts_says_what_to_add(self):
        self.assertIn("raw counts: --prep text:min-df=1,counts takes ln",
                      self.run_pith("rank", "news", "--prep", "text:min-df=1", "-m", "laplacian").stderr)
        self.assertEqual(self.run_pith("rank", "news", "--prep", "text:min-df=1,counts", "-m", "laplacian").stderr, "")

    def test_rank_and_select_read_text_on_the_way(self):
        ranked = self.rows(self.pith("rank", "news", "--prep", "text,tfidf,l2", "-m", "variance", "--standardize", "none"))
        self.assertEqual({r["name"] for r in ranked}, {"final", "goal", "vote"})
        self.pith("select", "news", "--prep", "text", "-m", "variance", "-n", "2", "-o", "few.mtx")
        told = self.json("info", "few.mtx", "--json")
        self.assertEqual((told["samples"], told["features"]), (4, 2))
        told = self.json("rank", "news", "--prep", "text:stem=porter", "-m", "variance", "--format", "json")
        self.assertEqual(told["data"]["prep"], "text:stem=porter:stop-words=auto:min-df=2:max-df=1:shortest=2:numbers=no:"
                                               "column=auto")

    def test_the_kinds_of_files_agree(self):
        texts = [self.NEWS[k] for k in sorted(self.NEWS)]
        labels = [k.split("/")[0] for k in sorted(self.NEWS)]
        self.write("t.txt", "\n".join(texts) + "\n")
        self.write("l.txt", "\n".join(labels) + "\n")
        self.write("t.jsonl", "".join(json.dumps({"text": t, "label": k}) + "\n" for t, k in zip(texts, labels)))
        with open(self.folder / "t.csv", "w", newline="") as f:
            csv.writer(f).writerows([["text", "label"], *zip(texts, labels)])
        wanted = [line.split(",", 1)[1] for line in
                  self.pith("prep", "news", "-", "--steps", "text", "-q").splitlines()]
        for words in (["t.txt", "--labels", "l.txt"], ["t.jsonl"], ["t.csv"]):
            self.assertEqual(self.pith("prep", words[0], "-", "--steps", "text", "-q", *words[1:]).splitlines(), wanted)

    def test_separators_of_a_table_of_documents(self):
        texts, labels = ["goal; one goal, more", "vote and goal", "a vote|goal"], ["sport", "politics", "sport"]
        wanted = "goal,vote,label\n2,0,sport\n1,1,politics\n1,1,sport\n"
        for name, sep, head, more in (
                ("semicolon.csv", ";", "text;label", []), ("bar.csv", "|", "label|text", []), ("tab.csv", "\t", "text\tlabel", []),
                ("comma.tsv", ",", "text,label", []), ("body.csv", ";", "body;label", []), ("given.csv", "^", "text^label", ["--sep", "^"])):
            rows = [[k, t] if head.startswith("label") else [t, k] for t, k in zip(texts, labels)]
            self.write(name, "\n".join([head, *(sep.join(f'"{cell}"' for cell in row) for row in rows)]) + "\n")
            self.assertEqual(self.pith("prep", name, "-", "--steps", "text", "-q", *more), wanted, name)
        self.assertEqual(self.pith("prep", "body.csv", "-", "--steps", "text:column=body", "-q"), wanted)
        self.assertIn("(there are 'body', 'label')", self.refused(3, "rank", "body.csv", "--prep", "text:column=Body"))
        self.assertIn("(there are 'body', 'label')", self.refused(3, "rank", "body.csv", "--prep", "text", "--labels", "topic"))

    def test_a_table_of_documents_without_header(self):
        self.write("bare.csv", "a goal\nthe goal\na vote for the goal\n")
        done = self.run_pith("prep", "bare.csv", "-", "--steps", "text")
        self.assertEqual(done.stdout, "goal\n1\n1\n")
        self.assertEqual(done.stderr, "pith: bare.csv: the first row is taken as a header, and the text is in its column 'a goal'\n")
        self.assertIn("needs a header", self.refused(3, "prep", "bare.csv", "-", "--steps", "text", "--header", "no"))

    def test_several_files_are_one_collection(self):
        self.write("one.txt", "the cup\nthe vote\n")
        self.write("two.txt", "cup and vote\n")
        self.write("all.txt", "the cup\nthe vote\ncup and vote\n")
        self.assertEqual(self.pith("prep", "one.txt", "two.txt", "-", "--steps", "text"),
                         self.pith("prep", "all.txt", "-", "--steps", "text"))
        self.assertIn("begin with 'text'", self.refused(2, "prep", "one.txt", "two.txt", "x.csv", "--steps", "l2"))
        self.assertIn("has no label, but", self.refused(3, "prep", "news", "one.txt", "x.csv", "--steps", "text"))
        self.write("two.mtx", "")
        self.write("two.json", "[]")
        self.assertIn("two.json: not documents", self.refused(3, "rank", "two.json", "--prep", "text"))
        self.assertIn("two.mtx: not documents", self.refused(3, "prep", "one.txt", "two.mtx", "x.csv", "--steps", "text"))

    def test_bad_input_is_one_line(self):
        self.write("latin.txt", "good\nna\xefve\n".encode("latin-1"))
        self.assertIn("latin.txt:2: is not UTF-8 at byte 3", self.refused(3, "prep", "latin.txt", "x.csv", "--steps", "text"))
        self.write("news/stray.txt", "word")
        self.assertIn("news/stray.txt: lies beside the subfolders",
                      self.refused(3, "rank", "news", "--prep", "text", "-m", "variance"))
        self.pith("prep", "news", "x.mtx", "--steps", "text", "--no-labels", "-q")
        self.assertIn("did you mean 'english'", self.refused(2, "prep", "news", "x.csv", "--steps", "text=englsh"))
        self.assertIn("nowhere", self.refused(3, "prep", "nowhere", "x.csv", "--steps", "text"))
        self.assertIn("is a directory", self.refused(3, "prep", "news", "x.csv", "--steps", "tfidf"))
        self.assertIn("words.txt: cannot be read",
                      self.refused(3, "prep", "news", "x.csv", "--steps", "text:stop-words=words.txt", "--no-labels"))
        self.assertIn("'english', the only list that pith has",
                      self.refused(3, "prep", "news", "x.csv", "--steps", "text:stop-words=german", "--no-labels"))
        self.assertIn("without blanks: tfidf,l2", self.refused(2, "prep", "news", "x.csv", "--steps", "text,"))
        self.assertIn("at least 99 (min-df)", self.refused(3, "prep", "news", "x.csv", "--steps", "text:min-df=99", "--no-labels"))
        self.assertIn("not from standard input", self.refused(3, "rank", "-", "--prep", "text"))


class OnTheWay(Case):
    """--prep of rank, select and compare."""
    STEPS = "drop-constant,drop-duplicates,log1p"

    def setUp(self):
        super().setUp()
        self.write("c.csv", COUNTS)
        self.pith("prep", "c.csv", "p.csv", "--steps", self.STEPS)

    def test_rank_is_that_of_the_prepared_data_with_the_old_index(self):
        one = self.rows(self.pith("rank", "c.csv", "-m", "variance", "--prep", self.STEPS))
        two = self.rows(self.pith("rank", "p.csv", "-m", "variance"))
        self.assertEqual([(r["name"], r["score"]) for r in one], [(r["name"], r["score"]) for r in two])
        old = COUNTS.splitlines()[0].split(",")
        self.assertEqual([old[int(r["index"])] for r in one], [r["name"] for r in one])
        self.assertEqual(sorted(r["index"] for r in one), ["1", "2", "3"])

    def test_select_is_prep_and_then_select(self):
        self.assertEqual(self.pith("select", "c.csv", "-m", "variance", "-n", "2", "--prep", self.STEPS, "-q"),
                         self.pith("select", "p.csv", "-m", "variance", "-n", "2", "-q"))
        self.assertIn("after --prep: 3", self.refused(2, "select", "c.csv", "-m", "variance", "-n", "4", "--prep",
                                                      self.STEPS))

    def test_json_records_the_steps_with_their_parameters(self):
        told = self.json("rank", "c.csv", "-m", "variance", "--prep", "tfidf=smooth,l2", "--format", "json")
        self.assertEqual(told["data"]["prep"], "tfidf:idf=smooth:tf=raw,l2")
        self.assertEqual(told, dict(self.json("rank", "c.csv", "-m", "variance", "--prep", told["data"]["prep"],
                                              "--format", "json"), seconds=told["seconds"]))
        self.assertIsNone(self.json("rank", "c.csv", "-m", "variance", "--format", "json")["data"]["prep"])

    def test_mistakes_are_found_before_the_data_is_read(self):
        for command in (["rank"], ["select", "-n", "2"], ["compare"]):
            self.assertIn("unknown step 'lg1p'; did you mean 'log1p'?",
                          self.refused(2, *command, "not-there.csv", "--prep", "lg1p"))

    def test_compare_records_and_resumes_it(self):
        words = ["-m", "variance", "-n", "1,2", "--restarts", "2", "-q", "-o", "r.json"]
        self.pith("compare", "c.csv", *words, "--prep", self.STEPS, "--image-shape", "1x5")
        told = json.loads(self.read("r.json"))
        self.assertEqual(told["data"]["prep"], "drop-constant,drop-duplicates:of=features,log1p")
        self.assertEqual(told["data"]["features"], 3)
        for entry in told["top"]:
            for feature in entry["features"]:
                self.assertEqual(COUNTS.splitlines()[0].split(",")[feature["index"]], feature["name"])
        self.assertLessEqual({j for p in told["image"]["pixels"] for j in p["index"]}, {1, 2, 3})
        self.pith("compare", "c.csv", *words, "--prep", self.STEPS, "--image-shape", "1x5", "--resume", "r.json")
        again = json.loads(self.read("r.json"))
        self.assertEqual(told["rankings"], again["rankings"])
        self.assertEqual(told["rows"], again["rows"])
        self.assertIn("prepared differently", self.refused(3, "compare", "c.csv", *words, "--resume", "r.json", "--prep",
                                                         "drop-constant,drop-duplicates"))


if __name__ == "__main__":
    unittest.main()
