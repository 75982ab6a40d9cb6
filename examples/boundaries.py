"""Boundaries as formulas and as pictures: iris, with one covariance for all species or one each.

Run with ``python examples/boundaries.py``; ``--out PATH`` saves the picture elsewhere.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from saving import save
from sklearn.datasets import load_iris

from gauda import LDA, QDA
from gauda.pictures import DecisionRegionsDisplay

PETALS = ["petal length (cm)", "petal width (cm)"]


def main() -> None:
    """Print boundaries and discriminants, and draw them."""
    iris = load_iris(as_frame=True)
    X, y = iris.data[PETALS], iris.target_names[iris.target]
    lda, qda = LDA().fit(X, y), QDA().fit(X, y)

    straight, curved = (model.boundary("virginica", "versicolor") for model in (lda, qda))
    print("LDA, a straight line:", straight, sep="\n")
    print("\nQDA, a conic:", curved, sep="\n")
    print("\nAll discriminants of LDA:", lda.discriminant_functions(), sep="\n")

    flowers = X[99:103]
    theta = straight.theta
    by_hand = 1 / (1 + np.exp(-(theta[0] + flowers.to_numpy() @ theta[1:])))
    print("\np(virginica | x, not setosa) of four flowers, by hand:", by_hand.round(4))
    print(
        "the same from the boundary:                           ", straight.proba(flowers).round(4)
    )

    figure = Figure(figsize=(10, 4.4), layout="constrained")
    for axes, model, name in zip(figure.subplots(1, 2), (lda, qda), ("LDA", "QDA"), strict=True):
        DecisionRegionsDisplay.from_estimator(model, X, y, ax=axes)
        axes.set_title(name)
    save(figure)


if __name__ == "__main__":
    main()
