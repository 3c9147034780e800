"""The transforms of images against torchvision's: the same pictures for the same seeds.

Pillow images must come out identical; tensors of bytes to one unit, of floats to 1e-5.
"""

from __future__ import annotations

import random
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
