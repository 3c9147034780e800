"""Batch normalisation in one to three dimensions, its lazy forms, and SyncBatchNorm.

Read next: `instancenorm.py`, `normalization.py`.
"""

from __future__ import annotations

import sys
from typing import Any

import rushlight

from ...autograd.grad_mode import no_grad
from ...errors import message
from ...ops.nn.batch_norm import counted
from ...tensor import Parameter, Tensor
from .. import functional as F
from .. import init
from ..module import Module
from ..parameter import UninitializedBuffer, UninitializedParameter
from ._functions import SyncBatchNorm as sync_batch_norm
from .lazy import LazyModuleMixin

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
]


class _NormBase(Module):
    """Scale, shift and running statistics for each channel."""

    _version = 2
    _ranks: tuple[int, ...] = ()  # how many dimensions an input may have
    weight: Any
    bias: Any
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            value = Parameter(rushlight.empty(num_features, **factory)) if wanted else None
            self.register_parameter(name, value)
        if track_running_stats:
            self.register_buffer("running_mean", rushlight.zeros(num_features, **factory))
            self.register_buffer("running_var", rushlight.ones(num_features, **factory))
            self.register_buffer("num_batches_tracked", _count(device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Back to mean 0, variance 1, no batches seen."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Scale 1, shift 0, and fresh running statistics."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        if not self._ranks:
            raise NotImplementedError
        if input._a.ndim not in self._ranks:
            wanted = " or ".join(f"{rank}D" for rank in self._ranks)
            kind, rank = type(self).__name__, input.ndim
            fit = {2: "1d", 3: "1d", 4: "2d", 5: "3d"}.get(rank)
            hint = f"nn.{kind[:-2]}{fit}" if fit and kind[-2:] in ("1d", "2d", "3d") else None
            raise ValueError(
                message(
                    f"expected {wanted} input (got {rank}D input)",
                    got=f"shape {tuple(input.shape)}",
                    hint=hint,
                )
            )

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, *args: Any
    ) -> None:
        version = local_metadata.get("version")
        key = prefix + "num_batches_tracked"
        # The count came with version 2: older files do not have it.
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            own = self.num_batches_tracked
            usable = own is not None and own.device.type != "meta"
            state_dict[key] = own if usable else _count(None)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)


def _count(device: Any) -> Tensor:
    return rushlight.as_tensor(0, dtype=rushlight.int64, device=device)


