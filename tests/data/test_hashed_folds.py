"""Folds by a hash: each row in one, whatever lies around it, and equal groups in the same."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from models import MODELS
from sklearn.model_selection import check_cv

import gauda
from gauda.model_selection import HashedKFold


@pytest.mark.parametrize("lengths", [None, (250,), (100, 0, 149, 1)])
def test_every_row_is_held_out_once(lengths):
    folds = HashedKFold(4, partitions=lengths)
    splits = list(folds.split(np.zeros((250, 2))))
    assert len(splits) == folds.get_n_splits() == 4
    held_out = np.concatenate([test for _, test in splits])
    np.testing.assert_array_equal(np.sort(held_out), np.arange(250))
    for train, test in splits:
        np.testing.assert_array_equal(np.sort([*train, *test]), np.arange(250))


def test_folds_are_about_as_large():
    sizes = np.bincount(HashedKFold(5).of_positions(3, 0, 50_000))
    # Binomial with a standard deviation of 89 about 10,000.
    np.testing.assert_allclose(sizes, 10_000, atol=450)


def test_a_row_is_in_the_same_fold_whatever_lies_behind_it():
    folds = HashedKFold(3)
    whole = folds.of_positions(7, 0, 100)
    np.testing.assert_array_equal(folds.of_positions(7, 40, 10), whole[40:50])
    assert (folds.of_positions(8, 0, 100) != whole).any()
    assert (HashedKFold(3, seed=1).of_positions(7, 0, 100) != whole).any()


def test_rows_of_a_group_stay_together():
    groups = np.arange(200) % 17
    for train, test in HashedKFold(4).split(np.zeros((200, 1)), groups=groups):
        assert not set(groups[train]) & set(groups[test])


@pytest.mark.parametrize(
    "same",
    [
        np.array([1, 20, 3], dtype=np.uint8),
        [1.0, 20.0, 3.0],
        pd.Series([1, 20, 3], dtype="Int64"),
        pa.array([1, 20, 3]),
        np.array([1, 20.0, 3], dtype=object),
    ],
)
def test_equal_numbers_are_one_group_in_any_type(same):
    folds = HashedKFold(50)
    np.testing.assert_array_equal(folds.of_groups(same), folds.of_groups(np.array([1, 20, 3])))


def test_equal_numbers_are_one_group_beside_fractions():
    folds = HashedKFold(50)
    assert folds.of_groups([1.0, 1.5])[0] == folds.of_groups([1.0, 2.0])[0]


@pytest.mark.parametrize(
    "same",
    [
        pd.Series(["ann", "bob"], dtype="category"),
        pd.Series(["ann", "bob"], dtype="string"),
        pa.array(["ann", "bob"]).dictionary_encode(),
        np.array(["ann", "bob"], dtype=object),
    ],
)
def test_equal_texts_are_one_group_in_any_type(same):
    folds = HashedKFold(50)
    np.testing.assert_array_equal(folds.of_groups(same), folds.of_groups(np.array(["ann", "bob"])))


def test_equal_dates_are_one_group_in_any_unit():
    folds, days = HashedKFold(50), np.array(["2020-01-01", "2020-03-01"], dtype="M8[D]")
    np.testing.assert_array_equal(folds.of_groups(days), folds.of_groups(days.astype("M8[us]")))


def test_a_search_is_saved_with_its_folds(tmp_path):
    X, y = MODELS["RDA-CV"].data()
    folds = HashedKFold(3, seed=2, partitions=(40, 50))
    gauda.RegularizedDiscriminantAnalysisCV(cv=folds).fit(X, y).save(tmp_path / "search.gauda")
    assert gauda.load(tmp_path / "search.gauda").cv == folds


def test_scikit_learn_takes_the_splitter():
    folds = HashedKFold(3)
    assert check_cv(folds) is folds


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: HashedKFold(1), "n_splits must be an integer of at least 2; got 1"),
        (lambda: HashedKFold(2.5), "n_splits must be an integer"),
        (lambda: HashedKFold(2, seed=-1), "seed must be an integer from 0"),
        (lambda: list(HashedKFold(2, partitions=[3]).split([[0]] * 4)), "add up to .* 4; got 3"),
        (lambda: list(HashedKFold(2).split([[0]] * 4, groups=[1])), "got 1 for 4 rows"),
        (lambda: HashedKFold(2).of_groups(["a", None]), "a missing one at row 1"),
    ],
)
def test_what_makes_no_folds_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
