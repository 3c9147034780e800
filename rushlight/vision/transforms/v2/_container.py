"""Transforms made of transforms: Compose and the random ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....nn import Module
from ._transform import Transform

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
