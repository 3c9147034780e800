"""Names that torchvision once had, for old programs: they warn and do what their successors do."""

from __future__ import annotations

import warnings
from typing import Any

from .fixed import Resize
from .random_layout import RandomResizedCrop


def _warn(old: str, new: str) -> None:
    warnings.warn(
        f"The use of the transforms.{old} transform is deprecated, "
        f"please use transforms.{new} instead.",
        stacklevel=3,
    )


class Scale(Resize):
    """`Resize`, under its name before torchvision 0.2.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     Scale(10)(torch.zeros(1, 20, 30)).shape
    torch.Size([1, 10, 15])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _warn("Scale", "Resize")
        super().__init__(*args, **kwargs)


class RandomSizedCrop(RandomResizedCrop):
    """`RandomResizedCrop`, under its name before torchvision 0.2.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     RandomSizedCrop(8)(torch.zeros(3, 20, 30)).shape
    torch.Size([3, 8, 8])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _warn("RandomSizedCrop", "RandomResizedCrop")
        super().__init__(*args, **kwargs)
