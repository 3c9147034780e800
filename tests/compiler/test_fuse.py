"""Formulas that follow each other are one kernel, and no bit changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.compiler import arrays, native
from rushlight.kernels import runtime
from tests.compiler.recording import recorded

F = torch.nn.functional
pytestmark = pytest.mark.skipif(not runtime.available(), reason="needs machine code")
CASES: dict[str, tuple[Callable[[Any, Any], Any], int]] = {  # and how many kernels there are
    "a chain": (lambda x, y: ((x * 2 + y).relu() - 0.5) / y, 1),
    "a value read twice": (lambda x, y: (lambda a: a * a + a)(x - y), 1),
    "a value that is wanted, too": (lambda x, y: (lambda a: [a, a.relu() * y])(x + y), 1),
    "functions": (lambda x, y: torch.exp(-x * x) * torch.tanh(y) + torch.sigmoid(x), 1),
    "choices": (lambda x, y: torch.where(x > y, x * 2, y).clamp(-1, 1), 3),
    "truths": (lambda x, y: (x > 0) & (y > 0) | (x < y), 1),
    "in place": (lambda x, y: (x * 1).add_(y).mul_(y).relu_(), 1),
    "one number": (lambda x, y: (x - x.flatten()[0]) * y + x.sum(), 3),
    "a sum between": (lambda x, y: (x * y - (x * y).sum()) * 2, 3),
}


@pytest.mark.parametrize("size", [(3, 5), (70, 130)])
@pytest.mark.parametrize("name", CASES)
def test_the_same_bits_in_fewer_kernels(name: str, size: tuple[int, int]) -> None:
    torch.manual_seed(0)
    function, kernels = CASES[name]
    x, y = torch.randn(*size), torch.randn(*size)
    program, _ = recorded(lambda: function(x, y), [x._a, y._a])
    plain = arrays.function(program)
    run: Any = native.function(program)
    for given in ([x._a, y._a], [y._a * 3, x._a]):
        for a, b in zip(plain(*given), run(*given), strict=True):
            assert a.tobytes() == b.tobytes()
            assert a.strides == b.strides
    if name != "functions":  # of which NumPy computes some where arrays are small
        assert all(e.kind == "native" for e in run.entries)
        assert len(run.entries) <= kernels


def test_what_nobody_reads_is_not_written() -> None:
    x = torch.randn(200, 200)
    program, _ = recorded(lambda: ((x + 1) * 2 - x).abs(), [x._a])
    run: Any = native.function(program)
    assert run.arena_bytes == 0
    (entry,) = run.entries
    assert entry.bytes == 2 * x._a.nbytes
    assert len(entry.lines) == 4


def test_a_value_in_memory_that_is_used_again() -> None:
    """The second formula writes where the first one read."""
    x = torch.randn(64, 64)

    def step() -> Any:
        a = x * 2
        b = a + 1
        a.copy_(b)
        return [a * b, a[0] + 1]

    program, _ = recorded(step, [x._a])
    plain, run = arrays.function(program), native.function(program)
    other = np.ascontiguousarray(x._a.T)
    for a, b in zip(plain(other), run(other), strict=True):
        assert a.tobytes() == b.tobytes()
