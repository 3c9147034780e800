"""Averaging over groups of several sizes: every few steps the smallest, now and then a larger one.

Wang et al., "SlowMo"/hierarchical SGD, arXiv:2010.12998.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from ...setup import new_subgroups
from . import averagers, utils

__all__ = ["HierarchicalModelAverager"]


class HierarchicalModelAverager(averagers.ModelAverager):
    """Averages over the largest group whose period has come.

    Args:
        period_group_size_dict: period -> group size, in increasing order of both; the last size is
            that of the whole group.
        warmup_steps: in which nothing is averaged.
        process_group: None: all ranks.

    Raises:
        ValueError: the last size is not that of the group, a period is not positive, or the number
            of warm-up steps is negative.

    Example, on 8 ranks: pairs every 2 steps, all every 8::

        HierarchicalModelAverager(OrderedDict([(2, 2), (8, 8)]), warmup_steps=100)
    """

    def __init__(
        self,
        period_group_size_dict: OrderedDict[int, int] | None = None,
        warmup_steps: int = 0,
        process_group: Any = None,
    ) -> None:
        super().__init__(process_group)
        if not period_group_size_dict:
            raise ValueError("Arg ``period_group_size_dict`` must not be empty.")
        self._periods = list(period_group_size_dict)
        sizes = list(period_group_size_dict.values())
        if self._periods[0] <= 0:
            raise ValueError(
                "The minimum period in arg ``period_group_size_dict`` must be a positive value."
            )
        if sizes[-1] != self.process_group.size():
            raise ValueError(
                f"The last value in arg ``period_process_group_dict`` {sizes[-1]} must be equal to "
                f"the size of arg ``process_group`` {self.process_group.size()}."
            )
        if warmup_steps < 0:
            raise ValueError("Arg ``warmup_steps`` must be a non-negative number.")
        self.warmup_steps = warmup_steps
        self.period_process_group_dict: OrderedDict[int, Any] = OrderedDict()
        for period, size in period_group_size_dict.items():
            whole = size == self.process_group.size()
            self.period_process_group_dict[period] = (
                self.process_group if whole else new_subgroups(size, self.process_group)[0]
            )

    def _find_process_group(self) -> Any:
        """The largest group whose period divides the step; None when there is none."""
        for period in reversed(self._periods):
            if self.step % period == 0:
                return self.period_process_group_dict[period]
        return None

    def average_parameters(self, params: Iterable[Any]) -> None:
        """Average over the group whose time it is, if it is that of any."""
        if self.step >= self.warmup_steps:
            group = self._find_process_group()
            if group is not None:
                utils.average_parameters_or_parameter_groups(params, group)
        self.step += 1
