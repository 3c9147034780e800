"""ImageNet: the 1,000 classes of the challenge of 2012, from the archives that a user has."""

from __future__ import annotations

import os
import shutil
import tempfile
from typing import Any

from ...errors import message
from . import _archives
from ._files import Path, needed
from .folder import ImageFolder
from .utils import check_integrity, extract_archive, verify_str_arg

ARCHIVE_META = {
    "train": ("ILSVRC2012_img_train.tar", "1d675b47d978889d74fa0da5fadfb00e"),
    "val": ("ILSVRC2012_img_val.tar", "29b22e2961454d5413ddabcf34fc5622"),
    "devkit": ("ILSVRC2012_devkit_t12.tar.gz", "fa75699e90414af021442c21a62c3abf"),
}
META_FILE = "meta.bin"


class ImageNet(ImageFolder):
    """1,281,167 training and 50,000 validation photographs of 1,000 classes.

    The archives cannot be fetched without an account: `ILSVRC2012_devkit_t12.tar.gz`, and
    `ILSVRC2012_img_train.tar` or `ILSVRC2012_img_val.tar`, have to lie in `root`. They are
    unpacked the first time, and what the first one says is kept in `meta.bin`.

    Args:
        root: the folder with the archives.
        split: "train" or "val".
        kwargs: those of `ImageFolder`.

    Attributes:
        classes: a tuple of names for each class.
        class_to_idx: the number of each name.
        wnids, wnid_to_idx: the classes' WordNet numbers, such as "n01440764", and their places.
        imgs, targets: those of `ImageFolder`.

    Russakovsky et al.: ImageNet large scale visual recognition challenge, 2015.
    """

    def __init__(self, root: Path, split: str = "train", **kwargs: Any) -> None:
        root = self.root = os.path.expanduser(root)
        self.split = verify_str_arg(split, "split", ("train", "val"))
        self.parse_archives()
        names = load_meta_file(self.root)[0]
        super().__init__(self.split_folder, **kwargs)
        self.root = root
        self.wnids = self.classes
        self.wnid_to_idx = self.class_to_idx
        self.classes: list[Any] = [names[wnid] for wnid in self.wnids]
        self.class_to_idx = {name: i for i, names in enumerate(self.classes) for name in names}

    def parse_archives(self) -> None:
        """Unpack what is not unpacked yet."""
        with _archives.taking_turns(self.root):
            if not check_integrity(os.path.join(self.root, META_FILE)):
                parse_devkit_archive(self.root)
            if not os.path.isdir(self.split_folder):
                (parse_train_archive if self.split == "train" else parse_val_archive)(self.root)

    @property
    def split_folder(self) -> str:
        """Where the folders of the classes are."""
        return os.path.join(self.root, self.split)

    def extra_repr(self) -> str:
        return f"Split: {self.split}"


def load_meta_file(root: Path, file: str | None = None) -> tuple[dict[str, Any], list[str]]:
    """The names of each WordNet number, and the number of each validation image.

    Raises:
        RuntimeError: there is no such file; `ImageNet` makes it.
    """
    from ...serialization import load

    path = os.path.join(root, file or META_FILE)
    if not check_integrity(path):
        raise RuntimeError(
            message(
                f"The meta file {path} is not present in the root directory or is corrupted",
                hint="ImageNet(root), which makes it of the development kit",
            )
        )
    found: tuple[dict[str, Any], list[str]] = load(path, weights_only=True)
    return found


def _archive(root: Path, part: str, file: str | None) -> str:
    name, md5 = ARCHIVE_META[part]
    path = os.path.join(root, file or name)
    if not check_integrity(path, md5):
        raise RuntimeError(
            message(
                f"The archive {file or name} is not present in the root directory or is corrupted",
                got=f"{path} " + ("has another checksum" if os.path.exists(path) else "is missing"),
                wanted=f"the MD5 checksum {md5}",
                hint="fetching it from image-net.org with your account, and putting it there",
            )
        )
    return path


def parse_devkit_archive(root: Path, file: str | None = None) -> None:
    """Write `meta.bin` of what the development kit says of classes and validation images."""
    from ...serialization import save

    archive = _archive(root, "devkit", file)
    scipy_io = needed("scipy.io", "scipy", "ImageNet")
    with tempfile.TemporaryDirectory() as folder:
        extract_archive(archive, folder)
        data = os.path.join(folder, "ILSVRC2012_devkit_t12", "data")
        synsets = scipy_io.loadmat(os.path.join(data, "meta.mat"), squeeze_me=True)["synsets"]
        with open(os.path.join(data, "ILSVRC2012_validation_ground_truth.txt")) as lines:
            truth = [int(line) for line in lines]
    # A row: number, WordNet number, names, description, number of children, ...
    classes = [tuple(row)[:3] for row in synsets if tuple(row)[4] == 0]
    wnid_of = {int(number): str(wnid) for number, wnid, _ in classes}
    names = {str(wnid): tuple(str(words).split(", ")) for _, wnid, words in classes}
    save((names, [wnid_of[number] for number in truth]), os.path.join(root, META_FILE))


def parse_train_archive(root: Path, file: str | None = None, folder: str = "train") -> None:
    """Unpack the training images: an archive of an archive for each class."""
    archive = _archive(root, "train", file)
    target = os.path.join(root, folder)
    extract_archive(archive, target)
    for name in os.listdir(target):
        path = os.path.join(target, name)
        extract_archive(path, os.path.splitext(path)[0], remove_finished=True)


def parse_val_archive(
    root: Path, file: str | None = None, wnids: list[str] | None = None, folder: str = "val"
) -> None:
    """Unpack the validation images, and move each into the folder of its class."""
    if wnids is None:
        wnids = load_meta_file(root)[1]
    archive = _archive(root, "val", file)
    target = os.path.join(root, folder)
    extract_archive(archive, target)
    images = sorted(os.listdir(target))
    for wnid in set(wnids):
        os.mkdir(os.path.join(target, wnid))
    for wnid, name in zip(wnids, images, strict=False):
        shutil.move(os.path.join(target, name), os.path.join(target, wnid, name))
