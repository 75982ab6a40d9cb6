"""
Boundaries as formulas
======================

With one covariance for all species the boundary of two of them is a straight line, with one each it
is a conic. `boundary` has its coefficients, and prints them.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from gauda import LDA, QDA
from gauda.pictures import DecisionRegionsDisplay

bunch = load_iris(as_frame=True)
X, y = bunch.data.iloc[:, 2:], bunch.target_names[bunch.target]  # petals, in cm
X.columns = ["length", "width"]
lda, qda = LDA().fit(X, y), QDA().fit(X, y)

figure, panels = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
for axes, model, name in zip(panels, [lda, qda], ["LDA", "QDA"], strict=True):
    DecisionRegionsDisplay.from_estimator(model, X, y, ax=axes)
    axes.set_title(name)
plt.show()

# %%
# A straight line
# ---------------

line = lda.boundary("virginica", "versicolor")
print(line)

# %%
# A conic
# -------

print(qda.boundary("virginica", "versicolor"))

# %%
# By hand
# -------
#
# With `theta`, the constant followed by the slopes, the posterior of one of the two is the sigmoid
# of a linear function. Four flowers, by that formula and by the call:

flowers = X[99:103]
theta = line.theta
print((1 / (1 + np.exp(-(theta[0] + flowers.to_numpy() @ theta[1:])))).round(4))
print(line.proba(flowers).round(4))
