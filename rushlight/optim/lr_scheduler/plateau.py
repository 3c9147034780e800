"""ReduceLROnPlateau: lower the learning rate when a metric stops getting better."""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal, SupportsFloat

from rushlight.errors import message
from rushlight.optim.lr_scheduler.base import (
    EPOCH_DEPRECATION_WARNING,
    LRScheduler,
    check_optimizer,
    group_values,
    set_group_value,
)
from rushlight.optim.optimizer import Optimizer


class ReduceLROnPlateau(LRScheduler):
    """lr * factor after more than `patience` epochs without a better metric.

    Args:
        optimizer: whose groups are scheduled.
        mode: "min" if smaller metrics are better, "max" if larger ones are.
        factor: of a reduction, below 1.
        patience: epochs without progress that are allowed.
        threshold: how much better counts as better.
        threshold_mode: "rel": a share of the best; "abs": a difference.
        cooldown: epochs after a reduction in which nothing is counted.
        min_lr: the lowest rate, or a list with one a group.
        eps: a smaller reduction is not made.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, "min", factor=0.1, patience=1)
    >>> for loss in (1.0, 0.8, 0.8, 0.9, 0.7):
    ...     optimizer.step()
    ...     scheduler.step(loss)
    ...     print(scheduler.get_last_lr()[0])
    1.0
    1.0
    1.0
    0.1
    0.1
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: Literal["min", "max"] = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError(message("Factor should be < 1.0.", got=factor))
        self.factor = factor
        check_optimizer(optimizer)
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        self.default_min_lr: float | None = None
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != groups:
                raise ValueError(message(f"expected {groups} min_lrs, got {len(min_lr)}"))
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * groups
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.last_epoch = 0
        self._last_lr = group_values(optimizer, "lr")
        self._init_is_better(mode=mode, threshold=threshold, threshold_mode=threshold_mode)
        self._reset()

    def _reset(self) -> None:
        """Forget the best metric and all counts."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:  # type: ignore[override]
        """Look at the metric of this epoch, and reduce the rates if it is time.

        Args:
            metrics: a number or a one-element Tensor.
            epoch: deprecated.
        """
        current = float(metrics)
        if epoch is None:
            epoch = self.last_epoch + 1
        else:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self.last_epoch = epoch
        if self._is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(epoch)
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = group_values(self.optimizer, "lr")

    def _reduce_lr(self, epoch: int) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    message(
                        "The number of param groups in the `optimizer` "
                        f"({len(groups)}) differs from when `ReduceLROnPlateau` was initialized "
                        f"({len(self.min_lrs)}), usually due to a new param group being added to "
                        "the optimizer.",
                        hint="set the `min_lrs` field to one value a group",
                    )
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, lowest)
            if old - new > self.eps:
                set_group_value(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        """Whether a reduction was made so recently that nothing is counted."""
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        if self.threshold_mode == "rel":
            bound = best * (1.0 - sign * self.threshold)
        else:
            bound = best - sign * self.threshold
        return a < bound if self.mode == "min" else a > bound

    def _init_is_better(self, mode: Any, threshold: float, threshold_mode: Any) -> None:
        if mode not in ("min", "max"):
            raise ValueError(message(f"mode {mode} is unknown!", wanted='"min" or "max"'))
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(
                message(f"threshold mode {threshold_mode} is unknown!", wanted='"rel" or "abs"')
            )
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` returned, here or in PyTorch."""
        self.__dict__.update(state_dict)
        self._init_is_better(self.mode, self.threshold, self.threshold_mode)
