"""What a fitted model says to readers: which columns tell classes apart, and a summary.

The functions here are methods of `Classifier`, those about Gaussians of `GaussianClassifier`.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_html_repr

from gauda._analysis.chains import Pair, Terms
from gauda._analysis.contrast import Contrast, Explanation
from gauda._analysis.gaussians import Gaussians, inverse
from gauda._analysis.likelihood import condition_numbers
from gauda._analysis.summary import Summary, Table, class_table
from gauda._data.by_class import as_list
from gauda._data.frames import single_row
from gauda._data.twins import twin
from gauda._estimators.geometry import code_of, names_in_formulas
from gauda._estimators.state import Current
from gauda._support.arrays import Floats
from gauda._support.errors import no_density
from gauda._support.tables import html_table, sizes_text
from gauda.typing import Label, MatrixLike

if TYPE_CHECKING:
    from gauda._estimators.classifier import Classifier
    from gauda._estimators.gaussian import GaussianClassifier

Texts = list[tuple[str, ...]]
N_CLASSES = 2


def contrast(self: Classifier, i: Label, j: Label) -> Contrast:
    """Return which columns tell one class from another.

    The log-ratio log p(x | i) - log p(x | j) that is expected of rows of class i, by columns, the
    largest share first. Columns that depend on each other are taken one after another, each time
    the one that adds most to what those before it tell.

    Parameters
    ----------
    i, j : label
        The classes. Exchanged they give the log-ratio that is expected of rows of class j.

    Returns
    -------
    Contrast
        With `expected`, `share`, `drop_one` and `alone` of each column, `order` and `total`.
        Printed, or shown in a notebook, it says what they mean; `to_frame()` gives a table, and
        `gauda.pictures.ContrastDisplay` a picture.

    See Also
    --------
    explain : The same for one row.

    Examples
    --------
    >>> from gauda import GaussianNB
    >>> X, y = [[0, 0], [1, 2], [5, 1], [6, 3]], ["a", "a", "b", "b"]
    >>> found = GaussianNB().fit(X, y).contrast("a", "b")
    >>> found.share.round(3)
    array([0.99, 0.01])
    """
    current = self._current()
    codes = two_codes((i, j), current.classes, "contrast")
    terms, texts = self._contrast_terms(current, codes)
    return Contrast(**contents(current, codes, terms), _texts=texts, _estimator=type(self).__name__)


def explain(
    self: Classifier, x: MatrixLike, *, classes: Sequence[Label] | None = None
) -> Explanation:
    """Return why a row is of its class: the log-ratio of its two best classes, by columns.

    Parameters
    ----------
    x : array-like of shape (n_features,) or (1, n_features)
        The row.

    classes : sequence of two labels, default=None
        The classes to compare; by default the two most probable ones, the best first.

    Returns
    -------
    Explanation
        With `contribution` and `drop_one` of each column, and `log_ratio`, which is the sum of the
        contributions and `log_prior_ratio`. Printed, or shown in a notebook, it says what they
        mean; `to_frame()` gives a table, and `gauda.pictures.ContrastDisplay` a picture.

    See Also
    --------
    contrast : The same for rows to be expected.

    Examples
    --------
    >>> from gauda import LDA
    >>> lda = LDA.from_parameters([[0, 0], [2, 0]], [[1, 0], [0, 1]], classes=["a", "b"])
    >>> found = lda.explain([3, 5])
    >>> (found.i, found.j), found.contribution, found.log_ratio
    (('b', 'a'), array([4., 0.]), 4.0)
    """
    current = self._current()
    row = single_row(x)
    rows = self._rows(row, current)
    if len(rows) != 1:
        raise ValueError(f"explain takes one row; got {len(rows)}. Call it for each.")
    joint = np.asarray(self._answer(row, "joint", current=current), dtype=np.float64)[0]
    if np.isnan(joint).any():
        raise ValueError(
            "The row must have all values to be explained; got NaN. Use missing='marginalize', "
            "with which missing values add nothing."
        )
    if classes is None:
        if len(joint) < N_CLASSES:
            raise ValueError("explain compares two classes; the model has one only.")
        codes = np.argsort(-joint, kind="stable")[:2].tolist()
    else:
        codes = two_codes(classes, current.classes, "explain")
    terms, texts = self._row_terms(current, rows, codes)
    name = type(self).__name__
    return Explanation(**contents(current, codes, terms), _texts=texts, _estimator=name)


def contents(current: Current, codes: Sequence[int], terms: Terms) -> dict[str, Any]:
    """Return what contrasts and explanations have in common."""
    known = as_list(current.classes)
    i, j = (known[code] for code in codes)
    return {
        "i": i,
        "j": j,
        "features": names_in_formulas(current),
        "log_prior_ratio": prior_ratio(current, codes),
        "drop_one": terms.drop_one,
        "alone": terms.alone,
        "chain": terms.order,
        "_terms": terms.chain + 0.0,  # which has no -0
    }


def two_codes(labels: Sequence[Any], classes: NDArray[Any], method: str) -> list[int]:
    """Return the indices of two different classes."""
    given = list(labels)
    if len(given) != N_CLASSES:
        raise ValueError(f"{method} compares two classes; got {len(given)}: {given!r}.")
    codes = [code_of(label, classes) for label in given]
    if codes[0] == codes[1]:
        raise ValueError(f"{method} compares two classes; got {given[0]!r} twice.")
    return codes


def prior_ratio(current: Current, codes: Sequence[int]) -> float:
    """Return the logarithm of the ratio of two priors."""
    log_prior = np.asarray(current.model.log_prior, dtype=np.float64)
    i, j = log_prior[list(codes)]
    return 0.0 if i == j else float(i - j)


# Gaussian models


def pair_of(
    self: GaussianClassifier, current: Current, codes: Sequence[int]
) -> tuple[Pair, Floats]:
    """Return two classes' Gaussians about a point, and that; refuse a model without densities."""
    gaussians = Gaussians.of(current.model)
    if gaussians.rank < gaussians.n_features:
        raise no_density(self._names(current), gaussians.rank, gaussians.n_features)
    return Pair.of(gaussians, *codes), gaussians.center


