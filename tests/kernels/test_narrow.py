"""What plans of narrow floats are made of."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from rushlight import dtypes
from rushlight.kernels import narrow
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.plan import Draft

F32 = np.dtype(np.float32)


@pytest.mark.parametrize("d", dtypes.ALL, ids=str)
def test_types(d: Any) -> None:
    assert narrow.is_narrow(d.np) == (d.np in dtypes.LOW_NP)
    exact = narrow.precision_of(d.np, "high") == narrow.EXACT
    assert exact == (d is dtypes.bfloat16)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, ml_dtypes.complex32])
@pytest.mark.parametrize("shape", [(3, 4), (40, 500), (0, 4), ()])
@pytest.mark.parametrize("lies", ["rows", "columns", "gaps", "expanded"])
def test_operands_and_results(
    rng: np.random.Generator, dtype: Any, shape: tuple[int, ...], lies: str
) -> None:
    """Widening keeps the order in memory; the result is rounded."""
    x = rng.standard_normal(shape).astype(dtype)
    if lies == "columns":
        x = np.ascontiguousarray(x.T).T
    elif lies == "gaps":
        x = np.repeat(x, 2, -1)[..., ::2] if x.ndim else x
    elif lies == "expanded":
        x = np.broadcast_to(x, (2, *x.shape))
    d = Draft({"x": MetaArray(x.shape, x.dtype, x.strides)})
    wide = narrow.widened(d, "x")
    assert narrow.widened(d, "x") == wide  # the same one, for all who read it
    narrow.rounded(d, wide, "y", x.dtype)
    found, y = d.plan("test.narrow", (wide, "y")).run(x)
    assert found.dtype == np.dtype(dtypes.wide(x.dtype))
    np.testing.assert_array_equal(found, x.astype(found.dtype))
    np.testing.assert_array_equal(y, x)
    if lies == "columns":
        assert found.flags.f_contiguous


def test_a_plan_of_a_plan() -> None:
    """`make` sees what is computed; where it gives no plan, there is none."""
    given: dict[str, Any] = {"x": MetaArray((2, 3), ml_dtypes.bfloat16), "bias": None}
    seen = []

    def make(*metas: Any) -> Any:
        seen.append([m and m.dtype for m in metas])
        return None

    assert narrow.narrow_plan("test", given, make) is None
    assert seen == [[F32, None]]
