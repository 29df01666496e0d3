"""The pages of the results book, in Markdown, from the kept runs."""
import numpy as np

import choosing
import fields
import keeping
import papers
import runs
from figures import SUPERVISED, YARDSTICKS, averages, critical_difference, figures, over_grid, ranks
from pictures import curves, rank_diagram
from tables import foot, signed, table

KIND_TEXT = {
    "defaults": "Defaults: every method with its default parameters; labels are used only for evaluation.",
    "median": "Median over the grid: what a user without labels can expect when picking a setting blindly.",
    "best": "Best over the grid, chosen using the labels, as in the papers: an upper bound that no user without labels "
            "can reach.",
}


def cell(value, best):
    return "" if value is None else f"**{value:.3f}**" if value == best else f"{value:.3f}"


def best_first(by_set):
    """All methods, by how far they are ahead of what all sets have; a method that some sets lack is held to the others."""
    common = set.intersection(*map(set, by_set.values())) if by_set else set()
    level = {s: np.mean([t[m] for m in common]) if common else 0 for s, t in by_set.items()}
    ahead = {m: np.mean([t[m] - level[s] for s, t in by_set.items() if m in t]) for m in set().union(*by_set.values())}
    return sorted(ahead, key=lambda m: (-ahead[m], m))


def averages_table(by_set):
    """One line a method, one column a set: the mean over counts, the best of each column in bold."""
    by_set = {s: t for s, t in by_set.items() if t}
    methods = best_first(by_set)
    tops = {s: max(v for m, v in t.items() if m != SUPERVISED) for s, t in by_set.items()}
    return table(["method", *by_set], [[m + (" (sees labels)" if m == SUPERVISED else "")]
                                       + [cell(t.get(m), tops[s]) for s, t in by_set.items()] for m in methods])


def ranks_figure(tables, name, folder):
    found = ranks(tables)
    rank_diagram(found, critical_difference(len(found), len(tables)), folder / name)
    return [f"Average ranks over the {len(tables)} sets that have all of these methods; a bar joins methods that do not differ by more "
            "than the critical difference (Nemenyi, 5 %):", "", f"![average ranks]({name})", ""]


def having(results, kind):
    return {s: r[kind] for s, r in results.items() if r.get(kind)}


def keep_cell(found):
    return "none" if found is None else f"{found['features']:,} ({found['nmi']:.3f})"


def evidence_part(results):
    """What -n auto keeps and what stands out from chance, on the data and on its control."""
    rows = []
    for s in having(results, "defaults"):
        r, keep = runs.as_auto_sees(results[s]), results[s].get("keep")
        found = r["evidence"]
        if found is None or keep is None:
            continue
        everything = next(iter(figures(r, "nmi")["all-features"].values()))
        rows.append([s, f"{found['features']:,} ({everything:.3f})", *(keep_cell(keep["auto"][m]) for m in keeping.METHODS), keep_cell(keep["called"]),
                     f"{found['called']:,} of {found['tested']:,}", f"{found['halves']:.2f}", f"{found['control']['called']:,} of {found['control']['tested']:,}"])
    return ["## How many features", "", "Numbers of features, and in brackets the NMI with them. `-n auto` is what the methods that can choose a number would keep. A feature stands out if its q-value is at most "
            f"{keeping.RATE:g} ([evidence.md](../evidence.md)); q belongs to the data, whatever method ranks it. The halves are how well groups from disjoint halves of the features agree: 0 is chance, 1 the same groups. The control is similar data "
            "without structure, made by `pith synth null`: about nothing should stand out there. Genes are on logarithms here. None: the method keeps no feature.", "",
            table(["data", "all", *(f"`-n auto`, {m}" for m in keeping.METHODS), f"q at most {keeping.RATE:g}", "stand out, of the tested", "halves", "control: stand out"], rows)]


