"""pith prep: steps of preparation."""
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
        self.assertIn("IN OUT", self.refused(2, "prep", "b.csv", "--steps", "drop-noisy"))
        self.assertIn("did you mean 'drop-noisy'", self.refused(2, "prep", "b.csv", "r.csv", "--steps", "drop_noisy"))
        self.assertIn("a number in", self.refused(2, "prep", "b.csv", "r.csv", "--steps", "drop-noisy:remove=1"))
        self.assertFalse((self.folder / "r.csv").exists())


if __name__ == "__main__":
    unittest.main()
