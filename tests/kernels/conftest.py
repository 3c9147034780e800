"""What tests of kernels share: limits set for a while, errors compared, plans run on pointers."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

from rushlight import config
from rushlight.kernels import tuned, tuning
from rushlight.kernels.keys import forget_plans
from rushlight.kernels.runtime import threads
from rushlight.kernels.runtime.workspace import aligned


@pytest.fixture
def without_amx(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Plans as on a CPU without the matrix unit, which takes small products as well where machine
    code is for every size."""
    choice = tuned.Choice((), "a test of vector kernels", bfloat16=False)
    monkeypatch.setattr(tuned, "_choice", choice)
    forget_plans()
    yield
    monkeypatch.undo()
    forget_plans()


@pytest.fixture
def limits() -> Iterator[Callable[..., Any]]:
    """`with limits(CONV_FEW=1): ...`: other limits, and plans that are made by them."""

    @contextmanager
    def changed(**values: Any) -> Iterator[None]:
        before = {k: getattr(tuning, k) for k in values}
        for k, v in values.items():
            setattr(tuning, k, v)
        forget_plans()
        try:
            yield
        finally:
            for k, v in before.items():
                setattr(tuning, k, v)
            forget_plans()

    yield changed
    forget_plans()


@pytest.fixture
def by_threads() -> Callable[..., Any]:
    """`by_threads(call)`: what a call gives, an array or several, the same bits by one thread and
    by two."""

    def run(call: Callable[[], Any]) -> Any:
        before, found = config.get_num_threads(), []
        try:
            for count in (1, 2):
                config.set_num_threads(count)
                found.append(call())
        finally:
            config.set_num_threads(before)
        one, two = (y if isinstance(y, tuple) else (y,) for y in found)
        for a, b in zip(one, two, strict=True):
            assert a.tobytes() == b.tobytes()
        return found[0]

    return run


@pytest.fixture
def not_larger() -> Callable[..., None]:
    """`not_larger(found, plain, exact)`: what is found has no larger error than plain NumPy,
    as roots of mean squares over draws (the first dim).

    Draws are a sample: the ratio may be three of its standard errors above 1, and at most 2 %.
    """

    def check(found: Any, plain: Any, exact: Any) -> None:
        a, b = (((v - exact) ** 2).reshape(len(exact), -1).sum(1) for v in (found, plain))
        times = float(np.sqrt(a.sum() / b.sum()))
        error = times / 2 * float(np.sqrt(((a / a.sum() - b / b.sum()) ** 2).sum()))
        assert times <= 1 + min(3 * error, 0.02)

    return check


@pytest.fixture
def on_pointers() -> Callable[..., Any]:
    """What `plan.run` gives, by calling native functions with addresses, as a compiled step does.

    For plans whose launches are all native.
    """

    def run(plan: Any, *arrays: Any, **scalars: float) -> Any:
        threads.ready()
        held: dict[str, Any] = dict(zip(plan.operands, arrays, strict=True))
        for name, meta in plan.outputs.items():
            held[name] = np.ndarray(meta.shape, meta.dtype, None, 0, meta.strides)
        for name, size in plan.workspace.items():
            held[name] = aligned(size)
        pointers = {k: 0 if a is None else a.ctypes.data for k, a in held.items()}
        for address, given in plan.emit(pointers, scalars):
            types = [ctypes.c_double if isinstance(v, float) else ctypes.c_int64 for v in given]
            ctypes.CFUNCTYPE(None, *types)(address)(*given)
        found = tuple(held[k] for k in plan.returns)
        return found[0] if len(found) == 1 else found

    return run
