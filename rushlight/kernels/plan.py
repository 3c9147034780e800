"""Plans: which kernels compute a call, decided once from shapes, types and strides.

A family's `select.py` makes a `Plan` of the metadata of a call, never of the numbers in its
arrays, and keeps it by its key. A plan states what comes out, what memory is needed meanwhile, what
it costs, and a list of launches. It is

* run on arrays, by eager calls: `plan.run(x, w)` allocates the outputs and runs the launches;
* run on pointers, by a compiler of whole steps: `plan.emit(pointers)` gives each native function
  with its arguments;
* read by people: `print(plan.describe())`, `rushlight.show(op, *inputs)`.

NumPy is a launch like any other: `Reference` calls a Python function of arrays.

Not here: what a kernel is called with (`codegen/interface.py`), which plan is made when (the
families' `select.py`), from which sizes on (`tuning.py`). Read next: `launch.py`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import config
from ..drawn import drawn_as
from . import tuning
from .launch import Launch, Reference, Series, View, renamed
from .meta import MetaArray, contiguous_strides
from .runtime import texts
from .runtime.workspace import workspace
from .together import calls, whole

if TYPE_CHECKING:
    from .codegen.interface import Kernel

__all__ = ["Launch", "Plan", "Reference", "Series", "View", "renamed"]

Array = Any
Shape = tuple[int, ...]


class Plan:
    """How a call of certain shapes, types and strides is computed.

    Args:
        name: the family and the way, as in "matmul.gemv".
        operands: names of the arrays that `run` takes, in order; None may come for one that no
            kernel reads.
        outputs: name to shape, type and strides; `run` returns them, as a tuple if several.
        launches: what is done, in order.
        workspace: name to bytes, memory that is needed while it runs.
        constants: name to array, such as tables of offsets.
        scalars: names of numbers that `run` takes behind the arrays.
        returns: the outputs that `run` gives, where not all of them.
        mutates: the operands that are written to.
        flops: additions and multiplications; None where nobody counted them.
        bytes: read and written, each array once.
    """

    __slots__ = (
        "bytes", "constants", "flops", "launches", "mutates", "name", "operands", "outputs",
        "returns", "run", "scalars", "workspace",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        operands: Sequence[str],
        outputs: dict[str, MetaArray],
        launches: Sequence[Launch | Series | Reference | View],
        *,
        workspace: dict[str, int] | None = None,
        constants: dict[str, Array] | None = None,
        scalars: Sequence[str] = (),
        returns: Sequence[str] | None = None,
        mutates: Sequence[str] = (),
        flops: int | None = 0,
        bytes: int = 0,
    ) -> None:
        self.name, self.operands, self.outputs = name, tuple(operands), outputs
        self.launches, self.workspace = tuple(launches), workspace or {}
        self.constants, self.scalars = constants or {}, tuple(scalars)
        self.returns = tuple(outputs) if returns is None else tuple(returns)
        self.mutates, self.flops, self.bytes = tuple(mutates), flops, bytes
        self.run: Callable[..., Any] = self._first

    def _first(self, *given: Any) -> Any:
        """`run` when first called: kernels are compiled then, not when a plan is looked at."""
        run = self.run = runner(self)
        return run(*given)

    def __repr__(self) -> str:
        return f"<plan {self.name}>"

    _repr_html_ = drawn_as("plan")

    @property
    def way(self) -> str:
        """The name behind the family's."""
        return self.name.partition(".")[2]

    def emit(
        self, pointers: dict[str, int], scalars: dict[str, float] | None = None
    ) -> list[tuple[int, list[Any]]]:
        """(address of a native function, its arguments) for each launch.

        `pointers` has an address for each operand, output and workspace; constants have their own.

        Raises:
            TypeError: where a launch is NumPy's, which has no address.
        """
        known = {k: a.ctypes.data for k, a in self.constants.items()} | pointers
        found = []
        for launch in self.launches:
            if isinstance(launch, View):
                known[launch.name] = known[launch.of] + launch.offset
                continue
            if isinstance(launch, Reference):
                raise TypeError(f"{self.name}: {launch.describe()[0]} has no native function")
            for one in launch.launches if isinstance(launch, Series) else (launch,):
                found.append((one.kernel.address, one.arguments(known, scalars or {})))
        return found

    def describe(self) -> str:
        """The plan as text: what comes out, what it needs and costs, and each launch."""
        lines = [f"plan {self.name}({', '.join((*self.operands, *self.scalars))})"]
        for k, meta in self.outputs.items():
            laid = "" if dense(meta) else f" strides {meta.strides}"
            lines.append(f"  output     {k} {meta.shape} {meta.dtype}{laid}")
        lines += [f"  workspace  {k} {n} bytes" for k, n in self.workspace.items()]
        lines += [f"  constant   {k} {a.shape} {a.dtype}" for k, a in self.constants.items()]
        if self.mutates:
            lines.append(f"  writes to  {', '.join(self.mutates)}")
        flops = "unknown" if self.flops is None else f"{self.flops:,}"
        lines.append(f"  costs      {flops} FLOPs, {self.bytes:,} bytes read and written")
        for launch in self.launches:
            first, *more = launch.describe()
            lines += [f"  launch     {first}", *(f"             {line}" for line in more)]
        return "\n".join(lines)


