"""Sphinx's settings. `python docs/site/build.py` writes the pages that it reads, then calls it."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

import rushlight  # noqa: E402

project = "Rushlight"
author = "Rushlight contributors"
release = version = rushlight.__version__
copyright = author

extensions = ["myst_parser", "extension"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
nitpicky = True
highlight_language = "text"
templates_path = []
exclude_patterns = []

html_theme = "furo"
html_title = "Rushlight"
html_static_path = [str(HERE / "static")]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
# Opened from a folder, a page may not read its neighbours, which previews would need.
html_show_search_summary = False
toc_object_entries = False  # extension/entries.py lists them: as entries they would cost minutes
pygments_style = "friendly"
pygments_dark_style = "monokai"
