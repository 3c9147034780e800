"""Easy transforms of Pillow images and of tensors: conversion, size, crop, flip, grey."""

from __future__ import annotations

import pickle
import sys
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import transforms as T
from rushlight.vision.transforms import functional as F
from rushlight.vision.transforms.layout import _sides

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


@pytest.fixture
def grey(rng: np.random.Generator) -> Any:
    return Image.fromarray(rng.integers(0, 256, (6, 9), np.uint8))


@pytest.fixture
def colour(rng: np.random.Generator) -> Any:
    return Image.fromarray(rng.integers(0, 256, (6, 9, 3), np.uint8))


def both(image: Any) -> list[Any]:
    """The image as Pillow's and as a tensor."""
    return [image, F.pil_to_tensor(image)]


def pixels(image: Any) -> np.ndarray:
    """(C, H, W)."""
    if isinstance(image, torch.Tensor):
        return image.numpy()
    array = np.asarray(image)
    return array[None] if array.ndim == 2 else array.transpose(2, 0, 1)


def test_to_tensor(grey: Any, colour: Any) -> None:
    x = T.ToTensor()(colour)
    assert x.shape == (3, 6, 9)
    assert x.dtype is torch.float32
    assert x.is_contiguous()
    assert np.array_equal(x.numpy(), pixels(colour).astype(np.float32) / np.float32(255))
    assert T.ToTensor()(grey).shape == (1, 6, 9)
    assert T.ToTensor()(np.asarray(colour)).tolist() == x.tolist()
    kept = T.ToTensor()(np.ones((2, 3), np.int32))
    assert kept.dtype is torch.int32
    assert kept.tolist() == [[[1, 1, 1], [1, 1, 1]]]


@pytest.mark.parametrize(
    ("mode", "dtype"), [("1", "float32"), ("L", "float32"), ("I", "int32"), ("F", "float32")]
)
def test_to_tensor_of_pillow_modes(mode: str, dtype: str) -> None:
    image = Image.fromarray(np.array([[0, 255]], np.uint8)).convert(mode)
    x = F.to_tensor(image)
    assert x.dtype is getattr(torch, dtype)
    assert x.tolist() == ([[[0, 1]]] if mode in "1L" else [[[0, 255]]])


def test_to_tensor_checks() -> None:
    with pytest.raises(TypeError, match="PIL Image or ndarray"):
        F.to_tensor([1])
    with pytest.raises(ValueError, match="2/3 dimensional"):
        F.to_tensor(np.zeros(3))
    with pytest.raises(TypeError, match="PIL Image"):
        F.pil_to_tensor(np.zeros((2, 2)))


def test_to_pil_image_round_trip(grey: Any, colour: Any) -> None:
    for image in (grey, colour):
        assert np.array_equal(pixels(F.to_pil_image(F.pil_to_tensor(image))), pixels(image))
        assert np.array_equal(pixels(F.to_pil_image(np.asarray(image))), pixels(image))
    floats = F.to_pil_image(torch.tensor([[0.0, 1.0]]))
    assert pixels(floats).tolist() == [[[0, 255]]]
    assert F.to_pil_image(np.zeros((2, 2), np.float32), mode="F").mode == "F"
    assert F.to_pil_image(np.zeros((2, 2), np.int32)).mode == "I"
    assert F.to_pil_image(np.zeros((2, 2, 4), np.uint8)).mode == "RGBA"
    assert F.to_pil_image(np.zeros((2, 2, 4), np.uint8), mode="CMYK").mode == "CMYK"
    assert F.to_pil_image(np.zeros((2, 2, 2), np.uint8)).mode == "LA"


def test_to_pil_image_checks() -> None:
    with pytest.raises(TypeError, match="Tensor or ndarray"):
        F.to_pil_image("x")
    with pytest.raises(ValueError, match="2/3 dimensional"):
        F.to_pil_image(np.zeros(3))
    with pytest.raises(ValueError, match="4 channels"):
        F.to_pil_image(np.zeros((2, 2, 5), np.uint8))
    with pytest.raises(ValueError, match="Incorrect mode"):
        F.to_pil_image(np.zeros((2, 2), np.uint8), mode="RGB")
    with pytest.raises(TypeError, match="not supported"):
        F.to_pil_image(np.zeros((2, 2, 3), np.int32))


