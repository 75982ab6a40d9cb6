"""Rows with gaps, and what plain numpy makes of them: slow, obvious, without a line of gauda."""

import numpy as np
from scipy.special import logsumexp
from scipy.stats import multivariate_normal


def correlated(n, d, k, seed=0):
    """Draw rows of correlated Gaussian classes, and their labels."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % k
    mixing = np.eye(d) + 0.5 * random.standard_normal((k, d, d))
    X = np.einsum("nj,nji->ni", random.standard_normal((n, d)), mixing[y])
    return X + 2 * random.standard_normal((k, d))[y] + 5, y


def with_gaps(X, share=0.25, seed=0):
    """Return a copy in which entries are missing by chance."""
    gaps = np.random.default_rng(seed).random(X.shape) < share
    return np.where(gaps, np.nan, X)


def available(X, weights):
    """Return means and variances of the values that are there."""
    there = ~np.isnan(X) * weights[:, np.newaxis]
    mean = np.nansum(X * weights[:, np.newaxis], axis=0) / there.sum(axis=0)
    return mean, np.nansum((X - mean) ** 2 * weights[:, np.newaxis], axis=0) / there.sum(axis=0)


def expected(x, mean, covariance):
    """Return the expected row and its covariance, given the values that are there."""
    m = np.isnan(x)
    o = ~m
    slopes = covariance[np.ix_(m, o)] @ np.linalg.inv(covariance[np.ix_(o, o)])
    filled, spread = x.copy(), np.zeros_like(covariance)
    filled[m] = mean[m] + slopes @ (x[o] - mean[o])
    spread[np.ix_(m, m)] = covariance[np.ix_(m, m)] - slopes @ covariance[np.ix_(o, m)]
    return filled, spread


def plain_em(X, y, n_iter, *, tied=False, weights=None, regularize=None):  # noqa: PLR0913 (plain)
    """Return means and covariances (one for each class) after iterations of EM from the start.

    `regularize` makes means and covariances of means, scatters and weights of the classes; by
    default those of largest likelihood.
    """
    weights = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=float)
    groups = [y == label for label in np.unique(y)]
    totals = np.array([weights[group].sum() for group in groups])
    starts = [available(X[group], weights[group]) for group in groups]
    means = np.array([mean for mean, _ in starts])
    covariances = np.array([np.diag(variance) for _, variance in starts])
    if tied:
        centered = np.concatenate([X[g] - m for g, m in zip(groups, means, strict=True)])
        ordered = np.concatenate([weights[group] for group in groups])
        seen = (~np.isnan(centered) * ordered[:, np.newaxis]).sum(axis=0)
        pooled = np.nansum(centered**2 * ordered[:, np.newaxis], axis=0) / seen
        covariances[:] = np.diag(pooled)
    if regularize is not None:
        means, covariances = regularize(means, covariances * totals[:, None, None], totals)
    for _ in range(n_iter):
        scatters = np.zeros_like(covariances)
        new_means = np.zeros_like(means)
        for k, group in enumerate(groups):
            rows = [expected(x, means[k], covariances[k]) for x in X[group]]
            filled = np.array([row for row, _ in rows])
            spreads = np.array([spread for _, spread in rows])
            w = weights[group]
            new_means[k] = w @ filled / totals[k]
            apart = filled - new_means[k]
            scatters[k] = (w[:, np.newaxis] * apart).T @ apart + np.tensordot(w, spreads, axes=1)
        means = new_means
        covariances = scatters / totals[:, np.newaxis, np.newaxis]
        if tied:
            covariances[:] = scatters.sum(axis=0) / totals.sum()
        if regularize is not None:
            means, covariances = regularize(means, scatters, totals)
    return means, covariances


def log_densities(X, means, covariances):
    """Return log p(values that are there | class), row x class; 0 where nothing is there."""
    densities = np.zeros((len(X), len(means)))
    for i, x in enumerate(X):
        o = ~np.isnan(x)
        if o.any():
            for k, (mean, covariance) in enumerate(zip(means, covariances, strict=True)):
                gaussian = multivariate_normal(mean[o], covariance[np.ix_(o, o)])
                densities[i, k] = gaussian.logpdf(x[o])
    return densities


def posteriors(X, means, covariances, priors):
    """Return p(class | values that are there)."""
    joint = log_densities(X, means, covariances) + np.log(priors)
    return np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
