"""Schedules that rise and fall: warm restarts, cycles, one cycle; the last two move momentum."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from rushlight.errors import message
from rushlight.optim.lr_scheduler.base import (
    LRScheduler,
    Rates,
    check_optimizer,
    one_a_group,
    set_group_value,
    within_step,
)
from rushlight.optim.optimizer import Optimizer


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine from the initial rate to `eta_min`, repeated, each `T_mult` times as long.

    Args:
        optimizer: whose groups are scheduled.
        T_0: epochs of the first fall.
        T_mult: how many times longer each next one is.
        eta_min: the lowest rate.
        last_epoch: the last epoch of a resumed run.

    `step(epoch)` takes fractions: `scheduler.step(epoch + i / batches)` after each batch.

    Loshchilov and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts (arXiv:1608.03983).

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> scheduler = optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=2, T_mult=2)
    >>> for epoch in range(7):
    ...     print(round(scheduler.get_last_lr()[0], 3))
    ...     optimizer.step()
    ...     scheduler.step()
    1.0
    0.5
    1.0
    0.854
    0.5
    0.146
    1.0
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(message(f"Expected positive integer T_0, but got {T_0}"))
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(message(f"Expected integer T_mult >= 1, but got {T_mult}"))
        if not isinstance(eta_min, (float, int)):
            raise ValueError(
                message(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
            )
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> Rates:
        """The learning rates at `self.T_cur` of a fall over `self.T_i` epochs."""
        self._warn_outside_step()
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on by one epoch, or to `epoch`, a whole number or a fraction."""
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur = self.T_cur + 1
            if self.T_cur >= self.T_i:
                self.T_cur = self.T_cur % self.T_i
                self.T_i = self.T_i * self.T_mult
        elif epoch < 0:
            raise ValueError(message(f"Expected non-negative epoch, but got {epoch}"))
        elif epoch < self.T_0:
            self.T_i = self.T_0
            self.T_cur = epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            n = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**n - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**n
        self.last_epoch = math.floor(epoch)
        with within_step(self):
            rates = self.get_lr()
        self._set_rates(rates)


class _WithMomentum(LRScheduler):
    """Cycling momentum, or the first beta, against the learning rate."""

    cycle_momentum: bool
    use_beta1: bool

    def _start_momentum(self, base: Any, largest: Any, last_epoch: int) -> tuple[Any, Any]:
        optimizer = self.optimizer
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError(
                message(
                    "optimizer must support momentum or beta1 with `cycle_momentum` option enabled",
                    hint="cycle_momentum=False",
                )
            )
        self.use_beta1 = "betas" in optimizer.defaults
        bases = one_a_group("base_momentum", optimizer, base)
        tops = one_a_group("max_momentum", optimizer, largest)
        if last_epoch == -1:
            for top, low, group in zip(tops, bases, optimizer.param_groups, strict=True):
                self._set_momentum(group, top)
                group["max_momentum"] = top
                group["base_momentum"] = low
        return bases, tops

    def _set_momentum(self, group: dict[str, Any], value: Any) -> None:
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value


