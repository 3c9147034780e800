"""The plans that programs get who ask for none: each rank writes and reads what it has.

What several ranks have alike is written once, by the one that has least to write so far.
"""

from __future__ import annotations

import dataclasses
import io
import logging
import math
from collections import ChainMap
from typing import Any

from ... import serialization
from ...errors import message
from ...ops.create.factories import empty
from ...size import Size
from ...tensor import Tensor
from ._nested_dict import FLATTEN_MAPPING, flatten_state_dict, set_element
from .metadata import (
    STATE_DICT_TYPE,
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorStorageMetadata,
    with_index,
)
from .planner import (
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    WriteItem,
    WriteItemType,
)
from .planner_helpers import (
    _create_read_items,
    _create_write_items,
    _end,
    _init_state_dict,
    find_state_dict_object,
    outside_mesh,
)

logger = logging.getLogger(__name__)


class DefaultSavePlanner(SavePlanner):
    """Plans a save.

    Args:
        flatten_state_dict: open nested dictionaries, so that each tensor in them is an item.
        flatten_sharded_tensors: accepted; there are no ShardedTensors.
        dedup_replicated_tensors: given up, as in PyTorch; says so.
        dedup_save_to_lowest_rank: what several ranks have is written by the first of them, not by
            the one that has least to write.
        enable_plan_caching: accepted; plans are made anew each time.
    """

    mappings: FLATTEN_MAPPING

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        dedup_replicated_tensors: bool | None = None,
        dedup_save_to_lowest_rank: bool = False,
        enable_plan_caching: bool = False,
    ) -> None:
        self.flatten_state_dict = flatten_state_dict
        self.flatten_sharded_tensors = flatten_sharded_tensors
        self.dedup_save_to_lowest_rank = dedup_save_to_lowest_rank
        self.mappings = {}
        if dedup_replicated_tensors is not None:
            logger.warning(
                "DefaultSavePlanner's `dedup_replicated_tensors` argument is being deprecated, and "
                "no longer has any effect. Please remove this argument from your call."
            )

    def set_up_planner(
        self,
        state_dict: STATE_DICT_TYPE,
        storage_meta: StorageMeta | None = None,
        is_coordinator: bool = False,
    ) -> None:
        """Flatten the state dictionary."""
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten_state_dict(state_dict)
        self.state_dict = state_dict
        self.is_coordinator = is_coordinator

    def create_local_plan(self) -> SavePlan:
        """All that this rank has."""
        plan = create_default_local_save_plan(self.state_dict, self.is_coordinator)
        if self.flatten_state_dict:
            plan = dataclasses.replace(plan, planner_data=self.mappings)
        self.plan = plan
        return plan

    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """Each item once, and the metadata of all.

        Raises:
            ValueError: chunks overlap, lie outside their tensor, or do not fill it.
        """
        plans = dedup_save_plans(all_plans, self.dedup_save_to_lowest_rank)
        plans, metadata = create_default_global_save_plan(plans)
        if self.flatten_state_dict:
            merged = dict(ChainMap(*(p.planner_data for p in plans)))
            metadata = dataclasses.replace(metadata, planner_data=merged)
        errors = _validate_global_plan(plans, metadata)
        if errors:
            raise ValueError(
                message("Failed to validate global plan", got="\n".join(errors)[:2000])
            )
        self.global_plan, self.metadata = plans, metadata
        return plans, metadata

    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """The plan as it is."""
        self.plan = new_plan
        return new_plan

    def resolve_data(self, write_item: WriteItem) -> Tensor | io.BytesIO:
        """The tensor, or the object as `torch.save` writes it."""
        return self.transform_object(write_item, self.lookup_object(write_item.index))

    def lookup_object(self, index: MetadataIndex) -> Any:
        """What is at an index; for subclasses to change."""
        return find_state_dict_object(self.state_dict, index)

    def transform_object(self, write_item: WriteItem, object: Any) -> Any:
        """What is written of it; for subclasses to change."""
        if write_item.type == WriteItemType.BYTE_IO:
            file = io.BytesIO()
            serialization.save(object, file)
            return file
        return object


