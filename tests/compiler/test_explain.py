"""What a compiled call says of itself: text, pictures, times."""

from __future__ import annotations

import itertools
import logging
import warnings
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import compiler
from rushlight.compiler import picture
from rushlight.compiler.explain import Explanation, Part, aligned, most_alive, timed
from rushlight.compiler.program import GIVEN, HELD, MADE, Effect, Line, Program, Ref, Value

HERE = __file__


def record(name: str, fn: Any, written: tuple[int, ...] = ()) -> Any:
    return SimpleNamespace(name=name, fn=fn, written=lambda operands, kw: written)


def by_hand(seen: list[str]) -> Program:
    """x given, w held: a = x * w; b = a + x; w += b; told; c = (a, b) summed -> c."""
    program = Program()
    arrays = [np.ones((2, 3), np.float32) for _ in range(5)]
    for kind, a, note in zip(
        (GIVEN, HELD, MADE, MADE, MADE), arrays, ("argument 0", "weight", "", "", ""), strict=True
    ):
        program.values.append(Value(kind, a, note=note))
    x, w, a, b, c = (Ref(k) for k in range(5))
    program.given, program.returns = [x], [c]
    program.lines = [
        Line(record("mul", np.multiply), (x, w), {}, a, (HERE, 11)),
        Line(record("add", np.add), (a, x), {}, b, (HERE, 12)),
        Line(record("add_", lambda w, b: np.add(w, b, out=w), (0,)), (w, b), {}, None, (HERE, 12)),
        Line(Effect("tell", lambda: seen.append("told")), (), {}, None, (HERE, 13)),
        Line(record("sums", lambda both, by: (both[0] + both[1]) * by), ([a, b],), {"by": 2}, c),
    ]
    return program


def test_a_plan_as_text() -> None:
    text = "\n".join(Part("", by_hand([])).text())
    assert "program: 5 lines; none native, 4 called from Python, 1 effect" in text
    assert (
        "no arena; all that is made 72 B, at most 72 B of it at once; given 24 B, held 24 B" in text
    )
    rows = {line.split()[2]: line for line in text.splitlines() if line[:1].isdigit()}
    assert rows["mul"].split() == [
        "0",
        "python",
        "mul",
        "test_explain.py:11",
        "f32[2,",
        "3]",
        "72",
        "B",
    ]
    assert rows["tell"].split()[:4] == ["3", "effect", "tell", "test_explain.py:13"]
    assert "flops" not in text  # nobody knows


def test_entries_of_an_executor() -> None:
    def entry(name: str, lines: list[int], kind: str, why: str, flops: int, size: int) -> Any:
        return SimpleNamespace(name=name, lines=lines, kind=kind, why=why, flops=flops, bytes=size)

    entries = [
        entry("mul + add", [0, 1], "native", "", 12, 0),
        entry("add_", [2], "python", "it is odd", 0, 7),
        entry("tell", [3], "python", "x", 0, 0),
        entry("sums", [4], "python", "it is odd", 0, 0),
    ]
    run = SimpleNamespace(arena_bytes=48, entries=entries)
    part = Part("backward", by_hand([]), run)
    assert [e.kind for e in part.entries] == ["native", "python", "effect", "python"]
    assert part.entries[0].source == "test_explain.py:11, 12"
    assert part.entries[0].bytes == 2 * 24 + 2 * 24  # what is made counts once
    assert part.entries[1].bytes == 7
    text = "\n".join(part.text())
    assert "backward: 5 lines; 1 native, 2 called from Python, 1 effect" in text
    assert "arena 48 B" in text
    assert "  add_: it is odd\n  sums: it is odd" in text


def test_what_is_alive_at_once() -> None:
    program = by_hand([])
    assert most_alive(program) == 3 * 24
    program.lines[-1].operands = (Ref(3),)
    assert most_alive(program) == 2 * 24


def test_lines_are_timed_one_by_one() -> None:
    seen: list[str] = []
    program = by_hand(seen)
    program.lines[-1].operands = ([Ref(2), Ref(3)],)
    seconds = [0.0] * 5
    x = np.full((2, 3), 3, np.float32)
    (c,) = timed(program, seconds)(x)
    assert (c == 2 * (3 + 6)).all()
    assert (program.values[1].example == 7).all()
    assert seen == ["told"]
    assert all(s > 0 for s in seconds)


def test_columns_that_say_nothing_are_left_out() -> None:
    rows = [["", "kind", "what", "from", "shape", "flops", "moved"],
            ["0", "python", "a", "", "f32[]", "-", "4 B"],
            ["1", "python", "abc", "", "f32[]", "-", "12 B"]]  # fmt: skip
    assert aligned(rows) == [
        "   kind    what  shape  moved",
        "0  python  a     f32[]    4 B",
        "1  python  abc   f32[]   12 B",
    ]


# -- pictures ------------------------------------------------------------------------------------


def test_boxes_stand_below_what_they_need() -> None:
    boxes = picture.boxes(Part("", by_hand([])))
    named = {box.lines[0]: box for box in boxes}
    assert {"argument 0", "weight", "mul", "add", "add_", "tell", "sums", "result"} == set(named)
    for box in boxes:
        assert all(boxes[k].layer < box.layer for k in box.below)
    assert named["tell"].layer > named["add_"].layer  # effects stand where they happen
    assert named["sums"].layer > named["tell"].layer
    assert set(named["add"].below.values()) == {"f32[2, 3]"}


