"""`torch.library`: operators of one's own, as functions with a name and a derivative.

    @torch.library.custom_op("mine::double", mutates_args=())
    def double(x: torch.Tensor) -> torch.Tensor:
        return 2 * x

Nothing is compiled, so what only a compiler needs (`register_fake`) is kept and not called. Not
here: `Library`, which speaks to the dispatcher, and `torch.ops`, by which it finds operators.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from . import unsupported
from .autograd import Function
from .errors import message

__all__ = ["CustomOpDef", "custom_op", "register_autograd", "register_fake", "register_kernel"]

FEATURE = "PyTorch's dispatcher"
HINT = "torch.library.custom_op, or torch.autograd.Function"
operators: dict[str, CustomOpDef] = {}


class Named:
    """Arguments that a function takes by their names alone, as one argument of `apply`."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values


def parted(args: tuple[Any, ...]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """(arguments by their places, arguments by their names)."""
    return (args[:-1], args[-1].values) if args and isinstance(args[-1], Named) else (args, {})


class CustomOpDef:
    """A function with a name; `register_autograd` gives it a derivative.

    >>> double = custom_op("docs::double", lambda x: 2 * x, mutates_args=())
    >>> double.register_autograd(lambda ctx, g: 2 * g)
    >>> x = torch.ones(2, requires_grad=True)
    >>> double(x).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """

    def __init__(self, name: str, fn: Callable[..., Any]) -> None:
        self._qualname, self._fn = name, fn
        self._fake: Callable[..., Any] | None = None
        self._function: type[Function] | None = None
        functools.update_wrapper(self, fn)

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    @property
    def _opoverload(self) -> Any:
        """The operator as `torch.ops` has it, under the name of PyTorch's own attribute."""
        from . import ops

        space, _, short = self._qualname.partition("::")
        return getattr(getattr(ops, space), short).default

    def __call__(self, *args: Any, **kw: Any) -> Any:
        if self._function is None:
            return self._fn(*args, **kw)
        import inspect

        signature = inspect.signature(self._fn)
        if not kw and all(p.kind is not p.KEYWORD_ONLY for p in signature.parameters.values()):
            return self._function.apply(*args)
        bound = signature.bind(*args, **kw)
        bound.apply_defaults()
        if not bound.kwargs:
            return self._function.apply(*bound.args)
        return self._function.apply(*bound.args, Named(bound.kwargs))

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """Keep what a compiler would ask for shapes."""
        self._fake = fn
        return fn

    def register_kernel(self, device_types: Any, fn: Any = None, /) -> Any:
        """Another implementation: used if it is for the CPU."""

        def take(found: Callable[..., Any]) -> Callable[..., Any]:
            kinds = [device_types] if isinstance(device_types, str) else device_types
            if kinds is None or "cpu" in kinds:
                self._fn = found
            return found

        return take if fn is None else take(fn)

    def register_vmap(self, fn: Any = None, /) -> Any:
        """Kept by nobody: `vmap` calls the operator once for each sample."""
        return (lambda found: found) if fn is None else fn

    def register_autograd(
        self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None
    ) -> None:
        """Give the operator a derivative.

        Args:
            backward: `backward(ctx, *grads)`, one gradient an argument.
            setup_context: `setup_context(ctx, inputs, output)`, which saves what it needs; with
                arguments that the function takes by name alone there is `keyword_only_inputs`, too.
        """
        own = self

        class Operator(Function):
            """The operator on the tape."""

            @staticmethod
            def forward(*args: Any) -> Any:
                args, named = parted(args)
                return own._fn(*args, **named)

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                inputs, named = parted(inputs)
                ctx.takes_names = bool(named)
                if setup_context is not None:
                    if named:
                        setup_context(
                            ctx=ctx, inputs=inputs, keyword_only_inputs=named, output=output
                        )
                    else:
                        setup_context(ctx, inputs, output)

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                found = backward(ctx, *grads)
                if not ctx.takes_names:
                    return found
                return (*found, None) if isinstance(found, tuple) else (found, None)

        Operator.__name__ = Operator.__qualname__ = self._qualname.replace("::", "_")
        self._function = Operator


def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: Any = (),
    device_types: Any = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Make an operator of a function; a decorator without `fn`.

    Args:
        name: "namespace::name".
        mutates_args, device_types, schema, tags: accepted.

    >>> @torch.library.custom_op("docs::double", mutates_args=())
    ... def double(x: torch.Tensor) -> torch.Tensor:
    ...     return torch.from_numpy(x.numpy() * 2)
    >>> double(torch.ones(2)), torch.ops.docs.double(torch.ones(1))
    (tensor([2., 2.]), tensor([2.]))
    """
    space, found, short = name.partition("::")
    if not (found and space and short):
        raise ValueError(
            message("custom_op: the name has no namespace", repr(name), "'namespace::name'")
        )

    def make(function: Callable[..., Any]) -> CustomOpDef:
        operators[name] = CustomOpDef(name, function)
        return operators[name]

    return make if fn is None else make(fn)


def _operator(op: Any) -> CustomOpDef:
    made = op if isinstance(op, CustomOpDef) else operators.get(str(op))
    if made is None:
        raise RuntimeError(f"operator {op} does not exist: it was not made by custom_op")
    return made


def register_fake(op: Any, func: Any = None, /, **others: Any) -> Any:
    """`CustomOpDef.register_fake` by the operator's name: how shapes and dtypes come out.

    >>> @torch.library.custom_op("docs::first_row", mutates_args=())
    ... def first_row(x: torch.Tensor) -> torch.Tensor:
    ...     return torch.from_numpy(x.numpy()[0].copy())
    >>> @torch.library.register_fake("docs::first_row")
    ... def _(x):
    ...     return x.new_empty(x.shape[1:])
    >>> first_row(torch.ones(2, 3))
    tensor([1., 1., 1.])
    """
    made = _operator(op)
    return made.register_fake if func is None else made.register_fake(func)


def register_kernel(op: Any, device_types: Any, func: Any = None, /, **others: Any) -> Any:
    """`CustomOpDef.register_kernel` by the operator's name: another way to compute it.

    >>> @torch.library.custom_op("docs::triple", mutates_args=())
    ... def triple(x: torch.Tensor) -> torch.Tensor:
    ...     return x + x + x
    >>> @torch.library.register_kernel("docs::triple", "cpu")
    ... def _(x):
    ...     return x * 3
    >>> triple(torch.ones(2))
    tensor([3., 3.])
    """
    return _operator(op).register_kernel(device_types, func)


def register_autograd(
    op: Any, backward: Callable[..., Any], /, *, setup_context: Any = None, **others: Any
) -> None:
    """`CustomOpDef.register_autograd` by the operator's name: its derivative.

    Args:
        backward: (ctx, *gradients of the results) gives the gradients of the arguments.
        setup_context: (ctx, inputs, output) saves what `backward` needs.

    >>> @torch.library.custom_op("docs::square", mutates_args=())
    ... def square(x: torch.Tensor) -> torch.Tensor:
    ...     return torch.from_numpy(x.numpy() ** 2)
    >>> def save(ctx, inputs, output):
    ...     ctx.save_for_backward(*inputs)
    >>> def backward(ctx, g):
    ...     (x,) = ctx.saved_tensors
    ...     return 2 * x * g
    >>> torch.library.register_autograd("docs::square", backward, setup_context=save)
    >>> x = torch.tensor([3.0], requires_grad=True)
    >>> square(x).backward()
    >>> x.grad
    tensor([6.])
    """
    _operator(op).register_autograd(backward, setup_context=setup_context)


__getattr__, __dir__ = unsupported.module(
    __name__,
    "Library define fallthrough_kernel impl opcheck register_vmap triton_op",
    FEATURE,
    HINT,
)
