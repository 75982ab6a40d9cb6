"""
All pairs of features
=====================

Each panel is the marginal model of two features, without a refit; the title says how many rows it
gets wrong.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from gauda import QDA
from gauda.pictures import PairsDisplay

bunch = load_iris(as_frame=True)
X, y = bunch.data, bunch.target_names[bunch.target]
PairsDisplay.from_estimator(QDA().fit(X, y), X, y)
plt.show()
