"""Families against their definitions: densities that integrate to 1, samples that follow them."""

from __future__ import annotations

import math
import pickle
from typing import Any

import pytest

import rushlight as torch
from rushlight import distributions as D
from rushlight.autograd import gradcheck

REAL: dict[str, tuple[Any, float, float]] = {  # name -> distribution, and where nearly all of it is
    "Normal": (D.Normal(1.0, 0.7), -6.0, 8.0),
    "Uniform": (D.Uniform(-1.0, 2.0), -0.9999, 1.9999),
    "Beta": (D.Beta(2.0, 3.5), 0.0, 1.0),
    "Gamma": (D.Gamma(3.0, 2.0), 1e-6, 20.0),
    "Chi2": (D.Chi2(5.0), 1e-6, 60.0),
    "Exponential": (D.Exponential(1.3), 0.0, 20.0),
    "Laplace": (D.Laplace(0.5, 0.6), -12.0, 13.0),
    "LogNormal": (D.LogNormal(0.0, 0.4), 1e-6, 12.0),
    "HalfNormal": (D.HalfNormal(1.5), 0.0, 15.0),
    "Gumbel": (D.Gumbel(0.3, 0.5), -1.2, 7.0),
    "StudentT": (D.StudentT(7.0, 0.2, 0.5), -40.0, 40.0),
    "VonMises": (D.VonMises(0.4, 2.0), -math.pi, math.pi),
    "Kumaraswamy": (D.Kumaraswamy(2.0, 3.0), 1e-6, 1 - 1e-6),
    "Weibull": (D.Weibull(1.0, 2.0), 1e-6, 8.0),
    "Pareto": (D.Pareto(1.0, 5.0), 1.0, 60.0),
    "ContinuousBernoulli": (D.ContinuousBernoulli(0.3), 0.0, 1.0),
    "InverseGamma": (D.InverseGamma(6.0, 3.0), 1e-3, 60.0),
    "FisherSnedecor": (D.FisherSnedecor(6.0, 20.0), 1e-6, 80.0),
    "GeneralizedPareto": (D.GeneralizedPareto(0.0, 1.0, 0.1), 0.0, 100.0),
    "RelaxedBernoulli": (D.RelaxedBernoulli(torch.tensor(1.5), 0.4), 1e-6, 1 - 1e-6),
    "Mixture": (
        D.MixtureSameFamily(
            D.Categorical(torch.tensor([0.3, 0.7])), D.Normal(torch.tensor([-1.0, 2.0]), 0.5)
        ),
        -5.0,
        6.0,
    ),
}


def grid(name: str) -> tuple[Any, Any, Any]:
    """A distribution in float64, points, and their density."""
    d, low, high = REAL[name]
    x = torch.linspace(low, high, 40001, dtype=torch.float64)
    return d, x, d.log_prob(x).exp()


@pytest.mark.parametrize("name", REAL)
def test_density_integrates_to_one(name: str) -> None:
    _, x, density = grid(name)
    assert torch.trapezoid(density, x).item() == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize("name", REAL)
def test_samples_follow_the_density(name: str) -> None:
    d, x, density = grid(name)
    torch.manual_seed(5)
    samples = d.sample((4000,)).double()
    cdf = torch.cumulative_trapezoid(density, x)
    cdf = torch.cat([torch.zeros(1, dtype=torch.float64), cdf])
    ordered = samples.sort().values
    place = torch.searchsorted(x, ordered).clamp(max=len(x) - 1)
    empirical = (torch.arange(len(ordered)) + 0.5) / len(ordered)
    # Kolmogorov's distance: above 2 / sqrt(n) once in 1500 samples of a right sampler
    assert (cdf[place] - empirical).abs().max().item() < 2 / math.sqrt(len(ordered)) + 2e-3


@pytest.mark.parametrize("name", REAL)
def test_cdf_is_the_integral(name: str) -> None:
    d, x, density = grid(name)
    try:
        cdf = d.cdf(x)
    except NotImplementedError:
        pytest.skip("no cdf")
    ours = torch.cumulative_trapezoid(density, x) + cdf[0]
    assert (ours - cdf[1:]).abs().max().item() < 2e-3


