"""`ExponentialFamily`: densities ``exp(<t(x), theta> - F(theta) + k(x))``. Entropy by autograd."""

from __future__ import annotations

from typing import Any

import rushlight as rl

from ..tensor import Tensor
from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """The base of families with natural parameters theta and a log normalizer F, whose density is
    `exp(t(x) . theta - F(theta) + k(x))`; entropies and divergences come from F and its gradient.

    Source: Nielsen and Nock, Entropies and cross-entropies of exponential families, 2010.

    >>> isinstance(torch.distributions.Normal(0.0, 1.0), torch.distributions.ExponentialFamily)
    True
    """

    @property
    def _natural_params(self) -> Any:
        """The natural parameters, a tuple of tensors."""
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Any) -> Any:
        """F of the natural parameters."""
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        """The expected value of k."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        """``F - <theta, grad F> - E k``: the Bregman divergence of F."""
        params = [p.detach()._require_grad() for p in self._natural_params]
        with rl.enable_grad():
            normalizer = self._log_normalizer(*params)
            slopes = rl.autograd.grad(normalizer.sum(), params, create_graph=True)
        result = normalizer - self._mean_carrier_measure
        for p, slope in zip(params, slopes, strict=True):
            result = result - (p * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return result  # type: ignore[no-any-return]
