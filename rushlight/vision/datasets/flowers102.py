"""Flowers102: flowers of Britain."""

from __future__ import annotations

import pathlib
from typing import ClassVar

from ._files import BROKEN, Labelled, Loader, Path, demand, fetch_archives
from .folder import default_loader
from .svhn import read_mat
from .utils import check_integrity, download_url, verify_str_arg
from .vision import Transform

_NAMES = """
    pink primrose, hard-leaved pocket orchid, canterbury bells, sweet pea, english marigold,
    tiger lily, moon orchid, bird of paradise, monkshood, globe thistle, snapdragon,
    colt's foot, king protea, spear thistle, yellow iris, globe-flower, purple coneflower,
    peruvian lily, balloon flower, giant white arum lily, fire lily, pincushion flower,
    fritillary, red ginger, grape hyacinth, corn poppy, prince of wales feathers,
    stemless gentian, artichoke, sweet william, carnation, garden phlox, love in the mist,
    mexican aster, alpine sea holly, ruby-lipped cattleya, cape flower, great masterwort,
    siam tulip, lenten rose, barbeton daisy, daffodil, sword lily, poinsettia,
    bolero deep blue, wallflower, marigold, buttercup, oxeye daisy, common dandelion, petunia,
    wild pansy, primula, sunflower, pelargonium, bishop of llandaff, gaura, geranium,
    orange dahlia, pink-yellow dahlia?, cautleya spicata, japanese anemone, black-eyed susan,
    silverbush, californian poppy, osteospermum, spring crocus, bearded iris, windflower,
    tree poppy, gazania, azalea, water lily, rose, thorn apple, morning glory, passion flower,
    lotus, toad lily, anthurium, frangipani, clematis, hibiscus, columbine, desert-rose,
    tree mallow, magnolia, cyclamen, watercress, canna lily, hippeastrum, bee balm, ball moss,
    foxglove, bougainvillea, camellia, mallow, mexican petunia, bromelia, blanket flower,
    trumpet creeper, blackberry lily
"""


class Flowers102(Labelled):
    """8,189 photographs of 102 kinds of flowers: 1,020 for training, 1,020 for validation.

    A sample is an RGB image of Pillow's and an int label. The files lie as in the archive, below
    `root/flowers-102`: `jpg/image_00001.jpg`, `imagelabels.mat`, `setid.mat`.

    Args:
        root: the folder that holds `flowers-102`.
        split: "train", "val" or "test".
        transform, target_transform: applied to each image and label.
        download: fetch the files if they are missing.
        loader: takes a path, gives the image.

    Nilsback and Zisserman: Automated flower classification over a large number of classes, 2008.
    """

    classes: ClassVar[list[str]] = " ".join(_NAMES.split()).split(", ")
    _download_url_prefix = "https://www.robots.ox.ac.uk/~vgg/data/flowers/102/"
    _file_dict: ClassVar[dict[str, tuple[str, str]]] = {
        "image": ("102flowers.tgz", "52808999861908f626f3c1f4e79d11fa"),
        "label": ("imagelabels.mat", "e0620be6f572b9609742df49c70aed4d"),
        "setid": ("setid.mat", "a5357ecc9cb78c4bef273ce3793fc85c"),
    }
    _splits_map: ClassVar[dict[str, str]] = {"train": "trnid", "val": "valid", "test": "tstid"}

    def __init__(
        self,
        root: Path,
        split: str = "train",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
        loader: Loader = default_loader,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self._split = verify_str_arg(split, "split", tuple(self._splits_map))
        self._base_folder = pathlib.Path(self.root) / "flowers-102"
        self._images_folder = self._base_folder / "jpg"
        if download:
            self.download()
        demand(self._check_integrity(), "Flowers102", self._base_folder, BROKEN)
        content = {key: read_mat(self._path(key)) for key in ("label", "setid")}
        labels = content["label"]["labels"].ravel()
        chosen = [int(n) for n in content["setid"][self._splits_map[split]].ravel()]
        self._labels = [int(labels[n - 1]) - 1 for n in chosen]  # MATLAB counts from one
        self._image_files = [self._images_folder / f"image_{n:05d}.jpg" for n in chosen]
        self.loader = loader

    def _path(self, key: str) -> str:
        return str(self._base_folder / self._file_dict[key][0])

    def _check_integrity(self) -> bool:
        return self._images_folder.is_dir() and all(
            check_integrity(self._path(key), self._file_dict[key][1]) for key in ("label", "setid")
        )

    def download(self) -> None:
        """Fetch the three files and unpack the images, unless they are there and right."""
        prefix = self._download_url_prefix
        name, md5 = self._file_dict["image"]
        fetch_archives(self._check_integrity, self._base_folder, (prefix + name, md5))
        for key in ("label", "setid"):
            name, md5 = self._file_dict[key]
            download_url(prefix + name, self._base_folder, md5=md5)
