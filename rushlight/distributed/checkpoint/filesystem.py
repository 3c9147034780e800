"""Checkpoints in a folder: `.metadata`, and for each rank a file `__RANK_0.distcp`.

The files are PyTorch's: it reads ours and we read its. A save never touches the files of the former
checkpoint: it writes others beside them, and at last puts its `.metadata` in the place of the old
one, in one step. Whatever is killed before leaves the former checkpoint, whole; what it has written
is removed when the next save is complete.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import re
import secrets
import uuid
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from pathlib import Path
from typing import Any

from ... import serialization
from ...errors import message
from ...futures import Future
from ...serialization.atomic import _sync_folder, replacing
from ...tensor import Tensor
from . import metadata_file, shards
from .default_planner import narrow_tensor_by_index
from .metadata import Metadata, StorageMeta, _StorageInfo
from .planner import (
    LoadItemType,
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    WriteItem,
    WriteItemType,
)
from .storage import StorageReader, StorageWriter, WriteResult

METADATA = ".metadata"
SUFFIX = ".distcp"
CURRENT_DCP_VERSION = metadata_file.VERSION
_OURS = re.compile(r"__\d+_(?:[0-9a-f]{8}_)?\d+\.distcp")  # the files that a writer makes


class SerializationFormat(Enum):
    """How tensors are written."""

    TORCH_SAVE = "torch_save"
    SAFETENSORS = "safetensors"


@dataclasses.dataclass
class _StoragePrefix:
    """How the names of a rank's files begin."""

    prefix: str


