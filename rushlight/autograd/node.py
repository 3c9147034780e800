"""The tape's pieces: the bare tensor, graph nodes, and what a node remembers.

A Node is one recorded operation. Its `edges` say where the gradients of its inputs go:
    None            that input needs no gradient
    a leaf Tensor   the gradient is accumulated into its `.grad`
    a Node          the operation that made the input
    Out(node, nr)   output number nr of an operation with several outputs

Not here: how nodes are made (`door.py`) and run (`engine.py`).
"""

from __future__ import annotations

import itertools
import sys
import warnings
import weakref
from collections import Counter
from collections.abc import Callable
from types import CodeType
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import message
from ..kernels.runtime import few
from . import lines
from .lines import show_line, unseen, user_line

# One clock for nodes and in-place changes: a saved tensor was changed after it was saved
# exactly when its stamp is newer than the node. So saving costs nothing.
tick = itertools.count(1).__next__


class TensorBase:
    """The bare fields of a Tensor; the methods are in `rushlight/tensor.py`."""

    __slots__ = ("__dict__", "__weakref__", "_a", "_fn", "_v", "_vc", "_x")
    _is_node = False  # nodes and leaves stand side by side as edges
    if TYPE_CHECKING:  # the methods are derived from the op records at import

        def __getattr__(self, name: str) -> Any: ...
        def __add__(self, other: Any) -> Any: ...
        def __radd__(self, other: Any) -> Any: ...
        def __sub__(self, other: Any) -> Any: ...
        def __rsub__(self, other: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...
        def __rmul__(self, other: Any) -> Any: ...
        def __truediv__(self, other: Any) -> Any: ...
        def __rtruediv__(self, other: Any) -> Any: ...
        def __floordiv__(self, other: Any) -> Any: ...
        def __mod__(self, other: Any) -> Any: ...
        def __matmul__(self, other: Any) -> Any: ...
        def __pow__(self, other: Any) -> Any: ...
        def __neg__(self) -> Any: ...
        def __invert__(self) -> Any: ...
        def __and__(self, other: Any) -> Any: ...
        def __or__(self, other: Any) -> Any: ...
        def __xor__(self, other: Any) -> Any: ...
        def __lt__(self, other: Any) -> Any: ...
        def __le__(self, other: Any) -> Any: ...
        def __gt__(self, other: Any) -> Any: ...
        def __ge__(self, other: Any) -> Any: ...
        def __eq__(self, other: object) -> Any: ...
        def __ne__(self, other: object) -> Any: ...

    _a: Any  # numpy.ndarray, or MetaArray
    _fn: Any  # None, LEAF, Node or Out: where a gradient of this tensor goes
    _vc: Cell | None  # version cell, shared with views; None until somebody needs it
    _v: Any  # View when this tensor is a differentiable view, else None
    _x: Any  # None, Extras (grad, hooks), or Cut (why no gradient flows here)


class _Leaf:
    """Marks `_fn` of a tensor that the user made and that requires a gradient."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "LEAF"


LEAF = _Leaf()


class Out:
    """Output `nr` of a node that has several (also nr 0)."""

    __slots__ = ("node", "nr")
    _is_node = False

    def __init__(self, node: Node, nr: int) -> None:
        self.node = node
        self.nr = nr


class Cell:
    """How often, when and where a storage was changed in place; shared by all its views."""

    __slots__ = ("code", "count", "lasti", "stamp", "what")

    def __init__(self) -> None:
        self.count = 0
        self.stamp = 0
        self.code: CodeType | None = None
        self.lasti = 0
        self.what = ""

    def bump(self, what: str = "") -> None:
        self.count += 1
        self.stamp = tick()
        self.what = what
        self.code, self.lasti = user_line()


class Extras:
    """What few tensors have: a gradient, hooks."""

    __slots__ = (
        "accumulator", "cut", "grad", "hooks", "inference", "post_hooks", "retains", "swapped",
    )  # fmt: skip

    def __init__(self, cut: Cut | None = None) -> None:
        self.swapped: Any = None  # whose identity is `_cdata` since `swap_tensors`
        self.inference = cut is not None and cut.inference
        self.grad: Any = None
        self.hooks: dict[int, Any] | None = None
        self.post_hooks: dict[int, Any] | None = None
        self.retains = False
        self.accumulator: Any = None  # weak reference to this leaf's AccumulateGrad
        self.cut = cut


class Cut:
    """Why a tensor has no history although something upstream had one."""

    __slots__ = ("code", "lasti", "why")
    inference = False  # whether the tensor was made inside inference_mode

    def __init__(self, why: str) -> None:
        self.why = why
        self.code, self.lasti = user_line()


class InferenceCut(Cut):
    """The note of an inference tensor: it was made inside inference_mode."""

    __slots__ = ("later",)
    inference = True
    later: Cut

    def __init__(self) -> None:
        super().__init__("inference_mode")

    def outside(self) -> Cut:
        """The note of what is computed from such a tensor later, which is an ordinary one."""
        try:
            return self.later
        except AttributeError:
            cut: Cut = object.__new__(Cut)
            cut.why, cut.code, cut.lasti = self.why, self.code, self.lasti
            self.later = cut
            return cut


def cut_at(why: str, frame: Any, seen: list[Any]) -> Cut:
    """A Cut made by the line that `line_from` finds."""
    cut: Cut = object.__new__(InferenceCut if why == "inference_mode" else Cut)
    cut.why = why
    cut.code, cut.lasti = lines.line_from(frame, seen)
    return cut


class Freed:
    """Stands in for the saved values of a node after a backward without retain_graph.

    One backward makes one of these, and the nodes of its graph hold it: as long as it lives, so
    does a part of the graph.
    """

    __slots__ = ("__weakref__", "code", "lasti")

    def __init__(self) -> None:
        # before it: this function, the engine's run, and what calls that
        self.code, self.lasti = lines.line_from(sys._getframe(3), unseen)
        _graphs.append(weakref.ref(self))
        if len(_graphs) >= _look_at[0]:
            look_for_kept_graphs()


MANY_GRAPHS = 500
# of the backwards since the last look, and those found alive then
_graphs: list[weakref.ref[Freed]] = []
_look_at = [MANY_GRAPHS]
_warned: set[tuple[Any, int]] = set()


def look_for_kept_graphs() -> None:
    """Warn when many graphs of one line are still alive long after their backward.

    That is what adding up losses with their histories does. Looked for once in some hundred
    backwards, so that it costs each of them a weak reference.
    """
    living = [f for f in (ref() for ref in _graphs) if f is not None]
    _graphs[:] = [weakref.ref(f) for f in living]
    _look_at[0] = 2 * len(living) + MANY_GRAPHS
    by_line = Counter((f.code, f.lasti) for f in living)
    for (code, lasti), n in by_line.items():
        if n >= MANY_GRAPHS - 1 and code is not None and (code, lasti) not in _warned:
            _warned.add((code, lasti))
            warnings.warn(
                message(
                    f"{n} graphs are still alive whose backward has run: memory grows with "
                    f"every step",
                    got=f"the backward at {show_line(code, lasti)}",
                    hint="total += loss.item(), or losses.append(loss.detach()), where results "
                    "are kept",
                ),
                UserWarning,
                stacklevel=2,
            )


class NodeExtras:
    """What few nodes have: hooks, user metadata, cells of saved outputs."""

    __slots__ = (
        "cells",
        "history",
        "metadata",
        "plain",
        "post_hooks",
        "pre_hooks",
        "retains",
        "tangents",
        "tensor_hooks",
    )

    def __init__(self) -> None:
        self.tensor_hooks: dict[int, dict[int, Any]] | None = None  # output nr -> its hooks
        self.retains: dict[int, Any] | None = None  # output nr -> weak reference to the tensor
        self.pre_hooks: dict[int, Any] | None = None
        self.post_hooks: dict[int, Any] | None = None
        self.metadata: dict[Any, Any] | None = None
        self.cells: dict[int, Cell] | None = None  # output nr -> version cell
        self.plain = True  # there is nothing but cells: nobody else has asked for this object
        self.tangents: dict[int, Any] | None = None  # output nr -> what forward mode attached
        self.history: Any = None  # while a CopySlices runs this node: the history of its output

    def unspoilt(self, seq: int) -> bool:
        """Whether a node may run the short way: there is nothing but cells here, and no output was
        changed since tick `seq`, the node's."""
        if self.cells is not None:
            for cell in self.cells.values():
                if cell.stamp > seq:
                    return False
        return self.plain


class Node:
    """One recorded operation. `node(g)` runs its derivative; `next_functions` are its parents.

    >>> x = torch.ones(2, requires_grad=True)
    >>> y = (x * 3).sum()
    >>> y.grad_fn.name()
    'SumBackward0'
    >>> [node.name() for node, _ in y.grad_fn.next_functions]
    ['MulBackward0']
    """

    __slots__ = (
        "__weakref__",
        "code",
        "dtype",
        "edges",
        "kw",
        "lasti",
        "saved",
        "seq",
        "shape",
        "x",
    )
    edges: tuple[Any, ...]
    saved: Any  # (y, *inputs) with None for what is not kept; Freed after a backward
    kw: dict[str, Any] | None
    seq: int
    shape: Any  # of the output; a tuple of shapes when there are several
    dtype: Any  # NumPy dtype of the output, likewise
    code: CodeType | None
    lasti: int
    x: NodeExtras | None

    n_out = 1
    _is_node = True
    elementwise = False  # every gradient that comes out has the shape of the output
    tells_none = False  # hooks of one output are called, with None, when another has a gradient
    makes_results = True  # `run` returns new arrays, or `g`; a user's may return what it keeps
    apart = False  # and no array but `g` twice: the generated tests look at all rules

    def run(self, g: Any, tensors: bool, wanted: Any = None) -> Any:
        """Gradients of the inputs from `g`, the gradient of the output (a list when several).

        On ndarrays, or on Tensors when `tensors` (create_graph). `wanted` masks edges.
        """
        raise NotImplementedError

    def run_shown(self, g: Any, tensors: bool, wanted: Any = None) -> Any:
        """`run` such that all that it computes passes `door.perform`."""
        return self.run(g, tensors, wanted)

    def release(self, freed: Freed) -> None:
        """Forget saved values after a backward."""
        if self.saved:
            self.saved = freed

    # -- what users see ----------------------------------------------------------------------

    def name(self) -> str:
        """The node's name, such as 'MulBackward0'."""
        return type(self).__name__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def extras(self) -> NodeExtras:
        """What few nodes have, for somebody who changes it."""
        if self.x is None:
            self.x = NodeExtras()
        self.x.plain = False
        return self.x

    def output_cells(self) -> dict[int, Cell]:
        """The version cells of outputs that this node keeps, which make no node a special one:
        whoever makes a view of a result asks for its cell."""
        x = self.x
        if x is None:
            x = self.x = NodeExtras()
        if x.cells is None:
            x.cells = {}
        return x.cells

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user's notes about this node."""
        x = self.extras()
        if x.metadata is None:
            x.metadata = {}
        return x.metadata

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """((node, output number), ...) of the inputs; (None, 0) where no gradient is needed."""
        return tuple(edge_pair(self.edges[i]) for i in self.visible())

    @property
    def _input_metadata(self) -> Any:
        """Shape, type and device of each output, whose gradients are this node's inputs."""
        from .saved import input_metadata

        return input_metadata(self)

    def visible(self) -> list[int]:
        """Places of the edges that PyTorch's node of this name has too."""
        return list(range(len(self.edges)))

    def _sequence_nr(self) -> int:
        return self.seq

    def register_hook(self, fn: Any) -> Any:
        """Call `fn(grad_inputs, grad_outputs)` after this node ran; a result replaces
        grad_inputs."""
        from .hooks import add_hook

        x = self.extras()
        if x.post_hooks is None:
            x.post_hooks = {}
        return add_hook(x.post_hooks, fn)

    def register_prehook(self, fn: Any) -> Any:
        """Call `fn(grad_outputs)` before this node runs; a result replaces grad_outputs."""
        from .hooks import add_hook

        x = self.extras()
        if x.pre_hooks is None:
            x.pre_hooks = {}
        return add_hook(x.pre_hooks, fn)

    def __call__(self, *grads: Any) -> Any:
        """Run the derivative by hand on Tensors; one result, or a tuple, as PyTorch returns."""
        from .backward import call_node

        return call_node(self, grads)

    def line(self) -> str:
        """The user's line that made this node."""
        return show_line(self.code, self.lasti)


class GradientEdge(NamedTuple):
    """A place in the graph: output `output_nr` of `node`."""

    node: Node
    output_nr: int


def edge_pair(edge: Any) -> tuple[Any, int]:
    """An edge as `next_functions` shows it."""
    if edge is None:
        return (None, 0)
    if isinstance(edge, Node):
        return (edge, 0)
    if isinstance(edge, Out):
        return (edge.node, edge.nr)
    return (accumulator(edge), 0)


def accumulator(leaf: Any) -> AccumulateGrad:
    """The AccumulateGrad node of a leaf: the same one as long as somebody holds it."""
    x = leaf._extras()
    found = x.accumulator() if x.accumulator is not None else None
    if found is None:
        found = AccumulateGrad(leaf)
        x.accumulator = weakref.ref(found)
    return found


def made_by_python(
    cls: type[Node], edges: Any, saved: Any, kw: Any, shape: Any, dtype: Any, frame: Any,
    seen: list[Any],
) -> Node:  # fmt: skip
    """A node with these fields, made now by the user's line from `frame` on (`lines.line_from`).

    `kw` is None where the class says so for all its nodes.
    """
    node: Any = object.__new__(cls)
    node.edges, node.saved, node.shape, node.dtype = edges, saved, shape, dtype
    if kw is not None:
        node.kw = kw
    node.seq = tick()
    node.x = None
    node.code, node.lasti = lines.line_from(frame, seen)
    return node


def load() -> None:
    """Put the function of machine code into its place."""
    global made
    from . import node_code

    made = node_code.function()


made: Callable[..., Any] = made_by_python
few.when_loaded(load)


class AccumulateGrad(Node):
    """The end of the tape: adds a gradient into `variable.grad`."""

    __slots__ = ("variable",)

    def __init__(self, variable: Any) -> None:
        self.variable = variable
        self.edges = ()
        self.saved = ()
        self.kw = None
        self.seq = sys.maxsize
        self.shape = variable._a.shape
        self.dtype = variable._a.dtype
        self.code, self.lasti = None, 0
        self.x = None

    def name(self) -> str:
        """PyTorch's name of it, with the C++ namespace."""
        return "torch::autograd::AccumulateGrad"

    def run(self, g: Any, tensors: bool, wanted: Any = None) -> Any:
        from .leaves import accumulate

        accumulate(self.variable, g, tensors)
        return ()


def freed_error(node: Node, freed: Freed) -> RuntimeError:
    """The error of a second backward: names node, its line, and the line of the first backward."""
    return RuntimeError(
        message(
            "Trying to backward through the graph a second time (or directly access saved "
            "tensors after they have already been freed)",
            got=f"{node.name()}, made at {node.line()}\nfirst backward at "
            f"{show_line(freed.code, freed.lasti)}",
            wanted="a graph whose saved values are still there",
            hint="detach() what comes from an earlier iteration, e.g. hidden = "
            "hidden.detach(), or add the losses and call backward once;\nSpecify "
            "retain_graph=True in the first call only if you need the same graph twice",
        )
    )


def inplace_error(node: Node, shape: Any, cell: Cell) -> RuntimeError:
    """A saved value was changed in place: names the node's line and the line of the change."""
    kind = "x".join(map(str, shape)) or "0-d"
    if cell.what == "optimizer.step()":  # of two losses on one graph, as adversarial training has
        hint = "all backwards before the first step; or the forward again after it"
    else:
        hint = "the out-of-place form, e.g. x = x + 1 instead of x += 1; or x.clone() before "
        hint += "the change"
    return RuntimeError(
        message(
            "one of the variables needed for gradient computation has been modified by an "
            "inplace operation",
            got=f"a {kind} tensor saved by {node.name()} at {node.line()}\n"
            f"changed {'by ' + cell.what + ' ' if cell.what else ''}at "
            f"{show_line(cell.code, cell.lasti)} (is at version {cell.count})",
            wanted="the value as it was when it was saved",
            hint=hint,
        )
    )
