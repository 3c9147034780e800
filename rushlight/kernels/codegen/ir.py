"""A small assembler: kernels are Python functions that write LLVM's text form.

A `Module` holds functions; a `Function` holds instructions. Values have operators, pointers are
indexed, loops and branches are `with` blocks, so a kernel reads like the program it becomes:

    module = Module("double")
    f = module.function("double", None, [("x", PTR), ("n", I64)])
    x = f.args["x"].of(F32)
    with f.range(f.args["n"]) as i:
        x[i] = x[i] * 2.0
    f.ret()

There is no fast-math: what is written is computed, in that order, in vectors as in single
elements, so that results do not depend on where a loop is cut. `fma` is always written out.

Not here: compiling and loading (`runtime/jit.py`), how Python calls a kernel
(`runtime/builtin.py`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

Type = str
I1, I8, I16, I32, I64 = "i1", "i8", "i16", "i32", "i64"
F16, BF16, F32, F64, PTR = "half", "bfloat", "float", "double", "ptr"
BYTES = {I1: 1, I8: 1, I16: 2, I32: 4, I64: 8, F16: 2, BF16: 2, F32: 4, F64: 8, PTR: 8}
FLOATS = {F16, BF16, F32, F64}
# A number of memory times a vector, in the instruction of AVX-512, for vectors so long that only
# a CPU that has it has them (`fma_of`).
BROADCASTS = {
    (16, F32): "vfmadd231ps $2{1to16}, $1, $0",
    (8, F64): "vfmadd231pd $2{1to8}, $1, $0",
}
MANGLED = {F16: "f16", BF16: "bf16", F32: "f32", F64: "f64", PTR: "p0"}


def vector(element: Type, lanes: int) -> Type:
    """The type of `lanes` elements; one lane is the element itself."""
    return element if lanes == 1 else f"<{lanes} x {element}>"


def element(type_: Type) -> Type:
    return type_.split(" x ")[1][:-1] if type_[0] == "<" else type_


def lanes(type_: Type) -> int:
    return int(type_[1:].split(" ")[0]) if type_[0] == "<" else 1


def with_element(type_: Type, new: Type) -> Type:
    """The same number of lanes of another element."""
    return vector(new, lanes(type_))


def without_attributes(type_: Type) -> Type:
    """The type of an argument that may carry attributes: ptr of "ptr noalias"."""
    return type_ if type_[0] == "<" else type_.split(" ")[0]


def mangled(type_: Type) -> str:
    """The type as it stands in the name of an intrinsic: v16f32."""
    n, e = lanes(type_), element(type_)
    return (f"v{n}" if n > 1 else "") + MANGLED.get(e, e)


def literal(type_: Type, value: Any) -> str:
    """A number as LLVM writes it. Floats as the bits of a double, so that nothing is rounded."""
    e = element(type_)
    if e in FLOATS:
        value = float(value)
        if e == F32:
            value = struct.unpack("f", struct.pack("f", clipped(value)))[0]
        if e in (F32, F64):
            text = f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
        else:
            text = repr(value)
    elif e == I1:
        text = "true" if value else "false"
    else:
        text = str(int(value))
    n = lanes(type_)
    return text if n == 1 else "<" + ", ".join([f"{e} {text}"] * n) + ">"


def clipped(value: float) -> float:
    """A double that float32 cannot hold becomes an infinity."""
    return value if abs(value) < 3.4028235677973366e38 or value != value else value * float("inf")


class Value:
    """The result of an instruction, an argument or a constant of a function being written."""

    __slots__ = ("fn", "text", "type")

    def __init__(self, fn: Function, type_: Type, text: str) -> None:
        self.fn = fn
        self.type = type_
        self.text = text

    def __repr__(self) -> str:
        return f"{self.type} {self.text}"

    def _with(self, name: str, other: Any, swap: bool = False) -> Value:
        a, b = self, self.fn.like(self, other)
        if b.type != a.type and lanes(a.type) == 1 and lanes(b.type) > 1:
            a = self.fn.splat(a, lanes(b.type))
        return self.fn.binary(name, b, a) if swap else self.fn.binary(name, a, b)

    def __add__(self, other: Any) -> Value:
        return self._with("add", other)

    def __radd__(self, other: Any) -> Value:
        return self._with("add", other, True)

    def __sub__(self, other: Any) -> Value:
        return self._with("sub", other)

    def __rsub__(self, other: Any) -> Value:
        return self._with("sub", other, True)

    def __mul__(self, other: Any) -> Value:
        return self._with("mul", other)

    def __rmul__(self, other: Any) -> Value:
        return self._with("mul", other, True)

    def __truediv__(self, other: Any) -> Value:
        return self._with("div", other)

    def __rtruediv__(self, other: Any) -> Value:
        return self._with("div", other, True)

    def __floordiv__(self, other: Any) -> Value:
        """Division of integers, rounded towards zero."""
        return self._with("div", other)

    def __mod__(self, other: Any) -> Value:
        """The remainder of integers, with the sign of the dividend."""
        return self._with("rem", other)

    def __and__(self, other: Any) -> Value:
        return self._with("and", other)

    def __or__(self, other: Any) -> Value:
        return self._with("or", other)

    def __xor__(self, other: Any) -> Value:
        return self._with("xor", other)

    def __lshift__(self, other: Any) -> Value:
        return self._with("shl", other)

    def __rshift__(self, other: Any) -> Value:
        """Arithmetic shift; `fn.binary("lshr", a, b)` fills with zeros."""
        return self._with("ashr", other)

    def __invert__(self) -> Value:
        return self._with("xor", True if element(self.type) == I1 else -1)

    def __neg__(self) -> Value:
        if element(self.type) in FLOATS:
            return self.fn.emit(self.type, f"fneg {self.type} {self.text}")
        return 0 - self

    def __lt__(self, other: Any) -> Value:
        return self.fn.compare("lt", self, other)

    def __le__(self, other: Any) -> Value:
        return self.fn.compare("le", self, other)

    def __gt__(self, other: Any) -> Value:
        return self.fn.compare("gt", self, other)

    def __ge__(self, other: Any) -> Value:
        return self.fn.compare("ge", self, other)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return self.fn.compare("eq", self, other)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return self.fn.compare("ne", self, other)

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise TypeError("a kernel cannot branch on a value in Python: use fn.when or fn.select")

    def of(self, element_: Type) -> Pointer:
        """A pointer value as a pointer to elements of a type."""
        return Pointer(self.fn, self.text, element_)


class Pointer(Value):
    """A pointer to elements of one type: `p[i]`, `p[i] = v`, `p.load(i, lanes)`, `p + i`."""

    __slots__ = ("element",)

    def __init__(self, fn: Function, text: str, element_: Type) -> None:
        super().__init__(fn, PTR, text)
        self.element = element_

    def at(self, index: Any) -> Pointer:
        """The pointer to element `index`."""
        if isinstance(index, int) and index == 0:
            return self
        i = self.fn.const(I64, index)
        found = self.fn.emit(PTR, f"getelementptr {self.element}, ptr {self.text}, i64 {i.text}")
        return Pointer(self.fn, found.text, self.element)

    def __add__(self, index: Any) -> Pointer:
        return self.at(index)

    def __getitem__(self, index: Any) -> Value:
        return self.load(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.store(value, index)

    def load(self, index: Any = 0, n: int = 1, aligned: bool = False) -> Value:
        """`n` neighbouring elements from `index` on."""
        t = vector(self.element, n)
        align = BYTES[self.element] * (n if aligned else 1)
        return self.fn.emit(t, f"load {t}, ptr {self.at(index).text}, align {align}")

    def store(self, value: Any, index: Any = 0, aligned: bool = False) -> None:
        """Write an element, or the neighbouring elements of a vector."""
        v = value if isinstance(value, Value) else self.fn.const(self.element, value)
        if element(v.type) != self.element:
            raise TypeError(f"a {v.type} is stored where {self.element} are")
        align = BYTES[self.element] * (lanes(v.type) if aligned else 1)
        self.fn.line(f"store {v.type} {v.text}, ptr {self.at(index).text}, align {align}")

    def store_past(self, value: Value, index: Any = 0) -> None:
        """Write a vector past the cache; its address is a multiple of its size."""
        align = BYTES[self.element] * lanes(value.type)
        note = self.fn.module.note("!{i32 1}")
        place = self.at(index).text
        self.fn.line(
            f"store {value.type} {value.text}, ptr {place}, align {align}, !nontemporal {note}"
        )

    # Words that several threads change; every access is in one order for all (seq_cst).

    def atomic_load(self, index: Any = 0) -> Value:
        t = self.element
        return self.fn.emit(
            t, f"load atomic {t}, ptr {self.at(index).text} seq_cst, align {BYTES[t]}"
        )

    def atomic_store(self, value: Any, index: Any = 0) -> None:
        t = self.element
        v = self.fn.const(t, value)
        self.fn.line(
            f"store atomic {t} {v.text}, ptr {self.at(index).text} seq_cst, align {BYTES[t]}"
        )

    def atomic_add(self, value: Any, index: Any = 0) -> Value:
        """Adds and returns what was there before."""
        return self._atomic("add", value, index)

    def exchange(self, value: Any, index: Any = 0) -> Value:
        """Writes and returns what was there before."""
        return self._atomic("xchg", value, index)

    def _atomic(self, how: str, value: Any, index: Any) -> Value:
        t = self.element
        v = self.fn.const(t, value)
        return self.fn.emit(
            t, f"atomicrmw {how} ptr {self.at(index).text}, {t} {v.text} seq_cst, align {BYTES[t]}"
        )

    def load_masked(self, index: Any, mask: Value, other: Any = 0) -> Value:
        """The elements where the mask is set, `other` elsewhere; nothing is read there."""
        t = with_element(mask.type, self.element)
        return self.fn.intrinsic(
            f"llvm.masked.load.{mangled(t)}.p0",
            t,
            [
                self.at(index),
                self.fn.const(I32, BYTES[self.element]),
                mask,
                self.fn.const(t, other),
            ],
        )

    def store_masked(self, value: Value, index: Any, mask: Value) -> None:
        """Write the lanes whose mask is set; nothing is written elsewhere (`masked_store.py`)."""
        self.fn.module.masked_stores.add(value.type)
        name = f"masked_store_{mangled(value.type)}"
        self.fn.call(name, None, [self.at(index), value, mask])


class Variable:
    """A place for a value that changes: LLVM turns it into registers."""

    def __init__(self, fn: Function, first: Value) -> None:
        self.fn = fn
        self.type = first.type
        self.place = fn.alloca(first.type)
        self.element = first.element if isinstance(first, Pointer) else None
        self.set(first)

    def get(self) -> Any:
        v = self.fn.emit(self.type, f"load {self.type}, ptr {self.place}")
        return v.of(self.element) if self.element else v

    def set(self, value: Any) -> None:
        v = self.fn.const(self.type, value)
        self.fn.line(f"store {v.type} {v.text}, ptr {self.place}")


class Function:
    """A function being written, one instruction after the other."""

    def __init__(
        self, module: Module, name: str, returns: Type | None, args: Sequence[tuple[str, Type]]
    ) -> None:
        self.module = module
        self.name = name
        self.returns = returns
        self.args = {n: Value(self, without_attributes(t), f"%{n}") for n, t in args}
        self.signature = ", ".join(f"{t} %{n}" for n, t in args)
        self.lines: list[str] = []
        self.entry: list[str] = []  # allocas, before everything else
        self.count = 0
        self.private = False
        self.apart = False  # never inlined: keeps the registers of its callers' short ways free
        self.merged = False  # always inlined
        # Translated as it is written, in a fifth of the time: for what hands arguments on, once a
        # call (decision 0054).
        self.as_written = False

    # -- single instructions -----------------------------------------------------------------

    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def name_of(self, prefix: str) -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    def emit(self, type_: Type, text: str) -> Value:
        """An instruction with a result."""
        name = self.name_of("%v")
        self.lines.append(f"  {name} = {text}")
        return Value(self, type_, name)

    def const(self, type_: Type, value: Any) -> Value:
        """A number as a value of a type; a value as it is (a scalar in every lane)."""
        if isinstance(value, Value):
            if value.type != type_ and lanes(type_) > 1 and element(type_) == value.type:
                return self.splat(value, lanes(type_))
            if value.type != type_:
                raise TypeError(f"{value!r} where a {type_} is wanted")
            return value
        return Value(self, type_, literal(type_, value))

    def like(self, a: Value, b: Any) -> Value:
        """`b` as a value that can stand beside `a`."""
        if isinstance(b, Value):
            if lanes(a.type) > 1 and lanes(b.type) == 1:
                return self.splat(b, lanes(a.type))
            return b
        return self.const(a.type, b)

    def binary(self, name: str, a: Value, b: Value) -> Value:
        if a.type != b.type:
            raise TypeError(f"{name} of {a!r} and {b!r}")
        if element(a.type) in FLOATS:
            name = "f" + name
        elif name in ("div", "rem"):
            name = "s" + name
        return self.emit(a.type, f"{name} {a.type} {a.text}, {b.text}")

    def compare(self, how: str, a: Value, b: Any, unsigned: bool = False) -> Value:
        """lt, le, gt, ge, eq, ne; false where a float is NaN (ne: true)."""
        b = self.like(a, b)
        if a.type != b.type and lanes(a.type) == 1:
            a = self.splat(a, lanes(b.type))
        if element(a.type) in FLOATS:
            code = "fcmp " + ("une" if how == "ne" else "o" + how)
        else:
            code = "icmp " + (how if how in ("eq", "ne") else ("u" if unsigned else "s") + how)
        return self.emit(with_element(a.type, I1), f"{code} {a.type} {a.text}, {b.text}")

    def select(self, condition: Value, a: Any, b: Any) -> Value:
        """a where the condition holds, else b."""
        if not isinstance(a, Value):
            a = self.like(b, a)
        b = self.like(a, b)
        if lanes(b.type) > lanes(a.type):
            a = self.splat(a, lanes(b.type))
        if lanes(condition.type) < lanes(a.type) and condition.type != I1:
            raise TypeError(f"select by {condition!r}")
        text = f"select {condition.type} {condition.text}, {a.type} {a.text}, {b.type} {b.text}"
        return self.emit(a.type, text)

    def convert(self, value: Value, to: Type) -> Value:
        """To another element type: float to float, integer to float (signed) and back, bits."""
        source, target = element(value.type), element(to)
        to = with_element(value.type, target)
        if source == target:
            return value
        if source in FLOATS and target in FLOATS:
            code = "fpext" if BYTES[target] > BYTES[source] else "fptrunc"
            if BYTES[target] == BYTES[source]:  # half and bfloat
                return self.convert(self.convert(value, F32), target)
        elif source in FLOATS:
            code = "fptosi"
        elif target in FLOATS:
            code = "uitofp" if source == I1 else "sitofp"
        elif target == I1 or BYTES[target] < BYTES[source]:
            code = "trunc"
        else:
            code = "zext" if source == I1 else "sext"
        return self.emit(to, f"{code} {value.type} {value.text} to {to}")

    def extended(self, value: Value, to: Type) -> Value:
        """An integer with zeros in front."""
        to = with_element(value.type, element(to))
        return self.emit(to, f"zext {value.type} {value.text} to {to}")

    def bits(self, value: Value, to: Type) -> Value:
        """The same bits as another element type of the same width."""
        to = with_element(value.type, element(to))
        return self.emit(to, f"bitcast {value.type} {value.text} to {to}")

    def splat(self, value: Value, n: int) -> Value:
        """A scalar in every lane."""
        if n == 1:
            return value
        t = vector(value.type, n)
        one = self.emit(t, f"insertelement {t} poison, {value.type} {value.text}, i32 0")
        zeros = f"<{n} x i32> zeroinitializer"
        return self.emit(t, f"shufflevector {t} {one.text}, {t} poison, {zeros}")

    def shuffle(self, a: Value, b: Value | None, order: Sequence[int]) -> Value:
        """Lanes of a (0…) and b (lanes of a…) in a new order."""
        t = vector(element(a.type), len(order))
        second = b.text if b is not None else "poison"
        mask = ", ".join(f"i32 {i}" for i in order)
        text = f"shufflevector {a.type} {a.text}, {a.type} {second}, <{len(order)} x i32> <{mask}>"
        return self.emit(t, text)

    def lane(self, v: Value, i: Any) -> Value:
        """One lane of a vector."""
        if lanes(v.type) == 1:
            return v
        i = self.const(I64, i)
        return self.emit(element(v.type), f"extractelement {v.type} {v.text}, i64 {i.text}")

    def with_lane(self, v: Value, x: Value, i: Any) -> Value:
        i = self.const(I64, i)
        return self.emit(
            v.type, f"insertelement {v.type} {v.text}, {x.type} {x.text}, i64 {i.text}"
        )

    def iota(self, type_: Type) -> Value:
        """0, 1, 2, … in the lanes."""
        e = element(type_)
        parts = ", ".join(f"{e} {literal(e, i)}" for i in range(lanes(type_)))
        return Value(self, type_, f"<{parts}>" if lanes(type_) > 1 else literal(e, 0))

    # -- calls -------------------------------------------------------------------------------

    def call(self, name: str, returns: Type | None, args: Sequence[Value]) -> Any:
        """Call a function of this module or one that was declared."""
        given = ", ".join(f"{a.type} {a.text}" for a in args)
        text = f"call {returns or 'void'} @{name}({given})"
        if returns is None:
            self.line(text)
            return None
        return self.emit(returns, text)

    def call_pointer(self, pointer: Value, returns: Type | None, args: Sequence[Value]) -> Any:
        given = ", ".join(f"{a.type} {a.text}" for a in args)
        text = f"call {returns or 'void'} {pointer.text}({given})"
        if returns is None:
            self.line(text)
            return None
        return self.emit(returns, text)

    def intrinsic(self, name: str, returns: Type | None, args: Sequence[Value]) -> Any:
        """Call an LLVM intrinsic, declaring it."""
        self.module.declare(name, returns, [a.type for a in args])
        return self.call(name, returns, args)

    def same(self, name: str, *args: Any) -> Value:
        """An intrinsic whose operands and result have one type: llvm.fma, llvm.sqrt, …"""
        first = (
            next(a for a in args if isinstance(a, Value) and lanes(a.type) > 1)
            if any(isinstance(a, Value) and lanes(a.type) > 1 for a in args)
            else next(a for a in args if isinstance(a, Value))
        )
        operands = [self.const(first.type, a) for a in args]
        return self.intrinsic(f"llvm.{name}.{mangled(first.type)}", first.type, operands)

    def fma(self, a: Any, b: Any, c: Any) -> Value:
        """a * b + c, rounded once; of integers, which wrap around."""
        if element(next(x for x in (c, b, a) if isinstance(x, Value)).type) not in FLOATS:
            return a * b + c  # type: ignore[no-any-return]
        return self.same("fma", a, b, c)

    def fma_of(self, place: Pointer, b: Value, c: Value) -> Value:
        """The number at a place times a vector b, plus c: `fma(splat(place[0]), b, c)`.

        AVX-512 has one instruction for it. LLVM does not choose that for a number that several
        vectors are multiplied by: it loads the number first, which is one instruction more for each
        row of a tile; and of instructions a core begins half as many in a cycle where another
        thread runs on it (decision 0059 tells what was measured). So it is written out.
        """
        n, e = lanes(b.type), element(b.type)
        if (n, e) not in BROADCASTS:
            return self.fma(self.splat(place[0], n), b, c)
        return self.broadcast(BROADCASTS[n, e], place, b, c)

    def broadcast(self, instruction: str, place: Pointer, b: Value, c: Value) -> Value:
        """An instruction that adds to c what it makes of the number at a place, for all lanes, and
        of b."""
        given = f"{b.type} {b.text}, ptr elementtype({place.element}) {place.text}"
        code = f'asm "{instruction}", "=v,v,*m,0"'
        text = f"call {c.type} {code}({given}, {c.type} {c.text}) memory(read)"
        return self.emit(c.type, text)

    def sqrt(self, x: Value) -> Value:
        return self.same("sqrt", x)

    def fabs(self, x: Value) -> Value:
        return self.same("fabs", x)

    def prefetch(self, place: Pointer, to_write: bool = False, level: int = 1) -> None:
        """Ask for the line of a place that is used soon, into the cache of a level, 1 to 3; the
        place may lie behind the end."""
        given = [place, *(self.const(I32, n) for n in (int(to_write), 4 - level, 1))]
        self.intrinsic("llvm.prefetch.p0", None, given)

    # -- control -----------------------------------------------------------------------------

    def alloca(self, type_: Type, count: int = 1, align: int | None = None) -> str:
        name = self.name_of("%a")
        many = f", i64 {count}" if count > 1 else ""
        self.entry.append(
            f"  {name} = alloca {type_}{many}" + (f", align {align}" if align else "")
        )
        return name

    def buffer(self, element_: Type, count: int, align: int = 64) -> Pointer:
        """Room for some elements on the stack."""
        return Pointer(self, self.alloca(element_, count, align), element_)

    def var(self, first: Any, type_: Type = I64) -> Variable:
        return Variable(self, first if isinstance(first, Value) else self.const(type_, first))

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:")

    @contextmanager
    def range(
        self, start: Any, stop: Any = None, step: Any = 1, unroll: int = 1, longest: int = 0
    ) -> Iterator[Any]:
        """`for i in range(...)`: i is an i64; step is positive. It is unrolled `unroll` times, but
        not where it has more than `longest` lines."""
        if stop is None:
            start, stop = 0, start
        first, last = self.const(I64, start), self.const(I64, stop)
        head, body, done = (self.name_of(p) for p in ("loop", "body", "done"))
        place = self.alloca(I64)
        self.line(f"store i64 {first.text}, ptr {place}")
        self.line(f"br label %{head}")
        self.label(head)
        i = self.emit(I64, f"load i64, ptr {place}")
        go = i < last
        self.line(f"br i1 {go.text}, label %{body}, label %{done}")
        self.label(body)
        lines = len(self.lines)
        yield i
        if longest and len(self.lines) - lines > longest:
            unroll = 1
        following = self.emit(I64, f"add nsw i64 {i.text}, {self.const(I64, step).text}")
        self.line(f"store i64 {following.text}, ptr {place}")
        self.line(f"br label %{head}{self.module.loop_note(unroll)}")
        self.label(done)

    @contextmanager
    def repeat(self) -> Iterator[Loop]:
        """An endless loop, left by `loop.stop_if(condition)`."""
        loop = Loop(self)
        self.line(f"br label %{loop.head}")
        self.label(loop.head)
        yield loop
        self.line(f"br label %{loop.head}{self.module.loop_note(1)}")
        self.label(loop.done)

    @contextmanager
    def when(self, condition: Value) -> Iterator[Branch]:
        """`if condition:`; `with branch.otherwise():` right after it is the `else`."""
        branch = Branch(self)
        self.line(f"br i1 {condition.text}, label %{branch.yes}, label %{branch.no}")
        self.label(branch.yes)
        yield branch
        self.line(f"br label %{branch.end}")
        branch.mark = len(self.lines)
        self.label(branch.no)
        self.line(f"br label %{branch.end}")
        self.label(branch.end)

    def ret(self, value: Value | None = None) -> None:
        self.line("ret void" if value is None else f"ret {value.type} {value.text}")

    def text(self) -> str:
        """The finished function."""
        linkage = "internal " if self.private else ""
        what = f"{linkage}{self.returns or 'void'} @{self.name}({self.signature})"
        how = 3 if self.as_written else 2 if self.merged else int(self.apart)
        head = f"define {what} #{how} {{"
        return "\n".join([head, "entry:", *self.entry, *self.lines, "}"])


class Loop:
    """An endless loop being written."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.head, self.done = fn.name_of("repeat"), fn.name_of("left")

    def stop_if(self, condition: Value) -> None:
        go_on = self.fn.name_of("on")
        self.fn.line(f"br i1 {condition.text}, label %{self.done}, label %{go_on}")
        self.fn.label(go_on)


