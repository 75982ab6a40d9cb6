"""
Costs and rejection
===================

A mistake that costs more moves the boundary away from the class that must not be missed; a least
posterior leaves a band without a label, a least typicality everything that is far from all classes.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from gauda import QDA
from gauda.pictures import DecisionRegionsDisplay

bunch = load_iris(as_frame=True)
X, y = bunch.data[["petal length (cm)", "petal width (cm)"]], bunch.target_names[bunch.target]
model = QDA().fit(X, y)
choices = {
    "a missed virginica costs 20": {"cost": [[0, 1, 1], [1, 0, 1], [20, 20, 0]]},
    "at least 95 % sure": {"reject": 0.95},
    "typical of some class": {"reject": {"typicality": 0.01}},
}
figure, panels = plt.subplots(1, 3, figsize=(12, 4), sharey=True, layout="constrained")
for axes, (name, parameters) in zip(panels, choices.items(), strict=True):
    model.set_params(cost=None, reject=None).set_params(**parameters)
    DecisionRegionsDisplay.from_estimator(model, X, y, ax=axes)
    axes.set_title(name)
plt.show()
