"""Folders of images, fake images, and what all image data sets share."""

from __future__ import annotations

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import datasets
from rushlight.vision.datasets import DatasetFolder, FakeData, ImageFolder, StandardTransform
from rushlight.vision.datasets.folder import (
    default_loader,
    find_classes,
    has_file_allowed_extension,
    is_image_file,
    make_dataset,
)
from rushlight.vision.transforms.functional import to_tensor

Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for i, name in enumerate(["dog/a.png", "dog/B.JPG", "cat/deep/x.bmp", "cat/10.png"]):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        Image.new("L" if i else "RGBA", (4, 3), i).save(tmp_path / name)
    (tmp_path / "dog" / "notes.txt").write_text("no image")
    (tmp_path / "file.png").write_text("in no class")
    return tmp_path


def test_image_folder(tree: Path) -> None:
    data = ImageFolder(tree, transform=to_tensor, target_transform=lambda k: k + 10)
    assert data.classes == ["cat", "dog"]
    assert data.class_to_idx == {"cat": 0, "dog": 1}
    names = [(os.path.relpath(path, tree), k) for path, k in data.samples]
    assert names == [("cat/10.png", 0), ("cat/deep/x.bmp", 0), ("dog/B.JPG", 1), ("dog/a.png", 1)]
    assert data.imgs is data.samples
    assert data.targets == [0, 0, 1, 1]
    x, y = data[3]
    assert x.shape == (3, 3, 4)
    assert y == 11
    loader = torch.utils.data.DataLoader(data, batch_size=4)
    ((images, labels),) = loader
    assert images.shape == (4, 3, 3, 4)
    assert labels.tolist() == [10, 10, 11, 11]
    assert "Number of datapoints: 4\n    Root location:" in repr(data)


def test_empty_classes(tree: Path) -> None:
    (tree / "bird").mkdir()
    with pytest.raises(FileNotFoundError, match=r"for the classes bird\.[^$]*\.jpg, \.jpeg"):
        ImageFolder(tree)
    data = ImageFolder(tree, allow_empty=True)
    assert data.classes == ["bird", "cat", "dog"]
    assert set(data.targets) == {1, 2}
    with pytest.raises(FileNotFoundError, match="Couldn't find any class folder"):
        find_classes(tree / "bird")


def test_own_choice_of_files_and_classes(tree: Path) -> None:
    class Dogs(DatasetFolder):
        def find_classes(self, directory: Any) -> tuple[list[str], dict[str, int]]:
            return ["dog"], {"dog": 7}

    data = Dogs(str(tree), os.path.basename, is_valid_file=lambda path: "o" in Path(path).stem)
    assert [data[i] for i in range(len(data))] == [("notes.txt", 7)]
    assert len(DatasetFolder(tree, str, (".txt", ".bmp"))) == 2
    assert make_dataset(tree, extensions=".bmp", allow_empty=True)[0][1] == 0
    with pytest.raises(ValueError, match="cannot be None or not None at the same time"):
        make_dataset(tree)
    with pytest.raises(ValueError, match="at least one entry"):
        make_dataset(tree, {}, ".png")
    with pytest.raises(ValueError, match="class_to_idx parameter cannot be None"):
        DatasetFolder.make_dataset(tree, None, (".png",))  # type: ignore[arg-type]


def test_names_of_images() -> None:
    assert is_image_file("x.JPEG")
    assert not is_image_file("x.txt")
    assert has_file_allowed_extension("x.txt", ".txt")


@pytest.mark.parametrize("content", [b"no image", b""])
def test_a_file_that_is_no_image_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.png"
    path.write_bytes(content)
    with pytest.raises(OSError, match=r"x\.png is no image that can be read"):
        default_loader(path)
    Image.fromarray(np.random.randint(0, 255, (50, 50, 3), np.uint8)).save(path)
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(OSError, match=r"x\.png is no image that can be read"):
        default_loader(path)
    with pytest.raises(FileNotFoundError):
        default_loader(tmp_path / "none.png")


def test_fake_data() -> None:
    data = FakeData(5, (3, 8, 6), num_classes=4)
    assert len(data) == 5
    image, label = data[2]
    assert (image.mode, image.size) == ("RGB", (6, 8))
    assert type(label) is int
    assert 0 <= label < 4
    again, same = data[2]
    assert (again.tobytes(), same) == (image.tobytes(), label)
    assert FakeData(5, (3, 8, 6), num_classes=4, random_offset=2)[0][0].tobytes() == image.tobytes()
    assert FakeData(1, (1, 8, 6))[0][0].mode == "L"
    assert FakeData(1, transform=to_tensor)[0][0].shape == (3, 224, 224)
    assert FakeData(1, (1, 2, 2), target_transform=lambda t: 7)[0][1] == 7
    with pytest.raises(IndexError, match="out of range"):
        data[5]
    assert repr(data) == "Dataset FakeData\n    Number of datapoints: 5"


def test_fake_data_leaves_the_random_numbers_alone() -> None:
    torch.manual_seed(3)
    wanted = torch.rand(2).tolist()
    torch.manual_seed(3)
    FakeData(1, (1, 2, 2))[0]
    assert torch.rand(2).tolist() == wanted


class Doubled:
    def __call__(self, x: Any) -> Any:
        return x * 2

    def __repr__(self) -> str:
        return "Doubled(\n    times=2\n)"


def test_transforms_of_pairs() -> None:
    pair = StandardTransform(Doubled(), Doubled())
    assert pair(1, 2) == (2, 4)
    assert StandardTransform()(1, 2) == (1, 2)
    assert repr(pair).splitlines()[:3] == [
        "StandardTransform",
        "Transform: Doubled(",
        "               times=2",
    ]
    assert "Target transform: Doubled(" in repr(pair)
    assert pickle.loads(pickle.dumps(pair))(1, 2) == (2, 4)


def test_the_base_class() -> None:
    base = datasets.VisionDataset(transforms=lambda a, b: (a, b))
    assert base.root is None
    for call in (lambda: base[0], lambda: len(base)):
        with pytest.raises(NotImplementedError):
            call()


def test_names_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match=r"torchvision\.datasets\.UCF101 is not there"):
        datasets.UCF101  # noqa: B018


def test_workers_read_images(tree: Path) -> None:
    """Data sets travel to other processes."""
    data = ImageFolder(tree, transform=to_tensor)
    again = pickle.loads(pickle.dumps(data))
    assert again.samples == data.samples
    assert again[3][0].tolist() == data[3][0].tolist()
    fake = pickle.loads(pickle.dumps(FakeData(3, (3, 4, 4))))
    assert fake[1][0].tobytes() == FakeData(3, (3, 4, 4))[1][0].tobytes()
    loader = torch.utils.data.DataLoader(data, batch_size=2, num_workers=2)
    assert [labels.tolist() for _, labels in loader] == [[0, 0], [1, 1]]
