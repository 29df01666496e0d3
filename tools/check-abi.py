#!/usr/bin/env python3
"""What programs built with the last release rely on: does libpith still have it?

    tools/check-abi.py LIBRARY                  compares libpith.so and include/pith.h with the newest list in tests/abi
    tools/check-abi.py --write VERSION [HEADER] writes the list of a release: tests/abi/VERSION.txt
    tools/check-abi.py --self-test

A function that is gone, or takes other arguments, a struct with other fields and an enum with other numbers break
such programs. That needs a new number in the library's file name (SOVERSION) and a line in tests/abi/broken.txt,
which says what became of it: so it is done on purpose and not unnoticed. What is new breaks nothing.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTS = ROOT / "tests/abi"


def declared(header):
    """{name: declaration} of functions, structs and enums, without comments and in one form of blanks."""
    text = re.sub(r"/\*.*?\*/", " ", header, flags=re.S)
    text = re.sub(r"^\s*#.*?(?<!\\)$", " ", text, flags=re.M | re.S)
    text = re.sub(r"\s+", " ", text)
    found = {}
    for words, name, arguments in re.findall(r"PITH_API ([^;()]*?)\b(pith_\w+)\(([^;]*)\);", text):
        found[name] = f"{words.strip()} {name}({arguments})"
    for kind, name, body in re.findall(r"typedef (struct|enum) (pith_\w+) \{(.*?)\}", text):
        found[name] = f"{kind} {name} {{{body.strip()}}}"
    return found


def changes(old, new):
    """Names of the old list that a program can no longer rely on, and how."""
    broken = {}
    for name, was in old.items():
        now = new.get(name)
        if now is None:
            broken[name] = "is gone"
        elif was.startswith("enum"):
            # Constants are appended: what there was keeps its numbers.
            if not re.sub(r"[, ]*\}$", "", now).startswith(re.sub(r"[, ]*\}$", "", was)):
                broken[name] = f"was {was}, is {now}"
        elif now != was and not (was.startswith(f"struct {name} {{size_t size;") and now.startswith(was[:-1])):
            # One that begins with its size may grow at its end.
            broken[name] = f"was {was}, is {now}"
    return broken


def read_list(path):
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {re.match(r"(?:struct|enum) (\w+)|.*?\b(pith_\w+)\(", line).group(1)
            or re.match(r".*?\b(pith_\w+)\(", line).group(1): line for line in lines}


def write_list(version, header):
    found = declared(header)
    text = "".join(found[name] + "\n" for name in sorted(found))
    (LISTS / f"{version}.txt").write_text(f"# What programs built with libpith {version} rely on: tools/check-abi.py\n{text}")


def soversion(version):
    major, minor, _ = version.split(".")
    return f"{major}.{minor}" if major == "0" else major


def check(library):
    newest = max(LISTS.glob("[0-9]*.txt"), key=lambda p: [int(n) for n in p.stem.split(".")])
    listed, header = read_list(newest), (ROOT / "include/pith.h").read_text()
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    shown = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    symbols = {line.split()[-1] for line in shown.splitlines()}
    soname = re.search(r"SONAME.*\[(.*)\]", dynamic)[1]
    broken = changes(listed, declared(header))
    broken.update({name: "is not exported" for name, was in listed.items() if "(" in was and name not in symbols})
    told = {line.split(":")[0] for line in (LISTS / "broken.txt").read_text().splitlines() if not line.startswith("#")}
    wrong = [f"{name}: {how}" for name, how in sorted(broken.items()) if name not in told]
    wrong += [f"{name}: tests/abi/broken.txt names it, but it is as in {newest.stem}" for name in sorted(told - set(broken))]
    if broken and soname == f"libpith.so.{soversion(newest.stem)}":
        wrong.append(f"{soname} is also that of {newest.stem}, and {len(broken)} things are broken: it needs a new number")
    return wrong


def self_test():
    head = "typedef struct pith_a { int x; /* of a */ } pith_a;\ntypedef enum pith_e { P, Q } pith_e;\n"
    old = declared(head + "#define PITH_API x\nPITH_API int pith_f(void);\nPITH_API\nint pith_g(\n int a);")
    assert old == {"pith_f": "int pith_f(void)", "pith_g": "int pith_g( int a)", "pith_a": "struct pith_a {int x;}",
                   "pith_e": "enum pith_e {P, Q}"}, old
    assert changes(old, old) == {}
    assert changes(old, {**old, "pith_h": "int pith_h(void)", "pith_e": "enum pith_e {P, Q, R}"}) == {}
    for name, now in (("pith_f", "int pith_f(int)"), ("pith_a", "struct pith_a {int x; int y;}"), ("pith_e", "enum pith_e {Q, P}")):
        assert list(changes(old, {**old, name: now})) == [name], name
    sized, grown = {"pith_s": "struct pith_s {size_t size; int x;}"}, {"pith_s": "struct pith_s {size_t size; int x; int y;}"}
    assert changes(sized, grown) == {} and list(changes(grown, sized)) == ["pith_s"]
    assert changes(old, {k: v for k, v in old.items() if k != "pith_g"}) == {"pith_g": "is gone"}
    assert (soversion("0.2.7"), soversion("1.4.0")) == ("0.2", "1")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    elif len(sys.argv) in (3, 4) and sys.argv[1] == "--write":
        write_list(sys.argv[2], pathlib.Path(sys.argv[3] if len(sys.argv) == 4 else ROOT / "include/pith.h").read_text())
    elif len(sys.argv) == 2:
        mistakes = check(sys.argv[1])
        print("\n".join(mistakes))
        sys.exit(bool(mistakes))
    else:
        sys.exit(__doc__)
