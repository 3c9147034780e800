"""The nodes of operations, and what they keep.

`OpNode` runs the derivative rules of an op's record on the values that a call has saved, after it
has seen that nobody changed them. Values that `saved_tensors_hooks` packed come back through
`reattached`.

Not here: when a node is made (`door.record`), `run` written out for one record
(`run_text.py`), the engine that calls it (`engine.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dtypes import dtype
from ..errors import message
from ..kernels.meta import OuterArray
from ..kernels.runtime import few
from . import door, steps, watch
from .lines import user_line
from .node import Cell, Freed, Node, Out, TensorBase, freed_error, inplace_error, tick

_new = object.__new__
ndarray = np.ndarray


class Packed:
    """A saved value that went through saved_tensors_hooks."""

    __slots__ = ("unpack", "value")

    def __init__(self, value: Any, unpack: Any) -> None:
        self.value = value
        self.unpack = unpack

    def open(self) -> Any:
        """The value again. Hooks that are set meanwhile hold until the unpack hook returns."""
        before = door.state.packers
        try:
            t = self.unpack(self.value)
        finally:
            if door.state.packers is not before:  # it entered hooks, or left those around it
                for pair in door.state.packers:
                    watch.go(("packer", id(pair)))
                for pair in before:
                    watch.come(("packer", id(pair)))
                door.state.packers = before
        if not isinstance(t, TensorBase):
            raise TypeError(
                "Output of saved tensor unpack_hook expected to be a Tensor but got result of "
                f"type {type(t).__name__}"
            )
        return t


def packed(t: Any, pack_hook: Any, unpack_hook: Any) -> Packed:
    """What `pack_hook` makes of a tensor, which it must leave as it is."""
    cell = t._vc
    count = 0 if cell is None else cell.count
    with door.grad_enabled(False):
        value = pack_hook(t)
    if t._vc is not None and t._vc.count != count:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors passed as input to "
            "pack hook can not be modified in-place unless they are copied first."
        )
    return Packed(value, unpack_hook)


def pack(saved: tuple[Any, ...], node: Any) -> tuple[Any, ...]:
    """Send saved tensors through the innermost saved_tensors_hooks."""
    pack_hook, unpack_hook = door.state.packers[-1]
    out = []
    for s in saved:
        if s.__class__ is ndarray:
            s = door.wrap(s)
            s._of_result = True  # around the array of a result, not the tensor that the user has
        if isinstance(s, TensorBase):
            s = packed(s, pack_hook, unpack_hook)
        out.append(s)
    return tuple(out)


class Alias(Node):
    """Stands between an unpacked saved value and the leaf whose value it is."""

    __slots__ = ()

    def run(self, g: Any, tensors: bool, wanted: Any = None) -> Any:
        return (g,)


def reattached(node: Node, i: int, t: Any) -> Any:
    """A value that came back from an unpack hook, with the history of what was packed."""
    edge = node if i == 0 else node.edges[i - 1]
    # (one whose class computes for it is of that class again)
    y = t.detach() if t._a.__class__ is OuterArray else door.wrap(t._a)
    y._fn = alias(edge) if isinstance(edge, TensorBase) else edge
    return y


def dual_again(node: Node, t: Any, nr: int) -> None:
    """Give a saved output back the tangent that it had in forward mode."""
    if node.x is not None and node.x.tangents is not None and nr in node.x.tangents:
        t._tangent = node.x.tangents[nr]


def alias(leaf: Any) -> Node:
    """A node that hands its gradient on to `leaf`."""
    node: Node = _new(Alias)
    node.edges, node.saved, node.kw, node.x = (leaf,), (), None, None
    node.seq, node.shape, node.dtype = tick(), leaf._a.shape, leaf._a.dtype
    node.code, node.lasti = user_line()
    return node


class OpNode(Node):
    """A node that runs the rules of an op record. Its subclasses are named as PyTorch's nodes."""

    __slots__ = ("n_out",)
    op: Any
    rules: Any
    rule_kw: Any
    joint = False
    apart = True
    nothing: tuple[Any, ...] = ()  # (None, None, ...) for a fixed number of inputs
    # (of the others, not all have in PyTorch the outputs of one node that they have here)
    tells_none = property(lambda self: bool(self.op.view))  # type: ignore[assignment]

    def values(self, tensors: bool) -> list[Any]:
        """The saved (y, *inputs), checked against in-place changes."""
        saved = self.saved
        if saved.__class__ is Freed:
            raise freed_error(self, saved)
        if not saved:
            return [None] * (len(self.edges) + 1)
        out = []
        for i, s in enumerate(saved):
            if s.__class__ is Packed:
                s = s.open()
                s = reattached(self, i, s) if tensors else door.resolved(s._a)
            # a Tensor that was saved is the user's own, so its cell says whether it was changed
            elif isinstance(s, TensorBase):
                cell = s._vc
                if cell is not None and cell.stamp > self.seq:
                    raise inplace_error(self, s._a.shape, cell)
                if not tensors:
                    s = s._a
                elif s._fn is None and i and not is_leaf_edge(self.edges[i - 1]):
                    raise detached_error(self, s)
            elif i == 0 and s is not None:  # the output, an array: a Tensor would be a cycle
                if self.x is not None and self.x.cells is not None:
                    for nr, cell in self.x.cells.items():
                        if cell.stamp > self.seq and (
                            s.__class__ is not tuple or s[nr] is not None
                        ):
                            several = s.__class__ is tuple and self.n_out > 1
                            shape = self.shape[nr] if several else self.shape
                            raise inplace_error(self, shape, cell)
                if s.__class__ is tuple:
                    s = tuple([self.unchanged(y) for y in s])
                s = self.output(s) if tensors else door.resolved(s)
            out.append(s)
        return out

    def unchanged(self, y: Any) -> Any:
        """The array of one of several outputs: of one that has no gradient, a Tensor is kept."""
        if not isinstance(y, TensorBase):
            return y
        cell = y._vc
        if cell is not None and cell.stamp > self.seq:
            raise inplace_error(self, y._a.shape, cell)
        return door.Kept(y) if y._a.__class__ is OuterArray else y._a

    def visible(self) -> list[int]:
        """All edges but those of masks and indices, and of operands that were left out."""
        rules, hidden = self.op.rules, self.op.optional
        if self.joint or len(rules) != len(self.edges):
            rules = None
        return [
            i
            for i, e in enumerate(self.edges)
            if e is not None or not (i in hidden or (rules is not None and rules[i] is None))
        ]

    def output(self, y: Any) -> Any:
        """The saved output as a Tensor of this node again."""
        if y.__class__ is tuple:
            out = tuple(None if a is None else door.wrap(a) for a in y)
            for nr, t in enumerate(out):
                if t is not None and t._a.dtype.kind in "fcVW":
                    t._fn = self if self.n_out == 1 else Out(self, nr)
                    dual_again(self, t, nr)
            return out
        t = door.wrap(y)
        t._fn = self if self.x is None or self.x.history is None else self.x.history
        dual_again(self, t, 0)
        return t

    def run(self, g: Any, tensors: bool, wanted: Any = None) -> Any:
        saved = self.saved
        if not saved:
            values: Any = self.nothing
        elif tensors or saved.__class__ is Freed:
            values = self.values(tensors)
        else:
            values = []
            for s in saved:
                if s is not None:
                    kind = s.__class__
                    if kind is door.Tensor or kind is door.Parameter:
                        cell = s._vc
                        if cell is not None and cell.stamp > self.seq:
                            raise inplace_error(self, s._a.shape, cell)
                        s = s._a
                    elif kind is not ndarray or not (self.x is None or self.x.unspoilt(self.seq)):
                        values = self.values(False)
                        break
                values.append(s)
        kw = self.kw
        if self.joint:
            return self.run_joint(g, values, tensors, wanted)
        out: list[Any] = []
        given = (g, *(values or (None,) * (len(self.edges) + 1)))
        for i, edge in enumerate(self.edges):
            if edge is None or (wanted is not None and not wanted[i]):
                out.append(None)
                continue
            picked = {} if kw is None else {n: kw[n] for n in self.rule_kw[i]}
            if tensors:  # the rule's own operations pass the door
                out.append(self.rules[i](*given, **picked))
            else:
                out.append(door.perform(self.step(i), given, picked))
        return out

    run_shown = run  # `run` of a class may be a specialised one, which performs unseen

    @classmethod
    def step(cls, i: int) -> Any:
        """The derivative rule for input `i` as a record."""
        found = cls.__dict__.get("steps")
        if found is None:
            found = tuple([steps.Step(f"{cls.__name__}[{j}]", r) for j, r in enumerate(cls.rules)])
            cls.steps = found  # type: ignore[attr-defined]
        return found[i]

    def run_joint(self, g: Any, values: Any, tensors: bool, wanted: Any) -> Any:
        """One rule for all inputs."""
        needs = tuple(
            e is not None and (wanted is None or wanted[i]) for i, e in enumerate(self.edges)
        )
        kw = self.kw
        picked = {n: kw[n] for n in self.rule_kw[0]} if kw is not None else {}
        if self.op.wants_needs:
            picked["needs"] = needs
        given = (g, *(values or (None,) * (len(needs) + 1)))
        if tensors:
            got = self.rules[0](*given, **picked)
        else:
            got = door.perform(self.step(0), given, picked)
        return tuple(r if need else None for r, need in zip(got, needs, strict=True))

    def saved_place(self, name: str) -> int | None:
        """Where a value of this name is saved; None if there is none."""
        names = {"result": 0, "self": 1, "input": 1, "other": 2}
        names.update({n: i + 1 for i, n in enumerate(self.op.inputs)})
        return names[name] if name in names and names[name] <= len(self.edges) else None

    def _saved(self, name: str) -> Any:
        """`node._saved_self`, `_saved_other`, `_saved_result`, or a parameter of the call."""
        place = self.saved_place(name)
        if place is not None:
            value = self.values(True)[place]
            if place == 0 and isinstance(value, TensorBase) and value._vc is None:
                value._vc = self.output_cells().setdefault(0, Cell())  # that of the result itself
            return value
        if self.kw is not None and name in self.kw:
            return self.kw[name]
        if name in self.op.defaults:
            return self.op.defaults[name]
        raise AttributeError(f"'{self.name()}' object has no attribute '_saved_{name}'")


