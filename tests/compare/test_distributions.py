"""torch.distributions against PyTorch: values, moments, samples, divergences, errors."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")


def t(m: Any, values: Any) -> Any:
    return m.tensor(values, dtype=m.float64)


def matrix(m: Any, n: int = 3, batch: tuple[int, ...] = ()) -> Any:
    """A positive definite matrix."""
    a = np.random.default_rng(5).normal(size=(*batch, n, n))
    return m.tensor(a @ a.swapaxes(-1, -2) + n * np.eye(n))


# name -> distributions, made with either package's `m` and its `m.distributions`
MADE: dict[str, Any] = {
    "Bernoulli-probs": lambda m, d: d.Bernoulli(t(m, [0.1, 0.5, 0.99])),
    "Bernoulli-edges": lambda m, d: d.Bernoulli(t(m, [0.0, 1.0])),
    "Bernoulli-logits": lambda m, d: d.Bernoulli(logits=t(m, [[-3.0, 0.0, 40.0]])),
    "Bernoulli-number": lambda m, d: d.Bernoulli(0.3),
    "Beta": lambda m, d: d.Beta(t(m, [0.5, 2.0, 30.0]), t(m, [0.7, 5.0, 1.5])),
    "Beta-number": lambda m, d: d.Beta(2.0, 3.0),
    "Binomial": lambda m, d: d.Binomial(7, t(m, [0.1, 0.5, 0.9])),
    "Binomial-mixed": lambda m, d: d.Binomial(t(m, [3.0, 50.0]), logits=t(m, [0.0, 2.0])),
    "Categorical": lambda m, d: d.Categorical(t(m, [[1.0, 2.0, 3.0], [5.0, 0.0, 1.0]])),
    "Categorical-logits": lambda m, d: d.Categorical(logits=t(m, [0.3, -2.0, 1.0])),
    "Cauchy": lambda m, d: d.Cauchy(t(m, [0.0, -2.0]), t(m, [1.0, 3.0])),
    "Chi2": lambda m, d: d.Chi2(t(m, [1.0, 7.5])),
    "ContinuousBernoulli": lambda m, d: d.ContinuousBernoulli(t(m, [0.1, 0.4995, 0.5, 0.9])),
    "ContinuousBernoulli-l": lambda m, d: d.ContinuousBernoulli(logits=t(m, [-1.0, 0.0, 3.0])),
    "Dirichlet": lambda m, d: d.Dirichlet(t(m, [[0.5, 1.0, 3.0], [5.0, 5.0, 0.3]])),
    "Exponential": lambda m, d: d.Exponential(t(m, [0.2, 1.0, 10.0])),
    "FisherSnedecor": lambda m, d: d.FisherSnedecor(t(m, [1.0, 5.0]), t(m, [3.0, 9.0])),
    "Gamma": lambda m, d: d.Gamma(t(m, [0.3, 1.0, 20.0]), t(m, [2.0, 0.5, 3.0])),
    "GeneralizedPareto": lambda m, d: d.GeneralizedPareto(
        m.tensor([0.0, 1.0, 0.0]), m.tensor([1.0, 2.0, 3.0]), m.tensor([0.3, 0.0, -0.4])
    ),  # PyTorch's accepts float32 alone
    "Geometric": lambda m, d: d.Geometric(t(m, [0.1, 0.5, 1.0])),
    "Geometric-logits": lambda m, d: d.Geometric(logits=t(m, [-1.0, 2.0])),
    "Gumbel": lambda m, d: d.Gumbel(t(m, [0.0, 3.0]), t(m, [1.0, 0.4])),
    "HalfCauchy": lambda m, d: d.HalfCauchy(t(m, [1.0, 3.0])),
    "HalfNormal": lambda m, d: d.HalfNormal(t(m, [1.0, 3.0])),
    "Independent": lambda m, d: d.Independent(
        d.Normal(m.zeros(2, 3, dtype=m.float64), m.ones(2, 3, dtype=m.float64)), 1
    ),
    "InverseGamma": lambda m, d: d.InverseGamma(t(m, [1.5, 4.0]), t(m, [1.0, 2.0])),
    "Kumaraswamy": lambda m, d: d.Kumaraswamy(t(m, [0.5, 2.0]), t(m, [0.7, 5.0])),
    "LKJCholesky": lambda m, d: d.LKJCholesky(3, t(m, [0.5, 1.0, 4.0])),
    "Laplace": lambda m, d: d.Laplace(t(m, [0.0, 3.0]), t(m, [1.0, 0.4])),
    "LogNormal": lambda m, d: d.LogNormal(t(m, [0.0, 1.0]), t(m, [1.0, 0.4])),
    "LogisticNormal": lambda m, d: d.LogisticNormal(t(m, [0.0, 1.0]), t(m, [1.0, 0.4])),
    "LowRank": lambda m, d: d.LowRankMultivariateNormal(
        t(m, [0.0, 1.0, 2.0]), t(m, [[1.0], [2.0], [0.3]]), t(m, [1.0, 0.5, 2.0])
    ),
    "Mixture": lambda m, d: d.MixtureSameFamily(
        d.Categorical(t(m, [0.2, 0.8])), d.Normal(t(m, [-1.0, 2.0]), t(m, [0.5, 1.0]))
    ),
    "Mixture-vectors": lambda m, d: d.MixtureSameFamily(
        d.Categorical(t(m, [[0.2, 0.8], [0.5, 0.5]])),
        d.Independent(d.Normal(m.zeros(2, 2, 3, dtype=m.float64), t(m, 2.0)), 1),
    ),
    "Multinomial": lambda m, d: d.Multinomial(8, t(m, [[0.2, 0.3, 0.5], [0.0, 1.0, 1.0]])),
    "MVN-cov": lambda m, d: d.MultivariateNormal(t(m, [0.0, 1.0, 2.0]), matrix(m)),
    "MVN-precision": lambda m, d: d.MultivariateNormal(
        m.zeros(2, 3, dtype=m.float64), precision_matrix=matrix(m, 3, (2,))
    ),
    "MVN-tril": lambda m, d: d.MultivariateNormal(
        t(m, [0.0, 1.0, 2.0]), scale_tril=m.linalg.cholesky(matrix(m, 3, (2,)))
    ),
    "NegativeBinomial": lambda m, d: d.NegativeBinomial(t(m, [3.0, 10.0]), t(m, [0.2, 0.7])),
    "Normal": lambda m, d: d.Normal(t(m, [0.0, 3.0]), t(m, [1.0, 0.4])),
    "Normal-number": lambda m, d: d.Normal(0.0, 2.0),
    "OneHotCategorical": lambda m, d: d.OneHotCategorical(t(m, [[1.0, 2.0, 3.0], [5.0, 0.0, 1.0]])),
    "StraightThrough": lambda m, d: d.OneHotCategoricalStraightThrough(t(m, [0.2, 0.5])),
    "Pareto": lambda m, d: d.Pareto(t(m, [1.0, 2.0, 1.0]), t(m, [0.5, 1.5, 4.0])),
    "Poisson": lambda m, d: d.Poisson(t(m, [0.3, 4.0, 60.0])),
    "RelaxedBernoulli": lambda m, d: d.RelaxedBernoulli(t(m, 0.7), t(m, [0.2, 0.9])),
    "RelaxedOneHot": lambda m, d: d.RelaxedOneHotCategorical(t(m, 0.7), t(m, [0.2, 0.9, 0.5])),
    "StudentT": lambda m, d: d.StudentT(t(m, [0.8, 1.5, 9.0]), t(m, 1.0), t(m, 2.0)),
    "Transformed": lambda m, d: d.TransformedDistribution(
        d.Normal(t(m, [0.0, 1.0]), t(m, 1.0)),
        [d.AffineTransform(1.0, t(m, [-2.0, 0.5])), d.SigmoidTransform()],
    ),
    "Uniform": lambda m, d: d.Uniform(t(m, [0.0, -3.0]), t(m, [1.0, 5.0])),
    "VonMises": lambda m, d: d.VonMises(t(m, [0.0, 2.0, 1.0]), t(m, [0.3, 4.0, 60.0])),
    "Weibull": lambda m, d: d.Weibull(t(m, [1.0, 2.0]), t(m, [0.7, 3.0])),
    "Wishart": lambda m, d: d.Wishart(t(m, 5.0), matrix(m)),
}
# PyTorch draws every sample twice, for it takes the valid ones for singular.
OTHER_SAMPLES = {"Wishart"}
LOOSE = {"VonMises": 2e-4}  # PyTorch's Bessel function has single precision


def pair(name: str) -> tuple[Any, Any]:
    make = MADE[name]
    return make(rushlight, rushlight.distributions), make(torch, torch.distributions)


def outcome(f: Any) -> Any:
    """An array, or the class of the exception."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = f()
    except (NotImplementedError, ValueError, RuntimeError, AttributeError) as err:
        return type(err)
    return value.detach().numpy() if hasattr(value, "detach") else value


