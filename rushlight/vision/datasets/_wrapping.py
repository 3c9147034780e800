"""wrap_dataset_for_transforms_v2: samples whose boxes and masks say that they are.

What is made of a sample stands in `_WRAPPERS`, by the class of the data set. Read next:
`../tv_tensors.py`.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from typing import Any

from ...errors import message
from .. import tv_tensors
from ..transforms.v2 import functional as F
from ._coco_index import mask_of
from .vision import VisionDataset

Change = Callable[[int, Any], Any]
_WRAPPERS: dict[str, Callable[[Any, Any], Change]] = {}
_WITH_KEYS = ("CocoDetection", "VOCDetection", "Kitti", "WIDERFace")
_VOC_NAMES = """
    __background__ aeroplane bicycle bird boat bottle bus car cat chair cow diningtable dog horse
    motorbike person pottedplant sheep sofa train tvmonitor
"""
_VOC = _VOC_NAMES.split()
_KITTI_NAMES = "Car Van Truck Pedestrian Person_sitting Cyclist Tram Misc DontCare"
_KITTI = _KITTI_NAMES.split()


def wrap_dataset_for_transforms_v2(
    dataset: VisionDataset, target_keys: Collection[str] | str | None = None
) -> Any:
    """A data set whose samples `transforms.v2` can treat: boxes and masks of `tv_tensors`.

    Lists of things become dictionaries of tensors: `{"boxes": ..., "labels": ..., ...}`. The
    transforms of the data set are applied afterwards.

    Args:
        dataset: one of `torchvision.datasets`, or of a class derived from one.
        target_keys: for `CocoDetection`, `VOCDetection`, `Kitti` and `WIDERFace`: what the
            dictionary holds; None for the usual, "all" for everything.

    Raises:
        TypeError: nothing is known about the class of the data set.

    >>> from rushlight.vision.datasets import FakeData
    >>> wrap_dataset_for_transforms_v2(FakeData(2))
    Traceback (most recent call last):
    TypeError: No wrapper exists for dataset class FakeData. Please wrap the output yourself.
      try     a Dataset of your own that makes tv_tensors of the samples
    """
    strings = isinstance(target_keys, Collection) and all(isinstance(k, str) for k in target_keys)
    if not (target_keys is None or target_keys == "all" or strings):
        raise ValueError(
            "`target_keys` can be None, 'all', or a collection of strings denoting the keys to be "
            f"returned, but got {target_keys}"
        )
    kind = type(f"Wrapped{type(dataset).__name__}", (_Wrapped, type(dataset)), {})
    return kind(dataset, target_keys)


class _Wrapped:
    """Mixed in before the class of a data set."""

    def __init__(self, dataset: Any, target_keys: Any) -> None:
        kind = type(dataset)
        if not isinstance(dataset, VisionDataset):
            raise TypeError(
                "This wrapper is meant for subclasses of `torchvision.datasets.VisionDataset`, "
                f"but got a '{kind.__name__}' instead."
            )
        name = next((cls.__name__ for cls in kind.__mro__ if cls.__name__ in _WRAPPERS), None)
        if name is None:
            raise TypeError(
                message(
                    f"No wrapper exists for dataset class {kind.__name__}. "
                    "Please wrap the output yourself.",
                    hint="a Dataset of your own that makes tv_tensors of the samples",
                )
            )
        if target_keys is not None and name not in _WITH_KEYS:
            raise ValueError(
                "`target_keys` is currently only supported for `CocoDetection`, `VOCDetection`, "
                f"`Kitti`, and `WIDERFace`, but got {name}."
            )
        self._dataset = dataset
        self._target_keys = target_keys
        self._wrapper = _WRAPPERS[name](dataset, target_keys)
        # They are applied here, to what the wrapper makes, and no more in the data set.
        self.transform, dataset.transform = dataset.transform, None
        self.target_transform, dataset.target_transform = dataset.target_transform, None
        self.transforms, dataset.transforms = dataset.transforms, None

    def __getattr__(self, name: str) -> Any:
        if name == "_dataset":
            raise AttributeError(name)
        return getattr(self._dataset, name)

    def __getitem__(self, index: int) -> Any:
        sample = self._wrapper(index, self._dataset[index])
        return sample if self.transforms is None else self.transforms(*sample)

    def __len__(self) -> int:
        return len(self._dataset)

    def __reduce__(self) -> Any:
        dataset = copy.copy(self._dataset)
        for name in ("transform", "transforms", "target_transform"):
            setattr(dataset, name, getattr(self, name))
        return wrap_dataset_for_transforms_v2, (dataset, self._target_keys)


def _of(*names: str) -> Callable[[Any], Any]:
    def register(factory: Any) -> Any:
        for name in names:
            _WRAPPERS[name] = factory
        return factory

    return register


# Parts


def _refused(what: str) -> None:
    raise RuntimeError(
        message(f"{what} is currently not supported by this wrapper.", hint="other target types")
    )


def _keys(target_keys: Any, available: str, usual: str) -> list[str]:
    """The wanted keys, in the order in which they are known."""
    known = available.split()
    wanted = set(known if target_keys == "all" else target_keys or usual.split())
    if wanted - set(known):
        raise ValueError(f"Target keys {sorted(wanted - set(known))} are not available")
    return [key for key in known if key in wanted]


def _columns(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Dictionaries of one thing each as one dictionary of lists."""
    out: dict[str, list[Any]] = {}
    for row in rows:
        for key, value in row.items():
            out.setdefault(key, []).append(value)
    return out


