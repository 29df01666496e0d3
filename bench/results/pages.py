"""The pages of the results book, in Markdown, from the comparisons' figures."""
import papers
from figures import SUPERVISED, averages, costs, critical_difference, errors, figures, over_grid, ranks
from pictures import curves, rank_diagram

KIND_TEXT = {
    "defaults": "Defaults: every method with its default parameters; labels only measure.",
    "median": "Median over the grid: what a user without labels can expect who picks a setting blindly.",
    "best": "Best over the grid, chosen with the labels, as the papers do: an upper bound that no user without labels "
            "can reach.",
}


def table(head, rows):
    rows = [row + [""] * (len(head) - len(row)) for row in rows]
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def cell(value, best):
    return "" if value is None else f"**{value:.3f}**" if value == best else f"{value:.3f}"


def averages_table(by_set):
    """One line a method, one column a set: the mean over counts, the best of each column in bold."""
    by_set = {s: t for s, t in by_set.items() if t}
    methods = sorted({m for t in by_set.values() for m in t}, key=lambda m: -sum(t.get(m, 0) for t in by_set.values()))
    tops = {s: max(v for m, v in t.items() if m != SUPERVISED) for s, t in by_set.items()}
    return table(["method", *by_set], [[m + (" (sees labels)" if m == SUPERVISED else "")]
                                       + [cell(t.get(m), tops[s]) for s, t in by_set.items()] for m in methods])


def defaults_page(results, folder):
    """results: {set: {kind: JSON}}. Tables, curves and average ranks of the runs without grids."""
    have = {s: r["defaults"] for s, r in results.items() if r.get("defaults")}
    text = ["# Defaults", "", KIND_TEXT["defaults"], "Each figure is the mean over all feature counts of the run.", ""]
    for measure in ("nmi", "acc"):
        by_set = {s: averages(figures(r, measure)) for s, r in have.items()}
        text += [f"## {measure.upper()}", "", averages_table(by_set)]
        complete = [t for s, t in by_set.items() if have[s]["complete"]]
        if len(complete) > 1:
            found = ranks(complete)
            rank_diagram(found, critical_difference(len(found), len(complete)), folder / f"ranks-{measure}.svg")
            text += [f"Average ranks over {len(complete)} sets:", "", f"![average ranks by {measure.upper()}](ranks-{measure}.svg)", ""]
    text += ["## Curves", ""]
    for name, result in have.items():
        curves(figures(result, "nmi"), name, "nmi", folder / f"{name}.svg")
        text += [f"![NMI over the number of features, {name}]({name}.svg)", ""]
    failed = [f"- {s}, {m}: {why}" for s, r in have.items() for m, why in errors(r).items()]
    return "\n".join(text + (["## What did not run", ""] + failed if failed else [])) + "\n"


def grids_page(results):
    text = ["# Over grids", ""]
    for which in ("median", "best"):
        text += [f"## {which.capitalize()}", "", KIND_TEXT[which], ""]
        for kind in ("des", "snfs", "nrfs", "lgdfs", "hufs"):
            by_set = {s: averages(over_grid(r[kind], "nmi", which)) for s, r in results.items() if r.get(kind)}
            if by_set:
                text += [f"### Protocol of {kind.upper()}, NMI", "", averages_table(by_set)]
    return "\n".join(text) + "\n"


def best_of(found):
    return max(found.values()) if found else None


def hufs_table(results, measure, stated, scale):
    """Theirs and ours in turn: the best setting and count, chosen with the labels."""
    rows = []
    for theirs, ours in papers.HUFS_SETS.items():
        result = results.get(ours, {}).get("hufs")
        if result is None:
            continue
        found = over_grid(result, measure, "best")
        rows.append([f"{ours}, paper"] + [f"{v:g}" for v in stated[theirs]])
        rows.append([f"{ours}, pith"] + [f"{scale * best_of(found[m]):.3g}" if m in found else "" for m in papers.HUFS_METHODS])
    return table(["data", *papers.HUFS_METHODS], rows)


def snfs_table(results, name):
    result, rows = results.get(name, {}).get("snfs"), []
    if result is None:
        return ""
    for method, stated in papers.SNFS_NMI[name].items():
        found = {w: over_grid(result, "nmi", w).get(method, {}) for w in ("median", "best")}
        rows.append([f"{method}, paper"] + ["/".join(f"{x:.3f}" for x in (v if isinstance(v, tuple) else (v,))) for v in stated])
        rows.append([f"{method}, pith"] + [f"{found['median'][c]:.3f}/{found['best'][c]:.3f}" if c in found["best"] else ""
                                           for c in papers.SNFS_COUNTS])
    return f"### {name}\n\n" + table(["median/best NMI", *map(str, papers.SNFS_COUNTS)], rows)


def papers_page(results):
    text = ["# Beside the papers' tables", "", "Both rows of a pair are the best over a grid, chosen with the labels, unless a "
            "column says otherwise.", "", "## HUFS, Table 2: accuracy in %", "", hufs_table(results, "acc", papers.HUFS_ACC, 100),
            "## HUFS, Table 3: NMI", "", hufs_table(results, "nmi", papers.HUFS_NMI, 1), "## SNFS, supplement, Table 2", ""]
    return "\n".join(text + [snfs_table(results, name) for name in papers.SNFS_NMI]) + "\n"


def cost_page(results):
    by_set = {s: costs(r["defaults"]) for s, r in results.items() if r.get("defaults")}
    methods = sorted({m for t in by_set.values() for m in t}, key=lambda m: sum(t.get(m, (0, 0))[0] for t in by_set.values()))
    rows = [[m] + [f"{t[m][0]:.2g} s, {t[m][1] / 1e6:.0f} MB" if m in t else "" for t in by_set.values()] for m in methods]
    return ("# Time and memory\n\nSeconds of one run with the defaults, alone, and the most memory beyond the data.\n\n"
            + table(["method", *by_set], rows))


def sets_page(sets):
    rows = [[s["name"], s["domain"], s["shape"], f"github.com/{s['source'].replace(':', ', ', 1)}"] for s in sets]
    return "# Where the data can be had\n\n" + table(["name", "kind", "shape", "source"], rows)
