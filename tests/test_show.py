"""`rushlight.show`: the record, and with inputs the road that a call takes and its code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels import runtime, tuning
from rushlight.ops.core.composite import composites
from rushlight.ops.core.record import registry
from rushlight.show import plan_of


def shown(capsys: pytest.CaptureFixture[str], *args: object, **kw: object) -> str:
    torch.show(*args, **kw)
    return capsys.readouterr().out


def test_the_record(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, torch.sigmoid)
    for words in ("sigmoid  (elementwise", "div(1, add(1, exp(neg(input))))", "keeps y"):
        assert words in text
    assert "computed by" not in text


def test_small_arrays_and_other_types_are_computed_by_numpy(
    capsys: pytest.CaptureFixture[str],
) -> None:
    big = torch.ones(10_000, dtype=torch.int64)
    assert "computed by NumPy" in shown(capsys, "sigmoid", big)
    if not tuning.ALWAYS:
        assert "computed by NumPy: 3 elements" in shown(capsys, "sigmoid", torch.ones(3))
    whole = torch.ones(3, 3, dtype=torch.bool)
    assert "array function matmul" in shown(capsys, "matmul", whole, whole)


@pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
def test_the_code_of_a_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "leaky_relu", torch.ones(40_000), negative_slope=0.25)
    for words in ("machine code: one pass, 3 chunks",
                  "where(gt(x0, 0), x0, mul(x0, negative_slope))",
                  "define internal void @chunk", "splat (float", "chunk:", "ret"):  # fmt: skip
        assert words in text


@pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
def test_the_plan_of_a_call(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "var", torch.ones(300, 400), dim=1)
    for words in ("machine code: 2 of 2 launches", "plan reduce.variance(x, count, left)",
                  "output     mean (300, 1) float64", "480,000 FLOPs, 483,600 bytes",
                  "x0=x x1=mean y=y", "over=left", "float. what results are"):  # fmt: skip
        assert words in text
    text = shown(capsys, "softplus", torch.ones(100, 90).t())
    assert "output     y (90, 100) float32 strides (4, 360)" in text
    text = shown(capsys, "cat", [torch.ones(2, 3), torch.ones(4, 3)], dim=0)
    for words in ("plan cat.function(x0, x1)", "y (6, 3) float32", "unknown FLOPs, 144 bytes"):
        assert words in text


def test_every_record_has_a_plan() -> None:
    """It states the shapes and types that come out, and nothing is computed for it."""
    rng = np.random.default_rng(0)
    for op in registry.values():
        if not op.samples:
            continue
        args, params = next(iter(op.samples)).make(rng)
        kw: dict[str, Any] = {**op.defaults, **params}
        plan = plan_of(op, tuple(args), kw)
        assert f"plan {plan.name}(" in plan.describe()
        if op.numerics.data_dependent or (op.plan is not None and op.kind == "op"):
            continue  # numbers decide on the shape; or a family's plan gives more than the results
        y = op.fn(*args, **kw)
        for name, a in zip(plan.returns, y if isinstance(y, tuple) else (y,), strict=True):
            meta = plan.outputs[name]
            assert (meta.shape, meta.dtype) == (np.shape(a), np.asarray(a).dtype), (op.name, name)


def test_a_function_that_is_made_of_other_ops(capsys: pytest.CaptureFixture[str]) -> None:
    """It is called, and its ops are shown; it is found by all of its names."""
    x, w = torch.ones(2, 3, 8, 8), torch.ones(4, 3, 3, 3)
    for name in ("conv2d", "nn.functional.conv2d", "torch.conv2d", torch.nn.functional.conv2d):
        text = shown(capsys, name, x, w, padding=1)
        for words in ("conv2d  (made of other ops; written at ", "conv_public.py:", "parameters",
                      "Convolve (cross-correlate)", "convolution  (declared at ",
                      "y (2, 4, 8, 8) float32", "show('convolution', …)"):  # fmt: skip
            assert words in text
    assert "computed by" not in shown(capsys, "conv2d")
    # its record has the name, but not the defaults, of the public function
    text = shown(capsys, "mse_loss", torch.ones(3), torch.zeros(3))
    assert "mse_loss  (made of other ops" in text
    assert "mse_loss  (declared at" in text
    assert "relu  (elementwise" in shown(capsys, "relu_")
    assert "add_  (made of other ops" in shown(capsys, torch.Tensor.add_)


@pytest.mark.slow
def test_everything_made_of_other_ops_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    for c in composites.values():
        assert c.name in shown(capsys, c.name)
    text = shown(capsys, torch.Tensor.mT, torch.ones(2, 3))
    assert "mT  (made of other ops" in text
    assert "(3, 2) float32" in text


def test_a_name_that_nothing_has() -> None:
    with pytest.raises(ValueError, match=r"no op is called 'conv2'\n  try     conv2d"):
        torch.show("conv2")
