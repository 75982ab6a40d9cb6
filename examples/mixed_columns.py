"""Numbers, truth values and categories in one naive Bayes model, and counts that add up.

Run with ``python examples/mixed_columns.py``.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from gauda import CategoricalNB, Counts, MixedNB


def main() -> None:
    """Describe wines by columns of three kinds, some entries unknown."""
    wine = load_wine(as_frame=True)
    names = np.array(["barolo", "grignolino", "barbera"])[wine.target]
    table = pd.DataFrame(
        {
            "alcohol": wine.data["alcohol"],
            "is_dark": wine.data["color_intensity"] > 5,  # noqa: PLR2004 (about half of them)
            "acidity": pd.cut(wine.data["malic_acid"], 3, labels=["low", "some", "high"]),
        }
    )
    table.loc[::7, "alcohol"] = np.nan
    table.loc[::9, "acidity"] = None

    mixed = MixedNB().fit(table, names)
    print(f"accuracy of MixedNB: {mixed.score(table, names):.3f}")
    unseen = pd.DataFrame({"alcohol": [np.nan], "is_dark": [True], "acidity": ["high"]})
    for name, posterior in zip(mixed.classes_, mixed.predict_proba(unseen)[0], strict=True):
        print(f"  a dark, sour wine of unknown strength is {name}: {posterior:.3f}")

    levels = wine.data.apply(lambda column: pd.qcut(column, 4, labels=False)).to_numpy()
    whole = Counts.from_data(levels[::2], names[::2]) + Counts.from_data(levels[1::2], names[1::2])
    categorical = CategoricalNB.from_counts(whole, alpha=0.5)
    print(f"accuracy of CategoricalNB on quarters: {categorical.score(levels, names):.3f}")


if __name__ == "__main__":
    main()