class DefaultLoadPlanner(LoadPlanner):
    """Plans a load.

    Args:
        flatten_state_dict: as the planner did that saved.
        flatten_sharded_tensors: accepted; there are no ShardedTensors.
        allow_partial_load: leave what the checkpoint does not have as it is; otherwise a missing
            name is an error.
    """

    original_state_dict: STATE_DICT_TYPE
    mappings: FLATTEN_MAPPING

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        allow_partial_load: bool = False,
    ) -> None:
        self.flatten_state_dict = flatten_state_dict
        self.flatten_sharded_tensors = flatten_sharded_tensors
        self.allow_partial_load = allow_partial_load
        self.original_state_dict, self.mappings = {}, {}

    def set_up_planner(
        self,
        state_dict: STATE_DICT_TYPE,
        metadata: Metadata | None = None,
        is_coordinator: bool = False,
    ) -> None:
        """Give tensors on 'meta' memory, and flatten the state dictionary."""
        _init_state_dict(state_dict)
        self.original_state_dict = state_dict
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten_state_dict(state_dict)
        self.state_dict = state_dict
        self.metadata = metadata
        self.is_coordinator = is_coordinator

    def create_local_plan(self) -> LoadPlan:
        """What fills this rank's tensors."""
        assert self.metadata is not None
        saved = self.metadata.state_dict_metadata
        if self.flatten_state_dict and not self.state_dict.keys() <= saved.keys():
            old, paths = flatten_state_dict(self.original_state_dict, old=True)
            if old.keys() & saved.keys() - self.state_dict.keys():  # written before PyTorch 2.4
                self.state_dict, self.mappings = old, paths
        return create_default_local_load_plan(
            self.state_dict, self.metadata, not self.allow_partial_load
        )

    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """The plans as they are: no rank's depends on another's."""
        return create_default_global_load_plan(global_plan)

    def finish_plan(self, central_plan: LoadPlan) -> LoadPlan:
        """The plan as it is."""
        return central_plan

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Put an object where the state dictionary had one. Reading it executes nothing."""
        name = read_item.dest_index.fqn
        found = serialization.load(value, weights_only=False)
        if self.flatten_state_dict:
            set_element(self.original_state_dict, self.mappings[name], found)
        else:
            self.state_dict[name] = found

    def resolve_tensor(self, read_item: ReadItem) -> Tensor:
        """The box of this rank's tensor that an item fills."""
        return self.transform_tensor(read_item, self.lookup_tensor(read_item.dest_index))

    def commit_tensor(self, read_item: ReadItem, tensor: Tensor) -> None:
        """Nothing: the tensor is the one of the state dictionary."""

    def lookup_tensor(self, index: MetadataIndex) -> Tensor:
        """What is at an index; for subclasses to change."""
        return find_state_dict_object(self.state_dict, index)  # type: ignore[no-any-return]

    def transform_tensor(self, read_item: ReadItem, tensor: Tensor) -> Tensor:
        """The part of it that is filled; for subclasses to change."""
        return narrow_tensor_by_index(tensor, read_item.dest_offsets, read_item.lengths)


class _EmptyStateDictLoadPlanner(DefaultLoadPlanner):
    """Makes the state dictionary of what the checkpoint holds: of all, or of some keys.

    Args:
        keys: names, or names of dictionaries that are wanted with all that is in them; None: all.
    """

    def __init__(self, keys: set[str] | None = None, *args: Any, **kwargs: Any) -> None:
        self.keys = keys
        super().__init__(*args, **kwargs)

    def set_up_planner(
        self,
        state_dict: STATE_DICT_TYPE,
        metadata: Metadata | None = None,
        is_coordinator: bool = False,
    ) -> None:
        """Fill the empty state dictionary with places to load into."""
        if state_dict:
            raise AssertionError("the state dictionary must be empty")
        assert metadata is not None
        paths = metadata.planner_data or {}
        for name, kind in metadata.state_dict_metadata.items():
            path = paths.get(name, (name,))
            if self.keys is not None and not self._wanted(name, path):
                continue
            value: Any = kind
            if isinstance(kind, TensorStorageMetadata):
                value = empty(kind.size, dtype=kind.properties.dtype)
            set_element(state_dict, path, value)
        super().set_up_planner(state_dict, metadata, is_coordinator)

    def _wanted(self, name: str, path: tuple[Any, ...]) -> bool:
        assert self.keys is not None
        above = {".".join(map(str, path[:i])) for i in range(1, len(path) + 1)}
        return name in self.keys or bool(self.keys & above)