class Draft:
    """A plan while it is made, for those of several steps.

    Args:
        operands: name to metadata of the arrays that `run` takes; None for one that does not come.
    """

    def __init__(self, operands: dict[str, MetaArray | None]) -> None:
        self.operands = tuple(operands)
        self.metas = {k: m for k, m in operands.items() if m is not None}
        self.arrays: dict[str, MetaArray] = {}
        self.workspace: dict[str, int] = {}
        self.constants: dict[str, Array] = {}
        self.launches: list[Launch | Series | Reference | View] = []

    def array(self, name: str, meta: MetaArray) -> str:
        """An array that launches write: a result, or what one step hands to another."""
        self.arrays[name] = self.metas[name] = meta
        return name

    def room(self, name: str, nbytes: int) -> str:
        """Memory that is needed while the plan runs."""
        self.workspace[name] = nbytes
        return name

    def constant(self, name: str, array: Array) -> str:
        """An array that is part of the plan, such as a table of offsets."""
        self.constants[name] = array
        return name

    def launch(self, kernel: Kernel, **given: Any) -> None:
        """Add a kernel."""
        self.launches.append(Launch(kernel, **given))

    def numpy(
        self, fn: Callable[..., Any], arrays: Sequence[str | None], result: str | None = None,
        **parameters: Any,
    ) -> None:  # fmt: skip
        """Add a function of arrays, which writes into one of them where it has no result."""
        results = () if result is None else (result,)
        self.launches.append(Reference(fn, arrays, results, **parameters))

    def view(self, name: str, of: str, meta: MetaArray, offset: int = 0) -> str:
        """A part of an array, or all of it in another shape."""
        self.metas[name] = meta
        self.launches.append(View(name, of, meta, offset))
        return name

    def dense(self, name: str, dtype: Any = None) -> str:
        """The array itself where it lies dense and has the type, else a copy that does."""
        meta = self.metas[name]
        dtype = meta.dtype if dtype is None else dtype
        if is_dense(meta) and meta.dtype == dtype:
            return name
        copy = f"{name}_dense"
        if copy not in self.arrays:
            self.array(copy, MetaArray(meta.shape, dtype))
            parameters = {} if meta.dtype == dtype else {"dtype": dtype}
            self.numpy(np.ascontiguousarray, (name,), copy, **parameters)
        return copy

    def include(self, plan: Plan, names: dict[str, str | None], **scalars: float) -> None:
        """Add the launches of another plan.

        Args:
            plan: what is done.
            names: what its operands and its results are called here, arrays of the shapes that it
                states; other names get a prefix.
            scalars: its numbers.
        """
        prefix = f"{re.sub(r'[^a-z]', '_', plan.name)}_{len(self.launches)}_"
        given = dict(names)
        for launch in plan.launches:
            for name in (launch.arrays if isinstance(launch, Reference) else ()):
                if name in plan.scalars:
                    given[name] = self.constant(prefix + name, np.array(scalars[name]))
        for k, n in plan.workspace.items():
            given[k] = self.room(prefix + k, n)
        for k, a in plan.constants.items():
            given[k] = self.constant(prefix + k, a)
        for k, meta in plan.outputs.items():
            if k not in given:
                given[k] = self.array(prefix + k, meta)
        for launch in plan.launches:
            self.launches.append(renamed(launch, given, prefix, scalars))

    def plan(
        self, name: str, returns: Sequence[str] = ("y",), flops: int = 0, **more: Any
    ) -> Plan:
        """The plan; its bytes are those of the operands and of what it returns."""
        metas = [self.metas.get(k) for k in (*self.operands, *returns)]
        return Plan(
            name, self.operands, self.arrays, self.launches, workspace=self.workspace,
            constants=self.constants, returns=returns, flops=flops, bytes=nbytes(*metas), **more,
        )  # fmt: skip


