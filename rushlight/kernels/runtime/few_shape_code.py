"""The machine code of `few.py` that gives arrays another shape: views with other sizes, repeated
ones, and several arrays as one, copied or found to be parts of one.

As all of `few_code.py`: everything is asked before anything is made.
"""

from __future__ import annotations

from ..codegen.ir import I8, I32, I64, PTR, Function, Module, Pointer, Value
from . import builtin
from .builtin import DATA, DIMENSIONS, ND, STRIDES
from .few_code import (
    MOST_DIMS,
    MOST_ELEMENTS,
    MOST_SIZE,
    address_of,
    demand_int,
    demand_rows,
    new_array,
    product,
)
from .object_code import (
    BASE,
    CONTIGUOUS,
    DESCR,
    FLAGS,
    VIEWED,
    begin,
    demand,
    demand_class,
    end,
    is_null,
    same,
    small_field,
    the,
)

EXPORTS = ("reshaped", "expanded", "joined", "beside")
MOST_JOINED, MOST_JOINED_DIMS = 16, 3  # more dims may have their channels innermost in memory


def write(module: Module) -> None:
    """All functions of this file."""
    write_reshaped(module)
    write_expanded(module)
    write_joined(module)
    write_beside(module)


# -- another shape -------------------------------------------------------------------------------


def write_reshaped(module: Module) -> None:
    """reshaped(a, shape): a view of `a` with the sizes of a tuple of ints, of which one may be -1;
    None for other operands, where the elements do not fit or there are none, and where no strides
    lead through them in their order."""
    f, args = begin(module, "reshaped")
    a, shape = args[0], args[1]
    demand_class(f, a, "ndarray")
    nd = f.convert(small_field(f, a, ND), I64)
    demand(f, nd <= MOST_DIMS)
    sizes, steps = (builtin.field(f, a, place).of(I64) for place in (DIMENSIONS, STRIDES))
    demand_class(f, shape, "tuple")
    count = f.call("PyTuple_Size", I64, [shape])
    demand(f, count <= MOST_DIMS)
    zero = f.const(I64, 0)
    size = product(f, sizes, zero, nd)
    demand(f, size > 0)
    wanted = f.buffer(I64, MOST_DIMS)
    known, open_at = f.var(1), f.var(-1)
    with f.range(count) as i:
        n = demand_int(f, f.call("PyTuple_GetItem", PTR, [shape, i]))
        wanted[i] = n
        with f.when(n == -1) as branch:
            demand(f, open_at.get() < 0)
            open_at.set(i)
        with branch.otherwise():
            demand(f, n > 0)
            demand(f, n < MOST_SIZE)
            known.set(known.get() * n)
            demand(f, known.get() <= size)  # so the next product is an i64, too
    demand(f, size < MOST_SIZE)
    with f.when(open_at.get() < 0) as branch:
        demand(f, known.get() == size)
    with branch.otherwise():
        demand(f, size % known.get() == 0)
        wanted[open_at.get()] = size // known.get()
    differ = f.var(0)
    with f.when(count == nd) as branch, f.range(nd) as i:
        differ.set(differ.get() | (wanted[i] ^ sizes[i]))
    with branch.otherwise():
        differ.set(1)
    flags, null = small_field(f, a, FLAGS) & VIEWED, the(f, "null")
    as_it_is = (differ.get() == 0) & (open_at.get() < 0)  # NumPy leaves the strides as well then
    strides = f.var(f.select(as_it_is, steps, null), PTR)
    with f.when(~as_it_is & ((small_field(f, a, FLAGS) & CONTIGUOUS) == 0)):
        found = f.buffer(I64, MOST_DIMS)
        demand_strides(f, (nd, sizes, steps), (count, wanted, found))
        strides.set(found)
    end_view(f, a, count, wanted, strides.get(), flags)


def demand_strides(
    f: Function, old: tuple[Value, Pointer, Pointer], new: tuple[Value, Pointer, Pointer]
) -> None:
    """Write the strides of a view with other sizes, as NumPy does (`_attempt_nocopy_reshape`); go
    on where there is one. `old` and `new` are (number of dims, sizes, strides), of as many
    elements.

    Dims of both are taken until they have as many elements: those of the old ones must lie in
    memory as one dim does, which is cut into the new ones.
    """
    (all_nd, all_sizes, all_steps), (count, wanted, found) = old, new
    sizes, steps = f.buffer(I64, MOST_DIMS), f.buffer(I64, MOST_DIMS)
    kept = f.var(0)  # dims of more than one element: the strides of others say nothing
    with f.range(all_nd) as i, f.when(all_sizes[i] != 1):
        sizes[kept.get()], steps[kept.get()] = all_sizes[i], all_steps[i]
        kept.set(kept.get() + 1)
    nd = kept.get()
    at, to, last = f.var(0), f.var(0), f.var(0)  # dims that are done; the stride of the last one
    with f.repeat() as groups:
        groups.stop_if((at.get() >= nd) | (to.get() >= count))
        first_at, first_to = at.get(), to.get()
        have, want = f.var(sizes[first_at]), f.var(wanted[first_to])
        at.set(first_at + 1)
        to.set(first_to + 1)
        with f.repeat() as more:
            more.stop_if(have.get() == want.get())
            with f.when(want.get() < have.get()) as branch:
                want.set(want.get() * wanted[to.get()])
                to.set(to.get() + 1)
            with branch.otherwise():
                have.set(have.get() * sizes[at.get()])
                at.set(at.get() + 1)
        with f.range(first_at, at.get() - 1) as k:
            demand(f, steps[k] == sizes[k + 1] * steps[k + 1])
        step = f.var(steps[at.get() - 1])
        last.set(step.get())
        with f.range(to.get() - first_to) as back:
            k = to.get() - 1 - back
            found[k] = step.get()
            step.set(step.get() * wanted[k])
    with f.range(to.get(), count) as k:  # of one element
        found[k] = last.get()


