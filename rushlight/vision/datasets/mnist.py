"""MNIST and the data sets in its file format: Fashion-MNIST, KMNIST, EMNIST, QMNIST.

Images are 28x28 bytes in IDX files (`_idx.py`). Recognised are torchvision's layout
`ROOT/MNIST/raw/train-images-idx3-ubyte` (packed or not), its oldest `ROOT/raw/...` and
`ROOT/processed/training.pt`, and the files lying in `ROOT` itself. Downloads: `utils/download.py`.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import string
import warnings
import zlib
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from ...errors import message
from ...tensor import Tensor
from ...utils.download import corrupted, fetch, md5_of
from .._pillow import pillow
from . import _archives, _idx
from ._idx import read_idx, read_image_file, read_label_file, read_sn3_pascalvincent_tensor
from .utils import verify_str_arg
from .vision import Transform, VisionDataset

__all__ = [
    "EMNIST",
    "KMNIST",
    "MNIST",
    "QMNIST",
    "FashionMNIST",
    "read_idx",
    "read_image_file",
    "read_label_file",
    "read_sn3_pascalvincent_tensor",
]

Resources = Sequence[tuple[str, str]]
_DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]

# MNIST's files have the names and sizes of Fashion-MNIST's and KMNIST's; the labels tell, unpacked.
_MNIST_LABELS = {"a25bea736e30d166cdddb491f175f624", "27ae3e4e09519cfbb04c329615203637"}


class MNIST(VisionDataset):
    """60,000 training and 10,000 test images of handwritten digits, 28x28 in grey.

    A sample is a Pillow image (after `transform`, usually a tensor) and an int label. The whole
    arrays are `data`, a uint8 tensor of shape (N, 28, 28), and `targets`, int64 of shape (N,).

    Args:
        root: the folder that holds `MNIST/raw/*-ubyte` (with or without .gz), or the files.
        train: the training part, else the test part.
        transform, target_transform: applied to each image and label.
        download: fetch missing or broken files into `root/MNIST/raw`, checked and whole.

    Raises:
        RuntimeError: files are missing and `download` is False, or a file is broken.

    LeCun, Cortes, Burges: The MNIST database of handwritten digits, 1998.
    """

    mirrors: ClassVar[Sequence[str]] = [
        "https://ossci-datasets.s3.amazonaws.com/mnist/",
        "http://yann.lecun.com/exdb/mnist/",
    ]
    resources: ClassVar[Any] = [
        ("train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        ("train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"),
        ("t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"),
        ("t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"),
    ]
    training_file = "training.pt"
    test_file = "test.pt"
    classes: Sequence[str] = [f"{i} - {name}" for i, name in enumerate(_DIGITS)]

    def __init__(
        self,
        root: str | os.PathLike[str],
        train: bool = True,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.train = train
        self.data: Tensor
        self.targets: Tensor
        legacy = self._legacy_file()
        if legacy is not None:
            self.data, self.targets = self._load_legacy_data(legacy)
            return
        if download:
            self.download()
        self.data, self.targets = self._load_data()
        if len(self.data) != len(self.targets):
            raise RuntimeError(
                message(
                    f"{type(self).__name__}: the files do not belong together",
                    got=f"images {tuple(self.data.shape)}, labels {tuple(self.targets.shape)}",
                    wanted="(N, 28, 28) and (N,)",
                )
            )

    # Where files are

    @property
    def raw_folder(self) -> str:
        """Where downloads go: torchvision's place."""
        return os.path.join(self.root, type(self).__name__, "raw")

    @property
    def processed_folder(self) -> str:
        """Where torchvision before 0.9 kept its own files; they are read."""
        return os.path.join(self.root, type(self).__name__, "processed")

    def _files(self) -> tuple[str, str]:
        """The unpacked names of the images and of the labels."""
        part = "train" if self.train else "t10k"
        return f"{part}-images-idx3-ubyte", f"{part}-labels-idx1-ubyte"

    def _located(self) -> tuple[str, str]:
        """The paths of the images and of the labels, both in one folder."""
        images, labels = self._files()
        for folder in self._folders():
            pair = _spelled(folder, images), _spelled(folder, labels)
            if pair[0] and pair[1]:
                return pair[0], pair[1]
        raise RuntimeError(
            message(
                f"{type(self).__name__}: Dataset not found. "
                "You can use download=True to download it",
                got=f"no files {images}(.gz) and {labels}(.gz)"
                + ("; those there are MNIST's" if self._foreign(os.fspath(self.root)) else ""),
                wanted=f"them in {self.raw_folder} or in {self.root}",
                hint="download=True, or another root",
            )
        )

    def _folders(self) -> list[str]:
        """Where files may be: our own folder, and those that are named after nobody."""
        shared = [os.path.join(self.root, "raw"), os.fspath(self.root)]
        return [self.raw_folder, *(folder for folder in shared if not self._foreign(folder))]

    def _foreign(self, folder: str) -> bool:
        """Whether MNIST's own files lie there, and we are not MNIST."""
        if self._resources() == MNIST.resources:
            return False
        names = [os.path.splitext(name)[0] for name, _ in self._resources() if "labels" in name]
        paths = [_spelled(folder, name) for name in names]
        return any(path is not None and _content_md5(path) in _MNIST_LABELS for path in paths)

    def _check_exists(self) -> bool:
        try:
            self._located()
        except RuntimeError:
            return False
        return True

    def _legacy_file(self) -> str | None:
        name = self.training_file if self.train else self.test_file
        own = os.path.join(self.processed_folder, name)
        oldest = os.path.join(self.root, "processed", name)
        if os.path.isfile(own):
            return own
        return oldest if type(self) is MNIST and os.path.isfile(oldest) else None

    # Reading

    def _load_data(self) -> tuple[Tensor, Tensor]:
        images, labels = self._located()
        return self._read(read_image_file, images), self._read(read_label_file, labels)

    def _read(self, reader: Callable[[str], Tensor], path: str) -> Tensor:
        try:
            return reader(path)
        except _idx.Broken as error:
            wanted = dict(self._resources()).get(os.path.basename(path))
            if wanted is None:
                raise
            what = corrupted(path, md5_of(path), wanted)
            raise RuntimeError(message(what, got=error, hint="download=True")) from error

    def _load_legacy_data(self, path: str) -> tuple[Tensor, Tensor]:
        import rushlight

        data, targets = rushlight.load(path, weights_only=True)
        return data, targets

    # Fetching

    def _resources(self) -> Resources:
        resources: Resources = self.resources
        return resources

    def download(self) -> None:
        """Fetch the files that are missing or broken."""
        with _archives.taking_turns(self.root):
            for name, md5 in self._resources():
                found = [_spelled(f, os.path.splitext(name)[0]) for f in self._folders()[1:]]
                if not any(path and _is_whole(path, md5) for path in found):
                    self._fetch([base + name for base in self.mirrors], name, md5)

    def _fetch(self, urls: Sequence[str], name: str, md5: str) -> None:
        """One file into `raw_folder`, unpacked beside it as torchvision has it."""
        packed = os.path.join(self.raw_folder, name)
        plain, packing = os.path.splitext(packed)
        if os.path.isfile(plain) and _idx.is_whole(plain):
            return
        if not (os.path.isfile(packed) and _is_whole(packed, md5)):
            fetch(urls, self.raw_folder, name, md5)
        _archives.unpack(packed, plain, packing)

    # The data set

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The label of each class name."""
        return {name: i for i, name in enumerate(self.classes)}

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self._transformed(_picture(self.data, index), int(_row(self.targets, index)))

    def __len__(self) -> int:
        return len(self.data)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"

    @property
    def train_labels(self) -> Tensor:
        """The old name of `targets`."""
        return self._old("train_labels", "targets")

    @property
    def test_labels(self) -> Tensor:
        """The old name of `targets`."""
        return self._old("test_labels", "targets")

    @property
    def train_data(self) -> Tensor:
        """The old name of `data`."""
        return self._old("train_data", "data")

    @property
    def test_data(self) -> Tensor:
        """The old name of `data`."""
        return self._old("test_data", "data")

    def _old(self, old: str, new: str) -> Tensor:
        warnings.warn(f"{old} has been renamed {new}", stacklevel=3)
        value: Tensor = getattr(self, new)
        return value


def _row(values: Any, index: Any) -> Any:
    """`values[index]` as an array, without the detour over a view of a tensor: 0.1 µs, not 4."""
    return values._a[index.__index__()] if type(values) is Tensor else np.asarray(values[index])


def _picture(images: Any, index: Any) -> Any:
    """One image of many as Pillow's."""
    array = _row(images, index)
    if array.ndim != 2 or array.dtype != np.uint8:
        return pillow().fromarray(array)
    # The same image as from `fromarray`, in half its time.
    size = array.shape[1], array.shape[0]
    return pillow().frombuffer("L", size, array.tobytes(), "raw", "L", 0, 1)


