"""
Direction against boundary
==========================

Fisher's direction is the one along which two classes are separated best. With a common covariance
that is not round it is not the line from mean to mean; the boundary of LDA is the straight line
whose normal, in the units of the columns, is the vector `b` of the boundary: the same direction.
"""

import matplotlib.pyplot as plt
import numpy as np

from gauda import LDA
from gauda.pictures import DecisionRegionsDisplay

rng = np.random.default_rng(2)
covariance = [[2.0, 1.2], [1.2, 1.0]]
X = np.vstack([rng.multivariate_normal(mean, covariance, 100) for mean in ([0, 0], [2.5, 0.5])])
y = np.repeat(["seal", "walrus"], 100)
model = LDA().fit(X, y)

b = model.boundary("walrus", "seal").b
fisher = model.scalings_[:, 0]
cosine = b @ fisher / np.linalg.norm(b) / np.linalg.norm(fisher)
print(f"cosine of the angle between b and Fisher's direction: {abs(cosine):.6f}")

figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
DecisionRegionsDisplay.from_estimator(model, X, y, ax=axes)
middle = model.means_.mean(axis=0)
steps = {"from mean to mean": np.diff(model.means_, axis=0)[0], "Fisher's direction": b}
for (name, step), style in zip(steps.items(), [":", "--"], strict=True):
    ends = middle + np.outer([-3, 3], step / np.linalg.norm(step))
    axes.plot(*ends.T, style, color="black", linewidth=2, label=name)
axes.set_aspect("equal")
axes.legend(loc="lower right")
plt.show()
