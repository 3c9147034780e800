"""Activations against PyTorch: values, gradients, second gradients, in place, at extremes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
F, TF = rushlight.nn.functional, torch.nn.functional

UNARY: list[tuple[str, dict[str, Any]]] = [
    ("relu", {}),
    ("relu6", {}),
    ("leaky_relu", {}),
    ("leaky_relu", {"negative_slope": 0.3}),
    ("elu", {}),
    ("elu", {"alpha": 0.5}),
    ("selu", {}),
    ("celu", {}),
    ("celu", {"alpha": 0.5}),
    ("gelu", {}),
    ("gelu", {"approximate": "tanh"}),
    ("silu", {}),
    ("mish", {}),
    ("sigmoid", {}),
    ("tanh", {}),
    ("hardtanh", {}),
    ("hardtanh", {"min_val": -0.5, "max_val": 2.0}),
    ("hardsigmoid", {}),
    ("hardswish", {}),
    ("hardshrink", {}),
    ("hardshrink", {"lambd": 1.2}),
    ("softshrink", {}),
    ("softshrink", {"lambd": 1.2}),
    ("tanhshrink", {}),
    ("softplus", {}),
    ("softplus", {"beta": 2.0, "threshold": 3.0}),
    ("softsign", {}),
    ("logsigmoid", {}),
    ("rrelu", {}),
    ("threshold", {"threshold": 0.3, "value": 7.0}),
    ("softmax", {"dim": 0}),
    ("softmax", {"dim": -1}),
    ("log_softmax", {"dim": 1}),
    ("softmin", {"dim": 1}),
    ("glu", {"dim": 0}),
    ("glu", {}),
]
INPLACE = [
    "relu",
    "relu6",
    "leaky_relu",
    "elu",
    "selu",
    "celu",
    "silu",
    "mish",
    "hardtanh",
    "hardsigmoid",
    "hardswish",
    "rrelu",
    "threshold",
]
EXTREMES = np.array(
    [0.0, -0.0, 1, -1, 3, -3, 6, 0.5, -0.5, 80, -80, 800, -800, np.inf, -np.inf, np.nan, 1e-40]
)


@pytest.mark.parametrize(("name", "kw"), UNARY)
def test_values_and_two_orders(name: str, kw: dict[str, Any], same: Any, rng: Any) -> None:
    x = rng.uniform(-4, 4, (6, 8))
    order = 1 if name == "hardsigmoid" else 2  # PyTorch has no second derivative of this one
    same(getattr(F, name), getattr(TF, name), x, order=order, **kw)


@pytest.mark.parametrize(("name", "kw"), UNARY)
def test_float32_at_extremes(name: str, kw: dict[str, Any], same: Any) -> None:
    if "softm" in name or name == "glu":
        pytest.skip("rows with NaN")
    x = EXTREMES.astype(np.float32)
    y, ty = getattr(F, name)(rushlight.tensor(x), **kw), getattr(TF, name)(torch.tensor(x), **kw)
    shown = np.isfinite(x) | (name != "gelu")  # PyTorch's gelu of infinity is NaN
    np.testing.assert_allclose(y.numpy()[shown], ty.numpy()[shown], rtol=2e-6, atol=1e-6)
    a, b = rushlight.tensor(x, requires_grad=True), torch.tensor(x, requires_grad=True)
    getattr(F, name)(a, **kw).backward(rushlight.ones(len(x)))
    getattr(TF, name)(b, **kw).backward(torch.ones(len(x)))
    finite = np.isfinite(x)
    np.testing.assert_allclose(a.grad.numpy()[finite], b.grad.numpy()[finite], rtol=4e-6, atol=5e-7)


@pytest.mark.parametrize(("name", "kw"), [u for u in UNARY if u[0] in INPLACE])
def test_inplace(name: str, kw: dict[str, Any], same: Any, rng: Any) -> None:
    x = rng.uniform(-4, 4, (5, 3))

    def changed(fn: Any) -> Any:
        def run(t: Any) -> Any:
            u = t * 1.5
            v = fn(u, **kw, inplace=True)
            assert v is u
            return v

        return run

    same(changed(getattr(F, name)), changed(getattr(TF, name)), x)
    if hasattr(TF, name + "_"):
        kw = {k: v for k, v in kw.items() if k != "inplace"}
        ours, theirs = getattr(F, name + "_"), getattr(TF, name + "_")
        same(lambda t: ours(t * 1.5, **kw), lambda t: theirs(t * 1.5, **kw), x)


@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 2), (3,)])
@pytest.mark.parametrize("weights", [1, 3])
def test_prelu(shape: tuple[int, ...], weights: int, same: Any, rng: Any) -> None:
    if len(shape) == 1 and weights == 3:
        pytest.skip("one channel")
    x, w = rng.standard_normal(shape), rng.standard_normal(weights)
    same(F.prelu, TF.prelu, x, w, order=2)


def test_rrelu_draws_the_same_slopes(same: Any, rng: Any) -> None:
    x = rng.standard_normal((5, 7)).astype(np.float32)
    same(F.rrelu, TF.rrelu, x, training=True, seed=3)
    x = rng.standard_normal((5, 7))
    same(F.rrelu, TF.rrelu, x, lower=0.2, upper=0.4, training=True, seed=3)


@pytest.mark.parametrize("hard", [False, True])
def test_gumbel_softmax(hard: bool, same: Any, rng: Any) -> None:
    x = rng.standard_normal((4, 5)).astype(np.float32)
    same(F.gumbel_softmax, TF.gumbel_softmax, x, tau=0.7, hard=hard, seed=5, rtol=1e-5, atol=1e-6)


def test_softmax_types_and_rows(same: Any, rng: Any) -> None:
    x = rng.standard_normal((3, 4)).astype(np.float32)
    same(F.softmax, TF.softmax, x, order=0, dim=1, rtol=1e-6)
    ours = F.softmax(rushlight.tensor([1, 2]), dim=0, dtype=rushlight.float64)
    theirs = TF.softmax(torch.tensor([1, 2]), dim=0, dtype=torch.float64)
    np.testing.assert_allclose(ours.numpy(), theirs.numpy())
    dead = np.full((2, 3), -np.inf)
    assert np.isnan(F.softmax(rushlight.tensor(dead), 1).numpy()).all()
    assert F.softmax(rushlight.zeros(0, 3), 0).shape == (0, 3)


def test_errors(same_error: Any) -> None:
    def both(fn: Any, words: str) -> None:
        same_error(lambda: fn(rushlight, F), lambda: fn(torch, TF), words)

    both(lambda t, f: f.glu(t.ones(3, 5)), "Halving dimension must be even")
    both(lambda t, f: f.softmax(t.ones(3, dtype=t.int64), 0), "not implemented for 'Long'")
    both(lambda t, f: f.softmax(t.ones(3), 1), "Dimension out of range")
    both(lambda t, f: f.prelu(t.ones(2, 3), t.ones(2)), "Mismatch of parameter numbers")
    both(lambda t, f: f.gelu(t.ones(2), approximate="x"), "approximate argument must be")
    both(lambda t, f: f.softshrink(t.ones(2), -1.0), "lambda must be")
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax"):
        F.softmax(rushlight.ones(2, 2))


def test_negative_slope_in_place_where_nothing_is_recorded():
    """Only a recorded one refuses its backward: neither a leaf nor an older history."""
    for lib in (rushlight, torch):
        leaf = lib.tensor([-1.0, 2.0], requires_grad=True)
        y = leaf * 2
        with lib.no_grad():
            lib.nn.functional.elu(leaf, -0.5, inplace=True)
            lib.nn.functional.leaky_relu(y, -0.5, inplace=True)
        y.sum().backward()
        assert y.tolist() == [1.0, 4.0]
        assert leaf.grad.tolist() == [2.0, 2.0]
