"""How a sparse tensor looks as text: PyTorch's layout, to the character."""

from __future__ import annotations

from typing import Any

from .. import dtypes
from ..kernels.sparse.arrays import Coo
from ..printing import array_str, with_suffixes

PREFIX = "tensor("


def sparse_str(t: Any) -> str:
    """`tensor(indices=tensor(...), values=tensor(...), size=..., nnz=..., layout=...)`."""
    a, indent = t._a, len(PREFIX)
    default = dtypes.get_default_dtype()
    suffixes = []
    if a.__class__ is Coo:
        suffixes += [f"size={tuple(a.shape)}", f"nnz={a.nnz}"]
        held = [("indices", a.indices), ("values", a.values)]
    else:
        own, others = ("crow", "col") if a.by_row else ("ccol", "row")
        held = [(f"{own}_indices", a.pointers), (f"{others}_indices", a.others)]
        held.append(("values", a.values))
        suffixes += [f"size={tuple(a.shape)}", f"nnz={a.nnz}"]
    if t.dtype not in (default, default.to_complex(), dtypes.int64, dtypes.bool):
        suffixes.append(f"dtype={t.dtype!r}")
    pieces = []
    for name, values in held:
        start = f"{name}=tensor("
        text = array_str(values, indent + len(start)) + ")"
        if values.size == 0:
            text = text[:-1] + f", size={tuple(values.shape)})"
        pieces.append(start + text)
    suffixes.append(f"layout={t.layout!r}")
    node = t.grad_fn
    if node is not None:
        suffixes.append(f"grad_fn=<{type(node).__name__}>")
    elif t.requires_grad:
        suffixes.append("requires_grad=True")
    text = (",\n" + " " * indent).join(pieces)
    if a.__class__ is Coo:
        text += ",\n" + " " * indent + suffixes.pop(0)
    return with_suffixes(PREFIX + text, suffixes, indent)
