"""The transformer behind Selector and the classes of the methods."""
import numbers
import warnings

import numpy as np

from . import _signatures
from ._call import in_words, seed_of, threads_of, watching
from ._data import check_kind, check_sound, label_texts, telling_text, values_of
from ._optional import VALUES
from ._result import METHODS, check_fdr, check_method, run, with_evidence

try:
    from sklearn.base import BaseEstimator
    from sklearn.feature_selection import SelectorMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted
except ModuleNotFoundError:
    class SelectorMixin:
        """In its place, where it is not installed."""

        def __new__(cls, *_, **__):
            raise ModuleNotFoundError(f"{cls.__name__} needs scikit-learn: pip install scikit-learn. "
                                      "pith.rank does without.")

    BaseEstimator = object
try:
    from sklearn.utils.validation import _check_feature_names, validate_data
except ImportError:  # before scikit-learn 1.6, or none
    def validate_data(estimator, *arrays, **options):
        return estimator._validate_data(*arrays, **options)

    def _check_feature_names(estimator, X, *, reset):
        estimator._check_feature_names(X, reset=reset)


def validated(estimator, X, *y):
    """X, or X and y, as scikit-learn hands them to estimators, with its bookkeeping of names and shapes."""
    check_kind(X)
    check_sound(X)
    values = values_of(X)
    with telling_text(X):
        out = validate_data(estimator, values, *y, **VALUES)
    if values is not X:
        _check_feature_names(estimator, X, reset=True)
    return out


def check_count(n_features, name="n_features"):
    """n_features before the work: is it one of the three kinds?"""
    if isinstance(n_features, (bool, np.bool_)):
        raise TypeError(f"{name}: a number, a share or 'auto' is expected, not a bool")
    if isinstance(n_features, str):
        good = n_features == "auto"
    elif isinstance(n_features, numbers.Integral):
        good = n_features >= 1
    elif isinstance(n_features, numbers.Real):
        good = 0 < n_features <= 1
    else:
        raise TypeError(f"{name}: a number, a share or 'auto' is expected, not {type(n_features).__name__}")
    if not good:
        raise ValueError(f"{name}: a positive whole number, a share in 0..1 or 'auto' is expected, not {n_features!r}")


def count_of(n_features, p, keep):
    """How many of p features are kept; keep is the number that the method recommends, or None."""
    if isinstance(n_features, str):
        return max(1, p // 2) if keep is None else max(1, keep)
    if isinstance(n_features, numbers.Integral):
        if n_features > p:
            raise ValueError(f"n_features={n_features}: the data has only {p} features")
        return int(n_features)
    return max(1, int(n_features * p))


def tell(result, n_features, logs="pith.prep(X, '{}').X has their logarithms", more="n_features='auto'"):
    """Warnings of a result, where a user of scikit-learn looks for them. logs, more: how the caller's user takes logarithms,
    and as many features as the method recommends."""
    if result.warning:
        text = in_words(result.warning).replace("prep auto takes ln(1 + counts per 10,000)", logs.format("counts"))
        text = text.replace("prep auto takes their logarithms", logs.format("auto")).replace("-n auto", more)
        warnings.warn(text, UserWarning, stacklevel=3)
    if n_features == "auto" and result.keep == 0:
        warnings.warn(f"{result.method} would keep no feature; the best one is kept", UserWarning, stacklevel=3)


class BaseSelector(SelectorMixin, BaseEstimator):
    """What all selectors of features share. `method` is a parameter of Selector and fixed in the others."""

    _names = ()  # the library's names of the parameters that the class has

    def _parameters(self):
        return {name: getattr(self, _signatures.keyword_name(name)) for name in self._names}

    def _supervised(self):
        return self._needs("labels")

    def _needs(self, what):
        return isinstance(self.method, str) and self.method in METHODS and METHODS[self.method][f"needs_{what}"]

    def fit(self, X, y=None, batch=None, batch_graph=False):
        """Scores and ranks the features of X, samples in rows; y is used by supervised methods only.

        batch : the batch (donor, plate, run) of each sample, as `pith.rank` takes it: features that are among the
            n_features best in the most batches come first
        batch_graph : instead, use one graph with neighbours balanced across the batches
        """
        method, labels = check_method(self.method), None
        check_count(self.n_features)
        check_fdr(self.fdr)
        if self._supervised():
            X, y = validated(self, X, y)
            check_classification_targets(y)
            labels = label_texts(y, X.shape[0])
        else:
            X = validated(self, X)
        names = getattr(self, "feature_names_in_", None)
        count = 0 if self.n_features == "auto" else count_of(self.n_features, X.shape[1], None)
        with watching(self.verbose, method) as watch:
            result = run(method, X, None if names is None else names.tolist(), labels,
                         with_evidence(self._parameters(), self.fdr), seed_of(self.random_state),
                         threads_of(self.threads), watch, count, label_texts(batch, X.shape[0], "batch"), batch_graph,
                         keep=self.n_features == "auto" and self.fdr is None, engine=self.engine)
        self._kept = result.ranking if self.fdr is None else result.called(self.fdr)
        if self.fdr is None or self.n_features != "auto":
            self._kept = self._kept[:count_of(self.n_features, X.shape[1], result.keep)]
        self.n_features_ = len(self._kept)
        self.lift_, self.pvalues_, self.qvalues_ = result.lift, result.pvalues, result.qvalues
        self.result_, self.scores_, self.ranking_ = result, result.scores, result.ranking
        self.reasons_ = result.reasons
        self.n_iter_ = max(1, result.iterations or 1)
        tell(result, self.n_features)
        return self

    def _get_support_mask(self):
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self._kept] = True
        return mask

    def __sklearn_is_fitted__(self):  # by its own rule, lambda_ would tell
        return hasattr(self, "result_")

    def _more_tags(self):
        return {"requires_y": self._supervised(), "requires_positive_X": self._needs("counts")}

    def __sklearn_tags__(self):  # from scikit-learn 1.6 on
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._supervised()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = self._needs("counts")
        return tags
