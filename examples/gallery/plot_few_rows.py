"""
A class of five rows
====================

A covariance of five rows in two columns is wild, and one of three rows in four columns does not
exist. Regularization borrows from the other classes; a conjugate prior says what a covariance
looks like before rows are seen.
"""

import matplotlib.pyplot as plt
import numpy as np

from gauda import QDA, RDA
from gauda.pictures import DecisionRegionsDisplay

rng = np.random.default_rng(4)
seals = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 60)
walruses = rng.multivariate_normal([2.5, 1.5], [[1, 0.6], [0.6, 1]], 5)
X = np.vstack([seals, walruses])
y = np.repeat(["seal", "walrus"], [60, 5])

models = {
    "QDA": QDA(),
    "RDA, alpha = 0.7": RDA(alpha=0.7),
    "QDA with a conjugate prior": QDA(conjugate_prior="empirical"),
}
figure, panels = plt.subplots(1, 3, figsize=(12, 4), sharey=True, layout="constrained")
for axes, (name, model) in zip(panels, models.items(), strict=True):
    DecisionRegionsDisplay.from_estimator(model.fit(X, y), X, y, soft=True, ax=axes)
    axes.set_title(name)
plt.show()
