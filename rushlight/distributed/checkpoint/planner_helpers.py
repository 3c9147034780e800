"""Which parts of tensors this process has, and which boxes of a checkpoint they are filled from."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...errors import message
from ...ops.create.factories import empty_like
from ...size import Size
from ...tensor import Tensor
from .metadata import (
    STORAGE_TYPES,
    BytesStorageMetadata,
    ChunkStorageMetadata,
    MetadataIndex,
    TensorProperties,
    TensorStorageMetadata,
)
from .planner import LoadItemType, ReadItem, TensorWriteData, WriteItem, WriteItemType


def is_dtensor(x: Any) -> bool:
    """Whether x is a DTensor; without loading their module."""
    module = sys.modules.get(__package__.rpartition(".")[0] + ".tensor")
    return module is not None and isinstance(x, getattr(module, "DTensor", ()))


def outside_mesh(x: Any) -> bool:
    """Whether x is a DTensor of which this process has no part."""
    return is_dtensor(x) and x.device_mesh.get_coordinate() is None


def dtensor_chunk(x: Any) -> ChunkStorageMetadata:
    """The box of a DTensor that this process has."""
    from ..tensor._dtensor_spec import compute_local_shape_and_global_offset

    if any(p.is_partial() for p in x.placements):
        raise RuntimeError(
            message(
                "a DTensor with partial placements cannot be saved or loaded into",
                got=f"placements {tuple(x.placements)}",
                wanted="Shard and Replicate",
                hint="x.redistribute(placements=[Replicate()]), which adds the parts up",
            )
        )
    sizes, offsets = compute_local_shape_and_global_offset(x.shape, x.device_mesh, x.placements)
    return ChunkStorageMetadata(offsets=Size(offsets), sizes=Size(sizes))


def local_part(x: Any, index: MetadataIndex) -> Tensor:
    """The memory of this process behind a chunk of a tensor."""
    if hasattr(x, "__get_tensor_shard__"):
        return x.__get_tensor_shard__(index)  # type: ignore[no-any-return]
    if is_dtensor(x):
        return x._local_tensor  # type: ignore[no-any-return]
    if index.offset is not None and any(index.offset):
        raise ValueError(
            f"FQN: '{index.fqn}' is not a DTensor, can't find by offset: '{index.offset}'"
        )
    return x  # type: ignore[no-any-return]


def find_state_dict_object(state_dict: dict[str, Any], index: MetadataIndex) -> Any:
    """What a flat state dictionary has at an index: an object, or this process's chunk."""
    if index.fqn not in state_dict:
        raise ValueError(f"Could not find FQN: '{index.fqn}'")
    found = state_dict[index.fqn]
    return local_part(found, index) if isinstance(found, Tensor) else found


# -- what is written -------------------------------------------------------------------------------


def _create_write_items(fqn: str, object: Any) -> list[WriteItem]:
    """What this process would write for a value of the state dictionary."""
    if hasattr(object, "__create_write_items__"):
        return object.__create_write_items__(fqn, object)  # type: ignore[no-any-return]
    if not isinstance(object, Tensor) or object.is_sparse:
        return [WriteItem(MetadataIndex(fqn), WriteItemType.BYTE_IO)]
    if is_dtensor(object):
        chunk = dtensor_chunk(object)
        if 0 in chunk.sizes and 0 not in object.shape:
            return []  # more ranks than rows: nothing is here
        kind = WriteItemType.SHARD
    else:
        chunk = whole(object)
        kind = WriteItemType.TENSOR
    local = local_part(object, MetadataIndex(fqn, chunk.offsets))
    if local.device.type == "meta":
        raise ValueError(
            message(
                f"save: {fqn!r} has no values",
                got="a tensor on the device 'meta'",
                hint="module.to_empty(device='cpu') and loading or initialising it first",
            )
        )
    data = TensorWriteData(
        chunk=chunk,
        properties=TensorProperties.create_from_tensor(local),
        size=Size(object.shape),
    )
    return [WriteItem(MetadataIndex(fqn, chunk.offsets), kind, tensor_data=data)]


def whole(x: Tensor) -> ChunkStorageMetadata:
    """The box that is all of a tensor."""
    return ChunkStorageMetadata(offsets=Size([0] * x.dim()), sizes=Size(x.shape))


# -- what is read ----------------------------------------------------------------------------------