class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        own, kept = self._parameters, self._buffers
        momentum = self.momentum
        training, tracking = self.training, self.track_running_stats
        if training and not tracking:
            mean = var = None
        else:
            try:  # as self.running_mean and its like, each of which takes half a microsecond
                mean, var = kept["running_mean"], kept["running_var"]
            except KeyError:  # what is no buffer
                mean, var = self.running_mean, self.running_var
        if training and tracking:
            try:
                seen = kept["num_batches_tracked"]
            except KeyError:
                seen = self.num_batches_tracked
            if seen is not None:
                counted(seen)
                if momentum is None:  # the average over all batches
                    momentum = 1.0 / float(seen)
        try:
            weight, bias = own["weight"], own["bias"]
        except KeyError:  # a parametrisation has taken them over
            weight, bias = self.weight, self.bias
        use_batch = training or (mean is None and var is None)
        if momentum is None:
            momentum = 0.0
        return F.batch_norm(input, mean, var, weight, bias, use_batch, momentum, self.eps)


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """Takes `num_features` from the first input."""

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        super().__init__(0, eps, momentum, False, False, **factory, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(**factory)
            if bias:
                self.bias = UninitializedParameter(**factory)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(**factory)
            self.running_var = UninitializedBuffer(**factory)
            self.num_batches_tracked = _count(device)

    def reset_parameters(self) -> None:
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[1]
        made = [self.weight, self.bias] if self.affine else []
        if self.track_running_stats:
            made += [self.running_mean, self.running_var]
        for value in made:
            if value is not None:
                value.materialize((self.num_features,))
        self.reset_parameters()


class BatchNorm1d(_BatchNorm):
    """y = (x - mean) / √(var + eps) · weight + bias, for each channel over batch (and length).

    In training mean and var are the batch's (var without Bessel's correction), and running
    averages of them are kept: running = (1 - momentum)·running + momentum·batch, the variance
    with the correction. In evaluation the running averages are used.

    Args:
        num_features: number of channels C.
        eps: added to the variance.
        momentum: weight of the new batch; None for the plain average over all batches.
        affine: whether to learn weight and bias (`bias=False` leaves out the latter).
        track_running_stats: without it the batch's statistics are always used.

    Shape: (N, C) or (N, C, L) -> the same. Ioffe and Szegedy, 2015, arXiv:1502.03167.

    >>> y = nn.BatchNorm1d(3)(torch.randn(8, 3))
    >>> bool(y.mean(0).abs().max() < 1e-5)
    True
    """

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalisation of images (N, C, H, W); see `BatchNorm1d`.

    >>> nn.BatchNorm2d(3)(torch.randn(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    _ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalisation of volumes (N, C, D, H, W); see `BatchNorm1d`.

    >>> nn.BatchNorm3d(3)(torch.randn(2, 3, 2, 2, 2)).shape
    torch.Size([2, 3, 2, 2, 2])
    """

    _ranks = (5,)


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """A BatchNorm1d whose `num_features` is taken from the first input.

    >>> layer = nn.LazyBatchNorm1d()
    >>> layer(torch.randn(8, 3)).shape, layer.num_features, type(layer).__name__
    (torch.Size([8, 3]), 3, 'BatchNorm1d')
    """

    cls_to_become = BatchNorm1d
    _ranks = (2, 3)


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """A BatchNorm2d whose `num_features` is taken from the first input.

    >>> layer = nn.LazyBatchNorm2d()
    >>> layer(torch.randn(2, 3, 4, 4)).shape, layer.num_features
    (torch.Size([2, 3, 4, 4]), 3)
    """

    cls_to_become = BatchNorm2d
    _ranks = (4,)


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """A BatchNorm3d whose `num_features` is taken from the first input.

    >>> layer = nn.LazyBatchNorm3d()
    >>> layer(torch.randn(2, 3, 4, 4, 4)).shape, layer.num_features
    (torch.Size([2, 3, 4, 4, 4]), 3)
    """

    cls_to_become = BatchNorm3d
    _ranks = (5,)


class SyncBatchNorm(_BatchNorm):
    """Batch normalisation with statistics over the batches of all processes: what BatchNorm
    computes of the whole batch, gradients too.

    Without a process group, and in evaluation, it is batch norm. In training all ranks of the group
    call it together; their batches may differ in size. (PyTorch refuses tensors of the CPU.)

    Args:
        process_group: whose ranks share statistics; None: all.

    Shape: (N, C, *) -> the same.

    >>> nn.SyncBatchNorm(3)(torch.ones(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )
        self.process_group = process_group

    def forward(self, input: Tensor) -> Tensor:
        group = self._group() if self.training else None
        if group is None:
            return super().forward(input)
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        mean = var = None
        if self.track_running_stats:
            mean, var = self.running_mean, self.running_var
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        return sync_batch_norm.apply(
            input, self.weight, self.bias, mean, var, self.eps, momentum, group
        )

    def _group(self) -> Any:
        """The ranks that share statistics; None where there are no others."""
        groups = sys.modules.get("rushlight.distributed.group")
        if groups is None or groups.state.default is None:
            return None
        group = groups.resolve(self.process_group)
        return None if group is None or group.size() == 1 else group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim < 2:
            raise ValueError(f"expected at least 2D input (got {input.ndim}D input)")
        if input.shape[1] == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """Replace every batch norm in `module` by a SyncBatchNorm with its parameters."""
        out = module
        if isinstance(module, _BatchNorm):
            out = SyncBatchNorm(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            if module.affine:
                with no_grad():
                    out.weight = module.weight
                    out.bias = module.bias
            out.running_mean = module.running_mean
            out.running_var = module.running_var
            out.num_batches_tracked = module.num_batches_tracked
            out.training = module.training
        for name, child in module.named_children():
            out.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return out
