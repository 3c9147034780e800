"""`torch.compiler.set_stance`: what compiled callables do from now on, in all threads."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..errors import message
from . import state

STANCES = (
    "default",
    "force_eager",
    "eager_on_recompile",
    "fail_on_recompile",
    "eager_then_compile",
    "aot_eager_then_compile",
)


class set_stance:
    """Set what compiled callables do: a function, a context and a decorator, as in PyTorch.

    Args:
        stance: "default"; "force_eager": run what is wrapped; "eager_on_recompile": replay plans
            that are there, run eagerly otherwise; "fail_on_recompile": raise RuntimeError
            otherwise; "eager_then_compile" and "aot_eager_then_compile": run the first call
            eagerly.
        skip_guard_eval_unsafe: accepted; guards are looked at all the same.
        force_backend: accepted with the default stance.

    >>> import rushlight
    >>> with rushlight.compiler.set_stance("force_eager"):
    ...     rushlight.compile(lambda x: 2 * x)(rushlight.ones(1))
    tensor([2.])
    """

    def __init__(
        self,
        stance: str = "default",
        *,
        skip_guard_eval_unsafe: bool = False,
        force_backend: str | Callable[..., Any] | None = None,
    ) -> None:
        if force_backend is not None and stance != "default":
            raise RuntimeError("non-default stance cannot have force_backend set")
        if stance not in STANCES:
            raise RuntimeError(
                message(
                    f"invalid torch.compile stance '{stance}'",
                    wanted=f"one of {', '.join(STANCES)}",
                )
            )
        self.stance, self.before = stance, set_to(stance)

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        set_to(self.before)  # as a decorator it is about the calls of `fn` alone

        @functools.wraps(fn)
        def under_a_stance(*args: Any, **kw: Any) -> Any:
            before = set_to(self.stance)
            try:
                return fn(*args, **kw)
            finally:
                set_to(before)

        return under_a_stance

    def __enter__(self) -> None:
        set_to(self.stance)

    def __exit__(self, *error: object) -> None:
        set_to(self.before)


def set_to(stance: str) -> str:
    """Set the stance; returns the one before."""
    if state.capturing.active:
        raise RuntimeError("attempted to set_stance in a torch.compile region")
    before, state.stance = state.stance, stance
    state.changed()
    return before


def eager() -> bool:
    """Whether compiled callables run what they wrap."""
    return state.disable or state.stance == "force_eager"


def may_capture(compiled: Any, args: Any, kw: Any) -> bool:
    """Whether a call that no plan is for may be captured, or must run eagerly.

    Raises RuntimeError under "fail_on_recompile".
    """
    if state.stance == "eager_on_recompile":
        return False
    if state.stance == "fail_on_recompile":
        raise recompiled(compiled.fn, compiled.misses(args, kw))
    if state.stance.endswith("eager_then_compile") and not compiled.delayed:
        compiled.delayed = True
        return False
    return True


def recompiled(fn: Callable[..., Any], reasons: list[str]) -> RuntimeError:
    """The error of a call of `fn` under "fail_on_recompile" that no plan is for.

    Args:
        reasons: for each plan of `fn`, the guard that failed.
    """
    code = getattr(fn, "__code__", None)
    if code is None:
        code = getattr(getattr(type(fn), "forward", None), "__code__", None)
    text = "Detected recompile when torch.compile stance is 'fail_on_recompile'. "
    if code is None:
        text += f"function: {fn!r}"
    else:
        text += (
            f"filename: '{code.co_filename}', function name: '{code.co_name}', "
            f"line number: {code.co_firstlineno}"
        )
    if reasons:
        text += "\n    triggered by the following guard failure(s):"
        text += "".join(f"\n    - {reason}" for reason in reasons)
    return RuntimeError(text)
