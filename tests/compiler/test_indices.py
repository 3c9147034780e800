"""Lookups in compiled steps: indices are looked at once, before a replay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.kernels import runtime
from tests.compiler.twins import Twin, same

needs_code = pytest.mark.skipif(not runtime.available(), reason="there is no machine code")
LOOKUPS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "embedding": lambda table, i, w: nn.functional.embedding(i, table),
    "index_select": lambda table, i, w: table.index_select(0, i.view(-1)),
    "index_select of columns": lambda table, i, w: table.t().contiguous().index_select(1, i[0]),
    "index_copy": lambda table, i, w: table.index_copy(0, i[0], w),
    "twice": lambda table, i, w: table.index_select(0, i[1]) + nn.functional.embedding(i, table)[0],
    "every other": lambda table, i, w: nn.functional.embedding(i[:, ::2], table),
    "a copy of the indices": lambda table, i, w: nn.functional.embedding(i + 0, table),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOKUPS)
@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_an_index_out_of_range_in_a_later_call(name: str, dtype: str) -> None:
    def program(t: Twin) -> None:
        table = nn.Parameter(torch.randn(6, 3))
        t.watch(table)

        def step(i: Any, w: Any) -> Any:
            y = LOOKUPS[name](table, i, w) * 2
            y.sum().backward()
            return y.detach()

        step = t.compile(step)
        for k in range(8):
            i = torch.stack([torch.randperm(6)[:4] for _ in range(2)]).to(getattr(torch, dtype))
            if k in (3, 5, 6):
                i[0, 0] = -1 if k == 5 else 6
            t(step, i, torch.randn(4, 3))

    same(program)


@needs_code
def test_no_lookup_is_called_from_python() -> None:
    table = torch.randn(6, 3)

    def look(i: Any) -> Any:
        return nn.functional.embedding(i, table) * 2 + table.index_select(0, i[0]).sum()

    found = torch.compiler.explain(look)(torch.tensor([[1, 2], [3, 4]]))
    assert "0 called from Python" in str(found)


def test_indices_that_the_step_changes_itself() -> None:
    def program(t: Twin) -> None:
        table, places = torch.randn(6, 3), torch.tensor([0, 1, 2])

        def step() -> Any:
            places.add_(1).remainder_(9)  # out of range now and then
            return nn.functional.embedding(places, table)

        step = t.compile(step)
        for _ in range(9):
            t(step)

    same(program)


@needs_code
def test_after_two_calls_out_of_range_nothing_is_taken_for_granted() -> None:
    table = torch.randn(6, 3)
    look = torch.compile(lambda i: nn.functional.embedding(i, table) * 2)
    for k in range(6):
        i = torch.tensor([1, 7 if k in (2, 3) else 2])
        if k in (2, 3):
            with pytest.raises(IndexError, match="index out of range"):
                look(i)
        else:
            assert torch.equal(look(i), table[i] * 2)
    assert look.outside_calls == 2
    assert len(look.entries) == 1
