"""`check_op` says what is wrong with a record."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.ops.core.record import Op, registry
from rushlight.ops.core.samples import case
from rushlight.testing import check_op


def test_check_op() -> None:
    check_op(registry["tanh"])

    def wrong(input: Any) -> Any:
        return np.sin(input)

    bad = Op(wrong, "elementwise", samples=[case((3,))], promote="float").vjp(
        lambda g, _y, x: g * x
    )
    with pytest.raises(torch.autograd.GradcheckError, match="Jacobian mismatch"):
        check_op(bad)
    with pytest.raises(AssertionError, match="no samples"):
        check_op(Op(wrong, "elementwise"))
