"""The numbers in docs/mathematics.md follow from its formulas, by numpy and scipy alone."""

import doctest
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.special import expit, logsumexp, softmax
from scipy.stats import chi2, multivariate_normal
from sklearn.datasets import load_iris

PAGE = Path(__file__).parents[2] / "docs" / "mathematics.md"
ANSWERS = {
    example.source.split("  #")[0].strip(): example.want.rstrip("\n")
    for example in doctest.DocTestParser().get_examples(PAGE.read_text(encoding="utf-8"))
}
X, y = load_iris(return_X_y=True)
N, D = X.shape
ROWS = [X[y == k] for k in range(3)]
MEANS = np.array([rows.mean(axis=0) for rows in ROWS])
SCATTERS = np.array([(rows - rows.mean(axis=0)).T @ (rows - rows.mean(axis=0)) for rows in ROWS])
POOLED = SCATTERS.sum(axis=0) / N
LOG_PRIOR = np.log(1 / 3)


def log_joint(x, means, covariances):
    """Return log prior + log density of each class."""
    pairs = zip(means, covariances, strict=True)
    return np.array([LOG_PRIOR + multivariate_normal(m, c).logpdf(x) for m, c in pairs])


def said(call, expected):
    """Hold that the page gives these values for a call, written as Python writes them."""
    assert ANSWERS[call] == repr(expected)


def test_posteriors_density_and_risk():
    joint = log_joint(X[133], MEANS, SCATTERS / 50)
    posterior = softmax(joint)
    said("qda.predict_proba(x).round(4)", posterior[np.newaxis].round(4))
    said("qda.score_samples(x).round(4)", np.array([logsumexp(joint)]).round(4))
    risk = posterior @ [[0, 1, 1], [1, 0, 1], [9, 9, 0]]
    said("qda.predict_cost(x, cost=C).round(4)", risk[np.newaxis].round(4))
    decisions = (posterior.argmax(), risk.argmin(), -1 if posterior.max() < 0.9 else 9)
    said(
        "qda.predict(x), qda.predict(x, cost=C), qda.predict(x, reject=0.9)",
        tuple(np.array([label]) for label in decisions),
    )


def test_maximum_likelihood():
    said("qda.priors_.round(4)", (np.bincount(y) / N).round(4))
    said("qda.means_.round(3)", MEANS.round(3))
    said("qda.covariance_[0].round(4)", (SCATTERS[0] / 50).round(4))
    said("lda.covariance_.round(4)", POOLED.round(4))
    said("nb.var_[0].round(4)", ROWS[0].var(axis=0).round(4))
    said(
        "gauda.QDA(unbiased=True, store_covariance=True).fit(X, y).covariance_[0][0].round(4)",
        np.cov(ROWS[0].T)[0].round(4),
    )
    of_truth = [log_joint(row, MEANS, SCATTERS / 50)[k] for row, k in zip(X, y, strict=True)]
    said("round(qda.diagnostics().log_likelihood, 4)", float(np.sum(of_truth).round(4)))


def test_distances_and_typicality():
    deviations = X[133] - MEANS
    squares = np.array(
        [v @ np.linalg.solve(S / 50, v) for v, S in zip(deviations, SCATTERS, strict=True)]
    )
    said("qda.mahalanobis(x).round(4)", squares[np.newaxis].round(4))
    said("qda.typicality(x).round(4)", chi2.sf(squares, D)[np.newaxis].round(4))


def linear_discriminants():
    """Return b and c of each class under a common covariance."""
    b = np.linalg.solve(POOLED, MEANS.T).T
    return b, LOG_PRIOR - (b * MEANS).sum(axis=1) / 2


