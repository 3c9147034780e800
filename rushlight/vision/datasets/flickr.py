"""Flickr8k and Flickr30k: photographs with five descriptions each."""

from __future__ import annotations

import glob
import os
from collections import defaultdict
from html.parser import HTMLParser
from typing import Any

from ._files import Loader, Path
from .folder import default_loader
from .vision import Transform, VisionDataset


class Flickr8kParser(HTMLParser):
    """Reads the page of descriptions: `annotations` is a dictionary of the lists by path."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.root = root
        self.annotations: dict[str, list[str]] = {}
        self.in_table = False
        self.current_tag: str | None = None
        self.current_img: str | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.current_tag = tag
        self.in_table |= tag == "table"

    def handle_endtag(self, tag: str) -> None:
        self.current_tag = None
        self.in_table &= tag != "table"

    def handle_data(self, data: str) -> None:
        if not self.in_table:
            return
        if data == "Image Not Found":
            self.current_img = None
        elif self.current_tag == "a":
            # The link is to the photograph's page; the file's name has a further number in it.
            name = glob.escape(os.path.join(self.root, data.split("/")[-2])) + "_*.jpg"
            self.current_img = glob.glob(name)[0]
            self.annotations[self.current_img] = []
        elif self.current_tag == "li" and self.current_img:
            self.annotations[self.current_img].append(data.strip())


class _Described(VisionDataset):
    """Photographs and lists of sentences: `annotations` by the names in `ids`."""

    annotations: dict[str, list[str]]

    def __init__(
        self,
        root: Path,
        ann_file: Path,
        transform: Transform | None = None,
        target_transform: Transform | None = None,
        loader: Loader = default_loader,
    ) -> None:
        super().__init__(root, transform=transform, target_transform=target_transform)
        self.ann_file = os.path.expanduser(ann_file)
        with open(self.ann_file, encoding="utf-8") as file:
            self.annotations = self._read(file.read())
        self.ids = sorted(self.annotations)
        self.loader = loader

    def _read(self, text: str) -> dict[str, list[str]]:
        raise NotImplementedError

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        name = self.ids[index]
        image = self.loader(os.path.join(self.root, name))
        return self._transformed(image, self.annotations[name])

    def __len__(self) -> int:
        return len(self.ids)


class Flickr8k(_Described):
    """8,092 photographs, five sentences about each.

    A sample is an RGB image of Pillow's and a list of strings.

    Args:
        root: the folder of the images.
        ann_file: the page of descriptions, HTML.
        transform, target_transform: applied to each image and label.
        loader: takes a path, gives the image.

    Hodosh, Young and Hockenmaier: Framing image description as a ranking task, 2013.
    """

    def _read(self, text: str) -> dict[str, list[str]]:
        parser = Flickr8kParser(self.root)
        parser.feed(text)
        return parser.annotations


class Flickr30k(_Described):
    """31,783 photographs, five sentences about each.

    A sample is an RGB image of Pillow's and a list of strings.

    Args:
        root: the folder of the images.
        ann_file: lines such as `1000092795.jpg#0<tab>Two young guys ...`.
        transform, target_transform: applied to each image and label.
        loader: takes a path, gives the image.

    Young et al.: From image descriptions to visual denotations, 2014.
    """

    def _read(self, text: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for line in text.splitlines():
            name, sentence = line.strip().split("\t")
            found[name[:-2]].append(sentence)
        return found
