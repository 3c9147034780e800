"""What machine code does to Python's objects, in words: fields, classes, references, calls.

The files `*_code.py` write with it what a module beside them does in Python. Such code runs with
the global lock held. A reference is ours (`take` makes one more, `drop` lets it go) or borrowed
from what holds the object meanwhile.

Not here: addresses of Python's functions, the built-in functions around machine code
(`builtin.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..codegen.ir import I8, I32, I64, PTR, Function, Module, Pointer, Value
from . import builtin, jit
from .builtin import field

# Fields of objects, and of ndarrays beside those of `builtin.py` (NumPy's stable ABI).
KIND, BASE, DESCR, FLAGS = 8, 48, 56, 64
CONTIGUOUS, VIEWED = 0x0001, 0x0503  # flags: rows without gaps; what a view has of the array's
ALIGNED, WRITEABLE = 0x0100, 0x0400


_held: list[Any] = []  # what code points to
exported: set[str] = set()  # names of all functions that `compiled` has given


def compiled(
    exports: Sequence[str], things: dict[str, Any], build: Callable[[], Module], *depends: Any
) -> dict[str, int]:
    """Addresses of the functions `exports` of the code that `build` writes.

    Args:
        things: objects that the code names (`the`); they live as long as the process.
        depends: what else the code depends on, such as places of slots.
    """
    _held.append(things)
    exported.update(exports)
    symbols = builtin.pythons() | {name: id(thing) for name, thing in things.items()}
    return jit.load((exports[0], tuple(things), repr(depends)), build, exports, symbols)


def slots_of(cls: type, names: Iterable[str]) -> dict[str, int]:
    """Where objects of a class have these of their slots."""
    return {name: builtin.slot_offset(cls, name) for name in names}


def begin(module: Module, name: str) -> tuple[Function, Pointer]:
    """A built-in function and its arguments."""
    f = module.function(name, PTR, [("self", PTR), ("args", PTR), ("nargs", I64)])
    return f, f.args["args"].of(PTR)


def end(f: Function, made: Value, refused: str = "Py_None") -> None:
    """Return what was made (null: with the error that is set); at the label `refuse`, another
    object."""
    f.ret(made)
    f.label("refuse")
    f.ret(take(f, the(f, refused)))


def end_true(f: Function, refused: str = "Py_None") -> None:
    """Return True; at the label `refuse`, another object."""
    end(f, take(f, the(f, "Py_True")), refused)


def demand(f: Function, condition: Value, otherwise: str = "refuse") -> None:
    """Go on where a condition holds, else at a label."""
    on = f.name_of("on")
    f.line(f"br i1 {condition.text}, label %{on}, label %{otherwise}")
    f.label(on)


def demand_class(f: Function, thing: Value, name: str, otherwise: str = "refuse") -> None:
    """Go on where an object is of a class, and of no subclass."""
    demand(f, same(f, field(f, thing, KIND), the(f, name)), otherwise)


def the(f: Function, name: str) -> Value:
    """An object that is always there, or null."""
    return Value(f, PTR, "null" if name == "null" else f"@{name}")


def same(f: Function, a: Value, b: Value) -> Value:
    """Whether two pointers are one."""
    return f.emit("i1", f"icmp eq ptr {a.text}, {b.text}")


def is_null(f: Function, thing: Value) -> Value:
    """Whether a pointer leads nowhere: a call has failed, or an empty slot."""
    return same(f, thing, the(f, "null"))


def small_field(f: Function, thing: Value, offset: int) -> Value:
    """A C int among an object's fields."""
    return thing.of(I8).at(offset).of(I32)[0]


def take(f: Function, thing: Value) -> Value:
    """One more reference to an object, which is returned."""
    f.call("Py_IncRef", None, [thing])
    return thing


def drop(f: Function, thing: Value) -> None:
    """Let a reference go; nothing, of null."""
    f.call("Py_DecRef", None, [thing])


def put(thing: Value, offset: int, value: Value) -> None:
    """Put an object into an empty field of another one, which takes the reference."""
    thing.of(I8).at(offset).of(PTR)[0] = value


def replace(f: Function, thing: Value, offset: int, value: Value) -> None:
    """Another object in a field, which takes the reference. What was there goes afterwards."""
    old = field(f, thing, offset)
    put(thing, offset, value)
    drop(f, old)


def called(f: Function, function: Value, given: Sequence[Value], how: str = "") -> Value:
    """What a function returns for some objects, or null with an error; with `how` "Method" the
    first one's method of the name `function`."""
    room = f.buffer(PTR, len(given), 8)
    for i, thing in enumerate(given):
        room[i] = thing
    more = [function, room, f.const(I64, len(given)), the(f, "null")]
    found: Value = f.call(f"PyObject_Vectorcall{how}", PTR, more)
    return found


def done(f: Function, result: Value) -> Value:
    """Whether a call has returned something, which is let go."""
    good = f.var(0)
    with f.when(~is_null(f, result)):
        drop(f, result)
        good.set(1)
    return good.get() != 0  # type: ignore[no-any-return]
