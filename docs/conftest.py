"""Keeps pytest, which runs the examples in these pages, away from what is not one of them."""

collect_ignore = [
    "_build",
    "conf.py",
    "conftest.py",
    "gallery",
    "inventories.py",
    "reference/generated",
    "shell_help.py",
]