class FirstNode(OpNode):
    """A node of an operation with several outputs that was asked for the first one alone
    (`Op.first`): it is the node's only output. What else came out is kept, as arrays that nobody
    has."""

    __slots__ = ()
    n_out = 1  # type: ignore[misc]

    def run(self, g: Any, tensors: bool, wanted: Any = None) -> Any:
        return OpNode.run(self, (g, *(None,) * (self.op.outputs - 1)), tensors, wanted)

    run_shown = run

    def output(self, y: Any) -> Any:
        """The saved outputs as tensors: only the first one has a history."""
        first, *others = y
        return (
            None if first is None else OpNode.output(self, first),
            *(None if a is None else door.wrap(a) for a in others),
        )


def is_leaf_edge(edge: Any) -> bool:
    """Whether an edge leads to a leaf, or nowhere."""
    return edge is None or isinstance(edge, TensorBase)


def detached_error(node: Node, t: Any) -> RuntimeError:
    """Of a saved operand that has lost its history since, which higher derivatives want."""
    return RuntimeError(
        message(
            "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_(). "
            "This is not supported, please use out-of-place `.detach()` instead",
            got=f"a tensor of shape {tuple(t._a.shape)} saved by {node.name()} at {node.line()}",
            hint="x = x.detach()",
        )
    )


