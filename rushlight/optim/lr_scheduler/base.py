"""LRScheduler: the clock of a schedule and its hold on the optimizer.

A subclass says in `get_lr()` what the learning rates become at `self.last_epoch`, mostly from their
current value (the chainable form, so that schedulers can be combined) and, where there is one, in
`_get_closed_form_lr()` from their initial value. The schedules start in `factors.py`.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import wraps
from typing import Any
from weakref import ref

from rushlight.errors import message
from rushlight.optim.optimizer import Optimizer
from rushlight.tensor import Tensor

from ...blocks import contextmanager

Rate = Any  # a float, or a Tensor where the group's lr is one
Rates = list[Any]

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being "
    "deprecated where possible. Please use `scheduler.step()` to step the "
    "scheduler. During the deprecation, if epoch is different from None, the "
    "closed form is used instead of the new chainable form, where available. "
    "Please open an issue if you are unable to replicate your use case: "
    "https://github.com/pytorch/pytorch/issues/new/choose."
)

_ORDER = (
    "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)


class LRScheduler:
    """Base class of the schedulers that set every group's "lr".

    Args:
        optimizer: whose groups are scheduled.
        last_epoch: -1 to begin, or the last epoch of a run that is resumed; then the groups must
            have an "initial_lr", as those of a loaded optimizer do.

    Creating a scheduler writes the groups' learning rates: load an optimizer's state after it.

    >>> class Halved(optim.lr_scheduler.LRScheduler):
    ...     def get_lr(self):
    ...         return [lr * 0.5**self.last_epoch for lr in self.base_lrs]
    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> scheduler = Halved(optimizer)
    >>> for epoch in range(3):
    ...     optimizer.step()  # a whole epoch of them
    ...     scheduler.step()
    >>> scheduler.get_last_lr()
    [0.125]
    """

    _get_lr_called_within_step: bool = False
    _is_initial: bool = False
    _step_count: int
    _last_lr: Rates

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                error = KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming "
                    "scheduler with last_epoch >= 0"
                )  # whose text Python shows as repr() has it: one line
                error.add_note(
                    "  try     load the optimizer's state first, or begin with last_epoch=-1"
                )
                raise error
        self.base_lrs: Rates = group_values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _watch_step(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict()` returned, here or in PyTorch."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> Rates:
        """The learning rates that the last step set, one a group."""
        return self._last_lr

    def get_lr(self) -> Rates:
        """The learning rates at `self.last_epoch`; `step()` calls this."""
        raise NotImplementedError

    def step(self, epoch: int | None = None) -> None:
        """Go on by one epoch and set the learning rates; call it after `optimizer.step()`.

        Args:
            epoch: deprecated; go to that epoch instead, by the closed form where there is one.
        """
        if self._step_count == 1:
            if not hasattr(self.optimizer.step, "_wrapped_by_lr_sched"):
                warnings.warn(
                    "Seems like `optimizer.step()` has been overridden after learning rate "
                    "scheduler initialization. Please, make sure to call `optimizer.step()` before "
                    f"`lr_scheduler.step()`. {_ORDER}",
                    UserWarning,
                    stacklevel=2,
                )
            elif not getattr(self.optimizer, "_opt_called", False):
                warnings.warn(
                    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch "
                    "1.1.0 and later, you should call them in the opposite order: "
                    "`optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will "
                    "result in PyTorch skipping the first value of the learning rate schedule. "
                    f"{_ORDER}",
                    UserWarning,
                    stacklevel=2,
                )
        self._step_count += 1
        if epoch is not None:
            warnings.warn(EPOCH_DEPRECATION_WARNING, UserWarning, stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch: int | None = None) -> None:
        with within_step(self):
            if epoch is None:
                self.last_epoch += 1
                rates = self.get_lr()
            else:
                self.last_epoch = epoch
                closed_form = getattr(self, "_get_closed_form_lr", self.get_lr)
                rates = closed_form()
        self._set_rates(rates)

    def _set_rates(self, rates: Rates) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_group_value(group, "lr", rate)
        self._last_lr = group_values(self.optimizer, "lr")

    # What most schedules are made of.

    def _unchanged(self) -> Rates:
        return group_values(self.optimizer, "lr")

    def _times(self, factor: float) -> Rates:
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use "
                "`get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )


class _LRScheduler(LRScheduler):
    """The name that LRScheduler had before PyTorch 2.0.

    >>> optimizer = optim.SGD([nn.Parameter(torch.zeros(1))], lr=1.0)
    >>> issubclass(torch.optim.lr_scheduler._LRScheduler, torch.optim.lr_scheduler.LRScheduler)
    True
    """


@contextmanager
def within_step(scheduler: LRScheduler) -> Iterator[None]:
    """Tell `get_lr()` that it is not called by the user."""
    scheduler._get_lr_called_within_step = True
    try:
        yield
    finally:
        scheduler._get_lr_called_within_step = False


def check_optimizer(optimizer: Any) -> None:
    """Raise TypeError unless it is one."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(
            message(f"{type(optimizer).__name__} is not an Optimizer", wanted="an optim.Optimizer")
        )


def copied(value: Any) -> Any:
    """A copy of a Tensor, so that writing into a group's lr does not change what was read."""
    is_tensor: bool = isinstance(value, Tensor)
    return value.detach().clone() if is_tensor else value


def group_values(optimizer: Optimizer, key: str) -> Rates:
    """`group[key]` of every group."""
    return [copied(group[key]) for group in optimizer.param_groups]


def set_group_value(group: dict[str, Any], key: str, value: Rate) -> None:
    """Set `group[key]`; a Tensor is written into, since a recorded step may hold it."""
    held = group[key]
    is_tensor: bool = isinstance(held, Tensor)
    if is_tensor:
        held.fill_(value.item() if isinstance(value, Tensor) else value)
    else:
        group[key] = value


def one_a_group(name: str, optimizer: Optimizer, value: Any) -> list[Any]:
    """A list with one value a group, from such a list or from one value for all."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        value = [value] * groups
    elif len(value) != groups:
        raise ValueError(
            message(
                f"{name} must have the same length as optimizer.param_groups. {name} has "
                f"{len(value)} values, param_groups has {groups}."
            )
        )
    return [copied(v) for v in value]


def _watch_step(optimizer: Optimizer) -> None:
    """Make `optimizer.step` note that it was called, to warn when the order is wrong."""
    if hasattr(optimizer.step, "_wrapped_by_lr_sched"):
        return
    function = optimizer.step.__func__  # type: ignore[attr-defined]
    weak = ref(optimizer)

    @wraps(function)
    def step(*args: Any, **kwargs: Any) -> Any:
        target: Any = weak()
        target._opt_called = True
        return function(target, *args, **kwargs)

    step._wrapped_by_lr_sched = True  # type: ignore[attr-defined]
    optimizer.step = step  # type: ignore[method-assign]
