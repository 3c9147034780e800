"""torch.fx where PyTorch is not needed to know better; `tests/compare/test_fx.py` compares."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import pytest

import rushlight as torch
from rushlight import fx


@fx.wrap
def leaf(x: Any) -> Any:
    """A function that is one node."""
    return x if bool(x.sum() > 0) else -x


fx.wrap("other")


def other(x: Any) -> Any:
    return leaf(x)


def test_wrapped_functions_are_one_node() -> None:
    traced = fx.symbolic_trace(lambda x: other(leaf(x)) + math.sqrt(x))
    calls = [n.target for n in traced.graph.nodes if n.op == "call_function"]
    assert calls[:3] == [leaf, other, math.sqrt]
    assert 'wrap("math_sqrt")' in traced.code
    assert leaf(torch.ones(2)).tolist() == [1, 1]  # and a function as before, once traced
    with pytest.raises(RuntimeError, match="Unsupported type"):
        fx.wrap(3)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError, match="top level"):
        fx.wrap("inner")


def test_what_is_patched_is_put_back_after_an_error() -> None:
    before = torch.zeros, torch.nn.Module.__call__, math.sqrt
    with pytest.raises(fx.proxy.TraceError, match="control flow"):
        fx.symbolic_trace(lambda x: 1 if x else 2)
    assert before == (torch.zeros, torch.nn.Module.__call__, math.sqrt)


def test_a_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    fx.symbolic_trace(lambda x: x.abs()).graph.print_tabular()
    assert capsys.readouterr().out.split("\n")[2].split() == ["placeholder", "x", "x", "()", "{}"]


def test_halves_of_record_function_are_operators() -> None:
    graph = fx.Graph()
    x = graph.placeholder("x")
    mark = graph.call_function(torch.ops.profiler._record_function_enter, ("part",))
    y = graph.call_function(torch.exp, (x,))
    graph.call_function(torch.ops.profiler._record_function_exit, (mark,))
    graph.output(y)
    module = fx.GraphModule({}, graph)
    with torch.profiler.profile() as prof:
        module(torch.ones(3))
    assert sorted(e.key for e in prof.key_averages()) == ["aten::exp", "aten::ones", "part"]


def test_classes_made_of_proxies() -> None:
    class Pair(metaclass=fx.ProxyableClassMeta):
        def __init__(self, a: Any, b: Any) -> None:
            self.sum = a + b

    traced = fx.symbolic_trace(lambda x: Pair(x, 2).sum * 3)
    assert traced(torch.ones(1)).tolist() == [9]
    assert [n.op for n in traced.graph.nodes][1] == "call_function"


def test_parts_come_and_go() -> None:
    module = fx.symbolic_trace(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()))
    assert module.add_submodule("a.b", torch.nn.Tanh())
    module.delete_all_unused_submodules()
    assert [n for n, _ in module.named_modules()] == ["", "0", "1"]
    assert module.delete_submodule("1")
    assert not module.delete_submodule("1")
    assert 'getattr(self, "0")' in module.code
    assert "class Sequential(torch.nn.Module)" in module.print_readable(print_output=False)


def test_lists_of_inputs_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="lists, tuples and dictionaries"):
        fx.symbolic_trace(lambda x, y: x, concrete_args={"y": [1, 2]})


def test_it_is_loaded_when_it_is_used() -> None:
    code = "import sys, rushlight; assert not [m for m in sys.modules if 'rushlight.fx' in m]"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_that_are_first_asked_for_while_tracing_are_of_what_stays() -> None:
    from rushlight.fx import naming

    naming.published.cache_clear()

    def program(x):
        naming.published()  # while `torch.full` is one that records
        return x + 1

    torch.fx.symbolic_trace(program)
    assert naming.published()[id(torch.full)] == "torch.full"
    assert naming.torch_name(torch.full) == "torch.full"
