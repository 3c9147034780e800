"""States spread over ranks made whole, and whole ones spread, for `checkpoint/state_dict.py`.

Under PyTorch's names, since programs use some of them.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import message
from ..ops.create.factories import empty
from ..tensor import Tensor
from . import collectives, setup
from .checkpoint import metadata_file
from .checkpoint._nested_dict import set_element
from .checkpoint.planner_helpers import dtensor_chunk, is_dtensor

PLAIN = (int, float, complex, str, bytes, io.BytesIO, type(None))


def _mapped(value: Any, fn: Callable[[Any], Any], type_check: bool) -> Any:
    """A nested state with `fn` of its tensors; new containers."""
    if isinstance(value, Tensor):
        return fn(value)
    if isinstance(value, Mapping):
        return {k: _mapped(v, fn, type_check) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        made = [_mapped(v, fn, type_check) for v in value]
        return tuple(made) if isinstance(value, tuple) else made
    if isinstance(value, PLAIN):
        return value
    if type_check:
        raise ValueError(
            message(
                f"Unexpected value type {type(value)}",
                wanted="tensors, numbers, text, None, and lists and dictionaries of them",
            )
        )
    return copy.deepcopy(value)


def _kept(made: dict[str, Any], pg: Any, ranks_only: tuple[int, ...]) -> dict[str, Any]:
    return made if not ranks_only or setup.get_rank(pg) in ranks_only else {}


def _gather_state_dict(
    state_dict: dict[str, Any],
    *,
    pg: Any = None,
    device: Any = None,
    cpu_offload: bool = False,
    ranks_only: tuple[int, ...] = (),
    type_check: bool = True,
) -> dict[str, Any]:
    """The state with whole tensors in the place of DTensors; all ranks of their meshes call it.

    Args:
        ranks_only: the ranks of `pg` that get it, the others an empty one; (): all.
        type_check: ValueError for values that no checkpoint of PyTorch's holds.
        device, cpu_offload: accepted; all is on the CPU.
    """
    whole = not ranks_only or setup.get_rank(pg) in ranks_only

    def gathered(t: Any) -> Any:
        if is_dtensor(t):
            t = t.full_tensor()
        return t if whole else None  # dropped at once

    return _kept(_mapped(state_dict, gathered, type_check), pg, ranks_only)


def _offload_state_dict_to_cpu(
    state_dict: dict[str, Any], *, ranks_only: tuple[int, ...] = (), type_check: bool = True
) -> dict[str, Any]:
    """The state with its tensors on the CPU, where they are; new containers."""
    return _kept(_mapped(state_dict, lambda t: t.cpu(), type_check), None, ranks_only)


def _create_cpu_state_dict(
    state_dict: dict[str, Any], pin_memory: bool = False, share_memory: bool = False
) -> dict[str, Any]:
    """A state of the same structure with new memory, in which other processes may look."""

    def made(t: Any) -> Any:
        new = t.detach().clone()
        return new.share_memory_() if share_memory else new

    return _mapped(state_dict, made, False)  # type: ignore[no-any-return]


def _copy_state_dict(
    state_dict: dict[str, Any],
    copy_state_dict: dict[str, Any],
    non_blocking: bool = False,
    type_check: bool = True,
) -> dict[str, Any]:
    """Copy the tensors of a state into those of another of the same structure; the other."""
    flat, _ = _flatten_state_dict(state_dict)
    target, paths = _flatten_state_dict(copy_state_dict)
    if flat.keys() != target.keys():
        raise ValueError(
            message(
                "the states have other structures",
                got=", ".join(sorted(flat.keys() ^ target.keys())[:5]),
                wanted="the same names in both",
            )
        )
    for name, value in flat.items():
        if isinstance(value, Tensor):
            target[name].detach().copy_(value.detach())
        else:
            target[name] = value
    return _unflatten_state_dict(target, paths)


# -- whole states to spread ones -------------------------------------------------------------------


def part_of(full: Any, local: Any) -> Any:
    """A DTensor that lies as `local` does, cut out of a whole tensor."""
    from .tensor import DTensor

    if local.device_mesh.get_coordinate() is None:
        return local
    chunk = dtensor_chunk(local)
    for dim, (begin, length) in enumerate(zip(chunk.offsets, chunk.sizes, strict=True)):
        full = full.narrow(dim, begin if length else 0, length)
    return DTensor.from_local(
        full.detach().clone(), local.device_mesh, local.placements, run_check=False,
        shape=local.shape, stride=local.stride(),
    )  # fmt: skip


def _distribute_state_dict(
    full_state_dict: dict[str, Any], local_state_dict: dict[str, Any], device: Any = None,
    pg: Any = None,
) -> None:  # fmt: skip
    """Put a flat whole state, which each rank has, in the place of a local one."""
    for key, value in full_state_dict.items():
        local = local_state_dict.get(key)
        if not isinstance(value, Tensor):
            local_state_dict[key] = value
        elif local is not None:
            whole = is_dtensor(value) or not is_dtensor(local)
            local_state_dict[key] = value if whole else part_of(value, local)


def _broadcast_state_dict(
    full_state_dict: dict[str, Any],
    local_state_dict: dict[str, Any],
    device: Any = None,
    pg: Any = None,
    strict: bool = False,
    cpu_offload: bool = False,
) -> None:
    """Put rank 0's flat whole state in the place of the local one of each rank.

    Tensors are sent one by one, so no rank holds more than one whole tensor beside its part. Other
    values are sent as plain values: nothing is executed by those who receive them.

    Args:
        strict: drop local names that the whole state lacks.
    """
    rank = setup.get_rank(pg)
    names: dict[str, tuple[str, Any, Any]] = {}
    if rank == 0:
        for key, value in full_state_dict.items():
            if isinstance(value, Tensor):
                names[key] = ("tensor", tuple(value.shape), value.dtype)
            else:
                names[key] = ("value", value, None)
    names = _sent(names, pg)
    for key, (kind, about, dtype) in names.items():
        local = local_state_dict.get(key)
        if kind == "value":
            if key in local_state_dict:
                local_state_dict[key] = about
            continue
        if rank == 0:
            full = full_state_dict[key].detach().contiguous()
        else:
            full = empty(about, dtype=dtype)
        collectives.broadcast(full, group=pg, group_src=0)
        if local is not None:
            local_state_dict[key] = part_of(full, local) if is_dtensor(local) else full
    if strict:
        for key in local_state_dict.keys() - names.keys():
            del local_state_dict[key]


def _sent(value: Any, pg: Any) -> Any:
    """Rank 0's plain value, on all ranks."""
    data = np.frombuffer(metadata_file.dumped(value), np.uint8)
    size = Tensor._wrap(np.array([data.size], np.int64))
    collectives.broadcast(size, group=pg, group_src=0)
    if setup.get_rank(pg) != 0:
        data = np.empty(int(size.item()), np.uint8)
    held = Tensor._wrap(data.copy())
    collectives.broadcast(held, group=pg, group_src=0)
    return metadata_file.loaded(held._a.tobytes())


# -- flat and nested -------------------------------------------------------------------------------


def _flatten_state_dict(state_dict: Mapping[Any, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The flat form in which lists and tuples are opened, too; and the paths."""
    flat: dict[str, Any] = {}
    paths: dict[str, Any] = {}

    def visit(path: tuple[Any, ...], value: Any) -> None:
        if isinstance(value, Mapping):
            for k, v in value.items():
                visit((*path, str(k)), v)
        elif isinstance(value, (list, tuple)):
            for i, v in enumerate(value):
                visit((*path, i), v)
        else:
            name = ".".join(map(str, path))
            if name in flat:
                raise ValueError(f"duplicated flatten key {name}")
            flat[name], paths[name] = value, path

    visit((), state_dict)
    return flat, paths


def _unflatten_state_dict(state_dict: dict[str, Any], mapping: dict[str, Any]) -> dict[str, Any]:
    """The nested form; tuples come back as lists."""
    nested: dict[str, Any] = {}
    for name, value in state_dict.items():
        set_element(nested, mapping[name], value)
    return nested
