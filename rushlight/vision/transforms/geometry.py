"""What turns and bends an image: rotate, affine, perspective, elastic_transform.

Pillow transforms its own images; tensors are read at the points of a grid by `grid_sample`. All
matrices map points of the result to points of the original. Not here: `resize`, `crop`, `pad`
(`layout.py`); the random angles (`random_geometry.py`).
"""

from __future__ import annotations

import math
import numbers
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...size import Size
from ...tensor import Tensor
from .._pillow import is_pil, pillow
from .convert import pil_to_tensor, to_pil_image
from .image import (
    Image,
    InterpolationMode,
    as_batch,
    check_image_tensor,
    check_pil,
    get_dimensions,
    mode_of,
    mode_of_number,
    pil_modes_mapping,
)
from .layout import pil_fill

Fill = float | Sequence[float] | None


def rotate(
    img: Image,
    angle: float,
    interpolation: InterpolationMode | int = InterpolationMode.NEAREST,
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Fill = None,
) -> Image:
    """Turn by an angle in degrees, counterclockwise.

    Args:
        img: a Pillow image or a tensor.
        angle: in degrees.
        interpolation: nearest or bilinear; for Pillow images also bicubic.
        expand: make the result large enough for the whole turned image.
        center: (x, y) from the top left corner; the middle when None.
        fill: the value outside, one number or one a channel; 0 when None.

    >>> rotate(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 90)
    tensor([[[2., 4.],
             [1., 3.]]])
    """
    mode = mode_of(interpolation)
    if not isinstance(angle, int | float):
        raise TypeError("Argument angle should be int or float")
    if center is not None and not isinstance(center, list | tuple):
        raise TypeError("Argument center should be a sequence")
    if not isinstance(img, Tensor):
        check_pil(img)
        color = pil_fill(fill, img)
        return img.rotate(angle, pil_modes_mapping[mode], expand, center, fillcolor=color)
    around = _from_middle(img, center)
    matrix = _inverse_matrix(around, -angle, (0.0, 0.0), 1.0, (0.0, 0.0))
    _check_grid_inputs(img, mode, fill)
    height, width = img.shape[-2:]
    size = _turned_size(matrix, width, height) if expand else (width, height)
    return _sample(img, _affine_grid(img, matrix, size), mode, fill)


def affine(
    img: Image,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: float | Sequence[float],
    interpolation: InterpolationMode | int = InterpolationMode.NEAREST,
    fill: Fill = None,
    center: Sequence[float] | None = None,
) -> Image:
    """Turn clockwise by `angle` degrees, shear, scale and move, keeping `center` in its place.

    Args:
        img: a Pillow image or a tensor.
        angle: in degrees.
        translate: pixels to the right and down.
        scale: a factor above 0.
        shear: degrees along x, or along x and y.
        interpolation, fill, center: as of `rotate`.

    >>> affine(torch.tensor([[[1.0, 2.0, 3.0]]]), 0, (1, 0), 1.0, 0)
    tensor([[[0., 1., 2.]]])
    """
    mode = mode_of(interpolation)
    if not isinstance(angle, int | float):
        raise TypeError("Argument angle should be int or float")
    if not isinstance(translate, list | tuple):
        raise TypeError("Argument translate should be a sequence")
    if len(translate) != 2:
        raise ValueError("Argument translate should be a sequence of length 2")
    if scale <= 0.0:
        raise ValueError("Argument scale should be positive")
    if not isinstance(shear, numbers.Number | list | tuple):
        raise TypeError("Shear should be either a single value or a sequence of two values")
    slant: Any = [shear, 0.0] if isinstance(shear, numbers.Number) else list(shear)  # type: ignore[arg-type]
    slant = slant * 2 if len(slant) == 1 else slant
    if len(slant) != 2:
        raise ValueError(f"Shear should be a sequence containing two values. Got {slant}")
    if center is not None and not isinstance(center, list | tuple):
        raise TypeError("Argument center should be a sequence")
    if not isinstance(img, Tensor):
        _, height, width = get_dimensions(img)
        middle = [width * 0.5, height * 0.5] if center is None else center
        matrix = _inverse_matrix(middle, angle, translate, scale, slant)
        return _transform_pil(img, pillow().Transform.AFFINE, matrix, mode, fill)
    matrix = _inverse_matrix(_from_middle(img, center), angle, translate, scale, slant)
    _check_grid_inputs(img, mode, fill)
    size = (img.shape[-1], img.shape[-2])
    return _sample(img, _affine_grid(img, matrix, size), mode, fill)


def perspective(
    img: Image,
    startpoints: Sequence[Sequence[int]],
    endpoints: Sequence[Sequence[int]],
    interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
    fill: Fill = None,
) -> Image:
    """The projection that carries four corners (x, y) of the image to four other points.

    >>> corners = [[0, 0], [2, 0], [2, 2], [0, 2]]
    >>> torch.equal(perspective(torch.ones(1, 3, 3), corners, corners), torch.ones(1, 3, 3))
    True
    """
    coefficients = _perspective_coefficients(startpoints, endpoints)
    return _projected(img, coefficients, mode_of(interpolation), fill)


