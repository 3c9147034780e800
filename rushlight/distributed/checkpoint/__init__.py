"""`torch.distributed.checkpoint`: checkpoints that many ranks write and any number reads.

    import rushlight.distributed.checkpoint as dcp

    dcp.save({"net": net, "opt": opt, "step": 100}, checkpoint_id="checkpoints/100")
    dcp.load(state, checkpoint_id="checkpoints/100")

Each rank writes and reads its part (`default_planner.py` decides, `filesystem.py` does); the files
are those of PyTorch (docs/distributed_checkpoints.md). `state_dict.py` gives states of models and
optimisers names that do not depend on how they are spread.
"""

from __future__ import annotations

from ... import unsupported
from .api import CheckpointException
from .default_planner import DefaultLoadPlanner, DefaultSavePlanner
from .filesystem import FileSystemReader, FileSystemWriter
from .metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    TensorStorageMetadata,
)
from .planner import LoadPlan, LoadPlanner, ReadItem, SavePlan, SavePlanner, WriteItem
from .state_dict_loader import load, load_state_dict
from .state_dict_saver import async_save, save, save_state_dict
from .stateful import Stateful
from .storage import StorageReader, StorageWriter

__all__ = [
    "BytesStorageMetadata",
    "CheckpointException",
    "ChunkStorageMetadata",
    "DefaultLoadPlanner",
    "DefaultSavePlanner",
    "FileSystemReader",
    "FileSystemWriter",
    "LoadPlan",
    "LoadPlanner",
    "Metadata",
    "ReadItem",
    "SavePlan",
    "SavePlanner",
    "Stateful",
    "StorageReader",
    "StorageWriter",
    "TensorStorageMetadata",
    "WriteItem",
    "async_save",
    "load",
    "load_state_dict",
    "save",
    "save_state_dict",
]

__getattr__, _missing = unsupported.module(
    __name__,
    "HuggingFaceStorageReader HuggingFaceStorageWriter QuantizedHuggingFaceStorageReader "
    "load_sharded_optimizer_state_dict",
    "other files than folders of torch.save's, and ShardedTensors",
    "safetensors.torch.load_file and save_file, or DTensors",
)


def __dir__() -> list[str]:
    return sorted({*globals(), *_missing()})
