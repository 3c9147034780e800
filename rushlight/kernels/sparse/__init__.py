"""Sparse arrays: how they are held (`arrays.py`), and products with them: the choice (`select.py`),
machine code (`csr_mm.py`, `sddmm.py`, `csr_argmax.py`,
`scatter_add.py`), SciPy and NumPy (`products.py`)."""

from __future__ import annotations

from ... import late

late.modules(__name__, "csr_argmax", "csr_mm", "products", "scatter_add", "sddmm", "select")
