"""
Categories and numbers together
===============================

`MixedNB` gives each column the distribution that suits it: here how often each level occurs in a
class, and rows drawn from the model beside the rows that it was fitted to.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from gauda import QDA, MixedNB
from gauda.pictures import LevelsDisplay, SamplesDisplay

rng = np.random.default_rng(0)
species = np.repeat(["ant", "bee", "cricket"], 60)
shares = {"ant": [0.7, 0.2, 0.1], "bee": [0.1, 0.8, 0.1], "cricket": [0.1, 0.2, 0.7]}
X = pd.DataFrame(
    {
        "color": [rng.choice(["black", "yellow", "green"], p=shares[name]) for name in species],
        "length": rng.normal([8 if name == "ant" else 14 for name in species], 2),
    }
)
LevelsDisplay.from_estimator(MixedNB().fit(X, species), feature="color")
plt.show()

# %%
# Rows that a model draws
# -----------------------
#
# A model is a distribution: rows that it draws should look like those it was fitted to.

lengths = pd.DataFrame({"length": X["length"], "wing": X["length"] / 3 + rng.normal(size=len(X))})
SamplesDisplay.from_estimator(QDA().fit(lengths, species), lengths, species)
plt.show()
