"""SVHN: house numbers seen from the street, in MATLAB files of version 5."""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from ...errors import message
from ...utils.download import corrupted, fetch, md5_of
from .._pillow import pillow
from .utils import verify_str_arg
from .vision import Transform, VisionDataset

_COMPRESSED, _MATRIX = 15, 14
_NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8"}
_MAX_BYTES = 1 << 32  # of one unpacked matrix: the largest has 1.6 GB


def read_mat(path: str | os.PathLike[str]) -> dict[str, np.ndarray]:
    """The numeric arrays in a MATLAB 5 file, by name.

    Raises:
        RuntimeError: the file is broken or of another version.
    """
    with open(path, "rb") as file:
        raw = memoryview(file.read())
    try:
        if bytes(raw[124:128]) != b"\x00\x01IM":
            raise ValueError("it is no little-endian MATLAB 5 file")
        found = {}
        for kind, body in _elements(raw[128:]):
            if kind == _COMPRESSED:
                unpacker = zlib.decompressobj()
                kind, body = next(_elements(memoryview(unpacker.decompress(body, _MAX_BYTES))))
            if kind == _MATRIX:
                name, array = _matrix(body)
                found[name] = array
        return found
    except (ValueError, LookupError, StopIteration, struct.error, zlib.error) as error:
        raise RuntimeError(
            message(
                f"{os.fspath(path)} is no MATLAB file that can be read; it may be corrupted",
                got=error,
                hint="deleting it, and download=True",
            )
        ) from error


def _elements(raw: memoryview) -> Iterator[tuple[int, memoryview]]:
    """The tagged pieces of a MATLAB file: a type and the bytes."""
    place = 0
    while place + 8 <= len(raw):
        kind, size = struct.unpack_from("<II", raw, place)
        if kind >> 16:  # a small one: size and type share four bytes, the content has four more
            kind, size = kind & 0xFFFF, kind >> 16
            yield kind, raw[place + 4 : place + 4 + min(size, 4)]
            place += 8
            continue
        if size > len(raw) - place - 8:
            raise ValueError(f"an element of {size} bytes is cut off")
        yield kind, raw[place + 8 : place + 8 + size]
        place += 8 + size + (-size % 8 if kind != _COMPRESSED else 0)


def _matrix(body: memoryview) -> tuple[str, np.ndarray]:
    (_, _flags), (_, sizes), (_, name), (kind, data) = list(_elements(body))[:4]
    shape = tuple(int(n) for n in np.frombuffer(sizes, "<i4"))
    array = np.frombuffer(data, "<" + _NUMBERS[kind]).reshape(shape, order="F")
    return bytes(name).decode("ascii"), array


class SVHN(VisionDataset):
    """73,257 training, 26,032 test and 531,131 extra colour photographs of digits, 32x32.

    A sample is a Pillow image and an int label. The whole is `data`, a uint8 array of shape
    (N, 3, 32, 32), and `labels`.

    Args:
        root: the folder that holds `train_32x32.mat` and so on.
        split: "train", "test" or "extra".
        transform, target_transform: applied to each image and label.
        download: fetch the file if it is missing or broken.

    Netzer et al.: Reading digits in natural images with unsupervised feature learning, 2011.
    """

    split_list: ClassVar[dict[str, list[str]]] = {
        "train": [
            "http://ufldl.stanford.edu/housenumbers/train_32x32.mat",
            "train_32x32.mat",
            "e26dedcc434d2e4c54c9b2d4a06d8373",
        ],
        "test": [
            "http://ufldl.stanford.edu/housenumbers/test_32x32.mat",
            "test_32x32.mat",
            "eb5a983be6a315427106f1b164d9cef3",
        ],
        "extra": [
            "http://ufldl.stanford.edu/housenumbers/extra_32x32.mat",
            "extra_32x32.mat",
            "a93ce644f1a588dc4d68dda5feec44a7",
        ],
    }

    def __init__(
        self,
        root: str | os.PathLike[str],
        split: str = "train",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.split = verify_str_arg(split, "split", tuple(self.split_list))
        self.url, self.filename, self.file_md5 = self.split_list[split]
        if download:
            self.download()
        path = os.path.join(self.root, self.filename)
        there = os.path.isfile(path)
        found = md5_of(path) if there else ""
        if found != self.file_md5:
            raise RuntimeError(
                message(
                    "SVHN: Dataset not found or corrupted. "
                    "You can use download=True to download it",
                    got=corrupted(path, found, self.file_md5) if there else f"no file {path}",
                    hint="download=True, or another root",
                )
            )
        content = read_mat(path)
        self.data: np.ndarray = content["X"].transpose(3, 2, 0, 1)  # (N, 3, 32, 32)
        self.labels: np.ndarray = content["y"].astype(np.int64).reshape(-1)
        self.labels[self.labels == 10] = 0  # MATLAB counts from one

    def download(self) -> None:
        """Fetch the file, unless it is there and right."""
        fetch([self.url], os.fspath(self.root), self.filename, self.file_md5)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image = pillow().fromarray(np.ascontiguousarray(self.data[index].transpose(1, 2, 0)))
        return self._transformed(image, int(self.labels[index]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {self.split}"
