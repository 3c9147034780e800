"""`cond`: the branch that is chosen is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.autograd.node import TensorBase
from rushlight.errors import message


def decided(pred: Any) -> bool:
    """A condition as a bool."""
    if isinstance(pred, TensorBase):
        if pred.numel() != 1:  # type: ignore[attr-defined]
            raise RuntimeError(
                message(
                    f"Expected pred to be bool or single-element tensor, but got {pred}.",
                    hint="pred.all() or pred.any(); torch.where chooses element by element",
                )
            )
        return bool(pred)
    if not isinstance(pred, (bool, int, float)):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    return bool(pred)


def cond(
    pred: Any,
    true_fn: Callable[..., Any],
    false_fn: Callable[..., Any],
    operands: tuple[Any, ...] | list[Any] = (),
) -> Any:
    """`true_fn(*operands)` if `pred`, else `false_fn(*operands)`.

    Args:
        pred: a bool, or a tensor of one element.
        true_fn: called if it is true.
        false_fn: called otherwise.
        operands: what both take.

    Raises:
        RuntimeError: a tensor of several elements, or what is neither bool nor tensor.

    >>> x = torch.tensor([1.0, 4.0])
    >>> torch.cond(x.sum() > 3, torch.sqrt, torch.neg, (x,))
    tensor([1., 2.])
    """
    return (true_fn if decided(pred) else false_fn)(*operands)
