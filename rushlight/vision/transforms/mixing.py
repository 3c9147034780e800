"""AugMix: several chains of random changes of one image, mixed with the image itself.

Also here: the Dirichlet numbers that weigh the chains, drawn as PyTorch draws them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...kernels.random.distributions import _pairs
from ...kernels.random.mersenne_twister import Twister
from ...nn import Module
from ...random import default_generator
from ...tensor import Tensor
from . import draw
from . import functional as F
from .autoaugment import Space, apply_change, random_change, random_sign, space_of
from .image import Image, InterpolationMode
from .random_geometry import fill_for

_BINS = 10
_COLOURS = ("Brightness", "Color", "Contrast", "Sharpness")


class AugMix(Module):
    """A random mixture of an image and of random chains of changes of it.

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
        interpolation: InterpolationMode = InterpolationMode.BILINEAR,
        fill: float | Sequence[float] | None = None,
    ) -> None:
        super().__init__()
        if not 1 <= severity <= _BINS:
            raise ValueError(f"The severity must be between [1, {_BINS}]. Got {severity} instead.")
        self.severity = severity
        self.mixture_width = mixture_width
        self.chain_depth = chain_depth
        self.alpha = alpha
        self.all_ops = all_ops
        self.interpolation = interpolation
        self.fill = fill

    def _space(self, height: int, width: int) -> Space:
        whole = space_of(_BINS, width / 3.0, height / 3.0, bits=(4, 4))
        colours = {name: whole.pop(name) for name in _COLOURS}
        return {**whole, **colours} if self.all_ops else whole

    def forward(self, orig_img: Image) -> Image:
        channels, height, width = F.get_dimensions(orig_img)
        fill = fill_for(orig_img, self.fill, channels)
        img = orig_img if isinstance(orig_img, Tensor) else F.pil_to_tensor(orig_img)
        space = self._space(height, width)
        batch = img.reshape([1] * max(4 - img.ndim, 0) + list(img.shape))
        rows = [batch.shape[0]] + [1] * (batch.ndim - 1)
        m = _dirichlet(rows[0], [self.alpha] * 2)  # (N, 2): the image itself, all chains
        weights = _dirichlet(rows[0], [self.alpha] * self.mixture_width) * m[:, 1:]
        mix = Tensor._wrap(m[:, 0].reshape(rows)) * batch
        for i in range(self.mixture_width):
            changed = batch
            depth = self.chain_depth if self.chain_depth > 0 else draw.integer(1, 4)
            for _ in range(depth):
                name, magnitudes, signed = random_change(space)
                magnitude = 0.0
                if magnitudes is not None:
                    magnitude = magnitudes[draw.integer(0, self.severity)]
                magnitude = random_sign(magnitude, signed)
                changed = apply_change(changed, name, magnitude, self.interpolation, fill)
            mix = mix + Tensor._wrap(weights[:, i].reshape(rows)) * changed
        mix = mix.reshape(img.shape).to(img.dtype)
        return mix if img is orig_img else F.to_pil_image(mix)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(severity={self.severity}, mixture_width={self.mixture_width}, "
            f"chain_depth={self.chain_depth}, alpha={self.alpha}, all_ops={self.all_ops}, "
            f"interpolation={self.interpolation}, fill={self.fill})"
        )


def _dirichlet(rows: int, alphas: list[float]) -> np.ndarray:
    """Rows of positive float32 numbers that add up to 1: gamma numbers over their sum."""
    rng = default_generator._rng
    concentrations = [float(np.float32(a)) for a in alphas]
    with rng.lock:
        gamma = np.array([[_gamma(a, rng) for a in concentrations] for _ in range(rows)])
    out = (gamma / gamma.sum(-1, keepdims=True)).astype(np.float32)
    below_one = np.nextafter(np.float32(1), np.float32(0))
    return np.clip(out, np.finfo(np.float32).tiny, below_one)


def _gamma(alpha: float, rng: Twister) -> float:
    """A gamma number (Marsaglia and Tsang, A simple method for generating gamma variables)."""
    scale = 1.0
    if alpha < 1.0:  # rejected too often: draw for alpha + 1 and scale
        scale = float((1.0 - rng.doubles(1)[0]) ** (1.0 / alpha))
        alpha += 1.0
    d = alpha - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        y = 0.0
        while y <= 0.0:
            x = float(_pairs(rng, 1, 0.0, 1.0)[0])
            y = 1.0 + c * x
        v = y * y * y
        u = 1.0 - float(rng.doubles(1)[0])
        xx = x * x
        squeeze = 1.0 - float(np.float32(0.0331)) * xx * xx
        if u < squeeze or math.log(u) < 0.5 * xx + d * (1.0 - v + math.log(v)):
            return max(scale * d * v, float(np.finfo(np.float64).tiny))
