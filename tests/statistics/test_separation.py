"""Tests of separation, against R, statsmodels, SAS's printed iris example and 60-digit tails."""

import pickle
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from models import GAUSSIAN, INDEPENDENT, MODELS

import gauda
from gauda import Moments
from gauda._statistics.tails import chi2_tail, f_tail

DATA = ["iris", "banknote", "skulls", "esl_vowel_train"]
FOUR = ["wilks", "pillai", "hotelling_lawley", "roy"]


@pytest.fixture(params=DATA)
def found(request, load_data, load_json):
    """Give the tests of a data set, and those of R."""
    X, y = load_data(request.param)
    tests = Moments.from_data(X, y).separation_tests()
    return tests, load_json(f"statistics/r_{request.param}")


# Tails


def test_f_tails_have_their_digits(load_json):
    *cases, expected = np.array(load_json("statistics/tails")["f"], dtype=np.float64).T
    tail = f_tail(*cases)
    np.testing.assert_allclose(tail.log_p_value, expected, rtol=1e-12, atol=1e-12)
    large = expected > np.log(1e-300)
    np.testing.assert_allclose(tail.p_value[large], np.exp(expected[large]), rtol=3e-12)
    assert (expected < np.log(1e-300)).any()


def test_chi2_tails_have_their_digits(load_json):
    *cases, expected = np.array(load_json("statistics/tails")["chi2"], dtype=np.float64).T
    tail = chi2_tail(*cases)
    np.testing.assert_allclose(tail.log_p_value, expected, rtol=1e-12, atol=1e-12)
    large = expected > np.log(1e-300)
    np.testing.assert_allclose(tail.p_value[large], np.exp(expected[large]), rtol=3e-12)
    assert (expected < np.log(1e-300)).any()


def test_tails_of_nothing_and_of_infinity():
    assert f_tail(0.0, 2, 3) == (1, 0)
    assert chi2_tail(0.0, 2) == (1, 0)
    assert f_tail(np.inf, 2, 3) == chi2_tail(np.inf, 2) == (0, -np.inf)
    assert np.isnan(f_tail(np.nan, 2, 3)).all()


# Against others


@pytest.mark.parametrize("name", FOUR)
def test_the_four_tests_are_rs(found, name):
    tests, r = found
    test, expected = getattr(tests, name), r["multivariate"][name]
    for field in ("statistic", "f", "df_num", "df_den"):
        assert getattr(test, field) == pytest.approx(expected[field], rel=1e-11)
    assert test.p_value == pytest.approx(expected["p_value"], rel=1e-9)
    if expected["p_value"] > 0:  # R's underflows once
        assert test.log_p_value == pytest.approx(np.log(expected["p_value"]), rel=1e-11)
    else:
        assert test.log_p_value < np.log(1e-300)


@pytest.mark.parametrize("dataset", DATA)
def test_the_four_tests_are_those_of_statsmodels(load_data, load_json, dataset):
    tests = gauda.LDA().fit(*load_data(dataset)).separation_tests()
    expected = load_json("statistics/statsmodels_manova")[dataset]
    for name, row in expected["statistic, df_num, df_den, f, p_value"].items():
        test = getattr(tests, name)
        figures = [test.statistic, test.df_num, test.df_den, test.f]
        np.testing.assert_allclose(figures, row[:4], rtol=1e-9)
        assert test.p_value == pytest.approx(row[4], rel=1e-7)  # a power of what F has lost
    assert tests.hotelling_lawley.statistic == pytest.approx(expected["hotelling_lawley"])


def test_canonical_correlations_are_rs(found):
    tests, r = found
    expected = np.atleast_1d(r["canonical_correlations"])
    np.testing.assert_allclose(tests.canonical_correlations, expected, rtol=1e-11)


def test_the_first_sequential_test_is_that_of_all_axes(found):
    tests, _ = found
    first, whole = tests.canonical[0], tests.wilks
    assert first.wilks == pytest.approx(whole.statistic, rel=1e-13)
    assert (first.f, first.df_num) == pytest.approx((whole.f, whole.df_num), rel=1e-12)
    assert first.df_den == pytest.approx(whole.df_den, rel=1e-12)


