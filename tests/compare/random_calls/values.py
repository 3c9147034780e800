"""What random programs start from: small tensors of all types and layouts, written out as text.

Numbers are quarters, so that sums and products of them are exact in narrow types too.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

TYPES = ["float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "uint8", "bool",
         "complex64", "complex128"]  # fmt: skip
WEIGHTS = [10, 3, 2, 2, 4, 1, 1, 1, 2, 1, 1]
SHAPES: list[tuple[int, ...]] = [
    (), (1,), (3,), (4,), (2, 3), (3, 4), (3, 3), (2, 2), (1, 4), (3, 1), (2, 3, 4), (2, 1, 3),
    (1, 2, 3), (2, 3, 3), (0,), (0, 3), (2, 0), (2, 0, 3), (2, 2, 2, 2),
]  # fmt: skip
NUMBERS = [0, 1, 2, -1, 3, 0.5, 2.0, -1.5, 0.0, True, False, 1e-3, 100, 1 + 1j]


def pick_type(rng: random.Random) -> str:
    """A type's name, the common ones more often."""
    return rng.choices(TYPES, WEIGHTS)[0]


def number(rng: random.Random) -> Any:
    """A Python number, seldom an infinite one."""
    if rng.random() < 0.03:
        return rng.choice([float("inf"), float("-inf"), float("nan")])
    return rng.choices(NUMBERS, [4, 4, 4, 2, 2, 3, 3, 2, 2, 1, 1, 1, 1, 0.5])[0]


def written(x: Any) -> str:
    """The text of an argument; ValueError where it has none."""
    if isinstance(x, float) and not np.isfinite(x):
        return f"float('{x}')"
    if isinstance(x, complex):
        return repr(x)
    if x is None or isinstance(x, (bool, int, float, str)):
        return repr(x)
    if isinstance(x, (list, tuple)):
        parts = ", ".join(written(v) for v in x)
        if isinstance(x, list):
            return f"[{parts}]"
        return f"({parts},)" if len(x) == 1 else f"({parts})"
    text = repr(x)
    if text.startswith("torch.") and " " not in text:
        return text
    raise ValueError(f"no text for {x!r}")


def array(rng: random.Random, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Numbers of a type: quarters between -3 and 3, small integers."""
    draw = np.random.default_rng(rng.getrandbits(32))
    if dtype == "bool":
        return draw.random(shape) < 0.5
    if dtype.startswith(("int", "uint")):
        return np.asarray(draw.integers(0 if dtype == "uint8" else -3, 5, shape))
    x = draw.integers(-12, 13, shape) / 4
    if dtype.startswith("complex"):
        return np.asarray(x + 1j * draw.integers(-4, 5, shape) / 4)
    x = np.asarray(x)
    if rng.random() < 0.04 and x.size:
        x.reshape(-1)[rng.randrange(x.size)] = rng.choice([np.nan, np.inf, -np.inf])
    return x


def as_type(x: np.ndarray, dtype: str) -> np.ndarray:
    """The numbers of a sample, as a type can have them."""
    if dtype == "bool":
        return x != 0 if x.dtype.kind in "ib" else np.asarray(x.real > 0)
    if dtype.startswith(("int", "uint")):
        whole = np.asarray(np.trunc(x.real) if x.dtype.kind in "fc" else x, "int64")
        return abs(whole) if dtype == "uint8" else whole
    if dtype.startswith("complex"):
        return np.asarray(x + 0j)
    x = np.asarray(x.real if x.dtype.kind == "c" else x, "float64")
    return np.round(x * 64) / 64


def listed(x: np.ndarray) -> str:
    """The nested list of an array's numbers, as text."""
    return repr(x.tolist()).replace("nan", "float('nan')").replace("inf", "float('inf')")


def tensor(rng: random.Random, x: np.ndarray, dtype: str, plain: bool = False) -> str:
    """The text that makes a tensor of these numbers: contiguous, or in another layout with the same
    numbers."""
    made = "torch.tensor({}, dtype=torch." + dtype + ")"
    whole = made.format(listed(x)) + ("" if x.size else f".reshape({x.shape})")
    if plain or rng.random() < 0.65 or x.ndim == 0:
        return whole
    way = rng.random()
    if x.ndim >= 2 and way < 0.5:
        swapped = np.swapaxes(x, -1, -2)
        if not x.size:
            return f"torch.zeros({swapped.shape}, dtype=torch.{dtype}).transpose(-1, -2)"
        return made.format(listed(swapped)) + ".transpose(-1, -2)"
    if way < 0.8 and x.size:
        twice = np.repeat(x, 2, -1)
        return made.format(listed(twice)) + "[..., ::2]"
    if x.size and dtype != "bool":
        one = x[:1]
        return made.format(listed(one)) + f".expand({x.shape})"
    return whole
