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
families' `select.py`), from which sizes on (`tuning.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from .meta import MetaArray, contiguous_strides
from .runtime import series
from .runtime.workspace import workspace

if TYPE_CHECKING:
    from .codegen.interface import Kernel

Array = Any
Shape = tuple[int, ...]
Place = str | tuple[str, int] | None  # an array of a plan, from a byte on


def address_of(place: Place, pointers: dict[str, int]) -> int:
    """Where an array of a plan begins; 0 for none."""
    if place is None:
        return 0
    return pointers[place] if isinstance(place, str) else pointers[place[0]] + place[1]


class Launch:
    """One call of a kernel, all its arguments named.

    Arrays are names of the plan: of its operands, outputs, workspaces or constants (None where the
    kernel takes none); in a `Series` also (name, bytes from its start). Ints are numbers. Floats
    are numbers, or names of the plan's scalars.

    Raises:
        TypeError: for an argument that is missing, unknown, or of another type.
    """

    __slots__ = ("arrays", "floats", "ints", "kernel")

    def __init__(self, kernel: Kernel, /, **given: Any) -> None:
        interface = kernel.interface
        unknown = [k for k in given if k not in interface.types]
        missing = [k for k in interface.types if k not in given and k not in interface.optional]
        if unknown or missing:
            raise TypeError(f"{interface.name}: missing {missing}, unknown {unknown}")
        self.kernel = kernel
        self.arrays: tuple[Place, ...] = tuple([given.get(k) for k in interface.arrays])
        self.ints: tuple[int, ...] = tuple([given[k] for k in interface.ints])
        self.floats: tuple[float | str, ...] = tuple([given[k] for k in interface.floats])
        for name, value in zip(interface.arrays, self.arrays, strict=True):
            named = isinstance(value, (str, tuple))
            if not named and (value is not None or name not in interface.optional):
                raise TypeError(f"{interface.name}: {name} is the name of an array, not {value!r}")
        for name, number in zip(interface.ints, self.ints, strict=True):
            if not isinstance(number, (int, np.integer)):
                raise TypeError(f"{interface.name}: {name} is an int, not {number!r}")

    def fields(self) -> Iterator[tuple[str, Any]]:
        """(name, value) of all arguments, in the order of the call."""
        yield from zip(
            self.kernel.interface.types, (*self.arrays, *self.ints, *self.floats), strict=True
        )

    def arguments(self, pointers: dict[str, int], scalars: dict[str, float]) -> list[Any]:
        """The arguments of the native function: addresses (0 for none), ints, floats."""
        floats = [scalars[v] if isinstance(v, str) else v for v in self.floats]
        return [*(address_of(a, pointers) for a in self.arrays), *self.ints, *floats]

    def describe(self) -> list[str]:
        """The kernel, then its arguments."""
        given = " ".join(f"{k}={v}" for k, v in self.fields())
        return [f"{self.kernel.interface.name}: {self.kernel.interface.summary}", f"  {given}"]


class Series:
    """Many launches in one native call, one after the other: the steps of a recurrent layer.

    Their arguments are packed when a plan is made; when it runs, addresses are added.

    Args:
        launches: of kernels whose floats are numbers.
    """

    __slots__ = ("arrays", "launches", "made")

    def __init__(self, launches: Sequence[Launch]) -> None:
        self.launches = tuple(launches)
        self.arrays = tuple(dict.fromkeys(
            a if isinstance(a, str) else a[0]
            for launch in launches for a in launch.arrays if a is not None
        ))  # fmt: skip
        self.made: Any = None

    def packed(self) -> Any:
        """(words, where in them addresses are missing, of which array each is)."""
        count = len(self.launches)
        slots = {name: k + 1 for k, name in enumerate(self.arrays)}  # 0: the words themselves
        words: list[int] = [0] * (2 * count)
        places, of = [], []
        for i, launch in enumerate(self.launches):
            words[2 * i] = launch.kernel.invoke
            words[2 * i + 1] = 8 * len(words)
            places.append(2 * i + 1)
            of.append(0)
            for place in launch.arrays:
                if place is not None:
                    places.append(len(words))
                    of.append(slots[place if isinstance(place, str) else place[0]])
                words.append(place[1] if isinstance(place, tuple) else 0)
            words += launch.ints
            words += np.array(launch.floats, np.float64).view(np.int64).tolist()
        return np.array(words, np.int64), np.array(places), np.array(of)

    def __call__(self, *arrays: Any) -> None:
        """Run all launches on the arrays named in `arrays`."""
        if self.made is None:
            self.made = self.packed()
        template, places, of = self.made
        words = template.copy()
        bases = [words.ctypes.data]
        bases += [0 if a is None else a.__array_interface__["data"][0] for a in arrays]
        words[places] += np.array(bases, np.int64)[of]
        series.kernel()(words, len(self.launches))

    def describe(self) -> list[str]:
        """How many launches there are, and the first one of each kernel."""
        lines = [f"series of {len(self.launches)} launches, in one call"]
        seen = set()
        for launch in self.launches:
            if launch.kernel not in seen:
                seen.add(launch.kernel)
                lines += launch.describe()
        return lines


