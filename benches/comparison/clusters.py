"""Clusters on one machine: fits and scores of parquet files with Dask and Spark, against streams.

Two workers of one thread each, two cores of Spark, two threads of a stream. Each reads the same
folder of files; what is scored is written to parquet again. Engines start before the clock does.
Figures are ratios of CPU seconds of all processes together, which other work on the machine leaves
as they are; the seconds on the clock are beside them.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

import gauda
from comparison.data import count
from comparison.memory import MEGABYTE, resident
from comparison.race import Effort
from comparison.scenes import Spent, times
from comparison.streams import CLASSES, COLUMNS, ROW_GROUP, ROWS, TARGET, read, write_rows
from comparison.table import Line, short

DASK_SHARE = 0.6
"""Of the speed of a stream with two threads, for a fit with Dask."""
TIMES_SPARK = 3.0
"""Faster than Spark's own naive Bayes, for a fit with Spark."""
NO_AIM = 0.0
COPIES = 6
"""Of a partition that a worker may hold: as Arrow has it, as pandas does, and as rows."""
MAX_ROUNDS = 2
NAMES = [f"x{place}" for place in range(COLUMNS)]


@dataclass(frozen=True)
class Case:
    """Where the rows lie, where answers go, and the model that gives them."""

    rows: Path
    answers: Path
    model: Any

    def out(self, name: str) -> Path:
        """Return a place for answers that is free."""
        path = self.answers / name
        if path.is_dir():
            shutil.rmtree(path)
        return path


def write_files(folder: Path, n: int) -> None:
    """Write the rows of a table as files of a row group each, so that each is a partition."""
    whole = folder.with_suffix(".parquet")
    write_rows(whole, n)
    folder.mkdir()
    with pq.ParquetFile(whole) as file:
        for group in range(file.num_row_groups):
            pq.write_table(file.read_row_group(group), folder / f"{group:03}.parquet")
    whole.unlink()


def read_files(case: Case) -> None:
    """Read all columns to numpy, file by file."""
    for path in sorted(case.rows.iterdir()):
        read(path)


def stream_fit(case: Case) -> Any:
    """Fit to a stream with two threads."""
    return gauda.QDA(n_threads=2).fit_stream(case.rows, target=TARGET, progress=False)


def stream_score(case: Case) -> None:
    """Label a stream with two threads."""
    model = case.model.set_params(n_threads=2)
    model.predict_stream(case.rows, case.answers / "stream.parquet", progress=False)
    model.set_params(n_threads=None)


@contextmanager
def dask_workers() -> Iterator[Any]:
    """Give a client of two workers in processes of their own, each with one thread."""
    from dask.distributed import Client, LocalCluster  # noqa: PLC0415 (an engine is not always there)

    options = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": 0}
    with LocalCluster(dashboard_address=":0", **options) as cluster, Client(cluster) as client:
        yield client


def frame_of(case: Case, filesystem: str = "fsspec") -> Any:
    """Return the rows as a frame of Dask, which reads files by its own means or by Arrow's."""
    import dask.dataframe as dd  # noqa: PLC0415 (as above)

    return dd.read_parquet(case.rows, filesystem=filesystem)


def dask_read(case: Case, filesystem: str = "fsspec") -> None:
    """Read all columns, and do nothing with them."""
    frame_of(case, filesystem).map_partitions(len, meta=("n", int)).compute()


def dask_fit(case: Case, filesystem: str = "fsspec") -> Any:
    """Fit with Dask."""
    import gauda.dask  # noqa: PLC0415 (as above)

    return gauda.dask.fit(gauda.QDA(), frame_of(case, filesystem), TARGET)


def dask_score(case: Case) -> None:
    """Label with Dask."""
    import gauda.dask  # noqa: PLC0415 (as above)

    labels = gauda.dask.predict(case.model, frame_of(case, "arrow")[NAMES])
    labels.to_frame().to_parquet(case.out("dask"), write_index=False)


def peak_of_workers(client: Any, call: Callable[[], Any]) -> float:
    """Return the megabytes by which the worker that grows most grows during a call."""

    def start() -> int:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return resident("VmRSS")

    before = client.run(start)
    call()
    after = client.run(resident, "VmHWM")
    return float(max(after[worker] - before[worker] for worker in before)) / MEGABYTE


@contextmanager
def spark_session() -> Iterator[Any]:
    """Give a session of Spark with two cores."""
    from pyspark.sql import SparkSession  # noqa: PLC0415 (as above)

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    for name in ("bindAddress", "host"):
        builder = builder.config(f"spark.driver.{name}", "127.0.0.1")
    builder = builder.config("spark.ui.showConsoleProgress", "false")
    session = builder.config("spark.driver.memory", "4g").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()


def spark_read(case: Case, session: Any) -> None:
    """Read all columns, and do nothing with them."""
    session.read.parquet(str(case.rows)).write.format("noop").mode("overwrite").save()


def spark_fit(case: Case, session: Any, estimator: Any) -> Any:
    """Fit with Spark."""
    from gauda.spark import GaudaClassifier  # noqa: PLC0415 (as above)

    classifier = GaudaClassifier(estimator=estimator, featuresCols=NAMES, labelCol=TARGET)
    return classifier.fit(session.read.parquet(str(case.rows)))


def spark_own_fit(case: Case, session: Any) -> Any:
    """Fit Spark's own naive Bayes."""
    from pyspark.ml.classification import NaiveBayes  # noqa: PLC0415 (as above)

    frame = assembled(session.read.parquet(str(case.rows)))
    return NaiveBayes(modelType="gaussian", labelCol=TARGET).fit(frame)


