"""`check_op`: an op's record, checked on its own samples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.gradcheck import gradcheck, gradgradcheck
from ..errors import message
from ..ops.core.record import Op
from ..ops.create.from_data import tensor
from ..tensor import Tensor


def check_op(op: Op, *, atol: float = 1e-5, rtol: float = 1e-3) -> None:
    """Check an op record on its own samples: gradients to second order where it has rules.

    Raises:
        AssertionError: no samples; GradcheckError: a derivative is wrong.

    >>> from rushlight.ops.core.record import registry
    >>> torch.testing.check_op(registry["exp"])
    """
    if not op.samples:
        raise AssertionError(
            message(
                f"{op.name}: the record has no samples", hint="@op(samples=[case((3, 4), dim=1)])"
            )
        )
    rng = np.random.default_rng(0)
    for sample in op.samples:
        args, kw = sample.make(rng)
        tensors = [tensor(a) if isinstance(a, np.ndarray) else a for a in args]
        op(*tensors, **kw)
        if op.rules is None:
            continue
        for t in tensors:
            if isinstance(t, Tensor) and t.is_floating_point():
                t.requires_grad_()
        if not any(isinstance(t, Tensor) and t.requires_grad for t in tensors):
            continue

        def call(*xs: Any, kw: Any = kw) -> Any:
            return op(*xs, **kw)

        gradcheck(call, tuple(tensors), atol=atol, rtol=rtol)
        gradgradcheck(call, tuple(tensors), atol=atol, rtol=rtol)