def _projected(img: Image, coefficients: list[float], mode: InterpolationMode, fill: Fill) -> Image:
    """`perspective` by its eight numbers."""
    if not isinstance(img, Tensor):
        check_pil(img)
        return _transform_pil(img, pillow().Transform.PERSPECTIVE, coefficients, mode, fill)
    _check_grid_inputs(img, mode, fill)
    return _sample(img, _perspective_grid(img, coefficients), mode, fill)


def elastic_transform(
    img: Image,
    displacement: Tensor,
    interpolation: InterpolationMode | int = InterpolationMode.BILINEAR,
    fill: Fill = None,
) -> Image:
    """Each pixel read at its place moved by `displacement`.

    Args:
        img: a Pillow image or a tensor.
        displacement: (1, H, W, 2): x and y, where 2 is the width or height of the image.
        interpolation, fill: as of `rotate`.

    Simard et al., Best practices for convolutional neural networks, 2003.

    >>> elastic_transform(torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[[1.0, 0.0]] * 2]]))
    tensor([[[2., 0.]]])
    """
    if isinstance(interpolation, int):
        warnings.warn(
            "Argument interpolation should be of type InterpolationMode instead of int. "
            "Please, use InterpolationMode enum.",
            stacklevel=2,
        )
    mode = mode_of_number(interpolation)
    if not isinstance(displacement, Tensor):
        raise TypeError("Argument displacement should be a Tensor")
    if not isinstance(img, Tensor) and not is_pil(img):
        raise TypeError(f"img should be PIL Image or Tensor. Got {type(img)}")
    x = img if isinstance(img, Tensor) else pil_to_tensor(img)
    wanted = Size((1, *x.shape[-2:], 2))
    if wanted != displacement.shape:
        raise ValueError(
            f"Argument displacement shape should be {wanted}, but given {displacement.shape}"
        )
    height, width = x.shape[-2:]
    import rushlight

    rows, columns = (rushlight.linspace((1 - n) / n, (n - 1) / n, n) for n in (height, width))
    still = rushlight.stack(rushlight.meshgrid(columns, rows, indexing="xy"), -1)
    out = _sample(x, still + displacement, mode, fill)
    return out if x is img else to_pil_image(out, mode=img.mode)


# Matrices


def _from_middle(img: Tensor, center: Sequence[float] | None) -> Sequence[float]:
    """A centre counted from the middle of the image."""
    if center is None:
        return 0.0, 0.0
    _, height, width = get_dimensions(img)
    return [c - n * 0.5 for c, n in zip(center, (width, height), strict=True)]


def _inverse_matrix(
    center: Sequence[float],
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Sequence[float],
) -> list[float]:
    """The inverse of: move the centre to 0, shear, turn, scale, move it back and by `translate`.

    With R the rotation, the matrix of turning and shearing is
    [[cos(r - y) / cos y, -cos(r - y) tan x / cos y - sin r],
     [sin(r - y) / cos y, -sin(r - y) tan x / cos y + cos r]]; its determinant is 1.
    """
    r, x, y = math.radians(angle), math.radians(shear[0]), math.radians(shear[1])
    a = math.cos(r - y) / math.cos(y)
    b = -math.cos(r - y) * math.tan(x) / math.cos(y) - math.sin(r)
    c = math.sin(r - y) / math.cos(y)
    d = -math.sin(r - y) * math.tan(x) / math.cos(y) + math.cos(r)
    xx, xy, yx, yy = d / scale, -b / scale, -c / scale, a / scale
    (cx, cy), (tx, ty) = center, translate
    return [
        *(xx, xy, (0.0 / scale + (xx * (-cx - tx) + xy * (-cy - ty))) + cx),
        *(yx, yy, (0.0 / scale + (yx * (-cx - tx) + yy * (-cy - ty))) + cy),
    ]


def _turned_size(matrix: list[float], width: int, height: int) -> tuple[int, int]:
    """Width and height that hold the whole turned image, as Pillow computes them."""
    half = np.float32(0.5) * np.array([width, height], np.float32)
    corners = np.array([[-1, -1], [-1, 1], [1, 1], [1, -1]], np.float32) * half
    theta = np.array(matrix, np.float32).reshape(2, 3)
    moved = corners @ theta[:, :2].T + theta[:, 2]
    low, high = moved.min(0) + half, moved.max(0) + half
    # Without what lies beyond four digits, so that no rounding error costs a whole pixel.
    tolerance = np.float32(1e-4)
    outer = np.ceil(np.trunc(high / tolerance) * tolerance)
    inner = np.floor(np.trunc(low / tolerance) * tolerance)
    w, h = (outer - inner).tolist()
    return int(w), int(h)


