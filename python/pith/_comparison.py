"""What pith.compare returns: a pandas frame that can draw itself. Imported by the first comparison only."""
import pandas as pd

COLUMNS = ["method", "parameters", "features", "measure", "mean", "sd", "runs", "seconds"]
YARDSTICKS = {"all-features", "random"}


class Comparison(pd.DataFrame):
    """One row per measurement, as in the CSV of `pith compare`: method, parameters, features, measure, mean, sd, runs,
    seconds. It is a DataFrame; selections from it are plain frames.

    errors : the error message of each method that failed
    rankings : the best features of each method and setting, best first
    evidence : do the features share structure at all? A dict: a sentence; how many features are called (q <= 0.05), were tested, and
        there are; smallest_q; halves, the agreement of halves of the features; lift, p and q of each feature; the curve of
        consensus, (features, agreement) each, and how many to keep by it; and, with control=True, the same for data without
        structure. None below 20 samples.
    """

    _metadata = ["errors", "rankings", "evidence"]

    @property
    def _constructor(self):
        return pd.DataFrame

    def table(self, measure=None):
        """Methods in rows, numbers of features in columns: the best setting's mean of a measure."""
        chosen = self[self["measure"] == (measure or self.measures[0])]
        if chosen.empty:
            raise ValueError(f"{measure!r} is not one of the measures: {', '.join(self.measures)}")
        best = "min" if measure == "redundancy" else "max"
        order = list(dict.fromkeys(chosen["method"]))
        return chosen.pivot_table(index="method", columns="features", values="mean", aggfunc=best).reindex(order)

    @property
    def measures(self):
        """The names of what was measured."""
        return list(dict.fromkeys(self["measure"]))

    def plot(self, measure=None, ax=None):
        """One line per method over the number of features; returns matplotlib's axes."""
        import matplotlib.pyplot as plt
        measure = measure or self.measures[0]
        table = self.table(measure)
        if ax is None:
            ax = plt.subplots(figsize=(7, 4.5), layout="constrained")[1]
        for method, means in table.iterrows():
            means = means.dropna()
            if method in YARDSTICKS:
                if len(means) == 1:
                    ax.axhline(means.iloc[0], color="0.6", linestyle=":", label=method)
                else:
                    ax.plot(means.index, means, color="0.6", linestyle="--", label=method)
            else:
                ax.plot(means.index, means, marker="o", label=method)
        ax.set_xlabel("features")
        ax.set_ylabel(measure)
        ax.legend(fontsize="small")
        return ax
