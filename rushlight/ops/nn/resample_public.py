"""interpolate, grid_sample, affine_grid: PyTorch's functions in front of `resample.py`."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ... import dtypes
from ...dtypes import type_name
from ...errors import message
from ...kernels.resample.reference import Resize
from ...once import users_level
from ..core.composite import composite
from ..core.samples import arr, case
from ..shape.convert import keeps_format
from . import pool_public, resample
from .spatial import Ints, as_int, check_tensor, dtype_of, list_of, same_types

_DIMS = {
    "nearest": (1, 2, 3),
    "nearest-exact": (1, 2, 3),
    "area": (1, 2, 3),
    "linear": (1,),
    "bilinear": (2,),
    "bicubic": (2,),
    "lanczos": (2,),
    "trilinear": (3,),
}
_KERNEL = {
    "bilinear": "linear",
    "trilinear": "linear",
    "bicubic": "cubic",
}
_ALIGNABLE = ("linear", "bilinear", "bicubic", "trilinear")


@composite(
    accepts="floating integral bool: compute_indices_weights_nearest",
    public="nn.functional",
    samples=[
        case((1, 2, 4), 6),
        case((1, 2, 4, 4), scale_factor=2.0, mode="bilinear", align_corners=False),
        case((1, 2, 4, 4), [6, 3], mode="bicubic"),
        case((1, 2, 6, 6), [3, 3], mode="area"),
    ],
)
@keeps_format
def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Any:
    """Resize the last 1, 2 or 3 dimensions of `input`, to `size` or by `scale_factor`.

    Args:
        input: (N, C, L), (N, C, H, W) or (N, C, D, H, W).
        size, scale_factor: one number, or one a dimension; one of the two.
        mode: "nearest", "nearest-exact", "area", "linear" (3D input), "bilinear", "bicubic" (4D),
            "trilinear" (5D), "lanczos" (4D, with `antialias`).
        align_corners: whether the outermost elements coincide, rather than the edges.
        recompute_scale_factor: use the ratio of the sizes instead of `scale_factor` itself.
        antialias: widen the filter when shrinking ("bilinear", "bicubic", "lanczos").

    >>> F.interpolate(torch.tensor([[[1., 2.]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    check_tensor("interpolate", "input", 1, input)
    if align_corners is not None and mode not in _ALIGNABLE:
        raise ValueError(
            message(
                "align_corners option can only be set with the interpolating modes: "
                "linear | bilinear | bicubic | trilinear",
                got=f"mode={mode!r}",
            )
        )
    d = input.ndim - 2
    space = tuple(input.shape[2:])
    out, scales = _output_size(space, size, scale_factor)
    if recompute_scale_factor:
        if size is not None:
            raise ValueError(
                message("recompute_scale_factor is not meaningful with an explicit size.")
            )
        scales = None
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and d == 2):
        raise ValueError(
            message(
                "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and "
                "requires a 4-D tensor as input",
                got=f"mode={mode!r}, {input.ndim}-D input",
            )
        )
    _check_mode(mode, d, input)
    if mode == "lanczos" and not antialias:
        raise ValueError(message("lanczos mode needs antialias=True"))
    if min(out) < 1 or 0 in space:
        raise RuntimeError(
            message(
                "Input and output sizes should be greater than 0, but got input "
                f"{list_of(space)} output {list_of(out)}"
            )
        )
    if mode == "area":
        return pool_public._adaptive_avg(d, input, out)
    if mode == "nearest" and d == 2 and scales is not None:
        # at the same and the double size PyTorch does not look at the scale of an image
        scales = [
            None if o in (n, 2 * n) else s for n, o, s in zip(space, out, scales, strict=True)
        ]
    how = tuple(
        Resize(
            _KERNEL.get(mode, mode),
            n,
            o,
            bool(align_corners),
            None if scales is None else scales[i],
            bool(antialias),
        )
        for i, (n, o) in enumerate(zip(space, out, strict=True))
    )
    return _resized(input, how)


def _resized(input: Any, how: tuple[Resize, ...]) -> Any:
    dtype = dtype_of(input)
    if dtype.category == dtypes.FLOAT or dtype.is_complex:
        return resample.resize(input, how)
    if dtype is not dtypes.uint8:
        raise NotImplementedError(
            message(
                f"\"interpolate\" not implemented for '{type_name(dtype)}'",
                got=f"{dtype!r}",
                hint="x.float()",
            )
        )
    if how[0].mode.startswith("nearest"):
        return resample.resize(input, how)
    # One dimension after the other, with bytes in between, as PyTorch (and Pillow) do it.
    x = input.float()
    for i in reversed(range(len(how))):
        if how[i].out != how[i].size:
            step = [Resize(how[0].mode, n, n, antialias=how[0].antialias) for n in x.shape[2:]]
            step[i] = how[i]
            x = resample.resize(x, tuple(step)).add(0.5).floor().clamp(0, 255)  # halves up
    return x.to(dtype)


def _check_mode(mode: str, d: int, input: Any) -> None:
    if mode not in _DIMS or d not in (1, 2, 3):
        raise NotImplementedError(
            message(
                "Input Error: Only 3D, 4D and 5D input Tensors supported "
                f"(got {input.ndim}D) for the modes: nearest | linear | bilinear | bicubic | "
                f"trilinear | lanczos | area | nearest-exact (got {mode})",
                got=f"input {list_of(input.shape)}",
                wanted="(N, C, ...): a batch and a channel dimension in front",
                hint="unsqueeze() the missing dimension",
            )
        )
    if d not in _DIMS[mode]:
        raise NotImplementedError(
            message(
                f"Got {input.ndim}D input, but {mode} mode needs {_DIMS[mode][0] + 2}D input",
                got=f"input {list_of(input.shape)}",
                hint=f"mode={('linear', 'bilinear', 'trilinear')[d - 1]!r}",
            )
        )


def _output_size(space: Ints, size: Any, scale_factor: Any) -> tuple[Ints, Any]:
    """(output sizes, scale factors or None)."""
    if size is not None and scale_factor is not None:
        raise ValueError(message("only one of size or scale_factor should be defined"))
    if size is None and scale_factor is None:
        raise ValueError(message("either size or scale_factor should be defined"))
    name, given = ("size", size) if size is not None else ("scale_factor", scale_factor)
    if isinstance(given, (tuple, list)):
        if len(given) != len(space):
            raise ValueError(
                message(
                    "Input and output must have the same number of spatial dimensions, but got "
                    f"input with spatial dimensions of {list_of(space)} and {name} of {given}. "
                    "Please provide input tensor in (N, C, d1, d2, ...,dK) format and output size "
                    "in (o1, o2, ...,oK) format."
                )
            )
        values = list(given)
    else:
        values = [given] * len(space)
    if size is not None:
        if isinstance(size, (tuple, list)) and not all(hasattr(v, "__index__") for v in size):
            raise TypeError(
                message(
                    "interpolate: expected size to be one of int or Tuple[int] or "
                    "Tuple[int, int] or Tuple[int, int, int], but got size with types "
                    f"{[type(v) for v in size]}",
                    hint="int(value), or // instead of / where it is computed",
                )
            )
        return tuple(as_int("interpolate", "size", v) for v in values), None
    factors = [float(v) for v in values]
    wanted = [n * f for n, f in zip(space, factors, strict=True)]
    if not all(abs(n) < 2**63 for n in wanted):
        raise RuntimeError(
            message(
                "interpolate: value cannot be converted to type int64_t without overflow",
                f"scale_factor={scale_factor}, sizes {list_of(space)}",
                "sizes times scale_factor to be numbers below 2**63",
            )
        )
    return tuple(math.floor(n) for n in wanted), factors


@composite(public="nn.functional", samples=[case((1, 2, 4), 6)])
def upsample(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:
    """The old name of `interpolate`; deprecated, with a warning.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     F.upsample(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


@composite(public="nn.functional", samples=[case((1, 2, 4, 4), scale_factor=2)])
def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """`interpolate` with mode="nearest"; deprecated, with a warning.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     F.upsample_nearest(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    return interpolate(input, size, scale_factor, mode="nearest")


@composite(public="nn.functional", samples=[case((1, 2, 4, 4), scale_factor=2)])
def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """`interpolate` with mode="bilinear" and align_corners=True; deprecated, with a warning.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     F.upsample_bilinear(torch.tensor([[[[1.0, 3.0]]]]), size=(1, 3))
    tensor([[[[1., 2., 3.]]]])
    """
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


# -- sampling at the points of a grid ------------------------------------------------------------

_MODES = ("bilinear", "nearest", "bicubic")
_PADDINGS = ("zeros", "border", "reflection")


@composite(
    accepts="floating: grid_sampler_2d_cpu_kernel_impl",
    public="nn.functional",
    samples=[
        case((1, 2, 4, 4), arr((1, 3, 3, 2), -0.9, 0.9), align_corners=False),
        case((1, 2, 4, 4), arr((1, 3, 3, 2), -0.9, 0.9), "nearest", "border", align_corners=True),
    ],
)
def grid_sample(
    input: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Any:
    """Values of images at the points of a grid.

    Args:
        input: (N, C, H, W) or (N, C, D, H, W).
        grid: (N, H', W', 2) with x, y, or (N, D', H', W', 3) with x, y, z: -1 is the first element
            of a dimension and 1 the last (their centres when `align_corners`, else their edges).
        mode: "bilinear", "nearest" or "bicubic" (images only).
        padding_mode: what lies outside: "zeros", the "border", or its "reflection".

    Jaderberg et al., Spatial Transformer Networks, 2015.

    >>> image = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> F.grid_sample(image, torch.tensor([[[[0.0, 0.0]]]]), align_corners=True)
    tensor([[[[2.5000]]]])
    """
    if mode not in _MODES:
        raise ValueError(
            message(
                "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or "
                f"'bicubic', but got: '{mode}'"
            )
        )
    if padding_mode not in _PADDINGS:
        raise ValueError(
            message(
                "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
                f"'reflection', but got: '{padding_mode}'"
            )
        )
    if align_corners is None:
        _warn("grid_sample")
    return _grid_sampler(input, grid, mode, padding_mode, bool(align_corners))


def _warn(fn: str) -> None:
    warnings.warn(
        f"Default {fn} behavior has changed to align_corners=False since 1.3.0. "
        "Please specify align_corners=True if the old behavior is desired. "
        f"See the documentation of {fn} for details.",
        UserWarning,
        stacklevel=users_level(),
    )


@composite(
    accepts="floating: grid_sampler_2d_cpu_kernel_impl",
    public="torch",
    samples=[case((1, 2, 4, 4), arr((1, 3, 3, 2), -0.9, 0.9), 0, 0, False)],
)
def grid_sampler(
    input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> Any:
    """`nn.functional.grid_sample` with its modes as numbers, in the order of its documentation.

    `interpolation_mode` 0 bilinear, 1 nearest, 2 bicubic; `padding_mode` 0 zeros, 1 border, 2
    reflection.

    >>> image = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
    >>> torch.grid_sampler(image, torch.tensor([[[[1.0, 1.0]]]]), 0, 0, True)
    tensor([[[[4.]]]])
    """
    return _grid_sampler(
        input, grid, _MODES[interpolation_mode], _PADDINGS[padding_mode], align_corners
    )


def _of_dimensions(spatial: int, names: tuple[str, ...], shapes: tuple[Any, Any]) -> None:
    """Publish `grid_sampler` for images alone, or for volumes."""

    def sampler(
        input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool
    ) -> Any:
        mode, padding = _MODES[interpolation_mode], _PADDINGS[padding_mode]
        return _grid_sampler(input, grid, mode, padding, align_corners, spatial)

    sampler.__doc__ = f"""`grid_sampler` of {"images" if spatial == 2 else "volumes"} alone.

    `interpolation_mode` 0 bilinear, 1 nearest, 2 bicubic; `padding_mode` 0 zeros, 1 border, 2
    reflection.

    >>> x, grid = torch.ones{shapes[0]}, torch.zeros{shapes[1]}
    >>> torch.{names[0]}(x, grid, 0, 0, False).max()
    tensor(1.)
    """
    composite(
        accepts="floating: grid_sampler_2d_cpu_kernel_impl",
        public="torch",
        name=names[0],
        aliases=" ".join(names[1:]),
        samples=[case(shapes[0], arr(shapes[1], -0.9, 0.9), 0, 0, False)],
    )(sampler)


_of_dimensions(
    2, ("grid_sampler_2d", "_grid_sampler_2d_cpu_fallback"), ((1, 2, 4, 4), (1, 3, 3, 2))
)
_of_dimensions(3, ("grid_sampler_3d",), ((1, 2, 3, 3, 3), (1, 2, 2, 2, 3)))


def _grid_sampler(input: Any, grid: Any, mode: str, padding_mode: str, align_corners: bool,
                  spatial: int | None = None) -> Any:  # fmt: skip
    check_tensor("grid_sampler", "input", 1, input)
    check_tensor("grid_sampler", "grid", 2, grid)
    if not input.ndim or not grid.ndim:
        raise IndexError(message("Dimension specified as 0 but tensor has no dimensions"))
    of_input, of_grid = tuple(input.shape), tuple(grid.shape)
    d = len(of_input) - 2
    if of_input[0] != of_grid[0]:
        raise RuntimeError(
            message(
                "grid_sampler(): expected grid and input to have same batch size, but got "
                f"{_shapes(of_input, of_grid)}",
                hint="grid.expand(N, ...)",
            )
        )
    if of_grid[-1] != d:
        raise RuntimeError(
            message(
                f"grid_sampler(): expected grid to have size {d} in last dimension, but got grid "
                f"with sizes {list_of(of_grid)}"
            )
        )
    if 0 in of_input[2:]:
        raise RuntimeError(
            message(
                "grid_sampler(): expected input to have non-empty spatial dimensions, but input "
                f"has sizes {list_of(of_input)} with dimension {of_input.index(0, 2)} being empty"
            )
        )
    wanted = spatial + 2 if spatial else 4 if len(of_input) == 4 else 5
    if len(of_input) != wanted or len(of_grid) != wanted:
        raise RuntimeError(
            message(
                f"grid_sampler(): expected {wanted}D input and grid with same "
                f"number of dimensions, but got {_shapes(of_input, of_grid)}"
            )
        )
    if mode == "bicubic" and d != 2:
        raise RuntimeError(message("grid_sampler(): bicubic interpolation only supports 4D input"))
    same_types("grid_sampler", resample.grid_sampler_op, input=input, grid=grid)
    return resample.grid_sampler_op(
        input, grid, mode=mode, padding_mode=padding_mode, align_corners=bool(align_corners)
    )


def _shapes(input: Ints, grid: Ints) -> str:
    return f"input with sizes {list_of(input)} and grid with sizes {list_of(grid)}"


@composite(
    public="nn.functional",
    samples=[
        case((2, 2, 3), [2, 1, 4, 4], align_corners=False),
        case((1, 3, 4), [1, 1, 2, 3, 4], align_corners=True),
    ],
)
def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Any:
    """A grid for `grid_sample` that moves an image of `size` by the matrices `theta`.

    Args:
        theta: (N, 2, 3) for images, (N, 3, 4) for volumes.
        size: (N, C, H, W) or (N, C, D, H, W) of the result.

    >>> theta = torch.tensor([[[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]]])
    >>> F.affine_grid(theta, (1, 1, 1, 2), align_corners=False)
    tensor([[[[0., 0.],
              [1., 0.]]]])
    """
    check_tensor("affine_grid", "theta", 1, theta)
    if not dtype_of(theta).is_floating_point:
        raise ValueError(
            message(
                f"Expected theta to have floating point type, but got {dtype_of(theta)!r}",
                hint="theta.float()",
            )
        )
    sizes = tuple(as_int("affine_grid", "size", n) for n in size)
    if len(sizes) not in (4, 5):
        raise NotImplementedError(
            message(
                "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
                f"respectively. Got size {sizes}."
            )
        )
    d = len(sizes) - 2
    if theta.ndim != 3 or tuple(theta.shape[1:]) != (d, d + 1):
        raise ValueError(
            message(
                f"Expected a batch of {d}D affine matrices of shape Nx{d}x{d + 1} for size "
                f"{sizes}. Got {theta.shape}."
            )
        )
    if min(sizes) <= 0:
        raise ValueError(message(f"Expected non-zero, positive output size. Got {sizes}"))
    if align_corners is None:
        _warn("affine_grid")
    if align_corners and min(sizes[2:]) == 1:
        warnings.warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when "
            "align_corners=True. This is not an intended use case of affine_grid. "
            "See the documentation of affine_grid for details.",
            UserWarning,
            stacklevel=3,
        )
    return resample.affine_grid_generator(theta, size=sizes, align_corners=bool(align_corners))
