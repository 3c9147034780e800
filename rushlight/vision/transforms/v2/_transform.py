"""Transform: what all transforms of whole samples share.

A sample is anything made of tuples, lists and dictionaries. What is to be transformed is found in
it, random numbers are drawn once for all of it, and each thing is transformed by its kind.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....nn import Module
from ....tensor import Tensor
from ....utils._pytree import tree_flatten, tree_unflatten
from ..._pillow import is_pil
from ...tv_tensors import BoundingBoxes, Image, KeyPoints, Mask, Video
from .. import draw
from ..random_geometry import _angles, _sequence
from . import functional as F
from ._boxes import is_pure_tensor
from ._kernels import kernel_of


class Transform(Module):
    """A change of what is in a sample. Subclasses define `transform(inpt, params)`.

    Images, videos, masks, boxes and points are transformed, each by its kind; of plain tensors
    only the first, and none where there is an `Image`, `Video` or Pillow image; the rest passes.
    `make_params(flat_inputs)` may draw what all of them share, `check_inputs(flat_inputs)` refuse
    a sample.

    >>> class Twice(Transform):
    ...     def transform(self, inpt, params):
    ...         return inpt * 2
    >>> Twice()(torch.ones(1), "label")
    (tensor([2.]), 'label')
    """

    _transformed_types: tuple[Any, ...] = (Tensor, is_pil)
    _first: type | None = None  # the class of the first version, for `get_params`

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls._first is not None and hasattr(cls._first, "get_params"):
            cls.get_params = staticmethod(cls._first.get_params)  # type: ignore[attr-defined]

    def check_inputs(self, flat_inputs: list[Any]) -> None:
        """Raise where this transform cannot be used on a sample."""

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        """Random numbers that all of a sample shares."""
        return {}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        """One thing, changed."""
        raise NotImplementedError

    def _call_kernel(self, functional: Any, inpt: Any, *args: Any, **kwargs: Any) -> Any:
        return kernel_of(functional, inpt, passing=True)(inpt, *args, **kwargs)

    def _drawn(self) -> bool:
        """Whether this sample is to be changed at all."""
        return True

    def forward(self, *inputs: Any) -> Any:
        sample = inputs if len(inputs) > 1 else inputs[0]
        leaves, form = tree_flatten(sample)
        self.check_inputs(leaves)
        if not self._drawn():
            return sample
        chosen = self._needs_transform_list(leaves)
        params = self.make_params([x for x, yes in zip(leaves, chosen, strict=True) if yes])
        changed = [
            self.transform(x, params) if yes else x for x, yes in zip(leaves, chosen, strict=True)
        ]
        return tree_unflatten(changed, form)

    def _needs_transform_list(self, flat_inputs: list[Any]) -> list[bool]:
        plain_too = not has_any(flat_inputs, Image, Video, is_pil)
        chosen = []
        for inpt in flat_inputs:
            yes = check_type(inpt, self._transformed_types)
            if yes and is_pure_tensor(inpt):
                yes, plain_too = plain_too, False
            chosen.append(yes)
        return chosen

    def extra_repr(self) -> str:
        told = (bool, int, float, str, tuple, list, enum.Enum)
        return ", ".join(
            f"{name}={value}"
            for name, value in self.__dict__.items()
            if not name.startswith("_") and name != "training" and isinstance(value, told)
        )


class RandomApplied(Transform):
    """A transform with a probability `p`."""

    def __init__(self, p: float = 0.5) -> None:
        if not 0.0 <= p <= 1.0:
            raise ValueError("`p` should be a floating point value in the interval [0.0, 1.0].")
        super().__init__()
        self.p = p

    def _drawn(self) -> bool:
        return draw.chance(self.p)


# What is in a sample


def check_type(inpt: Any, types_or_checks: tuple[Any, ...]) -> bool:
    """Whether a thing is of one of some classes, or passes one of some checks."""
    return any(
        isinstance(inpt, each) if isinstance(each, type) else each(inpt) for each in types_or_checks
    )


def has_any(flat_inputs: list[Any], *types_or_checks: Any) -> bool:
    """Whether something in a list is of one of some classes, or passes one of some checks."""
    return any(check_type(inpt, types_or_checks) for inpt in flat_inputs)


def has_all(flat_inputs: list[Any], *types_or_checks: Any) -> bool:
    """Whether there is something in a list for each of some classes or checks."""
    return all(has_any(flat_inputs, each) for each in types_or_checks)


def _one_size(sizes: set[tuple[int, ...]], nothing: str, what: str) -> tuple[int, ...]:
    if not sizes:
        raise TypeError(f"No {nothing} was found in the sample")
    if len(sizes) > 1:
        shown = ", ".join(map(str, sorted(sizes)))
        raise ValueError(f"Found multiple {what} dimensions in the sample: {shown}")
    return sizes.pop()


def query_chw(flat_inputs: list[Any]) -> tuple[int, ...]:
    """Channels, height and width of the images and videos of a sample."""
    kinds = (is_pure_tensor, Image, is_pil, Video)
    found = {tuple(F.get_dimensions(x)) for x in flat_inputs if check_type(x, kinds)}
    return _one_size(found, "image or video", "CxHxW")


def query_size(flat_inputs: list[Any]) -> tuple[int, ...]:
    """Height and width of what is in a sample."""
    kinds = (is_pure_tensor, Image, is_pil, Video, Mask, BoundingBoxes, KeyPoints)
    found = {tuple(F.get_size(x)) for x in flat_inputs if check_type(x, kinds)}
    return _one_size(found, "image, video, mask, bounding box of keypoint", "HxW")


def first_of(flat_inputs: list[Any], kind: type, name: str) -> Any:
    """The first thing of a kind; ValueError where there is none."""
    for inpt in flat_inputs:
        if isinstance(inpt, kind):
            return inpt
    raise ValueError(f"No {name} were found in the sample")


def labels_getter_of(labels_getter: Any) -> Callable[[Any], Any]:
    """The function that finds the labels of a sample."""
    if labels_getter == "default":
        return _find_labels
    if callable(labels_getter):
        return labels_getter  # type: ignore[no-any-return]
    if labels_getter is None:
        return lambda _: None
    raise ValueError(
        "labels_getter should either be 'default', a callable, or None, but got "
        f"{labels_getter}."
    )


def _find_labels(inputs: Any) -> Any:
    """The second of a pair, or what is called labels in it."""
    if isinstance(inputs, tuple | list):
        inputs = inputs[1]
    if is_pure_tensor(inputs):
        return inputs
    if not isinstance(inputs, Mapping):
        raise ValueError(
            "When using the default labels_getter, the input passed to forward must be a "
            "dictionary or a two-tuple whose second item is a dictionary or a tensor, but got "
            f"{inputs} instead."
        )
    exact = [key for key in inputs if key.lower() == "labels"]
    near = [key for key in inputs if "label" in key.lower()]
    if not (exact or near):
        raise ValueError(
            "Could not infer where the labels are in the sample. "
            "Try passing a callable as the labels_getter parameter?"
            "If there are no labels in the sample by design, pass labels_getter=None."
        )
    return inputs[(exact or near)[0]]


# Arguments


def pair_of(size: Any, error: str = "Please provide only two dimensions (h, w) for size.") -> Any:
    """(height, width) from one number or a sequence of one or two."""
    if not isinstance(size, int | Sequence):
        raise TypeError(error)
    if isinstance(size, int):
        return (size, size)
    if len(size) not in (1, 2):
        raise ValueError(error)
    return (size[0], size[0]) if len(size) == 1 else size


def two_floats(arg: Any, name: str) -> list[float]:
    """Two numbers from one or from a sequence of one or two."""
    if not isinstance(arg, int | float | Sequence):
        raise TypeError(f"{name} should be a number or a sequence of numbers. Got {type(arg)}")
    if isinstance(arg, int | float):
        return [float(arg), float(arg)]
    if len(arg) not in (1, 2):
        raise ValueError(
            f"If {name} is a sequence its length should be 1 or 2. Got {len(arg)}"
        )
    for value in arg:
        if not isinstance(value, int | float):
            raise ValueError(f"{name} should be a sequence of numbers. Got {type(value)}")
    return [float(arg[0]), float(arg[-1])]


def fills(fill: Any) -> dict[Any, Any]:
    """The colour for each kind: `fill` may be a dictionary by class, with "others" for the rest."""
    if isinstance(fill, dict):
        return {kind: fills(value)["others"] for kind, value in fill.items()}
    if fill is not None and not isinstance(fill, int | float | tuple | list):
        raise TypeError(
            "Got inappropriate fill arg, only Numbers, tuples, lists and dicts are allowed."
        )
    return {"others": [float(v) for v in fill] if isinstance(fill, tuple | list) else fill}


def fill_of(fill: dict[Any, Any], inpt: Any) -> Any:
    """The colour for one thing."""
    return fill[type(inpt)] if type(inpt) in fill else fill.get("others")


angles_of = _angles
check_sequence = _sequence
