#!/usr/bin/env python3
"""Writes what the documentation takes from the registry: the table of methods in README.md, between
<!-- methods --> and <!-- /methods -->, and the table of parameters in each docs/methods/NAME.md, between
<!-- parameters --> and <!-- /parameters -->; and the steps of a preparation in docs/preparing.md, between
<!-- steps --> and <!-- /steps -->, read off the man page; and whole, the type stubs of the Python package and the help
page of the R package about parameters.

    tools/update-docs.py PITH            rewrites them with what this pith says
    tools/update-docs.py PITH --check    only looks; exit 1 names what is out of date or missing
"""
import importlib.util
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
OTHER_PAGES = ["README", "evidence"]  # of docs/methods, about no single method


def ask(pith, *arguments):
    return subprocess.run([pith, *arguments], check=True, capture_output=True, text=True).stdout


def linked(table):
    """The table of methods with each name, below its head, leading to its page."""
    head, rule, *rows = table.splitlines()
    return "\n".join([head, rule, *(re.sub(r"^\| `?([a-z0-9-]+)`? \|", r"| [\1](docs/methods/\1.md) |", r) for r in rows)])


def filled(path, marker, text):
    """The page with `text` between its markers; None if it has no such markers."""
    old = path.read_text(encoding="utf-8")
    opening, closing = f"<!-- {marker} -->", f"<!-- /{marker} -->"
    before, found, rest = old.partition(opening)
    _, found_end, after = rest.partition(closing)
    if not found or not found_end:
        return old, None
    return old, f"{before}{opening}\n{text.strip()}\n{closing}{after}"


def steps(page):
    """The steps and recipes of the man page as two tables."""
    page = page.replace("\\-", "-").replace("\\&", "")
    part = page[page.index(".SH STEPS"):]
    part = part[:part.index("\n.SH ", 1)]
    plain, _, recipes = part.partition("Recipes stand for steps:")
    lines = ["| step | what it does | its parameters |", "| --- | --- | --- |"]
    for section in plain.split("\n.SS ")[1:]:
        entry, *settings = section.split("\n.TP\n.B ")
        name, title = entry.strip().split("\n")[:2]
        told = [f"`{head.strip()}`: {text}" for head, text in (s.strip().split("\n")[:2] for s in settings)]
        lines.append(f"| `{name}` | {title} | {'<br>'.join(told).replace('|', chr(92) + '|')} |")
    lines += ["", "| recipe | steps | what for |", "| --- | --- | --- |"]
    for section in recipes.split("\n.SS ")[1:]:
        name, title, _, stands_for = section.strip().split("\n")[:4]
        lines.append(f"| `{name}` | `{stands_for}` | {title} |")
    return "\n".join(lines)


def stubs(methods):
    """python/pith/_estimators.pyi, by the module of the package that writes signatures from the same words."""
    spec = importlib.util.spec_from_file_location("_signatures", ROOT / "python/pith/_signatures.py")
    module, sys.dont_write_bytecode = importlib.util.module_from_spec(spec), True
    spec.loader.exec_module(module)
    return module.stubs(methods)


def rd_text(text):
    """Plain text in R's documentation format. Options of the command are arguments in R."""
    text = re.sub(r"(^|[ (])-n auto", r'\1n = "auto"', text)
    text = re.sub(r"--([a-z][a-z-]*) ([\d.]+)", lambda m: f"{m[1].replace('-', '_')} = {m[2]}", text)
    text = re.sub(r"--([a-z][a-z-]*)", lambda m: m[1].replace("-", "_"), text)
    return re.sub(r"([\\\\%{}])", r"\\\1", text)


def rd_range(p):
    kind = p["type"]
    if kind == "choice":
        return ", ".join(p["choices"])
    if kind in ("integer", "real"):
        return f"{kind} in {p['low']:g} to {p['high']:g}" + (f", or {p['auto_word']}" if p["can_be_auto"] else "")
    return {"boolean": "TRUE or FALSE", "name": "text"}.get(kind, "file")


def rd_default(p):
    value = p["default"]
    if value is None:
        return ""
    return f"; default {str(value).upper() if isinstance(value, bool) else f'{value:g}' if isinstance(value, (int, float)) else value}"


def rd_page(methods):
    """r/man/pith_parameters.Rd."""
    lines = ["% Written by tools/update-docs.py from what the library says: change it there.", r"\name{pith_parameters}",
             r"\alias{pith_parameters}", r"\title{Parameters of the methods}", r"\description{",
             r"Every parameter of every method: arguments of \code{\link{pith_rank}} and \code{\link{pith_select}}, and, for all methods",
             r'that have it, of \code{\link{pith_compare}}. \code{pith_methods("cl-des")} prints those of one.', "}"]
    for m in methods:
        lines += [rf"\section{{{m['name']}}}{{", rd_text(m["title"]), r"\describe{"]
        lines += [rf"\item{{\code{{{p['name']}}} ({rd_text(rd_range(p) + rd_default(p))})}}{{{rd_text(p['help'])}}}" for p in m["parameters"]]
        lines += ["}", "}"]
    return "\n".join([*lines, r"\seealso{\code{\link{pith_methods}}}", ""])


def main():
    pith, check = sys.argv[1], sys.argv[2:] == ["--check"]
    methods = json.loads(ask(pith, "methods", "--json"))
    names = [m["name"] for m in methods]
    pages = [("README.md", "methods", linked(ask(pith, "methods", "--format", "markdown")))]
    pages += [(f"docs/methods/{n}.md", "parameters", ask(pith, "methods", n, "--format", "markdown")) for n in names]
    pages.append(("docs/preparing.md", "steps", steps(ask(pith, "help", "--man"))))
    wrong = []
    for name, marker, text in pages:
        path = ROOT / name
        if not path.exists():
            wrong.append(f"{name}: missing")
            continue
        old, new = filled(path, marker, text)
        if new is None:
            wrong.append(f"{name}: no <!-- {marker} --> ... <!-- /{marker} -->")
        elif new != old and check:
            wrong.append(f"{name}: out of date, run `make docs`")
        elif new != old:
            path.write_text(new, encoding="utf-8")
            print(f"{name}: rewritten")
    for name, text in (("python/pith/_estimators.pyi", stubs(methods)), ("r/man/pith_parameters.Rd", rd_page(methods))):
        path = ROOT / name
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if check:
            wrong.append(f"{name}: out of date, run `make docs`")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"{name}: rewritten")
    for path in sorted((ROOT / "docs/methods").glob("*.md")):
        if path.stem not in [*names, *OTHER_PAGES]:
            wrong.append(f"docs/methods/{path.name}: no such method")
    print("\n".join(wrong) if wrong else "docs: current")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
