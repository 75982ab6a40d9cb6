"""
Where a missing value may lie
=============================

Given the values that are known, the others have a density: that of the classes, weighted by how
probable the known values make them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from gauda import QDA
from gauda.pictures import ImputationDisplay

bunch = load_iris(as_frame=True)
X, y = bunch.data, bunch.target_names[bunch.target]
model = QDA().fit(X, y)

row = X.iloc[[70]].copy()
row["petal length (cm)"] = np.nan
ImputationDisplay.from_row(model, row)
plt.show()

# %%
# Two values
# ----------

row["petal width (cm)"] = np.nan
ImputationDisplay.from_row(model, row)
plt.show()

# %%
# How good are such guesses?
# --------------------------
#
# Hide values that are known, fill them in, and compare.

ImputationDisplay.from_estimator(model, X, y)
plt.show()
