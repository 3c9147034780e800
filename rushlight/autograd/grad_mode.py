"""Grad modes: no_grad, enable_grad, set_grad_enabled, inference_mode as contexts, functions and
decorators."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable
from typing import Any

from ..blocks import Presence
from . import door
from .door import state
from .node import InferenceCut


def is_grad_enabled() -> bool:
    """Whether operations are recorded in this thread.

    >>> with torch.no_grad():
    ...     torch.is_grad_enabled()
    False
    >>> torch.is_grad_enabled()
    True
    """
    return state.enabled


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside inference_mode.

    >>> with torch.inference_mode():
    ...     torch.is_inference_mode_enabled()
    True
    """
    return state.inference


class _Mode:
    """A context manager that is a decorator too (of functions, generators, coroutines and
    classes)."""

    def clone(self) -> Any:
        return type(self)()

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, kind: Any, value: Any, tb: Any) -> None:
        raise NotImplementedError

    def __call__(self, fn: Any) -> Any:
        if inspect.isclass(fn):
            import warnings

            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You "
                "should only decorate "
                "functions or methods. To preserve the current behavior of class decoration, "
                "you can directly decorate the `__init__` method and nothing else.",
                FutureWarning,
                stacklevel=2,
            )
            fn.__init__ = self(fn.__init__)  # type: ignore[method-assign]
            return fn
        if inspect.isgeneratorfunction(fn):
            return self._generator(fn)

        @functools.wraps(fn)
        def inside(*args: Any, **kw: Any) -> Any:
            with self.clone():
                return fn(*args, **kw)

        return inside

    def _generator(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """The mode holds while the generator runs, not while it is suspended."""

        @functools.wraps(fn)
        def inside(*args: Any, **kw: Any) -> Any:
            generator = fn(*args, **kw)
            try:
                with self.clone():
                    response = generator.send(None)
                while True:
                    try:
                        request = yield response
                    except GeneratorExit:
                        with self.clone():
                            generator.close()
                        raise
                    except BaseException as error:
                        with self.clone():
                            response = generator.throw(error)
                    else:
                        with self.clone():
                            response = generator.send(request)
            except StopIteration as stop:
                return stop.value

        return inside


class no_grad(_Mode):
    """Operations inside are not recorded.

    >>> import rushlight as torch
    >>> x = torch.ones(1, requires_grad=True)
    >>> with torch.no_grad():
    ...     (x * 2).requires_grad
    False
    """

    _on = False

    def __new__(cls, orig_func: Any = None) -> Any:
        self = object.__new__(cls)
        if orig_func is None:
            return self
        return self(orig_func)  # @no_grad without parentheses

    def __enter__(self) -> None:
        self.prev = state.enabled
        state.enabled = self._on and not state.inference

    def __exit__(self, kind: Any, value: Any, tb: Any) -> None:
        state.enabled = self.prev


class enable_grad(no_grad):
    """Operations inside are recorded, even within no_grad. A context manager and a decorator.

    >>> x = torch.ones(1, requires_grad=True)
    >>> with torch.no_grad():
    ...     with torch.enable_grad():
    ...         y = x * 2
    >>> y.requires_grad
    True
    """

    _on = True


class set_grad_enabled(_Mode):
    """Switch recording on or off: as a function for good, as a context for a block.

    Args:
        mode: True to record, False not to.

    >>> x = torch.ones(1, requires_grad=True)
    >>> training = False
    >>> with torch.set_grad_enabled(training):
    ...     (x * 2).requires_grad
    False
    """

    def __init__(self, mode: bool) -> None:
        self.prev = state.enabled
        self.mode = mode
        state.enabled = mode and not state.inference

    def clone(self) -> Any:
        return _Set(self.mode)

    def __call__(self, fn: Any) -> Any:
        state.enabled = self.prev  # a decorator switches only while the function runs
        return super().__call__(fn)

    def __enter__(self) -> None:
        state.enabled = self.mode and not state.inference

    def __exit__(self, kind: Any, value: Any, tb: Any) -> None:
        state.enabled = self.prev

    def __repr__(self) -> str:
        return f"{type(self).__name__}(mode={self.mode})"


class _Set(no_grad):
    def __new__(cls, on: bool) -> Any:
        self = object.__new__(cls)
        self._on = on
        return self


class inference_mode(_Mode):
    """Like no_grad; what is made inside are inference tensors.

    They are not saved for a backward, changed in place or made to require a gradient outside.

    >>> import rushlight as torch
    >>> with torch.inference_mode():
    ...     y = torch.ones(2) * 3
    >>> y.is_inference(), y.clone().is_inference()
    (True, False)
    """

    mode: bool

    def __new__(cls, mode: Any = True) -> Any:
        self = object.__new__(cls)
        self.mode = mode if isinstance(mode, bool) else True
        if isinstance(mode, bool):
            return self
        return self(mode)

    def clone(self) -> Any:
        return inference_mode(self.mode)

    def __enter__(self) -> None:
        self.prev = (state.enabled, state.inference)
        enabled = not self.mode if self.mode or state.inference else state.enabled
        try:
            infer(self.mode)
            state.enabled, state.inference = enabled, self.mode
        except BaseException:
            infer(self.prev[1])
            raise

    def __exit__(self, kind: Any, value: Any, tb: Any) -> None:
        state.enabled, state.inference = self.prev
        try:
            infer(self.prev[1])
        except BaseException:
            infer(self.prev[1])
            raise


def _note(inferring: bool) -> None:
    door.born[0] = InferenceCut() if inferring else None


_inferring = Presence(_note)  # the threads in inference mode


def infer(on: bool) -> None:
    """Results of this thread's operations are inference tensors from here on, or no longer."""
    (_inferring.come if on else _inferring.go)(threading.get_ident())


class _Threads(threading.local):
    several = True


_threads = _Threads()


def is_multithreading_enabled() -> bool:
    """What `set_multithreading_enabled` said in this thread.

    >>> torch.autograd.is_multithreading_enabled()
    True
    """
    return _threads.several


class set_multithreading_enabled(_Mode):
    """Noted, at once and, as a block, until its end: backward runs in the calling thread anyway.

    >>> with torch.autograd.set_multithreading_enabled(False):
    ...     torch.autograd.is_multithreading_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        self.mode = mode
        self.before, _threads.several = _threads.several, bool(mode)

    def clone(self) -> Any:
        return type(self)(self.mode)

    def __enter__(self) -> None:
        """Done."""

    def __exit__(self, kind: Any, value: Any, tb: Any) -> None:
        _threads.several = self.before
