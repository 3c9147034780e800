"""Calls of convolutions' plans that several test files make."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.kernels.conv import reference, select


def operands_of_weight(case: Any, dtype: Any) -> tuple[Any, Any, Any, Any]:
    """x, g, the kernel's size and the parameters; `case`: sizes of the images and of the weight,
    stride, padding, dilation, groups."""
    rng = np.random.default_rng(0)
    x, w, *how = case
    y = (x[0], w[0], *reference.out_size(x[2:], w[2:], *how[:3]))
    return *(rng.standard_normal(s).astype(dtype) for s in (x, y)), w[2:], how


def plan_of_weight(x: Any, g: Any, kernel: Any, how: Any) -> Any:
    """The plan of a weight's gradient."""
    key = [v for a in (x, g) for v in (a.dtype, a.shape, a.strides)]
    return select.plan_weight(*key, kernel, *how)
