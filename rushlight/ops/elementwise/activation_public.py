"""PyTorch's signatures in front of activations: relu6, prelu, tanhshrink, softsign.

Not here: the formulas (`activation.py`), slopes that are drawn (`rrelu.py`).
"""

from __future__ import annotations

from typing import Any

from ...dtypes import type_name
from ...errors import message
from ..core.composite import composite
from ..core.samples import arr, case, cplx
from .activation import hardtanh, prelu_kernel, softsign, tanhshrink
from .formulas import abs as magnitude
from .formulas import tanh


@composite(
    accepts=(
        "floating integral: Bool inputs not supported for hardtanh; clamp is not "
        "supported for complex types",
        NotImplementedError,
    ),
    public="nn.functional",
    samples=[case((3, 4)), case(arr((3, 4), 5, 7), True)],
)
def relu6(input: Any, inplace: bool = False) -> Any:
    """A rectifier with a ceiling: `y = min(max(x, 0), 6)`.

    inplace: write the result into input; False by default.

    >>> F.relu6(torch.tensor([-1.0, 3.0, 8.0]))
    tensor([0., 3., 6.])
    """
    return hardtanh.functional()(input, 0.0, 6.0, inplace)


@composite(
    accepts="floating: prelu_cpu",
    autocast="lower",
    public="torch Tensor nn.functional",
    samples=[case((3, 4), (4,)), case((2, 3, 4), (1,))],
)
def prelu(input: Any, weight: Any) -> Any:
    """A leaky rectifier whose slope is learnt: `y = x` where x > 0, else `weight * x`.

    input (N, C, *) and weight (C,), or (1,) for one slope for all; both of one type. RuntimeError
    where their numbers of channels differ. He et al., 2015, arXiv:1502.01852.

    >>> F.prelu(torch.tensor([[-1.0, -1.0, 3.0]]), torch.tensor([0.25, 0.5, 0.5]))
    tensor([[-0.2500, -0.5000,  3.0000]])
    """
    if input.dtype is not weight.dtype:
        raise RuntimeError(
            message(
                f"prelu: Type promoting not supported. Got {type_name(input.dtype)} and "
                f"{type_name(weight.dtype)}",
                hint=f"weight.to({input.dtype!r})",
            )
        )
    if weight.ndim > 1:
        raise RuntimeError(
            message(
                "prelu: Expected `weight` to be a scalar or 1D tensor, but got: "
                f"ndim = {weight.ndim}"
            )
        )
    if weight.numel() != 1:
        channels = input.shape[1] if input.ndim >= 2 else 1
        if input.ndim == 0:
            raise RuntimeError(
                "prelu: Not allow zero-dim input tensor when weight has several elements."
            )
        if channels != weight.numel():
            raise RuntimeError(
                message(
                    "prelu: Mismatch of parameter numbers and input channel size. Found parameter "
                    f"numbers = {weight.numel()} and channel size = {channels}.",
                    got=f"input {tuple(input.shape)}, weight {tuple(weight.shape)}",
                    hint="nn.PReLU(num_parameters=channels)",
                )
            )
    if weight.ndim != input.ndim:
        shape = (1, weight.numel(), *[1] * (input.ndim - 2)) if input.ndim > 1 else (-1,)
        weight = weight.reshape(shape[: input.ndim] if input.ndim else ())
    return prelu_kernel.call((input, weight), {})


@composite(
    accepts=(
        "floating integral complex: Subtraction, the `-` operator, with a bool tensor "
        "is not supported."
    ),
    public="nn.functional",
    name="tanhshrink",
    samples=[case((3, 4))],
)
def _tanhshrink(input: Any) -> Any:
    """`y = x - tanh(x)`.

    >>> F.tanhshrink(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2384,  0.0000,  1.0360])
    """
    if input.dtype.low:  # of which PyTorch rounds tanh(x) too
        return input - tanh(input)
    return tanhshrink.call((input,), {})


@composite(
    accepts="floating integral complex: abs_cpu",
    public="nn.functional",
    name="softsign",
    samples=[case((3, 4)), case(cplx((3, 4)))],
)
def _softsign(input: Any) -> Any:
    """`y = x / (1 + |x|)`, between -1 and 1.

    >>> F.softsign(torch.tensor([-1.0, 0.0, 3.0]))
    tensor([-0.5000,  0.0000,  0.7500])
    """
    if hasattr(input, "_a") and input._a.dtype.kind in "cW":  # |x| has no complex derivative
        return input / (magnitude(input) + 1)
    return softsign.call((input,), {})
