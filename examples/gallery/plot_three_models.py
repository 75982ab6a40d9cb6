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

# %%
# In one picture
# --------------
#
# `regions=False` leaves the plane uncolored, so that boundaries of several models lie over each
# other.

figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
for model, style in zip([QDA(), LDA(), GaussianNB()], ["-", "--", ":"], strict=True):
    before = len(axes.lines)
    DecisionRegionsDisplay.from_estimator(model.fit(X, y), X, y, regions=False, ax=axes)
    curves = [line for line in axes.lines[before:] if line.get_linestyle() == "-"]
    for line in curves:
        line.set_linestyle(style)
    curves[0].set_label(type(model).__name__)
axes.legend(loc="lower right")
plt.show()
