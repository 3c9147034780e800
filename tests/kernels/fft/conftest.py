"""What tests of Fourier transforms share: calls of kernels of every size, and their errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import tuning
from rushlight.kernels.fft import reference, select


class Call:
    """A transform of random numbers.

    Args:
        turned: whether the operand's dims lie in memory the other way round.
    """

    def __init__(
        self, kind: str, shape: tuple[int, ...], dims: tuple[int, ...], dtype: Any = np.float32,
        forward: bool = True, scale: float = 1.0, n: int = 0, turned: bool = False,
    ) -> None:  # fmt: skip
        rng = np.random.default_rng(0)
        x = rng.standard_normal(shape[::-1] if turned else shape)
        if kind[0] == "c":
            x = x + 1j * rng.standard_normal(x.shape)
        self.real = np.dtype(dtype)
        x = x.astype(np.result_type(dtype, np.complex64) if kind[0] == "c" else dtype)
        self.kind, self.dims, self.x = kind, dims, x.T if turned else x
        self.given: dict[str, Any] = {"dims": dims, "scale": scale}
        forward = forward if kind == "c2c" else kind != "c2r"
        if kind == "c2c":
            self.given["forward"] = forward
        if kind == "c2r":
            n = self.given["n"] = n or 2 * (shape[dims[-1]] - 1)
        if kind in ("r2c", "full"):
            n = shape[dims[-1]]
        self.plan = select.plan(
            kind, self.x.dtype, self.x.shape, self.x.strides, dims, forward, n, scale
        )

    def numpy(self, dtype: Any = None) -> Any:
        """NumPy's result, computed in another type if one is given."""
        x = self.x if dtype is None else self.x.astype(dtype)
        return getattr(reference, self.kind)(x, **self.given)

    def error(self) -> float:
        """Root of the mean square error of the kernels over that of the exact result, in roundings
        of the type."""
        return self._error(self.plan.run(self.x))

    def numpys_error(self) -> float:
        """And of NumPy."""
        return self._error(self.numpy())

    def _error(self, y: Any) -> float:
        exact = self.numpy(np.clongdouble if self.kind[0] == "c" else np.longdouble)
        of = np.sqrt((abs(y - exact) ** 2).sum() / (abs(exact) ** 2).sum())
        return float(of / np.finfo(self.real).eps)

    def check(self) -> None:
        """The kernels' result is right, and lies as NumPy's."""
        y, wanted = self.plan.run(self.x), self.numpy()
        assert (y.shape, y.strides, y.dtype) == (wanted.shape, wanted.strides, wanted.dtype)
        assert self.error() < 3


@pytest.fixture
def alike(on_pointers: Any, by_threads: Any) -> Callable[[Call], None]:
    """Check that pointers, and any number of threads, give a call the bits of arrays."""

    def check(made: Call) -> None:
        np.testing.assert_array_equal(on_pointers(made.plan, made.x), made.plan.run(made.x))
        by_threads(lambda: made.plan.run(made.x))

    return check


@pytest.fixture
def call() -> Iterator[Callable[..., Call]]:
    """`call(kind, shape, dims, …)`, of any size."""
    before = tuning.FFT_LEAST
    tuning.FFT_LEAST = 1
    select.plan.cache_clear()
    yield Call
    tuning.FFT_LEAST = before
    select.plan.cache_clear()
