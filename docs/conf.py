"""The documentation site: ``make docs``."""

from __future__ import annotations

import os
from typing import Any

import kernelwise

project = "kernelwise"
author = "The kernelwise developers"
copyright = author
version = release = kernelwise.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # formulas without network
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
# Links to the pages of scikit-learn and others need their lists of names from the network, so they are made
# only where the site is published.
if os.environ.get("KERNELWISE_DOCS_ONLINE"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "scipy": ("https://docs.scipy.org/doc/scipy", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
    }
exclude_patterns = ["_build"]
templates_path = ["_templates"]

# -- pages ------------------------------------------------------------------------------------------------
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# -- docstrings -------------------------------------------------------------------------------------------
# `SVC` in a docstring is a link where there is such a name, and code where there is none.
default_role = "py:obj"
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings have types, with shapes
# What scikit-learn adds to every estimator is described there, and its links end there.
autodoc_default_options = {
    "exclude-members": "get_metadata_routing, set_output, set_fit_request, set_score_request"
}
numpydoc_show_class_members = False

# -- gallery ----------------------------------------------------------------------------------------------
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "backreferences_dir": "api/backreferences",
    "doc_module": ("kernelwise",),
    "reference_url": {"kernelwise": None},
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "write_computation_times": False,
    "remove_config_comments": True,
}

# -- theme ------------------------------------------------------------------------------------------------
html_theme = "pydata_sphinx_theme"
html_title = "kernelwise"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system is set
WITHOUT_SIDEBAR = ("index", "tutorial", "migrate", "overview", "glossary", "svc-hangs", "comparison")
WITHOUT_SIDEBAR += (
    "architecture",
    "native",
    "quality",
    "upgrade",
    "forests",
    "cost",
    "cite",
    "which-criterion",
    "studies/*",
)
html_sidebars = {name: [] for name in WITHOUT_SIDEBAR}
html_theme_options = {
    "logo": {"text": f"kernelwise {version}"},
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}


def setup(app: Any) -> None:
    """Give the pages of the studies a style sheet of their own."""

    def add_style(app: Any, page: str, *_: Any) -> None:
        if page.startswith("studies/"):
            app.add_css_file("studies.css")

    app.connect("html-page-context", add_style)
