"""Parameters that were found valid are looked at again where they, or their types, are others."""

import numpy as np
import pytest
from models import MODELS
from sklearn import config_context

WRONG = {
    "n_threads": [0, 1.5],
    "class_weight": ["unbalanced", 3],
    "cost": [7],
    "reject": ["x"],
}
CASES = [(name, value) for name, values in WRONG.items() for value in values]


@pytest.fixture(params=MODELS)
def entry(request):
    return MODELS[request.param]


@pytest.mark.parametrize(("parameter", "wrong"), CASES)
def test_wrong_ones_are_refused_after_valid_ones(entry, parameter, wrong):
    X, y = entry.data()
    model = entry.make(n_threads=1).fit(X, y)
    labels = model.predict(X)
    setattr(model, parameter, wrong)
    with pytest.raises(ValueError, match=parameter):
        model.fit(X, y)
    setattr(model, parameter, 1 if parameter == "n_threads" else None)
    np.testing.assert_array_equal(model.predict(X), labels)
    np.testing.assert_array_equal(model.fit(X, y).predict(X), labels)


def test_what_was_not_checked_does_not_count_as_valid(entry):
    X, y = entry.data()
    model = entry.make(n_threads=1)
    model.n_threads = 1.0
    with config_context(skip_parameter_validation=True), pytest.raises((TypeError, ValueError)):
        model.fit(X, y)
    with pytest.raises(ValueError, match=r"n_threads.* Got 1\.0"):
        model.fit(X, y)


def test_settings_of_a_fit_hold_parameters_only(entry):
    X, y = entry.data()
    model = entry.make()
    model.remark = "kept by its user"
    settings = model.fit(X, y)._fitted.settings  # noqa: SLF001 (what acts at the next question)
    assert "remark" not in vars(settings)
    assert model.remark == "kept by its user"
    assert vars(model.fit(X, y)).keys() >= {"remark"}