def contrast_terms(
    self: GaussianClassifier, current: Current, codes: Sequence[int]
) -> tuple[Terms, Texts]:
    """Return what columns are expected to add, and mean and deviation of each in both classes."""
    pair, center = pair_of(self, current, codes)
    means = (center + pair.means).T
    deviations = np.sqrt(pair.variances()).T
    texts = [
        tuple(mean_and_deviation(*both) for both in zip(*column, strict=True))
        for column in zip(means, deviations, strict=True)
    ]
    return pair.expect_terms(), texts


def row_terms(
    self: GaussianClassifier, current: Current, rows: NDArray[Any], codes: Sequence[int]
) -> tuple[Terms, Texts]:
    """Return what the columns of a row add; those that are missing add nothing."""
    pair, center = pair_of(self, current, codes)
    row: Floats = np.asarray(rows[0], dtype=np.float64)
    texts: Texts = [(f"{value:.6g}",) for value in row.tolist()]
    row = row - center
    gaps = np.isnan(row)
    if not gaps.any():
        return pair.of_row(row), texts
    seen = np.flatnonzero(~gaps)
    zeros = np.zeros(len(row))
    if len(seen) == 0:
        return Terms(zeros, zeros, zeros, None), texts
    found = pair.of_columns(seen).of_row(row[seen])
    chain, drop_one, alone = zeros.copy(), zeros.copy(), zeros.copy()
    chain[seen], drop_one[seen], alone[seen] = found.chain, found.drop_one, found.alone
    order = None if found.order is None else seen[found.order]
    return Terms(chain, drop_one, alone, order), texts


