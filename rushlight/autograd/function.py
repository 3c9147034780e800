"""Function: operations with a forward and a backward of the user's own.

New style (static methods, `MyFunction.apply(x)`) and the old instance style
(`MyFunction(args)(x)`) both run.
The `ctx` of a call is its own object, so any attribute may be set on it; the node is a
`FunctionNode`.
"""

from __future__ import annotations

import functools
import inspect
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import message
from ..kernels.meta import OuterArray
from . import door, op_node, steps, views
from .node import LEAF, Freed, Node, Out, TensorBase, freed_error, inplace_error, tick, user_line


class FunctionCtx:
    """What `forward` tells `backward`: saved tensors, marks, and any attributes."""

    _to_save: tuple[Any, ...] = ()
    _dirty: tuple[Any, ...] = ()
    _non_differentiable: tuple[Any, ...] = ()
    _materialize = True
    _materialize_non_diff_grads = True  # zeros for outputs that carry no gradient
    _node: Any = None  # a weak reference: the node holds its ctx, and a graph must not be a cycle
    needs_input_grad: tuple[bool, ...] = ()

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors (or None) for backward; inputs, outputs and intermediates alike."""
        for t in tensors:
            if t is not None and not isinstance(t, TensorBase):
                raise TypeError(
                    message(
                        f"save_for_backward can only save variables, but argument is of type "
                        f"{type(t).__name__}",
                        hint="ctx.name = value for anything that is not a Tensor",
                    )
                )
        self._to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for `jvp`."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Any) -> None:
        """Say which inputs `forward` changed in place (each must be returned)."""
        self._dirty = args

    def mark_non_differentiable(self, *args: Any) -> None:
        """Say which outputs carry no gradient."""
        self._non_differentiable = args

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Removed from PyTorch; not needed: views of inputs are recognised."""
        warnings.warn(
            "mark_shared_storage is deprecated. Tensors with shared storages are automatically "
            "tracked.",
            FutureWarning,
            stacklevel=2,
        )

    def set_materialize_grads(self, value: bool) -> None:
        """With False, outputs without a gradient give None to backward instead of zeros."""
        self._materialize = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors given to save_for_backward; RuntimeError once they were freed or changed in
        place."""
        if self._node is None:
            return self._to_save
        return self._alive().unpack()

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        """The old name of saved_tensors."""
        warnings.warn(
            "'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2
        )
        return self.saved_tensors

    @property
    def next_functions(self) -> Any:
        return self._alive().next_functions

    def name(self) -> str:
        """The node's name."""
        return self._alive().name()

    @property
    def metadata(self) -> Any:
        return self._alive().metadata

    def register_hook(self, fn: Any) -> Any:
        return self._alive().register_hook(fn)

    def _alive(self) -> Any:
        node = self._node()
        if node is None:
            raise RuntimeError(
                "the graph that this ctx belongs to is gone: keep one of the outputs, or the "
                "saved tensors"
            )
        return node


class FunctionNode(Node):
    """The node of a custom Function; unknown attributes are read from its ctx."""

    __slots__ = ("backward_fn", "ctx", "is_tensor", "n_out", "to_fill")
    to_fill: Any  # which outputs have zeros for a gradient where none came
    makes_results = False

    def unpack(self) -> tuple[Any, ...]:
        """The saved tensors, checked."""
        if self.saved.__class__ is Freed:
            raise freed_error(self, self.saved)
        out: list[Any] = []
        for s in self.saved:
            if s.__class__ is _SavedOutput:
                cell = s.cell
                if cell is not None and cell.stamp > self.seq:
                    shape = self.shape if self.n_out == 1 else self.shape[s.nr]
                    raise inplace_error(self, shape, cell)
                t = door.wrap(s.array)
                t._fn = self if self.n_out == 1 else Out(self, s.nr)
                s = t
            elif s.__class__ is op_node.Packed:
                s = s.open()
            elif s is not None:
                cell = s._vc
                if cell is not None and cell.stamp > self.seq:
                    raise inplace_error(self, s._a.shape, cell)
            out.append(s)
        return tuple(out)

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
                        f"position {i + 1}, but the "
                        "corresponding forward input was not a Variable"
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
                    f"{list(got)} but expected "
                    f"shape compatible with {list(shape)}",
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


