"""Loading: files back to what was saved, by a table of classes."""

from __future__ import annotations

import os
from typing import Any

from gauda._files import Content, damage_told, read
from gauda._lda import LinearDiscriminantAnalysis
from gauda._moments import Moments
from gauda._qda import QuadraticDiscriminantAnalysis
from gauda._rda import RegularizedDiscriminantAnalysis
from gauda._rda_cv import RegularizedDiscriminantAnalysisCV
from gauda._saving import Saved, warn_of_missing_objects
from gauda.naive_bayes import GaussianNB

KINDS: dict[str, type[Saved]] = {
    "Moments": Moments,
    "LinearDiscriminantAnalysis": LinearDiscriminantAnalysis,
    "QuadraticDiscriminantAnalysis": QuadraticDiscriminantAnalysis,
    "RegularizedDiscriminantAnalysis": RegularizedDiscriminantAnalysis,
    "RegularizedDiscriminantAnalysisCV": RegularizedDiscriminantAnalysisCV,
    "GaussianNB": GaussianNB,
}
"""What a file may hold; a file chooses from this table and names no other code."""


def load(path: str | os.PathLike[str]) -> Any:
    """Return the estimator or the moments that a file holds.

    Nothing in the file is run, so that files from strangers are safe to load.

    Parameters
    ----------
    path : str or path
        A file that the `save` of an estimator or of `Moments` has written.

    Returns
    -------
    Moments or classifier
        The same as was saved, to the bit; only a `covariance_estimator` is not kept.

    Raises
    ------
    ValueError
        If the file is damaged, something else's, or of a later version of gauda.

    Examples
    --------
    >>> import gauda
    >>> from tempfile import TemporaryDirectory
    >>> lda = gauda.LDA().fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    >>> with TemporaryDirectory() as folder:
    ...     lda.save(f"{folder}/model.gauda")
    ...     gauda.load(f"{folder}/model.gauda").coef_
    array([[12.]])
    """
    return restore(path, read(path))


def restore(path: str | os.PathLike[str], content: Content) -> Any:
    """Return what the content of a file stands for."""
    if content.kind not in KINDS:
        raise ValueError(
            f"{path} holds a {content.kind} by gauda {content.version}, which this version does "
            "not know. Upgrade gauda."
        )
    warn_of_missing_objects(content)
    with damage_told(path):
        return KINDS[content.kind]._from_state(content.arrays, content.metadata)