def mean_and_deviation(mean: float, deviation: float) -> str:
    """Return a mean and a standard deviation."""
    return f"{mean:.4g} ± {deviation:.3g}"


# Summaries


def summary(self: Classifier) -> Summary:
    """Return a summary of the model: priors, means, coefficients, as R prints them.

    Returns
    -------
    Summary
        Printed, or shown in a notebook, it makes tables: weights and priors of the classes, and
        what a model of this kind consists of. Long tables show their beginning.

    See Also
    --------
    diagnostics : How far classes are apart, and how well the model fits.

    Examples
    --------
    >>> from gauda import LDA
    >>> print(LDA().fit([[-2], [-1], [1], [2]], ["a", "a", "b", "b"]).summary())
    LinearDiscriminantAnalysis(), 2 classes, 1 feature, 4 rows
    ...
    coefficients of linear discriminants
          LD1
    x0  ...2
    ...
    """
    current = self._current()
    sizes = sizes_text(len(current.classes), current.n_features)
    name = " ".join(repr(twin(self, _fitted=None)).split())
    title = f"{name}, {sizes}, {current.statistics.n_rows} rows"
    return Summary(title, [classes_of(self, current), *self._summary_tables(current)])


def as_html(self: Classifier) -> str:
    """Return scikit-learn's diagram and, of a fitted model, classes with weights and priors."""
    diagram: str = estimator_html_repr(self)
    try:
        current = self._current()
    except (NotFittedError, ValueError):
        return diagram  # a model whose parameters do not go together is shown all the same
    sizes = sizes_text(len(current.classes), current.n_features)
    classes = classes_of(self, current)
    part = classes.title.removeprefix("classes")  # where not all are listed
    title = escape(f"{sizes}, {current.statistics.n_rows} rows{part}")
    return f"{diagram}<div><p>{title}</p>{html_table(classes.rows, classes.header)}</div>"


def as_bundle(self: Classifier, **_: Any) -> dict[str, str]:
    """Return what notebooks choose from: text and, unless scikit-learn is set otherwise, HTML."""
    bundle = {"text/plain": repr(self)}
    if get_config()["display"] == "diagram":
        bundle["text/html"] = as_html(self)
    return bundle


def no_attributes(self: Classifier, doc_link: str = "") -> dict[str, Any]:  # noqa: ARG001 (scikit-learn's)
    """Return nothing for the diagram: reading all attributes would make matrices of wide models."""
    return {}


def classes_of(self: Classifier, current: Current) -> Table:
    """Return weights and priors of the classes."""
    log_prior = np.asarray(current.model.log_prior, dtype=np.float64)
    return class_table(current.classes, self._class_weights(current), log_prior)


def gaussian_tables(self: GaussianClassifier, current: Current) -> list[Table]:  # noqa: ARG001 (a method)
    """Return means, and deviations or what the covariances are like."""
    gaussians, names = Gaussians.of(current.model), names_in_formulas(current)
    means = gaussians.center + gaussians.centered
    labels = current.classes.tolist()
    tables = [Table.of("group means", names, labels, means, "class")]
    if gaussians.rank < gaussians.n_features:
        return tables
    if gaussians.structure == "diag":
        deviations = 1 / gaussians.whitening
        return [*tables, Table.of("standard deviations", names, labels, deviations, "class")]
    lowers = [inverse(matrix) for matrix in gaussians.whitening]
    deviations = np.stack([np.sqrt(np.square(lower).sum(axis=1)) for lower in lowers])
    if gaussians.structure == "tied":
        return [*tables, Table.of("standard deviations", names, ["all classes"], deviations)]
    values = np.column_stack([gaussians.log_det, condition_numbers(gaussians)])
    header = ("log-determinant", "condition")
    return [
        *tables,
        Table.of("standard deviations", names, labels, deviations, "class"),
        Table.of("covariances", header, labels, values, "class"),
    ]
