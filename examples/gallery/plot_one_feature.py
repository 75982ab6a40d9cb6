"""
Bells along one feature
=======================

The density of each class times its prior, that of all classes together, and the points at which
the decision changes. `Boundary.roots()` computes them.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from gauda import QDA
from gauda.pictures import DecisionRegionsDisplay, DensitiesDisplay

bunch = load_iris(as_frame=True)
X, y = bunch.data, bunch.target_names[bunch.target]

DensitiesDisplay.from_estimator(QDA().fit(X, y), X, y, feature="petal width (cm)")
plt.show()

# %%
# A prior that slides
# -------------------
#
# The rarer a class, the farther its neighbor's region reaches. Priors change without another fit.

width = X[["petal width (cm)"]]
model = QDA().fit(width, y)
figure, panels = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
for axes, share in zip(panels, [0.05, 1 / 3, 0.6], strict=True):
    priors = {"setosa": 1 / 3, "versicolor": share, "virginica": 2 / 3 - share}
    model.set_params(priors=priors)
    DecisionRegionsDisplay.from_estimator(model, width, y, ax=axes)
    axes.set_title(f"prior of versicolor {share:.2f}")
plt.show()
