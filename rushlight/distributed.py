"""`torch.distributed` on one machine: it says that it is not available; collectives raise.

Training on many machines is a coming feature.
"""

from __future__ import annotations

from typing import Any

from .errors import message


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


def get_rank(group: Any = None) -> int:
    """Raises as in PyTorch: there is no process group."""
    raise ValueError(
        "Default process group has not been initialized, please make sure to call "
        "init_process_group."
    )


get_world_size = get_rank


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)

    def missing(*args: Any, **kw: Any) -> Any:
        raise RuntimeError(
            message(
                f"torch.distributed.{name} needs distributed training, which this version of "
                f"Rushlight does not have yet",
                hint="guard it with torch.distributed.is_available() and run in one process",
            )
        )

    missing.__name__ = name
    return missing
