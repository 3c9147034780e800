"""Launches: one call of a kernel, or of NumPy, with all its arguments named.

Not here: what a kernel is called with (`codegen/interface.py`), how launches make a plan
(`plan.py`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .meta import MetaArray, contiguous_strides

if TYPE_CHECKING:
    from .codegen.interface import Kernel

Array = Any
Place = str | tuple[str, int] | None  # an array of a plan, from a byte on


def address_of(place: Place, pointers: dict[str, int]) -> int:
    """Where an array of a plan begins; 0 for none."""
    if place is None:
        return 0
    return pointers[place] if isinstance(place, str) else pointers[place[0]] + place[1]


class Launch:
    """One call of a kernel, all its arguments named.

    Arrays are names of the plan: of its operands, outputs, workspaces or constants (None where the
    kernel takes none); in a `Series` also (name, bytes from its start). Ints and floats are
    numbers, or names of the plan's scalars.

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
        self.ints: tuple[int | str, ...] = tuple([given[k] for k in interface.ints])
        self.floats: tuple[float | str, ...] = tuple([given[k] for k in interface.floats])
        for name, value in zip(interface.arrays, self.arrays, strict=True):
            named = isinstance(value, (str, tuple))
            if not named and (value is not None or name not in interface.optional):
                raise TypeError(f"{interface.name}: {name} is the name of an array, not {value!r}")
        for name, number in zip(interface.ints, self.ints, strict=True):
            if not isinstance(number, (int, np.integer, str)):
                raise TypeError(f"{interface.name}: {name} is an int, not {number!r}")

    def fields(self) -> Iterator[tuple[str, Any]]:
        """(name, value) of all arguments, in the order of the call."""
        yield from zip(
            self.kernel.interface.types, (*self.arrays, *self.ints, *self.floats), strict=True
        )

    def arguments(self, pointers: dict[str, int], scalars: dict[str, float]) -> list[Any]:
        """The arguments of the native function: addresses (0 for none), ints, floats."""
        numbers = [scalars[v] if isinstance(v, str) else v for v in (*self.ints, *self.floats)]
        return [*(address_of(a, pointers) for a in self.arrays), *numbers]

    def describe(self) -> list[str]:
        """The kernel, then its arguments."""
        given = " ".join(f"{k}={v}" for k, v in self.fields())
        return [f"{self.kernel.interface.name}: {self.kernel.interface.summary}", f"  {given}"]


class Series:
    """Many launches in one native call, one after the other: the steps of a recurrent layer.

    Their arguments are packed once; when it runs, addresses are added.

    Args:
        launches: of kernels whose ints and floats are numbers.
        shares: the same work in parts that know nothing of each other, each a list of launches.
            Threads take whole parts: within one, nobody waits for others, and what a launch writes
            is in the cache of the core that reads it next. None: threads share each launch.
    """

    def __init__(
        self, launches: Sequence[Launch], shares: Sequence[Sequence[Launch]] | None = None
    ) -> None:
        self.launches, self.shares = tuple(launches), shares or (launches,)
        self.arrays = tuple(dict.fromkeys(
            a if isinstance(a, str) else a[0]
            for launch in launches for a in launch.arrays if a is not None
        ))  # fmt: skip

    @functools.cached_property
    def tables(self) -> tuple[Any, Any]:
        """The table and the begins of `runtime/series.py`."""
        from .runtime import series  # the compiler is loaded with the first kernel

        launches = [launch for share in self.shares for launch in share]
        numbers = {name: k for k, name in enumerate(self.arrays)}
        table: list[int] = [0] * (len(series.HEAD) * len(launches))
        for i, launch in enumerate(launches):
            words: list[int] = []
            patches: list[int] = []
            for place in launch.arrays:
                if place is not None:
                    name = place if isinstance(place, str) else place[0]
                    patches += [len(words), numbers[name]]
                words.append(place[1] if isinstance(place, tuple) else 0)
            words += launch.ints  # type: ignore[arg-type]  # none of them is a name here
            words += np.array(launch.floats, np.float64).view(np.int64).tolist()
            if len(words) > series.MOST:
                raise ValueError(f"{launch.kernel!r} has {len(words)} arguments")
            n, at = len(series.HEAD), len(table)
            table[n * i : n * i + n] = (
                launch.kernel.invoke, at, len(words), at + len(words), len(patches) // 2
            )  # fmt: skip
            table += [*words, *patches]
        begins = np.cumsum([0, *(len(share) for share in self.shares)])
        return np.array(table, np.int64), begins.astype(np.int64)

    def as_launch(self, table: str, begins: str) -> Launch:
        """All of it as one launch, with names for its tables."""
        from .runtime import series

        given: dict[str, Any] = {f"array{i}": name for i, name in enumerate(self.arrays)}
        given |= {"table": table, "begins": begins, "shares": len(self.shares)}
        return Launch(series.kernel(len(self.arrays)), **given)

    def describe(self) -> list[str]:
        """How many launches there are, and the first one of each kernel."""
        count, shares = sum(len(share) for share in self.shares), len(self.shares)
        apart = f" in {shares} shares" if shares > 1 else ""
        lines = [f"series of {count} launches{apart}, in one call"]
        seen = set()
        for launch in self.shares[0]:
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
        usual = contiguous_strides(self.meta.shape, self.meta.dtype.itemsize)
        laid = "" if self.meta.strides == usual else f" strides {self.meta.strides}"
        return [f"view: {self.name} = {self.of} from byte {self.offset} as {self.meta.shape}{laid}"]


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
        each, *shares = [
            [renamed(one, names, prefix, scalars) for one in some]
            for some in (launch.launches, *launch.shares)
        ]
        return Series(each, shares)  # type: ignore[arg-type]  # what was a Launch is one
    if isinstance(launch, View):
        return View(name(launch.name), name(launch.of), launch.meta, launch.offset)
    if isinstance(launch, Reference):
        results = [name(k) for k in launch.results]
        return Reference(launch.fn, [name(k) for k in launch.arrays], results, **launch.parameters)
    given = dict(launch.fields())
    given |= {k: name(v) for k, v in given.items() if k in launch.kernel.interface.arrays}
    arrays = launch.kernel.interface.arrays
    numbers = {k: v for k, v in given.items() if k not in arrays and isinstance(v, str)}
    given |= {k: scalars.get(v, v) for k, v in numbers.items()}
    return Launch(launch.kernel, **given)
