"""Gamma, Dirichlet and binomial random tensors: what `torch.distributions` draws from.

PyTorch's private names (`_standard_gamma`, `_sample_dirichlet`) and the public `binomial`. Gamma
and Dirichlet numbers have a derivative with respect to their parameters, the implicit one of
`kernels/random/gamma_derivative.py`. The numbers come from `kernels/random/rejection.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd import door
from ...dtypes import type_name
from ...errors import message
from ...kernels.meta import MetaArray
from ...kernels.random import gamma_derivative, rejection
from ...kernels.random.mersenne_twister import Twister
from ..core.composite import composite
from ..core.derivative import unwritten
from ..core.record import Op
from ..core.samples import arr, case, values
from .fill import REAL_FLOATS, check, drawing, needs, stream


def _rounded(values: np.ndarray, dtype: np.dtype, largest: float | None = None) -> np.ndarray:
    """In the type asked for, and away from 0, where logarithms end."""
    info = np.finfo(dtype)
    low = np.maximum(values.astype(dtype), info.tiny)
    return low if largest is None else np.minimum(low, np.nextafter(dtype.type(largest), 0))


# ------------------------------------------------------------------------------------------- gamma


def _gamma_slope(input: np.ndarray, output: np.ndarray) -> np.ndarray:
    return gamma_derivative.gamma_slope(input, output).astype(input.dtype)


def _beta_slope(x: np.ndarray, alpha: np.ndarray, total: np.ndarray) -> np.ndarray:
    wide = total.astype(np.float64) - alpha
    slope = gamma_derivative.beta_slope(alpha, wide, x) / (1.0 - x.astype(np.float64))
    return slope.astype(x.dtype)


def _slope(name: str, fn: Any, inputs: int) -> Op:
    record = Op(fn, "op", name=name, public="", fresh=True)
    record.shape(lambda a, *_rest: MetaArray(a.shape, a.dtype))
    return record.vjp(*[unwritten(name)] * inputs)


_gamma_grad = _slope("_standard_gamma_grad", _gamma_slope, 2)
_dirichlet_grad_op = _slope("_dirichlet_grad", _beta_slope, 3)


def _draw_gamma(input: np.ndarray, *, rng: Twister) -> np.ndarray:
    return _rounded(rng.draw(rejection.standard_gamma, input, rng), input.dtype)


_gamma = Op(
    _draw_gamma, "op", name="_standard_gamma", public="", fresh=True, mutates=("rng",),
    node="StandardGammaBackward0",
)  # fmt: skip
_gamma.shape(lambda a, **_kw: MetaArray(a.shape, a.dtype))
_gamma.vjp(lambda g, y, input: g * _gamma_grad(input, y))


@composite(
    public="torch",
    name="_standard_gamma",
    random=True,
    smooth=False,
    samples=[case(arr((3, 4), 0.5, 3))],
)
def standard_gamma(input: Any, generator: Any = None) -> Any:
    """A gamma number of rate 1 for each shape parameter, differentiable in it.

    Source: Marsaglia and Tsang, A simple method for generating gamma variables, 2000; gradient by
    Figurnov et al., Implicit reparameterization gradients, 2018.

    >>> _ = torch.manual_seed(0)
    >>> torch._standard_gamma(torch.tensor([0.5, 2.0, 100.0]))
    tensor([7.8936e-04, 6.3154e-01, 1.0128e+02])
    """
    needs(input, REAL_FLOATS, "gamma")
    return door.apply(_gamma, (input,), {"rng": stream(generator, "_standard_gamma")})


def _of_one_type(first: Any, *others: Any) -> None:
    for t in others:
        if t._a.dtype != first._a.dtype:
            raise RuntimeError(
                message(
                    f"Found dtype {type_name(t.dtype)} but expected {type_name(first.dtype)}",
                    hint="operands of one type",
                )
            )


@composite(
    accepts="floating: _standard_gamma_grad_cpu",
    public="torch",
    name="_standard_gamma_grad",
    smooth=False,
    samples=[case(arr((3,), 0.5, 3), arr((3,), 0.5, 3))],
)
def standard_gamma_grad(input: Any, output: Any) -> Any:
    """How a gamma number moves with its shape parameter: the derivative of `output` by `input` with
    the share of the distribution below it kept.

    >>> torch._standard_gamma_grad(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0]))
    tensor([1.1736, 1.0862])
    """
    _of_one_type(input, output)
    return _gamma_grad(input, output)


# --------------------------------------------------------------------------------------- dirichlet


def _draw_dirichlet(input: np.ndarray, *, rng: Twister) -> np.ndarray:
    drawn = rng.draw(rejection.dirichlet, input.astype(np.float64), rng)
    return _rounded(drawn, input.dtype, 1.0)


_dirichlet = drawing("_sample_dirichlet", _draw_dirichlet)

_dirichlet_path = Op(
    _draw_dirichlet, "op", name="dirichlet", public="", fresh=True, mutates=("rng",),
    node="_DirichletBackward",
)  # fmt: skip
_dirichlet_path.shape(lambda a, **_kw: MetaArray(a.shape, a.dtype))


def _dirichlet_rule(g: Any, y: Any, input: Any) -> Any:
    total = input.sum(-1, keepdims=True) + input * 0
    return _dirichlet_grad_op(y, input, total) * (g - (y * g).sum(-1, keepdims=True))


_dirichlet_path.vjp(_dirichlet_rule)


@composite(
    public="torch",
    name="_sample_dirichlet",
    random=True,
    smooth=False,
    samples=[case(arr((3, 4), 0.5, 3))],
)
def sample_dirichlet(input: Any, generator: Any = None) -> Any:
    """A point of the simplex for each row of concentrations; without a derivative.

    >>> torch._sample_dirichlet(torch.tensor([[1.0, 2.0, 3.0]])).sum(-1)
    tensor([1.])
    """
    needs(input, REAL_FLOATS, "dirichlet")
    return door.apply(_dirichlet, (input,), {"rng": stream(generator, "_sample_dirichlet")})


def dirichlet_path(input: Any) -> Any:
    """`sample_dirichlet` with the implicit derivative in its concentrations."""
    needs(input, REAL_FLOATS, "dirichlet")
    return door.apply(_dirichlet_path, (input,), {"rng": stream(None, "_sample_dirichlet")})


@composite(
    accepts="floating: _dirichlet_grad_cpu",
    public="torch",
    name="_dirichlet_grad",
    smooth=False,
    samples=[case(arr((2, 3), 0.2, 0.4), arr((2, 3), 0.5, 1), values([[2.0], [2.5]]))],
)
def dirichlet_grad(x: Any, alpha: Any, total: Any) -> Any:
    """How a component x of a Dirichlet number moves with its own concentration, over 1 - x.

    >>> x, alpha, total = torch.tensor([[0.2]]), torch.tensor([[0.5]]), torch.tensor([[2.0]])
    >>> torch._dirichlet_grad(x, alpha, total)
    tensor([[0.6860]])
    """
    _of_one_type(x, alpha, total)
    return _dirichlet_grad_op(x, alpha, total)


# ---------------------------------------------------------------------------------------- binomial


def _draw_binomial(count: np.ndarray, prob: np.ndarray, *, rng: Twister) -> np.ndarray:
    counts, probs = np.broadcast_arrays(count.astype(np.float64), prob.astype(np.float64))
    return rng.draw(rejection.binomial, counts, probs, rng).astype(count.dtype)


_binomial = drawing("binomial", _draw_binomial, inputs=2)
_binomial.shape(
    lambda count, prob, **_kw: MetaArray(np.broadcast_shapes(count.shape, prob.shape), count.dtype)
)


@composite(
    public="torch",
    random=True,
    smooth=False,
    samples=[case(values([3.0, 5.0]), values([0.3, 0.6]))],
)
def binomial(count: Any, prob: Any, generator: Any = None) -> Any:
    """Numbers of successes among `count` trials of probability `prob`.

    Source: Hormann, The generation of binomial random variates, 1993.

    Args:
        count, prob: floating tensors of one type, broadcast together.

    Raises:
        RuntimeError: two types.

    Example:
        >>> import rushlight as torch
        >>> torch.binomial(torch.tensor([4.0, 7.0]), torch.tensor([0.0, 1.0]))
        tensor([0., 7.])
    """
    for name, x in (("count", count), ("prob", prob)):
        if not x.dtype.is_floating_point:
            raise ValueError(
                f"binomial only supports floating-point dtypes for {name}, got: "
                f"{type_name(x.dtype)}"
            )
    needs(count, REAL_FLOATS, "binomial_cpu")
    check(
        count.dtype is prob.dtype,
        "Found dtype that differs: count and prob of binomial must be of one type: expected scalar "
        f"type {type_name(count.dtype)} but found {type_name(prob.dtype)}",
    )
    return door.apply(_binomial, (count, prob), {"rng": stream(generator, "binomial")})
