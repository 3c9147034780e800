"""What NumPy does in a line, as calls of kernels that give the same bits.

Eager calls leave small arrays to NumPy. A compiled step computes them by kernels, where these
round as NumPy does: sums, products, quotients, roots, comparisons and choices of single elements,
which every machine rounds alike, copies, and sums in NumPy's own order. Each one is first tried out
against NumPy, on numbers of all sizes and on NaN, infinities and zeros: if a bit differs, it stays
NumPy's.

Not here: what NumPy did (`spy.py`, `lower_plans.py`), the kernels themselves.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels.codegen.expr import Expr
from ..kernels.codegen.interface import Kernel
from ..kernels.copy import select as copying
from ..kernels.elementwise import axes, broadcast, contiguous
from ..kernels.elementwise.formula import Formula
from ..kernels.elementwise.lowered import BFLOAT16, EXPONENTS
from ..kernels.elementwise.select import Problem
from ..kernels.launch import Launch
from ..kernels.meta import MetaArray
from . import trials
from .calls import Call, Lying, Place, run_on
from .spy import Event, Refused
from .sums import MOST_PARTS, Way, places, products, sums

if TYPE_CHECKING:
    from .lower_plans import Lowered

Array = Any
Dims = tuple[int, ...]
MANY = 1 << 15  # elements of a result from which on fewer numbers are tried
NAMES = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "negative": "neg",
    "absolute": "abs", "fabs": "abs", "sqrt": "sqrt", "maximum": "maximum", "minimum": "minimum",
    "fmax": "fmax", "fmin": "fmin", "equal": "eq", "not_equal": "ne", "less": "lt",
    "less_equal": "le", "greater": "gt", "greater_equal": "ge", "logical_and": "logical_and",
    "logical_or": "logical_or", "logical_xor": "logical_xor", "logical_not": "logical_not",
    "bitwise_and": "bitwise_and", "bitwise_or": "bitwise_or", "bitwise_xor": "bitwise_xor",
    "invert": "bitwise_not", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "isnan": "isnan",
    "isinf": "isinf", "isfinite": "isfinite", "copysign": "copysign", "where": "where",
    "square": "square", "reciprocal": "reciprocal", "power": "pow", "sign": "sign",
    "clip": "clip",
}  # fmt: skip


class Named:
    """An operation of a formula, by its name alone."""

    def __init__(self, name: str) -> None:
        self.name = name


@functools.cache
def formula(name: str) -> Formula:
    """The formula of one of NumPy's functions."""
    op = Named({"square": "mul", "reciprocal": "div"}.get(name, name.partition("_")[0]
               if name.startswith(("pow_", "sign_")) else name))  # fmt: skip

    def seen(*given: Any) -> Any:
        if name == "square":
            given = (given[0], given[0])
        elif name == "reciprocal":
            given = (1.0, given[0])
        elif name.startswith("pow_"):
            given = (given[0], float(name[4:]))
        trace = next(x.trace for x in given if isinstance(x, Expr))
        if name == "clip":
            return trace.call(Named("minimum"), (trace.call(Named("maximum"), given[:2]), given[2]))
        if name == "sign_float":  # NumPy's sign of NaN is NaN
            (x,) = given
            return trace.call(
                Named("where"), (trace.call(Named("isnan"), (x,)), x, trace.call(op, given))
            )
        return trace.call(op, given)

    return Formula(seen, f"numpy_{name}", alone=True)


def calls(event: Event, made: Lowered) -> list[Call]:
    """What NumPy did, as calls; `made` has room for what they need.

    Raises:
        Refused: no kernel gives the same bits.
    """
    if 0 in event.out.shape:
        return []
    arrays = [a for a in event.arrays if isinstance(a, Lying)]
    overlapping(arrays, event.out)
    values = [a if isinstance(a, (Lying, int, float)) else constant(a, made) for a in event.arrays]
    event = event._replace(arrays=tuple(values))
    known = tuple([described(a) for a in (*event.arrays, event.out)])
    key = (event.name, event.what, known, event.more, same_places(event))
    way = _ways.get(key)
    if way is None:
        try:
            way = found(event)
        except Refused as e:
            way = str(e)
        _ways[key] = way
    if isinstance(way, str):
        raise Refused(way)
    places = [a.place for a in (*event.arrays, event.out) if isinstance(a, Lying)]
    rooms = [made.temp(n) for n in way.temps]

    def move(place: Place) -> Place:
        base = places[place.number] if place.kind == "array" else rooms[place.number]
        return base.moved(place.offset)

    return [c.at(move) for c in way.calls]


_ways: dict[Any, Any] = {}


def constant(a: Any, made: Lowered) -> Lying:
    """A number of NumPy's as an array."""
    if not isinstance(a, np.generic):
        raise Refused(f"NumPy computes with a {type(a).__name__}")
    array = np.asarray(a)
    return Lying(made.constant(array), (), (), array.dtype)