def test_linear_discriminants_softmax_and_sigmoid():
    b, c = linear_discriminants()
    center = X.mean(axis=0)
    # Up to a linear function that all classes share: theirs is the form about the center.
    b, c = b - np.linalg.solve(POOLED, center), c + center @ np.linalg.solve(POOLED, center) / 2
    printed = ANSWERS["print(lda.discriminant_functions())"]
    for k in range(3):
        terms = "".join(
            f" {'+' if slope >= 0 else '-'} {abs(slope):.6g} * x{j}" for j, slope in enumerate(b[k])
        )
        assert f"delta_{k}(x) = {c[k]:.6g}{terms}" in printed
    delta = X[133] @ b.T + c
    said("lda.decision_function(x).round(4)", delta[np.newaxis].round(4))
    said("lda.predict_proba(x).round(4)", softmax(delta)[np.newaxis].round(4))
    theta = np.concatenate([[c[1] - c[2]], b[1] - b[2]])
    said("theta.round(4)", theta.round(4))
    sigmoid = expit(theta @ [1, *X[133]])
    said("lda.boundary(1, 2).proba(x).round(4)", np.array([sigmoid]).round(4))


def quadratic(i, j, columns):
    """Return A, b and c of the boundary of two classes in some columns."""
    means = MEANS[:, columns]
    covariances = SCATTERS[:, columns][:, :, columns] / 50
    precisions = np.linalg.inv(covariances)
    logdet = np.linalg.slogdet(covariances)[1]
    squares = np.einsum("kd,kde,ke->k", means, precisions, means)
    b = np.einsum("kde,ke->kd", precisions, means)
    c = (logdet[j] - logdet[i]) / 2 - (squares[i] - squares[j]) / 2
    return (precisions[j] - precisions[i]) / 2, b[i] - b[j], float(c)


def test_quadratic_boundaries():
    A, b, c = quadratic(1, 2, [2, 3])
    said(
        "boundary.A.round(3), boundary.b.round(3), round(boundary.c, 3)",
        (A.round(3), b.round(3), round(c, 3)),
    )
    point = np.array([4.9, 1.7])
    said("boundary([[4.9, 1.7]]).round(4)", np.array([point @ A @ point + b @ point + c]).round(4))
    A, b, c = quadratic(1, 2, [3])
    roots = np.sort(np.roots([A[0, 0], b[0], c])).round(3)
    said("gauda.QDA().fit(X[:, [3]], y).boundary(1, 2).roots().round(3)", roots)


def test_fisher():
    center = X.mean(axis=0)
    between = 50 * (MEANS - center).T @ (MEANS - center)
    values = eigh(between, SCATTERS.sum(axis=0), eigvals_only=True)[::-1][:2]
    said("np.diag((W.T @ S_B @ W) / (W.T @ S_W @ W)).round(4)", values.round(4))
    said("lda.explained_variance_ratio_.round(4)", (values / values.sum()).round(4))
    axes = eigh(between, POOLED)[1][:, ::-1][:, :2]
    found = np.fromstring(ANSWERS["lda.transform(x).round(4)"][8:-3], sep=",")
    assert np.abs(found) == pytest.approx(np.abs((X[133] - center) @ axes), abs=5e-5)


def test_counts():
    long_wide = (ROWS[1][:, [2, 3]] > [4.5, 1.5]).sum(axis=0)
    said("[int(N) for N in B[y == 1].sum(axis=0)]", long_wide.tolist())
    fit = "np.exp(gauda.BernoulliNB({}).fit(B, y).feature_log_prob_[1]).round(4)"
    said(fit.format("alpha=0, force_alpha=True"), (long_wide / 50).round(4))
    said(fit.format("alpha=1"), ((long_wide + 1) / 52).round(4))
    levels = np.bincount(np.digitize(ROWS[1][:, 3], [1.0, 1.5, 2.0]), minlength=4)
    said(
        "np.exp(gauda.CategoricalNB(alpha=1).fit(levels, y).feature_log_prob_[0][1]).round(4)",
        ((levels + 1) / 54).round(4),
    )
    words = np.array([np.rint(10 * rows).sum(axis=0) for rows in ROWS])
    shares = (words[0] + 1) / (words[0] + 1).sum()
    said(
        "np.exp(gauda.MultinomialNB(alpha=1).fit(millimeters, y).feature_log_prob_[0]).round(4)",
        shares.round(4),
    )
    others = words[1] + words[2] + 1
    said(
        "gauda.ComplementNB(alpha=1).fit(millimeters, y).feature_log_prob_[0].round(4)",
        -np.log(others / others.sum()).round(4),
    )


