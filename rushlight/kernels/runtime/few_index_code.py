"""The machine code of `few.py` that reads and writes by index: rows of a table, one element for
each index along a dimension, ones among zeros, places of the largest.

As all of `few_code.py`: everything is asked before anything is made, also whether the indices are
in range; negative ones are refused. Arrays lie in rows, indices are int64, elements are few.
"""

from __future__ import annotations

from collections.abc import Callable

from ..codegen.ir import F32, I8, I32, I64, PTR, Function, Module, Pointer, Value
from . import builtin
from .builtin import DATA
from .few_code import MOST_DIMS, MOST_ELEMENTS, demand_int, demand_rows, item_of, new_array, product
from .object_code import DESCR, begin, demand, end, is_null, same, the

EXPORTS = ("inside", "taken", "gathered", "placed", "added", "hot", "ranked")
ITEMS = {4: I32, 8: I64}  # bytes of the elements that are moved one by one, as these


def write(module: Module) -> None:
    """All functions of this file."""
    write_inside(module)
    write_taken(module)
    write_gathered(module)
    write_placed(module)
    write_placed(module, adds=True)
    write_hot(module)
    write_ranked(module)


def data(f: Function, a: Value) -> Pointer:
    """The memory of an ndarray as int64 numbers."""
    return builtin.field(f, a, DATA).of(I64)


def write_inside(module: Module) -> None:
    """inside(index, n): whether all numbers of an array of int64 in rows, of any size, are at least
    0 and below n."""
    f, args = begin(module, "inside")
    nd, sizes = demand_rows(f, args[0])
    demand(f, same(f, builtin.field(f, args[0], DESCR), the(f, "int64")))
    n = demand_int(f, args[1])
    numbers, right = data(f, args[0]), f.var(1)
    with f.range(product(f, sizes, f.const(I64, 0), nd)) as i:
        k = numbers[i]
        right.set(right.get() & f.select((k >= 0) & (k < n), f.const(I64, 1), f.const(I64, 0)))
    answer = f.emit(PTR, f"select i1 {(right.get() != 0).text}, ptr @Py_True, ptr @Py_False")
    f.call("Py_IncRef", None, [answer])
    end(f, answer)


def demand_indices(f: Function, index: Value, n: Value) -> tuple[Value, Pointer, Value]:
    """(number of dims, sizes, count) of indices; go on where they are at least 0 and below n."""
    nd, sizes = demand_rows(f, index)
    demand(f, same(f, builtin.field(f, index, DESCR), the(f, "int64")))
    count = product(f, sizes, f.const(I64, 0), nd)
    demand(f, count > 0)
    demand(f, count <= MOST_ELEMENTS)
    numbers, right = data(f, index), f.var(1)
    with f.range(count) as i:
        k = numbers[i]
        right.set(right.get() & f.select((k >= 0) & (k < n), f.const(I64, 1), f.const(I64, 0)))
    demand(f, right.get() > 0)
    return nd, sizes, count


def if_made(f: Function, made: Value, fill: Callable[[], None]) -> None:
    """Return a new array, after `fill` has written what fills it."""
    with f.when(~is_null(f, made)):
        fill()
    end(f, made)


def copied(f: Function, to: Value, source: Value, nbytes: Value) -> None:
    given = [to, source, nbytes, Value(f, "i1", "false")]
    f.intrinsic("llvm.memcpy.p0.p0.i64", None, given)


# -- rows ----------------------------------------------------------------------------------------


def write_taken(module: Module) -> None:
    """taken(table, index): the parts table[k] for each index k, in its shape."""
    f, args = begin(module, "taken")
    table, index, zero, null = args[0], args[1], f.const(I64, 0), the(f, "null")
    nd, sizes = demand_rows(f, table)
    demand(f, nd > 0)
    descr = builtin.field(f, table, DESCR)
    inner = product(f, sizes, f.const(I64, 1), nd)
    demand(f, inner > 0)
    demand(f, inner <= MOST_ELEMENTS)
    part = inner * item_of(f, descr)
    dims, own, count = demand_indices(f, index, sizes[zero])
    demand(f, count * inner <= MOST_ELEMENTS)
    every = dims + nd - 1
    demand(f, every <= MOST_DIMS)
    shape = f.buffer(I64, 2 * MOST_DIMS)
    with f.range(dims) as i:
        shape[i] = own[i]
    with f.range(1, nd) as i:
        shape[dims + i - 1] = sizes[i]
    made = new_array(f, descr, every, shape, null, null, f.const(I32, 0))

    def fill() -> None:
        numbers = data(f, index)
        to, source = (builtin.field(f, a, DATA).of(I8) for a in (made, table))
        with f.range(count) as i:
            copied(f, to.at(i * part), source.at(numbers[i] * part), part)

    if_made(f, made, fill)


