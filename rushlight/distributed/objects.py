"""Collectives of Python objects: pickled, sent as bytes, and unpickled by the others.

Unpickling executes what the sender wants: these are for ranks that trust each other, as those of
one job do. Everything else in this package sends numbers and unpickles nothing.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np

from ..ops.create.from_data import from_numpy
from ..tensor import Tensor
from .arguments import outside, root_of
from .collectives import all_gather, broadcast, gather, scatter
from .group import resolve
from .point_to_point import recv, send


def packed(x: Any) -> np.ndarray:
    """An object as bytes."""
    buffer = io.BytesIO()
    pickle.Pickler(buffer).dump(x)
    return np.frombuffer(buffer.getvalue(), np.uint8).copy()


def unpacked(a: np.ndarray, size: int) -> Any:
    return pickle.loads(a[:size].tobytes())


def tensor(a: np.ndarray) -> Tensor:
    return from_numpy(a)


def number(n: int = 0) -> Tensor:
    return from_numpy(np.array([n], np.int64))


def array(t: Tensor) -> np.ndarray:
    return t._a


def gathered_sizes(size: int, g: Any) -> list[int]:
    """How many bytes each rank sends."""
    found = [number() for _ in range(g.size())]
    all_gather(found, number(size), g)
    return [int(array(t)[0]) for t in found]


def padded(a: np.ndarray, size: int) -> Tensor:
    out = np.zeros(size, np.uint8)
    out[: a.size] = a
    return tensor(out)


def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
    """Give everybody's object to everybody: rank r's in `object_list[r]`. Objects are pickled.

    Args:
        object_list: with a place for each rank.
        obj: this rank's.

    In a group of one:

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> found = [None] * dist.get_world_size()
    >>> dist.all_gather_object(found, {"loss": 0.5})
    >>> found
    [{'loss': 0.5}]
    >>> dist.destroy_process_group()
    """
    g = resolve(group)
    if g is None:
        return outside("all_gather_object")
    a = packed(obj)
    sizes = gathered_sizes(a.size, g)
    rows = [tensor(np.empty(max(sizes), np.uint8)) for _ in sizes]
    all_gather(rows, padded(a, max(sizes)), g)
    for r, (row, size) in enumerate(zip(rows, sizes, strict=True)):
        object_list[r] = unpacked(array(row), size)


def gather_object(
    obj: Any,
    object_gather_list: list[Any] | None = None,
    dst: int | None = None,
    group: Any = None,
    group_dst: int | None = None,
) -> None:
    """Give everybody's object to rank `dst`. Objects are pickled.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> found = [None] * dist.get_world_size()
    >>> dist.gather_object("done", found, dst=0)
    >>> found
    ['done']
    >>> dist.destroy_process_group()
    """
    g = resolve(group)
    if g is None:
        return outside("gather_object")
    root = root_of(g, dst, group_dst)
    if (g.rank() == root) != bool(object_gather_list):
        where, verb = (
            ("destination", "must") if g.rank() == root else ("non-destination", "must NOT")
        )
        raise ValueError(f"Argument object_gather_list {verb} be specified on {where} ranks.")
    a = packed(obj)
    sizes = gathered_sizes(a.size, g)
    rows = None
    if g.rank() == root:
        rows = [tensor(np.empty(max(sizes), np.uint8)) for _ in sizes]
    gather(padded(a, max(sizes)), rows, group=g, group_dst=root)
    if rows is not None and object_gather_list is not None:
        for r, (row, size) in enumerate(zip(rows, sizes, strict=True)):
            object_gather_list[r] = unpacked(array(row), size)


def broadcast_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src: int | None = None,
) -> None:
    """Give the objects of rank `src` to all ranks, in place of the list's. Objects are pickled.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> settings = [{"lr": 0.1}, "adam"]
    >>> dist.broadcast_object_list(settings, src=0)
    >>> settings
    [{'lr': 0.1}, 'adam']
    >>> dist.destroy_process_group()
    """
    g = resolve(group)
    if g is None:
        return outside("broadcast_object_list")
    root = root_of(g, src, group_src)
    here = [packed(x) for x in object_list] if g.rank() == root else []
    sizes = tensor(np.array([a.size for a in here] or [0] * len(object_list), np.int64))
    broadcast(sizes, group=g, group_src=root)
    total = int(array(sizes).sum())
    data = tensor(np.concatenate(here) if here else np.empty(total, np.uint8))
    broadcast(data, group=g, group_src=root)
    if g.rank() == root:
        return
    at = 0
    for i, size in enumerate(array(sizes)):
        object_list[i] = unpacked(array(data)[at:], int(size))
        at += int(size)


def scatter_object_list(
    scatter_object_output_list: list[Any],
    scatter_object_input_list: list[Any] | None = None,
    src: int | None = None,
    group: Any = None,
    group_src: int | None = None,
) -> None:
    """Give the r-th object of rank `src` to rank r, in place of its list's first. Objects are
    pickled.

    >>> dist = torch.distributed
    >>> dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    >>> mine = [None]
    >>> dist.scatter_object_list(mine, ["part 0"], src=0)
    >>> mine
    ['part 0']
    >>> dist.destroy_process_group()
    """
    g = resolve(group)
    if g is None:
        return outside("scatter_object_list")
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise ValueError(
            "Expected argument scatter_object_output_list to be a list of size at least 1."
        )
    root = root_of(g, src, group_src)
    rows = None
    size = number()
    if g.rank() == root:
        if (
            not isinstance(scatter_object_input_list, list)
            or len(scatter_object_input_list) != g.size()
        ):
            raise ValueError("scatter_object_input_list must have one object for each rank.")
        here = [packed(x) for x in scatter_object_input_list]
        largest = max(a.size for a in here)
        size = number(largest)
        rows = [padded(a, largest) for a in here]
    broadcast(size, group=g, group_src=root)
    own = number()
    scatter(own, [number(a.size) for a in here] if rows else None, group=g, group_src=root)
    data = tensor(np.empty(int(array(size)[0]), np.uint8))
    scatter(data, rows, group=g, group_src=root)
    scatter_object_output_list[0] = unpacked(array(data), int(array(own)[0]))


def send_object_list(
    object_list: list[Any],
    dst: int | None = None,
    group: Any = None,
    device: Any = None,
    group_dst: int | None = None,
    use_batch: bool = False,
) -> None:
    """Send objects to rank `dst`. Objects are pickled. As each of two processes runs it::

        if dist.get_rank() == 0:
            dist.send_object_list(["epoch", 3], dst=1)
        else:
            found = [None, None]
            dist.recv_object_list(found, src=0)

    >>> import inspect
    >>> list(inspect.signature(torch.distributed.send_object_list).parameters)[:2]
    ['object_list', 'dst']
    """
    here = [packed(x) for x in object_list]
    send(tensor(np.array([a.size for a in here], np.int64)), dst, group, group_dst=group_dst)
    send(tensor(np.concatenate(here)), dst, group, group_dst=group_dst)


def recv_object_list(
    object_list: list[Any],
    src: int | None = None,
    group: Any = None,
    device: Any = None,
    group_src: int | None = None,
    use_batch: bool = False,
) -> int:
    """Receive as many objects as the list has places, in place of them; the sender's rank. Objects
    are unpickled. See `send_object_list`.

    >>> import inspect
    >>> list(inspect.signature(torch.distributed.recv_object_list).parameters)[:2]
    ['object_list', 'src']
    """
    sizes = tensor(np.zeros(len(object_list), np.int64))
    sender = recv(sizes, src, group, group_src=group_src)
    if sender < 0:
        return sender
    data = tensor(np.empty(int(array(sizes).sum()), np.uint8))
    recv(data, sender, group)
    at = 0
    for i, size in enumerate(array(sizes)):
        object_list[i] = unpacked(array(data)[at:], int(size))
        at += int(size)
    return sender
