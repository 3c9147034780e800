"""Errors of tensors that may not be used as others: inference tensors outside of inference_mode
(decision 0006), operands that have no gradient, and views whose changes in place cannot be
followed.

Inference tensors are told by their note (`node.InferenceCut`), which the door gives them, such
views by `View.made`.
"""

from __future__ import annotations

import re
from typing import Any

from ..errors import message
from . import door
from .lines import show_line
from .node import LEAF, Out
from .views import QUIET

CLONE = "t.clone(), which is an ordinary tensor; or torch.no_grad() in place of inference_mode()"


def made(t: Any) -> str:
    """What tensor it is, and where it comes from."""
    cut = door.cut_of(t._x)
    where = "an unknown line" if cut is None else show_line(cut.code, cut.lasti)
    return f"a tensor of shape {tuple(t._a.shape)}, made inside the inference_mode of {where}"


def check_fixed(name: str, *named: tuple[str, Any], hint: str | None = None) -> None:
    """RuntimeError for a tensor that requires a gradient of which the operation `name` has none."""
    for argument, t in named:
        if t is not None and t._fn is not None and door.state.enabled:
            other = "" if hint is None else f", or {hint}"
            raise RuntimeError(
                message(
                    f"The function '{name}' is not differentiable with respect to argument "
                    f"'{argument}'. This input cannot have requires_grad True.",
                    hint=f"{argument}.detach(){other}",
                )
            )


def saved_error(name: str, t: Any) -> RuntimeError:
    """Of an inference tensor that a recorded operation would have to keep."""
    return RuntimeError(
        message(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
            "inference mode in computation tracked by autograd.",
            got=f"{made(t)}, as an operand of {name}",
            wanted="ordinary tensors where a gradient is asked for",
            hint=CLONE,
        )
    )


def inplace_error(name: str, t: Any) -> RuntimeError:
    """Of an inference tensor that is changed in place outside."""
    return RuntimeError(
        message(
            "Inplace update to inference tensor outside InferenceMode is not allowed. You can make "
            "a clone to get a normal tensor before doing inplace update.",
            got=f"{name} on {made(t)}",
            wanted="an ordinary tensor, or the change inside torch.inference_mode()",
            hint=CLONE,
        )
    )


def requires_grad_error(t: Any) -> RuntimeError:
    """Of an inference tensor that is made to require a gradient outside."""
    return RuntimeError(
        message(
            "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
            got=made(t),
            wanted="an ordinary tensor",
            hint=CLONE,
        )
    )


def version_error(t: Any) -> RuntimeError:
    """Of the version of an inference tensor."""
    return RuntimeError(
        message(
            "Inference tensors do not track version counter.",
            got=made(t),
            hint=CLONE,
        )
    )


ASIDE = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your "
    "code by moving both the view and the inplace either both inside the {block} block (if you "
    "don't want the inplace to be tracked) or both outside (if you want the inplace to be tracked)."
)
# How a view was made: the words of PyTorch's errors, and why it may not be changed.
MADE = {
    "no_grad": ("no_grad mode", " with grad mode enabled", ASIDE.format(block="no_grad")),
    "inference": ("inference mode", " in normal mode", ASIDE.format(block="inference_mode")),
    "several": (
        "no_grad mode",
        " with grad mode enabled",
        "This view is the output of a function that returns multiple views. Such functions do not "
        "allow the output views to be modified inplace.",
    ),
    "function": (
        "no_grad mode",  # without a node, the view was made where nothing is recorded
        " with grad mode enabled",
        "This view was created inside a custom Function (or because an input was returned as-is) "
        "and the autograd logic to handle view+inplace would override the custom backward "
        "associated with the custom Function, leading to incorrect gradients. This behavior is "
        "forbidden.",
    ),
}
HINTS = {
    "several": "replace the inplace operation by an out-of-place one, or index the tensor instead",
    "function": "You can fix this by cloning the output of the custom Function.",
}


def view_error(t: Any, name: str | None) -> RuntimeError:
    """Of a view that is changed in place by `name`; None: its base was, or another view of it."""
    made, fn = t._v.made, t._fn
    mode, where, why = MADE[made]
    changed = "is being" if name else "its base or another view of its base has been"
    if fn is None or fn is LEAF:
        what = f"A view was created in {mode} and {changed} modified inplace{where}."
    else:
        node, nr = (fn.node, fn.nr) if fn.__class__ is Out else (fn, 0)
        made_by = re.sub(r"Backward\d*$", "", node.name())
        twice = made in QUIET  # a view that was recorded of one that was not
        kind = f"a view of a view which was created in {mode}" if twice else "a view"
        what = f"Output {nr} of {made_by} is {kind} and {changed} modified inplace"
        what += f"{where if twice else ''}."
    return RuntimeError(
        message(
            f"{what} {why}",
            got=f"{name or 'a use'} of a view of shape {tuple(t._a.shape)}",
            hint=HINTS.get(made, "t.clone() in place of the view"),
        )
    )