# -- along a dimension ---------------------------------------------------------------------------


class Along:
    """An array and indices along a dimension of it, as the functions are given them."""

    def __init__(self, f: Function, a: Value, index: Value, given: Value) -> None:
        """Go on where they fit."""
        nd, self.whole = demand_rows(f, a)
        demand(f, nd > 0)
        demand(f, nd <= MOST_DIMS)
        d = demand_int(f, given)
        d = f.select(d < 0, d + nd, d)
        demand(f, d >= 0)
        demand(f, d < nd)
        self.f, self.index, self.nd, self.d = f, index, nd, d
        dims, self.sizes, self.count = demand_indices(f, index, self.whole[d])
        demand(f, dims == nd)
        with f.range(nd) as k:
            demand(f, (self.sizes[k] <= self.whole[k]) | (k == d))
        self.descr = builtin.field(f, a, DESCR)
        self.item = item_of(f, self.descr)
        self.steps, self.elements = steps_of(f, self.nd, self.whole)

    def walk(self, do: Callable[[Value, Value, Value], None], steps: Pointer) -> None:
        """Write `do(position among the indices, place in the array, place by other steps)` for all
        of them."""
        f = self.f
        base, other, at, numbers = f.var(0), f.var(0), f.buffer(I64, MOST_DIMS), data(f, self.index)
        with f.range(self.nd) as k:
            at[k] = 0
        with f.range(self.count) as p:
            do(p, base.get() + numbers[p] * self.steps[self.d], other.get())
            k = f.var(self.nd - 1)
            with f.repeat() as loop:  # the next position: the last dimension that goes on
                here = k.get()
                loop.stop_if(here < 0)
                step = f.select(here == self.d, f.const(I64, 0), self.steps[here])
                further = at[here] + 1
                at[here] = further
                base.set(base.get() + step)
                other.set(other.get() + steps[here])
                loop.stop_if(further < self.sizes[here])
                at[here] = 0
                base.set(base.get() - step * further)
                other.set(other.get() - steps[here] * further)
                k.set(here - 1)

    def move(self, to: Value, source: Value, placed: Pointer | None = None) -> None:
        """Write the copying of elements from their places in the array, in the order of the
        indices; with `placed` to their places, from those by these steps."""
        f, items = self.f, {**ITEMS, 0: I8}

        def by_type(size: int) -> None:
            """Elements of so many bytes, then others; 0: of any number."""
            kind, rest = items[size], [n for n in items if n > size]
            pair, by = (to.of(kind), source.of(kind)), self.item

            def one(p: Value, place: Value, other: Value) -> None:
                i, j = (p, place) if placed is None else (place, other)
                if size:
                    pair[0][i] = pair[1][j]
                else:
                    copied(f, pair[0].at(i * by), pair[1].at(j * by), by)

            if not size:
                self.walk(one, self.steps if placed is None else placed)
                return
            with f.when(self.item == size) as branch:
                self.walk(one, self.steps if placed is None else placed)
            with branch.otherwise():
                by_type(rest[0] if rest else 0)

        by_type(min(ITEMS))


    def add(self, to: Pointer, source: Pointer, steps: Pointer) -> None:
        """Write the adding of elements, which lie by these steps, to their places in the array."""

        def one(_: Value, place: Value, other: Value) -> None:
            to[place] = to[place] + source[other]

        self.walk(one, steps)


def steps_of(f: Function, nd: Value, sizes: Pointer) -> tuple[Pointer, Value]:
    """(elements from one position along each dim to the next, all elements): NumPy's strides mean
    nothing where a dim has one position."""
    steps, step = f.buffer(I64, MOST_DIMS), f.var(1)
    with f.range(nd) as back:
        k = nd - 1 - back
        steps[k] = step.get()
        step.set(step.get() * sizes[k])
    return steps, step.get()


def write_gathered(module: Module) -> None:
    """gathered(a, index, d): a[..., index[..., j, ...], ...] along dimension d."""
    f, args = begin(module, "gathered")
    a, null = args[0], the(f, "null")
    along = Along(f, a, args[1], args[2])
    made = new_array(f, along.descr, along.nd, along.sizes, null, null, f.const(I32, 0))

    def fill() -> None:
        to, source = (builtin.field(f, x, DATA) for x in (made, a))
        along.move(to, source)

    if_made(f, made, fill)


