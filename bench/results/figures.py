"""Numbers out of the kept comparisons."""
import numpy as np

SUPERVISED = "mutual-info"  # it sees the labels: shown beside the others, ranked with none
YARDSTICKS = ("all-features", "random", SUPERVISED)


def values(by_count, measure):
    return {count: figure[measure] for count, figure in by_count.items() if figure[measure] is not None}


def figures(result, measure):
    """{method: {count: mean}} of a comparison without grids."""
    found = {m: values(settings[""], measure) for m, settings in result["figures"].items() if "" in settings}
    return {m: by_count for m, by_count in found.items() if by_count}


def over_grid(result, measure, which):
    """The same, with the best setting of the grid at each count (chosen with the labels) or the median one."""
    choose = {"best": max, "median": lambda v: float(np.median(v))}[which]
    found = {}
    for method, settings in result["figures"].items():
        by_count = {}
        for figure in settings.values():
            for count, value in values(figure, measure).items():
                by_count.setdefault(count, []).append(value)
        if by_count:
            found[method] = {count: choose(v) for count, v in by_count.items()}
    return found


def averages(found):
    """The mean over counts: one number a method that no choice of a count flatters."""
    return {method: float(np.mean(list(by_count.values()))) for method, by_count in found.items()}


def ranks(tables):
    """Average rank of the methods that all tables {method: value} have; ties share their places."""
    methods = sorted(set.intersection(*(set(t) for t in tables)) - {SUPERVISED})
    places = []
    for table in tables:
        row = np.array([table[m] for m in methods])
        places.append([1 + (row > v).sum() + ((row == v).sum() - 1) / 2 for v in row])
    return dict(zip(methods, np.mean(places, axis=0)))


def critical_difference(methods, sets):
    """Nemenyi's: average ranks further apart than this differ at the 5 % level."""
    from scipy.stats import studentized_range
    return studentized_range.ppf(0.95, methods, np.inf) / np.sqrt(2) * np.sqrt(methods * (methods + 1) / (6 * sets))


def interval(differences):
    """(mean, low, high) of paired differences, one for each set: Student's 95 % interval; ends None for a single set."""
    from scipy.stats import t
    d = np.asarray(differences, dtype=float)
    if len(d) < 2:
        return float(d.mean()), None, None
    half = t.ppf(0.975, len(d) - 1) * d.std(ddof=1) / np.sqrt(len(d))
    return float(d.mean()), float(d.mean() - half), float(d.mean() + half)