def _spelled(folder: str, name: str) -> str | None:
    """The path of a file that may be packed, or unpacked with a dot in its name, as some do it."""
    for spelling in (name, name + ".gz", name + ".xz", name.replace("-idx", ".idx")):
        path = os.path.join(folder, spelling)
        if os.path.isfile(path):
            return path
    return None


def _content_md5(path: str) -> str:
    """The checksum of what is in a file, packed or not."""
    import lzma

    packing = _idx.packing_of(path)
    if packing is None:
        return md5_of(path)
    try:
        with _archives.opener(packing)(path) as file:
            return hashlib.md5(file.read(1 << 24), usedforsecurity=False).hexdigest()
    except (EOFError, OSError, zlib.error, lzma.LZMAError):
        return ""


def _is_whole(path: str, md5: str) -> bool:
    """Whether a file is right, or at least in itself sound (somebody packed it anew)."""
    packing = _idx.packing_of(path)
    if packing is None:
        return _idx.is_whole(path)
    if md5_of(path) == md5:
        return True
    try:
        read_idx(path)
    except _idx.Broken:
        return False
    return True


class FashionMNIST(MNIST):
    """Zalando's 70,000 images of clothing, in MNIST's format (https://arxiv.org/abs/1708.07747)."""

    mirrors: ClassVar[Sequence[str]] = [
        "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
    ]
    resources: ClassVar[Any] = [
        ("train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        ("train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"),
        ("t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"),
        ("t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"),
    ]
    classes: Sequence[str] = [
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

    mirrors: ClassVar[Sequence[str]] = ["http://codh.rois.ac.jp/kmnist/dataset/kmnist/"]
    resources: ClassVar[Any] = [
        ("train-images-idx3-ubyte.gz", "bdb82020997e1d708af4cf47b453dcf7"),
        ("train-labels-idx1-ubyte.gz", "e144d726b3acfaa3e44228e80efcd344"),
        ("t10k-images-idx3-ubyte.gz", "5c965bf0a639b31b8f53240b1b52f4d7"),
        ("t10k-labels-idx1-ubyte.gz", "7320c461ea6c1c855c0b718fb2a4b134"),
    ]
    classes: Sequence[str] = ["o", "ki", "su", "tsu", "na", "ha", "ma", "ya", "re", "wo"]


# Letters that look the same small and large, so that some splits count them once.
_MERGED = set("cijklmopsuvwxyz")
_CHARACTERS = set(string.digits + string.ascii_letters)


class EMNIST(MNIST):
    """Handwritten digits and letters, 814,255 in all, in MNIST's format (arXiv 1702.05373).

    The images lie on their side, as the authors published them: `image.transpose(0, 1)` rights
    them.

    Args:
        root: the folder that holds `EMNIST/raw/emnist-SPLIT-train-images-idx3-ubyte` and so on.
        split: "byclass" (62 classes), "bymerge" (47), "balanced" (47), "letters" (labels 1 to 26),
            "digits" or "mnist" (10).
        kwargs: `train`, `transform`, `target_transform` and `download` of `MNIST`.
    """

    url = "https://biometrics.nist.gov/cs_links/EMNIST/gzip.zip"
    md5 = "58c8d27c78d21e728a6bc7b3cc06412e"
    splits = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")
    classes_split_dict: ClassVar[dict[str, list[str]]] = {
        "byclass": sorted(_CHARACTERS),
        "bymerge": sorted(_CHARACTERS - _MERGED),
        "balanced": sorted(_CHARACTERS - _MERGED),
        "letters": ["N/A", *string.ascii_lowercase],
        "digits": list(string.digits),
        "mnist": list(string.digits),
    }

    def __init__(self, root: str | os.PathLike[str], split: str, **kwargs: Any) -> None:
        self.split = verify_str_arg(split, "split", self.splits)
        self.training_file = f"training_{split}.pt"
        self.test_file = f"test_{split}.pt"
        super().__init__(root, **kwargs)
        self.classes = self.classes_split_dict[self.split]

    @property
    def images_file(self) -> str:
        """The path of the images, unpacked."""
        return os.path.join(self.raw_folder, self._files()[0])

    @property
    def labels_file(self) -> str:
        """The path of the labels, unpacked."""
        return os.path.join(self.raw_folder, self._files()[1])

    def _files(self) -> tuple[str, str]:
        start = f"emnist-{self.split}-{'train' if self.train else 'test'}"
        return f"{start}-images-idx3-ubyte", f"{start}-labels-idx1-ubyte"

    def download(self) -> None:
        """Fetch the archive with all splits, unless the files of this one are there and whole."""
        with _archives.taking_turns(self.root):
            with contextlib.suppress(RuntimeError):
                if all(_is_whole(path, "") for path in self._located()):
                    return
            path = fetch([self.url], self.raw_folder, os.path.basename(self.url), self.md5)
            _archives.extract(path, self.raw_folder, ".zip", None)
            packed = os.path.join(self.raw_folder, "gzip")
            for name in sorted(os.listdir(packed)):
                if name.endswith(".gz"):
                    plain = os.path.join(self.raw_folder, name.removesuffix(".gz"))
                    _archives.unpack(os.path.join(packed, name), plain, ".gz")
            shutil.rmtree(packed)


class QMNIST(MNIST):
    """MNIST with all 60,000 test images and with what NIST knows of each (arXiv 1905.10498).

    Args:
        root: the folder that holds `QMNIST/raw/*`.
        what: "train", "test", "test10k" (MNIST's test images), "test50k" (the others) or "nist"
            (all digits of NIST); None goes by `train`.
        compat: a target is the class; else it is a tensor of NIST's eight numbers.
        train: where `what` is None: the training part, else the test part.
        kwargs: `transform`, `target_transform` and `download` of `MNIST`.
    """

    subsets: ClassVar[dict[str, str]] = {
        "train": "train",
        "test": "test",
        "test10k": "test",
        "test50k": "test",
        "nist": "nist",
    }
    mirrors: ClassVar[Sequence[str]] = [
        "https://raw.githubusercontent.com/facebookresearch/qmnist/master/"
    ]
    resources: ClassVar[Any] = {
        "train": [
            ("qmnist-train-images-idx3-ubyte.gz", "ed72d4157d28c017586c42bc6afe6370"),
            ("qmnist-train-labels-idx2-int.gz", "0058f8dd561b90ffdd0f734c6a30e5e4"),
        ],
        "test": [
            ("qmnist-test-images-idx3-ubyte.gz", "1394631089c404de565df7b7aeaf9412"),
            ("qmnist-test-labels-idx2-int.gz", "5b5b05890a5e13444e108efe57b788aa"),
        ],
        "nist": [
            ("xnist-images-idx3-ubyte.xz", "7f124b3b8ab81486c9d8c2749c17f834"),
            ("xnist-labels-idx2-int.xz", "5ed0e788978e45d4a8bd4b7caec3d79d"),
        ],
    }

    def __init__(
        self,
        root: str | os.PathLike[str],
        what: str | None = None,
        compat: bool = True,
        train: bool = True,
        **kwargs: Any,
    ) -> None:
        what = what if what is not None else "train" if train else "test"
        self.what = verify_str_arg(what, "what", tuple(self.subsets))
        self.compat = compat
        self.training_file = self.test_file = self.what + ".pt"
        super().__init__(root, train, **kwargs)

    def _resources(self) -> Resources:
        resources: Resources = self.resources[self.subsets[self.what]]
        return resources

    def _files(self) -> tuple[str, str]:
        images, labels = (os.path.splitext(name)[0] for name, _ in self._resources())
        return images, labels

    def _load_data(self) -> tuple[Tensor, Tensor]:
        images, labels = self._located()
        data = self._read(read_image_file, images)
        targets = self._read(read_sn3_pascalvincent_tensor, labels).long()
        if targets.ndim != 2:
            raise ValueError(f"targets should have 2 dimensions instead of {targets.ndim}")
        part = {"test10k": slice(10_000), "test50k": slice(10_000, None)}.get(self.what)
        return (data, targets) if part is None else (data[part].clone(), targets[part].clone())

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        image = _picture(self.data, index)
        target = self.targets[index]
        return self._transformed(image, int(target[0]) if self.compat else target)

    def extra_repr(self) -> str:
        return f"Split: {self.what}"
