"""Videos in time: uniform_temporal_subsample.

Not here: what is done to each image of a video (every other file).
"""

from __future__ import annotations

from typing import Any

from .....tensor import Tensor
from .._kernels import dispatch, kernels


def _subsampled(inpt: Tensor, num_samples: int) -> Tensor:
    import rushlight

    places = rushlight.linspace(0, inpt.shape[-4] - 1, num_samples).long()
    out: Tensor = rushlight.index_select(inpt, -4, places)
    return out


@kernels(video=_subsampled)
def uniform_temporal_subsample(inpt: Any, num_samples: int) -> Any:
    """`num_samples` images of a video, evenly spread from the first to the last.

    >>> uniform_temporal_subsample(torch.arange(5).reshape(5, 1, 1, 1), 3).flatten()
    tensor([0, 2, 4])
    """
    return dispatch(uniform_temporal_subsample, inpt, num_samples=num_samples)
