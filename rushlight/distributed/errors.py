"""The errors of `torch.distributed`, under PyTorch's names."""

from __future__ import annotations


class DistError(RuntimeError):
    """Something went wrong between processes."""

    __module__ = "rushlight.distributed"


class DistBackendError(DistError):
    """A collective could not be carried out: a rank is gone, hangs, or calls another one."""

    __module__ = "rushlight.distributed"


class DistNetworkError(DistError):
    """A connection could not be made, or has ended."""

    __module__ = "rushlight.distributed"


class DistStoreError(DistError):
    """A store refuses, or what is waited for did not come in time."""

    __module__ = "rushlight.distributed"


class QueueEmptyError(DistStoreError):
    """Nothing is in a queue of a store."""

    __module__ = "rushlight.distributed"
