"""Errors that callers distinguish by type; tracebacks name them by where they are imported from."""


class UnknownCategoryError(ValueError, IndexError):
    """A category that was not seen in the fit; scikit-learn's error for it is an IndexError."""

    __module__ = "gauda"


class UnknownColumnError(ValueError, IndexError):
    """A column, by name or index, that does not exist."""

    __module__ = "gauda"


class LostDigitsError(ValueError):
    """So much is subtracted that rounding hides what remains."""

    __module__ = "gauda"
