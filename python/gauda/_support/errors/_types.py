"""Errors that callers distinguish by type."""


class UnknownCategoryError(ValueError, IndexError):
    """A category that was not seen in the fit; scikit-learn's error for it is an IndexError."""


class UnknownColumnError(ValueError, IndexError):
    """A column, by name or index, that does not exist."""


class LostDigitsError(ValueError):
    """So much is subtracted that rounding hides what remains."""
