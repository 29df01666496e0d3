"""Numbers out of the comparisons' JSON."""
import numpy as np

SUPERVISED = "mutual-info"  # it sees the labels: shown beside the others, ranked with none
YARDSTICKS = ("all-features", "random", SUPERVISED)


def figures(result, measure):
    """{method: {count: mean}} of a comparison without grids."""
    found = {}
    for row in result["rows"]:
        if "error" not in row and row.get(measure):
            found.setdefault(row["method"], {})[row["features"]] = row[measure]["mean"]
    return found


def over_grid(result, measure, which):
    """The same, with the best setting of the grid at each count (chosen with the labels) or the median one."""
    found = {}
    for entry in result["summary"]:
        value = entry[which].get(measure)
        value = value["mean"] if isinstance(value, dict) else value
        if value is not None:
            found.setdefault(entry["method"], {})[entry["features"]] = value
    everything = figures(result, measure).get("all-features")  # it has no settings, and one count
    return {**found, **({"all-features": everything} if everything else {})}


def averages(found):
    """The mean over counts: one number a method that no choice of a count flatters."""
    return {method: float(np.mean(list(by_count.values()))) for method, by_count in found.items()}


def costs(result):
    """{method: (seconds, bytes)} of a comparison without grids."""
    return {row["method"]: (row["seconds"], row["peak_bytes"]) for row in result["rows"]
            if "error" not in row and row.get("seconds") is not None}


def errors(result):
    return {row["method"]: row["error"] for row in result["rows"] if "error" in row}


def ranks(tables):
    """Average rank of the methods that all tables {method: value} have; ties share their places."""
    methods = sorted(set.intersection(*(set(t) for t in tables)) - {SUPERVISED})
    places = []
    for table in tables:
        values = np.array([table[m] for m in methods])
        places.append([1 + (values > v).sum() + ((values == v).sum() - 1) / 2 for v in values])
    return dict(zip(methods, np.mean(places, axis=0)))


def critical_difference(methods, sets):
    """Nemenyi's: average ranks further apart than this differ at the 5 % level."""
    from scipy.stats import studentized_range
    return studentized_range.ppf(0.95, methods, np.inf) / np.sqrt(2) * np.sqrt(methods * (methods + 1) / (6 * sets))