def described(a: Any) -> Any:
    """What calls depend on of an operand."""
    return (a.shape, a.strides, a.dtype) if isinstance(a, Lying) else (type(a), repr(a))


def same_places(event: Event) -> Any:
    return tuple([isinstance(a, Lying) and a.place == event.out.place for a in event.arrays])


def overlapping(arrays: Sequence[Lying], out: Lying) -> None:
    """Refuse results over an operand that lies otherwise."""
    low, high = reach(out)
    for a in arrays:
        first, last = reach(a)
        if a.place[:2] == out.place[:2] and first < high and low < last and not (
            a.place == out.place and a.strides == out.strides and a.shape == out.shape
            and a.dtype == out.dtype
        ):  # fmt: skip
            raise Refused("NumPy writes over an operand")


def reach(a: Lying) -> tuple[int, int]:
    """The first byte and the one behind the last, from the place's beginning."""
    low = high = a.place.offset
    for n, step in zip(a.shape, a.strides, strict=True):
        low, high = (low, high + (n - 1) * step) if step > 0 else (low + (n - 1) * step, high)
    return low, high + a.dtype.itemsize


# -- elements --------------------------------------------------------------------------------------

Kernels = Callable[[tuple[Any, ...], str], "Kernel | None"]


def elementwise(event: Event) -> list[Way]:
    """A ufunc of elements, or `where`."""
    name = NAMES.get("where" if event.name == "where" else event.what.__name__)
    if name is None or event.more:
        raise Refused(f"NumPy: {event.what.__name__}")
    if name == "pow":
        base, exponent = event.arrays
        if exponent.__class__ not in (int, float) or exponent not in EXPONENTS:
            raise Refused("NumPy: power")
        name, event = f"pow_{float(exponent)}", event._replace(arrays=(base,))
    if name == "sign" and event.out.dtype.kind == "f":
        name = "sign_float"
    numbers = [a for a in event.arrays if not isinstance(a, Lying)]
    if any(a.__class__ not in (int, float) for a in numbers):
        raise Refused("NumPy computes with a truth")
    operands = tuple([a.__class__ if not isinstance(a, Lying) else (a.shape, a.strides, a.dtype)
                      for a in event.arrays])  # fmt: skip
    problem = Problem(formula(name), operands, ())

    values = event.arrays[event.name == "where" :]
    kinds = {a.dtype for a in values if isinstance(a, Lying)}
    if kinds - {event.out.dtype} and event.out.dtype.kind == "f":
        return cast_first(event)

    def kernels(kinds: tuple[Any, ...], way: str) -> Kernel | None:
        made = problem.lowered(kinds, way)
        return None if made is None or made.out != event.out.dtype else made.kernel(way)

    return [Way(laid(kernels, event.arrays, event.out))]


def cast_first(event: Event) -> list[Way]:
    """A formula of operands that are brought to the result's type first, as NumPy does."""
    arrays: list[Any] = []
    cast: list[Call] = []
    temps: list[int] = []
    for k, a in enumerate(event.arrays):
        choice = event.name == "where" and k == 0
        if isinstance(a, Lying) and a.dtype != event.out.dtype and not choice:
            room = event.out._replace(place=Place("room", len(temps)), shape=a.shape)
            room = room._replace(strides=MetaArray(a.shape, room.dtype).strides)
            temps.append(math.prod(a.shape) * room.dtype.itemsize)
            cast += copy(Event("copy", None, (a,), room))[0].calls
            a = room
        arrays.append(a)
    ways = elementwise(event._replace(arrays=tuple(arrays)))
    return [Way([*cast, *way.calls], temps) for way in ways]


def copy(event: Event) -> list[Way]:
    """A copy, in the result's type."""
    (source,), out = event.arrays, event.out
    more = (0,) * (len(out.shape) - len(source.shape))
    steps = [0 if n == 1 else step for n, step in zip(source.shape, source.strides, strict=True)]
    plan = copying.plan(source.dtype, out.dtype, out.shape, (*more, *steps), out.strides)
    (launch,) = plan.launches
    if not isinstance(launch, Launch):
        raise Refused(f"NumPy copies {source.dtype} into {out.dtype}")
    places = (source.place, out.place)
    return [Way([Call(launch.kernel, places, launch.ints, launch.floats)])]  # type: ignore[arg-type]


