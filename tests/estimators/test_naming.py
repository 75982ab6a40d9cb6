"""Estimators are named by all that they hold, and what a fit holds is read once."""

import pytest
from models import MODELS

from gauda._estimators import naming


@pytest.mark.parametrize("name", MODELS)
def test_the_same_fit_has_the_same_name(name):
    model = MODELS[name].fitted()
    before = naming.name_of(model)
    model.predict(MODELS[name].data()[0])
    assert naming.name_of(model) == before


@pytest.mark.parametrize("name", MODELS)
def test_other_fits_and_parameters_have_other_names(name):
    model, other = MODELS[name].fitted(), MODELS[name].fitted(seed=1)
    rejecting = MODELS[name].fitted().set_params(reject=0.9)
    names = {naming.name_of(each) for each in (model, other, rejecting, MODELS[name].make())}
    assert len(names) == 4


@pytest.mark.parametrize("name", MODELS)
def test_a_fit_is_read_once(name):
    model = MODELS[name].fitted()
    naming.name_of(model)
    known = dict(naming.DIGESTS)
    naming.name_of(model)
    naming.name_of(model.set_params(reject=0.9))
    assert dict(naming.DIGESTS) == known