@pytest.mark.parametrize(
    "make",
    [
        lambda: D.Poisson(4.0),
        lambda: D.Binomial(9, torch.tensor(0.3)),
        lambda: D.Geometric(0.3),
        lambda: D.NegativeBinomial(4.0, torch.tensor(0.4)),
        lambda: D.Bernoulli(0.3),
        lambda: D.Categorical(torch.tensor([0.1, 0.5, 0.4])),
    ],
)
def test_discrete_samples_follow_the_probabilities(make: Any) -> None:
    d = make()
    torch.manual_seed(6)
    samples = d.sample((4000,)).long()
    top = int(samples.max())
    p = d.log_prob(torch.arange(top + 1).float()).exp()
    assert float(p.sum()) == pytest.approx(1.0, abs=0.01)
    assert (torch.bincount(samples) / 4000 - p).abs().max().item() < 0.04


def leaf(*values: float) -> Any:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize(
    "make",
    [
        lambda a, b: D.Normal(a, b),
        lambda a, b: D.Laplace(a, b),
        lambda a, b: D.Gamma(a, b),
        lambda a, b: D.Beta(a, b),
        lambda a, b: D.StudentT(a + 1, a, b),
        lambda a, b: D.Weibull(a, b),
        lambda a, b: D.Kumaraswamy(a, b),
        lambda a, b: D.LogNormal(a, b),
        lambda a, b: D.InverseGamma(a, b),
        lambda a, b: D.FisherSnedecor(a, b),
        lambda a, b: D.Dirichlet(torch.stack([a, b, a + b], -1)),
        lambda a, b: D.RelaxedBernoulli(b, logits=a),
    ],
)
def test_gradient_of_log_prob(make: Any) -> None:
    a, b = leaf(0.7, 2.5), leaf(1.5, 0.6)
    torch.manual_seed(1)
    x = make(a, b).sample((3,)).clamp(max=0.98)
    if isinstance(make(a, b), D.Dirichlet):
        x = x / x.sum(-1, keepdim=True)
    assert gradcheck(lambda a, b: make(a, b).log_prob(x), (a, b))


@pytest.mark.parametrize("concentration", [0.05, 0.5, 1.0, 3.0, 8.5, 40.0, 3000.0, 3e5])
def test_gamma_samples_move_along_their_quantile(concentration: float) -> None:
    """dx/da keeps cdf(x; a): gammainc itself is the witness."""
    a = torch.tensor(concentration, dtype=torch.float64)
    torch.manual_seed(2)
    x = D.Gamma(a, torch.ones((), dtype=torch.float64)).sample((50,))
    x = x[x > 1e-3]
    h = 1e-4 * concentration
    slope = torch._standard_gamma_grad(a.expand(x.shape), x)
    up = torch.special.gammainc((a + h).expand(x.shape), x + h * slope)
    down = torch.special.gammainc((a - h).expand(x.shape), x - h * slope)
    scale = D.Gamma(a, 1.0).log_prob(x).exp() * 2 * h
    assert ((up - down).abs() / scale).max().item() < 2e-3


def test_beta_gradient_of_known_cases() -> None:
    """Beta(a, 1) has x = u^(1/a): dx/da = -x log(x) / a."""
    x = torch.linspace(0.01, 0.99, 30, dtype=torch.float64)
    for a in (0.3, 1.0, 7.0):
        alpha = torch.full_like(x, a)
        slope = torch._dirichlet_grad(x, alpha, alpha + 1) * (1 - x)
        torch.testing.assert_close(slope, -x * x.log() / a, rtol=1e-10, atol=1e-14)
        # Beta(1, b): x = 1 - u^(1/b), whose 1 - x moves as above
        slope = torch._dirichlet_grad(1 - x, alpha, alpha + 1) * x
        torch.testing.assert_close(slope, -(1 - x) * (-x).log1p() / a, rtol=1e-10, atol=1e-14)


def test_binomial_and_gamma_of_edges() -> None:
    assert torch.binomial(
        torch.tensor([0.0, 5.0, 5.0]), torch.tensor([0.5, 0.0, 1.0])
    ).tolist() == [
        0.0,
        0.0,
        5.0,
    ]
    with pytest.raises(RuntimeError, match="expected scalar type"):
        torch.binomial(torch.ones(2), torch.ones(2, dtype=torch.float64))
    assert torch._standard_gamma(torch.zeros(3)).gt(0).all()  # the smallest number, not 0
    assert torch._standard_gamma(torch.empty(0)).shape == (0,)
    assert torch._sample_dirichlet(torch.full((2, 3), 1e-3)).isfinite().all()


