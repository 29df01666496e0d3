"""Commands, options, help and the exit status of a wrong command line."""
import re
import unittest

from support import IRIS, Case

COMMANDS = ["demo", "info", "rank", "select", "compare", "prep", "tree", "synth", "convert", "methods", "bench", "help"]


class Options(Case):
    def setUp(self):
        super().setUp()
        self.write("iris.csv", IRIS)

    def test_version_is_that_of_the_library(self):
        self.assertRegex(self.pith("--version"), r"^pith \d+\.\d+\.\d+\n$")

    def test_help_lists_every_command(self):
        for words in (["--help"], ["-h"], ["help"]):
            text = self.pith(*words)
            for command in COMMANDS:
                self.assertRegex(text, rf"(?m)^  {command} +\w")

    def test_every_command_has_help_that_teaches(self):
        for command in COMMANDS:
            text = self.pith(command, "--help")
            self.assertEqual(text, self.pith("help", command))
            self.assertRegex(text, rf"\Apith {command}: \w.*\n\nusage: pith {command}\b")
            for part in ("options:", "examples:", "exit status:"):
                self.assertIn(f"\n{part}\n", text)
            examples = text[text.index("\nexamples:"):text.index("\nexit status:")]
            self.assertGreaterEqual(len(re.findall(r"(?m)^  pith ", examples)), 2)
            self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_help_wins_over_missing_arguments(self):
        self.pith("select", "--help")
        self.pith("rank", "-qh")

    def test_help_lists_the_formats_and_methods(self):
        self.assertLessEqual({"csv", "tsv", "txt", "csv.gz", "tsv.gz", "txt.gz", "mtx", "mtx.gz", "mat", "npy", "npz",
                              "svm", "libsvm", "h5ad"}, set(self.endings()))
        text = self.pith("--help")
        for method in self.json("methods", "--json"):
            self.assertIn(method["name"], text)

    def test_no_command(self):
        self.assertIn("--help", self.refused(2))

    def test_unknown_words_name_the_nearest(self):
        self.assertIn("'rank'", self.refused(2, "rnak", "iris.csv"))
        self.assertIn("'--neighbors'", self.refused(2, "rank", "iris.csv", "--neigbors", "3"))
        self.assertIn("'--threads'", self.refused(2, "rank", "iris.csv", "--thread", "3"))
        self.assertIn("'--threads'", self.refused(2, "rank", "iris.csv", "-threads", "3"))
        self.assertIn("'laplacian'", self.refused(2, "rank", "iris.csv", "-m", "laplacain"))
        self.assertIn("'laplacian'", self.refused(2, "methods", "laplacain"))
        self.assertIn("'blobs'", self.refused(2, "synth", "blob"))
        self.assertIn("'json'", self.refused(2, "rank", "iris.csv", "--format", "jsn"))
        self.assertIn("'heat'", self.refused(2, "rank", "iris.csv", "-m", "laplacian", "--weight", "het"))
        self.assertIn("'--version'", self.refused(2, "--verson"))
        self.assertIn("'select'", self.refused(2, "help", "selct"))

    def test_a_far_off_word_gets_no_guess_but_a_way_on(self):
        self.assertNotIn("did you mean", self.refused(2, "frobnicate"))
        self.assertIn("pith rank --help", self.refused(2, "rank", "iris.csv", "--frobnicate", "3"))
        self.assertIn("pith methods", self.refused(2, "rank", "iris.csv", "-m", "zzzzzzzz"))

    def test_a_parameter_of_another_method_is_refused(self):
        message = self.refused(2, "rank", "iris.csv", "-m", "laplacian", "--style", "2")
        self.assertIn("laplacian", message)
        self.assertIn("style", message)

    def test_a_shared_parameter_without_use_is_said_and_checked(self):
        done = self.run_pith("rank", "iris.csv", "-m", "variance", "--neighbors", "3")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--neighbors", done.stderr)
        self.assertEqual(done.stdout, self.pith("rank", "iris.csv", "-m", "variance"))
        self.assertIn("neighbors", self.refused(2, "rank", "iris.csv", "-m", "variance", "--neighbors", "x"))

    def test_values_out_of_range_are_refused_with_the_range(self):
        self.assertIn("1..", self.refused(2, "rank", "iris.csv", "-m", "laplacian", "--neighbors", "0"))
        self.assertIn("1..", self.refused(2, "rank", "iris.csv", "-m", "laplacian", "--neighbors", "-3"))
        self.assertIn("1..", self.refused(2, "rank", "iris.csv", "-m", "laplacian", "--neighbors=2.5"))
        self.assertIn("0..4096", self.refused(2, "rank", "iris.csv", "--threads", "5000"))
        self.assertIn("'-1'", self.refused(2, "rank", "iris.csv", "--seed", "-1"))
        self.assertIn("'x'", self.refused(2, "rank", "iris.csv", "--seed", "x"))

    def test_the_spellings_of_an_option_are_equal(self):
        want = self.pith("rank", "iris.csv", "--method", "laplacian", "--neighbors", "2", "--t-factor", "2")
        for words in (["rank", "-mlaplacian", "--neighbors=2", "--t-factor=2", "iris.csv"],
                      ["rank", "-qm", "laplacian", "--neighbors", "2", "--t_factor", "2", "--", "iris.csv"],
                      ["rank", "--neighbors", "9", "--neighbors", "2", "--t-factor", "2", "iris.csv", "-qm",
                       "laplacian"]):
            self.assertEqual(self.pith(*words), want)

    def test_after_two_hyphens_all_is_data(self):
        self.write("-m.csv", IRIS)
        self.assertEqual(self.pith("rank", "-m", "variance", "--", "-m.csv"),
                         self.pith("rank", "-m", "variance", "iris.csv"))

    def test_missing_values_and_arguments(self):
        self.assertIn("needs a value", self.refused(2, "rank", "iris.csv", "-m"))
        self.assertIn("needs a value", self.refused(2, "rank", "iris.csv", "-m", "laplacian", "--neighbors"))
        self.assertIn("DATA", self.refused(2, "rank"))
        self.assertIn("IN OUT", self.refused(2, "convert", "iris.csv"))
        self.assertIn("unexpected argument 'iris.csv'", self.refused(2, "rank", "iris.csv", "iris.csv"))
        self.assertIn("no argument", self.refused(2, "demo", "iris.csv"))
        self.assertIn("no value", self.refused(2, "rank", "iris.csv", "--quiet=yes"))
        self.assertIn("cannot be used together", self.refused(2, "rank", "iris.csv", "--labels", "label", "--no-labels"))

    def test_options_of_other_commands_are_told_from_unknown_ones(self):
        self.assertEqual(self.refused(2, "rank", "iris.csv", "--fdr", "0.05"),
                         "pith rank has no option '--fdr'; commands with it: select")
        self.assertIn("commands with it: rank select compare", self.refused(2, "info", "iris.csv", "--prep", "l2"))
        self.assertIn("given with '--steps'", self.refused(2, "prep", "iris.csv", "a.csv", "--prep", "l2"))
        self.assertIn("given with '--prep'", self.refused(2, "rank", "iris.csv", "--steps", "l2"))
        self.assertIn("unknown option '--methd'; did you mean '--method'", self.refused(2, "rank", "iris.csv", "--methd", "x"))

    def test_the_method_is_looked_at_before_the_data(self):
        self.refused(2, "rank", "nowhere.csv", "-m", "laplacain")
        self.refused(2, "rank", "nowhere.csv", "-m", "laplacian", "--neighbors", "0")

    def test_auto_says_what_it_chose_and_why_unless_quiet(self):
        done = self.run_pith("rank", "iris.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^pith: using the method \w+: .+$")
        quiet = self.run_pith("rank", "iris.csv", "-q")
        self.assertEqual(quiet.stderr, "")
        self.assertEqual(quiet.stdout, done.stdout)

    def test_a_method_tells_whether_its_rows_may_be_spread(self):
        for method in self.json("methods", "--json"):
            where = "may be spread over processes (docs/engines.md)" if method["spreads"] else "must be in one process"
            self.assertIn(f"\nrows    {where}\n", self.pith("methods", method["name"]))

    def test_doubts_about_a_result_are_told_unless_quiet(self):
        done = self.run_pith("rank", "iris.csv", "-m", "ht-des", "--neighbors", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("pith: warning: more than half of the values are nonzero", done.stderr)
        self.assertEqual(self.run_pith("rank", "iris.csv", "-qm", "ht-des", "--neighbors", "1").stderr, "")


if __name__ == "__main__":
    unittest.main()
