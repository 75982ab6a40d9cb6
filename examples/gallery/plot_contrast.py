"""
What tells two classes apart
============================

Each bar is what a column adds to the log-ratio that is expected between two classes, given the
columns above it.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris

from gauda import LDA
from gauda.pictures import ContrastDisplay

bunch = load_iris(as_frame=True)
X, y = bunch.data, bunch.target_names[bunch.target]
ContrastDisplay.from_estimator(LDA().fit(X, y), "versicolor", "virginica")
plt.show()