class FileSystemWriter(StorageWriter):
    """Writes checkpoints into a folder.

    Args:
        path: the folder; it is made.
        single_file_per_rank: one file for each rank and thread; otherwise one for each item.
        sync_files: bring all to the disk before the save counts as complete.
        thread_count: how many files a rank writes at the same time.
        per_thread_copy_ahead: accepted; there is no other device to copy from.
        cache_staged_state_dict: accepted; `async_save` makes a copy each time.
        overwrite: whether a checkpoint that is there may be replaced.
        _extensions: not supported.
        serialization_format: TORCH_SAVE.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        single_file_per_rank: bool = True,
        sync_files: bool = True,
        thread_count: int = 1,
        per_thread_copy_ahead: int = 10_000_000,
        cache_staged_state_dict: bool = False,
        overwrite: bool = True,
        _extensions: Any = None,
        serialization_format: SerializationFormat = SerializationFormat.TORCH_SAVE,
    ) -> None:
        if _extensions or serialization_format is not SerializationFormat.TORCH_SAVE:
            raise NotImplementedError(
                message(
                    "FileSystemWriter: files are written in the form of torch.save, untransformed",
                    got=_extensions or serialization_format,
                    hint="leaving it out; safetensors.torch.save_file writes that format",
                )
            )
        if thread_count < 1:
            raise ValueError(f"thread_count must be at least 1, got {thread_count}")
        self.path = Path(path)
        self.single_file_per_rank = single_file_per_rank
        self.sync_files = sync_files
        self.thread_count = thread_count
        self.overwrite = overwrite
        self.save_id = str(uuid.uuid4())
        self.rank: int | None = None
        self.use_collectives = True

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """A new save, into another folder if one is given."""
        if checkpoint_id:
            self.path = Path(checkpoint_id)
        self.save_id = str(uuid.uuid4())

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Note who this rank is."""
        self.rank = kwargs.get("rank")
        self.use_collectives = kwargs.get("use_collectives", True)

    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """Make the folder.

        Raises:
            RuntimeError: it holds a checkpoint, which may not be replaced.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        if not self.overwrite and self._metadata_path().exists():
            raise RuntimeError(
                message(
                    f"Checkpoint already exists and self.overwrite={self.overwrite}.",
                    got=str(self.path),
                    hint="another folder, or FileSystemWriter(path, overwrite=True)",
                )
            )
        if not self.use_collectives:
            plan = dataclasses.replace(plan, storage_data=self._prefix(self.rank or 0))
        return plan

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """Give the files of all ranks names that no file there has."""
        if not self.use_collectives:
            return plans
        token = self._token()
        return [
            dataclasses.replace(plan, storage_data=_StoragePrefix(f"__{i}_{token}"))
            if plan.storage_data is None
            else plan
            for i, plan in enumerate(plans)
        ]

    def _token(self, rank: int | None = None) -> str:
        """What makes names new: nothing in an empty folder."""
        begins = "__" if rank is None else f"__{rank}_"
        taken = (n for n in os.listdir(self.path) if _OURS.fullmatch(n))
        return f"{secrets.token_hex(4)}_" if any(n.startswith(begins) for n in taken) else ""

    def _prefix(self, rank: int) -> _StoragePrefix:
        return _StoragePrefix(f"__{rank}_{self._token(rank)}")

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Write this rank's items into its files."""
        if self.single_file_per_rank:
            groups = split_by_size(self.thread_count, plan.items)
        else:
            groups = [[item] for item in plan.items]
        names = [f"{plan.storage_data.prefix}{i}{SUFFIX}" for i in range(len(groups))]
        with ThreadPoolExecutor(self.thread_count) as pool:
            parts = list(pool.map(lambda n, g: self._write(n, g, planner), names, groups))
        done: Future[list[WriteResult]] = Future()
        done.set_result([result for part in parts for result in part])
        return done

    def _write(self, name: str, items: list[WriteItem], planner: SavePlanner) -> list[WriteResult]:
        objects = [i for i in items if i.type == WriteItemType.BYTE_IO]
        tensors = [i for i in items if i.type != WriteItemType.BYTE_IO]
        results = []
        with open(self.path / name, "xb") as file:
            for item in [*objects, *tensors]:
                begin = file.tell()
                data = planner.resolve_data(item)
                if isinstance(data, io.BytesIO):
                    file.write(data.getbuffer())
                else:
                    write_tensor(file, data)
                length = file.tell() - begin
                info = _StorageInfo(name, begin, length)
                results.append(WriteResult(item.index, length, info))
            file.flush()
            if self.sync_files:
                os.fsync(file.fileno())
        return results

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Make what all ranks have written the checkpoint, and remove what it replaces."""
        metadata.version = CURRENT_DCP_VERSION
        metadata.storage_data = {r.index: r.storage_data for part in results for r in part}
        metadata.storage_meta = self.storage_meta()
        data = metadata_file.written(metadata)
        if self.sync_files:
            _sync_folder(os.fspath(self.path))
        with replacing(self._metadata_path()) as file:
            file.write(data)
        kept = {info.relative_path for info in metadata.storage_data.values()}
        begins = "__" if self.use_collectives else f"__{self.rank}_"
        for name in os.listdir(self.path):
            if _OURS.fullmatch(name) and name.startswith(begins) and name not in kept:
                with contextlib.suppress(OSError):
                    os.unlink(self.path / name)

    def storage_meta(self) -> StorageMeta | None:
        """This save's folder and number."""
        return StorageMeta(checkpoint_id=os.fspath(self.path), save_id=self.save_id)

    def _metadata_path(self) -> Path:
        return self.path / (METADATA if self.use_collectives else f"__{self.rank}{METADATA}")

    @property
    def checkpoint_id(self) -> str | os.PathLike[str]:
        """The folder."""
        return self.path

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Whether this is a path into a folder that may be written."""
        return _is_path(checkpoint_id) and any(
            p.exists() and os.access(p, os.W_OK) for p in Path(checkpoint_id).absolute().parents
        )


def write_tensor(file: Any, tensor: Tensor) -> None:
    """Write one tensor in the form of `torch.save`, with no more than its own elements."""
    t = tensor.detach().cpu().contiguous()
    if t.untyped_storage().nbytes() != t.numel() * t.element_size():
        t = t.clone()
    part: Any = shards.Section(file)
    serialization.save(t, part)
    file.seek(0, os.SEEK_END)


def split_by_size(bins: int, items: list[WriteItem]) -> list[list[WriteItem]]:
    """The items in groups of about the same size, the largest dealt out first."""
    if bins == 1:
        return [items]
    groups: list[list[WriteItem]] = [[] for _ in range(bins)]
    sizes = [0] * bins
    for i, item in enumerate(i for i in items if i.tensor_data is None):
        groups[i % bins].append(item)
    for item in sorted(
        (i for i in items if i.tensor_data is not None), key=_size, reverse=True
    ):
        at = sizes.index(min(sizes))
        groups[at].append(item)
        sizes[at] += _size(item)
    return groups


def _size(item: WriteItem) -> int:
    return item.tensor_storage_size() or 0


class FileSystemReader(StorageReader):
    """Reads checkpoints of a folder, ours and PyTorch's.

    Args:
        path: the folder.
        _extension_registry: not supported.
    """

    def __init__(self, path: str | os.PathLike[str], _extension_registry: Any = None) -> None:
        if _extension_registry is not None:
            raise NotImplementedError(
                message(
                    "FileSystemReader: transformed files are not read", got=_extension_registry
                )
            )
        self.path = Path(path)
        self.storage_data: dict[Any, _StorageInfo] = {}
        self.load_id = str(uuid.uuid4())
        self._held: dict[tuple[str, int], Any] = {}  # what `verify_data` has looked at

    def reset(self, checkpoint_id: str | os.PathLike[str] | None = None) -> None:
        """A new load, of another folder if one is given."""
        self.storage_data = {}
        if checkpoint_id:
            self.path = Path(checkpoint_id)
        self.load_id = str(uuid.uuid4())

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """The table of contents: of all ranks or, with `rank`, of one that saved by itself.

        Raises:
            FileNotFoundError: there is none.
            CheckpointError: it is damaged.
        """
        rank = kwargs.get("rank")
        name = METADATA if rank is None else f"__{rank}{METADATA}"
        metadata = metadata_file.read(self.path / name)
        if metadata.storage_meta is None:
            metadata.storage_meta = StorageMeta()
        metadata.storage_meta.load_id = self.load_id
        return metadata

    def set_up_storage_reader(
        self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any
    ) -> None:
        """Note where the values are."""
        self.storage_data = metadata.storage_data

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """The plan as it is."""
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """The plans as they are."""
        return plans

    def verify_data(self, plan: LoadPlan, planner: LoadPlanner) -> None:
        """Look at all that `read_data` will read: files, sizes, checksums, and where it goes.

        Raises:
            CheckpointError: a file is missing, damaged, or not what the metadata says.
        """
        self._held = {}
        self._each(plan, planner, copy=False)

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Read the boxes of the plan."""
        self._each(plan, planner, copy=True)
        self._held = {}
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def _each(self, plan: LoadPlan, planner: LoadPlanner, copy: bool) -> None:
        files: dict[str, shards.File] = {}
        for item in plan.items:
            info = self.storage_data.get(item.storage_index)
            if info is None:
                raise serialization.CheckpointError(
                    message(
                        "load: corrupt checkpoint: its metadata does not say where a value is",
                        got=item.storage_index,
                    )
                )
            if info.transform_descriptors:
                raise NotImplementedError(
                    message(
                        f"load: {item.storage_index.fqn!r} was written transformed",
                        got=", ".join(map(str, info.transform_descriptors)),
                        hint="saving it again in PyTorch without extensions",
                    )
                )
            try:
                found = self._found(files, item, info)
                if item.type == LoadItemType.BYTE_IO:
                    if copy:
                        planner.load_bytes(item, io.BytesIO(found))
                else:
                    give(found, item, planner, copy)
            except serialization.CheckpointError as error:
                where = f"bytes {info.offset} to {info.offset + info.length} of "
                where += os.fspath(self.path / info.relative_path)
                text = f"{error}\n  item    {item.storage_index.fqn!r}, {where}"
                raise serialization.CheckpointError(text) from error

    def _found(self, files: dict[str, shards.File], item: ReadItem, info: _StorageInfo) -> Any:
        """The object or tensor of an item, which `verify_data` may have found already."""
        name, key = info.relative_path, (info.relative_path, info.offset)
        if key not in self._held:
            if name not in files:
                files[name] = shards.File(os.fspath(self.path / name))
            if item.type == LoadItemType.BYTE_IO:
                self._held[key] = files[name].object(info.offset, info.length)
            else:
                self._held[key] = shards.StoredTensor(files[name].part(info.offset, info.length))
        return self._held[key]

    @property
    def checkpoint_id(self) -> str | os.PathLike[str]:
        """The folder."""
        return self.path

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike[str]) -> bool:
        """Whether this is a path."""
        return _is_path(checkpoint_id)


