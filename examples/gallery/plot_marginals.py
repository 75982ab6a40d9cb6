"""
Models of some features
=======================

A model of thirteen measurements holds the models of any two of them, and of all others given some
values, without the data and without another fit.
"""

from itertools import combinations

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from gauda import QDA
from gauda.pictures import DecisionRegionsDisplay, GaussiansDisplay

wine = load_wine(as_frame=True)
X, y = wine.data, wine.target_names[wine.target]
qda = QDA().fit(X, y)

# %%
# The two that part wines best
# ----------------------------
#
# Among all pairs, the one with the smallest bound on the error that no classifier can avoid.

bounds = {
    pair: qda.marginal(list(pair)).diagnostics().bayes_error[1]
    for pair in combinations(wine.feature_names, 2)
}
best = sorted(bounds, key=bounds.__getitem__)
for pair in best[:3]:
    print(f"{bounds[pair]:.3f} {' and '.join(pair)}")

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
GaussiansDisplay.from_estimator(qda, X, y, features=best[0], density=False, ax=left)
DecisionRegionsDisplay.from_estimator(qda, X, y, features=best[0], ax=right)
plt.show()

# %%
# Given some values
# -----------------
#
# What the other measurements are expected to be, and how likely each cultivar is, once alcohol and
# proline are known.

rest = qda.condition({"alcohol": 13.0, "proline": 500.0})
color = rest.feature_names_in_.tolist().index("color_intensity")
for label, prior, mean in zip(rest.classes_, rest.priors_, rest.means_, strict=True):
    print(f"{label}: probability {prior:.3f}, expected color intensity {mean[color]:.2f}")
