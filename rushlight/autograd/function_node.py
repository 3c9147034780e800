"""The nodes of custom Functions, and how what `forward` returned becomes their outputs.

Not here: Function and its ctx, which users see (`function.py`); `jvp` (`forward_functions.py`).
"""

from __future__ import annotations

import functools
import warnings
import weakref
from typing import Any

import numpy as np

from ..errors import message
from ..kernels.meta import OuterArray
from . import changes, door, op_node, steps, views
from .lines import user_line
from .node import LEAF, Freed, Node, Out, TensorBase, freed_error, inplace_error, tick


class FunctionNode(Node):
    """The node of a custom Function; unknown attributes are read from its ctx."""

    __slots__ = ("backward_fn", "ctx", "is_tensor", "met_classes", "n_out", "to_fill")
    met_classes: bool  # a tensor whose class computes for it came in, went out, or was kept
    to_fill: Any  # which outputs have zeros for a gradient where none came
    makes_results = False
    tells_none = True

    @property
    def saved(self) -> Any:  # type: ignore[override]
        return self.ctx._saved

    @saved.setter
    def saved(self, value: Any) -> None:
        self.ctx._saved = value

    def unpack(self) -> tuple[Any, ...]:
        """The saved tensors, checked."""
        return unpacked(self.ctx, self)

    def run(self, g: Any, tensors: bool, wanted: Any = None) -> Any:
        grads = [g] if self.n_out == 1 else list(g)
        for i, v in enumerate(grads):
            if v is None:
                if self.ctx._materialize and self.to_fill[i]:
                    shape = self.shape if self.n_out == 1 else self.shape[i]
                    dtype = self.dtype if self.n_out == 1 else self.dtype[i]
                    kw = {"shape": shape, "value": 0, "dtype": dtype}
                    grads[i] = door.wrap(door.perform(steps.full, (), kw))
            elif not isinstance(v, TensorBase):
                grads[i] = door.wrap(v)
        got = self.backward_fn(self.ctx, *grads)
        if not isinstance(got, tuple):
            got = tuple(got) if isinstance(got, list) else (got,)
        n = len(self.is_tensor)
        if len(got) > n and all(r is None for r in got[n:]):
            got = got[:n]
        if len(got) != n:
            raise RuntimeError(
                message(
                    f"function {self.name()} returned an incorrect number of gradients "
                    f"(expected {n}, got {len(got)})",
                    wanted="one gradient for each argument of forward, None for those that are "
                    "no tensors",
                )
            )
        out: list[Any] = []
        for i, (r, is_tensor) in enumerate(zip(got, self.is_tensor, strict=True)):
            if not is_tensor:
                if r is not None:
                    raise RuntimeError(
                        f"function {self.name()} returned a gradient different from None at "
                        f"position {i + 1}, but the corresponding forward input was not a Variable"
                    )
                continue
            if r is not None and not isinstance(r, TensorBase):
                raise RuntimeError(
                    message(
                        f"{self.name()}: expected Variable or None (got {type(r).__name__})",
                        wanted=f"a Tensor or None as gradient number {i + 1}",
                    )
                )
            if r is not None:
                self.check_shape(r, len(out))
            out.append(r if tensors or r is None else door.resolved(r._a))
        return out

    def check_shape(self, r: Any, i: int) -> None:
        """A gradient may be larger than its input (it is summed), but not smaller."""
        edge = self.edges[i]
        if edge is None:
            return
        node, nr = (edge.node, edge.nr) if edge.__class__ is Out else (edge, 0)
        if isinstance(node, Node):
            shape = node.shape if node.n_out == 1 else node.shape[nr]
        else:
            shape = node._a.shape
        got = r._a.shape
        if got == shape:
            return
        extra = len(got) - len(shape)
        if extra < 0 or any(n not in (1, got[k + extra]) for k, n in enumerate(shape)):
            raise RuntimeError(
                message(
                    f"Function {self.name()} returned an invalid gradient at index {i} - got "
                    f"{list(got)} but expected shape compatible with {list(shape)}",
                    got=f"a gradient of shape {tuple(got)} from the backward of {self.name()}, "
                    f"used at {self.line()}",
                    wanted=f"the input's shape {tuple(shape)}",
                )
            )

    def release(self, freed: Freed) -> None:
        if self.saved:
            self.saved = freed

    def __getattr__(self, name: str) -> Any:
        if name in ("ctx", "n_out", "saved"):
            raise AttributeError(name)
        if name == "_raw_saved_tensors":
            return op_node.saved_module().raw_saved_tensors(self)
        return getattr(self.ctx, name)