def narrow_tensor_by_index(tensor: Tensor, offsets: Size, lengths: Size) -> Tensor:
    """A box of a tensor, as a view."""
    for dim, (begin, length) in enumerate(zip(offsets, lengths, strict=False)):
        if length < tensor.shape[dim]:
            tensor = tensor.narrow(dim, begin, length)
    return tensor


def create_default_local_load_plan(
    state_dict: dict[str, Any], metadata: Metadata, strict: bool = True
) -> LoadPlan:
    """What fills a flat state dictionary.

    Raises:
        RuntimeError: a name is missing in the checkpoint, and `strict`.
        ValueError: a tensor has another size there.
    """
    items: list[ReadItem] = []
    for fqn, obj in state_dict.items():
        if fqn not in metadata.state_dict_metadata:
            if strict:
                near = [n for n in metadata.state_dict_metadata if n.endswith(fqn.split(".")[-1])]
                raise RuntimeError(
                    message(
                        f"Missing key in checkpoint state_dict: {fqn}.",
                        got=f"{len(metadata.state_dict_metadata)} names"
                        + (f", among them {', '.join(near[:4])}" if near else ""),
                        hint="DefaultLoadPlanner(allow_partial_load=True) leaves it as it is",
                    )
                )
            continue
        md = metadata.state_dict_metadata[fqn]
        if (
            isinstance(md, TensorStorageMetadata)
            and isinstance(obj, Tensor)
            and tuple(md.size) != tuple(obj.shape)
        ):
            raise ValueError(
                f"Size mismatch between saved {md.size} and current: {obj.size()} for {fqn}"
            )
        if not outside_mesh(obj):
            items += _create_read_items(fqn, md, obj)
    return LoadPlan(items)


def create_default_global_load_plan(all_plans: list[LoadPlan]) -> list[LoadPlan]:
    """The plans as they are."""
    return all_plans


def create_default_local_save_plan(state_dict: dict[str, Any], is_coordinator: bool) -> SavePlan:
    """All that this rank has of a flat state dictionary."""
    items: list[WriteItem] = []
    for fqn, obj in state_dict.items():
        if not outside_mesh(obj):
            items += _create_write_items(fqn, obj)
    return SavePlan(items)


def dedup_save_plans(
    all_plans: list[SavePlan], save_to_lowest_rank: bool = False
) -> list[SavePlan]:
    """The plans with each item in one of them: in that which has least to write so far.

    Raises:
        ValueError: ranks have tensors of different sizes or types under one name.
    """
    holders: dict[MetadataIndex, list[int]] = {}
    items: dict[MetadataIndex, WriteItem] = {}
    for rank, plan in enumerate(all_plans):
        for item in plan.items:
            ranks = holders.setdefault(item.index, [])
            if not ranks or ranks[-1] != rank:
                ranks.append(rank)
            first = items.setdefault(item.index, item)
            if first.tensor_data is not None and not alike(first.tensor_data, item.tensor_data):
                raise disagreement(item.index.fqn, first.tensor_data, item.tensor_data)
    sizes = [0] * len(all_plans)
    kept: list[set[MetadataIndex]] = [set() for _ in all_plans]
    for index, ranks in holders.items():
        rank = ranks[0] if save_to_lowest_rank else min(ranks, key=lambda r: sizes[r])
        sizes[rank] += items[index].tensor_storage_size() or 1
        kept[rank].add(index)
    return [
        dataclasses.replace(plan, items=[i for i in plan.items if i.index in mine])
        for plan, mine in zip(all_plans, kept, strict=True)
    ]