def _create_chunk_list(tensor: Any) -> list[ChunkStorageMetadata]:
    """The boxes of a tensor that this process has."""
    if hasattr(tensor, "__create_chunk_list__"):
        return tensor.__create_chunk_list__()  # type: ignore[no-any-return]
    if is_dtensor(tensor):
        return [dtensor_chunk(tensor)]
    if isinstance(tensor, Tensor):
        return [whole(tensor)]
    raise ValueError(
        f"Unsupported Type, expecting one of [Tensor, DTensor], but got {type(tensor)}"
    )


def _create_read_items(fqn: str, md: STORAGE_TYPES, obj: Any) -> list[ReadItem]:
    """What this process reads to fill a value of its state dictionary."""
    if isinstance(md, BytesStorageMetadata):
        index, none = MetadataIndex(fqn), Size((0,))
        return [ReadItem(LoadItemType.BYTE_IO, index, none, index, none, none)]
    if not isinstance(obj, Tensor):
        raise ValueError(
            message(
                f"load: {fqn!r} is a tensor in the checkpoint and none in the state dictionary",
                got=f"a {type(obj).__name__}",
                wanted=f"a tensor of shape {tuple(md.size)} to load into",
            )
        )
    return create_read_items_for_chunk_list(fqn, md, _create_chunk_list(obj))


def create_read_items_for_chunk_list(
    fqn: str, checkpoint_md: TensorStorageMetadata, local_chunks: list[ChunkStorageMetadata]
) -> list[ReadItem]:
    """The boxes of a checkpoint that fill the chunks of this process, however it was cut.

    Raises:
        ValueError: the checkpoint does not hold all of them.
    """
    items: list[ReadItem] = []
    saved = checkpoint_md.chunks
    near = _finder(saved)
    for number, chunk in enumerate(local_chunks):
        filled = 0
        for i in near(chunk):
            low = tuple(map(max, chunk.offsets, saved[i].offsets))
            high = tuple(map(min, _end(chunk), _end(saved[i])))
            lengths = tuple(h - n for h, n in zip(high, low, strict=True))
            if any(n <= 0 for n in lengths):
                continue
            filled += math.prod(lengths)
            items.append(
                ReadItem(
                    type=LoadItemType.TENSOR,
                    dest_index=MetadataIndex(fqn, chunk.offsets, number),
                    dest_offsets=_less(low, chunk.offsets),
                    storage_index=MetadataIndex(fqn, saved[i].offsets, i),
                    storage_offsets=_less(low, saved[i].offsets),
                    lengths=Size(lengths),
                )
            )
        if filled != math.prod(chunk.sizes):
            raise ValueError(
                message(
                    f"load: the checkpoint does not hold all of {fqn!r}",
                    got=f"{filled} of {math.prod(chunk.sizes)} elements",
                    wanted=f"those from {tuple(chunk.offsets)} to {_end(chunk)}",
                )
            )
    return items


def _end(chunk: ChunkStorageMetadata) -> tuple[int, ...]:
    return tuple(o + n for o, n in zip(chunk.offsets, chunk.sizes, strict=True))


def _less(a: Sequence[int], b: Sequence[int]) -> Size:
    return Size([m - n for m, n in zip(a, b, strict=True)])


def _finder(saved: list[ChunkStorageMetadata]) -> Callable[[ChunkStorageMetadata], Any]:
    """Which of many chunks may overlap one, without looking at each in Python."""
    if len(saved) <= 8 or not saved[0].offsets:
        return lambda chunk: range(len(saved))
    begin = np.array([tuple(c.offsets) for c in saved])
    end = begin + np.array([tuple(c.sizes) for c in saved])

    def near(chunk: ChunkStorageMetadata) -> Any:
        inside = (begin < np.array(_end(chunk))) & (end > np.array(tuple(chunk.offsets)))
        return np.flatnonzero(inside.all(axis=1)).tolist()

    return near


def _init_state_dict(state_dict: Any) -> None:
    """Give tensors on the device 'meta' memory, in their places in a nested state dictionary."""
    items: Any = list(state_dict.items() if isinstance(state_dict, dict) else enumerate(state_dict))
    for key, value in items:
        if isinstance(value, (dict, list)):
            _init_state_dict(value)
        elif isinstance(value, Tensor) and value.device.type == "meta":
            state_dict[key] = empty_like(value, device="cpu")
