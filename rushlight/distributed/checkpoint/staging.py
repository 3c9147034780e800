"""Copies of a state, which `async_save` writes while the program changes the original."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from ...tensor import Tensor


@runtime_checkable
class AsyncStager(Protocol):
    """What copies a state."""

    def stage(self, state_dict: dict[str, Any]) -> Any:
        """A copy, or a Future of one."""
        ...


@dataclass
class StagingOptions:
    """Options of `DefaultStager`; all are about memory of other devices, and accepted."""

    use_pinned_memory: bool = True
    use_shared_memory: bool = True
    use_async_staging: bool = True
    use_non_blocking_copy: bool = True


class DefaultStager:
    """Copies on the spot.

    >>> import rushlight.distributed.checkpoint.staging as staging
    >>> x = torch.zeros(2)
    >>> copied = staging.DefaultStager().stage({"x": x})
    >>> _ = x.add_(1)
    >>> copied
    {'x': tensor([0., 0.])}
    """

    should_synchronize_after_execute = False

    def __init__(self, config: StagingOptions | None = None) -> None:
        self.config = config if config is not None else StagingOptions()

    def stage(self, state_dict: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        """A copy of a state: of its tensors, of the containers around them, and of all else."""
        return _copied(state_dict, {})  # type: ignore[no-any-return]

    def synchronize_staging(self) -> None:
        """Nothing: the copy is there."""

    def close(self) -> None:
        """Nothing is held."""


BlockingAsyncStager = DefaultStager


def _copied(value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, Tensor):
        if id(value) not in memo:
            memo[id(value)] = value.detach().clone(), value
        return memo[id(value)][0]
    if isinstance(value, dict):
        made = {k: _copied(v, memo) for k, v in value.items()}
        return made
    if type(value) in (list, tuple):
        return type(value)(_copied(v, memo) for v in value)
    return copy.deepcopy(value)