def _perspective_coefficients(
    startpoints: Sequence[Sequence[int]], endpoints: Sequence[Sequence[int]]
) -> list[float]:
    """The eight numbers of x = (a X + b Y + c) / (g X + h Y + 1), y = (d X + e Y + f) / (...)."""
    if len(startpoints) != 4 or len(endpoints) != 4:
        raise ValueError(
            f"Please provide exactly four corners, got {len(startpoints)} startpoints and "
            f"{len(endpoints)} endpoints."
        )
    rows = []
    for (x, y), (u, v) in zip(endpoints, startpoints, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    q, r = np.linalg.qr(np.array(rows, np.float64))
    wanted = q.T @ np.array(startpoints, np.float64).reshape(8)
    try:
        solution = np.linalg.solve(r, wanted)
    except np.linalg.LinAlgError:  # three of the points on one line: the closest there is
        solution = np.linalg.lstsq(r, wanted, rcond=None)[0]
    return [float(v) for v in solution.astype(np.float32)]


def _transform_pil(
    img: Any, method: Any, data: list[float], mode: InterpolationMode, fill: Fill
) -> Any:
    check_pil(img)
    color = pil_fill(fill, img)
    return img.transform(img.size, method, data, pil_modes_mapping[mode], fillcolor=color)


# Grids


def _kind(img: Tensor) -> np.dtype:
    """The type that coordinates are computed in."""
    name = img.dtype.name
    return np.dtype(name if name == "float64" else np.float32)


def _affine_grid(img: Tensor, matrix: list[float], size: tuple[int, int]) -> Tensor:
    """Points of an affine map, from the middle of the image, for a result of (width, height)."""
    kind = _kind(img)
    height, width = img.shape[-2:]
    half = np.array([0.5 * width, 0.5 * height], kind)
    theta = np.array(matrix, kind).reshape(2, 3).T / half
    x = (np.arange(size[0]) + (0.5 - size[0] * 0.5)).astype(kind)
    y = (np.arange(size[1]) + (0.5 - size[1] * 0.5)).astype(kind)
    return Tensor._wrap(_products(x, y, theta))


def _perspective_grid(img: Tensor, coefficients: list[float]) -> Tensor:
    kind = _kind(img)
    height, width = img.shape[-2:]
    half = np.array([0.5 * width, 0.5 * height], kind)
    a, b, c, d, e, f, g, h = np.array(coefficients, kind)
    above = np.array([[a, d], [b, e], [c, f]], kind) / half
    below = np.array([[g, g], [h, h], [1, 1]], kind)
    x, y = (np.arange(n).astype(kind) + kind.type(0.5) for n in (width, height))
    one = kind.type(1)
    return Tensor._wrap(_products(x, y, above) / _products(x, y, below) - one)


def _products(x: np.ndarray, y: np.ndarray, theta: np.ndarray) -> np.ndarray:
    """[x, y, 1] @ theta at each point: (1, H, W, 2).

    A point half way between two pixels falls to one or the other by the last bit of its
    coordinates, so small and large images are computed as PyTorch's `bmm` computes them: small
    ones product by product, large ones by the matrix product of BLAS.
    """
    if 6 * x.size * y.size < 400:
        first, second = x[:, None] * theta[0], y[:, None] * theta[1]
        return ((first[None] + second[:, None]) + theta[2])[None]
    points = np.ones((y.size, x.size, 3), theta.dtype)
    points[..., 0] = x
    points[..., 1] = y[:, None]
    return (points.reshape(-1, 3) @ theta).reshape(1, y.size, x.size, 2)


def _check_grid_inputs(img: Tensor, mode: InterpolationMode, fill: Fill) -> None:
    check_image_tensor(img)
    if fill is not None and not isinstance(fill, int | float | tuple | list):
        warnings.warn("Argument fill should be either int, float, tuple or list", stacklevel=3)
    channels = get_dimensions(img)[0]
    if isinstance(fill, tuple | list) and len(fill) > 1 and len(fill) != channels:
        raise ValueError(
            "The number of elements in 'fill' cannot broadcast to match the number of "
            f"channels of the image ({len(fill)} != {channels})"
        )
    if mode not in (InterpolationMode.NEAREST, InterpolationMode.BILINEAR):
        raise ValueError(f"Interpolation mode '{mode.value}' is unsupported with Tensor input")


def _sample(img: Tensor, grid: Tensor, mode: InterpolationMode, fill: Fill) -> Tensor:
    """The image read at the points of a grid; `fill` where they lie outside."""
    import rushlight

    from ...nn.functional import grid_sample

    x, restore = as_batch(img, grid.dtype)
    if x.shape[0] > 1:
        grid = grid.expand(x.shape[0], *grid.shape[1:])
    if fill is not None:
        # One more channel of ones tells how much of each point lies within the image.
        x = rushlight.cat((x, rushlight.ones_like(x[:, :1])), dim=1)
    out = grid_sample(x, grid, mode=mode.value, padding_mode="zeros", align_corners=False)
    if fill is not None:
        out, inside = out[:, :-1], out[:, -1:]
        colors = list(fill) if isinstance(fill, Sequence) else [float(fill)]
        color = rushlight.as_tensor(colors, dtype=out.dtype).view(1, -1, 1, 1)
        if mode is InterpolationMode.NEAREST:
            out = rushlight.where(inside < 0.5, color, out)
        else:
            out = out * inside + (1.0 - inside) * color
    return restore(out)
