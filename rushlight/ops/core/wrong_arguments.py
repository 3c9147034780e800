"""What to say of arguments that are not what was asked for.

Something that stands where a tensor belongs: what it is, and how to make one. A name that no
argument has: which one was perhaps meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...autograd.node import TensorBase
from ...errors import message

DIMS = ("axis", "axes", "dims", "dimension")


def unexpected(name: str, argument: str, known: Iterable[str]) -> str:
    """The text about an argument that a function has not, with the nearest name of its own."""
    import difflib

    known = list(known)
    near = difflib.get_close_matches(argument, known, 1, 0.6)
    if argument in DIMS and "dim" in known:
        near = ["dim"]
    what = f"{name}() got an unexpected keyword argument '{argument}'"
    return message(what, hint=f"{near[0]}=" if near else None)


def name_nearest(
    error: TypeError, own: str, name: str, kw: dict[str, Any], known: Iterable[str]
) -> None:
    """Give Python's error about a function's arguments its public name in place of its `own` one,
    and, if it is about the name of an argument, the nearest one that there is."""
    text = str(error).partition(". Did you mean")[0]  # Python 3.13 has an idea of its own
    for argument in kw:
        if text == f"{own}() got an unexpected keyword argument '{argument}'":
            error.args = (unexpected(name, argument, known),)
            return
    if own != name and text.startswith(f"{own}() "):
        error.args = (name + text.removeprefix(own),)


def refused(name: str, argument: str, where: str, x: Any) -> TypeError:
    """The TypeError, in PyTorch's words: `where` is the place of the argument, " (position 1)"."""
    got, hint = advice(x)
    what = f"{name}(): argument '{argument}'{where} must be Tensor, not {type(x).__name__}"
    return TypeError(message(what, got, hint=hint))


def advice(x: Any) -> tuple[str | None, str | None]:
    """What `x` is, and what to do about it."""
    if isinstance(x, np.ndarray):
        make = "torch.from_numpy(x)"
        if x.dtype == np.float64:
            make += ".float(), as NumPy's numbers are float64 and those of layers float32"
        return f"an array of shape {x.shape} and type {x.dtype}", make
    if x is None:
        return None, "a return in the function or forward that it comes from"
    if isinstance(x, (list, tuple)):
        tensors = [part for part in x if isinstance(part, TensorBase)]
        if not tensors:
            return repr(x)[:60], "torch.tensor(x)"
        parts = ", ".join(_brief(part) for part in x[:4]) + (", ..." if len(x) > 4 else "")
        hint = "one of them, x[0] (a recurrent layer returns its output and its state)"
        if len(tensors) == len(x) and len({t.shape for t in tensors}) == 1:
            hint = "torch.stack(x) or torch.cat(x) for all, x[0] for one of them"
        return f"a {type(x).__name__} of {len(x)}: {parts}", hint
    if isinstance(x, dict):
        return f"a dict with the keys {list(x)[:4]}", "the value that is meant, x[key]"
    if isinstance(x, type):
        return f"the class {x.__name__}", "something made of it"
    if hasattr(x, "state_dict"):
        return f"the module {type(x).__name__}", "calling it: layer(x)"
    if hasattr(x, "to_numpy"):  # pandas
        return f"a {type(x).__name__}", "torch.tensor(x.to_numpy())"
    if hasattr(x, "convert") and hasattr(x, "getbands"):  # pillow
        return f"an image of size {x.size} and mode {x.mode}", "transforms.ToTensor()(x)"
    if isinstance(x, str):
        return repr(x)[:60], "numbers in place of text, such as labels.index(x)"
    if isinstance(x, (bool, int, float, complex, np.generic)):
        return repr(x)[:60], "torch.tensor(x)"
    return None, None


def _brief(part: Any) -> str:
    if isinstance(part, TensorBase):
        return f"Tensor {tuple(part.shape)}"
    return type(part).__name__
