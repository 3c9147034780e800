"""Turns and bends: rotate, affine, perspective, elastic.

Not here: mirrors, sizes and crops (`_layout.py`); the grids of images (`../../geometry.py`), what
is done to boxes and points (`../_points.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .....tensor import Tensor
from ... import geometry
from .. import _points
from .._kernels import dispatch, kernels
from ._interpolation import BILINEAR, NEAREST, Fill, Mode, _mode


def _nearest(kernel: Any) -> Any:
    """A kernel of images for masks, which are read at the nearest pixel."""

    def call(inpt: Any, *args: Any, **kwargs: Any) -> Any:
        return kernel(inpt, *args, **{**kwargs, "interpolation": NEAREST})

    return call


def _rotate(inpt: Any, angle: float, interpolation: Mode = NEAREST, **kwargs: Any) -> Any:
    return geometry.rotate(inpt, angle, _mode(interpolation), **kwargs)


@kernels(_rotate, mask=_nearest(_rotate), boxes=_points.rotate, points=_points.rotate)
def rotate(
    inpt: Any,
    angle: float,
    interpolation: Mode = NEAREST,
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Fill = None,
) -> Any:
    """Turn by an angle in degrees, counterclockwise.

    Args:
        inpt: an image, video, mask, boxes (the boxes around the turned ones) or points.
        angle: in degrees.
        interpolation: how to fill in; masks are read at the nearest pixel.
        expand: make the result large enough for the whole turned image.
        center: (x, y) from the top left corner; the middle when None.
        fill: the value outside, one number or one a channel; 0 when None.

    >>> rotate(torch.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 90).flatten()
    tensor([2., 4., 1., 3.])
    """
    return dispatch(
        rotate,
        inpt,
        angle=angle,
        interpolation=interpolation,
        expand=expand,
        center=center,
        fill=fill,
    )


def _affine(inpt: Any, interpolation: Mode = NEAREST, **kwargs: Any) -> Any:
    return geometry.affine(inpt, interpolation=_mode(interpolation), **kwargs)


@kernels(_affine, mask=_nearest(_affine), boxes=_points.affine, points=_points.affine)
def affine(
    inpt: Any,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: float | Sequence[float],
    interpolation: Mode = NEAREST,
    fill: Fill = None,
    center: Sequence[float] | None = None,
) -> Any:
    """Turn clockwise by `angle` degrees, shear, scale and move, keeping `center` in its place.

    >>> affine(torch.tensor([[[1.0, 2.0, 3.0]]]), 0, [1, 0], 1.0, [0.0, 0.0])
    tensor([[[0., 1., 2.]]])
    """
    return dispatch(
        affine,
        inpt,
        angle=angle,
        translate=translate,
        scale=scale,
        shear=shear,
        interpolation=interpolation,
        fill=fill,
        center=center,
    )


def _perspective(
    inpt: Any,
    startpoints: Any,
    endpoints: Any,
    interpolation: Mode = BILINEAR,
    fill: Fill = None,
    coefficients: Any = None,
) -> Any:
    found = _points.coefficients_of(startpoints, endpoints, coefficients)
    return geometry._projected(inpt, found, _mode(interpolation), fill)


@kernels(
    _perspective,
    mask=_nearest(_perspective),
    boxes=_points.perspective,
    points=_points.perspective,
)
def perspective(
    inpt: Any,
    startpoints: Sequence[Sequence[int]] | None,
    endpoints: Sequence[Sequence[int]] | None,
    interpolation: Mode = BILINEAR,
    fill: Fill = None,
    coefficients: Sequence[float] | None = None,
) -> Any:
    """The projection that carries four corners (x, y) to four other points.

    Args:
        inpt: an image, video, mask, boxes or points.
        startpoints, endpoints: the four corners, and where they go.
        interpolation, fill: as of `rotate`.
        coefficients: the eight numbers of the projection, instead of the points.

    >>> corners = [[0, 0], [2, 0], [2, 2], [0, 2]]
    >>> torch.equal(perspective(torch.ones(1, 3, 3), corners, corners), torch.ones(1, 3, 3))
    True
    """
    return dispatch(
        perspective,
        inpt,
        startpoints,
        endpoints,
        interpolation=interpolation,
        fill=fill,
        coefficients=coefficients,
    )


def _elastic(
    inpt: Any, displacement: Tensor, interpolation: Mode = BILINEAR, fill: Fill = None
) -> Any:
    return geometry.elastic_transform(inpt, displacement, _mode(interpolation), fill)


@kernels(_elastic, mask=_nearest(_elastic), boxes=_points.elastic, points=_points.elastic)
def elastic(
    inpt: Any, displacement: Tensor, interpolation: Mode = BILINEAR, fill: Fill = None
) -> Any:
    """Each pixel read at its place moved by `displacement`.

    Args:
        inpt: an image, video, mask, boxes or points.
        displacement: (1, H, W, 2): x and y, where 2 is the width or height of the image.
        interpolation, fill: as of `rotate`.

    >>> elastic(torch.tensor([[[1.0, 2.0]]]), torch.tensor([[[[1.0, 0.0]] * 2]]))
    tensor([[[2., 0.]]])
    """
    return dispatch(
        elastic, inpt, displacement=displacement, interpolation=interpolation, fill=fill
    )


elastic_transform = elastic
