"""Diagnostics of a model, against published tests, scipy's densities and numerical integrals."""

import pickle
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.optimize import minimize_scalar
from scipy.spatial.distance import mahalanobis
from scipy.stats import bartlett, multivariate_normal, norm

import gauda
from gauda import Moments

RNG = np.random.default_rng(12)
MEANS = RNG.normal(size=(4, 3))
FACTORS = RNG.normal(size=(4, 3, 3))
MATRICES = FACTORS @ FACTORS.transpose(0, 2, 1) + np.eye(3)
VARIANCES = RNG.uniform(0.5, 2, size=(4, 3))
PRIORS = np.array([0.4, 0.1, 0.3, 0.2])
# Estimator, covariances as it takes them, and the matrix of each class.
MODELS = {
    "LDA": (gauda.LDA, MATRICES[0], np.repeat(MATRICES[:1], 4, axis=0)),
    "QDA": (gauda.QDA, MATRICES, MATRICES),
    "NB": (gauda.GaussianNB, VARIANCES, VARIANCES[:, :, np.newaxis] * np.eye(3)),
}
PAIRS = [(0, 1), (1, 0), (2, 3), (3, 0)]
# Means, deviations and priors of classes in one column.
LINE = [
    ([0.0, 2.0], [1.0, 1.0], [0.5, 0.5]),
    ([0.0, 2.0], [1.0, 1.0], [0.9, 0.1]),
    ([0.0, 1.0], [1.0, 3.0], [0.3, 0.7]),
    ([0.0, 0.0], [1.0, 0.1], [0.5, 0.5]),
    ([-2.0, 0.0, 1.0], [1.0, 0.5, 2.0], [0.3, 0.5, 0.2]),
    ([-3.0, 0.0, 3.0, 3.1], [1.0, 1.0, 1.0, 1.0], [0.25, 0.25, 0.25, 0.25]),
]
FIRST = 0, 1


@pytest.fixture(params=MODELS)
def given(request):
    """Give diagnostics of a model, and the covariance of each class."""
    estimator, covariances, matrices = MODELS[request.param]
    return estimator.from_parameters(MEANS, covariances, PRIORS).diagnostics(), matrices


def on_a_line(means, deviations, priors):
    covariances = np.square(deviations)[:, np.newaxis, np.newaxis]
    return gauda.QDA.from_parameters(np.transpose([means]), covariances, priors)


@pytest.fixture(params=LINE)
def line(request):
    """Give diagnostics of a model in one column, and prior times density of each class."""
    means, deviations, priors = request.param
    model = on_a_line(means, deviations, priors)
    classes = zip(priors, means, deviations, strict=True)
    densities = [lambda x, p=p, m=m, s=s: p * norm.pdf(x, m, s) for p, m, s in classes]
    return model.diagnostics(), densities


GRID = np.linspace(-40, 40, 40_001)


def integral(function):
    """Integrate by trapezes, which is exact to rounding for Gaussians on so fine a grid."""
    return trapezoid(function(GRID), GRID)


# Distances


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_mahalanobis_distances_are_scipys(given, i, j):
    diagnostics, matrices = given
    expected = mahalanobis(MEANS[i], MEANS[j], np.linalg.inv(matrices[j])) ** 2
    assert diagnostics.mahalanobis[i, j] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_divergences_are_the_textbooks(given, i, j):
    diagnostics, matrices = given
    inverse, way = np.linalg.inv(matrices[j]), MEANS[j] - MEANS[i]
    ratio = np.linalg.slogdet(matrices[j])[1] - np.linalg.slogdet(matrices[i])[1]
    expected = (np.trace(inverse @ matrices[i]) - 3 + way @ inverse @ way + ratio) / 2
    assert diagnostics.kullback_leibler[i, j] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(("i", "j"), PAIRS)
