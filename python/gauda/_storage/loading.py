"""Loading: files back to what was saved, by the register of classes."""

from __future__ import annotations

import os
from typing import Any

from gauda._storage.format import Content, read, report_damage
from gauda._storage.saveable import REGISTER, warn_of_missing_objects


def load(path: str | os.PathLike[str]) -> Any:
    """Return the estimator or the statistics that a file holds.

    Nothing in the file is run, so files from strangers are safe to load.

    Parameters
    ----------
    path : str or path
        A file that the `save` of an estimator or of `Moments` has written.

    Returns
    -------
    classifier, Moments or Counts
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
    if content.kind not in REGISTER:
        known = "." not in content.kind
        advice = "Upgrade gauda." if known else "Import the module that defines this class first."
        raise ValueError(
            f"{path} holds a {content.kind} by gauda {content.version}, which this version does "
            f"not know. {advice}"
        )
    with report_damage(path):
        warn_of_missing_objects(content)
        return REGISTER[content.kind]._from_state(content.arrays, content.metadata)
