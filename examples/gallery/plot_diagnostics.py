"""
How well does a model fit?
==========================

`diagnostics` says how far apart the classes are, how likely the rows are under the model, and
whether one covariance will do for all classes.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_predict, train_test_split

from gauda import LDA, QDA, GaussianNB, Moments
from gauda.pictures import ReliabilityDisplay

iris = load_iris(as_frame=True)
print(QDA().fit(iris.data, iris.target_names[iris.target]).diagnostics())

# %%
# Rows that the model has not seen
# --------------------------------
#
# A model with more parameters is always likelier on its own rows. BIC makes up for that; better is
# to ask how likely other rows are, for which their moments are enough. Here both speak for QDA.

cancer = load_breast_cancer(as_frame=True)
y = cancer.target_names[cancer.target]
X_train, X_test, y_train, y_test = train_test_split(cancer.data, y, random_state=0)
models = {"LDA": LDA(), "QDA": QDA(), "naive Bayes": GaussianNB()}
held_out = Moments.from_data(X_test, y_test)
for name, model in models.items():
    own = model.fit(X_train, y_train).diagnostics()
    other = model.diagnostics(held_out)
    print(
        f"{name:<11} {own.n_parameters:>4} parameters, BIC {own.bic:8.0f}, "
        f"log-likelihood of the other rows {other.log_likelihood:6.0f}"
    )

# %%
# How sure, and how often right
# -----------------------------
#
# A reliable model is on the diagonal. Naive Bayes counts measurements that say the same as if each
# were news, and is too sure.

figure, panels = plt.subplots(1, 3, figsize=(13, 5), layout="constrained")
for axes, (name, model) in zip(panels, models.items(), strict=True):
    posteriors = cross_val_predict(model, cancer.data, y, method="predict_proba")
    ReliabilityDisplay.from_predictions(y, posteriors, n_bins=5, ax=axes)
    axes.set_xlabel(f"{name}: {axes.get_xlabel()}")
plt.show()
