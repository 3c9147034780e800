"""Resizing, and sampling at the points of a grid: which kernels compute them.

Along one axis a kernel takes arrays in rows, of float32 and float64, and tables of few taps
(linear, cubic, and their transposes); NumPy takes the rest: nearest neighbours, which are copies,
filters that widen with the step, few elements. Points of a grid are sampled in float32 and float64,
in rows of channels into which images are copied, or where they lie if channels are few.

Not here: the kernels (`taps.py`, `grid_rows.py`, `grid_planes.py`), tables of positions and
weights, NumPy's ways (`reference.py`).
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from .. import runtime, tuning
from ..copy import select as copy
from ..elementwise.lowered import ELEMENTS
from ..meta import MetaArray
from ..plan import Draft, Launch, Plan, nbytes
from . import reference
from .reference import Resize

Array = Any
Ints = tuple[int, ...]
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def resize(x: Array, how: tuple[Resize, ...]) -> Array:
    """Resize the last dimensions of x, those that shrink most first."""
    if how[0].mode.startswith("nearest") and x.size >= tuning.NEAREST_LEAST:
        made = plan_nearest(x.dtype, x.shape, x.strides, how)
        if made is not None:
            return made.run(x)
    order = sorted(range(len(how)), key=lambda i: how[i].out / max(1, how[i].size))
    for i in order:
        x = along(x, x.ndim - len(how) + i, how[i], False)
    return x


def resize_input(g: Array, how: tuple[Resize, ...]) -> Array:
    """The transpose of `resize`."""
    if how[0].mode.startswith("nearest") and g.dtype in FLOATS and g.size >= tuning.NEAREST_LEAST:
        made = plan_repeated_sums(g.dtype, g.shape, g.strides, how)
        if made is not None:
            return made.run(g)
    order = sorted(range(len(how)), key=lambda i: how[i].size / max(1, how[i].out))
    for i in order:
        g = along(g, g.ndim - len(how) + i, how[i], True)
    return g


def along(x: Array, axis: int, how: Resize, turned: bool) -> Array:
    """Resize one axis, or the transpose of it."""
    if x.size >= tuning.RESAMPLE_LEAST and x.dtype in FLOATS and x.flags.c_contiguous:
        made = plan(x.dtype, x.shape, axis, how, turned)
        if made is not None:
            return made.run(x)
    return reference.along(x, axis, table_of(how, x.dtype, turned))


def table_of(how: Resize, dtype: Any, turned: bool) -> reference.Table:
    """Positions and weights along one axis."""
    made = reference.turned_table if turned else reference.table
    return made(how, reference.real_type(dtype))


@functools.lru_cache(maxsize=256)
def plan(dtype: Any, shape: tuple[int, ...], axis: int, how: Resize, turned: bool) -> Plan | None:
    """The plan of one axis of an array in rows; None: there is no kernel for it."""
    t = table_of(how, dtype, turned)
    if t.weight is None or t.index.shape[1] > tuning.RESAMPLE_DENSE or not runtime.available():
        return None
    from . import taps

    out, count = t.index.shape
    rows, inner = math.prod(shape[:axis]), math.prod(shape[axis + 1 :])
    way = "row" if inner == 1 else "planes"
    if way == "planes" and inner < tuning.RESAMPLE_SHORT:
        return None
    y = MetaArray((*shape[:axis], out, *shape[axis + 1 :]), dtype)
    each = max(1, taps.LEAST_CHUNK // max(1, out * inner))
    launch = Launch(
        taps.kernel(way, ELEMENTS[dtype], count), x="x", index="index", weight="weight",
        live="live", y="y", rows=rows, size=shape[axis], out=out, inner=inner, taps=count,
        each=each, chunks=-(-rows // each),
    )  # fmt: skip
    constants = {
        "index": np.ascontiguousarray(np.minimum(t.index, t.size - 1).T),
        "weight": np.ascontiguousarray(t.weight.T.astype(dtype)),
        "live": t.weight.any(1).astype(np.int64),
    }
    x = MetaArray(shape, dtype)
    return Plan(
        f"resample.{way}", ("x",), {"y": y}, [launch], constants=constants,
        flops=2 * count * y.size, bytes=nbytes(x, y),
    )  # fmt: skip


# -- nearest neighbours, all dimensions at a time ------------------------------------------------


@functools.lru_cache(maxsize=256)
def plan_nearest(dtype: Any, shape: Ints, strides: Ints, how: tuple[Resize, ...]) -> Plan | None:
    """The plan of copies of an array's elements; None: there is no kernel for it."""
    from ..copy import shown

    dims = len(how)
    out = (*shape[: len(shape) - dims], *(r.out for r in how))
    known = dtype.itemsize in shown.ELEMENTS and not dtype.hasobject and runtime.available()
    if not known or not math.prod(shape) or not math.prod(out):
        return None
    draft = Draft({"x": MetaArray(shape, dtype, strides)})
    tables = [reference.table(r, reference.real_type(dtype)) for r in how]
    places = [
        np.arange(r.out) // t.factor if t.factor else t.index[:, 0].astype(np.int64)
        for r, t in zip(how, tables, strict=True)
    ]
    factor, n = tables[-1].factor, how[-1].out
    kind = "table"
    if factor == 1 or (places[-1] == np.arange(n)).all():
        kind = "edges"  # of which there are none
    elif factor in shown.REPEATED:
        kind = f"repeat{factor}"
    places = [np.zeros(1, np.int64)] * (3 - dims) + places
    given = {
        name: draft.constant(name, p)
        for name, p in zip(("depths", "lines", "columns"), places, strict=True)
    }
    size, space = ((1,) * (3 - dims) + s[len(shape) - dims :] for s in (shape, out))
    count = math.prod(out[: len(shape) - dims]) * space[0] * space[1]
    each = max(1, tuning.COPY_CHUNK // n)
    draft.launch(
        shown.kernel(shown.ELEMENTS[dtype.itemsize], kind), x=draft.dense("x"),
        y=draft.array("y", MetaArray(out, dtype)), **given, count=count, in_d=size[0],
        in_h=size[1], in_w=size[2], out_d=space[0], out_h=space[1], out_w=n, left=0, end=n,
        each=each, chunks=-(-count // each),
    )  # fmt: skip
    return draft.plan(f"nearest.{kind}")


@functools.lru_cache(maxsize=256)
def plan_repeated_sums(
    dtype: Any, shape: Ints, strides: Ints, how: tuple[Resize, ...]
) -> Plan | None:  # fmt: skip
    """The plan of the transpose of images resized by whole factors; None: there is none."""
    from . import repeated_sums

    dims = len(how)
    factors = {reference.table(r, dtype).factor for r in how}
    factor = factors.pop()
    known = runtime.available() and not factors and 0 < factor <= repeated_sums.MOST
    if not known or not math.prod(shape) or dims > 2:
        return None
    y = (*shape[: len(shape) - dims], *(r.size for r in how))
    draft = Draft({"x": MetaArray(shape, dtype, strides)})
    width = y[-1]
    lines = math.prod(y) // width
    each = max(1, tuning.COPY_CHUNK // (width * factor**dims))
    draft.launch(
        repeated_sums.kernel(ELEMENTS[dtype], factor ** (dims - 1), factor), x=draft.dense("x"),
        y=draft.array("y", MetaArray(y, dtype)), lines=lines, width=width, each=each,
        chunks=-(-lines // each),
    )  # fmt: skip
    return draft.plan("nearest.sums", flops=math.prod(shape))


# -- sampling at the points of a grid ------------------------------------------------------------


def grid_sample(x: Array, grid: Array, mode: str, padding_mode: str, align_corners: bool) -> Array:
    """Values of images (N, C, *S) at the points of a grid (N, *out, d), by interpolation."""
    how = (mode, padding_mode, align_corners)
    return plan_grid(layout(x), layout(grid), *how).run(x, grid)


def grid_gradients(
    g: Array, x: Array, grid: Array, needs: tuple[bool, bool], mode: str, padding_mode: str,
    align_corners: bool,
) -> tuple[Array | None, Array | None]:  # fmt: skip
    """The gradients of `grid_sample` by the images and by the grid, those that are needed."""
    how = (mode, padding_mode, align_corners)
    made = plan_grid_gradients(layout(g), layout(x), layout(grid), *needs, *how)
    found = made.run(g, x, grid)
    if all(needs):
        return found
    return (found, None) if needs[0] else (None, found)


def layout(a: Array) -> tuple[Any, tuple[int, ...], tuple[int, ...]]:
    """What a plan asks of an array."""
    return a.dtype, a.shape, a.strides


def by_kernel(x: MetaArray, grid: MetaArray, g: MetaArray) -> bool:
    """Whether kernels sample these: of one type, with something to read and to write."""
    same = x.dtype in FLOATS and x.dtype == grid.dtype == g.dtype
    few_enough = math.prod(x.shape[2:]) < 1 << 30  # places are int32
    return same and few_enough and x.size > 0 and g.size > 0 and runtime.available()


class Sampled:
    """A plan of kernels for the points of a grid while it is made.

    Args:
        draft: its operands have `x` and `grid`, or their likes.
        x: what the images are.
        grid: what the grid is.
        how: mode, padding_mode, align_corners.
    """

    def __init__(self, draft: Draft, x: MetaArray, grid: MetaArray, how: Any) -> None:
        self.draft, self.dtype = draft, x.dtype
        self.images, self.channels, self.size = x.shape[0], x.shape[1], x.shape[2:]
        self.out = grid.shape[1:-1]
        self.points, self.positions = math.prod(self.out), math.prod(self.size)
        self.how = (len(self.size), *how)
        self.grid = draft.dense("grid")
        self.narrow = self.channels < tuning.GRID_NARROW

    def room(self, name: str, rows: int) -> str:
        """Rows of channels, for each image."""
        return self.draft.array(name, MetaArray((self.images, rows, self.channels), self.dtype))

    def planes(self, rows: str, space: tuple[int, ...]) -> str:
        """Such rows seen as the images that they are, without what lies behind them."""
        many, step = self.draft.metas[rows].shape[1], self.dtype.itemsize
        at, strides = step * self.channels, []
        for n in reversed(space):
            strides.append(at)
            at *= n
        strides = [many * self.channels * step, step, *reversed(strides)]
        meta = MetaArray((self.images, self.channels, *space), self.dtype, tuple(strides))
        return self.draft.view(f"{rows}_planes", rows, meta)

    def copied(self, x: str, y: str) -> None:
        """y[...] = x."""
        a, b = self.draft.metas[x], self.draft.metas[y]
        made = copy.plan(a.dtype, b.dtype, a.shape, a.strides, b.strides)
        self.draft.include(made, {"x": x, "y": y})

    def image(self, x: str) -> str:
        """The rows of images, and one of zeros behind those of each; of few channels, planes."""
        if self.narrow:
            return self.draft.dense(x)
        rows = self.room(f"{x}_rows", self.positions + 1)
        self.copied(x, self.planes(rows, self.size))
        zero, step = self.draft.constant("zero", np.zeros((), self.dtype)), self.dtype.itemsize
        across = (self.positions + 1) * self.channels * step
        end = MetaArray((self.images, self.channels), self.dtype, (across, step))
        self.draft.metas[zero] = MetaArray(end.shape, self.dtype, (0, 0))
        self.copied(zero, self.draft.view("end", rows, end, self.positions * self.channels * step))
        return rows

    def gradient(self, g: str) -> str:
        """What came to the points: rows or planes."""
        if self.narrow:
            return self.draft.dense(g)
        rows = self.room(f"{g}_rows", self.points)
        self.copied(g, self.planes(rows, self.out))
        return rows

    def result(self, what: str, name: str, meta: MetaArray, **arrays: str) -> None:
        """Add a kernel that writes `name`, planes of such a shape."""
        self.draft.array(name, meta)
        if self.narrow:
            self.launch(what, **arrays, **{name: name})
            return
        space = meta.shape[2:]
        rows = self.room(f"{name}_rows", math.prod(space) + (what == "scattered"))
        self.launch(what, **arrays, **{name: rows})
        self.copied(self.planes(rows, space), name)

    def launch(self, what: str, **arrays: str) -> None:
        """Add a kernel."""
        from . import grid_cells, grid_planes, grid_rows

        how = grid_cells.How(*self.how)
        kernels = grid_planes if self.narrow else grid_rows
        if what == "scattered":
            bound = self.channels
            each = max(16, -(-bound // max(1, tuning.GRID_SHARES // self.images)))
            each = 1 if self.narrow else -(-each // 16) * 16  # whole lines of the cache
        else:
            bound = self.points
            each = max(1, tuning.GRID_PIECE // (16 * how.taps * self.channels)) * 16
        shares = -(-bound // each)
        depth, height, width = (1,) * (3 - len(self.size)) + self.size
        self.draft.launch(
            kernels.kernel(what, ELEMENTS[self.dtype], how), **arrays, grid=self.grid,
            images=self.images, channels=self.channels, points=self.points, depth=depth,
            height=height, width=width, each=each, shares=shares, chunks=self.images * shares,
        )  # fmt: skip

    @property
    def way(self) -> str:
        return "planes" if self.narrow else "rows"

    @property
    def work(self) -> int:
        """Additions and multiplications of one pass over all taps."""
        from . import grid_cells

        return 2 * grid_cells.How(*self.how).taps * self.images * self.points * self.channels


@functools.lru_cache(maxsize=1024)
def plan_grid(
    x: Any, grid: Any, mode: str, padding_mode: str, align_corners: bool
) -> Plan:  # fmt: skip
    """Operands x (N, C, *S) and grid (N, *out, d); output y (N, C, *out)."""
    images, points = (MetaArray(a[1], a[0], a[2]) for a in (x, grid))
    draft = Draft({"x": images, "grid": points})
    y = MetaArray((*images.shape[:2], *points.shape[1:-1]), images.dtype)
    how = (mode, padding_mode, align_corners)
    if not by_kernel(images, points, y):
        draft.array("y", y)
        draft.numpy(reference.grid_sample, ("x", "grid"), "y", how=how)
        return draft.plan("grid_sample.numpy")
    made = Sampled(draft, images, points, how)
    made.result("sampled", "y", y, x=made.image("x"))
    return draft.plan(f"grid_sample.{made.way}", flops=made.work)


@functools.lru_cache(maxsize=1024)
def plan_grid_gradients(
    g: Any, x: Any, grid: Any, image: bool, by_grid: bool, mode: str, padding_mode: str,
    align_corners: bool,
) -> Plan:  # fmt: skip
    """Operands g (N, C, *out), x (N, C, *S) and grid (N, *out, d); outputs dx and dgrid, those
    that are asked for."""
    incoming, images, points = (MetaArray(a[1], a[0], a[2]) for a in (g, x, grid))
    draft = Draft({"g": incoming, "x": images, "grid": points})
    returns = ("dx",) * image + ("dgrid",) * by_grid
    dx, dgrid = MetaArray(images.shape, images.dtype), MetaArray(points.shape, points.dtype)
    how = (mode, padding_mode, align_corners)
    if not by_kernel(images, points, incoming):
        for name in returns:
            draft.array(name, dx if name == "dx" else dgrid)
            of = reference.grid_image_gradient if name == "dx" else reference.grid_gradient
            draft.numpy(of, ("g", "x", "grid"), name, how=how)
        return draft.plan("grid_gradients.numpy", returns)
    made = Sampled(draft, images, points, how)
    came = made.gradient("g")
    if image:
        made.result("scattered", "dx", dx, g=came)
    if by_grid:
        made.launch("sloped", g=came, x=made.image("x"), dgrid=draft.array("dgrid", dgrid))
    return draft.plan(f"grid_gradients.{made.way}", returns, flops=made.work * len(returns))
