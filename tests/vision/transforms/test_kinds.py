"""Boxes, masks and points in transforms of v2: hand-computed, and what torchvision 0.28 drew."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import tv_tensors as tv
from rushlight.vision.transforms import v2

F = v2.functional
Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

# What torchvision 0.28 made of seed 8 in `test_detection_training_chain`, and of seed 1 in MixUp.
CHAIN = {"boxes": [[0, 2, 4, 5]], "labels": [7], "shape": [3, 5, 4], "sum": 20.647060}
WEIGHT = 0.7312624


def boxes(values: Any = ((1, 2, 5, 4),), format: str = "XYXY", **how: Any) -> Any:
    return tv.BoundingBoxes(torch.tensor(values), format=format, canvas_size=(6, 8), **how)


def points(*values: Any) -> Any:
    return tv.KeyPoints(list(values), canvas_size=(6, 8))


def test_tensors_know_what_they_are() -> None:
    b = boxes()
    assert type(b + 1) is torch.Tensor
    assert b.clone().canvas_size == b.detach().canvas_size == b.to(torch.float64).canvas_size
    assert b.requires_grad_(False) is b
    for again in (copy.deepcopy(b), pickle.loads(pickle.dumps(b)), tv.wrap(b + 0, like=b)):
        assert type(again) is tv.BoundingBoxes
        assert (again.format, again.canvas_size) == (tv.BoundingBoxFormat.XYXY, (6, 8))
    with tv.set_return_type("TVTensor"):
        assert (b + 1).format is tv.BoundingBoxFormat.XYXY
        assert type(b.unbind(0)[0]) is tv.BoundingBoxes
    assert type(b + 1) is torch.Tensor
    assert "format=BoundingBoxFormat.XYXY, canvas_size=(6, 8)" in repr(b)
    with pytest.raises(TypeError):
        b * tv.Mask([1])
    with pytest.raises(ValueError, match="1D or 2D"):
        boxes(np.ones((1, 1, 4)).tolist())
    with pytest.raises(ValueError, match="floating point"):
        boxes([[1, 2, 3, 4, 5]], "XYWHR")
    with pytest.raises(ValueError, match="return_type"):
        tv.set_return_type("x")
    batch = torch.utils.data.default_collate([tv.Image(torch.ones(1, 2, 2))] * 2)
    assert batch.shape == (2, 1, 2, 2)


def test_formats() -> None:
    b = boxes([[1, 2, 5, 9]])
    assert F.convert_bounding_box_format(b, new_format="XYWH").tolist() == [[1, 2, 4, 7]]
    assert F.convert_bounding_box_format(b, new_format="cxcywh").tolist() == [[3, 5, 4, 7]]
    turned = boxes([[2.0, 3.0, 4.0, 2.0, 90.0]], "XYWHR")
    corners = F.convert_bounding_box_format(turned, new_format="XYXYXYXY")
    assert torch.allclose(corners, torch.tensor([[2.0, 3, 2, -1, 4, -1, 4, 3]]), atol=1e-5)
    for name in ("CXCYWHR", "XYXYXYXY"):
        there = F.convert_bounding_box_format(turned, new_format=name)
        back = F.convert_bounding_box_format(there, new_format="XYWHR")
        assert torch.allclose(back, turned.as_subclass(torch.Tensor), atol=1e-5)
    with pytest.raises(ValueError, match="between rotated and unrotated"):
        F.convert_bounding_box_format(b, new_format="XYWHR")
    with pytest.raises(ValueError, match="old_format"):
        F.convert_bounding_box_format(torch.ones(1, 4), new_format="XYWH")


@pytest.mark.parametrize(
    ("change", "box", "point", "canvas"),
    [
        (lambda x: F.horizontal_flip(x), [3, 2, 7, 4], [6, 2], (6, 8)),
        (lambda x: F.vertical_flip(x), [1, 2, 5, 4], [1, 3], (6, 8)),
        (lambda x: F.resize(x, [12, 16]), [2, 4, 10, 8], [2, 4], (12, 16)),
        (lambda x: F.crop(x, 1, 2, 4, 4), [0, 1, 3, 3], [-1, 1], (4, 4)),
        (lambda x: F.pad(x, [1, 2, 3, 4]), [2, 4, 6, 6], [2, 4], (12, 12)),
        (lambda x: F.center_crop(x, [2, 4]), [0, 0, 3, 2], [-1, 0], (2, 4)),
        (lambda x: F.resized_crop(x, 2, 0, 2, 4, [4, 8]), [2, 0, 8, 4], [2, 0], (4, 8)),
        (lambda x: F.rotate(x, 180), [3, 2, 7, 4], [7, 4], (6, 8)),
        (lambda x: F.rotate(x, 90, expand=True), [2, 3, 4, 7], [2, 7], (8, 6)),
        (lambda x: F.affine(x, 0, [1, -1], 1.0, [0, 0]), [2, 1, 6, 3], [2, 1], (6, 8)),
        (
            lambda x: F.perspective(x, None, None, coefficients=[1, 0, -2, 0, 1, 0, 0, 0]),
            [3, 2, 7, 4],
            [3, 2],
            (6, 8),
        ),
        (lambda x: F.elastic(x, torch.zeros(1, 6, 8, 2)), [1, 2, 5, 4], [1, 2], (6, 8)),
    ],
)
def test_boxes_and_points_follow_the_image(change: Any, box: Any, point: Any, canvas: Any) -> None:
    found = change(boxes([[1.0, 2.0, 5.0, 4.0]]))
    assert type(found) is tv.BoundingBoxes
    assert torch.allclose(found, torch.tensor([box], dtype=torch.float32), atol=1e-4)
    assert tuple(found.canvas_size) == canvas
    found = change(points([1.0, 2.0]))
    assert type(found) is tv.KeyPoints
    assert torch.allclose(found, torch.tensor([point], dtype=torch.float32), atol=1e-4)
    assert tuple(found.canvas_size) == canvas
    mask = change(tv.Mask(torch.ones(6, 8, dtype=torch.uint8)))
    assert type(mask) is tv.Mask
    assert tuple(mask.shape) == canvas
    assert change(tv.Video(torch.ones(2, 3, 6, 8))).shape == (2, 3, *canvas)


@pytest.mark.parametrize("format", ["XYWH", "CXCYWH", "XYXY"])
def test_formats_agree(format: str, rng: np.random.Generator) -> None:
    """A box is moved alike in whatever format it is."""
    corners = np.sort(rng.random((5, 2, 2)) * 6, axis=1).reshape(5, 4).astype(np.float32)
    first = tv.BoundingBoxes(corners, format="XYXY", canvas_size=(6, 8))
    other = F.convert_bounding_box_format(first, new_format=format)
    for change in (
        F.horizontal_flip,
        F.vertical_flip,
        lambda x: F.rotate(x, 33.0, expand=True),
        lambda x: F.resized_crop(x, 1, 2, 4, 5, [9, 7]),
    ):
        back = F.convert_bounding_box_format(change(other), new_format="XYXY")
        assert torch.allclose(back, change(first).as_subclass(torch.Tensor), atol=1e-4)


def test_clamping() -> None:
    b = boxes([[-1, 2, 30, 9]])
    assert F.clamp_bounding_boxes(b).tolist() == [[0, 2, 8, 6]]
    assert F.clamp_bounding_boxes(b, clamping_mode=None).tolist() == b.tolist()
    assert v2.SetClampingMode(None)(b).clamping_mode is None
    loose = v2.Compose([v2.SetClampingMode(None), v2.Pad(1)])(b)
    assert loose.tolist() == [[0, 3, 31, 10]]
    upright = boxes([[-2.0, 1.0, 4.0, 2.0, 0.0]], "XYWHR")
    assert torch.allclose(
        F.clamp_bounding_boxes(upright), torch.tensor([[0.0, 1, 2, 2, 0]]), atol=1e-4
    )
    assert F.clamp_keypoints(points([-3, 9])).tolist() == [[0, 5]]
    with pytest.raises(ValueError, match="clamping_mode must be"):
        F.clamp_bounding_boxes(b, clamping_mode="x")


def sample() -> dict[str, Any]:
    pixels = torch.arange(3 * 6 * 8, dtype=torch.uint8).reshape(3, 6, 8)
    return {
        "image": tv.Image(pixels),
        "boxes": boxes([[1, 1, 5, 4], [4, 0, 8, 3], [0, 2, 3, 6]]),
        "labels": torch.tensor([7, 8, 9]),
        "masks": tv.Mask(torch.ones(3, 6, 8, dtype=torch.bool)),
        "rest": ("text", [torch.ones(2)]),
    }


def test_a_sample_is_changed_as_one() -> None:
    out = v2.RandomHorizontalFlip(1.0)(sample())
    assert out["boxes"].tolist() == [[3, 1, 7, 4], [0, 0, 4, 3], [5, 2, 8, 6]]
    assert out["image"][0, 0].tolist() == [7, 6, 5, 4, 3, 2, 1, 0]
    assert out["rest"][1][0].tolist() == [1, 1]
    torch.manual_seed(0)
    out = v2.RandomCrop(4, padding=2, fill={tv.Mask: 0, "others": 5})(sample())
    assert out["image"].shape[-2:] == out["masks"].shape[-2:] == out["boxes"].canvas_size
    with pytest.raises(ValueError, match="multiple HxW"):
        v2.RandomCrop(4)(sample() | {"other": tv.Image(torch.zeros(3, 9, 9))})


def test_detection_training_chain() -> None:
    """The chain of the references for detection, with what torchvision made of this seed."""
    chain = v2.Compose(
        [
            v2.RandomPhotometricDistort(p=1.0),
            v2.RandomZoomOut(fill={tv.Image: (123, 117, 104), "others": 0}),
            v2.RandomIoUCrop(),
            v2.RandomHorizontalFlip(p=1.0),
            v2.SanitizeBoundingBoxes(),
            v2.ToDtype(torch.float32, scale=True),
        ]
    )
    torch.manual_seed(8)
    out = chain(sample())
    assert out["boxes"].tolist() == CHAIN["boxes"]
    assert out["labels"].tolist() == CHAIN["labels"]
    assert tuple(out["image"].shape) == tuple(CHAIN["shape"])
    assert abs(float(out["image"].sum()) - CHAIN["sum"]) < 0.5
    assert out["masks"].shape == (len(CHAIN["labels"]), *CHAIN["shape"][1:])


def test_mixing() -> None:
    images, labels = torch.arange(4.0).reshape(4, 1, 1, 1).expand(4, 3, 4, 4), torch.arange(4)
    torch.manual_seed(1)
    mixed, soft = v2.MixUp(alpha=0.5, num_classes=4)(images, labels)
    weight = soft[1, 1].item()
    assert weight == pytest.approx(WEIGHT, abs=1e-6)
    assert mixed[1, 0, 0, 0].item() == pytest.approx(weight, abs=1e-6)  # of images 1 and 0
    cut, soft = v2.CutMix(num_classes=4)({"image": images, "label": labels}).values()
    own = (cut[2] == 2).float().mean().item()
    assert soft[2, 2].item() == pytest.approx(own, abs=1e-6)
    assert soft[2, 1].item() == pytest.approx(1 - own, abs=1e-6)
    with pytest.raises(ValueError, match="num_classes must be passed"):
        v2.MixUp()(images, labels)
    with pytest.raises(ValueError, match="Expected a batched input"):
        v2.MixUp(num_classes=4)(images[0], torch.arange(3))
    with pytest.raises(ValueError, match="does not support PIL"):
        v2.CutMix(num_classes=4)(boxes(), labels)


def test_sanitizing() -> None:
    b = boxes([[0, 0, 5, 5], [1, 1, 1, 5], [0, 0, 9, 3], [2, 2, 3, 3]])
    out = v2.SanitizeBoundingBoxes(min_area=2)({"boxes": b, "labels": torch.arange(4)})
    assert out["labels"].tolist() == [0]
    assert out["boxes"].canvas_size == (6, 8)
    kept, which = F.sanitize_bounding_boxes(b)
    assert which.tolist() == [True, False, False, True]
    assert type(kept) is tv.BoundingBoxes
    with pytest.raises(ValueError, match="where the labels are"):
        v2.SanitizeBoundingBoxes()({"boxes": b})
    with pytest.raises(ValueError, match="match the number of labels"):
        v2.SanitizeBoundingBoxes()({"boxes": b, "labels": torch.arange(3)})
    kept, which = v2.SanitizeKeyPoints(lambda s: s[1])((points([1, 1], [9, 9]), torch.arange(2)))
    assert (kept.tolist(), which.tolist()) == ([[1, 1]], [0])


def test_types_by_kind() -> None:
    wanted = {tv.Image: torch.float32, tv.Mask: torch.int64, "others": None}
    out = v2.ToDtype(wanted, scale=True)(sample())
    assert (out["image"].dtype, out["masks"].dtype) == (torch.float32, torch.int64)
    assert out["boxes"].dtype == torch.int64
    assert float(out["image"].max()) == pytest.approx(143 / 255)
    with pytest.raises(ValueError, match="No dtype was specified"):
        v2.ToDtype({tv.Mask: torch.int64})(sample())
    pure = v2.ToPureTensor()(sample())
    assert all(type(pure[key]) is torch.Tensor for key in ("image", "boxes", "masks"))


def test_a_kernel_of_your_own() -> None:
    class Label(tv.TVTensor):
        pass

    @F.register_kernel("vertical_flip", Label)
    def mirrored(inpt: Any) -> Any:
        return tv.wrap(-inpt, like=inpt)

    assert v2.RandomVerticalFlip(1.0)(Label([1, 2])).tolist() == [-1, -2]
    assert v2.RandomHorizontalFlip(1.0)(Label([1, 2])).tolist() == [1, 2]  # it passes
    with pytest.raises(TypeError, match="supports inputs of type"):
        F.horizontal_flip(Label([1, 2]))
    with pytest.raises(ValueError, match="builtin"):
        F.register_kernel("resize", tv.Mask)


def test_bad_arguments() -> None:
    for call, kind, text in (
        (lambda: v2.FiveCrop(2)(sample()), TypeError, "not supported by FiveCrop"),
        (lambda: v2.RandomIoUCrop()(torch.ones(3, 2, 2)), TypeError, "bounding boxes"),
        (lambda: v2.RandomZoomOut(side_range=(0.5, 1)), ValueError, "Invalid side range"),
        (lambda: v2.Resize(None), ValueError, "max_size must be an integer"),
        (lambda: v2.JPEG(0), ValueError, "from 1 to 100"),
        (lambda: v2.Normalize([0.5], [0.5])(Image.new("L", (2, 2))), TypeError, "PIL images"),
        (lambda: F.adjust_brightness(tv.Mask([[1]]), 2.0), TypeError, "adjust_brightness"),
        (lambda: F.pad(boxes(), 1, padding_mode="edge"), ValueError, "bounding boxes"),
        (lambda: v2.Compose([]), ValueError, "at least one"),
    ):
        with pytest.raises(kind, match=text):
            call()


def test_policies_draw_as_the_second_version() -> None:
    """What torchvision 0.28 made of these seeds: whole images move, or bytes are turned around."""
    pixels = torch.arange(3 * 6 * 8, dtype=torch.uint8).reshape(3, 6, 8)
    for make, sums in POLICIES:
        found = []
        for seed in range(6):
            torch.manual_seed(seed)
            out, label = make()(tv.Image(pixels), "label")
            assert (type(out), label) == (tv.Image, "label")
            found.append(int(out.as_subclass(torch.Tensor).to(torch.int64).sum()))
        assert all(abs(a - b) < 200 for a, b in zip(found, sums, strict=True)), found
    video = v2.AugMix()(tv.Video(pixels[None]))
    assert (type(video), video.shape) == (tv.Video, (1, 3, 6, 8))
    with pytest.raises(TypeError, match="BoundingBoxes are not supported by RandAugment"):
        v2.RandAugment()(sample())
    with pytest.raises(TypeError, match="found 2"):
        v2.TrivialAugmentWide()(tv.Image(pixels), tv.Image(pixels))
    with pytest.raises(ValueError, match="num_ops"):
        v2.RandAugment(-1)


POLICIES = [
    (v2.AutoAugment, [10296, 10296, 13835, 8580, 9009, 8580]),
    (v2.RandAugment, [9864, 9864, 9729, 18210, 7392, 10296]),
    (v2.TrivialAugmentWide, [0, 9144, 6549, 18291, 8192, 8217]),
    (v2.AugMix, [10258, 10104, 10063, 10179, 13458, 9940]),
]
