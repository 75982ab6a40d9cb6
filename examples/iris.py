"""Fisher's iris with QDA, LDA and naive Bayes: accuracies, parameters, posteriors and a picture.

Run by ``make demo``, which keeps the picture in target/. Without ``--out PATH`` it goes beside this
script, where README shows it.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Ellipse
from numpy.typing import NDArray
from saving import save_png
from sklearn.base import ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score

from gauda import GaussianNB, LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis

DEFAULT_PICTURE = Path(__file__).with_name("iris.png")
FOLDS = StratifiedKFold(n_splits=10, shuffle=True, random_state=0)
PLOTTED_FEATURES = ["petal length (cm)", "petal width (cm)"]
COLORS = ["#0072B2", "#E69F00", "#009E73"]  # Okabe and Ito: told apart by color-blind readers
MARKERS = ["o", "^", "s"]
BOUNDARY_COLOR = "#333333"
ELLIPSE_WIDTHS = {1: 2.0, 2: 1.1}  # line width by standard deviations from the mean
GRID_POINTS = 400


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


def class_covariances(model: ClassifierMixin) -> NDArray[np.float64]:
    """Return the covariance of every class, K x d x d, from what each model calls it."""
    if isinstance(model, GaussianNB):
        return np.stack([np.diag(variances) for variances in model.var_])
    if isinstance(model, LinearDiscriminantAnalysis):
        return np.stack([model.covariance_] * len(model.classes_))
    return np.stack(model.covariance_)


def class_means(model: ClassifierMixin) -> NDArray[np.float64]:
    """Return the mean of every class, K x d."""
    return model.theta_ if isinstance(model, GaussianNB) else model.means_


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


def grid_over(X: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the two axes of a fine grid which covers the points with a margin."""
    low, high = X.min(axis=0), X.max(axis=0)
    margin = 0.12 * (high - low)
    horizontal, vertical = np.linspace(low - margin, high + margin, GRID_POINTS).T
    return horizontal, vertical


def draw_regions(axes: Axes, model: ClassifierMixin, X: NDArray[np.float64]) -> None:
    """Tint the plane by posterior and draw the curves on which the two best classes tie."""
    horizontal, vertical = grid_over(X)
    points = np.stack(np.meshgrid(horizontal, vertical), axis=-1)
    log_posterior = model.predict_log_proba(points.reshape(-1, 2))
    log_posterior = log_posterior.reshape(GRID_POINTS, GRID_POINTS, -1)
    colors = np.array([to_rgb(color) for color in COLORS])
    tint = 1 - 0.3 * (1 - np.exp(log_posterior) @ colors)
    extent = (horizontal[0], horizontal[-1], vertical[0], vertical[-1])
    axes.imshow(tint, extent=extent, origin="lower", aspect="auto", interpolation="bilinear")
    for k in range(log_posterior.shape[-1]):
        lead = log_posterior[..., k] - np.delete(log_posterior, k, axis=-1).max(axis=-1)
        axes.contour(horizontal, vertical, lead, levels=[0], colors=BOUNDARY_COLOR, linewidths=1.4)


def draw_ellipse(
    axes: Axes, mean: NDArray[np.float64], covariance: NDArray[np.float64], color: str
) -> None:
    """Draw the curves one and two standard deviations from a fitted mean."""
    variances, directions = np.linalg.eigh(covariance)
    angle = np.degrees(np.arctan2(directions[1, 1], directions[0, 1]))
    darker = 0.7 * np.array(to_rgb(color))
    for deviations, width in ELLIPSE_WIDTHS.items():
        height, length = 2 * deviations * np.sqrt(variances)
        ellipse = Ellipse(mean, length, height, angle=angle, fill=False, ec=darker, lw=width)
        axes.add_patch(ellipse)


def draw_panel(axes: Axes, name: str, model: ClassifierMixin, iris: Iris) -> None:
    """Draw one fitted model: its regions, the flowers, and the ellipses of its classes."""
    X = iris.columns(PLOTTED_FEATURES)
    draw_regions(axes, model, X)
    parameters = zip(class_means(model), class_covariances(model), strict=True)
    for k, (mean, covariance) in enumerate(parameters):
        flowers = X[iris.y == k]
        axes.scatter(*flowers.T, s=26, c=COLORS[k], marker=MARKERS[k], ec="white", lw=0.6)
        draw_ellipse(axes, mean, covariance, COLORS[k])
    accuracy = model.score(X, iris.y)
    axes.set_title(f"{name}\ntraining accuracy {accuracy:.1%}", fontsize=11)
    axes.set_xlabel(PLOTTED_FEATURES[0])
    axes.spines[:].set_visible(False)


def draw_legend(figure: Figure, iris: Iris) -> None:
    """Say what colors, curves and ellipses mean, once for all panels."""
    flowers = [
        Line2D([], [], ls="", marker=marker, c=color, mec="white", ms=7, label=species)
        for species, color, marker in zip(iris.species, COLORS, MARKERS, strict=True)
    ]
    curves = [
        Line2D([], [], c=BOUNDARY_COLOR, lw=1.4, label="decision boundary"),
        *(
            Line2D([], [], c="#777777", lw=width, label=f"{deviations} sd from the mean")
            for deviations, width in ELLIPSE_WIDTHS.items()
        ),
    ]
    figure.legend(handles=flowers + curves, loc="outside lower center", ncols=6, frameon=False)


def draw_picture(iris: Iris, out: Path) -> None:
    """Fit the three models on the petals alone and save their regions side by side."""
    X = iris.columns(PLOTTED_FEATURES)
    figure = Figure(figsize=(11, 4.4), layout="constrained")  # no pyplot: no display is needed
    panels = figure.subplots(1, 3, sharex=True, sharey=True)
    for axes, (name, model) in zip(panels, gaussian_models().items(), strict=True):
        draw_panel(axes, name, model.fit(X, iris.y), iris)
    panels[0].set_ylabel(PLOTTED_FEATURES[1])
    draw_legend(figure, iris)
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
