"""Norms and softmaxes take the formulas in front of them into their kernels; no bit changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.compiler import arrays, native, row_fronts
from rushlight.kernels import runtime, tuning
from tests.compiler.recording import recorded

F = torch.nn.functional
pytestmark = pytest.mark.skipif(not runtime.available(), reason="needs machine code")


def norm(x: Any, **kw: Any) -> Any:
    return F.layer_norm(x, x.shape[-1:], **kw)


def affine(x: Any, y: Any) -> Any:
    weight = y[0] + 1
    return norm(x - y, weight=weight, bias=x[1])


def shared(x: Any, y: Any) -> list[Any]:
    a = x + y
    return [norm(a), a * 2]


def slopes(of: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """Gradients whose incoming gradient is a formula of x and y."""

    def run(x: Any, y: Any) -> Any:
        t = x.detach().requires_grad_()
        out = of(t)
        return torch.autograd.grad(out, t, y * 2 - x)

    return run


def slopes_of_all(x: Any, y: Any) -> Any:
    t, w, b = (a.detach().clone().requires_grad_() for a in (x, y[0], y[1]))
    return torch.autograd.grad(norm(t, weight=w, bias=b), (t, w, b), y * 2 - x)


CASES: dict[str, tuple[Callable[[Any, Any], Any], str]] = {  # and what is one kernel
    "layer_norm": (lambda x, y: norm(F.gelu(x) + y), "gelu add layer_norm_op"),
    "weight and bias": (affine, "sub layer_norm_op"),
    "rms_norm": (lambda x, y: F.rms_norm(x * y, x.shape[-1:]), "mul rms_norm_op"),
    "softmax": (lambda x, y: torch.softmax(x / 3 + y, -1), "div add softmax"),
    "log_softmax": (lambda x, y: torch.log_softmax(x * y - 1, -1), "mul sub log_softmax"),
    "a length": (lambda x, y: F.normalize(x - y, dim=-1), "sub unit"),
    "no numbers behind a row's end": (lambda x, y: norm(x / y), "div layer_norm_op"),
    "nor in a maximum": (lambda x, y: torch.softmax(1 / (x * y), -1), "mul div softmax"),
    "truths": (lambda x, y: torch.softmax(torch.where(x > y, x, -1e9), -1), "gt where softmax"),
    "one number": (lambda x, y: torch.softmax(x * y.flatten()[0], -1), "mul softmax"),
    "more is wanted": (lambda x, y: (lambda a: [norm(a), a])(x + y), "add layer_norm_op"),
    "more is read": (shared, "add layer_norm_op"),
    "a step is wanted": (lambda x, y: (lambda a: [norm(a * y), a])(x + y), "add mul layer_norm_op"),
    "in place": (lambda x, y: norm((x * 1).add_(y).mul_(y)), "mul add_ mul_ layer_norm_op"),
    "an earlier dimension": (lambda x, y: torch.softmax(x + y, 0), "softmax"),
    "gradients": (slopes(norm), "mul sub NativeLayerNormBackward0[0]"),
    "of softmax": (slopes(lambda t: torch.softmax(t, -1)), "mul sub SoftmaxBackward0[0]"),
    "of log_softmax": (
        slopes(lambda t: torch.log_softmax(t, -1)), "mul sub LogSoftmaxBackward0[0]"
    ),
    "of a length": (slopes(lambda t: F.normalize(t, dim=-1)), "mul sub DivBackward0[0]"),
    "of weight and bias": (slopes_of_all, "mul sub NativeLayerNormBackward0[0]"),
}  # fmt: skip
SIZES = {"small": (3, 5), "rows": (70, 130), "whole vectors": (37, 128)}


def check(name: str, x: Any, y: Any) -> Any:
    function, _ = CASES[name]
    program, _ = recorded(lambda: function(x, y), [x._a, y._a])
    plain = arrays.function(program)
    run: Any = native.function(program)
    for given in ([x._a, y._a], [y._a * 3, x._a]):
        for a, b in zip(plain(*given), run(*given), strict=True):
            assert a.tobytes() == b.tobytes()
            assert a.strides == b.strides
    return run


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", CASES)
def test_the_same_bits_in_fewer_kernels(name: str, size: str) -> None:
    torch.manual_seed(0)
    x, y = torch.randn(*SIZES[size]), torch.randn(*SIZES[size])
    run = check(name, x, y)
    if size != "small":  # of which NumPy computes some
        assert [e.kind for e in run.entries] == ["native"] * len(run.entries)
        assert CASES[name][1] in [e.name for e in run.entries]


@pytest.mark.parametrize("name", ["rms_norm", "softmax", "of weight and bias"])
def test_float64(name: str) -> None:
    torch.manual_seed(0)
    x, y = (torch.randn(20, 70, dtype=torch.float64) for _ in range(2))
    assert CASES[name][1] in [e.name for e in check(name, x, y).entries]


@pytest.mark.parametrize("name", ["rms_norm", "log_softmax", "of weight and bias"])
def test_long_formulas_are_loops_of_their_own(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_fronts, "MOST_STEPS", 0)
    torch.manual_seed(0)
    x, y = torch.randn(37, 130), torch.randn(37, 130)
    assert CASES[name][1] in [e.name for e in check(name, x, y).entries]


@pytest.mark.parametrize("name", ["layer_norm", "a step is wanted"])
def test_rows_whose_sums_are_of_blocks(name: str) -> None:
    torch.manual_seed(0)
    x, y = (torch.randn(2, tuning.NORM_LONG + 1000) for _ in range(2))
    assert len(check(name, x, y).entries) == 1


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_narrow_rows_are_rounded_in_between(dtype: Any) -> None:
    torch.manual_seed(0)
    x, y = (torch.randn(20, 70).to(dtype) for _ in range(2))
    check("layer_norm", x, y)


def test_what_only_the_norm_reads_has_no_memory() -> None:
    x, y = torch.randn(200, 256), torch.randn(200, 256)
    program, _ = recorded(lambda: torch.softmax(x * 2 + y, -1), [x._a, y._a])
    run: Any = native.function(program)
    assert run.arena_bytes == 0
    (entry,) = run.entries
    assert entry.bytes == 3 * x._a.nbytes
    assert len(entry.lines) == 3


@pytest.mark.slow
def test_training_steps() -> None:
    """A network with norms behind sums, whose gradients meet them again."""

    class Block(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(48) for _ in range(3)])
            self.layers = torch.nn.ModuleList([torch.nn.Linear(48, 48) for _ in range(2)])

        def forward(self, x: Any) -> Any:
            for layer, one in zip(self.layers, self.norms, strict=False):
                x = x + F.gelu(layer(one(x * 1.5)))
            return self.norms[2](x)

    found = []
    for wrap in (lambda f: f, torch.compile):
        torch.manual_seed(0)
        model, x = Block(), torch.randn(30, 48)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        def step(model: Any = model, optimizer: Any = optimizer, x: Any = x) -> Any:
            optimizer.zero_grad()
            loss = (model(x) ** 2).mean()
            loss.backward()
            optimizer.step()
            return loss.detach()

        call = wrap(step)
        losses = [call()._a.tobytes() for _ in range(4)]
        found.append([*losses, *[p._a.tobytes() for p in model.parameters()]])
    assert found[0] == found[1]


def test_nothing_is_joined_that_meets() -> None:
    """A norm whose result takes the place of what the formula has read."""
    x, y = torch.randn(64, 64), torch.randn(64, 64)

    def step() -> Any:
        a = x * 2
        b = a + y
        a.copy_(norm(b))
        return [a * b, a]

    program, _ = recorded(step, [x._a, y._a])
    plain, run = arrays.function(program), native.function(program)
    other = np.ascontiguousarray(x._a.T)
    for given in ((x._a, y._a), (other, x._a)):
        for a, b in zip(plain(*given), run(*given), strict=True):
            assert a.tobytes() == b.tobytes()
