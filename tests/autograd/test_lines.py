"""The user's line behind an operation: by Python, and by machine code that walks over frames."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight import nn
from rushlight.autograd import lines
from rushlight.kernels import runtime
from rushlight.kernels.runtime import few


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    if runtime.available():
        few.load()


def walked(depth: int = 0) -> tuple[Any, ...]:
    """What both say of this line, and this function's code."""
    if depth:
        return walked(depth - 1)
    frame = sys._getframe()
    code, place = lines.by_python(frame, [None])
    native, there = lines.line_from(frame, [None])
    assert native is code
    return code, place, there, frame.f_code


def test_both_find_the_same_line() -> None:
    for depth in (0, 3):
        for _ in range(3):  # unknown, then known
            code, place, there, own = walked(depth)
            assert code is own
            positions = [(a, b) for a, b, line in own.co_lines() if line is not None]
            ends = [next((a, b) for a, b in positions if a <= p < b) for p in (place, there)]
            assert ends[0] != ends[1]  # one line behind the other


@pytest.mark.parametrize("made", [lines.by_python, None], ids=["Python", "machine code"])
def test_frames_of_this_package_are_passed(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if made is not None:
        monkeypatch.setattr(lines, "line_from", made)
    layer, x = nn.Sequential(nn.Linear(3, 3), nn.ReLU()), rushlight.ones(2, 3)
    for _ in range(3):
        y = layer(x)
        node = y.grad_fn
        assert node is not None
        while node is not None:
            if node.code is not None:
                assert node.code is sys._getframe().f_code
                assert "y = layer(x)" in lines.show_line(node.code, node.lasti)
            node = next((f for f, _ in node.next_functions if f is not None), None)


@pytest.mark.skipif(not runtime.available(), reason="nobody wants to know without machine code")
def test_what_python_has_seen_before_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """A function that was asked of before there was machine code: it is not looked for twice."""
    asked = []

    def look() -> None:
        asked.append(lines.line_from(sys._getframe(), [sys._getframe().f_code]))

    monkeypatch.setattr(lines, "line_from", lines.by_python)
    look()
    monkeypatch.undo()
    lines.table[:] = 0
    lines._held.clear()
    lines.by_python(sys._getframe(), [sys._getframe().f_code])
    assert sys._getframe().f_code in lines._held


def test_seen_is_told_of_the_first_frame_alone() -> None:
    seen: list[Any] = [None]
    for _ in range(2):
        lines.line_from(sys._getframe(), seen)
        assert seen[0] is sys._getframe().f_code


def test_more_functions_than_there_are_places() -> None:
    """All are forgotten then; whose line it is, is found out anew."""
    space: dict[str, Any] = {"torch": rushlight, "__name__": "somebodys"}
    x = rushlight.ones(1, requires_grad=True)
    for k in range(lines.ROOM // 2 + 50):
        exec(f"def f{k}(x):\n    return x * {k}\n", space)
        fn = space[f"f{k}"]
        for _ in range(2):
            assert fn(x).grad_fn.code is fn.__code__
    assert len(lines._held) <= lines.ROOM // 2
    assert np.count_nonzero(lines.table) == len(lines._held)
    assert space["f0"](x).grad_fn.code is space["f0"].__code__


def test_no_frame_is_left() -> None:
    """As in a thread that this package has started, whose first function is its own."""
    code = compile("def f(look):\n    return look()\n", "inner", "exec")
    space: dict[str, Any] = {"__name__": "rushlight.inner", "__package__": "rushlight"}
    exec(code, space)
    found = []

    def look() -> None:
        frame = sys._getframe(1)
        found.append(lines.by_python(frame, [None]))
        found.append(lines.line_from(frame, [None]))

    space["f"](look)
    assert found[0][0] is found[1][0] is sys._getframe().f_code


def test_no_reference_is_lost() -> None:
    own, seen = sys._getframe().f_code, [None]
    counted = (own, lines.by_python, seen, lines.table)
    before: list[int] = []
    for k in range(300):
        if k == 100:
            before = [sys.getrefcount(x) for x in counted]
        lines.line_from(sys._getframe(), seen)
        walked(2)
    for x, n in zip(counted, before, strict=True):
        assert abs(sys.getrefcount(x) - n) < 20


def test_nodes_hold_what_they_are_made_of_once() -> None:
    x, w = rushlight.ones(3, requires_grad=True), rushlight.ones(3)
    layer = nn.Linear(3, 3)
    counted = (sys._getframe().f_code, x, w, layer.weight, x._a.dtype)
    before: list[int] = []
    for k in range(300):
        if k == 100:
            before = [sys.getrefcount(t) for t in counted]
        y = layer(x * w).sum()
        del y
    assert [sys.getrefcount(t) for t in counted] == before
