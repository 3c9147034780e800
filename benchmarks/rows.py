"""What a row of the table is, and what rows are made of.

Not here: the rows (`small.py`, `in_front.py`, `work.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Call = Callable[[], Any]


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes:
        name: what `python -m benchmarks NAME` calls it.
        title: what the table calls it.
        make: the function that prepares the call.
        at_most, aim: limits of the ratio, or of our microseconds where `in_front` is set.
        tiny: sizes for tests.
        flops: floating-point operations of a call.
        moved: bytes that a call reads and writes.
        in_front: measured with the kernels taken out, for us alone (`in_front.py`).
        repeats: how often a call does what is measured.
    """

    name: str
    title: str
    make: Callable[..., Call]
    at_most: float
    aim: float
    tiny: dict[str, Any] = field(default_factory=dict)
    flops: float = 0
    moved: float = 0
    in_front: bool = False
    repeats: int = 1


ROWS: dict[str, Row] = {}


def row(title: str, at_most: float, aim: float, **more: Any) -> Callable[..., Any]:
    """Enter a function into `ROWS`."""

    def enter(make: Callable[..., Call]) -> Callable[..., Call]:
        ROWS[make.__name__] = Row(make.__name__, title, make, at_most, aim, **more)
        return make

    return enter


def both(torch: Any, forward: Callable[..., Any], *inputs: Any) -> Call:
    """Forward and backward, with a gradient of ones that is there already."""
    ones = torch.ones_like(forward(*inputs).detach())

    def call() -> None:
        for x in inputs:
            x.grad = None
        forward(*inputs).backward(ones)

    return call


def inference(torch: Any, model: Any, x: Any) -> Call:
    model.eval()

    def call() -> Any:
        with torch.no_grad():
            return model(x)

    return call


def step(optimizer: Any, loss: Callable[[], Any]) -> Call:
    """One step of training."""

    def call() -> None:
        optimizer.zero_grad()
        loss().backward()
        optimizer.step()

    return call
