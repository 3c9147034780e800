"""Averages of a model's weights: stochastic weight averaging and exponential moving averages."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import numpy as np

from rushlight.autograd.grad_mode import no_grad
from rushlight.errors import message
from rushlight.nn import Module
from rushlight.optim.lr_scheduler.annealing import SWALR
from rushlight.tensor import Tensor

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]

Average = Callable[[Any, Any, Any], Any]
ListAverage = Callable[["Tensors", "Tensors", Any], None]
Tensors = list[Any] | tuple[Any, ...]


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """A function (average, current, count): decay * average + (1 - decay) * current.

    >>> average = optim.swa_utils.get_ema_avg_fn(0.9)
    >>> average(torch.tensor([1.0]), torch.tensor([2.0]), 7)
    tensor([1.1000])
    """
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Average:
    """A function (average, current, count): the mean of one value more.

    >>> average = optim.swa_utils.get_swa_avg_fn()
    >>> average(torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor(3))  # the 4th value
    tensor([1.2500])
    """

    @no_grad()
    def swa_update(averaged_param: Any, current_param: Any, num_averaged: Any) -> Any:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> ListAverage:
    """As `get_ema_avg_fn`, in place over lists of tensors."""
    _check_decay(decay)

    @no_grad()
    def ema_update(ema_param_list: Tensors, current_param_list: Tensors, _: Any) -> None:
        for average, current in zip(ema_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, 1 - decay)
            else:
                average.copy_(average * decay + current * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> ListAverage:
    """As `get_swa_avg_fn`, in place over lists of tensors."""

    @no_grad()
    def swa_update(
        averaged_param_list: Tensors, current_param_list: Tensors, num_averaged: Any
    ) -> None:
        share = 1 / (float(num_averaged) + 1)
        for average, current in zip(averaged_param_list, current_param_list, strict=True):
            if average.is_floating_point() or average.is_complex():
                average.lerp_(current, share)
            else:
                average.copy_(average + (current - average) * share)

    return swa_update


def _check_decay(decay: float) -> None:
    if decay < 0.0 or decay > 1.0:
        raise ValueError(
            message(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")
        )


class AveragedModel(Module):
    """A copy of a model whose parameters are the average of the model's over time.

    Args:
        model: the model to copy.
        device: where the copy lives.
        avg_fn: `(average, current, count)` returns the new average; the mean unless given.
        multi_avg_fn: the same over lists, in place; only one of the two.
        use_buffers: average the buffers too; otherwise they are copied.

    Izmailov et al., Averaging Weights Leads to Wider Optima (arXiv:1803.05407).

    >>> model = nn.Linear(1, 1, bias=False)
    >>> averaged = optim.swa_utils.AveragedModel(model)
    >>> for weight in (1.0, 2.0, 6.0):
    ...     _ = nn.init.constant_(model.weight, weight)
    ...     averaged.update_parameters(model)
    >>> averaged.module.weight.data
    tensor([[3.]])
    """

    n_averaged: Any  # a 0-d int64 buffer

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: ListAverage | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", Tensor._wrap(np.array(0, np.int64)))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the averaged copy computes."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the model's parameters as they are now into the average."""
        if self.use_buffers:
            mine: Iterable[Any] = itertools.chain(self.module.parameters(), self.module.buffers())
            theirs: Iterable[Any] = itertools.chain(model.parameters(), model.buffers())
        else:
            mine, theirs = self.parameters(), model.parameters()
        averages: list[Any] = [t.detach() for t in mine]
        currents = [t.detach() for t in theirs]
        count = self.n_averaged
        if int(count) == 0:
            for average, current in zip(averages, currents, strict=False):
                average.copy_(current)
        elif self.multi_avg_fn is not None:
            for group in _by_dtype(averages, currents):
                self.multi_avg_fn(*group, count)
        else:
            average_of = self.avg_fn or get_swa_avg_fn()
            for average, current in zip(averages, currents, strict=False):
                average.copy_(average_of(average, current, count))
        if not self.use_buffers:
            # The averages of buffers such as running_mean mean nothing; update_bn makes new ones.
            kept: Any
            for kept, given in zip(self.module.buffers(), model.buffers(), strict=True):
                kept.detach().copy_(given.detach())
        self.n_averaged += 1


def _by_dtype(averages: list[Any], currents: list[Any]) -> Iterable[tuple[list[Any], list[Any]]]:
    groups: dict[Any, tuple[list[Any], list[Any]]] = {}
    for average, current in zip(averages, currents, strict=False):
        mine, theirs = groups.setdefault(average.dtype, ([], []))
        mine.append(average)
        theirs.append(current)
    return groups.values()


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of all batch norms in `model` afresh, in one pass.

    Args:
        loader: batches of inputs, or tuples that begin with one.
        model: what is run, in training mode.
        device: where the inputs are moved first.

    >>> model = nn.BatchNorm1d(2)
    >>> batches = [torch.tensor([[0.0, 10.0], [2.0, 30.0]]), torch.tensor([[4.0, 0.0], [6.0, 0.0]])]
    >>> optim.swa_utils.update_bn(batches, model)
    >>> model.running_mean
    tensor([ 3., 10.])
    """
    from rushlight.nn.modules.batchnorm import _BatchNorm

    momenta: dict[Any, Any] = {}
    for module in model.modules():
        if isinstance(module, _BatchNorm):
            module.reset_running_stats()
            momenta[module] = module.momentum
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.momentum = None  # the plain mean over all batches
    for batch in loader:
        inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(inputs if device is None else inputs.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)
