"""A gallery: every picture that gauda draws, of the same iris.

Run with ``python examples/pictures.py``; ``--out PATH`` saves the picture elsewhere.
"""

from __future__ import annotations

from matplotlib.figure import Figure
from saving import save
from sklearn.datasets import load_iris

from gauda import LDA, QDA
from gauda.pictures import (
    DecisionRegionsDisplay,
    FisherDisplay,
    GaussiansDisplay,
    ReliabilityDisplay,
    SamplesDisplay,
)

PETALS = ["petal length (cm)", "petal width (cm)"]


def main() -> None:
    """Draw all displays on one figure."""
    iris = load_iris(as_frame=True)
    X, y = iris.data, iris.target_names[iris.target]
    qda, lda = QDA().fit(X, y), LDA().fit(X, y)
    doubtful = QDA(reject={"posterior": 0.9, "typicality": 0.01}).fit(X, y)

    figure = Figure(figsize=(15, 13), layout="constrained")
    panels = figure.subplots(3, 3)
    data = {"X": X, "y": y, "features": PETALS}
    DecisionRegionsDisplay.from_estimator(lda, **data, ax=panels[0, 0])
    DecisionRegionsDisplay.from_estimator(qda, **data, ax=panels[0, 1])
    DecisionRegionsDisplay.from_estimator(doubtful, **data, ax=panels[0, 2])
    GaussiansDisplay.from_estimator(qda, **data, sigmas=[1, 2], density=False, ax=panels[1, 0])
    SamplesDisplay.from_estimator(qda, **data, ax=panels[1, 1:])
    FisherDisplay.from_estimator(lda, X, y, ax=panels[2, 0])
    two, of_two = X[50:], y[50:]
    FisherDisplay.from_estimator(LDA().fit(two, of_two), two, of_two, ax=panels[2, 1])
    ReliabilityDisplay.from_estimator(lda, X, y, n_bins=5, ax=panels[2, 2])
    names = ["LDA", "QDA", "QDA that rejects doubtful and untypical rows", "Gaussians of QDA"]
    for axes, name in zip(panels.flat, names, strict=False):
        axes.set_title(name)
    panels[2, 0].set_title("Fisher's axes of three classes")
    panels[2, 1].set_title("Fisher's axis of two classes")
    save(figure, dpi=80)


if __name__ == "__main__":
    main()
