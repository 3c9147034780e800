"""Samples, their statistics, and the first NaN or Inf."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.explain.numbers import MOST, Sample, described, norm, ranged, sample, trouble
from rushlight.explain.recording import Recording

F = nn.functional


def recorded(fn: Any) -> Recording:
    with torch.explain.recording() as session:
        fn()
    found: Recording = session.recording
    return found


def where(found: Recording) -> tuple[str, str, str]:
    """What, by which op, at which line."""
    assert found.broken is not None
    event = found.events[found.broken.event]
    return found.broken.what, event.name, found.lines[event.line].text


@pytest.mark.parametrize("shape", [(7,), (64, 50), (4, 3, 5, 6), (1000, 64), (8, 64, 32, 32)])
@pytest.mark.parametrize("order", ["C", "F", "channels_last"])
def test_samples_are_small_and_even(shape: tuple[int, ...], order: str) -> None:
    a = np.arange(math.prod(shape), dtype=np.float32).reshape(shape)
    if order == "F":
        a = np.asfortranarray(a)
    if order == "channels_last":
        a = np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 0, -1)), -1, 0)
    found = sample(a)
    assert found is not None
    values, stride, _ = found
    assert values.size == -(-a.size // stride)
    assert values.size <= MOST
    if a.size <= MOST:
        assert sorted(values.tolist()) == sorted(a.ravel().tolist())
    assert float(values.mean()) == pytest.approx(float(a.mean(dtype=np.float64)), rel=0.02)
    assert values.base is None


def test_statistics_of_a_sample() -> None:
    values = np.array([0, 0, 1, -3], np.float32)
    numbers = described(Sample("gradient", "w", 0, 0, 0, "float32", (4,), values, 1, (0,), True))
    assert numbers.mean == pytest.approx(-0.5)
    assert numbers.spread == pytest.approx(float(values.std()))
    assert (numbers.zeros, numbers.largest) == (0.5, 3.0)
    assert (numbers.low, numbers.high) == (-3.0, 1.0)
    assert len(numbers.histogram) == 32
    assert sum(numbers.histogram) == 4
    assert numbers.finite


def test_dead_channels() -> None:
    layer = nn.Linear(4, 8)
    with torch.no_grad():
        layer.bias[:6] = -100
        layer.bias[6:] = 100
    model = nn.Sequential(layer, nn.ReLU())
    found = recorded(lambda: model(torch.rand(16, 4)))
    relu = [n for n in found.numbers if n.what == "activation" and n.name == "1"]
    assert [(n.dead, n.zeros) for n in relu] == [(0.75, 0.75)]


def test_dead_channels_of_a_function_and_of_pictures() -> None:
    conv = nn.Conv2d(1, 4, 1)
    with torch.no_grad():
        conv.bias[:1] = -100
        conv.bias[1:] = 100
    found = recorded(lambda: F.relu(conv(torch.rand(2, 1, 9, 9))))
    relu = next(n for n in found.numbers if n.name.startswith("relu at test_numbers.py:"))
    assert relu.dead == 0.25


def test_each_kind_of_number_is_there() -> None:
    model = nn.Linear(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)

    def step() -> None:
        model(torch.ones(3, 4)).sum().backward()
        optimizer.step()

    found = recorded(step)
    kinds = {(n.what, n.name): n for n in found.numbers}
    assert set(kinds) == {("activation", ""), *[
        (what, name) for what in ("parameter", "gradient", "update") for name in ("weight", "bias")
    ]}  # fmt: skip
    assert kinds["gradient", "weight"].mean == 3.0
    assert kinds["update", "weight"].mean == pytest.approx(-1.5)


def test_the_logarithm_of_nothing() -> None:
    def step() -> None:
        p = torch.softmax(torch.tensor([0.0, 200.0], requires_grad=True), 0)
        q = p.log()
        (p * q).sum().backward()

    found = recorded(step)
    assert where(found) == ("Inf", "log", "q = p.log()")
    assert found.broken is not None
    assert found.broken.finite_inputs
    assert found.broken.phase == "forward"


def test_a_nan_in_backward_has_its_forward_line() -> None:
    def step() -> None:
        x = torch.zeros(3, requires_grad=True)
        norm = x.pow(2).sum().sqrt()
        (norm * 0).backward()

    found = recorded(step)
    what, name, text = where(found)
    assert (what, name) == ("NaN", "SqrtBackward0")
    assert text == "norm = x.pow(2).sum().sqrt()"
    assert found.broken is not None
    assert (found.broken.phase, found.broken.where) == ("backward", "gradient")


def test_a_mask_of_infinities_is_no_fault() -> None:
    def step() -> None:
        scores = torch.rand(4, 4, requires_grad=True)
        mask = torch.ones(4, 4).tril() == 0
        weights = scores.masked_fill(mask, float("-inf")).softmax(-1)
        more = torch.full((4, 4), float("-inf")).triu(1) + scores
        (weights.sum() + more.softmax(-1).sum()).backward()

    assert recorded(step).broken is None


def test_data_that_is_broken_already() -> None:
    bad = torch.tensor([1.0, float("nan")])
    found = recorded(lambda: bad * 2)
    assert found.broken is not None
    assert not found.broken.finite_inputs


def test_an_update_that_breaks_a_parameter() -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=float("inf"))

    def step() -> None:
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()

    found = recorded(step)
    assert found.broken is not None
    assert found.broken.where == "parameter weight"
    assert found.broken.phase == "optimizer"


def test_large_but_finite() -> None:
    assert trouble(np.full(100, 3e38, np.float32)) == ""
    assert trouble(np.array([1, np.inf])) == "Inf"
    assert trouble(np.array([1, np.inf, np.nan], np.float16)) == "NaN"
    assert trouble(np.arange(3)) == ""


def test_norms() -> None:
    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4) - 5
    for b in (a, a.T, a[:, ::2], np.broadcast_to(a[:, :1], (2, 3, 4)), a.astype(np.float16)):
        wanted = float(np.sqrt((b.astype(np.float64) ** 2).sum()))
        assert norm(b) == pytest.approx(wanted, rel=1e-6)
    assert norm(np.full(4, 1e30, np.float32)) == pytest.approx(2e30)
    assert math.isinf(norm(np.array([1, np.inf], np.float32)))
    assert norm(np.arange(3)) == 0.0


def test_what_lay_in_a_tensor() -> None:
    met = ranged("input", np.array([[0, -2.5, np.nan], [np.inf, 0, 4]], np.float32))
    assert (met.name, met.dtype, met.shape) == ("input", "float32", (2, 3))
    assert (met.low, met.high, met.zeros, met.negative, met.broken) == (-2.5, 4.0, 2, 1, 2)


def test_the_inputs_of_what_broke_are_told() -> None:
    found = recorded(lambda: torch.tensor([0.0, 1.0], requires_grad=True).sqrt().sum().backward())
    assert where(found)[:2] == ("Inf", "SqrtBackward0")
    assert found.broken is not None
    met = {r.name: r for r in found.broken.inputs}
    assert met["result"].zeros == 1
    assert met["the gradient that came"].low == 1.0
    assert next(e for e in found.events if e.name == "SqrtBackward0").norm == pytest.approx(2**0.5)


def test_parameters_are_listed() -> None:
    model = nn.Linear(2, 3)
    model.bias.requires_grad_(False)
    found = recorded(lambda: model(torch.ones(1, 2)).sum().backward())
    assert [(p.name, p.shape, p.frozen, p.reached) for p in found.parameters] == [
        ("weight", (3, 2), False, True), ("bias", (3,), True, False),
    ]  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_narrow_types(dtype: Any) -> None:
    def step() -> None:
        x = torch.zeros(600, dtype=dtype)
        y = x / x
        (y.float() + 1).sum()

    found = recorded(step)
    assert where(found) == ("NaN", "div", "y = x / x")
    assert found.broken is not None
    assert found.broken.finite_inputs
    model = nn.Linear(4, 4).to(dtype)
    found = recorded(lambda: model(torch.ones(2, 4, dtype=dtype)))
    assert [(n.dtype, n.finite) for n in found.numbers] == [(repr(dtype)[6:], True)]
