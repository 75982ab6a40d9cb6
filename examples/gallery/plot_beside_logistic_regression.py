"""
Beside logistic regression
==========================

Both have linear boundaries with a common covariance. Logistic regression fits the boundary alone;
LDA the classes, so that it also knows where rows are dense, and draws more.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from gauda import LDA
from gauda.pictures import DecisionRegionsDisplay, GaussiansDisplay

bunch = load_iris(as_frame=True)
X, y = bunch.data[["petal length (cm)", "petal width (cm)"]], bunch.target_names[bunch.target]
figure, panels = plt.subplots(1, 3, figsize=(13, 4), sharey=True, layout="constrained")
DecisionRegionsDisplay.from_estimator(LogisticRegression().fit(X, y), X, y, ax=panels[0])
DecisionRegionsDisplay.from_estimator(LDA().fit(X, y), X, y, ax=panels[1])
GaussiansDisplay.from_estimator(LDA().fit(X, y), X, y, ax=panels[2])
for axes, name in zip(panels, ["logistic regression", "LDA", "LDA's classes"], strict=True):
    axes.set_title(name)
plt.show()
