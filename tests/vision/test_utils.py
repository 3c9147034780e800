"""Grids, saved pictures and drawings, by hand-made cases; all options: tests/compare/."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import utils

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


def test_grid_layout() -> None:
    images = [torch.full((1, 2, 3), float(i)) for i in (1, 2, 3)]
    grid = utils.make_grid(images, nrow=2, padding=1, pad_value=9.0)
    assert grid.shape == (3, 7, 9)
    assert grid[1].tolist() == [
        [9, 9, 9, 9, 9, 9, 9, 9, 9],
        [9, 1, 1, 1, 9, 2, 2, 2, 9],
        [9, 1, 1, 1, 9, 2, 2, 2, 9],
        [9, 9, 9, 9, 9, 9, 9, 9, 9],
        [9, 3, 3, 3, 9, 9, 9, 9, 9],
        [9, 3, 3, 3, 9, 9, 9, 9, 9],
        [9, 9, 9, 9, 9, 9, 9, 9, 9],
    ]


def test_grid_of_one_image() -> None:
    assert utils.make_grid(torch.zeros(4, 5)).shape == (3, 4, 5)
    assert utils.make_grid(torch.zeros(3, 4, 5)).shape == (3, 4, 5)
    assert utils.make_grid(torch.zeros(1, 1, 4, 5)).shape == (3, 4, 5)
    with pytest.raises(ValueError, match="wrong number of dimensions"):
        utils.make_grid(torch.zeros(2, 1, 3, 4, 5))


def test_grid_normalized() -> None:
    images = torch.tensor([[[[0.0, 4.0]]], [[[2.0, 3.0]]]], requires_grad=True)
    grid = utils.make_grid(images, padding=0, normalize=True)
    assert grid[0].tolist() == [[0, 1, 0.5, 0.75]]
    assert not grid.requires_grad
    grid = utils.make_grid(images, padding=0, normalize=True, scale_each=True)
    assert grid[0].tolist() == [[0, 1, 0, 1]]
    grid = utils.make_grid(images, padding=0, normalize=True, value_range=(2, 4))
    assert grid[0].tolist() == [[0, 1, 0, 0.5]]


@pytest.mark.parametrize("as_text", [True, False])
def test_save_image(tmp_path: Path, as_text: bool) -> None:
    images = torch.rand(2, 3, 4, 5, requires_grad=True)
    path: Any = tmp_path / "x.png"
    utils.save_image(images, str(path) if as_text else path, padding=0)
    with Image.open(path) as picture:
        pixels = np.asarray(picture)
    wanted = np.concatenate(list(images.detach().numpy()), axis=2).transpose(1, 2, 0)
    assert np.array_equal(pixels, (wanted * np.float32(255) + np.float32(0.5)).astype(np.uint8))


def test_save_image_into_a_file(tmp_path: Path) -> None:
    file = io.BytesIO()
    utils.save_image(torch.ones(1, 2, 2), file, "png")
    with Image.open(io.BytesIO(file.getvalue())) as picture:
        assert picture.getpixel((1, 1)) == (255, 255, 255)
    utils.save_image(torch.zeros(3, 2, 2), tmp_path / "no_ending", format="JPEG")
    with Image.open(tmp_path / "no_ending") as picture:
        assert picture.format == "JPEG"


def test_a_save_that_fails_leaves_the_old_picture(tmp_path: Path) -> None:
    path = tmp_path / "x.png"
    utils.save_image(torch.zeros(3, 4, 4), path)
    old = path.read_bytes()
    with pytest.raises((TypeError, ValueError, OSError, KeyError)):
        utils.save_image(torch.zeros(5, 4, 4), path)
    with pytest.raises(ValueError, match="unknown file extension"):
        utils.save_image(torch.zeros(3, 4, 4), tmp_path / "x.nothing")
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == ["x.png"]


def test_boxes() -> None:
    image = torch.zeros(3, 8, 8, dtype=torch.uint8)
    drawn = utils.draw_bounding_boxes(image, torch.tensor([[1, 2, 5, 6]]), colors="red")
    assert drawn.dtype is torch.uint8
    assert int(image.sum()) == 0
    assert drawn[0, 2].tolist() == [0, 255, 255, 255, 255, 255, 0, 0]
    assert int((drawn[0] > 0).sum()) == 16
    assert int(drawn[1:].sum()) == 0
    with pytest.warns(UserWarning, match="font_size"):
        utils.draw_bounding_boxes(image, torch.tensor([[1, 2, 5, 6]]), font_size=3)
    with pytest.raises(OSError, match=r"resource|open"):
        utils.draw_bounding_boxes(image, torch.tensor([[1, 2, 5, 6]]), ["a"], font="no such font")


def test_masks_and_points() -> None:
    image = torch.full((3, 2, 3), 100, dtype=torch.uint8)
    masks = torch.tensor([[[1, 1, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 1]]]).bool()
    drawn = utils.draw_segmentation_masks(image, masks, alpha=0.5, colors=["white", "black"])
    assert drawn[0].tolist() == [[177, 50, 100], [100, 100, 50]]
    image = torch.full((3, 9, 9), 100, dtype=torch.uint8)
    points = torch.tensor([[[2, 2], [7, 7]]])
    seen = torch.tensor([[True, False]])
    drawn = utils.draw_keypoints(
        image, points, [(0, 1)], colors=(1, 2, 3), radius=1, visibility=seen
    )
    assert drawn[:, 2, 2].tolist() == [1, 2, 3]
    assert int((drawn != 100).any(0).sum()) == 5


def test_names_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match=r"torchvision\.utils\.draw_nothing is not there"):
        utils.draw_nothing  # noqa: B018
    import rushlight.vision

    with pytest.raises(AttributeError, match=r"torchvision\.nothing is not there"):
        rushlight.vision.nothing  # noqa: B018
    assert "utils" in dir(rushlight.vision)
    assert rushlight.vision.get_image_backend() == "PIL"
    rushlight.vision.set_image_backend("PIL")
    with pytest.raises(ValueError, match="Invalid backend"):
        rushlight.vision.set_image_backend("accimage")


def test_flow_to_image() -> None:
    """Still is white; to the right red; half as far half as red."""
    flow = torch.tensor([[[2.0, 1.0, 0.0]], [[0.0, 0.0, 0.0]]])
    drawn = utils.flow_to_image(flow)
    assert drawn.dtype == torch.uint8
    assert drawn[:, 0].T.tolist() == [[255, 0, 0], [255, 127, 127], [255, 255, 255]]
    assert utils.flow_to_image(flow[None])[0].tolist() == drawn.tolist()
    assert utils._color_wheel().shape == (55, 3)
    with pytest.raises(ValueError, match=r"dtype torch\.float"):
        utils.flow_to_image(flow.double())
    with pytest.raises(ValueError, match="should have shape"):
        utils.flow_to_image(flow[0])
