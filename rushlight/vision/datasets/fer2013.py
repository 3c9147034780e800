"""FER2013: faces of seven expressions, in tables of text."""

from __future__ import annotations

import csv
import pathlib
from typing import Any, ClassVar

import numpy as np

from ...errors import message
from .._pillow import pillow
from ._files import Path
from .utils import check_integrity, verify_str_arg
from .vision import Transform, VisionDataset


class FER2013(VisionDataset):
    """28,709 training and 7,178 test faces in grey, 48x48, with seven expressions.

    A sample is a grey image of Pillow's and an int label. `root/fer2013` holds `fer2013.csv`, or
    `icml_face_data.csv`, or `train.csv` and `test.csv`; of the last one the labels are None. The
    files need an account at Kaggle.

    Args:
        root: the folder that holds `fer2013`.
        split: "train" or "test".
        transform, target_transform: applied to each image and label.

    Goodfellow et al.: Challenges in representation learning, 2013.
    """

    _RESOURCES: ClassVar[dict[str, tuple[str, str]]] = {
        "train": ("train.csv", "3f0dfb3d3fd99c811a1299cb947e3131"),
        "test": ("test.csv", "b02c2298636a634e8c2faabbf3ea9a23"),
        "fer": ("fer2013.csv", "f8428a1edbd21e88f42c73edd2a14f95"),
        "icml": ("icml_face_data.csv", "b114b9e04e6949e5fe8b6a98b3892b1d"),
    }

    def __init__(
        self,
        root: Path,
        split: str = "train",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
    ) -> None:
        self._split = verify_str_arg(split, "split", ("train", "test"))
        super().__init__(root, transform=transform, target_transform=target_transform)
        folder = pathlib.Path(self.root) / "fer2013"
        whole = [key for key in ("fer", "icml") if (folder / self._RESOURCES[key][0]).exists()]
        name, md5 = self._RESOURCES[(whole or [split])[0]]
        if not check_integrity(folder / name, md5):
            raise RuntimeError(
                message(
                    f"FER2013: {name} not found in {folder} or corrupted. You can download it from "
                    "https://www.kaggle.com/c/challenges-in-representation-learning-facial-"
                    "expression-recognition-challenge",
                    wanted=f"the MD5 checksum {md5}",
                )
            )
        with open(folder / name, newline="", encoding="utf-8") as file:
            # One of the files has spaces before the names of its columns.
            rows = [{k.strip(): v for k, v in row.items()} for row in csv.DictReader(file)]
        if whole:
            rows = [row for row in rows if (row["Usage"] == "Training") == (split == "train")]
        self._samples = [(_pixels(row["pixels"]), _label(row)) for row in rows]

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        pixels, label = self._samples[index]
        return self._transformed(pillow().fromarray(pixels), label)

    def __len__(self) -> int:
        return len(self._samples)

    def extra_repr(self) -> str:
        return f"split={self._split}"


def _pixels(text: str) -> np.ndarray:
    return np.array(text.split(), np.uint8).reshape(48, 48)


def _label(row: dict[str, str]) -> int | None:
    return int(row["emotion"]) if "emotion" in row else None
