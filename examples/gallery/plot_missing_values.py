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

# %%
# A fit to rows with gaps
# -----------------------
#
# A fifth of all values is lost. EM fits the model to what is left; what it fills in comes with a
# standard deviation of each value.

lost = np.random.default_rng(0).choice([True, False], X.shape, p=[0.2, 0.8])
gaps = X.mask(lost)
em = QDA(missing="marginalize").fit(gaps, y)
filled, std = em.impute(gaps, return_std=True)
error = np.abs(filled - X.to_numpy())[lost]
print(f"{lost.sum()} of {X.size} values are missing; EM took {em.n_iter_} iterations")
print(f"accuracy with gaps {em.score(gaps, y):.3f}, on whole rows {em.score(X, y):.3f}")
print(f"imputed values are off by {error.mean():.2f} cm, expected {std[lost].mean():.2f} cm")
