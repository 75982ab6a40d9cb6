"""Errors of the core, retold with the names of classes and columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray

from gauda._core import CoreError
from gauda._support import remedies

MOST_COLUMNS_NAMED = 10

BY_LEVELS = " MixedNB leaves missing values out of fit and scores."
"""Who takes missing values among discrete columns."""

PSEUDO_COUNTS = ("prior_a", "prior_b")
"""Parameters that smooth in place of alpha."""


class UnknownCategoryError(ValueError, IndexError):
    """A category that was not seen in the fit; scikit-learn's error for it is an IndexError."""


class LostDigitsError(ValueError):
    """So much is subtracted that rounding hides what remains."""


@dataclass(frozen=True)
class Names:
    """What classes and columns are called, and which estimator is speaking."""

    estimator: str
    classes: NDArray[Any]
    features: NDArray[Any] | None = None
    model: Any = None
    """The estimator, whose parameters tell what advice is left."""
    moments: Any = None
    """Moments of its rows, if they are what is spoken of."""
    codes: NDArray[np.uint32] | None = None
    """Classes of the rows that the core was given, if it learns from them."""
    first_row: int = 0
    """How many rows of a stream came before those that the core was given."""
    single: bool = False
    """Whether rows are scored in single precision."""
    places: Sequence[int] | None = None
    """Which columns the core was given, if not all."""
    nan_advice: str = ""
    """Who takes missing values, where there is no estimator that knows."""

    @contextmanager
    def told(self) -> Iterator[None]:
        """Turn errors of the core inside the block into errors with names."""
        try:
            yield
        except CoreError as error:
            raise self.explain(error) from None

    def explain(self, error: CoreError) -> Exception:
        """Return the exception that a user should see."""
        tell = getattr(self, f"_{error.kind}", None)
        explained: Exception = tell(**error.fields) if tell else ValueError(str(error))
        return explained

    def label(self, code: int) -> str:
        """Return the label of a class."""
        return str(self.classes[code])

    def row(self, index: int) -> int:
        """Return the place of a row in all of the data."""
        return self.first_row + index

    def column(self, index: int) -> str:
        """Return the name of a column in quotes, or its index."""
        place = index if self.places is None else self.places[index]
        return str(place) if self.features is None else repr(str(self.features[place]))

    def columns(self, indices: Sequence[int]) -> str:
        """Return 'column 3' or 'columns 3, 5'."""
        named = [self.column(index) for index in indices[:MOST_COLUMNS_NAMED]]
        if len(indices) > MOST_COLUMNS_NAMED:
            named.append(f"… ({len(indices)} in all)")
        return f"column{'s' * (len(indices) > 1)} {', '.join(named)}"

    def _owner(self, code: int | None) -> str:
        return "all classes" if code is None else f"class {self.label(code)}"

    def _non_finite(self, row: int, column: int, value: float) -> Exception:
        what = "NaN" if np.isnan(value) else "infinity"
        return ValueError(
            f"Input X contains {what} at row {self.row(row)}, column {self.column(column)}. "
            f"{self.estimator} takes finite values only: drop or impute such rows first."
            f"{self._about_nan() if np.isnan(value) else ''}"
        )

    def _about_nan(self) -> str:
        """Return who takes missing values, and where."""
        return str(getattr(self.model, "nan_advice", self.nan_advice))

    def _never_observed(self, column: int, **fields: int) -> Exception:
        return ValueError(
            f"Column {self.column(column)} is never observed in class "
            f"{self.label(fields['class'])}: all its values are missing there, so that nothing is "
            "known of its mean. Drop the column, or the class."
        )

    def _degenerate(
        self,
        iteration: int,
        constant: Sequence[int],
        dependent: Sequence[int],
        **fields: int | None,
    ) -> Exception:
        begun = f"go on after iteration {iteration}" if iteration else "start"
        found = []
        if constant:
            found.append(f"no variance in {self.columns(constant)}")
        if dependent and self._too_few(fields["class"]):
            found.append("too few rows for so many columns")
        elif dependent:
            found.append(f"linear dependence of {self.columns(dependent)}")
        return LinAlgError(
            f"EM for missing values cannot {begun}: the covariance of "
            f"{self._owner(fields['class'])} is singular ({'; '.join(found)}). Drop such columns, "
            "give more rows, or use GaussianNB, which needs no EM."
        )

    def _too_few(self, code: int | None) -> bool:
        """Whether there are not more rows than columns, if they are known."""
        if self.codes is None:
            return False
        rows = len(self.codes) - len(self.classes) if code is None else np.sum(self.codes == code)
        return bool(rows <= getattr(self.model, "n_features_in_", 0))

    def _singular_part(self, columns: Sequence[int], **fields: int | None) -> Exception:
        reduced = getattr(self.model, "reduced_rank", False)
        remedy = "reduced_rank=False" if reduced else remedies.for_density(self.model)
        return LinAlgError(
            f"Values of some rows are missing, and the covariance of {self._owner(fields['class'])}"
            f" is singular, or known along few axes only, where only {self.columns(columns)} are "
            f"observed: what is missing cannot be integrated out. Use {remedy}; or fill the rows "
            "in first."
        )

    def _weight(self, row: int, value: float) -> Exception:
        return ValueError(
            f"sample_weight is {value} at row {self.row(row)}; weights must be at least 0, their "
            "sum finite."
        )

    def _no_weight(self) -> Exception:
        return ValueError("sample_weight is 0 for every row; at least one must be positive.")

    def _empty_class(self, **fields: int) -> Exception:
        return ValueError(
            f"Class {self.label(fields['class'])} has no rows, or they all have sample_weight 0; "
            "give it rows of some weight, or leave the class out."
        )

    def _not_part(self, **fields: int | None) -> Exception:
        column = fields.get("column")
        where = "" if column is None else f" in column {self.column(column)}"
        return ValueError(
            f"What is subtracted was not part of the {'statistics' if where else 'moments'}: "
            f"{self._owner(fields['class'])}{where} would be left with fewer rows than none, or "
            "with a scatter that no rows have. Subtract only what was added before, with the same "
            "weights."
        )

    def _cancelled(self, column: int | None, **fields: int | None) -> Exception:
        where = "" if column is None else f" in column {self.column(column)}"
        return LostDigitsError(
            f"What is subtracted from {self._owner(fields['class'])}{where} exceeds what remains "
            "by more than a double has digits, so they would be lost. Take the moments of the "
            "remaining rows with Moments.from_data instead, or leave out what is far off before."
        )

    def _factor(self, value: float) -> Exception:
        return ValueError(f"Moments are multiplied by a finite factor of at least 0, got {value}.")

    def _divisor(self, weight: float, needed: float, **fields: int | None) -> Exception:
        return ValueError(
            f"unbiased=True needs n_samples > {needed:g} (or as much weight), but for "
            f"{self._owner(fields['class'])} n_samples = {weight:g}. Use unbiased=False."
        )

    def _prior(self, value: float, **fields: int) -> Exception:
        return ValueError(
            f"The prior of class {self.label(fields['class'])} is {value:g}; "
            "priors must be finite and non-negative, and not all 0."
        )

    def _row_prior(self, row: int, value: float, **fields: int) -> Exception:
        return ValueError(
            f"The prior of class {self.label(fields['class'])} at row {self.row(row)} is "
            f"{value:g}; priors must be finite and non-negative."
        )

    def _prior_sum(self, row: int | None, sum: float) -> Exception:  # noqa: A002 (the core's name)
        whose = "The priors" if row is None else f"The priors of row {self.row(row)}"
        return ValueError(f"{whose} sum to {sum:g}; priors for a call must sum to 1.")

    def _cost(self, truth: int, decision: int, value: float) -> Exception:
        decided = self.label(decision) if decision < len(self.classes) else "to reject"
        rule = "costs must be finite."
        if np.isfinite(value):
            rule = "that is too much for float32, in which X is scored. Divide all costs by it."
        return ValueError(
            f"cost[{truth}, {decision}] (truth {self.label(truth)}, decision {decided}) is "
            f"{value:g}; {rule}"
        )

    def _threshold(self, what: str, value: float) -> Exception:
        return ValueError(
            f"reject={{{what!r}: {value:g}}} is no probability; the threshold must lie between 0 "
            "and 1."
        )

    def _overflow(self, column: int, **fields: int | None) -> Exception:
        return self.overflow(column, fields["class"])

    def overflow(self, column: int, code: int | None) -> ValueError:
        """Return the refusal of values of a class, or of all, whose squares are too large."""
        return ValueError(
            f"The values of {self._owner(code)} in column {self.column(column)} are too "
            "large: their squares overflow a double. Rescale the column."
        )

    def _underflow(self, column: int, **fields: int | None) -> Exception:
        return self.underflow(column, fields["class"])

    def underflow(self, column: int, code: int | None) -> ValueError:
        """Return the refusal of values of a class, or of all, whose squares are too small."""
        return ValueError(
            f"The values of {self._owner(code)} in column {self.column(column)} are too small: "
            "their squares underflow a double. Multiply the column by 1e150, or the weights if "
            "they are tiny."
        )

    def _zero_variance(self, weight: float, columns: Sequence[int], **fields: int) -> Exception:
        code = fields["class"]
        return ValueError(
            f"Class {self.label(code)} ({self._rows_text(code, weight)}) has no variance in "
            f"{self.columns(columns)}, so that its density is not defined. "
            f"{self._without_variance(columns)}"
        )

    def _without_variance(self, columns: Sequence[int]) -> str:
        """Return what helps where columns have no variance."""
        squares = None if self.moments is None else remedies.pooled_squares(self.moments)
        if squares is not None and not squares.any():
            return remedies.NOTHING_VARIES
        drop = f"Drop {self.columns(columns)}"
        if squares is not None and len(columns) == len(squares):
            drop = "Give the class rows that differ"
        if hasattr(self.model, "var_smoothing"):
            return f"{drop}; or smooth the variances with var_smoothing=1e-9."
        if not hasattr(self.model, "alpha"):
            return f"{drop}."
        return f"{drop}; or use {remedies.for_columns(self.model, squares, columns)}."

    def _no_density(self, rank: int, features: int) -> Exception:
        if getattr(self.model, "reduced_rank", False):
            return LinAlgError(
                f"With reduced_rank=True the model knows rows along {rank} discriminant axes only, "
                f"so that in {features} columns they have no density; predict and predict_proba "
                "work all the same. For densities use reduced_rank=False, or fit a model to what "
                "transform returns."
            )
        return LinAlgError(
            f"The pooled covariance has rank {rank} in {features} columns, so that rows have no "
            "density; predict and predict_proba work all the same. For densities use "
            f"{remedies.for_density(self.model)}."
        )

    def _too_far(self, row: int) -> Exception:
        further = " Rows of float64 reach further than those of float32." if self.single else ""
        return ValueError(
            f"Row {self.row(row)} of X is so far from the classes that its scores are too large "
            f"for the floating-point type. Check the row's units.{further}"
        )

    def _left_out(self, row: int, **fields: int | None) -> Exception:
        return LinAlgError(
            f"Without row {self.row(row)} the covariance of {self._owner(fields['class'])} is not "
            f"full rank. Use {remedies.for_left_out(self.model)}; or drop columns."
        )

    def _no_level(self, row: int, column: int, value: float) -> Exception:
        place = f"{value:g} at row {self.row(row)}, column {self.column(column)}"
        remedy = "Categories are 0, 1, 2, ...: encode others with scikit-learn's OrdinalEncoder."
        if value < 0:  # in the words of scikit-learn
            return ValueError(
                f"Negative values in data passed to {self.estimator} (input X): {place}. {remedy}"
            )
        if value == np.floor(value):
            return ValueError(f"X holds {place}, too large for the number of a category. {remedy}")
        return ValueError(f"X holds {place}, which is no whole number. {remedy}")

    def _unknown_level(self, row: int, column: int, level: int, levels: int) -> Exception:
        return UnknownCategoryError(
            f"X holds category {level} at row {self.row(row)}, column {self.column(column)}, but "
            f"{self.estimator} knows only 0 to {levels - 1} there. Fit with min_categories > "
            f"{level}, or ignore such entries with handle_unknown='ignore'."
        )

    def _no_share(self, row: int, column: int, value: float) -> Exception:
        return ValueError(
            f"X holds {value:g} at row {self.row(row)}, column {self.column(column)}; with "
            f"binarize=None {self.estimator} takes 0, 1 and shares between them. Use binarize=0.0 "
            "to tell zeros from the rest."
        )

    def _presence_threshold(self, value: float) -> Exception:
        if np.isnan(value):
            return ValueError("binarize must be a number or None; got nan.")
        return ValueError(
            f"binarize must be at least 0 for a sparse matrix; got {value:g}, above which all its "
            "zeros lie. Pass X.toarray(), or a threshold of at least 0."
        )

    def _given_twice(self, row: int, column: int) -> Exception:
        return ValueError(
            f"A sparse X must give each entry once; got row {self.row(row)}, column "
            f"{self.column(column)} twice. Pass scipy.sparse.csr_array(X.tocoo()), which adds up "
            "such entries."
        )

    def _impossible(self, row: int) -> Exception:
        return ValueError(
            f"Row {self.row(row)} of X has probability 0 in every class, so that there is no "
            f"posterior. Smooth the probabilities with {self._smoothing()}."
        )

    def _smoothing(self) -> str:
        """Return the parameters that smooth."""
        given = [name for name in PSEUDO_COUNTS if getattr(self.model, name, None) is not None]
        return f"{' and '.join(given)} > 1" if given else "alpha > 0"

    def _no_convergence(self) -> Exception:
        return LinAlgError("The eigenvalues of a covariance did not converge; rescale X.")

    def _singular(
        self,
        weight: float,
        features: int,
        rank: int,
        constant: Sequence[int],
        dependent: Sequence[int],
        **fields: int | None,
    ) -> Exception:
        code = fields["class"]
        if code is None:
            figures = self._figures(None, weight, features, rank, constant, dependent)
            return LinAlgError(
                f"The pooled covariance matrix is not full rank ({figures}). "
                f"{remedies.for_pooled(self.model, rank)}"
            )
        figures = self._figures(code, weight, features, rank, constant, dependent)
        label = self.label(code)
        told = f"The covariance matrix of class {label} is not full rank."
        if (
            weight <= features and getattr(self.model, "solver", None) == "svd"
        ):  # scikit-learn's words
            told += " When using `solver='svd'` a class must have more rows than columns; it has"
        else:
            told += " It has"
        told += f" {figures}."
        if self.moments is None:
            return LinAlgError(f"{told} Regularise it, or use fewer columns.")
        spread = remedies.Spread.of(self.moments, code)
        guilty = self.columns(constant) if constant else f"some of {self.columns(dependent)}"
        return LinAlgError(f"{told} {remedies.for_class(self.model, spread, constant, guilty)}")

    def _figures(  # noqa: PLR0913 (what is known of a covariance)
        self,
        code: int | None,
        weight: float,
        features: int,
        rank: int,
        constant: Sequence[int],
        dependent: Sequence[int],
    ) -> str:
        """Return rows, columns and rank; columns by name only where they are to blame."""
        found = [f"{self._rows_text(code, weight)}, {features} columns, rank {rank}"]
        rows = weight if self.moments is None else remedies.free_rows(self.moments, code)
        if constant and len(constant) < features:
            found.append(f"constant: {self.columns(constant)}")
        if rows < features:
            found.append("too few rows for so many columns")
        elif dependent:
            found.append(f"linearly dependent: {self.columns(dependent)}")
        return "; ".join(found)

    def _rows_text(self, code: int | None, weight: float) -> str:
        """Return '50 rows', or their weight if that is no number of rows."""
        if self.moments is not None:  # which hold no pseudo-rows of a prior
            counts = self.moments.counts
            weight = float(counts.sum() if code is None else counts[code])
        return remedies.rows_text(weight)