class _SavedOutput:
    """A saved output: its array, not the Tensor, which would be a cycle."""

    __slots__ = ("array", "cell", "nr")

    def __init__(self, array: Any, nr: int, cell: Any) -> None:
        self.array = array
        self.nr = nr
        self.cell = cell

    def again(self, node: Any) -> Any:
        """The output as a Tensor again, of its node if that is there."""
        t = door.wrap(self.array)
        if node is None:
            return t
        nr, several = self.nr, node.n_out > 1
        if self.cell is not None and self.cell.stamp > node.seq:
            raise inplace_error(node, node.shape[nr] if several else node.shape, self.cell)
        t._fn = Out(node, nr) if several else node
        op_node.dual_again(node, t, nr)
        return t


def unpacked(ctx: Any, node: Any) -> tuple[Any, ...]:
    """The saved tensors of a ctx, checked as far as the node is there that knows when it saved
    them."""
    saved = ctx._saved
    if saved.__class__ is Freed:
        raise freed_error(ctx._alive() if node is None else node, saved)
    out: list[Any] = []
    for s in saved:
        if s.__class__ is _SavedOutput:
            s = s.again(node)
        elif s.__class__ is op_node.Packed:
            s = s.open()
        elif s is not None and node is not None:
            cell = s._vc
            if cell is not None and cell.stamp > node.seq:
                raise inplace_error(node, s._a.shape, cell)
        out.append(s)
    return tuple(out)


def new_class(name: str, function: Any = None) -> Any:
    """A class of nodes; `function` is the Function whose calls they are."""
    about = {"__slots__": (), "__module__": "rushlight", "_forward_cls": function}
    return type(name, (FunctionNode,), about)


node_class = functools.cache(new_class)


def finish(ctx: Any, name: str, args: tuple[Any, ...], out: Any, backward_fn: Any) -> Any:
    """Turn what `forward` returned into outputs of one node."""
    single = not isinstance(out, (tuple, list))
    outs = [out] if single else list(out)
    inputs = [a for a in args if isinstance(a, TensorBase)]
    tracked = door.state.enabled and any(ctx.needs_input_grad)
    check_dirty(ctx, name, inputs, outs, tracked)
    dirty = {id(t) for t in ctx._dirty}
    ys = [handed_out(o, inputs, dirty, tracked) for o in outs]
    if not tracked:
        if any(ctx.needs_input_grad):
            for y in ys:
                if isinstance(y, TensorBase) and y._x is None and y._fn is None:
                    y._x = door.cut("no_grad")
        return ys[0] if single else tuple(ys)
    node = made_node(ctx, name, args, outs, ys, backward_fn)
    non_diff = {id(t) for t in ctx._non_differentiable}
    ctx._to_save = ctx._dirty = ctx._non_differentiable = ()  # outputs among them would be cycles
    if door.noting is not None:
        door.noting(node)
    ours = [
        isinstance(y, TensorBase) and id(o) not in non_diff and y._a.dtype.kind in "fcVW"
        for o, y in zip(outs, ys, strict=True)
    ]
    for nr, (o, y) in enumerate(zip(outs, ys, strict=True)):
        if not ours[nr]:
            continue
        if sum(ours) > 1 and y._v is not None and id(o) not in dirty:
            y._v.made = "several"
        if id(o) in dirty and y._v is not None:
            changes.rebase(y, node, views.cell(y))
        else:
            y._fn = node if node.n_out == 1 else Out(node, nr)
    return ys[0] if single else tuple(ys)