def agree(ours: Any, theirs: Any, rtol: float = 1e-9, atol: float = 1e-12) -> None:
    if isinstance(theirs, type) or isinstance(ours, type):
        assert ours is theirs
        return
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    if ours.dtype == np.float32:
        rtol, atol = max(rtol, 1e-5), max(atol, 1e-6)
    np.testing.assert_allclose(ours, theirs, rtol=rtol, atol=atol)


def drawn(name: str, count: int = 40) -> np.ndarray:
    torch.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pair(name)[1].sample((count,)).numpy()


def test_every_family_is_there() -> None:
    ours, theirs = rushlight.distributions, torch.distributions
    assert set(theirs.__all__) <= set(ours.__all__)
    families = {type(make(rushlight, ours)).__name__ for make in MADE.values()}
    missing = {n for n in theirs.__all__ if n[0].isupper() and not n.endswith("Transform")}
    assert missing - families == {"Distribution", "ExponentialFamily"}
    for module in ("constraints", "utils", "kl", "transforms", "constraint_registry"):
        theirs_all = getattr(theirs, module).__all__
        assert [n for n in theirs_all if not hasattr(getattr(ours, module), n)] == []


@pytest.mark.parametrize("name", MADE)
def test_shape_and_print(name: str) -> None:
    p, q = pair(name)
    assert tuple(p.batch_shape) == tuple(q.batch_shape)
    assert tuple(p.event_shape) == tuple(q.event_shape)
    assert p.has_rsample == q.has_rsample
    assert p.has_enumerate_support == q.has_enumerate_support
    assert repr(p) == repr(q)
    assert repr(p.support) == repr(q.support)
    assert p.support.is_discrete == q.support.is_discrete
    assert p.support.event_dim == q.support.event_dim
    assert {k: repr(c) for k, c in p.arg_constraints.items()} == {
        k: repr(c) for k, c in q.arg_constraints.items()
    }