def test_bhattacharyya_distances_are_the_textbooks(given, i, j):
    diagnostics, matrices = given
    middle, way = (matrices[i] + matrices[j]) / 2, MEANS[j] - MEANS[i]
    own = np.linalg.slogdet(matrices[i])[1] + np.linalg.slogdet(matrices[j])[1]
    expected = way @ np.linalg.solve(middle, way) / 8
    expected += (np.linalg.slogdet(middle)[1] - own / 2) / 2
    assert diagnostics.bhattacharyya[i, j] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(("means", "deviations", "priors"), LINE)
def test_divergences_are_integrals(means, deviations, priors):
    diagnostics = on_a_line(means, deviations, priors).diagnostics()
    p, q = (norm(m, s) for m, s in zip(means[:2], deviations[:2], strict=True))
    expected = integral(lambda x: p.pdf(x) * (p.logpdf(x) - q.logpdf(x)))
    assert diagnostics.kullback_leibler[FIRST] == pytest.approx(expected, rel=1e-9)


def test_distances_of_a_class_to_itself_are_0(given):
    for matrix in (given[0].mahalanobis, given[0].kullback_leibler, given[0].bhattacharyya):
        np.testing.assert_array_equal(np.diag(matrix), np.zeros(4))


def test_units_of_columns_do_not_matter():
    units = np.array([1e-7, 1.0, 1e7])
    scaled = gauda.QDA.from_parameters(MEANS * units, MATRICES * np.outer(units, units))
    plain = gauda.QDA.from_parameters(MEANS, MATRICES)
    for name in ("mahalanobis", "kullback_leibler", "bhattacharyya", "chernoff_bound"):
        got, expected = (getattr(model.diagnostics(), name) for model in (scaled, plain))
        np.testing.assert_allclose(got, expected, rtol=1e-9)


# Errors


def test_the_bhattacharyya_bound_is_an_integral(line):
    diagnostics, (p, q, *_) = line
    expected = integral(lambda x: np.sqrt(p(x) * q(x)))
    assert diagnostics.bhattacharyya_bound[FIRST] == pytest.approx(expected, rel=1e-7)


def test_the_chernoff_bound_is_the_least_of_its_kind(line):
    diagnostics, (p, q, *_) = line

    def bound(exponent):
        return integral(lambda x: p(x) ** exponent * q(x) ** (1 - exponent))

    expected = minimize_scalar(bound, bounds=(0, 1), method="bounded", options={"xatol": 1e-9}).fun
    assert diagnostics.chernoff_bound[FIRST] == pytest.approx(expected, rel=1e-7)


def test_the_error_of_two_classes_is_within_its_bounds(line):
    diagnostics, (p, q, *_) = line
    error = integral(lambda x: np.minimum(p(x), q(x)))
    assert diagnostics.lower_bound[FIRST] < error < diagnostics.chernoff_bound[FIRST]


def test_the_error_of_all_classes_is_within_its_bounds(line):
    diagnostics, densities = line
    error = 1 - integral(lambda x: np.max([p(x) for p in densities], axis=0))
    lower, upper = diagnostics.bayes_error
    assert lower < error <= upper * (1 + 1e-9)


def test_errors_of_equal_classes_are_the_smaller_prior():
    diagnostics = gauda.LDA.from_parameters([[1.0], [1.0]], [[1.0]], [0.7, 0.3]).diagnostics()
    assert diagnostics.chernoff_bound[0, 1] == pytest.approx(0.3, rel=1e-9)
    assert diagnostics.lower_bound[0, 1] == pytest.approx(0.3, rel=1e-9)
    assert diagnostics.bayes_error == pytest.approx((0.3, 0.3), rel=1e-9)


def test_a_class_of_prior_0_is_never_mistaken():
    diagnostics = gauda.QDA.from_parameters(MEANS, MATRICES, [0, 0, 0.5, 0.5]).diagnostics()
    for matrix in (diagnostics.chernoff_bound, diagnostics.lower_bound):
        np.testing.assert_array_equal(matrix[:2], np.zeros((2, 4)))


# Fit


