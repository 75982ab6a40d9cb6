"""Spark with the fits and answers in memory, over all models; pipelines, files, nulls, faults."""

import os
import signal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from models import MODELS, STEPWISE
from pyspark.errors import PythonException
from pyspark.ml import Pipeline, PipelineModel
from pyspark.ml.evaluation import MulticlassClassificationEvaluator
from pyspark.ml.feature import VectorAssembler
from pyspark.ml.tuning import CrossValidator, ParamGridBuilder
from pyspark.sql import functions as sql
from spark_session import MARKS, session

import gauda
from gauda.model_selection import HashedKFold
from gauda.spark import GaudaClassifier, GaudaModel, _tasks

pytestmark = MARKS

COLUMNS = ["a", "b", "c"]


@pytest.fixture(scope="module")
def spark():
    """Give a session of two cores, in which failed tasks are tried again."""
    with session("local[2,4]") as spark:
        yield spark


def table(X, y):
    """Return rows and labels as a frame of pandas."""
    frame = X.copy() if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=COLUMNS)
    return frame.assign(species=np.asarray(y, dtype=object))


def as_spark(spark, frame, n_partitions=3):
    """Return a frame of Spark with the rows in their order, and an index."""
    rows = [tuple(map(plain, row)) for row in frame.assign(row=range(len(frame))).to_numpy()]
    names = [*frame.columns, "row"]
    return spark.createDataFrame(rows, names).repartitionByRange(n_partitions, "row")


def plain(entry):
    """Return an entry that Spark knows."""
    if isinstance(entry, float) and np.isnan(entry):
        return None
    return entry.item() if isinstance(entry, np.generic) else entry


def collected(frame, *names):
    """Return columns of a frame of Spark in the order of its rows."""
    rows = frame.orderBy("row").select(*names).collect()
    return [
        np.array(
            [
                list(r[at]) if hasattr(r[at], "__len__") and not isinstance(r[at], str) else r[at]
                for r in rows
            ]
        )
        for at in range(len(names))
    ]


@pytest.mark.parametrize("name", STEPWISE)
def test_fits_and_answers_are_those_in_memory(spark, name):
    X, y = MODELS[name].data(120)
    frame = table(X, y)
    features = [column for column in frame if column != "species"]
    rows = frame[features]
    expected = MODELS[name].make().fit(rows, y)
    classifier = GaudaClassifier(
        estimator=MODELS[name].make(), featuresCols=features, labelCol="species"
    )
    source = as_spark(spark, frame)
    model = classifier.fit(source)
    assert model.estimator.classes_.tolist() == expected.classes_.tolist()
    label, proba, joint = collected(
        model.transform(source), "prediction", "probability", "rawPrediction"
    )
    np.testing.assert_array_equal(label, expected.predict(rows))
    np.testing.assert_allclose(proba, expected.predict_proba(rows), rtol=1e-10, atol=1e-300)
    np.testing.assert_allclose(joint, expected.predict_joint_log_proba(rows), rtol=1e-10)


@pytest.fixture(scope="module")
def rows():
    X, y = MODELS["QDA"].data(120)
    return X, np.searchsorted(np.unique(y), y)


@pytest.fixture(scope="module")
def numbered(spark, rows):
    """Give rows with vectors, arrays and labels that are numbers."""
    frame = as_spark(spark, table(rows[0], rows[1].astype(float)))
    frame = frame.withColumn("label", sql.col("species").cast("double")).drop("species")
    frame = frame.withColumn("mass", sql.lit(1.0) + sql.col("row") % 3)
    frame = VectorAssembler(inputCols=COLUMNS, outputCol="features").transform(frame)
    array = sql.array(*[sql.col(name).cast("float") for name in COLUMNS])
    return frame.withColumn("list", array).cache()


@pytest.mark.parametrize("column", ["features", "list"])
def test_vectors_and_arrays_are_features(numbered, rows, column):
    X, y = rows
    X = X if column == "features" else X.astype(np.float32).astype(np.float64)
    model = GaudaClassifier(estimator=gauda.QDA(), featuresCol=column).fit(numbered)
    expected = gauda.QDA().fit(X, y)
    label, proba = collected(model.transform(numbered), "prediction", "probability")
    np.testing.assert_array_equal(label, expected.predict(X))
    np.testing.assert_allclose(proba, expected.predict_proba(X), rtol=1e-10)


