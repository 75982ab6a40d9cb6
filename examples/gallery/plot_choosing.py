"""
Choosing a model and its columns
================================

Which kind of model, how much to regularize, which columns: three questions that held-out rows
answer.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from gauda import LDA, RegularizedDiscriminantAnalysisCV, select_model
from gauda.model_selection import ColumnSelector
from gauda.pictures import GridDisplay, ReliabilityDisplay, SelectionPathDisplay

X, y = load_wine(return_X_y=True, as_frame=True)
print(select_model(X, y, cv=5))

# %%
# How much to regularize
# ----------------------
#
# Between QDA, LDA and naive Bayes lies a plane of models, searched here by leaving out each row in
# turn.

grid = np.linspace(0, 1, 11)
search = RegularizedDiscriminantAnalysisCV(grid, grid, cv="loo").fit(X, y)
GridDisplay.from_estimator(search)
plt.show()

# %%
# Columns, step by step
# ---------------------

SelectionPathDisplay.from_estimator(ColumnSelector(LDA(), "forward").fit(X, y))
plt.show()

# %%
# How sure, and how often right
# -----------------------------

ReliabilityDisplay.from_estimator(search, X, y)
plt.show()
