"""How much to regularize, and which model to take: exact cross-validation from moments.

Run with ``python examples/choosing.py``; ``--out PATH`` saves the picture elsewhere.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from saving import save
from sklearn.datasets import load_wine

from gauda import QDA, RegularizedDiscriminantAnalysisCV, select_model
from gauda.pictures import GridDisplay

SHARES = np.linspace(0, 1, 11)


def main() -> None:
    """Compare models, leave rows out one by one, and search a grid."""
    X, y = load_wine(return_X_y=True)
    print(select_model(X, y, cv=5))

    qda = QDA().fit(X, y)
    left_out = qda.loo_log_proba(X, y)
    right = left_out.argmax(axis=1) == y
    print(f"\nQDA on its own rows: {qda.score(X, y):.3f}; leaving each out: {right.mean():.3f}")

    search = RegularizedDiscriminantAnalysisCV(SHARES, SHARES, target="diagonal").fit(X, y)
    print(f"Best of {len(search.cv_results_['params'])} points: {search.best_params_}")
    print(f"log-loss {-search.best_score_:.4f}")

    figure = Figure(figsize=(6, 4.5), layout="constrained")
    GridDisplay.from_estimator(search, ax=figure.subplots())
    save(figure)


if __name__ == "__main__":
    main()