class Branch:
    """A branch being written."""

    def __init__(self, fn: Function) -> None:
        self.fn = fn
        self.yes, self.no, self.end = (fn.name_of(p) for p in ("yes", "no", "end"))
        self.mark = 0

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """The `else` of the `when` that has just ended."""
        lines = self.fn.lines
        if lines[self.mark + 2 :] != [f"{self.end}:"]:
            raise RuntimeError("otherwise() must follow its when() at once")
        del lines[self.mark + 1 :]
        yield
        self.fn.line(f"br label %{self.end}")
        self.fn.label(self.end)


class Module:
    """Functions that are compiled together."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.functions: list[Function] = []
        self.declared: dict[str, str] = {}
        self.globals: dict[str, str] = {}
        self.notes: list[str] = []
        self.masked_stores: set[Type] = set()

    def function(
        self,
        name: str,
        returns: Type | None,
        args: Sequence[tuple[str, Type]],
        private: bool = False,
    ) -> Function:
        """A new function. An argument type may carry attributes: "ptr noalias"."""
        f = Function(self, name, returns, args)
        f.private = private
        self.functions.append(f)
        return f

    def declare(self, name: str, returns: Type | None, args: Sequence[Type]) -> None:
        """A function that is defined elsewhere."""
        self.declared[name] = f"declare {returns or 'void'} @{name}({', '.join(args)})"

    def table(self, name: str, element_: Type, values: Sequence[Any]) -> str:
        """A constant array; returns its name as a value of type ptr."""
        items = ", ".join(f"{element_} {literal(element_, v)}" for v in values)
        self.globals[name] = (
            f"@{name} = internal constant [{len(values)} x {element_}] [{items}], align 64"
        )
        return f"@{name}"

    def state(self, name: str, size: int) -> str:
        """`size` zero bytes that live as long as the module."""
        self.globals[name] = f"@{name} = internal global [{size} x i8] zeroinitializer, align 64"
        return f"@{name}"

    def note(self, text: str) -> str:
        """A piece of metadata, by its number."""
        line = f" = {text}"
        for known in self.notes:
            if known.endswith(line):
                return known[: -len(line)]
        self.notes.append(f"!{len(self.notes)}{line}")
        return f"!{len(self.notes) - 1}"

    def loop_note(self, unroll: int) -> str:
        """Metadata of a loop: unroll so often (1: never)."""
        n = len(self.notes)
        how = (
            '!{!"llvm.loop.unroll.disable"}'
            if unroll == 1
            else f'!{{!"llvm.loop.unroll.count", i32 {unroll}}}'
        )
        self.notes += [
            f"!{n} = distinct !{{!{n}, !{n + 1}}}",
            f"!{n + 1} = {how}",
        ]
        return f", !llvm.loop !{n}"

    def text(self, by_instruction: bool = True) -> str:
        """The whole module in LLVM's text form.

        `by_instruction`: the CPU has a fast instruction that writes the lanes of a mask.
        """
        from . import masked_store

        for type_ in sorted(self.masked_stores):
            masked_store.write(self, type_, by_instruction)
        self.masked_stores.clear()
        wide = '"prefer-vector-width"="512" }'
        attributes = "\n".join(
            f"attributes #{i} = {{ nounwind {how}{wide}"
            for i, how in enumerate(("", "noinline ", "alwaysinline ", "noinline optnone "))
        )
        return "\n\n".join(
            [
                f"; {self.name}",
                *self.globals.values(),
                *(f.text() for f in self.functions),
                *self.declared.values(),
                attributes,
                *self.notes,
            ]
        )