@pytest.mark.parametrize("what", ["mean", "mode", "variance", "stddev"])
@pytest.mark.parametrize("name", MADE)
def test_moments(name: str, what: str) -> None:
    if (name, what) == ("Kumaraswamy", "mode"):
        pytest.skip("PyTorch's is NaN even where there is a mode")
    p, q = pair(name)
    agree(
        outcome(lambda: getattr(p, what)), outcome(lambda: getattr(q, what)), LOOSE.get(name, 1e-9)
    )


@pytest.mark.parametrize("name", MADE)
def test_entropy(name: str) -> None:
    p, q = pair(name)
    agree(outcome(p.entropy), outcome(q.entropy))
    agree(outcome(p.perplexity), outcome(q.perplexity))


@pytest.mark.parametrize("name", MADE)
def test_log_prob_and_cdf(name: str) -> None:
    p, q = pair(name)
    x = drawn(name)
    ours, theirs = rushlight.tensor(x), torch.tensor(x)
    rtol = LOOSE.get(name, 1e-8)
    for what in ("log_prob", "cdf"):
        agree(
            outcome(lambda w=what: getattr(p, w)(ours)),
            outcome(lambda w=what: getattr(q, w)(theirs)),
            rtol,
            1e-10,
        )


@pytest.mark.parametrize("name", MADE)
def test_icdf(name: str) -> None:
    p, q = pair(name)
    u = np.linspace(0.01, 0.99, 9)
    u = u.reshape((9,) + (1,) * len(p.batch_shape)) + np.zeros(tuple(p.batch_shape))
    agree(
        outcome(lambda: p.icdf(rushlight.tensor(u))),
        outcome(lambda: q.icdf(torch.tensor(u))),
        1e-7,
        1e-9,
    )


