"""Single random numbers for transforms: from the default generator, in PyTorch's words.

Each call uses up of the stream what `rand(1)`, `empty(1).uniform_(low, high)` and
`randint(low, high, (1,))` do, and gives their number, at a tenth of their cost: an augmentation
draws a few numbers an image. Not here: Dirichlet numbers of `AugMix` (`mixing.py`).
"""

from __future__ import annotations

import numpy as np

from ... import dtypes
from ...errors import message
from ...random import default_generator


def chance(p: float) -> bool:
    """True with probability `p`: `rand(1) < p`.

    >>> chance(1.0), chance(0.0)
    (True, False)
    """
    return unit() < float(np.float32(p))


def unit() -> float:
    """A number in [0, 1): `rand(1)`."""
    if dtypes.get_default_dtype() is not dtypes.float32:
        import rushlight

        return float(rushlight.rand(1).item())
    rng = default_generator._rng
    with rng.lock:
        return (rng.word() & 0xFFFFFF) * 2.0**-24


def uniform(low: float, high: float) -> float:
    """A number in [low, high), rounded to float32: `empty(1).uniform_(low, high)`.

    >>> uniform(2.0, 2.0)
    2.0
    """
    if dtypes.get_default_dtype() is not dtypes.float32 or not low <= high:
        import rushlight

        return float(rushlight.empty(1).uniform_(low, high).item())
    low32, high32 = np.float32(low), np.float32(high)
    rng = default_generator._rng
    with rng.lock:
        x = (rng.word() & 0xFFFFFF) * 2.0**-24
    drawn = np.float32(x * float(high32 - low32) + float(low32))
    return float(low32 if drawn == high32 else drawn)


def integer(low: int, high: int) -> int:
    """A whole number in [low, high): `randint(low, high, (1,))`.

    >>> integer(3, 4)
    3
    """
    if low >= high:
        raise RuntimeError(
            message("random_ expects 'from' to be less than 'to'", f"from={low} >= to={high}")
        )
    rng = default_generator._rng
    with rng.lock:
        return low + rng.word() % (high - low)
