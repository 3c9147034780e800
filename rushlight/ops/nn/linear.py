"""Linear layers: `linear` is one op, a product and its bias, with one rule for all its gradients;
`bilinear` is made of products."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import config, dtypes
from ...dtypes import type_name
from ...errors import message
from ...kernels.matmul import select as products
from ...kernels.matmul.linear import plans_gradients
from ...kernels.meta import MetaArray
from ...kernels.narrow import is_narrow
from ...kernels.runtime import few
from ..core.composite import composite
from ..core.derivative import up
from ..core.record import op
from ..core.samples import case, error
from ..linalg.matmul import check_product, in_rule, matmul
from ..linalg.operands import NAMES, same_type, tall, times

ndarray = np.ndarray


def _fitting(shape: tuple[int, ...], weight: tuple[int, ...]) -> str:
    """What to do about an input that does not fit a layer's weight."""
    wanted = weight[-1] if weight else 1
    if len(shape) > 2 and math.prod(shape[1:]) == wanted:
        return "x.flatten(1) before the Linear layer, or nn.Flatten() in a Sequential"
    if wanted in shape[1:]:
        return f"x.movedim({shape.index(wanted, 1)}, -1), as the features are the last dimension"
    last = shape[-1] if shape else 1
    if len(shape) > 2:
        rest = f"x.flatten(1) before it and in_features={math.prod(shape[1:])}"
        return f"in_features={last} in the Linear layer, or {rest}"
    return f"in_features={last} in the Linear layer, or x.flatten(1) before it"


def _by_addmm(input: Any, bias: Any) -> bool:
    """Whether PyTorch adds a bias by addmm, which wants one type and a matrix of weights; else it
    is a product and `+=`."""
    row = bias.ndim == 1 or (bias.ndim == 2 and bias.shape[0] == 1)
    if input.ndim == 2 or not row:
        return bool(input.ndim == 2)
    # (tensors made of others, such as those of several processes, do not say how they lie)
    return all(a.flags is None or a.flags.c_contiguous for a in (input, bias))


def _unmixed_layer(input: Any, weight: Any, bias: Any = None, **_: Any) -> None:
    """`same_type` of a linear layer, of operands that narrow types have not been taken from yet."""
    same_type(input, weight)
    if bias is not None and _by_addmm(input, bias):
        same_type(bias, weight, "self", "mat2")


@op(
    unmixed=_unmixed_layer,
    accepts="floating integral complex empty: addmm_impl_cpu_",
    low="inside",
    autocast="lower",
    samples=[case((4, 3), (5, 3), (5,)), case((2, 4, 3), (5, 3), None), case((3,), (5, 3), (5,))],
    errors=[error(RuntimeError, "mat1 and mat2 shapes cannot be multiplied", (4, 3), (5, 2))],
    public="nn.functional",
    holomorphic=True,
    fresh=True,
    node="AddmmBackward0",  # PyTorch's name for rows and a bias
    optional=(2,),
)
def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """y = input @ weight^T + bias.

    `input` (*, in), `weight` (out, in), `bias` (out,) or none; y (*, out).

    >>> x = torch.tensor([[1.0, 2.0]])
    >>> weight = torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> F.linear(x, weight, torch.tensor([0.0, 0.0, 10.0]))
    tensor([[ 1.,  2., 13.]])
    """
    if bias is not None:  # what was computed before has passed all that is asked below
        turned = weight.T
        made = products.plans_linear.get(
            few.layouts(input, turned, bias, config.current.matmul_precision)
        )
        if made is not None and bias.dtype is input.dtype and made.name not in products.ALONE:
            return made.run(input, turned, bias, 1.0, 1.0)
    if (
        weight.ndim == 2
        and input.shape[-1:] == weight.shape[1:]
        and input.dtype == weight.dtype
        and (bias is None or bias.dtype == weight.dtype)
    ):
        return products.linear(input, weight.T, bias)
    if input.dtype != weight.dtype or (bias is not None and bias.dtype != weight.dtype):
        if is_narrow(input.dtype) or is_narrow(weight.dtype):
            _unmixed_layer(input, weight, bias)
        same_type(input, weight, "mat1", "mat2")
    if not (input.ndim and weight.ndim):
        raise RuntimeError(
            message(
                "both arguments to linear need to be at least 1D, but they are "
                f"{input.ndim}D and {weight.ndim}D",
                hint="x.reshape(1), for a single number",
            )
        )
    if weight.ndim > 2 or input.shape[-1] != weight.shape[-1]:
        rows = (math.prod(input.shape[:-1]), input.shape[-1])
        raise RuntimeError(
            message(
                "linear: mat1 and mat2 shapes cannot be multiplied "
                f"({times(rows)} and {times(weight.shape[::-1])})",
                f"input {tuple(input.shape)}, weight {tuple(weight.shape)}",
                f"input of shape (..., {weight.shape[-1]})",
                _fitting(input.shape, weight.shape),
            )
        )
    if bias is not None and _by_addmm(input, bias):
        if weight.ndim == 1:
            raise RuntimeError(
                message(
                    "mat2 must be a matrix, got 1-D tensor",
                    f"weight {tuple(weight.shape)} and a bias",
                    "weight (out, in) beside a bias",
                    "weight.unsqueeze(0)",
                )
            )
        same_type(input, bias, "mat1", "bias")
    elif bias is not None and input.dtype != bias.dtype:
        source, into = dtypes.from_numpy(bias.dtype), dtypes.from_numpy(input.dtype)
        if not dtypes.can_cast(source, into):
            raise RuntimeError(
                message(
                    f"result type {type_name(source)} can't be cast to the desired output type "
                    f"{type_name(into)}",
                    f"a bias of type {source!r}",
                    hint=f"bias.to({into!r})",
                )
            )
        bias = bias.astype(input.dtype)
    if weight.ndim == 1:
        y = products.product(input, weight)
        whole = y if bias is None else y + bias
        if whole.shape != y.shape:
            raise RuntimeError(
                message(
                    f"output with shape {list(y.shape)} doesn't match the broadcast shape "
                    f"{list(whole.shape)}",
                    f"a bias of shape {tuple(bias.shape)}",
                    "one that broadcasts to the product",
                )
            )
        return whole
    return products.linear(input, weight.T, bias)


