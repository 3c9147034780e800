"""RReLU: a rectifier whose slopes are drawn at random, and its forms.

Not here: slopes that are given or learnt (`activation.py`), drawing (`random/fill.py`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...autograd import changes
from ...errors import message
from ...kernels.random import select as random
from ..core.composite import composite
from ..core.record import op
from ..core.samples import case
from ..core.shapes import broadcast
from ..random.fill import REAL_FLOATS, drawing, needs, stream
from .activation import A34, leaky_relu


def _draw_slopes(input: Any, *, lower: float, upper: float, rng: Any) -> Any:
    low = input <= 0
    slopes = np.empty(int(low.sum()), np.float64)
    rng.draw(random.uniform, slopes, rng, lower, upper)
    noise = np.ones(input.shape, input.dtype)
    noise[low] = slopes
    return noise


# Slopes for the elements that are not positive, one number drawn for each, in order; 1 elsewhere.
_slopes = drawing("rrelu_noise", _draw_slopes)


@op(samples=[case(A34, A34)], public="", node="RreluWithNoiseBackward0", fresh=True, inplace=True)
def rrelu_with_noise(input: Any, noise: Any) -> Any:
    """x times its slope."""
    return input * noise


rrelu_with_noise.shape(broadcast)


rrelu_with_noise.vjp(lambda g, _y, _x, n: g * n, lambda g, _y, x, _n: g * x)


@composite(public="nn.functional", random=True, samples=[case((3, 4)), case((3, 4), training=True)])
def rrelu(
    input: Any,
    lower: float = 1 / 8,
    upper: float = 1 / 3,
    training: bool = False,
    inplace: bool = False,
    generator: Any = None,
) -> Any:
    """A leaky rectifier whose slope is random: `y = x` where x > 0, else `a * x`.

    training: True draws a from [lower, upper] for each element; False, the default, takes their
    mean. lower: 1/8 by default; upper: 1/3. inplace: write the result into input. Xu et al., 2015,
    arXiv:1505.00853.

    >>> F.rrelu(torch.tensor([-1.0, 2.0]))
    tensor([-0.2292,  2.0000])
    >>> F.rrelu(torch.full((5,), -1.0), training=True).mean() < 0
    tensor(True)
    """
    if lower > upper:
        raise RuntimeError(
            message("Lower bound should be less than or equal to the upper bound",
                    got=f"lower={lower}, upper={upper}")
        )  # fmt: skip
    if not training:
        return leaky_relu.functional()(input, (lower + upper) / 2, inplace)
    needs(input, REAL_FLOATS, "rrelu_with_noise_out_cpu")
    kw = {"lower": lower, "upper": upper, "rng": stream(generator, "rrelu")}
    noise = _slopes.call((input.detach(),), kw)
    if inplace:
        return changes.apply_inplace(rrelu_with_noise, input, (noise,), {})
    return rrelu_with_noise.call((input, noise), {})


@composite(public="torch", name="rrelu", random=True, samples=[case((3, 4))])
def _torch_rrelu(
    input: Any,
    lower: float = 1 / 8,
    upper: float = 1 / 3,
    training: bool = False,
    generator: Any = None,
) -> Any:
    """`nn.functional.rrelu`, without `inplace`: `y = x` where x > 0, else `a * x`.

    training: True draws a from [lower, upper] for each element; False, the default, takes their
    mean.

    >>> torch.rrelu(torch.tensor([-1.0, 2.0]), lower=0.1, upper=0.3)
    tensor([-0.2000,  2.0000])
    """
    return rrelu(input, lower, upper, training, generator=generator)


@composite(public="torch nn.functional", name="rrelu_", random=True, samples=[case((3, 4))])
def rrelu_(
    input: Any,
    lower: float = 1 / 8,
    upper: float = 1 / 3,
    training: bool = False,
    generator: Any = None,
) -> Any:
    """`rrelu` in place: negative elements times a random slope, or the mean slope outside training.

    >>> x = torch.tensor([-1.0, 2.0])
    >>> F.rrelu_(x, lower=0.1, upper=0.3)
    tensor([-0.2000,  2.0000])
    """
    return rrelu(input, lower, upper, training, True, generator)
