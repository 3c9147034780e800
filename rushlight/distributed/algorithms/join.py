"""Uneven inputs: ranks that have no more take part in the collectives of those that have.

    with Join([ddp_model, optimizer]):
        for batch in loader:     # of different lengths on different ranks
            ...

At the end of the block a rank "joins": it makes the calls that an iteration of the others makes,
through the hooks of the joinable objects, until nobody has inputs left.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...device import device as Device
from ..collectives import all_reduce
from ..group import resolve

__all__ = ["Join", "JoinHook", "Joinable"]

WARN_AFTER = 1000  # iterations that a rank only keeps others company


class JoinHook:
    """What a joined rank does in the place of an object; derive and override."""

    def main_hook(self) -> None:
        """The collectives of one iteration: called as long as a rank has inputs."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Called once when no rank has inputs any more.

        Args:
            is_last_joiner: whether this rank is one of those that had inputs longest.
        """


class _JoinConfig(NamedTuple):
    """What a joinable object knows of the block that it is in."""

    enable: bool
    throw_on_early_termination: bool
    is_first_joinable: bool

    @staticmethod
    def construct_disabled_join_config() -> _JoinConfig:
        """Of an object that is in no block."""
        return _JoinConfig(False, False, False)


class Joinable(ABC):
    """An object whose collectives ranks without inputs can accompany.

    It calls `Join.notify_join_context(self)` before the collectives of each iteration.
    """

    @abstractmethod
    def __init__(self) -> None:
        super().__init__()
        self._join_config = _JoinConfig.construct_disabled_join_config()

    @abstractmethod
    def join_hook(self, **kwargs: Any) -> JoinHook:
        """What a joined rank does for this object; `kwargs` are those that `Join` was given."""
        ...

    @property
    @abstractmethod
    def join_device(self) -> Device:
        """The device of the tensors that ranks talk about joining with."""
        ...

    @property
    @abstractmethod
    def join_process_group(self) -> Any:
        """The group whose ranks may have uneven inputs."""
        ...


class Join:
    """A block in which ranks may have different numbers of inputs.

    Args:
        joinables: objects whose collectives are accompanied, in this order in each iteration.
        enable: False: the block does nothing.
        throw_on_early_termination: raise on all ranks when one has no more inputs.
        **kwargs: given to each object's `join_hook`.

    Raises:
        ValueError: no objects, or objects of different process groups.
        RuntimeError: with `throw_on_early_termination`, when a rank has no more inputs.
    """

    def __init__(
        self,
        joinables: Sequence[Any],
        enable: bool = True,
        throw_on_early_termination: bool = False,
        **kwargs: Any,
    ) -> None:
        if len(joinables) == 0:
            raise ValueError("The join context manager requires at least one joinable")
        self._joinables = joinables
        self._join_hooks = [j.join_hook(**kwargs) for j in joinables]
        self._enable, self._throw = enable, throw_on_early_termination
        for i, j in enumerate(joinables):
            j._join_config = _JoinConfig(enable, throw_on_early_termination, i == 0)
        groups = [j.join_process_group for j in joinables]
        if any(g is not groups[0] for g in groups):
            raise ValueError("Using join context manager with multiple process groups")
        self._process_group = groups[0]
        self._device = joinables[0].join_device

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, value: Any, trace: Any) -> None:
        try:
            if self._enable and kind is None:
                self._accompany()
        finally:
            for j in self._joinables:
                j._join_config = _JoinConfig.construct_disabled_join_config()

    def _accompany(self) -> None:
        """Make the others' calls until no rank has inputs."""
        last, rounds = True, 0
        while self._count(0) > 0:  # ranks that have inputs
            if self._throw:
                self._count(1)
                group = resolve(self._process_group)
                rank = -1 if group is None else group.rank()
                raise RuntimeError(f"Rank {rank} exhausted all inputs.")
            for hook in self._join_hooks:
                hook.main_hook()
            last, rounds = False, rounds + 1
            if rounds == WARN_AFTER + 1:
                warnings.warn(
                    f"Detected uneven input skew of greater than {WARN_AFTER}. This means that "
                    f"this rank has at least {WARN_AFTER} fewer inputs than other currently-active "
                    "ranks. This level of skew could lead to performance degradation during "
                    "training.",
                    stacklevel=2,
                )
        for hook in self._join_hooks:
            hook.post_hook(last)

    def _count(self, mine: int) -> int:
        """The sum of a number over all ranks."""
        import rushlight

        t = rushlight.full((1,), float(mine), device=self._device)
        all_reduce(t, group=self._process_group)
        return int(t.item())

    @staticmethod
    def notify_join_context(joinable: Any) -> Any:
        """Tell joined ranks that this one goes on; called before an iteration's collectives.

        Returns a Work whose result is the number of ranks that go on, from the first object of a
        block; None from others, and outside of blocks.

        Raises:
            RuntimeError: a rank has no inputs, and the block shall end then.
        """
        import rushlight

        if not hasattr(joinable, "_join_config"):
            raise AssertionError(
                f"Check that the {type(joinable)} constructor calls the ``Joinable`` constructor"
            )
        config, group = joinable._join_config, joinable.join_process_group
        if not config.is_first_joinable or not config.enable:
            return None
        ones = rushlight.ones(1, device=joinable.join_device)
        work = all_reduce(ones, group=group, async_op=True)
        if config.throw_on_early_termination:
            zeros = rushlight.zeros(1, device=joinable.join_device)
            all_reduce(zeros, group=group)
            if zeros.item():
                raise RuntimeError(
                    "Detected at least one rank that exhausted inputs. Throwing across all ranks."
                )
        return work
