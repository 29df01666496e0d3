"""What `-m auto` should take, by kind of data: how much better or worse methods are than all features, random features and what the field uses.
The part of docs/choosing.md between <!-- runs --> and <!-- /runs -->, and the sentence that book.py prints."""
import fields
import figures
import runs
from tables import foot, signed, table

KINDS = {"text": "Text", "cells": "Cells", "bio": "Genes", "image": "Images", "other": "Other measurements"}
FIELD = {"cells": ("seurat-v3", "dispersion", "deviance", "variance")}  # what people use; elsewhere variance
JUDGED = {"cells": "ARI and NMI at 200 to 2,000 genes, as the field judges ([counts.md](results/counts.md))",
          "text": "NMI at 100 to 600 words, as the field judges ([counts.md](results/counts.md))",
          "bio": "NMI over all feature counts, on logarithms ([counts.md](results/counts.md))"}
OPENING, CLOSING = "<!-- runs -->", "<!-- /runs -->"
NOTHING = 0.05  # NMI: below it the classes were not found


def scores(results, domains, domain):
    """{set: {method: score}}: the field's judge for cells and texts, else the mean NMI over all feature counts with the defaults, of genes on
    logarithms."""
    if domain in fields.COUNTS:
        found = {s: fields.averages(r["field"]) for s, r in results.items() if r.get("field")}
    else:
        found = {s: figures.averages(figures.figures(runs.as_auto_sees(r), "nmi")) for s, r in results.items() if runs.as_auto_sees(r)}
    return {s: by for s, by in found.items() if domains[s] == domain}


def candidates(by_set, also=()):
    """Methods with their defaults that every set has, and those with options that are named, the best mean first."""
    some = set.intersection(*map(set, by_set.values())) - set(figures.YARDSTICKS)
    return sorted((m for m in some if " " not in m or m in also), key=lambda m: (-mean(by_set, m), m))


def mean(by_set, method):
    return sum(by[method] for by in by_set.values()) / len(by_set)


def against(by_set, method, other):
    return figures.interval([by[method] - by[other] for by in by_set.values()])


def shown(found):
    middle, low, high = found
    return signed(middle) + ("" if low is None else f" [{signed(low)}, {signed(high)}]")


def defaults_of(results, names):
    """What -m auto takes on these sets, as the runs noted it."""
    return sorted({results[s]["keep"]["default"] for s in names if results[s].get("keep")})


def kind_table(by_set, domain, defaults):
    field = FIELD.get(domain, ("variance",))
    order = candidates(by_set, defaults)
    rows = [m for m in order if m in order[:5] or m in defaults or m in field]
    others = ("all-features", "random", *field)
    head = ["method", "mean", *(f"minus {o.replace('-features', ' features')}" for o in others), "better than all features"]
    return table(head, [[m + (" (`-m auto`)" if m in defaults else ""), f"{mean(by_set, m):.3f}",
                         *("" if m == o else shown(against(by_set, m, o)) for o in others),
                         f"{sum(by[m] > by['all-features'] for by in by_set.values())} of {len(by_set)}"] for m in rows])


def named(methods, most=6):
    names = [f"`{m}`" for m in methods[:most]] + (["others"] if len(methods) > most else [])
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def helped(by_set):
    """Methods whose whole interval over all features lies above 0."""
    found = [(m, against(by_set, m, "all-features")) for m in candidates(by_set)]
    return [m for m, (_, low, _) in found if low is not None and low > 0]


def remarks(by_set):
    """What the table says in words."""
    order, sure = candidates(by_set), helped(by_set)
    ahead = sum(mean(by_set, m) > mean(by_set, "all-features") for m in order)
    text = [f"{ahead} of {len(order)} methods have a higher mean than all features."]
    if len(by_set) == 1:
        text.append("One set says little about others.")
    else:
        text.append(f"{named(sure)} {'is' if len(sure) == 1 else 'are'} better than all features beyond the spread between sets."
                    if sure else "No method is better than all features beyond the spread between sets.")
    hopeless = [s for s, by in by_set.items() if max(by[m] for m in order) < NOTHING]
    useless = [s for s, by in by_set.items() if s not in hopeless and max(by[m] for m in order) <= by["all-features"]]
    if hopeless:
        text.append(f"On {', '.join(hopeless)} no method finds the classes.")
    if useless:
        text.append(f"On {', '.join(useless)} no method is better than all features.")
    return " ".join(text)


def kind_part(results, domains, domain):
    by_set = scores(results, domains, domain)
    if not by_set or not candidates(by_set):
        return []
    judge = JUDGED.get(domain, "NMI over all feature counts ([defaults.md](results/defaults.md))")
    return [f"**{KINDS[domain]}** ({len(by_set)} {'set' if len(by_set) == 1 else 'sets'}: {', '.join(by_set)}). Means of the {judge}.", "",
            kind_table(by_set, domain, defaults_of(results, by_set)), remarks(by_set), ""]


def groups(results, domains):
    """What -m auto takes now -> {set: {method: score minus all features}}: sets that it treats alike are looked at together."""
    found = {}
    for domain in KINDS:
        for s, by in scores(results, domains, domain).items():
            for now in defaults_of(results, [s]):
                found.setdefault(now, {})[s] = {m: v - by["all-features"] for m, v in by.items()}
    return found


def verdicts(results, domains):
    """For each group of sets what -m auto should take. It changes only where another method is better beyond the spread between sets."""
    for now, by_set in sorted(groups(results, domains).items()):
        order = candidates(by_set, (now,))
        ranked = figures.ranks([{m: by[m] for m in order} for by in by_set.values()])
        first, best_rank = order[0], min(order, key=lambda m: (ranked[m], m))
        where = f"Where `-m auto` takes `{now}` ({len(by_set)} {'set' if len(by_set) == 1 else 'sets'})"
        gain = f"its mean gain over all features is {shown(against(by_set, now, 'all-features'))}"
        if first == now:
            yield f"{where}, {gain}, the highest of all methods; `{best_rank}` has the best average rank. By these figures it stays `{now}`."
            continue
        lead = against(by_set, first, now)
        sure = lead[1] is not None and lead[1] > 0
        yield (f"{where}, {gain}. `{first}` has the highest mean, ahead by {shown(lead)}; `{best_rank}` has the best average rank. "
               + (f"By these figures it should take `{first}`." if sure else f"The sets do not tell them apart, so by these figures it stays `{now}`."))


def part(results, domains):
    """The generated part of docs/choosing.md."""
    text = ["`bench/results/book.py` wrote this part from [the runs](results/README.md): all methods with their defaults; labels were used only to measure. For each kind of "
            "data it has the five best methods by their mean over the sets, what `-m auto` takes, and what the field uses. A difference is the mean over "
            "the sets, and in brackets Student's 95 % interval of the paired differences. The sets are few, so intervals are wide; and the best of two dozen methods "
            "looks better on these sets than it will on yours.", ""]
    for domain in KINDS:
        text += kind_part(results, domains, domain)
    text += [f"- {said}" for said in verdicts(results, domains)]
    used = [r[kind] for r in results.values() for kind in ("defaults", "logs", "field", "keep") if r.get(kind)]
    return "\n".join(text) + foot(used)


def filled(page, text):
    """The page with the text between its markers."""
    before, rest = page.split(OPENING + "\n")
    return before + OPENING + "\n" + text + CLOSING + rest.split(CLOSING)[1]