def scipys_log_likelihood(matrices, X, y):
    densities = [multivariate_normal(m, s).logpdf(X) for m, s in zip(MEANS, matrices, strict=True)]
    return np.log(PRIORS)[y] + np.stack(densities, axis=1)[np.arange(len(y)), y]


ROWS, LABELS = 2 * RNG.normal(size=(50, 3)), RNG.integers(4, size=50)


@pytest.mark.parametrize("name", MODELS)
def test_log_likelihood_of_other_rows_is_scipys(name):
    estimator, covariances, matrices = MODELS[name]
    model = estimator.from_parameters(MEANS, covariances, PRIORS)
    expected = scipys_log_likelihood(matrices, ROWS, LABELS).sum()
    got = model.diagnostics(Moments.from_data(ROWS, LABELS)).log_likelihood
    assert got == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("name", "structure"), [("LDA", "tied"), ("NB", "diag")])
def test_log_likelihood_takes_the_moments_that_a_model_has(name, structure):
    estimator, covariances, matrices = MODELS[name]
    model = estimator.from_parameters(MEANS, covariances, PRIORS)
    expected = scipys_log_likelihood(matrices, ROWS, LABELS).sum()
    got = model.diagnostics(Moments.from_data(ROWS, LABELS, structure=structure)).log_likelihood
    assert got == pytest.approx(expected, rel=1e-12)


def test_log_likelihood_weighs_rows():
    weights = RNG.uniform(size=50)
    model = gauda.QDA.from_parameters(MEANS, MATRICES, PRIORS)
    expected = weights @ scipys_log_likelihood(MATRICES, ROWS, LABELS)
    got = model.diagnostics(Moments.from_data(ROWS, LABELS, weights)).log_likelihood
    assert got == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("model", ["lda_ml", "qda_ml", "gnb_ml"])
@pytest.mark.parametrize("dataset", ["iris", "banknote", "skulls"])
def test_log_likelihood_of_the_rows_seen_is_exact(load_data, load_oracle, dataset, model):
    (X, y), oracle = load_data(dataset), load_oracle(dataset, model)
    code = np.searchsorted(oracle.classes, y)
    expected = (oracle.log_posterior[np.arange(len(y)), code] + oracle.log_density).sum()
    estimator = {
        "lda_ml": gauda.LDA(),
        "qda_ml": gauda.QDA(),
        "gnb_ml": gauda.GaussianNB(var_smoothing=0),
    }[model]
    got = estimator.fit(X, y).diagnostics().log_likelihood
    assert got == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("estimator", "expected"),
    # K - 1 priors, K d means, and d (d + 1) / 2 per covariance or d per diagonal; K = 3, d = 4
    [
        (gauda.LDA(), 2 + 12 + 10),
        (gauda.QDA(), 2 + 12 + 30),
        (gauda.GaussianNB(), 2 + 12 + 12),
        (gauda.QDA(priors=[0.3, 0.3, 0.4]), 12 + 30),
    ],
)
def test_criteria_count_free_parameters(iris, estimator, expected):
    diagnostics = estimator.fit(*iris).diagnostics()
    assert diagnostics.n_parameters == expected
    gained = 2 * diagnostics.log_likelihood
    assert diagnostics.aic == pytest.approx(2 * expected - gained)
    assert diagnostics.bic == pytest.approx(np.log(150) * expected - gained)


@pytest.mark.parametrize(
    ("dataset", "statistic", "df", "p_value"),
    # As R's heplots::boxM prints them, and rstatix::box_m the first p-value.
    [("iris", 140.94, 20, 3.35e-20), ("skulls", 45.667, 40, 0.2483)],
)
def test_box_m_is_that_of_r(load_data, dataset, statistic, df, p_value):
    test = gauda.QDA().fit(*load_data(dataset)).diagnostics().box_m
    assert test.statistic == pytest.approx(statistic, abs=0.005)
    assert test.df == df
    assert test.p_value == pytest.approx(p_value, rel=2e-3)