def defaults_page(results, folder):
    """results: {set: {kind: run}}. Tables, curves and average ranks of the runs without grids."""
    have = having(results, "defaults")
    text = ["# Defaults", "", KIND_TEXT["defaults"], "Each figure is the mean over all feature counts of the run. Texts and cells are clustered by their tf-idf, as `pith compare` does with counts; "
            "[counts.md](counts.md) judges them as their fields do.", ""]
    for measure in ("nmi", "acc"):
        by_set = {s: averages(figures(r, measure)) for s, r in have.items()}
        text += [f"## {measure.upper()}", "", averages_table(by_set)]
        if len(by_set) > 1:
            text += ranks_figure(list(by_set.values()), f"ranks-{measure}.svg", folder)
    text += evidence_part(results) + ["## Curves", ""]
    for name, result in have.items():
        curves(figures(result, "nmi"), name, "nmi", folder / f"{name}.svg")
        text += [f"![NMI over the number of features, {name}]({name}.svg)", ""]
    failed = [f"- {s}, {m}: {why}" for s, r in have.items() for m, why in r["errors"].items()]
    text += ["## What did not run", ""] + failed if failed else []
    return "\n".join(text).rstrip() + foot([*have.values(), *having(results, "logs").values(), *having(results, "keep").values()])


def diversity_figures(result):
    """{method: (NMI without, NMI with)}, each the mean over all feature counts."""
    settings = ("diversity=0", "diversity=0.5")
    return {m: tuple(float(np.mean([f["nmi"] for f in by[s].values()])) for s in settings) for m, by in result["figures"].items() if set(settings) <= set(by)}


def diversity_page(results):
    """What --diversity 0.5 adds to or takes from methods that rank features one by one."""
    runs_used = having(results, "diversity")
    have = {s: diversity_figures(r) for s, r in runs_used.items()}
    methods = sorted({m for found in have.values() for m in found})
    text = ["# With diversity", "", "`--diversity 0.5` moves features that correlate with better ones down the ranking. NMI without it, and in brackets what it adds: "
            "means over all feature counts of the run, defaults otherwise, labels are used only for evaluation. When it helps is in [choosing.md](../choosing.md).", ""]
    text += [table(["method", *have], [[m] + [f"{found[m][0]:.3f} ({found[m][1] - found[m][0]:+.3f})" if m in found else ""
                                              for found in have.values()] for m in methods])]
    gain = {m: [found[m][1] - found[m][0] for found in have.values() if m in found] for m in methods}
    text += ["What it adds on average over the data sets, and on how many it helps or hurts by more than .01:", "",
             table(["method", "mean", "helps", "hurts"], [[m, f"{sum(g) / len(g):+.3f}", f"{sum(x > 0.01 for x in g)} of {len(g)}",
                                                          f"{sum(x < -0.01 for x in g)} of {len(g)}"] for m, g in gain.items()])]
    return "\n".join(text).rstrip() + foot(runs_used.values())


def of_field(results, domains, domain):
    return {s: r for s, r in having(results, "field").items() if domains[s] == domain}


def cells_part(have):
    if not have:
        return ["Not run yet.", ""]
    judges = fields.judges(next(iter(have.values())))
    means = {s: fields.averages(r) for s, r in have.items()}
    by_judge = {judge: {s: fields.averages(r, judge) for s, r in have.items()} for judge in judges}
    order = sorted(set.intersection(*map(set, means.values())), key=lambda m: -choosing.mean(means, m))
    rows = [[m, *(f"{means[s][m]:.3f}" for s in have), f"{choosing.mean(means, m):.3f}",
             *(f"{choosing.mean(by_judge[judge], m):.3f}" for judge in judges if len(judges) > 1)] for m in order]
    return ["`bench/cells.py` has the judge: mean of ARI and NMI after scanpy's usual steps (log1p of counts per 10,000, columns to unit variance, 50 principal components), by "
            + " and by ".join(judges) + f", three seeds each, at {', '.join(f'{c:,}' for c in fields.COUNTS['cells'])} genes.", "",
            table(["method", *have, "mean", *(judges if len(judges) > 1 else ())], rows)]


