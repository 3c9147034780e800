"""The first version's transforms on whole samples: see `__init__.py` for what that means."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....nn import Module
from ....random import default_generator
from ....tensor import Tensor
from ..._pillow import is_pil
from .. import autoaugment, containers, fixed, mixing, random_color, random_geometry, random_layout
from ..autoaugment import AutoAugmentPolicy
from . import functional as F

__all__ = ["AutoAugmentPolicy"]


def on_sample(change: Callable[[Any], Any], sample: Any, arrays: bool = False) -> Any:
    """The sample with its images changed, all by the same random numbers."""
    leaves: list[Any] = []
    _walk(sample, leaves.append)
    wanted = [x for x in leaves if is_pil(x) or (arrays and isinstance(x, np.ndarray))]
    wanted = wanted or [x for x in leaves if isinstance(x, Tensor)][:1]
    before = default_generator._rng.get_state(), random.getstate()
    done: dict[int, Any] = {}
    for image in wanted:
        if done:
            default_generator._rng.set_state(before[0])
            random.setstate(before[1])
        done[id(image)] = change(image)
    return _walk(sample, lambda x: done.get(id(x), x))


def _walk(sample: Any, visit: Callable[[Any], Any]) -> Any:
    """The sample with `visit` of each of its leaves in their places."""
    if isinstance(sample, dict):
        return {k: _walk(v, visit) for k, v in sample.items()}
    if isinstance(sample, tuple | list):
        parts = [_walk(v, visit) for v in sample]
        return type(sample)(*parts) if hasattr(sample, "_fields") else type(sample)(parts)
    return visit(sample)


class Transform(Module):
    """A change of all images of a sample. Subclasses define `transform(image, params)`.

    >>> class Twice(Transform):
    ...     def transform(self, inpt, params):
    ...         return inpt * 2
    >>> Twice()(torch.ones(1), "label")
    (tensor([2.]), 'label')
    """

    _arrays = False  # whether arrays are images too

    def make_params(self, flat_inputs: list[Any]) -> dict[str, Any]:
        """Random numbers that all images of a sample share."""
        return {}

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        """One image, changed."""
        raise NotImplementedError

    def forward(self, *inputs: Any) -> Any:
        sample = inputs if len(inputs) > 1 else inputs[0]
        params: list[dict[str, Any]] = []

        def change(image: Any) -> Any:
            if not params:
                params.append(self.make_params([image]))
            return self.transform(image, params[0])

        return on_sample(change, sample, self._arrays)


class _FirstVersion(Transform):
    """Mixed in before a class of the first version, whose `forward` takes one image."""

    def forward(self, *inputs: Any) -> Any:
        sample = inputs if len(inputs) > 1 else inputs[0]
        return on_sample(super(Transform, self).forward, sample)


def _of(first: type) -> type:
    doc = f"{(first.__doc__ or '').splitlines()[0]} As the first version's, on whole samples."
    return type(first.__name__, (_FirstVersion, first), {"__doc__": doc, "__module__": __name__})


CenterCrop = _of(fixed.CenterCrop)
ConvertImageDtype = _of(fixed.ConvertImageDtype)
FiveCrop = _of(fixed.FiveCrop)
Grayscale = _of(fixed.Grayscale)
LinearTransformation = _of(fixed.LinearTransformation)
Normalize = _of(fixed.Normalize)
Pad = _of(fixed.Pad)
Resize = _of(fixed.Resize)
TenCrop = _of(fixed.TenCrop)
RandomCrop = _of(random_layout.RandomCrop)
RandomErasing = _of(random_layout.RandomErasing)
RandomHorizontalFlip = _of(random_layout.RandomHorizontalFlip)
RandomResizedCrop = _of(random_layout.RandomResizedCrop)
RandomVerticalFlip = _of(random_layout.RandomVerticalFlip)
ElasticTransform = _of(random_geometry.ElasticTransform)
RandomAffine = _of(random_geometry.RandomAffine)
RandomPerspective = _of(random_geometry.RandomPerspective)
RandomRotation = _of(random_geometry.RandomRotation)
ColorJitter = _of(random_color.ColorJitter)
GaussianBlur = _of(random_color.GaussianBlur)
RandomAdjustSharpness = _of(random_color.RandomAdjustSharpness)
RandomAutocontrast = _of(random_color.RandomAutocontrast)
RandomEqualize = _of(random_color.RandomEqualize)
RandomGrayscale = _of(random_color.RandomGrayscale)
RandomInvert = _of(random_color.RandomInvert)
RandomPosterize = _of(random_color.RandomPosterize)
RandomSolarize = _of(random_color.RandomSolarize)
AutoAugment = _of(autoaugment.AutoAugment)
RandAugment = _of(autoaugment.RandAugment)
TrivialAugmentWide = _of(autoaugment.TrivialAugmentWide)
AugMix = _of(mixing.AugMix)


# Conversions


class ToImage(Transform):
    """Pillow images and (H, W[, C]) arrays as (C, H, W) tensors of their own type.

    >>> ToImage()(np.zeros((4, 5, 3), np.uint8)).shape
    torch.Size([3, 4, 5])
    """

    _arrays = True

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return F.to_image(inpt)


class PILToTensor(Transform):
    """Pillow images as (C, H, W) tensors of their own type.

    >>> import PIL.Image
    >>> PILToTensor()(PIL.Image.new("L", (2, 1))).shape
    torch.Size([1, 1, 2])
    """

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return F.pil_to_tensor(inpt) if is_pil(inpt) else inpt


class ToTensor(Transform):
    """`ToImage` and `ToDtype(torch.float32, scale=True)` in one.

    >>> ToTensor()(np.full((1, 1), 255, np.uint8))
    tensor([[[1.]]])
    """

    _arrays = True

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return inpt if isinstance(inpt, Tensor) else F.to_tensor(inpt)


class ToPILImage(Transform):
    """Tensors and arrays as Pillow images.

    >>> ToPILImage()(torch.zeros(3, 2, 4)).size
    (4, 2)
    """

    _arrays = True

    def __init__(self, mode: str | None = None) -> None:
        super().__init__()
        self.mode = mode

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return inpt if is_pil(inpt) else F.to_pil_image(inpt, self.mode)


class ToPureTensor(Transform):
    """Plain tensors, which they are already.

    >>> ToPureTensor()(torch.ones(1))
    tensor([1.])
    """

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return inpt


class ToDtype(Transform):
    """Another type of values; with `scale` also its range.

    >>> ToDtype(torch.float32, scale=True)(torch.tensor([[[255]]], dtype=torch.uint8))
    tensor([[[1.]]])
    """

    def __init__(self, dtype: Any, scale: bool = False) -> None:
        super().__init__()
        if isinstance(dtype, dict):
            raise NotImplementedError(
                "ToDtype: a dtype for each kind of tensor needs tv_tensors, which are not there\n"
                "  try     ToDtype(torch.float32, scale=True)"
            )
        self.dtype = dtype
        self.scale = scale

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return F.to_dtype(inpt, self.dtype, self.scale)

    def extra_repr(self) -> str:
        return f"scale={self.scale}"


class RGB(Transform):
    """Three channels.

    >>> RGB()(torch.zeros(1, 2, 2)).shape
    torch.Size([3, 2, 2])
    """

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return F.grayscale_to_rgb(inpt)


class GaussianNoise(Transform):
    """Normal noise added to float tensors.

    >>> GaussianNoise(sigma=0.0)(torch.ones(1, 1, 1))
    tensor([[[1.]]])
    """

    def __init__(self, mean: float = 0.0, sigma: float = 0.1, clip: bool = True) -> None:
        super().__init__()
        self.mean = mean
        self.sigma = sigma
        self.clip = clip

    def transform(self, inpt: Any, params: dict[str, Any]) -> Any:
        return F.gaussian_noise(inpt, self.mean, self.sigma, self.clip)

    def extra_repr(self) -> str:
        return f"mean={self.mean}, sigma={self.sigma}, clip={self.clip}"


class Identity(Transform):
    """The sample as it is.

    >>> Identity()(3)
    3
    """

    def forward(self, *inputs: Any) -> Any:
        return inputs if len(inputs) > 1 else inputs[0]


class Lambda(Transform):
    """Any function of each leaf of a sample, or of those of the given `types`.

    >>> Lambda(lambda x: x * 2, int)(3, "label")
    (6, 'label')
    """

    def __init__(self, lambd: Callable[[Any], Any], *types: type) -> None:
        super().__init__()
        self.lambd = lambd
        self.types = types or (object,)

    def forward(self, *inputs: Any) -> Any:
        sample = inputs if len(inputs) > 1 else inputs[0]
        return _walk(sample, lambda x: self.lambd(x) if isinstance(x, self.types) else x)


# Transforms made of transforms


class _Several(Transform):
    def __init__(self, transforms: Sequence[Callable[..., Any]]) -> None:
        super().__init__()
        if not isinstance(transforms, Sequence) and not isinstance(transforms, Module):
            raise TypeError("Argument transforms should be a sequence of callables")
        self.transforms = transforms

    def _in_turn(self, order: Sequence[int], inputs: tuple[Any, ...]) -> Any:
        several = len(inputs) > 1
        out = inputs if several else inputs[0]
        for i in order:
            out = self.transforms[i](*out) if several else self.transforms[i](out)
        return out

    def __repr__(self) -> str:
        return containers._listing(type(self).__name__, *self.transforms)


class Compose(_Several):
    """One transform after another.

    >>> Compose([Identity(), Lambda(lambda x: x + 1)])(3)
    4
    """

    def forward(self, *inputs: Any) -> Any:
        return self._in_turn(range(len(self.transforms)), inputs)


class RandomApply(_Several):
    """With probability `p` all of the transforms, else none.

    >>> RandomApply([Lambda(lambda x: x + 1)], p=1.0)(3)
    4
    """

    def __init__(self, transforms: Any, p: float = 0.5) -> None:
        super().__init__(transforms)
        self.p = p

    def forward(self, *inputs: Any) -> Any:
        import rushlight

        chosen = rushlight.rand(1).item() < self.p
        return self._in_turn(range(len(self.transforms)) if chosen else (), inputs)


class RandomOrder(_Several):
    """All of the transforms, in an order drawn by `randperm`.

    >>> RandomOrder([Lambda(lambda x: x + 1), Lambda(lambda x: x + 2)])(3)
    6
    """

    def forward(self, *inputs: Any) -> Any:
        import rushlight

        return self._in_turn(rushlight.randperm(len(self.transforms)).tolist(), inputs)


class RandomChoice(_Several):
    """One of the transforms, drawn by `multinomial` with weights `p`.

    >>> RandomChoice([Lambda(lambda x: x + 1), Lambda(lambda x: x + 2)], p=[0.0, 1.0])(3)
    5
    """

    def __init__(self, transforms: Any, p: Sequence[float] | None = None) -> None:
        super().__init__(transforms)
        weights = [1.0] * len(transforms) if p is None else list(p)
        if len(weights) != len(transforms):
            raise ValueError(
                "Length of p doesn't match the number of transforms: "
                f"{len(weights)} != {len(transforms)}"
            )
        self.p = [w / sum(weights) for w in weights]

    def forward(self, *inputs: Any) -> Any:
        import rushlight

        return self._in_turn([int(rushlight.multinomial(rushlight.as_tensor(self.p), 1))], inputs)
