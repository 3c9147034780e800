"""MNIST and the data sets in its file format: Fashion-MNIST and KMNIST.

Images are 28x28 bytes in IDX files. Three layouts are recognised: torchvision's
`ROOT/MNIST/raw/train-images-idx3-ubyte` (packed or not), `ROOT/raw/...`, and the files lying in
`ROOT` itself. Downloads: `_download.py`.
"""

from __future__ import annotations

import gzip
import os
import zlib
from typing import Any, ClassVar

import numpy as np

from ...errors import message
from .._pillow import pillow
from ._download import fetch
from .vision import Transform, VisionDataset

_IDX_TYPES = {8: ">u1", 9: ">i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
_MAX_BYTES = 1 << 31  # of one unpacked file: MNIST's largest is 47 MB


def read_idx(path: str | os.PathLike[str]) -> np.ndarray:
    """The array in an IDX file, packed with gzip or not.

    An IDX file is two zero bytes, a type byte, the number of dimensions, each size as a big-endian
    int32, then the elements (http://yann.lecun.com/exdb/mnist).

    Raises:
        RuntimeError: the file is not IDX, or its length does not match its header.
    """
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path, "rb") if packed else open(path, "rb") as file:
            raw = file.read(_MAX_BYTES)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise _bad(path, f"gzip says: {error}") from error
    if len(raw) < 4 or raw[:2] != b"\0\0" or raw[2] not in _IDX_TYPES:
        raise _bad(path, f"it begins with {raw[:4]!r}")
    dtype = np.dtype(_IDX_TYPES[raw[2]])
    begin = 4 + 4 * raw[3]
    if len(raw) < begin:
        raise _bad(path, f"its header is cut off after {len(raw)} bytes")
    shape = tuple(int(n) for n in np.frombuffer(raw, ">i4", raw[3], 4))
    wanted = begin + dtype.itemsize * int(np.prod(shape, dtype=object))
    if min(shape, default=0) < 0 or wanted != len(raw):
        raise _bad(path, f"{len(raw)} bytes for shape {shape}")
    return np.frombuffer(raw, dtype, offset=begin).reshape(shape).astype(dtype.newbyteorder("="))


def _bad(path: Any, got: str) -> RuntimeError:
    return RuntimeError(
        message(
            f"{os.fspath(path)} is not a whole IDX file; it may be corrupted",
            got=got,
            hint="deleting it, and download=True",
        )
    )


