"""Fisher's projection and reduced rank: handwritten digits on the axes that separate them best.

Run with ``python examples/projection.py``; ``--out PATH`` saves the picture elsewhere.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from saving import save
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from gauda import LDA
from gauda.pictures import FisherDisplay


def main() -> None:
    """Print scatters, shares of variance and errors by the number of axes, and draw both."""
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    lda = LDA().fit(X_train, y_train)

    within, between = np.trace(lda.within_scatter_), np.trace(lda.between_scatter_)
    print(f"Scatter within classes {within:.0f}, between them {between:.0f} (traces)")
    print(
        f"{X.shape[1]} pixels on {lda.transform(X).shape[1]} axes, shares of the variance between:"
    )
    print(lda.explained_variance_ratio_.round(3))

    counts = range(1, 10)
    errors = []
    for n_components in counts:
        reduced = LDA(n_components=n_components, reduced_rank=True).fit(X_train, y_train)
        errors.append(1 - reduced.score(X_test, y_test))
        print(f"{n_components} axes: test error {errors[-1]:.1%}")

    figure = Figure(figsize=(11, 4.6), layout="constrained")
    curve, plane = figure.subplots(1, 2, width_ratios=[2, 3])
    FisherDisplay.from_estimator(lda, X_test, y_test, ax=plane)
    curve.plot(counts, errors, "o-", c="#0072B2")
    curve.set(xlabel="axes that classify", ylabel="test error", ylim=0)
    save(figure)


if __name__ == "__main__":
    main()
