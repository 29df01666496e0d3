"""Variance of every column, straight from its definition."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import common as o
import numpy as np


def variance(X):
    scores = ((X - X.mean(axis=0)) ** 2).mean(axis=0)
    scores[o.constant(X)] = np.nan
    return scores


numbers = o.Numbers(__file__)
# Sums of 48 squares: a few hundred units in the last place, with room for another order of addition.
for make in (o.blobs, o.counts, o.integers):
    X = numbers.data(make())
    numbers.case(variance(X), 1e-13)
    numbers.case(variance(o.standardize(X, "minmax")), 1e-13, standardize="minmax")
numbers.write()
