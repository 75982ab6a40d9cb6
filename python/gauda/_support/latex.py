"""Names and numbers in formulas of LaTeX, safe wherever a notebook shows or exports them."""

from __future__ import annotations

import math
import re

IN_FORMULAS = {
    "\\": r"\backslash ",
    "^": r"\wedge ",
    "~": r"\sim ",
    "<": r"\lt ",
    ">": r"\gt ",
    **{sign: f"\\{sign}" for sign in "#$%&_{}"},
}
"""Characters that LaTeX reads otherwise, or that an exported page would take for its own."""

INDEXED = re.compile(r"([A-Za-z])([0-9]+)")


def latex_name(name: object) -> str:
    """Return a label or the name of a column, upright; `x12` becomes an x with an index."""
    text = str(name)
    if found := INDEXED.fullmatch(text):
        return f"{found[1]}_{{{found[2]}}}"
    signs = (r"\ " if sign.isspace() else IN_FORMULAS.get(sign, sign) for sign in text)
    return f"\\mathrm{{{''.join(sign for sign in signs if sign.isprintable())}}}"


def latex_number(value: float, digits: int) -> str:
    """Return a number with so many digits, powers of ten written out."""
    if math.isinf(value):
        return r"\infty" if value > 0 else r"-\infty"
    if math.isnan(value):
        return r"\mathrm{NaN}"
    mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
    return rf"{mantissa} \times 10^{{{int(exponent)}}}" if exponent else mantissa
