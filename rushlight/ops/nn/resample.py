"""The resampling ops and their gradients; public functions are in `resample_public.py`.

Interpolation is linear in the image, so its gradient is its transpose. Sampling at a grid is also
differentiated by the grid: on arrays by kernels, and where the gradient is to be differentiated
again with ops, from the same cells and weights.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np

from ...autograd import door
from ...errors import axis, message
from ...kernels.meta import MetaArray
from ...kernels.resample import reference as resample
from ...kernels.resample import select as resizing
from ...kernels.resample.reference import Resize
from ..core.derivative import camel
from ..core.record import Op, op, register
from ..core.samples import arr, case
from ..create.sequences import steps_between
from ..reduce import sums
from ..shape.views import stack
from .pool import add_plane, take_plane
from .spatial import Ints

How = tuple[Resize, ...]

# -- interpolation -------------------------------------------------------------------------------


@op(
    samples=[
        case((2, 4, 5), how=(Resize("linear", 3, 4), Resize("linear", 5, 5))),
        case((2, 6), how=(Resize("nearest", 3, 6),)),
    ],
    public="",
    fresh=True,
)
def resize_transpose(input: Any, *, how: How) -> Any:
    """The transpose of a resize: each element added to the positions it was made of."""
    return resizing.resize_input(input, how)


resize_transpose.shape(
    lambda x, *, how: MetaArray((*x.shape[: x.ndim - len(how)], *(r[1] for r in how)), x.dtype)
)


def _resize_op(mode: str, d: int, antialias: bool, name: str) -> Op:
    def forward(input: Any, *, how: How) -> Any:
        return resizing.resize(input, how)

    kind = "antialiased " if antialias else ""
    forward.__name__ = name
    forward.__doc__ = f"The last {d} dimension(s) resized by {kind}{mode} interpolation."
    sizes = ((4, 6), (5, 3), (3, 3))[:d]
    samples = [
        case(
            (2, *(s for s, _ in sizes)),
            how=tuple(Resize(mode, a, b, antialias=antialias) for a, b in sizes),
        )
    ]
    if mode in ("linear", "cubic") and not antialias:
        corners = tuple(Resize(mode, a, b, align_corners=True) for a, b in sizes)
        samples.append(case((2, *(s for s, _ in sizes)), how=corners))
    node = camel(name.replace("d_", "D_") if "_aa" in name else name[:-1] + "D") + "Backward0"
    record = register(Op(forward, "op", samples=samples, public="", fresh=True, node=node))
    record.vjp(lambda g, _y, _x, *, how: resize_transpose(g, how=how))
    record.shape(
        lambda x, *, how: MetaArray((*x.shape[: x.ndim - d], *(h.out for h in how)), x.dtype)
    )
    return record


_LINEAR = ("upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d")
_RESIZE = {
    (mode, d, False): _resize_op(mode, d, False, name)
    for d in (1, 2, 3)
    for mode, name in (
        ("nearest", f"upsample_nearest{d}d"),
        ("nearest-exact", f"upsample_nearest_exact{d}d"),
        ("linear", _LINEAR[d - 1]),
    )
} | {
    ("cubic", 2, False): _resize_op("cubic", 2, False, "upsample_bicubic2d"),
    ("linear", 2, True): _resize_op("linear", 2, True, "upsample_bilinear2d_aa"),
    ("cubic", 2, True): _resize_op("cubic", 2, True, "upsample_bicubic2d_aa"),
    ("lanczos", 2, True): _resize_op("lanczos", 2, True, "upsample_lanczos2d_aa"),
}


def resize(x: Any, how: How) -> Any:
    """Resize the last dimensions of x."""
    return _RESIZE[how[0].mode, len(how), how[0].antialias](x, how=how)


resize_transpose.vjp(lambda g, _y, _x, *, how: resize(g, how))

# -- sampling at the points of a grid ------------------------------------------------------------

_GRIDS = [
    (2, "bilinear", "zeros", False),
    (2, "bilinear", "reflection", True),
    (2, "bicubic", "border", True),
    (2, "nearest", "zeros", False),
    (3, "bilinear", "border", False),
]


def _grid_case(d: int, mode: str, padding_mode: str, align_corners: bool) -> Any:
    image, points = (1, 2, *(3, 4, 5)[:d]), (1, *(2, 3, 2)[:d], d)
    how = {"mode": mode, "padding_mode": padding_mode, "align_corners": align_corners}
    return case(image, arr(points, -0.9, 0.9), **how)


@op(
    samples=[
        case(
            arr((1, 2, 3, 2), -0.9, 0.9),
            size=(3, 4),
            mode="bilinear",
            padding_mode="border",
            align_corners=False,
        )
    ],
    public="",
    outputs=4,
    fresh=True,
)
def grid_taps(input: Any, *, size: Ints, mode: str, padding_mode: str, align_corners: bool) -> Any:
    """Which elements the points of a grid read, and where in their cells the points lie.

    Returns for T taps and d dimensions: flat indices (T, N, *out), whether they are inside (the
    same, 0 or 1), and slope and offset (d, N, *out) of the position within the cell. Constant
    almost everywhere, so there is no gradient.
    """
    return resample.grid_taps(input, size, mode, padding_mode, align_corners)


def _taps_shape(grid: Any, *, size: Ints, mode: str, **_: Any) -> tuple[MetaArray, ...]:
    d = len(size)
    points = (grid.shape[0], *grid.shape[1:-1])
    taps = {"nearest": 1, "bilinear": 2**d, "bicubic": 4**d}[mode]
    found, cell = (taps, *points), MetaArray((d, *points), grid.dtype)
    return MetaArray(found, np.int64), MetaArray(found, grid.dtype), cell, cell


grid_taps.shape(_taps_shape)


def _sampled(grid: Any, size: Ints, how: dict[str, Any]) -> Any:
    """For each tap: (flat index, inside, weights, slopes), the last two for each dimension, as
    Tensors: `reference.sampled` written with ops."""
    d = len(size)
    flat, inside, slope, offset = grid_taps(grid, size=size, **how)
    sides = []
    for i in range(d):
        at = (grid[..., d - 1 - i] + 1) * slope[i] + offset[i]  # grids hold x first, images y
        weights, slopes = resample.grid_weights(at, how["mode"])
        sides.append([(w, dw * slope[i]) for w, dw in zip(weights, slopes, strict=True)])
    one = (flat.shape[1], 1, *flat.shape[2:])
    for k, corner in enumerate(product(*sides)):
        yield flat[k].reshape(one), inside[k], [w for w, _dw in corner], [dw for _w, dw in corner]


@op(
    autocast="float32",
    samples=[_grid_case(*g) for g in _GRIDS],
    public="",
    fresh=True,
    node="GridSampler2DBackward0",
)
def grid_sampler_op(
    input: Any, grid: Any, *, mode: str, padding_mode: str, align_corners: bool
) -> Any:
    """Values of images (N, C, *S) at the points of a grid (N, *out, d), by interpolation."""
    return resizing.grid_sample(input, grid, mode, padding_mode, align_corners)


@grid_sampler_op.joint
def _(
    g: Any,
    _y: Any,
    x: Any,
    grid: Any,
    *,
    needs: Any,
    mode: str,
    padding_mode: str,
    align_corners: bool,
) -> Any:
    still: Any = None
    if needs[1] and mode == "nearest":  # neighbours jump, whatever goes back
        plain = isinstance(g, np.ndarray)
        still = np.zeros(grid.shape, grid.dtype) if plain else door.nothing(grid)
        if not needs[0]:
            return None, still
    by_grid = bool(needs[1]) and still is None
    if isinstance(g, np.ndarray):
        asked = bool(needs[0]), by_grid
        found = resizing.grid_gradients(g, x, grid, asked, mode, padding_mode, align_corners)
        return found[0], still if found[1] is None else found[1]
    size = tuple(x.shape[2:])
    d = len(size)
    how = {"mode": mode, "padding_mode": padding_mode, "align_corners": align_corners}
    dx: Any = None
    parts: list[Any] = [0.0] * d
    for flat, inside, weights, slopes in _sampled(grid, size, how):
        if needs[0]:
            weight = (inside * math.prod(weights)).reshape(tuple(flat.shape))
            share = add_plane(g * weight, flat, size=size, dims=d)
            dx = share if dx is None else dx + share
        if by_grid:
            along = sums.sum(g * take_plane(x, flat, dims=(d, d)), dim=1) * inside
            for i in range(d):
                others = [w for j, w in enumerate(weights) if j != i]
                parts[i] = parts[i] + along * math.prod([slopes[i], *others])
    return dx, stack(*parts[::-1], dim=-1) if by_grid else still


grid_sampler_op.planned(
    lambda x, grid, *, mode, padding_mode, align_corners: resizing.plan_grid(
        resizing.layout(x), resizing.layout(grid), mode, padding_mode, align_corners
    )
)
grid_sampler_op.shape(lambda x, grid, **_kw: MetaArray((*x.shape[:2], *grid.shape[1:-1]), x.dtype))

# -- affine grids --------------------------------------------------------------------------------


def base_grid(size: Ints, align_corners: bool, dtype: Any) -> Any:
    """Homogeneous coordinates (positions, d + 1) of an image's points, x first."""
    axes = []
    for n in size:
        at = np.linspace(-1, 1, n) if n > 1 else np.zeros(n)
        if dtype == np.uint8 and n > 1:  # in which -1 is 255
            at = steps_between(255, 1, n, np.dtype(np.float64)).astype(dtype)
            at = at if align_corners else at * dtype.type(n - 1) / n
        elif not align_corners and n:
            at = at * ((n - 1) / n)
        axes.append(at)
    points = np.meshgrid(*axes, indexing="ij")[::-1]
    return np.stack([p.reshape(-1) for p in points] + [np.ones(math.prod(size))], 1).astype(dtype)


