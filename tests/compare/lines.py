"""One-line programs run by both libraries: values, types, shapes, strides and classes of errors.

A line is statements separated by "; ", the last of them an expression. It sees `torch` (one library
or the other), `nn`, `F`, `np`, `inf`, `nan`, `cl` (the memory format channels_last), `T`
(`torch.tensor`), `i64` and `c64` (types).
"""

from __future__ import annotations

import cmath
import warnings
from typing import Any

import numpy as np
import pytest

import rushlight as ours

real = pytest.importorskip("torch")


def run(library: Any, line: str) -> Any:
    """What a line gives under a library, as plain values that can be compared."""
    names = {
        "torch": library,
        "nn": library.nn,
        "F": library.nn.functional,
        "np": np,
        "inf": float("inf"),
        "nan": float("nan"),
        "cl": library.channels_last,
        "T": library.tensor,
        "i64": library.int64,
        "c64": library.complex64,
    }
    library.manual_seed(0)
    *statements, result = line.split("; ")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for statement in statements:
                exec(statement, names)
            return described(eval(result, names))
    except Exception as error:  # its class is the result
        return type(error).__name__, str(error).split("\n")[0]


def described(x: Any) -> Any:
    if isinstance(x, (real.Tensor, ours.Tensor)):
        values = x.detach().resolve_conj()
        values = (values.float() if "bfloat16" in str(x.dtype) else values).tolist()
        strides = tuple(s if n > 1 else 0 for n, s in zip(x.shape, x.stride(), strict=True))
        if 0 in x.shape:
            strides = ()
        return str(x.dtype), tuple(x.shape), strides, x.requires_grad, values
    if isinstance(x, (real.dtype, ours.dtype)):
        return str(x)
    if isinstance(x, (list, tuple)):
        return [described(v) for v in x]
    return x


def same(a: Any, b: Any) -> bool:
    """Equal, numbers to the last digits of float32."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, (float, complex)) and isinstance(b, (float, complex)):
        parts = ((complex(v).real, complex(v).imag) for v in (a, b))
        return all(near(x, y) for x, y in zip(*parts, strict=True))
    return bool(a == b)


def near(x: float, y: float) -> bool:
    return (x != x and y != y) or x == y or cmath.isclose(x, y, rel_tol=2e-5, abs_tol=2e-6)


def check(line: str) -> None:
    """Assert that both libraries agree; of errors that the classes are one and the same, or ours a
    NotImplementedError, which whoever catches PyTorch's RuntimeError catches."""
    wanted, got = run(real, line), run(ours, line)
    failed = isinstance(wanted, tuple) and isinstance(wanted[0], str) and len(wanted) == 2
    if failed:
        assert isinstance(got, tuple), f"{line}\n  PyTorch {wanted}\n  here    {got}"
        narrower = (wanted[0], got[0]) == ("RuntimeError", "NotImplementedError")
        assert wanted[0] == got[0] or narrower, f"{line}\n  PyTorch {wanted}\n  here    {got}"
        return
    assert same(wanted, got), f"{line}\n  PyTorch {wanted}\n  here    {got}"
