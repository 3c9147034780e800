"""Kullback-Leibler divergences between two families.

    KL(p || q) = -entropy(p) - E_p log q(x)

Each family q needs few expectations of p: the mean, the variance, E log x, or E exp(-t x). So there
is one formula for each q, and one expectation for each p. Where q excludes values that p may take,
the divergence is infinite. The registry is in `kl.py`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import rushlight as rl

from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .continuous_bernoulli import ContinuousBernoulli
from .exponential import Exponential
from .gamma import Gamma
from .gumbel import Gumbel
from .kl import infinite_like, register_kl, xlogx
from .laplace import Laplace
from .normal import Normal
from .pareto import Pareto
from .poisson import Poisson
from .uniform import Uniform
from .utils import euler_constant

# ---------------------------------------------------------------------------- expectations under p


def _mean_log_uniform(p: Any) -> Any:
    return (xlogx(p.high) - xlogx(p.low)) / (p.high - p.low) - 1


MEAN_LOG: dict[type, Callable[[Any], Any]] = {
    Beta: lambda p: rl.digamma(p.concentration1) - rl.digamma(p.concentration1 + p.concentration0),
    Exponential: lambda p: -euler_constant - p.rate.log(),
    Gamma: lambda p: rl.digamma(p.concentration) - p.rate.log(),
    Pareto: lambda p: p.scale.log() + p.alpha.reciprocal(),
    Uniform: _mean_log_uniform,
}
"""E log x."""

MEAN_EXP: dict[type, Callable[[Any, Any], Any]] = {
    Exponential: lambda p, t: p.rate / (p.rate + t),
    Gamma: lambda p, t: (1 + t / p.rate).pow(-p.concentration),
    Normal: lambda p, t: rl.exp(-p.loc * t + 0.5 * (p.scale * t).pow(2)),
    Uniform: lambda p, t: (rl.exp(-p.low * t) - rl.exp(-p.high * t)) / ((p.high - p.low) * t),
}
"""E exp(-t x)."""


def _heavy(p: Any, moment: int, result: Any) -> Any:
    """Infinite where a Pareto p has no such moment."""
    return result.masked_fill(p.alpha <= moment, math.inf) if isinstance(p, Pareto) else result


def _outside(result: Any, *conditions: Any) -> Any:
    for condition in conditions:
        result = result.masked_fill(condition, math.inf)
    return result


# ------------------------------------------------------------------------------- one formula a q


def _to_exponential(p: Any, q: Any) -> Any:
    result = -p.entropy() - q.rate.log() + q.rate * p.mean
    result = _heavy(p, 1, result)
    return _outside(result, p.low < 0) if isinstance(p, Uniform) else result


def _to_gamma(kind: type) -> Any:
    mean_log = MEAN_LOG[kind]

    def divergence(p: Any, q: Any) -> Any:
        c, rate = q.concentration, q.rate
        log_q = c * rate.log() - rl.lgamma(c) + (c - 1) * mean_log(p) - rate * p.mean
        result = _heavy(p, 1, -p.entropy() - log_q)
        return _outside(result, p.low < 0) if isinstance(p, Uniform) else result

    return divergence


def _to_normal(p: Any, q: Any) -> Any:
    distance = (p.variance + (p.mean - q.loc).pow(2)) / (2 * q.scale.pow(2))
    result = -p.entropy() + 0.5 * math.log(2 * math.pi) + q.scale.log() + distance
    return _heavy(p, 2, result)


def _to_gumbel(kind: type) -> Any:
    mean_exp = MEAN_EXP[kind]

    def divergence(p: Any, q: Any) -> Any:
        tail = rl.exp(q.loc / q.scale) * mean_exp(p, q.scale.reciprocal())
        return -p.entropy() + q.scale.log() + (p.mean - q.loc) / q.scale + tail

    return divergence


def _to_continuous_bernoulli(p: Any, q: Any) -> Any:
    log_q = p.mean * q.logits + rl.log1p(-q.probs) + q._cont_bern_log_norm()
    result = -p.entropy() - log_q
    return _outside(result, p.low < 0, p.high > 1) if isinstance(p, Uniform) else result


def _unit_to_uniform(p: Any, q: Any) -> Any:
    """p on [0, 1]."""
    return _outside(-p.entropy() + (q.high - q.low).log(), q.low > 0, q.high < 1)


_kind: type
for _kind in (Beta, ContinuousBernoulli, Gamma, Pareto, Uniform):
    register_kl(_kind, Exponential)(_to_exponential)
for _kind in (Beta, Exponential, Pareto, Uniform):
    register_kl(_kind, Gamma)(_to_gamma(_kind))
for _kind in (Beta, ContinuousBernoulli, Exponential, Gamma, Gumbel, Laplace, Pareto, Uniform):
    register_kl(_kind, Normal)(_to_normal)
for _kind in (Exponential, Gamma, Normal, Uniform):
    register_kl(_kind, Gumbel)(_to_gumbel(_kind))
for _kind in (Beta, Uniform):
    register_kl(_kind, ContinuousBernoulli)(_to_continuous_bernoulli)
for _kind in (Beta, ContinuousBernoulli):
    register_kl(_kind, Uniform)(_unit_to_uniform)


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Any, q: Any) -> Any:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Normal, Laplace)
def _normal_laplace(p: Any, q: Any) -> Any:
    z = (p.loc - q.loc) / p.scale
    near = math.sqrt(2 / math.pi) * rl.exp(-0.5 * z.pow(2)) + z * rl.erf(z * math.sqrt(0.5))
    return -p.entropy() + (2 * q.scale).log() + p.scale * near / q.scale


@register_kl(Uniform, Beta)
def _uniform_beta(p: Any, q: Any) -> Any:
    a, b = q.concentration1, q.concentration0
    mean_log = _mean_log_uniform(p)
    mean_log_rest = (xlogx(1 - p.low) - xlogx(1 - p.high)) / (p.high - p.low) - 1
    log_beta = rl.lgamma(a) + rl.lgamma(b) - rl.lgamma(a + b)
    result = -p.entropy() + log_beta - (a - 1) * mean_log - (b - 1) * mean_log_rest
    return _outside(result, p.high > 1, p.low < 0)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p: Any, q: Any) -> Any:
    log_q = q.alpha.log() + q.alpha * q.scale.log() - (q.alpha + 1) * _mean_log_uniform(p)
    return _outside(-p.entropy() - log_q, p.low < q.scale)


# ------------------------------------------------------------------------------ always infinite


def _infinite(p: Any, q: Any) -> Any:
    return infinite_like(p.mean)


_UNBOUNDED: dict[type, tuple[type, ...]] = {
    Beta: (Pareto,),
    ContinuousBernoulli: (Pareto,),
    Exponential: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gamma: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gumbel: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Laplace: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Normal: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Pareto: (Beta, ContinuousBernoulli, Uniform),
    Poisson: (Bernoulli, Binomial),
}
for _kind, _others in _UNBOUNDED.items():
    for _other in _others:
        register_kl(_kind, _other)(_infinite)