def test_distances_are_rs(found):
    tests, r = found
    off = ~np.eye(len(tests.classes), dtype=bool)
    for field in ("mahalanobis", "f"):
        got, expected = getattr(tests.pairs, field), np.array(r["pairs"][field])
        np.testing.assert_allclose(got[off], expected[off], rtol=1e-10)
    p_value = np.array(r["pairs"]["p_value"])
    np.testing.assert_allclose(tests.pairs.p_value[off], p_value[off], rtol=1e-8)
    assert np.isnan(tests.pairs.f[~off]).all()
    np.testing.assert_array_equal(np.diag(tests.pairs.mahalanobis), 0)


@pytest.mark.parametrize("structure", ["full", "tied", "diag"])
@pytest.mark.parametrize("dataset", DATA)
def test_analyses_of_variance_are_rs(load_data, load_json, dataset, structure):
    tests = Moments.from_data(*load_data(dataset), structure=structure).separation_tests()
    expected = load_json(f"statistics/r_{dataset}")["univariate"]
    np.testing.assert_allclose(tests.univariate.f, expected["f"], rtol=1e-11)
    np.testing.assert_allclose(tests.univariate.r_squared, expected["r_squared"], rtol=1e-11)
    np.testing.assert_allclose(tests.univariate.p_value, expected["p_value"], rtol=1e-9)


def test_iris_is_as_sas_prints_it(iris):
    """PROC CANDISC on Fisher's iris in the SAS/STAT user's guide."""
    tests = gauda.QDA().fit(*iris).separation_tests()
    assert tests.canonical_correlations == pytest.approx([0.984821, 0.471197], abs=5e-7)
    first, second = tests.canonical
    assert (first.wilks, second.wilks) == pytest.approx((0.02343863, 0.77797337), abs=5e-9)
    assert (round(first.f, 2), first.df_num, first.df_den) == (199.15, 8, 288)
    assert (round(second.f, 2), second.df_num, second.df_den) == (13.79, 3, 145)
    assert (first.eigenvalue, second.eigenvalue) == pytest.approx((32.1919, 0.2854), abs=5e-5)
    assert (first.proportion, second.proportion) == pytest.approx((0.9912, 0.0088), abs=5e-5)
    distances = tests.pairs.mahalanobis[[0, 0, 1], [1, 2, 2]]
    assert distances == pytest.approx([89.86419, 179.38471, 17.20107], abs=5e-6)
    assert tests.pairs.f[[0, 1], [1, 2]] == pytest.approx([550.18889, 105.31265], abs=5e-6)
    assert tests.univariate.r_squared == pytest.approx([0.6187, 0.4008, 0.9414, 0.9289], abs=5e-5)


def test_bartletts_chi2_of_iris(iris):
    """As SPSS prints it: 546.115 with 8 and 36.530 with 3 degrees of freedom."""
    first, second = gauda.LDA().fit(*iris).separation_tests().canonical
    assert (round(first.chi2, 3), first.chi2_df) == (546.115, 8)
    assert (round(second.chi2, 3), second.chi2_df) == (36.530, 3)
    assert second.chi2_p_value == pytest.approx(5.786e-8, rel=1e-3)


def test_two_classes_give_hotellings_t_squared(load_data):
    """All four F are then equal, and that of the distance."""
    tests = Moments.from_data(*load_data("banknote")).separation_tests()
    fs = [getattr(tests, name).f for name in FOUR]
    np.testing.assert_allclose(fs, tests.pairs.f[0, 1], rtol=1e-10)
    np.testing.assert_allclose(tests.wilks.log_p_value, tests.pairs.log_p_value[0, 1], rtol=1e-10)


def test_one_column_is_an_analysis_of_variance(iris):
    X, y = iris
    tests = Moments.from_data(X[:, :1], y).separation_tests()
    for name in FOUR:
        assert getattr(tests, name).f == pytest.approx(tests.univariate.f[0], rel=1e-12)