def test_normalize() -> None:
    x = torch.arange(12.0).reshape(3, 2, 2)
    y = T.Normalize([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])(x)
    expected = (x.numpy() - np.array([[[1.0]], [[2.0]], [[3.0]]])) / np.array([[[1]], [[2]], [[4]]])
    assert y.numpy() == pytest.approx(expected)
    assert T.Normalize(0.5, 2.0)(torch.ones(2, 1, 4, 4)).tolist()[0][0][0][0] == 0.25
    T.Normalize([0.0], [2.0], inplace=True)(x)
    assert x[0, 0, 1] == 0.5
    with pytest.raises(ValueError, match="zero"):
        F.normalize(x, [0.0], [0.0])
    with pytest.raises(TypeError, match="float tensor"):
        F.normalize(torch.zeros(1, 2, 2, dtype=torch.int64), [0.0], [1.0])
    with pytest.raises(TypeError, match="Tensor Image"):
        F.normalize(np.zeros((1, 2, 2)), [0.0], [1.0])
    with pytest.raises(ValueError, match="C, H, W"):
        F.normalize(torch.zeros(2, 2), [0.0], [1.0])


@pytest.mark.parametrize(
    ("size", "max_size", "wanted"),
    [((28, 28), None, (28, 28)), (3, None, (3, 4)), ([12], None, (12, 18)), (4, 5, (3, 5))],
)
def test_resize_sizes(grey: Any, size: Any, max_size: Any, wanted: tuple[int, int]) -> None:
    for image in both(grey):
        out = T.Resize(size, max_size=max_size)(image)
        assert tuple(F.get_dimensions(out)[1:]) == wanted


def test_resize_of_tensors_follows_pillow(grey: Any) -> None:
    """Pillow rounds between its two passes, so a unit or two may differ."""
    image, x = both(grey)
    for size in ((12, 18), (17, 5), (3, 4)):
        a, b = pixels(F.resize(image, size)), pixels(F.resize(x, size))
        assert np.abs(a.astype(int) - b.astype(int)).max() <= 2
    nearest = F.InterpolationMode.NEAREST
    assert pixels(F.resize(x, (12, 18), nearest)).tolist() == [
        np.asarray(image).repeat(2, 0).repeat(2, 1).tolist()
    ]
    batch = x.float().expand(2, 5, 1, 6, 9)
    assert F.resize(batch, (4, 4)).shape == (2, 5, 1, 4, 4)


def test_resize_checks(grey: Any) -> None:
    assert F.resize(grey, (6, 9)) is grey
    with pytest.raises(ValueError, match="1 or 2"):
        F.resize(grey, (1, 2, 3))
    with pytest.raises(ValueError, match="max_size"):
        F.resize(grey, (4, 4), max_size=9)
    with pytest.raises(ValueError, match="strictly greater"):
        F.resize(grey, 4, max_size=4)
    with pytest.raises(TypeError, match="InterpolationMode"):
        F.resize(grey, 4, "bilinear")
    with pytest.raises(TypeError, match="int or sequence"):
        T.Resize(2.5)


@pytest.mark.parametrize("size", [(4, 5), (6, 9), (3, 4), 8, (1, 20), (11, 2)])
def test_center_crop_agrees_on_both_kinds(colour: Any, size: Any) -> None:
    a, b = (pixels(T.CenterCrop(size)(image)) for image in both(colour))
    assert np.array_equal(a, b)
    assert a.shape[1:] == ((size, size) if isinstance(size, int) else size)


@pytest.mark.parametrize("box", [(1, 2, 3, 4), (-1, -2, 4, 5), (4, 7, 5, 6), (-3, 0, 20, 9)])
def test_crop_agrees_on_both_kinds(grey: Any, box: tuple[int, int, int, int]) -> None:
    a, b = (pixels(F.crop(image, *box)) for image in both(grey))
    assert np.array_equal(a, b)


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric"])
@pytest.mark.parametrize("padding", [2, [1], (1, 3), (1, 2, 3, 4), (0, -1, 2, -2)])
def test_pad_agrees_on_both_kinds(colour: Any, mode: str, padding: Any) -> None:
    a, b = (pixels(T.Pad(padding, fill=7, padding_mode=mode)(image)) for image in both(colour))
    assert np.array_equal(a, b)
    left, top, right, bottom = _sides(padding)
    assert a.shape == (3, 6 + top + bottom, 9 + left + right)


