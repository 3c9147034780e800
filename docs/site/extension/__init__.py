"""The site's extension for Sphinx: a page for every theme of public names, and those of `docs/`.

    names.py      which names there are, and on which page each of them stands
    facts.py      what is known of a name: signature, record, source, kernels, tests, differences
    docstring.py  a docstring, which is plain text, as nodes
    entries.py    the directive that puts both on a page
    prose.py      README, CHANGELOG, docs/*.md and the walks, as Sphinx reads them
    links.py      looks at the finished pages: links that lead nowhere, requests to elsewhere

`python docs/site/build.py` builds everything. Read next: decision 0043.
"""

from __future__ import annotations

from typing import Any


def setup(app: Any) -> dict[str, Any]:
    """Tell Sphinx what there is."""
    from .entries import Entries, beside, linked

    app.add_directive("names-of", Entries)
    app.connect("doctree-resolved", linked)
    app.connect("html-page-context", beside, priority=900)  # after the theme's
    return {"parallel_read_safe": False, "parallel_write_safe": True}