@pytest.mark.parametrize("name", MADE)
def test_enumerate_support(name: str) -> None:
    p, q = pair(name)
    for expand in (True, False):
        agree(
            outcome(lambda e=expand: p.enumerate_support(expand=e)),
            outcome(lambda e=expand: q.enumerate_support(expand=e)),
        )


@pytest.mark.parametrize("name", [n for n in MADE if n not in OTHER_SAMPLES])
@pytest.mark.parametrize("way", ["sample", "rsample"])
def test_same_seed_same_samples(name: str, way: str) -> None:
    p, q = pair(name)
    for shape in ((), (3,), (4, 5)):
        rushlight.manual_seed(7)
        torch.manual_seed(7)
        ours = outcome(lambda s=shape: getattr(p, way)(s))
        theirs = outcome(lambda s=shape: getattr(q, way)(s))
        agree(ours, theirs, 1e-6, 1e-9)
        if not isinstance(theirs, type):
            assert rushlight.rand(()).item() == torch.rand(()).item()  # as many draws


DRAWS = {
    "gamma": lambda m: m._standard_gamma(m.linspace(0.02, 30, 200).repeat(5)),
    "dirichlet": lambda m: m._sample_dirichlet(m.linspace(0.02, 30, 300).reshape(-1, 3)),
    "binomial": lambda m: m.binomial(m.full((500,), 90.0), m.linspace(0.0, 1.0, 500)),
    "binomial-few": lambda m: m.binomial(m.arange(500.0) % 9, m.linspace(0.0, 1.0, 500)),
    "Categorical": lambda m: m.distributions.Categorical(m.arange(1.0, 9.0)).sample((50,)),
    "Normal": lambda m: m.distributions.Normal(0.0, 2.0).sample((50,)),
    "Normal-r": lambda m: m.distributions.Normal(0.0, 2.0).rsample((50,)),
    "Bernoulli": lambda m: m.distributions.Bernoulli(0.3).sample((50,)),
    "Uniform": lambda m: m.distributions.Uniform(-2.0, 3.0).sample((50,)),
}


@pytest.mark.parametrize("name", DRAWS)
def test_float32_samples_are_equal(name: str) -> None:
    found = []
    for m in (rushlight, torch):
        m.manual_seed(21)
        found.append((DRAWS[name](m).numpy(), m.rand(3).numpy()))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=3e-7)
    np.testing.assert_array_equal(found[0][1], found[1][1])


