"""float32 functions made of sixteen short polynomials, whose coefficients stay in registers.

The right one of sixteen coefficients is looked up for all lanes by one permutation of a register
(AVX-512), two and a choice (AVX2), or loads from a table. All give the same bits. A function f, odd
and with f'(0) near 1, is on interval k

    f(t) = c0 + d (c1 + d (c2 + ...)),   d = t - center,   t = |x|

and on interval 0, whose center is 0, d + d (c1 + ...), so that small x keep all their digits: there
c0 is 0, elsewhere it is above d, and their maximum is what stands in front. Coefficients are
computed when a kernel is written: they interpolate at Chebyshev's points.

Not here: functions of few or many digits (`vecmath.py`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..runtime import jit
from .ir import F32, I32, I64, Function, Pointer, Value, lanes, literal, vector

COUNT = 16


@dataclass(frozen=True)
class Pieces:
    """A function as polynomials: where they stand, and a row of COUNT for each coefficient."""

    name: str
    centers: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]  # lowest power first


def interpolated(
    f: Callable[[float], float], low: float, high: float, center: float, terms: int
) -> list[float]:
    """Coefficients of powers of x - center that meet f at Chebyshev's points of the interval."""
    middle, half = (low + high) / 2, (high - low) / 2
    points = [middle + half * math.cos(math.pi * (k + 0.5) / terms) for k in range(terms)]
    slopes = [f(x) for x in points]  # Newton's divided differences
    for order in range(1, terms):
        for k in range(terms - 1, order - 1, -1):
            slopes[k] = (slopes[k] - slopes[k - 1]) / (points[k] - points[k - order])
    powers = [slopes[-1]]
    for point, slope in zip(points[-2::-1], slopes[-2::-1], strict=True):
        shift = center - point  # times (x - point) = (x - center) + shift
        longer = [0.0, *powers]
        for k, c in enumerate(powers):
            longer[k] += c * shift
        longer[0] += slope
        powers = longer
    return powers


def fitted(
    name: str,
    f: Callable[[float], float],
    edges: Sequence[float],
    centers: Sequence[float],
    degree: int,
) -> Pieces:
    """The pieces of f between the edges; beyond the last one, the last piece again."""
    first = interpolated(lambda t: f(t) / t - 1.0, edges[1] / 1000, edges[1], 0.0, degree)
    polynomials = [[0.0, *first]] + [
        interpolated(f, low, high, center, degree + 1)
        for low, high, center in zip(edges[1:-1], edges[2:], centers[1:], strict=True)
    ]
    missing = COUNT - len(polynomials)
    polynomials += [polynomials[-1]] * missing
    rows = tuple(tuple(column) for column in zip(*polynomials, strict=True))
    return Pieces(name, (*centers, *[centers[-1]] * missing), rows)


def rotated(pieces: Pieces, by: int) -> Pieces:
    """The same with piece k at place (k + by) % COUNT."""
    turn = -by % COUNT
    rows = tuple(row[turn:] + row[:turn] for row in pieces.rows)
    return Pieces(pieces.name, pieces.centers[turn:] + pieces.centers[:turn], rows)


def by_halves(index: Value) -> bool:
    """Whether a table is two registers of eight."""
    target = jit.target()
    x86 = target.machine.triple.startswith("x86_64")
    return x86 and target.lanes >= 8 and lanes(index.type) == 8


def permuted(f: Function, eight: Sequence[float], index: Value) -> Value:
    """eight[index % 8] in every lane."""
    part = literals(f, eight)
    return f.intrinsic("llvm.x86.avx2.permps", part.type, [part, index])


def lookup(f: Function, name: str, table: Sequence[float], index: Value) -> Value:
    """table[index % COUNT] in every lane; `name` is the table's own within a module."""
    n, target = lanes(index.type), jit.target()
    x86 = target.machine.triple.startswith("x86_64")
    if x86 and target.lanes == 16 and n == 16:
        whole = literals(f, table)
        return f.intrinsic("llvm.x86.avx512.permvar.sf.512", whole.type, [whole, index])
    if by_halves(index):
        halves = permuted(f, table[:8], index), permuted(f, table[8:], index)
        return f.select((index & 8) == 0, *halves)
    place = Pointer(f, f.module.table(name, F32, table), F32)
    low = index & (COUNT - 1)
    if n == 1:
        return place[f.convert(low, I64)]
    found = f.const(vector(F32, n), 0.0)
    for lane in range(n):
        found = f.with_lane(found, place[f.convert(f.lane(low, lane), I64)], lane)
    return found


