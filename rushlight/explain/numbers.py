"""Numbers: what stands in tensors, and the first NaN or Inf.

A sum that is finite has no summand that is not, so one pass over each result (the sum of squares,
which is the quickest) finds the first NaN or Inf. For the rest at most 4,096 elements, evenly
spread, are copied while the step runs, and looked at when it is over.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .. import dtypes
from ..autograd.node import TensorBase
from .recording import NONE, Broken, Numbers, Range

ndarray = np.ndarray
MOST = 4096  # elements of a sample
KEPT = 64 << 20  # bytes of samples
OFTEN = 64  # samples of one thing in one step, such as a cell that is called again and again
BINS = 32


_types: dict[Any, str] = {}


def type_name(dtype: Any) -> str:
    """'float32' for NumPy's type."""
    name = _types.get(dtype)
    if name is None:
        name = _types[dtype] = repr(dtypes.from_numpy(dtype)).removeprefix("torch.")
    return name


class Sample(NamedTuple):
    """Some elements of a tensor."""

    what: str
    name: str
    step: int
    event: int
    module: int
    dtype: str
    shape: tuple[int, ...]
    values: Any
    stride: int  # between the elements, in the order of memory
    order: tuple[int, ...]  # of the dimensions in memory
    finite: bool


class Samples:
    """The samples of a recording, and the first event that made a NaN or Inf."""

    def __init__(self) -> None:
        self.samples: list[Sample] = []
        self.broken: Broken | None = None
        self._before: dict[int, Any] = {}
        self._bytes = 0  # of the samples
        self._count: dict[tuple[str, str, int], int] = {}
        self._last = 0  # the id of the array of the last activation

    def look(
        self, look: Any, event: int, given: list[Any], results: list[Any],
        names: tuple[str, ...] = (), kept: list[tuple[str, Any]] | None = None,
    ) -> None:  # fmt: skip
        """Whether an event made the first NaN or Inf; `kept` is what a node had saved."""
        if self.broken is not None:
            return
        for k, a in enumerate(results):
            what = trouble(a)
            if what:
                e = look.events[event]
                if e.name.startswith("empty") or is_given(what, given, look, event):
                    continue
                where = "output"
                if e.kind == "node":
                    where = f"gradient {k}" if len(results) > 1 else "gradient"
                called = [(names[i] if i < len(names) else "", x) for i, x in enumerate(given)]
                met = [ranged(name, x) for name, x in (*called, *(kept or ())) if x.size]
                self.broken = Broken(
                    event, e.step, e.phase, what, where, not any(trouble(x) for x in given), met
                )
                return

    def activation(self, look: Any, event: int, module: int, results: list[Any]) -> None:
        """What a module gives."""
        for a in results[:1]:
            path = look.modules.modules[module].path
            if id(a) == self._last and self.samples and self.samples[-1].shape == a.shape:
                known = self.samples[-1]  # a function in it, or a module, has just given the same
                if look.events[known.event].kind != "module":
                    self.samples[-1] = known._replace(name=path, module=module, event=event)
                return
            self.take(look, "activation", path, event, module, a)

    def before_update(self, look: Any, event: int, optimizer: Any) -> None:
        """Parameters and gradients, as an optimiser finds them."""
        self._before.clear()
        for p in parameters(optimizer):
            known = look.modules.known(p)
            name, module = ("", NONE) if known is None else (known.name, known.place)
            if p._a.__class__ is not ndarray:
                continue
            at = self.take(look, "parameter", name, event, module, p._a)
            grad = p.grad
            if grad is not None and grad._a.__class__ is ndarray:
                self.take(look, "gradient", name, event, module, grad._a)
                if at is not None:
                    self._before[id(p)] = at

    def after_update(self, look: Any, event: int, optimizer: Any) -> None:
        """By how much the optimiser has changed them."""
        for p in parameters(optimizer):
            before = self._before.get(id(p))
            if before is None or p._a.shape != before.shape:
                continue
            after = sample(p._a)
            if after is None or after[0].shape != before.values.shape:
                continue
            with np.errstate(all="ignore"):
                change = after[0].astype(np.float32) - before.values
            self.samples.append(before._replace(what="update", values=change))
            if self.broken is None and before.finite and trouble(p._a):
                e = look.events[event]
                self.broken = Broken(
                    event, e.step, e.phase, trouble(p._a), f"parameter {before.name}", True
                )
        self._before.clear()

    def take(
        self, look: Any, what: str, name: str, event: int, module: int, a: Any
    ) -> Sample | None:
        """Keep a sample."""
        if a.dtype.kind not in "fV" or not a.size or self._bytes >= KEPT:
            return None
        e = look.events[event]
        count = self._count.get((what, name, e.step), 0)
        if count >= OFTEN:
            return None
        self._count[what, name, e.step] = count + 1
        found = sample(a)
        if found is None:
            return None
        values, stride, order = found
        self._bytes += values.nbytes
        whole = self.broken is None or not trouble(a)
        kept = Sample(what, name, e.step, event, module, type_name(a.dtype), a.shape,
                      values.astype(np.float32), stride, order, whole)  # fmt: skip
        self.samples.append(kept)
        self._last = id(a) if what == "activation" else 0
        return kept

    def move(self, at: Any, events: list[Any]) -> None:
        """Events stand in other places, and in steps."""
        self.samples = [
            s._replace(event=at(s.event), step=events[at(s.event)].step) for s in self.samples
        ]
        if self.broken is not None:
            self.broken.event = at(self.broken.event)
            self.broken.step = events[self.broken.event].step

    def rename(self, resolved: Any) -> None:
        """Make names of marked ones."""
        self.samples = [s._replace(name=resolved(s.name)) for s in self.samples]
        if self.broken is not None:
            self.broken.where = resolved(self.broken.where)

    def finish(self) -> list[Numbers]:
        """What is in the samples."""
        return [described(s) for s in self.samples]