def saved_names(op: Any) -> dict[str, property]:
    """The attributes `_saved_self`, ... of an operation's nodes.

    As properties: with a `__getattr__` Python 3.11 keeps nothing of what it learns about the
    attributes of a class, and each read takes five times as long. Only those that every node of
    the operation has: programs that draw a graph read all that `dir(node)` lists.
    """
    known_as = ("self", "input", "other")[: 0 if op.variadic else 2 if len(op.inputs) < 2 else 3]
    places = dict.fromkeys(("result", *known_as, *op.inputs))
    names = dict.fromkeys((*places, *op.defaults))

    def saved(name: str) -> property:
        return property(lambda node: node._saved(name))

    def raw(name: str) -> property:
        return property(lambda node: saved_module().raw_saved(node, name))

    found = {f"_saved_{name}": saved(name) for name in names}
    return found | {f"_raw_saved_{name}": raw(name) for name in places}


def saved_module() -> Any:
    from . import saved

    return saved


# -- what rules read -----------------------------------------------------------------------------

STATIC = frozenset((int, float, bool, str, tuple, type(None), dtype))  # parameters as they are


def opened_by_python(node: Node) -> tuple[Any, ...] | None:
    """(y, *operands) as the rules of a node read them: arrays, and parameters as they are. None
    where to look at them is not enough: hooks have the node or what it kept, a graph is freed, a
    value was changed since or is none that is kept plainly (`OpNode.values` tells all of these)."""
    x, saved = node.x, node.saved
    if not (x is None or x.unspoilt(node.seq)) or saved.__class__ is not tuple or not saved:
        return None
    y, *operands = saved
    if y is not None and y.__class__ is not ndarray and y.__class__ is not tuple:
        return None
    found = [y]
    for value in operands:
        kind = value.__class__
        if kind is door.Tensor or kind is door.Parameter:
            if value._vc is not None and value._vc.stamp > node.seq:
                return None
            value = value._a
        elif kind not in STATIC:
            return None
        found.append(value)
    return tuple(found)


opened: Callable[[Any], tuple[Any, ...] | None] = opened_by_python


def load() -> None:
    """Put the function of machine code into its place."""
    global opened
    from . import op_node_code

    opened = op_node_code.function((door.Tensor, door.Parameter), STATIC)


few.when_loaded(load)
door.take(pack=pack)