def assembled(frame: Any) -> Any:
    """Return a frame with the features as vectors, which Spark's own models take."""
    from pyspark.ml.feature import VectorAssembler  # noqa: PLC0415 (as above)

    return VectorAssembler(inputCols=NAMES, outputCol="features").transform(frame)


def spark_score(case: Case, session: Any) -> None:
    """Label with Spark."""
    from gauda.spark import GaudaModel  # noqa: PLC0415 (as above)

    model = GaudaModel(case.model)
    for name, value in (("featuresCols", NAMES), ("probabilityCol", ""), ("rawPredictionCol", "")):
        model.set(model.getParam(name), value)
    labels = model.transform(session.read.parquet(str(case.rows))).select("prediction")
    labels.write.parquet(str(case.out("spark")))


def spark_own_score(case: Case, session: Any, model: Any) -> None:
    """Label with Spark's own naive Bayes."""
    labels = model.transform(assembled(session.read.parquet(str(case.rows)))).select("prediction")
    labels.write.parquet(str(case.out("own")))


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of all that it has started."""
    import psutil  # noqa: PLC0415 (Dask's workers bring it)

    this = psutil.Process()
    taken = [process.cpu_times() for process in (this, *this.children(recursive=True))]
    return float(sum(each.user + each.system for each in taken))


def spend(rounds: int, *contestants: Callable[[], Any]) -> list[Spent]:
    """Return what each contestant takes at best; they take turns."""
    best: list[Spent] = [Spent(np.inf, np.inf, 0.0)] * len(contestants)
    for _ in range(rounds):
        for place, contestant in enumerate(contestants):
            wall, cpu = time.perf_counter(), cpu_seconds()
            contestant()
            taken = Spent(time.perf_counter() - wall, cpu_seconds() - cpu, 0.0)
            best[place] = min(best[place], taken, key=lambda spent: spent.cpu)
    return best


def line(what: str, ours: Spent, other: Spent, target: float = NO_AIM) -> Line:
    """Return a line of two contestants."""
    return Line(what, times(ours), times(other), other.cpu / ours.cpu, target)


def clusters(effort: Effort) -> Iterator[Line]:
    """Fit and score the same files with each engine; see what memory a worker takes."""
    rounds, n = min(effort.rounds, MAX_ROUNDS), effort.rows(ROWS // effort.scene_share)
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Spark's, of pandas and of its own sockets
        rows, answers = Path(folder, "rows"), Path(folder, "answers")
        answers.mkdir()
        write_files(rows, n)
        case = Case(rows, answers, None)
        case = replace(case, model=stream_fit(case))
        shape = f"{count(n)} x {COLUMNS} x {CLASSES}"
        fit, reading = spend(rounds, lambda: stream_fit(case), lambda: read_files(case))
        yield line(f"QDA fit_stream, {shape} (pyarrow reads)", fit, reading)
        yield from with_dask(rounds, case, shape, min(n, ROW_GROUP))
        if shutil.which("java") or "JAVA_HOME" in os.environ:
            yield from with_spark(rounds, case, shape)


def with_dask(rounds: int, case: Case, shape: str, partition: int) -> Iterator[Line]:
    """Yield the lines of Dask."""
    with dask_workers() as client:
        dask_fit(case)  # so that workers have loaded all that they need
        ours, by_arrow, stream, reading, arrow_reading = spend(
            rounds,
            lambda: dask_fit(case),
            lambda: dask_fit(case, "arrow"),
            lambda: stream_fit(case),
            lambda: dask_read(case),
            lambda: dask_read(case, "arrow"),
        )
        for how, fit, read in (("Dask", ours, reading), ("Dask by Arrow", by_arrow, arrow_reading)):
            aim = DASK_SHARE if fit is by_arrow else NO_AIM
            yield line(f"QDA fit, {how}, {shape} (fit_stream)", fit, stream, aim)
            yield line(f"QDA fit, {how}, {shape} ({how} reads)", fit, read)
        ours, stream = spend(rounds, lambda: dask_score(case), lambda: stream_score(case))
        yield line(f"QDA labels, Dask by Arrow, {shape} (predict_stream)", ours, stream)
        size = partition * (COLUMNS + 1) * 8 / MEGABYTE
        for name, call in (("fit", dask_fit), ("labels", dask_score)):
            peak = peak_of_workers(client, lambda call=call: call(case))
            what = f"QDA {name}, Dask, peak of a worker (a partition)"
            sizes = f"{short(peak)} MB", f"{short(size)} MB"
            yield Line(what, *sizes, peak / size, COPIES, at_most=True)


def with_spark(rounds: int, case: Case, shape: str) -> Iterator[Line]:
    """Yield the lines of Spark."""
    with spark_session() as session:
        own = spark_own_fit(case, session)
        spark_fit(case, session, gauda.GaussianNB())
        naive, qda, theirs, stream, reading = spend(
            rounds,
            lambda: spark_fit(case, session, gauda.GaussianNB()),
            lambda: spark_fit(case, session, gauda.QDA()),
            lambda: spark_own_fit(case, session),
            lambda: stream_fit(case),
            lambda: spark_read(case, session),
        )
        whose = f"Spark, {shape} (Spark's own)"
        yield line(f"GaussianNB fit, {whose}", naive, theirs, TIMES_SPARK)
        yield line(f"QDA fit, {whose}", qda, theirs)
        yield line(f"QDA fit, Spark, {shape} (fit_stream)", qda, stream)
        yield line(f"QDA fit, Spark, {shape} (Spark reads)", qda, reading)
        ours, theirs, stream = spend(
            rounds,
            lambda: spark_score(case, session),
            lambda: spark_own_score(case, session, own),
            lambda: stream_score(case),
        )
        yield line(f"QDA labels, {whose}", ours, theirs)
        yield line(f"QDA labels, Spark, {shape} (predict_stream)", ours, stream)
