"""
Rows that a model draws
=======================

A model is a distribution: rows that it draws should look like those that it was fitted to. Where
they do not, its assumptions do not hold.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from gauda import QDA
from gauda.pictures import SamplesDisplay

wine = load_wine(as_frame=True)
X, y = wine.data, wine.target_names[wine.target]
qda = QDA().fit(X, y)
SamplesDisplay.from_estimator(qda, X, y, features=["flavanoids", "color_intensity"])
plt.show()

# %%
# Rows that are typical of no class
# ---------------------------------
#
# The typicality of a row is the share of a class's rows that lie farther from its mean. Half a wine
# of one cultivar with half a wine of another is typical of none, though the posterior prefers one.

blend = X.iloc[[0]] / 2 + X.iloc[[-1]].to_numpy() / 2
print(f"posterior {qda.predict_proba(blend).max():.2f}")
print(f"typicality {qda.typicality(blend).max():.1e}")
least = np.sort(qda.typicality(X).max(axis=1))
print("the least typical wines:", least[:4].round(4))