class Reference:
    """A launch of NumPy: `results = fn(*arrays, **parameters)`, or, without results, in place.

    Args:
        fn: a function of arrays; it returns one array, or a tuple of them for several results.
        arrays: names of the plan (None is handed on as None).
        results: names of what comes out, in its order.
    """

    __slots__ = ("arrays", "fn", "parameters", "results")

    def __init__(
        self,
        fn: Callable[..., Any],
        arrays: Sequence[str | None],
        results: Sequence[str] = ("y",),
        **parameters: Any,
    ) -> None:
        self.fn, self.arrays, self.results = fn, tuple(arrays), tuple(results)
        self.parameters = parameters

    def describe(self) -> list[str]:
        name = getattr(self.fn, "__name__", repr(self.fn))
        module = getattr(self.fn, "__module__", None) or "numpy"
        results = f"{', '.join(self.results)} = " if self.results else ""
        lines = [f"NumPy: {results}{module}.{name}({', '.join(map(str, self.arrays))})"]
        if self.parameters:
            lines.append("  " + " ".join(f"{k}={v}" for k, v in self.parameters.items()))
        return lines


class View:
    """A name for a part of an array, or for all of it in another shape: nothing is computed.

    Args:
        name: what launches behind it call the part.
        of: the array, which lies dense.
        meta: shape, type and strides of the part.
        offset: bytes before its first element.
    """

    __slots__ = ("meta", "name", "of", "offset")

    def __init__(self, name: str, of: str, meta: MetaArray, offset: int = 0) -> None:
        self.name, self.of, self.meta, self.offset = name, of, meta, offset

    def describe(self) -> list[str]:
        laid = "" if dense(self.meta) else f" strides {self.meta.strides}"
        return [f"view: {self.name} = {self.of} from byte {self.offset} as {self.meta.shape}{laid}"]


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
        flops: additions and multiplications.
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
        flops: int = 0,
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
        lines.append(f"  costs      {self.flops:,} FLOPs, {self.bytes:,} bytes read and written")
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


def renamed(
    launch: Launch | Series | Reference | View, names: dict[str, Any], prefix: str,
    scalars: dict[str, float],
) -> Launch | Series | Reference | View:  # fmt: skip
    """A launch with other names for its arrays, and with numbers for its scalars."""

    def name(k: Place) -> Any:
        if isinstance(k, tuple):
            return names.get(k[0], prefix + k[0]), k[1]
        return None if k is None else names.get(k, prefix + k)

    if isinstance(launch, Series):
        each: list[Any] = [renamed(one, names, prefix, scalars) for one in launch.launches]
        return Series(each)
    if isinstance(launch, View):
        return View(name(launch.name), name(launch.of), launch.meta, launch.offset)
    if isinstance(launch, Reference):
        results = [name(k) for k in launch.results]
        return Reference(launch.fn, [name(k) for k in launch.arrays], results, **launch.parameters)
    given = dict(launch.fields())
    given |= {k: name(v) for k, v in given.items() if k in launch.kernel.interface.arrays}
    floats = launch.kernel.interface.floats
    given |= {k: scalars.get(v, v) for k, v in given.items() if k in floats and isinstance(v, str)}
    return Launch(launch.kernel, **given)


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

_codes: dict[str, CodeType] = {}


def runner(plan: Plan) -> Callable[..., Any]:
    """`plan.run` as a function of its own: allocations and calls written out.

    Written as text because a loop over launches and names costs as much as a small kernel; plans of
    one structure share the text.
    """
    space: dict[str, Any] = {"empty": np.empty, "ndarray": np.ndarray, "workspace": workspace}
    made = {r for launch in plan.launches if isinstance(launch, Reference) for r in launch.results}
    made |= {launch.name for launch in plan.launches if isinstance(launch, View)}
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
    offset = 0
    if plan.workspace:
        at = []
        for k, n in plan.workspace.items():
            at.append((k, offset))
            offset += -(-n // 64) * 64
        lines.append(f"_room = workspace({offset})")
        lines += [f"{k} = _room[{start}:]" if start else f"{k} = _room" for k, start in at]
    space |= plan.constants
    if any(isinstance(launch, (Launch, Series)) for launch in plan.launches):
        from .runtime.threads import ready

        space["ready"] = ready
        lines.append("ready()")
    for i, launch in enumerate(plan.launches):
        if isinstance(launch, View):
            meta = launch.meta
            space[f"view{i}"] = (meta.shape, meta.dtype), (launch.offset, meta.strides)
            lines.append(f"{launch.name} = ndarray(*view{i}[0], {launch.of}, *view{i}[1])")
            continue
        arrays = [str(a) for a in launch.arrays]
        if isinstance(launch, Launch):
            space[f"call{i}"], space[f"ints{i}"] = launch.kernel.call, launch.ints
            floats = []
            for j, value in enumerate(launch.floats):
                floats.append(value if isinstance(value, str) else f"float{i}_{j}")
                space[f"float{i}_{j}"] = value
            lines.append(f"call{i}({', '.join([*arrays, f'*ints{i}', *floats])})")
        elif isinstance(launch, Series):
            space[f"call{i}"] = launch
            lines.append(f"call{i}({', '.join(arrays)})")
        else:
            space[f"call{i}"], space[f"more{i}"] = launch.fn, launch.parameters
            given = ", ".join([*arrays, *([f"**more{i}"] if launch.parameters else [])])
            into = ", ".join(launch.results)
            lines.append(f"{into}{' = ' * bool(into)}call{i}({given})")
    lines.append(f"return {', '.join(plan.returns) or None}")
    signature = ", ".join((*plan.operands, *plan.scalars))
    source = f"def run({signature}):\n" + "".join(f"    {line}\n" for line in lines)
    code = _codes.get(source)
    if code is None:
        module = compile(source, f"<plan {plan.name}>", "exec")
        code = _codes[source] = next(c for c in module.co_consts if isinstance(c, CodeType))
    return FunctionType(code, space, "run")
