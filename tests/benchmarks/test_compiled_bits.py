"""Compiled rows compute what eager rows compute, to the bit, call after call."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rushlight as torch
from benchmarks.compiled import OWN, found, made
from benchmarks.work import ROWS
from rushlight.compiler.replay import Compiled

CALLS = 50
# Rows that are no more than one call of Python, or that measure something else.
LEFT_OUT = {"build_resnet50", *[name for name, row in ROWS.items() if row.in_front]}


def reached(x: Any, seen: set[int]) -> Iterator[torch.Tensor]:
    """The tensors behind a call: in closures, modules, optimisers, lists; with their gradients."""
    if id(x) in seen:
        return
    seen.add(id(x))
    if isinstance(x, torch.Tensor):
        yield x
        if x.is_leaf and x.grad is not None:
            yield from reached(x.grad, seen)
    elif isinstance(x, torch.nn.Module):
        for t in (*x.parameters(), *x.buffers()):
            yield from reached(t, seen)
    elif isinstance(x, torch.optim.Optimizer):
        yield from reached([x.param_groups, list(x.state.values())], seen)
    elif isinstance(x, (list, tuple, dict)):
        for value in x.values() if isinstance(x, dict) else x:
            yield from reached(value, seen)
    elif isinstance(x, Compiled):
        yield from reached(x.fn, seen)
    elif isinstance(x, Callable):  # type: ignore[arg-type]
        for cell in getattr(x, "__closure__", None) or ():
            yield from reached(cell.cell_contents, seen)
        yield from reached(getattr(x, "__self__", None), seen)


def bits(t: torch.Tensor) -> bytes:
    """The bits of a tensor; NumPy has no bfloat16, which float32 holds as it is."""
    t = t.detach().contiguous()
    return (t.float() if t.dtype == torch.bfloat16 else t).numpy().tobytes()


def states(call: Any, calls: int) -> Iterator[list[bytes]]:
    """What is there after some of the calls, as bytes: results, tensors behind the call, and the
    state of the generator of random numbers."""
    for k in range(calls):
        result = call()
        if k < 4 or k == calls - 1:
            tensors = [*reached(result, set()), *reached(call, set())]
            yield [
                *[bits(t) for t in tensors],
                torch.get_rng_state().numpy().tobytes(),
            ]


@pytest.mark.long
@pytest.mark.parametrize("name", [n for n in (*ROWS, *OWN) if n not in LEFT_OUT])
def test_a_compiled_row_has_the_bits_of_the_eager_row(name: str) -> None:
    row = found(name)
    calls = CALLS if "step" in name or name == "sixty" else 6

    def begun(wrap: Any) -> Any:
        torch.manual_seed(0)
        return made(row, torch, wrap, **row.tiny)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        eager = list(states(begun(lambda f: f), calls))
        compiled = list(states(begun(torch.compile), calls))
    assert len(eager[0]) > 1
    for k, (mine, theirs) in enumerate(zip(compiled, eager, strict=True)):
        assert mine == theirs, f"after state {k}"
