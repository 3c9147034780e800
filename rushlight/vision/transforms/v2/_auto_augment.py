"""AutoAugment, RandAugment, TrivialAugmentWide and AugMix on whole samples with one image.

The tables are those of the first version (`../autoaugment.py`, `../mixing.py`); signs are drawn in
another way, as torchvision's second version draws them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ....tensor import Tensor
from ....utils._pytree import tree_flatten, tree_unflatten
from ..._pillow import is_pil
from ...tv_tensors import BoundingBoxes, Image, KeyPoints, Mask, Video, wrap
from .. import autoaugment, draw, mixing
from ..autoaugment import AutoAugmentPolicy, Space, space_of
from ..image import InterpolationMode, max_value
from . import functional as F
from ._boxes import is_pure_tensor, plain
from ._transform import Transform, fill_of, fills

Mode = InterpolationMode | str | int

__all__ = ["AugMix", "AutoAugment", "AutoAugmentPolicy", "RandAugment", "TrivialAugmentWide"]


def _shear(x: float, y: float) -> dict[str, Any]:
    angles = [math.degrees(math.atan(x)), math.degrees(math.atan(y))]
    return {"angle": 0.0, "translate": [0, 0], "scale": 1.0, "shear": angles, "center": [0, 0]}


def _move(x: float, y: float) -> dict[str, Any]:
    where = [int(x), int(y)]
    return {"angle": 0.0, "translate": where, "scale": 1.0, "shear": [0.0, 0.0]}


_AFFINE: dict[str, Callable[[float], dict[str, Any]]] = {
    "ShearX": lambda m: _shear(m, 0.0),
    "ShearY": lambda m: _shear(0.0, m),
    "TranslateX": lambda m: _move(m, 0),
    "TranslateY": lambda m: _move(0, m),
}
_OTHERS: dict[str, Callable[[Any, float], Any]] = {
    "Identity": lambda x, m: x,
    "Brightness": lambda x, m: F.adjust_brightness(x, 1.0 + m),
    "Color": lambda x, m: F.adjust_saturation(x, 1.0 + m),
    "Contrast": lambda x, m: F.adjust_contrast(x, 1.0 + m),
    "Sharpness": lambda x, m: F.adjust_sharpness(x, 1.0 + m),
    "Posterize": lambda x, m: F.posterize(x, int(m)),
    # The tables are for bytes; floats are as bright as 1, other types as their largest number.
    "Solarize": lambda x, m: F.solarize(x, m / 255.0 * _brightest(x)),
    "AutoContrast": lambda x, m: F.autocontrast(x),
    "Equalize": lambda x, m: F.equalize(x),
    "Invert": lambda x, m: F.invert(x),
}


def _brightest(inpt: Any) -> float:
    return float(max_value(inpt.dtype)) if isinstance(inpt, Tensor) else 255.0


class _Augmenting(Transform):
    """What they share: they take the one image or video of a sample, and no boxes or masks."""

    def __init__(self, *, interpolation: Mode = "nearest", fill: Any = None) -> None:
        super().__init__()
        self.interpolation = interpolation
        self.fill = fill
        self._fill = fills(fill)

    def _augmented(self, inpt: Any) -> Any:
        raise NotImplementedError

    def forward(self, *inputs: Any) -> Any:
        leaves, form = tree_flatten(inputs if len(inputs) > 1 else inputs[0])
        name = type(self).__name__
        places = []
        for i, yes in enumerate(self._needs_transform_list(leaves)):
            if isinstance(leaves[i], BoundingBoxes | Mask | KeyPoints):
                kind = type(leaves[i]).__name__
                raise TypeError(f"Inputs of type {kind} are not supported by {name}()")
            image = isinstance(leaves[i], Image | Video) or is_pil(leaves[i])
            if yes and (image or is_pure_tensor(leaves[i])):
                places.append(i)
        if not places:
            raise TypeError("Found no image in the sample.")
        if len(places) > 1:
            raise TypeError(
                "Auto augment transformations are only properly defined for a single image or "
                f"video, but found {len(places)}."
            )
        leaves[places[0]] = self._augmented(leaves[places[0]])
        return tree_unflatten(leaves, form)

    def _changed(self, inpt: Any, name: str, magnitude: float, signed: bool) -> Any:
        """One named change, of random sign where that is meant."""
        if signed and draw.unit() <= 0.5:
            magnitude = -magnitude
        how = {"interpolation": self.interpolation, "fill": fill_of(self._fill, inpt)}
        if name in _AFFINE:
            return F.affine(inpt, **_AFFINE[name](magnitude), **how)
        if name == "Rotate":
            return F.rotate(inpt, magnitude, **how)
        return _OTHERS[name](inpt, magnitude)


def _size(inpt: Any) -> tuple[float, float]:
    """The most that an image is moved to the right and down."""
    height, width = F.get_size(inpt)
    return 150.0 / 331.0 * width, 150.0 / 331.0 * height


class AutoAugment(_Augmenting):
    """Two changes by a policy that was learned on a data set.

    Cubuk et al., AutoAugment: learning augmentation strategies from data, 2019.

    >>> AutoAugment(AutoAugmentPolicy.CIFAR10)(torch.zeros(3, 8, 8, dtype=torch.uint8)).shape
    torch.Size([3, 8, 8])
    """

    _first = autoaugment.AutoAugment

    def __init__(
        self,
        policy: AutoAugmentPolicy = AutoAugmentPolicy.IMAGENET,
        interpolation: Mode = "nearest",
        fill: Any = None,
    ) -> None:
        super().__init__(interpolation=interpolation, fill=fill)
        self.policy = policy
        self._policies = autoaugment.AutoAugment(policy).policies

    def _augmented(self, inpt: Any) -> Any:
        space: Space = space_of(10, *_size(inpt))
        space["Invert"] = (None, False)
        for name, probability, strength in self._policies[draw.integer(0, len(self._policies))]:
            if draw.unit() > probability:
                continue
            magnitudes, signed = space[name]
            known = magnitudes is not None and strength is not None
            inpt = self._changed(inpt, name, magnitudes[strength] if known else 0.0, signed)  # type: ignore[index]
        return inpt


class RandAugment(_Augmenting):
    """`num_ops` random changes of one strength.

    Cubuk et al., RandAugment: practical automated data augmentation, 2020.

    >>> RandAugment()(torch.zeros(3, 8, 8, dtype=torch.uint8)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(
        self,
        num_ops: int = 2,
        magnitude: int = 9,
        num_magnitude_bins: int = 31,
        interpolation: Mode = "nearest",
        fill: Any = None,
    ) -> None:
        super().__init__(interpolation=interpolation, fill=fill)
        if not isinstance(num_ops, int) or num_ops < 0:
            raise ValueError(
                f"num_ops should be a non-negative integer, but got {num_ops} instead."
            )
        self.num_ops = num_ops
        self.magnitude = magnitude
        self.num_magnitude_bins = num_magnitude_bins

    def _augmented(self, inpt: Any) -> Any:
        bins = self.num_magnitude_bins
        space: Space = {"Identity": (None, False), **space_of(bins, *_size(inpt))}
        for _ in range(self.num_ops):
            name, magnitudes, signed = autoaugment.random_change(space)
            magnitude = 0.0 if magnitudes is None else magnitudes[self.magnitude]
            inpt = self._changed(inpt, name, magnitude, signed)
        return inpt


class TrivialAugmentWide(_Augmenting):
    """One random change of random strength, from a wide range.

    Mueller and Hutter, TrivialAugment: tuning-free yet state-of-the-art data augmentation, 2021.

    >>> TrivialAugmentWide()(torch.zeros(3, 8, 8, dtype=torch.uint8)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(
        self, num_magnitude_bins: int = 31, interpolation: Mode = "nearest", fill: Any = None
    ) -> None:
        super().__init__(interpolation=interpolation, fill=fill)
        self.num_magnitude_bins = num_magnitude_bins

    def _augmented(self, inpt: Any) -> Any:
        bins = self.num_magnitude_bins
        wide = space_of(bins, 32.0, 32.0, bits=(8, 6), shear=0.99, turn=135.0, colour=0.99)
        name, magnitudes, signed = autoaugment.random_change({"Identity": (None, False), **wide})
        magnitude = 0.0 if magnitudes is None else magnitudes[draw.integer(0, len(magnitudes))]
        return self._changed(inpt, name, magnitude, signed)


class AugMix(_Augmenting):
    """An image mixed with several chains of changes of it.

    Args:
        severity: how strong the changes are, 1 to 10.
        mixture_width: number of chains.
        chain_depth: changes in each chain; 1 to 3 at random when not positive.
        alpha: the concentration of the weights.
        all_ops: also brightness, colour, contrast and sharpness.
        interpolation, fill: as of `functional.affine`.

    Hendrycks et al., AugMix: a simple data processing method to improve robustness and
    uncertainty, 2020.

    >>> AugMix()(torch.zeros(3, 8, 8, dtype=torch.uint8)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(
        self,
        severity: int = 3,
        mixture_width: int = 3,
        chain_depth: int = -1,
        alpha: float = 1.0,
        all_ops: bool = True,
        interpolation: Mode = "bilinear",
        fill: Any = None,
    ) -> None:
        super().__init__(interpolation=interpolation, fill=fill)
        mixing.AugMix(severity)  # looks at it
        self.severity = severity
        self.mixture_width = mixture_width
        self.chain_depth = chain_depth
        self.alpha = alpha
        self.all_ops = all_ops

    def _augmented(self, inpt: Any) -> Any:
        height, width = F.get_size(inpt)
        space = mixing.AugMix(all_ops=self.all_ops)._space(height, width)
        image = plain(inpt) if isinstance(inpt, Tensor) else F.pil_to_tensor(inpt)
        dims = 5 if isinstance(inpt, Video) else 4
        batch = image.reshape([1] * max(dims - image.ndim, 0) + list(image.shape))
        rows = [batch.shape[0]] + [1] * (batch.ndim - 1)
        own = mixing._dirichlet(rows[0], [self.alpha] * 2)
        weights = mixing._dirichlet(rows[0], [self.alpha] * self.mixture_width) * own[:, 1:]
        mix = Tensor._wrap(own[:, 0].reshape(rows)) * batch
        for i in range(self.mixture_width):
            changed = batch
            depth = self.chain_depth if self.chain_depth > 0 else draw.integer(1, 4)
            for _ in range(depth):
                name, magnitudes, signed = autoaugment.random_change(space)
                magnitude = 0.0
                if magnitudes is not None:
                    magnitude = magnitudes[draw.integer(0, self.severity)]
                changed = self._changed(changed, name, magnitude, signed)
            mix = mix + Tensor._wrap(weights[:, i].reshape(rows)) * changed
        out = mix.reshape(image.shape).to(image.dtype)
        if is_pure_tensor(inpt):
            return out
        return wrap(out, like=inpt) if isinstance(inpt, Tensor) else F.to_pil_image(out)
