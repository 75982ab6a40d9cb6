"""Collections of Dask made of the rows of models, for the tests of clusters."""

import dask.array as da
import dask.dataframe as dd
import pandas as pd


def as_frame(X, y, n_partitions=5):
    """Return rows and labels as a frame of Dask, the labels in the column 'species'."""
    frame = X.copy() if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=list("abc"))
    frame["species"] = y
    return dd.from_pandas(frame, npartitions=n_partitions)


def as_array(X, chunk=37):
    """Return rows as an array of Dask, cut along rows and columns."""
    return da.from_array(X, chunks=(chunk, 2))


def with_empty_partitions(frame):
    """Return a frame with a partition without rows in front, in the middle and at the end."""
    parts = [frame.partitions[index] for index in range(frame.npartitions)]
    none = parts[0][parts[0][frame.columns[0]] != parts[0][frame.columns[0]]]
    middle = len(parts) // 2
    return dd.concat([none, *parts[:middle], none, *parts[middle:], none])
