"""INaturalist: plants and animals."""

from __future__ import annotations

import os
from typing import Any

from . import _archives
from ._files import BROKEN, Loader, Path, demand, one_or_tuple, open_image
from .utils import download_and_extract_archive, verify_str_arg
from .vision import Transform, VisionDataset

CATEGORIES_2021 = ["kingdom", "phylum", "class", "order", "family", "genus"]
_PLACE = "https://ml-inat-competition-datasets.s3.amazonaws.com/"
DATASET_URLS = {
    "2017": _PLACE + "2017/train_val_images.tar.gz",
    "2018": _PLACE + "2018/train_val2018.tar.gz",
    "2019": _PLACE + "2019/train_val2019.tar.gz",
    "2021_train": _PLACE + "2021/train.tar.gz",
    "2021_train_mini": _PLACE + "2021/train_mini.tar.gz",
    "2021_valid": _PLACE + "2021/val.tar.gz",
}
DATASET_MD5 = {
    "2017": "7c784ea5e424efaec655bd392f87301f",
    "2018": "b1c6952ce38f31868cc50ea72d066cc3",
    "2019": "c60a6e2962c9b8ccbd458d12c8582644",
    "2021_train": "e0526d53c7f7b2e3167b2b43bb2690ed",
    "2021_train_mini": "db6ed8330e634445efc8fec83ae81442",
    "2021_valid": "f6f6e0e242e3d4c9569ba56400938afc",
}


class INaturalist(VisionDataset):
    """Photographs of plants and animals: 2.7 million of 10,000 species in the version of 2021.

    A sample is an image of Pillow's and what `target_type` asks for. The files lie in a folder
    named after the version: `root/2021_train/00000_Animalia_..._Lumbricus_terrestris/....jpg`,
    `root/2018/Aves/2917/....jpg`.

    Args:
        root: the folder that holds `2021_train` and so on.
        version: "2017", "2018", "2019", "2021_train", "2021_train_mini" or "2021_valid".
        target_type: "full" (the species); of 2021 also "kingdom", "phylum", "class", "order",
            "family" and "genus", of earlier versions "super"; or a list of these for a tuple.
        transform, target_transform: applied to each image and target.
        download: fetch the files if they are missing.
        loader: takes a path, gives the image; None leaves it in the file's own mode.

    Van Horn et al.: Benchmarking representation learning for natural world image collections,
    2021.
    """

    def __init__(
        self,
        root: Path,
        version: str = "2021_train",
        target_type: list[str] | str = "full",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
        loader: Loader | None = None,
    ) -> None:
        self.version = verify_str_arg(version, "version", tuple(DATASET_URLS))
        folder = os.path.join(os.path.expanduser(root), version)
        super().__init__(folder, transform=transform, target_transform=target_transform)
        if download:
            self.download()
        demand(self._check_exists(), "INaturalist", folder, BROKEN)
        self.all_categories: list[str] = []
        self.categories_index: dict[str, dict[str, int]] = {}  # kind -> name -> number
        self.categories_map: list[dict[str, int]] = []  # for each species: kind -> number
        new = version.startswith("2021")
        known = ("full", *CATEGORIES_2021) if new else ("full", "super")
        wanted = target_type if isinstance(target_type, list) else [target_type]
        self.target_type = [verify_str_arg(kind, "target_type", known) for kind in wanted]
        if new:
            self._init_2021()
        else:
            self._init_pre2021()
        self.index = [
            (i, name)
            for i, category in enumerate(self.all_categories)
            for name in os.listdir(os.path.join(folder, category))
        ]
        self.loader = loader

    def _init_2021(self) -> None:
        """Folders named after a number, the six categories and the species."""
        self.all_categories = sorted(os.listdir(self.root))
        self.categories_index = {kind: {} for kind in CATEGORIES_2021}
        for i, name in enumerate(self.all_categories):
            pieces = name.split("_")
            if len(pieces) != 8:
                raise RuntimeError(f"Unexpected category name {name}, wrong number of pieces")
            if pieces[0] != f"{i:05d}":
                raise RuntimeError(f"Unexpected category id {pieces[0]}, expecting {i:05d}")
            above = {}
            for kind, part in zip(CATEGORIES_2021, pieces[1:7], strict=True):
                numbers = self.categories_index[kind]
                above[kind] = numbers.setdefault(part, len(numbers))
            self.categories_map.append(above)

    def _init_pre2021(self) -> None:
        """Folders of folders: a super category, and in it the species by number (2017: by name)."""
        species: dict[int, tuple[str, int]] = {}
        groups = sorted(os.listdir(self.root))
        self.categories_index = {"super": {name: i for i, name in enumerate(groups)}}
        for group, name in enumerate(groups):
            for inner in sorted(os.listdir(os.path.join(self.root, name))):
                if self.version != "2017" and not inner.isdecimal():
                    raise RuntimeError(f"Unexpected non-numeric dir name: {inner}")
                number = len(species) if self.version == "2017" else int(inner)
                if number in species:
                    raise RuntimeError(f"Duplicate category {inner}")
                species[number] = (os.path.join(name, inner), group)
        for number in range(max(species) + 1):
            if number not in species:
                raise RuntimeError(f"Missing category {number}")
            path, group = species[number]
            self.all_categories.append(path)
            self.categories_map.append({"super": group})

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        number, name = self.index[index]
        path = os.path.join(self.root, self.all_categories[number], name)
        image = (self.loader or open_image)(path)
        above = self.categories_map[number]
        targets = [number if kind == "full" else above[kind] for kind in self.target_type]
        return self._transformed(image, one_or_tuple(targets))

    def __len__(self) -> int:
        return len(self.index)

    def category_name(self, category_type: str, category_id: int) -> str:
        """The name of a category: its kind ("full", "kingdom", ...) and number given."""
        if category_type == "full":
            return self.all_categories[category_id]
        if category_type not in self.categories_index:
            raise ValueError(f"Invalid category type '{category_type}'")
        for name, number in self.categories_index[category_type].items():
            if number == category_id:
                return name
        raise ValueError(f"Invalid category id {category_id} for {category_type}")

    def _check_exists(self) -> bool:
        return os.path.isdir(self.root) and len(os.listdir(self.root)) > 0

    def download(self) -> None:
        """Fetch the archive, unpack it and name the folder after the version."""
        base = os.path.dirname(self.root)
        url = DATASET_URLS[self.version]
        with _archives.taking_turns(base):
            if self._check_exists():
                return
            name = f"{self.version}.tgz"
            download_and_extract_archive(url, base, filename=name, md5=DATASET_MD5[self.version])
            unpacked = os.path.join(base, os.path.basename(url).removesuffix(".tar.gz"))
            if not os.path.exists(unpacked):
                raise RuntimeError(f"Unable to find downloaded files at {unpacked}")
            os.rename(unpacked, self.root)