def test_box_m_of_one_column_is_bartletts_but_for_the_correction(iris):
    X, y = iris
    expected = bartlett(*(X[y == label, 0] for label in np.unique(y))).statistic
    correction = (3 / 49 - 1 / 147) / 6  # Bartlett divides by 1 + this, Box multiplies by 1 - this
    test = gauda.QDA().fit(X[:, :1], y).diagnostics().box_m
    assert test.statistic == pytest.approx(expected * (1 - correction**2), rel=1e-11)


def test_a_linear_model_takes_full_moments_for_box_m(iris):
    test = gauda.LDA().fit(*iris).diagnostics(Moments.from_data(*iris)).box_m
    assert test.statistic == pytest.approx(140.94, abs=0.005)


def test_condition_numbers_are_numpys(given):
    diagnostics, matrices = given
    np.testing.assert_allclose(diagnostics.condition, np.linalg.cond(matrices), rtol=1e-10)


def test_ranks_tell_directions_in_which_rows_vary():
    X = RNG.normal(size=(30, 6)) * [1, 1e-7, 1e7, 1, 1, 1]
    y = np.repeat([0, 1, 2], [4, 6, 20])
    qda = gauda.QDA(solver="eigen", shrinkage=0.5).fit(X, y)
    np.testing.assert_array_equal(qda.diagnostics().rank, [3, 5, 6])


def test_ranks_of_a_common_covariance_are_equal(iris):
    X, y = iris
    lda = gauda.LDA().fit(np.column_stack([X, X[:, 0] - X[:, 1]]), y)
    np.testing.assert_array_equal(lda.diagnostics().rank, [4, 4, 4])


# Tables


@pytest.fixture(scope="module")
def many():
    """Give diagnostics of 57 classes, one of whose names needs care in HTML."""
    X = RNG.normal(size=(57 * 8, 5)) + np.repeat(4 * RNG.normal(size=(57, 5)), 8, axis=0)
    labels = np.array([f"class {code}" for code in range(56)] + ["<i>&"])
    return gauda.QDA().fit(X, np.repeat(labels, 8)).diagnostics()


def test_the_text_of_many_classes_is_readable(many):
    lines = str(many).splitlines()
    assert len(lines) < 57 + 30
    assert max(map(len, lines)) <= 110
    assert "the 10 hardest of 1596 pairs" in str(many)
    assert all(any(line.startswith(f"{label} ") for line in lines) for label in many.classes)


def test_the_hardest_pairs_are_those_of_the_largest_bound(many):
    i, j = np.unravel_index(many.chernoff_bound.argmax(), (57, 57))
    title = next(n for n, line in enumerate(str(many).splitlines()) if "hardest" in line)
    first = str(many).splitlines()[title + 2]
    assert first.startswith((f"{many.classes[i]} ", f"{many.classes[j]} "))
    assert f"{many.chernoff_bound[i, j]:.4g}" in first


def test_html_is_well_formed_and_escaped(many):
    tree = ET.fromstring(many._repr_html_())  # noqa: S314 (our own text)
    tables = tree.findall("table")
    assert [len(table.findall("tbody/tr")) for table in tables] == [6, 57, 10]
    assert "<i>&" in [cell.text for cell in tables[1].iter("td")]


def test_a_table_says_why_a_figure_is_not_known(iris):
    text = str(gauda.LDA().partial_fit(*iris).diagnostics())
    assert "Box's M needs more than 'tied' moments: fit with store_covariance=True" in text


def test_a_single_class_has_a_table(iris):
    text = str(gauda.GaussianNB().fit(iris[0], np.zeros(150, int)).diagnostics())
    assert "Bayes error     0 to 0" in text
    assert "pairs" not in text


# What is refused


@pytest.mark.parametrize("figure", ["log_likelihood", "aic", "bic", "box_m"])
def test_a_given_model_has_no_fit(figure):
    diagnostics = gauda.QDA.from_parameters(MEANS, MATRICES).diagnostics()
    with pytest.raises(ValueError, match="given, not fitted to rows"):
        getattr(diagnostics, figure)