def parameters(optimizer: Any) -> list[Any]:
    """The tensors that an optimiser holds."""
    return [p for g in optimizer.param_groups for p in g["params"] if isinstance(p, TensorBase)]


def trouble(a: Any) -> str:
    """'NaN', 'Inf', or '' where an array has neither."""
    dtype = a.dtype
    if dtype.char in "fd" and a.flags.forc:
        flat = a.reshape(-1) if a.flags.c_contiguous else a.T.reshape(-1)
        if math.isfinite(np.dot(flat, flat)):
            return ""
    if dtype.kind == "V" and a.size:  # bfloat16 and narrower ones, with which NumPy computes not
        a = a.astype(np.float32)
    if a.dtype.kind not in "fc" or not a.size:
        return ""
    with np.errstate(all="ignore"):
        total = np.add.reduce(a, axis=None)
        if math.isfinite(total.real) and math.isfinite(total.imag):
            return ""
        if np.isnan(a).any():
            return "NaN"
        return "Inf" if np.isinf(a).any() else ""  # finite numbers may have an infinite sum


def ranged(name: str, a: Any) -> Range:
    """What lies in an array."""
    kind = type_name(a.dtype)
    if a.dtype.kind in "fV":
        a = a.astype(np.float64)
    good = a[np.isfinite(a)] if a.dtype.kind == "f" else a.reshape(-1)
    known = bool(good.size) and good.dtype.kind in "fiub"
    low, high = (float(good.min()), float(good.max())) if known else (math.nan, math.nan)
    return Range(name, kind, tuple(a.shape), low, high,
                 int(np.count_nonzero(good == 0)), int(np.count_nonzero(good < 0)) if known else 0,
                 int(a.size - good.size))  # fmt: skip


