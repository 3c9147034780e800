"""The transforms of images against torchvision's: the same pictures for the same seeds.

Pillow images must come out identical; tensors of bytes to one unit, of floats to 1e-5.
"""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.vision import transforms as T

torch = pytest.importorskip("torch")
Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

# Each a transform under both libraries: T is the module `transforms`, M its InterpolationMode.
RANDOM: dict[str, Callable[[Any, Any], Any]] = {
    "crop": lambda T, M: T.RandomCrop((20, 17), padding=3),
    "crop edge": lambda T, M: T.RandomCrop(40, pad_if_needed=True, padding_mode="edge"),
    "crop reflect": lambda T, M: T.RandomCrop(32, padding=(4, 2), padding_mode="reflect"),
    "hflip": lambda T, M: T.RandomHorizontalFlip(),
    "vflip": lambda T, M: T.RandomVerticalFlip(0.3),
    "resized crop": lambda T, M: T.RandomResizedCrop(16),
    "resized crop bicubic": lambda T, M: T.RandomResizedCrop((30, 40), interpolation=M.BICUBIC),
    "resized crop odd": lambda T, M: T.RandomResizedCrop(9, (0.9, 1.0), (3.0, 4.0)),
    "rotation": lambda T, M: T.RandomRotation(45),
    "rotation bilinear": lambda T, M: T.RandomRotation((10, 80), M.BILINEAR, fill=9),
    "rotation expand": lambda T, M: T.RandomRotation(180, expand=True, fill=5),
    "rotation center": lambda T, M: T.RandomRotation(90, center=(3, 4)),
    "affine": lambda T, M: T.RandomAffine(30, (0.1, 0.3), (0.7, 1.4), 10),
    "affine bilinear": lambda T, M: T.RandomAffine(
        (0, 9), None, None, (-5, 5, -9, 9), M.BILINEAR, fill=3, center=[1, 2]
    ),
    "perspective": lambda T, M: T.RandomPerspective(p=0.8),
    "perspective nearest": lambda T, M: T.RandomPerspective(0.3, 1.0, M.NEAREST, fill=7),
    "elastic": lambda T, M: T.ElasticTransform(20.0, 2.0),
    "elastic nearest": lambda T, M: T.ElasticTransform([9.0, 30.0], [1.0, 3.0], M.NEAREST, fill=2),
    "jitter": lambda T, M: T.ColorJitter(0.4, 0.4, 0.4, 0.2),
    "jitter hue": lambda T, M: T.ColorJitter(hue=0.5),
    "jitter ranges": lambda T, M: T.ColorJitter((0.5, 2), 0, (0, 3), (-0.1, 0.4)),
    "grayscale": lambda T, M: T.RandomGrayscale(0.5),
    "blur": lambda T, M: T.GaussianBlur((5, 3), (0.1, 2.0)),
    "blur 9": lambda T, M: T.GaussianBlur(9, 1.5),
    "invert": lambda T, M: T.RandomInvert(),
    "solarize": lambda T, M: T.RandomSolarize(0.6),
    "sharpness": lambda T, M: T.RandomAdjustSharpness(1.7),
    "sharpness 0": lambda T, M: T.RandomAdjustSharpness(0, p=1.0),
    "autocontrast": lambda T, M: T.RandomAutocontrast(p=0.9),
    "apply": lambda T, M: T.RandomApply([T.RandomCrop(20), T.RandomInvert()], p=0.6),
    "order": lambda T, M: T.RandomOrder([T.RandomCrop(20), T.Pad(2), T.RandomInvert()]),
    "choice": lambda T, M: T.RandomChoice([T.RandomCrop(20), T.Pad(2), T.Pad(3)], p=[1, 2, 3]),
}
BYTES: dict[str, Callable[[Any, Any], Any]] = {  # of bytes alone
    "posterize": lambda T, M: T.RandomPosterize(3),
    "equalize": lambda T, M: T.RandomEqualize(p=0.9),
    "solarize": lambda T, M: T.RandomSolarize(100),
    "autoaugment": lambda T, M: T.AutoAugment(),
    "autoaugment cifar10": lambda T, M: T.AutoAugment(T.AutoAugmentPolicy.CIFAR10, fill=3),
    "autoaugment svhn": lambda T, M: T.AutoAugment(T.AutoAugmentPolicy.SVHN, M.BILINEAR),
    "randaugment": lambda T, M: T.RandAugment(3, 12),
    "randaugment filled": lambda T, M: T.RandAugment(interpolation=M.BILINEAR, fill=[3]),
    "trivial": lambda T, M: T.TrivialAugmentWide(),
    "augmix": lambda T, M: T.AugMix(),
    "augmix small": lambda T, M: T.AugMix(7, 2, 2, alpha=0.4, all_ops=False),
}
FIXED: dict[str, Callable[[Any, Any], Any]] = {
    "resize": lambda T, M: T.Resize((17, 40)),
    "resize short": lambda T, M: T.Resize(20),
    "resize max": lambda T, M: T.Resize([20], max_size=25),
    "resize nearest": lambda T, M: T.Resize((11, 50), M.NEAREST),
    "resize exact": lambda T, M: T.Resize((11, 50), M.NEAREST_EXACT),
    "resize bicubic": lambda T, M: T.Resize((12, 70), M.BICUBIC),
    "resize number": lambda T, M: T.Resize((12, 70), 3),
    "center": lambda T, M: T.CenterCrop((11, 20)),
    "center larger": lambda T, M: T.CenterCrop((51, 20)),
    "five": lambda T, M: T.FiveCrop((11, 20)),
    "ten": lambda T, M: T.TenCrop([13], vertical_flip=True),
    "pad": lambda T, M: T.Pad((1, 2, 3, 4), fill=7),
    "pad edge": lambda T, M: T.Pad((3, 5), padding_mode="edge"),
    "pad reflect": lambda T, M: T.Pad([6], padding_mode="reflect"),
    "pad symmetric": lambda T, M: T.Pad((3, 0, 7, 2), padding_mode="symmetric"),
    "pad less": lambda T, M: T.Pad((-3, 2, 4, -1)),
    "pad less symmetric": lambda T, M: T.Pad((-3, 2, 4, -1), padding_mode="symmetric"),
    "grayscale": lambda T, M: T.Grayscale(),
    "grayscale 3": lambda T, M: T.Grayscale(3),
    "rotate 90": lambda T, M: T.RandomRotation((90, 90), expand=True),
    "rotate 45": lambda T, M: T.RandomRotation((45, 45), expand=True),
    "compose": lambda T, M: T.Compose([T.Resize(20), T.CenterCrop(18), T.RandomHorizontalFlip(1)]),
    "gamma": lambda T, M: T.Lambda(lambda x: T.functional.adjust_gamma(x, 0.7, 1.1)),
    "dims": lambda T, M: T.Lambda(T.functional.get_dimensions),
    "size": lambda T, M: T.Lambda(T.functional.get_image_size),
}


