#!/usr/bin/python3
"""Draws the pictures of the README into docs/pictures, from the data of examples/: needs matplotlib and Chromium.

    tools/pictures.py [PITH]        PITH is build/release/pith unless given
"""
import csv
import io
import pathlib
import subprocess
import sys
import tempfile

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent
OUT = ROOT / "docs/pictures"
BLUE, GREY, INK = "#0067b1", "#b4bac1", "#30363d"
RATE = 0.05     # false discovery rate
SHOWN = 80      # genes in the picture of the ranking
KEPT = 60       # pixels in the picture of the signs
SIDE = 20       # of an image, in pixels
MOST_BYTES = 300_000
CHROMIUM = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"]


def run(*words, **more):
    return subprocess.run([str(w) for w in words], check=True, **more)


def rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def made(name, folder):
    """The data that examples/NAME.py writes, as a file."""
    path = folder / f"{name}.csv"
    with open(path, "w", encoding="utf-8") as file:
        run(sys.executable, ROOT / f"examples/{name}.py", stdout=file)
    return path


def save(image, name):
    path = OUT / name
    image.convert("RGB").save(path, optimize=True)
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)}: {size:,} bytes")
    if size > MOST_BYTES:
        sys.exit(f"{path}: larger than {MOST_BYTES:,} bytes")


def save_figure(figure, name):
    held = io.BytesIO()
    figure.savefig(held, dpi=160, facecolor="white")
    plt.close(figure)
    save(Image.open(held), name)


def bare(axes):
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GREY)
    axes.tick_params(colors=INK, length=3)


def draw_ranking(pith, folder):
    """The scores of the best genes: markers in colour, and where q passes the rate."""
    run(pith, "rank", made("chips", folder), "--prep", "microarray", "-m", "consensus", "-q", "-o", folder / "genes.csv")
    genes = rows(folder / "genes.csv")
    called = sum(float(g["q"] or 1) <= RATE for g in genes)
    if any(float(g["q"] or 1) > RATE for g in genes[:called]):
        sys.exit("the genes with a small q are not the first ones: the line would mislead")
    figure, axes = plt.subplots(figsize=(7.6, 3.4), layout="constrained")
    for is_marker, colour, label in ((True, BLUE, "marker genes of the simulation"), (False, GREY, "other genes")):
        chosen = [(int(g["rank"]), float(g["score"])) for g in genes[:SHOWN] if g["name"].startswith("marker_") == is_marker]
        axes.bar(*zip(*chosen), width=0.72, color=colour, label=label)
    top = axes.get_ylim()[1] * 1.16
    axes.axvline(called + 0.5, color=INK, linewidth=1, linestyle=(0, (4, 3)))
    axes.text(called + 1.3, top * 0.97, f"q > {RATE:g}", va="top", color=INK)
    axes.text(called - 0.3, top * 0.97, f"{called} genes with q ≤ {RATE:g}", va="top", ha="right", color=INK)
    axes.set(xlim=(0, SHOWN + 1), ylim=(0, top), xlabel=f"rank (the best {SHOWN} of {len(genes)} genes)", ylabel="score")
    axes.legend(frameon=False, loc="center right", labelcolor=INK)
    bare(axes)
    save_figure(figure, "ranking.png")


def draw_report(pith, folder):
    """The first screen of the page that compare writes."""
    page = folder / "report.html"
    run(pith, "compare", made("chips", folder), "--prep", "microarray", "-m", "consensus,nrfs,spec,laplacian,variance",
        "-n", "10,40,80,160,320", "--restarts", "10", "-q", "--progress", "never", "--report", page, "-o", folder / "c.json")
    shot = folder / "report.png"
    run(*CHROMIUM, f"--user-data-dir={folder / 'chromium'}", "--force-device-scale-factor=1.25", "--window-size=1100,1198",
        f"--screenshot={shot}", page.as_uri(), stderr=subprocess.DEVNULL)
    save(Image.open(shot), "report.png")


def draw_pixels(pith, folder):
    """One image of each sign, and the pixels that hufs ranks best."""
    data = made("signs", folder)
    run(pith, "rank", data, "-m", "hufs", "--image-shape", f"{SIDE}x{SIDE}", "-q", "-o", folder / "pixels.csv")
    best = [divmod(int(r["index"]), SIDE) for r in rows(folder / "pixels.csv")[:KEPT]]
    with open(data, newline="", encoding="utf-8") as file:
        images = {row[-1]: [int(v) for v in row[:-1]] for row in list(csv.reader(file))[1:]}
    figure, panels = plt.subplots(1, len(images) + 1, figsize=(7.6, 1.85), layout="constrained")
    for axes, (name, values) in zip(panels, images.items()):
        axes.imshow([values[SIDE * r:SIDE * (r + 1)] for r in range(SIDE)], cmap="gray_r", vmin=0, vmax=255)
        axes.set_title(name, color=INK, fontsize=10)
    grid = [[(r, c) in best for c in range(SIDE)] for r in range(SIDE)]
    panels[-1].imshow(grid, cmap=matplotlib.colors.ListedColormap(["#eef1f4", BLUE]))
    panels[-1].set_title(f"the best {KEPT} pixels", color=INK, fontsize=10)
    for axes in panels:
        axes.set(xticks=[], yticks=[])
        axes.spines[:].set_color(GREY)
    save_figure(figure, "pixels.png")


def main():
    pith = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/release/pith").resolve()
    OUT.mkdir(exist_ok=True)
    for draw in (draw_ranking, draw_report, draw_pixels):
        with tempfile.TemporaryDirectory() as folder:
            draw(pith, pathlib.Path(folder))


if __name__ == "__main__":
    main()