def is_dense(meta: Any) -> bool:
    """Whether elements lie in row-major order without gaps, along dims of more than one."""
    step = meta.dtype.itemsize
    for n, stride in zip(reversed(meta.shape), reversed(meta.strides), strict=True):
        if n != 1 and stride != step:
            return not math.prod(meta.shape)
        step *= n
    return True


def dense(meta: MetaArray) -> bool:
    """Whether an array has the strides that `np.empty` gives."""
    return meta.strides == contiguous_strides(meta.shape, meta.dtype.itemsize)


def nbytes(*metas: Any) -> int:
    """The bytes of some arrays (None counts nothing)."""
    return sum(math.prod(m.shape) * m.dtype.itemsize for m in metas if m is not None)


# -- running on arrays ---------------------------------------------------------------------------

def read_in_python(plan: Plan) -> set[str]:
    """The arrays that NumPy or the caller sees: others are known to native calls only."""
    seen = {str(a) for launch in plan.launches if isinstance(launch, Reference)
            for a in launch.arrays} | {*plan.returns}  # fmt: skip
    for launch in reversed(plan.launches):
        if isinstance(launch, View) and launch.name in seen:
            seen.add(launch.of)
    return seen


def runner(plan: Plan) -> Callable[..., Any]:
    """`plan.run` as a function of its own: one of machine code where the plan is kernels alone
    (`together.whole`), else one of Python with allocations and calls written out."""
    return in_one_call(plan) or written(plan)


def made_in_python(plan: Plan) -> set[str]:
    """The arrays that NumPy makes, or that are parts of others."""
    made = {r for launch in plan.launches if isinstance(launch, Reference) for r in launch.results}
    return made | {launch.name for launch in plan.launches if isinstance(launch, View)}


