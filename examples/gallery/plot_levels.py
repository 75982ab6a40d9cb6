"""
Numbers, truth values and categories together
=============================================

`MixedNB` gives each column the distribution that suits it, and takes tables with gaps as they are.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine

from gauda import MixedNB
from gauda.pictures import LevelsDisplay

wine = load_wine(as_frame=True)
names = np.array(["barolo", "grignolino", "barbera"])[wine.target]
table = pd.DataFrame(
    {
        "alcohol": wine.data["alcohol"],
        "dark": wine.data["color_intensity"].gt(5),
        "acidity": pd.cut(wine.data["malic_acid"], 3, labels=["low", "some", "high"]),
    }
)
table.loc[::7, "alcohol"] = np.nan
table.loc[::9, "acidity"] = None
model = MixedNB().fit(table, names)
print(dict(zip(table, model.kinds_, strict=True)))

# %%
# How often each level occurs in a class
# --------------------------------------

LevelsDisplay.from_estimator(model, feature="acidity")
plt.show()

# %%
# A row with a gap
# ----------------
#
# A dark, sour wine of unknown strength:

unknown = pd.DataFrame({"alcohol": [np.nan], "dark": [True], "acidity": ["high"]})
for name, posterior in zip(model.classes_, model.predict_proba(unknown)[0], strict=True):
    print(f"{name}: {posterior:.3f}")
