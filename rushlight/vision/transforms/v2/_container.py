"""Transforms made of transforms, and those that are the first version's on whole samples."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from ....nn import Module
from ....random import default_generator
from ....utils._pytree import tree_flatten, tree_unflatten
from ...tv_tensors import BoundingBoxes, KeyPoints, Mask, TVTensor
from .. import autoaugment, mixing
from ..autoaugment import AutoAugmentPolicy
from ._kernels import _wrapped
from ._transform import Transform

__all__ = ["AutoAugmentPolicy"]


class _FirstVersion(Transform):
    """Mixed in before a class of the first version, whose `forward` takes one image."""

    def forward(self, *inputs: Any) -> Any:
        sample = inputs if len(inputs) > 1 else inputs[0]
        leaves, form = tree_flatten(sample)
        chosen = self._needs_transform_list(leaves)
        before = default_generator._rng.get_state(), random.getstate()
        several = False
        for i, leaf in enumerate(leaves):
            if not chosen[i] or isinstance(leaf, BoundingBoxes | KeyPoints | Mask):
                continue
            if several:  # all images by the same random numbers
                default_generator._rng.set_state(before[0])
                random.setstate(before[1])
            several = True
            change = super(Transform, self).forward
            leaves[i] = (_wrapped(change) if isinstance(leaf, TVTensor) else change)(leaf)
        return tree_unflatten(leaves, form)


def _of(first: type) -> type:
    doc = f"{(first.__doc__ or '').splitlines()[0]} As the first version's, on whole samples."
    return type(first.__name__, (_FirstVersion, first), {"__doc__": doc, "__module__": __name__})


AutoAugment = _of(autoaugment.AutoAugment)
RandAugment = _of(autoaugment.RandAugment)
TrivialAugmentWide = _of(autoaugment.TrivialAugmentWide)
AugMix = _of(mixing.AugMix)


# Transforms made of transforms


class _Several(Transform):
    def __init__(self, transforms: Sequence[Callable[..., Any]]) -> None:
        super().__init__()
        if not isinstance(transforms, Sequence) and not isinstance(transforms, Module):
            raise TypeError("Argument transforms should be a sequence of callables")
        if not len(transforms):  # type: ignore[arg-type]
            raise ValueError("Pass at least one transform")
        self.transforms = transforms

    def _in_turn(self, order: Sequence[int], inputs: tuple[Any, ...]) -> Any:
        several = len(inputs) > 1
        out = inputs if several else inputs[0]
        for i in order:
            out = self.transforms[i](*out) if several else self.transforms[i](out)
        return out


class _Listed(_Several):
    """Printed with a line for each."""

    def extra_repr(self) -> str:
        return "\n".join(f"    {each}" for each in self.transforms)


class Compose(_Listed):
    """One transform after another.

    >>> Compose([lambda x: x, lambda x: x + 1])(3)
    4
    """

    def forward(self, *inputs: Any) -> Any:
        return self._in_turn(range(len(self.transforms)), inputs)


class RandomApply(_Listed):
    """With probability `p` all of the transforms, else none.

    >>> RandomApply([lambda x: x + 1], p=1.0)(3)
    4
    """

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__(transforms)
        if not 0.0 <= p <= 1.0:
            raise ValueError("`p` should be a floating point value in the interval [0.0, 1.0].")
        self.p = p

    def forward(self, *inputs: Any) -> Any:
        import rushlight

        chosen = rushlight.rand(1).item() < self.p
        return self._in_turn(range(len(self.transforms)) if chosen else (), inputs)


class RandomOrder(_Several):
    """All of the transforms, in an order drawn by `randperm`.

    >>> RandomOrder([lambda x: x + 1, lambda x: x + 2])(3)
    6
    """

    def forward(self, *inputs: Any) -> Any:
        import rushlight

        return self._in_turn(rushlight.randperm(len(self.transforms)).tolist(), inputs)


class RandomChoice(_Several):
    """One of the transforms, drawn by `multinomial` with weights `p`.

    >>> RandomChoice([lambda x: x + 1, lambda x: x + 2], p=[0.0, 1.0])(3)
    5
    """

    def __init__(self, transforms: Any, p: Sequence[float] | None = None) -> None:
        super().__init__(transforms)
        weights = [1.0] * len(transforms) if p is None else list(p)
        if len(weights) != len(transforms):
            raise ValueError(
                "Length of p doesn't match the number of transforms: "
                f"{len(weights)} != {len(transforms)}"
            )
        self.p = [w / sum(weights) for w in weights]

    def forward(self, *inputs: Any) -> Any:
        import rushlight

        return self._in_turn([int(rushlight.multinomial(rushlight.as_tensor(self.p), 1))], inputs)
