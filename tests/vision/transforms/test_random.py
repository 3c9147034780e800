"""Random transforms without torchvision: ranges, seeds, both kinds of images, copies, threads."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import transforms as T
from rushlight.vision.transforms import functional as F

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

ALL = [
    T.RandomCrop(5, padding=2),
    T.RandomHorizontalFlip(),
    T.RandomVerticalFlip(),
    T.RandomResizedCrop((7, 4)),
    T.RandomRotation(40, expand=True),
    T.RandomAffine(10, (0.1, 0.2), (0.8, 1.2), 5),
    T.RandomPerspective(p=0.9),
    T.ElasticTransform(10.0, 1.0),
    T.ColorJitter(0.3, 0.3, 0.3, 0.1),
    T.RandomGrayscale(0.5),
    T.GaussianBlur(3),
    T.RandomInvert(),
    T.RandomPosterize(2),
    T.RandomSolarize(99),
    T.RandomAdjustSharpness(1.5),
    T.RandomAutocontrast(),
    T.RandomEqualize(),
    T.AutoAugment(),
    T.AutoAugment(T.AutoAugmentPolicy.CIFAR10),
    T.AutoAugment(T.AutoAugmentPolicy.SVHN),
    T.RandAugment(),
    T.TrivialAugmentWide(),
    T.AugMix(),
    T.RandomApply([T.RandomInvert()]),
    T.RandomOrder([T.RandomCrop(5), T.Pad(2)]),
    T.RandomChoice([T.RandomCrop(5), T.Pad(2)]),
]


@pytest.fixture
def colour(rng: np.random.Generator) -> Any:
    return Image.fromarray(rng.integers(0, 256, (12, 16, 3), np.uint8))


def pixels(image: Any) -> np.ndarray:
    return image.numpy() if isinstance(image, torch.Tensor) else np.asarray(image)


@pytest.mark.parametrize("transform", ALL, ids=lambda t: type(t).__name__)
def test_a_seed_is_a_picture_and_copies_draw_alike(transform: Any, colour: Any) -> None:
    for image in (colour, F.pil_to_tensor(colour)):
        before = pixels(image).copy()
        results = []
        for t in (transform, copy.deepcopy(transform), pickle.loads(pickle.dumps(transform))):
            torch.manual_seed(11)
            random.seed(11)
            results.append([pixels(t(image)).copy() for _ in range(4)])
        for other in results[1:]:
            for a, b in zip(results[0], other, strict=True):
                assert np.array_equal(a, b)
        assert np.array_equal(pixels(image), before)  # the image itself is left alone
        assert repr(pickle.loads(pickle.dumps(transform))) == repr(transform)


def test_geometry_is_the_same_on_both_kinds(colour: Any) -> None:
    """Those whose pixels are only moved."""
    for transform in ALL[:3]:
        for seed in range(5):
            torch.manual_seed(seed)
            a = pixels(transform(colour)).transpose(2, 0, 1)
            torch.manual_seed(seed)
            assert np.array_equal(a, pixels(transform(F.pil_to_tensor(colour))))


def test_parameters_lie_in_their_ranges() -> None:
    x = torch.zeros(3, 40, 60)
    for _ in range(100):
        top, left, h, w = T.RandomResizedCrop.get_params(x, (0.2, 0.5), (0.5, 2.0))
        assert 0 <= top <= 40 - h
        assert 0 <= left <= 60 - w
        assert 0.17 < h * w / 2400 < 0.53
        assert 0.45 < w / h < 2.2
        assert -7 <= T.RandomRotation.get_params((-7, 9)) < 9
        angle, (dx, dy), scale, (sx, sy) = T.RandomAffine.get_params(
            (0, 1), (0.1, 0.2), (0.5, 0.6), (-1, 1, 2, 3), [60, 40]
        )
        assert 0 <= angle < 1
        assert abs(dx) <= 6
        assert abs(dy) <= 8
        assert 0.5 <= scale < 0.6
        assert -1 <= sx < 1
        assert 2 <= sy < 3
        starts, ends = T.RandomPerspective.get_params(60, 40, 0.5)
        assert starts == [[0, 0], [59, 0], [59, 39], [0, 39]]
        for (x0, y0), (x1, y1) in zip(starts, ends, strict=True):
            assert abs(x1 - x0) <= 15
            assert abs(y1 - y0) <= 10
        order, b, c, s, hue = T.ColorJitter.get_params((0.5, 1.5), None, (0, 1), None)
        assert sorted(order.tolist()) == [0, 1, 2, 3]
        assert b is not None
        assert 0.5 <= b < 1.5
        assert c is None
        assert s is not None
        assert hue is None


def test_crops_of_impossible_shape_fall_back_to_the_middle() -> None:
    x = torch.zeros(1, 10, 100)
    assert T.RandomResizedCrop.get_params(x, (1.0, 1.0), (0.9, 1.1)) == (0, 44, 10, 11)
    assert T.RandomResizedCrop.get_params(x.mT, (1.0, 1.0), (0.9, 1.1)) == (44, 0, 11, 10)


def test_erasing() -> None:
    x = torch.ones(3, 16, 16)
    erased = T.RandomErasing(p=1.0)(x)
    assert 0 < (erased == 0).sum() < x.numel()
    assert (x == 1).all()
    noise = T.RandomErasing(p=1.0, value="random")(x)
    assert len(noise.unique()) > 10
    coloured = T.RandomErasing(p=1.0, value=(2, 3, 4))(x)
    assert coloured.amax(dim=(1, 2)).tolist() == [2, 3, 4]
    assert T.RandomErasing(p=1.0, inplace=True)(x) is x
    assert T.RandomErasing(p=0.0)(x) is x


@pytest.mark.slow
def test_gradients_flow_through_tensors() -> None:
    for call in (
        lambda x: T.Normalize((0.5,) * 3, (0.2,) * 3)(x),
        lambda x: F.resize(x, (5, 9)),
        lambda x: F.rotate(x, 20, T.InterpolationMode.BILINEAR, fill=[0.5]),
        lambda x: F.perspective(
            x, [[0, 0], [7, 0], [7, 7], [0, 7]], [[1, 0], [7, 1], [6, 7], [0, 6]]
        ),
        lambda x: F.adjust_contrast(x, 0.7),
        lambda x: F.adjust_saturation(x, 0.7),
        lambda x: F.gaussian_blur(x, 3),
        lambda x: F.adjust_sharpness(x, 0.5),
        lambda x: F.autocontrast(x),
        lambda x: F.pad(F.center_crop(x, 4), 1, padding_mode="reflect"),
    ):
        x = (torch.rand(3, 8, 8) * 0.5 + 0.25).double().requires_grad_()
        assert torch.autograd.gradcheck(call, (x,))
    x = torch.rand(3, 8, 8).requires_grad_()
    F.adjust_hue(x, 0.2).sum().backward()  # in float32 whatever the type, as in torchvision
    assert bool((x.grad != 0).any())


def test_batches() -> None:
    """Leading dimensions are kept, and each image treated alike."""
    x = torch.rand(2, 3, 1, 8, 9)
    for call in (
        lambda x: F.resize(x, (4, 5)),
        lambda x: F.rotate(x, 30, fill=[0.5]),
        lambda x: F.gaussian_blur(x, 3),
        lambda x: F.adjust_sharpness(x, 2.0),
        lambda x: F.autocontrast(x),
    ):
        whole = call(x)
        assert whole.shape[:3] == (2, 3, 1)
        for i in range(2):
            for j in range(3):
                np.testing.assert_allclose(whole[i, j].numpy(), call(x[i, j]).numpy(), atol=1e-6)


def test_old_names() -> None:
    with pytest.warns(UserWarning, match="use transforms.Resize"):
        assert T.Scale(4)(torch.zeros(1, 8, 8)).shape == (1, 4, 4)
    with pytest.warns(UserWarning, match="use transforms.RandomResizedCrop"):
        assert T.RandomSizedCrop(4)(torch.zeros(1, 8, 8)).shape == (1, 4, 4)


def test_containers() -> None:
    assert T.RandomApply([T.Lambda(lambda x: x + 1)], p=0.0)(1) == 1
    assert (
        T.RandomApply(torch.nn.ModuleList([T.RandomInvert(1.0)]), p=1.0)(torch.ones(1, 1, 1)) == 0
    )
    assert repr(T.RandomApply([T.ToTensor()])) == "RandomApply(\n    p=0.5\n    ToTensor()\n)"
    assert repr(T.RandomChoice([T.ToTensor()], [1])) == "RandomChoice(\n    ToTensor()\n)(p=[1])"
    with pytest.raises(TypeError, match="sequence"):
        T.RandomOrder(3)  # type: ignore[arg-type]
    with pytest.raises(NotImplementedError):
        T.transforms.RandomTransforms([])(1)


def test_half_a_turn_and_a_quarter() -> None:
    x = torch.arange(8.0).reshape(1, 2, 4)
    assert F.rotate(x, 180).tolist() == x.flip((1, 2)).tolist()
    assert F.rotate(x, 90, expand=True).tolist() == torch.rot90(x, 1, (1, 2)).tolist()
    assert F.rotate(x, 90, expand=True, fill=[9.0]).shape == (1, 4, 2)
    assert F.affine(x, 0, (0, 1), 1.0, 0, fill=[9.0]).tolist() == [[[9, 9, 9, 9], [0, 1, 2, 3]]]
    assert F.rotate(x.to(torch.uint8), 180).dtype is torch.uint8


def test_padding_wider_than_the_image() -> None:
    with pytest.raises(RuntimeError, match="less than the corresponding input dimension"):
        F.pad(torch.zeros(1, 2, 2), 3, padding_mode="reflect")
