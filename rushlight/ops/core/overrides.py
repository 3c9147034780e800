"""__torch_function__: Tensor subclasses and look-alikes may take over public calls, as in
PyTorch."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from ... import dtypes
from ...autograd import door
from ...autograd.call_errors import is_too_large, memory_error, too_much
from ...autograd.node import TensorBase
from ...autograd.observe import on_observe
from ...blocks import Presence
from ...kernels.runtime import few
from . import wrong_arguments
from .kinds import Kinds, key_of

ordinary: set[type] = set()  # classes without any override: Tensor, Parameter, Buffer
known: set[type] = {int, float, bool, str, type(None)}  # these, and what takes over nothing
plain: set[type] = set()  # what `ordinary` holds, also while modes are asked and it is empty


quick: dict[frozenset[type], set[type]] = {frozenset(): known}  # `known` without some


def known_but(others: frozenset[type]) -> set[type]:
    """The set of known classes without these: it changes as `known` does."""
    if others not in quick:
        quick[others] = known - others
    return quick[others]


def add_ordinary(*classes: type) -> None:
    """Tell which classes are plain tensors."""
    ordinary.update(classes)
    plain.update(classes)
    for found in quick.values():
        found.update(classes)


class _State(threading.local):
    disabled = 0
    stack: tuple[Any, ...] = ()  # the modes of `modes.py` that are asked, innermost last
    entries: tuple[Any, ...] = ()  # all that were entered
    told: Any = None  # the operator that a class is being asked for (`dispatch.py`)


class Given:
    """A parameter of a record that is a tuple with names, as classes are told of it: for them it is
    one value, not a tuple to look into."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


_state = state = _State()


def enabled() -> bool:
    """Whether overrides are honoured just now."""
    return not _state.disabled


class disabled:
    """A block in which subclasses are treated as plain Tensors."""

    __slots__ = ("before",)

    def __enter__(self) -> None:
        self.before = _state.disabled
        _state.disabled = self.before + 1

    def __exit__(self, *error: object) -> None:
        _state.disabled = self.before