@pytest.mark.parametrize("name", MADE)
def test_expand(name: str) -> None:
    p, q = pair(name)
    shape = (2, *p.batch_shape)
    p, q = p.expand(shape), q.expand(shape)
    assert tuple(p.batch_shape) == tuple(q.batch_shape)
    assert tuple(p.event_shape) == tuple(q.event_shape)
    assert repr(p) == repr(q)
    x = np.stack([drawn(name, 2), drawn(name, 2)], 1)
    ours, theirs = (
        outcome(lambda: p.log_prob(rushlight.tensor(x))),
        outcome(lambda: q.log_prob(torch.tensor(x))),
    )
    agree(ours, theirs, LOOSE.get(name, 1e-8), 1e-10)
    agree(outcome(lambda: p.mean), outcome(lambda: q.mean))
    rushlight.manual_seed(3)
    torch.manual_seed(3)
    if name not in OTHER_SAMPLES:
        agree(outcome(lambda: p.sample((2,))), outcome(lambda: q.sample((2,))), 1e-6, 1e-9)


# ------------------------------------------------------------------------------------ divergences

# name -> the distribution of a family with the k-th set of parameters, batch shape (2,)
TWO: dict[str, Any] = {
    "Bernoulli": lambda m, d, k: d.Bernoulli(t(m, [[0.2, 0.9], [0.6, 0.5]][k])),
    "Beta": lambda m, d, k: d.Beta(
        t(m, [[0.5, 2.0], [3.0, 1.0]][k]), t(m, [[1.0, 4.0], [2.0, 0.3]][k])
    ),
    "Binomial": lambda m, d, k: d.Binomial(5, t(m, [[0.2, 0.9], [0.6, 0.5]][k])),
    "Categorical": lambda m, d, k: d.Categorical(
        t(m, [[[0.2, 0.8], [0.0, 1.0]], [[0.5, 0.5], [1, 0]]][k])
    ),
    "Cauchy": lambda m, d, k: d.Cauchy(
        t(m, [[0.0, 1.0], [2.0, 1.0]][k]), t(m, [[1.0, 2.0], [3.0, 0.5]][k])
    ),
    "ContinuousBernoulli": lambda m, d, k: d.ContinuousBernoulli(t(m, [[0.2, 0.9], [0.6, 0.5]][k])),
    "Dirichlet": lambda m, d, k: d.Dirichlet(
        t(m, [[[0.2, 0.8], [3.0, 1.0]], [[0.5, 0.5], [1, 7]]][k])
    ),
    "Exponential": lambda m, d, k: d.Exponential(t(m, [[0.5, 2.0], [3.0, 1.0]][k])),
    "Gamma": lambda m, d, k: d.Gamma(
        t(m, [[0.5, 2.0], [3.0, 1.0]][k]), t(m, [[1.0, 4.0], [2.0, 0.3]][k])
    ),
    "Geometric": lambda m, d, k: d.Geometric(t(m, [[0.2, 0.9], [0.6, 0.5]][k])),
    "Gumbel": lambda m, d, k: d.Gumbel(
        t(m, [[0.0, 1.0], [2.0, 1.0]][k]), t(m, [[1.0, 2.0], [3.0, 0.5]][k])
    ),
    "HalfNormal": lambda m, d, k: d.HalfNormal(t(m, [[0.5, 2.0], [3.0, 1.0]][k])),
    "Independent": lambda m, d, k: d.Independent(
        d.Normal(t(m, [[0.0, 1.0], [k, 3.0]]), t(m, [[1.0, 2.0], [3.0, 0.5]])), 1
    ),
    "Laplace": lambda m, d, k: d.Laplace(
        t(m, [[0.0, 1.0], [2.0, 1.0]][k]), t(m, [[1.0, 2.0], [3.0, 0.5]][k])
    ),
    "LogNormal": lambda m, d, k: d.LogNormal(
        t(m, [[0.0, 1.0], [2.0, 1.0]][k]), t(m, [[1.0, 2.0], [3.0, 0.5]][k])
    ),
    "LowRank": lambda m, d, k: d.LowRankMultivariateNormal(
        t(m, [[0.0, 1.0], [2.0, k]]), t(m, [[1.0], [2.0 - k]]), t(m, [[1.0, 2.0], [3.0, 0.5]][k])
    ),
    "MVN": lambda m, d, k: d.MultivariateNormal(
        t(m, [[0.0, 1.0], [2.0, k]]), t(m, [[2.0, 0.5], [0.5, 1.0 + k]])
    ),
    "NegativeBinomial": lambda m, d, k: d.NegativeBinomial(5, t(m, [[0.2, 0.9], [0.6, 0.5]][k])),
    "Normal": lambda m, d, k: d.Normal(
        t(m, [[0.0, 1.0], [2.0, 1.0]][k]), t(m, [[1.0, 2.0], [3.0, 0.5]][k])
    ),
    "OneHotCategorical": lambda m, d, k: d.OneHotCategorical(
        t(m, [[[0.2, 0.8], [0.0, 1.0]], [[0.5, 0.5], [1, 0]]][k])
    ),
    "Pareto": lambda m, d, k: d.Pareto(
        t(m, [[0.5, 2.0], [0.4, 3.0]][k]), t(m, [[1.5, 4.0], [2.5, 3.0]][k])
    ),
    "Poisson": lambda m, d, k: d.Poisson(t(m, [[0.5, 2.0], [3.0, 1.0]][k])),
    "Uniform": lambda m, d, k: d.Uniform(
        t(m, [[0.1, 0.5], [-1.0, 0.4]][k]), t(m, [[0.4, 0.9], [2.0, 3.0]][k])
    ),
    "Wide": lambda m, d, k: d.Uniform(t(m, [-1.0, 1.0]), t(m, [3.0, 9.0])),
}


