"""Counting floating-point operations."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.utils.flop_counter import FlopCounterMode, flop_registry, register_flop_formula

r = torch.randn
TABLE = [
    (lambda: r(3, 4) @ r(4, 5), 120),
    (lambda: r(2, 3, 4) @ r(2, 4, 5), 240),
    (lambda: r(3, 4) @ r(4), 24),
    (lambda: torch.addmm(r(5), r(3, 4), r(4, 5)), 120),
    (lambda: torch.baddbmm(r(2, 3, 5), r(2, 3, 4), r(2, 4, 5)), 240),
    (lambda: nn.Linear(4, 5)(r(3, 4)), 120),
    (lambda: nn.Linear(4, 5)(r(3, 4)).sum().backward(), 240),
    (lambda: nn.Conv2d(3, 4, 3)(r(2, 3, 8, 8)), 2 * 2 * 36 * 3 * 4 * 9),
    (lambda: nn.ConvTranspose2d(3, 4, 3, stride=2)(r(2, 3, 8, 8)), 2 * 2 * 64 * 3 * 4 * 9),
    (lambda: nn.functional.scaled_dot_product_attention(*[r(1, 2, 4, 8)] * 3), 1024),
    (lambda: r(3) + r(3), 0),
]  # fmt: skip


@pytest.mark.parametrize("row", range(len(TABLE)))
def test_what_is_counted(row: int) -> None:
    do, flops = TABLE[row]
    with FlopCounterMode(display=False) as counter:
        do()
    assert counter.get_total_flops() == flops


def test_by_module_and_operator(capsys: pytest.CaptureFixture[str]) -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2, bias=False))
    aten = torch.ops.aten
    with FlopCounterMode(depth=1) as counter:
        model(r(3, 4)).sum().backward()
    assert counter.get_flop_counts() == {
        "Global": {aten.addmm: 192, aten.mm: 96 + 192 + 192},
        "Sequential": {aten.addmm: 192, aten.mm: 96},
        "Sequential.0": {aten.addmm: 192},
        "Sequential.2": {aten.mm: 96},
    }
    shown = capsys.readouterr().out
    assert "Global" in shown
    assert "Sequential.0" not in shown  # one level deep
    assert "Sequential.0" in counter.get_table(2)
    with pytest.raises(RuntimeError), FlopCounterMode(display=False) as counter:
        model(r(3, 5))
    with FlopCounterMode(display=False) as counter:  # what failed left nothing behind
        model(r(3, 4))
    assert set(counter.flop_counts) == {"Global", "Sequential", "Sequential.0", "Sequential.2"}


def test_formulas_of_ones_own() -> None:
    sine = {torch.ops.aten.sin: lambda x, out_shape=None, **kw: 7 * x[0]}
    with FlopCounterMode(display=False, custom_mapping=sine) as counter:
        r(3).sin()
    assert counter.get_total_flops() == 21

    @register_flop_formula(torch.ops.aten.cos)
    def cosine(x, out_shape=None, **kw):
        return x[0]

    try:
        with FlopCounterMode(display=False) as counter:
            r(3).cos()
        assert counter.get_total_flops() == 3
        with pytest.raises(RuntimeError, match="duplicate"):
            register_flop_formula(torch.ops.aten.cos)(cosine)
    finally:
        del flop_registry[torch.ops.aten.cos]
