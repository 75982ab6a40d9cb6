"""How well do models fit, and can their posteriors be trusted? Breast cancer, with three models.

Run with ``python examples/diagnostics.py``; ``--out PATH`` saves the picture elsewhere.
"""

from __future__ import annotations

from matplotlib.figure import Figure
from saving import save
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_predict, train_test_split

from gauda import LDA, QDA, GaussianNB, Moments
from gauda.pictures import ReliabilityDisplay


def main() -> None:
    """Print the table of iris, compare models of cancer, and draw how reliable they are."""
    iris = load_iris(as_frame=True)
    print(QDA().fit(iris.data, iris.target_names[iris.target]).diagnostics())

    cancer = load_breast_cancer(as_frame=True)
    names = cancer.target_names[cancer.target]
    X_train, X_test, y_train, y_test = train_test_split(cancer.data, names, random_state=0)
    models = {"LDA": LDA(), "QDA": QDA(), "naive Bayes": GaussianNB()}
    held_out = Moments.from_data(X_test, y_test)
    print("\nBreast cancer, 30 features:")
    for name, model in models.items():
        own = model.fit(X_train, y_train).diagnostics()
        likelihood = model.diagnostics(held_out).log_likelihood
        print(
            f"  {name:<12}{own.n_parameters:>5} parameters, BIC {own.bic:10.0f}, log-likelihood of "
            f"test rows {likelihood:8.0f}, test accuracy {model.score(X_test, y_test):.3f}"
        )
    test = models["QDA"].diagnostics().box_m
    print(f"Box's M test of equal covariances: chi2 = {test.statistic:.0f}, p = {test.p_value:.1g}")

    figure = Figure(figsize=(13, 5.2), layout="constrained")
    for axes, (name, model) in zip(figure.subplots(1, 3), models.items(), strict=True):
        posteriors = cross_val_predict(model, cancer.data, names, method="predict_proba")
        ReliabilityDisplay.from_predictions(names, posteriors, n_bins=5, ax=axes)
        axes.set_xlabel(f"{name}: {axes.get_xlabel()}")
    save(figure)


if __name__ == "__main__":
    main()
