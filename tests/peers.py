"""Scikit-learn's classes as tests/newest.txt has them, and what an older version cannot show.

``make test-oldest`` runs with an older one. What it estimates with other divisors is brought to
those of the newest by algebra; what it lacks is listed here, with the reason, and nowhere else.
"""

import warnings

import numpy as np
import pytest
import sklearn
from packaging.version import Version
from scipy.linalg import LinAlgWarning
from sklearn import discriminant_analysis, naive_bayes
from sklearn.utils.class_weight import compute_class_weight

VERSION = Version(sklearn.__version__)

LACKS = {
    "Brier scores of many classes": ("1.7", "has them for two classes only"),
    "GaussianNB's types": ("1.8", "keeps float64 for rows of float32"),
    "QDA's checks": ("1.8", "checks estimators with no more rows than columns, where QDA warned"),
    "QDA's words": ("1.8", "refuses other parameters and one class in other words"),
    "negative categories": ("1.7", "checks CategoricalNB with numbers below zero"),
    "refused labels": ("1.7", "lets bytes pass"),
    "refused weights": ("1.9", "accepts weights that are all zero"),
    "suite": ("1.9", "tests these classes with its own divisors, and less"),
    "weighted searches": ("1.7", "scores held out rows of a search without weights"),
}
"""What is compared: the version of scikit-learn that has it first, and what older ones do."""


def is_lacking(what):
    """Tell whether the installed scikit-learn is too old for this comparison."""
    return Version(LACKS[what][0]) > VERSION


def reason(what):
    """Say why a comparison is left out."""
    version, does = LACKS[what]
    return f"scikit-learn before {version} {does}; this is {VERSION}"


def needs(what):
    """Mark a test, or a parameter of one, as a comparison that older versions cannot show."""
    return pytest.mark.skipif(is_lacking(what), reason=reason(what))


class _OlderLDA(discriminant_analysis.LinearDiscriminantAnalysis):
    """Divide the scatter by n, where versions before 1.9 divide by n minus the classes."""

    def fit(self, X, y):
        super().fit(X, y)  # which refuses what cannot be fitted, in its own words
        if self.solver != "svd":
            return self
        n, K = len(y), len(self.classes_)
        ratio, tol = n / (n - K), self.tol
        self.tol = tol * np.sqrt(ratio)  # the directions that are kept are those of the newest
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what it warns of has been said once
                super().fit(X, y)
        finally:
            self.tol = tol
        log_priors = np.log(self.priors_)
        if K == 2:
            log_priors = log_priors[1:] - log_priors[:1]
        self.scalings_ = self.scalings_ * np.sqrt(ratio)
        self.coef_ = self.coef_ * ratio
        self.intercept_ = (self.intercept_ - log_priors) * ratio + log_priors
        return self


class _OlderQDA(discriminant_analysis.QuadraticDiscriminantAnalysis):
    """Divide the scatter of a class by its rows, where versions before 1.8 divide by one less.

    They also lack the solver `eigen`, but have its covariances, which LDA uses.
    """

    def __init__(  # noqa: PLR0913 (as in the newest)
        self,
        *,
        solver="svd",
        shrinkage=None,
        priors=None,
        reg_param=0.0,
        store_covariance=False,
        tol=1.0e-4,
        covariance_estimator=None,
    ):
        super().__init__(
            priors=priors, reg_param=reg_param, store_covariance=store_covariance, tol=tol
        )
        self.solver, self.shrinkage = solver, shrinkage
        self.covariance_estimator = covariance_estimator

    def fit(self, X, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LinAlgWarning)  # an error since, and here below
            super().fit(X, y)
        solved = [self._solve(np.asarray(X)[np.ravel(y) == k], k) for k in self.classes_]
        self.scalings_, self.rotations_ = map(list, zip(*solved, strict=True))
        if self.store_covariance:
            self.covariance_ = [(axes * scaling) @ axes.T for scaling, axes in solved]
        return self

    def _solve(self, rows, label):
        """Return the eigenvalues and axes of a class."""
        if self.solver == "svd":
            k = list(self.classes_).index(label)
            ratio, penalty = (len(rows) - 1) / len(rows), self.reg_param
            scaling, axes = (self.scalings_[k] - penalty) * ratio + penalty, self.rotations_[k]
        else:
            estimate = discriminant_analysis._cov  # noqa: SLF001 (what LDA estimates with)
            covariance = estimate(rows, self.shrinkage, self.covariance_estimator)
            scaling, axes = np.linalg.eigh(covariance)
            scaling, axes = scaling[::-1], axes[:, ::-1]
        if np.sum(scaling > self.tol) < rows.shape[1]:
            raise np.linalg.LinAlgError(f"The covariance matrix of class {label} is not full rank.")
        return scaling, axes


def _older(kind, older, first):
    """Give the older class the name of the newest, where it is needed."""
    return kind if Version(first) <= VERSION else type(kind.__name__, (older,), {})


LinearDiscriminantAnalysis = _older(
    discriminant_analysis.LinearDiscriminantAnalysis, _OlderLDA, "1.9"
)
QuadraticDiscriminantAnalysis = _older(
    discriminant_analysis.QuadraticDiscriminantAnalysis, _OlderQDA, "1.8"
)
CLASSES = vars(naive_bayes) | {
    kind.__name__: kind for kind in (LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis)
}


def balanced_weights(classes, y, sample_weight):
    """Return scikit-learn's balanced weights; older versions know none of weighted rows."""
    if sample_weight is None:
        return compute_class_weight("balanced", classes=classes, y=y)
    if Version("1.7") <= VERSION:
        return compute_class_weight("balanced", classes=classes, y=y, sample_weight=sample_weight)
    sums = np.bincount(np.searchsorted(classes, y), weights=sample_weight)
    return sums.sum() / (len(classes) * sums)


def theirs(name, *arguments, **parameters):
    """Make scikit-learn's estimator of this name."""
    return CLASSES[name](*arguments, **parameters)
