"""Functions that PyTorch has in `torch._refs` and nowhere else, in terms of public ones."""

from __future__ import annotations

from typing import Any

from rushlight.ops.elementwise.arithmetic_public import with_out

__all__ = [
    "T",
    "alias",
    "cauchy",
    "copy_to",
    "exponential",
    "geometric",
    "log_normal",
    "rfloordiv",
    "rpow",
    "rtruediv",
    "swap_axes",
    "trunc_divide",
    "zero",
]


def T(a: Any) -> Any:
    """`a.T` of a matrix; RuntimeError for more dimensions, or one."""
    if a.ndim not in (0, 2):
        raise RuntimeError(
            "The use of `x.T` on tensors of dimension other than 0 or 2 to reverse their shape is "
            "not supported."
        )
    return a.T


def alias(a: Any) -> Any:
    """A view of all of `a`."""
    return a.view_as(a)


def copy_to(a: Any, b: Any, *, allow_cross_device: bool = True) -> Any:
    """`a.copy_(b)`; RuntimeError for another device where that is not allowed."""
    if not allow_cross_device and a.device != b.device:
        raise RuntimeError(
            f"Attempting to copy from device {b.device} to device {a.device}, but cross-device "
            "copies are not allowed!"
        )
    return a.copy_(b)


def swap_axes(a: Any, dim0: int, dim1: int) -> Any:
    """`a.transpose(dim0, dim1)`."""
    return a.transpose(dim0, dim1)


def rpow(a: Any, b: Any) -> Any:
    """`b ** a`."""
    return b**a


def rtruediv(a: Any, b: Any) -> Any:
    """`b / a`."""
    return b / a


def rfloordiv(a: Any, b: Any) -> Any:
    """`b // a`."""
    return b // a


def trunc_divide(a: Any, b: Any, *, out: Any = None) -> Any:
    """`a / b`, rounded towards zero."""
    from rushlight.ops.elementwise.arithmetic_public import div

    return div(a, b, rounding_mode="trunc", out=out)


def zero(input: Any, *, out: Any = None) -> Any:
    """Zeros in the shape of `input`."""
    return with_out("zero", input.clone().zero_(), out)


# -- numbers that do not depend on those of the tensor ---------------------------------------------


def cauchy(
    self: Any, median: float = 0, sigma: float = 1, generator: Any = None, *, out: Any = None
) -> Any:
    """The numbers of `self.cauchy_(median, sigma)` in a new tensor."""
    made = self.detach().clone().cauchy_(median, sigma, generator=generator)
    return with_out("cauchy", made, out)


def exponential(self: Any, rate: float = 1, generator: Any = None, *, out: Any = None) -> Any:
    """The numbers of `self.exponential_(rate)` in a new tensor."""
    made = self.detach().clone().exponential_(rate, generator=generator)
    return with_out("exponential", made, out)


def geometric(self: Any, p: float, generator: Any = None, *, out: Any = None) -> Any:
    """The numbers of `self.geometric_(p)` in a new tensor."""
    made = self.detach().clone().geometric_(p, generator=generator)
    return with_out("geometric", made, out)


def log_normal(
    self: Any, mean: float = 1, std: float = 2, generator: Any = None, *, out: Any = None
) -> Any:
    """The numbers of `self.log_normal_(mean, std)` in a new tensor."""
    made = self.detach().clone().log_normal_(mean, std, generator=generator)
    return with_out("log_normal", made, out)
