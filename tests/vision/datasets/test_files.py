"""Data sets that read files a user has: made-up folders in the real layouts (`layouts.py`)."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import datasets
from rushlight.vision.datasets import _coco_index

from . import layouts

pytest.importorskip("PIL", reason="Pillow is not installed")
SCIPY = {"StanfordCars", "SBDataset", "ImageNet"}

# The targets of each data set of LAYOUTS; those of torchvision were the same.
TARGETS: dict[str, list[Any]] = {
    "Food101": [[1, 0], [0]],
    "DTD": [[1, 0]],
    "FGVCAircraft": [[1, 0]],
    "SUN397": [[0, 1]],
    "CLEVRClassification": [[3, 4], [None]],
    "RenderedSST2": [[0, 1]],
    "Country211": [[0, 1]],
    "EuroSAT": [[0, 1]],
    "Imagenette": [[0, 1]],
    "GTSRB": [[0, 1], [16]],
    "Flowers102": [[0, 101], [101, 76]],
    "Caltech256": [[0, 1]],
    "FER2013": [[0], [1, 2]],
    "Flickr8k": [[["list", "A 12.", "B"], ["list", "A 5.", "B"]]],
    "Flickr30k": [[["list", "A dog."], ["list", "Two men.", "Men."]]],
    "CocoCaptions": [[["list", "a corner"], ["list"], ["list", "a box", "another"]]],
    "INaturalist": [[["tuple", 0, 0, 0], ["tuple", 1, 1, 1]], [0, 0, 1], [0, 1]],
    "LFWPeople": [[1, 0, 0], [0, 0]],
    "Omniglot": [[0, 1, 2]],
    "Places365": [[1, 0], [None]],
    "SBU": [["One.", "Three."]],
    "SEMEION": [[4, 0]],
    "USPS": [[2, 9]],
    "StanfordCars": [[1, 0]],
    "ImageNet": [[0, 1], [0, 0, 1]],
}


def made(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What all the data sets of a class say; checksums are not looked at."""
    if name in SCIPY:
        pytest.importorskip("scipy.io", reason="SciPy is not installed")
    module = importlib.import_module(getattr(datasets, name).__module__)
    if hasattr(module, "check_integrity"):
        monkeypatch.setattr(module, "check_integrity", lambda path, md5=None: os.path.isfile(path))
    build, calls = layouts.LAYOUTS[name]
    folder.mkdir(exist_ok=True)
    build(folder)
    return [layouts.told(layouts.made(datasets, name, folder, call), folder) for call in calls]


