"""What the site refers to in other libraries: inventories that Sphinx reads without a network."""

from __future__ import annotations

from pathlib import Path

from sphobjinv import DataObjStr, Inventory, compress, writebytes

SITES = {
    "python": "https://docs.python.org/3/",
    "numpy": "https://numpy.org/doc/stable/",
    "sklearn": "https://scikit-learn.org/stable/",
}

OBJECTS = {
    "python": {
        "py:data library/constants.html#$": ["False", "None", "True"],
        "py:function library/functions.html#$": ["callable"],
        "py:class library/functions.html#$": ["bool", "float", "int"],
        "py:class library/stdtypes.html#$": ["dict", "list", "str", "tuple"],
        "py:exception library/exceptions.html#$": [
            "AttributeError",
            "ImportError",
            "IndexError",
            "KeyError",
            "OverflowError",
            "TypeError",
            "ValueError",
        ],
        "std:term glossary.html#term-$": ["generator", "iterable", "sequence"],
        "std:label library/stdtypes.html#boolean-type-bool": ["bltin-boolean-values"],
    },
    "numpy": {
        "py:class reference/generated/$.html#$": ["numpy.ndarray"],
        "py:class reference/random/legacy.html#$": ["numpy.random.RandomState"],
        "py:exception reference/generated/$.html#$": ["numpy.linalg.LinAlgError"],
        "std:term glossary.html#term-$": ["array_like"],
    },
    "sklearn": {
        "py:class modules/generated/$.html#$": [
            "sklearn.calibration.CalibratedClassifierCV",
            "sklearn.covariance.MinCovDet",
            "sklearn.feature_extraction.text.CountVectorizer",
            "sklearn.linear_model.LogisticRegression",
            "sklearn.model_selection.GridSearchCV",
            "sklearn.pipeline.Pipeline",
            "sklearn.preprocessing.StandardScaler",
        ],
        "py:exception modules/generated/$.html#$": ["sklearn.exceptions.NotFittedError"],
    },
}
"""Names by role and address; `$` stands for the name."""


def write_inventories(folder: Path) -> dict[str, tuple[str, str]]:
    """Write a file for each library; return them as Sphinx's `intersphinx_mapping`."""
    folder.mkdir(parents=True, exist_ok=True)
    for project, groups in OBJECTS.items():
        inventory = Inventory()
        inventory.project, inventory.version = project, "stable"
        for place, names in groups.items():
            inventory.objects.extend(entry(place, name) for name in names)
        writebytes(folder / f"{project}.inv", compress(inventory.data_file()))
    return {project: (site, str(folder / f"{project}.inv")) for project, site in SITES.items()}


def entry(place: str, name: str) -> DataObjStr:
    """Return one line of an inventory."""
    role, address = place.split(" ")
    domain, role = role.split(":")
    uri = address.replace("$", name)
    return DataObjStr(name=name, domain=domain, role=role, priority="1", uri=uri, dispname="-")
