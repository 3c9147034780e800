"""The instructions of a matrix unit (AMX), computed by vectors: for CPUs that have none.

RUSHLIGHT_AMX=emulate takes this in the place of the unit, so that the kernels that are written for
it are tested, and their bits compared, on every CPU with AVX-512. The bits are the unit's; the
time is some twenty times that of the vector kernels, so nobody should compute with it.

A register of the unit belongs to a thread. Here a thread that begins takes one of `ROOMS` rooms in
the memory of the kernel, in which its eight tiles lie, and gives it back at the end; every
instruction looks for the room of its thread.

What TDPBF16PS computes for a row m and a column n of the result (Intel, Software Developer's
Manual, volume 2): two sums in float32, of the even and of the odd numbers along k, each from 0 on
in the order of k, then their sum, which is added to what was there. A number below 2**-126, given
or found, counts as 0; all else is rounded to the nearest.
"""

from __future__ import annotations

from ..codegen.ir import F32, I32, I64, PTR, Function, Module, Pointer, Value, vector

TILE = 1024  # bytes
SIDE = 16  # rows of a tile, and 32-bit words in a row
ROOMS = 256  # threads in one kernel at a time
ROOM = 8 * TILE  # bytes of a thread's registers
SMALLEST = 2.0**-126  # what is smaller counts as 0
WORDS = vector(I32, SIDE)


def write(module: Module) -> None:
    """Add a function for each instruction: `emulated_` and its name."""
    module.state("emulated_taken", ROOMS * 8)
    module.state("emulated_owner", ROOMS * 8)
    module.state("emulated_tiles", ROOMS * ROOM)
    module.declare("pthread_self", I64, [])
    _write_begin(module)
    _write_find(module)
    _write_end(module)
    _write_moves(module)
    _write_product(module)


def call(f: Function, instruction: str, given: list[Value]) -> None:
    """Write an instruction as a call. Numbers of tiles come as i8, as the unit wants them."""
    wide = [Value(f, I64, v.text) if v.type == "i8" else v for v in given]
    f.call(f"emulated_{instruction}", None, wide)


def _word(f: Function, table: str, room: Value) -> Pointer:
    return Value(f, PTR, f"@emulated_{table}").of(I64).at(room)


def _write_begin(module: Module) -> None:
    """LDTILECFG: the thread takes the first free room; all its tiles have 16 rows of 64 bytes."""
    f = module.function("emulated_ldtilecfg", None, [("shapes", PTR)], private=True)
    room = f.var(f.const(I64, 0))
    with f.repeat() as loop:
        loop.stop_if(_word(f, "taken", room.get()).exchange(1) == 0)
        room.set((room.get() + 1) % ROOMS)
    _word(f, "owner", room.get()).atomic_store(f.call("pthread_self", I64, []))
    f.ret()


def _write_find(module: Module) -> None:
    """The number of the thread's room."""
    f = module.function("emulated_room", I64, [], private=True)
    me, room = f.call("pthread_self", I64, []), f.var(f.const(I64, 0))
    with f.repeat() as loop:
        loop.stop_if(_word(f, "owner", room.get()).atomic_load() == me)
        room.set((room.get() + 1) % ROOMS)
    f.ret(room.get())


def _write_end(module: Module) -> None:
    """TILERELEASE: the room is free again. Its owner goes first: who takes it next writes anew."""
    f = module.function("emulated_tilerelease", None, [], private=True)
    room = f.call("emulated_room", I64, [])
    _word(f, "owner", room).atomic_store(0)
    _word(f, "taken", room).atomic_store(0)
    f.ret()


def _tile(f: Function, name: str) -> Pointer:
    """The words of the tile whose number is an argument."""
    rooms = Value(f, PTR, "@emulated_tiles").of("i8")
    at = f.call("emulated_room", I64, []) * ROOM + f.args[name] * TILE
    return rooms.at(at).of(I32)


def _write_moves(module: Module) -> None:
    """TILEZERO, TILELOADD and TILESTORED: rows of 64 bytes, `stride` bytes apart in memory."""
    f = module.function("emulated_tilezero", None, [("tile", I64)], private=True)
    tile = _tile(f, "tile")
    with f.range(SIDE) as row:
        tile.store(f.const(WORDS, 0), row * SIDE)
    f.ret()
    given = [("tile", I64), ("place", PTR), ("stride", I64)]
    for name, to_memory in (("tileloadd64", False), ("tilestored64", True)):
        f = module.function(f"emulated_{name}", None, given, private=True)
        tile, place = _tile(f, "tile"), f.args["place"].of("i8")
        with f.range(SIDE) as row:
            there, here = place.at(row * f.args["stride"]).of(I32), tile.at(row * SIDE)
            source, target = (here, there) if to_memory else (there, here)
            target.store(source.load(0, SIDE))
        f.ret()


def _flushed(f: Function, x: Value) -> Value:
    return f.select(f.fabs(x) < SMALLEST, 0.0, x)


def _halves(f: Function, words: Value) -> tuple[Value, Value]:
    """The even and the odd bfloat16 numbers of 32-bit words as float32."""
    wide = vector(F32, SIDE)
    even, odd = (f.bits(v, wide) for v in (words << 16, words & -65536))
    return _flushed(f, even), _flushed(f, odd)


def _write_product(module: Module) -> None:
    """TDPBF16PS: c += a @ b."""
    given = [("c", I64), ("a", I64), ("b", I64)]
    f = module.function("emulated_tdpbf16ps", None, given, private=True)
    a, b, c = _tile(f, "a"), _tile(f, "b"), _tile(f, "c").of(F32)
    zero = f.const(vector(F32, SIDE), 0)
    with f.range(SIDE) as row:
        even, odd = f.var(zero), f.var(zero)
        with f.range(SIDE) as k:
            left = _halves(f, f.splat(a[row * SIDE + k], SIDE))
            right = _halves(f, b.load(k * SIDE, SIDE))
            for found, x, y in zip((even, odd), left, right, strict=True):
                found.set(_flushed(f, f.fma(x, y, found.get())))
        both = _flushed(f, even.get() + odd.get())
        line = c.at(row * SIDE)
        line.store(_flushed(f, _flushed(f, line.load(0, SIDE)) + both))
    f.ret()
