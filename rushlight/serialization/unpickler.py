"""A pickle reader that cannot execute anything.

Pickle is a small stack language. This is an interpreter of it with a closed set of instructions:
what GLOBAL may name comes from a table of the caller (`names.py`), REDUCE and NEWOBJ may call only
what that table marks as callable, BUILD may only fill the types the table knows. Lengths are
checked against the data before anything is allocated.

Not here: files and storages (`loading.py`). Read next: `names.py`, the table.
"""

from __future__ import annotations

import collections
import reprlib
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import dtypes
from ..errors import message
from ..tensor import Tensor
from .errors import CheckpointError

# A tuple's hash recurses without a limit in C, so a deep tuple as a key would end the process.
_MAX_KEY_DEPTH = 64
_MAX_KEY_PARTS = 10_000  # a pair of a pair ... of one object twice is small, and endless to hash
_SIZED = (list, tuple, dict, set, frozenset, str, bytes, bytearray)
_KEY_TYPES = (str, int, float, complex, bool, bytes, type(None))


@dataclass(frozen=True)
class Known:
    """What a global may be used for.

    Attributes:
        value: what the name stands for when it is data (a dtype, a class).
        call: runs for REDUCE, with the pickled arguments; None where the name is data only.
        new: runs for NEWOBJ; None where objects of it may not be made without a call.
        build: runs for BUILD on objects of exactly the class `value`, with the pickled state.
        copies: what runs copies its arguments, so that a short file could ask for the same large
            copy again and again; their sizes are counted against the length of the pickle.
    """

    value: Any
    call: Callable[..., Any] | None = None
    new: Callable[..., Any] | None = None
    build: Callable[[Any, Any], None] | None = None
    copies: bool = False