# ----------------------------------------------------------------------------------- the base class


def test_policy_gradient_step() -> None:
    logits = torch.zeros(3, requires_grad=True)
    d = D.Categorical(logits=logits)
    torch.manual_seed(0)
    action = d.sample()
    (-d.log_prob(action) * 2.0).backward()
    wanted = torch.full((3,), 2 / 3)
    wanted[action] -= 2
    torch.testing.assert_close(logits.grad, wanted)


def test_lazy_parameters_are_computed_once_and_with_gradients() -> None:
    probs = torch.tensor([0.2, 0.8], requires_grad=True)
    d = D.Categorical(probs=probs)
    with torch.no_grad():
        logits = d.logits
    assert logits is d.logits
    assert logits.requires_grad


class Shifted(D.Normal):
    """A subclass with a constructor of its own, but no expand."""

    def __init__(self, loc: Any) -> None:
        super().__init__(loc + 1, 1.0)


class Narrow(D.Distribution):
    """A user's family, with nothing but a sampler."""

    arg_constraints: Any = {}  # noqa: RUF012

    def rsample(self, sample_shape: Any = ()) -> Any:
        return torch.zeros(self._extended_shape(sample_shape))


def test_subclasses_of_users() -> None:
    with pytest.raises(NotImplementedError, match=r"must also define a custom .expand\(\) method"):
        Shifted(torch.zeros(2)).expand((3, 2))
    d = Narrow(torch.Size((2,)))
    assert d.sample((3,)).shape == (3, 2)
    with pytest.raises(NotImplementedError):
        d.expand((4, 2))
    with pytest.raises(NotImplementedError, match="does not implement mode"):
        _ = d.mode
    with pytest.warns(UserWarning, match="does not define `support`"):
        d._validate_sample(torch.zeros(2))
    with pytest.warns(FutureWarning, match="sample_n"):
        d.sample_n(2)


def test_checks_can_be_turned_off() -> None:
    D.Normal(0.0, -1.0, validate_args=False)
    before = D.Distribution._validate_args
    D.Distribution.set_default_validate_args(False)
    try:
        D.Normal(0.0, -1.0)
    finally:
        D.Distribution.set_default_validate_args(before)
    with pytest.raises(ValueError, match="set_default_validate_args"):
        D.Distribution.set_default_validate_args(3)  # type: ignore[arg-type]


def test_register_kl_prefers_the_nearest_classes() -> None:
    class Left(D.Normal):
        pass

    class Right(D.Normal):
        pass

    registry = dict(D.kl._KL_REGISTRY)
    try:
        D.register_kl(Left, D.Normal)(lambda p, q: "left")
        D.register_kl(D.Normal, Right)(lambda p, q: "right")
        p, q = Left(0.0, 1.0), Right(0.0, 1.0)
        assert D.kl_divergence(p, p) == "left"
        with pytest.warns(RuntimeWarning, match=r"Ambiguous kl_divergence\(Left, Right\)"):
            assert D.kl_divergence(p, q) == "left"
        assert float(D.kl_divergence(D.Normal(0.0, 1.0), p)) == 0.0
    finally:
        D.kl._KL_REGISTRY.clear()
        D.kl._KL_REGISTRY.update(registry)
        D.kl._KL_MEMOIZE.clear()
    with pytest.raises(TypeError, match="Expected type_p to be a class"):
        D.register_kl(3, D.Normal)  # type: ignore[arg-type]


def test_transform_cache_keeps_the_value_it_came_from() -> None:
    tanh = D.TanhTransform(cache_size=1)
    x = torch.tensor([30.0])  # tanh is 1, whose inverse is infinite
    assert tanh.inv(tanh(x)) is x
    with pytest.raises(ValueError, match="cache_size must be 0 or 1"):
        D.ExpTransform(cache_size=2)


@pytest.mark.parametrize("name", REAL)
def test_pickle(name: str) -> None:
    d = REAL[name][0]
    again = pickle.loads(pickle.dumps(d))
    assert repr(again) == repr(d)