def _boxes(values: Any, image: Any, format: str = "XYXY") -> Any:
    """Boxes by their corners."""
    size = tuple(F.get_size(image))
    made = tv_tensors.BoundingBoxes(values, format=format, canvas_size=size)
    return F.convert_bounding_box_format(made, new_format="XYXY")


def _by_type(kinds: Any, changes: dict[str, Callable[[Any, Any], Any]]) -> Change:
    """Each part of a target changed by its type: `changes` take the image and the part."""

    def change(index: int, sample: Any) -> Any:
        image, target = sample
        if target is None:
            return image, target
        parts = target if isinstance(target, tuple | list) else [target]
        changed = tuple(
            changes[kind](image, part) if kind in changes else part
            for kind, part in zip(kinds, parts, strict=False)
        )
        return image, changed[0] if len(changed) == 1 else changed

    return change


def _mask(image: Any, part: Any) -> Any:
    return tv_tensors.Mask(part)


# Data sets


@_of("Caltech256", "CIFAR10", "ImageNet", "MNIST", "GTSRB", "DatasetFolder", "Imagenette")
@_of("CocoCaptions")
def _as_it_is(dataset: Any, target_keys: Any) -> Change:
    return lambda index, sample: sample


@_of("Caltech101")
def _caltech101(dataset: Any, target_keys: Any) -> Change:
    if "annotation" in dataset.target_type:
        _refused("Caltech101 dataset with `target_type=['annotation', ...]`")
    return _as_it_is(dataset, target_keys)


@_of("VOCSegmentation")
def _segmented(dataset: Any, target_keys: Any) -> Change:
    return lambda index, sample: (sample[0], tv_tensors.Mask(sample[1]))


@_of("SBDataset")
def _sbd(dataset: Any, target_keys: Any) -> Change:
    if dataset.mode == "boundaries":
        _refused("SBDataset with mode='boundaries'")
    return _segmented(dataset, target_keys)


@_of("OxfordIIITPet")
def _pets(dataset: Any, target_keys: Any) -> Change:
    return _by_type(dataset._target_types, {"segmentation": _mask})


@_of("CelebA")
def _celeba(dataset: Any, target_keys: Any) -> Change:
    if {"attr", "landmarks"} & set(dataset.target_type):
        _refused("`CelebA` dataset with `target_type=['attr', 'landmarks', ...]`")
    return _by_type(dataset.target_type, {"bbox": lambda image, box: _boxes(box, image, "XYWH")})