def pictures(rng: np.random.Generator) -> list[np.ndarray]:
    """(H, W) and (H, W, 3) of bytes: noise, and something smooth with plain areas."""
    y, x = np.mgrid[:32, :29]
    smooth = np.stack([7 * x, 8 * y, 128 + 100 * np.sin(x * y / 60)], -1).clip(20, 230)
    smooth[5:9] = 90
    noise = rng.integers(0, 256, (32, 29, 3))
    return [a.astype(np.uint8) for a in (noise, smooth, noise[..., 0], smooth[..., 2])]


def run(library: Any, transform: Any, image: Any, seed: int) -> list[np.ndarray]:
    library.manual_seed(seed)
    random.seed(seed)
    out = transform(image)
    after = library.rand(3).tolist()
    parts = out if isinstance(out, tuple) else (out,)
    return [np.asarray(part) for part in parts] + [np.array(after), np.array(random.random())]


def compare(mine: list[np.ndarray], wanted: list[np.ndarray], far: float) -> None:
    assert len(mine) == len(wanted)
    for a, b in zip(mine, wanted, strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        if far == 0:
            assert np.array_equal(a, b)
        else:
            np.testing.assert_allclose(
                a.astype(float), b.astype(float), rtol=far if far < 1 else 0, atol=far
            )


def both(make: Any, torchvision: Any) -> tuple[Any, Any]:
    theirs = torchvision.transforms
    return make(T, T.InterpolationMode), make(theirs, theirs.InterpolationMode)


@pytest.mark.parametrize("name", [*RANDOM, *(n for n in BYTES if n not in RANDOM), *FIXED])
def test_pillow_images(name: str, torchvision: Any, rng: np.random.Generator) -> None:
    make = {**FIXED, **RANDOM, **BYTES}[name]
    mine, theirs = both(make, torchvision)
    assert repr(mine) == repr(theirs)
    for seed in range(12 if name not in FIXED else 1):
        for array in pictures(rng):
            image = Image.fromarray(array)
            far = 1 if name.startswith(("augmix", "elastic", "blur")) else 0
            compare(run(rushlight, mine, image, seed), run(torch, theirs, image, seed), far)


@pytest.mark.parametrize("name", [*RANDOM, *(n for n in BYTES if n not in RANDOM), *FIXED])
def test_tensors_of_bytes(name: str, torchvision: Any, rng: np.random.Generator) -> None:
    make = {**FIXED, **RANDOM, **BYTES}[name]
    mine, theirs = both(make, torchvision)
    for seed in range(12 if name not in FIXED else 1):
        for array in pictures(rng):
            x = np.ascontiguousarray(np.atleast_3d(array).transpose(2, 0, 1))
            a = run(rushlight, mine, rushlight.from_numpy(x), seed)
            b = run(torch, theirs, torch.from_numpy(x), seed)
            if name.startswith(("auto", "rand", "trivial", "augmix")):
                # A unit that one change is off by may be more after the next ones.
                apart = np.abs(a[0].astype(int) - b[0])
                assert np.mean(apart > 1) < 0.005, (np.mean(apart > 1), apart.max())
                a[0] = b[0]
            compare(a, b, 1)


@pytest.mark.parametrize("name", [*RANDOM, *FIXED])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tensors_of_floats(
    name: str, dtype: str, torchvision: Any, rng: np.random.Generator
) -> None:
    mine, theirs = both({**FIXED, **RANDOM}[name], torchvision)
    for seed in range(6 if name not in FIXED else 1):
        for array in pictures(rng)[1:3]:
            x = np.ascontiguousarray(np.atleast_3d(array).transpose(2, 0, 1)).astype(dtype) / 255
            a = run(rushlight, mine, rushlight.from_numpy(x), seed)
            b = run(torch, theirs, torch.from_numpy(x), seed)
            compare(a, b, 1e-5)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("other", ["uint8", "int16", "int32", "int64", "float32", "float64"])
def test_convert_image_dtype(
    dtype: str, other: str, torchvision: Any, rng: np.random.Generator
) -> None:
    top = np.iinfo(dtype).max
    x = np.array([0, 1, top // 2, top // 3, top], dtype).reshape(1, 5)
    for a, b in ((dtype, other), (other, dtype)):
        y = (x.astype(np.float64) / top).astype(a) if a.startswith("float") else x.astype(a)
        try:
            theirs = torchvision.transforms.ConvertImageDtype(getattr(torch, b))
            wanted = theirs(torch.from_numpy(y)).numpy()
        except RuntimeError as error:
            with pytest.raises(RuntimeError, match=str(error).split(" from")[0]):
                T.ConvertImageDtype(getattr(rushlight, b))(rushlight.from_numpy(y))
            continue
        mine = T.ConvertImageDtype(getattr(rushlight, b))(rushlight.from_numpy(y)).numpy()
        assert mine.dtype == wanted.dtype
        np.testing.assert_allclose(mine, wanted, rtol=1e-6)


@pytest.mark.parametrize(
    "mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "YCbCr", "HSV", "I", "F"]
)
def test_pillow_modes(mode: str, torchvision: Any, rng: np.random.Generator) -> None:
    image = Image.fromarray(rng.integers(0, 256, (6, 5, 3), np.uint8)).convert("RGB")
    image = image.convert("L").convert(mode) if mode in "ILAF" else image.convert(mode)
    F, theirs = T.functional, torchvision.transforms.functional
    for name in ("to_tensor", "pil_to_tensor", "get_dimensions"):
        a, b = getattr(F, name)(image), getattr(theirs, name)(image)
        assert np.array_equal(np.asarray(a), np.asarray(b)), name
    for call in (
        lambda f: f.pad(image, 2, fill=3),
        lambda f: f.rotate(image, 30, fill=1),
        lambda f: f.affine(image, 30, (1, 2), 1.2, 4, fill=None),
        lambda f: f.resize(image, (9, 3)),
        lambda f: f.crop(image, -1, -2, 5, 9),
        lambda f: f.hflip(image),
        lambda f: f.adjust_hue(image, 0.3),
        lambda f: f.adjust_brightness(image, 1.3),
        lambda f: f.to_grayscale(image, 3),
        lambda f: f.gaussian_blur(image, 3),
        lambda f: f.invert(image),
    ):
        try:
            wanted = call(theirs)
        except Exception as error:
            with pytest.raises(type(error)):
                call(F)
            continue
        mine = call(F)
        assert mine.mode == wanted.mode
        np.testing.assert_allclose(
            np.asarray(mine), np.asarray(wanted), rtol=1e-6 if mode == "F" else 0
        )


@pytest.mark.parametrize(
    ("shape", "dtype", "modes"),
    [
        ((4, 5), "uint8", [None, "L", "RGB"]),
        ((4, 5, 1), "int16", [None, "I;16", "L"]),
        ((4, 5), "int32", [None, "I"]),
        ((4, 5), "float32", [None, "F", "L"]),
        ((4, 5), "float64", [None, "F"]),
        ((4, 5), "int64", [None]),
        ((4, 5, 2), "uint8", [None, "LA", "RGB"]),
        ((4, 5, 3), "uint8", [None, "RGB", "YCbCr", "HSV", "L"]),
        ((4, 5, 3), "float32", [None, "HSV"]),
        ((4, 5, 3), "int32", [None]),
        ((4, 5, 4), "uint8", [None, "RGBA", "CMYK", "RGBX", "L"]),
    ],
)
def test_to_pil_image(
    shape: tuple[int, ...], dtype: str, modes: list[Any], torchvision: Any, rng: Any
) -> None:
    array = (rng.random(shape) * (1 if dtype.startswith("f") else 250)).astype(dtype)
    for mode in modes:
        try:
            wanted = torchvision.transforms.ToPILImage(mode)(array)
        except (ValueError, TypeError) as error:
            with pytest.raises(type(error)):
                T.ToPILImage(mode)(array)
            continue
        for source in (array, rushlight.from_numpy(np.atleast_3d(array).transpose(2, 0, 1).copy())):
            mine = T.ToPILImage(mode)(source)
            assert mine.mode == wanted.mode
            assert np.array_equal(np.asarray(mine), np.asarray(wanted))


def test_erasing(torchvision: Any, rng: np.random.Generator) -> None:
    x = rng.random((3, 20, 24)).astype(np.float32)
    for options in (
        {},
        {"value": "random", "p": 0.9},
        {"value": (1, 2, 3), "p": 1.0, "scale": (0.5, 1.0)},
        {"value": 7.5, "ratio": (2, 5)},
        {"p": 1, "scale": (1.0, 1.0), "ratio": (5.0, 5.0)},
    ):
        mine, theirs = T.RandomErasing(**options), torchvision.transforms.RandomErasing(**options)
        assert repr(mine) == repr(theirs)
        for seed in range(20):
            a = run(rushlight, mine, rushlight.from_numpy(x), seed)
            compare(a, run(torch, theirs, torch.from_numpy(x), seed), 1e-6)


def test_linear_transformation(torchvision: Any, rng: np.random.Generator) -> None:
    m, v = rng.random((12, 12)).astype(np.float32), rng.random(12).astype(np.float32)
    x = rng.random((5, 3, 2, 2)).astype(np.float32)
    theirs = torchvision.transforms.LinearTransformation(torch.from_numpy(m), torch.from_numpy(v))
    mine = T.LinearTransformation(rushlight.from_numpy(m), rushlight.from_numpy(v))
    assert repr(mine) == repr(theirs)
    wanted = theirs(torch.from_numpy(x)).numpy()
    np.testing.assert_allclose(mine(rushlight.from_numpy(x)).numpy(), wanted, rtol=1e-5)


def test_corners_of_perspectives(torchvision: Any, rng: np.random.Generator) -> None:
    from rushlight.vision.transforms.geometry import _perspective_coefficients

    theirs = torchvision.transforms.functional._get_perspective_coeffs
    starts = [[0, 0], [223, 0], [223, 199], [0, 199]]
    for _ in range(200):
        ends = (np.array(starts) + rng.integers(-50, 50, (4, 2))).tolist()
        wanted = theirs(starts, ends)
        assert _perspective_coefficients(starts, ends) == pytest.approx(wanted, rel=2e-7, abs=1e-9)


ERRORS: dict[str, Callable[[Any, Any], Any]] = {
    "to_tensor": lambda T, t: T.ToTensor()(t.zeros(1)),
    "to_tensor ndim": lambda T, t: T.ToTensor()(np.zeros(3)),
    "pil_to_tensor": lambda T, t: T.PILToTensor()(np.zeros((2, 2))),
    "to_pil": lambda T, t: T.ToPILImage()([1]),
    "to_pil ndim": lambda T, t: T.ToPILImage()(np.zeros(3)),
    "to_pil channels": lambda T, t: T.ToPILImage()(np.zeros((2, 2, 5))),
    "convert": lambda T, t: T.ConvertImageDtype(t.float32)(np.zeros(3)),
    "normalize type": lambda T, t: T.Normalize([0], [1])(np.zeros((1, 2, 2))),
    "normalize dtype": lambda T, t: T.Normalize([0], [1])(t.zeros(1, 2, 2, dtype=t.uint8)),
    "normalize ndim": lambda T, t: T.Normalize([0], [1])(t.zeros(2, 2)),
    "normalize 0": lambda T, t: T.Normalize([0], [0])(t.zeros(1, 2, 2)),
    "normalize vector": lambda T, t: T.Normalize([0], [1])(t.zeros(2)),
    "resize type": lambda T, t: T.Resize(2.5),
    "resize length": lambda T, t: T.Resize((1, 2, 3)),
    "resize F length": lambda T, t: T.functional.resize(t.zeros(1, 2, 2), [1, 2, 3]),
    "resize max": lambda T, t: T.Resize((3, 4), max_size=9)(t.zeros(1, 5, 5)),
    "resize max small": lambda T, t: T.Resize(5, max_size=5)(t.zeros(1, 8, 8)),
    "resize mode": lambda T, t: T.Resize(5, "bilinear")(t.zeros(1, 8, 8)),
    "resize image": lambda T, t: T.Resize(5)(np.zeros((5, 5))),
    "center": lambda T, t: T.CenterCrop((1, 2, 3)),
    "pad": lambda T, t: T.Pad("a"),
    "pad fill": lambda T, t: T.Pad(1, fill="a"),
    "pad mode": lambda T, t: T.Pad(1, padding_mode="wrap"),
    "pad length": lambda T, t: T.Pad((1, 2, 3)),
    "pad F fill": lambda T, t: T.functional.pad(t.zeros(1, 2, 2), 1, fill=(1, 2)),
    "pad F": lambda T, t: T.functional.pad(np.zeros((2, 2)), 1),
    "pad PIL fill": lambda T, t: T.Pad(1, fill=(1, 2))(Image.new("RGB", (2, 2))),
    "lambda": lambda T, t: T.Lambda(3),
    "order": lambda T, t: T.RandomOrder({1, 2}),
    "choice": lambda T, t: T.RandomChoice([abs], p=3),
    "crop": lambda T, t: T.RandomCrop(9)(t.zeros(1, 3, 3)),
    "five": lambda T, t: T.FiveCrop(9)(t.zeros(1, 3, 3)),
    "five size": lambda T, t: T.FiveCrop((9, 9, 9)),
    "scale": lambda T, t: T.RandomResizedCrop(3, scale=2),
    "ratio": lambda T, t: T.RandomResizedCrop(3, ratio=2),
    "degrees": lambda T, t: T.RandomRotation(-3),
    "degrees length": lambda T, t: T.RandomRotation((1, 2, 3)),
    "degrees type": lambda T, t: T.RandomRotation(None),
    "rotation fill": lambda T, t: T.RandomRotation(3, fill=abs),
    "rotation center": lambda T, t: T.RandomRotation(3, center=(1,)),
    "rotation channels": lambda T, t: T.functional.rotate(t.zeros(3, 4, 4), 3, fill=[1, 2]),
    "rotation mode": lambda T, t: T.functional.rotate(t.zeros(3, 4, 4), 3, 3),
    "rotation angle": lambda T, t: T.functional.rotate(t.zeros(3, 4, 4), "3"),
    "rotation center type": lambda T, t: T.functional.rotate(t.zeros(3, 4, 4), 3, center=3),
    "affine translate": lambda T, t: T.RandomAffine(3, translate=(2, 0)),
    "affine scale": lambda T, t: T.RandomAffine(3, scale=(0, 1)),
    "affine shear": lambda T, t: T.RandomAffine(3, shear=(0, 1, 2)),
    "F.affine angle": lambda T, t: T.functional.affine(t.zeros(1, 2, 2), "1", (0, 0), 1, 0),
    "F.affine translate": lambda T, t: T.functional.affine(t.zeros(1, 2, 2), 1, 3, 1, 0),
    "F.affine length": lambda T, t: T.functional.affine(t.zeros(1, 2, 2), 1, (1,), 1, 0),
    "F.affine scale": lambda T, t: T.functional.affine(t.zeros(1, 2, 2), 1, (0, 0), 0, 0),
    "F.affine shear": lambda T, t: T.functional.affine(t.zeros(1, 2, 2), 1, (0, 0), 1, "a"),
    "F.affine shears": lambda T, t: T.functional.affine(t.zeros(1, 2, 2), 1, (0, 0), 1, (1, 2, 3)),
    "perspective": lambda T, t: T.functional.perspective(t.zeros(1, 2, 2), [[0, 0]], [[0, 0]]),
    "elastic alpha": lambda T, t: T.ElasticTransform(3),
    "elastic sigma": lambda T, t: T.ElasticTransform(sigma=(1.0, 2)),
    "elastic fill": lambda T, t: T.ElasticTransform(fill="a"),
    "elastic shape": lambda T, t: T.functional.elastic_transform(t.zeros(1, 2, 2), t.zeros(1, 2)),
    "jitter": lambda T, t: T.ColorJitter(-1),
    "jitter hue": lambda T, t: T.ColorJitter(hue=0.7),
    "jitter type": lambda T, t: T.ColorJitter("a"),
    "hue": lambda T, t: T.functional.adjust_hue(t.zeros(3, 2, 2), 0.7),
    "brightness": lambda T, t: T.functional.adjust_brightness(t.zeros(3, 2, 2), -1),
    "contrast": lambda T, t: T.functional.adjust_contrast(t.zeros(4, 2, 2), 1),
    "saturation": lambda T, t: T.functional.adjust_saturation(np.zeros((3, 2, 2)), 1),
    "gamma": lambda T, t: T.functional.adjust_gamma(t.zeros(3, 2, 2), -1),
    "gray": lambda T, t: T.Grayscale(2)(t.zeros(3, 2, 2)),
    "gray ndim": lambda T, t: T.Grayscale()(t.zeros(2, 2)),
    "gray channels": lambda T, t: T.Grayscale()(t.zeros(2, 2, 2)),
    "to_grayscale": lambda T, t: T.functional.to_grayscale(t.zeros(3, 2, 2)),
    "erasing value": lambda T, t: T.RandomErasing(value="a"),
    "erasing type": lambda T, t: T.RandomErasing(value=abs),
    "erasing scale": lambda T, t: T.RandomErasing(scale=(0, 2)),
    "erasing p": lambda T, t: T.RandomErasing(p=2),
    "erasing length": lambda T, t: T.RandomErasing(p=1, value=(1, 2))(t.zeros(3, 2, 2)),
    "erase": lambda T, t: T.functional.erase(np.zeros((3, 2, 2)), 0, 0, 1, 1, 0),
    "blur size": lambda T, t: T.GaussianBlur(4),
    "blur sigma": lambda T, t: T.GaussianBlur(3, -1),
    "blur sigmas": lambda T, t: T.GaussianBlur(3, (2, 1)),
    "blur length": lambda T, t: T.GaussianBlur(3, (1, 2, 3)),
    "F.blur": lambda T, t: T.functional.gaussian_blur(np.zeros((2, 2)), 3),
    "F.blur size": lambda T, t: T.functional.gaussian_blur(t.zeros(1, 5, 5), 2),
    "F.blur type": lambda T, t: T.functional.gaussian_blur(t.zeros(1, 5, 5), 2.5),
    "F.blur length": lambda T, t: T.functional.gaussian_blur(t.zeros(1, 5, 5), [3, 3, 3]),
    "F.blur sigma": lambda T, t: T.functional.gaussian_blur(t.zeros(1, 5, 5), 3, [0]),
    "F.blur sigma type": lambda T, t: T.functional.gaussian_blur(t.zeros(1, 5, 5), 3, "a"),
    "invert": lambda T, t: T.functional.invert(t.zeros(2, 2)),
    "posterize": lambda T, t: T.functional.posterize(t.zeros(3, 2, 2), 3),
    "posterize bits": lambda T, t: T.functional.posterize(t.zeros(3, 2, 2), 9),
    "solarize": lambda T, t: T.functional.solarize(t.zeros(3, 2, 2), 3),
    "equalize": lambda T, t: T.functional.equalize(t.zeros(3, 2, 2)),
    "equalize ndim": lambda T, t: T.functional.equalize(t.zeros(2, 2, dtype=t.uint8)),
    "sharpness": lambda T, t: T.functional.adjust_sharpness(t.zeros(3, 2, 2), -1),
    "hflip": lambda T, t: T.functional.hflip(np.zeros((3, 2))),
    "vflip": lambda T, t: T.functional.vflip(t.zeros(3)),
    "linear": lambda T, t: T.LinearTransformation(t.zeros(2, 3), t.zeros(2)),
    "linear mean": lambda T, t: T.LinearTransformation(t.zeros(2, 2), t.zeros(3)),
    "linear dtype": lambda T, t: T.LinearTransformation(t.zeros(2, 2), t.zeros(2).double()),
    "linear shape": lambda T, t: T.LinearTransformation(t.eye(2), t.zeros(2))(t.zeros(1, 1, 3)),
    "policy": lambda T, t: T.AutoAugment("imagenet"),
    "augmix": lambda T, t: T.AugMix(severity=11),
    "dims": lambda T, t: T.functional.get_dimensions(3),
    "channels": lambda T, t: T.functional.get_image_num_channels(t.zeros(2)),
}


@pytest.mark.parametrize("name", list(ERRORS))
def test_errors(name: str, torchvision: Any) -> None:
    with pytest.raises(Exception) as theirs:  # noqa: PT011 - which one it is, is the question
        ERRORS[name](torchvision.transforms, torch)
    with pytest.raises(theirs.type) as mine:
        ERRORS[name](T, rushlight)
    words = str(theirs.value).replace("torch.Tensor", "Tensor").split("<class")[0]
    assert str(mine.value).split("\n")[0].split("<class")[0] == words


def test_no_name_is_missing(torchvision: Any) -> None:
    theirs = torchvision.transforms
    assert set(theirs.transforms.__all__) <= set(dir(T.transforms))
    public = {n for n in vars(theirs) if n[0].isupper()}
    assert public <= set(dir(T)), public - set(dir(T))
    functions = {
        n
        for n, f in vars(theirs.functional).items()
        if callable(f) and n[0] != "_" and getattr(f, "__module__", "").endswith("functional")
    }
    assert functions <= set(dir(T.functional)), functions - set(dir(T.functional))


@pytest.mark.parametrize("name", ["Resize", "RandomResizedCrop"])
def test_warnings(name: str, torchvision: Any) -> None:
    """Both warn of the same things."""

    def caught(transforms: Any) -> list[str]:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            if name == "Resize":
                transforms.Resize(5, antialias=False)(Image.new("L", (9, 9)))
            else:
                transforms.RandomResizedCrop(5, scale=(1.0, 0.5))
        return [str(w.message) for w in found]

    assert caught(T) == caught(torchvision.transforms) != []