class Function(FunctionCtx):
    """Base of custom differentiable operations.

    Write `forward(ctx, *args)` and `backward(ctx, *grads)` as static methods (or `forward(*args)`
    with
    `setup_context(ctx, inputs, output)`), and call `MyFunction.apply(*args)`.

    >>> import rushlight as torch
    >>> class Square(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return 2 * x * g
    >>> x = torch.tensor(3.0, requires_grad=True)
    >>> Square.apply(x).backward()
    >>> x.grad
    tensor(6.)
    """

    generate_vmap_rule = False

    @staticmethod
    def forward(*args: Any, **kw: Any) -> Any:
        """Compute the outputs; to be overridden."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> Any:
        """Fill ctx after a `forward` that takes none; to be overridden."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Gradients of the inputs from those of the outputs; to be overridden."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Tangents of the outputs from those of the inputs (forward mode); to be overridden."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """The operation on a batch; to be overridden."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must override the vmap staticmethod."
        )

    @classmethod
    def apply(cls, *args: Any, **kw: Any) -> Any:
        """Run the operation and record it."""
        if door.state.observers:
            return door.span("function", cls, args, lambda: cls._apply(args, kw))
        return cls._apply(args, kw)

    @classmethod
    def _apply(cls, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
        for handler in apply_handlers:
            got = handler(cls, args, kw)
            if got is not NotImplemented:
                return got
        if door.state.transforms and _forward_takes_ctx(cls):
            raise RuntimeError(
                message(
                    "In order to use an autograd.Function with functorch transforms (vmap, grad, "
                    "jvp, jacrev, ...), it must override the setup_context staticmethod.",
                    got=f"{cls.__name__}, whose forward takes ctx",
                    wanted="forward(*args) and setup_context(ctx, inputs, output)",
                )
            )
        kind: Any = cls
        ctx = _ctx_class(kind)()
        ctx.needs_input_grad = tuple(isinstance(a, TensorBase) and a._fn is not None for a in args)
        with door.grad_enabled(False):
            if not _forward_takes_ctx(cls):
                out = cls.forward(*args, **kw)
                cls.setup_context(ctx, with_defaults(cls.forward, args, kw), out)
            else:
                out = cls.forward(ctx, *args, **kw)
        return finish(ctx, cls.__name__ + "Backward", args, out, backward_of(cls))

    def __call__(self, *args: Any) -> Any:
        """The old style: an object that is called once with tensors."""
        if isinstance(_static(type(self), "forward"), staticmethod):
            raise RuntimeError(
                f"Legacy autograd function object was called twice or has static methods: use "
                f"{type(self).__name__}.apply"
            )
        self.needs_input_grad = tuple(isinstance(a, TensorBase) and a._fn is not None for a in args)
        with door.grad_enabled(False):
            out = self.forward(*args)
        return finish(
            self, type(self).__name__, args, out, lambda ctx, *grads: ctx.backward(*grads)
        )


apply_handlers: list[Callable[..., Any]] = []  # forward mode and vmap look at calls here


def with_defaults(forward: Any, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of a call of `forward`, those that were left out as well."""
    code = getattr(forward, "__code__", None)
    if code is None or (not kw and len(args) >= code.co_argcount):
        return args
    bound = inspect.signature(forward).bind(*args, **kw)
    bound.apply_defaults()
    return bound.args


def _forward_takes_ctx(cls: type) -> bool:
    """Whether a Function is of the form without `setup_context`."""
    return _static(cls, "setup_context") is Function.__dict__["setup_context"]


def backward_of(cls: Any) -> Any:
    """What computes the gradients of a Function: its `backward`, or its `vjp`."""
    theirs = [_static(cls, name) is not Function.__dict__[name] for name in ("backward", "vjp")]
    if all(theirs):
        raise RuntimeError(
            "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You "
            f"should only implement one of them ({cls.__name__})."
        )
    return cls.backward if theirs[0] else cls.vjp


def _static(cls: type, name: str) -> Any:
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


@functools.cache
def _ctx_class(cls: Any) -> Any:
    """One ctx class a Function: attributes of the Function class are visible on it."""
    return type(
        cls.__name__ + "Backward",
        (FunctionCtx,),
        {"_forward_cls": cls, "__module__": cls.__module__},
    )


@functools.cache
def _node_class(name: str) -> Any:
    return type(name, (FunctionNode,), {"__slots__": (), "__module__": "rushlight"})


def finish(ctx: Any, name: str, args: tuple[Any, ...], out: Any, backward_fn: Any) -> Any:
    """Turn what `forward` returned into outputs of one node."""
    single = not isinstance(out, (tuple, list))
    outs = [out] if single else list(out)
    inputs = [a for a in args if isinstance(a, TensorBase)]
    tracked = door.state.enabled and any(ctx.needs_input_grad)
    dirty = {id(t) for t in ctx._dirty}
    non_diff = {id(t) for t in ctx._non_differentiable}
    for t in ctx._dirty:
        if not any(t is a for a in inputs):
            warnings.warn(
                "Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an "
                "input, there is no need to pass it to mark_dirty().",
                UserWarning,
                stacklevel=3,
            )
            continue
        if not any(t is o for o in outs):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as "
                "output. The inputs that are "
                "modified inplace must all be outputs of the Function."
            )
        if tracked and t._fn is LEAF:
            raise RuntimeError(
                "a leaf Variable that requires grad is being used in an in-place operation."
            )
        views.cell(t).bump(name)
    ys: list[Any] = []
    for o in outs:
        if not isinstance(o, TensorBase) or id(o) in dirty:
            ys.append(o)
        elif any(
            o is a for a in inputs
        ):  # handed through: a view, so that it has a history of its own
            with door.grad_enabled(False):
                y = o.view_as(o)
            y._fn = None
            ys.append(y)
        elif o._fn is not None and tracked and not (o._v is not None and o._v.made in views.QUIET):
            ys.append(o.detach())  # type: ignore[attr-defined]
        else:
            ys.append(o)
    for o, y in zip(outs, ys, strict=True):
        if isinstance(y, TensorBase) and y._v is not None and id(o) not in dirty:
            y._v.made = "function"
    if not tracked:
        if any(ctx.needs_input_grad):
            for y in ys:
                if isinstance(y, TensorBase) and y._x is None and y._fn is None:
                    y._x = door.cut("no_grad")
        return ys[0] if single else tuple(ys)
    node: Any = object.__new__(_node_class(name))
    node.ctx, node.backward_fn = ctx, backward_fn
    node.is_tensor = tuple(isinstance(a, TensorBase) for a in args)
    node.edges = tuple(edge(a) for a in inputs)
    node.kw = node.x = None
    node.code, node.lasti = user_line()
    node.n_out = max(len(ys), 1)
    fill_all = ctx._materialize_non_diff_grads
    node.to_fill = [isinstance(o, TensorBase) and (fill_all or id(o) not in non_diff) for o in outs]
    if not outs:
        node.to_fill = [True]
    shapes = tuple(y._a.shape if isinstance(y, TensorBase) else () for y in ys)
    kinds = tuple(y._a.dtype if isinstance(y, TensorBase) else np.dtype(np.float32) for y in ys)
    node.shape, node.dtype = (shapes[0], kinds[0]) if len(ys) == 1 else (shapes, kinds)
    node.seq = tick()
    saved = []
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
    ctx._to_save = ctx._dirty = ctx._non_differentiable = ()  # outputs among them would be cycles
    ctx._node = weakref.ref(node)
    if door.noting is not None:
        door.noting(node)
    several = (
        sum(
            isinstance(y, TensorBase) and id(o) not in non_diff
            for o, y in zip(outs, ys, strict=True)
        )
        > 1
    )
    for nr, (o, y) in enumerate(zip(outs, ys, strict=True)):
        if not isinstance(y, TensorBase) or id(o) in non_diff or y._a.dtype.kind not in "fcV":
            continue
        if several and y._v is not None and id(o) not in dirty:
            y._v.made = "several"
        fn = node if node.n_out == 1 else Out(node, nr)
        if id(o) in dirty and y._v is not None:
            views.rebase(y, node, views.cell(y))
        else:
            y._fn = fn
    return ys[0] if single else tuple(ys)


def edge(t: Any) -> Any:
    if t._v is not None and t._v.seen != t._vc.count:
        door.refresh(t)
    return t if t._fn is LEAF else t._fn


def once_differentiable(fn: Any) -> Any:
    """Decorator of a `backward` that cannot itself be differentiated."""

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with door.grad_enabled(False):
            outputs = fn(ctx, *args)
        if not door.state.enabled or not any(
            isinstance(a, TensorBase) and a._fn is not None for a in args
        ):
            return outputs
        single = not isinstance(outputs, tuple)
        marked = []
        for v in (outputs,) if single else outputs:
            if isinstance(v, TensorBase):
                v = v.detach()  # type: ignore[attr-defined]
                v._fn = _twice(v)
            marked.append(v)
        return marked[0] if single else tuple(marked)

    return wrapper


class _Twice(Node):
    __slots__ = ()

    def run(self, g: Any, tensors: bool, wanted: Any = None) -> Any:
        raise RuntimeError(
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )


def _twice(t: Any) -> Node:
    node: Node = object.__new__(_Twice)
    node.edges, node.saved, node.kw, node.x = (), (), None, None
    node.seq, node.shape, node.dtype = tick(), t._a.shape, t._a.dtype
    node.code, node.lasti = user_line()
    return node


class InplaceFunction(Function):
    """The old base class of functions with an `inplace` flag."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """Present for isinstance checks; nested inputs are not unpacked here."""
