"""Function: operations with a forward and a backward of the user's own.

New style (static methods, `MyFunction.apply(x)`) and the old instance style
(`MyFunction(args)(x)`) both run.
The `ctx` of a call is its own object, so any attribute may be set on it; its node is in
`function_node.py`.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable
from typing import Any

from ..errors import message
from . import door, function_node
from .lines import user_line
from .node import Node, TensorBase, tick


class FunctionCtx:
    """What `forward` tells `backward`: saved tensors, marks, and any attributes."""

    _to_save: tuple[Any, ...] = ()
    _dirty: tuple[Any, ...] = ()
    _non_differentiable: tuple[Any, ...] = ()
    _materialize = True
    _materialize_non_diff_grads = True  # zeros for outputs that carry no gradient
    _node: Any = None  # a weak reference: the node holds its ctx, and a graph must not be a cycle
    _saved: Any = ()  # what the node keeps: here, so that a ctx which outlives its node has it
    _node_class: Any = None  # of the nodes of this ctx's Function; by name where there is none
    _in_jvp = False  # then `saved_tensors` are those of save_for_forward
    saved_for_forward: tuple[Any, ...] = ()
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
        if self._in_jvp:
            return self.saved_for_forward
        if self._node is None:
            return self._to_save
        return function_node.unpacked(self, self._node())

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


class _NodeClass:
    """The class of a Function's nodes, as an attribute of the Function."""

    def __get__(self, instance: Any, owner: Any) -> Any:
        return _ctx_class(owner)._node_class


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
    _backward_cls: Any = _NodeClass()

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
            "autograd.Function to use it with backward mode AD."
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
        ctx, out = forwarded(cls, args, kw)
        return function_node.finish(ctx, cls.__name__ + "Backward", args, out, backward_of(cls))

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
        return function_node.finish(
            self, type(self).__name__, args, out, lambda ctx, *grads: ctx.backward(*grads)
        )


apply_handlers: list[Callable[..., Any]] = []  # forward mode and vmap look at calls here


def forwarded(cls: Any, args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[Any, Any]:
    """The ctx of a call, and what `forward` returned."""
    ctx = _ctx_class(cls)()
    ctx.needs_input_grad = tuple(isinstance(a, TensorBase) and a._fn is not None for a in args)
    with door.grad_enabled(False):
        if _forward_takes_ctx(cls):
            return ctx, cls.forward(ctx, *args, **kw)
        out = cls.forward(*args, **kw)
        cls.setup_context(ctx, with_defaults(cls.forward, args, kw), out)
    return ctx, out


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
    name = cls.__name__ + "Backward"
    node = function_node.new_class(name, cls)
    about = {"_forward_cls": cls, "_node_class": node, "__module__": cls.__module__}
    return type(name, (FunctionCtx,), about)


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
