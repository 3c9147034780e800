"""Data sets made of folders: one folder a class.

Read next: `vision.py`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from ...errors import message
from .._pillow import pillow
from .vision import Transform, VisionDataset

Path = str | os.PathLike[str]

IMG_EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def has_file_allowed_extension(filename: str, extensions: str | tuple[str, ...]) -> bool:
    """Whether a name ends in one of `extensions`, in small letters or large.

    >>> has_file_allowed_extension("cat.JPG", (".jpg", ".png"))
    True
    """
    return filename.lower().endswith(
        extensions if isinstance(extensions, str) else tuple(extensions)
    )


def is_image_file(filename: str) -> bool:
    """Whether a name ends like that of an image."""
    return has_file_allowed_extension(filename, IMG_EXTENSIONS)


def find_classes(directory: Path) -> tuple[list[str], dict[str, int]]:
    """The names of the folders in `directory`, sorted, and the number of each.

    Raises:
        FileNotFoundError: there are none.
    """
    with os.scandir(directory) as entries:
        classes = sorted(entry.name for entry in entries if entry.is_dir())
    if not classes:
        raise FileNotFoundError(
            message(
                f"Couldn't find any class folder in {directory}.",
                got="no folders",
                wanted="one folder a class, with the files of the class in it",
            )
        )
    return classes, {name: i for i, name in enumerate(classes)}


def make_dataset(
    directory: Path,
    class_to_idx: dict[str, int] | None = None,
    extensions: str | tuple[str, ...] | None = None,
    is_valid_file: Callable[[str], bool] | None = None,
    allow_empty: bool = False,
) -> list[tuple[str, int]]:
    """Pairs of a path and a class number: every valid file below the folders of the classes.

    Args:
        directory: holds a folder for each class.
        class_to_idx: the numbers of the classes; None for those of `find_classes`.
        extensions: which names are valid.
        is_valid_file: which paths are valid; this or `extensions` must be given, not both.
        allow_empty: a class may have no file.

    Raises:
        ValueError: both or neither of `extensions` and `is_valid_file`, or no class at all.
        FileNotFoundError: a class has no valid file.
    """
    directory = os.path.expanduser(directory)
    if class_to_idx is None:
        class_to_idx = find_classes(directory)[1]
    elif not class_to_idx:
        raise ValueError("'class_to_index' must have at least one entry to collect any samples.")
    if (extensions is None) == (is_valid_file is None):
        raise ValueError(
            "Both extensions and is_valid_file cannot be None or not None at the same time"
        )
    samples: list[tuple[str, int]] = []
    empty: list[str] = []
    for name in sorted(class_to_idx):
        before = len(samples)
        for folder, _, files in sorted(os.walk(os.path.join(directory, name), followlinks=True)):
            for file in sorted(files):
                path = os.path.join(folder, file)
                if extensions is not None:
                    valid = has_file_allowed_extension(path, extensions)
                else:
                    valid = is_valid_file is not None and is_valid_file(path)
                if valid:
                    samples.append((path, class_to_idx[name]))
        if len(samples) == before:
            empty.append(name)
    if empty and not allow_empty:
        raise FileNotFoundError(
            message(
                f"Found no valid file for the classes {', '.join(empty)}.",
                wanted=None
                if extensions is None
                else "Supported extensions are: "
                + (extensions if isinstance(extensions, str) else ", ".join(extensions)),
                hint="allow_empty=True, or removing the folders",
            )
        )
    return samples


class DatasetFolder(VisionDataset):
    """Files of any kind, in one folder a class: `root/CLASS/.../FILE`.

    A sample is what `loader` makes of a file, and the number of its class.

    Args:
        root: the folder.
        loader: takes a path, gives the sample.
        extensions: which names are taken.
        transform, target_transform: applied to each sample and class number.
        is_valid_file: which paths are taken; instead of `extensions`.
        allow_empty: a class may have no file.

    Attributes:
        classes: the names of the classes, sorted.
        class_to_idx: their numbers.
        samples: pairs (path, class number).
        targets: the class number of each sample.
    """

    def __init__(
        self,
        root: Path,
        loader: Callable[[str], Any],
        extensions: tuple[str, ...] | None = None,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        classes, class_to_idx = self.find_classes(self.root)
        self.samples = self.make_dataset(
            self.root,
            class_to_idx=class_to_idx,
            extensions=extensions,
            is_valid_file=is_valid_file,
            allow_empty=allow_empty,
        )
        self.loader = loader
        self.extensions = extensions
        self.classes = classes
        self.class_to_idx = class_to_idx
        self.targets = [target for _, target in self.samples]

    @staticmethod
    def make_dataset(
        directory: Path,
        class_to_idx: dict[str, int],
        extensions: tuple[str, ...] | None = None,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> list[tuple[str, int]]:
        """`make_dataset` above; a subclass may list its samples otherwise."""
        if class_to_idx is None:
            raise ValueError("The class_to_idx parameter cannot be None.")
        return make_dataset(directory, class_to_idx, extensions, is_valid_file, allow_empty)

    def find_classes(self, directory: Path) -> tuple[list[str], dict[str, int]]:
        """`find_classes` above; a subclass may choose its classes otherwise."""
        return find_classes(directory)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        path, target = self.samples[index]
        return self._transformed(self.loader(path), target)

    def __len__(self) -> int:
        return len(self.samples)


def pil_loader(path: Path) -> Any:
    """The image in a file, as Pillow's, in RGB.

    Raises:
        OSError: the file is no image, or a broken one; the text names it.
    """
    Image = pillow()
    with open(path, "rb") as file:
        try:
            return Image.open(file).convert("RGB")
        except (OSError, SyntaxError) as error:  # Pillow alone does not say which file it was
            kind = type(error) if isinstance(error, OSError) else OSError
            raise kind(
                message(
                    f"{os.fspath(path)} is no image that can be read",
                    got=f"{error}",
                    hint="removing it, or is_valid_file= to pass over such files",
                )
            ) from error


def default_loader(path: Path) -> Any:
    """`pil_loader`."""
    return pil_loader(path)


class ImageFolder(DatasetFolder):
    """Images in one folder a class: `root/cat/1.png`, `root/dog/old/2.jpg`.

    A sample is an RGB image of Pillow's, and the number of its class.

    Args:
        root: the folder.
        transform, target_transform: applied to each image and class number.
        loader: takes a path, gives the image.
        is_valid_file: which paths are taken; None takes those that end in `IMG_EXTENSIONS`.
        allow_empty: a class may have no image.

    Attributes:
        classes, class_to_idx, samples, targets: those of `DatasetFolder`.
        imgs: another name of `samples`.
    """

    def __init__(
        self,
        root: Path,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        loader: Callable[[str], Any] = default_loader,
        is_valid_file: Callable[[str], bool] | None = None,
        allow_empty: bool = False,
    ) -> None:
        super().__init__(
            root,
            loader,
            IMG_EXTENSIONS if is_valid_file is None else None,
            transform=transform,
            target_transform=target_transform,
            is_valid_file=is_valid_file,
            allow_empty=allow_empty,
        )
        self.imgs = self.samples