def test_moments_of_other_columns_are_refused(iris):
    model = gauda.LDA().fit(*iris)
    with pytest.raises(ValueError, match=r"2 \(None\) and 4 \(None\)"):
        model.diagnostics(Moments.from_data(iris[0][:, :2], iris[1]))


def test_moments_of_other_classes_are_refused(iris):
    model = gauda.LDA().fit(iris[0][50:], iris[1][50:])
    with pytest.raises(ValueError, match="setosa"):
        model.diagnostics(Moments.from_data(*iris))


def test_rows_are_refused_where_moments_are_meant(iris):
    model = gauda.LDA().fit(*iris)
    with pytest.raises(TypeError, match=r"must get gauda\.Moments; got ndarray"):
        model.diagnostics(iris[0])


def test_too_few_moments_for_a_likelihood_are_refused(iris):
    diagnostics = gauda.QDA().fit(*iris).diagnostics(Moments.from_data(*iris, structure="tied"))
    with pytest.raises(ValueError, match="needs more than 'tied' moments"):
        _ = diagnostics.log_likelihood


@pytest.mark.parametrize("solver", ["svd", "lsqr", "eigen"])
def test_a_linear_fit_tells_box_m(iris, solver, tmp_path):
    expected = gauda.QDA().fit(*iris).diagnostics().box_m
    lda = gauda.LDA(solver=solver).fit(*iris)
    lda.save(tmp_path / "lda")
    copied = pickle.loads(pickle.dumps(lda))  # noqa: S301 (our own)
    for model in (lda, gauda.load(tmp_path / "lda"), copied):
        found = model.diagnostics().box_m
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
        assert found.df == expected.df
        assert model.separation_tests().box_m.statistic == found.statistic
    assert lda.moments_.structure == "tied"


def test_a_linear_fit_of_weighted_rows_tells_box_m(iris):
    X, y = iris
    weights = np.arange(len(y)) % 3 + 1
    repeated = gauda.LDA().fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    found = gauda.LDA().fit(X, y, sample_weight=weights).diagnostics().box_m
    assert found.statistic == pytest.approx(repeated.diagnostics().box_m.statistic, rel=1e-12)


def test_large_scatters_are_kept_where_covariances_are():
    X, y = RNG.normal(size=(900, 70)), np.repeat([0, 1, 2], 300)
    plain = gauda.LDA().fit(X, y).diagnostics()
    with pytest.raises(ValueError, match="'tied' moments: fit with store_covariance=True"):
        plain.box_m  # noqa: B018 (it refuses)
    expected = Moments.from_data(X, y).separation_tests().box_m.statistic
    kept = gauda.LDA(store_covariance=True)
    for model in (kept.fit(X, y), kept.fit_stream([(X[::2], y[::2]), (X[1::2], y[1::2])])):
        assert model.diagnostics().box_m.statistic == pytest.approx(expected, rel=1e-10)


def test_rows_that_come_later_are_not_left_out_of_box_m(iris):
    X, y = iris
    model = gauda.LDA().fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2])
    with pytest.raises(ValueError, match="needs more than 'tied' moments"):
        model.diagnostics().box_m  # noqa: B018 (it refuses)


def test_box_m_of_a_singular_class_is_refused():
    X, y = RNG.normal(size=(30, 6)), np.repeat([0, 1], [5, 25])
    diagnostics = gauda.LDA().fit(X, y).diagnostics(Moments.from_data(X, y))
    with pytest.raises(ValueError, match="covariance of class 0 is singular"):
        _ = diagnostics.box_m


def test_a_singular_model_has_no_likelihood(iris):
    X, y = iris
    diagnostics = gauda.LDA().fit(np.column_stack([X, X[:, 0]]), y).diagnostics()
    with pytest.raises(ValueError, match="rows have no density"):
        _ = diagnostics.log_likelihood
