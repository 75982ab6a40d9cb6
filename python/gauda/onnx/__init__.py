"""Conversion of fitted classifiers to ONNX, through skl2onnx.

It uses fitted classifiers of both public packages; needs the extra `gauda[onnx]`.
"""

from gauda import discriminant_analysis, naive_bayes
from gauda._estimators.gaussian import GaussianClassifier
from gauda._support.optional import need

__all__ = ["register"]

CLASSIFIERS = [
    own
    for package in (discriminant_analysis, naive_bayes)
    for own in vars(package).values()
    if isinstance(own, type) and issubclass(own, GaussianClassifier)
]
"""Those whose models are Gaussian."""

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
    posteriors of `predict` and `predict_proba`: in float32 if its input is float32, else computed
    in float64. Text labels stay text, all others become int64. As every classifier of skl2onnx,
    `LinearDiscriminantAnalysis` is converted to classify, not to `transform`.

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
    shapes = need("skl2onnx.common.shape_calculator", extra="onnx")
    from gauda.onnx._graph import convert  # noqa: PLC0415 (needs skl2onnx itself)

    for classifier in CLASSIFIERS:
        skl2onnx.update_registered_converter(
            classifier,
            f"Gauda{classifier.__name__}",
            shapes.calculate_linear_classifier_output_shapes,
            convert,
            options=OPTIONS | DECISIONS if hasattr(classifier, "decision_function") else OPTIONS,
        )
