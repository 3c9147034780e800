"""PCAM: tissue under the microscope, in files of HDF5."""

from __future__ import annotations

import pathlib
from typing import Any, ClassVar

from .._pillow import pillow
from . import _archives
from ._files import Path, demand, needed
from .utils import download_file_from_google_drive, extract_archive, verify_str_arg
from .vision import Transform, VisionDataset


class PCAM(VisionDataset):
    """327,680 images of lymph nodes, 96x96; label 1 where there is a tumour. h5py is needed.

    A sample is an RGB image of Pillow's and an int label. The files lie in `root/pcam`:
    `camelyonpatch_level_2_split_train_x.h5` and so on.

    Args:
        root: the folder that holds `pcam`.
        split: "train", "val" or "test".
        transform, target_transform: applied to each image and label.
        download: accepted: the files are on Google Drive, which gives them to browsers only;
            packed files that lie in `root/pcam` are unpacked.

    Veeling et al.: Rotation equivariant CNNs for digital pathology, 2018.
    """

    _FILES: ClassVar[dict[str, dict[str, tuple[str, str, str]]]] = {
        split: {
            key: (f"camelyonpatch_level_2_split_{name}_{letter}.h5", *source)
            for key, letter, source in (("images", "x", images), ("targets", "y", targets))
        }
        for split, name, images, targets in (
            (
                "train",
                "train",
                ("1Ka0XfEMiwgCYPdTI-vv6eUElOBnKFKQ2", "1571f514728f59376b705fc836ff4b63"),
                ("1269yhu3pZDP8UYFQs-NYs3FPwuK-nGSG", "35c2d7259d906cfc8143347bb8e05be7"),
            ),
            (
                "test",
                "test",
                ("1qV65ZqZvWzuIVthK8eVDhIwrbnsJdbg_", "d8c2d60d490dbd479f8199bdfa0cf6ec"),
                ("17BHrSrwWKjYsOgTMmoqrIjDy6Fa2o_gP", "60a7035772fbdb7f34eb86d4420cf66a"),
            ),
            (
                "val",
                "valid",
                ("1hgshYGWK8V-eGRy8LToWJJgDU_rXWVJ3", "d5b63470df7cfa627aeec8b9dc0c066e"),
                ("1bH8ZRbhSVAhScTS0p9-ZzGnX91cHT3uO", "2b85f58b927af9964a4c15b8f7e8f179"),
            ),
        )
    }

    def __init__(
        self,
        root: Path,
        split: str = "train",
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        download: bool = False,
    ) -> None:
        self.h5py = needed("h5py", "h5py", "PCAM")
        self._split = verify_str_arg(split, "split", ("train", "test", "val"))
        super().__init__(root, transform=transform, target_transform=target_transform)
        self._base_folder = pathlib.Path(self.root) / "pcam"
        if download:
            self._download()
        demand(self._check_exists(), "PCAM", self._base_folder)

    def _table(self, key: str) -> Any:
        return self.h5py.File(self._base_folder / self._FILES[self._split][key][0])

    def __len__(self) -> int:
        with self._table("images") as file:
            return int(file["x"].shape[0])

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        with self._table("images") as file:
            image = pillow().fromarray(file["x"][index]).convert("RGB")
        with self._table("targets") as file:
            target = int(file["y"][index, 0, 0, 0])
        return self._transformed(image, target)

    def _check_exists(self) -> bool:
        files = self._FILES[self._split].values()
        return all((self._base_folder / name).exists() for name, _, _ in files)

    def _download(self) -> None:
        with _archives.taking_turns(self._base_folder):
            if self._check_exists():
                return
            for name, file_id, md5 in self._FILES[self._split].values():
                download_file_from_google_drive(file_id, self._base_folder, f"{name}.gz", md5)
                extract_archive(self._base_folder / f"{name}.gz")