@_of("Cityscapes")
def _cityscapes(dataset: Any, target_keys: Any) -> Change:
    import rushlight

    if {"polygon", "color"} & set(dataset.target_type):
        _refused("`Cityscapes` dataset with `target_type=['polygon', 'color', ...]`")

    def instances(image: Any, part: Any) -> Any:
        """A mask for each number in the image; from 1000 on it is the class and a counter."""
        data = F.pil_to_tensor(part)
        numbers = data.unique().tolist()
        masks = rushlight.stack([data == number for number in numbers])
        labels = [n // 1000 if n >= 1000 else n for n in numbers]
        found = rushlight.as_tensor(labels, dtype=data.dtype)
        return {"masks": tv_tensors.Mask(masks), "labels": found}

    return _by_type(dataset.target_type, {"instance": instances, "semantic": _mask})


@_of("CocoDetection")
def _coco(dataset: Any, target_keys: Any) -> Change:
    import rushlight

    available = "segmentation area iscrowd image_id bbox category_id boxes masks labels"
    keys = _keys(target_keys, available, "image_id boxes labels")

    def change(index: int, sample: Any) -> Any:
        image, rows = sample
        number = dataset.ids[index]
        if not rows:
            return image, {"image_id": number}
        columns = _columns(rows)
        height, width = F.get_size(image)
        made: dict[str, Callable[[], Any]] = {
            "image_id": lambda: number,
            "boxes": lambda: _boxes(columns["bbox"], image, "XYWH"),
            "masks": lambda: tv_tensors.Mask(
                rushlight.stack(
                    [
                        rushlight.from_numpy(mask_of(each, height, width).copy())
                        for each in columns["segmentation"]
                    ]
                )
            ),
            "labels": lambda: rushlight.as_tensor(columns["category_id"]),
        }
        return image, {key: made[key]() if key in made else columns[key] for key in keys}

    return change


@_of("VOCDetection")
def _voc(dataset: Any, target_keys: Any) -> Change:
    import rushlight

    keys = _keys(target_keys, "annotation boxes labels", "boxes labels")

    def change(index: int, sample: Any) -> Any:
        image, tree = sample
        columns = _columns(tree["annotation"]["object"])
        target = tree if "annotation" in keys else {}
        if "boxes" in keys:
            sides = ("xmin", "ymin", "xmax", "ymax")
            values = [[int(box[side]) for side in sides] for box in columns["bndbox"]]
            target["boxes"] = _boxes(values, image)
        if "labels" in keys:
            labels = [_VOC.index(name) for name in columns["name"]]
            target["labels"] = rushlight.as_tensor(labels)
        return image, target

    return change


@_of("Kitti")
def _kitti(dataset: Any, target_keys: Any) -> Change:
    import rushlight

    available = "type truncated occluded alpha bbox dimensions location rotation_y boxes labels"
    keys = _keys(target_keys, available, "boxes labels")

    def change(index: int, sample: Any) -> Any:
        image, rows = sample
        if rows is None:
            return image, rows
        columns = _columns(rows)
        target = {key: columns[key] for key in keys if key in columns}
        if "boxes" in keys:
            target["boxes"] = _boxes(columns["bbox"], image)
        if "labels" in keys:
            labels = [_KITTI.index(name) for name in columns["type"]]
            target["labels"] = rushlight.as_tensor(labels)
        return image, target

    return change


@_of("WIDERFace")
def _widerface(dataset: Any, target_keys: Any) -> Change:
    available = "bbox blur expression illumination occlusion pose invalid"
    keys = _keys(target_keys, available, available)

    def change(index: int, sample: Any) -> Any:
        image, target = sample
        if target is None:
            return image, target
        target = {key: target[key] for key in keys}
        if "bbox" in keys:
            target["bbox"] = _boxes(target["bbox"], image, "XYWH")
        return image, target

    return change
