#!/usr/bin/env python3
"""Runs the examples of README.md and docs/ and compares what they print.

In a ```console block a line `$ command` is run by sh, and what follows up to the next one is what it must
print, on either stream; `...` stands for any text within a line, alone on a line for any number of lines.
A command goes on in the next line after a backslash; it may fail only where the page shows the error, a line
`pith: ...`. The blocks of one page run in one new folder, in their order, so a later one can use the files
of an earlier one; PITH_SOURCE names ROOT, for data in examples/. A ```c block has to be a piece of a program in examples/, or of the engine in tests/,
which are built and run by tests of their own. No example can hide in a block of another kind.

    run_examples.py ROOT FOLDER_OF_PITH [PAGE...]
    run_examples.py --self-test
"""
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TIMEOUT = 120  # seconds; an example is for reading along


def blocks(text):
    """(kind, first line number, lines) of each fenced block."""
    kind, start, held = None, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"\s*```\s*(\S*)", line)
        if fence and kind is None:
            kind, start, held = fence[1], number + 1, []
        elif fence:
            yield kind, start, held
            kind = None
        elif kind is not None:
            held.append(line)


def commands(lines, start):
    """(line number, command, expected lines) of a console block."""
    found, i = [], 0
    while i < len(lines):
        number = start + i
        if lines[i].startswith("$ "):
            command = lines[i][2:]
            while command.endswith("\\") and i + 1 < len(lines):
                i += 1
                command += "\n" + re.sub(r"^> ", "", lines[i])
            found.append((number, command, []))
        elif found:
            found[-1][2].append(lines[i])
        i += 1
    return found


def agrees(wanted, said):
    """Are these lines those, with `...` for any text?"""
    pattern = ""
    for line in wanted:
        if line.strip() == "...":
            pattern += r"(?:[^\n]*\n)*"
        else:
            pattern += ".*".join(re.escape(piece) for piece in line.rstrip().split("...")) + r"[ \t]*\n"
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in said)) is not None


def run(command, folder, programs):
    environment = dict(os.environ, PATH=f"{programs}{os.pathsep}{os.environ['PATH']}", LC_ALL="C.UTF-8", COLUMNS="80")
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False)
    return done.stdout.splitlines(), done.returncode


def offences(page, text, programs, sources):
    """What is wrong with the examples of one page; and how many there are."""
    wrong, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, start, lines in blocks(text):
            if kind == "console":
                for number, command, wanted in commands(lines, start):
                    count += 1
                    while wanted and not wanted[-1].strip():
                        wanted.pop()
                    said, status = run(command, folder, programs)
                    if status and not any(line.startswith("pith: ") for line in wanted):
                        wrong.append(f"{page}:{number}: $ {command}\nexit {status}\n" + "\n".join(said))
                    elif not agrees(wanted, said):
                        difference = difflib.unified_diff(wanted, said, "the page", "the command", lineterm="")
                        wrong.append(f"{page}:{number}: $ {command}\n" + "\n".join(difference))
            elif kind == "c":
                count += 1
                piece = "\n".join(line.strip() for line in lines)
                if not any(piece in source for source in sources):
                    wrong.append(f"{page}:{start}: not a piece of any program in examples/")
            elif any(line.startswith(("$ ", "pith ")) for line in lines):
                wrong.append(f"{page}:{start}: commands belong into a ```console block")
    return wrong, count


def self_test():
    page = """
```console
$ echo one; \\
> echo two >&2
one
two
$ echo time 12.5 s; echo a; echo b; echo end
time ... s
...
end
$ echo kept > file
$ echo pith: no such file; exit 3
pith: no such file
```
```console
$ cat file
kept
```
```c
int x = 1;
```
"""
    bad = {
        "```console\n$ echo a\nb\n```": "$ echo a",
        "```console\n$ echo a; echo b\na\n```": "$ echo a; echo b",
        "```console\n$ echo a\n```": "$ echo a",
        "```console\n$ true\na\n```": "$ true",
        "```console\n$ echo a; exit 3\na\n```": "exit 3",
        "```\n$ echo a\na\n```": "commands belong",
        "```sh\npith rank a.csv\n```": "commands belong",
        "```c\nint y = 1;\n```": "not a piece",
    }
    sources = ["int main(void)\n{\nint x = 1;\n}"]
    failed = offences("good", page, "", sources)[0]
    for text, complaint in bad.items():
        wrong, _ = offences("bad", text, "", sources)
        if len(wrong) != 1 or complaint not in wrong[0]:
            failed.append(f"not seen as it should be: {text!r}: {wrong}")
    print("\n".join(failed))
    return 1 if failed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root, programs = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    os.environ["PITH_SOURCE"] = str(root.resolve())
    pages = [pathlib.Path(p) for p in sys.argv[3:]] or [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    sources = ["\n".join(line.strip() for line in source.read_text().splitlines())
               for source in [*(root / "examples").glob("*.c"), root / "tests/engines/plain.c"]]
    wrong, count = [], 0
    for page in pages:
        found, examples = offences(page, page.read_text(encoding="utf-8"), programs, sources)
        wrong += found
        count += examples
    print("\n\n".join(wrong + [f"{count} examples in {len(pages)} pages, {len(wrong)} wrong"]))
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