@op(
    samples=[
        case((2, 2, 3), size=(2, 1, 3, 4), align_corners=False),
        case((1, 3, 4), size=(1, 1, 2, 3, 2), align_corners=True),
    ],
    public="torch",
    fresh=True,
)
def affine_grid_generator(theta: Any, *, size: Ints, align_corners: bool) -> Any:
    """A grid for `grid_sample`: the points of an image of `size` (N, C, *S), moved by `theta`.

    `nn.functional.affine_grid`, which checks its arguments.

    >>> theta = torch.tensor([[[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]]])
    >>> torch.affine_grid_generator(theta, (1, 1, 1, 2), True)
    tensor([[[[-0.5000,  0.0000],
              [ 1.5000,  0.0000]]]])
    """
    if theta.dtype.kind == "b":
        raise NotImplementedError(
            message("\"linspace_cpu\" not implemented for 'Bool'", hint="theta.float()")
        )
    rows = len(size) - 1
    axis(2, theta.ndim)
    if theta.shape[:1] != (size[0],) or theta.shape[2:] != (rows,):
        raise RuntimeError(
            message(
                f"Expected size for first two dimensions of batch2 tensor to be: [{size[0]}, "
                f"{rows}] but got: {[theta.shape[0], theta.shape[-1]]}.",
                got=f"theta {theta.shape}",
                wanted=f"({size[0]}, {rows - 1}, {rows})",
            )
        )
    base = base_grid(tuple(size[2:]), align_corners, theta.dtype)
    return np.matmul(base, theta.swapaxes(1, 2)).reshape(size[0], *size[2:], len(size) - 2)


affine_grid_generator.shape(
    lambda t, *, size, align_corners: MetaArray((size[0], *size[2:], len(size) - 2), t.dtype)
)


@affine_grid_generator.vjp
def _(g: Any, _y: Any, _theta: Any, *, size: Ints, align_corners: bool) -> Any:
    dtype = g.dtype if isinstance(g, np.ndarray) else g._a.dtype
    base = base_grid(tuple(size[2:]), align_corners, dtype)
    base = base if isinstance(g, np.ndarray) else door.wrap(base)
    d = len(size) - 2
    return g.reshape((size[0], math.prod(size[2:]), d)).mT @ base
