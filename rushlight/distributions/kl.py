"""Kullback-Leibler divergences: the registry, and the pairs of one family.

    KL(p || q) = E_p [log p(x) - log q(x)]

Pairs of two families are in `kl_mixed.py`.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import rushlight as rl

from ..tensor import Tensor
from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .exp_family import ExponentialFamily
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import Gumbel
from .half_normal import HalfNormal
from .independent import Independent
from .laplace import Laplace
from .lowrank_multivariate_normal import LowRankMultivariateNormal, _log_det, _mahalanobis
from .multivariate_normal import MultivariateNormal, _batch_mahalanobis, _log_diagonal
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import _sum_rightmost, euler_constant

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY: dict[tuple[type, type], Callable[[Any, Any], Any]] = {}
_KL_MEMOIZE: dict[tuple[type, type], Any] = {}


def register_kl(type_p: type, type_q: type) -> Any:
    """A decorator: the function computes KL(p || q) for these classes and their subclasses.

    Of several that fit, the one nearest to the classes of p and q is used. Where that is not clear,
    the one whose p is nearer wins, with a warning.

    >>> class Mine(torch.distributions.Normal):
    ...     pass
    >>> @torch.distributions.register_kl(Mine, Mine)
    ... def kl(p, q):
    ...     return torch.tensor(7.0)
    >>> torch.distributions.kl_divergence(Mine(0.0, 1.0), Mine(0.0, 1.0))
    tensor(7.)
    """
    if not isinstance(type_p, type):
        raise TypeError(f"Expected type_p to be a class but got {type_p}")
    if not isinstance(type_q, type):
        raise TypeError(f"Expected type_q to be a class but got {type_q}")

    def decorator(fun: Any) -> Any:
        _KL_REGISTRY[type_p, type_q] = fun
        _KL_MEMOIZE.clear()
        return fun

    return decorator


def _dispatch_kl(type_p: type, type_q: type) -> Any:
    fits = [
        pair for pair in _KL_REGISTRY if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])
    ]
    if not fits:
        return NotImplemented
    # how far up each class lies; the nearest pair by p first, and by q first
    distance = [(type_p.mro().index(p), type_q.mro().index(q), p, q) for p, q in fits]
    by_p = min(distance, key=lambda d: (d[0], d[1]))
    by_q = min(distance, key=lambda d: (d[1], d[0]))
    left, right = _KL_REGISTRY[by_p[2:]], _KL_REGISTRY[by_q[2:]]
    if left is not right:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl("
            f"{by_p[2].__name__}, {by_q[3].__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return left


def kl_divergence(p: Any, q: Any) -> Tensor:
    """KL(p || q), one number for each place of the batch.

    Raises:
        NotImplementedError: nothing is registered for this pair of classes.

    Example:
        >>> import rushlight as torch
        >>> from rushlight.distributions import Normal
        >>> kl_divergence(Normal(0.0, 1.0), Normal(1.0, 1.0))
        tensor(0.5000)
    """
    pair = type(p), type(q)
    fun = _KL_MEMOIZE.get(pair)
    if fun is None:
        fun = _KL_MEMOIZE[pair] = _dispatch_kl(*pair)
    if fun is NotImplemented:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {pair[0].__name__} and q type "
            f"{pair[1].__name__}"
        )
    return fun(p, q)  # type: ignore[no-any-return]


def infinite_like(t: Any) -> Any:
    """A divergence that is infinite everywhere: q excludes values of p."""
    return rl.full_like(t, math.inf)


def xlogx(t: Any) -> Any:
    return rl.xlogy(t, t)


# ------------------------------------------------------------------------------------- one number


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Any:
    success = p.probs * (
        rl.nn.functional.softplus(-q.logits) - rl.nn.functional.softplus(-p.logits)
    )
    success = success.masked_fill(q.probs == 0, math.inf).masked_fill(p.probs == 0, 0)
    failure = (1 - p.probs) * (
        rl.nn.functional.softplus(q.logits) - rl.nn.functional.softplus(p.logits)
    )
    failure = failure.masked_fill(q.probs == 1, math.inf).masked_fill(p.probs == 1, 0)
    return success + failure


@register_kl(Beta, Beta)
def _beta(p: Any, q: Any) -> Any:
    a, b, c, d = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    log_p, log_q = rl.lgamma(a) + rl.lgamma(b), rl.lgamma(c) + rl.lgamma(d)
    sums = rl.lgamma(a + b) - rl.lgamma(c + d)
    slopes = (a - c) * rl.digamma(a) + (b - d) * rl.digamma(b)
    return sums + log_q - log_p + slopes - (a + b - c - d) * rl.digamma(a + b)


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Any:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count")
    logs = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return (p.total_count * logs).masked_fill(p.total_count > q.total_count, math.inf)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Any, q: Any) -> Any:
    spread = (p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)
    return spread.log() - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: Any, q: Any) -> Any:
    norms = p._cont_bern_log_norm() - q._cont_bern_log_norm()
    return p.mean * (p.logits - q.logits) + norms + rl.log1p(-p.probs) - rl.log1p(-q.probs)


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Any:
    ratio = q.rate / p.rate
    return ratio - 1 - ratio.log()


@register_kl(Gamma, Gamma)
def _gamma(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    norms = rl.lgamma(b) - rl.lgamma(a) + b * (p.rate / q.rate).log()
    return norms + (a - b) * rl.digamma(a) + (q.rate - p.rate) * (a / p.rate)


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Any:
    return -p.entropy() - rl.log1p(-q.probs) / p.probs - q.logits


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Any, q: Any) -> Any:
    ratio, shift = p.scale / q.scale, (q.loc - p.loc) / q.scale
    norms = -ratio.log() - shift + ratio * euler_constant
    return norms + rl.exp(shift + rl.lgamma(1 + ratio)) - (1 + euler_constant)


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Any:
    ratio, distance = p.scale / q.scale, (p.loc - q.loc).abs()
    return -ratio.log() + distance / q.scale + ratio * rl.exp(-distance / p.scale) - 1


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Any:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: Any, q: Any) -> Any:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Pareto, Pareto)
def _pareto(p: Any, q: Any) -> Any:
    ratio, scale = q.alpha / p.alpha, p.scale / q.scale
    result = q.alpha * scale.log() - ratio.log() + ratio - 1
    return result.masked_fill(p.support.lower_bound < q.support.lower_bound, math.inf)


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Any:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Any:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), math.inf)


# ---------------------------------------------------------------------------------------- vectors


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Any:
    terms = p.probs * (p.logits - q.logits)
    terms = terms.masked_fill(q.probs == 0, math.inf)
    return terms.masked_fill(p.probs == 0, 0).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: Any, q: Any) -> Any:
    return _categorical(p._categorical, q._categorical)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Any, q: Any) -> Any:
    a, b = p.concentration, q.concentration
    total = a.sum(-1)
    norms = rl.lgamma(total) - rl.lgamma(b.sum(-1)) + (rl.lgamma(b) - rl.lgamma(a)).sum(-1)
    return norms + ((a - b) * (rl.digamma(a) - rl.digamma(total).unsqueeze(-1))).sum(-1)


def _same_size(p: Any, q: Any) -> None:
    if p.event_shape != q.event_shape:
        kind = f"{type(p).__name__} and {type(q).__name__}"
        raise ValueError(
            f"KL-divergence between {kind} with different event shapes cannot be computed"
        )


def _trace(q_factor: Any, p_factor: Any) -> Any:
    """tr(Q^-1 P) of matrices Q and P given by (lower triangular) factors."""
    shape = rl.broadcast_shapes(q_factor.shape[:-2], p_factor.shape[:-2])
    q_factor = q_factor.expand(shape + q_factor.shape[-2:])
    p_factor = p_factor.expand(shape + p_factor.shape[-2:])
    return rl.linalg.solve_triangular(q_factor, p_factor, upper=False).pow(2).sum((-2, -1))


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p: Any, q: Any) -> Any:
    _same_size(p, q)
    ours, theirs = p._unbroadcasted_scale_tril, q._unbroadcasted_scale_tril
    distance = _batch_mahalanobis(theirs, q.loc - p.loc)
    half_log_det = _log_diagonal(theirs) - _log_diagonal(ours)
    return half_log_det + 0.5 * (_trace(theirs, ours) + distance - p.event_shape[0])


def _low_rank_trace(q: Any, *p_roots: Any) -> Any:
    """tr(Q^-1 P) for a low-rank q by Woodbury, P being the sum of R R^T over the roots R."""
    w, d, factor = q._parts()
    scaled = w.mT / d.unsqueeze(-2)
    total: Any = 0
    for root in p_roots:
        total = total + (root.pow(2) / d.unsqueeze(-1)).sum((-2, -1))
        total = total - _trace(factor, scaled @ root)
    return total


def _low_rank_q(p: Any, q: Any, p_log_det: Any, *p_roots: Any) -> Any:
    _same_size(p, q)
    w, d, factor = q._parts()
    distance = _mahalanobis(w, d, q.loc - p.loc, factor)
    log_det = _log_det(w, d, factor) - p_log_det
    return 0.5 * (log_det + distance + _low_rank_trace(q, *p_roots) - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_rank_both(p: Any, q: Any) -> Any:
    w, d, factor = p._parts()
    return _low_rank_q(p, q, _log_det(w, d, factor), w, rl.diag_embed(d.sqrt()))


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _full_low_rank(p: Any, q: Any) -> Any:
    factor = p._unbroadcasted_scale_tril
    return _low_rank_q(p, q, 2 * _log_diagonal(factor), factor)


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_rank_full(p: Any, q: Any) -> Any:
    _same_size(p, q)
    w, d, factor = p._parts()
    theirs = q._unbroadcasted_scale_tril
    trace = _trace(theirs, w) + _trace(theirs, rl.diag_embed(d.sqrt()))
    log_det = 2 * _log_diagonal(theirs) - _log_det(w, d, factor)
    distance = _batch_mahalanobis(theirs, q.loc - p.loc)
    return 0.5 * (log_det + distance + trace - p.event_shape[0])


# --------------------------------------------------------------------------------- made of others


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: Any, q: Any) -> Any:
    """The Bregman divergence of the log normalizer (Nielsen and Nock 2010)."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot be computed "
            "using Bregman divergences"
        )
    ours = [t.detach()._require_grad() for t in p._natural_params]
    theirs = q._natural_params
    with rl.enable_grad():
        normalizer = p._log_normalizer(*ours)
        slopes = rl.autograd.grad(normalizer.sum(), ours, create_graph=True)
    result = q._log_normalizer(*theirs) - normalizer
    for a, b, slope in zip(ours, theirs, slopes, strict=True):
        result = result - _sum_rightmost((b - a) * slope, len(q.event_shape))
    return result


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: Any, q: Any) -> Any:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    extra = len(p.event_shape) - len(p.base_dist.event_shape)
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), extra)


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Any:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    each = kl_divergence(p.base_dist, q.base_dist)
    return _sum_rightmost(each, p.reinterpreted_batch_ndims)


def _add_kl_info() -> None:
    """List the registered pairs in the documentation of `kl_divergence`."""
    pairs = sorted({f"{p.__name__}, {q.__name__}" for p, q in _KL_REGISTRY})
    kl_divergence.__doc__ = f"{kl_divergence.__doc__}\n    Pairs: {'; '.join(pairs)}.\n    "
