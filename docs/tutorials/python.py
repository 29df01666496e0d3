#!/usr/bin/env python3
"""Which pixels tell handwritten digits apart? A walk through pith in Python, with its plots.

    docs/tutorials/python.py [FOLDER]      the plots go there; without it, into the current folder

It needs scikit-learn, pandas and matplotlib.

The cells are marked as editors and Jupyter know them: # %%
"""
# %% The data: 600 images of 8 x 8 pixels. The labels are for measuring alone.
import pathlib
import sys

import matplotlib
import numpy as np

if "ipykernel" not in sys.modules:
    matplotlib.use("agg")
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import pith

folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 and "ipykernel" not in sys.modules else ".")
digits = load_digits()
X, y = digits.data[:600], digits.target[:600]
print(f"{X.shape[0]} images, {X.shape[1]} pixels, {(X.std(axis=0) == 0).sum()} of them always the same")

# %% One method. Its parameters are keywords; result_ has the values that it chose for "auto".
sel = pith.Laplacian(n_features=16, neighbors=7).fit(X)
print("laplacian keeps", sel.get_support(indices=True))
print("it chose", {k: sel.result_.parameters[k] for k in ("metric", "weight", "standardize")})

# %% Where are the pixels that several methods keep?
names = ["variance", "laplacian", "spec", "snfs", "consensus"]
figure, axes = plt.subplots(1, len(names) + 1, figsize=(12, 2.4), layout="constrained")
axes[0].imshow(X.mean(axis=0).reshape(8, 8), cmap="gray_r")
axes[0].set_title("mean image")
for ax, name in zip(axes[1:], names):
    mask = pith.Selector(name, n_features=16).fit(X).get_support()
    ax.imshow(mask.reshape(8, 8), cmap="gray_r")
    ax.set_title(name)
for ax in axes:
    ax.axis("off")
figure.savefig(folder / "pixels.png", dpi=120)

# %% How good are they? The images are clustered on the pixels that are kept, and the clusters compared with the labels.
frame = pith.compare(X, y, names, n_features=[8, 16, 24, 32, 48], restarts=10)
print(frame.table("acc").round(3).to_string())
axes = frame.plot("acc")
axes.set_title("k-means on the selected pixels")
axes.figure.savefig(folder / "accuracy.png", dpi=120)

# %% Without labels: agreement says how well a selection finds the groups again that many clusterings see.
both = frame.table("acc").stack().rename("acc").to_frame().join(frame.table("agreement").stack().rename("agreement"))
figure, ax = plt.subplots(figsize=(4.5, 4), layout="constrained")
for name, part in both.dropna().groupby(level=0):
    ax.plot(part["agreement"], part["acc"], "o", label=name)
ax.set_xlabel("agreement, seen without labels")
ax.set_ylabel("acc, measured by labels")
ax.legend(fontsize="small")
figure.savefig(folder / "agreement.png", dpi=120)
print("correlation of the two:", round(float(np.corrcoef(both.dropna().T)[0, 1]), 2))

# %% An iterative method keeps what it minimises: has it settled?
result = pith.NDFS(max_iter=30).fit(X).result_
figure, ax = plt.subplots(figsize=(4.5, 3), layout="constrained")
ax.plot(np.arange(1, len(result.history) + 1), result.history, marker=".")
ax.set_xlabel("round")
ax.set_ylabel("what ndfs minimises")
ax.set_yscale("log")
figure.savefig(folder / "objective.png", dpi=120)
print(f"ndfs: {result.iterations} rounds, {result.seconds:.2f} s, down to {result.objective:.4g}")