def text_part(have):
    if not have:
        return ["Not run yet.", ""]
    counts = fields.COUNTS["text"]

    def mean(method, count):
        return float(np.mean([fields.at(r, method, count) for r in have.values()]))

    order = sorted(set.intersection(*(set(r["scores"]) for r in have.values())), key=lambda m: -np.mean([mean(m, c) for c in counts]))
    return ["`bench/words.py` has the judge: NMI over the larger entropy, of k-means on unit rows of tf-idf (weights of all words and documents, then the chosen columns), best of four starts, three seeds; at most "
            "2,500 documents of each collection.", "",
            table(["method", *(f"mean, {c}" for c in counts), *(f"{s}, 300" for s in have)],
                  [[m, *(f"{mean(m, c):.3f}" for c in counts), *(f"{fields.at(r, m, 300):.3f}" for r in have.values())] for m in order])]


def genes_part(have):
    if not have:
        return ["Not run yet.", ""]
    return ["Arrays on logarithms: `pith compare --prep auto`, NMI of k-means, the mean over all feature counts, 20 starts. The table of [defaults](defaults.md) has the same with the values as they are. "
            "ALLAML has been standardized by its makers, and is as it is here, too.", "", averages_table({s: averages(figures(r, "nmi")) for s, r in have.items()})]


def counts_page(results, domains):
    logs = having(results, "logs")
    text = ["# Cells, text and genes, evaluated as in their fields", "", "No method saw a label, but for mutual-info. Cells and text are counts of things in samples of differing length: transcripts in cells, words in documents. Where chance plays a part in a method, "
            f"its figures there are means over rankings with {fields.SEEDS} seeds. Differences of .01 to .02 are within the noise of the judges.", "",
            "## Cells", "", *cells_part(of_field(results, domains, "cells")), "## Text", "", *text_part(of_field(results, domains, "text")), "", "## Genes", "", *genes_part(logs)]
    return "\n".join(text).rstrip() + foot([*having(results, "field").values(), *logs.values()])


def grids_page(results, folder):
    text = ["# Over grids", "", "Each figure is the mean over all feature counts of the protocol. "
            "[evaluating.md](../evaluating.md) explains the protocols; methods that a set lacks were not run on it by that protocol. Methods stand in the order of how far they are ahead, on the sets that have them, of the mean of those that all sets have. The protocol of SNFS is that of DES with four of its "
            "five counts, so one run serves both. The protocol of NRFS has no grids: its median is its best. Texts are rows of tf-idf for NRFS, as it says, and for HUFS, which does not "
            "say; for the others counts, as they are.", ""]
    for which in ("median", "best"):
        text += [f"## {which.capitalize()}", "", KIND_TEXT[which], ""]
        for kind in ("des", "snfs", "nrfs", "lgdfs", "hufs"):
            by_set = {s: averages(over_grid(r[kind], "nmi", which)) for s, r in results.items() if r.get(kind)}
            if by_set:
                text += [f"### Protocol of {kind.upper()}, NMI", "", averages_table(by_set)]
            if len(by_set) > 2 and not (kind == "nrfs" and which == "best"):
                text += ranks_figure(list(by_set.values()), f"ranks-{kind}-{which}.svg", folder)
    return "\n".join(text).rstrip() + foot([r[kind] for r in results.values() for kind in runs.OWN if r.get(kind)])


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
    synthetic = synthetic["nmi"]
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
    used = [r[kind] for s, r in results.items() for kind, names in (("hufs", papers.HUFS_SETS.values()), ("snfs", papers.SNFS_NMI)) if r.get(kind) and s in names]
    return "\n".join(text).rstrip() + foot(used + ([synthetic] if synthetic else []))


