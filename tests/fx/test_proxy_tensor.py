"""`make_fx`: the operators of a function as a graph that gives the same again."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import door
from rushlight.fx.experimental.proxy_tensor import (
    DecompositionInterpreter,
    get_isolated_graphmodule,
    get_proxy_mode,
    make_fx,
)
from rushlight.ops.core.record import registry
from tests.ops.core.test_records import CASES, as_tensors, sample


def names(module: Any) -> list[str]:
    """The operators of a graph, in order."""
    nodes = module.graph.nodes
    return [str(n.target).removeprefix("aten.") for n in nodes if n.op == "call_function"]


def arrays(y: Any) -> list[Any]:
    parts = [y] if isinstance(y, torch.Tensor) else list(y)
    return [t.detach().double().numpy(force=True) if t.dtype.is_floating_point
            else t.numpy(force=True) for t in parts]  # fmt: skip


@pytest.mark.parametrize("name", sorted(registry))
def test_every_record_is_traced_and_gives_the_same_again(name: str) -> None:
    for own, i in CASES:
        op, args, kw = sample(own, i) if own == name else (None, [], {})
        if op is None or "rng" in kw:
            continue
        given = list(as_tensors(op, args))
        places = [k for k, t in enumerate(given) if isinstance(t, torch.Tensor)]

        def f(*xs: Any, op=op, given=given, places=places, kw=kw) -> Any:
            inputs = list(given)
            for k, x in zip(places, xs, strict=True):
                inputs[k] = x
            return door.apply(op, tuple(inputs), kw)

        def copies(given=given, places=places) -> list[Any]:
            return [given[k].clone() for k in places]

        want = arrays(f(*copies()))
        traced = make_fx(f)(*copies())
        for a, b in zip(arrays(traced(*copies())), want, strict=True):
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


def written(x: Any) -> Any:
    y = x.clone()
    y[0] = 5.0
    y.mul_(x)
    return y.unsqueeze(0)


def backward(x: Any) -> Any:
    x = x.clone().requires_grad_()
    (x.tanh() * x).sum().backward()
    return x.grad


def with_constants(x: Any) -> Any:
    one = torch.tensor([1.0, 2.0, 3.0])
    one.add_(x)  # its constant is not what changes
    return torch.ones(3) * one


def pair(x: Any) -> Any:
    return {"a": x[0] + x[1], "b": [x[0]]}


PROGRAMS = [
    (lambda x: x.sin() + 1, ["sin.default", "add.Tensor"]),
    (lambda x: x.max(0)[0], ["max.dim"]),
    (written, None),
    (backward, None),
    (with_constants, ["lift_fresh_copy.default", "add_.Tensor", "ones.default", "mul.Tensor"]),
    (lambda x: torch.nn.functional.layer_norm(x, (3,)), None),
    (lambda x: torch.softmax(x, 0) @ x, ["_softmax.default", "dot.default"]),
    (torch.func.grad(lambda x: x.sin().sum()), None),
    (torch.func.jacrev(lambda x: x.sin()), None),
    (torch.func.hessian(lambda x: (x**3).sum()), None),
    (lambda x: torch.func.jvp(torch.sin, (x,), (x,))[1], None),
    (torch.vmap(lambda x: x.sin() * x), None),
]


@pytest.mark.parametrize("row", range(len(PROGRAMS)))
@pytest.mark.parametrize("way", ["real", "fake"])
def test_programs(row: int, way: str) -> None:
    f, operators = PROGRAMS[row]
    traced = make_fx(f, tracing_mode=way, _allow_non_fake_inputs=True)(torch.ones(3))
    if operators is not None:
        assert names(traced)[: len(operators)] == operators
    for x in (torch.tensor([0.5, -1.0, 2.0]), torch.tensor([3.0, 0.1, -0.2])):
        np.testing.assert_allclose(traced(x).numpy(), f(x).numpy(), rtol=1e-6)


def test_arguments_and_results_in_containers() -> None:
    x = [torch.ones(2), torch.zeros(2)]
    traced = make_fx(pair)(x)
    assert "fx_pytree.tree_flatten_spec(([x], {}), self._in_spec)" in traced.code
    got = traced([torch.ones(2) * 3, torch.ones(2)])
    assert got["a"].tolist() == [4, 4]
    assert got["b"][0].tolist() == [3, 3]


def test_modules_keep_their_parameters() -> None:
    model = torch.nn.Linear(2, 1)
    traced = make_fx(model)(torch.ones(1, 2))
    assert traced._param_constant0 is model.weight
    traced(torch.ones(1, 2)).sum().backward()
    assert model.weight.grad is not None


def test_graphs_say_shapes() -> None:
    traced = make_fx(lambda x: x.sum(0))(torch.ones(2, 3))
    assert [tuple(n.meta["val"].shape) for n in traced.graph.nodes if "val" in n.meta] == [
        (2, 3),
        (3,),
    ]


def test_numbers_of_the_inputs_are_refused() -> None:
    with pytest.raises(RuntimeError, match=r"get a value out of a tracing tensor.*_local_scalar"):
        make_fx(lambda x: x.item())(torch.ones(()))
    with pytest.raises(RuntimeError, match="control flow"):
        make_fx(lambda x: x if x.sum() > 0 else -x)(torch.ones(2))
    assert make_fx(lambda x: x * torch.tensor(2.0).item())(torch.ones(1))(
        torch.ones(1)
    ).tolist() == [2]
    with pytest.raises(NotImplementedError, match="symbolic"):
        make_fx(torch.sin, tracing_mode="symbolic")
    with pytest.raises(AssertionError, match="tracing_mode must be"):
        make_fx(torch.sin, tracing_mode="else")


def test_decompositions() -> None:
    def tanh(x: Any) -> Any:
        return (x.exp() - (-x).exp()) / (x.exp() + (-x).exp())

    table = {torch.ops.aten.tanh.default: tanh}
    traced = make_fx(lambda x: x.tanh() + 1, table)(torch.ones(2))
    assert "tanh.default" not in names(traced)
    assert "exp.default" in names(traced)
    x = torch.tensor([0.3, -2.0])
    np.testing.assert_allclose(traced(x).numpy(), (x.tanh() + 1).numpy(), rtol=1e-5)
    plain = make_fx(lambda x: x.tanh() + 1)(torch.ones(2))
    graph = torch.fx.Graph()
    DecompositionInterpreter(plain, graph, table).run(torch.ones(2))
    assert any("exp" in str(n.target) for n in graph.nodes)


def test_a_trace_within_a_trace() -> None:
    def inner(x: Any) -> Any:
        return x.sum()

    def f(x: Any) -> Any:
        assert get_proxy_mode() is not None
        assert names(get_isolated_graphmodule(inner, (x,), {})) == ["sum.default"]
        traced = make_fx(inner)(x)
        return x.cos() + traced(x)

    assert names(make_fx(f)(torch.ones(2))) == ["cos.default", "sum.default", "add.Tensor"]
    assert get_proxy_mode() is None


def test_names_of_arguments() -> None:
    def f(first, second=2):
        return first

    def found(f: Any, *args: Any) -> list[str]:
        return [n.name for n in make_fx(f)(*args).graph.nodes if n.op == "placeholder"]

    x = torch.ones(1)
    assert found(f, x) == ["first_1"]
    assert found(f, x, x) == ["first_1", "second_1"]
    assert found(lambda *xs: xs[0], x, x) == ["arg0_1", "arg1_1"]
    assert found(functools.partial(f, second=1), x) == ["arg0_1"]


def test_a_sum_with_alpha_is_one_operator() -> None:
    """Of floats it is a record of its own, which is called by the operator's name."""
    a, b = torch.ones(2), torch.full((2,), 3.0)
    graph = make_fx(lambda x, y: torch.add(x, y, alpha=0.5) + torch.sub(x, y, alpha=2))(a, b)
    lines = [line.partition(";")[0].strip() for line in graph.code.splitlines()]
    assert "add = torch.ops.aten.add.Tensor(x_1, y_1, alpha = 0.5)" in lines
    assert "sub = torch.ops.aten.sub.Tensor(x_1, y_1, alpha = 2.0)" in lines
    assert graph(a, b).tolist() == [-2.5, -2.5]
