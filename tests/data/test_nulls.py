"""Messages about tables call what is null so, and NaN what is NaN."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from models import GAUSSIAN, MODELS

import gauda

Y = ["a", "b", "a", "b"]
COLUMNS = {"x": [1.0, 0.0, None, 1.0], "z": [1.0, 3.0, 2.0, 1.0]}
TABLES = {
    "polars": pl.DataFrame(COLUMNS),
    "pyarrow": pa.table(COLUMNS),
    "pandas nullable": pd.DataFrame(COLUMNS).astype({"x": "Float64"}),
    "pandas arrow": pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
    "pandas objects": pd.DataFrame(COLUMNS, dtype=object),
}
MAKERS = [*GAUSSIAN, "BernoulliNB", "CategoricalNB", "MultinomialNB", "ComplementNB"]


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("kind", TABLES)
def test_null_is_called_null(name, kind):
    with pytest.raises(ValueError, match="Input X contains null at row 2, column 'x'"):
        MODELS[name].make().fit(TABLES[kind], Y)


@pytest.mark.parametrize("name", ["GaussianNB", "BernoulliNB", "CategoricalNB"])
@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("question", ["predict", "predict_proba", "classify"])
def test_null_is_called_null_where_rows_are_scored(name, kind, question):
    model = MODELS[name].make().fit(pd.DataFrame(COLUMNS).fillna(1), Y)
    with pytest.raises(ValueError, match="Input X contains null at row 2, column 'x'"):
        getattr(model, question)(TABLES[kind])


@pytest.mark.parametrize("rows", [pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS).fill_null(np.nan)])
def test_nan_is_called_nan(rows):
    with pytest.raises(ValueError, match="Input X contains NaN at row 2, column 'x'"):
        gauda.QDA().fit(rows, Y)


@pytest.mark.parametrize("sums", [gauda.Moments, gauda.Counts])
def test_statistics_call_it_so_too(sums):
    with pytest.raises(ValueError, match="Input X contains null at row 2, column 'x'"):
        sums.from_data(TABLES["polars"], Y)
    with pytest.raises(ValueError, match="Input X contains null at row 2, column 'x'"):
        gauda.MixedStatistics.from_data(TABLES["polars"], Y, missing="raise")
