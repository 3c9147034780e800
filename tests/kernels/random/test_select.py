"""Which way fills an array from a stream: by type, layout and size; the numbers are the same."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.random import select
from rushlight.kernels.random.mersenne_twister import Twister

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def key(dtype: Any, n: int = 100, step: int = 1) -> tuple[Any, ...]:
    dtype = np.dtype(dtype)
    return dtype, (n,), (step * dtype.itemsize,)


@NATIVE
def test_ways_of_uniform() -> None:
    """Between 0 and 1 numbers come as they are drawn; float32 between others in one pass."""
    def way(dtype: Any, unit: bool, step: int = 1) -> str:
        return select.plan_uniform(*key(dtype, step=step), unit, True).way

    assert [way(t, True) for t in ("f4", "f8", "f2")] == ["draw", "draw", "numpy"]
    assert [way(t, False) for t in ("f4", "f8", "f2")] == ["uniform", "numpy", "numpy"]
    assert way("f4", True, 2) == "numpy"  # with gaps
    assert select.plan_uniform(*key("f4"), True, False).way == "numpy"


@NATIVE
def test_ways_of_normal() -> None:
    def way(dtype: Any, n: int = 100, step: int = 1, native: bool = True) -> str:
        return select.plan_normal(*key(dtype, n, step), True, True, native).way

    assert [way(t) for t in ("f4", "f8")] == ["normal", "numpy"]
    assert [way(t) for t in ("f2", ml_dtypes.bfloat16)] == ["half_normal"] * 2
    assert way("f4", step=2) == way("f2", step=2) == "numpy"
    assert way("f4", native=False) == "numpy"


@NATIVE
def test_ways_of_the_rest() -> None:
    def way(dtype: Any, step: int = 1, native: bool = True) -> str:
        return select.plan_bernoulli(*key(dtype, step=step), native).way

    assert way("f4") == way("f8") == "bernoulli"
    assert way("f4", step=2) == way("f4", native=False) == "numpy"
    assert len(select.plan_permutation(2, True).launches) == 3
    assert len(select.plan_permutation(1, True).launches) == 2  # there is nothing to swap
    assert len(select.plan_permutation(2, False).launches) == 2


def test_a_plan_says_what_it_changes_and_is_kept() -> None:
    """The stream is an operand, written to like the array."""
    made = select.plan_normal(*key("f8"), False, True, False)
    assert select.plan_normal(*key("f8"), False, True, False) is made
    assert select.plan_normal(*key("f8"), True, True, False) is not made  # groups are other numbers
    assert made.operands == ("a", "state", "rng")
    assert made.mutates == ("a", "state", "rng")
    assert made.scalars == ("mean", "std")
    assert made.bytes == 800
    order = select.plan_permutation(50, False)
    assert order.returns == ("order",)
    assert order.outputs["order"].shape == (50,)


@NATIVE
@pytest.mark.parametrize("n", [16, 17, 31, 32, 100])
def test_groups_of_half_numbers(n: int) -> None:
    """Whole groups of 16, and the last 16 anew where a group is not whole."""
    made = select.plan_half_normal(MetaArray((n,), np.float16), False)
    sizes = {k: m.shape[0] for k, m in made.outputs.items()}
    assert sizes == {"z": n - n % 16} | ({"last": 16} if n % 16 else {})


@NATIVE
def test_the_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A kernel is loaded for many numbers at once, or after many draws of few; once a stream is
    shared with it, every draw is the kernel's."""
    from rushlight.kernels.random import mersenne_twister

    monkeypatch.setattr(tuning, "RANDOM_LEAST", 100)
    monkeypatch.setattr(tuning, "RANDOM_LEAST_RUNNING", 100)
    monkeypatch.setattr(tuning, "RANDOM_PATIENCE", 1 << 60)
    assert Twister(0).native(0) is None
    assert Twister(0).native(99) is None
    shared = Twister(0)
    assert shared.native(100) is not None
    monkeypatch.setattr(tuning, "RANDOM_LEAST_RUNNING", 5)
    assert shared.native(5) is not None
    assert shared.native(4) is None
    assert mersenne_twister.Twister is Twister


FILLS = {
    "uniform": (select.uniform, ("f2", "f4", "f8"), (-2.0, 3.0)),
    "unit": (select.uniform, ("f2", "f4", "f8"), ()),
    "normal": (select.normal, ("f2", "f4", "f8", ml_dtypes.bfloat16), (1.0, 0.5)),
    "bernoulli": (select.bernoulli, ("f4", "f8"), (0.3, 2.0)),
}


@NATIVE
@pytest.mark.parametrize("name", FILLS)
@pytest.mark.parametrize("layout", ["dense", "turned", "gaps", "empty"])
def test_every_way_draws_the_same(
    name: str, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The numbers, and where the stream stands afterwards."""
    fill, dtypes, numbers = FILLS[name]
    for dtype in dtypes:
        found = []
        for least in (1, 1 << 62):
            for limit in ("RANDOM_LEAST", "RANDOM_LEAST_RUNNING", "RANDOM_PATIENCE"):
                monkeypatch.setattr(tuning, limit, least)
            base = np.zeros((14, 10), dtype)
            a = {"dense": base, "turned": base.T, "gaps": base[::2, 1:9], "empty": base[:0]}[layout]
            rng = Twister(3)
            fill(a, rng, *numbers)
            found.append((base.tobytes(), rng.get_state().tobytes()))
            if layout == "gaps":
                assert not base[1::2].any()
        assert found[0] == found[1]
