"""`utils.benchmark` beside PyTorch's: the text of measurements and tables."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from rushlight.utils import benchmark as ours

pytest.importorskip("torch")
theirs = pytest.importorskip("torch.utils.benchmark")


def measurements(package: Any, seed: int, colour: bool = False) -> list[Any]:
    """Made-up measurements of two labels, some cells missing."""
    common = getattr(package, "utils", package)
    spec = getattr(common, "common", common).TaskSpec
    rng = random.Random(seed)
    out = []
    for label, stmt, who, threads in itertools.product(
        ("ops", None), ("a + b", "a @ b"), ("ours", "theirs of a long name"), (1, 2)
    ):
        if rng.random() < 0.2 and not colour:
            continue
        middle = 10 ** rng.uniform(-7, -1)
        spread = rng.choice((0.01, 0.2, 0.6))
        times = [middle * 100 * (1 + spread * rng.random()) for _ in range(rng.choice((1, 3, 9)))]
        task = spec(stmt, "pass", label=label, description=who, num_threads=threads,
                    sub_label=rng.choice((None, "sub")))  # fmt: skip
        out.append(package.Measurement(100, times, task))
    return out


@pytest.mark.parametrize("seed", range(12))
def test_measurements(seed: int) -> None:
    for a, b in zip(measurements(theirs, seed), measurements(ours, seed), strict=True):
        assert b.times == a.times
        for name in ("median", "mean", "iqr"):
            assert getattr(b, name) == pytest.approx(getattr(a, name), rel=1e-12)
        for name in (
            *("significant_figures", "has_warnings", "title", "as_row_name", "num_threads", "stmt"),
            *("label", "sub_label", "description", "setup"),
        ):
            assert getattr(b, name) == getattr(a, name), name
        assert repr(b).split("\n")[1:] == repr(a).split("\n")[1:]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("how", ["", "trim_significant_figures", "highlight_warnings", "colorize"])
def test_tables(seed: int, how: str) -> None:
    a = theirs.Compare(measurements(theirs, seed, how == "colorize"))
    b = ours.Compare(measurements(ours, seed, how == "colorize"))
    if how:
        getattr(a, how)()
        getattr(b, how)()
    assert str(b).split("\n") == str(a).split("\n")


def test_specifications() -> None:
    for stmt, setup, label, sub in itertools.product(
        ("x", "x\ny"), ("pass", "", "a", "a\nb"), (None, "label"), (None, "sub")
    ):
        a = theirs.utils.common.TaskSpec(stmt, setup, label=label, sub_label=sub, description="d")
        b = ours.TaskSpec(stmt, setup, label=label, sub_label=sub, description="d")
        assert b.summarize() == a.summarize()
    for t in (1e-12, 9.99e-10, 1e-9, 5e-7, 1e-6, 1e-3, 0.5, 1.0, 70.0):
        assert ours.select_unit(t) == theirs.select_unit(t)
    for x, n in ((3.14159, 2), (0.00123456, 3), (98765.0, 2), (1.0, 1)):
        assert ours.trim_sigfig(x, n) == pytest.approx(theirs.utils.common.trim_sigfig(x, n))
