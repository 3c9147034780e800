"""Hooks that average gradients: as they are, or in numbers of half the size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....dtypes import bfloat16, float16
from ....futures import Future
from ...collectives import all_reduce
from ...group import resolve

__all__ = [
    "allreduce_hook",
    "bf16_compress_hook",
    "bf16_compress_wrapper",
    "fp16_compress_hook",
    "fp16_compress_wrapper",
]


def reduced(tensor: Any, group: Any) -> Future[Any]:
    """A Future of the sum of everybody's `tensor`, in place."""
    work = all_reduce(tensor, group=group, async_op=True)
    assert work is not None
    return work.get_future().then(lambda done: done.value()[0])


def size_of(group: Any) -> int:
    """How many ranks are in a group; None is all."""
    found = resolve(group)
    assert found is not None
    return found.size()


def _allreduce_fut(process_group: Any, tensor: Any) -> Future[Any]:
    """A Future of the mean of everybody's `tensor`, divided before it is added: float16 would
    overflow."""
    return reduced(tensor.div_(size_of(process_group)), process_group)


def allreduce_hook(process_group: Any, bucket: Any) -> Future[Any]:
    """The mean of the gradients: what DistributedDataParallel does without a hook."""
    return _allreduce_fut(process_group, bucket.buffer())


def _compress_hook(dtype: Any, process_group: Any, bucket: Any) -> Future[Any]:
    buffer = bucket.buffer()
    small = buffer.to(dtype).div_(size_of(process_group))
    return reduced(small, process_group).then(lambda done: buffer.copy_(done.value()))


def fp16_compress_hook(process_group: Any, bucket: Any) -> Future[Any]:
    """The mean of the gradients, sent as float16: half the bytes of float32."""
    return _compress_hook(float16, process_group, bucket)


def bf16_compress_hook(process_group: Any, bucket: Any) -> Future[Any]:
    """The mean of the gradients, sent as bfloat16: half the bytes, float32's range."""
    return _compress_hook(bfloat16, process_group, bucket)


def _wrapped(dtype: Any, hook: Callable[[Any, Any], Future[Any]]) -> Callable[[Any, Any], Any]:
    def compressed(state: Any, bucket: Any) -> Future[Any]:
        whole = bucket.buffer()
        bucket.set_buffer(whole.to(dtype))
        return hook(state, bucket).then(lambda done: whole.copy_(done.value()))

    return compressed


def fp16_compress_wrapper(hook: Callable[[Any, Any], Future[Any]]) -> Callable[[Any, Any], Any]:
    """Another hook, which sees the gradients as float16."""
    return _wrapped(float16, hook)


def bf16_compress_wrapper(hook: Callable[[Any, Any], Future[Any]]) -> Callable[[Any, Any], Any]:
    """Another hook, which sees the gradients as bfloat16."""
    return _wrapped(bfloat16, hook)
