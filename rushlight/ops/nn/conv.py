"""The op `convolution`, and the three bilinear products that its gradients are made of.

Each product is an op of its own whose gradients are the other two, so convolution can be
differentiated any number of times. Which kernel computes one: `kernels/conv/select.py`. Public
functions and their checks: `conv_public.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import config
from ...autograd import door
from ...autograd.steps import step
from ...kernels.conv import gradients as kernels
from ...kernels.conv import reference
from ...kernels.conv import select as kernel
from ...kernels.meta import MetaArray
from ...kernels.runtime import few
from ..core.derivative import up
from ..core.record import op
from ..core.samples import case
from ..reduce import sums
from .spatial import Ints

_ONE = {"stride": (1, 1), "padding": (0, 0), "dilation": (1, 1), "groups": 1}
_ODD = {"stride": (2, 1), "padding": (1, 0), "dilation": (1, 2), "groups": 2}

# -- the three products --------------------------------------------------------------------------


@op(
    samples=[
        case((2, 3, 5, 4), (2, 3, 2, 3), size=(4, 2), **_ONE),
        case((1, 4, 5, 6), (2, 2, 3, 2), size=(3, 4), **_ODD),
    ],
    public="",
    fresh=True,
    holomorphic=True,
)
def convolve(
    input: Any, weight: Any, *, size: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Any:
    """Correlate input (N, C, *S) with weight (O, C / groups, *K) at the first `size` positions."""
    return kernel.forward(input, weight, None, stride, padding, dilation, groups, size)


convolve.shape(lambda x, w, *, size, **_: MetaArray((x.shape[0], w.shape[0], *size), x.dtype))


@op(
    samples=[
        case((2, 2, 4, 2), (2, 3, 2, 3), size=(5, 4), **_ONE),
        case((1, 2, 3, 4), (2, 2, 3, 2), size=(5, 6), **_ODD),
    ],
    public="",
    fresh=True,
    holomorphic=True,
)
def convolve_input(
    input: Any, weight: Any, *, size: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Any:
    """The transpose of `convolve` in its input, which had the spatial shape `size`."""
    return kernel.input_gradient(input, weight, size, stride, padding, dilation, groups)


convolve_input.shape(
    lambda g, w, *, size, groups, **_: MetaArray((g.shape[0], w.shape[1] * groups, *size), g.dtype)
)


@op(
    samples=[
        case((2, 3, 5, 4), (2, 2, 4, 2), size=(2, 3), **_ONE),
        case((1, 4, 5, 6), (1, 2, 3, 4), size=(3, 2), **_ODD),
    ],
    public="",
    fresh=True,
    holomorphic=True,
)
def convolve_weight(
    input: Any, grad: Any, *, size: Ints, stride: Ints, padding: Ints, dilation: Ints, groups: int
) -> Any:
    """The transpose of `convolve` in its weight, whose kernel had the shape `size`."""
    return kernel.weight_gradient(input, grad, size, stride, padding, dilation, groups)


convolve_weight.shape(
    lambda x, g, *, size, groups, **_: MetaArray((g.shape[1], x.shape[1] // groups, *size), x.dtype)
)


def _how(stride: Ints, padding: Ints, dilation: Ints, groups: int) -> dict[str, Any]:
    return {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}


convolve.vjp(
    lambda g, _y, _x, w, *, shapes, stride, padding, dilation, groups: convolve_input(
        g, w, size=tuple(shapes[0][2:]), **_how(stride, padding, dilation, groups)
    ),
    lambda g, _y, x, _w, *, shapes, stride, padding, dilation, groups: convolve_weight(
        x, g, size=tuple(shapes[1][2:]), **_how(stride, padding, dilation, groups)
    ),
)
convolve_input.vjp(
    lambda g, _y, _x, w, *, shapes, stride, padding, dilation, groups: convolve(
        g, w, size=tuple(shapes[0][2:]), **_how(stride, padding, dilation, groups)
    ),
    lambda g, _y, x, _w, *, shapes, stride, padding, dilation, groups: convolve_weight(
        g, x, size=tuple(shapes[1][2:]), **_how(stride, padding, dilation, groups)
    ),
)
convolve_weight.vjp(
    lambda g, _y, _x, h, *, shapes, stride, padding, dilation, groups: convolve_input(
        h, g, size=tuple(shapes[0][2:]), **_how(stride, padding, dilation, groups)
    ),
    lambda g, _y, x, _h, *, shapes, stride, padding, dilation, groups: convolve(
        x, g, size=tuple(shapes[1][2:]), **_how(stride, padding, dilation, groups)
    ),
)

convolve.planned(lambda *a, **kw: kernel.plan_of(*a, **kw))
convolve_input.planned(lambda *a, **kw: kernel.plan_of_transposed(*a, **kw))
convolve_weight.planned(lambda *a, **kw: kernel.plan_of_weight(*a, **kw))

# -- the op --------------------------------------------------------------------------------------


@op(
    low="inside",
    autocast="lower",
    samples=[
        case((2, 3, 5, 4), (2, 3, 2, 3), (2,), **_ONE),
        case((1, 4, 5, 6), (2, 2, 3, 2), None, **_ODD),
        case((2, 3, 7), (3, 1, 3), (3,), stride=(1,), padding=(1,), dilation=(1,), groups=3),
        case((2, 4, 3, 3), (4, 1, 2, 2), (2,), transposed=True, **{**_ODD, "dilation": (1, 1)}),
    ],
    public="torch",
    fresh=True,
    holomorphic=True,
    node="ConvolutionBackward0",
)
def convolution(
    input: Any,
    weight: Any,
    bias: Any = None,
    *,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    transposed: bool = False,
    output_padding: Ints = (),
    groups: int = 1,
) -> Any:
    """Convolve (cross-correlate) `input` (N, C, *S) with `weight`, or apply the transpose of that.

    The weight is (O, C / groups, *K), or (C, O / groups, *K) when `transposed`. Behind `conv1d`,
    `conv2d`, `conv3d` and their transposes, which are more convenient.

    >>> x, w = torch.tensor([[[1.0, 2.0, 4.0]]]), torch.tensor([[[1.0, -1.0]]])
    >>> torch.convolution(x, w, None, [1], [0], [1], False, [0], 1)
    tensor([[[-1., -2.]]])
    """
    if not transposed:
        return kernel.forward(input, weight, bias, stride, padding, dilation, groups)
    size = transposed_size(
        input.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding
    )
    return kernel.transposed(input, weight, bias, size, stride, padding, dilation, groups)


def transposed_size(
    size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints, more: Ints
) -> Ints:
    """(n - 1) s - 2p + d(k - 1) + output_padding + 1 along each dimension."""
    return tuple(
        (n - 1) * s - 2 * p + d * (k - 1) + 1 + m
        for n, k, s, p, d, m in zip(
            size, kernel, stride, padding, dilation, more or (0,) * len(size), strict=True
        )
    )


def _plan(
    x: Any, w: Any, bias: Any = None, *, stride: Ints, padding: Ints, dilation: Ints,
    transposed: bool = False, output_padding: Ints = (), groups: int = 1,
) -> Any:  # fmt: skip
    """The plan of a convolution, or of its transpose."""
    how = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    if not transposed:
        return kernel.plan_of(x, w, bias, **how)  # type: ignore[arg-type]
    given = (tuple(x.shape[2:]), tuple(w.shape[2:]), stride, padding, dilation, output_padding)
    size = transposed_size(*given)
    return kernel.plan_of_transposed(x, w, bias, size=size, **how)  # type: ignore[arg-type]


convolution.planned(_plan)


@step(outputs=3, shown="aten::convolution_backward")
def convolution_backward(g: Any, x: Any, w: Any, *, plan: Any, needs: Any) -> Any:
    """The gradients of a convolution that are needed, by the plan of all of them."""
    found = plan.run(g, x, w)
    return found if len(plan.returns) == 3 else kernels.in_places(found, plan, needs)


@convolution.joint
def _(
    g: Any,
    _y: Any,
    x: Any,
    w: Any,
    _b: Any,
    *,
    needs: Any,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    transposed: bool,
    groups: int,
) -> Any:
    if g.__class__ is np.ndarray:
        precision = config.current.matmul_precision
        of = (g, x, w, *needs, stride, padding, dilation, groups, transposed, precision)
        known = few.layouts(*of)
        plan = kernels.plans_together.get(known) or kernels.plans_together.make(known, *of)
        if plan is not None:
            return door.perform(convolution_backward, (g, x, w), {"plan": plan, "needs": needs})
    how = _how(stride, padding, dilation, groups)
    dx = dw = db = None
    if needs[0]:
        transpose = convolve if transposed else convolve_input
        dx = transpose(g, w, size=tuple(x.shape[2:]), **how)
    if needs[1]:
        one, two = (g, x) if transposed else (x, g)
        dw = convolve_weight(one, two, size=tuple(w.shape[2:]), **how)
    if needs[2]:
        db = sums.sum(up(g), dim=(0, *range(2, g.ndim)))
    return dx, dw, db


@convolution.shape
def _(
    x: Any,
    w: Any,
    _b: Any = None,
    *,
    stride: Ints,
    padding: Ints,
    dilation: Ints,
    transposed: bool = False,
    output_padding: Ints = (),
    groups: int = 1,
) -> Any:
    how = (tuple(x.shape[2:]), tuple(w.shape[2:]), stride, padding, dilation)
    if transposed:
        channels, size = w.shape[1] * groups, transposed_size(*how, output_padding)
    else:
        channels, size = w.shape[0], reference.out_size(*how)
    return MetaArray((x.shape[0], channels, *size), np.result_type(x.dtype, w.dtype))