def end_view(f: Function, a: Value, nd: Value, sizes: Value, strides: Value, flags: Value) -> None:
    """Return a view of an ndarray from its first element on."""
    null = the(f, "null")
    data, descr = builtin.field(f, a, DATA), builtin.field(f, a, DESCR)
    made = new_array(f, descr, nd, sizes, strides, data, flags)
    result = f.var(made, PTR)
    with f.when(~is_null(f, made)):
        f.call("Py_IncRef", None, [a])  # NumPy keeps it, or the one that owns the memory
        status = f.call("array_set_base", I32, [made, a])
        with f.when(status < 0):
            f.call("Py_DecRef", None, [made])
            result.set(null)
    end(f, result.get())


def write_expanded(module: Module) -> None:
    """expanded(a, shape): a view of `a` in which dims of size 1 are repeated to the sizes of a
    tuple of ints, with new ones in front; -1 keeps a size. None where it does not fit, and where
    there are no elements."""
    f, args = begin(module, "expanded")
    a, shape, zero = args[0], args[1], f.const(I64, 0)
    demand_class(f, a, "ndarray")
    nd = f.convert(small_field(f, a, ND), I64)
    own, steps = (builtin.field(f, a, place).of(I64) for place in (DIMENSIONS, STRIDES))
    demand_class(f, shape, "tuple")
    count = f.call("PyTuple_Size", I64, [shape])
    demand(f, count <= MOST_DIMS)
    new = count - nd
    demand(f, new >= 0)
    sizes, strides = f.buffer(I64, MOST_DIMS), f.buffer(I64, MOST_DIMS)
    with f.range(count) as i:
        n = demand_int(f, f.call("PyTuple_GetItem", PTR, [shape, i]))
        with f.when(i < new) as branch:
            demand(f, n > 0)
            sizes[i] = n
            strides[i] = zero
        with branch.otherwise():
            old = own[i - new]
            demand(f, old > 0)
            wanted = f.select(n == -1, old, n)
            demand(f, (wanted == old) | ((old == 1) & (wanted > 0)))
            sizes[i] = wanted
            strides[i] = f.select(wanted == old, steps[i - new], zero)
    end_view(f, a, count, sizes, strides, small_field(f, a, FLAGS) & VIEWED)


# -- one after the other -------------------------------------------------------------------------


def write_joined(module: Module) -> None:
    """joined(arrays, dim): a tuple of few small arrays one after the other along a dimension; None
    where they differ in type or in another size, have gaps, no elements or many, or many dims."""
    f, args = begin(module, "joined")
    arrays, zero, null = args[0], f.const(I64, 0), the(f, "null")
    demand_class(f, arrays, "tuple")
    count = f.call("PyTuple_Size", I64, [arrays])
    demand(f, count > 0)
    demand(f, count <= MOST_JOINED)
    given = demand_int(f, args[1])
    first = f.call("PyTuple_GetItem", PTR, [arrays, zero])
    nd, sizes = demand_rows(f, first)
    demand(f, nd > 0)
    demand(f, nd <= MOST_JOINED_DIMS)
    d = f.select(given < 0, given + nd, given)
    demand(f, d >= 0)
    demand(f, d < nd)
    descr = builtin.field(f, first, DESCR)
    wanted, each = f.buffer(I64, MOST_JOINED_DIMS), f.buffer(I64, MOST_JOINED)
    with f.range(nd) as i:
        demand(f, sizes[i] > 0)
        demand(f, sizes[i] <= MOST_ELEMENTS)
        wanted[i] = sizes[i]
    wanted[d] = zero
    with f.range(count) as i:
        a = f.call("PyTuple_GetItem", PTR, [arrays, i])
        dims, own = demand_rows(f, a)
        demand(f, same(f, builtin.field(f, a, DESCR), descr))
        demand(f, dims == nd)
        with f.range(nd) as j:
            demand(f, (own[j] == sizes[j]) | (j == d))
        demand(f, own[d] > 0)
        demand(f, own[d] <= MOST_ELEMENTS)
        each[i] = own[d]
        wanted[d] = wanted[d] + own[d]
    outer, inner = product(f, wanted, zero, d), product(f, wanted, d + 1, nd)
    demand(f, outer * inner * wanted[d] <= MOST_ELEMENTS)
    made = new_array(f, descr, nd, wanted, null, null, f.const(I32, 0))
    with f.when(~is_null(f, made)):
        item = builtin.field(f, made, STRIDES).of(I64)[nd - 1]
        to = f.var(builtin.field(f, made, DATA), PTR)
        with f.range(outer) as o, f.range(count) as i:
            a = f.call("PyTuple_GetItem", PTR, [arrays, i])
            nbytes = each[i] * inner * item
            source = builtin.field(f, a, DATA).of(I8).at(o * nbytes)
            f.intrinsic(
                "llvm.memcpy.p0.p0.i64", None,
                [to.get(), source, nbytes, Value(f, "i1", "false")],
            )  # fmt: skip
            to.set(to.get().of(I8).at(nbytes))
    end(f, made)


