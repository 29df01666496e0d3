"""Curves over the number of features, and the diagram of average ranks, as SVG that is the same in every run."""
import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "pith", "font.size": 9, "svg.fonttype": "none"})
import matplotlib.pyplot as plt

from figures import SUPERVISED, YARDSTICKS


def save(figure, path):
    figure.savefig(path, metadata={"Date": None}, bbox_inches="tight")
    plt.close(figure)


def curves(found, title, measure, path):
    """The best six by their mean are in colour and named; the others are there to show the field."""
    figure, axes = plt.subplots(figsize=(6.4, 3.6))
    order = sorted((m for m in found if m not in YARDSTICKS), key=lambda m: -sum(found[m].values()) / len(found[m]))
    for place, method in reversed(list(enumerate(order))):
        counts = sorted(found[method])
        style = dict(color=f"C{place}", label=method, zorder=3) if place < 6 else dict(color="#cccccc", linewidth=0.8)
        axes.plot(counts, [found[method][c] for c in counts], marker=".", **style)
    counts = sorted(next(iter(found[m] for m in order)))
    if "all-features" in found:
        axes.axhline(next(iter(found["all-features"].values())), color="black", linewidth=0.8, linestyle="--",
                     label="all features")
    for method, style, label in (("random", ":", "random features"), (SUPERVISED, "-.", f"{SUPERVISED} (sees labels)")):
        if method in found:
            axes.plot(counts, [found[method][c] for c in counts], color="black", linewidth=0.8, linestyle=style, label=label)
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    axes.set(title=title, xlabel="features", ylabel=measure.upper())
    save(figure, path)


def rank_diagram(ranks, difference, path):
    """Methods along their average rank; a bar joins those that the critical difference does not tell apart."""
    order = sorted(ranks, key=ranks.get)
    figure, axes = plt.subplots(figsize=(7, 0.22 * len(order) + 1))
    for place, method in enumerate(order):
        axes.plot([ranks[method]], [place], marker="o", color="black", markersize=4)
        axes.text(ranks[method] + 0.15, place, f"{method} {ranks[method]:.1f}", va="center")
        last = max(i for i, m in enumerate(order) if ranks[m] - ranks[method] <= difference)
        if last > place and (place == 0 or ranks[order[last]] - ranks[order[place - 1]] > difference):
            axes.plot([ranks[method], ranks[order[last]]], [place - 0.35] * 2, color="C0", linewidth=2)
    axes.set(ylim=(len(order), -1), xlabel="average rank, 1 is best", yticks=[])
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    axes.set_title(f"critical difference {difference:.2f}", loc="right", fontsize=9)
    save(figure, path)
