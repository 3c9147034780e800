"""A kernel's interface, declared once: what it is called with, by name, type and meaning.

    GEMV = Interface(
        "gemv",
        "C = alpha * A @ B + beta * D for few rows of A",
        arrays={"a": "A (m, k), rows without gaps", ..., "d?": "D, or nothing"},
        ints={"m": "rows of A", ..., "units": "pieces of work that threads share"},
        floats={"alpha": "factor of the product", "beta": "factor of D"},
    )

From the declaration come the native function `run(ptr…, i64…, double…)` with the packing of its
arguments for the chunks (`write`), the names that a chunk reads them by (`words`), Python's
function and its documentation (`Kernel.call`), and what `Launch` checks (`kernels/plan.py`).
Arguments stand in the order arrays, ints, floats. An array whose name ends in "?" may be missing:
a null pointer, None in Python.

Not here: instructions (`ir.py`), compiling (`runtime/jit.py`), threads (`runtime/threads.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..runtime import builtin, jit, threads
from .ir import F64, I64, PTR, Function, Module, Pointer, Value

Words = dict[str, Value]
Write = Callable[[Function, Words], None]


class Interface:
    """Name, meaning and arguments of a kernel.

    Args:
        name: of the kernel, in caches, profiles and messages.
        summary: what it computes, as a formula.
        arrays, ints, floats: the arguments of each type (data pointer, i64, float64): name to
            meaning.
        state: names of further i64 words that a `run` of its own sets for its chunks, such as the
            number of a block.
        release: whether other Python threads may run during `Kernel.call`: True, False, or
            (argument, number): where that argument is at least that number. (A plan says it for
            its launches.)
    """

    def __init__(
        self,
        name: str,
        summary: str,
        arrays: dict[str, str],
        ints: dict[str, str],
        floats: dict[str, str] | None = None,
        state: Sequence[str] = (),
        release: bool | tuple[str, int] = True,
    ) -> None:
        self.name, self.summary, self.release = name, summary, release
        self.optional = frozenset(k[:-1] for k in arrays if k.endswith("?"))
        self.arrays = {k.removesuffix("?"): text for k, text in arrays.items()}
        self.ints, self.floats = ints, floats or {}
        self.types: dict[str, str] = (
            dict.fromkeys(self.arrays, PTR) | dict.fromkeys(ints, I64)
            | dict.fromkeys(self.floats, F64)
        )  # fmt: skip
        self.packed: dict[str, str] = self.types | dict.fromkeys(state, I64)
        self.places = {k: i for i, k in enumerate(self.packed)}

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(self.types)})"

    def documentation(self) -> str:
        """The kernel's meaning, and a line for each argument."""
        lines = [f"{self.name}: {self.summary}", ""]
        for kind, fields in (("array", self.arrays), ("int", self.ints), ("float", self.floats)):
            for name, text in fields.items():
                given = f"{kind} or None" if name in self.optional else kind
                lines.append(f"    {name}: {given}. {text}")
        return "\n".join(lines)

    # -- writing ---------------------------------------------------------------------------------

    def words(self, context: Value) -> Words:
        """The arguments and the state inside a chunk, read from what it is handed."""
        packed = context.of(I64)
        return {k: packed.at(i).of(t)[0] for i, (k, t) in enumerate(self.packed.items())}

    def begin_run(self, module: Module) -> Function:
        """The function `run`, for kernels that write its body themselves."""
        return module.function("run", None, list(self.types.items()))

    def pack(self, f: Function) -> Pointer:
        """The arguments of `run` side by side, 8 bytes each, as `words` reads them; then room for
        the state."""
        packed = f.buffer(I64, max(1, len(self.packed)))
        for name, type_ in self.types.items():
            packed.at(self.places[name]).of(type_)[0] = f.args[name]
        return packed

    def set(self, packed: Pointer, /, **state: Any) -> None:
        """Set words of the state (or of the arguments) for the chunks that come."""
        for name, value in state.items():
            packed.at(self.places[name]).of(self.packed[name])[0] = value

    def write(
        self,
        module: Module,
        chunks: str | Callable[[Function, Words], Value],
        chunk: str = "chunk",
        prepare: Write | None = None,
        finish: Write | None = None,
    ) -> None:
        """Write `run`, which hands the chunks to the pool, and `invoke`.

        Args:
            chunks: how many there are: the name of an argument, or what computes it.
            chunk: the function `chunk(context, index)` of the module.
            prepare: written before the chunks, in the calling thread.
            finish: written as a function of its own that the calling thread calls after them: `run`
                only hands arguments on.
        """
        if finish is not None:
            end = module.function("finish", None, [("context", PTR)], private=True)
            finish(end, self.words(end.args["context"]))
            end.ret()

        def work(f: Function, args: Words, packed: Any) -> None:
            count = args[chunks] if isinstance(chunks, str) else chunks(f, args)
            f.call("pool_run", None, [Value(f, PTR, f"@{chunk}"), packed, count])
            if finish is not None:
                f.call("finish", None, [packed])
            f.ret()

        # What a series of launches has packed is what the chunks read, unless something is written
        # to it first.
        as_given = prepare is None and self.packed.keys() == self.types.keys()
        if as_given:
            invoke = module.function("invoke", None, [("packed", PTR)])
            invoke.as_written = True
            packed = invoke.args["packed"]
            if isinstance(chunks, str):
                work(invoke, {chunks: packed.of(I64)[self.places[chunks]]}, packed)
            else:
                work(invoke, self.words(packed), packed)
        f = self.begin_run(module)
        f.as_written = prepare is None
        if as_given:
            f.call("invoke", None, [self.pack(f)])
            f.ret()
        else:
            args = dict(f.args)
            if prepare is not None:
                prepare(f, args)
            work(f, args, self.pack(f))
            self.write_invoke(module)

    def write_invoke(self, module: Module) -> None:
        """Write `invoke`, the way of a series of launches to `run`, for modules that write `run`
        themselves."""
        f = module.function("invoke", None, [("packed", PTR)])
        f.as_written = True
        packed = f.args["packed"].of(I64)
        f.call("run", None, [packed.at(self.places[k]).of(t)[0] for k, t in self.types.items()])
        f.ret()

    def entry(self) -> int:
        """Where Python's way to `run` is: one for all kernels with such arguments."""
        kinds = ["array?" if k in self.optional else "array" for k in self.arrays]
        kinds += ["int"] * len(self.ints) + ["float"] * len(self.floats)
        release = self.release
        if isinstance(release, tuple):
            return builtin.entry_of(tuple(kinds), (self.places[release[0]], release[1]))
        return builtin.entry_of(tuple(kinds), release)


