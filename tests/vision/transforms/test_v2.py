"""The names of v2, on images and on samples with labels."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import transforms as T
from rushlight.vision.transforms import v2

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


@pytest.fixture
def colour(rng: np.random.Generator) -> Any:
    return Image.fromarray(rng.integers(0, 256, (12, 16, 3), np.uint8))


def test_the_usual_chain(colour: Any) -> None:
    mean, std = (0.5,) * 3, (0.2,) * 3
    new = v2.Compose(
        [
            v2.ToImage(),
            v2.Resize((8, 8), antialias=True),
            v2.RandomHorizontalFlip(p=1.0),
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(mean, std),
        ]
    )
    old = T.Compose([T.PILToTensor(), T.Resize((8, 8)), T.RandomHorizontalFlip(1.0)])
    wanted = T.Normalize(mean, std)(T.ConvertImageDtype(torch.float32)(old(colour)))
    assert new(colour).tolist() == wanted.tolist()
    assert pickle.loads(pickle.dumps(new))(colour).tolist() == wanted.tolist()


def test_samples_keep_their_form(colour: Any) -> None:
    crop = v2.RandomCrop(4)
    out, label = crop(colour, 3)
    assert out.size == (4, 4)
    assert label == 3
    sample = {"image": torch.zeros(3, 9, 9), "rest": [torch.zeros(2), ("a", 1)]}
    out = crop(sample)
    assert out["image"].shape == (3, 4, 4)
    assert out["rest"][0].shape == (2,)
    assert out["rest"][1] == ("a", 1)
    a, b = v2.RandomResizedCrop(5)(colour, colour.copy())  # both cut alike
    assert np.array_equal(np.asarray(a), np.asarray(b))


def test_containers(colour: Any) -> None:
    for made in (
        v2.RandomApply([v2.RandomInvert(1.0)], p=1.0),
        v2.RandomOrder([v2.Identity(), v2.RandomInvert(1.0)]),
        v2.RandomChoice([v2.RandomInvert(1.0)]),
    ):
        out, label = made(colour, 1)
        assert np.array_equal(np.asarray(out), 255 - np.asarray(colour))
        assert label == 1
    with pytest.raises(ValueError, match="doesn't match"):
        v2.RandomChoice([v2.Identity()], p=[1, 2])
    with pytest.raises(TypeError, match="sequence"):
        v2.Compose(3)


def test_what_is_not_there_says_so() -> None:
    with pytest.raises(AttributeError, match="MixNothing"):
        v2.MixNothing  # noqa: B018
    with pytest.raises(ValueError, match="float dtype"):
        v2.GaussianNoise()(torch.zeros(1, 2, 2, dtype=torch.int64))


def test_functions(colour: Any) -> None:
    F = v2.functional
    assert F.get_size(colour) == [12, 16]
    assert F.horizontal_flip(torch.tensor([[[1, 2]]])).tolist() == [[[2, 1]]]
    assert F.permute_channels(colour, [2, 1, 0]).mode == "RGB"
    assert F.grayscale_to_rgb(colour.convert("L")).mode == "RGB"
    assert F.resize(colour, 6).size == (8, 6)
    with pytest.raises(TypeError, match="PIL image"):
        F.to_image(3)


def test_old_place_of_the_functions_of_tensors() -> None:
    from rushlight.vision.transforms.functional_tensor import rgb_to_grayscale

    assert rgb_to_grayscale is T.functional.rgb_to_grayscale


def test_files_that_pickles_name() -> None:
    from rushlight.vision.transforms.v2 import _geometry

    assert all(getattr(_geometry, name) is getattr(v2, name) for name in _geometry.__all__)
    assert v2.functional.resize.__module__ == "rushlight.vision.transforms.v2.functional"
    assert pickle.loads(pickle.dumps(v2.functional.resize)) is v2.functional.resize