def test_pad_colours(colour: Any, grey: Any) -> None:
    out = F.pad(colour, 1, fill=(1, 2, 3))
    assert np.asarray(out)[0, 0].tolist() == [1, 2, 3]
    palette = grey.convert("P")
    assert F.pad(palette, 1).mode == "P"
    with pytest.raises(ValueError, match="Padding mode"):
        T.Pad(1, padding_mode="wrap")
    with pytest.raises(ValueError, match="1, 2, or 4"):
        T.Pad((1, 2, 3))


def test_random_crop(grey: Any) -> None:
    x = F.pil_to_tensor(grey)
    crop = T.RandomCrop((3, 4))
    torch.manual_seed(2)
    a = crop(grey)
    torch.manual_seed(2)
    assert np.array_equal(pixels(a), pixels(crop(x)))
    assert pixels(a).shape == (1, 3, 4)
    places = {tuple(T.RandomCrop.get_params(x, (3, 4))) for _ in range(200)}
    assert {p[0] for p in places} == {0, 1, 2, 3}
    assert {p[1] for p in places} == set(range(6))
    assert T.RandomCrop(8, padding=1)(x).shape == (1, 8, 8)
    assert T.RandomCrop(12, pad_if_needed=True)(x).shape == (1, 12, 12)
    with pytest.raises(ValueError, match="larger than input"):
        T.RandomCrop(12)(x)


def test_flips(colour: Any) -> None:
    for image in both(colour):
        always, never = T.RandomHorizontalFlip(1.0), T.RandomHorizontalFlip(0.0)
        assert np.array_equal(pixels(always(image)), pixels(image)[:, :, ::-1])
        assert np.array_equal(pixels(never(image)), pixels(image))
        assert np.array_equal(pixels(T.RandomVerticalFlip(1.0)(image)), pixels(image)[:, ::-1])


def test_grayscale(colour: Any) -> None:
    image, x = both(colour)
    a, b = pixels(T.Grayscale()(image)), pixels(T.Grayscale()(x))
    assert np.abs(a.astype(int) - b.astype(int)).max() <= 1
    assert T.Grayscale(3)(image).mode == "RGB"
    assert T.Grayscale(3)(x).shape == (3, 6, 9)
    with pytest.raises(ValueError, match="1 or 3"):
        F.rgb_to_grayscale(image, 2)
    with pytest.raises(TypeError, match="PIL Image"):
        F.to_grayscale(x)


def test_compose_and_lambda(grey: Any) -> None:
    chain = T.Compose([T.CenterCrop(4), T.ToTensor(), T.Lambda(lambda x: x + 1)])
    assert chain(grey).min() >= 1
    assert "CenterCrop(size=(4, 4))" in repr(chain)
    with pytest.raises(TypeError, match="callable"):
        T.Lambda(3)


def test_transforms_pickle() -> None:
    chain = T.Compose([T.Resize(4), T.ToTensor(), T.Normalize([0.5], [0.5]), T.RandomCrop(2)])
    assert repr(pickle.loads(pickle.dumps(chain))) == repr(chain)


def test_sizes_of_other_things() -> None:
    with pytest.raises(TypeError, match="Unexpected type"):
        F.get_dimensions("x")
    with pytest.raises(TypeError, match="not a torch image"):
        F.get_dimensions(torch.zeros(3))
    assert F.get_image_size(torch.zeros(3, 4, 5)) == [5, 4]
    assert F.get_image_num_channels(torch.zeros(4, 5)) == 1


def test_the_error_without_pillow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ImportError, match=r"rushlight\[vision\]"):
        F.to_pil_image(np.zeros((2, 2), np.uint8))
    assert F.to_tensor(np.zeros((2, 2), np.uint8)).shape == (1, 2, 2)
