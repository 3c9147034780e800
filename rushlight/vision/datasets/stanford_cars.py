"""StanfordCars: photographs of cars, named to the year."""

from __future__ import annotations

import pathlib

from ...errors import message
from ._files import Loader, Paired, Path, demand, needed, numbered
from .folder import default_loader
from .utils import verify_str_arg
from .vision import Transform


class StanfordCars(Paired):
    """8,144 training and 8,041 test photographs of 196 kinds of cars. SciPy is needed.

    A sample is an RGB image of Pillow's and an int label. The files lie below
    `root/stanford_cars`: `devkit/cars_meta.mat`, `devkit/cars_train_annos.mat`,
    `cars_train/00001.jpg`, `cars_test_annos_withlabels.mat`, `cars_test/00001.jpg`.

    Args:
        root: the folder that holds `stanford_cars`.
        split: "train" or "test".
        transform, target_transform: applied to each image and label.
        download: refused: the files are not there any more.
        loader: takes a path, gives the image.

    Krause et al.: 3D object representations for fine-grained categorization, 2013.
    """

    def __init__(
        self,
        root: Path,
        split: str = "train",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
        loader: Loader = default_loader,
    ) -> None:
        scipy_io = needed("scipy.io", "scipy", "StanfordCars")
        super().__init__(root, transform=transform, target_transform=target_transform)
        self._split = verify_str_arg(split, "split", ("train", "test"))
        self._base_folder = pathlib.Path(self.root) / "stanford_cars"
        devkit = self._base_folder / "devkit"
        train = split == "train"
        labelled = self._base_folder / "cars_test_annos_withlabels.mat"
        self._annotations_mat_path = devkit / "cars_train_annos.mat" if train else labelled
        self._images_base_path = self._base_folder / ("cars_train" if train else "cars_test")
        if download:
            self.download()
        there = devkit.is_dir() and self._annotations_mat_path.exists()
        there = there and self._images_base_path.is_dir()
        demand(there, "StanfordCars", self._base_folder, "Dataset not found.")
        rows = scipy_io.loadmat(self._annotations_mat_path, squeeze_me=True)["annotations"]
        self._samples = [
            (str(self._images_base_path / str(row["fname"])), int(row["class"]) - 1) for row in rows
        ]
        names = scipy_io.loadmat(devkit / "cars_meta.mat", squeeze_me=True)["class_names"]
        self.classes = [str(name) for name in names]
        self.class_to_idx = numbered(self.classes)
        self.loader = loader

    def download(self) -> None:
        """Raise: the files are not there any more."""
        raise ValueError(
            message(
                "The original URL is broken so the StanfordCars dataset cannot be downloaded "
                "anymore.",
                hint=f"putting files that you have into {self._base_folder}, and download=False",
            )
        )

    def extra_repr(self) -> str:
        return ""
