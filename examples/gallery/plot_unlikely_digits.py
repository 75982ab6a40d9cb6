"""
Several answers in one pass
===========================

`classify` answers several questions about each row while it reads the rows once: here the label,
the density and the two likeliest digits.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from gauda import QDA

X, y = load_digits(return_X_y=True)
qda = QDA(solver="eigen", shrinkage=0.1).fit(X[:1200], y[:1200])
rows, truth = X[1200:], y[1200:]

answer = qda.classify(rows, ("label", "log_density", "top_k"), top_k=2)
either = (answer.top_k.labels == truth[:, np.newaxis]).any(axis=1)
print(f"right: {np.mean(answer.label == truth):.3f}; among the two likeliest: {either.mean():.3f}")

# %%
# The least likely images
# -----------------------
#
# The density says which images are unlike all that the model was fitted to.

figure, panels = plt.subplots(1, 4, figsize=(12, 3.6), layout="constrained")
for axes, row in zip(panels, np.argsort(answer.log_density), strict=False):
    (first, second), (p, q) = answer.top_k.labels[row], answer.top_k.proba[row]
    axes.imshow(rows[row].reshape(8, 8), cmap="gray_r")
    axes.set_title(f"a {truth[row]}: {first} ({p:.3f}) or {second} ({q:.3f})", fontsize=11)
    axes.axis("off")
plt.show()
