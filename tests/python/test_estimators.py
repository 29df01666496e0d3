"""scikit-learn's own checks of an estimator, every one of them for every method."""
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import pith
from conftest import METHODS

ESTIMATORS = [pith.Selector(), *(pith._estimators.class_of(m)() for m in METHODS)]


@parametrize_with_checks(ESTIMATORS)
def test_estimator(estimator, check):
    check(estimator)


@pytest.mark.parametrize("method", METHODS)
def test_selector_with_the_method(method):
    from sklearn.utils.estimator_checks import check_estimators_pickle, check_fit_idempotent, check_transformer_general
    for check in (check_transformer_general, check_fit_idempotent, check_estimators_pickle):
        check("Selector", pith.Selector(method))
