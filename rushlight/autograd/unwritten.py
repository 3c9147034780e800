"""Results whose derivative nobody has written: backward through them is an error, not a gradient
that is silently left out.

Records say it of their inputs (`ops/core/derivative.unwritten`); this is for functions that
are made of no record. Next: `ops/reduce/counts.py`, which uses it.
"""

from __future__ import annotations

import functools
from typing import Any

from . import door
from .lines import user_line
from .node import LEAF, Node, TensorBase, tick


class Unwritten(Node):
    """The node of such a result."""

    __slots__ = ()
    operation = ""

    def run(self, g: Any, tensors: bool, wanted: Any = None) -> Any:
        raise NotImplementedError(f"the derivative for '{self.operation}' is not implemented.")


@functools.cache
def node_class(operation: str) -> Any:
    name = "".join(w.capitalize() for w in operation.strip("_").split("_")) + "Backward0"
    about = {"__slots__": (), "__module__": "rushlight", "operation": operation}
    return type(name, (Unwritten,), about)


def without_derivative(operation: str, y: Any, *inputs: Any) -> Any:
    """The tensor `y`, with a node that says so if one of `inputs` is tracked."""
    if not door.state.enabled or y._a.dtype.kind not in "fcVW":
        return y
    tracked = [t for t in inputs if isinstance(t, TensorBase) and t._fn is not None]
    if tracked:
        node: Any = object.__new__(node_class(operation))
        node.edges = tuple(t if t._fn is LEAF else t._fn for t in tracked)
        node.saved, node.kw, node.x = (), None, None
        node.shape, node.dtype, node.seq = y._a.shape, y._a.dtype, tick()
        node.code, node.lasti = user_line()
        y._fn, y._x = node, None
    return y
