"""Python values that a compiled function reads: changed between two calls, the second sees it."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from tests.compiler.twins import Twin, same

SCALE: Any = 2.0
TABLE: dict[str, Any] = {"scale": 2.0, "deep": {"list": [1, 2]}}
NUMBERS: list[Any] = [1.0, 2.0]
WEIGHT = torch.ones(4)
holder = types.ModuleType("holder")


def helper(x: Any) -> Any:
    return x * 2


def other_helper(x: Any) -> Any:
    return x * 3 + 1


@pytest.fixture(autouse=True)
def _globals_as_before() -> Any:
    begin()
    yield
    begin()


def begin() -> None:
    global SCALE, TABLE, NUMBERS, WEIGHT, helper
    SCALE, NUMBERS, WEIGHT = 2.0, [1.0, 2.0], torch.ones(4)
    TABLE = {"scale": 2.0, "deep": {"list": [1, 2]}}
    holder.scale, helper = 2.0, HELPER


HELPER = helper


def put(name: str, value: Any) -> None:
    globals()[name] = value


def sees(function: Callable[..., Any], *changes: Callable[[], Any]) -> None:
    """Each change is seen by the next calls, forward and backward."""

    def program(t: Twin) -> None:
        begin()
        compiled = t.compile(function)
        w = torch.randn(4, requires_grad=True)
        t.watch(w)

        def call(x: Any) -> Any:
            y = compiled(x, w)
            if isinstance(y, torch.Tensor) and y.requires_grad:
                y.sum().backward()
            return y

        for _ in range(3):
            t(call, torch.randn(3, 4))
        for change in changes:
            change()
            for _ in range(2):
                t(call, torch.randn(3, 4))

    records = same(program)
    assert len(records) == 3 + 2 * len(changes)


# -- globals -------------------------------------------------------------------------------------


def read_global(x: Any, w: Any) -> Any:
    return x * w * SCALE


@pytest.mark.parametrize(
    "values",
    [(3.0, 2.0), (2,), (True, 1, 1.0), (0.0, -0.0), (float("nan"), 2.0), (1 << 40,), (2j,)],
    ids=str,
)
def test_a_global_number(values: Any) -> None:
    sees(read_global, *[functools.partial(put, "SCALE", v) for v in values])


@pytest.mark.eager
def test_a_global_that_becomes_a_tensor_an_array_and_a_wrong_thing() -> None:
    values = [torch.tensor([1.0, 2, 3, 4]), np.float64(2), torch.ones(4).double(), 3.0, "no", 2.0]
    sees(read_global, *[functools.partial(put, "SCALE", v) for v in values])


def test_a_global_that_is_gone() -> None:
    sees(read_global, lambda: globals().pop("SCALE"), lambda: put("SCALE", 4.0))


def test_a_global_tensor() -> None:
    sees(
        lambda x, w: x * w * WEIGHT,
        lambda: WEIGHT.fill_(2),
        lambda: put("WEIGHT", torch.full((4,), 3.0)),
        lambda: WEIGHT.requires_grad_(),
        lambda: put("WEIGHT", torch.full((3, 1), 3.0)),
        lambda: put("WEIGHT", torch.full((4,), 3)),
    )


def test_a_global_dictionary_and_list() -> None:
    def function(x: Any, w: Any) -> Any:
        y = x * w * TABLE["scale"]
        for n in TABLE["deep"]["list"]:
            y = y + n
        return y if "shift" not in TABLE else y + TABLE.get("shift", 0)

    sees(
        function,
        lambda: TABLE.update(scale=3.0),
        lambda: TABLE["deep"]["list"].append(5),
        lambda: TABLE["deep"].update(list=[0.5]),
        lambda: TABLE.update(shift=1),
        lambda: TABLE.pop("shift"),
        lambda: put("TABLE", {"scale": 1, "deep": {"list": ()}}),
        lambda: TABLE.pop("scale"),
    )


def test_the_length_of_a_list() -> None:
    def function(x: Any, w: Any) -> Any:
        return x * w * len(NUMBERS) + (NUMBERS[-1] if NUMBERS else 0)

    sees(
        function,
        lambda: NUMBERS.append(3.0),
        lambda: NUMBERS.pop(0),
        lambda: NUMBERS.clear(),
        lambda: NUMBERS.extend([5.0, 6.0]),
        lambda: NUMBERS.sort(reverse=True),
    )


def test_numbers_of_a_list_in_a_tensor() -> None:
    def function(x: Any, w: Any) -> Any:
        return x[:2, :2] * torch.tensor(NUMBERS) + w.sum() + sum(NUMBERS) + max(NUMBERS, default=0)

    sees(function, lambda: NUMBERS.__setitem__(0, 5.0), lambda: NUMBERS.reverse(), NUMBERS.__len__)


def test_a_comprehension_an_unpacking_and_a_formatted_text() -> None:
    def function(x: Any, w: Any) -> Any:
        first, *rest = [n * SCALE for n in NUMBERS]
        text = f"{first:.1f}{len(rest)}"
        table = {str(k): v for k, v in enumerate(NUMBERS)}
        return x * w * float(text) + table["0"] + sum(v for v in table.values() if v > 1)

    sees(
        function,
        lambda: NUMBERS.__setitem__(0, 5.0),
        lambda: put("SCALE", 7.0),
        lambda: NUMBERS.append(9.0),
    )


def test_an_attribute_of_a_python_module() -> None:
    sees(lambda x, w: x * w * holder.scale, lambda: setattr(holder, "scale", 3.0))


def test_a_global_function() -> None:
    sees(
        lambda x, w: helper(x * w),
        lambda: put("helper", other_helper),
        lambda: put("helper", torch.tanh),
        lambda: put("helper", nn.Linear(4, 4)),
        lambda: put("helper", HELPER),
    )


@pytest.mark.eager
def test_a_function_of_the_library_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    relu = F.relu

    sees(
        lambda x, w: F.relu(x * w),
        lambda: monkeypatch.setattr(F, "relu", lambda x: relu(x) * 2),
        lambda: monkeypatch.setattr(F, "relu", F.gelu),
        lambda: monkeypatch.setattr(F, "relu", relu),
    )


@pytest.mark.eager
def test_a_builtin_hidden_by_a_global() -> None:
    def function(x: Any, w: Any) -> Any:
        return x * w * len(NUMBERS)

    try:
        sees(function, lambda: put("len", lambda x: 7), lambda: globals().pop("len"))
    finally:
        globals().pop("len", None)


def test_code_of_a_helper_replaced() -> None:
    def add(x: Any) -> Any:
        return x + 1

    code = add.__code__

    def program(t: Twin) -> None:
        add.__code__ = code
        compiled = t.compile(lambda x: add(x) * 2)
        for _ in range(3):
            t(compiled, torch.ones(2))
        add.__code__ = other_helper.__code__
        for _ in range(3):
            t(compiled, torch.ones(2))

    same(program)


# -- cells and defaults ---------------------------------------------------------------------------


def test_a_closure_cell() -> None:
    def program(t: Twin) -> None:
        scale, table, w = 2.0, {"a": 1}, torch.randn(4, requires_grad=True)
        t.watch(w, table)

        @t.compile
        def function(x: Any) -> Any:
            return x * w * scale + table["a"]  # noqa: F821

        t(function, torch.ones(3, 4))
        t(function, torch.ones(3, 4))
        for scale in (3.0, 3, "x", 2.0):  # noqa: B007
            t(function, torch.ones(3, 4))
            t(function, torch.ones(3, 4))
        table["a"] = 4
        t(function, torch.ones(3, 4))
        w = torch.randn(4, requires_grad=True)
        t(lambda: function(torch.ones(3, 4)).sum().backward())
        t.see(w)
        w = torch.randn(3, 1)
        t(function, torch.ones(3, 4))
        del scale
        t(function, torch.ones(3, 4))

    same(program)


@pytest.mark.eager
def test_a_closure_cell_that_the_function_sets() -> None:
    def program(t: Twin) -> None:
        count, last = 0, None

        @t.compile
        def function(x: Any) -> Any:
            nonlocal count, last
            count += 1
            last = x * count
            return last + 1

        for _ in range(5):
            t(function, torch.ones(2))
            t.see(count, last)

    same(program)


@pytest.mark.eager
def test_a_global_that_the_function_sets() -> None:
    def function(x: Any, w: Any) -> Any:
        global SCALE
        SCALE = SCALE + 1
        return x * w * SCALE

    sees(function, lambda: put("SCALE", 10.0))


def test_default_arguments() -> None:
    def function(x: Any, w: Any, scale: Any = 2.0, *, shift: Any = 1.0) -> Any:
        return x * w * scale + shift

    def program(t: Twin) -> None:
        function.__defaults__, function.__kwdefaults__ = (2.0,), {"shift": 1.0}
        compiled = t.compile(function)
        x, w = torch.ones(3, 4), torch.ones(4, requires_grad=True)
        t(compiled, x, w)
        t(compiled, x, w)
        function.__defaults__ = (3.0,)
        t(compiled, x, w)
        function.__kwdefaults__["shift"] = 5.0
        t(compiled, x, w)
        t(compiled, x, w, 4.0)
        t(compiled, x, w, shift=2)
        t(compiled, x, w=w, scale=1)
        function.__defaults__ = None
        t(compiled, x, w)
        function.__defaults__, function.__kwdefaults__ = (2.0,), {"shift": 1.0}

    same(program)


@pytest.mark.eager
def test_defaults_of_a_helper_and_one_that_is_changed_in_place() -> None:
    def inner(x: Any, scale: Any = 2.0) -> Any:
        return x * scale

    def function(x: Any, w: Any, seen: Any = []) -> Any:  # noqa: B006
        seen.append(len(seen))
        return inner(x * w) + seen[-1]

    def program(t: Twin) -> None:
        inner.__defaults__ = (2.0,)
        function.__defaults__[0].clear()
        compiled = t.compile(function)
        for k in range(6):
            if k == 3:
                inner.__defaults__ = (3.0,)
            t(compiled, torch.ones(3, 4), torch.ones(4))

    same(program)


@pytest.mark.eager
@pytest.mark.filterwarnings("ignore:torch.compile")
def test_the_environment_and_the_arguments_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    import os
    import sys

    def by_environment(x: Any) -> Any:
        return x * 2 if os.environ.get("RUSHLIGHT_TEST_FACTOR") == "2" else x * 3

    def by_arguments(x: Any) -> Any:
        return x * len(sys.argv)

    def by_number(x: Any) -> Any:
        return x * sys.maxsize

    for function in (by_environment, by_arguments, by_number):
        monkeypatch.setenv("RUSHLIGHT_TEST_FACTOR", "2")
        compiled, x = torch.compile(function), torch.ones(2)
        for _ in range(3):
            assert torch.equal(compiled(x), function(x))
        monkeypatch.setenv("RUSHLIGHT_TEST_FACTOR", "3")
        monkeypatch.setattr(sys, "argv", [*sys.argv, "more"])
        monkeypatch.setattr(sys, "maxsize", 7)
        assert torch.equal(compiled(x), function(x))
        monkeypatch.undo()
