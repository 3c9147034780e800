"""Activations: formulas about one element, with derivatives that hold for large and small x.

Softmax and its family are in `nn/softmax.py`, random slopes in `rrelu.py`, PyTorch's signatures in
`activation_public.py`. Read next: `arithmetic.py`, of which these formulas are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import dtypes
from ...errors import axis, message
from ...kernels.elementwise.formula import Formula
from ...kernels.elementwise.select import by_steps
from ...kernels.meta import MetaArray
from ..core.arguments import need_tensor
from ..core.composite import composite
from ..core.record import elementwise, op
from ..core.samples import arr, case, error, real
from ..create.arguments import stored
from ..shape.views import cat
from .formulas import abs as magnitude
from .formulas import exp, expm1, log1p, maximum, minimum, tanh, where
from .special import erf

A34 = (3, 4)
SELU_ALPHA = 1.6732632423543772848170429916717
SELU_SCALE = 1.0507009873554804934193349852946
SQRT_HALF = 0.7071067811865476
SQRT_2_OVER_PI = 0.7978845608028654
GELU_CUBE = 0.044715

def bounds(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> dict[str, Any]:
    """The bounds of `hardtanh` as numbers of the input's kind: whole ones for integers."""
    if min_val > max_val:
        raise ValueError(
            message("min_val cannot be greater than max_val", got=f"{min_val} and {max_val}")
        )
    if hasattr(input, "_a") and input._a.dtype.kind in "iu":
        if input._a.dtype.kind == "u" and min_val < 0:
            raise RuntimeError(
                message("cannot do hardtanh on an unsigned type with negative limits")
            )
        min_val, max_val = int(min_val), int(max_val)
    return {"min_val": min_val, "max_val": max_val}


def celu_alpha(input: Any, alpha: float = 1.0) -> dict[str, Any]:
    """The parameter of `celu`, which is a divisor."""
    if alpha == 0:
        raise RuntimeError(message("ZeroDivisionError: alpha cannot be 0 for CELU"))
    return {"alpha": alpha}


def approximation(input: Any, approximate: str = "none") -> dict[str, Any]:
    """The parameter of `gelu`."""
    if approximate not in ("none", "tanh"):
        raise RuntimeError(
            message("approximate argument must be either none or tanh.", got=repr(approximate))
        )
    return {"approximate": approximate}


def not_negative(input: Any, lambd: float = 0.5) -> dict[str, Any]:
    """The parameter of `softshrink`."""
    if lambd < 0:
        raise RuntimeError(
            message(f"lambda must be in range [0, inf), but found {lambd}: greater or equal to 0")
        )
    return {"lambd": lambd}


def not_below(name: str, parameter: str) -> Any:
    """Why the gradient of an in-place form cannot be told from its result: a negative slope makes
    two values one."""

    def why(**kw: Any) -> str | None:
        if kw.get(parameter, 0.0) >= 0:
            return None
        return (
            f"In-place {name} backward calculation is triggered with a negative slope which is not "
            "supported. This is caused by calling in-place forward function with a negative slope, "
            "please call out-of-place version instead."
        )

    return why


# -- rectifiers ----------------------------------------------------------------------------------


@elementwise(accepts=(
                 "floating integral: Boolean inputs not supported for relu; clamp is not "
                 "supported for complex types",
                 NotImplementedError,
             ),
             samples=[case(arr(A34, 0.1, 3)), case(arr(A34, -3, -0.1))], promote="common",
             public="torch Tensor nn.functional", switch=True)  # fmt: skip
def relu(input: Any) -> Any:
    """The rectifier: `y = max(x, 0)`.

    inplace (of `nn.functional.relu`): write the result into input; False by default. The gradient
    at 0 is 0. Not for bools and complex numbers.

    >>> torch.relu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([0., 0., 2.])
    """
    # What `maximum` comes to; types below float32 it computes in that.
    if input.__class__ is np.ndarray and by_steps(input) and input.dtype.char in "fd":
        return np.maximum(input, 0)
    return maximum(input, 0)


relu.vjp(lambda g, y, _x: where(y <= 0, 0.0, g))


