"""The compiled core. Not public: estimators are built on it."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeAlias, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from gauda._scoring.rules import Rules

__all__ = [
    "AffineModel",
    "ColumnModel",
    "CoreError",
    "LinearFit",
    "Model",
    "Moments",
    "Pass",
    "adapt_priors",
    "count_amounts",
    "count_levels",
    "count_presence",
    "cross_validate",
    "encode_labels",
    "estimate_moments",
    "estimate_moments_in_passes",
    "impute",
    "impute_column_draws",
    "impute_columns",
    "impute_draws",
    "join_amounts",
    "join_levels",
    "join_presence",
    "leave_one_out",
    "leave_one_out_columns",
    "ledoit_wolf_intensities",
    "ledoit_wolf_intensities_of_moments",
    "linear_of_covariance",
    "mixed_variances",
    "oracle_intensities",
    "project",
    "regularized_covariances",
    "sample_classes",
    "sample_columns",
    "sample_rows",
    "standardized",
    "tally_left_out",
    "turn",
    "wide_linear_lsqr",
    "wide_linear_of_variances",
    "wide_linear_shrunk",
    "wide_linear_standardized",
    "wide_model",
    "wide_quadratic_standardized",
    "wide_regularized",
    "wide_regularized_common",
]

_Mixing: TypeAlias = tuple[float, str, bool]
_Family: TypeAlias = tuple[
    _Mixing,
    NDArray[np.float64] | None,
    str,
    NDArray[np.float64] | None,
    float,
    float,
    int | None,
]
_Regularize: TypeAlias = Callable[[Moments], tuple[NDArray[np.float64] | None, NDArray[np.float64]]]
_Iterations: TypeAlias = tuple[int, float, Callable[[], object] | None, _Regularize | None]
_Codes: TypeAlias = NDArray[np.uint32] | list[int]
_Joined: TypeAlias = tuple[NDArray[np.float64], list[NDArray[np.float64]]]
_Tally: TypeAlias = tuple[float, float, float, float, float]

class CoreError(ValueError):
    kind: str
    fields: dict[str, Any]

_FourthOrder: TypeAlias = tuple[
    NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]
]

@final
class Moments:
    def __new__(
        cls,
        structure: str,
        rows: list[int],
        weights: NDArray[np.float64],
        shift: NDArray[np.float64],
        offset: NDArray[np.float64],
        scatter: NDArray[np.float64],
        past: NDArray[np.float64] | None = None,
        seen: NDArray[np.float64] | None = None,
        fourth: _FourthOrder | None = None,
    ) -> Moments: ...
    @staticmethod
    def from_columns(
        columns: _Columns, labeled: _Labeled, n_threads: int | None = None
    ) -> Moments: ...
    def join_rows(
        self,
        X: NDArray[Any],
        codes: _Codes,
        n_threads: int | None = None,
        may_miss: bool = False,
    ) -> Moments | None: ...
    def largest_variance(self) -> float: ...
    @staticmethod
    def from_observed(
        X: NDArray[Any],
        codes: NDArray[np.uint32],
        n_classes: int,
        weights: NDArray[np.float64] | None = None,
        n_threads: int | None = None,
    ) -> Moments: ...
    @staticmethod
    def from_data(
        X: NDArray[Any],
        codes: NDArray[np.uint32],
        n_classes: int,
        structure: str,
        weights: NDArray[np.float64] | None = None,
        n_threads: int | None = None,
        *,
        fourth_order: bool = False,
    ) -> Moments: ...
    @staticmethod
    def sums_by_class(n_rows: int, n_classes: int, n_features: int) -> bool: ...
    @staticmethod
    def from_factor(
        structure: str,
        rows: list[int],
        weights: NDArray[np.float64],
        means: tuple[NDArray[np.float64], NDArray[np.float64]],
        factor: NDArray[np.float64],
        bounds: list[int],
    ) -> Moments: ...
    @property
    def structure(self) -> str: ...
    @property
    def is_wide(self) -> bool: ...
    @property
    def factor(self) -> tuple[NDArray[np.float64], list[int]] | None: ...
    @property
    def squares(self) -> NDArray[np.float64]: ...
    @property
    def n_features(self) -> int: ...
    @property
    def rows(self) -> NDArray[np.uint64]: ...
    @property
    def n_rows(self) -> int: ...
    def proportions(self) -> NDArray[np.float64]: ...
    @property
    def weights(self) -> NDArray[np.float64]: ...
    @property
    def means(self) -> NDArray[np.float64]: ...
    @property
    def scatter(self) -> NDArray[np.float64]: ...
    @property
    def shift(self) -> NDArray[np.float64]: ...
    @property
    def offset(self) -> NDArray[np.float64]: ...
    @property
    def seen(self) -> NDArray[np.float64] | None: ...
    @property
    def fourth(self) -> _FourthOrder | None: ...
    @property
    def order(self) -> int: ...
    @property
    def past(self) -> NDArray[np.float64] | None: ...
    @property
    def parts(self) -> dict[str, Any]: ...
    def mean_of_means(self, weights: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def merge(self, other: Moments) -> Moments: ...
    def subtract(self, part: Moments, max_removed: float | None = None) -> Moments: ...
    def scale(self, factor: float) -> Moments: ...
    def regroup(self, places: list[int], n_classes: int) -> Moments: ...
    def select(self, columns: list[int]) -> Moments: ...
    def to(self, structure: str) -> Moments: ...
    def total(self) -> Moments: ...
    def class_covariances(self, unbiased: bool) -> NDArray[np.float64]: ...
    def variances(self, unbiased: bool) -> NDArray[np.float64]: ...
    def pooled_covariance(self) -> NDArray[np.float64]: ...
    def pooled_correction(self) -> float: ...
    def ledoit_wolf(
        self,
        X: NDArray[Any],
        codes: NDArray[np.uint32],
        weights: NDArray[np.float64] | None = None,
        n_threads: int | None = None,
    ) -> NDArray[np.float64]: ...
    def ledoit_wolf_of_moments(self) -> NDArray[np.float64]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, Any]: ...

_Columns: TypeAlias = NDArray[Any] | list[NDArray[Any]]
_DenseOrSparse: TypeAlias = (
    NDArray[Any] | tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int64], int]
)
_Labeled: TypeAlias = tuple[NDArray[np.uint32], int, NDArray[np.float64] | None]

@final
class Pass:
    def __new__(
        cls,
        observed: Moments,
        structure: str,
        parameters: tuple[NDArray[np.float64], NDArray[np.float64]],
        rows: list[int],
        sum: tuple[NDArray[np.float64], NDArray[np.float64], float] | None,  # noqa: A002 (the core's)
        kept: NDArray[np.float64] | None,
    ) -> Self: ...
    def elsewhere(self) -> Pass: ...
    def join(self, other: Pass) -> None: ...
    def __reduce__(self) -> tuple[Any, Any]: ...
    def add(
        self,
        X: NDArray[Any],
        codes: NDArray[np.uint32],
        weights: NDArray[np.float64] | None = None,
        n_threads: int | None = None,
    ) -> None: ...

_Rows = TypeVar("_Rows")

class _AnyModel(Generic[_Rows]):
    @property
    def n_classes(self) -> int: ...
    @property
    def log_prior(self) -> NDArray[np.float64]: ...
    def with_log_prior(self, log_prior: NDArray[np.float64]) -> Self: ...
    def answer(
        self,
        X: _Rows,
        n_threads: int | None = None,
        rules: Rules | None = None,
        *,
        label: NDArray[np.uint32] | None = None,
        name: tuple[NDArray[Any], NDArray[Any]] | None = None,
        posterior: NDArray[Any] | None = None,
        log_posterior: NDArray[Any] | None = None,
        joint: NDArray[Any] | None = None,
        log_density: NDArray[Any] | None = None,
        mahalanobis: NDArray[Any] | None = None,
        typicality: NDArray[Any] | None = None,
        cost: NDArray[Any] | None = None,
        best: tuple[NDArray[np.uint32], NDArray[Any]] | None = None,
        decision: NDArray[Any] | None = None,
    ) -> None: ...
    def label_few(self, X: Any, names: NDArray[Any]) -> NDArray[Any] | None: ...
    def posterior_few(self, X: Any) -> NDArray[Any] | None: ...

@final
class ColumnModel(_AnyModel[_Columns]):
    def __new__(
        cls,
        log_prior: NDArray[np.float64],
        features: list[Any],
        *,
        may_miss: bool,
        ignores_unknown: bool,
    ) -> ColumnModel: ...

@final
class AffineModel(_AnyModel[_DenseOrSparse]):
    def __new__(
        cls,
        log_prior: NDArray[np.float64],
        log_present: NDArray[np.float64],
        log_absent: NDArray[np.float64],
        threshold: float | None = None,
    ) -> AffineModel: ...
    @staticmethod
    def of_amounts(log_prior: NDArray[np.float64], weights: NDArray[np.float64]) -> AffineModel: ...

@final
class LinearFit:
    @property
    def model(self) -> Model: ...
    @property
    def coefficients(self) -> NDArray[np.float64]: ...
    @property
    def intercepts(self) -> NDArray[np.float64]: ...
    def axes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...

@final
class Model(_AnyModel[NDArray[Any]]):
    def __new__(
        cls,
        center: list[float],
        means: tuple[NDArray[np.float64], NDArray[np.float64]],
        log_prior: list[float],
        spread: NDArray[np.float64],
        log_det: list[float],
        tied: tuple[NDArray[np.float64], bool] | None,
    ) -> Model: ...
    @staticmethod
    def quadratic(
        moments: Moments,
        covariances: NDArray[np.float64],
        priors: NDArray[np.float64],
        tol: float,
        n_threads: int | None = None,
    ) -> Model: ...
    @staticmethod
    def naive(
        moments: Moments, variances: NDArray[np.float64], priors: NDArray[np.float64]
    ) -> Model: ...
    @staticmethod
    def linear_svd(
        moments: Moments,
        priors: NDArray[np.float64],
        tol: float,
        unbiased: bool,
        components: int | None = None,
    ) -> LinearFit: ...
    @staticmethod
    def linear_lsqr(
        moments: Moments, covariance: NDArray[np.float64], priors: NDArray[np.float64]
    ) -> LinearFit: ...
    @staticmethod
    def linear_eigen(
        moments: Moments,
        within: NDArray[np.float64],
        between: NDArray[np.float64],
        priors: NDArray[np.float64],
        components: int | None = None,
    ) -> LinearFit: ...
    @property
    def n_features(self) -> int: ...
    @property
    def rank(self) -> int: ...
    @property
    def structure(self) -> str: ...
    @property
    def is_wide(self) -> bool: ...
    def wide_covariances(self) -> NDArray[np.float64]: ...
    def select(self, columns: list[int]) -> Model | None: ...
    @property
    def whitening(self) -> list[NDArray[np.float64]]: ...
    @property
    def parts(self) -> dict[str, Any]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, Any]: ...

def adapt_priors(
    posterior: NDArray[Any],
    priors: NDArray[np.float64],
    tol: float,
    max_iter: int,
    n_threads: int | None = None,
) -> tuple[list[float], int, bool]: ...
def count_amounts(
    X: _DenseOrSparse, labeled: _Labeled, n_threads: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def count_levels(
    X: _Columns, labeled: _Labeled, may_miss: bool = False, n_threads: int | None = None
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]: ...
def count_presence(
    X: _DenseOrSparse,
    labeled: _Labeled,
    threshold: float | None = None,
    n_threads: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]: ...
def cross_validate(
    train: Moments,
    X: NDArray[Any],
    codes: NDArray[np.uint32],
    weights: NDArray[np.float64] | None,
    family: _Family,
    alphas: NDArray[np.float64] | list[float],
    gammas: NDArray[np.float64] | list[float],
    n_threads: int | None = None,
) -> list[_Tally | None]: ...
def leave_one_out(
    moments: Moments,
    X: NDArray[Any],
    codes: NDArray[np.uint32],
    family: _Family,
    gamma: float,
    out: NDArray[np.float64],
    n_threads: int | None = None,
) -> None: ...
def leave_one_out_columns(
    X: _Columns,
    labeled: _Labeled,
    sums: list[Any],
    class_weights: NDArray[np.float64],
    log_prior: NDArray[np.float64] | None,
    smoothing: float,
    unseen: float,
    out: NDArray[np.float64],
    n_threads: int | None = None,
) -> None: ...
def tally_left_out(
    moments: Moments,
    X: NDArray[Any],
    codes: NDArray[np.uint32],
    family: _Family,
    gammas: NDArray[np.float64] | list[float],
    n_threads: int | None = None,
) -> list[_Tally | None]: ...
def encode_labels(
    labels: NDArray[Any], codes: NDArray[np.uint32], n_threads: int | None = None
) -> NDArray[Any] | None: ...
def estimate_moments(
    X: NDArray[Any],
    codes: NDArray[np.uint32],
    n_classes: int,
    structure: str,
    weights: NDArray[np.float64] | None,
    iterations: _Iterations,
    n_threads: int | None = None,
) -> tuple[Moments, list[float], bool, bool]: ...
def estimate_moments_in_passes(
    observed: Moments,
    structure: str,
    iterations: _Iterations,
    read: Callable[[Pass], object],
    n_threads: int | None = None,
) -> tuple[Moments, list[float], bool, bool]: ...
def impute(
    model: Model,
    X: NDArray[Any],
    values: NDArray[Any],
    deviations: NDArray[Any] | None = None,
    classes: NDArray[np.uint32] | None = None,
    n_threads: int | None = None,
) -> None: ...
def impute_column_draws(
    model: ColumnModel,
    X: _Columns,
    posteriors: NDArray[np.float64],
    values: NDArray[np.float64],
    seed: int,
    n_threads: int | None = None,
) -> None: ...
def impute_columns(
    model: ColumnModel,
    X: _Columns,
    posteriors: NDArray[np.float64],
    values: NDArray[np.float64],
    deviations: NDArray[np.float64] | None = None,
    n_threads: int | None = None,
) -> None: ...
def impute_draws(
    model: Model,
    X: NDArray[Any],
    values: NDArray[Any],
    seed: int,
    classes: NDArray[np.uint32] | None = None,
    n_threads: int | None = None,
) -> None: ...
def join_amounts(
    X: NDArray[Any],
    codes: _Codes,
    class_count: NDArray[np.float64],
    table: NDArray[np.float64],
    n_threads: int | None = None,
) -> _Joined | None: ...
def join_levels(
    X: NDArray[Any],
    codes: _Codes,
    class_count: NDArray[np.float64],
    tables: list[NDArray[np.float64]],
    n_threads: int | None = None,
) -> _Joined | None: ...
def join_presence(
    X: NDArray[Any],
    codes: _Codes,
    class_count: NDArray[np.float64],
    table: NDArray[np.float64],
    threshold: float | None = None,
    n_threads: int | None = None,
) -> _Joined | None: ...
def ledoit_wolf_intensities(
    moments: Moments,
    mixing: _Mixing,
    X: NDArray[Any],
    codes: NDArray[np.uint32],
    weights: NDArray[np.float64] | None = None,
    n_threads: int | None = None,
) -> list[float]: ...
def ledoit_wolf_intensities_of_moments(moments: Moments, mixing: _Mixing) -> list[float]: ...
def linear_of_covariance(
    moments: Moments,
    covariance: NDArray[np.float64],
    priors: NDArray[np.float64],
    tol: float,
) -> Model: ...
def mixed_variances(moments: Moments, mixing: _Mixing) -> NDArray[np.float64]: ...
def oracle_intensities(moments: Moments, mixing: _Mixing) -> list[float]: ...
def project(
    axes: NDArray[np.float64],
    center: NDArray[np.float64],
    X: NDArray[Any],
    out: NDArray[Any],
    n_threads: int | None = None,
) -> None: ...
def regularized_covariances(
    moments: Moments,
    mixing: _Mixing,
    target: str,
    gammas: NDArray[np.float64] | list[float],
) -> NDArray[np.float64]: ...
def sample_classes(
    log_prior: NDArray[np.float64],
    classes: NDArray[np.uint32],
    seed: int,
    n_threads: int | None = None,
) -> None: ...
def sample_columns(
    model: ColumnModel,
    classes: NDArray[np.uint32],
    out: NDArray[np.float64],
    seed: int,
    n_threads: int | None = None,
) -> None: ...
def sample_rows(
    model: Model,
    classes: NDArray[np.uint32],
    out: NDArray[np.float64],
    seed: int,
    n_threads: int | None = None,
) -> None: ...
def standardized(
    moments: Moments,
    X: NDArray[Any],
    codes: NDArray[np.uint32],
    weights: NDArray[np.float64] | None = None,
    n_threads: int | None = None,
) -> tuple[list[float], NDArray[np.float64]]: ...
def turn(
    moments: Moments,
    X: NDArray[Any],
    codes: NDArray[np.uint32],
    n_threads: int | None = None,
) -> NDArray[np.float64] | None: ...
def wide_linear_lsqr(
    moments: Moments, priors: NDArray[np.float64], unbiased: bool
) -> LinearFit: ...
def wide_linear_of_variances(
    moments: Moments, variances: NDArray[np.float64], priors: NDArray[np.float64]
) -> LinearFit: ...
def wide_linear_shrunk(
    moments: Moments,
    priors: NDArray[np.float64],
    shrinkage: float,
    unbiased: bool,
    with_axes: bool,
    components: int | None = None,
) -> LinearFit: ...
def wide_linear_standardized(
    moments: Moments,
    intensities: list[float],
    diagonals: NDArray[np.float64],
    priors: NDArray[np.float64],
    unbiased: bool,
) -> LinearFit: ...
def wide_model(
    center: list[float],
    means: tuple[NDArray[np.float64], NDArray[np.float64]],
    log_prior: list[float],
    spaces: list[tuple[NDArray[np.float64] | None, NDArray[np.float64], NDArray[np.float64]]],
    spread: tuple[list[NDArray[np.float64]], list[float], list[float], bool],
) -> Model: ...
def wide_quadratic_standardized(
    moments: Moments,
    intensities: list[float],
    diagonals: NDArray[np.float64],
    priors: NDArray[np.float64],
    unbiased: bool,
    n_threads: int | None = None,
) -> Model: ...
def wide_regularized(
    moments: Moments,
    mixing: _Mixing,
    target: str,
    gammas: list[float],
    priors: NDArray[np.float64],
    tol: float,
    n_threads: int | None = None,
) -> Model: ...
def wide_regularized_common(
    moments: Moments,
    mixing: _Mixing,
    target: str,
    gamma: float,
    priors: NDArray[np.float64],
) -> LinearFit: ...
