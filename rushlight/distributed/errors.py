"""The errors of `torch.distributed`, under PyTorch's names."""

from __future__ import annotations


class DistError(RuntimeError):
    """Something went wrong between processes.

    >>> issubclass(torch.distributed.DistError, RuntimeError)
    True
    """

    __module__ = "rushlight.distributed"


class DistBackendError(DistError):
    """A collective could not be carried out: a rank is gone, hangs, or calls another one.

    >>> issubclass(torch.distributed.DistBackendError, torch.distributed.DistError)
    True
    """

    __module__ = "rushlight.distributed"


class DistNetworkError(DistError):
    """A connection could not be made, or has ended.

    >>> issubclass(torch.distributed.DistNetworkError, torch.distributed.DistError)
    True
    """

    __module__ = "rushlight.distributed"


class DistStoreError(DistError):
    """A store refuses, or what is waited for did not come in time.

    >>> issubclass(torch.distributed.DistStoreError, torch.distributed.DistError)
    True
    """

    __module__ = "rushlight.distributed"


class QueueEmptyError(DistStoreError):
    """Nothing is in a queue of a store.

    >>> issubclass(torch.distributed.QueueEmptyError, torch.distributed.DistStoreError)
    True
    """

    __module__ = "rushlight.distributed"
