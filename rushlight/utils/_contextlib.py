"""Objects that are blocks and decorators in one."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

__all__ = ["context_decorator"]


def context_decorator(ctx: Any, func: Any) -> Any:
    """`func`, each call (of a generator: each of its steps) in a block that `ctx()` makes."""
    make = ctx if callable(ctx) else (lambda: ctx)
    if inspect.isclass(func):
        raise RuntimeError(
            "Cannot decorate classes; it is ambiguous whether or not only the constructor or all "
            "methods should have the context manager applied; additionally, decorating a class at "
            "definition-site will prevent use of the identifier as a conventional type.  To "
            "specify which methods to decorate, decorate each of them individually."
        )
    if inspect.isgeneratorfunction(func):

        @functools.wraps(func)
        def steps(*args: Any, **kw: Any) -> Any:
            generator = func(*args, **kw)
            sent: Any = None
            try:
                while True:
                    with make():
                        value = generator.send(sent)
                    sent = yield value
            except StopIteration as done:
                return done.value
            finally:
                generator.close()

        return steps

    @functools.wraps(func)
    def called(*args: Any, **kw: Any) -> Any:
        with make():
            return func(*args, **kw)

    return called


class _DecoratorContextManager:
    """A block that may also decorate functions."""

    def __call__(self, orig_func: Callable[..., Any]) -> Callable[..., Any]:
        return context_decorator(self.clone, orig_func)  # type: ignore[no-any-return]

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        raise NotImplementedError

    def clone(self) -> Any:
        """A new block of the same sort; override it where `__init__` takes arguments."""
        return self.__class__()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """The same; without arguments it may decorate without parentheses."""

    def __new__(cls, orig_func: Any = None) -> Any:
        made = super().__new__(cls)
        if orig_func is None:
            return made
        return made(orig_func)
