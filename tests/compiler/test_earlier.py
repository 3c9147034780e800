"""What a line is is found out once in a process, for all programs that have it."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.compiler import earlier, native
from rushlight.compiler.lower_plans import Lowered
from rushlight.compiler.program import Line, Ref
from rushlight.kernels import runtime
from rushlight.ops.core.record import registry

pytestmark = pytest.mark.skipif(not runtime.available(), reason="there is no machine code")


@pytest.fixture(autouse=True)
def lines(monkeypatch: pytest.MonkeyPatch) -> dict[Any, Lowered]:
    """Nothing is known at first."""
    monkeypatch.setattr(earlier, "lines", {})
    return earlier.lines


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of records of lines that were tried out."""
    names: list[str] = []
    lower = native.lower

    def noting(line: Line, *how: Any) -> Lowered:
        names.append(str(line.record.name))
        return lower(line, *how)

    monkeypatch.setattr(native, "lower", noting)
    return names


def block(width: int = 8) -> nn.Module:
    return nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.LayerNorm(width))


def test_blocks_compiled_one_by_one_are_looked_at_once(looked_at: list[str]) -> None:
    found = []
    for _ in range(2):
        model = block()
        compiled = torch.compile(model)
        x = torch.randn(3, 8)
        for _ in range(3):
            assert torch.equal(compiled(x), model(x))
            compiled(x).sum().backward()
        found.append(list(looked_at))
        looked_at.clear()
    first, again = found
    assert len(first) > 4
    assert not again


def test_another_shape_is_another_line(looked_at: list[str]) -> None:
    f = torch.compile(lambda x: torch.sinh(x) * 2)
    for shape in ((4,), (5,), (4,)):
        x = torch.randn(shape)
        for _ in range(3):
            assert torch.equal(f(x), torch.sinh(x) * 2)
    assert looked_at.count("sinh") == 2


@pytest.mark.parametrize("setting", ["default dtype", "precision", "deterministic"])
def test_another_setting_is_another_line(setting: str) -> None:
    line, names, a = line_of("sinh")
    before = earlier.key_of(line, names, [a], [False])
    assert earlier.key_of(line, names, [a], [False]) == before
    try:
        if setting == "default dtype":
            torch.set_default_dtype(torch.float64)
        elif setting == "precision":
            torch.set_float32_matmul_precision("medium")
        else:
            torch.use_deterministic_algorithms(True)
        assert earlier.key_of(line, names, [a], [False]) != before
    finally:
        torch.set_default_dtype(torch.float32)
        torch.set_float32_matmul_precision("highest")
        torch.use_deterministic_algorithms(False)


def line_of(name: str, **kw: Any) -> tuple[Line, list[Ref], np.ndarray]:
    line = Line(registry[name], (Ref(0),), kw, Ref(1))
    return line, [Ref(0)], np.ones(3, np.float32)


def test_numbers_that_are_equal_are_told_apart() -> None:
    keys = set()
    for number in (1, 1.0, True, 0.0, -0.0, 0j, -0j, "1", None):
        line, names, a = line_of("sinh", number=number)
        keys.add(earlier.key_of(line, names, [a], [False]))
    assert len(keys) == 9


def test_what_is_known_by_its_identity_is_not_kept(lines: dict[Any, Lowered]) -> None:
    a = np.ones(3, np.float32)
    for kw, stays in (
        ({"dtype": np.dtype(np.float64)}, True),
        ({"edge": object()}, True),
        ({"fn": object()}, False),
        ({"several": (1, [object()])}, False),
    ):
        line, names, _ = line_of("sinh", **kw)
        key = earlier.key_of(line, names, [a], [False])
        earlier.keep(key, line, Lowered())
        assert (key in lines) == stays


def test_large_constants_are_not_kept(lines: dict[Any, Lowered]) -> None:
    line, names, a = line_of("sinh")
    key = earlier.key_of(line, names, [a], [False])
    earlier.keep(key, line, Lowered(constants=[np.zeros(earlier.MOST_CONSTANT + 1, np.uint8)]))
    assert key not in lines


def test_functions_that_hold_something_of_a_program_are_not_kept(lines: dict[Any, Lowered]) -> None:
    class Record:
        name = "made for one program"

        def __init__(self, thing: Any) -> None:
            self.fn = lambda x: x + thing

    def with_default(thing: Any) -> Any:
        return lambda x, y=thing: x + y

    for thing, stays in (
        (1, True),
        (lambda x: x, True),
        (with_default((1, "a")), True),
        (np.ones(1), False),
        (with_default([np.ones(1)]), False),
    ):
        line = Line(Record(thing), (Ref(0),), {}, Ref(1))
        key = earlier.key_of(line, [Ref(0)], [np.ones(3, np.float32)], [False])
        earlier.keep(key, line, Lowered())
        assert (key in lines) == stays


def test_sizes_without_end_do_not_stay(
    lines: dict[Any, Lowered], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(earlier, "MOST_LINES", 10)
    line, names, _ = line_of("sinh")
    for n in itertools.islice(itertools.count(1), 25):
        key = earlier.key_of(line, names, [np.ones(n, np.float32)], [False])
        earlier.keep(key, line, Lowered())
        assert 1 <= len(lines) <= 10
