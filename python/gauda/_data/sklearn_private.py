"""Every private name of scikit-learn that gauda uses; no other module imports one."""

from sklearn.base import _fit_context as fit_context
from sklearn.utils import _safe_indexing as take
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import _get_feature_names as get_feature_names

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_sample_weight",
    "fit_context",
    "get_feature_names",
    "take",
]