def test_p_values_below_the_smallest_number(load_data):
    X, y = load_data("iris")
    far = X + 1e4 * (y == "setosa")[:, np.newaxis]
    tests = Moments.from_data(far, y).separation_tests()
    assert tests.roy.p_value < 1e-300
    # For 4 and 145 degrees of freedom I_x(72.5, 2) = x^72.5 (1 + 72.5 (1 - x)).
    x = 1 / (1 + 4 / 145 * tests.roy.f)
    expected = 72.5 * np.log(x) + np.log1p(72.5 * (1 - x))
    assert tests.roy.log_p_value == pytest.approx(expected, rel=1e-13)
    assert f"e{int(np.floor(expected / np.log(10)))}" in str(tests)


# What does not matter


@pytest.mark.parametrize("unit", [1e-6, 1e6, 1e-150, 1e150])
def test_units_and_places_do_not_matter(iris, unit):
    X, y = iris
    plain = Moments.from_data(X, y).separation_tests()
    scaled = Moments.from_data((X - 5) * [unit, 1, 1 / unit, 1], y).separation_tests()
    for name in FOUR:
        np.testing.assert_allclose(getattr(scaled, name), getattr(plain, name), rtol=1e-9)
    np.testing.assert_allclose(scaled.univariate.f, plain.univariate.f, rtol=1e-10)


def test_whole_weights_are_numbers_of_rows(iris):
    X, y = iris
    weights = 1 + np.arange(150) % 3
    weighted = Moments.from_data(X, y, sample_weight=weights).separation_tests()
    repeated = Moments.from_data(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    expected = repeated.separation_tests()
    for name in FOUR:
        np.testing.assert_allclose(getattr(weighted, name), getattr(expected, name), rtol=1e-10)
    assert weighted.box_m.statistic == pytest.approx(expected.box_m.statistic)


def test_a_class_without_rows_is_left_out(iris):
    X, y = iris
    tests = Moments.from_data(X, y, classes=[*np.unique(y), "zebra"]).separation_tests()
    assert tests.classes.tolist() == ["setosa", "versicolor", "virginica"]
    assert tests.wilks.f == pytest.approx(199.145343540085)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_a_models_tests_are_those_of_its_rows(name):
    entry = MODELS[name]
    tests = entry.fitted().separation_tests()
    expected = Moments.from_data(*entry.data()).separation_tests()
    np.testing.assert_allclose(tests.univariate.f, expected.univariate.f, rtol=1e-12)
    if name not in INDEPENDENT:
        np.testing.assert_allclose(tests.wilks, expected.wilks, rtol=1e-12)


# Bad input


def test_weights_that_are_not_counts_are_refused(iris):
    X, y = iris
    for weights in (np.full(150, 0.7), np.full(150, 0.5), np.full(150, 1e-200)):
        with pytest.raises(ValueError, match=r"number of equal, independent rows; got .* setosa"):
            Moments.from_data(X, y, sample_weight=weights).separation_tests()
    with pytest.raises(ValueError, match="without weights"):
        (Moments.from_data(X, y) * 0.9).separation_tests()


def test_too_few_rows_are_refused(iris):
    X, y = iris
    few = [0, 1, 50, 51, 100, 101]
    tests = Moments.from_data(X[few], y[few]).separation_tests()
    for name in [*FOUR, "canonical", "pairs"]:
        with pytest.raises(ValueError, match="columns and classes together, 7; got 6"):
            getattr(tests, name)
    assert np.isfinite(tests.univariate.f).all()
    assert "together, 7; got 6" in str(tests)
    single = Moments.from_data(X[::50], y[::50]).separation_tests()
    with pytest.raises(ValueError, match="more rows than classes, 3; got 3"):
        single.univariate  # noqa: B018 (it refuses)
    assert str(single).count("unknown") == 3


def test_as_few_rows_as_can_be(iris):
    """Seven rows of three classes leave four directions; one trace has no F then, as in R."""
    X, y = iris
    few = [0, 1, 2, 50, 51, 100, 101]
    tests = Moments.from_data(X[few], y[few]).separation_tests()
    assert tests.wilks.df_den == 2
    assert tests.wilks.f > 0
    assert tests.hotelling_lawley.df_den == 0
    assert np.isnan(tests.hotelling_lawley.f)
    assert np.isnan(tests.hotelling_lawley.p_value)
    assert "nan" in str(tests)


def test_a_singular_scatter_is_refused(iris):
    X, y = iris
    twice = np.column_stack([X, X[:, 0] + X[:, 1]])
    tests = Moments.from_data(twice, y).separation_tests()
    with pytest.raises(ValueError, match=r"rank 4 for 5 columns, as some are linear functions"):
        tests.wilks  # noqa: B018 (it refuses)
    constant = np.column_stack([X, y == "setosa"])
    tests = Moments.from_data(constant.astype(float), y).separation_tests()
    with pytest.raises(ValueError, match="column 4 has no variance"):
        tests.pairs  # noqa: B018 (it refuses)
    assert tests.univariate.f[4] == np.inf
    assert tests.univariate.p_value[4] == 0
    assert tests.univariate.r_squared[4] == 1
    assert "inf" in str(tests)
    same = np.column_stack([X, np.ones(150)])
    assert np.isnan(Moments.from_data(same, y).separation_tests().univariate.f[4])


def test_moments_that_hold_too_little_are_refused(iris):
    diag = Moments.from_data(*iris, structure="diag").separation_tests()
    with pytest.raises(ValueError, match=r"'diag' moments do not hold: use Moments\.from_data"):
        diag.wilks  # noqa: B018 (it refuses)
    tied = Moments.from_data(*iris, structure="tied").separation_tests()
    with pytest.raises(ValueError, match="Box's M needs more than 'tied' moments"):
        tied.box_m  # noqa: B018 (it refuses)
    assert tied.wilks.f == pytest.approx(199.145343540085)


def test_models_without_rows_are_refused():
    given = gauda.LDA.from_parameters([[0.0], [1.0]], [[1.0]])
    with pytest.raises(ValueError, match="Tests need rows"):
        given.separation_tests()
    with pytest.raises(ValueError, match="Tests need rows"):
        Moments.from_data(np.empty((0, 2)), np.empty(0, int)).separation_tests()
    with pytest.raises(ValueError, match="two classes"):
        Moments.from_data([[1.0], [2.0]], [1, 1]).separation_tests()


def test_rows_with_gaps_are_refused(iris):
    X, y = iris
    holey = X.copy()
    holey[0, 0] = np.nan
    model = gauda.LDA(missing="marginalize").fit(holey, y)
    with pytest.raises(ValueError, match="Tests need complete rows"):
        model.separation_tests()


# Tables


def test_tables_of_many_classes_and_columns_are_short():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, 30)), np.arange(900) % 30
    text = str(Moments.from_data(X, y).separation_tests())
    assert "the 10 smallest of 435 distances" in text
    assert "the 20 columns of largest R2, of 30" in text