def rooms(plan: Plan) -> tuple[dict[str, tuple[str, int]], int]:
    """Where in one array each workspace begins, in bytes, and how large that is."""
    parts, offset = {}, 0
    for k, n in plan.workspace.items():
        parts[k] = ("_room", offset)
        offset += -(-n // 64) * 64  # each begins at a cache line
    return parts, offset


def lets_others_run(plan: Plan) -> bool:
    """Whether it is worth it that other Python threads run meanwhile."""
    cost = (plan.flops or 0) + plan.bytes
    return plan.flops is None or not 0 < cost < tuning.RELEASE_LEAST


def with_series(
    plan: Plan,
) -> tuple[list[Launch | Reference | View], dict[str, Array]]:
    """The launches of a plan, each series of them as one, and its constants with their tables."""
    launches: list[Launch | Reference | View] = []
    constants = dict(plan.constants)
    for i, launch in enumerate(plan.launches):
        if isinstance(launch, Series):
            tables = f"_table{i}", f"_begins{i}"
            constants |= zip(tables, launch.tables, strict=True)
            launches.append(launch.as_launch(*tables))
        else:
            launches.append(launch)
    return launches, constants


def in_one_call(plan: Plan) -> Callable[..., Any] | None:
    """`plan.run` as machine code; None for a plan in which Python has something to do."""
    if any(isinstance(launch, Reference) for launch in plan.launches):
        return None
    every, constants = with_series(plan)
    launches = [launch for launch in every if isinstance(launch, Launch)]
    made = made_in_python(plan)
    if not launches or not made.isdisjoint(plan.returns):
        return None
    parts, room = rooms(plan)
    parts |= {v.name: (v.of, v.offset) for v in plan.launches if isinstance(v, View)}
    outputs = {k: meta for k, meta in plan.outputs.items() if k not in made}
    return whole(
        plan.name, launches, parts, constants, (*plan.operands, *plan.scalars), plan.operands,
        outputs, plan.returns, room, lets_others_run(plan),
    )  # fmt: skip


def written(plan: Plan) -> Callable[..., Any]:
    """`plan.run` as a function of Python.

    Written as text because a loop over launches and names costs as much as a small kernel; plans of
    one structure share the text. Neighbouring kernels are one native call (`together.py`).
    """
    space: dict[str, Any] = {"empty": np.empty, "ndarray": np.ndarray, "workspace": workspace}
    made = made_in_python(plan)
    lines = []
    for i, (k, meta) in enumerate(plan.outputs.items()):
        if k in made:
            continue
        space[f"shape{i}"], space[f"dtype{i}"] = meta.shape, meta.dtype
        if dense(meta):
            lines.append(f"{k} = empty(shape{i}, dtype{i})")
        else:
            space[f"strides{i}"] = meta.strides
            lines.append(f"{k} = ndarray(shape{i}, dtype{i}, None, 0, strides{i})")
    seen = read_in_python(plan)
    parts, room = rooms(plan)  # arrays that native calls find in others
    if plan.workspace:
        lines.append(f"_room = workspace({room})")
        lines += [f"{k} = _room[{parts[k][1]}:]" for k in plan.workspace if k in seen]
    launches, constants = with_series(plan)
    space |= constants
    if any(isinstance(launch, Launch) for launch in launches):
        from .runtime import memory, threads

        # what `threads.ready` would find in nearly all calls
        space |= {"ready": threads.ready, "pool": threads.pool(), "adopted": memory.adopted}
        space["current"] = config.current
        lines.append("if pool.size != current.num_threads or not adopted(): ready()")
    pending: list[Launch] = []
    release = lets_others_run(plan)

    def flush() -> None:
        """Write the calls of the launches that wait."""
        for call, given in calls(plan.name, pending, parts, constants, plan.operands, release):
            name = f"native{len(space)}"
            space[name] = call
            lines.append(f"{name}({', '.join(given)})")
        pending.clear()

    # Kernels wait here until something comes that Python has to do: up to it they are one call.
    for i, launch in enumerate(launches):
        if isinstance(launch, Launch):
            pending.append(launch)
            continue
        if isinstance(launch, View):
            parts[launch.name], meta = (launch.of, launch.offset), launch.meta
            if launch.name in seen:
                space[f"view{i}"] = (meta.shape, meta.dtype), (launch.offset, meta.strides)
                lines.append(f"{launch.name} = ndarray(*view{i}[0], {launch.of}, *view{i}[1])")
            continue
        flush()
        arrays = [str(a) for a in launch.arrays]
        space[f"call{i}"], space[f"more{i}"] = launch.fn, launch.parameters
        given = ", ".join([*arrays, *([f"**more{i}"] if launch.parameters else [])])
        into = ", ".join(launch.results)
        lines.append(f"{into}{' = ' * bool(into)}call{i}({given})")
    flush()
    lines.append(f"return {', '.join(plan.returns) or None}")
    signature = ", ".join((*plan.operands, *plan.scalars))
    source = f"def run({signature}):\n" + "".join(f"    {line}\n" for line in lines)
    return FunctionType(texts.code_of(source, f"<plan {plan.name}>"), space, "run")
