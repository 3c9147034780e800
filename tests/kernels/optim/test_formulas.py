"""The update formulas: numbers of a step, and that every reader gets the same from each text."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from rushlight.kernels.optim import formulas
from rushlight.kernels.optim.reference import Arrays

COMMON = {"lr": 0.1, "weight_decay": 0.0, "maximize": False, "decoupled_weight_decay": False,
          "betas": (0.8, 0.9), "eps": 1e-3}  # fmt: skip


def settings(**more: Any) -> SimpleNamespace:
    return SimpleNamespace(**{**COMMON, **more})


class Plain(formulas.Operators):
    """The primitives on arrays that are never overwritten."""

    sqrt_ = sqrt = staticmethod(np.sqrt)
    abs = staticmethod(np.abs)
    sign = staticmethod(np.sign)
    maximum_ = staticmethod(np.maximum)
    clip_ = staticmethod(np.clip)
    where = staticmethod(np.where)

    @staticmethod
    def set_(x: Any, y: Any) -> Any:
        return y


CASES = {  # formula: its settings, what its numbers are made of beside them, how many states
    "sgd": ({"momentum": 0.9, "dampening": 0.5, "nesterov": True}, (False,), 1),
    "asgd": ({"lambd": 0.1, "alpha": 0.75, "t0": 1.0}, (3, 0.1, 0.5), 1),
    "adam": ({}, (2,), 3),
    "adamax": ({}, (2,), 2),
    "nadam": ({"momentum_decay": 0.004}, (2, 0.6), 2),
    "radam": ({}, (8,), 2),
    "adagrad": ({"lr_decay": 0.2}, (2,), 1),
    "adadelta": ({"rho": 0.9}, (2,), 2),
    "rmsprop": ({"alpha": 0.9, "momentum": 0.5}, (2,), 3),
    "rprop": ({"etas": (0.5, 1.2), "step_sizes": (1e-6, 50)}, (2,), 2),
}


def numbers_of(name: str, **more: Any) -> dict[str, Any]:
    given, rest, _ = CASES[name]
    found = getattr(formulas, f"{name}_numbers")(settings(**given, **more), *rest)
    return dict(found[0] if isinstance(found, tuple) else found)


PENALTIES = [{}, {"weight_decay": 0.3, "maximize": True},
             {"weight_decay": 0.3, "decoupled_weight_decay": True}]  # fmt: skip


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("more", PENALTIES)
def test_readers_agree(name: str, more: dict[str, Any], rng: np.random.Generator) -> None:
    """In place by NumPy, and by operators: the same bits; what comes back is what was written."""
    count = CASES[name][2]
    k = SimpleNamespace(**numbers_of(name, **more))
    p, g, *states = rng.random((2 + count, 6, 5)) + 0.1
    g = g - 0.6
    formula = getattr(formulas, name)
    wanted = formula(Plain(), k, p, g, *states)
    xp, mine = Arrays(), [p.copy(), g.copy(), *(s.copy() for s in states)]
    xp._begin(mine[0])
    found = formula(xp, k, *mine)
    assert len(wanted) == len(found) == 1 + count
    for place, got, value in zip((mine[0], *mine[2:]), found, wanted, strict=True):
        assert got is place
        np.testing.assert_array_equal(place, value)
    np.testing.assert_array_equal(mine[1], g)


def run(name: str, p: Any, g: Any, *states: Any, **more: Any) -> tuple[Any, ...]:
    k = SimpleNamespace(**numbers_of(name, **more))
    arrays = [None if a is None else np.array([a], np.float64) for a in (p, g, *states)]
    found = getattr(formulas, name)(Plain(), k, *arrays)
    return tuple(None if a is None else float(a[0]) for a in found)


def test_sgd() -> None:
    assert run("sgd", 1.0, 2.0, None) == (1 - 0.1 * 2, None)
    average = 0.9 * 3 + 0.5 * 2
    assert run("sgd", 1.0, 2.0, 3.0) == pytest.approx((1 - 0.1 * (2 + 0.9 * average), average))
    first = formulas.sgd_numbers(settings(**CASES["sgd"][0]), True)
    assert not first["damps"]
    assert first["share"] == 1


def test_adam() -> None:
    """Three steps in all, the bias taken out of both averages."""
    m, v = 0.8 * 0.5 + 0.2 * 2, 0.9 * 0.3 + 0.1 * 4
    step = 0.1 * (m / (1 - 0.8**3)) / (math.sqrt(v / (1 - 0.9**3)) + 1e-3)
    assert run("adam", 1.0, 2.0, 0.5, 0.3, None) == pytest.approx((1 - step, m, v, None))
    largest = run("adam", 1.0, 2.0, 0.5, 0.3, 9.0)
    assert largest[3] == 9
    assert largest[0] > 1 - step
    assert formulas.adam_numbers(settings(), 2)[1] == (3,)


def test_adamax_nadam_adagrad() -> None:
    m, u = 0.8 * 0.5 + 0.2 * 2, max(0.9 * 3, 2 + 1e-3)
    assert run("adamax", 1.0, 2.0, 0.5, 3.0) == pytest.approx(
        (1 - 0.1 / (1 - 0.8**3) * m / u, m, u)
    )
    v = 0.9 * 0.3 + 0.1 * 4
    mu = 0.8 * (1 - 0.5 * 0.96 ** (3 * 0.004))
    after = 0.8 * (1 - 0.5 * 0.96 ** (4 * 0.004))
    root = math.sqrt(v / (1 - 0.9**3)) + 1e-3
    step = 0.1 * ((1 - mu) / (1 - 0.6 * mu) * 2 + after / (1 - 0.6 * mu * after) * m) / root
    assert run("nadam", 1.0, 2.0, 0.5, 0.3) == pytest.approx((1 - step, m, v))
    total = 5.0 + 4
    assert run("adagrad", 1.0, 2.0, 5.0) == pytest.approx(
        (1 - 0.1 / 1.4 * 2 / (math.sqrt(total) + 1e-3), total)
    )


def test_adadelta_rmsprop() -> None:
    square = 0.9 * 0.3 + 0.1 * 4
    delta = math.sqrt(0.7 + 1e-3) / math.sqrt(square + 1e-3) * 2
    assert run("adadelta", 1.0, 2.0, 0.3, 0.7) == pytest.approx(
        (1 - 0.1 * delta, square, 0.9 * 0.7 + 0.1 * delta**2)
    )
    mean = 0.9 * 0.1 + 0.1 * 2
    buffer = 0.5 * 0.4 + 2 / (math.sqrt(square - mean**2) + 1e-3)
    assert run("rmsprop", 1.0, 2.0, 0.3, 0.4, 0.1) == pytest.approx(
        (1 - 0.1 * buffer, square, buffer, mean)
    )


def test_radam_trusts_the_variance_late() -> None:
    """The first steps are momentum alone."""
    def rectifies(t: int) -> bool:
        return bool(formulas.radam_numbers(settings(betas=(0.9, 0.999)), t)[0]["rectifies"])

    assert [rectifies(t) for t in range(8)] == [False] * 5 + [True] * 3
    m = 0.8 * 0.5 + 0.2 * 2
    early = formulas.radam_numbers(settings(), 0)[0]
    k = SimpleNamespace(**early)
    p, *_ = formulas.radam(Plain(), k, *(np.array([v]) for v in (1.0, 2.0, 0.5, 0.3)))
    assert p[0] == pytest.approx(1 - 0.1 / (1 - 0.8) * m)
    longest, v = 2 / (1 - 0.9) - 1, 0.9 * 0.3 + 0.1 * 4
    rho = longest - 2 * 9 * 0.9**9 / (1 - 0.9**9)  # step 9
    share = (rho - 4) * (rho - 2) * longest / ((longest - 4) * (longest - 2) * rho)
    step = 0.1 * m / (1 - 0.8**9) * math.sqrt(share) * math.sqrt(1 - 0.9**9)
    wanted = 1 - step / (math.sqrt(v) + 1e-3)
    assert run("radam", 1.0, 2.0, 0.5, 0.3) == pytest.approx((wanted, m, v))


@pytest.mark.parametrize(("g", "last", "size", "kept", "step"), [
    (2.0, 1.0, 1.2, 2.0, -1.2), (-2.0, 1.0, 0.5, 0.0, 0.0), (2.0, 0.0, 1.0, 2.0, -1.0),
    (-2.0, -1.0, 1.2, -2.0, 1.2),
])  # fmt: skip
def test_rprop(g: float, last: float, size: float, kept: float, step: float) -> None:
    """Sizes grow while signs stay; after a change of sign an element waits."""
    assert run("rprop", 1.0, g, last, 1.0) == pytest.approx((1 + step, kept, size))


def test_asgd() -> None:
    p = (1 - 0.1 * 0.1) * 1.0 - 0.1 * 2
    assert run("asgd", 1.0, 2.0, 5.0) == pytest.approx((p, 5 + 0.5 * (p - 5)))
    h = settings(**CASES["asgd"][0])
    k, (step, eta, mu) = formulas.asgd_numbers(h, 0, 0.1, 1)
    assert not k["averages"]
    assert (step, mu) == (1, 1)
    assert eta == pytest.approx(0.1 / (1 + 0.1 * 0.1) ** 0.75, rel=1e-6)


def test_a_penalty_of_zero_counts_where_it_is_recorded() -> None:
    """A Tensor that asks for its gradient, though it is 0 now."""
    watched = SimpleNamespace(requires_grad=True)
    assert formulas._nonzero(watched)
    assert not formulas._nonzero(0.0)
    assert numbers_of("adagrad", weight_decay=0.3)["decays"]
    assert not numbers_of("adagrad")["decays"]
