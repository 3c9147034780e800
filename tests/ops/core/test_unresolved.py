"""Every public function of a tensor whose conjugate or negative bit is set: what its values give.

Functions that look into an array themselves, before or beside the ops that they call, meet such a
tensor too (`kernels.meta.UnresolvedArray`).
"""

from __future__ import annotations

import warnings
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd.node import TensorBase
from rushlight.ops.core.composite import composites
from rushlight.ops.core.record import registry
from rushlight.ops.core.samples import static

# What refuses such a tensor, or is about memory, which holds other numbers than it shows. Other
# functions whose subject is a layout (`samples.layout`) are called.
OF_MEMORY = {
    "as_strided", "as_strided_", "as_strided_copy", "resize_as_", "view_as_real", "view",
    "view_as_real_copy", "view_as_complex", "view_as_complex_copy", "__buffer__", "detach_",
}  # fmt: skip
CALLS = [
    (name, about, fn)
    for name, about, fn in [
        *[(f"{r.public[0]}.{n}", r, r.public_function()) for n, r in registry.items() if r.public],
        *[(name, c, c.fn) for name, c in composites.items()],
    ]
    if about.name not in OF_MEMORY
]


def given(a: Any, kind: str, bit: bool) -> Any:
    """A sample's operand, with the bit or written out."""
    if isinstance(a, static):
        return a.value
    if type(a) in (list, tuple):
        return type(a)(given(x, kind, bit) for x in a)
    if not isinstance(a, np.ndarray) or a.dtype.kind not in "fc":
        return torch.tensor(a) if isinstance(a, np.ndarray) else a
    t = torch.tensor(a.astype(np.complex128) + (0.25j * a if a.dtype.kind == "f" else 0)).conj()
    if kind == "negative":
        t = t.imag
    return t if bit else t.resolve_conj().resolve_neg().clone()


def result(fn: Any, args: Any, kw: dict[str, Any], kind: str, bit: bool) -> Any:
    torch.manual_seed(0)
    try:
        return fn(
            *[given(a, kind, bit) for a in args], **{k: given(v, kind, bit) for k, v in kw.items()}
        )
    except Exception as error:
        return error


def flat(y: Any) -> list[Any]:
    return [t for x in y for t in flat(x)] if isinstance(y, (list, tuple)) else [y]


@pytest.mark.parametrize(("name", "about", "fn"), CALLS, ids=[name for name, *_ in CALLS])
@pytest.mark.parametrize("kind", ["conjugate", "negative"])
def test_a_bit_is_what_it_stands_for(name: str, about: Any, fn: Any, kind: str) -> None:
    fn = fn.fget if isinstance(fn, property) else fn
    rng = np.random.default_rng(seed := crc32(name.encode()))
    print(f"seed {seed}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for sample in about.samples:
            args, kw = sample.make(rng)
            want, got = (result(fn, args, kw, kind, bit) for bit in (False, True))
            assert type(got) is type(want), (got, want)
            for a, b in zip(flat(want), flat(got), strict=True):
                if isinstance(a, TensorBase) and not isinstance(want, Exception):
                    a, b = (t.detach().resolve_conj().resolve_neg() for t in (a, b))
                    assert torch.allclose(a, b, equal_nan=True)