def literals(f: Function, numbers: Sequence[float]) -> Value:
    """A vector of these numbers."""
    items = ", ".join(f"{F32} {literal(F32, c)}" for c in numbers)
    return Value(f, vector(F32, len(numbers)), f"<{items}>")


def evaluated(f: Function, pieces: Pieces, index: Value, d: Value) -> Value:
    """The function, given the number of the piece and the distance from its center."""
    rows = [lookup(f, f"{pieces.name}{k}", row, index) for k, row in enumerate(pieces.rows)]
    return polynomial(f, rows, d)


def polynomial(f: Function, rows: Sequence[Value], d: Value) -> Value:
    """What stands in front and the powers of d, by coefficients."""
    y = rows[-1]
    for row in rows[-2:0:-1]:
        y = f.fma(y, d, row)
    return f.fma(y, d, f.select(d > rows[0], d, rows[0]))


def mostly_low(f: Function, pieces: Pieces, index: Value, d: Value) -> Value:
    """`evaluated`, where most vectors have lanes in the first eight pieces alone: with tables of
    two registers these leave the second one, and the choice between them, out."""
    if not by_halves(index):
        return evaluated(f, pieces, index, d)
    y = f.var(f.const(d.type, 0.0))
    high = f.emit("i8", f"bitcast <8 x i1> {((index & 8) != 0).text} to i8")
    with f.when(high == 0) as branch:
        y.set(polynomial(f, [permuted(f, row[:8], index) for row in pieces.rows], d))
    with branch.otherwise():
        y.set(evaluated(f, pieces, index, d))
    return y.get()  # type: ignore[no-any-return]


# -- erf: steps of one length --------------------------------------------------------------------

ERF_STEP = 1075 / 4096  # near 4/15; erf of it is almost a float32, which the second piece needs
ERF_TOP = 15.49 * ERF_STEP  # from there on erf is 1
MAGIC = 1.5 * 2**23  # x + MAGIC has the rounded x in its low bits


@functools.cache
def erf_pieces() -> Pieces:
    edges = [0.0, *((k + 0.5) * ERF_STEP for k in range(COUNT))]
    return fitted("erf", math.erf, edges, [k * ERF_STEP for k in range(COUNT)], 5)


def erf(f: Function, x: Value) -> Value:
    """The error function of float32."""
    t = f.fabs(x)
    t = f.select(t > ERF_TOP, ERF_TOP, t)
    shifted = f.fma(t, 1 / ERF_STEP, MAGIC)
    d = f.fma(shifted - MAGIC, -ERF_STEP, t)
    return f.same("copysign", mostly_low(f, erf_pieces(), f.bits(shifted, I32), d), x)


# -- tanh: two steps in each power of two --------------------------------------------------------

TANH_LEAST = 0.25  # below 3/8 is one piece
TANH_TOP = 9.02  # from there on tanh is 1
TANH_CENTERS = [0.0, 0.4375, 0.625, 0.875, 1.25, 1.75, 2.5, 3.5, 5.25, 7.25, 8.5]
HALF_OCTAVE = 22  # bits of a float32 below the first one of its fraction


@functools.cache
def tanh_pieces() -> Pieces:
    edges = [0.0, 0.375, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, TANH_TOP]
    first = ((127 - 2) << 1) & (COUNT - 1)  # the bits of TANH_LEAST, shifted
    return rotated(fitted("tanh", math.tanh, edges, TANH_CENTERS, 6), first)


def tanh(f: Function, x: Value) -> Value:
    """The hyperbolic tangent of float32."""
    t = f.fabs(x)
    t = f.select(t > TANH_TOP, TANH_TOP, t)
    index = f.bits(f.select(t > TANH_LEAST, t, TANH_LEAST), I32) >> HALF_OCTAVE
    pieces = tanh_pieces()
    d = t - lookup(f, "tanh_centers", pieces.centers, index)
    return f.same("copysign", evaluated(f, pieces, index, d), x)
