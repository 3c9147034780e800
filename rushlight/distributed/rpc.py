"""Calls of functions in other processes: the names."""

from __future__ import annotations

from rushlight import unsupported
from rushlight.distributed import FEATURE, HINT


def is_available() -> bool:
    """False: there are no calls of functions in other processes."""
    return False


__getattr__, __dir__ = unsupported.module(
    __name__,
    "BackendType PyRRef RRef RpcBackendOptions TensorPipeRpcBackendOptions WorkerInfo "
    "get_worker_info init_rpc remote rpc_async rpc_sync shutdown",
    FEATURE,
    HINT,
)