class CallerError(Exception):
    """Carries an error of the caller's own function past what would blame the file for it."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def broken(what: str, got: Any = None, wanted: Any = None) -> CheckpointError:
    """The error for a file that is damaged or made to do damage."""
    return CheckpointError(
        message(
            f"load: corrupt checkpoint: {what}",
            got=got,
            wanted=wanted,
            hint="saving the file again, or another copy of it",
        )
    )


class _Shown(reprlib.Repr):
    """Values in error messages: short, and quick even for what refers to itself endlessly."""

    def repr_instance(self, x: Any, level: int) -> str:
        plain = x is None or type(x) in (bool, float, complex, dtypes.dtype)
        return repr(x) if plain else f"<{type(x).__name__}>"

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() < 200 else f"<an int of {x.bit_length()} bits>"


_shown = _Shown()
_shown.maxlevel = 3


def shown(value: Any) -> str:
    """`value` from a file, for an error message."""
    return _shown.repr(value)[:160]


class Unpickler:
    """Read one pickle from `data`, beginning at `position`.

    Args:
        data: the bytes; the pickle may end before they do (`position` then tells where).
        find_global: `(module, name) -> Known`; raises for what is not allowed.
        persistent_load: the object for a persistent id (a storage, in checkpoints).
        encoding: how the byte strings of Python 2 become text; "bytes" leaves them bytes.
    """

    def __init__(
        self,
        data: bytes,
        find_global: Callable[[str, str], Known],
        persistent_load: Callable[[Any], Any],
        *,
        position: int = 0,
        encoding: str = "utf-8",
    ) -> None:
        self.data = data
        self.position = position
        self._find_global = find_global
        self._persistent_load = persistent_load
        self._encoding = encoding
        self._stack: list[Any] = []
        self._marks: list[list[Any]] = []  # the stacks below each open MARK
        self._memo: dict[int, Any] = {}
        self._known: dict[int, Known] = {}  # by identity of the value; the values stay alive in it
        self._crowds: dict[int, Any] = {}  # large dicts by identity: (dict, keys of each hash)
        self._copies_left = 8 * len(data) + 65536

    def load(self) -> Any:
        """The pickled object; CheckpointError for what is no plain, allowed pickle."""
        try:
            return self._run()
        except CheckpointError:
            raise
        except CallerError as outer:
            raise outer.error from None
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            MemoryError,
            RecursionError,
            TypeError,
            ValueError,
            struct.error,
        ) as error:
            why = f"{type(error).__name__}: {error}"[:200]
            raise broken(f"its pickle is malformed near byte {self.position} ({why})") from error

    def _run(self) -> Any:
        data = self.data
        end = len(data)
        while self.position < end:
            code = data[self.position]
            self.position += 1
            if code == _STOP:
                if len(self._stack) != 1 or self._marks:
                    raise broken("its pickle ends in mid-object")
                return self._stack[0]
            step = _STEPS.get(code)
            if step is None:
                raise broken(f"its pickle holds the unknown instruction {bytes([code])!r}")
            step(self)
        raise broken("its pickle ends too early (Ran out of input)")

    # Reading

    def _take(self, count: int) -> bytes:
        begin = self.position
        if count < 0 or count > len(self.data) - begin:
            left = len(self.data) - begin
            raise broken("a length in its pickle is wrong", f"{count} bytes", f"at most {left}")
        self.position = begin + count
        return self.data[begin : self.position]

    def _line(self) -> bytes:
        end = self.data.find(b"\n", self.position)
        if end < 0:
            raise broken("its pickle ends too early (Ran out of input)")
        line = self.data[self.position : end]
        self.position = end + 1
        return line

    def _int(self, layout: str) -> int:
        value: int = struct.unpack(layout, self._take(struct.calcsize(layout)))[0]
        return value

    # The stack

    def _push(self, value: Any) -> None:
        self._stack.append(value)

    def _top(self) -> Any:
        return self._stack[-1]

    def _since_mark(self) -> list[Any]:
        if not self._marks:
            raise broken("its pickle closes a mark that was never opened")
        items, self._stack = self._stack, self._marks.pop()
        return items

    # Names and calls

    def _name(self, module: Any, name: Any) -> None:
        if type(module) is not str or type(name) is not str:
            raise broken("a name in its pickle is not text")
        known = self._find_global(module, name)
        self._known[id(known.value)] = known
        self._push(known.value)

    def _global(self) -> None:
        self._name(self._line().decode("utf-8"), self._line().decode("utf-8"))

    def _stack_global(self) -> None:
        name = self._stack.pop()
        self._name(self._stack.pop(), name)

    def _permission(self, function: Any) -> Known:
        known = self._known.get(id(function))
        if known is None:
            raise broken("it calls an object that is not callable", f"a {type(function).__name__}")
        return known

    def _reduce(self) -> None:
        args = self._stack.pop()
        known = self._permission(self._stack.pop())
        if known.call is None or type(args) is not tuple:
            raise broken("it calls a name that is data only", shown(known.value))
        if known.copies:
            self._charge(args)
        self._push(known.call(*args))

    def _new(self, args: Any, keywords: Any) -> None:
        known = self._permission(self._stack.pop())
        if known.new is None or type(args) is not tuple or type(keywords) is not dict:
            raise broken("it makes an object of a type that is not built so", shown(known.value))
        if known.copies:
            self._charge(args)
        self._push(known.new(*args, **keywords))

    def _newobj(self) -> None:
        args = self._stack.pop()
        self._new(args, {})

    def _newobj_ex(self) -> None:
        keywords = self._stack.pop()
        args = self._stack.pop()
        self._new(args, keywords)

    def _build(self) -> None:
        state = self._stack.pop()
        target = self._top()
        for cls in type(target).__mro__:  # a NumPy type is an object of a subclass of numpy.dtype
            known = self._known.get(id(cls))
            if known is not None and known.build is not None:
                if known.copies:
                    self._charge(state)
                known.build(target, state)
                return
        raise broken("it sets the state of a type that has none", f"a {type(target).__name__}")

    def _charge(self, value: Any, depth: int = 3) -> None:
        if isinstance(value, _SIZED):
            self._copies_left -= len(value)
            if self._copies_left < 0:
                raise broken("it copies the same values again and again")
            if depth and isinstance(value, tuple):
                for item in value:
                    self._charge(item, depth - 1)

    def _persistent(self) -> None:
        self._push(self._persistent_load(self._stack.pop()))

    # Containers

    def _extend(self, items: list[Any]) -> None:
        target = self._top()
        made = id(type(target)) in self._known  # an object of an allowed subclass of list
        if type(target) is list or (made and isinstance(target, list)):
            list.extend(target, items)
        elif made and isinstance(target, collections.deque):
            collections.deque.extend(target, items)
        else:
            raise broken("it appends to what is no list", f"a {type(target).__name__}")

    def _append(self) -> None:
        item = self._stack.pop()
        self._extend([item])

    def _appends(self) -> None:
        items = self._since_mark()
        self._extend(items)

    def _set_items(self, items: list[Any]) -> None:
        target = self._top()
        if not isinstance(target, dict):
            raise broken("it sets items of what is no dict", f"a {type(target).__name__}")
        if len(items) % 2:
            raise broken("a dict in its pickle has a key without a value")
        for i in range(0, len(items), 2):
            key = self._key(items[i])
            if len(target) >= _CROWD:
                self._check_crowd(target, key)
            target[key] = items[i + 1]

    def _setitem(self) -> None:
        value = self._stack.pop()
        key = self._stack.pop()
        self._set_items([key, value])

    def _dict(self) -> None:
        items = self._since_mark()
        self._push({})
        self._set_items(items)

    def _add_items(self) -> None:
        items = self._since_mark()
        target = self._top()
        if type(target) is not set:
            raise broken("it adds items to what is no set", f"a {type(target).__name__}")
        for item in items:
            key = self._key(item)
            if len(target) >= _CROWD:
                self._check_crowd(target, key)
            target.add(key)

    def _frozenset(self) -> None:
        items = self._since_mark()
        made: set[Any] = set()
        for item in items:
            key = self._key(item)
            if len(made) >= _CROWD:
                self._check_crowd(made, key)
            made.add(key)
        self._push(frozenset(made))

    def _check_crowd(self, target: Any, key: Any) -> None:
        """Refuse a large dict or set with many different keys of one hash: each more of them takes
        as long as all before. Hashes of strings differ from process to process, so no file can
        choose them."""
        if type(key) is str:
            return
        found = self._crowds.get(id(target))
        if found is None:  # the target is kept: no other one gets its identity
            counted = collections.Counter(hash(k) for k in target if type(k) is not str)
            found = self._crowds[id(target)] = (target, counted)
        counts = found[1]
        number = hash(key)
        n = counts.get(number, 0)
        if n >= _CROWD:
            if key in target:
                return
            raise broken("keys of a dict or set collide", f"more than {n} keys of one hash")
        counts[number] = n + 1

    def _key(self, key: Any) -> Any:
        return hashable(key, self._known)

    def _tuple(self) -> None:
        items = self._since_mark()
        self._push(tuple(items))

    def _tuple_of(self, count: int) -> None:
        if len(self._stack) < count:
            raise broken("its pickle takes from an empty stack")
        items = tuple(self._stack[-count:])
        del self._stack[-count:]
        self._push(items)

    def _list(self) -> None:
        items = self._since_mark()
        self._push(items)

    # The memo

    def _get(self, index: int) -> None:
        if index not in self._memo:
            raise broken(f"its pickle asks for memo {index}, which was never put")
        self._push(self._memo[index])

    def _put(self, index: int) -> None:
        self._memo[index] = self._top()

    # Values

    def _byte_string(self, count: int) -> None:
        raw = self._take(count)
        self._push(raw if self._encoding == "bytes" else raw.decode(self._encoding))

    def _text(self, count: int) -> None:
        self._push(self._take(count).decode("utf-8", "surrogatepass"))

    def _long(self, count: int) -> None:
        self._push(int.from_bytes(self._take(count), "little", signed=True))

    def _decimal(self) -> None:
        line = self._line()
        special = {b"00": False, b"01": True}  # protocol 0 and 1 spell the booleans so
        self._push(special[line] if line in special else int(line))

    def _proto(self) -> None:
        version = self._take(1)[0]
        if version > 5:
            raise broken("its pickle protocol is unknown", version, "2 to 5")

    def _mark(self) -> None:
        self._marks.append(self._stack)
        self._stack = []

    def _pop(self) -> None:
        if self._stack:
            self._stack.pop()
        else:
            self._since_mark()


def refuse_crowds(items: Any) -> None:
    """CheckpointError for a list with so many different items of one hash that a set of them takes
    long to make."""
    if len(items) <= _CROWD:
        return
    plain = [i for i in items if type(i) in _KEY_TYPES and type(i) is not str]
    counts = collections.Counter(map(hash, plain))
    if counts and max(counts.values()) > _CROWD:
        raise broken("keys of a dict or set collide", f"{max(counts.values())} of one hash")


_CROWD = 256  # keys of one hash in a dict, and keys from which on they are counted


def hashable(key: Any, known: dict[int, Known]) -> Any:
    """`key` if it may be a dict key or set item.

    That is a plain value, a name of the table, an object of a type of the table, or a flat tuple of
    such.
    """
    pending = [(key, 0)]
    parts = 0
    while pending:
        part, depth = pending.pop()
        parts += 1
        if parts > _MAX_KEY_PARTS:
            raise broken("a dict key or set item has too many parts", f"more than {parts - 1}")
        if isinstance(part, tuple | frozenset) and depth < _MAX_KEY_DEPTH:
            pending.extend((p, depth + 1) for p in part)
        elif isinstance(part, Tensor):
            continue  # hashed by identity, as an optimiser's state is
        elif type(part) not in _KEY_TYPES and id(part) not in known and id(type(part)) not in known:
            deep = ", nested too deeply" if isinstance(part, tuple | frozenset) else ""
            raise broken("a dict key or set item is of the wrong type", type(part).__name__ + deep)
    return key


_STOP = ord(".")
# Those that a subclass replaces are called through the object.
_STEPS: dict[int, Callable[[Unpickler], None]] = {
    # frame and protocol
    0x80: Unpickler._proto,
    0x95: lambda u: _ignore(u._int("<Q")),  # FRAME
    # constants
    ord("N"): lambda u: u._push(None),
    0x88: lambda u: u._push(True),
    0x89: lambda u: u._push(False),
    # numbers
    ord("I"): Unpickler._decimal,
    ord("L"): lambda u: u._push(int(u._line().rstrip(b"L"))),
    ord("F"): lambda u: u._push(float(u._line())),
    ord("J"): lambda u: u._push(u._int("<i")),
    ord("K"): lambda u: u._push(u._int("<B")),
    ord("M"): lambda u: u._push(u._int("<H")),
    0x8A: lambda u: u._long(u._int("<B")),
    0x8B: lambda u: u._long(u._int("<i")),
    ord("G"): lambda u: u._push(struct.unpack(">d", u._take(8))[0]),
    # text and bytes
    ord("V"): lambda u: u._push(u._line().decode("raw-unicode-escape")),
    ord("X"): lambda u: u._text(u._int("<I")),
    0x8C: lambda u: u._text(u._int("<B")),
    0x8D: lambda u: u._text(u._int("<Q")),
    ord("T"): lambda u: u._byte_string(u._int("<i")),
    ord("U"): lambda u: u._byte_string(u._int("<B")),
    ord("B"): lambda u: u._push(u._take(u._int("<I"))),
    ord("C"): lambda u: u._push(u._take(u._int("<B"))),
    0x8E: lambda u: u._push(u._take(u._int("<Q"))),
    0x96: lambda u: u._push(bytearray(u._take(u._int("<Q")))),
    # containers
    ord("]"): lambda u: u._push([]),
    ord("a"): Unpickler._append,
    ord("e"): Unpickler._appends,
    ord("l"): Unpickler._list,
    ord("}"): lambda u: u._push({}),
    ord("s"): Unpickler._setitem,
    ord("u"): lambda u: u._set_items(u._since_mark()),
    ord("d"): Unpickler._dict,
    ord(")"): lambda u: u._push(()),
    ord("t"): Unpickler._tuple,
    0x85: lambda u: u._tuple_of(1),
    0x86: lambda u: u._tuple_of(2),
    0x87: lambda u: u._tuple_of(3),
    0x8F: lambda u: u._push(set()),
    0x90: lambda u: u._add_items(),
    0x91: lambda u: u._frozenset(),
    # stack and memo
    ord("("): Unpickler._mark,
    ord("0"): Unpickler._pop,
    ord("1"): lambda u: _ignore(u._since_mark()),
    ord("2"): lambda u: u._push(u._top()),
    ord("g"): lambda u: u._get(int(u._line())),
    ord("h"): lambda u: u._get(u._int("<B")),
    ord("j"): lambda u: u._get(u._int("<I")),
    ord("p"): lambda u: u._put(int(u._line())),
    ord("q"): lambda u: u._put(u._int("<B")),
    ord("r"): lambda u: u._put(u._int("<I")),
    0x94: lambda u: u._put(len(u._memo)),
    # names and objects
    ord("c"): Unpickler._global,
    0x93: Unpickler._stack_global,
    ord("R"): lambda u: u._reduce(),
    0x81: Unpickler._newobj,
    0x92: Unpickler._newobj_ex,
    ord("b"): lambda u: u._build(),
    ord("Q"): Unpickler._persistent,
}


def _ignore(_value: Any) -> None:
    """An instruction whose operand is read and not needed."""
