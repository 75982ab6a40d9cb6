"""Several answers in one pass: each is that of its own method, to the bit."""

import pickle
import tracemalloc

import numpy as np
import pytest
from models import GAUSSIAN
from support import ours

import gauda

METHODS = {
    "label": "predict",
    "proba": "predict_proba",
    "log_proba": "predict_log_proba",
    "log_density": "score_samples",
    "joint": "predict_joint_log_proba",
    "mahalanobis": "mahalanobis",
    "typicality": "typicality",
    "cost": "predict_cost",
}


def some_rows(dtype):
    rng = np.random.default_rng(0)
    y = np.arange(3000) % 5
    X = rng.normal(size=(3000, 7)) + rng.normal(size=(5, 7))[y]
    return (100 * X).astype(dtype), y


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_each_answer_is_that_of_its_method(name, dtype):
    X, y = some_rows(dtype)
    model = ours(name).fit(X, y)
    answers = model.classify(X, tuple(METHODS))
    for output, method in METHODS.items():
        alone = getattr(model, method)(X)
        answer = getattr(answers, output)
        assert answer.dtype == alone.dtype
        np.testing.assert_array_equal(answer, alone, err_msg=output)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_what_was_not_asked_for_is_none(name, iris):
    X, y = iris
    answers = ours(name).fit(X, y).classify(X, "log_density")
    others = {output for output, answer in vars(answers).items() if answer is None}
    assert others == {*METHODS, "top_k", *DERIVED} - {"log_density"}


DERIVED = ("max_proba", "label_typicality", "min_mahalanobis")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("further", [(), ("label", "proba", "typicality", "mahalanobis", "top_k")])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_figures_of_the_label_follow_from_the_others(name, further, dtype):
    X, y = some_rows(dtype)
    model = ours(name).fit(X, y)
    answers = model.classify(X, (*DERIVED, *further), top_k=2 if further else None)
    codes = np.searchsorted(model.classes_, model.predict(X))
    typicality = model.typicality(X)[np.arange(len(X)), codes]
    np.testing.assert_array_equal(answers.max_proba, model.predict_proba(X).max(axis=1))
    np.testing.assert_array_equal(answers.label_typicality, typicality)
    np.testing.assert_array_equal(answers.min_mahalanobis, model.mahalanobis(X).min(axis=1))
    assert answers.max_proba.dtype == answers.min_mahalanobis.dtype == typicality.dtype
    if further:
        np.testing.assert_array_equal(answers.label, model.predict(X))
        assert answers.top_k.labels.shape == (len(X), 2)


def test_figures_of_the_label_take_no_array_over_all_classes():
    X, y = np.repeat(np.arange(100.0), 50)[:, np.newaxis], np.tile(np.arange(50), 100)
    model = gauda.LDA().fit(X, y)
    tracemalloc.start()
    answers = model.classify(X, DERIVED)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert answers.min_mahalanobis is not None
    assert peak < answers.min_mahalanobis.nbytes * len(model.classes_) / 2


def test_a_rejected_row_has_no_typicality_of_its_label(iris):
    X, y = iris
    model = gauda.QDA().fit(X, y)
    answers = model.classify(X, ("label", "label_typicality"), reject=0.99, reject_label="none")
    rejected = answers.label == "none"
    assert 0 < rejected.sum() < len(X)
    np.testing.assert_array_equal(np.isnan(answers.label_typicality), rejected)
    np.testing.assert_array_equal(answers.label, model.predict(X, reject=0.99, reject_label="none"))


def test_figures_of_the_label_go_into_arrays_of_the_caller(iris):
    X, y = iris
    model = gauda.LDA().fit(X, y)
    out = {name: np.empty(len(X)) for name in DERIVED}
    answers = model.classify(X, DERIVED, out=out)
    assert all(getattr(answers, name) is out[name] for name in DERIVED)
    np.testing.assert_array_equal(out["max_proba"], model.classify(X, "max_proba").max_proba)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", GAUSSIAN)
@pytest.mark.parametrize("top_k", [1, 2, 5])
def test_the_likeliest_classes_come_first(name, dtype, top_k):
    X, y = some_rows(dtype)
    model = ours(name).fit(X, np.array(list("vwxyz"))[y])
    proba = model.predict_proba(X)
    order = np.argsort(-model.predict_log_proba(X), axis=1, kind="stable")[:, :top_k]
    labels, posteriors = model.classify(X, ["top_k"], top_k=top_k).top_k
    np.testing.assert_array_equal(labels, model.classes_[order])
    np.testing.assert_array_equal(posteriors, np.take_along_axis(proba, order, axis=1))


@pytest.mark.parametrize("outputs", ["label", ("label", "proba")])
def test_a_number_of_classes_that_nobody_asked_for_is_refused(outputs, tmp_path):
    X, y = some_rows(float)
    model = gauda.LDA().fit(X, y)
    message = r"got 2 with the outputs .*Add 'top_k' to them"
    with pytest.raises(ValueError, match=message):
        model.classify(X, outputs, top_k=2)
    with pytest.raises(ValueError, match=message):
        model.predict_stream(X, tmp_path / "labels.csv", outputs, top_k=2)
    assert not any(tmp_path.iterdir())


def test_what_is_shown_is_what_was_asked_for():
    X, y = some_rows(float)
    answer = gauda.LDA().fit(X, y).classify(X[:1], ("label", "max_proba"))
    assert repr(answer) == f"Classification(label={answer.label!r}, max_proba={answer.max_proba!r})"


def test_by_default_three_classes_are_enough():
    X, y = some_rows(float)
    assert gauda.LDA().fit(X, y).classify(X, "top_k").top_k.labels.shape == (3000, 3)
    assert gauda.LDA().fit(X, y % 2).classify(X, "top_k").top_k.proba.shape == (3000, 2)


