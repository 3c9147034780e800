"""`while_loop`: a loop as a function of its condition and its body."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rushlight.errors import message

from .cond import decided


def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Sequence[Any]
) -> tuple[Any, ...]:
    """Call `body_fn` on what it returned, as long as `cond_fn` of it is true.

    >>> count, x = torch.tensor(0), torch.ones(2)
    >>> while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (count, x))
    (tensor(3), tensor([8., 8.]))
    """
    carried = tuple(carried_inputs)
    while decided(cond_fn(*carried)):
        after = body_fn(*carried)
        if not isinstance(after, (tuple, list)) or len(after) != len(carried):
            raise RuntimeError(
                message(
                    "while_loop: body_fn does not return what it takes",
                    f"{type(after).__name__}"
                    + (f" of {len(after)}" if isinstance(after, (tuple, list)) else ""),
                    f"a tuple of {len(carried)}",
                )
            )
        carried = tuple(after)
    return carried