def test_weights_are_a_column(numbered, rows):
    X, y = rows
    model = GaudaClassifier(estimator=gauda.LDA(), weightCol="mass").fit(numbered)
    expected = gauda.LDA().fit(X, y, 1.0 + np.arange(120) % 3)
    np.testing.assert_allclose(model.estimator.coef_, expected.coef_, rtol=1e-10)


def test_evaluators_of_spark_judge_the_model(numbered, rows):
    X, y = rows
    answered = GaudaClassifier(estimator=gauda.LDA()).fit(numbered).transform(numbered)
    accuracy = MulticlassClassificationEvaluator(metricName="accuracy").evaluate(answered)
    assert accuracy == pytest.approx(gauda.LDA().fit(X, y).score(X, y))
    loss = MulticlassClassificationEvaluator(metricName="logLoss").evaluate(answered)
    posteriors = gauda.LDA().fit(X, y).predict_proba(X)
    assert loss == pytest.approx(-np.log(posteriors[np.arange(120), y]).mean())


def test_columns_that_are_not_wanted_are_left_out(numbered):
    model = GaudaClassifier(probabilityCol="", rawPredictionCol="").fit(numbered)
    assert set(model.transform(numbered).columns) - set(numbered.columns) == {"prediction"}


def test_a_pipeline_and_a_search_take_the_estimator(numbered):
    classifier = GaudaClassifier(estimator=gauda.LDA())
    grid = ParamGridBuilder().addGrid(
        classifier.estimator, [gauda.RDA(alpha=1.0), gauda.GaussianNB()]
    )
    search = CrossValidator(
        estimator=classifier,
        estimatorParamMaps=grid.build(),
        evaluator=MulticlassClassificationEvaluator(metricName="logLoss"),
        numFolds=2,
        seed=0,
    )
    found = search.fit(numbered)
    assert len(found.avgMetrics) == 2
    assert isinstance(found.bestModel, GaudaModel)


def test_everything_can_be_saved_and_loaded(numbered, tmp_path):
    classifier = GaudaClassifier(
        estimator=gauda.RDA(alpha=0.3, priors=[0.2, 0.3, 0.5]), labelCol="label"
    )
    pipeline = Pipeline(stages=[classifier])
    pipeline.save(str(tmp_path / "pipeline"))
    loaded = Pipeline.load(str(tmp_path / "pipeline")).getStages()[0]
    assert loaded.getEstimator().get_params() == classifier.getEstimator().get_params()
    assert loaded.uid == classifier.uid
    model = pipeline.fit(numbered)
    model.save(str(tmp_path / "model"))
    again = PipelineModel.load(str(tmp_path / "model"))
    for answered in (model, again):
        label = collected(answered.transform(numbered), "prediction")[0]
        np.testing.assert_array_equal(label, label)
    first, second = (
        collected(fitted.transform(numbered), "probability")[0] for fitted in (model, again)
    )
    np.testing.assert_array_equal(first, second)


def test_a_copy_has_other_parameters(numbered):
    classifier = GaudaClassifier(estimator=gauda.LDA())
    other = classifier.copy({classifier.estimator: gauda.GaussianNB()})
    assert isinstance(classifier.getEstimator(), gauda.LDA)
    assert isinstance(other.fit(numbered).estimator, gauda.GaussianNB)


@pytest.fixture(scope="module")
def gaps(spark, rows):
    X, y = rows
    X = X.copy()
    X[5, 1] = X[70, 0] = np.nan
    return X, y, as_spark(spark, table(X, [f"class {code}" for code in y]))


def classifier_of(estimator, **params):
    return GaudaClassifier(estimator=estimator, featuresCols=COLUMNS, labelCol="species", **params)


def test_nulls_are_refused_with_partition_row_and_column(gaps):
    # Both partitions have one, and either may be the first to fail.
    faults = r"In partition (0: .*row 5,.*'b'|1: .*row 30,.*'a')"
    with pytest.raises(PythonException, match=faults):
        classifier_of(gauda.QDA()).fit(gaps[2])


