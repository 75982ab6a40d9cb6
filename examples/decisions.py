"""From posteriors to decisions: what mistakes cost, when to reject, priors that change.

Run with ``python examples/decisions.py``; ``--out PATH`` saves the picture elsewhere.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from saving import save
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from gauda import LDA, QDA
from gauda.pictures import DecisionRegionsDisplay

COST = [[0, 1], [20, 0]]  # a benign tumour called malignant costs 1, the other way round 20
PLOTTED = ["mean texture", "worst concave points"]


def main() -> None:
    """Weigh mistakes, reject doubtful rows, follow a change of the priors, and draw it."""
    cancer = load_breast_cancer(as_frame=True)
    y = np.where(cancer.target == 0, "malignant", "benign")
    X_train, X_test, y_train, y_test = train_test_split(cancer.data, y, random_state=0)
    lda = LDA().fit(X_train, y_train)

    print("Truth in rows, decisions in columns; benign first")
    print("largest posterior:", confusion_matrix(y_test, lda.predict(X_test)), sep="\n")
    by_cost = lda.predict(X_test, cost=COST)
    print("least expected cost:", confusion_matrix(y_test, by_cost), sep="\n")
    print(
        "expected costs of three patients:",
        lda.predict_cost(X_test[:3], cost=COST).round(3),
        sep="\n",
    )

    decided = lda.predict(X_test, reject={"posterior": 0.95, "typicality": 1e-6})
    sure = decided != "rejected"
    accuracy = np.mean(decided[sure] == y_test[sure])
    print(f"\nWith doubtful rows rejected ({np.mean(~sure):.0%}): accuracy {accuracy:.3f}")

    clinic = np.flatnonzero((y_test == "malignant") | (np.arange(len(y_test)) % 5 == 0))
    X_new, y_new = X_test.iloc[clinic], y_test[clinic]
    priors, n_iter = lda.adapt_priors(X_new)
    print(
        f"\nMalignant where many are: {np.mean(y_new == 'malignant'):.3f}, in the fit "
        f"{lda.priors_[1]:.3f}, estimated without labels {priors[1]:.3f} ({n_iter} rounds)"
    )
    before, after = lda.score(X_new, y_new), np.mean(lda.predict(X_new, priors=priors) == y_new)
    print(f"accuracy with the old priors {before:.3f}, with the new ones {after:.3f}")

    rules = {"largest posterior": {}, "costs 1 and 20": {"cost": COST}, "doubt": {"reject": 0.9}}
    figure = Figure(figsize=(14, 4.4), layout="constrained")
    for axes, (name, rule) in zip(figure.subplots(1, 3), rules.items(), strict=True):
        qda = QDA(**rule).fit(X_train[PLOTTED], y_train)
        DecisionRegionsDisplay.from_estimator(qda, X_train[PLOTTED], y_train, ax=axes)
        axes.set_title(name)
    save(figure)


if __name__ == "__main__":
    main()