class MNIST(VisionDataset):
    """60,000 training and 10,000 test images of handwritten digits, 28x28 in grey.

    A sample is a Pillow image (after `transform`, usually a tensor) and an int label. The whole
    arrays are `data`, a uint8 tensor of shape (N, 28, 28), and `targets`, int64 of shape (N,).

    Args:
        root: the folder that holds `MNIST/raw/*-ubyte` (with or without .gz), or the files.
        train: the training part, else the test part.
        transform, target_transform: applied to each image and label.
        download: fetch missing files into `root/MNIST/raw`, checked and whole.

    Raises:
        RuntimeError: files are missing and `download` is False, or a file is broken.

    LeCun, Cortes, Burges: The MNIST database of handwritten digits, 1998.
    """

    mirrors: ClassVar[tuple[str, ...]] = (
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "http://yann.lecun.com/exdb/mnist/",
    )
    checksums: ClassVar[dict[str, str]] = {
        "train-images-idx3-ubyte.gz": "f68b3c2dcbeaaa9fbdd348bbdeb94873",
        "train-labels-idx1-ubyte.gz": "d53e105ee54ea40749a09fcbcd1e9432",
        "t10k-images-idx3-ubyte.gz": "9fb629c4189551a2d022fa330f9573f3",
        "t10k-labels-idx1-ubyte.gz": "ec29112dd5afa0611ce80d1b7f02629c",
    }
    classes: ClassVar[list[str]] = [
        "0 - zero",
        "1 - one",
        "2 - two",
        "3 - three",
        "4 - four",
        "5 - five",
        "6 - six",
        "7 - seven",
        "8 - eight",
        "9 - nine",
    ]

    def __init__(
        self,
        root: str | os.PathLike[str],
        train: bool = True,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        import rushlight

        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        if download:
            self.download()
        part = "train" if train else "t10k"
        images = read_idx(self._find(f"{part}-images-idx3-ubyte"))
        labels = read_idx(self._find(f"{part}-labels-idx1-ubyte"))
        if images.ndim != 3 or labels.shape != images.shape[:1]:
            raise RuntimeError(
                message(
                    f"{type(self).__name__}: the files do not belong together",
                    got=f"images {images.shape}, labels {labels.shape}",
                    wanted="(N, 28, 28) and (N,)",
                )
            )
        self.data = rushlight.from_numpy(images)
        self.targets = rushlight.from_numpy(labels.astype(np.int64))

    @property
    def raw_folder(self) -> str:
        """Where downloads go: torchvision's place."""
        return os.path.join(self.root, type(self).__name__, "raw")

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The label of each class name."""
        return {name: i for i, name in enumerate(self.classes)}

    def _candidates(self, name: str) -> list[str]:
        folders = (self.raw_folder, os.path.join(self.root, "raw"), self.root)
        names = (name, name + ".gz", name.replace("-idx", ".idx"))  # the last: how some unpack it
        return [os.path.join(folder, n) for folder in folders for n in names]

    def _find(self, name: str) -> str:
        for path in self._candidates(name):
            if os.path.isfile(path):
                return path
        raise RuntimeError(
            message(
                f"{type(self).__name__}: Dataset not found. "
                "You can use download=True to download it",
                got=f"no file {name}(.gz)",
                wanted=f"it in {self.raw_folder} or in {self.root}",
                hint="download=True, or another root",
            )
        )

    def download(self) -> None:
        """Fetch the files that are missing."""
        for name, checksum in self.checksums.items():
            if not any(os.path.isfile(p) for p in self._candidates(name.removesuffix(".gz"))):
                fetch([base + name for base in self.mirrors], self.raw_folder, name, checksum)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image = pillow().fromarray(self.data[index].numpy())
        return self._transformed(image, int(self.targets[index]))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"


class FashionMNIST(MNIST):
    """Zalando's 70,000 images of clothing, in MNIST's format (https://arxiv.org/abs/1708.07747)."""

    mirrors = ("http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/",)
    checksums: ClassVar[dict[str, str]] = {
        "train-images-idx3-ubyte.gz": "8d4fb7e6c68d591d4c3dfef9ec88bf0d",
        "train-labels-idx1-ubyte.gz": "25c81989df183df01b3e8a0aad5dffbe",
        "t10k-images-idx3-ubyte.gz": "bef4ecab320f06d8554ea6380940ec79",
        "t10k-labels-idx1-ubyte.gz": "bb300cfdad3c16e7a12a480ee83cd310",
    }
    classes: ClassVar[list[str]] = [
        "T-shirt/top",
        "Trouser",
        "Pullover",
        "Dress",
        "Coat",
        "Sandal",
        "Shirt",
        "Sneaker",
        "Bag",
        "Ankle boot",
    ]


class KMNIST(MNIST):
    """70,000 images of cursive Japanese characters, in MNIST's format (arXiv 1812.01718)."""

    mirrors = ("http://codh.rois.ac.jp/kmnist/dataset/kmnist/",)
    checksums: ClassVar[dict[str, str]] = {
        "train-images-idx3-ubyte.gz": "bdb82020997e1d708af4cf47b453dcf7",
        "train-labels-idx1-ubyte.gz": "e144d726b3acfaa3e44228e80efcd344",
        "t10k-images-idx3-ubyte.gz": "5c965bf0a639b31b8f53240b1b52f4d7",
        "t10k-labels-idx1-ubyte.gz": "7320c461ea6c1c855c0b718fb2a4b134",
    }
    classes: ClassVar[list[str]] = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]