def write_beside(module: Module) -> None:
    """beside(arrays, dim, new): what `np.concatenate` gives of a tuple of arrays, or with `new`
    `np.stack`, as a view of the memory that they are parts of; None where they do not lie in it
    like that, one behind the other and without gaps, in whatever order of the dims."""
    f, args = begin(module, "beside")
    arrays, zero = args[0], f.const(I64, 0)
    demand_class(f, arrays, "tuple")
    count = f.call("PyTuple_Size", I64, [arrays])
    demand(f, count > 0)
    d, new = demand_int(f, args[1]), f.convert(same(f, args[2], the(f, "Py_True")), I64)
    first = f.call("PyTuple_GetItem", PTR, [arrays, zero])
    demand_class(f, first, "ndarray")
    nd, descr = f.convert(small_field(f, first, ND), I64), builtin.field(f, first, DESCR)
    base = builtin.field(f, first, BASE)
    demand(f, ~is_null(f, base))
    demand(f, ~same(f, base, first))
    base_nd, base_sizes = demand_rows(f, base)
    demand(f, base_nd > 0)
    demand(f, same(f, builtin.field(f, base, DESCR), descr))
    demand(f, nd < MOST_DIMS)
    demand(f, (d >= 0) & (d < nd + new))
    sizes, steps = (builtin.field(f, first, place).of(I64) for place in (DIMENSIONS, STRIDES))
    wanted, strides = f.buffer(I64, MOST_DIMS), f.buffer(I64, MOST_DIMS)
    with f.range(nd) as i:
        demand(f, sizes[i] > 0)
        at = i + f.select(i < d, f.const(I64, 0), new)
        wanted[at], strides[at] = sizes[i], steps[i]
    here = f.var(address_of(f, first))
    along = f.var(0)  # what lies between the beginnings of the first two
    with f.when(new != 0) as branch:
        wanted[d] = f.const(I64, 1)
        demand(f, count > 1)
        second = f.call("PyTuple_GetItem", PTR, [arrays, f.const(I64, 1)])
        demand_class(f, second, "ndarray")
        along.set(address_of(f, second) - here.get())
        strides[d] = along.get()
    with branch.otherwise():
        along.set(sizes[d] * steps[d])
    with f.range(1, count) as i:
        a = f.call("PyTuple_GetItem", PTR, [arrays, i])
        demand_class(f, a, "ndarray")
        demand(f, same(f, builtin.field(f, a, BASE), base))
        demand(f, same(f, builtin.field(f, a, DESCR), descr))
        demand(f, f.convert(small_field(f, a, ND), I64) == nd)
        own, theirs = (builtin.field(f, a, place).of(I64) for place in (DIMENSIONS, STRIDES))
        with f.range(nd) as j:
            demand(f, theirs[j] == steps[j])
            demand(f, (own[j] == sizes[j]) | ((j == d) & (new == 0)))
        here.set(here.get() + along.get())
        demand(f, address_of(f, a) == here.get())
        with f.when(new != 0) as branch:
            wanted[d] = wanted[d] + 1
        with branch.otherwise():
            demand(f, own[d] > 0)
            along.set(own[d] * steps[d])
            wanted[d] = wanted[d] + own[d]
    whole = nd + new
    length = f.var(builtin.field(f, base, STRIDES).of(I64)[base_nd - 1])  # of an element, in bytes
    with f.range(whole):  # the next dim outwards is as far apart as what is within it is long
        found = f.var(1)
        with f.range(whole) as j, f.when((strides[j] == length.get()) & (found.get() == 1)):
            found.set(wanted[j])
        length.set(length.get() * found.get())
    ends = product(f, wanted, zero, whole)
    demand(f, ends == product(f, base_sizes, zero, base_nd))
    demand(f, length.get() == ends * builtin.field(f, base, STRIDES).of(I64)[base_nd - 1])
    end_view(f, first, whole, wanted, strides, small_field(f, first, FLAGS) & VIEWED)
