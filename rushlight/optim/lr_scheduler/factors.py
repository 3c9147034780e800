"""Schedules that are one formula: the learning rate times a factor of the epoch.

Every one has the chainable form (`get_lr`, from the current rate) and, where possible, the closed
form (from the initial rate) that `step(epoch)` uses.
"""

from __future__ import annotations

import math
import types
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from rushlight.errors import message
from rushlight.optim.lr_scheduler.base import LRScheduler, Rates
from rushlight.optim.optimizer import Optimizer

Factor = Callable[[int], float]


class _WithFunctions(LRScheduler):
    """What the two schedules share that call functions of the user."""

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Factor | list[Factor], last_epoch: int = -1
    ) -> None:
        groups = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            self.lr_lambdas: list[Factor] = [lr_lambda] * groups
        elif len(lr_lambda) != groups:
            raise ValueError(
                message(
                    f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}",
                    wanted="one function, or one a parameter group",
                )
            )
        else:
            self.lr_lambdas = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of callable objects their attributes."""
        state = super().state_dict()
        del state["lr_lambdas"]
        state["lr_lambdas"] = [
            None if isinstance(f, types.FunctionType) else f.__dict__.copy()
            for f in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state; the functions stay, callable objects get their attributes back."""
        self.__dict__.update({k: v for k, v in state_dict.items() if k != "lr_lambdas"})
        for f, attributes in zip(self.lr_lambdas, state_dict["lr_lambdas"], strict=False):
            if attributes is not None:
                f.__dict__.update(attributes)


class LambdaLR(_WithFunctions):
    """initial lr * lr_lambda(epoch).

    Args:
        optimizer: whose groups are scheduled.
        lr_lambda: a function of the epoch, or a list with one a group.
        last_epoch: the last epoch of a resumed run.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.5)
    >>> scheduler = optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 1 / (1 + epoch))
    >>> for epoch in range(4):
    ...     print(round(scheduler.get_last_lr()[0], 3))
    ...     optimizer.step()
    ...     scheduler.step()
    0.5
    0.25
    0.167
    0.125
    """

    def get_lr(self) -> Rates:
        """The learning rates at `self.last_epoch`."""
        self._warn_outside_step()
        return [
            base * f(self.last_epoch)
            for f, base in zip(self.lr_lambdas, self.base_lrs, strict=True)
        ]


class MultiplicativeLR(_WithFunctions):
    """current lr * lr_lambda(epoch).

    Args:
        optimizer: whose groups are scheduled.
        lr_lambda: a function of the epoch, or a list with one a group.
        last_epoch: the last epoch of a resumed run.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> scheduler = optim.lr_scheduler.MultiplicativeLR(optimizer, lambda epoch: 1 / epoch)
    >>> for epoch in range(4):
    ...     print(round(scheduler.get_last_lr()[0], 3))
    ...     optimizer.step()
    ...     scheduler.step()
    1.0
    1.0
    0.5
    0.167
    """

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Factor | list[Factor], last_epoch: int = -1
    ) -> None:
        for f in lr_lambda if isinstance(lr_lambda, (list, tuple)) else [lr_lambda]:
            if not callable(f):
                raise TypeError(
                    message(f"lr_lambda should be a function, but got {type(f).__name__}")
                )
        super().__init__(optimizer, lr_lambda, last_epoch)

    def get_lr(self) -> Rates:
        """The learning rates at `self.last_epoch`."""
        self._warn_outside_step()
        if self._is_initial:
            return self._unchanged()
        return [
            group["lr"] * f(self.last_epoch)
            for f, group in zip(self.lr_lambdas, self.optimizer.param_groups, strict=True)
        ]


