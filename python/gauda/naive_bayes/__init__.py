"""Naive Bayes, under the name of scikit-learn's module.

It uses `_estimators` and the rooms before that, and never `discriminant_analysis`.
"""

from gauda.naive_bayes._bernoulli import BernoulliNB
from gauda.naive_bayes._categorical import CategoricalNB
from gauda.naive_bayes._complement import ComplementNB
from gauda.naive_bayes._gaussian import GaussianNB
from gauda.naive_bayes._mixed import MixedNB
from gauda.naive_bayes._multinomial import MultinomialNB

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "GaussianNB",
    "MixedNB",
    "MultinomialNB",
]
