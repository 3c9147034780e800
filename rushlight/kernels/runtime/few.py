"""Small steps on ndarrays in machine code, where asking NumPy takes longer than what it does.

`new(cls)` is `object.__new__(cls)`. `of_classes(things, classes, inner)` says whether the class of
each is in a set, or it is a tuple of things whose classes are in another. `layouts(*operands)` are
bytes, the key of a plan (`keys.py`), `kinds(*operands)` one in which floats and ints have no
values.

Of metadata: `reshaped(a, shape)` is `a.reshape(shape)` where nothing is copied, `expanded(a,
shape)` is `np.broadcast_to`, writeable, `joined(arrays, dim)` is `np.concatenate` of a few small
ones, `beside(arrays, dim, new)` that or, with `new`, `np.stack` of parts of one array that lie so
in it, without copying. `assigned(to, a)` is `np.copyto` of a small one, `apart(a, b)` says that two
in rows share no byte.

Of numbers: `inside(index, n)` says whether all of these int64 are at least 0 and below n.
`taken(table, index)` is `table[index]`, `gathered(a, index, d)` is `np.take_along_axis`, and
`placed(a, index, d, value)` a copy after `np.put_along_axis`, `added` one with the values added in
their order; `hot(index, n)` is `np.eye(n)[index]` of whole numbers. `ranked(a, k, largest)` are
places of the k largest, `numbers(data, kind)` is an array of the floats or ints in a list.

They return None for what is not of the common sort: NumPy does that, and says what is wrong. What
they make is what NumPy makes, with the same strides, flags and owner of the memory, so nobody can
tell who made it. They are loaded where kernels are in use already, or after so many calls that it
pays; until then, and without machine code, they return None (`of_classes` is Python's then).

Not here: their code (`few_code.py`, `few_shape_code.py`, `few_index_code.py`, `few_list_code.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import runtime, tuning

_waited = 0  # calls so far


def late(
    names: dict[str, Any],
    name: str,
    load: Callable[[], None],
    instead: Callable[..., Any],
) -> Callable[..., Any]:
    """What stands for a function in the names of a module until it is worth loading.

    Args:
        load: puts the functions of machine code into their places.
        instead: what is called until then, and without machine code.
    """

    def waiting(*given: Any) -> Any:
        global _waited
        if names[name] is not waiting:  # somebody has kept this one
            return names[name](*given)
        if runtime.missing():
            return instead(*given)
        _waited += 1
        if not (runtime.running() or _waited > tuning.FEW_PATIENCE) or not runtime.available():
            return instead(*given)
        load()
        return names[name](*given)

    return waiting


_told: list[Callable[[], None]] = []


def when_loaded(tell: Callable[[], None]) -> None:
    """Have a function called whenever these functions have been put into their places, and now
    where they are there."""
    _told.append(tell)
    if new is not object.__new__:
        tell()


def refused(*_given: Any) -> None:
    """The answer of a function that is not there: NumPy does it."""


def of_classes_by_python(things: tuple[Any, ...], classes: set[Any], inner: set[Any]) -> bool:
    """`of_classes` until machine code is loaded. It does not wait for that as those below do: small
    programs call it often, and should not load anything for it."""
    try:
        for a in things:
            if a.__class__ not in classes and not (
                a.__class__ is tuple and inner.issuperset(map(type, a))
            ):
                return False
    except TypeError:  # a class that has no hash
        return False
    return True


def exports() -> list[str]:
    """The names of all functions of machine code."""
    from . import few_code, few_index_code, few_list_code, few_shape_code

    parts = (few_code, few_shape_code, few_index_code, few_list_code)
    return [name for part in parts for name in part.EXPORTS]


def load() -> None:
    """Put the functions of machine code into their places."""
    from . import builtin, few_code, jit

    names = exports()
    found = jit.load(("few",), few_code.build, names, few_code.symbols())
    for name in names:
        globals()[name] = builtin.function(found[name], name)
    for tell in _told:
        tell()


new: Callable[[Any], Any] = object.__new__
of_classes: Callable[..., bool] = of_classes_by_python
layouts = late(globals(), "layouts", load, refused)
kinds = late(globals(), "kinds", load, refused)
reshaped = late(globals(), "reshaped", load, refused)
expanded = late(globals(), "expanded", load, refused)
joined = late(globals(), "joined", load, refused)
beside = late(globals(), "beside", load, refused)
assigned = late(globals(), "assigned", load, refused)
apart = late(globals(), "apart", load, refused)
inside = late(globals(), "inside", load, refused)
taken = late(globals(), "taken", load, refused)
gathered = late(globals(), "gathered", load, refused)
placed = late(globals(), "placed", load, refused)
added = late(globals(), "added", load, refused)
hot = late(globals(), "hot", load, refused)
ranked = late(globals(), "ranked", load, refused)
numbers = late(globals(), "numbers", load, refused)