def test_conjugate_prior_and_regularization():
    rows, m = ROWS[0][::10], X.mean(axis=0)
    n, mean = len(rows), rows.mean(axis=0)
    scatter = (rows - mean).T @ (rows - mean)
    shift = n / (1 + n) * np.outer(mean - m, mean - m)
    covariance = (np.eye(D) + scatter + shift) / (6 + n + D + 2)
    said(
        "few.means_[0].round(4), np.diag(few.covariance_[0]).round(4)",
        (((m + n * mean) / (1 + n)).round(4), np.diag(covariance).round(4)),
    )
    mixed = (SCATTERS[0] / 50 + POOLED) / 2
    regularized = 0.9 * np.diag(mixed) + 0.1 * np.trace(mixed) / D
    said("np.diag(rda.covariance_[0]).round(4)", regularized.round(4))


def test_gaps():
    seen, row = [0, 1, 3], np.array([5.9, 3.0, 1.8])
    covariances = SCATTERS / 50
    joint = log_joint(row, MEANS[:, seen], covariances[:, seen][:, :, seen])
    said("marginal.predict_proba(gap).round(4)", softmax(joint)[np.newaxis].round(4))
    slope = np.linalg.solve(covariances[2][np.ix_(seen, seen)], covariances[2][seen, 2])
    expected = MEANS[2, 2] + slope @ (row - MEANS[2, seen])
    filled = np.array([[5.9, 3.0, expected, 1.8]]).round(4)
    said("marginal.impute(gap, [2]).round(4)", filled)


def test_em_where_one_column_has_gaps():
    """Then the likelihood factors: the column is regressed on the others, which are complete."""
    holes = np.arange(N) % 7 == 0
    means = []
    for k in range(3):
        rows, whole = X[y == k], ~holes[y == k]
        others = np.column_stack([np.ones(50), rows[:, [0, 1, 3]]])
        slopes = np.linalg.lstsq(others[whole], rows[whole, 2], rcond=None)[0]
        means.append(others.mean(axis=0) @ slopes)
    said("em.converged_, em.means_[:, 2].round(4)", (True, np.array(means).round(4)))


def test_sums_and_rows_left_out():
    said("(a + b).scatter[0].round(4)", SCATTERS[0].round(4))
    confusion = np.zeros((3, 3), dtype=int)
    for left in range(N):
        means, covariances = MEANS.copy(), SCATTERS / 50
        rows = np.delete(X, left, axis=0)[np.delete(y, left) == y[left]]
        means[y[left]], covariances[y[left]] = rows.mean(axis=0), np.cov(rows.T, ddof=0)
        posterior = softmax(log_joint(X[left], means, covariances))
        confusion[y[left], posterior.argmax()] += 1
        if left == 133:
            a, deviation = 50 / 49, X[left] - MEANS[2]
            q = deviation @ np.linalg.solve(SCATTERS[2], deviation)
            from_others = X[left] - means[2]
            square = from_others @ np.linalg.solve(covariances[2], from_others)
            assert square == pytest.approx(50**2 / 49 * q / (1 - a * q))
            ratio = np.linalg.det(49 * covariances[2]) / np.linalg.det(SCATTERS[2])
            assert ratio == pytest.approx(1 - a * q)
            said("np.exp(qda.loo_log_proba(X, y)[133]).round(4)", posterior.round(4))
    said("qda.loo_confusion(X, y)", confusion)


def test_far_rows():
    b, c = linear_discriminants()
    delta = b @ [500.0, 300.0, 100.0, 20.0] + c
    posteriors = (softmax(delta)[np.newaxis], (delta - logsumexp(delta))[np.newaxis].round(2))
    said("lda.predict_proba(far), lda.predict_log_proba(far).round(2)", posteriors)
