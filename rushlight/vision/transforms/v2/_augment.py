"""What mixes or destroys: RandomErasing, MixUp, CutMix, JPEG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ....errors import message
from ....tensor import Tensor
from ....utils._pytree import tree_flatten, tree_unflatten
from ..._pillow import is_pil
from ...tv_tensors import BoundingBoxes, Image, KeyPoints, Mask, Video, wrap
from .. import draw, random_layout
from . import functional as F
from ._boxes import is_pure_tensor, plain
from ._transform import (
    RandomApplied,
    Transform,
    check_sequence,
    has_any,
    labels_getter_of,
    query_chw,
    query_size,
)


class RandomErasing(RandomApplied):
    """With probability `p`, a random rectangle set to one value or to noise.

    Args:
        p: the probability.
        scale: the smallest and largest part of the area.
        ratio: the smallest and largest height / width.
        value: a number, one a channel, or "random" for normal numbers.
        inplace: change the tensor itself.

    Zhong et al., Random erasing data augmentation, 2017.

    >>> bool((RandomErasing(p=1.0, value=2.0)(torch.zeros(1, 8, 8)) == 2.0).any())
    True
    """

    _first = random_layout.RandomErasing

    def __init__(
        self,
        p: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: Any = 0.0,
        inplace: bool = False,
    ) -> None:
        super().__init__(p=p)
        random_layout.RandomErasing(p, scale, ratio, value)  # looks at the arguments
        self.scale = scale
        self.ratio = ratio
        self.value: list[float] | None = None
        if not isinstance(value, str):
            several = value if isinstance(value, tuple | list) else [value]
            self.value = [float(v) for v in several]
        self.inplace = inplace

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        import rushlight

        channels, height, width = query_chw(flat_inputs)
        if self.value is not None and len(self.value) not in (1, channels):
            raise ValueError(
                "If value is a sequence, it should have either a single value or "
                f"{channels} (number of inpt channels)"
            )
        size = rushlight.empty(1).expand(channels, height, width)  # only its shape is asked for
        box = random_layout.RandomErasing.get_params(size, self.scale, self.ratio, self.value)
        found = dict(zip("ijhwv", box, strict=True))
        return {**found, "v": None} if found["v"] is size else found

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        if params["v"] is None:
            return inpt
        return self._call_kernel(F.erase, inpt, **params, inplace=self.inplace)


class _Mixing(Transform):
    """A batch with itself, one further: images and labels alike."""

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        num_classes: int | None = None,
        labels_getter: Any = "default",
    ) -> None:
        super().__init__()
        self.alpha = float(alpha)
        self.num_classes = num_classes
        self._labels_getter = labels_getter_of(labels_getter)

    def _weight(self) -> float:
        """A number of the distribution Beta(alpha, alpha)."""
        import rushlight

        from ....distributions import Beta

        alpha = rushlight.as_tensor([self.alpha])
        return float(Beta(alpha, alpha).sample(()))

    def forward(self, *inputs: Any) -> Any:
        sample = inputs if len(inputs) > 1 else inputs[0]
        leaves, form = tree_flatten(sample)
        chosen = self._needs_transform_list(leaves)
        if has_any(leaves, is_pil, BoundingBoxes, Mask, KeyPoints):
            raise ValueError(
                f"{type(self).__name__}() does not support PIL images, bounding boxes, keypoints "
                "and masks."
            )
        labels = self._labels_getter(sample)
        self._check_labels(labels)
        params = {
            "labels": labels,
            "batch_size": labels.shape[0],
            **self.make_params([x for x, yes in zip(leaves, chosen, strict=True) if yes]),
        }
        changed = [
            self.transform(x, params) if yes or x is labels else x
            for x, yes in zip(leaves, chosen, strict=True)
        ]
        return tree_unflatten(changed, form)

    def _check_labels(self, labels: Any) -> None:
        if not isinstance(labels, Tensor):
            raise ValueError(f"The labels must be a tensor, but got {type(labels)} instead.")
        if labels.ndim not in (1, 2):
            raise ValueError(
                "labels should be index based with shape (batch_size,) or probability based with "
                f"shape (batch_size, num_classes), but got a tensor of shape {labels.shape} "
                "instead."
            )
        known = self.num_classes
        if labels.ndim == 2 and known is not None and labels.shape[-1] != known:
            raise ValueError(
                "When passing 2D labels, the number of elements in last dimension must match "
                f"num_classes: {labels.shape[-1]} != {known}. You can Leave num_classes to None."
            )
        if labels.ndim == 1 and known is None:
            raise ValueError("num_classes must be passed if the labels are index-based (1D)")

    def _mixed_labels(self, labels: Tensor, weight: float) -> Tensor:
        from ....nn.functional import one_hot

        if labels.ndim == 1:
            labels = one_hot(labels, num_classes=self.num_classes or -1)
        labels = labels if labels.is_floating_point() else labels.float()
        out: Tensor = labels.roll(1, 0) * (1.0 - weight) + labels * weight
        return out

    def _mixed(self, images: Tensor, params: dict[str, Any]) -> Tensor:
        raise NotImplementedError

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        if inpt is params["labels"]:
            return self._mixed_labels(inpt, params["weight"])
        if not (isinstance(inpt, Image | Video) or is_pure_tensor(inpt)):
            return inpt
        dims = 5 if isinstance(inpt, Video) else 4
        if inpt.ndim != dims:
            raise ValueError(
                message(
                    f"Expected a batched input with {dims} dims, but got {inpt.ndim} dimensions "
                    "instead.",
                    hint="MixUp and CutMix on batches: after the DataLoader, or in its collate_fn",
                )
            )
        if inpt.shape[0] != params["batch_size"]:
            raise ValueError(
                "The batch size of the image or video does not match the batch size of the "
                f"labels: {inpt.shape[0]} != {params['batch_size']}."
            )
        out = self._mixed(plain(inpt), params)
        return out if is_pure_tensor(inpt) else wrap(out, like=inpt)


class MixUp(_Mixing):
    """Images and labels of a batch mixed with those of the batch one further.

    With w of Beta(alpha, alpha), x_i becomes w x_i + (1 - w) x_{i-1}.

    Args:
        alpha: near 0 little is mixed, 1 draws w evenly.
        num_classes: how many labels there are, where they are numbers.
        labels_getter: "default" takes the second of a pair or what is called labels in it; or a
            function of the sample.

    Zhang et al., mixup: Beyond empirical risk minimization, 2018.

    >>> images, labels = MixUp(num_classes=3)(torch.ones(2, 1, 2, 2), torch.tensor([0, 2]))
    >>> images.shape, labels.shape, labels.sum(1)
    (torch.Size([2, 1, 2, 2]), torch.Size([2, 3]), tensor([1., 1.]))
    """

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        return {"weight": self._weight()}

    def _mixed(self, images: Tensor, params: dict[str, Any]) -> Tensor:
        out: Tensor = images.roll(1, 0) * (1.0 - params["weight"]) + images * params["weight"]
        return out


class CutMix(_Mixing):
    """A rectangle of each image from the one before, labels mixed by the area.

    Args:
        alpha: near 0 the rectangle is nearly nothing or all, 1 draws its area evenly.
        num_classes, labels_getter: as of `MixUp`.

    Yun et al., CutMix: Regularization strategy to train strong classifiers with localizable
    features, 2019.

    >>> images, labels = CutMix(num_classes=3)(torch.ones(2, 1, 4, 4), torch.tensor([0, 2]))
    >>> images.shape, labels.sum(1)
    (torch.Size([2, 1, 4, 4]), tensor([1., 1.]))
    """

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        r = 0.5 * math.sqrt(1.0 - self._weight())
        height, width = query_size(flat_inputs)
        x, y = draw.integer(0, width), draw.integer(0, height)
        half_width, half_height = int(r * width), int(r * height)
        left, right = max(x - half_width, 0), min(x + half_width, width)
        top, bottom = max(y - half_height, 0), min(y + half_height, height)
        area = (right - left) * (bottom - top)
        return {"box": (left, top, right, bottom), "weight": 1.0 - area / (width * height)}

    def _mixed(self, images: Tensor, params: dict[str, Any]) -> Tensor:
        left, top, right, bottom = params["box"]
        out = images.clone()
        out[..., top:bottom, left:right] = images.roll(1, 0)[..., top:bottom, left:right]
        return out


class JPEG(Transform):
    """What is left of an image in a JPEG file of random quality.

    Args:
        quality: from 1 to 100: one number, or the lowest and the highest.

    >>> JPEG(50)(torch.zeros(3, 8, 8, dtype=torch.uint8)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(self, quality: int | Sequence[int]) -> None:
        super().__init__()
        if isinstance(quality, bool):
            raise TypeError("quality can't be bool")
        if isinstance(quality, int):
            quality = [quality, quality]
        else:
            check_sequence(quality, "quality", (2,))
        whole = all(isinstance(q, int) for q in quality)
        if not (whole and 1 <= quality[0] <= quality[1] <= 100):
            raise ValueError(f"quality must be an integer from 1 to 100, got quality ={quality!r}")
        self.quality = quality

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        return {"quality": draw.integer(self.quality[0], self.quality[1] + 1)}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return self._call_kernel(F.jpeg, inpt, quality=params["quality"])
