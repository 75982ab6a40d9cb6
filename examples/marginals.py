"""Models of some features from the model of all, without the data: the two that part wines best.

Run with ``python examples/marginals.py``; ``--out PATH`` saves the picture elsewhere.
"""

from __future__ import annotations

from itertools import combinations

from matplotlib.figure import Figure
from saving import save
from sklearn.datasets import load_wine

from gauda import QDA
from gauda.pictures import DecisionRegionsDisplay, GaussiansDisplay


def main() -> None:
    """Compare all pairs of features, and condition on a known one."""
    wine = load_wine(as_frame=True)
    X, y = wine.data, wine.target_names[wine.target]
    qda = QDA().fit(X, y)

    pairs = {
        pair: qda.marginal(list(pair)).diagnostics().bayes_error[1]
        for pair in combinations(wine.feature_names, 2)
    }
    best = sorted(pairs, key=pairs.__getitem__)
    print(f"Of {len(pairs)} pairs of features, by the bound on their Bayes error:")
    for pair in best[:3]:
        accuracy = qda.marginal(list(pair)).score(X[list(pair)], y)
        print(f"  <= {pairs[pair]:.3f}, training accuracy {accuracy:.3f}: {' and '.join(pair)}")

    known = {"alcohol": 13.0, "proline": 500.0}
    rest = qda.condition(known)
    print(f"\nGiven {known}:")
    for label, prior, mean in zip(rest.classes_, rest.priors_, rest.means_, strict=True):
        color = dict(zip(rest.feature_names_in_, mean, strict=True))["color_intensity"]
        print(f"  {label}: probability {prior:.3f}, expected color intensity {color:.2f}")

    figure = Figure(figsize=(11, 4.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    GaussiansDisplay.from_estimator(qda, X, y, features=best[0], density=False, ax=left)
    DecisionRegionsDisplay.from_estimator(qda, X, y, features=best[0], ax=right)
    save(figure)


if __name__ == "__main__":
    main()
