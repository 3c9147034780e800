"""What `checkpoint(debug=True)` tells when a recomputation saves something else: the operations of
both computations, one beside the other, with the lines that called them.

Not here: the checkpoint itself (`checkpoint.py`).
"""

from __future__ import annotations

from typing import Any

from ..autograd.lines import show_line, user_line
from ..autograd.node import TensorBase
from ..autograd.watch import watching

TEXT = """{error}

You are seeing this error because you passed `debug=True` to checkpoint and some tensors to be \
saved during the original forward and the recomputation differ.

Operations executed during the original forward:

{forward}

Operations executed during recomputation:

{again}

The first that differs: number {first}"""


class Log:
    """The operations of a block: `with log.writing(): ...`; what an earlier block wrote is gone."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []  # (the operation and its operands, who called it)

    def writing(self) -> watching:
        """The block."""
        self.lines.clear()
        return watching(self.note)

    def note(self, next_apply: Any, op: Any, inputs: Any, kw: Any) -> Any:
        operands = [
            f"{x.dtype!r}{list(x.shape)}" if isinstance(x, TensorBase) else repr(x) for x in inputs
        ]
        self.lines.append((f"{op.name}({', '.join(operands)})", show_line(*user_line())))
        return next_apply(op, inputs, kw)

    def __str__(self) -> str:
        return "\n".join(
            f"  {i}. {what}   {where}" for i, (what, where) in enumerate(self.lines, 1)
        )


def told(error: Exception, forward: Log, again: Log) -> str:
    """The message of an error, with both logs."""
    pairs = zip([a for a, _ in forward.lines], [b for b, _ in again.lines], strict=False)
    same = 0
    for a, b in pairs:
        if a != b:
            break
        same += 1
    return TEXT.format(error=error, forward=forward, again=again, first=same + 1)
