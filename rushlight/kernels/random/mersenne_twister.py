"""The Mersenne Twister stream behind every random number, with PyTorch's state layout.

NumPy's MT19937 gives the same 32-bit words as PyTorch's; this file seeds it as PyTorch does, hands
the words out in bulk (many of them by machine code that works on NumPy's state, `generator.py`),
keeps the second normal number of a Box-Muller pair, and reads and writes the 5056-byte state of
`torch.get_rng_state()`. Distributions are in `distributions.py` next to it; the public `Generator`
is `rushlight/random.py`.
"""

from __future__ import annotations

import functools
import struct
import threading
from typing import Any

import numpy as np

from .. import runtime, tuning

STATE_BYTES = 5056
_N = 624
# seed, left, seeded, next | 624 words, each in 8 bytes | x, y, rho, y is valid | float, valid
_HEAD = struct.Struct("<QiiQ")
_TAIL = struct.Struct("<dddi4xf?3x")
_WORDS = slice(_HEAD.size, _HEAD.size + 8 * _N)
UNIFORMS, NORMALS, INTEGERS, PERMUTED = range(4)  # kinds of few numbers


class Twister:
    """One stream of random words; not a kernel's business which tensor they are for.

    Attributes:
        initial_seed: the 64-bit seed given last (the words depend on its low half alone).
        normal32: the same in float32: carried from state to state; no CPU distribution uses it.
        lock: held while a tensor is filled, so that threads sharing a stream get whole runs of it.
        locked: its method of that name.
    """

    __slots__ = (
        "_bits",
        "_legacy",
        "_memory",
        "_source",
        "_spare",
        "initial_seed",
        "lock",
        "locked",
        "normal32",
        "untouched",
    )

    _memory: Any  # NumPy's state as an array, once asked for; False without machine code
    _spare: np.ndarray  # `normal` as machine code reads it: 1 and the number, or 0
    initial_seed: int
    normal32: float | None

    def __init__(self, seed: int) -> None:
        self._bits: Any = None  # made at the first draw: importing numpy.random takes 20 ms
        self._memory = None
        self._spare = np.zeros(2)
        self._make_lock()
        self.reseed(seed)

    def _make_lock(self) -> None:
        self.lock = threading.Lock()
        self.locked = self.lock.locked

    @property
    def spare(self) -> np.ndarray:
        """`normal` for machine code, which may change it: 1 and the number, or 0."""
        return self._spare

    @property
    def normal(self) -> float | None:
        """The second float64 normal number of a pair, not yet handed out."""
        there, number = self._spare.tolist()
        return number if there else None

    @normal.setter
    def normal(self, number: float | None) -> None:
        self._spare[:] = (0.0, 0.0) if number is None else (1.0, number)

    def reseed(self, seed: int) -> None:
        """Start over from a seed in [0, 2**64)."""
        self.initial_seed = seed
        self.normal = self.normal32 = None
        self.untouched = True  # no word drawn yet: PyTorch's state tells this apart from 624 drawn
        if self._bits is not None:
            self._seed()

    # ------------------------------------------------------------------------------------ draws

    # Whoever draws for a tensor does it by one of these three. `vmap` takes their places in the
    # class while it runs (`func/randomness.py`).

    def fill(self, kernel: Any, a: np.ndarray, *args: Any, like: Any = None) -> None:
        """Have a kernel fill an array with numbers that no operand has a part in. It lies in memory
        as `like` does, if that is given."""
        with self.lock:
            kernel(a, self, *args)

    def draw(self, kernel: Any, *operands: Any) -> Any:
        """What `kernel(*operands)` gives, which draws from this stream as its operands demand."""
        with self.lock:
            return kernel(*operands)

    def few(
        self, shape: tuple[int, ...], kind: int, numbers: tuple[Any, ...] = ()
    ) -> np.ndarray | None:
        """A new array of few numbers, by one native call: UNIFORMS are float32 ones in [0, 1),
        NORMALS such of a mean and a standard deviation, INTEGERS int64 ones of a base and a span,
        PERMUTED those up to the only size. None where kernels are not in use, numbers are many or
        none, or another thread is drawing: then `fill` is right."""
        state = self._memory
        if state is None or state is False:
            return None
        made: np.ndarray | None
        if not numbers:
            made = _few[kind](shape, state, self.locked)
        elif kind != NORMALS:
            made = _few[kind](shape, state, self.locked, *numbers)
        elif self.untouched:  # and may stay so: a number that waits takes no word
            return None
        else:
            made = _few[kind](shape, state, self.locked, self._spare, *numbers)
        if made is not None:
            self.untouched = False
        return made

    def words(self, n: int) -> np.ndarray:
        """The next n 32-bit words."""
        if self._bits is None:
            self._start()
        if n:
            self.untouched = False
        if (state := self.native(n)) is not None:
            return _drawn("words", n, np.uint32, state)
        if 0 < n <= tuning.RANDOM_FEW:
            raw: np.ndarray = self._bits.random_raw(n)
            return raw.astype(np.uint32)
        return self._source.integers(0, 1 << 32, size=n, dtype=np.uint32)

    def word(self) -> int:
        """The next word alone: ten times cheaper than `words(1)`."""
        if self._bits is None:
            self._start()
        self.untouched = False
        word: int = self._bits.random_raw()
        return word

    def words64(self, n: int) -> np.ndarray:
        """The next n 64-bit words, each of two 32-bit ones, the high half drawn first."""
        pairs = self.words(2 * n)
        wide = pairs[0::2].astype(np.uint64)
        wide <<= np.uint64(32)
        wide |= pairs[1::2]
        return wide

    def floats(self, n: int) -> np.ndarray:
        """n float32 numbers in [0, 1): multiples of 2**-24."""
        if (state := self.native(n)) is not None:
            return _drawn("floats", n, np.float32, state)
        words = self.words(n)
        words &= np.uint32(0xFFFFFF)
        out = words.astype(np.float32)
        out *= np.float32(2.0**-24)
        return out

    def doubles(self, n: int) -> np.ndarray:
        """n float64 numbers in [0, 1): multiples of 2**-53."""
        if (state := self.native(n)) is not None:
            return _drawn("doubles", n, np.float64, state)
        words = self.words64(n)
        words &= np.uint64((1 << 53) - 1)
        out = words.astype(np.float64)
        out *= 2.0**-53
        return out

    def native(self, n: int) -> Any:
        """NumPy's state as an array, for kernels that draw n numbers, which counts as drawing; None
        where NumPy draws them. The numbers are the same."""
        memory = self._memory
        if memory is None or not n or n < tuning.RANDOM_LEAST_RUNNING:
            if not n or not _worth(n):
                return None
            if self._bits is None:
                self._start()
            if self._memory is None:
                self._memory = _state_of(self._bits) if runtime.available() else False
            memory = self._memory
        if memory is False:
            return None
        self.untouched = False
        return memory

    # ------------------------------------------------------------------------------------ state

    def get_state(self) -> np.ndarray:
        """The state as PyTorch lays it out: uint8, 5056 long."""
        key, position = self._get()
        if self.untouched:
            left, following = 1, 0
        else:
            left, following = _N + 1 - position, position
        state = np.zeros(STATE_BYTES, np.uint8)
        head = _HEAD.pack(self.initial_seed, left, 1, following)
        state[: _HEAD.size] = np.frombuffer(head, np.uint8)
        state[_WORDS] = key.astype("<u8").view(np.uint8)
        normal, normal32 = self.normal, self.normal32
        tail = _TAIL.pack(
            0.0, normal or 0.0, 0.0, normal is not None, normal32 or 0.0, normal32 is not None
        )
        state[_WORDS.stop :] = np.frombuffer(tail, np.uint8)
        return state

    def set_state(self, state: np.ndarray) -> None:
        """Go on from a state of `get_state` or of PyTorch.

        Raises:
            ValueError: the bytes are no state of this generator; nothing was changed.
        """
        raw = np.ascontiguousarray(state, np.uint8).tobytes()
        if len(raw) != STATE_BYTES:
            raise ValueError(f"{len(raw)} bytes, not {STATE_BYTES}")
        seed, left, seeded, following = _HEAD.unpack(raw[: _HEAD.size])
        _, normal, _, has_normal, normal32, has_normal32 = _TAIL.unpack(raw[_WORDS.stop :])
        if seeded & 0xFF == 0 or not 0 < left <= _N or following > _N:
            raise ValueError(f"seeded {seeded}, left {left}, next {following}")
        self.initial_seed = seed
        self.normal = normal if has_normal else None
        self.normal32 = normal32 if has_normal32 else None
        self.untouched = left == 1 and following == 0
        key = np.frombuffer(raw[_WORDS], "<u8").astype(np.uint32)
        self._put(key, _N if left == 1 else following)

    def clone(self) -> Twister:
        """An independent stream at the same place."""
        twin = Twister(self.initial_seed)
        twin.set_state(self.get_state())
        return twin

    def __getstate__(self) -> np.ndarray:  # a lock cannot be pickled; the state says all
        return self.get_state()

    def __setstate__(self, state: np.ndarray) -> None:
        self._bits = self._memory = None
        self._spare = np.zeros(2)
        self._make_lock()
        self.set_state(state)

    def mark(self) -> tuple[np.ndarray, int, bool]:
        """The present place, for `rewind`."""
        return *self._get(), self.untouched

    def rewind(self, mark: tuple[np.ndarray, int, bool], used: int) -> None:
        """Go back to a `mark` and on by `used` words: after a draw that was longer than needed."""
        key, position, untouched = mark
        self._put(key, position)
        self.untouched = untouched and not used
        if used:
            self._bits.random_raw(used, output=False)

    def _start(self) -> None:
        self._make()
        self._seed()

    def _make(self) -> None:
        bits = np.random.MT19937(0)
        self._source = np.random.Generator(bits)
        self._legacy = np.random.RandomState(bits)
        self._memory = None
        self._bits = bits  # last: who finds it there uses the others

    def _seed(self) -> None:
        """Begin with the words of a seed (Matsumoto and Nishimura's `init_genrand`), as NumPy's
        legacy generators do: a new MT19937 of the seed would have other words."""
        self._legacy.seed(self.initial_seed & 0xFFFFFFFF)

    def _get(self) -> tuple[np.ndarray, int]:
        if self._bits is None:
            self._start()
        seen = self._memory
        if seen.__class__ is np.ndarray:  # 1 µs; NumPy makes the words one by one, 60 µs
            return seen[:_N].copy(), int(seen[_N])
        inner = self._bits.state["state"]
        return inner["key"], int(inner["pos"])

    def _put(self, key: np.ndarray, position: int) -> None:
        if self._bits is None:
            self._make()
        seen = self._memory
        if seen.__class__ is np.ndarray:
            seen[:_N], seen[_N] = key, position
            return
        inner = {"key": key, "pos": position}
        self._bits.state = {"bit_generator": "MT19937", "state": inner}


