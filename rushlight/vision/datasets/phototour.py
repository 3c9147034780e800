"""PhotoTour: the same corners of buildings in many photographs."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import numpy as np

from ...tensor import Tensor
from . import _archives
from ._files import Path, open_image
from .utils import download_url, extract_archive
from .vision import Transform, VisionDataset

_FIRST = "http://icvl.ee.ic.ac.uk/vbalnt/"
_HARRIS = "http://matthewalunbrown.com/patchdata/"


class PhotoTour(VisionDataset):
    """Grey patches of 64x64 pixels around corners that photographs of a building share.

    A sample is a uint8 tensor of shape (64, 64); with `train=False` two of them, and 1 where they
    show the same corner. The files lie in `root/NAME`: `patches0000.bmp`, `info.txt`,
    `m50_100000_100000_0.txt`; what was read of them is kept in `root/NAME.pt`.

    Args:
        root: the folder that holds `NAME`.
        name: "notredame", "yosemite" or "liberty", or one of these and "_harris".
        train: patches, else pairs of them.
        transform: applied to each patch.
        download: fetch the files if they are missing.

    Brown, Hua and Winder: Discriminative learning of local image descriptors, 2011.
    """

    urls: ClassVar[dict[str, list[str]]] = {
        name: [f"{place}{name}.zip", f"{name}.zip", md5]
        for place, name, md5 in (
            (_HARRIS, "notredame_harris", "69f8c90f78e171349abdf0307afefe4d"),
            (_HARRIS, "yosemite_harris", "a73253d1c6fbd3ba2613c45065c00d46"),
            (_HARRIS, "liberty_harris", "c731fcfb3abb4091110d0ae8c7ba182c"),
            (_FIRST, "notredame", "509eda8535847b8c0a90bbb210c83484"),
            (_FIRST, "yosemite", "533b2e8eb7ede31be40abc317b2fd4f0"),
            (_FIRST, "liberty", "fdd9152f138ea5ef2091746689176414"),
        )
    }
    means: ClassVar[dict[str, float]] = {
        name + end: mean
        for name, mean in (("notredame", 0.4854), ("yosemite", 0.4844), ("liberty", 0.4437))
        for end in ("", "_harris")
    }
    stds: ClassVar[dict[str, float]] = {
        name + end: std
        for name, std in (("notredame", 0.1864), ("yosemite", 0.1818), ("liberty", 0.2019))
        for end in ("", "_harris")
    }
    lens: ClassVar[dict[str, int]] = {
        "notredame": 468159,
        "yosemite": 633587,
        "liberty": 450092,
        "liberty_harris": 379587,
        "yosemite_harris": 450912,
        "notredame_harris": 325295,
    }
    image_ext = "bmp"
    info_file = "info.txt"
    matches_files = "m50_100000_100000_0.txt"

    def __init__(
        self,
        root: Path,
        name: str,
        train: bool = True,
        transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        from ...serialization import load

        super().__init__(root, transform=transform)
        self.name = name
        self.data_dir = os.path.join(self.root, name)
        self.data_down = os.path.join(self.root, f"{name}.zip")
        self.data_file = os.path.join(self.root, f"{name}.pt")
        self.train = train
        self.mean, self.std = self.means[name], self.stds[name]
        if download:
            self.download()
        if not os.path.exists(self.data_file):
            self.cache()
        self.data, self.labels, self.matches = load(self.data_file, weights_only=True)

    def __getitem__(self, index: int) -> Any:
        change = self.transform or (lambda patch: patch)
        if self.train:
            return change(self.data[index])
        first, second, same = self.matches[index]
        return change(self.data[first]), change(self.data[second]), same

    def __len__(self) -> int:
        return len(self.data if self.train else self.matches)

    def download(self) -> None:
        """Fetch the archive and unpack it, unless the files are there."""
        url, name, md5 = self.urls[self.name]
        with _archives.taking_turns(self.root):
            if os.path.exists(self.data_file) or os.path.exists(self.data_dir):
                return
            download_url(url, self.root, name, md5)
            extract_archive(self.data_down, self.data_dir, remove_finished=True)

    def cache(self) -> None:
        """Read the files and keep what they say in one."""
        from ...serialization import save

        content = (
            read_image_file(self.data_dir, self.image_ext, self.lens[self.name]),
            read_info_file(self.data_dir, self.info_file),
            read_matches_files(self.data_dir, self.matches_files),
        )
        save(content, self.data_file)

    def extra_repr(self) -> str:
        return f"Split: {'Train' if self.train else 'Test'}"


def read_image_file(data_dir: str, image_ext: str, n: int) -> Tensor:
    """The first `n` patches of all images in a folder, uint8 of shape (n, 64, 64)."""
    import rushlight

    patches = []
    for name in sorted(name for name in os.listdir(data_dir) if name.endswith(image_ext)):
        whole = np.asarray(open_image(os.path.join(data_dir, name)).convert("L"))
        rows, columns = -(-whole.shape[0] // 64), -(-whole.shape[1] // 64)
        padded = np.zeros((64 * rows, 64 * columns), np.uint8)
        padded[: whole.shape[0], : whole.shape[1]] = whole
        cut = padded.reshape(rows, 64, columns, 64).swapaxes(1, 2)
        patches.append(cut.reshape(-1, 64, 64))
    out: Tensor = rushlight.from_numpy(np.concatenate(patches)[:n].copy())
    return out


def read_info_file(data_dir: str, info_file: str) -> Tensor:
    """The corner that each patch shows, int64 of shape (N,)."""
    import rushlight

    with open(os.path.join(data_dir, info_file), encoding="utf-8") as file:
        out: Tensor = rushlight.as_tensor([int(line.split()[0]) for line in file])
    return out


def read_matches_files(data_dir: str, matches_file: str) -> Tensor:
    """Two patches and whether they show one corner, int64 of shape (N, 3)."""
    import rushlight

    with open(os.path.join(data_dir, matches_file), encoding="utf-8") as file:
        rows = [line.split() for line in file]
    out: Tensor = rushlight.as_tensor([[int(r[0]), int(r[3]), int(r[1] == r[4])] for r in rows])
    return out
