"""The text of a native executor: one Python function, with a native call for neighbouring lines.

Not here: which lines are calls, and where their arrays lie (`native.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import config
from ..kernels.meta import MetaArray
from . import arrays as plain
from . import written_functions
from .calls import RELEASE, Call, Lying, Place, Table
from .copies import read
from .program import HELD, Program, Ref

if TYPE_CHECKING:
    from .native import Buffer, Build, Step

Array = Any


class Text:
    """The function of an executor, written out.

    Variables are called as in `arrays.py`: v3 is the value 3; b3 is memory made anew.
    """

    def __init__(self, build: Build) -> None:
        from ..kernels.runtime import memory, replay, threads

        self.build, self.program = build, build.program
        self.lines: list[str] = []
        self.where: dict[int, Any] = {}  # which of the lines are calls from Python, and whose
        self.space: dict[str, Any] = {
            "replay": replay.kernel(), "empty": np.empty, "ndarray": np.ndarray, "u8": np.uint8,
            "ready": threads.ready, "pool": threads.pool(), "adopted": memory.adopted,
            "current": config.current, "block": build.block,
        }  # fmt: skip
        self.needed = build.needed
        self.names: dict[int, str] = {}  # of buffers that are made anew
        self.alive: dict[str, int] = {}  # variables, and the line after which nobody needs them

    def function(self) -> Callable[..., tuple[Array, ...]]:
        program, space = self.program, self.space
        for k, value in enumerate(program.values):
            ref = Ref(k)
            if value.kind == HELD:
                space[f"v{k}"] = value.example
            elif ref in self.needed and ref in self.build.lies:
                buffer, how = self.build.lies[ref]
                if buffer.kind in ("arena", "constant"):
                    a = self.array(buffer, how)
                    if isinstance(value.example, np.generic):
                        space[f"a{k}"] = a
                    else:
                        space[f"v{k}"] = a
        for native, later, step in self.build.segments():
            self.native(native, not later)
            for effect in later:
                self.call(effect)
            if step is not None:
                self.call(step)
        self.lines.append(f"return ({''.join(f'v{r:d}, ' for r in program.returns)})")
        space["other"], space["busy"] = second(program), {}
        # kernels, constants and numbers of the program, of which the words know only the addresses
        space["kept"] = [(step.lowered, step.calls) for step in self.build.steps]
        space["memory"] = [b.array for b in self.build.buffers]
        signature = ", ".join(f"v{r:d}" for r in program.given)
        before = [
            f"def run({signature}):",
            "    mine = []",  # a lock, but for Ctrl-C between its acquisition and the `try`
            "    try:",
            "        if busy.setdefault(0, mine) is not mine:",
            f"            return other()({signature})",
            "        if pool.size != current.num_threads or not adopted(): ready()",
            *self.asking(signature),
        ]
        source = [
            *before,
            *[f"        {line}" for line in self.lines],
            "    finally:",
            "        if 0 in busy and busy[0] is mine: del busy[0]",
        ]
        run: Any = written_functions.function("run", "\n".join(source), plain.FILE, space)
        space["where"] = {len(before) + 1 + k: where for k, where in self.where.items()}
        run.source = "\n".join(source)
        return run  # type: ignore[no-any-return]

    def array(self, buffer: Buffer, how: Lying) -> Array:
        """An array of the block, or a constant."""
        if 0 in how.shape:
            return np.empty(how.shape, how.dtype)
        base = self.build.block if buffer.kind == "arena" else buffer.array
        at = buffer.address - base.__array_interface__["data"][0] + how.place.offset
        if buffer.kind == "constant":  # which is not dense, perhaps
            low = read(buffer.address, buffer.address + buffer.size)
            return np.ndarray(how.shape, how.dtype, low, at, how.strides)
        return np.ndarray(how.shape, how.dtype, base, at, how.strides)

    def asking(self, signature: str) -> list[str]:
        """Whether all indices are in range; where not, the lines run from Python, whose functions
        say which is not."""
        if not self.build.asks:
            return []
        self.space["flag"], self.space["outside"] = self.build.flag, self.build.outside
        call = self.replay(list(self.build.asks.values()), False)
        return [
            f"        {call}",
            "        if flag[0]:",
            "            flag[0] = 0",
            "            outside()",
            f"            return other()({signature})",
        ]

    def native(self, steps: list[Step], forget: bool) -> None:
        """Write one native call for some lines."""
        for step in steps:
            self.make_fresh(step)
        lowered = [step.lowered for step in steps if step.lowered is not None]
        work = sum(one.flops + one.bytes for one in lowered)
        calls = [call for step in steps for call in step.calls]
        if calls:
            self.lines.append(self.replay(calls, work >= RELEASE))
        for step in steps:
            for r in step.line.makes():
                if r in self.needed and isinstance(self.program.values[r].example, np.generic):
                    self.lines.append(f"v{r:d} = a{r:d}[()]")
                    self.alive[f"v{r:d}"] = self.last_read(r)
        if steps and forget:
            self.forget(steps[-1].number)

    def replay(self, calls: list[Call], release: bool) -> str:
        """The text of one native call for some calls of kernels."""
        names: list[str] = []  # variables whose arrays come anew

        def locate(place: Place) -> int | tuple[int, int]:
            buffer = self.build.buffers[place.number]
            if buffer.kind in ("arena", HELD, "constant"):
                return int(buffer.address + place.offset)
            name = self.names[id(buffer)] if buffer.ref is None else f"v{buffer.ref:d}"
            if name not in names:
                names.append(name)
            return names.index(name) + 1, place.offset

        table = Table()
        for call in calls:
            table.add(call, locate)
        return f"replay({', '.join([self.object('w', table.finish(release)), *names])})"

    def object(self, prefix: str, x: Any) -> str:
        """A name for an object."""
        name = f"{prefix}_{len(self.space)}"
        self.space[name] = x
        return name

    def make_fresh(self, step: Step) -> None:
        """Write where memory that leaves the program comes from."""
        for buffer in step.buffers:
            if buffer.kind != "fresh":
                continue
            name = self.names[id(buffer)] = f"b{len(self.names)}"
            mine = [(r, how) for r, (b, how) in self.build.lies.items() if b is buffer]
            mine = [(r, how) for r, how in mine if r in self.needed]
            whole = [(r, how) for r, how in mine if is_whole(how, buffer.size)]
            if whole:
                how = whole[0][1]
                self.lines.append(
                    f"{name} = empty({how.shape!r}, {self.object('d', how.dtype)})"
                )
            else:
                self.lines.append(f"{name} = empty({buffer.size}, u8)")
            self.alive[name] = buffer.last
            for r, how in mine:
                scalar = isinstance(self.program.values[r].example, np.generic)
                variable = f"{'a' if scalar else 'v'}{r:d}"
                self.alive[variable] = buffer.last
                if whole and how == whole[0][1]:
                    self.lines.append(f"{variable} = {name}")
                    continue
                self.lines.append(
                    f"{variable} = ndarray({how.shape!r}, {self.object('d', how.dtype)}, {name}, "
                    f"{how.place.offset}, {how.strides!r})"
                )

    def call(self, step: Step) -> None:
        """Write a call from Python."""
        line, lies = step.line, self.build.lies
        fn = self.object("f", line.record.fn)
        given = [plain.written(x, self.space) for x in line.operands]
        given += [f"{k}={plain.written(x, self.space)}" for k, x in line.kw.items()]
        to = plain.target(self.targets(line.results, step))
        self.where[len(self.lines)] = line.where
        self.lines.append(f"{to + ' = ' if to.strip('_(), ') else ''}{fn}({', '.join(given)})")
        for r in line.makes():
            if r in lies and lies[r][0].ref == r:
                self.alive[f"v{r:d}"] = lies[r][0].last
            elif r not in lies or lies[r][0].ref is not None:
                self.alive[f"v{r:d}"] = self.last_read(r)
        self.forget(step.number)

    def targets(self, results: Any, step: Step) -> Any:
        """Where results go: nowhere if the value is there already, being an operand."""
        if results.__class__ is Ref:
            found = self.build.lies.get(results)
            new = found is None or (found[0].ref is not None and results not in step.there)
            return results if new else None
        return results if results is None else tuple([self.targets(r, step) for r in results])

    def last_read(self, ref: Ref) -> int:
        lines = [k for k, line in enumerate(self.program.lines) if ref in list(line.reads())]
        return max(lines, default=-1)

    def forget(self, number: int) -> None:
        """Let go of what nobody needs after a line."""
        returned = {f"v{r:d}" for r in self.program.returns}
        over = [k for k, last in self.alive.items() if last <= number]
        for name in over:
            del self.alive[name]
        over = [name for name in over if name not in returned]
        if over:
            self.lines.append(f"del {', '.join(over)}")


def is_whole(how: Lying, size: int) -> bool:
    """Whether an array is all of a buffer, as `np.empty` makes it."""
    meta = MetaArray(how.shape, how.dtype)
    return how.place.offset == 0 and how.strides == meta.strides and meta.nbytes == size


def second(program: Program) -> Callable[[], Any]:
    """What gives the plain executor, made when it is first needed."""
    return functools.cache(lambda: plain.function(program))
