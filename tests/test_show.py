"""`rushlight.show`: the record, and with inputs the road that a call takes and its code."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.kernels.elementwise import select as elementwise


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
    if not elementwise.ALWAYS:
        assert "computed by NumPy: 3 elements" in shown(capsys, "sigmoid", torch.ones(3))
    assert "array function matmul" in shown(capsys, "matmul", torch.ones(3, 3), torch.ones(3, 3))


@pytest.mark.skipif(not elementwise.jit(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
def test_the_code_of_a_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "leaky_relu", torch.ones(40_000), negative_slope=0.25)
    for words in ("machine code: one pass, 3 chunks",
                  "where(gt(x0, 0), x0, mul(x0, negative_slope))",
                  "define internal void @chunk", "splat (float", "chunk:", "ret"):  # fmt: skip
        assert words in text
