"""How Sphinx builds the site: `make docs` leaves it in docs/_build/html. Nothing is fetched."""

from __future__ import annotations

import os
import shutil
import sys
from importlib.metadata import distribution
from importlib.metadata import version as version_of
from pathlib import Path

from docutils import nodes
from sphinx_gallery.sorting import ExplicitOrder

os.environ.setdefault("MPLBACKEND", "Agg")
HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
from inventories import write_inventories  # noqa: E402 (lies beside this file)
from method_groups import method_groups  # noqa: E402 (lies beside this file)
from notebook import write_notebook  # noqa: E402 (lies beside this file)
from notes import formula  # noqa: E402 (lies beside this file)
from records import write_records  # noqa: E402 (lies beside this file)
from shell_help import write_shell_help  # noqa: E402 (lies beside this file)

project = "gauda"
author = "The gauda authors"
copyright = "The gauda authors"  # noqa: A001 (Sphinx's name)
release = version = version_of("gauda")

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.mathjax",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = [
    "_build",
    "gallery/**/*.ipynb",
    "reference/generated/notebook.md",
    "reference/generated/records.md",
    "reference/generated/shell_help.md",
    "sg_execution_times.rst",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
templates_path = ["_templates"]

autosummary_generate = True
autosummary_context = {"formula": formula, "method_groups": method_groups}
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {"LinAlgError": ":exc:`numpy.linalg.LinAlgError`"}
toc_object_entries_show_parents = "hide"
default_role = "py:obj"  # names in docstrings are links where there is something to link to
autodoc_typehints = "none"

html_theme = "pydata_sphinx_theme"
html_title = "gauda"
html_logo = html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["gauda.css"]
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "gauda"},
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {name: [] for name in ("all_figures", "errors", "mathematics", "performance")}
html_show_sourcelink = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# MathJax's single file for SVG, out of a package: no page loads anything from elsewhere.
mathjax_path = "tex-svg.js"

# The pictures that textbooks show come first.
ORDER = [
    *["three_models", "boundaries", "one_feature", "surfaces", "fisher", "direction", "few_rows"],
    *["beside_logistic_regression", "costs_and_rejection", "decisions", "missing_values", "levels"],
    *["all_pairs", "marginals", "sampling", "choosing", "diagnostics", "contrast", "digits"],
]

sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery"],
    "gallery_dirs": ["gallery"],
    "within_subsection_order": ExplicitOrder([*(f"plot_{name}.py" for name in ORDER), "*"]),
    "filename_pattern": r"/plot_",
    "write_computation_times": False,
    "thumbnail_size": (440, 280),
    "show_memory": False,
    "download_all_examples": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 1e9,
    "plot_gallery": "True",
}

intersphinx_mapping = write_inventories(HERE / "_build" / "inventories")
intersphinx_timeout = 0.001  # all are files
suppress_warnings = ["config.cache"]
write_records(HERE.parent / "benches" / "records", HERE / "reference" / "generated" / "records.md")
write_shell_help(HERE / "reference" / "generated" / "shell_help.md")
write_notebook(HERE / "reference" / "generated" / "notebook.md")


def copy_mathjax(app: object) -> None:
    """Put MathJax's file beside the other static files."""
    del app
    files = distribution("sphinx-mathjax-offline").files or []
    (script,) = (file for file in files if file.name == "tex-svg.js")
    shutil.copy(str(script.locate()), HERE / "_static" / "tex-svg.js")


def strip_blocks(app: object, doctree: nodes.document) -> None:
    """Remove the empty line that ends a dialogue, without which doctest would not see its end."""
    del app
    for block in doctree.findall(nodes.literal_block):
        if block.rawsource == block.astext():
            block.rawsource = block.rawsource.rstrip("\n")
            block[:] = [nodes.Text(block.rawsource)]


def glue_punctuation(app: object, doctree: nodes.document) -> None:
    """Keep a formula and the mark after it on one line; browsers part them, as after pictures."""
    del app
    for math in list(doctree.findall(nodes.math)):
        after = math.next_node(descend=False, siblings=True)
        if isinstance(after, nodes.Text) and after.startswith((".", ",", ";", ":", ")")):
            math.parent.replace(after, nodes.Text(after[1:]))
            both = math.deepcopy(), nodes.Text(after[0])
            math.parent.replace(math, nodes.inline("", "", *both, classes=["glued"]))


def setup(app: object) -> None:
    """Connect to Sphinx."""
    app.connect("builder-inited", copy_mathjax)  # type: ignore[attr-defined]
    app.connect("doctree-read", strip_blocks)  # type: ignore[attr-defined]
    app.connect("doctree-read", glue_punctuation)  # type: ignore[attr-defined]
