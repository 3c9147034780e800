"""The memory of large arrays: a NumPy data handler (NEP 49) in machine code.

Arrays above LEAST bytes lie in one range of addresses that is reserved at the start and takes no
memory until it is written. Its units are granules of 16 KiB; neighbouring granules form spans, and
a span is used by one array, free and "dirty" (its memory is kept: writing it again causes no page
faults), or free and "clean" (its memory was given back: it reads as zeros). A free span joins
neighbours of its kind and waits in one of 16 lists to a doubling, so that an array takes the head
of the first list whose spans are all long enough, and leaves the rest: "two-level segregated fit",
Masmano et al. (2004). Behind the last span the range is untouched.

What is kept is bounded (`cap`), and what was not needed for some time is given back (`release`).

Smaller arrays go to the handler that NumPy had: whose a pointer is its address tells, so any thread
may free anything at any time. Spans change under a spin lock that is held for some instructions.

Not here: installing the handler, the thread that gives memory back (`memory.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..codegen.ir import I32, I64, PTR, Function, Module, Pointer, Value
from . import builtin, waiting

LEAST = 1 << 18  # arrays of so many bytes are left to NumPy's own handler
GRANULE = 14  # log2 of its bytes
SUB = 4  # log2 of the lists to a doubling
LISTS = 32 << SUB
DONTNEED = 4  # Linux: give the memory back, read zeros afterwards
SPINS = 100  # looks at the lock before the rest of the time slice is given up

# The entry of a granule, in i64 words. A span has its length and kind in the entries of its first
# and of its last granule; the rest is in that of the first.
TAG, NEXT, PREVIOUS, BYTES, ENTRY = 0, 1, 2, 3, 4
USED, DIRTY, CLEAN = 1, 2, 3  # kinds: the low bits of a tag

# The words that all functions share, then bitmaps of lists that are not empty and the heads of the
# lists (granule plus one; 0 ends a list). `below` is how far the bytes that live lie below their
# peak: so one word counts both, which is all that the small arrays of a tight loop have time for.
WORDS = (
    "below", "peak", "base", "bytes", "entries", "top", "cap", "lock",
    "large", "used", "cached", "lowest", "reserved_peak", "allocations", "hits", "released", "most",
)  # fmt: skip
MAPS = {DIRTY: len(WORDS), CLEAN: len(WORDS) + LISTS // 64}
HEADS = {DIRTY: len(WORDS) + LISTS // 32, CLEAN: len(WORDS) + LISTS // 32 + LISTS}
SIZE = HEADS[CLEAN] + LISTS
SYSTEM = ("madvise", "malloc_usable_size", "sched_yield")


class _State:
    """The shared words, by name, and the entries of granules."""

    def __init__(self, f: Function) -> None:
        self.words = Pointer(f, "@memory_state", I64)

    def __getattr__(self, name: str) -> Pointer:
        return self.words.at(WORDS.index(name))

    def entry(self, granule: Value) -> Pointer:
        f = self.words.fn
        return _pointer(f, self.entries[0]).of(I64).at(granule * ENTRY)


def _add(word: Pointer, value: Any) -> Value:
    new: Value = word[0] + value
    word[0] = new
    return new


def _leave(f: Function, value: Value) -> None:
    """Return from the middle of a function."""
    f.ret(value)
    f.label(f.name_of("rest"))


def _integer(f: Function, pointer: Value) -> Value:
    return f.emit(I64, f"ptrtoint ptr {pointer.text} to i64")


def _pointer(f: Function, integer: Value) -> Value:
    return f.emit(PTR, f"inttoptr i64 {integer.text} to ptr")


def _null(f: Function) -> Value:
    return Value(f, PTR, "null")


def _is_null(f: Function, pointer: Value) -> Value:
    return f.emit("i1", f"icmp eq ptr {pointer.text}, null")


@contextmanager
def _locked(f: Function, state: Any) -> Iterator[None]:
    system, looks = waiting.System(), f.var(0)
    with f.repeat() as wait:
        wait.stop_if(state.lock.exchange(1) == 0)
        system.relax(f)
        looks.set(looks.get() + 1)
        with f.when(looks.get() > SPINS):
            system.give_way(f)
    yield
    state.lock.atomic_store(0)


# -- spans ---------------------------------------------------------------------------------------


def _doubling(f: Function, length: Value) -> Value:
    """floor(log2(length)), but at least SUB."""
    zeros = f.intrinsic("llvm.ctlz.i64", I64, [length | (1 << SUB), f.const("i1", True)])
    return 63 - zeros


def list_of(f: Function, length: Value) -> Value:
    """The list of the free spans of a length: those below 2**SUB have one each."""
    doubling = _doubling(f, length)
    within = f.binary("lshr", length, doubling - SUB)
    return ((doubling - SUB) << SUB) + within


def rounded(f: Function, size: Value) -> Value:
    """Granules for some bytes: as many as the first spans of a list have, at most 1/16 too many."""
    length = f.binary("lshr", size + ((1 << GRANULE) - 1), f.const(I64, GRANULE))
    step = f.const(I64, 1) << (_doubling(f, length) - SUB)
    return (length + step - 1) & -step


def write_mark(module: Module) -> None:
    """Write a span's tag to both ends."""
    f = module.function("mark", None, [(n, I64) for n in ("granule", "length", "kind")], True)
    state: Any = _State(f)
    granule, length = f.args["granule"], f.args["length"]
    tag = (length << 2) | f.args["kind"]
    state.entry(granule)[TAG] = tag
    state.entry(granule + length - 1)[TAG] = tag
    f.ret()