def seconds(value):
    return "below 0.01" if value < 0.01 else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def cost_table(by_set, show):
    """Methods by their sums over the sets that all of them ran on; None: the method refuses the data."""
    methods = {m for t in by_set.values() for m in t}
    whole = [t for t in by_set.values() if methods <= {m for m, v in t.items() if v is not None}]
    methods = sorted(methods, key=lambda m: (sum(t[m] for t in whole), m))
    return table(["method", *by_set], [[m] + ["" if m not in t else "–" if t[m] is None else show(t[m]) for t in by_set.values()] for m in methods])


def cost_page(results):
    times = {s: r["seconds"] for s, r in having(results, "timing").items()}
    memory = {s: {**{m: peak for m, (_, peak) in r["cost"].items() if m not in ("all-features", "random")}, **dict.fromkeys(r["errors"])} for s, r in having(results, "defaults").items()}
    return ("# Time and memory\n\n## CPU seconds\n\nOne run with the defaults, on one thread, reading the file included (the tree of "
            "hufs too). –: the method is for counts and refuses negative values.\n\n" + cost_table(times, seconds)
            + "\n## Memory\n\nPeak memory beyond the data, in MB.\n\n" + cost_table(memory, lambda v: f"{v / 1e6:.0f}").rstrip()
            + foot([*having(results, "timing").values(), *having(results, "defaults").values()]))


def state(result):
    return f"{len(set(result['figures']) - {'all-features', 'random'})} methods" if result else ""


def sets_page(sets, results):
    rows = [[s["name"], DOMAINS[s["domain"]], s["shape"], f"github.com/{s['source'].replace(':', ', ', 1)}"] for s in sets]
    kinds = ("defaults", *runs.OWN)
    ran = [[s["name"]] + [state(results.get(s["name"], {}).get(kind)) if kind in runs.kinds_of(s) else "–" for kind in kinds]
           for s in sets]
    return ("# The data\n\n## Where to get it\n\n" + table(["name", "kind", "shape", "source"], rows)
            + "\n## What was run on it\n\n" + table(["name", *kinds], ran)
            + "\nThe run of DES's protocol serves SNFS's too. –: other data than the paper is about, or, for LGDFS, fewer than the five classes that it draws. "
            f"Methods that a paper does not compare are left out where their grids would take more than {runs.MOST} CPU minutes by its protocol. An empty cell: not run."
            + foot([r[kind] for r in results.values() for kind in kinds if r.get(kind)]))


DOMAINS = {"text": "text", "cells": "cells", "bio": "genes", "image": "images", "other": "other"}


def leaders(by_set):
    """The five best by average rank, with their mean; the yardsticks below."""
    place = ranks(list(by_set.values()))
    order = sorted(place, key=place.get)
    shown = [m for m in order if m not in YARDSTICKS][:5] + [m for m in order if m in YARDSTICKS]
    return table(["method", "average rank", "mean"], [[m, f"{place[m]:.1f}", f"{choosing.mean(by_set, m):.3f}"] for m in shown])


