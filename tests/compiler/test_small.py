"""What NumPy does with small arrays, in a compiled program: the same bits, for many kinds."""

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
CASES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sums": lambda x, y, v: [x.sum(), x.sum(0), x.sum(1), x.mean(), x.mean(1, keepdim=True)],
    "broadcast": lambda x, y, v: [x + v, x * v[0], x - y[:, :1], x / 3, 2 - x],
    "turned": lambda x, y, v: [x.t() + y.t(), x.t().contiguous() * 2, x + y.t().contiguous().t()],
    "choices": lambda x, y, v: [torch.where(x > y, x, y), torch.maximum(x, y), x.clamp(-0.5, 0.5)],
    "tests": lambda x, y, v: [x > y, (x > 0) & (y > 0), ~(x < y), x == y, torch.isnan(x)],
    "powers": lambda x, y, v: [x**2, x.abs().sqrt(), x.reciprocal(), x.square(), x**3],
    "types": lambda x, y, v: [x.double() + 1, (x > 0).float() * y, torch.arange(4) + 1],
    "joined": lambda x, y, v: [torch.cat([x, y]), torch.cat([x, y], 1), torch.stack([x, y], 1)],
    "parts": lambda x, y, v: [x[1:] + y[:-1], x[:, 1:3] * 2, x[::2] - 1, x.flip(0) + y],
    "in place": lambda x, y, v: [x.clone().add_(y).mul_(2).sub_(v), x.clone().fill_(3) + y],
    "numbers": lambda x, y, v: [x.sum() * 2 + v.sum(), (x.sum() / y.abs().sum()).clamp(max=1)],
    "products": lambda x, y, v: [x @ y.t(), x @ v, F.linear(x, y), F.linear(x, y, x[:, 0])],
    "views": lambda x, y, v: [x.view(-1).view(5, 4) + 1, x.expand(2, 4, 5) + y, x[1].mul(2)],
    "shifted": lambda x, y, v: [(x - x.mean(0)) / (x.std(0) + 1e-5)],
    "gelu": lambda x, y, v: [F.gelu(x), F.gelu(y * 9), torch.erf(x), torch.sign(x)],
    "extremes": lambda x, y, v: [x.amax(1), x.amin(0), x.max(), x.amax(), x.amin(1, True)],
    "spread": lambda x, y, v: [x.var(1), x.std(0), x.std(), x.prod(1), x.prod(0)],
    "counted": lambda x, y, v: [(x > 0).sum(), (x > y).sum(1), (x > y).long().sum(0)],
    "narrow": lambda x, y, v: [x.half() + 0, x.bfloat16().float() + y, (x * 9).bfloat16().float()],
    "places": lambda x, y, v: [x.argmax(1), y.argmin(0), x.argmax(), x.max(1)[1], x.min(0)[0]],
    "triangles": lambda x, y, v: [x.tril(), y.triu(1), x.tril(-1), y.triu()],
    "moved": lambda x, y, v: [x.roll(1, 1), x.roll((1, 2), (0, 1)), x.roll(3), x.repeat(2, 3),
                              v.repeat(2, 2), torch.diagonal(x), torch.diag(y)],
    "larger": lambda x, y, v: [F.interpolate(x[None, None], scale_factor=2), x.abs()],
    "relu": lambda x, y, v: [F.relu(x), F.leaky_relu(x, 0.1), F.hardtanh(x), F.relu6(x * 9)],
}


def assigned(x: Any, column: Any) -> Any:
    y = x.clone()
    y[:, 0] = 0
    y[:, 2] = column
    y[::2, 1:3] = x[::2, :2] * 2
    return y