class CyclicLR(_WithMomentum):
    """The learning rate goes up and down between two bounds; call `step()` after every batch.

    Args:
        optimizer: whose groups are scheduled.
        base_lr, max_lr: the bounds, numbers or lists with one a group.
        step_size_up, step_size_down: batches of a rise and of a fall (default: as the rise).
        mode: "triangular": all cycles alike; "triangular2": each half as high as the last;
            "exp_range": scaled by gamma ** batch.
        gamma: for "exp_range".
        scale_fn, scale_mode: a scaling of your own, of the cycle's number ("cycle") or of the
            batch's ("iterations").
        cycle_momentum: move the momentum the opposite way.
        base_momentum, max_momentum: its bounds.
        last_epoch: the last batch of a resumed run.

    Smith, Cyclical Learning Rates for Training Neural Networks (arXiv:1506.01186).

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1, momentum=0.9)
    >>> scheduler = optim.lr_scheduler.CyclicLR(optimizer, base_lr=0.1, max_lr=0.5, step_size_up=2)
    >>> for batch in range(5):
    ...     group = optimizer.param_groups[0]
    ...     print(round(group["lr"], 2), round(group["momentum"], 2))
    ...     optimizer.step()
    ...     scheduler.step()
    0.1 0.9
    0.3 0.85
    0.5 0.8
    0.3 0.85
    0.1 0.9
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Literal["triangular", "triangular2", "exp_range"] = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        base_lrs = one_a_group("base_lr", optimizer, base_lr)
        if last_epoch == -1:
            for rate, group in zip(base_lrs, optimizer.param_groups, strict=True):
                set_group_value(group, "lr", rate)
        self.max_lrs = one_a_group("max_lr", optimizer, max_lr)
        up = float(step_size_up)
        down = up if step_size_down is None else float(step_size_down)
        self.total_size = up + down
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError(
                message(
                    "mode is invalid and scale_fn is None",
                    got=repr(mode),
                    wanted='"triangular", "triangular2", "exp_range", or a scale_fn',
                )
            )
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_ref: Callable[[float], float]
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode
        self._init_scale_fn()
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            bases, tops = self._start_momentum(base_momentum, max_momentum, last_epoch)
            self.base_momentums, self.max_momentums = bases, tops
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _init_scale_fn(self) -> None:
        if self._scale_fn_custom is not None:
            return
        if self.mode == "triangular":
            self._scale_fn_ref, self.scale_mode = self._triangular_scale_fn, "cycle"
        elif self.mode == "triangular2":
            self._scale_fn_ref, self.scale_mode = self._triangular2_scale_fn, "cycle"
        elif self.mode == "exp_range":
            self._scale_fn_ref = partial(self._exp_range_scale_fn, self.gamma)
            self.scale_mode = "iterations"

    def scale_fn(self, x: float) -> float:
        """The height of cycle x, or of batch x, as a share of the first one's."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        return self._scale_fn_ref(x)

    @staticmethod
    def _triangular_scale_fn(x: float) -> float:
        return 1.0

    @staticmethod
    def _triangular2_scale_fn(x: float) -> float:
        return 1 / (2.0 ** (x - 1))

    @staticmethod
    def _exp_range_scale_fn(gamma: float, x: float) -> float:
        return gamma**x

    def get_lr(self) -> Rates:
        """The learning rates at batch `self.last_epoch`; sets the momentum as it goes."""
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        height = x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        rates = [
            base + (top - base) * height * scale
            for base, top in zip(self.base_lrs, self.max_lrs, strict=True)
        ]
        if self.cycle_momentum:
            bounds = zip(
                self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True
            )
            for group, base, top in bounds:
                self._set_momentum(group, top - (top - base) * height * scale)
        return rates

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer; of a callable `scale_fn` object its attributes."""
        state = super().state_dict()
        state.pop("_scale_fn_ref", None)
        custom = state.pop("_scale_fn_custom")
        plain = custom is None or isinstance(custom, types.FunctionType)
        state["_scale_fn_custom"] = None if plain else custom.__dict__.copy()
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` returned, here or in PyTorch."""
        custom = state_dict["_scale_fn_custom"]
        kept = {k: v for k, v in state_dict.items() if k != "_scale_fn_custom"}
        super().load_state_dict(kept)
        if custom is not None:
            self._scale_fn_custom.__dict__.update(custom)
        self._init_scale_fn()