@pytest.mark.parametrize("name", TARGETS)
def test_labels(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [
        [target for _, _, target in data["samples"]] for data in made(name, tmp_path, monkeypatch)
    ]
    # The system lists a folder in any order.
    assert [sorted(f, key=str) for f in found] == [sorted(t, key=str) for t in TARGETS[name]]


def test_every_class_has_a_layout() -> None:
    there = {name for names in datasets._MODULES.values() for name in names.split()}
    classes = {name for name in there if name[0].isupper()}
    assert classes - set(layouts.LAYOUTS) == {"LSUN", "LSUNClass", "PCAM"}
    assert there <= set(datasets.__all__)
    assert there <= set(dir(datasets))


@pytest.mark.parametrize("name", layouts.LAYOUTS)
def test_without_files(name: str, tmp_path: Path) -> None:
    _, calls = layouts.LAYOUTS[name]
    with pytest.raises((RuntimeError, FileNotFoundError)) as caught:
        layouts.made(datasets, name, tmp_path, calls[0])
    assert str(tmp_path) in str(caught.value)


def test_modules_wait() -> None:
    """`import rushlight.vision.datasets` reads none of them."""
    code = "import sys, rushlight.vision.datasets as d; print('rushlight.vision.datasets.voc' in "
    told = subprocess.run(
        [sys.executable, "-c", code + "sys.modules, d.VOCDetection.__name__, d.food101.Food101)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.startswith("False VOCDetection <class 'rushlight.vision.datasets.food101")


def test_celeba(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train, whole, none = made("CelebA", tmp_path, monkeypatch)
    assert train["attr_names"] == ["list", "Bald", "Bangs", "Young"]
    assert [row[2] for row in train["samples"]] == [["int64", [3], 2.0]] * 2
    assert whole["samples"][1][2] == [
        "tuple", ["int64", [3], 1.0], ["int64", [], 10.0], ["int64", [4], 8.0], ["int64", [2], 3.0],
    ]  # fmt: skip
    assert [row[2] for row in none["samples"]] == [None]
    with pytest.raises(RuntimeError, match="target_type is empty"):
        datasets.CelebA(tmp_path, target_type=[], target_transform=str)
    data = datasets.CelebA(tmp_path, target_type="hair")
    with pytest.raises(ValueError, match='"hair" is not recognized'):
        data[0]


def test_voc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    segmented = made("VOCSegmentation", tmp_path, monkeypatch)[0]["samples"]
    assert segmented[1][2] == ["P", [6, 4], 546, [20, 21, 22]]
    data = datasets.VOCDetection(tmp_path, transforms=lambda image, tree: (tree, image.mode))
    tree, mode = data[0]
    assert mode == "RGB"
    assert tree["annotation"]["size"] == {"width": "6", "height": "4"}
    assert [thing["name"] for thing in tree["annotation"]["object"]] == ["cat"]
    second = data[1][0]["annotation"]["object"]
    assert second[1]["part"] == {"name": "head"}
    assert second[1]["bndbox"]["ymax"] == "2"
    with pytest.raises(ValueError, match="Unknown value 'test' for argument image_set"):
        datasets.VOCDetection(tmp_path, image_set="test")


def test_coco(tmp_path: Path) -> None:
    layouts.coco(tmp_path)
    data = datasets.CocoDetection(tmp_path / "images", tmp_path / "instances.json")
    assert data.ids == [4, 6, 9]
    assert [[row["id"] for row in data[i][1]] for i in range(3)] == [[2], [], [1, 3]]
    with pytest.raises(ValueError, match="Index must be of type integer"):
        data[np.int64(0)]
    index = data.coco
    assert index.getCatIds(catNms=["box"]) == [3]
    assert index.loadCats(1)[0]["name"] == "cat"
    assert index.getImgIds(catIds=[1, 3]) == [9]
    assert sorted(index.getImgIds(catIds=1)) == [4, 9]
    assert index.getAnnIds(catIds=[1], areaRng=[0, 2]) == [3]
    assert index.getAnnIds(iscrowd=True) == [2]
    # A rectangle from (1, 1) to (5, 3) is rows 1 and 2 and columns 1 to 4.
    want = np.zeros((4, 6), np.uint8)
    want[1:3, 1:5] = 1
    assert np.array_equal(index.annToMask(index.anns[1]), want)
    # Runs go down the columns: two of one, two of the other, two of one.
    assert index.annToMask(index.anns[2])[:, :2].T.tolist() == [[1, 1, 0, 0], [1, 1, 0, 0]]


def test_packed_run_lengths() -> None:
    """COCO's strings, packed by hand: five bits a character, differences from the fourth on."""

    def pack(runs: list[int]) -> str:
        out = ""
        for i, run in enumerate(runs):
            value, more = run - (runs[i - 2] if i > 2 else 0), True
            while more:
                bits = value & 0x1F
                value >>= 5
                more = value != (-1 if bits & 0x10 else 0)
                out += chr(48 + (bits | (0x20 if more else 0)))
        return out

    runs = [3, 40, 2, 1, 50, 33, 7]
    assert _coco_index._unpacked(pack(runs)) == runs
    size = [8, 17]
    whole = _coco_index.mask_of({"counts": runs, "size": size}, *size)
    assert np.array_equal(whole, _coco_index.mask_of({"counts": pack(runs), "size": size}, *size))
    assert int(whole.sum()) == 40 + 1 + 33


def test_polygons() -> None:
    """The area of a polygon of many pixels, and a hole where two borders fall together."""
    angle = np.arange(40) * 2 * np.pi / 40
    circle = np.stack([30 + 20 * np.cos(angle), 25 + 20 * np.sin(angle)], 1).ravel()
    mask = _coco_index.mask_of([circle.tolist()], 50, 60)
    assert abs(int(mask.sum()) - np.pi * 400) < 25
    assert mask[25, 30] == 1
    assert mask[0, 0] == 0
    with pytest.raises(ValueError, match="expected to be a dict or a list"):
        _coco_index.mask_of(3, 2, 2)


def test_several_targets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = made("OxfordIIITPet", tmp_path / "a", monkeypatch)
    assert kinds[0]["classes"] == ["list", "Abyssinian", "Great Dane"]
    assert kinds[1]["samples"][0][2] == ["tuple", 1, 1, ["L", [6, 4], 66, [0, 1, 2]]]
    assert kinds[2]["samples"][0][2] is None
    outlines = made("Caltech101", tmp_path / "b", monkeypatch)[1]
    assert outlines["samples"][2][2] == ["tuple", 1, ["uint8", [2, 3], 21.0]]
    city = made("Cityscapes", tmp_path / "c", monkeypatch)[1]["samples"]
    assert sorted(row[2][2]["imgHeight"] for row in city) == [0, 1]
    assert len(datasets.Cityscapes.classes) == 35
    assert datasets.Cityscapes.classes[-1][:3] == ("license plate", -1, -1)
    assert datasets.Cityscapes.classes[7].color == (128, 64, 128)


def test_boxes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train, test = made("Kitti", tmp_path / "a", monkeypatch)
    (thing, _) = train["samples"][0][2][1:]
    assert thing["bbox"] == ["list", 1.0, 0.5, 5.0, 3.5]
    assert thing["occluded"] == 1
    assert thing["location"][3] == 46.7
    assert test["samples"][0][2] is None
    faces = made("WIDERFace", tmp_path / "b", monkeypatch)[0]["samples"]
    assert faces[0][2]["bbox"] == ["int64", [2, 4], 20.0]
    assert faces[1][2]["pose"] == ["int64", [1], 0.0]


def test_pairs_and_tensors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = made("LFWPairs", tmp_path / "a", monkeypatch)
    assert [[row[3] for row in data["samples"]] for data in pairs] == [[1, 0, 1, 0], [1, 0]]
    flying = made("MovingMNIST", tmp_path / "b", monkeypatch)
    assert [data["samples"][0][1] for data in flying] == [[n, 1, 3, 3] for n in (20, 4, 10)]
    patches = made("PhotoTour", tmp_path / "c", monkeypatch)
    assert patches[0]["samples"][3][:2] == ["uint8", [64, 64]]
    assert len(patches[0]["samples"]) == 4
    assert [row[3][2] for row in patches[1]["samples"]] == [1.0, 0.0]
    again = datasets.PhotoTour(tmp_path / "c", "liberty")  # from what was kept
    assert torch.equal(again.labels, torch.tensor([0, 0, 1, 2]))
    borders = made("SBDataset", tmp_path / "d", monkeypatch)
    assert borders[0]["samples"][0][2] == ["uint8", [20, 4, 6], 4.0]
    assert borders[1]["samples"][0][2] == ["L", [6, 4], 276, [0, 1, 2]]


def test_imagenet_keeps_what_it_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train, valid = made("ImageNet", tmp_path, monkeypatch)
    assert train["classes"] == ["list", ["tuple", "dog"], ["tuple", "cat", "house cat"]]
    assert train["class_to_idx"] == {"dog": 0, "cat": 1, "house cat": 1}
    assert valid["wnids"] == ["list", "n01", "n02"]
    for archive in tmp_path.glob("*.tar*"):
        archive.unlink()
    data = datasets.ImageNet(tmp_path, "val")
    assert [target for _, target in data] == [0, 0, 1]
    (tmp_path / "meta.bin").unlink()
    with pytest.raises(RuntimeError, match="not present in the root directory or is corrupted"):
        datasets.ImageNet(tmp_path, "val")


def test_archives_are_fetched_and_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`download=True` with an archive in the real layout, on this machine."""
    import hashlib
    import shutil

    layouts.food101(tmp_path / "made")
    archive = shutil.make_archive(str(tmp_path / "food-101"), "gztar", tmp_path / "made")
    monkeypatch.setattr(datasets.Food101, "_URL", Path(archive).as_uri())
    monkeypatch.setattr(
        datasets.Food101, "_MD5", hashlib.md5(Path(archive).read_bytes()).hexdigest()
    )
    data = datasets.Food101(tmp_path / "root", download=True, target_transform=lambda n: n + 5)
    assert [label for _, label in data] == [6, 5]
    Path(archive).unlink()
    assert len(datasets.Food101(tmp_path / "root", download=True)) == 2  # it is there already


@pytest.mark.parametrize(("name", "module"), [("PCAM", "h5py"), ("LSUN", "lmdb")])
def test_packages_that_are_missing(name: str, module: str, monkeypatch: Any) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(RuntimeError, match=f"needs to have {module} installed"):
        getattr(datasets, name)("nowhere")


def test_bad_arguments(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Unknown value 'valid' for argument split"):
        datasets.Food101(tmp_path, split="valid")
    with pytest.raises(ValueError, match="Parameter 'partition'"):
        datasets.DTD(tmp_path, partition=11)
    with pytest.raises(ValueError, match="split_ratio"):
        datasets.MovingMNIST(tmp_path, split_ratio=20)
    with pytest.raises(ValueError, match="if mode is 'coarse'"):
        datasets.Cityscapes(tmp_path, split="test", mode="coarse")
    with pytest.raises(ValueError, match="Unknown value 'attic' for LSUN class"):
        datasets.LSUN(tmp_path, ["attic_train"])
    with pytest.raises(ValueError, match="cannot be downloaded"):
        datasets.StanfordCars(tmp_path, download=True)
    with pytest.raises(ValueError, match="no longer available"):
        datasets.LFWPeople(tmp_path, download=True)
    with pytest.raises(AttributeError, match="HMDB51"):
        datasets.HMDB51  # noqa: B018
