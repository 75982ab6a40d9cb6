"""Comparison of classifiers on the same folds, and a word of advice.

It uses the classifiers of both public packages, and the rooms before them.
"""

from gauda.model_selection._select import select_model
from gauda.model_selection._selection import Candidate, HeldOut, Selection

__all__ = ["Candidate", "HeldOut", "Selection", "select_model"]