@pytest.mark.parametrize("name", TWO)
def test_kl_of_every_pair(name: str) -> None:
    compared = 0
    for second in TWO:
        ours, theirs = (
            outcome(
                lambda m=m, second=second: m.distributions.kl_divergence(
                    TWO[name](m, m.distributions, 0), TWO[second](m, m.distributions, 1)
                )
            )
            for m in (rushlight, torch)
        )
        agree(ours, theirs, 1e-7, 1e-9)
        compared += isinstance(theirs, np.ndarray)
    assert compared >= (0 if name in ("NegativeBinomial",) else 1)


def test_kl_says_which_pair_is_missing() -> None:
    for m in (rushlight, torch):
        d = m.distributions
        with pytest.raises(NotImplementedError, match=r"No KL\(p \|\| q\) .* StudentT .* Cauchy"):
            d.kl_divergence(d.StudentT(3.0), d.Cauchy(0.0, 1.0))


# -------------------------------------------------------------------------------------- gradients


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("Normal", lambda d, a, b: d.Normal(a, b)),
        ("Gamma", lambda d, a, b: d.Gamma(a, b)),
        ("Beta", lambda d, a, b: d.Beta(a, b)),
        ("Dirichlet", lambda d, a, b: d.Dirichlet(a * b)),
        ("StudentT", lambda d, a, b: d.StudentT(a + 2, a, b)),
        ("Laplace", lambda d, a, b: d.Laplace(a, b)),
        ("Weibull", lambda d, a, b: d.Weibull(a, b)),
        ("Kumaraswamy", lambda d, a, b: d.Kumaraswamy(a, b)),
        ("Gumbel", lambda d, a, b: d.Gumbel(a, b)),
        ("RelaxedBernoulli", lambda d, a, b: d.RelaxedBernoulli(b, logits=a)),
        ("RelaxedOneHot", lambda d, a, b: d.RelaxedOneHotCategorical(b.sum(), logits=a)),
        ("StraightThrough", lambda d, a, b: d.OneHotCategoricalStraightThrough(logits=a * b)),
        ("MVN", lambda d, a, b: d.MultivariateNormal(a, scale_tril=(b * 0.1 + 1).diag())),
        ("InverseGamma", lambda d, a, b: d.InverseGamma(a, b)),
        ("FisherSnedecor", lambda d, a, b: d.FisherSnedecor(a, b)),
    ],
)
def test_gradients_through_samples(name: str, make: Any) -> None:
    found = []
    for m in (rushlight, torch):
        a = m.tensor([0.7, 2.0, 6.0], dtype=m.float64, requires_grad=True)
        b = m.tensor([1.5, 0.4, 3.0], dtype=m.float64, requires_grad=True)
        d = make(m.distributions, a, b)
        m.manual_seed(11)
        x = d.rsample((4,))
        weights = m.arange(x.numel(), dtype=m.float64).reshape(x.shape) + 1
        loss = (x * weights).sum()
        if name != "StraightThrough":
            loss = loss + d.log_prob(x.detach()).sum()
        loss.backward()
        found.append([a.grad.numpy(), None if b.grad is None else b.grad.numpy()])
    for ours, theirs in zip(*found, strict=True):
        if theirs is None:
            assert ours is None
        else:
            # PyTorch's own approximation of the implicit gradient is good to about 1e-3
            np.testing.assert_allclose(ours, theirs, rtol=3e-3, atol=1e-6)


