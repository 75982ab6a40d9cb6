"""Discriminants and boundaries written out: as text for terminals, in LaTeX for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gauda._support.arrays import Floats
from gauda._support.latex import latex_name, latex_number

Form = tuple[Floats, Floats, float]
"""A, b and c of x'Ax + b'x + c."""

MAX_TERMS = 40
"""How many terms of a polynomial are written out."""

MAX_DISCRIMINANTS = 20
"""How many discriminants are shown in a notebook."""

LETTERS_IN_LINE = 48
"""How wide a line of terms may be, by letters of their numbers and names."""

DIGITS = 6


def polynomial(A: Floats, b: Floats, c: float, features: list[str]) -> str:
    """Return x'Ax + b'x + c in words, not too many of them."""
    n_terms = count_terms(A, b)
    if n_terms > MAX_TERMS:
        d = len(b)
        square = f"x'Ax + b'x + {c:.{DIGITS}g}" if A.any() else f"b'x + {c:.{DIGITS}g}"
        return square.replace("+ -", "- ") + f" with {n_terms} coefficients of {d} columns x"
    text = f"{c:.{DIGITS}g}"
    for coefficient, *columns in terms(A, b):
        names = [features[column] for column in columns]
        product = f"{names[0]}^2" if columns[1:] == columns[:1] else " * ".join(names)
        text += f" {sign(coefficient)} {abs(coefficient):.{DIGITS}g} * {product}"
    return text


def count_terms(A: Floats, b: Floats) -> int:
    """Return how many coefficients of columns, squares and products are not 0."""
    return int(np.count_nonzero(np.triu(A)) + np.count_nonzero(b))


def terms(A: Floats, b: Floats) -> Iterator[tuple[float, int] | tuple[float, int, int]]:
    """Give coefficients that are not 0, with the column or the two that they multiply."""
    for index in np.flatnonzero(b):
        yield float(b[index]), int(index)
    for first, second in np.argwhere(np.triu(A)):
        times = 1 if first == second else 2
        yield float(times * A[first, second]), int(first), int(second)


def sign(coefficient: float) -> str:
    """Return what stands before the absolute value of a coefficient."""
    return "-" if coefficient < 0 else "+"


def boundary_latex(i: Any, j: Any, form: Form, features: list[str], *, alone: bool) -> str:
    """Return the log-odds of class i against class j, and the posterior that follows, in LaTeX."""
    first, second = latex_name(i), latex_name(j)
    odds = rf"f(x) &= \log \frac{{p({first} \mid x)}}{{p({second} \mid x)}}"
    given = "x" if alone else rf"x, {first}\ \mathrm{{or}}\ {second}"
    posterior = rf"p({first} \mid {given}) &= \frac{{1}}{{1 + e^{{-f(x)}}}}"
    return aligned_latex([f"{odds} = {lines_of(form, features)}", posterior])


def discriminants_latex(classes: NDArray[Any], forms: Iterable[Form], features: list[str]) -> str:
    """Return the discriminants of the first classes in LaTeX."""
    labels = classes.tolist()
    lines = [
        rf"\delta_{{{latex_name(label)}}}(x) &= {lines_of(form, features)}"
        for label, form in zip(labels[:MAX_DISCRIMINANTS], forms, strict=False)
    ]
    if len(labels) > MAX_DISCRIMINANTS:
        lines.append(rf"&\ \ \vdots \quad (\mathrm{{{len(labels)}\ classes}})")
    return aligned_latex(lines)


def aligned_latex(lines: list[str]) -> str:
    """Return lines of a formula, aligned at their &."""
    return "$\\displaystyle \\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$"


def lines_of(form: Form, features: list[str]) -> str:
    """Return x'Ax + b'x + c in LaTeX, a few terms in a line."""
    A, b, c = form
    constant = latex_number(float(c), DIGITS)
    if count_terms(A, b) > MAX_TERMS:
        text = rf"x^\top A x + b^\top x + {constant}" if A.any() else rf"b^\top x + {constant}"
        return text.replace("+ -", "- ")
    lines, room = [constant], LETTERS_IN_LINE - len(f"{c:.{DIGITS}g}")
    for coefficient, *columns in terms(A, b):
        names = [features[column] for column in columns]
        shown = [latex_name(name) for name in names]
        product = f"{{{shown[0]}}}^2" if columns[1:] == columns[:1] else r"\, ".join(shown)
        term = rf"{sign(coefficient)} {latex_number(abs(coefficient), DIGITS)}\, {product}"
        width = len(f"+ {abs(coefficient):.{DIGITS}g} {' '.join(names)}")
        if width > room:
            lines.append(term)
            room = LETTERS_IN_LINE - width
        else:
            lines[-1] += f" {term}"
            room -= width
    return " \\\\\n&\\quad ".join(lines)
