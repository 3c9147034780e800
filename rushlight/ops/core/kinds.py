"""The kinds of parameters: what PyTorch takes for an `int`, a `bool`, a `float`, a `str`.

A parameter's kind is its annotation in the declared function, the one that editors show. `int` is
a whole number, not a bool; `bool` not a number; `float` any real number. Numbers of NumPy's and
tensors that are one number count where PyTorch counts them. Parameters annotated otherwise (`Any`,
sizes, a `dim` that may be several) are left to the function.

Asked of the classes of a call's arguments, and of a composite once for the same classes (`Kinds`);
of a record where its parameters are sorted (`Signature.bind`). Calls that are made as the door is
written out (`autograd/call_text.py`) look for the usual classes of `USUAL` alone and leave others
to `bind`. Decision 0046.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ...autograd.node import TensorBase
from ...errors import message

NONE = type(None)
# What a value's class may be so that nothing else is asked.
USUAL: dict[str, frozenset[type]] = {
    "int": frozenset((int,)),
    "bool": frozenset((bool,)),
    "float": frozenset((float, int, bool)),
    "str": frozenset((str,)),
}
USUAL.update({f"{kind} | None": classes | {NONE} for kind, classes in [*USUAL.items()]})
# Parameters of factories for which PyTorch takes None, too.
OR_NONE = frozenset(("requires_grad", "pin_memory"))


def whole(v: Any) -> bool:
    """Whether PyTorch takes it for an int."""
    if isinstance(v, TensorBase):
        return v._a.dtype.kind in "iu" and not v._a.ndim
    return not isinstance(v, (bool, np.bool_)) and hasattr(v, "__index__")


def real(v: Any) -> bool:
    """Whether PyTorch takes it for a float."""
    if isinstance(v, TensorBase):
        return v._a.size == 1
    if isinstance(v, (complex, np.complexfloating)):
        return False
    return hasattr(v, "__float__") or hasattr(v, "__index__")


FITS: dict[str, Callable[[Any], bool]] = {
    "int": whole,
    "bool": lambda v: isinstance(v, bool),
    "float": real,
    "str": lambda v: isinstance(v, str),
}


def of(fn: Any, loose: Iterable[str] = (), numbers_alone: bool = False) -> dict[str, str]:
    """The kinds of a function's parameters, as far as it states them, but for the `loose` ones."""
    found = {}
    for k, v in getattr(fn, "__annotations__", {}).items():
        if k == "return" or k[0] == "_" or v not in USUAL or k in loose:
            continue
        if numbers_alone and not v.startswith(("int", "float")):
            continue
        found[k] = "bool | None" if k in OR_NONE and v == "bool" else v
    return found


def brought(name: str, argument: str, kind: str, v: Any, place: int | None = None) -> Any:
    """A value whose class is not the usual one for its kind: an int where one stands in an array.
    TypeError in PyTorch's words unless it is of the kind."""
    one, _, optional = kind.partition(" | ")
    if v is None and optional:
        return v
    if FITS[one](v):
        return v.__index__() if one == "int" else v
    if hasattr(v, "__torch_function__") and not isinstance(v, TensorBase):
        return v  # whose class will be asked
    where = f" (position {place + 1})" if place is not None else ""
    raise TypeError(
        message(
            f"{name}(): argument '{argument}'{where} must be {one}, not {type(v).__name__}",
            got=f"shape {tuple(v.shape)}" if isinstance(v, TensorBase) else repr(v)[:60],
        )
    )


def key_of(args: tuple[Any, ...], kw: dict[str, Any]) -> tuple[Any, ...]:
    """The classes of a call's arguments, and the names of those that came by name."""
    return (*map(type, args), *kw, *map(type, kw.values())) if kw else tuple(map(type, args))


class Kinds:
    """The kinds of the parameters of a public function.

    Attributes:
        others: classes that none of its parameters has usually. A call without them is not looked
            at, for it costs nothing to miss them among those that need no other look either
            (`overrides.known`).
        mixed: its parameters are of several kinds, so that the place of a class matters.
        seen: what was found right, as classes of arguments and names of those that came by name.
    """

    MOST = 64  # calls in the memory of one function

    def __init__(
        self, name: str, kinds: dict[str, str], places: tuple[str, ...], fn: Any
    ) -> None:
        self.name = name
        self.kinds = kinds
        self.places = [(i, p, kinds[p]) for i, p in enumerate(places) if p in kinds]
        usual = [USUAL[kind] - {NONE, str} for kind in kinds.values()]
        code = fn.__code__
        free = code.co_argcount + code.co_kwonlyargcount - len(kinds) > 1
        free = free or bool(code.co_flags & inspect.CO_VARARGS)
        truths = usual[0] == {bool} and free  # beside which there may be ints
        names = {*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]} - {*kinds}
        numbers = "value" in names  # of any kind
        self.mixed = truths or numbers or any(classes != usual[0] for classes in usual)
        values = [*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()]
        taken = {v.__class__ for v in values}.union(*(USUAL[kind] for kind in kinds.values()))
        every: frozenset[type] = frozenset([int, float, bool, str, NONE])
        self.others = every - taken
        self.seen: set[tuple[Any, ...]] = set()

    def brought(
        self, args: tuple[Any, ...], kw: dict[str, Any], method: bool = False
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call, with ints in place of what stands for one. Raises unless all are
        of their kinds, and notes the classes of the call where these say so. The arguments of a
        `method` are counted behind its tensor."""
        unusual: dict[int | str, Any] = {}
        for i, argument, kind in self.places:
            if i >= len(args):
                break
            if args[i].__class__ not in USUAL[kind]:
                unusual[i] = brought(self.name, argument, kind, args[i], i - method)
        for k, v in kw.items():
            known = self.kinds.get(k)
            if known is not None and v.__class__ not in USUAL[known]:
                unusual[k] = brought(self.name, k, known, v)
        if not unusual and len(self.seen) < self.MOST:
            self.seen.add(key_of(args, kw))
        if all(v is (args[k] if isinstance(k, int) else kw[k]) for k, v in unusual.items()):
            return args, kw
        args = tuple([unusual.get(i, a) for i, a in enumerate(args)])
        return args, {k: unusual.get(k, v) for k, v in kw.items()}
