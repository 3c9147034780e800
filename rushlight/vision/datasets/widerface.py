"""WIDERFace: photographs of people, with boxes around their faces."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from . import _archives
from ._files import BROKEN, Path, demand, lines_of, open_image
from .utils import (
    download_and_extract_archive,
    download_file_from_google_drive,
    extract_archive,
    verify_str_arg,
)
from .vision import Transform, VisionDataset

_COLUMNS = ("blur", "expression", "illumination", "occlusion", "pose", "invalid")


class WIDERFace(VisionDataset):
    """32,203 photographs with 393,703 faces.

    A sample is an image of Pillow's and a dictionary of int tensors: "bbox" of shape (faces, 4),
    x, y, width, height; "blur", "expression", "illumination", "occlusion", "pose" and "invalid" of
    shape (faces,). In the test split it is None. The files lie as in the archives, below
    `root/widerface`: `wider_face_split`, `WIDER_train`, `WIDER_val`, `WIDER_test`.

    Args:
        root: the folder that holds `widerface`.
        split: "train", "val" or "test".
        transform, target_transform: applied to each image and dictionary.
        download: unpack the archives in `root/widerface`; they are on Google Drive, which gives
            them to browsers only.

    Yang et al.: WIDER FACE, a face detection benchmark, 2016.
    """

    BASE_FOLDER = "widerface"
    FILE_LIST: ClassVar[list[tuple[str, str, str]]] = [
        (
            "15hGDLhsx8bLgLcIRD5DhYt5iBxnjNF1M",
            "3fedf70df600953d25982bcd13d91ba2",
            "WIDER_train.zip",
        ),
        (
            "1GUCogbp16PMGa39thoMMeWxp7Rp5oM8Q",
            "dfa7d7e790efa35df3788964cf0bbaea",
            "WIDER_val.zip",
        ),
        (
            "1HIfDbVEWKmsYKJZm4lchTBDLW5N7dY5T",
            "e5d8f4248ed24c334bbd12f49c29dd40",
            "WIDER_test.zip",
        ),
    ]
    ANNOTATIONS_FILE = (
        "http://shuoyang1213.me/WIDERFACE/support/bbx_annotation/wider_face_split.zip",
        "0e3767bcf0e326556d407bf5bff5d27c",
        "wider_face_split.zip",
    )

    def __init__(
        self,
        root: Path,
        split: str = "train",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        base = os.path.join(os.path.expanduser(root), self.BASE_FOLDER)
        super().__init__(base, transform=transform, target_transform=target_transform)
        self.split = verify_str_arg(split, "split", ("train", "val", "test"))
        if download:
            self.download()
        demand(self._check_integrity(), "WIDERFace", base, BROKEN)
        ending = "filelist.txt" if split == "test" else "bbx_gt.txt"
        lines = lines_of(os.path.join(base, "wider_face_split", f"wider_face_{split}_{ending}"))
        self.img_info = [{"img_path": p} for p in map(self._path, lines)] if split == "test" else []
        if split != "test":
            self._parse(lines)

    def _path(self, name: str) -> str:
        return os.path.abspath(os.path.join(self.root, f"WIDER_{self.split}", "images", name))

    def _parse(self, lines: list[str]) -> None:
        """A name, a number of faces, and a line of numbers for each; one of zeros for none."""
        import rushlight

        place = 0
        while place < len(lines):
            count = max(int(lines[place + 1]), 1)
            rows = lines[place + 2 : place + 2 + count]
            table = rushlight.as_tensor([[int(value) for value in row.split(" ")] for row in rows])
            found: Any = {"bbox": table[:, :4].clone()}
            found |= {name: table[:, 4 + i].clone() for i, name in enumerate(_COLUMNS)}
            self.img_info.append({"img_path": self._path(lines[place]), "annotations": found})
            place += 2 + count

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        info = self.img_info[index]
        return self._transformed(open_image(info["img_path"]), info.get("annotations"))

    def __len__(self) -> int:
        return len(self.img_info)

    def _check_integrity(self) -> bool:
        names = [name for _, _, name in (*self.FILE_LIST, self.ANNOTATIONS_FILE)]
        return all(os.path.exists(os.path.join(self.root, name[:-4])) for name in names)

    def download(self) -> None:
        """Unpack the archives, unless it was done; RuntimeError where one is missing."""
        with _archives.taking_turns(self.root):
            if self._check_integrity():
                return
            for file_id, md5, name in self.FILE_LIST:
                download_file_from_google_drive(file_id, self.root, name, md5)
                extract_archive(os.path.join(self.root, name))
            url, md5, _ = self.ANNOTATIONS_FILE
            download_and_extract_archive(url, self.root, md5=md5)

    def extra_repr(self) -> str:
        return f"Split: {self.split}"