def write_placed(module: Module, adds: bool = False) -> None:
    """placed(a, index, d, value): a copy of `a` with an array that the indices cover a part of, or
    of one number, at their places along dimension d, in their order. added(a, index, d, value):
    with these added to what is there, of float32 and int64."""
    f, args = begin(module, "added" if adds else "placed")
    a, value, null = args[0], args[3], the(f, "null")
    along = Along(f, a, args[1], args[2])
    demand(f, along.elements <= MOST_ELEMENTS)
    dims, own = demand_rows(f, value)
    demand(f, same(f, builtin.field(f, value, DESCR), along.descr))
    floats = same(f, along.descr, the(f, "float32"))
    if adds:
        demand(f, floats | same(f, along.descr, the(f, "int64")))
    demand(f, (dims == 0) | (dims == along.nd))
    with f.range(dims) as k:
        demand(f, own[k] >= along.sizes[k])
    steps, _ = steps_of(f, dims, own)
    with f.range(dims, along.nd) as k:  # of one number
        steps[k] = 0
    made = new_array(f, along.descr, along.nd, along.whole, null, null, f.const(I32, 0))

    def fill() -> None:
        to, source, given = (builtin.field(f, x, DATA) for x in (made, a, value))
        copied(f, to, source, along.elements * along.item)
        if not adds:
            along.move(to, given, steps)
            return
        with f.when(floats) as branch:
            along.add(to.of(F32), given.of(F32), steps)
        with branch.otherwise():
            along.add(to.of(I64), given.of(I64), steps)

    if_made(f, made, fill)


# -- ones among zeros ----------------------------------------------------------------------------


def write_hot(module: Module) -> None:
    """hot(index, n): zeros and a one at each index: in its shape and n more, int64."""
    f, args = begin(module, "hot")
    index, null = args[0], the(f, "null")
    n = demand_int(f, args[1])
    demand(f, n > 0)
    demand(f, n <= MOST_ELEMENTS)
    nd, sizes, count = demand_indices(f, index, n)
    demand(f, nd < MOST_DIMS)
    demand(f, count * n <= MOST_ELEMENTS)
    shape = f.buffer(I64, MOST_DIMS)
    with f.range(nd) as i:
        shape[i] = sizes[i]
    shape[nd] = n
    made = new_array(f, the(f, "int64"), nd + 1, shape, null, null, f.const(I32, 0))

    def fill() -> None:
        numbers, to = data(f, index), data(f, made)
        given = [to, Value(f, I8, "0"), count * n * 8, Value(f, "i1", "false")]
        f.intrinsic("llvm.memset.p0.i64", None, given)
        with f.range(count) as i:
            to[i * n + numbers[i]] = 1

    if_made(f, made, fill)


# -- the largest ---------------------------------------------------------------------------------

MOST_RANKED = 1 << 16  # elements of a line times those that are wanted: what is looked at, at most


def write_ranked(module: Module) -> None:
    """ranked(a, k, largest): places of the k largest float32 numbers of each line along the last
    dimension, or of the smallest, in order, int64. NaN is the greatest; of equals the first one
    comes first."""
    f, args = begin(module, "ranked")
    a, null, zero = args[0], the(f, "null"), f.const(I64, 0)
    nd, sizes = demand_rows(f, a)
    demand(f, nd > 0)
    demand(f, nd <= MOST_DIMS)
    demand(f, same(f, builtin.field(f, a, DESCR), the(f, "float32")))
    n, k = sizes[nd - 1], demand_int(f, args[1])
    demand(f, k > 0)
    demand(f, k <= n)
    demand(f, n <= MOST_ELEMENTS)
    demand(f, n * k <= MOST_RANKED)
    size = product(f, sizes, zero, nd)
    demand(f, size > 0)
    demand(f, size <= MOST_ELEMENTS)
    down = same(f, args[2], the(f, "Py_True"))
    demand(f, down | same(f, args[2], the(f, "Py_False")))
    shape = f.buffer(I64, MOST_DIMS)
    with f.range(nd - 1) as i:
        shape[i] = sizes[i]
    shape[nd - 1] = k
    made = new_array(f, the(f, "int64"), nd, shape, null, null, f.const(I32, 0))

    def before(x: Value, y: Value) -> Value:
        """Whether one number comes before another."""
        more = (x > y) | ((x != x) & (y == y))
        less = (x < y) | ((y != y) & (x == x))
        return f.emit("i1", f"select i1 {down.text}, i1 {more.text}, i1 {less.text}")

    def fill() -> None:
        numbers, out = builtin.field(f, a, DATA).of(F32), data(f, made)
        with f.range(size // n) as line:
            x, to, found = numbers.at(line * n), out.at(line * k), f.var(0)
            with f.range(n) as i:
                at = f.var(found.get())  # behind those that come before it
                with f.repeat() as loop:
                    here = at.get()
                    loop.stop_if(here == 0)
                    other = to[here - 1]
                    loop.stop_if(~before(x[i], x[other]))
                    with f.when(here < k):
                        to[here] = other
                    at.set(here - 1)
                with f.when(at.get() < k):
                    to[at.get()] = i
                found.set(f.select(found.get() < k, found.get() + 1, found.get()))

    if_made(f, made, fill)