def test_boxes_of_a_layer_do_not_overlap() -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(6)])
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

    def step(x):
        optimizer.zero_grad()
        (net(x) + net[0](x)).sum().backward()
        optimizer.step()

    told = compiler.explain(step)(torch.ones(2, 4))
    assert told.parts
    boxes = picture.boxes(told.parts[0])
    for row in picture.layers_of(boxes):
        for a, b in itertools.pairwise(row):
            assert a.x + a.width / 2 < b.x - b.width / 2
        assert all(b.x - b.width / 2 >= 0 for b in row)


def test_svg_is_one_file_that_says_what_the_plan_does(tmp_path: Any) -> None:
    told = compiler.explain(lambda x: (2 * x).relu())(torch.ones(3))
    text = told.svg(tmp_path / "plan.svg")
    assert (tmp_path / "plan.svg").read_text(encoding="utf-8") == text == told._repr_svg_()
    root = ElementTree.fromstring(text)
    words = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert "result" in words
    assert {"mul", "relu"} <= set(" ".join(filter(None, words)).split())  # one kernel, or two
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in text


def test_dot_names_boxes_and_what_goes_between_them() -> None:
    text = picture.dot([Part("", by_hand([]))])
    assert text.startswith("digraph plan {")
    assert text.endswith("}")
    assert 'label="mul\\ntest_explain.py:11"' in text
    assert text.count(" -> ") == 2 + 2 + 2 + 2 + 1
    assert picture.quoted('a "b"\n') == 'a \\"b\\"\\n'


# -- of real calls -------------------------------------------------------------------------------


def test_a_call_explains_itself() -> None:
    def double(x):
        y = 2 * x
        return y.relu()

    line = double.__code__.co_firstlineno + 1
    fast = torch.compile(double)
    told = compiler.explain(fast)(torch.ones(3))
    assert isinstance(told, Explanation)
    assert torch.equal(told.result, torch.full((3,), 2.0))
    text = str(told)
    assert "double: 1 plan\n" in text
    rows = [row for row in text.splitlines() if "test_explain.py:" in row]  # one kernel, or two
    assert f"{line}" in rows[0]
    assert f"{line + 1}" in rows[-1]
    assert "looked at before each replay" in text
    assert "float32 tensor of shape (3,)" in text
    assert len(fast.entries) == 1


def test_times_are_of_real_calls_and_training_goes_on() -> None:
    def make() -> Any:
        torch.manual_seed(0)
        net = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

        def step(x):
            optimizer.zero_grad()
            net(x).sum().backward()
            optimizer.step()

        return net, step

    (net, step), (other, plain) = make(), make()
    x, calls = torch.ones(4, 2), []
    told = compiler.explain(step, times=True)(x)
    assert told.seconds
    assert len(told.parts[0].seconds) == len(told.seconds) == 5
    calls = told.entry.runs + 1
    for _ in range(calls):
        plain(x)
    assert torch.equal(net.weight, other.weight)
    assert "a replay takes" in str(told)
    assert "alone\n" in str(told)


@pytest.mark.eager
def test_what_runs_eagerly_is_named_with_its_place() -> None:
    def loud(x):
        print("loud")
        return 2 * x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = compiler.explain(loud)(torch.ones(1))
        text = str(told)
        assert "loud: runs eagerly" in text
        assert "not replayed:" in text
        assert f"print is called ({HERE}:{loud.__code__.co_firstlineno + 1})" in text
        assert told.parts == []
        for quiet in (loud, Loud().method, LoudNet()):
            fast = torch.compile(quiet)
            for _ in range(8):
                fast(torch.ones(1))
            text = str(compiler.explain(fast)(torch.ones(1)))
            assert "runs in parts" in text
            assert "mul" in text


class Loud:
    def method(self, x):
        print("loud")
        return 2 * x


class LoudNet(torch.nn.Module):
    forward = Loud.method


def test_modules_have_a_backward_of_their_own() -> None:
    net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    for given in (net, torch.compile(net)):
        told = compiler.explain(given)(torch.ones(1, 2))
        assert [part.name for part in told.parts] == ["", "backward"]
        assert told.result.requires_grad
    assert "backward: " in str(told)


def test_methods_are_explained() -> None:
    class Scale:
        by = 3

        @torch.compile
        def method(self, x):
            return self.by * x

    told = compiler.explain(Scale().method)(torch.ones(1))
    assert told.result.item() == 3
    assert told.parts


def test_another_plan_says_which_guard_failed(caplog: pytest.LogCaptureFixture) -> None:
    fast = torch.compile(lambda x: 2 * x)
    fast(torch.ones(2))
    with caplog.at_level(logging.INFO, logger="rushlight.compiler"):
        fast(torch.ones(3))
    assert "needs another plan: not argument 0 is a float32 tensor of shape (2,)" in caplog.text
    text = str(compiler.explain(fast)(torch.ones(2)))
    assert "compiled again, because:\n  argument 0 is a float32 tensor of shape (2,)" in text


@pytest.mark.eager
def test_pytorchs_counts() -> None:
    def f(x):
        return (2 * x).relu()

    for out in (torch._dynamo.explain(f)(torch.ones(2)), torch._dynamo.explain(f, torch.ones(2))):
        assert (out.graph_count, out.graph_break_count) == (1, 0)
        assert out.ops_per_graph[0][-2:] == ["mul", "relu"]
        assert out.op_count == len(out.ops_per_graph[0])
        assert f"Graph Count: 1\nGraph Break Count: 0\nOp Count: {out.op_count}" in str(out)

    def loud(x):
        print("loud")
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out = torch._dynamo.explain(loud)(torch.ones(2))
    assert out.graph_break_count >= 1
    assert "print" in str(out)
    assert f"{HERE}:{loud.__code__.co_firstlineno + 1}" in str(out)
