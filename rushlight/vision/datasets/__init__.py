"""Data sets of images, from files on disk or fetched.

Read next: `vision.py`, then `mnist.py`, `cifar.py`, `folder.py`, `_files.py`. The modules of
`_MODULES` are imported when one of their names is first asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

from . import cifar, fakedata, folder, mnist, stl10, svhn, utils, vision
from .cifar import CIFAR10, CIFAR100
from .fakedata import FakeData
from .folder import DatasetFolder, ImageFolder
from .mnist import EMNIST, KMNIST, MNIST, QMNIST, FashionMNIST, read_idx
from .stl10 import STL10
from .svhn import SVHN
from .vision import StandardTransform, VisionDataset

if TYPE_CHECKING:
    from ._wrapping import wrap_dataset_for_transforms_v2
    from .caltech import Caltech101, Caltech256
    from .celeba import CelebA
    from .cityscapes import Cityscapes
    from .clevr import CLEVRClassification
    from .coco import CocoCaptions, CocoDetection
    from .country211 import Country211
    from .dtd import DTD
    from .eurosat import EuroSAT
    from .fer2013 import FER2013
    from .fgvc_aircraft import FGVCAircraft
    from .flickr import Flickr8k, Flickr30k
    from .flowers102 import Flowers102
    from .food101 import Food101
    from .gtsrb import GTSRB
    from .imagenet import ImageNet
    from .imagenette import Imagenette
    from .inaturalist import INaturalist
    from .kitti import Kitti
    from .lfw import LFWPairs, LFWPeople
    from .lsun import LSUN, LSUNClass
    from .moving_mnist import MovingMNIST
    from .omniglot import Omniglot
    from .oxford_iiit_pet import OxfordIIITPet
    from .pcam import PCAM
    from .phototour import PhotoTour
    from .places365 import Places365
    from .rendered_sst2 import RenderedSST2
    from .sbd import SBDataset
    from .sbu import SBU
    from .semeion import SEMEION
    from .stanford_cars import StanfordCars
    from .sun397 import SUN397
    from .usps import USPS
    from .voc import VOCDetection, VOCSegmentation
    from .widerface import WIDERFace

__all__ = [
    "CIFAR10",
    "CIFAR100",
    "DTD",
    "EMNIST",
    "FER2013",
    "GTSRB",
    "KMNIST",
    "LSUN",
    "MNIST",
    "PCAM",
    "QMNIST",
    "SBU",
    "SEMEION",
    "STL10",
    "SUN397",
    "SVHN",
    "USPS",
    "CLEVRClassification",
    "Caltech101",
    "Caltech256",
    "CelebA",
    "Cityscapes",
    "CocoCaptions",
    "CocoDetection",
    "Country211",
    "DatasetFolder",
    "EuroSAT",
    "FGVCAircraft",
    "FakeData",
    "FashionMNIST",
    "Flickr8k",
    "Flickr30k",
    "Flowers102",
    "Food101",
    "INaturalist",
    "ImageFolder",
    "ImageNet",
    "Imagenette",
    "Kitti",
    "LFWPairs",
    "LFWPeople",
    "LSUNClass",
    "MovingMNIST",
    "Omniglot",
    "OxfordIIITPet",
    "PhotoTour",
    "Places365",
    "RenderedSST2",
    "SBDataset",
    "StandardTransform",
    "StanfordCars",
    "VOCDetection",
    "VOCSegmentation",
    "VisionDataset",
    "WIDERFace",
    "cifar",
    "fakedata",
    "folder",
    "mnist",
    "read_idx",
    "stl10",
    "svhn",
    "utils",
    "vision",
    "wrap_dataset_for_transforms_v2",
]

_MODULES = {
    "caltech": "Caltech101 Caltech256",
    "celeba": "CelebA",
    "cityscapes": "Cityscapes",
    "clevr": "CLEVRClassification",
    "coco": "CocoCaptions CocoDetection",
    "country211": "Country211",
    "dtd": "DTD",
    "eurosat": "EuroSAT",
    "fer2013": "FER2013",
    "fgvc_aircraft": "FGVCAircraft",
    "flickr": "Flickr30k Flickr8k",
    "flowers102": "Flowers102",
    "food101": "Food101",
    "gtsrb": "GTSRB",
    "imagenet": "ImageNet",
    "imagenette": "Imagenette",
    "inaturalist": "INaturalist",
    "kitti": "Kitti",
    "lfw": "LFWPairs LFWPeople",
    "lsun": "LSUN LSUNClass",
    "moving_mnist": "MovingMNIST",
    "omniglot": "Omniglot",
    "oxford_iiit_pet": "OxfordIIITPet",
    "pcam": "PCAM",
    "phototour": "PhotoTour",
    "places365": "Places365",
    "rendered_sst2": "RenderedSST2",
    "sbd": "SBDataset",
    "sbu": "SBU",
    "semeion": "SEMEION",
    "stanford_cars": "StanfordCars",
    "sun397": "SUN397",
    "usps": "USPS",
    "voc": "VOCDetection VOCSegmentation",
    "widerface": "WIDERFace",
    "_wrapping": "wrap_dataset_for_transforms_v2",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _HOME:
        return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    raise AttributeError(
        f"module 'rushlight.vision.datasets' has no attribute '{name}'"
        f"\n  wanted  a name that Rushlight has; torchvision.datasets.{name} is not there (yet)"
    )


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_HOME})
