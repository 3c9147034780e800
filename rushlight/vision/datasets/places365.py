"""Places365: photographs of places."""

from __future__ import annotations

import os
from typing import Any, ClassVar

from . import _archives
from ._files import Loader, Path, demand
from .folder import default_loader
from .utils import check_integrity, download_and_extract_archive, verify_str_arg
from .vision import Transform, VisionDataset


class Places365(VisionDataset):
    """Photographs of 365 kinds of places: 1.8 million, 36,500 for validation, 328,500 for tests.

    A sample is an RGB image of Pillow's and an int label, None in the test split. The files lie as
    in the archives: `root/categories_places365.txt`, `root/places365_val.txt`, and images in
    `root/data_large_standard`, `data_256_standard`, `val_large`, `val_256` and so on.

    Args:
        root: the folder that holds them.
        split: "train-standard", "train-challenge", "val" or "test".
        small: the images of 256x256 pixels.
        download: fetch the files if they are missing.
        transform, target_transform: applied to each image and label.
        loader: takes a path, gives the image.

    Attributes:
        classes: the names of the classes; `class_to_idx`: their numbers.
        imgs: pairs (path, class number); `targets`: the class numbers.

    Zhou et al.: Places, a 10 million image database for scene recognition, 2017.
    """

    _SPLITS = ("train-standard", "train-challenge", "val", "test")
    _BASE_URL = "http://data.csail.mit.edu/places/places365/"
    _DEVKIT_META: ClassVar[dict[str, tuple[str, str]]] = {
        "standard": ("filelist_places365-standard.tar", "35a0585fee1fa656440f3ab298f8479c"),
        "challenge": ("filelist_places365-challenge.tar", "70a8307e459c3de41690a7c76c931734"),
    }
    _CATEGORIES_META = ("categories_places365.txt", "06c963b85866bd0649f97cb43dd16673")
    _FILE_LIST_META: ClassVar[dict[str, tuple[str, str]]] = {
        "train-standard": ("places365_train_standard.txt", "30f37515461640559006b8329efbed1a"),
        "train-challenge": ("places365_train_challenge.txt", "b2931dc997b8c33c27e7329c073a6b57"),
        "val": ("places365_val.txt", "e9f2fd57bfd9d07630173f4e8708e4b1"),
        "test": ("places365_test.txt", "2fce8233fe493576d724142e45d93653"),
    }
    _IMAGES_META: ClassVar[dict[tuple[str, bool], tuple[str, str]]] = {
        ("train-standard", False): (
            "train_large_places365standard.tar",
            "67e186b496a84c929568076ed01a8aa1",
        ),
        ("train-challenge", False): (
            "train_large_places365challenge.tar",
            "605f18e68e510c82b958664ea134545f",
        ),
        ("val", False): ("val_large.tar", "9b71c4993ad89d2d8bcbdc4aef38042f"),
        ("test", False): ("test_large.tar", "41a4b6b724b1d2cd862fb3871ed59913"),
        ("train-standard", True): (
            "train_256_places365standard.tar",
            "53ca1c756c3d1e7809517cc47c5561c5",
        ),
        ("train-challenge", True): (
            "train_256_places365challenge.tar",
            "741915038a5e3471ec7332404dfb64ef",
        ),
        ("val", True): ("val_256.tar", "e27b17d8d44f4af9a78502beb927f808"),
        ("test", True): ("test_256.tar", "f532f6ad7b582262a2ec8009075e186b"),
    }

    def __init__(
        self,
        root: Path,
        split: str = "train-standard",
        small: bool = False,
        download: bool = False,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        loader: Loader = default_loader,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.split = verify_str_arg(split, "split", self._SPLITS)
        self.small = small
        self.loader = loader
        self.classes, self.class_to_idx = self.load_categories(download)
        self.imgs, self.targets = self.load_file_list(download)
        if download:
            self.download_images()

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        path, target = self.imgs[index]
        return self._jointly(self.loader(path), target)

    def __len__(self) -> int:
        return len(self.imgs)

    @property
    def variant(self) -> str:
        """ "standard" or "challenge"."""
        return "challenge" if "challenge" in self.split else "standard"

    @property
    def images_dir(self) -> str:
        """The folder of the images."""
        size = "256" if self.small else "large"
        train = self.split.startswith("train")
        name = f"data_{size}_{self.variant}" if train else f"{self.split}_{size}"
        return os.path.join(self.root, name)

    def _rows(self, meta: tuple[str, str], download: bool) -> list[list[str]]:
        """The words of the lines of a list, which is fetched if need be."""
        name, md5 = meta
        path = os.path.join(self.root, name)
        if not check_integrity(path, md5):
            demand(
                download,
                "Places365",
                path,
                f"The file {path} does not exist or is corrupted. "
                "You can set download=True to download it.",
            )
            self.download_devkit()
        with open(path, encoding="utf-8") as file:
            return [line.split() for line in file]

    def load_categories(self, download: bool = True) -> tuple[list[str], dict[str, int]]:
        """The names of the classes, sorted, and their numbers."""
        numbers = {name: int(i) for name, i in self._rows(self._CATEGORIES_META, download)}
        return sorted(numbers), numbers

    def load_file_list(
        self, download: bool = True
    ) -> tuple[list[tuple[str, int | None]], list[int | None]]:
        """The paths of the images with class numbers, and these alone."""
        images: list[tuple[str, int | None]] = []
        for name, *label in self._rows(self._FILE_LIST_META[self.split], download):
            path = os.path.join(self.images_dir, name.lstrip("/").replace("/", os.sep))
            images.append((path, int(label[0]) if label else None))
        return images, [label for _, label in images]

    def download_devkit(self) -> None:
        """Fetch the lists."""
        name, md5 = self._DEVKIT_META[self.variant]
        with _archives.taking_turns(self.root):
            download_and_extract_archive(self._BASE_URL + name, self.root, md5=md5)

    def download_images(self) -> None:
        """Fetch the images and unpack them, unless they are there."""
        with _archives.taking_turns(self.root):
            if os.path.exists(self.images_dir):
                return
            name, md5 = self._IMAGES_META[(self.split, self.small)]
            download_and_extract_archive(self._BASE_URL + name, self.root, md5=md5)
            if self.split.startswith("train"):  # both variants unpack to one name
                os.rename(self.images_dir.rsplit("_", 1)[0], self.images_dir)

    def extra_repr(self) -> str:
        return f"Split: {self.split}\nSmall: {self.small}"