# ----------------------------------------------------------------------------------------- errors

ERRORS = {
    "scale": lambda m, d: d.Normal(0.0, -1.0),
    "nan": lambda m, d: d.Normal(m.tensor([math.nan, 1.0]), 1.0),
    "simplex": lambda m, d: d.Categorical(m.tensor([-1.0, 2.0])),
    "both": lambda m, d: d.Categorical(m.ones(2), m.ones(2)),
    "neither": lambda m, d: d.Bernoulli(),
    "0-d": lambda m, d: d.Categorical(m.tensor(1.0)),
    "low": lambda m, d: d.Uniform(1.0, 0.0),
    "value": lambda m, d: d.Exponential(1.0).log_prob(m.tensor([-1.0])),
    "class": lambda m, d: d.Categorical(m.ones(3)).log_prob(m.tensor(3)),
    "shape": lambda m, d: d.Normal(m.zeros(3), 1.0).log_prob(m.zeros(2)),
    "event": lambda m, d: d.Dirichlet(m.ones(3)).log_prob(m.ones(2)),
    "number": lambda m, d: d.Normal(0.0, 1.0).log_prob(1.0),
    "string": lambda m, d: d.Normal("a", 1.0),
    "geometric": lambda m, d: d.Geometric(0.0),
    "independent": lambda m, d: d.Independent(d.Normal(0.0, 1.0), 1),
    "mvn": lambda m, d: d.MultivariateNormal(m.zeros(2)),
    "not definite": lambda m, d: d.MultivariateNormal(m.zeros(2), -m.eye(2)),
    "mixture": lambda m, d: d.MixtureSameFamily(d.Categorical(m.ones(3)), d.Normal(m.ones(2), 1.0)),
    "lkj": lambda m, d: d.LKJCholesky(1),
    "transforms": lambda m, d: d.TransformedDistribution(d.Normal(0.0, 1.0), 3),
    "registry": lambda m, d: d.biject_to(d.constraints.boolean),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error_texts(name: str) -> None:
    with pytest.raises(Exception) as theirs:  # noqa: PT011  (whatever PyTorch raises)
        ERRORS[name](torch, torch.distributions)
    with pytest.raises(theirs.type) as ours:
        ERRORS[name](rushlight, rushlight.distributions)
    wanted = str(theirs.value).split("\n")[0]
    assert str(ours.value).split("\n")[0] == wanted


# ------------------------------------------------------------------------ transforms, constraints

TRANSFORMS = {
    "exp": (lambda d: d.ExpTransform(), (2, 3)),
    "sigmoid": (lambda d: d.SigmoidTransform(), (2, 3)),
    "softplus": (lambda d: d.SoftplusTransform(), (2, 3)),
    "tanh": (lambda d: d.TanhTransform(), (2, 3)),
    "affine": (lambda d: d.AffineTransform(1.0, -2.0), (2, 3)),
    "affine-event": (lambda d: d.AffineTransform(1.0, -2.0, event_dim=1), (2, 3)),
    "stick": (lambda d: d.StickBreakingTransform(), (2, 3)),
    "corr": (lambda d: d.CorrCholeskyTransform(), (2, 6)),
    "reshape": (lambda d: d.ReshapeTransform((6,), (2, 3)), (2, 6)),
    "independent": (lambda d: d.IndependentTransform(d.ExpTransform(), 1), (2, 3)),
    "compose": (lambda d: d.ComposeTransform([d.TanhTransform(), d.AffineTransform(0, 3)]), (2, 3)),
    "stack": (lambda d: d.StackTransform([d.ExpTransform(), d.TanhTransform()], 0), (2, 3)),
    "cat": (lambda d: d.CatTransform([d.ExpTransform(), d.TanhTransform()], 1, [1, 2]), (2, 3)),
    "cdf": (lambda d: d.CumulativeDistributionTransform(d.Normal(0.0, 1.0)), (2, 3)),
    "softmax": (lambda d: d.SoftmaxTransform(), (2, 3)),
    "cholesky": (lambda d: d.LowerCholeskyTransform(), (2, 3, 3)),
    "definite": (lambda d: d.PositiveDefiniteTransform(), (2, 3, 3)),
    "abs": (lambda d: d.AbsTransform(), (2, 3)),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_transforms(name: str) -> None:
    make, shape = TRANSFORMS[name]
    x = np.random.default_rng(2).normal(size=shape)
    results = []
    for m in (rushlight, torch):
        f = make(m.distributions)
        v = m.tensor(x)
        y = f(v)
        results.append(
            [
                y.numpy(),
                outcome(lambda f=f, y=y: f.inv(y)),
                outcome(lambda f=f, v=v, y=y: f.log_abs_det_jacobian(v, y)),
                tuple(f.forward_shape(v.shape)),
                tuple(f.inverse_shape(y.shape)),
                repr(f),
                repr(f.inv),
                repr(f.domain),
                repr(f.codomain),
                f.bijective,
                outcome(lambda f=f: f.sign),
                f.codomain.check(y).all().item(),
                f.with_cache()._cache_size,
            ]
        )
    for ours, theirs in zip(*results, strict=True):
        if isinstance(theirs, np.ndarray):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)
        else:
            assert ours == theirs


CONSTRAINTS = [
    "boolean",
    "real",
    "positive",
    "nonnegative",
    "unit_interval",
    "nonnegative_integer",
    "positive_integer",
    "simplex",
    "one_hot",
    "real_vector",
    "lower_triangular",
    "lower_cholesky",
    "corr_cholesky",
    "square",
    "symmetric",
    "positive_definite",
    "positive_semidefinite",
]


@pytest.mark.parametrize("name", CONSTRAINTS)
def test_constraints(name: str) -> None:
    values = [
        [[0.0, 1.0], [1.0, 0.0]],
        [[1.0, 0.0], [0.0, 1.0]],
        [[0.25, 0.75], [-1.0, 2.0]],
        [[1.0, 0.0], [0.6, 0.8]],
        [[2.0, 1.0], [1.0, 2.0]],
        [[3.0, math.nan], [math.inf, -2.0]],
    ]
    for value in values:
        if "definite" in name and not np.isfinite(value).all():
            continue
        ours, theirs = (getattr(m.distributions.constraints, name) for m in (rushlight, torch))
        np.testing.assert_array_equal(
            ours.check(rushlight.tensor(value)).numpy(), theirs.check(torch.tensor(value)).numpy()
        )
    assert repr(ours) == repr(theirs)
    for registry in ("biject_to", "transform_to"):
        assert outcome(
            lambda r=registry: repr(getattr(rushlight.distributions, r)(ours))
        ) == outcome(lambda r=registry: repr(getattr(torch.distributions, r)(theirs)))