@elementwise(accepts=(
                 "floating integral: Bool inputs not supported for hardtanh; clamp is not "
                 "supported for complex types",
                 NotImplementedError,
             ),
             samples=[case(arr(A34, 0.1, 0.9)), case(arr(A34, -3, 3), min_val=-4.0)],
             public="nn.functional", switch=True, prepare=bounds, promote="common")  # fmt: skip
def hardtanh(input: Any, *, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """Each element, held between two numbers: `y = min(max(x, min_val), max_val)`.

    min_val: -1 by default; max_val: 1; ValueError where min_val is the larger. The gradient at the
    two bounds is 0, other than that of `clamp`.

    >>> F.hardtanh(torch.tensor([-2.0, 0.5, 3.0]))
    tensor([-1.0000,  0.5000,  1.0000])
    """
    return minimum(maximum(input, min_val), max_val)


hardtanh.vjp(lambda g, _y, x, *, min_val, max_val: where((x <= min_val) | (x >= max_val), 0.0, g))


@elementwise(accepts="floating: leaky_relu_cpu", one_way=not_below("leakyReLu", "negative_slope"),
             samples=[case(arr(A34, 0.1, 3)), case(arr(A34, -3, -0.1), negative_slope=0.2)],
             public="nn.functional", switch=True, promote="common")  # fmt: skip
def leaky_relu(input: Any, *, negative_slope: float = 0.01) -> Any:
    """A rectifier that lets a little of negative values through: `y = x` where x > 0, else
    `negative_slope * x`.

    negative_slope: 0.01 by default.

    >>> F.leaky_relu(torch.tensor([-2.0, 3.0]), 0.1)
    tensor([-0.2000,  3.0000])
    """
    return where(input > 0, input, input * negative_slope)


leaky_relu.vjp(lambda g, _y, x, *, negative_slope: where(x > 0, g, g * negative_slope))


@elementwise(accepts="floating integral: threshold_cpu",
             samples=[case(arr(A34, 0.1, 3), threshold=0.0, value=1.0),
                      case(arr(A34, -3, -1.1), threshold=-1.0, value=7.0)],
             promote="common", public="torch nn.functional", switch=True,
             name="threshold")  # fmt: skip
def held_above(input: Any, *, threshold: float, value: float) -> Any:
    """`y = x` where x > threshold, else `value`. Both are numbers of the type of x: -1 is 255 in
    uint8.

    >>> F.threshold(torch.tensor([-1.0, 0.5, 2.0]), threshold=1.0, value=-5.0)
    tensor([-5., -5.,  2.])
    """
    if input.__class__ is np.ndarray and input.dtype.kind in "iu":
        given = of_the_type(input.dtype, {"threshold": threshold, "value": value})
        threshold, value = given["threshold"], given["value"]
    return where(input <= threshold, value, input)


def of_the_type(dtype: np.dtype[Any], given: dict[str, Any]) -> dict[str, Any]:
    """Parameters as whole numbers of a type, as PyTorch's kernel has them."""
    return {name: stored(number, dtype).item() for name, number in given.items()}


class HeldAbove(Formula):
    """The formula's kernels are given such numbers as well."""

    by_kinds = False

    def key(self, args: Sequence[Any], kw: dict[str, Any], stand_ins: bool = False) -> Any:
        """As it is; parameters of whole numbers in their type."""
        kind = getattr(args[0], "dtype", None)
        if kind is not None and kind.kind in "iu":
            kw = of_the_type(kind, kw)
        return super().key(args, kw, stand_ins)


held_above.fn.planned.__class__ = HeldAbove  # type: ignore[attr-defined]


held_above.vjp(lambda g, _y, x, *, threshold: where(x <= threshold, 0.0, g))


@elementwise(samples=[case(arr(A34, 0.1, 3), (4,)), case(arr(A34, -3, -0.1), (4,))], public="",
             node="PreluKernelBackward0", inplace=False)  # fmt: skip
def prelu_kernel(input: Any, weight: Any) -> Any:
    """x where x > 0, else weight * x."""
    return where(input > 0, input, input * weight)


prelu_kernel.vjp(
    lambda g, _y, x, w: where(x > 0, g, g * w),
    lambda g, _y, x, _w: where(x > 0, 0.0, g * x),
)

# -- exponential ---------------------------------------------------------------------------------


@elementwise(accepts="floating: elu_cpu", one_way=not_below("elu", "alpha"),
             numpy="steps", samples=[case(arr(A34, 0.1, 3)), case(arr(A34, -3, -0.1), alpha=0.5)],
             public="nn.functional", switch=True)  # fmt: skip
def elu(input: Any, *, alpha: float = 1.0) -> Any:
    """The exponential linear unit: `y = x` where x > 0, else `alpha * (exp(x) - 1)`.

    alpha: minus the value for very negative x; 1 by default. Clevert et al., 2015,
    arXiv:1511.07289.

    >>> F.elu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.6321,  0.0000,  2.0000])
    """
    return where(input > 0, input, expm1(minimum(input, 0)) * alpha)


# As PyTorch's, the derivative at NaN is that of positive values.
elu.vjp(lambda g, _y, x, *, alpha: g * where(x <= 0, exp(minimum(x, 0)) * alpha, 1.0))


@elementwise(accepts="floating: elu_cpu", one_way=not_below("elu", "alpha"),
             numpy="steps", samples=[case(arr(A34, 0.1, 3)), case(arr(A34, -3, -0.1), alpha=0.5)],
             public="torch nn.functional", switch=True, prepare=celu_alpha)  # fmt: skip
def celu(input: Any, *, alpha: float = 1.0) -> Any:
    """An elu whose derivative is continuous for every alpha:
    `y = max(0, x) + min(0, alpha * (exp(x / alpha) - 1))`.

    alpha: 1 by default; RuntimeError for 0. Barron, 2017, arXiv:1704.07483.

    >>> F.celu(torch.tensor([-1.0, 0.0, 2.0]), alpha=2.0)
    tensor([-0.7869,  0.0000,  2.0000])
    """
    return where(input > 0, input, expm1(minimum(input, 0) / alpha) * alpha)


celu.vjp(lambda g, _y, x, *, alpha: g * where(x <= 0, exp(minimum(x, 0) / alpha), 1.0))


@elementwise(accepts="floating: elu_cpu", numpy="steps",
             samples=[case(arr(A34, 0.1, 3)), case(arr(A34, -3, -0.1))], node="EluBackward0",
             public="torch nn.functional", switch=True)  # fmt: skip
def selu(input: Any) -> Any:
    """The self-normalising elu: `y = scale * x` where x > 0, else `scale * alpha * (exp(x) - 1)`,
    with scale = 1.0507 and alpha = 1.6733.

    With weights as of `nn.init.kaiming_normal_(w, nonlinearity="linear")` activations keep mean 0
    and variance 1. Klambauer et al., 2017, arXiv:1706.02515.

    >>> F.selu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-1.1113,  0.0000,  2.1014])
    """
    low = expm1(minimum(input, 0)) * (SELU_ALPHA * SELU_SCALE)
    return where(input > 0, input * SELU_SCALE, low)


selu.vjp(
    lambda g, _y, x: g * where(x <= 0, exp(minimum(x, 0)) * (SELU_ALPHA * SELU_SCALE), SELU_SCALE)
)


@elementwise(samples=[*real(-6, 6), case(arr(A34, 700, 900)), case(arr(A34, -900, -700))],
             public="torch Tensor nn.functional", holomorphic=True)  # fmt: skip
def sigmoid(input: Any) -> Any:
    """The logistic function: `y = 1 / (1 + exp(-x))`, between 0 and 1.

    Integers and bools give the default float type. For a loss use
    `nn.functional.binary_cross_entropy_with_logits`, which does not lose the digits near 0 and 1.

    >>> torch.sigmoid(torch.tensor([0.0, 2.0, -2.0]))
    tensor([0.5000, 0.8808, 0.1192])
    """
    if input.__class__ is np.ndarray and input.ndim and input.dtype.char in "fd":
        one: Any = ONE[input.dtype.char]
        y = np.negative(input)  # of few elements, all in one array
        np.exp(y, y)
        np.add(one, y, y)
        return np.divide(one, y, y)
    return 1 / (1 + exp(-input))


# NumPy takes longer to read a number of Python's.
ONE: dict[str, Any] = {"f": np.ones((), np.float32), "d": np.ones(())}

sigmoid.vjp(lambda g, y, _x: g * (y * (1 - y)))


@elementwise(accepts="floating complex: silu_cpu",
             samples=[*real(-6, 6), case(arr(A34, -900, -700))], public="nn.functional",
             switch=True, inplace=False)  # fmt: skip
def silu(input: Any) -> Any:
    """The sigmoid linear unit, also called swish: `y = x / (1 + exp(-x))`.

    inplace: write the result into input; False by default. Elfwing et al., 2017, arXiv:1702.03118.

    >>> F.silu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.2689,  0.0000,  1.7616])
    """
    return input / (1 + exp(-input))


@silu.vjp
def _(g: Any, _y: Any, x: Any) -> Any:
    s = sigmoid(x)
    return g * (s * (1 + x * (1 - s)))


@elementwise(accepts="floating: log_sigmoid_cpu", numpy="steps",
             samples=[*real(-6, 6), case(arr(A34, 700, 900)), case(arr(A34, -900, -700))],
             public="nn.functional", inplace=False, node="LogSigmoidBackward0")  # fmt: skip
def logsigmoid(input: Any) -> Any:
    """The logarithm of the sigmoid: `y = log(1 / (1 + exp(-x)))`, without overflow.

    >>> F.logsigmoid(torch.tensor([0.0, 2.0, -200.0]))
    tensor([-6.9315e-01, -1.2693e-01, -2.0000e+02])
    """
    return minimum(input, 0) - log1p(exp(-magnitude(input)))


logsigmoid.vjp(lambda g, _y, x: g * sigmoid(-x))


@elementwise(accepts="floating: softplus_cpu", numpy="steps",
             samples=[*real(-6, 6), case(A34, beta=3.0), case(arr(A34, 1, 3), threshold=0.5)],
             public="nn.functional", inplace=False)  # fmt: skip
def softplus(input: Any, *, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """A smooth rectifier: `y = log(1 + exp(beta * x)) / beta`.

    beta: how sharp it bends; 1 by default. threshold: where `beta * x` is above it, y is x; 20 by
    default.

    >>> F.softplus(torch.tensor([-1.0, 0.0, 30.0]))
    tensor([ 0.3133,  0.6931, 30.0000])
    """
    scaled = input * beta
    return where(scaled > threshold, input, log1p(exp(minimum(scaled, threshold))) / beta)


softplus.vjp(
    lambda g, _y, x, *, beta, threshold: g * where(x * beta > threshold, 1.0, sigmoid(x * beta))
)


def log_of_one_plus_exp(x: Any) -> Any:
    """log(1 + exp(x)), without overflow."""
    return maximum(x, 0) + log1p(exp(-magnitude(x)))


@elementwise(accepts="floating: mish_cpu", numpy="steps",
             samples=[*real(-6, 6), case(arr(A34, 700, 900)), case(arr(A34, -900, -700))],
             public="nn.functional", switch=True, inplace=False)  # fmt: skip
def mish(input: Any) -> Any:
    """`y = x * tanh(log(1 + exp(x)))`. Misra, 2019, arXiv:1908.08681.

    inplace: write the result into input; False by default.

    >>> F.mish(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.3034,  0.0000,  1.9440])
    """
    return input * tanh(log_of_one_plus_exp(input))


@mish.vjp
def _(g: Any, _y: Any, x: Any) -> Any:
    t = tanh(log_of_one_plus_exp(x))
    return g * (t + x * (sigmoid(x) * (1 - t * t)))


@elementwise(accepts="floating: GeluKernelImpl", numpy="steps",
             samples=[*real(-6, 6), case(arr(A34, -6, 6), approximate="tanh")], named=True,
             public="nn.functional", inplace=False, prepare=approximation)  # fmt: skip
def gelu(input: Any, *, approximate: str = "none") -> Any:
    """The Gaussian error linear unit: x times the share of a normal distribution below x,
    `y = x * (1 + erf(x / sqrt(2))) / 2`.

    approximate: "none" by default; "tanh" computes
    `x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))) / 2`, as GPT-2 does. Hendrycks and
    Gimpel, 2016, arXiv:1606.08415.

    >>> F.gelu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.1587,  0.0000,  1.9545])
    >>> F.gelu(torch.tensor([-1.0, 0.0, 2.0]), approximate="tanh")
    tensor([-0.1588,  0.0000,  1.9546])
    """
    if approximate == "tanh":
        inner = input * (SQRT_2_OVER_PI + (SQRT_2_OVER_PI * GELU_CUBE) * (input * input))
        return input * 0.5 * (1 + tanh(inner))
    return input * 0.5 * (1 + erf(input * SQRT_HALF))


@gelu.vjp
def _(g: Any, _y: Any, x: Any, *, approximate: str) -> Any:
    if approximate == "tanh":
        square = x * x
        t = tanh(x * (SQRT_2_OVER_PI + (SQRT_2_OVER_PI * GELU_CUBE) * square))
        slope = SQRT_2_OVER_PI + (3 * SQRT_2_OVER_PI * GELU_CUBE) * square
        return g * (0.5 * (1 + t) + (0.5 * x) * ((1 - t * t) * slope))
    density = exp(x * x * -0.5) * (0.5 * SQRT_2_OVER_PI)
    return g * (0.5 * (1 + erf(x * SQRT_HALF)) + x * density)


# -- made of straight lines ----------------------------------------------------------------------


@elementwise(accepts="floating: hardsigmoid_cpu",
             samples=[case(arr(A34, -2.9, 2.9)), case(arr(A34, 3.1, 5))], public="nn.functional",
             switch=True, inplace=False)  # fmt: skip
def hardsigmoid(input: Any) -> Any:
    """A sigmoid of straight lines: `y = min(max(x + 3, 0), 6) / 6`.

    >>> F.hardsigmoid(torch.tensor([-4.0, 0.0, 1.5]))
    tensor([0.0000, 0.5000, 0.7500])
    """
    return minimum(maximum(input + 3, 0), 6) / 6


hardsigmoid.vjp(lambda g, _y, x: where((x > -3) & (x < 3), g / 6, 0.0))


@elementwise(accepts="floating: hardswish_cpu",
             samples=[case(arr(A34, -2.9, 2.9)), case(arr(A34, 3.1, 5))], public="nn.functional",
             switch=True, inplace=False)  # fmt: skip
def hardswish(input: Any) -> Any:
    """silu made of straight lines: `y = x * min(max(x + 3, 0), 6) / 6`. Howard et al., 2019,
    arXiv:1905.02244.

    >>> F.hardswish(torch.tensor([-4.0, -1.0, 4.0]))
    tensor([-0.0000, -0.3333,  4.0000])
    """
    return input * minimum(maximum(input + 3, 0), 6) / 6


hardswish.vjp(lambda g, _y, x: where(x <= -3, 0.0, g * where(x < 3, x / 3 + 0.5, 1.0)))


@elementwise(samples=[case(arr(A34, -0.4, 0.4)), case(arr(A34, 0.6, 2))], inplace=False, public="")
def hardshrink(input: Any, *, lambd: float = 0.5) -> Any:
    """x where |x| > lambd, else 0."""
    return where((input >= -lambd) & (input <= lambd), 0.0, input)


hardshrink.vjp(lambda g, _y, x, *, lambd: where((x >= -lambd) & (x <= lambd), 0.0, g))


@composite(
    accepts="floating: hardshrink_cpu",
    name="hardshrink",
    adapt=True,
    public="torch Tensor nn.functional",
    samples=[case(arr(A34, 0.6, 2)), case(arr(A34, -0.4, 0.4), 0.3)],
)
def _hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """`y = x` where |x| > lambd, else 0.

    lambd: 0.5 by default; of narrow types it is rounded as the elements are.

    >>> F.hardshrink(torch.tensor([-1.0, 0.3, 2.0]))
    tensor([-1.,  0.,  2.])
    """
    need_tensor("hardshrink", input)
    if input._a.dtype in dtypes.LOW_NP:
        lambd = float(np.asarray(lambd, input._a.dtype))
    return hardshrink.call((input,), {"lambd": float(lambd)})


@elementwise(accepts="floating: softshrink_check",
             samples=[case(arr(A34, -0.4, 0.4)), case(arr(A34, 0.6, 2))], public="nn.functional",
             inplace=False, prepare=not_negative)  # fmt: skip
def softshrink(input: Any, *, lambd: float = 0.5) -> Any:
    """Each element, moved towards 0 by lambd: `y = x - lambd` where x > lambd, `x + lambd` where x
    < -lambd, else 0.

    lambd: 0.5 by default; RuntimeError where it is negative.

    >>> F.softshrink(torch.tensor([-1.0, 0.3, 2.0]))
    tensor([-0.5000,  0.0000,  1.5000])
    """
    return input - minimum(maximum(input, -lambd), lambd)


softshrink.vjp(lambda g, _y, x, *, lambd: where((x >= -lambd) & (x <= lambd), 0.0, g))


@elementwise(samples=real(-3, 3), public="", inplace=False, holomorphic=True)
def tanhshrink(input: Any) -> Any:
    """x - tanh(x)."""
    return input - tanh(input)


@tanhshrink.vjp
def _(g: Any, _y: Any, x: Any) -> Any:
    t = tanh(x)
    return g * (t * t)


@elementwise(samples=[case(arr(A34, 0.2, 3)), case(arr(A34, -3, -0.2))], public="")
def softsign(input: Any) -> Any:
    """x / (1 + |x|)."""
    return input / (magnitude(input) + 1)


@softsign.vjp
def _(g: Any, _y: Any, x: Any) -> Any:
    r = 1 / (magnitude(x) + 1)
    return g * (r * r)


# -- along a dimension ---------------------------------------------------------------------------


def check_halves(input: Any, dim: int) -> int:
    """The dimension in range, which must have an even size."""
    if input.ndim == 0:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    d = axis(dim, input.ndim)
    if input.shape[d] % 2:
        raise RuntimeError(
            message(
                f"Halving dimension must be even, but dimension {d} is size {input.shape[d]}",
                got=f"input {tuple(input.shape)}, dim={dim}",
            )
        )
    return d


def glu_shape(x: Any, *, dim: int = -1) -> MetaArray:
    """The shape of half of a dimension."""
    d = check_halves(x, dim)
    return MetaArray((*x.shape[:d], x.shape[d] // 2, *x.shape[d + 1 :]), x.dtype)


@op(accepts="floating: glu_cpu",
    samples=[case((3, 4)), case((4, 3), dim=0)], public="nn.functional", fresh=True,
    errors=[error(RuntimeError, "must be even, but dimension 1 is size 3", (2, 3))])  # fmt: skip
def glu(input: Any, *, dim: int = -1) -> Any:
    """The gated linear unit: the first half of a dimension times the sigmoid of the second half.

    input (*, 2n, *), with 2n at `dim` (-1 by default); the result (*, n, *). RuntimeError where the
    size is odd. Dauphin et al., 2016, arXiv:1612.08083.

    >>> F.glu(torch.tensor([[1.0, 2.0, 0.0, 100.0]]))
    tensor([[0.5000, 2.0000]])
    """
    check_halves(input, dim)
    a, b = halves(input, dim)
    return a * sigmoid(b)


glu.shape(glu_shape)


def halves(x: Any, dim: int) -> tuple[Any, Any]:
    d = dim % x.ndim
    n = x.shape[d] // 2
    before = (slice(None),) * d
    return x[(*before, slice(0, n))], x[(*before, slice(n, None))]


@glu.vjp
def _(g: Any, _y: Any, x: Any, *, dim: int) -> Any:
    a, b = halves(x, dim)
    s = sigmoid(b)
    left = g * s
    return cat(left, left * (a * (1 - s)), dim=dim)