def create_default_global_save_plan(
    all_plans: list[SavePlan], rewrite_index_hints: bool = True
) -> tuple[list[SavePlan], Metadata]:
    """The metadata of all plans, and the plans with their chunks numbered.

    Raises:
        ValueError: ranks disagree about what a name is.
    """
    md: dict[str, Any] = {}
    plans = []
    for plan in all_plans:
        items = []
        for item in plan.items:
            name, data = item.index.fqn, item.tensor_data
            if name in md and (item.type != WriteItemType.SHARD or not chunks_of(md[name], data)):
                raise disagreement(name, md[name], data)
            if data is None:
                md[name] = BytesStorageMetadata()
                items.append(item)
                continue
            known = md.setdefault(name, TensorStorageMetadata(data.properties, data.size, []))
            if rewrite_index_hints:
                item = dataclasses.replace(item, index=with_index(item.index, len(known.chunks)))
            items.append(item)
            known.chunks.append(data.chunk)
        plans.append(dataclasses.replace(plan, items=items))
    return plans, Metadata(md)


def disagreement(name: str, one: Any, other: Any) -> ValueError:
    return ValueError(
        message(
            f"save: ranks disagree about {name!r}",
            got=f"{one or 'an object'} and {other or 'an object'}",
            wanted="the same type and size on all ranks",
            hint="another name on each rank for what is different",
        )
    )


def alike(a: Any, b: Any) -> bool:
    """Whether two ranks mean the same tensor."""
    return b is not None and a.size == b.size and a.properties.dtype == b.properties.dtype


def chunks_of(known: Any, data: Any) -> bool:
    """Whether a chunk belongs to the tensor that is known by its name."""
    return isinstance(known, TensorStorageMetadata) and alike(known, data)


def _validate_global_plan(global_plan: list[SavePlan], metadata: Metadata) -> list[str]:
    """What is wrong with the chunks of a plan: outside their tensor, over one another, gaps."""
    errors = []
    for name, md in metadata.state_dict_metadata.items():
        if not isinstance(md, TensorStorageMetadata) or not md.size:
            continue
        volume = 0
        for chunk in md.chunks:
            volume += math.prod(chunk.sizes)
            if min(*chunk.offsets, *chunk.sizes) < 0 or any(
                e > n for e, n in zip(_end(chunk), md.size, strict=True)
            ):
                errors.append(f"key:{name} has out of bounds chunk: size {md.size}, {chunk}")
        errors += [f"key:{name} has overlapping chunks: {a} {b}" for a, b in _overlaps(md)]
        if volume != math.prod(md.size):
            errors.append(
                f"key:{name} invalid fill tensor-volume: {math.prod(md.size)} "
                f"chunks-volume: {volume}"
            )
    return errors


def _overlaps(
    md: TensorStorageMetadata,
) -> list[tuple[ChunkStorageMetadata, ChunkStorageMetadata]]:
    """Chunks that lie over one another: a sweep along the longest dimension."""
    dim = max(range(len(md.size)), key=lambda d: md.size[d])
    open_: list[ChunkStorageMetadata] = []
    found = []
    for chunk in sorted(md.chunks, key=lambda c: c.offsets[dim]):
        open_ = [c for c in open_ if c.offsets[dim] + c.sizes[dim] > chunk.offsets[dim]]
        found += [(c, chunk) for c in open_ if _overlap(c, chunk)]
        open_.append(chunk)
    return found


def _overlap(a: ChunkStorageMetadata, b: ChunkStorageMetadata) -> bool:
    return all(
        m < y and n < x
        for m, n, x, y in zip(a.offsets, b.offsets, _end(a), _end(b), strict=True)
    )
