"""Scoring a stream writes what the methods of the estimator say about its rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from models import GAUSSIAN
from support import ours

from gauda import GaussianNB
from gauda._estimators.streaming import predict_stream
from gauda._scoring.answers import OUTPUTS

N = 500
NAMES = ["a", "b", "c"]
SPECIES = np.array(["oak", "elm", "ash"])


class Case:
    """Rows with names and an id, and an estimator that was fitted to them."""

    def __init__(self, model, dtype=np.float64):
        random = np.random.default_rng(3)
        codes = np.arange(N) % 3
        self.X = (random.standard_normal((N, 3)) + codes[:, np.newaxis]).astype(dtype)
        self.y = SPECIES[codes]
        self.frame = pd.DataFrame(self.X, columns=NAMES)
        self.estimator = ours(model).fit(self.frame, self.y)
        self.id = np.arange(N)
        columns = {name: self.X[:, NAMES.index(name)] for name in ["c", "a", "b"]}
        self.table = pa.table({"id": self.id, **columns, "y": self.y})


@pytest.fixture
def case():
    return Case("QuadraticDiscriminantAnalysis")


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out.parquet"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("model", GAUSSIAN)
def test_answers_are_those_of_the_methods(model, dtype, out):
    case = Case(model, dtype)
    outputs = ["label", "proba", "max_proba", "log_density"]
    assert predict_stream(case.estimator, case.table, out, outputs, batch_rows=64) == N
    written = pq.read_table(out)
    names = ["label", "proba_ash", "proba_elm", "proba_oak", "max_proba", "log_density"]
    assert written.column_names == names
    posteriors = case.estimator.predict_proba(case.frame)
    expected = [
        case.estimator.predict(case.frame),
        *posteriors.T,
        posteriors.max(axis=1),
        case.estimator.score_samples(case.frame),
    ]
    for name, column in zip(names, expected, strict=True):
        np.testing.assert_array_equal(written[name].to_numpy(), column)
    assert written["log_density"].type == pa.from_numpy_dtype(dtype)


def test_all_outputs_of_classify_can_be_written(case, out):
    given = {"priors": [0.2, 0.3, 0.5], "cost": 1 - np.eye(3), "reject": 0.6}
    given |= {"reject_label": "none", "top_k": 2}
    n_rows = case.estimator.predict_stream(case.table, out, OUTPUTS, batch_rows=64, **given)
    assert n_rows == N
    answers = case.estimator.classify(case.frame, OUTPUTS, **given)
    written = pq.read_table(out)
    for output in OUTPUTS:
        answer = getattr(answers, output)
        if output == "top_k":
            columns = {f"top_{rank + 1}": answer.labels[:, rank] for rank in range(2)}
            columns |= {f"top_{rank + 1}_proba": answer.proba[:, rank] for rank in range(2)}
        elif answer.ndim > 1:
            columns = {f"{output}_{label}": answer[:, k] for k, label in enumerate(sorted(SPECIES))}
        else:
            columns = {output: answer}
        for name, column in columns.items():
            np.testing.assert_array_equal(written[name].to_numpy(), column, err_msg=name)
    assert "none" in written["label"].to_pylist()
    assert len(written.column_names) == 6 * 3 + 5 + 4


def test_priors_of_each_row_are_refused(case, out):
    with pytest.raises(ValueError, match="priors of a stream must be one list for all rows"):
        case.estimator.predict_stream(case.table, out, priors=np.full((N, 3), 1 / 3))
    assert not out.exists()


@pytest.mark.parametrize(
    "give",
    [
        lambda case, folder: (
            pq.write_table(case.table, folder / "in.parquet") or folder / "in.parquet"
        ),
        lambda case, _: pl.from_arrow(case.table),
        lambda case, _: case.X,
        lambda case, folder: np.save(folder / "in.npy", case.X) or str(folder / "in.npy"),
        lambda case, _: (case.frame[start : start + 99] for start in range(0, N, 99)),
        lambda case, _: [(case.X, case.y)],
    ],
    ids=["parquet", "polars", "array", "npy", "frames", "pairs"],
)
def test_every_source_can_be_scored(give, case, tmp_path, out):
    assert predict_stream(case.estimator, give(case, tmp_path), out) == N
    expected = case.estimator.predict(case.frame)
    np.testing.assert_array_equal(pq.read_table(out)["label"].to_numpy(), expected)


def test_kept_columns_go_along_in_their_type(case, out):
    table = case.table.append_column("place", pa.array([["x"], None] * (N // 2)))
    predict_stream(case.estimator, table, out, keep=["id", "place", "y"], batch_rows=64)
    written = pq.read_table(out)
    assert written.column_names == ["id", "place", "y", "label"]
    assert written.select(["id", "place", "y"]).equals(table.select(["id", "place", "y"]))


def test_feature_may_be_kept_too(case, out):
    predict_stream(case.estimator, case.table, out, keep=["a"])
    np.testing.assert_array_equal(pq.read_table(out)["a"].to_numpy(), case.frame["a"])


@pytest.mark.parametrize("target", [None, "y", "nowhere"])
def test_model_without_names_takes_all_columns_but_target_and_kept_ones(target, case, out):
    nameless = GaussianNB().fit(case.X, case.y)
    table = case.table.select(["id", *NAMES, *(["y"] if target == "y" else [])])
    predict_stream(nameless, table, out, target=target, keep=["id"])
    np.testing.assert_array_equal(pq.read_table(out)["label"].to_numpy(), nameless.predict(case.X))


def test_columns_of_other_names_are_taken_in_the_order_given(case, out):
    renamed = case.table.rename_columns(["id", "z", "x", "y", "label of old"])
    predict_stream(case.estimator, renamed, out, features=["x", "y", "z"])
    expected = case.estimator.predict(case.frame)
    np.testing.assert_array_equal(pq.read_table(out)["label"].to_numpy(), expected)


@pytest.mark.parametrize(
    "classes", [[3, 7], [False, True], [0.5 * 2, 4.0], ["a", "b"], np.array(["a", "b"], object)]
)
def test_labels_keep_their_type(classes, out):
    estimator = GaussianNB().fit([[0.0], [1.0], [7.0], [9.0]], np.asarray(classes)[[0, 0, 1, 1]])
    predict_stream(estimator, np.array([[8.0], [0.5]]), out)
    assert pq.read_table(out)["label"].to_pylist() == [classes[1], classes[0]]


def test_kept_columns_of_an_array_are_called_by_their_index(case, out):
    rows = np.column_stack([case.id, case.X])
    predict_stream(case.estimator, rows, out, keep=[0])
    assert pq.read_table(out)["0"].to_pylist() == case.id.tolist()


def test_source_without_rows_gives_columns_without_rows(case, out):
    assert predict_stream(case.estimator, case.table.slice(0, 0), out, keep=["id"]) == 0
    schema = pq.read_table(out).schema
    assert schema.names == ["id", "label"]
    assert schema.types == [pa.int64(), pa.string()]


def test_batches_are_gathered_into_one_row_group(case, out):
    predict_stream(case.estimator, case.table, out, batch_rows=10)
    assert pq.ParquetFile(out).num_row_groups == 1


def test_file_that_was_there_is_replaced(case, out):
    out.write_text("old")
    predict_stream(case.estimator, case.table, out)
    assert pq.read_table(out).num_rows == N


def test_file_may_replace_its_own_source(case, out):
    pq.write_table(case.table, out)
    predict_stream(case.estimator, out, out)
    assert pq.read_table(out).column_names == ["label"]


def test_result_has_the_permissions_of_any_new_file(case, out):
    predict_stream(case.estimator, case.table, out)
    plain = out.with_name("plain")
    plain.touch()
    assert out.stat().st_mode == plain.stat().st_mode


def test_nan_is_refused_by_its_row_in_the_stream(case, out):
    rows = case.X.copy()
    rows[333, 1] = np.nan
    with pytest.raises(ValueError, match="NaN at row 333, column 'b'"):
        predict_stream(case.estimator, rows, out, batch_rows=100)


ERRORS = {
    "outputs": (
        {"outputs": ["labels"]},
        r"must name some of label, proba.*; got \['labels'\]",
    ),
    "no outputs": ({"outputs": ()}, "must name some of"),
    "feature": ({"features": ["a", "b", "q"]}, "Column 'q' does not exist"),
    "too few": ({"features": ["a"]}, "the 3 features that QuadraticDiscriminant.*fitted to; got 1"),
    "kept": ({"keep": ["q"]}, "Column 'q' does not exist"),
    "clash": ({"keep": ["label"]}, "kept column 'label' has the name of an output"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error_says_what_to_do(name, case, out):
    parameters, message = ERRORS[name]
    with pytest.raises(ValueError, match=message):
        predict_stream(case.estimator, case.table, out, **parameters)
    assert not out.exists()


def test_table_that_lacks_a_feature_is_refused(case, out):
    with pytest.raises(ValueError, match=r"Column 'b' does not exist.*'id', 'c', 'a', 'y'"):
        predict_stream(case.estimator, case.table.drop_columns(["b"]), out)


def test_frames_of_other_columns_are_refused(case, out):
    with pytest.raises(ValueError, match=r"was fitted to.*got \['c', 'b', 'a'\]"):
        predict_stream(case.estimator, [case.frame[["c", "b", "a"]]], out)


def test_estimator_without_a_fit_is_refused(case, out):
    with pytest.raises(ValueError, match="not fitted yet"):
        predict_stream(GaussianNB(), case.table, out)


def test_folder_that_is_not_there_is_named(case, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"No such folder.*nowhere"):
        predict_stream(case.estimator, case.table, tmp_path / "nowhere" / "out.parquet")


def test_folder_is_no_file(case, tmp_path):
    with pytest.raises(IsADirectoryError, match="A folder has this name"):
        predict_stream(case.estimator, case.table, tmp_path)


def test_single_column_to_keep_need_not_be_in_a_list(case, out):
    predict_stream(case.estimator, case.table, out, keep="id")
    assert pq.read_schema(out).names == ["id", "label"]


def test_output_that_is_asked_for_twice_is_written_once(case, out):
    predict_stream(case.estimator, case.table, out, ["label", "label"])
    assert pq.read_schema(out).names == ["label"]


def test_posteriors_of_many_classes_come_in_fewer_rows(out):
    n_classes = 3000
    y = np.repeat(np.arange(n_classes), 2)
    X = y[:, np.newaxis] + np.tile([0.0, 0.5], n_classes)[:, np.newaxis]
    nb = GaussianNB().fit(X, y)
    predict_stream(nb, X, out, ["proba"])
    written = pq.ParquetFile(out).metadata
    groups = [written.row_group(place).num_rows for place in range(written.num_row_groups)]
    assert sum(groups) == len(y)
    assert max(groups) <= len(y) / 2  # as a group holds at least one batch