def test_a_notebook_shows_tables(iris):
    X, _ = iris
    y = np.repeat(["<a>", "b & c", "d"], 50)
    html = ET.fromstring(gauda.QDA().fit(X, y).separation_tests()._repr_html_())  # noqa: S314 - our own
    assert len(html.findall("table")) == 4
    assert "<a>" in "".join(html.itertext())
    ET.fromstring(gauda.GaussianNB().fit(X, y).separation_tests()._repr_html_())  # noqa: S314 - our own


def test_frames_hold_the_tests(iris):
    tests = gauda.QDA().fit(*iris).separation_tests()
    frame = tests.to_frame()
    assert frame.index.tolist() == FOUR
    assert frame.loc["roy", "df_den"] == 145
    assert tests.to_frame("canonical").loc[2, "correlation"] == tests.canonical[1].correlation
    pairs = tests.to_frame("pairs")
    assert pairs.loc[("setosa", "virginica"), "f"] == tests.pairs.f[0, 2]
    assert tests.to_frame("univariate").loc["x2", "r_squared"] == tests.univariate.r_squared[2]
    with pytest.raises(ValueError, match="part must be 'multivariate'"):
        tests.to_frame("all")


def test_tests_are_copied_with_pickle(iris):
    tests = Moments.from_data(*iris).separation_tests()
    copied = pickle.loads(pickle.dumps(tests))  # noqa: S301 - our own
    assert copied.wilks == tests.wilks
    assert repr(copied) == "<SeparationTests of 3 classes, 4 features, 150 rows>"
