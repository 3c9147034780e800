"""What every family uses: broadcasting of parameters, probabilities and logits, lazy properties.

Not here: the base class (`distribution.py`) and the sets that values lie in (`constraints.py`).
"""

from __future__ import annotations

import functools
import numbers
from collections.abc import Callable
from typing import Any

import rushlight as rl

from ..errors import message
from ..tensor import Tensor

__all__ = [
    "broadcast_all",
    "clamp_probs",
    "lazy_property",
    "logits_to_probs",
    "probs_to_logits",
    "tril_matrix_to_vec",
    "vec_to_tril_matrix",
]

euler_constant = 0.57721566490153286060


def is_number(value: Any) -> bool:
    """Whether a parameter was given as a Python number."""
    return isinstance(value, numbers.Real)


def broadcast_all(*values: Any) -> tuple[Tensor, ...]:
    """Numbers and tensors as tensors of one shape.

    Numbers take the type of the first tensor, or the default type where there is none.

    Raises:
        ValueError: something that is neither.

    Example:
        >>> import rushlight as torch
        >>> [v.shape for v in broadcast_all(1.0, torch.ones(3))]
        [torch.Size([3]), torch.Size([3])]
    """
    tensors = [rl.overrides.is_tensor_like(v) for v in values]
    for value, is_tensor in zip(values, tensors, strict=True):
        if not is_tensor and not is_number(value):
            raise ValueError(
                message(
                    "Input arguments must all be instances of Number, torch.Tensor or objects "
                    "implementing __torch_function__.",
                    type(value).__name__,
                    hint="torch.as_tensor(value)",
                )
            )
    if not all(tensors):
        like = next((v for v in values if isinstance(v, Tensor)), None)
        dtype = rl.get_default_dtype() if like is None else like.dtype
        device = None if like is None else like.device
        values = tuple(
            v if is_tensor else rl.as_tensor(v, dtype=dtype, device=device)
            for v, is_tensor in zip(values, tensors, strict=True)
        )
    return tuple(rl.broadcast_tensors(*values))


def common_parameters(*values: Any) -> tuple[Any, ...]:
    """`broadcast_all`, with the batch shape in front: () when all of them were numbers."""
    made = broadcast_all(*values)
    shape = rl.Size() if all(is_number(v) for v in values) else made[0].size()
    return shape, *made


def one_of(probs: Any, logits: Any) -> None:
    """Raise ValueError unless exactly one of the two is given."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Probabilities of logits: sigmoid of each where `is_binary`, else softmax of the last dim."""
    return rl.sigmoid(logits) if is_binary else rl.softmax(logits, dim=-1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities kept a rounding error away from 0 and 1."""
    eps = rl.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Logits of probabilities: log odds of each where `is_binary`, else logarithms."""
    p = clamp_probs(probs)
    return rl.log(p) - rl.log1p(-p) if is_binary else rl.log(p)


def _standard_normal(shape: Any, dtype: Any, device: Any = None) -> Tensor:
    return rl.empty(shape, dtype=dtype, device=device).normal_()


def _sum_rightmost(value: Any, dim: int) -> Any:
    """The sum over the last `dim` dimensions."""
    return value.reshape((*value.shape[:-dim], -1)).sum(-1) if dim else value


def tiny(t: Tensor) -> float:
    """The smallest normal number of a tensor's type."""
    return float(rl.finfo(t.dtype).tiny)


class lazy_property:
    """A property computed when first read, with gradients on, and kept in the instance.

    Example:
        >>> class Square:
        ...     @lazy_property
        ...     def area(self):
        ...         print("computed")
        ...         return 4
        >>> square = Square()
        >>> square.area, square.area
        computed
        (4, 4)
    """

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return _lazy_property_and_property(self.wrapped)
        with rl.enable_grad():
            value = self.wrapped(instance)
        instance.__dict__[self.wrapped.__name__] = value
        return value


class _lazy_property_and_property(lazy_property, property):
    """What reading a lazy property on a class gives: a property, for documentation tools."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        property.__init__(self, wrapped)


def _below(n: int, diag: int, device: Any) -> Tensor:
    places = rl.arange(n, device=device)
    return places < places.view(-1, 1) + (diag + 1)


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The lower triangle of (..., n, n), up to diagonal `diag`, row by row."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., _below(n, diag, mat.device)]


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """The inverse of `tril_matrix_to_vec`: zeros above the diagonal `diag`."""
    b, size = 1 + 2 * diag, vec.shape[-1]
    n = (-b + (b**2 + 8 * size + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2
    if round(n) - n > rl.finfo(vec.dtype).eps:
        raise ValueError(
            f"The size of last dimension is {size} which cannot be expressed as "
            "the lower triangular part of a square D x D matrix."
        )
    mat = vec.new_zeros((*vec.shape[:-1], round(n), round(n)))
    mat[..., _below(round(n), diag, vec.device)] = vec
    return mat
