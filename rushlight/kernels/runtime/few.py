"""Small steps on ndarrays in machine code, where asking NumPy takes longer than what it does.

`new(cls)` is `object.__new__(cls)`. `layouts(*operands)` are bytes, the key of a plan (`keys.py`).
`reshaped(a, shape)` is `a.reshape(shape)` of an array in rows, `joined(arrays, dim)` is
`np.concatenate` of a few small ones. All look at metadata alone, and return None for whatever is
not of the common sort: NumPy does that, and says what is wrong. What they make is what NumPy makes,
with the same strides, flags and owner of the memory, so nobody can tell who made it.

They are loaded where kernels are in use already, or after so many calls that it pays; until then,
and without machine code, they return None. Not here: their code (`few_code.py`).
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
    """Have a function called whenever these functions have been put into their places."""
    _told.append(tell)


def refused(*_given: Any) -> None:
    """The answer of a function that is not there: NumPy does it."""


def load() -> None:
    """Put the functions of machine code into their places."""
    from . import builtin, few_code, jit

    found = jit.load(("few",), few_code.build, few_code.EXPORTS, few_code.symbols())
    for name in few_code.EXPORTS:
        globals()[name] = builtin.function(found[name], name)
    for tell in _told:
        tell()


new: Callable[[Any], Any] = object.__new__
layouts = late(globals(), "layouts", load, refused)
reshaped = late(globals(), "reshaped", load, refused)
joined = late(globals(), "joined", load, refused)
