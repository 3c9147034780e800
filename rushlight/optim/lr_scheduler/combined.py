"""Schedulers made of schedulers: one after another, or all at once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from rushlight.errors import message
from rushlight.optim.lr_scheduler.base import LRScheduler, group_values, set_group_value
from rushlight.optim.lr_scheduler.plateau import ReduceLROnPlateau
from rushlight.optim.optimizer import Optimizer


class _Combined(LRScheduler):
    """State dictionaries and checks of both."""

    _schedulers: Sequence[LRScheduler]

    def _check(self, schedulers: Sequence[Any], optimizer: Any, verb: str) -> Any:
        name = type(self).__name__
        if len(schedulers) < 1:
            raise ValueError(
                message(f"{name} expects at least one scheduler{verb}, but got no scheduler.")
            )
        optimizer = optimizer or schedulers[0].optimizer
        for i, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(
                    message(f"{name} at index {i} should have `optimizer` as its attribute.")
                )
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    message(
                        f"{name} does not support `ReduceLROnPlateau` scheduler as it requires "
                        "additional kwargs to be specified when calling `step`, but got one at "
                        f"index {i} in the given schedulers sequence.",
                        hint="step it by itself, after this one",
                    )
                )
            if optimizer is not scheduler.optimizer:
                raise ValueError(
                    message(
                        f"{name} expects all schedulers to belong to the same optimizer, but got "
                        f"scheduler {type(scheduler).__name__} at index {i} has "
                        f"{scheduler.optimizer}, which is different from "
                        f"{type(optimizer).__name__}."
                    )
                )
        return optimizer

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer, with the states of the parts under "_schedulers"."""
        state = super().state_dict()
        del state["_schedulers"]
        state["_schedulers"] = [s.state_dict() for s in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` returned, here or in PyTorch."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"], strict=False):
            scheduler.load_state_dict(state)


class SequentialLR(_Combined):
    """One scheduler until the first milestone, the next one from there on, and so forth.

    Args:
        optimizer: whose groups are scheduled.
        schedulers: in their order.
        milestones: epochs of change, one fewer than there are schedulers.
        last_epoch: the last epoch of a resumed run.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> warmup = optim.lr_scheduler.LinearLR(optimizer, 0.25, total_iters=3)
    >>> decay = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> scheduler = optim.lr_scheduler.SequentialLR(optimizer, [warmup, decay], milestones=[3])
    >>> for epoch in range(6):
    ...     print(scheduler.get_last_lr()[0])
    ...     optimizer.step()
    ...     scheduler.step()
    0.25
    0.5
    0.75
    1.0
    0.5
    0.25
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        self._check(schedulers, optimizer, "")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                message(
                    "Sequential Schedulers expects number of schedulers provided to be one more "
                    "than the number of milestone points, but got number of schedulers "
                    f"{len(schedulers)} and the number of milestones to be equal to "
                    f"{len(milestones)}"
                )
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        # Each part has made its first step when it was created; undo them all and make one.
        for group in optimizer.param_groups:
            set_group_value(group, "lr", group["initial_lr"])
        self.recursive_undo()
        first = self._schedulers[bisect_right(self._milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def recursive_undo(self, sched: Any = None) -> None:
        """Take back the first step of every scheduler inside."""
        scheduler = self if sched is None else sched
        if hasattr(scheduler, "_schedulers"):
            for inner in scheduler._schedulers:
                self.recursive_undo(inner)
        elif hasattr(scheduler, "last_epoch"):
            scheduler.last_epoch -= 1

    def step(self) -> None:  # type: ignore[override]
        """Step the scheduler whose turn it is."""
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_Combined):
    """All schedulers at every step, each on the learning rate that the last one left.

    Args:
        schedulers: chainable ones, of one optimizer.
        optimizer: that optimizer; taken from the first scheduler unless given.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> halve = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> start = optim.lr_scheduler.ConstantLR(optimizer, factor=0.1, total_iters=2)
    >>> scheduler = optim.lr_scheduler.ChainedScheduler([halve, start])
    >>> for epoch in range(4):
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     optimizer.step()
    ...     scheduler.step()
    0.1
    0.05
    0.25
    0.125
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        optimizer = self._check(schedulers, optimizer, " to be chained")
        self._schedulers = schedulers
        self.optimizer = optimizer
        self._last_lr = group_values(optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """Step every scheduler."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = group_values(self.optimizer, "lr")
