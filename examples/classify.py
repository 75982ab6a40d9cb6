"""Several answers in one pass over the rows: labels, posteriors, densities, the likeliest classes.

Run with ``python examples/classify.py``.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from gauda import QDA


def main() -> None:
    """Ask all at once, then again into arrays that are already there."""
    X, y = load_digits(return_X_y=True)
    qda = QDA(solver="eigen", shrinkage=0.1).fit(X[:1200], y[:1200])
    rows, truth = X[1200:], y[1200:]

    answer = qda.classify(rows, ("label", "log_density", "typicality", "top_k"), top_k=2)
    print(f"accuracy {np.mean(answer.label == truth):.3f}")
    either = (answer.top_k.labels == truth[:, np.newaxis]).any(axis=1)
    print(f"the truth is among the two likeliest digits: {either.mean():.3f}")

    print("\nThe least likely images:")
    for row in np.argsort(answer.log_density)[:3]:
        (first, second), (p, q) = answer.top_k.labels[row], answer.top_k.proba[row]
        print(
            f"  a {truth[row]}: {first} ({p:.3f}) or {second} ({q:.3f}), log-density "
            f"{answer.log_density[row]:.0f}, typicality {answer.typicality[row].max():.1e}"
        )

    posteriors = np.empty((len(rows), 10))
    qda.classify(rows, "proba", out={"proba": posteriors})
    print(
        "\nPosteriors written in place; each row sums to 1:", np.allclose(posteriors.sum(axis=1), 1)
    )


if __name__ == "__main__":
    main()
