"""
Densities and posteriors as surfaces
====================================

The density of each class times its prior is a bell over the plane. Where two bells are equally high
lies the boundary; the posterior of a class is its share of the height.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from gauda import QDA

bunch = load_iris()
petals, y = bunch.data[:, 2:], bunch.target_names[bunch.target]
model = QDA().fit(petals, y)

length, width = np.meshgrid(np.linspace(3, 7, 161), np.linspace(0.8, 2.7, 161))
grid = np.stack([length, width], axis=-1)
answer = model.classify(grid, ("joint", "proba"))
colors = {"versicolor": "tab:orange", "virginica": "tab:green"}

figure, panels = plt.subplots(
    1, 2, figsize=(11, 5), subplot_kw={"projection": "3d"}, layout="constrained"
)
for name, heights, axes in zip(
    ["prior times density", "posterior"], [np.exp(answer.joint), answer.proba], panels, strict=True
):
    for species, color in colors.items():
        index = model.classes_.tolist().index(species)
        axes.plot_surface(length, width, heights[..., index], color=color, alpha=0.6, label=species)
    axes.set(xlabel="petal length (cm)", ylabel="petal width (cm)", title=name)
    axes.view_init(elev=32, azim=-60)
panels[0].legend()
plt.show()
