"""
Handwritten digits on a few axes
================================

Ten digits of 64 pixels lie on nine axes. The first ones separate them best, and `reduced_rank=True`
classifies by these alone.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from gauda import LDA
from gauda.pictures import FisherDisplay

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
lda = LDA().fit(X_train, y_train)
print("shares of the variance between classes:", lda.explained_variance_ratio_.round(3))

counts = range(1, 10)
models = [LDA(n_components=n, reduced_rank=True).fit(X_train, y_train) for n in counts]
errors = [1 - model.score(X_test, y_test) for model in models]

figure, (curve, plane) = plt.subplots(
    1, 2, figsize=(11, 4.6), width_ratios=[2, 3], layout="constrained"
)
FisherDisplay.from_estimator(lda, X_test, y_test, arrows=False, ax=plane)  # of 64 pixels
curve.plot(counts, errors, "o-", c="#0072B2")
curve.set(xlabel="axes that classify", ylabel="error on other digits", ylim=0)
plt.show()
