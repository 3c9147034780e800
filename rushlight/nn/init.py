"""Initialisation of parameters: distributions scaled to the layer they fill.

Every function fills its tensor in place, records no gradient and returns the tensor. All of them
draw from `uniform_` and `normal_`, so a seed gives PyTorch's numbers.

Read next: `modules/linear.py`, where they are used.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import rushlight

from ..autograd.grad_mode import no_grad as _no_grad
from ..errors import message as _message
from ..tensor import Tensor

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

_LINEAR = (
    "linear",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "sigmoid",
)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that keeps the variance through a nonlinearity.

    1 for linear and sigmoid, 5/3 for tanh, √2 for relu, √(2 / (1 + slope²)) for leaky_relu
    (`param` is the slope, 0.01 by default), 3/4 for selu.

    >>> nn.init.calculate_gain("leaky_relu", 1.0)
    1.0
    """
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            slope: float = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with numbers drawn uniformly from [a, b).

    All of `nn.init` write in place, without a history, and return the tensor; `generator` draws the
    numbers, the default one unless given.

    >>> w = nn.init.uniform_(torch.empty(3, 5), -0.1, 0.1)
    >>> bool((w.abs() <= 0.1).all())
    True
    """
    with _no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with numbers from the normal distribution N(mean, std²).

    >>> w = nn.init.normal_(torch.empty(100, 100), std=0.02)
    >>> round(w.std().item(), 3)
    0.02
    """
    with _no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with `val`.

    >>> nn.init.constant_(torch.empty(2), 0.5)
    tensor([0.5000, 0.5000])
    """
    with _no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with 1.

    >>> nn.init.ones_(torch.empty(2))
    tensor([1., 1.])
    """
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with 0.

    >>> nn.init.zeros_(torch.empty(2))
    tensor([0., 0.])
    """
    with _no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity: y = W x then passes the inputs on. ValueError unless 2-d.

    >>> nn.init.eye_(torch.empty(2, 3))
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with _no_grad():
        return tensor.copy_(rushlight.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill the weight of a convolution so that it passes channels through (in each of `groups`).

    `tensor` (O, C, *K), of 3, 4 or 5 dimensions, O a multiple of `groups`: 1 in the middle of the
    kernel where output and input channel are the same, 0 elsewhere.

    >>> nn.init.dirac_(torch.empty(2, 2, 3))
    tensor([[[0., 1., 0.],
             [0., 0., 0.]],
    <BLANKLINE>
            [[0., 0., 0.],
             [0., 1., 0.]]])
    """
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    out, inner = tensor.shape[:2]
    if out % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    if tensor.device.type == "meta":
        return tensor
    each = out // groups
    middle = tuple(size // 2 for size in tensor.shape[2:])
    with _no_grad():
        tensor.zero_()
        for g in range(groups):
            for d in range(min(each, inner)):
                tensor[(g * each + d, d, *middle)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many inputs one output has, and how many outputs one input has."""
    if hasattr(tensor, "parameters"):
        what = f"'{type(tensor).__name__}' object has no attribute 'shape'"
        hint = "init(layer.weight); in module.apply(fn), for layers that have one"
        raise AttributeError(_message(what, f"the module {type(tensor).__name__}", hint=hint))
    shape = tensor.shape
    if len(shape) < 2:
        raise ValueError(
            _message(
                "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
                got=f"shape {tuple(shape)}",
                hint="nn.init.zeros_ or uniform_ for biases and the like",
            )
        )
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    modes = ["fan_in", "fan_out"]
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Uniform in ±gain·√(6 / (fan_in + fan_out)).

    Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural
    networks", 2010.

    >>> w = nn.init.xavier_uniform_(torch.empty(3, 5))
    >>> bool((w.abs() <= (6 / 8) ** 0.5).all())
    True
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    a = math.sqrt(3.0) * std
    return uniform_(tensor, -a, a, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Normal with std = gain·√(2 / (fan_in + fan_out)); see `xavier_uniform_`.

    >>> w = nn.init.xavier_normal_(torch.empty(300, 500))
    >>> round(w.std().item(), 2)  # √(2 / 800)
    0.05
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float | None:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Uniform in ±gain·√(3 / fan), where `gain` belongs to `nonlinearity` (`a`: leaky slope).

    `mode`: "fan_in" keeps the variance forward, "fan_out" backward. For a weight (out, in, *K)
    fan_in is in times the kernel's size. He et al., "Delving deep into rectifiers", 2015.

    >>> w = nn.init.kaiming_uniform_(torch.empty(3, 6), nonlinearity="relu")
    >>> bool((w.abs() <= 1.0).all())  # √2·√(3 / 6)
    True
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    if std is None:
        return tensor
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """Normal with std = gain / √fan; see `kaiming_uniform_`.

    >>> w = nn.init.kaiming_normal_(torch.empty(300, 200), nonlinearity="relu")
    >>> round(w.std().item(), 2)  # √(2 / 200)
    0.1
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0, std, generator)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Tensor:
    """Normal N(mean, std²), redrawn until every number lies in [a, b].

    Where [a, b] holds little of the distribution, numbers drawn uniformly from it are accepted
    in proportion to the density instead.

    >>> w = nn.init.trunc_normal_(torch.empty(100, 100), std=1.0, a=-0.5, b=0.5)
    >>> bool((w.abs() <= 0.5).all())
    True
    """
    if tensor.device.type == "meta":
        return tensor

    def cdf(x: float) -> float:
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    with _no_grad():
        if cdf((b - mean) / std) - cdf((a - mean) / std) > 0.3:
            return _redraw_normal(tensor, mean, std, a, b, generator)
        return _accept_uniform(tensor, mean, std, a, b, generator)


def _redraw_normal(tensor: Any, mean: Any, std: Any, a: Any, b: Any, generator: Any) -> Tensor:
    # The bounds as the tensor's dtype has them, or rounding could put a number just outside.
    low, high = (tensor.new_tensor(bound).item() for bound in (a, b))
    result = tensor.normal_(mean, std, generator=generator)
    while (outside := (result < low) | (result > high)).any():
        again = rushlight.empty_like(result).normal_(mean, std, generator=generator)
        result = rushlight.where(outside, again, result)
    return tensor if result is tensor else tensor.copy_(result)


def _accept_uniform(tensor: Any, mean: Any, std: Any, a: Any, b: Any, generator: Any) -> Tensor:
    mode = max(a, min(mean, b))
    log_peak = -0.5 * ((mode - mean) / std) ** 2
    chance = rushlight.empty_like(tensor)

    def log_density(x: Any) -> Any:
        return x.clone().sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(log_peak)

    def rejected(x: Any) -> Any:
        density = log_density(x)
        return chance.uniform_(generator=generator).log_() > density

    result = tensor.uniform_(a, b, generator=generator).clone()
    pending = rejected(result)
    candidates = rushlight.empty_like(tensor)
    while pending.any():
        candidates.uniform_(a, b, generator=generator)
        result = rushlight.where(pending, candidates, result)
        pending = rushlight.where(pending, rejected(candidates), pending)
    return tensor.copy_(result)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Fill with a (semi-)orthogonal matrix: rows, or columns, are orthonormal times `gain`.

    Dimensions after the first are flattened. Saxe et al., "Exact solutions to the nonlinear
    dynamics of learning in deep linear neural networks", 2013.

    >>> w = nn.init.orthogonal_(torch.empty(2, 3, dtype=torch.float64))
    >>> torch.allclose(w @ w.T, torch.eye(2, dtype=torch.float64))
    True
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0 or tensor.device.type == "meta":
        return tensor
    rows = tensor.shape[0]
    cols = tensor.numel() // rows
    with _no_grad():
        flat = tensor.new_empty((rows, cols)).normal_(0, 1, generator=generator)
        q, r = rushlight.linalg.qr(flat.T if rows < cols else flat)
        q = q * rushlight.diag(r, 0).sign()  # makes the decomposition unique, so q is uniform
        tensor.copy_((q.T if rows < cols else q).reshape(tensor.shape))
        return tensor.mul_(gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Normal with `std`, and in every column the fraction `sparsity` of the rows set to 0.

    Martens, "Deep learning via Hessian-free optimization", 2010.

    >>> w = nn.init.sparse_(torch.empty(10, 3), sparsity=0.2)
    >>> (w == 0).sum(dim=0)
    tensor([2, 2, 2])
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    if tensor.device.type == "meta":
        return tensor
    rows, cols = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with _no_grad():
        tensor.normal_(0, std, generator=generator)
        for col in range(cols):
            tensor[rushlight.randperm(rows)[:zeros], col] = 0
    return tensor


OLD_EXAMPLES = {"dirac": "3, 5, 2"}  # other sizes than 3, 5


def _old_name(function: Callable[..., Any]) -> Callable[..., Any]:
    new = function.__name__
    old = new[:-1]
    more = {"constant": ", 2.0", "sparse": ", 0.5"}.get(old, "")

    def deprecated(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    deprecated.__name__ = deprecated.__qualname__ = old
    deprecated.__doc__ = f"""The old name of `{new}`, which warns and does the same.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     w = nn.init.{old}(torch.empty({OLD_EXAMPLES.get(old, "3, 5")}){more})
    >>> w.shape
    torch.Size([{OLD_EXAMPLES.get(old, "3, 5")}])
    """
    return deprecated


uniform = _old_name(uniform_)
normal = _old_name(normal_)
constant = _old_name(constant_)
eye = _old_name(eye_)
dirac = _old_name(dirac_)
xavier_uniform = _old_name(xavier_uniform_)
xavier_normal = _old_name(xavier_normal_)
kaiming_uniform = _old_name(kaiming_uniform_)
kaiming_normal = _old_name(kaiming_normal_)
orthogonal = _old_name(orthogonal_)
sparse = _old_name(sparse_)


# What libraries call by PyTorch's private names.
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_
_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