def laid(kernels: Kernels, operands: Sequence[Any], out: Lying) -> list[Call]:
    """Calls that compute each element of `out`, of operands that broadcast to it.

    Args:
        kernels: (kinds of the operands, "contiguous" or "broadcast") -> kernel.
    """
    n = math.prod(out.shape)
    arrays = [a for a in operands if isinstance(a, Lying)]
    ones = [math.prod(a.shape) == 1 for a in arrays]
    steps = [axes.steps_of(a.shape, a.strides, a.dtype.itemsize, out.shape) for a in (*arrays, out)]
    if any(s is None for s in steps):
        raise Refused("an array whose elements are not aligned")
    own = steps[-1]
    dims = sorted(range(len(out.shape)), key=lambda d: -abs(own[d]))  # type: ignore[index]
    ordered = [[s[d] for d in dims] for s in steps]  # type: ignore[index]
    sizes, joined = axes.axes_of([out.shape[d] for d in dims], ordered)
    if not sizes:
        sizes, joined = [1], [[0] if one else [1] for one in ones] + [[1]]
    if len(sizes) == 1 and joined[-1] == [1] and (
        n == 1 or all(one or j == [1] for one, j in zip(ones, joined, strict=False))
    ):  # fmt: skip
        marks = iter(["one" if one else "array" for one in ones])
        kinds = tuple([next(marks) if isinstance(a, Lying) else a.__class__ for a in operands])
        kernel = kernels(kinds, "contiguous")
        if kernel is None:
            raise Refused("a formula without a kernel")
        each = contiguous.share_of(n)
        words = {"n": n, "each": each, "chunks": -(-n // each)}
        return [called(kernel, arrays, out, words, operands)]
    return spread(kernels, operands, arrays, out, sizes, joined)


def spread(kernels: Kernels, operands: Sequence[Any], arrays: Sequence[Lying], out: Lying,
           sizes: list[int], joined: list[Any]) -> list[Call]:  # fmt: skip
    """The same by the kernel of three axes; longer ones one after the other."""
    own, dense, step = joined[-1], True, 1
    for size, s in zip(reversed(sizes), reversed(own), strict=True):
        dense, step = dense and s == step, step * size
    if not dense or len(sizes) > 3:
        if sizes[0] > MOST_PARTS or len(sizes) == 1:
            raise Refused("an array that lies in many parts")
        found: list[Call] = []
        for i in range(sizes[0]):
            parts = [a._replace(place=a.place.moved(i * j[0] * a.dtype.itemsize))
                     for a, j in zip((*arrays, out), joined, strict=True)]  # fmt: skip
            rest = iter(parts)
            given = [next(rest) if isinstance(a, Lying) else a for a in operands]
            found += spread(kernels, given, parts[:-1], parts[-1], sizes[1:],
                            [j[1:] for j in joined])  # fmt: skip
            if len(found) > MOST_PARTS:
                raise Refused("an array that lies in many parts")
        return found
    marks = iter(["value" if j[-1] == 0 else "row" if j[-1] == 1 else "far" for j in joined])
    kinds = tuple([next(marks) if isinstance(a, Lying) else a.__class__ for a in operands])
    kernel = kernels(kinds, "broadcast")
    if kernel is None:
        raise Refused("a formula without a kernel")
    outer, inner, n = [1] * (3 - len(sizes)) + sizes
    each, width = broadcast.pieces(n, "far" in kinds)
    rows = outer * inner
    words = {"rows": rows, "inner": inner, "n": n, "each": each, "width": width,
             "chunks": -(-n // width) * -(-rows // each)}  # fmt: skip
    for k, j in enumerate(joined[:-1]):
        words[f"outer{k}"], words[f"inner{k}"], words[f"along{k}"] = [0] * (3 - len(j)) + list(j)
    return [called(kernel, arrays, out, words, operands)]


def called(kernel: Kernel, arrays: Sequence[Lying], out: Lying, words: dict[str, int],
           operands: Sequence[Any]) -> Call:  # fmt: skip
    """The call of a kernel of elements."""
    numbers = [a for a in operands if not isinstance(a, Lying)]
    interface = kernel.interface
    given: dict[str, Any] = dict(words)
    given |= {f"c{k}": v for k, v in enumerate(numbers)}
    places = tuple([a.place for a in (*arrays, out)])
    return Call(kernel, places, tuple([int(given[k]) for k in interface.ints]),
                tuple([float(given[k]) for k in interface.floats]))  # fmt: skip


# -- trying out ------------------------------------------------------------------------------------


def found(event: Event) -> Way:
    """The first way whose bits are NumPy's."""
    ways: Callable[[Event], list[Way]]
    ways = {"ufunc": elementwise, "where": elementwise, "copy": copy, "reduce": sums,
            "dot": products, "place": places}[event.name]  # fmt: skip
    numbered = iter(range(100))
    arrays = tuple([a._replace(place=Place("array", next(numbered))) if isinstance(a, Lying) else a
                    for a in event.arrays])  # fmt: skip
    out = event.out._replace(place=Place("array", next(numbered)))
    for k, a in enumerate(event.arrays):
        if isinstance(a, Lying) and a.place == event.out.place:
            out = arrays[k]
    shown = event._replace(arrays=arrays, out=out)
    name = getattr(event.what, "__name__", event.name)
    size = math.prod(event.out.shape)
    draws: Any = (1, 3) if event.name == "copy" else range(5) if size < MANY else (1, 2)
    if event.name in ("reduce", "dot") and size < SUMS_TRIED:
        # Another order gives the same bits now and then: so many sums are compared.
        draws = range(5 + SUMS_TRIED // max(1, size))
    what, tried = repr(shown), ways(shown)
    number = trials.kept(what)
    if number is None:
        right = (k for k, way in enumerate(tried) if all(agrees(shown, way, d) for d in draws))
        number = next(right, trials.NONE)
        trials.keep(what, number)
    if number != trials.NONE:
        return tried[number]
    raise Refused(f"NumPy: {name} of {', '.join(shown_as(a) for a in event.arrays)}")


def shown_as(a: Any) -> str:
    return f"{a.dtype}{list(a.shape)}" if isinstance(a, Lying) else repr(a)


SUMS_TRIED = 64
MOST_DRAWN = 65_521  # a prime: the numbers look different in each row
SPECIAL = (math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0, 0.5, 1e-42, 3e38)


def drawn(a: Lying, numbers: np.random.Generator, draw: int) -> Array:
    """An array of such a kind, full of numbers."""
    low, high = reach(a)
    low, high = low - a.place.offset, high - a.place.offset
    whole = -(-(high - low) // a.dtype.itemsize)
    count = min(whole, MOST_DRAWN)
    if a.dtype.kind == "f" or a.dtype == BFLOAT16:
        room = numbers.standard_normal(count)
        if draw == 1:
            room *= np.exp(8 * numbers.standard_normal(count))
        elif draw == 2:
            room = numbers.choice(SPECIAL, count)
        elif draw == 3:
            room = numbers.choice(SPECIAL[3:5], count)
        room = room.astype(a.dtype)
    elif a.dtype.kind == "b":
        room = numbers.integers(0, 2, count).astype(bool)
    elif a.dtype.kind in "iu":
        info = np.iinfo(a.dtype)
        span = (int(info.min), int(info.max)) if draw % 2 else (max(0, int(info.min)), 100)
        room = numbers.integers(*span, count, a.dtype, endpoint=True)
    else:
        raise Refused(f"NumPy computes with {a.dtype}")
    room = np.resize(room, whole)  # over and over
    return np.ndarray(a.shape, a.dtype, np.resize(room, whole), -low, a.strides)


def agrees(event: Event, way: Way, draw: int) -> bool:
    """Whether a way gives NumPy's bits for some numbers."""
    numbers = np.random.default_rng(draw)
    given = {a.place.number: drawn(a, numbers, draw) for a in (*event.arrays, event.out)
             if isinstance(a, Lying)}  # fmt: skip
    mine = {k: laid_alike(a) for k, a in given.items()}
    with np.errstate(all="ignore"):
        by_numpy(event, given)
    rooms = [np.full(n + 64, 0xFF, np.uint8) for n in way.temps]

    def address(place: Place) -> int:
        base = mine[place.number] if place.kind == "array" else rooms[place.number]
        return int(base.__array_interface__["data"][0]) + place.offset

    run_on(way.calls, address)
    return all(alike(given[k], mine[k]) for k in given)


def laid_alike(a: Array) -> Array:
    """A copy with the same strides."""
    base = a.base.copy()
    offset = a.__array_interface__["data"][0] - a.base.__array_interface__["data"][0]
    return np.ndarray(a.shape, a.dtype, base, offset, a.strides)


def alike(a: Array, b: Array) -> bool:
    """The same bytes; one NaN is as good as another."""
    if a.dtype.kind == "f" or a.dtype == BFLOAT16:
        with np.errstate(invalid="ignore"):
            nan = np.isnan(a)
            if (nan != np.isnan(b)).any():
                return False
            a, b = np.where(nan, a.dtype.type(0), a), np.where(nan, a.dtype.type(0), b)
    return a.tobytes() == b.tobytes()


def by_numpy(event: Event, arrays: dict[int, Array]) -> None:
    """Do again what NumPy did."""
    given = [arrays[a.place.number] if isinstance(a, Lying) else a for a in event.arrays]
    out = arrays[event.out.place.number]
    more = dict(event.more)
    if event.name == "copy":
        np.copyto(out, given[0], casting="unsafe")
    elif event.name == "where":
        out[...] = np.where(*given)
    elif event.name == "dot":
        out[...] = given[0].dot(given[1]) if event.what is None else np.matmul(*given)
    elif event.name == "place":
        out[...] = event.what(*given, **more)
    elif event.name == "reduce":
        out[...] = event.what.reduce(*given, **more)
    elif any(a is out for a in given):
        event.what(*given, out=out, **more)
    else:
        out[...] = event.what(*given, **more)
