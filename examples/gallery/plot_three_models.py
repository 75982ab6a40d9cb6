"""
Three models, three boundaries
==============================

Quadratic discriminant analysis gives each class a covariance of its own, linear discriminant
analysis one to all, naive Bayes none between columns. Boundaries are curves, lines, and curves
along the axes. The colors are posteriors.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from gauda import LDA, QDA, GaussianNB
from gauda.pictures import DecisionRegionsDisplay

bunch = load_iris(as_frame=True)
X, y = bunch.data[["petal length (cm)", "petal width (cm)"]], bunch.target_names[bunch.target]

figure, panels = plt.subplots(1, 3, figsize=(12, 4), sharey=True, layout="constrained")
for axes, model in zip(panels, [QDA(), LDA(), GaussianNB()], strict=True):
    DecisionRegionsDisplay.from_estimator(model.fit(X, y), X, y, soft=True, ax=axes)
    axes.set_title(type(model).__name__)
plt.show()