def give(stored: shards.StoredTensor, item: ReadItem, planner: LoadPlanner, copy: bool) -> None:
    """Copy a box of a tensor to where it goes, or look whether that can be done."""
    box, begin, lengths = stored.tensor, item.storage_offsets, item.lengths
    if len(lengths) != box.dim() or any(
        b + n > m for b, n, m in zip(begin, lengths, box.shape, strict=True)
    ):
        raise serialization.CheckpointError(
            message(
                "load: corrupt checkpoint: a tensor is smaller than its metadata says",
                got=f"shape {tuple(box.shape)}",
                wanted=f"{tuple(lengths)} from {tuple(begin)}",
            )
        )
    if not copy and tuple(lengths) == tuple(box.shape):
        stored.verify()
    target = planner.resolve_tensor(item).detach()
    if tuple(target.shape) != tuple(lengths):
        raise AssertionError(
            f"req {item.storage_index} mismatch sizes {target.size()} vs {lengths}"
        )
    if copy:
        target.copy_(narrow_tensor_by_index(box, begin, lengths))
        planner.commit_tensor(item, target)


def _is_path(checkpoint_id: Any) -> bool:
    return isinstance(checkpoint_id, os.PathLike) or (
        isinstance(checkpoint_id, str) and "://" not in checkpoint_id
    )
