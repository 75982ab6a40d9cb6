"""
Fisher's projection
===================

Rows along the two axes that separate the species best, the circles that hold 95 % of each, and the
measurements as arrows.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from gauda import LDA
from gauda.pictures import FisherDisplay

bunch = load_iris(as_frame=True)
X, y = bunch.data, bunch.target_names[bunch.target]
FisherDisplay.from_estimator(LDA().fit(X, y), X, y)
plt.show()

# %%
# Two classes have one axis
# -------------------------

two = y != "setosa"
FisherDisplay.from_estimator(LDA().fit(X[two], y[two]), X[two], y[two])
plt.show()
