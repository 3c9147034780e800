"""The chi-squared distribution: a sum of squared normal numbers."""

from __future__ import annotations

from typing import Any, ClassVar

from ..tensor import Tensor
from . import constraints
from .gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """``Gamma(df / 2, 1 / 2)``: the sum of the squares of `df` standard normal numbers.

    Args:
        df: degrees of freedom, positive.

    Example:
        >>> import rushlight as torch
        >>> torch.distributions.Chi2(torch.tensor([3.0])).mean
        tensor([3.])
    """

    arg_constraints: ClassVar[Any] = {"df": constraints.positive}
    _expands = Gamma._expands

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Tensor:
        """Degrees of freedom."""
        return self.concentration * 2
