"""CelebA: faces of known people, with attributes, landmarks and boxes."""

from __future__ import annotations

import csv
import os
from typing import Any, ClassVar, NamedTuple

from ...tensor import Tensor
from . import _archives
from ._files import BROKEN, Path, demand, one_or_tuple, open_image
from .utils import (
    check_integrity,
    download_file_from_google_drive,
    extract_archive,
    verify_str_arg,
)
from .vision import Transform, VisionDataset

_SPLITS = {"train": 0, "valid": 1, "test": 2, "all": None}


class _Table(NamedTuple):
    """The names of the columns of a table, those of its rows, and its numbers."""

    header: list[str]
    rows: list[str]
    data: Tensor


class CelebA(VisionDataset):
    """202,599 photographs of 10,177 faces, each with 40 attributes.

    A sample is an image of Pillow's, 178x218, and what `target_type` asks for. The files lie below
    `root/celeba`: `img_align_celeba/000001.jpg`, `list_attr_celeba.txt` and the other lists.

    Args:
        root: the folder that holds `celeba`.
        split: "train", "valid", "test" or "all".
        target_type: "attr" (int tensor of 40 zeros and ones), "identity" (who it is), "bbox" (int
            tensor x, y, width, height), "landmarks" (int tensor of five points), a list of these
            for a tuple, or an empty list for None.
        transform, target_transform: applied to each image and target.
        download: accepted: the files are on Google Drive, which gives them to browsers only;
            archives that lie in `root/celeba` are unpacked.

    Liu et al.: Deep learning face attributes in the wild, 2015.
    """

    base_folder = "celeba"
    file_list: ClassVar[list[tuple[str, str, str]]] = [
        (
            "0B7EVK8r0v71pZjFTYXZWM3FlRnM",
            "00d2c5bc6d35e252742224ab0c1e8fcb",
            "img_align_celeba.zip",
        ),
        (
            "0B7EVK8r0v71pblRyaVFSWGxPY0U",
            "75e246fa4810816ffd6ee81facbd244c",
            "list_attr_celeba.txt",
        ),
        (
            "1_ee_0u7vcNLOfNLegJRHmolfH5ICW-XS",
            "32bd1bd63d3c78cd57e08160ec5ed1e2",
            "identity_CelebA.txt",
        ),
        (
            "0B7EVK8r0v71pbThiMVRxWXZ4dU0",
            "00566efa6fedff7a56946cd1c10f1c16",
            "list_bbox_celeba.txt",
        ),
        (
            "0B7EVK8r0v71pd0FJY3Blby1HUTQ",
            "cc24ecafdb5b50baae59b03474781f8c",
            "list_landmarks_align_celeba.txt",
        ),
        (
            "0B7EVK8r0v71pY0NSMzRuSXJEVkk",
            "d32c9cbf5e040fd4025c592c306e6668",
            "list_eval_partition.txt",
        ),
    ]

    def __init__(
        self,
        root: Path,
        split: str = "train",
        target_type: list[str] | str = "attr",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.split = split
        self.target_type = target_type if isinstance(target_type, list) else [target_type]
        if not self.target_type and self.target_transform is not None:
            raise RuntimeError("target_transform is specified but target_type is empty")
        if download:
            self.download()
        demand(self._check_integrity(), "CelebA", self._path(), BROKEN)
        chosen = _SPLITS[verify_str_arg(split.lower(), "split", tuple(_SPLITS))]
        parts = self._load_csv("list_eval_partition.txt")
        part = parts.data[:, 0]
        keep = part >= 0 if chosen is None else part == chosen
        self.filename = [parts.rows[i] for i in keep.nonzero()[:, 0].tolist()]
        self.identity = self._load_csv("identity_CelebA.txt").data[keep]
        self.bbox = self._load_csv("list_bbox_celeba.txt", 1).data[keep]
        self.landmarks_align = self._load_csv("list_landmarks_align_celeba.txt", 1).data[keep]
        attributes = self._load_csv("list_attr_celeba.txt", 1)
        self.attr = attributes.data[keep].add(1).div(2, rounding_mode="floor")  # of -1 and 1
        self.attr_names = attributes.header

    def _path(self, *names: str) -> str:
        return os.path.join(self.root, self.base_folder, *names)

    def _load_csv(self, filename: str, header: int | None = None) -> _Table:
        import rushlight

        with open(self._path(filename), encoding="utf-8") as file:
            rows = list(csv.reader(file, delimiter=" ", skipinitialspace=True))
        titles = [] if header is None else rows[header]
        rows = rows if header is None else rows[header + 1 :]
        numbers = [[int(value) for value in row[1:]] for row in rows]
        return _Table(titles, [row[0] for row in rows], rushlight.as_tensor(numbers))

    def _check_integrity(self) -> bool:
        lists = [(name, md5) for _, md5, name in self.file_list if name.endswith(".txt")]
        right = all(check_integrity(self._path(name), md5) for name, md5 in lists)
        return right and os.path.isdir(self._path("img_align_celeba"))

    def download(self) -> None:
        """Unpack the archive of the images; RuntimeError where a file is missing."""
        with _archives.taking_turns(self._path()):
            if self._check_integrity():
                return
            for file_id, md5, name in self.file_list:
                download_file_from_google_drive(file_id, self._path(), name, md5)
            extract_archive(self._path("img_align_celeba.zip"))

    def _target(self, kind: str, index: int) -> Any:
        if kind == "identity":
            return self.identity[index, 0]
        tables = {"attr": self.attr, "bbox": self.bbox, "landmarks": self.landmarks_align}
        if kind not in tables:
            raise ValueError(f'Target type "{kind}" is not recognized.')
        return tables[kind][index]

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image = open_image(self._path("img_align_celeba", self.filename[index]))
        targets = [self._target(kind, index) for kind in self.target_type]
        if not targets:
            return (image if self.transform is None else self.transform(image)), None
        return self._transformed(image, one_or_tuple(targets))

    def __len__(self) -> int:
        return len(self.attr)

    def extra_repr(self) -> str:
        return f"Target type: {self.target_type}\nSplit: {self.split}"
