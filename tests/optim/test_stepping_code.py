"""What optimizers do for each parameter, by machine code: the same steps, to the bit."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import runtime
from rushlight.kernels.runtime import few
from rushlight.optim import optimizer as base
from rushlight.optim import stepping

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True)
def loaded() -> Iterator[None]:
    before = stepping.collected, stepping.counted, base._forgotten
    few.load()
    yield
    stepping.collected, stepping.counted, base._forgotten = before


def trained(kind: Any, dtype: Any = torch.float32, **how: Any) -> list[Any]:
    """Parameters and states after some steps, of which the last ones have machine code."""
    torch.manual_seed(5)
    shapes = [(3, 4), (4,), (), (2, 2, 2)]
    params = [torch.randn(s, dtype=dtype).requires_grad_() for s in shapes]
    unused = torch.zeros(3, requires_grad=True)
    optimizer = kind([*params, unused], **how)
    for _ in range(5):
        optimizer.zero_grad()
        sum((p * p * p).sum() for p in params).backward()
        optimizer.step()
    assert unused.grad is None
    states = [t for p in params for t in optimizer.state[p].values() if t is not None]
    return [t.detach() for t in (*params, *states)]


KINDS: list[tuple[Any, dict[str, Any]]] = [
    (torch.optim.Adam, {}), (torch.optim.AdamW, {"amsgrad": True}), (torch.optim.Adagrad, {}),
    (torch.optim.RMSprop, {"momentum": 0.5, "centered": True}), (torch.optim.Adadelta, {}),
    (torch.optim.NAdam, {}), (torch.optim.RAdam, {}), (torch.optim.Rprop, {}),
    (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "how"), KINDS, ids=[k.__name__ for k, _ in KINDS])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_same_steps(kind: Any, how: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    first = trained(kind, dtype, **how)
    monkeypatch.setattr(stepping, "collected", few.refused)
    monkeypatch.setattr(base, "_forgotten", few.refused)
    for a, b in zip(first, trained(kind, dtype, **how), strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy(), strict=True)


def collected(optimizer: Any) -> Any:
    group = optimizer.param_groups[0]
    return stepping.collected(
        group["params"], optimizer.state, ("exp_avg", "exp_avg_sq"), stepping.plain
    )


def ready(n: int = 3) -> tuple[list[Any], Any]:
    params = [torch.nn.Parameter(torch.ones(2) * i) for i in range(n)]
    optimizer = torch.optim.Adam(params)
    for _ in range(2):
        optimizer.zero_grad()
        sum((p * p).sum() for p in params).backward()
        optimizer.step()
    return params, optimizer


def test_what_is_collected() -> None:
    params, optimizer = ready()
    arrays, counts, stepped = collected(optimizer)
    assert all(a is b for a, b in zip(stepped, params, strict=True))
    assert [float(c) for c in counts] == [2.0] * 3
    wanted = [(p, p.grad, optimizer.state[p]["exp_avg"], optimizer.state[p]["exp_avg_sq"])
              for p in params]  # fmt: skip
    assert all(a is t._a for a, t in zip(arrays, sum(wanted, ()), strict=True))
    params[1].grad = None
    assert [p is params[0] or p is params[2] for p in collected(optimizer)[2]] == [True, True]


def test_parameters_that_are_frozen_are_passed_by() -> None:
    """Those that require no gradient, and leaves that have none."""
    params, optimizer = ready()
    params[1].requires_grad_(False).grad = None
    params[2].grad = None
    _, counts, stepped = collected(optimizer)
    assert len(counts) == len(stepped) == 1
    assert stepped[0] is params[0]
    before = params[1].clone()
    optimizer.step()
    assert torch.equal(params[1], before)
    assert [int(optimizer.state[p]["step"]) for p in params] == [3, 2, 2]


def test_what_is_left_to_python() -> None:
    """Nothing is done before."""
    def at_another_step(p: Any, state: Any) -> None:
        state["step"] = torch.tensor(7.0)

    def without_a_state(p: Any, state: Any) -> None:
        state.clear()

    def with_a_number(p: Any, state: Any) -> None:
        state["step"] = 2.0

    def with_a_state_that_lacks(p: Any, state: Any) -> None:
        del state["exp_avg"]

    def with_a_count_of_another_type(p: Any, state: Any) -> None:
        state["step"] = state["step"].double()

    def of_another_type(p: Any, state: Any) -> None:
        p.data = p.data.double()

    def with_a_sparse_gradient(p: Any, state: Any) -> None:
        p.grad = torch.ones(2).to_sparse()

    unusual = (at_another_step, without_a_state, with_a_number, with_a_state_that_lacks,
               with_a_count_of_another_type, of_another_type, with_a_sparse_gradient)  # fmt: skip
    for change in unusual:
        params, optimizer = ready()
        assert collected(optimizer) is not None
        change(params[1], optimizer.state[params[1]])
        assert collected(optimizer) is None, change.__name__
    params, optimizer = ready()
    assert stepping.collected(params, optimizer.state, ("exp_avg",), set()) is None
    assert stepping.collected(tuple(params), optimizer.state, ("exp_avg",), stepping.plain) is None


def test_an_unlike_step_is_made_by_python() -> None:
    """One parameter that joined later has made fewer steps."""
    params, optimizer = ready()
    late = torch.nn.Parameter(torch.ones(2))
    optimizer.param_groups[0]["params"].append(late)
    late.grad = torch.ones(2)
    optimizer.step()
    assert [int(optimizer.state[p]["step"]) for p in (*params, late)] == [3, 3, 3, 1]


def test_gradients_are_forgotten() -> None:
    class Sub(torch.Tensor):
        pass

    params = [torch.zeros(2, requires_grad=True) for _ in range(3)]
    own = torch.zeros(2).as_subclass(Sub).requires_grad_()
    for p in (*params[:2], own):
        p.grad = torch.ones(2).as_subclass(Sub) if p is own else torch.ones(2)
    gone = weakref.ref(params[0].grad)
    others = base._forgotten([*params, own], stepping.plain)
    assert others == [params[2], own] or [id(t) for t in others] == [id(params[2]), id(own)]
    gc.collect()
    assert gone() is None
    assert own.grad is not None
    optimizer = torch.optim.SGD([*params, own], lr=0.1)
    optimizer.zero_grad()
    assert all(p.grad is None for p in (*params, own))
