"""Conversion of fitted classifiers to ONNX, through skl2onnx.

It uses fitted classifiers of both public packages; needs the extra `gauda[onnx]`.
"""

from gauda import discriminant_analysis, naive_bayes
from gauda._estimators.learner import Learner
from gauda._support.optional import need

__all__ = ["register"]

CLASSIFIERS = [
    own
    for package in (discriminant_analysis, naive_bayes)
    for own in vars(package).values()
    if isinstance(own, type) and issubclass(own, Learner)
]
"""All that learn."""

OPTIONS = {
    "zipmap": [True, False, "columns"],
    "nocl": [True, False],
    "output_class_labels": [False, True],
}
"""Options that skl2onnx has for every classifier."""

DECISIONS = {"raw_scores": [True, False]}
"""And for those with `decision_function`, which it asks for within calibrated classifiers."""


def register() -> None:
    """Make skl2onnx convert gauda's classifiers, alone or within scikit-learn's pipelines.

    Called once before the conversion; more calls change nothing. The graph gives the labels and the
    posteriors of `predict` and `predict_proba`, also by `cost` and `reject` (but for typicality):
    Gaussian ones are computed in float32 if the input is float32, all others in float64. Text
    labels stay text, all others become int64. Naive Bayes leaves out what is missing where the
    model does: NaN, and of text the empty string. As every classifier of skl2onnx,
    `LinearDiscriminantAnalysis` is converted to classify, not to `transform`. `MixedNB` and
    `CategoricalNB` take one input of all columns, or one for each, as skl2onnx makes them of a data
    frame: of text where levels are text.

    Raises
    ------
    ImportError
        If skl2onnx is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> import gauda.onnx
    >>> from skl2onnx import to_onnx
    >>> gauda.onnx.register()
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> model = gauda.LinearDiscriminantAnalysis().fit(X, ["a", "a", "b", "b"])
    >>> converted = to_onnx(model, X, options={"zipmap": False})
    >>> [output.name for output in converted.graph.output]
    ['label', 'probabilities']
    """
    skl2onnx = need("skl2onnx", extra="onnx")
    from gauda.onnx._graph import convert, infer_shapes  # noqa: PLC0415 (needs skl2onnx itself)

    for classifier in CLASSIFIERS:
        skl2onnx.update_registered_converter(
            classifier,
            f"Gauda{classifier.__name__}",
            infer_shapes,
            convert,
            options=OPTIONS | DECISIONS if hasattr(classifier, "decision_function") else OPTIONS,
        )