def write_insert(module: Module, kind: int) -> None:
    """Put a free span at the head of its list."""
    f = module.function(f"insert{kind}", None, [("granule", I64), ("length", I64)], True)
    state: Any = _State(f)
    granule, length = f.args["granule"], f.args["length"]
    f.call("mark", None, [granule, length, f.const(I64, kind)])
    number = list_of(f, length)
    head = state.words.at(HEADS[kind]).at(number)
    following = head[0]
    entry = state.entry(granule)
    entry[NEXT] = following
    entry[PREVIOUS] = 0
    with f.when(following != 0):
        state.entry(following - 1)[PREVIOUS] = granule + 1
    head[0] = granule + 1
    word = state.words.at(MAPS[kind]).at(number >> 6)
    word[0] = word[0] | (f.const(I64, 1) << (number & 63))
    f.ret()


def write_remove(module: Module, kind: int) -> None:
    """Take a free span out of its list; returns its length."""
    f = module.function(f"remove{kind}", I64, [("granule", I64)], True)
    state: Any = _State(f)
    entry = state.entry(f.args["granule"])
    length = entry[TAG] >> 2
    following, previous = entry[NEXT], entry[PREVIOUS]
    with f.when(following != 0):
        state.entry(following - 1)[PREVIOUS] = previous
    with f.when(previous != 0) as branch:
        state.entry(previous - 1)[NEXT] = following
    with branch.otherwise():
        number = list_of(f, length)
        state.words.at(HEADS[kind]).at(number)[0] = following
        with f.when(following == 0):
            word = state.words.at(MAPS[kind]).at(number >> 6)
            word[0] = word[0] & ~(f.const(I64, 1) << (number & 63))
    f.ret(length)


