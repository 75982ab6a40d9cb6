"""
Decisions about patients
========================

A fitted model knows probabilities. What to do with them is another question: what a mistake costs,
when to ask somebody else, and how frequent the illness is where the patients come from.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import ConfusionMatrixDisplay
from sklearn.model_selection import train_test_split

from gauda import LDA

cancer = load_breast_cancer(as_frame=True)
y = cancer.target_names[cancer.target]
X_train, X_test, y_train, y_test = train_test_split(cancer.data, y, random_state=0)
lda = LDA().fit(X_train, y_train)

# %%
# What mistakes cost
# ------------------
#
# To call a benign tumor malignant costs 1, the other way round 20. More benign tumors are then
# called malignant, and fewer malignant ones are missed.

cost = {"malignant": {"benign": 20, "malignant": 0}, "benign": {"malignant": 1, "benign": 0}}
labels = {
    "the likelier": lda.predict(X_test),
    "least expected cost": lda.predict(X_test, cost=cost),
    "90 % sure, or rejected": lda.predict(X_test, reject=0.9),
}
figure, panels = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
for axes, (name, found) in zip(panels, labels.items(), strict=True):
    ConfusionMatrixDisplay.from_predictions(y_test, found, ax=axes, colorbar=False, cmap="Blues")
    axes.set(title=name, xlabel="decision", ylabel="")
panels[0].set_ylabel("truth")
plt.show()

# %%
# Other patients
# --------------
#
# In another clinic most tumors are malignant. Its patients tell so without labels: `adapt_priors`
# finds the priors under which they are likeliest.

clinic = (y_test == "malignant") | (np.arange(len(y_test)) % 5 == 0)
adapted = lda.adapt_priors(X_test[clinic])
print(f"malignant in this clinic: {np.mean(y_test[clinic] == 'malignant'):.3f}")
print(f"in the fit: {lda.priors_[1]:.3f}; adapted: {adapted.priors[1]:.3f}")