class OneCycleLR(_WithMomentum):
    """One rise to `max_lr` and one long fall far below the start; call `step()` after every batch.

    Args:
        optimizer: whose groups are scheduled.
        max_lr: the highest rate, or a list with one a group.
        total_steps: batches of the whole cycle; or give `epochs` and `steps_per_epoch`.
        pct_start: the share of the rise.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: move the momentum the opposite way.
        base_momentum, max_momentum: its bounds.
        div_factor: the first rate is max_lr / div_factor.
        final_div_factor: the last rate is the first / final_div_factor.
        three_phase: fall as fast as the rise, then to the last rate.
        last_epoch: the last batch of a resumed run.

    Smith and Topin, Super-Convergence (arXiv:1708.07120).

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=0.1, momentum=0.9)
    >>> scheduler = optim.lr_scheduler.OneCycleLR(
    ...     optimizer, max_lr=1.0, total_steps=6, pct_start=0.5
    ... )
    >>> for batch in range(5):
    ...     group = optimizer.param_groups[0]
    ...     print(round(group["lr"], 3), round(group["momentum"], 3))
    ...     optimizer.step()
    ...     scheduler.step()
    0.04 0.95
    0.52 0.9
    1.0 0.85
    0.75 0.875
    0.25 0.925
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is not None:
            self.total_steps = _positive("total_steps", total_steps)
        elif epochs is not None and steps_per_epoch is not None:
            self.total_steps = _positive("epochs", epochs) * _positive(
                "steps_per_epoch", steps_per_epoch
            )
        else:
            raise ValueError(
                message("You must define either total_steps OR (epochs AND steps_per_epoch)")
            )
        if pct_start < 0 or pct_start > 1 or not isinstance(pct_start, float):
            raise ValueError(
                message(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
            )
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                message(
                    "anneal_strategy must be one of 'cos' or 'linear', instead got "
                    f"{anneal_strategy}"
                )
            )
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        self._anneal_func_type = anneal_strategy
        max_lrs = one_a_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for highest, group in zip(max_lrs, optimizer.param_groups, strict=True):
                group["initial_lr"] = highest / div_factor
                group["max_lr"] = highest
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._start_momentum(base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)

    def _anneal_func(self, start: Any, end: Any, share: float) -> Any:
        if "_anneal_func_type" not in self.__dict__:  # a state that older versions saved
            return self.anneal_func(start, end, share)  # type: ignore[attr-defined]
        if self._anneal_func_type == "cos":
            return self._annealing_cos(start, end, share)
        return self._annealing_linear(start, end, share)

    @staticmethod
    def _annealing_cos(start: Any, end: Any, pct: float) -> Any:
        """From start to end along half a cosine."""
        return end + (start - end) / 2.0 * (math.cos(math.pi * pct) + 1)

    @staticmethod
    def _annealing_linear(start: Any, end: Any, pct: float) -> Any:
        """From start to end in a straight line."""
        return (end - start) * pct + start

    def get_lr(self) -> Rates:
        """The learning rates at batch `self.last_epoch`; sets the momentum as it goes."""
        self._warn_outside_step()
        now = self.last_epoch
        if now > self.total_steps:
            raise ValueError(
                message(
                    f"Tried to step {now} times. The specified number of total steps is "
                    f"{self.total_steps}",
                    hint="one scheduler.step() after each batch, not more; or a larger total_steps",
                )
            )
        begin = 0.0
        for phase in self._schedule_phases:
            if now <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            begin = phase["end_step"]
        share = (now - begin) / (phase["end_step"] - begin)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._anneal_func(group[phase["start_lr"]], group[phase["end_lr"]], share))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                self._set_momentum(group, self._anneal_func(*ends, share))
        return rates


def _positive(name: str, value: Any) -> int:
    if not isinstance(value, int) or value <= 0:
        raise ValueError(message(f"Expected positive integer {name}, but got {value}"))
    return value


def _phases(total: int, rise: float, three: bool) -> list[dict[str, Any]]:
    """The pieces of the cycle; names are the keys of a parameter group."""

    def phase(end: float, lr: tuple[str, str], momentum: tuple[str, str]) -> dict[str, Any]:
        return {
            "end_step": end,
            "start_lr": lr[0],
            "end_lr": lr[1],
            "start_momentum": momentum[0],
            "end_momentum": momentum[1],
        }

    falling, rising = ("max_momentum", "base_momentum"), ("base_momentum", "max_momentum")
    first = phase(float(rise * total) - 1, ("initial_lr", "max_lr"), falling)
    if not three:
        return [first, phase(total - 1, ("max_lr", "min_lr"), rising)]
    return [
        first,
        phase(float(2 * rise * total) - 2, ("max_lr", "initial_lr"), rising),
        phase(total - 1, ("initial_lr", "min_lr"), ("max_momentum", "max_momentum")),
    ]
