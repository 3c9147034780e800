"""SWALR: the learning rate of stochastic weight averaging. Public in `optim/swa_utils.py`."""

from __future__ import annotations

import math
from typing import Any, Literal

from rushlight.errors import message
from rushlight.optim.lr_scheduler.base import LRScheduler, Rates, one_a_group
from rushlight.optim.optimizer import Optimizer


class SWALR(LRScheduler):
    """Bring the learning rate to `swa_lr` and keep it there.

    Args:
        optimizer: whose groups are scheduled.
        swa_lr: the rate to reach, or a list with one a group.
        anneal_epochs: epochs on the way.
        anneal_strategy: "cos" or "linear".
        last_epoch: the last epoch of a resumed run.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> scheduler = optim.swa_utils.SWALR(
    ...     optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear"
    ... )
    >>> for epoch in range(4):
    ...     print(scheduler.get_last_lr()[0])
    ...     optimizer.step()
    ...     scheduler.step()
    1.0
    0.75
    0.5
    0.5
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float,
        anneal_epochs: int = 10,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        last_epoch: int = -1,
    ) -> None:
        rates = one_a_group("swa_lr", optimizer, swa_lr)
        for rate, group in zip(rates, optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                message(
                    "anneal_strategy must be one of 'cos' or 'linear', instead got "
                    f"{anneal_strategy}"
                )
            )
        self._set_anneal_func(anneal_strategy)
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(
                message(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
            )
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _linear_anneal(t: float) -> float:
        return t

    @staticmethod
    def _cosine_anneal(t: float) -> float:
        return (1 - math.cos(math.pi * t)) / 2

    @staticmethod
    def _get_initial_lr(lr: Any, swa_lr: Any, alpha: float) -> Any:
        """The rate from which `alpha` of the way to `swa_lr` leads to `lr`."""
        if alpha == 1:
            return swa_lr
        return (lr - alpha * swa_lr) / (1 - alpha)

    def get_lr(self) -> Rates:
        """The learning rates at this step, between the rate before the annealing and `swa_lr`."""
        self._warn_outside_step()
        # _step_count and not last_epoch: the annealing begins when the scheduler does.
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        span = max(1, self.anneal_epochs)
        before = self.anneal_func(max(0, min(1, (step - 1) / span)))
        now = self.anneal_func(max(0, min(1, step / span)))
        rates = []
        for group in self.optimizer.param_groups:
            start = self._get_initial_lr(group["lr"], group["swa_lr"], before)
            rates.append(group["swa_lr"] * now + start * (1 - now))
        return rates

    def _set_anneal_func(self, anneal_strategy: str) -> None:
        self._anneal_strategy = anneal_strategy
        self.anneal_func = self._cosine_anneal if anneal_strategy == "cos" else self._linear_anneal

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        state = super().state_dict()
        del state["anneal_func"]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` returned, here or in PyTorch."""
        self.__dict__.update(state_dict)
        self._set_anneal_func(self._anneal_strategy)
