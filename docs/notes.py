"""Formulas on the pages of classes in the reference; docstrings, read in terminals, have words."""

from __future__ import annotations

from inspect import cleandoc

GAUSSIAN = r"\log p(x \mid k) = -\tfrac{d}{2} \log 2\pi - \tfrac12 \log \lvert\Sigma_k\rvert"
DISTANCE = r"- \tfrac12 (x - \mu_k)^\top \Sigma_k^{-1} (x - \mu_k)"

FORMULAS = {
    "QuadraticDiscriminantAnalysis": rf"""
        {GAUSSIAN}
        {DISTANCE}, \qquad \hat\Sigma_k = \frac{{S_k}}{{n_k}}
        """,
    "LinearDiscriminantAnalysis": r"""
        \delta_k(x) = \log \pi_k + \mu_k^\top \Sigma^{-1} x - \tfrac12 \mu_k^\top \Sigma^{-1} \mu_k,
        \qquad \hat\Sigma = \frac1n \sum_k S_k
        """,
    "RegularizedDiscriminantAnalysis": r"""
        \Sigma_k = (1 - \gamma)\, B_k + \gamma\, T_k, \qquad
        B_k = (1 - \alpha)\, \hat\Sigma_k + \alpha\, \hat\Sigma
        """,
    "RegularizedDiscriminantAnalysisCV": r"""
        (\hat\alpha, \hat\gamma) = \operatorname*{arg\,max}_{\alpha, \gamma}
        \frac1n \sum_i \log p_{\alpha, \gamma}^{(-i)}(y_i \mid x_i)
        """,
    "ShrunkenCentroids": r"""
        \mu'_{kj} = c_j + e_k (s_j + s_0) \operatorname{sign}(d_{kj})
        \max(\lvert d_{kj}\rvert - \Delta, 0), \qquad
        d_{kj} = \frac{m_{kj} - c_j}{e_k (s_j + s_0)}
        """,
    "GaussianNB": r"""
        \log p(x \mid k) = -\tfrac12 \sum_j \left(
        \log 2\pi\sigma_{kj}^2 + \frac{(x_j - \mu_{kj})^2}{\sigma_{kj}^2} \right)
        """,
    "BernoulliNB": r"""
        p(x \mid k) = \prod_j \theta_{kj}^{x_j} (1 - \theta_{kj})^{1 - x_j}, \qquad
        \hat\theta_{kj} = \frac{N_{kj} + \alpha}{n_k + 2\alpha}
        """,
    "CategoricalNB": r"""
        p(x \mid k) = \prod_j \theta_{k j x_j}, \qquad
        \hat\theta_{kjl} = \frac{N_{kjl} + \alpha}{n_k + L_j \alpha}
        """,
    "MultinomialNB": r"""
        p(x \mid k) \propto \prod_j \theta_{kj}^{x_j}, \qquad
        \hat\theta_{kj} = \frac{N_{kj} + \alpha}{\sum_i (N_{ki} + \alpha)}
        """,
    "ComplementNB": r"""
        w_{kj} = -\log
        \frac{\sum_{c \ne k} N_{cj} + \alpha}{\sum_i (\sum_{c \ne k} N_{ci} + \alpha)}
        """,
    "MixedNB": r"""
        p(x \mid k) = \prod_{j\ \text{numeric}} N(x_j; \mu_{kj}, \sigma_{kj}^2)
        \prod_{j\ \text{of levels}} \theta_{k j x_j}
        """,
    "Moments": r"""
        n = n_a + n_b, \quad \mu = \mu_a + \tfrac{n_b}{n}(\mu_b - \mu_a), \quad
        S = S_a + S_b + \tfrac{n_a n_b}{n} (\mu_b - \mu_a)(\mu_b - \mu_a)^\top
        """,
    "NormalInverseWishart": r"""
        \mu_k = \frac{\kappa m + n_k \bar x_k}{\kappa + n_k}, \qquad
        \Sigma_k = \frac{\Psi + S_k + \frac{\kappa n_k}{\kappa + n_k}
        (\bar x_k - m)(\bar x_k - m)^\top}{\nu + n_k + d + 2}
        """,
    "Boundary": r"""
        \log \frac{p(i \mid x)}{p(j \mid x)} = x^\top A x + b^\top x + c, \qquad
        A = \tfrac12 (P_j - P_i), \quad b = P_i \mu_i - P_j \mu_j
        """,
}


def formula(cls: str) -> list[str]:
    """Return the lines of a class's formula; none of a class without."""
    return cleandoc(FORMULAS[cls]).splitlines() if cls in FORMULAS else []
