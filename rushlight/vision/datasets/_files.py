"""What the data sets of files on disk share: lists of labelled files, and how they are fetched.

Read next: `food101.py`, the plainest of them; `voc.py`, where labels are files too.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import message
from .._pillow import pillow
from . import _archives
from .utils import download_and_extract_archive
from .vision import VisionDataset

Path = str | os.PathLike[str]
Loader = Callable[[Any], Any]

ABSENT = "Dataset not found. You can use download=True to download it"
BROKEN = "Dataset not found or corrupted. You can use download=True to download it"


def demand(there: bool, name: str, place: Path, what: str = ABSENT) -> None:
    """RuntimeError unless the files of a data set are there."""
    if not there:
        raise RuntimeError(
            message(
                f"{name}: {what}",
                got=f"not what is wanted in {os.fspath(place)}",
                hint="download=True, or the folder in which the files lie as root",
            )
        )


def fetch_archives(there: Callable[[], bool], folder: Path, *archives: tuple[str, ...]) -> None:
    """Fetch and extract archives (address, checksum and perhaps name) unless files are there.

    The processes of one training take turns, so one of them fetches and the others find.
    """
    with _archives.taking_turns(folder):
        if there():
            return
        for url, md5, *name in archives:
            download_and_extract_archive(
                url, folder, filename=name[0] if name else None, md5=md5 or None
            )


def needed(module: str, package: str, name: str) -> Any:
    """A module that one data set needs; RuntimeError saying so where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise RuntimeError(
            message(
                f"{package} is not found. {name} needs to have {package} installed",
                got=str(error),
                hint=f"pip install {package}",
            )
        ) from error


class Labelled(VisionDataset):
    """Files and a label for each: `_image_files` and `_labels`, read by `loader`."""

    loader: Loader
    _image_files: Sequence[Any]
    _labels: Sequence[Any]

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self._transformed(self.loader(self._image_files[index]), self._labels[index])

    def __len__(self) -> int:
        return len(self._image_files)

    def extra_repr(self) -> str:
        return f"split={self._split}" if hasattr(self, "_split") else ""


class Paired(VisionDataset):
    """Files and a label for each, in pairs: `_samples`, read by `loader`."""

    loader: Loader
    _samples: list[tuple[Any, Any]]

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        path, label = self._samples[index]
        return self._transformed(self.loader(path), label)

    def __len__(self) -> int:
        return len(self._samples)

    def extra_repr(self) -> str:
        return f"split={self._split}" if hasattr(self, "_split") else ""


def one_or_tuple(targets: Sequence[Any]) -> Any:
    """A single target by itself, several as a tuple.

    >>> one_or_tuple([3]), one_or_tuple([3, 4])
    (3, (3, 4))
    """
    return targets[0] if len(targets) == 1 else tuple(targets)


def lines_of(path: Path) -> list[str]:
    """The lines of a text file, without what surrounds them."""
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file]


def numbered(names: Sequence[str]) -> dict[str, int]:
    """The place of each name in a list.

    >>> numbered(["cat", "dog"])
    {'cat': 0, 'dog': 1}
    """
    return {name: i for i, name in enumerate(names)}


def open_image(path: Path) -> Any:
    """The image in a file, as Pillow's, in the file's own mode (labels are often palettes)."""
    image = pillow().open(path)
    image.load()  # closes the file
    return image
