"""What DistributedDataParallel consists of beside the module itself: checks of its arguments, hooks
of buffers, the tensors in an output, and buffers that are kept equal (`Buffers`)."""

from __future__ import annotations

import enum
import inspect
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from ...autograd.grad_mode import no_grad
from ...distributed import buckets
from ...distributed.buckets import GradBucket
from ...distributed.group import default
from ...futures import Future
from ...tensor import Tensor
from ..parameter import UninitializedParameter


class _BufferCommHookLocation(enum.Enum):
    """Whether a hook of buffers runs before or after the forward."""

    PRE_FORWARD = enum.auto()
    POST_FORWARD = enum.auto()


@dataclass
class _BufferCommHook:
    buffer_comm_hook: Callable[..., Any]
    buffer_comm_hook_state: Any
    buffer_comm_hook_location: _BufferCommHookLocation


@dataclass
class _MixedPrecision:
    """Types of parameters, reduction and buffers; accepted by name alone, see `mixed_precision`."""

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None


def _find_tensors(obj: Any) -> Iterator[Tensor]:
    """All tensors in lists, tuples, dicts and dataclasses."""
    if isinstance(obj, Tensor):
        yield obj
    elif isinstance(obj, (list, tuple)):
        yield from itertools.chain.from_iterable(map(_find_tensors, obj))
    elif isinstance(obj, dict):
        yield from itertools.chain.from_iterable(map(_find_tensors, obj.values()))
    elif is_dataclass(obj) and not isinstance(obj, type):
        for f in fields(obj):
            yield from _find_tensors(getattr(obj, f.name))


class Buffers:
    """The part of DistributedDataParallel that keeps buffers equal."""

    broadcast_bucket_size: int
    forward_sync_buffers: bool
    module: Any
    modules_buffers: list[Tensor]
    named_module_buffers: dict[str, Tensor]
    parameters_to_ignore: set[str]
    process_group: Any
    reducer: Any
    require_forward_param_sync: bool
    _join_config: Any

    def _find_common_rank(self, candidate: bool) -> int:
        raise NotImplementedError

    def _assign_modules_buffers(self) -> None:
        """Note the buffers anew: programs replace them."""
        found = {
            n: b for n, b in self.module.named_buffers() if n not in self.parameters_to_ignore
        }
        # (past Module.__setattr__, behind which plans look whether the module has changed)
        self.__dict__["named_module_buffers"] = found
        self.__dict__["modules_buffers"] = list(found.values())

    @property
    def broadcast_buffers(self) -> bool:
        """`forward_sync_buffers` under its former name."""
        return self.forward_sync_buffers

    @broadcast_buffers.setter
    def broadcast_buffers(self, value: bool) -> None:
        self.forward_sync_buffers = value

    def will_sync_module_buffers(self) -> bool:
        """Whether the next forward sends buffers."""
        return bool(
            self.require_forward_param_sync and self.forward_sync_buffers and self.modules_buffers
        )

    def _hook_location(self) -> _BufferCommHookLocation:
        hook = getattr(self, "buffer_hook", None)
        pre = _BufferCommHookLocation.PRE_FORWARD
        return pre if hook is None else hook.buffer_comm_hook_location

    def _check_sync_bufs_pre_fwd(self) -> bool:
        pre = _BufferCommHookLocation.PRE_FORWARD
        return self.will_sync_module_buffers() and self._hook_location() is pre

    def _check_sync_bufs_post_fwd(self) -> bool:
        post = _BufferCommHookLocation.POST_FORWARD
        return self.will_sync_module_buffers() and self._hook_location() is post

    def _sync_buffers(self) -> None:
        source = self._find_common_rank(True) if self._join_config.enable else 0
        self._assign_modules_buffers()
        self._sync_module_buffers(source)

    def _sync_module_buffers(self, authoritative_rank: int) -> None:
        hook = getattr(self, "buffer_hook", None)
        with no_grad():
            if hook is None:
                self._default_broadcast_coalesced(authoritative_rank=authoritative_rank)
                return
            found = hook.buffer_comm_hook(hook.buffer_comm_hook_state, self.named_module_buffers)
            if found is not None:
                self.reducer.futures += list(found)

    def _default_broadcast_coalesced(
        self, bufs: Any = None, bucket_size: int | None = None, authoritative_rank: int = 0
    ) -> None:
        """Give the buffers of a rank to all."""
        buckets.send_together(
            self.process_group,
            self.modules_buffers if bufs is None else bufs,
            bucket_size or self.broadcast_bucket_size,
            authoritative_rank,
        )

    def _register_buffer_comm_hook(
        self,
        state: Any,
        hook: Callable[..., Any],
        comm_hook_location: Any = _BufferCommHookLocation.POST_FORWARD,
    ) -> None:
        """Let `hook(state, {name: buffer})` bring buffers together, instead of the broadcast from
        rank 0. Futures that it returns are waited for when the backward ends."""
        if not callable(hook):
            raise AssertionError(f"hook must be callable, got {type(hook).__name__}")
        self.buffer_hook = _BufferCommHook(hook, state, comm_hook_location)


def _group_of(process_group: Any, mesh: Any) -> Any:
    """The group that the arguments mean."""
    if mesh is None:
        return default() if process_group is None else process_group
    if process_group is not None:
        raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
    if mesh.ndim != 1:
        raise RuntimeError(f"Only 1D device mesh is supported, but got {mesh}.")
    return mesh.get_group(mesh_dim=0)


def _check_parameters(
    parameters: list[Any], delayed: list[Any], device_ids: Any, output_device: Any
) -> None:
    """What is wrong with a module or the devices that are named, in PyTorch's order and words."""
    if not delayed and not any(p.requires_grad for p in parameters):
        raise RuntimeError(
            "DistributedDataParallel is not needed when a module doesn't have any parameter that "
            "requires a gradient."
        )
    if device_ids is not None and len(device_ids) > 1:
        raise ValueError("device_ids can only be None or contain a single element.")
    devices = {p.device for p in parameters}
    kinds = {d.type for d in devices}
    if len(kinds) > 1:
        raise ValueError(
            "DistributedDataParallel's input module must be on the same type of devices, but input "
            f"module parameters locate in {kinds}."
        )
    if device_ids or output_device:
        raise ValueError(
            "DistributedDataParallel device_ids and output_device arguments only work with "
            "single-device/multiple-device GPU modules or CPU modules, but got device_ids "
            f"{device_ids}, output_device {output_device}, and module parameters {devices}."
        )
    if any(isinstance(p, UninitializedParameter) for p in parameters):
        raise RuntimeError(
            "Modules with uninitialized parameters can't be used with `DistributedDataParallel`. "
            "Run a dummy forward pass to correctly initialize the modules"
        )


def _check_comm_hook(hook: Any) -> None:
    """TypeError or ValueError for what is no hook of gradients."""
    if not callable(hook):
        raise TypeError("Communication hook must be callable.")
    signature = inspect.signature(hook, eval_str=False)
    bucket = signature.parameters["bucket"].annotation
    if bucket not in (inspect.Parameter.empty, GradBucket) and not _says(bucket, "GradBucket"):
        raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
    out = signature.return_annotation
    if out not in (inspect.Signature.empty, Future[Tensor]) and not _says(out, "Future"):
        raise ValueError(
            "Communication hook: return annotation should be torch.futures.Future[torch.Tensor]."
        )


def _says(annotation: Any, name: str) -> bool:
    """Whether an annotation is Any, or is text (`from __future__ import annotations`) that names a
    class."""
    return annotation in (Any, "Any") or (isinstance(annotation, str) and name in annotation)
