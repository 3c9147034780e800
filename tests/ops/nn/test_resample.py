"""interpolate, grid_sample, affine_grid and the shuffles on Tensors."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
import rushlight.nn.functional as F


def test_known_values():
    x = torch.tensor([[[1.0, 3.0]]])
    assert F.interpolate(x, 4).tolist() == [[[1, 1, 3, 3]]]
    assert F.interpolate(x, 3, mode="linear", align_corners=True).tolist() == [[[1, 2, 3]]]
    assert F.interpolate(x, scale_factor=2, mode="linear").tolist() == [[[1, 1.5, 2.5, 3]]]
    assert F.interpolate(x, 1, mode="area").tolist() == [[[2]]]
    image = x[:, :, None].expand(1, 1, 2, 2)
    assert F.interpolate(image, scale_factor=2).shape == (1, 1, 4, 4)
    y = F.interpolate(image, (2, 3), mode="bilinear", align_corners=True)
    assert y.tolist() == [[[[1, 2, 3], [1, 2, 3]]]]


def test_gradient_of_nearest():
    x = torch.tensor([[[1.0, 3.0]]], requires_grad=True)
    y = F.interpolate(x, scale_factor=3)
    assert type(y.grad_fn).__name__ == "UpsampleNearest1DBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [[[3, 3]]]


def test_identity_grid(rng):
    x = torch.tensor(rng.standard_normal((2, 3, 4, 5)))
    theta = torch.tensor([[[1.0, 0, 0], [0, 1, 0]]]).double().expand(2, 2, 3)
    for corners in (True, False):
        grid = F.affine_grid(theta, (2, 3, 4, 5), align_corners=corners)
        assert tuple(grid.shape) == (2, 4, 5, 2)
        for mode in ("bilinear", "bicubic", "nearest"):
            y = F.grid_sample(x, grid, mode=mode, align_corners=corners)
            np.testing.assert_allclose(y.numpy(), x.numpy(), atol=1e-12)


def test_what_lies_outside():
    x = torch.tensor([[[[1.0, 2.0]]]])
    grid = torch.tensor([[[[-1.0, 0.0], [3.0, 0.0]]]])
    how = {"align_corners": True}
    assert F.grid_sample(x, grid, **how).tolist() == [[[[1, 0]]]]
    assert F.grid_sample(x, grid, padding_mode="border", **how).tolist() == [[[[1, 2]]]]
    assert F.grid_sample(x, grid, padding_mode="reflection", **how).tolist() == [[[[1, 1]]]]


def test_gradient_by_the_grid():
    """x is 0, 10, 20 along the width: half a unit of the grid is one element."""
    x = torch.tensor([[[[0.0, 10.0, 20.0]]]], requires_grad=True)
    grid = torch.tensor([[[[0.25, 0.0]]]], requires_grad=True)
    y = F.grid_sample(x, grid, align_corners=True)
    assert y.item() == 12.5
    y.backward()
    assert grid.grad.tolist() == [[[[10, 0]]]]
    assert x.grad.tolist() == [[[[0, 0.75, 0.25]]]]


def test_grids_can_be_differentiated_twice(rng):
    x = torch.tensor(rng.standard_normal((1, 1, 4, 4)), requires_grad=True)
    grid = torch.tensor(rng.uniform(-0.8, 0.8, (1, 2, 2, 2)), requires_grad=True)
    y = F.grid_sample(x, grid, mode="bicubic", align_corners=False)
    gx, gg = torch.autograd.grad((y**2).sum(), [x, grid], create_graph=True)
    a, b = torch.autograd.grad((gx**2).sum() + (gg**2).sum(), [x, grid])
    assert (a.shape, b.shape) == (x.shape, grid.shape)


def test_shuffles():
    x = torch.arange(4.0).reshape(1, 4, 1, 1)
    assert F.pixel_shuffle(x, 2).tolist() == [[[[0, 1], [2, 3]]]]
    assert F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2).tolist() == x.tolist()
    assert F.channel_shuffle(x, 2).reshape(-1).tolist() == [0, 2, 1, 3]
    assert F.pixel_shuffle(x.to(torch.bfloat16), 2).dtype is torch.bfloat16


def test_meta():
    x = torch.empty(2, 4, 6, 6, device="meta")
    assert tuple(F.interpolate(x, (5, 9), mode="bicubic").shape) == (2, 4, 5, 9)
    grid = torch.empty(2, 3, 7, 2, device="meta")
    assert tuple(F.grid_sample(x, grid, align_corners=True).shape) == (2, 4, 3, 7)
    assert tuple(F.pixel_shuffle(x, 2).shape) == (2, 1, 12, 12)


@pytest.mark.parametrize(
    ("how", "kind", "words"),
    [
        ({}, ValueError, "either size or scale_factor should be defined"),
        ({"size": 2, "scale_factor": 2}, ValueError, "only one of size or scale_factor"),
        ({"size": (2, 2, 2)}, ValueError, "same number of spatial dimensions"),
        ({"size": 2, "mode": "linear"}, NotImplementedError, "Got 4D input, but linear mode needs"),
        ({"size": 2, "align_corners": True}, ValueError, "align_corners option can only be set"),
        ({"size": 0}, RuntimeError, "should be greater than 0"),
        ({"scale_factor": 1e20}, RuntimeError, "without overflow"),
        ({"scale_factor": float("nan")}, RuntimeError, "without overflow"),
        ({"size": [1.0, 1.0]}, TypeError, r"size to be one of int or .* size with types .*float"),
    ],
)
def test_errors(how, kind, words):
    with pytest.raises(kind, match=words):
        F.interpolate(torch.zeros(1, 1, 3, 3), **how)


def test_grids_of_uint8_begin_at_255():
    theta = torch.tensor([[[1, 0, 0], [0, 1, 0]]], dtype=torch.uint8)
    grid = torch.affine_grid_generator(theta, (1, 1, 1, 3), True)
    assert grid[0, 0].tolist() == [[255, 0], [128, 0], [1, 0]]
    grid = torch.affine_grid_generator(theta, (1, 1, 1, 4), False)
    assert grid[0, 0, :, 0].tolist() == [63, 63, 63, 0]


@pytest.mark.parametrize("history", [False, True])
def test_nearest_neighbours_hand_no_gradient_to_their_grid(history):
    """Whatever goes back: NaN times a slope of 0 is none."""
    image, grid = torch.ones(1, 2, 4, 4, requires_grad=True), torch.zeros(1, 2, 2, 2)
    y = F.grid_sample(image, grid.requires_grad_(), "nearest", align_corners=False)
    gradient = torch.full(y.shape, float("nan"))
    (alone,) = torch.autograd.grad(y, grid, gradient, retain_graph=True, create_graph=history)
    of_image, beside = torch.autograd.grad(y, (image, grid), gradient, create_graph=history)
    assert not alone.any()
    assert not beside.any()
    assert of_image.isnan().any()