CASES["assigned"] = lambda x, y, v: [assigned(x, y[:, 1]), assigned(x[:, ::2], v[:4]), x[:, 1] * 2]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("backward", [False, True])
def test_the_same_bits(name: str, backward: bool) -> None:
    torch.manual_seed(0)
    x, y, v = torch.randn(4, 5), torch.randn(4, 5), torch.randn(5)

    def step() -> Any:
        if not backward:
            return CASES[name](x, y, v)
        a, b = (t.clone().requires_grad_() for t in (x, y))
        total = sum(t.float().sum() * (k + 1) for k, t in enumerate(CASES[name](a, b, v)))
        found = torch.autograd.grad(total, [a, b], allow_unused=True) if total.requires_grad else []
        return [total.detach(), *[g for g in found if g is not None]]

    given = [x._a, y._a, v._a]
    program, _ = recorded(step, given)
    plain = arrays.function(program)
    run: Any = native.function(program)
    special = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], np.float32)
    draws = [given, [a * 3 for a in given], [a[::-1].copy() for a in given]]
    draws.append([x._a * 0 + special, y._a, special])
    for draw in draws:
        with np.errstate(all="ignore"):
            wanted, found = plain(*draw), run(*draw)
        for a, b in zip(wanted, found, strict=True):
            assert a.__class__ is b.__class__
            assert (a.shape, a.strides, a.dtype) == (b.shape, b.strides, b.dtype)
            np.testing.assert_array_equal(a, b)
            if draw is not draws[-1]:
                assert a.tobytes() == b.tobytes()


@pytest.mark.skipif(not runtime.available(), reason="needs machine code")
def test_what_is_exact_in_elements_needs_no_python() -> None:
    torch.manual_seed(0)
    x, y, v = torch.randn(4, 5), torch.randn(4, 5), torch.randn(5)
    for name in ("broadcast", "choices", "in place", "joined", "numbers", "turned", "gelu",
                 "extremes", "spread", "counted", "narrow", "triangles", "places",
                 "moved"):  # fmt: skip
        program, _ = recorded(lambda name=name: CASES[name](x, y, v), [x._a, y._a, v._a])
        run: Any = native.function(program)
        assert [e for e in run.entries if e.kind == "python"] == []


@pytest.mark.skipif(not runtime.available(), reason="needs machine code")
def test_the_later_of_two_zeros_is_the_largest_as_for_numpy() -> None:
    x = torch.randn(6, 40)
    program, _ = recorded(lambda: [x.amax(1), x.amin(0), x.amax(), x.amin()], [x._a])
    run: Any = native.function(program)
    assert [e for e in run.entries if e.kind == "python"] == []
    draw = np.random.default_rng(0)
    for _ in range(20):
        zeros = draw.choice(np.array([0.0, -0.0], np.float32), (6, 40))
        for a, b in zip(arrays.function(program)(zeros), run(zeros), strict=True):
            assert a.tobytes() == b.tobytes()


@pytest.mark.skipif(not runtime.available(), reason="needs machine code")
def test_the_norm_of_many_gradients_needs_no_python() -> None:
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(40, 50), torch.nn.ReLU(), torch.nn.Linear(50, 3))
    for p in net.parameters():
        p.grad = torch.randn_like(p)
    given = [p.grad._a for p in net.parameters()]
    fresh = [a.copy() for a in given]

    def clip() -> Any:
        return torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)

    program, _ = recorded(clip, given)
    run: Any = native.function(program)
    assert [e for e in run.entries if e.kind == "python"] == []
    for factor in (1e-3, 1.0, 1e20, np.inf):
        sides = []
        for executor in (arrays.function(program), run):
            gradients = [a * np.float32(factor) for a in fresh]
            with np.errstate(all="ignore"):
                found = executor(*gradients)
            sides.append([a.tobytes() for a in (*found, *gradients)])
        assert sides[0] == sides[1]


@pytest.mark.skipif(not runtime.available(), reason="needs machine code")
def test_many_rows_are_joined_in_one_call() -> None:
    x, y = torch.randn(3, 100, 6), torch.randn(3, 100, 7)
    program, _ = recorded(lambda: [torch.cat([x, y], 2), torch.cat([x, y * 2], -1)], [x._a, y._a])
    run: Any = native.function(program)
    for a, b in zip(arrays.function(program)(x._a, y._a), run(x._a, y._a), strict=True):
        assert a.tobytes() == b.tobytes()
    assert [e for e in run.entries if e.kind == "python"] == []
