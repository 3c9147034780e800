"""Samples of data sets as boxes and masks that `transforms.v2` knows."""

from __future__ import annotations

import importlib
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.vision import datasets, tv_tensors
from rushlight.vision.datasets import wrap_dataset_for_transforms_v2 as wrapped
from rushlight.vision.transforms import v2

from . import layouts

pytest.importorskip("PIL", reason="Pillow is not installed")


def made(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, **how: Any) -> Any:
    module = importlib.import_module(getattr(datasets, name).__module__)
    if hasattr(module, "check_integrity"):
        monkeypatch.setattr(module, "check_integrity", lambda path, md5=None: os.path.isfile(path))
    layouts.LAYOUTS[name][0](folder)
    return layouts.made(datasets, name, folder, how)


def test_voc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = made("VOCDetection", tmp_path, monkeypatch, transforms=v2.RandomHorizontalFlip(1.0))
    found = wrapped(data)
    assert type(found).__name__ == "WrappedVOCDetection"
    assert isinstance(found, datasets.VOCDetection)
    assert len(found) == 2
    image, target = found[1]
    assert image.size == (6, 4)
    assert sorted(target) == ["boxes", "labels"]
    assert target["boxes"].tolist() == [[1, 0, 5, 3], [2, 1, 4, 2]]
    assert target["boxes"].canvas_size == (4, 6)
    assert target["labels"].tolist() == [8, 12]
    again = pickle.loads(pickle.dumps(found))
    assert again[1][1]["boxes"].tolist() == target["boxes"].tolist()
    assert "annotation" in wrapped(data, "all")[0][1]
    with pytest.raises(ValueError, match="not available"):
        wrapped(data, ["masks"])
    segmented = wrapped(made("VOCSegmentation", tmp_path, monkeypatch))[0][1]
    assert (type(segmented), segmented.shape) == (tv_tensors.Mask, (1, 4, 6))


def test_coco(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = {"root": "@/images", "annFile": "@/instances.json"}
    data = made("CocoDetection", tmp_path, monkeypatch, **where)
    _, target = wrapped(data, ["boxes", "masks", "labels", "area"])[2]
    assert target["boxes"].tolist() == [[1, 1, 5, 3], [0, 0, 1, 1]]
    assert target["masks"].shape == (2, 4, 6)
    assert int(target["masks"][0].sum()) == 8
    assert target["labels"].tolist() == [3, 1]
    assert target["area"] == [8.0, 1.0]
    assert wrapped(data)[1][1] == {"image_id": 6}  # nothing in it
    assert sorted(wrapped(data)[0][1]) == ["boxes", "image_id", "labels"]


def test_other_data_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(name: str, **how: Any) -> Any:
        folder = tmp_path / f"{name}{len(how)}"
        folder.mkdir()
        return made(name, folder, monkeypatch, **how)

    boxes = wrapped(build("Kitti"))[0][1]
    assert boxes["boxes"].tolist() == [[1.0, 0.5, 5.0, 3.5]] * 2
    assert boxes["labels"].tolist() == [0, 0]
    faces = wrapped(build("WIDERFace", split="val"))[0][1]
    assert faces["bbox"].tolist() == [[1, 2, 4, 6]] * 2
    identity, box = wrapped(build("CelebA", target_type=["identity", "bbox"]))[1][1]
    assert (int(identity), box.tolist()) == (11, [[2, 1, 6, 4]])
    pets = build("OxfordIIITPet", target_types=["category", "segmentation"])
    label, outline = wrapped(pets)[0][1]
    assert (label, type(outline)) == (1, tv_tensors.Mask)
    city = wrapped(build("Cityscapes"))[0][1]
    assert city["masks"].shape == (7, 1, 4, 6)
    assert city["labels"].shape == (7,)
    assert wrapped(build("EuroSAT"))[0][1] == 0
    with pytest.raises(RuntimeError, match="not supported by this wrapper"):
        wrapped(build("Caltech101", target_type="annotation"))
    with pytest.raises(TypeError, match="No wrapper exists for dataset class FakeData"):
        wrapped(datasets.FakeData(1))
    with pytest.raises(TypeError, match="VisionDataset"):
        wrapped([1])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="only supported for"):
        wrapped(datasets.EuroSAT(tmp_path / "EuroSAT0"), "all")


def test_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loader of a detector: samples side by side."""
    chain = v2.Compose([v2.ToImage(), v2.RandomHorizontalFlip(1.0), v2.ToDtype(torch.float32)])
    data = wrapped(made("VOCDetection", tmp_path, monkeypatch, transforms=chain))
    loader = torch.utils.data.DataLoader(
        data, batch_size=2, collate_fn=lambda rows: tuple(zip(*rows, strict=True))
    )
    images, targets = next(iter(loader))
    assert [tuple(image.shape) for image in images] == [(3, 4, 6)] * 2
    assert [len(target["boxes"]) for target in targets] == [1, 2]
    assert np.asarray(images[0]).dtype == np.float32
