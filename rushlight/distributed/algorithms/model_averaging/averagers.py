"""When models are averaged: every few steps. Lin et al., arXiv:1808.07217."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from ...group import default
from . import utils

__all__ = ["ModelAverager", "PeriodicModelAverager"]


class ModelAverager(ABC):
    """Averages models over the ranks of a group; None: all.

    Attributes:
        step: how often `average_parameters` was called.
    """

    def __init__(self, process_group: Any = None) -> None:
        self.process_group = process_group if process_group is not None else default()
        self.step = 0

    @abstractmethod
    def average_parameters(self, params: Iterable[Any]) -> None:
        """Called after each step of the optimiser."""
        raise NotImplementedError


class PeriodicModelAverager(ModelAverager):
    """Averages in every `period`-th step, after the first `warmup_steps`.

    Args:
        period: 1 averages in each step, which DistributedDataParallel does better.
        warmup_steps: in which nothing is averaged.
        process_group: None: all ranks.

    Raises:
        ValueError: a negative number of steps, or no period.

    Example::

        averager = PeriodicModelAverager(period=4, warmup_steps=100)
        optimizer.step()
        averager.average_parameters(model.parameters())
    """

    def __init__(self, period: int, warmup_steps: int = 0, process_group: Any = None) -> None:
        super().__init__(process_group)
        if warmup_steps < 0:
            raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
        if period < 1:
            raise ValueError("Arg ``period`` must be a positive value.")
        if period == 1:
            warnings.warn(
                "When period is 1, no need to use model averaging because the communication cost "
                "of all-reducing parameters will be no less than the cost of all-reducing "
                "gradients by DistributedDataParallel in the backward pass. Therefore, only "
                "DistributedDataParallel should be used for this case.",
                stacklevel=2,
            )
        self.period, self.warmup_steps = period, warmup_steps

    def average_parameters(self, params: Iterable[Any]) -> None:
        """Average parameters, or those of an optimiser's groups, if it is time."""
        past = self.step - self.warmup_steps
        if past >= 0 and past % self.period == 0:
            utils.average_parameters_or_parameter_groups(params, self.process_group)
        self.step += 1
