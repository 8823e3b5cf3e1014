"""The site: `make docs` builds it into site/, where it opens from the disk without a network."""

import os
import sys
from importlib.metadata import version as installed
from pathlib import Path

import matplotlib

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
matplotlib.use("Agg")  # for the posters of the gallery
os.environ.pop("MPLBACKEND", None)  # so that cells of tutorials show their figures

project = "bough"
author = "The bough authors"
version = release = installed("bough")

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinxcontrib.katex",
    "equations",
    "gallery_pages",
]
exclude_patterns = ["_*"]
templates_path = ["_templates"]
suppress_warnings = ["mystnb.unknown_mime_type"]

# Pages are Markdown; tutorials are notebooks as text, which the build runs and `make test` runs too.
myst_enable_extensions = ["dollarmath", "amsmath", "attrs_block", "attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_cache_path = str(Path(__file__).parents[1] / "site" / "cache")
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_in_temp = True

# The reference: what a name is comes from importing it, its text from its docstring.
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"  # the list beside a page has names of methods, not of their class
numpydoc_show_class_members = False
default_role = "py:obj"

# The script of KaTeX comes with the extension; style and fonts of the same version lie in _static.
katex_css_path = "katex/katex.min.css"

html_theme = "pydata_sphinx_theme"
html_title = "bough"
html_static_path = ["_static"]
html_css_files = ["bough.css"]
html_js_files = ["players.js"]
html_show_sourcelink = False
html_theme_options = {
    "navbar_align": "left",
    "show_toc_level": 2,
    "header_links_before_dropdown": 8,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "auto"}
html_sidebars = {"index": [], "gallery": [], "benchmarks": ["sidebar-nav-bs"]}
copyright = "the bough authors, BSD-3-Clause"
