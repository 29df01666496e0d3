"""The pages of the results book, in Markdown, from the comparisons' figures."""
import papers
import runs
import timing
from figures import SUPERVISED, YARDSTICKS, averages, costs, critical_difference, errors, figures, over_grid, ranks
from pictures import curves, rank_diagram

KIND_TEXT = {
    "defaults": "Defaults: every method with its default parameters; labels are used only for evaluation.",
    "median": "Median over the grid: what a user without labels can expect when picking a setting blindly.",
    "best": "Best over the grid, chosen using the labels, as in the papers: an upper bound that no user without labels "
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


def ranks_figure(tables, name, folder):
    found = ranks(tables)
    rank_diagram(found, critical_difference(len(found), len(tables)), folder / name)
    return [f"Average ranks over the {len(tables)} sets that have all of these methods; a bar joins methods that do not differ by more "
            "than the critical difference (Nemenyi, 5 %):", "", f"![average ranks]({name})", ""]


def defaults_page(results, folder):
    """results: {set: {kind: JSON}}. Tables, curves and average ranks of the runs without grids."""
    have = {s: r["defaults"] for s, r in results.items() if r.get("defaults")}
    text = ["# Defaults", "", KIND_TEXT["defaults"], "Each figure is the mean over all feature counts of the run.", ""]
    for measure in ("nmi", "acc"):
        by_set = {s: averages(figures(r, measure)) for s, r in have.items()}
        text += [f"## {measure.upper()}", "", averages_table(by_set)]
        complete = [t for s, t in by_set.items() if have[s]["complete"]]
        if len(complete) > 1:
            text += ranks_figure(complete, f"ranks-{measure}.svg", folder)
    text += ["## Curves", ""]
    for name, result in have.items():
        curves(figures(result, "nmi"), name, "nmi", folder / f"{name}.svg")
        text += [f"![NMI over the number of features, {name}]({name}.svg)", ""]
    failed = [f"- {s}, {m}: {why}" for s, r in have.items() for m, why in errors(r).items()]
    return "\n".join(text + (["## What did not run", ""] + failed if failed else [])) + "\n"


def diversity_figures(result):
    """{method: (NMI without, NMI with)}, each the mean over all feature counts."""
    found = {}
    for row in result["rows"]:
        if "nmi" in row and row["setting"].startswith("diversity="):
            found.setdefault(row["method"], {}).setdefault(row["setting"], []).append(row["nmi"]["mean"])
    settings = ("diversity=0", "diversity=0.5")
    return {m: tuple(sum(by[s]) / len(by[s]) for s in settings) for m, by in found.items() if set(by) == set(settings)}


def diversity_page(results):
    """What --diversity 0.5 adds to or takes from methods that rank features one by one."""
    have = {s: diversity_figures(r["diversity"]) for s, r in results.items() if r.get("diversity")}
    methods = sorted({m for found in have.values() for m in found})
    text = ["# With diversity", "", "`--diversity 0.5` moves features that correlate with better ones down the ranking. NMI without it, and in brackets what it adds: "
            "means over all feature counts of the run, defaults otherwise, labels are used only for evaluation. When it helps is in [choosing.md](../choosing.md).", ""]
    text += [table(["method", *have], [[m] + [f"{found[m][0]:.3f} ({found[m][1] - found[m][0]:+.3f})" if m in found else ""
                                              for found in have.values()] for m in methods])]
    gain = {m: [found[m][1] - found[m][0] for found in have.values() if m in found] for m in methods}
    text += ["What it adds on average over the data sets, and on how many it helps or hurts by more than .01:", "",
             table(["method", "mean", "helps", "hurts"], [[m, f"{sum(g) / len(g):+.3f}", f"{sum(x > 0.01 for x in g)} of {len(g)}",
                                                          f"{sum(x < -0.01 for x in g)} of {len(g)}"] for m, g in gain.items()])]
    return "\n".join(text)


def grids_page(results, folder):
    text = ["# Over grids", "", "Each figure is the mean over all feature counts of the protocol. "
            "[evaluating.md](../evaluating.md) explains the protocols; methods that a set lacks were not run on it by that protocol. The protocol of NRFS "
            "has no grids: its median is its best. Texts are rows of tf-idf for NRFS, as it says, and for HUFS, which does not "
            "say; for the others counts, as they are.", ""]
    for which in ("median", "best"):
        text += [f"## {which.capitalize()}", "", KIND_TEXT[which], ""]
        for kind in ("des", "snfs", "nrfs", "lgdfs", "hufs"):
            by_set = {s: averages(over_grid(r[kind], "nmi", which)) for s, r in results.items() if r.get(kind)}
            if by_set:
                text += [f"### Protocol of {kind.upper()}, NMI", "", averages_table(by_set)]
            if len(by_set) > 2 and not (kind == "nrfs" and which == "best"):
                text += ranks_figure(list(by_set.values()), f"ranks-{kind}-{which}.svg", folder)
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
        if method == "all-features":
            rows.append([f"{method}, pith"] + [f"{v:.3f}" for v in figures(result, "nmi")[method].values()])
            continue
        rows.append([f"{method}, pith"] + [f"{found['median'][c]:.3f}/{found['best'][c]:.3f}" if c in found["best"] else ""
                                           for c in papers.SNFS_COUNTS])
    return f"### {name}\n\n" + table(["median/best NMI", *map(str, papers.SNFS_COUNTS)], rows)


def nrfs_table(synthetic):
    """Theirs and ours: features chosen from all samples or from the normal ones, judged on the normal ones."""
    if synthetic is None:
        return ""
    rows = [["all features", *(f"{v:.4f}" for v in papers.NRFS_KMEANS), "", f"{synthetic['all features']:.4f}"]]
    for method, stated in papers.NRFS_SYNTHETIC.items():
        rows.append([method, *(f"{v:.4f}" for v in stated)]
                    + [f"{synthetic[f'{method}, {view}, {source}']:.4f}" for view in ("as it is", "standardised")
                       for source in ("all samples", "normal samples")])
    head = ["chosen by", "paper, all", "paper, normal"] + [f"pith, {view}, {source}" for view in ("as it is", "standardised")
                                                          for source in ("all", "normal")]
    return table(head, rows)


def papers_page(results, synthetic):
    text = ["# Comparison with the papers' tables", "", "Both rows of a pair are the best over a grid, chosen with the labels, unless a "
            "column says otherwise.", "", "## HUFS, Table 2: accuracy in %", "",
            "The paper does not say how its texts are prepared; ours are rows of tf-idf of length 1. Trees are as in "
            "the paper: of words by WordNet, of pixels by their places, of genes by clustering them.", "",
            hufs_table(results, "acc", papers.HUFS_ACC, 100),
            "## HUFS, Table 3: NMI", "", hufs_table(results, "nmi", papers.HUFS_NMI, 1), "## SNFS, supplement, Table 2", "",
            *(snfs_table(results, name) for name in papers.SNFS_NMI), "## NRFS, Table I: NMI on the noisy synthetic data", "",
            "Four features chosen from all samples, or from the normal ones alone; k-means on the normal samples; the mean over 30 "
            "data sets (`pith synth nrfs`). The paper does not say how its columns are scaled.", "", nrfs_table(synthetic)]
    return "\n".join(text) + "\n"


def seconds(value):
    return "below 0.01" if value < 0.01 else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def cost_table(by_set, show):
    """Methods by their sums over the sets that have all of them."""
    methods = {m for t in by_set.values() for m in t}
    whole = [t for t in by_set.values() if methods <= t.keys()]
    methods = sorted(methods, key=lambda m: (sum(t[m] for t in whole), m))
    return table(["method", *by_set], [[m] + [show(t[m]) if m in t else "" for t in by_set.values()] for m in methods])


def cost_page(results, times):
    memory = {s: {m: peak for m, (_, peak) in costs(r["defaults"]).items() if m not in ("all-features", "random")}
              for s, r in results.items() if r.get("defaults")}
    return ("# Time and memory\n\n## CPU seconds\n\nOne run with the defaults, on one thread, reading the file included (the tree of "
            f"hufs too). Empty: not measured, or more than {timing.MINUTES} minutes.\n\n" + cost_table(times, seconds)
            + "\n## Memory\n\nPeak memory beyond the data, in MB.\n\n" + cost_table(memory, lambda v: f"{v / 1e6:.0f}"))


def state(result):
    if result is None:
        return ""
    count = len({row["method"] for row in result["rows"]} - {"all-features", "random"})
    return f"{count} methods" + ("" if result["complete"] else ", cut short")


def sets_page(sets, results):
    rows = [[s["name"], s["domain"], s["shape"], f"github.com/{s['source'].replace(':', ', ', 1)}"] for s in sets]
    kinds = ("defaults", "des", "snfs", "nrfs", "lgdfs", "hufs")
    ran = [[s["name"]] + [state(results.get(s["name"], {}).get(kind)) if kind in runs.kinds_of(s) else "–" for kind in kinds]
           for s in sets]
    return ("# The data\n\n## Where to get it\n\n" + table(["name", "kind", "shape", "source"], rows)
            + "\n## What was run on it\n\n" + table(["name", *kinds], ran)
            + "\n–: other data than the paper is about, or, for LGDFS, fewer than the five classes that it draws.\n")


DOMAINS = {"text": "text", "bio": "genes", "image": "images"}


def leaders(by_set):
    """The five best by average rank, with their mean; the yardsticks below."""
    place, mean = ranks(by_set), {m: sum(t[m] for t in by_set) / len(by_set) for m in by_set[0]}
    order = sorted(place, key=place.get)
    shown = [m for m in order if m not in YARDSTICKS][:5] + [m for m in order if m in YARDSTICKS]
    return table(["method", "average rank", "mean NMI"], [[m, f"{place[m]:.1f}", f"{mean[m]:.3f}"] for m in shown])


def front_page(results, domains, claims, folder):
    have = {s: r["defaults"] for s, r in results.items() if r.get("defaults") and r["defaults"]["complete"]}
    text = ["# What the runs show", "", "`bench/results/book.py` wrote these pages. Three kinds of figures are distinguished:", "",
            *(f"- {said}" for said in KIND_TEXT.values()), "",
            "[Defaults](defaults.md), with curves and ranks; [over grids](grids.md); [compared with the papers' tables](papers.md); "
            "[with diversity](diversity.md); [cells and text, evaluated as in their fields](counts.md); "
            "[time and memory](cost.md); [the data](sets.md), where to get it and what was run on it.", "",
            "## By kind of data", "", "We recommend `energy` for text and cells, `consensus` for genes and `ndfs` for images; why, and what to "
            "expect, is in [choosing.md](../choosing.md). Below are, with defaults and without labels, the five best of all methods "
            "by average rank of their NMI, and the baselines.", ""]
    for domain, name in DOMAINS.items():
        by_set = [averages(figures(r, "nmi")) for s, r in have.items() if domains[s] == domain and len(figures(r, "nmi")) > 20]
        if by_set:
            text += [f"### {name.capitalize()}, {len(by_set)} sets", "", leaders(by_set)]
    lines = [[c.paper, c.text, c.stated, c.found, f"**{c.verdict}**"] for c in claims]
    text += ["## The papers' claims", "", "Each claim is tested on the data that we have, which is not always the paper's own, by the "
             "paper's protocol. The verdict is computed from the figure beside it; \"in part\" means that the direction is right but the "
             "size is not. Results whose parameters were chosen using the labels are marked as best.", "", table(["paper", "claim", "stated", "found", "verdict"], lines)]
    return "\n".join(text)