def write_find(module: Module, kind: int) -> None:
    """A free span of at least `length` granules (as `rounded` gives them), out of its list and cut
    to that length; -1 where there is none."""
    f = module.function(f"find{kind}", I64, [("length", I64)], True)
    state: Any = _State(f)
    wanted = f.args["length"]
    number = list_of(f, wanted)
    word = f.var(number >> 6)
    map_ = state.words.at(MAPS[kind])
    bits = f.var(map_[word.get()] & (f.const(I64, -1) << (number & 63)))
    with f.repeat() as search:
        search.stop_if(bits.get() != 0)
        word.set(word.get() + 1)
        with f.when(word.get() >= LISTS // 64):
            _leave(f, f.const(I64, -1))
        bits.set(map_[word.get()])
    bit = f.intrinsic("llvm.cttz.i64", I64, [bits.get(), f.const("i1", True)])
    granule = state.words.at(HEADS[kind]).at((word.get() << 6) + bit)[0] - 1
    length = f.call(f"remove{kind}", I64, [granule])
    with f.when(length > wanted):
        f.call(f"insert{kind}", None, [granule + wanted, length - wanted])
    f.ret(granule)


def write_join(module: Module, kind: int) -> None:
    """Make a span free, together with free neighbours of the same kind."""
    f = module.function(f"join{kind}", None, [("granule", I64), ("length", I64)], True)
    state: Any = _State(f)
    granule, length = f.var(f.args["granule"]), f.var(f.args["length"])
    after = f.args["granule"] + f.args["length"]
    with f.when(after < state.top[0]), f.when((state.entry(after)[TAG] & 3) == kind):
        length.set(length.get() + f.call(f"remove{kind}", I64, [after]))
    with f.when(f.args["granule"] > 0):
        tag = state.entry(f.args["granule"] - 1)[TAG]
        with f.when((tag & 3) == kind):
            granule.set(granule.get() - (tag >> 2))
            length.set(length.get() + f.call(f"remove{kind}", I64, [granule.get()]))
    f.call(f"insert{kind}", None, [granule.get(), length.get()])
    f.ret()


def _address(f: Function, state: Any, granule: Value) -> Value:
    return _pointer(f, state.base[0] + (granule << GRANULE))


def _give_back(f: Function, state: Any, granule: Value, length: Value) -> None:
    """Give a span's memory to the system: called without the lock, by those who took it out."""
    address = _address(f, state, granule)
    f.call("madvise", I32, [address, length << GRANULE, f.const(I32, DONTNEED)])


# -- the four functions of a handler -------------------------------------------------------------


def _count(f: Function, state: Any, size: Value) -> None:
    """Count the bytes of a new allocation."""
    below = _add(state.below, -size)
    with f.when(below < 0):
        state.peak[0] = state.peak[0] - below
        state.below[0] = f.const(I64, 0)


def write_take(module: Module) -> None:
    """A span for `size` bytes, zeroed if asked for; null where there is none."""
    f = module.function("take", PTR, [("size", I64), ("zeroed", I64)], private=True)
    state: Any = _State(f)
    size = f.args["size"]
    with f.when(f.compare("gt", size, state.most[0], unsigned=True)):
        _leave(f, _null(f))
    length = rounded(f, size)
    with _locked(f, state):
        granule = f.var(f.call(f"find{DIRTY}", I64, [length]))
        dirty = granule.get() >= 0
        with f.when(dirty) as branch:
            _add(state.hits, 1)
            cached = _add(state.cached, -length)
            with f.when(cached < state.lowest[0]):
                state.lowest[0] = cached
        with branch.otherwise():
            granule.set(f.call(f"find{CLEAN}", I64, [length]))
            room = f.binary("lshr", state.bytes[0], f.const(I64, GRANULE))
            with f.when((granule.get() < 0) & (state.top[0] + length <= room)):
                granule.set(state.top[0])
                _add(state.top, length)
        with f.when(granule.get() >= 0):
            f.call("mark", None, [granule.get(), length, f.const(I64, USED)])
            state.entry(granule.get())[BYTES] = size
            reserved = _add(state.used, length) + state.cached[0]
            peak = state.reserved_peak[0]
            state.reserved_peak[0] = f.select(reserved > peak, reserved, peak)
            _add(state.allocations, 1)
            _add(state.large, size)
            _count(f, state, size)
    with f.when(granule.get() < 0):
        _leave(f, _null(f))
    # From here on the span is this caller's alone: it is zeroed without the lock.
    data = _address(f, state, granule.get())
    with f.when((f.args["zeroed"] != 0) & dirty):  # others are zero
        module.declare("llvm.memset.p0.i64", None, [PTR, "i8", I64, "i1"])
        zero, no = f.const("i8", 0), f.const("i1", False)
        f.call("llvm.memset.p0.i64", None, [data, zero, size, no])
    f.ret(data)


def write_large(module: Module) -> None:
    """Large requests: a block, or where there is none what NumPy's own function returns."""
    for name, given in (("malloc", ["size"]), ("calloc", ["count", "each"])):
        f = module.function(f"large_{name}", PTR, [(n, I64) for n in given], private=True)
        f.apart = True
        state: Any = _State(f)
        args = [f.args[n] for n in given]
        size = args[0] if len(args) == 1 else args[0] * args[1]
        block = f.call("take", PTR, [size, f.const(I64, len(args) - 1)])
        with f.when(~_is_null(f, block)):
            _leave(f, block)
        p = f.call(f"numpy_{name}", PTR, [_null(f), *args])
        with f.when(~_is_null(f, p)):
            _count(f, state, size)
        f.ret(p)


def write_malloc(module: Module) -> None:
    f = module.function("data_malloc", PTR, [("context", PTR), ("size", I64)])
    size = f.args["size"]
    with f.when(f.compare("gt", size, LEAST, unsigned=True)):
        _leave(f, f.call("large_malloc", PTR, [size]))
    _count(f, _State(f), size)
    f.ret(f.call("numpy_malloc", PTR, [_null(f), size]))


def write_calloc(module: Module) -> None:
    f = module.function("data_calloc", PTR, [("context", PTR), ("count", I64), ("each", I64)])
    count, each = f.args["count"], f.args["each"]
    size = count * each
    # Factors below 2**31 cannot overflow; where one is larger NumPy looks.
    sane = f.binary("lshr", count | each, f.const(I64, 31)) == 0
    sane = sane | (count == 1) | (each == 1)
    with f.when(sane & (size > LEAST)):
        _leave(f, f.call("large_calloc", PTR, [count, each]))
    _count(f, _State(f), f.select(sane, size, 0))
    f.ret(f.call("numpy_calloc", PTR, [_null(f), count, each]))


def write_free(module: Module) -> None:
    f = module.function("data_free", None, [("context", PTR), ("p", PTR), ("size", I64)])
    state: Any = _State(f)
    p, size = f.args["p"], f.args["size"]
    offset = _integer(f, p) - state.base[0]  # without a sign: huge for what lies before the range
    with f.when(f.compare("lt", offset, state.bytes[0], unsigned=True)) as branch:
        f.call("free_span", None, [offset])
    with branch.otherwise():
        _add(state.below, size)
        f.call("numpy_free", None, [_null(f), p, size])
    f.ret()


def write_free_span(module: Module) -> None:
    f = module.function("free_span", None, [("offset", I64)], private=True)
    f.apart = True
    state: Any = _State(f)
    granule = f.binary("lshr", f.args["offset"], f.const(I64, GRANULE))
    length = f.var(0)
    with _locked(f, state):
        entry = state.entry(granule)
        length.set(entry[TAG] >> 2)
        _add(state.below, entry[BYTES])
        _add(state.large, -entry[BYTES])
        _add(state.used, -length.get())
        keeps = state.cached[0] + length.get() <= state.cap[0]
        with f.when(keeps):
            _add(state.cached, length.get())
            f.call(f"join{DIRTY}", None, [granule, length.get()])
    with f.when(~keeps):  # still marked as used, so that nobody joins it meanwhile
        _give_back(f, state, granule, length.get())
        with _locked(f, state):
            f.call(f"join{CLEAN}", None, [granule, length.get()])
    f.ret()


def write_realloc(module: Module) -> None:
    f = module.function("data_realloc", PTR, [("context", PTR), ("p", PTR), ("size", I64)])
    state: Any = _State(f)
    p, size = f.args["p"], f.args["size"]
    with f.when(_is_null(f, p)):
        _leave(f, f.call("data_malloc", PTR, [p, size]))
    offset = _integer(f, p) - state.base[0]
    with f.when(f.compare("ge", offset, state.bytes[0], unsigned=True)):
        # The old size is not known here, so the difference is what the C library says.
        before = f.call("malloc_usable_size", I64, [p])
        moved = f.call("numpy_realloc", PTR, [_null(f), p, size])
        with f.when(~_is_null(f, moved)):
            _count(f, state, f.call("malloc_usable_size", I64, [moved]) - before)
        _leave(f, moved)
    entry = state.entry(f.binary("lshr", offset, f.const(I64, GRANULE)))
    old, room = entry[BYTES], (entry[TAG] >> 2) << GRANULE
    with f.when((size <= room) & (size > (room >> 1))):
        with _locked(f, state):
            entry[BYTES] = size
            _add(state.large, size - old)
            _count(f, state, size - old)
        _leave(f, p)
    new = f.call("data_malloc", PTR, [p, size])
    with f.when(~_is_null(f, new)):
        module.declare("llvm.memcpy.p0.p0.i64", None, [PTR, PTR, I64, "i1"])
        common = f.select(size < old, size, old)
        f.call("llvm.memcpy.p0.p0.i64", None, [new, p, common, f.const("i1", False)])
        f.call("data_free", None, [_null(f), p, old])
    f.ret(new)


# -- giving memory back --------------------------------------------------------------------------


def write_release(module: Module) -> None:
    """Give up to `wanted` granules of kept memory back to the system, the longest spans first.

    Called from Python with the global lock, which is let go only while the system works: so a fork
    never sees a list that is half changed.
    """
    builtin.declare_python(module)
    f = module.function("release", None, [("wanted", I64)], private=True)
    state: Any = _State(f)
    left = f.var(f.args["wanted"])
    with f.repeat() as more:
        more.stop_if(left.get() <= 0)
        granule, length = f.var(-1), f.var(0)
        with _locked(f, state):
            number = f.var(LISTS - 1)
            heads = state.words.at(HEADS[DIRTY])
            with f.repeat() as search:
                search.stop_if(number.get() < 0)
                search.stop_if(heads[number.get()] != 0)
                number.set(number.get() - 1)
            with f.when(number.get() >= 0):
                first = heads[number.get()] - 1
                whole = f.call(f"remove{DIRTY}", I64, [first])
                taken = f.select(whole < left.get(), whole, left.get())
                with f.when(taken < whole):
                    f.call(f"insert{DIRTY}", None, [first, whole - taken])
                granule.set(first + whole - taken)
                length.set(taken)
                f.call("mark", None, [granule.get(), taken, f.const(I64, USED)])
                _add(state.cached, -taken)
                _add(state.released, taken)
        more.stop_if(granule.get() < 0)
        thread = f.call("PyEval_SaveThread", PTR, [])
        _give_back(f, state, granule.get(), length.get())
        f.call("PyEval_RestoreThread", None, [thread])
        with _locked(f, state):
            f.call(f"join{CLEAN}", None, [granule.get(), length.get()])
        left.set(left.get() - length.get())
    f.ret()
    builtin.entry(module, "py_release", "release", ["int"], release=False)


def build() -> Module:
    module = Module("memory")
    module.globals["memory_state"] = (
        f"@memory_state = global [{SIZE * 8} x i8] zeroinitializer, align 64"
    )
    module.declare("numpy_malloc", PTR, [PTR, I64])
    module.declare("numpy_calloc", PTR, [PTR, I64, I64])
    module.declare("numpy_realloc", PTR, [PTR, PTR, I64])
    module.declare("numpy_free", None, [PTR, PTR, I64])
    module.declare("madvise", I32, [PTR, I64, I32])
    module.declare("malloc_usable_size", I64, [PTR])
    module.declare("sched_yield", I32, [])
    write_mark(module)
    for kind in (DIRTY, CLEAN):
        for write in (write_insert, write_remove, write_find, write_join):
            write(module, kind)
    write_take(module)
    write_large(module)
    write_free_span(module)
    write_malloc(module)
    write_calloc(module)
    write_free(module)
    write_realloc(module)
    write_release(module)
    return module


EXPORTS = ("memory_state", "data_malloc", "data_calloc", "data_realloc", "data_free", "py_release")
