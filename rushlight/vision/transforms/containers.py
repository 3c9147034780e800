"""Transforms made of transforms: one after another, some of them, in any order.

`RandomApply` draws from PyTorch's generator, `RandomOrder` and `RandomChoice` from Python's
`random`, as torchvision's do.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...nn import Module
from . import draw

Transform = Callable[[Any], Any]


def _listing(name: str, *lines: Any) -> str:
    return "".join([f"{name}(", *(f"\n    {line}" for line in lines), "\n)"])


class Compose:
    """One transform after another.

    >>> Compose([lambda x: x + 1, lambda x: x * 2])(3)
    8
    """

    def __init__(self, transforms: Sequence[Transform]) -> None:
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for t in self.transforms:
            img = t(img)
        return img

    def __repr__(self) -> str:
        return _listing(type(self).__name__, *self.transforms)


class Lambda:
    """Any function as a transform.

    >>> Lambda(lambda x: x * 2)(3)
    6
    """

    def __init__(self, lambd: Transform) -> None:
        if not callable(lambd):
            raise TypeError(f"Argument lambd should be callable, got {type(lambd).__name__!r}")
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class RandomTransforms:
    """Several transforms of which a subclass takes some.

    >>> RandomTransforms([])(3)
    Traceback (most recent call last):
    NotImplementedError
    """

    def __init__(self, transforms: Sequence[Transform]) -> None:
        if not isinstance(transforms, Sequence):
            raise TypeError("Argument transforms should be a sequence")
        self.transforms = transforms

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    def __repr__(self) -> str:
        return _listing(type(self).__name__, *self.transforms)


class RandomApply(Module):
    """With probability `p` all of the transforms, else none.

    >>> RandomApply([lambda x: x + 1], p=1.0)(3)
    4
    """

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, img: Any) -> Any:
        if float(np.float32(self.p)) < draw.unit():
            return img
        for t in self.transforms:
            img = t(img)
        return img

    def __repr__(self) -> str:
        return _listing(type(self).__name__, f"p={self.p}", *self.transforms)


class RandomOrder(RandomTransforms):
    """All of the transforms, in random order.

    >>> RandomOrder([lambda x: x + 1, lambda x: x + 2])(3)
    6
    """

    def __call__(self, img: Any) -> Any:
        order = list(range(len(self.transforms)))
        random.shuffle(order)
        for i in order:
            img = self.transforms[i](img)
        return img


class RandomChoice(RandomTransforms):
    """One of the transforms, with weights `p` if given.

    >>> RandomChoice([lambda x: x + 1, lambda x: x + 2], p=[0, 1])(3)
    5
    """

    def __init__(self, transforms: Sequence[Transform], p: Sequence[float] | None = None) -> None:
        super().__init__(transforms)
        if p is not None and not isinstance(p, Sequence):
            raise TypeError("Argument p should be a sequence")
        self.p = p

    def __call__(self, *args: Any) -> Any:
        return random.choices(self.transforms, weights=self.p)[0](*args)

    def __repr__(self) -> str:
        return f"{super().__repr__()}(p={self.p})"