class Kernel:
    """A kernel of some element types, compiled when it is first called.

    Args:
        interface: what it is called with.
        key: all that `build` depends on, beside the CPU.
        build: writes its module.
        imports: gives the addresses of functions that it calls, beside Python's and the pool's.
    """

    def __init__(
        self,
        interface: Interface,
        key: tuple[Any, ...],
        build: Callable[[], Module],
        imports: Callable[[], dict[str, int]] | None = None,
    ) -> None:
        self.interface, self.key, self.build, self.imports = interface, key, build, imports
        # of a kernel over elements: what it computes of each, and bytes that it reads and writes
        self.formula: Any = None
        self.width = 0
        self.rows: Any = None  # of a kernel over rows: its `OfRows`

    def __repr__(self) -> str:
        return f"<kernel {self.interface.name}{self.key!r}>"

    @functools.cached_property
    def addresses(self) -> dict[str, int]:
        """Where the machine code of `run` and `invoke` is."""
        imports = {**builtin.symbols(), **threads.run_symbol()}
        if self.imports is not None:
            imports |= self.imports()
        key = (self.interface.name, *self.key, jit.target().lanes)
        return jit.load(key, self.build, ["run", "invoke"], imports)

    @functools.cached_property
    def call(self) -> Callable[..., None]:
        """Python's function: ndarrays (or None), ints, floats, in the order of the interface.

        What it is given is not checked: whoever plans a call knows shapes, types and layouts.
        """
        made, table = self.interface, np.array([self.address], np.int64)
        told = made.name, table, list(made.types), made.documentation()
        call: Callable[..., None] = builtin.bound(made.entry(), *told)
        return call

    @property
    def address(self) -> int:
        """The native `run(ptr…, i64…, double…)`."""
        return self.addresses["run"]

    @property
    def invoke(self) -> int:
        """The native `invoke(packed)`: `run` with its arguments side by side, 8 bytes each."""
        return self.addresses["invoke"]


def pointers(names: Sequence[str], words: Words, element: str) -> list[Pointer]:
    """The arrays `names` of a chunk as pointers to elements of one type."""
    return [words[k].of(element) for k in names]
