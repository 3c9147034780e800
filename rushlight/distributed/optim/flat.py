"""Parameters of one rank's share as few blocks of memory, one a type, that are sent at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rushlight.ops.create.factories import empty
from rushlight.tensor import Tensor

LARGE = 1 << 18  # elements: what is as large is sent as it is, not copied into a block


class Flat:
    """Parameters, and blocks that hold them one behind another."""

    def __init__(self, parameters: Iterable[Tensor]) -> None:
        self.by_type: dict[Any, list[Tensor]] = {}
        for p in parameters:
            self.by_type.setdefault(p.dtype, []).append(p)
        self.packed: list[tuple[Tensor, list[Tensor]]] = []

    def blocks(self, filled: bool) -> list[Tensor]:
        """What to send or receive: large parameters themselves, the others in a block a type."""
        out = []
        for dtype, parameters in self.by_type.items():
            small = [p for p in parameters if p.numel() < LARGE]
            out += [p.data for p in parameters if p.numel() >= LARGE]
            if len(small) == 1:
                out.append(small[0].data)
            elif small:
                block = empty(sum(p.numel() for p in small), dtype=dtype)
                if filled:
                    for p, part in parts(block, small):
                        part.copy_(p.data)
                self.packed.append((block, small))
                out.append(block)
        return out

    def give_back(self) -> None:
        """Copy what came from the blocks into the parameters."""
        for block, small in self.packed:
            for p, part in parts(block, small):
                p.data.copy_(part)
        self.packed = []

    def become_views(self) -> list[Tensor]:
        """Make one block a type, and the parameters views of it."""
        out = []
        for dtype, parameters in self.by_type.items():
            block = empty(sum(p.numel() for p in parameters), dtype=dtype)
            for p, part in parts(block, parameters):
                part.copy_(p.data)
                p.data = part
            out.append(block)
        return out


def parts(block: Tensor, tensors: Iterable[Tensor]) -> Iterable[tuple[Tensor, Tensor]]:
    """Each tensor with its place in the block, in its shape."""
    at = 0
    for t in tensors:
        yield t, block[at : at + t.numel()].view(t.shape)
        at += t.numel()


def copied(value: Any) -> Any:
    """A copy of optimiser state: of its tensors and of the containers around them."""
    if isinstance(value, Tensor):
        return value.detach().clone()
    if isinstance(value, Mapping):
        return {k: copied(v) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)(copied(v) for v in value)
    return value


def bytes_as_tensor(data: bytes) -> Tensor:
    return Tensor._wrap(np.frombuffer(data, np.uint8).copy())