class StepLR(LRScheduler):
    """lr * gamma every `step_size` epochs.

    Args:
        optimizer: whose groups are scheduled.
        step_size: epochs between decays.
        gamma: the factor of a decay.
        last_epoch: the last epoch of a resumed run.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> for epoch in range(5):
    ...     print(scheduler.get_last_lr()[0])
    ...     optimizer.step()
    ...     scheduler.step()
    1.0
    1.0
    0.5
    0.5
    0.25
    """

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        """The learning rates at `self.last_epoch`."""
        self._warn_outside_step()
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return self._unchanged()
        return self._times(self.gamma)

    def _get_closed_form_lr(self) -> Rates:
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """lr * gamma at each milestone.

    Args:
        optimizer: whose groups are scheduled.
        milestones: epochs, each once or several times.
        gamma: the factor of a decay.
        last_epoch: the last epoch of a resumed run.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> scheduler = optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1, 3], gamma=0.5)
    >>> for epoch in range(4):
    ...     print(scheduler.get_last_lr()[0])
    ...     optimizer.step()
    ...     scheduler.step()
    1.0
    0.5
    0.5
    0.25
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        if isinstance(milestones, int):
            what, hint = "'int' object is not iterable", f"milestones=[{milestones}]"
            raise TypeError(message(what, wanted="a list of epochs", hint=hint))
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        """The learning rates at `self.last_epoch`."""
        self._warn_outside_step()
        if self.last_epoch not in self.milestones:
            return self._unchanged()
        return self._times(self.gamma ** self.milestones[self.last_epoch])

    def _get_closed_form_lr(self) -> Rates:
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """lr * factor until epoch `total_iters`, lr after it.

    Args:
        optimizer: whose groups are scheduled.
        factor: between 0 and 1.
        total_iters: how many epochs the factor holds.
        last_epoch: the last epoch of a resumed run.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> scheduler = optim.lr_scheduler.ConstantLR(optimizer, factor=0.5, total_iters=2)
    >>> for epoch in range(3):
    ...     print(scheduler.get_last_lr()[0])
    ...     optimizer.step()
    ...     scheduler.step()
    0.5
    0.5
    1.0
    """

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 1.0 / 3,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if factor > 1.0 or factor < 0:
            raise ValueError(
                message(
                    "Constant multiplicative factor expected to be between 0 and 1.", got=factor
                )
            )
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        """The learning rates at `self.last_epoch`."""
        self._warn_outside_step()
        if self.last_epoch == 0:
            return self._times(self.factor)
        if self.last_epoch != self.total_iters:
            return self._unchanged()
        return self._times(1.0 / self.factor)

    def _get_closed_form_lr(self) -> Rates:
        over = self.last_epoch >= self.total_iters
        return [base * (self.factor + over * (1 - self.factor)) for base in self.base_lrs]


class LinearLR(LRScheduler):
    """lr times a factor that goes in a straight line from `start_factor` to `end_factor`.

    Args:
        optimizer: whose groups are scheduled.
        start_factor: above 0, at most 1.
        end_factor: between 0 and 1.
        total_iters: epochs from one to the other.
        last_epoch: the last epoch of a resumed run.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> scheduler = optim.lr_scheduler.LinearLR(optimizer, start_factor=0.25, total_iters=3)
    >>> for epoch in range(5):
    ...     print(scheduler.get_last_lr()[0])
    ...     optimizer.step()
    ...     scheduler.step()
    0.25
    0.5
    0.75
    1.0
    1.0
    """

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if start_factor > 1.0 or start_factor <= 0:
            raise ValueError(
                message(
                    "Starting multiplicative factor expected to be greater than 0 and less or "
                    "equal to 1.",
                    got=start_factor,
                )
            )
        if end_factor > 1.0 or end_factor < 0:
            raise ValueError(
                message(
                    "Ending multiplicative factor expected to be between 0 and 1.", got=end_factor
                )
            )
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        """The learning rates at `self.last_epoch`."""
        self._warn_outside_step()
        if self.last_epoch == 0:
            return self._times(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._unchanged()
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return self._times(1.0 + rise / before)

    def _get_closed_form_lr(self) -> Rates:
        rise = self.end_factor - self.start_factor
        done = min(self.total_iters, self.last_epoch)
        factor = self.start_factor + rise * done / self.total_iters
        return [base * factor for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """lr * gamma every epoch.

    Args:
        optimizer: whose groups are scheduled.
        gamma: the factor of a decay.
        last_epoch: the last epoch of a resumed run.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> scheduler = optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
    >>> for epoch in range(3):
    ...     print(scheduler.get_last_lr()[0])
    ...     optimizer.step()
    ...     scheduler.step()
    1.0
    0.5
    0.25
    """

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        """The learning rates at `self.last_epoch`."""
        self._warn_outside_step()
        return self._unchanged() if self._is_initial else self._times(self.gamma)

    def _get_closed_form_lr(self) -> Rates:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """initial lr * (1 - epoch / total_iters) ** power, 0 after `total_iters`.

    Args:
        optimizer: whose groups are scheduled.
        total_iters: epochs until 0.
        power: of the polynomial.
        last_epoch: the last epoch of a resumed run.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> scheduler = optim.lr_scheduler.PolynomialLR(optimizer, total_iters=4, power=2)
    >>> for epoch in range(6):
    ...     print(round(scheduler.get_last_lr()[0], 4))
    ...     optimizer.step()
    ...     scheduler.step()
    1.0
    0.5625
    0.25
    0.0625
    0.0
    0.0
    """

    def __init__(
        self,
        optimizer: Optimizer,
        total_iters: int = 5,
        power: float = 1.0,
        last_epoch: int = -1,
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        """The learning rates at `self.last_epoch`."""
        self._warn_outside_step()
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._unchanged()
        now = 1.0 - self.last_epoch / self.total_iters
        before = 1.0 - (self.last_epoch - 1) / self.total_iters
        return self._times((now / before) ** self.power)

    def _get_closed_form_lr(self) -> Rates:
        done = min(self.total_iters, self.last_epoch)
        return [base * (1.0 - done / self.total_iters) ** self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the initial rate down to `eta_min` in `T_max` epochs, then up again.

    eta_min + (initial lr - eta_min) * (1 + cos(pi * epoch / T_max)) / 2.

    Args:
        optimizer: whose groups are scheduled.
        T_max: epochs of the way down.
        eta_min: the lowest rate.
        last_epoch: the last epoch of a resumed run.

    Loshchilov and Hutter, SGDR (arXiv:1608.03983), without the restarts.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> scheduler = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=4)
    >>> for epoch in range(5):
    ...     print(round(scheduler.get_last_lr()[0], 3))
    ...     optimizer.step()
    ...     scheduler.step()
    1.0
    0.854
    0.5
    0.146
    0.0
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        """The learning rates at `self.last_epoch`."""
        self._warn_outside_step()
        if self._is_initial:
            return self._unchanged()
        now, groups = self.last_epoch, self.optimizer.param_groups
        if self._step_count == 1 and now > 0:
            height = (1 + math.cos(now * math.pi / self.T_max)) / 2
            return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]
        if (now - 1 - self.T_max) % (2 * self.T_max) == 0:
            # The last rate was eta_min: the recursion below would divide by zero.
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [
                group["lr"] + (base - self.eta_min) * rise
                for base, group in zip(self.base_lrs, groups, strict=True)
            ]
        height = 1 + math.cos(math.pi * now / self.T_max)
        before = 1 + math.cos(math.pi * (now - 1) / self.T_max)
        return [height / before * (group["lr"] - self.eta_min) + self.eta_min for group in groups]

    def _get_closed_form_lr(self) -> Rates:
        height = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]