def norm(a: Any) -> float:
    """The Euclidean norm of an array of real numbers; 0 of anything else."""
    if a.dtype.kind != "f" or not a.size:
        return 0.0
    times = a.size
    if 0 in a.strides:  # the same elements again and again
        a = a[tuple([slice(0, 1) if s == 0 else slice(None) for s in a.strides])]
    times //= a.size
    flat = a.ravel(order="K")
    with np.errstate(all="ignore"):
        square = float(np.dot(flat, flat)) if a.dtype.itemsize > 2 else math.inf
        if not math.isfinite(square):  # too large for its type, or not finite itself
            wide = flat.astype(np.float64)
            square = float(np.dot(wide, wide))
    return math.sqrt(square * times)


def is_given(what: str, given: list[Any], look: Any, event: int) -> bool:
    """Whether what is not finite was put in on purpose: an infinite number, or a tensor of such."""
    if what == "NaN":
        return False
    if any(trouble(a) == "Inf" for a in given):
        return True
    call = look.calls.get(event)
    numbers: list[Any] = [] if call is None else [*call[1], *call[2].values()]
    return any(isinstance(v, float) and math.isinf(v) for v in numbers)


def sample(a: Any) -> tuple[Any, int, tuple[int, ...]] | None:
    """Elements of an array, evenly spread in memory: they, their distance, and the order of the
    dimensions in memory."""
    order = tuple(range(a.ndim))
    if not a.flags.c_contiguous:
        order = tuple(sorted(order, key=lambda d: -abs(a.strides[d])))
        a = a.transpose(order)
        if not a.flags.c_contiguous:
            if a.size > 64 * MOST:  # would be copied whole
                a = a[(slice(None, None, max(1, a.shape[0] // 8)),)]
            a = np.ascontiguousarray(a)
    flat = a.reshape(-1)
    stride = 1
    if flat.size > MOST:
        stride = -(-flat.size // MOST)
        while any(math.gcd(stride, n) > 1 for n in a.shape if n > 1):
            stride += 1
    values = flat[::stride]
    return values.copy(), stride, order


def described(s: Sample) -> Numbers:
    """The statistics of a sample."""
    v = s.values
    good = v[np.isfinite(v)]
    wide = good.astype(np.float64)
    mean = float(wide.mean()) if wide.size else math.nan
    spread = float(wide.std()) if wide.size else math.nan
    low, high = (float(good.min()), float(good.max())) if good.size else (0.0, 0.0)
    edges = low, high
    if high - low <= 1e-6 * max(abs(low), abs(high)):  # too near to each other for so many bins
        wider = max(0.5, 1e-3 * abs(low))
        edges = low - wider, high + wider
    bins = np.minimum((wide - edges[0]) * (BINS / (edges[1] - edges[0])), BINS - 1).astype(np.int64)
    histogram = np.bincount(bins, minlength=BINS).tolist()
    zeros = float(np.count_nonzero(v == 0)) / v.size
    largest = float(np.abs(good).max()) if good.size else math.nan
    dead = dead_channels(s) if s.what == "activation" and zeros else 0.0
    return Numbers(s.what, s.name, s.step, s.event, s.module, s.dtype, s.shape, mean, spread,
                   zeros, largest, edges[0], edges[1], histogram,
                   s.finite and good.size == v.size, dead)  # fmt: skip


def dead_channels(s: Sample) -> float:
    """The share of channels (features) in which every element of the sample is 0."""
    if len(s.shape) < 2:
        return 0.0
    d = 1 if len(s.shape) in (2, 4, 5) else len(s.shape) - 1
    place = s.order.index(d)
    behind = math.prod([s.shape[k] for k in s.order[place + 1 :]])
    channel = (np.arange(len(s.values)) * s.stride // behind) % s.shape[d]
    met = np.bincount(channel, minlength=s.shape[d])
    lively = np.bincount(channel, weights=(s.values != 0), minlength=s.shape[d])
    return float(((met > 0) & (lively == 0)).sum() / max(1, (met > 0).sum()))