def check_dirty(ctx: Any, name: str, inputs: list[Any], outs: list[Any], tracked: bool) -> None:
    """What mark_dirty said: inputs, each of them returned, and of kinds whose history can go on.
    Their changes are counted."""
    for t in ctx._dirty:
        if not any(t is a for a in inputs):
            warnings.warn(
                "Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an "
                "input, there is no need to pass it to mark_dirty().",
                UserWarning,
                stacklevel=4,
            )
            continue
        if not any(t is o for o in outs):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as "
                "output. The inputs that are modified inplace must all be outputs of the Function."
            )
        if tracked and t._fn is LEAF:
            raise RuntimeError(
                "a leaf Variable that requires grad is being used in an in-place operation."
            )
        if tracked and t._v is not None and len(outs) > 1:
            raise RuntimeError(
                message(
                    "If your Function modifies inplace an input that is a view of another Tensor, "
                    "your Function cannot return more than one Tensor. This is not supported by "
                    "the current autograd engine.",
                    got=f"{len(outs)} outputs of {name}, one of them a changed view of shape "
                    f"{tuple(t._a.shape)}",
                    hint="clone() the view before the call, or two Functions: one that changes it "
                    "and returns it alone, and one for the other outputs",
                )
            )
        views.cell(t).bump(name)


def handed_out(o: Any, inputs: list[Any], dirty: set[int], tracked: bool) -> Any:
    """An output of `forward` as the tensor that the caller gets."""
    if not isinstance(o, TensorBase) or id(o) in dirty:
        return o
    y: Any = o
    if any(o is a for a in inputs):  # handed through: a view, so that it has a history of its own
        with door.grad_enabled(False):
            y = o.view_as(o)
        y._fn = None
    elif o._fn is not None and tracked and not (o._v is not None and o._v.made in views.QUIET):
        y = o.detach()  # type: ignore[attr-defined]
    if y._v is not None:
        y._v.made = "function"
    return y


def made_node(
    ctx: Any, name: str, args: tuple[Any, ...], outs: list[Any], ys: list[Any], backward_fn: Any
) -> Any:
    """The node of a call, with what it saves."""
    inputs = [a for a in args if isinstance(a, TensorBase)]
    node: Any = object.__new__(ctx._node_class or node_class(name))
    node.ctx, node.backward_fn = ctx, backward_fn
    node.is_tensor = tuple(isinstance(a, TensorBase) for a in args)
    node.edges = tuple(edge(a) for a in inputs)
    node.kw = node.x = None
    node.code, node.lasti = user_line()
    node.n_out = max(len(ys), 1)
    fill_all = ctx._materialize_non_diff_grads
    non_diff = {id(t) for t in ctx._non_differentiable}
    met = (*args, *outs, *vars(ctx).values())
    node.met_classes = any(isinstance(t, TensorBase) and t._a.__class__ is OuterArray for t in met)
    node.to_fill = [isinstance(o, TensorBase) and (fill_all or id(o) not in non_diff) for o in outs]
    if not outs:
        node.to_fill = [True]
    shapes = tuple(y._a.shape if isinstance(y, TensorBase) else () for y in ys)
    kinds = tuple(y._a.dtype if isinstance(y, TensorBase) else np.dtype(np.float32) for y in ys)
    node.shape, node.dtype = (shapes[0], kinds[0]) if len(ys) == 1 else (shapes, kinds)
    node.seq = tick()
    saved = []
    dirty = {id(t) for t in ctx._dirty}
    for t in ctx._to_save:
        if t is not None and t._x is not None and door.is_inference(t):
            raise door.inference_error(name, t)
        nr = next((i for i, o in enumerate(outs) if o is t), None) if t is not None else None
        if nr is not None and not any(t is a for a in inputs if id(a) not in dirty):
            held = door.Kept(t) if t._a.__class__ is OuterArray else t._a
            saved.append(_SavedOutput(held, nr, views.cell(ys[nr])))
        else:
            saved.append(t)
    node.saved = op_node.pack(tuple(saved), node) if door.state.packers else tuple(saved)
    ctx._node = weakref.ref(node)
    return node


def edge(t: Any) -> Any:
    if t._v is not None and t._v.seen != t._vc.count:
        door.refresh(t)
    return t if t._fn is LEAF else t._fn
