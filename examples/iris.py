"""Fisher's iris with QDA, LDA and naive Bayes: accuracies, parameters, posteriors and a picture.

Run by ``make demo``, which keeps the picture in target/. Without ``--out PATH`` it goes beside this
script, where README shows it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from saving import save_png
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

from gauda import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from gauda.pictures import DecisionRegionsDisplay, GaussiansDisplay

DEFAULT_PICTURE = Path(__file__).with_name("iris.png")
FOLDS = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
PLOTTED_FEATURES = ["petal length (cm)", "petal width (cm)"]


class Iris(NamedTuple):
    """The 150 flowers: measurements, species as numbers, and the names of both."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    features: list[str]
    species: list[str]

    def columns(self, names: list[str]) -> NDArray[np.float64]:
        """Return the named measurements only."""
        return self.X[:, [self.features.index(name) for name in names]]


def read_iris() -> Iris:
    """Read Fisher's data as scikit-learn ships it."""
    bunch = load_iris()
    return Iris(bunch.data, bunch.target, list(bunch.feature_names), list(bunch.target_names))


def gaussian_models() -> dict[str, ClassifierMixin]:
    """Return the three models, unfitted, by the name they are shown under."""
    return {
        "QDA": QuadraticDiscriminantAnalysis(store_covariance=True),
        "LDA": LinearDiscriminantAnalysis(store_covariance=True),
        "naive Bayes": GaussianNB(),
    }


def heading(text: str) -> None:
    """Print a title with a rule under it."""
    print(f"\n{text}\n{'-' * len(text)}")


def print_matrix(matrix: NDArray[np.float64], rows: list[str], columns: list[str]) -> None:
    """Print a matrix with names for its rows and columns."""
    label_width = max(map(len, rows))
    widths = [max(len(name), 8) for name in columns]
    cells = zip(columns, widths, strict=True)
    print(" " * label_width, *(f"{name:>{width}}" for name, width in cells), sep="  ")
    for name, values in zip(rows, matrix, strict=True):
        cells = zip(values, widths, strict=True)
        print(f"{name:<{label_width}}", *(f"{v:{width}.4f}" for v, width in cells), sep="  ")


def print_accuracies(models: dict[str, ClassifierMixin], iris: Iris) -> None:
    """Print training and cross-validated accuracy, next to those of logistic regression."""
    heading("Accuracy on iris: 150 flowers, 4 measurements, 3 species")
    print(f"{'model':<22}{'training':>10}{'10-fold (sd over folds)':>27}")
    peers = {"logistic regression": LogisticRegression(max_iter=1000).fit(iris.X, iris.y)}
    for name, model in (models | peers).items():
        folds = cross_val_score(model, iris.X, iris.y, cv=FOLDS)
        training = model.score(iris.X, iris.y)
        print(f"{name:<22}{training:>10.1%}{f'{folds.mean():.1%} ({folds.std():.1%})':>27}")


def print_parameters(models: dict[str, ClassifierMixin], iris: Iris) -> None:
    """Print what the fits estimated: priors, means, and the covariances of each model."""
    qda, lda, bayes = models["QDA"], models["LDA"], models["naive Bayes"]
    heading("Priors and means, the same in all three models")
    priors_and_means = np.column_stack([qda.priors_, qda.means_])
    print_matrix(priors_and_means, iris.species, ["prior", *iris.features])
    for species, covariance in zip(iris.species, qda.covariance_, strict=True):
        heading(f"QDA: covariance of {species} (cm²)")
        print_matrix(covariance, iris.features, iris.features)
    heading("LDA: one covariance shared by all species (cm²)")
    print_matrix(lda.covariance_, iris.features, iris.features)
    heading("Naive Bayes: variances (cm²); its covariances are diagonal")
    print_matrix(bayes.var_, iris.species, iris.features)


def print_posteriors(models: dict[str, ClassifierMixin], iris: Iris) -> None:
    """Print the posteriors of the first flower, and of those about which the models doubt most."""
    confidence = np.mean([model.predict_proba(iris.X).max(axis=1) for model in models.values()], 0)
    doubtful = np.argsort(confidence, kind="stable")[:4]
    heading("Posteriors of one sure flower and the four most doubtful ones")
    for flower in [0, *doubtful]:
        print(f"flower {flower}, {iris.species[iris.y[flower]]}: {iris.X[flower]} cm")
        posteriors = np.vstack([m.predict_proba(iris.X[[flower]]) for m in models.values()])
        print_matrix(posteriors, [f"  {name}" for name in models], iris.species)


def draw_panel(axes: Axes, name: str, model: ClassifierMixin, iris: Iris) -> list[Artist]:
    """Draw one fitted model: its ellipses, its regions, the flowers; return what a legend shows."""
    petals, species = iris.columns(PLOTTED_FEATURES), np.array(iris.species)[iris.y]
    model.fit(petals, species)
    GaussiansDisplay.from_estimator(model, sigmas=[1, 2], density=False, ax=axes)
    handles = axes.get_legend().legend_handles
    DecisionRegionsDisplay.from_estimator(model, petals, species, soft=True, ax=axes)
    axes.get_legend().remove()
    axes.set(xlabel=PLOTTED_FEATURES[0], ylabel=PLOTTED_FEATURES[1])
    axes.label_outer()
    axes.set_title(f"{name}\ntraining accuracy {model.score(petals, species):.1%}", fontsize=11)
    return handles


def draw_picture(iris: Iris, out: Path) -> None:
    """Fit the three models on the petals alone and save their regions side by side."""
    figure = Figure(figsize=(11, 4.4), layout="constrained")  # no pyplot: no display is needed
    panels = figure.subplots(1, 3, sharex=True, sharey=True)
    for axes, (name, model) in zip(panels, gaussian_models().items(), strict=True):
        handles = draw_panel(axes, name, model, iris)
    figure.legend(handles=handles, loc="outside lower center", ncols=6, frameon=False)
    save_png(figure, out, dpi=140)


def main() -> None:
    """Print the tables, save the picture and say where."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=DEFAULT_PICTURE, help="where to save the PNG")
    out = parser.parse_args().out
    iris = read_iris()
    models = {name: model.fit(iris.X, iris.y) for name, model in gaussian_models().items()}
    print_accuracies(models, iris)
    print_parameters(models, iris)
    print_posteriors(models, iris)
    draw_picture(iris, out)
    print(f"\nPicture of the three decision regions saved to {out}")


if __name__ == "__main__":
    main()