def disabled_torch_function(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """A `__torch_function__` that takes over nothing: classes with it are treated as Tensors."""
    with disabled():
        return func(*args, **(kwargs or {}))


def takes_over(kind: type) -> bool:
    """Whether a class has a `__torch_function__` that is to be asked."""
    own = getattr(kind, "__torch_function__", None)
    return own is not None and own is not disabled_torch_function


def dispatch(fn: Any, args: tuple[Any, ...], kw: dict[str, Any], relevant: Any) -> Any:
    """Ask the operands' classes, subclasses before their bases, to carry out `fn`."""
    types: list[type] = []
    for a in relevant:
        kind = type(a)
        if kind not in plain and kind not in types and takes_over(kind):
            place = next((i for i, t in enumerate(types) if issubclass(kind, t)), len(types))
            types.insert(place, kind)
    if _state.stack:
        *outer, mode = _state.stack
        _state.stack = tuple(outer)
        try:
            got = mode.__torch_function__(fn, tuple(types), args, kw)
        finally:
            _state.stack = (*outer, mode)
        if got is not NotImplemented:
            return got
    if not types:  # classes like Parameter, or modes, of another thread or content with the usual
        with disabled():
            return fn(*args, **kw)
    for kind in types:
        got = kind.__torch_function__(fn, tuple(types), args, kw)
        if got is not NotImplemented:
            return got
    raise TypeError(
        f"no implementation found for '{getattr(fn, '__name__', fn)}' on types that implement "
        f"__torch_function__: {types}"
    )


def default(cls: type, fn: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """Tensor's own `__torch_function__`: run as usual, and give the results the subclass's type."""
    if not all(issubclass(cls, t) for t in types):
        return NotImplemented
    with disabled():
        out = fn(*args, **(kwargs or {}))
    return convert(out, cls)


def convert(out: Any, cls: type) -> Any:
    if type(out) in plain and type(out).__name__ == "Tensor":
        return out.as_subclass(cls)
    if isinstance(out, (tuple, list)):
        made = [convert(o, cls) for o in out]
        return type(out)(*made) if hasattr(out, "_fields") else type(out)(made)
    return out


def special(a: Any) -> bool:
    kind = type(a)
    if isinstance(a, TensorBase) and modes.there:
        return True
    return kind not in ordinary and takes_over(kind)


def relevant_args(args: tuple[Any, ...], kw: dict[str, Any]) -> list[Any]:
    """Arguments (one list level deep) whose class may take over."""
    found = []
    for a in (*args, *kw.values()):
        if a.__class__ in known:
            continue
        if isinstance(a, (list, tuple)):
            found += [b for b in a if b.__class__ not in known and special(b)]
        elif special(a):
            found.append(a)
    return found


def dispatching(
    fn: Callable[..., Any],
    words: dict[str, str] | None = None,
    stated: dict[str, str] | None = None,
    bare: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Callable[..., Any]:
    """`fn`, but subclasses among its arguments are asked first, and the parameters are looked at of
    which it is `stated` what they are (`kinds.py`).

    `words` are other names of its parameters (NumPy's), to be looked for in a call that fails.
    `bare` is what `fn` comes to in a call without names, `name` its public one, by which errors
    speak of it, if that is not its own.

    Python's types are put for what they stand for where a dtype is wanted: a call with either
    comes to the long way, for their classes are not among the known ones.
    """
    inner: Any = fn
    while hasattr(inner, "__wrapped__"):
        inner = inner.__wrapped__
    code = getattr(inner, "__code__", None)
    places: tuple[str, ...] = code.co_varnames[: code.co_argcount] if code is not None else ()
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()
    at = places.index("dtype") if "dtype" in places else None

    alone = fn if bare is None else bare
    words = words or {}
    name = name or fn.__name__
    kinds = Kinds(name, stated, places, inner) if stated else None
    # Of a function with parameters of several kinds every call is looked at by `seen`.
    plain = known if kinds is None or kinds.mixed else known_but(kinds.others)
    seen = kinds.seen if kinds is not None and kinds.mixed else None

    @functools.wraps(fn)
    def public(*args: Any, **kw: Any) -> Any:
        if seen is not None and (  # `key_of`, written out
            (*map(type, args), *kw, *map(type, kw.values())) if kw else tuple(map(type, args))
        ) not in seen:
            args, kw = kinds.brought(args, kw, public.method)  # type: ignore[union-attr, attr-defined]
        if few.of_classes(args, plain, known):
            try:
                if not kw:
                    return alone(*args)
                for a in kw.values():
                    if a.__class__ not in plain:
                        break
                else:
                    if "out" in kw and kw["out"] is not None and public.method:  # type: ignore[attr-defined]
                        raise TypeError(f"{name}() got an unexpected keyword argument 'out'")
                    return fn(*args, **kw)
            except MemoryError as error:
                raise memory_error(name, error) from None
            except ValueError as error:
                if not is_too_large(error):
                    raise
                raise too_much(name, error) from None
            except TypeError as error:
                if kinds is not None:
                    # a tensor may stand for an int
                    right, named = kinds.brought(args, kw, public.method)  # type: ignore[attr-defined]
                    if right is not args:
                        return public(*right, **named)
                if words.keys().isdisjoint(kw):
                    wrong_arguments.name_nearest(error, fn.__name__, name, kw, names)
                    raise
                return public(*args, **{words.get(k, k): v for k, v in kw.items()})
            except AttributeError as error:
                refuse_others(name, places, args, kw, error)
                raise
        if seen is None and kinds is not None and key_of(args, kw) not in kinds.seen:
            args, kw = kinds.brought(args, kw, public.method)  # type: ignore[attr-defined]
        known_as = public.published  # type: ignore[attr-defined]
        if not _state.disabled:
            relevant = relevant_args(args, kw)
            if relevant or _state.stack:  # modes are asked of what looks at no operand, too
                return dispatch(known_as, args, kw, relevant)
        if words and not words.keys().isdisjoint(kw):
            kw = {words.get(k, k): v for k, v in kw.items()}
        if kw.get("out") is not None and public.method:  # type: ignore[attr-defined]
            raise TypeError(f"{name}() got an unexpected keyword argument 'out'")
        if kw.get("dtype").__class__ is type:
            kw["dtype"] = dtypes.of(kw["dtype"])
        elif at is not None and len(args) > at and args[at].__class__ is type:
            args = (*args[:at], dtypes.of(args[at]), *args[at + 1 :])
        try:
            return called(known_as, fn, args, kw)
        except AttributeError as error:
            refuse_others(name, places, args, kw, error)
            raise
        except TypeError as error:
            wrong_arguments.name_nearest(error, fn.__name__, name, kw, names)
            raise

    public.published = public  # type: ignore[attr-defined] # unless it stands behind another one
    public.method = False  # type: ignore[attr-defined]
    return public


NO_TENSORS = (bool, int, float, complex, str, list, tuple, type(None))


def refuse_others(
    name: str, places: Any, args: tuple[Any, ...], kw: dict[str, Any], error: AttributeError
) -> None:
    """TypeError when an operand is no tensor, of which something was asked that tensors have."""
    culprit = error.obj
    if culprit.__class__ not in NO_TENSORS:
        return
    kind = type(culprit).__name__
    more = [f"number {i + 1}" for i in range(len(places), len(args))]  # of a function of *args
    for i, (place, x) in enumerate((*zip((*places, *more), args, strict=False), *kw.items())):
        if x is culprit:
            where = f" (position {i + 1})" if i < len(args) else ""
            raise wrong_arguments.refused(name, place, where, culprit) from error
        if x.__class__ in (list, tuple) and any(part is culprit for part in x):
            at = next(k for k, part in enumerate(x) if part is culprit)
            raise TypeError(
                f"{name}(): expected Tensor as element {at} in argument '{place}', but got {kind}"
            ) from error


def called(public: Any, fn: Any, args: tuple[Any, ...], kw: dict[str, Any]) -> Any:
    """A call that no class takes over. While somebody observes, all calls come here, for then
    `known` is empty."""
    if door.state.observers:
        return door.span("composite", public, (*args, *kw.values()), lambda: fn(*args, **kw))
    try:
        return fn(*args, **kw)
    except MemoryError as error:
        raise memory_error(public.__name__, error) from None
    except ValueError as error:
        if not is_too_large(error):
            raise
        raise too_much(public.__name__, error) from None


_kept: list[type] = []  # what `known` holds while nobody asks


def _fit(asked: bool) -> None:
    if asked:
        if not _kept:
            _kept.extend(known)
        for found in quick.values():
            found.clear()
    else:
        for others, found in quick.items():
            found.update([k for k in _kept if k not in others])
        _kept.clear()


_askers = Presence(_fit)  # observers and modes, as one each


def _on_observe(observed: bool) -> None:
    (_askers.come if observed else _askers.go)("observers")


on_observe.append(_on_observe)


def _on_modes(there: bool) -> None:
    if there:
        ordinary.clear()
    else:
        ordinary.update(plain)
    (_askers.come if there else _askers.go)("modes")


# The modes of all threads: while there are some, every public call comes to `dispatch`.
modes = Presence(_on_modes)
