"""`torch.quasirandom`: points that fill a cube evenly, the sequence of Sobol.

Point n is the exclusive or of direction numbers, those of the bits of n's Gray code; so each point
comes from the one before by one of them. The direction numbers are those of Joe and Kuo (criterion
D(6), up to 21,201 dimensions), which SciPy carries, and scrambling is Matousek's: a random lower
triangular matrix of bits for each dimension, and a random shift. The numbers are PyTorch's.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from rushlight import dtypes
from rushlight import random as _random
from rushlight.autograd import door
from rushlight.errors import message
from rushlight.ops.create import arguments
from rushlight.ops.random.factories import randint
from rushlight.tensor import Tensor

__all__ = ["SobolEngine"]


def directions(dimension: int, bits: int) -> np.ndarray[Any, Any]:
    """The direction numbers, (dimension, bits), as SciPy's engine of the same sequence has them."""
    try:
        from scipy.stats import qmc
    except ImportError:
        raise ModuleNotFoundError(
            message(
                "SobolEngine: SciPy is not installed, which has the direction numbers",
                hint="pip install scipy",
            )
        ) from None
    return qmc.Sobol(dimension, scramble=False, bits=bits)._sv.astype(np.int64)


def scrambled(state: np.ndarray[Any, Any], lower: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Direction numbers (d, n) multiplied by matrices of bits (d, n, n), highest bit first."""
    n = state.shape[1]
    places = np.arange(n - 1, -1, -1)
    bits = (state[:, :, None] >> places & 1).astype(np.float32)  # (d, n, bit)
    found = np.matmul(bits, lower.transpose(0, 2, 1)).astype(np.int64) & 1  # sums below 2**24
    return (found << places).sum(-1)


def fractions(points: np.ndarray[Any, Any], kind: dtypes.dtype) -> np.ndarray[Any, Any]:
    """Integers below 2**30 as numbers of [0, 1): only their conversion rounds."""
    return points.astype(kind.np) * kind.np.type(2.0**-30)


class SobolEngine:
    """Draws the points of a Sobol sequence, one after the other; draws are (n, dimension).

    `scramble=True` draws the scrambling from the default generator, or from one of its own that
    starts at `seed`. Raises ValueError for a dimension outside [1, 21201].

    >>> SobolEngine(2).draw(3).tolist()
    [[0.0, 0.0], [0.5, 0.5], [0.75, 0.25]]
    """

    MAXBIT = 30
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(
                message(
                    f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]",
                    f"dimension={dimension}",
                )
            )
        self.dimension = operator.index(dimension)
        self.scramble = scramble
        self.seed = seed
        state = directions(self.dimension, self.MAXBIT)
        shift = np.zeros(self.dimension, np.int64)
        if scramble:
            state, shift = self._drawn(state)
        self.sobolstate: Tensor = door.wrap(state)
        self.shift: Tensor = door.wrap(shift)
        self.quasi: Tensor = door.wrap(shift.copy())
        # in the default type of today, whatever is drawn later: PyTorch's keeps it so
        self._first_point: Tensor = door.wrap(fractions(shift[None], dtypes.get_default_dtype()))
        self.num_generated = 0

    def _drawn(self, state: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], ...]:
        """The scrambled direction numbers and the shift."""
        generator = None if self.seed is None else _random.Generator().manual_seed(self.seed)
        d, n = self.dimension, self.MAXBIT
        shift = randint(2, (d, n), generator=generator).numpy() @ (1 << np.arange(n))
        lower = np.tril(randint(2, (d, n, n), generator=generator).numpy()).astype(np.float32)
        lower[:, np.arange(n), np.arange(n)] = 1
        return scrambled(state, lower), shift

    def _steps(self, n: int) -> np.ndarray[Any, Any]:
        """The direction numbers (n, dimension) that lead from `quasi` to the next n points."""
        first = max(self.num_generated - 1, 0)
        numbers = np.arange(first, first + n)
        zero = ~numbers & (numbers + 1)  # the lowest bit of a number that is 0
        if n and first + n >= 1 << self.MAXBIT:
            raise ValueError(
                message(
                    f"SobolEngine: at most 2**{self.MAXBIT} points can be drawn",
                    f"{self.num_generated} points so far, and {n} more",
                    hint="another engine with scramble=True",
                )
            )
        where = np.frexp(zero.astype(np.float64))[1] - 1
        found: np.ndarray[Any, Any] = self.sobolstate.numpy().T[where]
        return found

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: Any = None) -> Tensor:
        """The next n points, (n, dimension), in float32 or float64 (`dtype`, or the default)."""
        kind = dtypes.get_default_dtype() if dtype is None else dtypes.of(dtype)
        try:
            n = operator.index(n)
        except TypeError:
            what = "_sobol_engine_draw(): argument 'n' (position 2) must be int"
            raise TypeError(message(f"{what}, not {type(n).__name__}", hint="n=int(n)")) from None
        begins = self.num_generated == 0
        if n < 0 or (begins and n == 0):
            raise RuntimeError(
                message(
                    f"Trying to create tensor with negative dimension {n - begins}: "
                    f"[{n - begins}, {self.dimension}]",
                    f"n={n}",
                    "n >= 1" if begins else "n >= 0",
                )
            )
        if kind not in (dtypes.float32, dtypes.float64) and not (begins and n == 1):
            raise NotImplementedError(
                message(
                    f'"_sobol_engine_draw" not implemented for {str(kind)!r}',
                    f"dtype={kind}",
                    "torch.float32 or torch.float64",
                    "draw in one of these, then .to(dtype)",
                )
            )
        quasi = self.quasi.numpy()
        points = np.concatenate([quasi[None], self._steps(n - begins)])
        np.bitwise_xor.accumulate(points, axis=0, out=points)
        quasi[...] = points[-1]
        result = fractions(points[1:], kind if kind.is_floating_point else dtypes.float32)
        if begins:
            result = np.concatenate([self._first_point.numpy().astype(result.dtype), result])
        self.num_generated += n
        found: Tensor = arguments.finish(result.astype(kind.np), False, None)
        if out is not None:
            out.resize_as_(found).copy_(found)
            return out
        return found

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: Any = None) -> Tensor:
        """The next 2**m points; raises ValueError unless all points drawn are then a power of 2."""
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                message(
                    "The balance properties of Sobol' points require n to be a power of 2",
                    f"{self.num_generated} points have been previously generated, "
                    f"then: n={self.num_generated}+2**{m}={total}",
                    hint="'SobolEngine.draw()'",
                )
            )
        return self.draw(n, out, dtype)

    def reset(self) -> SobolEngine:
        """Begin again with the first point; returns the engine."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leave out the next n points; returns the engine."""
        steps = self._steps(n - (self.num_generated == 0))
        self.quasi.numpy()[...] ^= np.bitwise_xor.reduce(steps, axis=0)
        self.num_generated += n
        return self

    def __repr__(self) -> str:
        told = [f"dimension={self.dimension}"]
        if self.scramble:
            told.append("scramble=True")
        if self.seed is not None:
            told.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(told)})"
