"""Shell completion and the man page: everything the command knows is offered and written down."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from support import IRIS, PITH, Case

COMPLETION = pathlib.Path(__file__).parents[2] / "cli" / "completion"


class Shells(Case):
    def setUp(self):
        super().setUp()
        self.write("iris.csv", IRIS)
        self.env = {**os.environ, "PATH": f"{pathlib.Path(PITH).parent}:{os.environ['PATH']}"}

    def bash(self, line):
        """What bash offers at the end of the line."""
        script = f"""source "$0"
            COMP_LINE=$1; COMP_POINT=${{#1}}; read -ra COMP_WORDS <<<"${{1//=/ = }}"
            [[ $1 == *" " || $1 == *= ]] && COMP_WORDS+=("")
            COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _pith; printf '%s\\n' "${{COMPREPLY[@]}}" """
        done = subprocess.run(["bash", "-c", script, COMPLETION / "pith.bash", line], cwd=self.folder, env=self.env,
                              capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def fish(self, line):
        done = subprocess.run(["fish", "-c", 'source $argv[1]; complete -C $argv[2]', COMPLETION / "pith.fish", line],
                              cwd=self.folder, env={**self.env, "HOME": str(self.folder)}, capture_output=True,
                              text=True)
        self.assertEqual(done.stderr, "")
        return [offer.split("\t")[0] for offer in done.stdout.splitlines()]

    def check(self, offers):
        self.assertLessEqual({"rank", "select", "synth", "--help"}, set(offers("pith ")))
        self.assertEqual(offers("pith ra"), ["rank"])
        self.assertLessEqual({"auto", "laplacian", "variance"}, set(offers("pith rank -m ")))
        self.assertEqual(offers("pith rank --format j"), ["json"])
        self.assertIn("--style", offers("pith rank -m spec --"))
        self.assertNotIn("--style", offers("pith rank -m laplacian --"))
        self.assertIn("--neighbors", offers("pith rank --neigh"))
        self.assertEqual(offers("pith rank -m laplacian --weight he"), ["heat"])
        self.assertEqual(offers("pith rank ir"), ["iris.csv"])
        self.assertEqual(offers("pith methods lapl"), ["laplacian"])
        self.assertEqual(offers("pith synth bl"), ["blobs"])
        self.assertEqual(offers("pith synth nu"), ["null"])
        self.assertEqual(offers("pith synth null ir"), ["iris.csv"])
        self.assertEqual(offers("pith tree wo"), ["wordnet"])
        self.assertEqual(offers("pith tree grid ir"), ["iris.csv"])
        self.assertIn("all", offers("pith compare -m "))
        self.assertNotIn("auto", offers("pith compare -m "))
        self.assertEqual(offers("pith compare --resume ir"), ["iris.csv"])

    def test_bash(self):
        self.check(self.bash)
        self.assertEqual(self.bash("pith rank --format=j"), ["json"])

    def test_fish(self):
        if shutil.which("fish") is None:
            self.skipTest("fish is not installed")
        self.check(self.fish)
        self.assertEqual(self.fish("pith rank --format=j"), ["--format=json"])

    def test_zsh_takes_the_file(self):
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        done = subprocess.run(["zsh", "-fc", 'autoload -Uz compinit && compinit -D && source "$0" && '
                               '[[ $_comps[pith] == _pith ]]', COMPLETION / "pith.zsh"],
                              cwd=self.folder, env=self.env, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class ManPage(Case):
    def setUp(self):
        super().setUp()
        self.page = self.pith("help", "--man")

    def test_the_built_page_is_that_of_the_command(self):
        if "PITH_MAN" not in os.environ:
            self.skipTest("PITH_MAN does not say where the built page is")
        self.assertEqual(pathlib.Path(os.environ["PITH_MAN"]).read_text(), self.page)

    def test_it_has_every_command_option_method_and_parameter(self):
        plain = self.page.replace("\\-", "-")
        for line in self.pith("help", "--list").splitlines():
            command = line.split("\t")[0]
            self.assertRegex(plain, rf"(?m)^\.SS pith {command}\b")
            for option in self.pith("help", "--list", command).splitlines():
                self.assertRegex(plain, rf"(?m)^\.B .*{re.escape(option.split(chr(9))[0])}\b")
        for method in self.json("methods", "--json"):
            self.assertRegex(plain, rf"(?m)^\.SS {method['name']}$")
            for parameter in method["parameters"]:
                self.assertRegex(plain, rf"(?m)^\.B {parameter['option']} ")

    def test_it_is_sound_roff(self):
        self.write("pith.1", self.page)
        tried = False
        if shutil.which("mandoc"):
            tried = True
            done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", "pith.1"], cwd=self.folder,
                                  capture_output=True, text=True)
            self.assertEqual([w for w in done.stdout.splitlines() if "missing date" not in w], [])
        if shutil.which("groff"):
            tried = True
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", "pith.1"], cwd=self.folder,
                                  capture_output=True, text=True)
            self.assertEqual(done.stderr, "")
        if not tried:
            self.skipTest("neither mandoc nor groff is installed")


if __name__ == "__main__":
    unittest.main()