def _state_of(bits: Any) -> Any:
    """The memory where NumPy keeps the state of a generator: 624 words and the position; False when
    it does not look as expected."""
    import ctypes

    address: int = bits.ctypes.state_address
    seen = np.ctypeslib.as_array((ctypes.c_uint32 * (_N + 1)).from_address(address))
    inner = bits.state["state"]
    as_expected = np.array_equal(seen[:_N], inner["key"]) and seen[_N] == inner["pos"]
    return seen if as_expected else False


_waited = 0  # draws of few numbers so far


def _worth(n: int) -> bool:
    """Whether a kernel draws n numbers: many, or any where kernels are in use already; and few,
    too, after so many draws that loading one pays."""
    global _waited
    if n >= tuning.RANDOM_LEAST:
        return True
    if runtime.running() and n >= tuning.RANDOM_LEAST_RUNNING:
        return True
    _waited += 1
    return _waited > tuning.RANDOM_PATIENCE


def _drawn(kind: str, n: int, dtype: Any, state: Any) -> np.ndarray:
    """n numbers by machine code."""
    out = np.empty(n, dtype)
    _kernel(kind)(out, state, n)
    return out


@functools.cache
def _kernel(kind: str) -> Any:
    from . import generator

    return generator.draw(kind).call


def _loaded() -> list[Any]:
    """The functions of `few_numbers.py`, which take their places when one is first called."""
    from . import few_numbers

    _few[:] = few_numbers.functions()
    return _few


_few: list[Any] = [lambda *given, kind=kind: _loaded()[kind](*given) for kind in range(4)]