def test_rows_with_nulls_may_be_skipped(gaps):
    X, y, source = gaps
    model = classifier_of(gauda.QDA(), handleInvalid="skip").fit(source)
    complete = ~np.isnan(X).any(axis=1)
    expected = gauda.QDA().fit(X[complete], y[complete])
    np.testing.assert_allclose(model.estimator.means_, expected.means_, rtol=1e-12)
    assert model.transform(source).count() == 118


def test_missing_values_may_be_integrated_out(gaps):
    X, y, source = gaps
    model = classifier_of(gauda.GaussianNB(), handleInvalid="keep").fit(source)
    expected = gauda.GaussianNB(missing="marginalize").fit(X, y)
    np.testing.assert_allclose(model.estimator.theta_, expected.theta_, rtol=1e-12)
    proba = collected(model.transform(source), "probability")[0]
    np.testing.assert_allclose(proba, expected.predict_proba(X), rtol=1e-10)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labelCol": "genus"}, "There is no column 'genus'"),
        ({"featuresCols": ["a", "smell"]}, "There is no column 'smell'"),
        ({"featuresCols": ["a", "label"]}, "'label' must be one thing; got it as a feature and"),
        ({"weightCol": "label"}, "'label' must be one thing; got it as labelCol and as weightCol"),
        ({"featuresCols": []}, r"featuresCols must name columns, each of them once; got \[\]"),
        ({"featuresCols": ["a", "a"]}, "each of them once; got"),
        ({"labelCol": "list"}, "labelCol must hold numbers or text; got 'list' of type array"),
        ({"labelCol": "day"}, "labelCol must hold numbers or text; got 'day' of type date"),
        ({"weightCol": "day"}, "weightCol must hold numbers; got 'day' of type date"),
        ({"featuresCol": "row"}, "must hold vectors or arrays of numbers; got 'row'"),
    ],
)
def test_columns_must_suit(numbered, change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        GaudaClassifier(**change).fit(numbered.withColumn("day", sql.current_date()))


@pytest.mark.parametrize("name", ["QDA", "CategoricalNB, text", "MixedNB"])
def test_columns_without_any_value_are_refused(spark, name):
    X, y = MODELS[name].data(60)
    frame = table(X, y)
    features = [column for column in frame if column != "species"]
    source = as_spark(spark, frame, 2)
    late = sql.col("row") >= 30
    classifier = GaudaClassifier(
        estimator=MODELS[name].make(missing="raise"), featuresCols=features, labelCol="species"
    )
    for column, message in (
        (features[0], rf"In partition 1: .*(null|NaN) at row 0, column '{features[0]}'"),
        ("species", "In partition 1: .*label of row 0 is missing"),
    ):
        half = source.withColumn(column, sql.when(~late, sql.col(column)))
        with pytest.raises(PythonException, match=message):
            classifier.fit(half)
        none = source.withColumn(column, sql.when(sql.col("row") < 0, sql.col(column)))
        skipping = classifier.copy({classifier.handleInvalid: "skip"})
        with pytest.raises(ValueError, match=r"'skip' leaves no rows: .* each lacks a value"):
            skipping.fit(none)


@pytest.mark.parametrize("name", ["QDA", "BernoulliNB", "MultinomialNB"])
def test_lists_must_be_of_one_length(spark, name):
    X, y = MODELS[name].data(60)
    source = as_spark(spark, table(X, y), 2)
    whole, narrow = sql.array(*COLUMNS), sql.array(*COLUMNS[:2])
    classifier = GaudaClassifier(
        estimator=MODELS[name].make(), featuresCol="list", labelCol="species"
    )
    row = sql.col("row")
    by_part = source.withColumn("list", sql.when(row < 30, whole).otherwise(narrow))
    with pytest.raises(ValueError, match=r"In partitions 0 and 1: .* of 3 and 2 features"):
        classifier.fit(by_part)
    by_row = source.withColumn("list", sql.when(row != 40, whole).otherwise(narrow))
    with pytest.raises(PythonException, match=r"In partition 1: .* as many features; got 2 to 3"):
        classifier.fit(by_row)
    with_null = source.withColumn("list", sql.when(row != 40, whole))
    with pytest.raises(PythonException, match="In partition 1: A row has no features but null"):
        classifier.fit(with_null)


@pytest.mark.usefixtures("spark")
def test_a_model_without_an_estimator_leaves_no_file(tmp_path):
    with pytest.raises(ValueError, match="The model holds no estimator; make it with"):
        GaudaModel().save(str(tmp_path / "model"))
    assert not list(tmp_path.iterdir())


def test_columns_are_not_overwritten(numbered):
    model = GaudaClassifier(predictionCol="mass").fit(numbered)
    with pytest.raises(ValueError, match="'mass' exists already"):
        model.transform(numbered)


def test_handling_must_be_known():
    with pytest.raises(TypeError, match="handleInvalid must be one of error, skip, keep"):
        GaudaClassifier(handleInvalid="ignore")


def test_what_needs_all_rows_is_refused(numbered):
    with pytest.raises(ValueError, match="does not have all rows at once"):
        GaudaClassifier(estimator=gauda.QDA(class_weight="balanced")).fit(numbered)


def lengths_of(frame):
    """Return how many rows each partition has."""
    return frame.rdd.mapPartitions(lambda rows: [sum(1 for _ in rows)]).collect()


@pytest.mark.parametrize("weight", [None, "mass"])
def test_the_search_is_the_one_in_memory(numbered, rows, weight):
    X, y = rows
    estimator = gauda.RegularizedDiscriminantAnalysisCV(cv=3)
    found = GaudaClassifier(estimator=estimator, weightCol=weight).fit(numbered).estimator
    weights = None if weight is None else 1.0 + np.arange(120) % 3
    folds = HashedKFold(3, partitions=lengths_of(numbered))
    same_search(found, estimator.set_params(cv=folds).fit(X, y, weights))


def test_groups_stay_in_one_fold_of_the_search(numbered, rows, tmp_path):
    X, y = rows
    frame = numbered.withColumn("subject", sql.concat(sql.lit("s"), sql.floor(sql.col("row") / 7)))
    classifier = GaudaClassifier(
        estimator=gauda.RegularizedDiscriminantAnalysisCV(cv=HashedKFold(3, seed=2)),
        featuresCols=COLUMNS,
        groupCol="subject",
    )
    groups = [f"s{row // 7}" for row in range(120)]
    splits = list(HashedKFold(3, seed=2).split(X, groups=groups))
    found = classifier.fit(frame)
    expected = gauda.RegularizedDiscriminantAnalysisCV(cv=splits).fit(X, y)
    same_search(found.estimator, expected)
    found.save(str(tmp_path / "model"))
    loaded = GaudaModel.load(str(tmp_path / "model"))
    assert loaded.estimator.best_params_ == expected.best_params_


def same_search(found, expected):
    """Compare all scores and the choice."""
    assert found.best_params_ == expected.best_params_
    for name, scores in expected.cv_results_.items():
        if "test" in name:
            np.testing.assert_allclose(found.cv_results_[name], scores, rtol=1e-10, err_msg=name)


def test_groups_are_for_searches(numbered):
    with pytest.raises(ValueError, match="groupCol is for estimators that cross-validate"):
        GaudaClassifier(estimator=gauda.QDA(), groupCol="mass").fit(numbered)


def test_rows_with_gaps_are_left_out_and_counted_once(gaps, recwarn):
    X, y, source = gaps
    model = classifier_of(gauda.QDA(missing="drop")).fit(source)
    told = [str(warning.message) for warning in recwarn if "missing=" in str(warning.message)]
    assert told == ["missing='drop' has left out 2 of 120 rows, in which values are missing."]
    whole = ~np.isnan(X).any(axis=1)
    expected = gauda.QDA().fit(X[whole], y[whole])
    np.testing.assert_allclose(model.estimator.means_, expected.means_, rtol=1e-12)


def test_frames_of_spark_are_not_gathered(numbered, rows):
    for call in (lambda X: gauda.QDA().fit(X, rows[1]), gauda.QDA().fit(*rows).predict):
        with pytest.raises(TypeError, match=r"of pyspark, which may be larger\. Use gauda\.spark"):
            call(numbered)


@pytest.mark.parametrize("name", ["QDA", "GaussianNB", "CategoricalNB, text", "MixedNB"])
def test_frames_without_rows_are_refused(spark, name):
    X, y = MODELS[name].data(30)
    frame = table(X, y)
    features = [column for column in frame if column != "species"]
    classifier = GaudaClassifier(
        estimator=MODELS[name].make(), featuresCols=features, labelCol="species"
    )
    source = as_spark(spark, frame)
    for empty in (source.filter("false"), source.filter("row < 0")):  # without partitions, and with
        with pytest.raises(ValueError, match="no rows"):
            classifier.fit(empty)


def test_joining_on_the_executors_changes_no_bit(spark, rows, monkeypatch):
    X, y = rows
    source = as_spark(spark, table(X, [str(code) for code in y]), n_partitions=20)
    here = classifier_of(gauda.QDA()).fit(source).estimator.moments_
    monkeypatch.setattr("gauda.spark._classifier.MAX_GATHERED", 0)
    there = classifier_of(gauda.QDA()).fit(source).estimator.moments_
    assert here == there


def test_a_worker_that_dies_changes_no_bit(spark, rows, tmp_path):
    X, y = rows
    killed = tmp_path / "killed"
    source = as_spark(spark, table(X, [str(code) for code in y]))

    def kill_once(batches):
        for batch in batches:
            if not killed.exists():
                killed.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    fragile = source.mapInArrow(kill_once, source.schema)
    found = classifier_of(gauda.QDA()).fit(fragile).estimator.moments_
    assert killed.exists()
    assert found == classifier_of(gauda.QDA()).fit(source).estimator.moments_


def test_dask_spark_and_streams_agree_on_the_same_files(spark, rows, tmp_path):
    import dask.dataframe as dd  # noqa: PLC0415 (only this test needs it)

    import gauda.dask  # noqa: PLC0415 (as above)

    X, y = rows
    frame = pd.DataFrame(1e3 + X, columns=COLUMNS).assign(species=[f"class {code}" for code in y])
    for part in range(3):
        frame[part * 40 : (part + 1) * 40].to_parquet(tmp_path / f"{part}.parquet")
    columns = [*COLUMNS, "species"]
    moments = [
        gauda.QDA().fit_stream(tmp_path, target="species").moments_,
        gauda.dask.fit(gauda.QDA(), dd.read_parquet(tmp_path)[columns], "species").moments_,
        classifier_of(gauda.QDA()).fit(spark.read.parquet(str(tmp_path))).estimator.moments_,
    ]
    for found in moments[1:]:
        np.testing.assert_array_equal(found.counts, moments[0].counts)
        np.testing.assert_allclose(found.means, moments[0].means, rtol=1e-14)
        np.testing.assert_allclose(found.scatter, moments[0].scatter, rtol=1e-12)


def test_statistics_that_are_fetched_later_give_the_same_fit(spark, rows, monkeypatch):
    X, y = rows
    source = as_spark(spark, table(X, [str(code) for code in y]), n_partitions=5)
    first = classifier_of(gauda.QDA()).fit(source).estimator.moments_
    monkeypatch.setattr("gauda.spark._classifier.MAX_INLINE", 0)
    second = classifier_of(gauda.QDA()).fit(source).estimator.moments_
    np.testing.assert_array_equal(second.counts, first.counts)
    np.testing.assert_allclose(second.scatter, first.scatter, rtol=1e-12)


def test_small_batches_are_summed_up_together(monkeypatch):
    batches = [pa.record_batch({"a": np.arange(first, first + 10.0)}) for first in range(0, 70, 10)]
    monkeypatch.setattr(_tasks, "BLOCK_BYTES", 3 * batches[0].nbytes)
    gathered = list(_tasks.gather(iter(batches)))
    assert [len(batch) for batch in gathered] == [30, 30, 10]
    np.testing.assert_array_equal(np.concatenate([batch["a"] for batch in gathered]), np.arange(70))
    assert not list(_tasks.gather(iter([])))
