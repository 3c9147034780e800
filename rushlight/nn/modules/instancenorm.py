"""Instance normalisation in one to three dimensions, and its lazy forms.

Read next: `normalization.py`.
"""

from __future__ import annotations

import warnings
from typing import Any

from ...tensor import Tensor
from .. import functional as F
from .batchnorm import _LazyNormBase, _NormBase

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(_NormBase):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def _get_no_batch_dim(self) -> int:
        return self._ranks[0]

    def _apply_instance_norm(self, input: Tensor) -> Tensor:
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: Any,
        strict: bool,
        missing_keys: Any,
        unexpected_keys: Any,
        error_msgs: list[str],
    ) -> None:
        if local_metadata.get("version") is None and not self.track_running_stats:
            keys = [prefix + name for name in ("running_mean", "running_var")]
            keys = [key for key in keys if key in state_dict]
            if keys:
                names = " and ".join(f'"{key}"' for key in keys)
                kind = type(self).__name__
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {names} for {kind} with "
                    "track_running_stats=False. If state_dict is a checkpoint saved before 0.4.0, "
                    f"this may be expected because {kind} does not track running stats by default "
                    "since 0.4.0. Please remove these keys from state_dict. If the running stats "
                    f"are actually needed, instead set track_running_stats=True in {kind} to "
                    f"enable them. See the documentation of {kind} for details."
                )
                for key in keys:
                    state_dict.pop(key)
        super()._load_from_state_dict(
            state_dict,
            prefix,
            local_metadata,
            strict,
            missing_keys,
            unexpected_keys,
            error_msgs,
        )

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        dim = input.ndim - self._get_no_batch_dim()
        if input.shape[dim] != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features "
                    f"({self.num_features}), but got: {input.shape[dim]}."
                )
            warnings.warn(
                f"input's size at dim={dim} does not match num_features. You can silence this "
                "warning by not passing in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        if dim == 0:
            return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)
        return self._apply_instance_norm(input)


class InstanceNorm1d(_InstanceNorm):
    """y = (x - mean) / √(var + eps) · weight + bias, for each channel of each instance.

    Arguments as in `BatchNorm1d`; by default nothing is learned and nothing is tracked.

    Shape: (N, C, L) or (C, L) -> the same. Ulyanov et al., 2016, arXiv:1607.08022.

    >>> y = nn.InstanceNorm1d(3)(torch.randn(2, 3, 50))
    >>> bool(y.mean(-1).abs().max() < 1e-5)
    True
    """

    _ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalisation of images, (N, C, H, W) or (C, H, W); see `InstanceNorm1d`.

    >>> nn.InstanceNorm2d(3)(torch.randn(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    _ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalisation of volumes, (N, C, D, H, W) or (C, D, H, W); see `InstanceNorm1d`.

    >>> nn.InstanceNorm3d(3)(torch.randn(2, 3, 2, 2, 2)).shape
    torch.Size([2, 3, 2, 2, 2])
    """

    _ranks = (4, 5)


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm1d whose `num_features` is taken from the first input.

    >>> layer = nn.LazyInstanceNorm1d()
    >>> layer(torch.randn(2, 3, 8)).shape, layer.num_features
    (torch.Size([2, 3, 8]), 3)
    """

    cls_to_become = InstanceNorm1d
    _ranks = (2, 3)


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm2d whose `num_features` is taken from the first input.

    >>> layer = nn.LazyInstanceNorm2d()
    >>> layer(torch.randn(2, 3, 4, 4)).shape, layer.num_features
    (torch.Size([2, 3, 4, 4]), 3)
    """

    cls_to_become = InstanceNorm2d
    _ranks = (3, 4)


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm3d whose `num_features` is taken from the first input.

    >>> layer = nn.LazyInstanceNorm3d()
    >>> layer(torch.randn(2, 3, 4, 4, 4)).shape, layer.num_features
    (torch.Size([2, 3, 4, 4, 4]), 3)
    """

    cls_to_become = InstanceNorm3d
    _ranks = (4, 5)
