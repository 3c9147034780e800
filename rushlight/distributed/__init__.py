"""`torch.distributed`: several processes, on one machine or many, that compute together by MPI.

    import rushlight.distributed as dist

    dist.init_process_group("gloo")     # under mpiexec, or in processes of multiprocessing.spawn
    dist.all_reduce(tensor)

Calls have PyTorch's names and arguments. Every backend means MPI: `pip install
'rushlight[distributed]'` brings mpi4py and an MPI library. Process groups, stores, collectives and
messages are here; `nn.parallel.DistributedDataParallel` trains on them. `is_available()` is True
where MPI is installed. How processes meet, and why by MPI: docs/decisions/0039.
"""

from __future__ import annotations

import importlib
from typing import Any

from .. import unsupported
from .collectives import (
    all_gather,
    all_gather_coalesced,
    all_gather_into_tensor,
    all_reduce,
    all_reduce_coalesced,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    gather,
    monitored_barrier,
    reduce,
    reduce_scatter,
    reduce_scatter_tensor,
    scatter,
)
from .errors import DistBackendError, DistError, DistNetworkError, DistStoreError, QueueEmptyError
from .file_store import FileStore
from .group import GroupMember, ProcessGroup, default_pg_timeout, group
from .objects import (
    all_gather_object,
    broadcast_object_list,
    gather_object,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from .point_to_point import P2POp, batch_isend_irecv, irecv, isend, recv, send
from .reduce_op import RedOpType, ReduceOp, supports_complex
from .rendezvous import register_rendezvous_handler, rendezvous
from .setup import (
    Backend,
    destroy_process_group,
    get_backend,
    get_backend_config,
    get_default_backend_for_device,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_pg_count,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    init_process_group,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    is_ucc_available,
    is_xccl_available,
    new_group,
    new_subgroups,
    new_subgroups_by_enumeration,
    shrink_group,
    split_group,
)
from .stores import HashStore, PrefixStore, Store, TCPStore
from .work import Work

__all__ = [
    "Backend",
    "DistBackendError",
    "DistError",
    "DistNetworkError",
    "DistStoreError",
    "FileStore",
    "GroupMember",
    "HashStore",
    "P2POp",
    "PrefixStore",
    "ProcessGroup",
    "QueueEmptyError",
    "RedOpType",
    "ReduceOp",
    "Store",
    "TCPStore",
    "Work",
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "batch_isend_irecv",
    "broadcast",
    "broadcast_object_list",
    "default_pg_timeout",
    "destroy_process_group",
    "gather",
    "gather_object",
    "get_backend",
    "get_backend_config",
    "get_default_backend_for_device",
    "get_global_rank",
    "get_group_rank",
    "get_node_local_rank",
    "get_pg_count",
    "get_process_group_ranks",
    "get_rank",
    "get_world_size",
    "group",
    "init_process_group",
    "irecv",
    "is_available",
    "is_backend_available",
    "is_gloo_available",
    "is_initialized",
    "is_mpi_available",
    "is_nccl_available",
    "is_torchelastic_launched",
    "is_ucc_available",
    "is_xccl_available",
    "isend",
    "monitored_barrier",
    "new_group",
    "new_subgroups",
    "new_subgroups_by_enumeration",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_op",
    "reduce_scatter",
    "reduce_scatter_tensor",
    "register_rendezvous_handler",
    "rendezvous",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
    "shrink_group",
    "split_group",
    "supports_complex",
]

_all_gather_base = all_gather_into_tensor
_reduce_scatter_base = reduce_scatter_tensor
reduce_op = ReduceOp

# What is still to come says this of itself.
FEATURE = "a part of training in several processes (torch.distributed) that is not there"
HINT = "all_reduce of the gradients, or guard it with torch.distributed.is_initialized()"

# Read when they are asked for: names, and the modules that they are in; and modules.
LATER = {
    "BuiltinCommHookType": "buckets",
    "DebugLevel": "debug",
    "DeviceMesh": "device_mesh",
    "GradBucket": "buckets",
    "Reducer": "reducer",
    "_DEFAULT_FIRST_BUCKET_BYTES": "buckets",
    "_broadcast_coalesced": "buckets",
    "_compute_bucket_assignment_by_size": "buckets",
    "_register_comm_hook": "buckets",
    "_verify_params_across_processes": "buckets",
    "get_debug_level": "debug",
    "init_device_mesh": "device_mesh",
    "set_debug_level": "debug",
    "set_debug_level_from_env": "debug",
}
MODULES = ("_functional_collectives", "algorithms", "constants", "distributed_c10d", "nn", "utils")

_missing, _names = unsupported.module(
    __name__, "ProcessGroupGloo ProcessGroupNCCL Logger", FEATURE, HINT
)


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in LATER:
        found = getattr(importlib.import_module(f"{__name__}.{LATER[name]}"), name)
        globals()[name] = found
        return found
    return _missing(name)


def __dir__() -> list[str]:
    return sorted({*_names(), *LATER, *MODULES})
