"""The page: a `Recording` written out as one HTML file that asks nobody for anything.

`pack.py` packs the data and `write.py` puts the parts together; `style.css` and the `*.js` files
beside them are what stands in the page, as they are: plain JavaScript, no build step. `SCRIPTS` in
`write.py` says in which order they stand and so in which order to read them. Not here: how a
recording comes about (`../observer.py`), what is advised (`../advice/`), the texts for the terminal
(`../text.py`).
"""

from .write import html, write

__all__ = ["html", "write"]
