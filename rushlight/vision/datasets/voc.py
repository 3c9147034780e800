"""VOCSegmentation and VOCDetection: photographs of twenty kinds of things, and where they are."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from ._files import BROKEN, Path, demand, lines_of, open_image
from .folder import pil_loader
from .utils import download_and_extract_archive, verify_str_arg
from .vision import Transform, VisionDataset

_PLACE = "https://thor.robots.ox.ac.uk/pascal/VOC/"


def _year(year: str, filename: str, md5: str, url: str = "", base: str = "") -> dict[str, str]:
    return {
        "url": f"{_PLACE}voc{year}/{url or filename}",
        "filename": filename,
        "md5": md5,
        "base_dir": os.path.join(*base.split("/"), "VOCdevkit", f"VOC{year}")
        if base
        else os.path.join("VOCdevkit", f"VOC{year}"),
    }


DATASET_YEAR_DICT = {
    "2012": _year("2012", "VOCtrainval_11-May-2012.tar", "6cd6e144f989b92b3379bac3b3de84fd"),
    "2011": _year(
        "2011", "VOCtrainval_25-May-2011.tar", "6c3384ef61512963050cb5d687e5bf1e", base="TrainVal"
    ),
    "2010": _year("2010", "VOCtrainval_03-May-2010.tar", "da459979d0c395079b5c75ee67908abb"),
    "2009": _year("2009", "VOCtrainval_11-May-2009.tar", "a3e00b113cfcfebf17e343f59da3caa1"),
    "2008": _year(
        "2008",
        "VOCtrainval_11-May-2012.tar",
        "2629fa636546599198acfcfbfcf1904a",
        url="VOCtrainval_14-Jul-2008.tar",
    ),
    "2007": _year("2007", "VOCtrainval_06-Nov-2007.tar", "c52e279531787c972589f7e41ab4ae64"),
    "2007-test": _year("2007", "VOCtest_06-Nov-2007.tar", "b6e924de25625d8de591ea690078ad9f"),
}


class _VOC(VisionDataset):
    """Images, and a file for each in another folder."""

    _SPLITS_DIR: str
    _TARGET_DIR: str
    _TARGET_FILE_EXT: str

    def __init__(
        self,
        root: Path,
        year: str = "2012",
        image_set: str = "train",
        download: bool = False,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        transforms: Callable[[Any, Any], tuple[Any, Any]] | None = None,
    ) -> None:
        super().__init__(root, transforms, transform, target_transform)
        self.year = verify_str_arg(year, "year", [str(n) for n in range(2007, 2013)])
        sets = ["train", "trainval", "val"] + ["test"] * (year == "2007")
        self.image_set = verify_str_arg(image_set, "image_set", sets)
        source = DATASET_YEAR_DICT["2007-test" if image_set == "test" else year]
        self.url, self.filename, self.md5 = source["url"], source["filename"], source["md5"]
        base = os.path.join(self.root, source["base_dir"])
        if download:
            download_and_extract_archive(
                self.url, self.root, filename=self.filename, md5=self.md5
            )
        demand(os.path.isdir(base), type(self).__name__, base, BROKEN)
        names = lines_of(os.path.join(base, "ImageSets", self._SPLITS_DIR, f"{image_set}.txt"))
        self.images = [os.path.join(base, "JPEGImages", f"{name}.jpg") for name in names]
        folder = os.path.join(base, self._TARGET_DIR)
        self.targets = [os.path.join(folder, name + self._TARGET_FILE_EXT) for name in names]

    def _target(self, path: str) -> Any:
        raise NotImplementedError

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        return self._jointly(pil_loader(self.images[index]), self._target(self.targets[index]))

    def __len__(self) -> int:
        return len(self.images)


class VOCSegmentation(_VOC):
    """Photographs, and an image for each whose pixels are numbers of classes.

    A sample is an RGB image and an image of mode "P", both Pillow's: 0 is background, 1 to 20 are
    classes, 255 is an edge. The files lie as in the archive:
    `root/VOCdevkit/VOC2012/SegmentationClass/2007_000032.png`.

    Args:
        root: the folder that holds `VOCdevkit`.
        year: "2007" to "2012".
        image_set: "train", "trainval" or "val"; of 2007 also "test".
        download: fetch the archive and unpack it.
        transform, target_transform: applied to each image and label image.
        transforms: applied to the pair, instead.

    Attributes:
        images, masks: the paths.

    Everingham et al.: The PASCAL visual object classes (VOC) challenge, 2010.
    """

    _SPLITS_DIR = "Segmentation"
    _TARGET_DIR = "SegmentationClass"
    _TARGET_FILE_EXT = ".png"

    @property
    def masks(self) -> list[str]:
        """The paths of the label images."""
        return self.targets

    def _target(self, path: str) -> Any:
        return open_image(path)


class VOCDetection(_VOC):
    """Photographs, and for each the boxes of the things in it.

    A sample is an RGB image of Pillow's and the tree of the XML file as dictionaries:
    `target["annotation"]["object"]` is a list of things with `"name"` and `"bndbox"`, whose
    numbers are strings. The files lie as in the archive:
    `root/VOCdevkit/VOC2012/Annotations/2007_000027.xml`.

    Args:
        root: the folder that holds `VOCdevkit`.
        year: "2007" to "2012".
        image_set: "train", "trainval" or "val"; of 2007 also "test".
        download: fetch the archive and unpack it.
        transform, target_transform: applied to each image and tree.
        transforms: applied to the pair, instead.

    Attributes:
        images, annotations: the paths.

    Everingham et al.: The PASCAL visual object classes (VOC) challenge, 2010.
    """

    _SPLITS_DIR = "Main"
    _TARGET_DIR = "Annotations"
    _TARGET_FILE_EXT = ".xml"

    @property
    def annotations(self) -> list[str]:
        """The paths of the XML files."""
        return self.targets

    def _target(self, path: str) -> Any:
        return self.parse_voc_xml(ElementTree.parse(path).getroot())

    @staticmethod
    def parse_voc_xml(node: ElementTree.Element) -> dict[str, Any]:
        """An element as a dictionary: what comes once by itself, what comes often as a list.

        The objects of an annotation are a list, be it of one.
        """
        children = list(node)
        if not children:
            return {} if node.text is None else {node.tag: node.text.strip()}
        parts: dict[str, list[Any]] = {}
        for child in children:
            for name, value in VOCDetection.parse_voc_xml(child).items():
                parts.setdefault(name, []).append(value)
        inner: dict[str, Any] = {k: v[0] if len(v) == 1 else v for k, v in parts.items()}
        if node.tag == "annotation":
            inner["object"] = parts.get("object", [])
        return {node.tag: inner}
