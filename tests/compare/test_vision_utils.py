"""Grids, saved pictures and drawings beside torchvision's: bit for bit."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.vision import utils as ours

torch = pytest.importorskip("torch")
Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


@pytest.fixture
def theirs(torchvision: Any) -> Any:
    return torchvision.utils


def both(array: np.ndarray) -> tuple[Any, Any]:
    return rushlight.from_numpy(array.copy()), torch.from_numpy(array.copy())


def equal(a: Any, b: Any) -> None:
    assert tuple(a.shape) == tuple(b.shape)
    assert str(a.dtype) == str(b.dtype)
    assert np.array_equal(a.numpy(), b.numpy())


GRIDS: list[dict[str, Any]] = [
    {},
    {"nrow": 3, "padding": 0},
    {"nrow": 1, "padding": 5, "pad_value": 0.5},
    {"normalize": True},
    {"normalize": True, "scale_each": True},
    {"normalize": True, "value_range": (-0.5, 1)},
    {"normalize": True, "value_range": (2.0, 2.0), "scale_each": True, "pad_value": 1},
]


@pytest.mark.parametrize("options", GRIDS)
@pytest.mark.parametrize(
    "shape", [(10, 3, 5, 4), (7, 1, 3, 3), (1, 3, 4, 4), (1, 1, 2, 2), (3, 4, 4), (1, 4, 4), (4, 4)]
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_make_grid(
    theirs: Any, rng: np.random.Generator, options: Any, shape: Any, dtype: str
) -> None:
    array = rng.standard_normal(shape).astype(dtype)
    a, b = both(array)
    equal(ours.make_grid(a, **options), theirs.make_grid(b, **options))
    assert np.array_equal(a.numpy(), array)  # left as it was
    if len(shape) == 4:
        equal(ours.make_grid(list(a), **options), theirs.make_grid(list(b), **options))


def test_make_grid_of_bytes(theirs: Any, rng: np.random.Generator) -> None:
    a, b = both(rng.integers(0, 256, (5, 2, 4, 3), np.uint8))
    equal(ours.make_grid(a, pad_value=7), theirs.make_grid(b, pad_value=7))


@pytest.mark.parametrize(
    "call",
    [
        lambda lib, t: lib.make_grid(3),
        lambda lib, t: lib.make_grid((t, t)),
        lambda lib, t: lib.make_grid([t, 3]),
        lambda lib, t: lib.make_grid(t, normalize=True, value_range=[0, 1]),
        lambda lib, t: lib.save_image(t, "a.unknown"),
        lambda lib, t: lib.draw_bounding_boxes(3, t),
        lambda lib, t: lib.draw_bounding_boxes(t.long(), t),
        lambda lib, t: lib.draw_bounding_boxes(t[None], t),
        lambda lib, t: lib.draw_bounding_boxes(t[:2], t),
        lambda lib, t: lib.draw_bounding_boxes(t, -t[0, :2, :4].cumsum(1)),
        lambda lib, t: lib.draw_bounding_boxes(t, t[0, :2, :4].cumsum(1), labels=["one"]),
        lambda lib, t: lib.draw_bounding_boxes(t, t[0, :2, :4].cumsum(1), colors=["red"]),
        lambda lib, t: lib.draw_bounding_boxes(t, t[0, :2, :4].cumsum(1), colors=(1, 2)),
        lambda lib, t: lib.draw_bounding_boxes(t, t[0, :2, :4].cumsum(1), colors=7),
        lambda lib, t: lib.draw_segmentation_masks(t[:1], t[0] > 0),
        lambda lib, t: lib.draw_segmentation_masks(t, t[0]),
        lambda lib, t: lib.draw_segmentation_masks(t, t[0, :2] > 0),
        lambda lib, t: lib.draw_segmentation_masks(t, t[None] > 0),
        lambda lib, t: lib.draw_keypoints(t, t[0]),
        lambda lib, t: lib.draw_keypoints(t, t, visibility=t[0, 0]),
        lambda lib, t: lib.draw_keypoints(t, t, visibility=t[:1, :1, 0]),
    ],
)
def test_errors(
    theirs: Any, call: Any, same_error: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    a, b = both(np.ones((3, 6, 5), np.float32))
    with pytest.raises(Exception) as caught:  # noqa: PT011
        call(theirs, b)
    words = str(caught.value).split(", got")[0].split(" got ")[0].split(" Got ")[0].split(". ")[0]
    words = words.replace("torch.Size", "")
    same_error(lambda: call(ours, a), lambda: call(theirs, b), __import__("re").escape(words))


@pytest.mark.parametrize("ending", ["png", "bmp", "jpg"])
def test_save_image(theirs: Any, rng: np.random.Generator, tmp_path: Path, ending: str) -> None:
    a, b = both(rng.uniform(-0.2, 1.2, (5, 3, 6, 7)).astype(np.float32))
    for options in ({}, {"nrow": 2, "normalize": True, "pad_value": 0.3}):
        ours.save_image(a, tmp_path / f"a.{ending}", **options)
        theirs.save_image(b, tmp_path / f"b.{ending}", **options)
        x, y = (Image.open(tmp_path / f"{n}.{ending}") for n in "ab")
        with x, y:
            assert (x.mode, x.format, x.tobytes()) == (y.mode, y.format, y.tobytes())
        files = io.BytesIO(), io.BytesIO()
        ours.save_image(a, files[0], format="png", **options)
        theirs.save_image(b, files[1], format="png", **options)
        assert files[0].getvalue() == files[1].getvalue()


BOXES = [[2, 3, 20, 12], [0, 0, 29, 24], [5, 5, 9, 20]]


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"colors": "red", "width": 3},
        {"colors": ["blue", (1, 200, 3), "#ff8800"], "fill": True},
        {"labels": ["one", "two", "three"], "colors": "white"},
        {"labels": ["one", None, "three"], "label_colors": "yellow", "fill_labels": True},
        {
            "labels": ["a", "b", "c"],
            "fill_labels": True,
            "label_background_colors": ["red", "green", "blue"],
        },
    ],
)
def test_boxes(
    theirs: Any, rng: np.random.Generator, dtype: str, channels: int, options: Any
) -> None:
    array = rng.uniform(0, 255, (channels, 25, 30))
    array = array.astype(np.uint8) if dtype == "uint8" else (array / 255).astype(np.float32)
    a, b = both(array)
    boxes = both(np.array(BOXES, np.float32))
    equal(
        ours.draw_bounding_boxes(a, boxes[0], **options),
        theirs.draw_bounding_boxes(b, boxes[1], **options),
    )
    assert np.array_equal(a.numpy(), array)
    turned = both(np.array([[5, 5, 25, 8, 23, 18, 3, 15]] * 3))
    equal(
        ours.draw_bounding_boxes(a, turned[0], **options),
        theirs.draw_bounding_boxes(b, turned[1], **options),
    )


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
@pytest.mark.parametrize("options", [{}, {"alpha": 0.3, "colors": ["red", "blue", "#123456"]}])
def test_masks(theirs: Any, rng: np.random.Generator, dtype: str, options: Any) -> None:
    array = rng.uniform(0, 255, (3, 9, 8))
    array = array.astype(np.uint8) if dtype == "uint8" else (array / 255).astype(dtype)
    a, b = both(array)
    masks = both(rng.uniform(size=(3, 9, 8)) > 0.6)
    x = ours.draw_segmentation_masks(a, masks[0], **options)
    y = theirs.draw_segmentation_masks(b, masks[1], **options)
    if dtype == "float64" and not options:  # there its own colours pass through float32
        np.testing.assert_allclose(x.numpy(), y.numpy(), rtol=1e-6)
    else:
        equal(x, y)


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_keypoints(theirs: Any, rng: np.random.Generator, dtype: str) -> None:
    array = rng.uniform(0, 255, (3, 30, 30))
    array = array.astype(np.uint8) if dtype == "uint8" else (array / 255).astype(dtype)
    a, b = both(array)
    points = both(rng.uniform(0, 30, (2, 4, 2)))
    seen = both(rng.uniform(size=(2, 4, 1)) > 0.3)
    for i, options in enumerate(
        ({}, {"colors": "red", "radius": 4, "width": 1, "connectivity": [(0, 1), (2, 3)]})
    ):
        shown = [{"visibility": v} if i else {} for v in seen]
        equal(
            ours.draw_keypoints(a, points[0], **options, **shown[0]),
            theirs.draw_keypoints(b, points[1], **options, **shown[1]),
        )


def test_nothing_to_draw(theirs: Any) -> None:
    a, b = both(np.zeros((3, 4, 4), np.float32))
    for lib, image in ((ours, a), (theirs, b)):
        with pytest.warns(UserWarning, match="No box was drawn"):
            assert lib.draw_bounding_boxes(image, image[0, :0]) is image
        with pytest.warns(UserWarning, match="No mask was drawn"):
            assert lib.draw_segmentation_masks(image, image[:0] > 0) is image
