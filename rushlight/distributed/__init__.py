"""`torch.distributed` in one process: questions are answered as PyTorch answers them before
`init_process_group`; what needs several processes raises and names the feature that is to come.

Programs that ask `is_available() and is_initialized()` first run in one process unchanged. The
submodules (`fsdp`, `rpc`, `tensor`, ...) hold the names that such programs import.
"""

from __future__ import annotations

import enum
from datetime import timedelta
from typing import Any, NoReturn

from .. import unsupported

FEATURE = "training in several processes (torch.distributed, a coming feature)"
HINT = "guard it with torch.distributed.is_initialized() and run in one process"

default_pg_timeout = timedelta(minutes=30)


def is_available() -> bool:
    """False: this version trains in one process."""
    return False


def is_initialized() -> bool:
    """False: no process group can be made."""
    return False


def is_nccl_available() -> bool:
    """False."""
    return False


is_gloo_available = is_mpi_available = is_torchelastic_launched = is_nccl_available
is_ucc_available = is_xccl_available = is_nccl_available


def is_backend_available(backend: str) -> bool:
    """False, for every backend."""
    return False


def init_process_group(backend: str | None = None, *args: Any, **kw: Any) -> NoReturn:
    """Raises: process groups come with a later version."""
    unsupported.refuse("torch.distributed.init_process_group", FEATURE, HINT)


def destroy_process_group(group: Any = None) -> None:
    """Raises as in PyTorch: there is none."""
    raise AssertionError("Process group cannot be None: none has been initialized")


def _uninitialized() -> NoReturn:
    raise ValueError(
        "Default process group has not been initialized, please make sure to call "
        "init_process_group."
    )


def get_rank(group: Any = None) -> int:
    """Raises as in PyTorch: there is no process group."""
    _uninitialized()


def get_world_size(group: Any = None) -> int:
    """Raises as in PyTorch: there is no process group."""
    _uninitialized()


def get_backend(group: Any = None) -> str:
    """Raises as in PyTorch: there is no process group."""
    _uninitialized()


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """LOCAL_RANK of the environment, or the fallback."""
    import os

    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError(
        "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow "
        "`get_node_local_rank` to work"
    )


class RedOpType(enum.IntEnum):
    """How values of several processes are combined into one."""

    SUM = 0
    AVG = 1
    PRODUCT = 2
    MIN = 3
    MAX = 4
    BAND = 5
    BOR = 6
    BXOR = 7
    PREMUL_SUM = 8

    def __repr__(self) -> str:
        return f"<RedOpType.{self.name}: {self.value}>"

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"


class ReduceOp:
    """The kinds of reduction, under the names that programs pass to `all_reduce`."""

    RedOpType = RedOpType
    SUM = RedOpType.SUM
    AVG = RedOpType.AVG
    PRODUCT = RedOpType.PRODUCT
    MIN = RedOpType.MIN
    MAX = RedOpType.MAX
    BAND = RedOpType.BAND
    BOR = RedOpType.BOR
    BXOR = RedOpType.BXOR
    PREMUL_SUM = RedOpType.PREMUL_SUM


class Backend(str):
    """The name of a way of communication, in lower case."""

    __slots__ = ()
    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"

    def __new__(cls, name: str) -> str:  # type: ignore[misc]
        """A plain string, as in PyTorch.

        >>> Backend("GLOO")
        'gloo'
        """
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        return name.lower()


class GroupMember:
    """What programs compare process groups with."""

    WORLD = None
    NON_GROUP_MEMBER = -100


class group:
    """`group.WORLD`: the default group; there is none."""

    WORLD = None


__getattr__, __dir__ = unsupported.module(
    __name__,
    "all_gather all_gather_coalesced all_gather_into_tensor all_gather_object all_reduce "
    "all_reduce_coalesced all_to_all all_to_all_single barrier batch_isend_irecv broadcast "
    "broadcast_object_list gather gather_object get_global_rank get_group_rank "
    "get_process_group_ranks init_device_mesh irecv isend monitored_barrier new_group "
    "new_subgroups new_subgroups_by_enumeration recv recv_object_list reduce reduce_scatter "
    "reduce_scatter_tensor scatter scatter_object_list send send_object_list split_group "
    "supports_complex DeviceMesh DistBackendError FileStore HashStore P2POp PrefixStore "
    "ProcessGroup ProcessGroupGloo ProcessGroupNCCL Reducer Store TCPStore Work",
    FEATURE,
    HINT,
)
