"""Rows with gaps: fitted by EM, classified by what they show, and filled in.

Run with ``python examples/missing_values.py``; ``--out PATH`` saves the picture elsewhere.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from saving import save
from sklearn.datasets import load_iris

from gauda import QDA
from gauda.pictures import ImputationDisplay

LOST = 0.2


def main() -> None:
    """Lose a fifth of the iris measurements, and do without them."""
    iris = load_iris(as_frame=True)
    X, y = iris.data, iris.target_names[iris.target]
    lost = np.random.default_rng(0).random(X.shape) < LOST
    gaps = X.mask(lost)

    qda = QDA(missing="marginalize").fit(gaps, y)
    print(f"{lost.sum()} of {X.size} values are missing; EM took {qda.n_iter_} iterations")
    print(f"accuracy with gaps: {qda.score(gaps, y):.3f}, on whole rows: {qda.score(X, y):.3f}")
    print("posteriors of a row that shows nothing:", qda.predict_proba(X[:1] * np.nan)[0].round(3))

    filled, std = qda.impute(gaps, return_std=True)
    error = np.abs(filled - X.to_numpy())[lost]
    print(f"imputed values are off by {error.mean():.2f} cm, expected {std[lost].mean():.2f} cm")

    figure = Figure(figsize=(6, 5), layout="constrained")
    ImputationDisplay.from_estimator(qda, X, y, ax=figure.subplots())
    save(figure)


if __name__ == "__main__":
    main()
