"""Drawing rows from a model, and finding rows that are typical of no class: wines.

Run with ``python examples/sampling.py``; ``--out PATH`` saves the picture elsewhere.
"""

from __future__ import annotations

import numpy as np
from saving import save
from sklearn.datasets import load_wine

from gauda import QDA
from gauda.pictures import SamplesDisplay

LEVEL = 0.01
PLOTTED = ["flavanoids", "color_intensity"]


def main() -> None:
    """Draw wines from the model, then judge real and doubtful ones."""
    wine = load_wine(as_frame=True)
    X, y = wine.data, wine.target_names[wine.target]
    qda = QDA().fit(X, y)

    _, cultivars = qda.sample(100_000, random_state=0)
    print("Priors, and shares of 100,000 drawn wines:")
    for label, prior in zip(qda.classes_, qda.priors_, strict=True):
        print(f"  {label}: {prior:.3f}  {np.mean(cultivars == label):.3f}")
    again, _ = qda.sample(y=["class_1", "class_1"], random_state=0)
    print("Two wines of class_1, first three measurements:", again[:, :3].round(2), sep="\n")

    typicality = qda.typicality(X).max(axis=1)
    odd = np.flatnonzero(typicality < LEVEL)
    print(f"\n{len(odd)} of {len(X)} wines are typical of no cultivar ({LEVEL:.0%} level):", odd)
    mixture = X.iloc[[0]] / 2 + X.iloc[[-1]].to_numpy() / 2
    posterior, tails = qda.predict_proba(mixture).max(), qda.typicality(mixture).max()
    print(f"Half a class_0 with half a class_2: posterior {posterior:.2f}, typicality {tails:.1e}")

    save(SamplesDisplay.from_estimator(qda, X, y, features=PLOTTED).figure_)


if __name__ == "__main__":
    main()