@linear.shape
def _linear_shape(input: Any, weight: Any, bias: Any = None) -> MetaArray:
    same_type(input, weight, "mat1", "mat2")
    check_product(input, MetaArray(weight.shape[::-1], weight.dtype))
    return MetaArray((*input.shape[:-1], *weight.shape[:-1]), input.dtype)


def _linear_rule(g: Any, _y: Any, input: Any, weight: Any, _bias: Any, *, needs: Any) -> Any:
    gx = gw = gb = None
    if weight.ndim == 1:
        gx = up(g)[..., None] * up(weight) if needs[0] else None
        gw = in_rule(g.reshape((math.prod(g.shape),)), tall(input)) if needs[1] else None
        return gx, gw, g
    if g.__class__ is ndarray and needs[0] and needs[1]:
        of = (g, input, weight, config.current.matmul_precision, needs[2])
        known = few.layouts(*of)
        plan = plans_gradients.get(known) or plans_gradients.make(known, *of)
        if plan is not None:
            found = plan.run(g, input, weight)
            return found if needs[2] else (*found, None)
    product = products.wide_product if g.__class__ is ndarray else matmul  # shapes fit
    if needs[0]:
        gx = product(g, weight)
    if needs[1]:
        # (out, rows) @ (rows, in): the result is contiguous as (out, in), as the weight is
        gw = product(tall(g).mT, tall(input))
    if needs[2]:
        gb = g
    return gx, gw, gb


linear.joint(_linear_rule)
linear.planned(lambda *a, **kw: products.plan_linear(*a, **kw))


@composite(public="nn.functional", samples=[case((2, 3), (2, 4), (5, 3, 4), (5,))])
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """y[k] = input1^T @ weight[k] @ input2 + bias[k], for each output k.

    `input1` (*, in1), `input2` (*, in2), `weight` (out, in1, in2), `bias` (out,) or none; y (*,
    out).

    >>> x1, x2 = torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0]])
    >>> F.bilinear(x1, x2, torch.ones(1, 2, 1))
    tensor([[9.]])
    """
    parts = {"input1": input1, "input2": input2, "weight": weight, "bias": bias}
    kinds = {k: x._a.dtype.name for k, x in parts.items() if x is not None}
    if len(set(kinds.values())) > 1:
        found = ", ".join(f"{k}: {NAMES.get(d, d)}" for k, d in kinds.items())
        raise RuntimeError(
            message(f"All tensors must have the same dtype, got {found}", hint="x.to(weight.dtype)")
        )
    if input1.shape[:-1] != input2.shape[:-1]:
        raise RuntimeError(
            message(
                "bilinear(): input batch dimensions do not match",
                f"{tuple(input1.shape)} and {tuple(input2.shape)}",
                "equal sizes except in the last dim",
            )
        )
    for name, x, side in (("input1", input1, 1), ("input2", input2, 2)):
        if x.shape[-1] != weight.shape[side]:
            raise RuntimeError(
                message(
                    f"bilinear(): {name} size does not match weight size",
                    f"got {x.shape[-1]}",
                    f"but expected {weight.shape[side]}",
                )
            )
    if bias is not None and (bias.ndim == 0 or bias.shape[0] != weight.shape[0]):
        if bias.ndim == 0:
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        raise RuntimeError(
            message(
                "bilinear(): bias size does not match weight size",
                f"got {bias.shape[0]}",
                f"but expected {weight.shape[0]}",
            )
        )
    batch = tuple(input1.shape[:-1])
    rows = math.prod(batch)
    x1, x2 = input1.reshape((rows, input1.shape[-1])), input2.reshape((rows, input2.shape[-1]))
    y = (matmul(x1, weight) * x2).sum(-1, dtype=x1.dtype).mT.contiguous()
    y = y.reshape((*batch, weight.shape[0]))
    return y if bias is None else y + bias