@pytest.mark.parametrize("labels", [int, str, object])
@pytest.mark.parametrize("name", GAUSSIAN)
def test_answers_go_into_the_callers_arrays(name, labels, iris):
    X, y = iris
    y = np.unique(y, return_inverse=True)[1].astype(labels) if labels is int else y.astype(labels)
    model = ours(name).fit(X, y)
    out = {
        "label": np.empty(len(X), dtype=model.classes_.dtype),
        "proba": np.empty((len(X), 3)),
        "log_density": np.empty(len(X)),
    }
    answers = model.classify(X, ("label", "proba", "log_density", "joint"), out=out)
    assert answers.label is out["label"]
    assert answers.proba is out["proba"]
    assert answers.log_density is out["log_density"]
    np.testing.assert_array_equal(out["label"], model.predict(X))
    np.testing.assert_array_equal(out["proba"], model.predict_proba(X))
    np.testing.assert_array_equal(out["log_density"], model.score_samples(X))


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ({"proba": np.empty((150, 2))}, r"float64 and shape \(150, 3\); got float64 of shape"),
        ({"proba": np.empty((150, 3), np.float32)}, "got float32"),
        ({"proba": np.empty((3, 150)).T}, "contiguous in C order"),
        ({"proba": [0.0]}, "got list"),
        ({"label": np.empty(150)}, r"<U10 and shape \(150,\)"),
        ({"joint": np.empty((150, 3))}, "out holds an array for 'joint'"),
        ({"top_k": np.empty((150, 3))}, "except top_k"),
    ],
)
def test_arrays_that_will_not_do_are_refused(out, message, iris):
    X, y = iris
    with pytest.raises(ValueError, match=message):
        gauda.LDA().fit(X, y).classify(X, ("label", "proba", "top_k"), out=out)


def test_a_read_only_array_is_refused(iris):
    X, y = iris
    proba = np.empty((150, 3))
    proba.flags.writeable = False
    with pytest.raises(ValueError, match="must be writable"):
        gauda.LDA().fit(X, y).classify(X, out={"proba": proba})


def test_out_must_be_a_dict(iris):
    X, y = iris
    with pytest.raises(TypeError, match="out must be a dict"):
        gauda.LDA().fit(X, y).classify(X, "proba", out=np.empty((150, 3)))


def test_arrays_that_overlap_are_refused(iris):
    X, y = iris
    memory = np.concatenate([X.ravel(), np.empty(1000)])
    rows = memory[: X.size].reshape(X.shape)
    model = gauda.LDA().fit(X, y)
    with pytest.raises(ValueError, match=r"out\['proba'\] shares memory with X"):
        model.classify(rows, out={"proba": memory[300:750].reshape(150, 3)})
    np.testing.assert_array_equal(rows, X)
    together = {
        "proba": memory[600:1050].reshape(150, 3),
        "joint": memory[1000:1450].reshape(150, 3),
    }
    with pytest.raises(ValueError, match=r"out\['joint'\] shares memory with out\['proba'\]"):
        model.classify(X, ("proba", "joint"), out=together)


def test_arrays_that_hold_the_rules_are_refused(iris):
    X, y = iris
    model = gauda.LDA().fit(X, y)
    priors, cost = np.full((150, 3), 1 / 3), np.ones((3, 3))
    with pytest.raises(ValueError, match=r"out\['proba'\] shares memory with priors"):
        model.classify(X, "proba", priors=priors, out={"proba": priors})
    with pytest.raises(ValueError, match=r"out\['cost'\] shares memory with cost"):
        model.classify(X[:3], "cost", cost=cost, out={"cost": cost})
    np.testing.assert_array_equal(priors, np.full((150, 3), 1 / 3))
    np.testing.assert_array_equal(cost, np.ones((3, 3)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"outputs": None}, "outputs must name some of .*; got None"),
        ({"outputs": [["label"]]}, "outputs must name some of"),
        ({"outputs": ("label", "odds")}, "outputs must name some of label, proba"),
        ({"outputs": ()}, "outputs must name some of"),
        ({"outputs": "top_k", "top_k": 4}, "from 1 to 3, the number of classes; got 4"),
        ({"outputs": "top_k", "top_k": 0}, "got 0"),
        ({"outputs": "top_k", "top_k": True}, "got True"),
    ],
)
def test_questions_that_make_no_sense_are_refused(arguments, message, iris):
    X, y = iris
    with pytest.raises(ValueError, match=message):
        gauda.LDA().fit(X, y).classify(X, **arguments)


def test_densities_are_refused_where_there_are_none(iris):
    X, y = iris
    lda = gauda.LDA(reduced_rank=True).fit(X, y)
    np.testing.assert_array_equal(lda.classify(X).label, lda.predict(X))
    with pytest.raises(np.linalg.LinAlgError, match="reduced_rank"):
        lda.classify(X, ("label", "log_density"))


def test_answers_can_be_pickled(iris):
    X, y = iris
    answers = gauda.LDA().fit(X, y).classify(X, ("label", "top_k"))
    again = pickle.loads(pickle.dumps(answers))  # noqa: S301 (our own)
    np.testing.assert_array_equal(again.top_k.labels, answers.top_k.labels)


@pytest.mark.parametrize("name", GAUSSIAN)
def test_bad_rows_leave_an_error_that_names_them(name, iris):
    X, y = iris
    bad = X.copy()
    bad[7, 2] = np.nan
    model = ours(name).fit(X, y)
    with pytest.raises(ValueError, match="NaN at row 7, column 2"):
        model.classify(bad, tuple(METHODS))
