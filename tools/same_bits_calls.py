"""The calls of `same_bits.py --ops`: samples of every record, and a list of larger calls.

Each call is made on tensors that require gradients, in several types; its results are hashed, and
the gradients for a gradient that is drawn. Numbers are drawn from the call's own name, so a call
that is added or removed changes no other. A call that raises tells the error's class.

Not here: which calls there are (`same_bits_layers.py`, `same_bits_arrays.py`).
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import numpy as np

import rushlight as torch

One = tuple[str, tuple[Callable[..., Any], Any, dict[str, Any], str, int]]
Call = tuple[str, Callable[..., Any], tuple[Any, ...], tuple[str, ...]]
FLOATS = "float64 float32 bfloat16 float16"
NOT_SET = ("empty", "empty_like", "new_empty", "empty_strided")  # memory as it was found
warnings.simplefilter("ignore")


# -- one call ------------------------------------------------------------------------------------


def tensors(given: Any, dtype: str, leaves: list[Any], exact: bool) -> Any:
    """Arrays as tensors; floats in the given type, and as leaves that want gradients.

    `exact`: floats that have the given type's values are float64 nevertheless.
    """
    if isinstance(given, (list, tuple)):
        made = [tensors(x, dtype, leaves, exact) for x in given]
        return made if type(given) is list else tuple(made)
    if not isinstance(given, np.ndarray):
        return given
    given = torch.from_numpy(given.copy())
    if given.is_floating_point():
        given = given.to(getattr(torch, dtype))
        given = given.double() if exact else given
    if given.is_floating_point() or given.is_complex():
        leaves.append(given.requires_grad_())
    return given


def flat(result: Any) -> list[Any]:
    """The tensors and numbers of a result, in order."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (list, tuple)) and not isinstance(result, torch.Size):
        return [x for part in result for x in flat(part)]
    return [] if result is None else [result]


def made(
    f: Callable[..., Any], args: Any, kw: dict[str, Any], dtype: str, seed: int, exact: bool = False
) -> dict[str, Any]:
    """{name: value} of a call."""
    leaves: list[Any] = []
    torch.manual_seed(seed)
    try:
        results = flat(f(*tensors(args, dtype, leaves, exact), **kw))
        found = {f"result {i}": r for i, r in enumerate(results)}
        roots = [r for r in results if isinstance(r, torch.Tensor) and r.requires_grad]
        if roots and leaves:
            with torch.no_grad():
                given = [torch.randn(r.shape).to(getattr(torch, dtype)).to(r.dtype) for r in roots]
            gradients = torch.autograd.grad(roots, leaves, given, allow_unused=True)
            found |= {f"gradient {i}": g for i, g in enumerate(gradients) if g is not None}
        return found
    except Exception as error:
        return {"raises": type(error).__name__}


# -- the samples of records ----------------------------------------------------------------------


def registry() -> dict[str, Any]:
    for name in ("rushlight.ops.core.record", "rushlight.ops.record"):
        try:
            return dict(importlib.import_module(name).registry)
        except ImportError:
            continue
    raise ImportError("this tree has no registry of records")


def records() -> Iterator[One]:
    for name, record in sorted(registry().items()):
        for i, sample in enumerate(() if name in NOT_SET else record.samples):
            seed = crc32(f"{name} {i}".encode())
            args, kw = sample.make(np.random.default_rng(seed))
            for dtype in FLOATS.split():
                yield f"{name} {i} {dtype}", (record, args, kw, dtype, seed)


# -- larger calls --------------------------------------------------------------------------------


def call(name: str, f: Callable[..., Any], *args: Any, dtypes: str = "float32") -> Call:
    """A call with its operands; a shape (a tuple of ints) becomes normal numbers."""
    rng = np.random.default_rng(crc32(name.encode()))

    def drawn(x: Any) -> Any:
        is_shape = type(x) is tuple and x and all(type(n) is int for n in x)
        return rng.standard_normal(x) if is_shape else x

    return name, f, tuple(drawn(x) for x in args), tuple(dtypes.split())


def whole(most: int, *shape: int) -> np.ndarray:
    """Integers from 0 to most - 1."""
    return np.random.default_rng(sum(shape)).integers(0, most, shape)


def calls() -> Iterator[One]:
    import same_bits_arrays  # here: they import this file
    import same_bits_layers

    for part in (*same_bits_layers.PARTS, *same_bits_arrays.PARTS):
        for name, f, args, dtypes in part():
            for dtype in dtypes:
                yield f"{name} {dtype}", (f, args, {}, dtype, crc32(name.encode()))


def moments(program: str, exactly: set[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """All calls of a program; those named by `exactly` in float64 as well, from the same values."""
    for name, one in records() if program == "records" else calls():
        yield name, made(*one)
        if name in exactly:
            yield f"{name}, exactly", made(*one, exact=True)