def takeaways(results, domains, claims):
    """Five lines for a user, each computed from the runs; a line that lacks its runs is left out."""
    text, kinds = [], {d: choosing.scores(results, domains, d) for d in DOMAINS}
    kinds = {d: by_set for d, by_set in kinds.items() if by_set}
    gains = [(by[m] - by["all-features"], by[m] - by["random"]) for by_set in kinds.values() for s, by in by_set.items() for m in choosing.defaults_of(results, [s])]
    if gains:
        over_all, over_random = np.array(gains).T
        text.append(f"The default method is better than all features on {(over_all > 0).sum()} of {len(gains)} sets ({signed(over_all.mean())} on average), and than as many random features on "
                    f"{(over_random > 0).sum()} ({signed(over_random.mean())}).")
    best = {d: choosing.candidates(by_set, (runs.PARETO,))[0] for d, by_set in kinds.items() if d != "other"}
    if best:
        text.append("The best mean over the sets of a method with its defaults, and how far it is ahead of all features: " + "; ".join(
            f"{DOMAINS[d]} `{m}` ({signed(choosing.mean(kinds[d], m) - choosing.mean(kinds[d], 'all-features'))})" for d, m in best.items())
            + ". No method is best everywhere: [choosing.md](../choosing.md).")
    have = [(s, runs.as_auto_sees(r), r["keep"]) for s, r in results.items() if r.get("keep") and runs.as_auto_sees(r) and runs.as_auto_sees(r)["evidence"]]
    if have:
        share = [r["evidence"]["called"] / r["evidence"]["tested"] for _, r, _ in have]
        control = [r["evidence"]["control"] for _, r, _ in have]
        kept = [k["auto"]["consensus"] for _, _, k in have]
        change = np.mean([k["nmi"] - next(iter(figures(r, "nmi")["all-features"].values())) for (_, r, _), k in zip(have, kept)])
        text.append(f"At a false discovery rate of 5 %, {100 * min(share):.0f} to {100 * max(share):.0f} % of the features stand out from chance, {sum(c['called'] for c in control):,} of {sum(c['tested'] for c in control):,} on "
                    f"controls without structure. `consensus -n auto` keeps {min(k['features'] for k in kept):,} to {max(k['features'] for k in kept):,} features, and the NMI with them is {signed(float(change))} from that with all, on average.")
    times = {s: r["seconds"] for s, r in having(results, "timing").items() if results[s].get("keep")}
    if times:
        own = {s: t[results[s]["keep"]["default"].split()[0]] for s, t in times.items()}
        slow = max(((v, m, s) for s, t in times.items() for m, v in t.items() if v is not None))
        slowest = max(own, key=own.get)
        text.append(f"The default takes at most {seconds(own[slowest])} CPU seconds on these sets ({slowest}), the slowest method {seconds(slow[0])} (`{slow[1]}` on {slow[2]}).")
    ran = [c.verdict for c in claims if c.verdict != "not run"]
    if ran:
        text.append(f"Of {len(ran)} claims of the papers that were tested, {ran.count('holds')} hold{'s' if ran.count('holds') == 1 else ''}, {ran.count('in part')} in part, and {ran.count('does not hold')} do{'es' if ran.count('does not hold') == 1 else ''} not.")
    return [f"- {line}" for line in text]


def front_page(results, domains, claims):
    text = ["# What the runs show", "", *takeaways(results, domains, claims), "", "`bench/results/book.py` wrote these pages from the files in `bench/results/runs`. Three kinds of figures are distinguished:", "",
            *(f"- {said}" for said in KIND_TEXT.values()), "",
            "[Defaults](defaults.md), with curves, ranks, and how many features stand out from chance; [over grids](grids.md); [compared with the papers' tables](papers.md); "
            "[with diversity](diversity.md); [cells, text and genes, evaluated as in their fields](counts.md); "
            "[time and memory](cost.md); [the data](sets.md), where to get it and what was run on it.", "",
            "## By kind of data", "", "With defaults, but where an option is named, and without labels: the five best of all methods by average rank, and the baselines. The mean is that of the NMI; cells, texts and genes are judged "
            "[as in their fields](counts.md), cells by ARI and NMI, genes on logarithms. How sure that is, and what `-m auto` takes, is in [choosing.md](../choosing.md).", ""]
    for domain, name in DOMAINS.items():
        by_set = choosing.scores(results, domains, domain)
        if by_set:
            text += [f"### {name.capitalize()}, {len(by_set)} {'set' if len(by_set) == 1 else 'sets'}", "", leaders(by_set)]
    lines = [[c.paper, c.text, c.stated, c.found, f"**{c.verdict}**"] for c in claims]
    text += ["## The papers' claims", "", "Each claim is tested on the data that we have, which is not always the paper's own, by the "
             "paper's protocol. The verdict is computed from the figure beside it; \"in part\" means that the direction is right but the "
             "size is not. Results whose parameters were chosen using the labels are marked as best.", "", table(["paper", "claim", "stated", "found", "verdict"], lines)]
    return "\n".join(text).rstrip() + foot([found for r in results.values() for found in r.values()])
