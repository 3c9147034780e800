"""Special functions against mpmath in 40 digits, in units of the last place, and at the values
where definitions branch."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels.special import bessel, gamma
from rushlight.kernels.special import reference as libm

mp = pytest.importorskip("mpmath")
inf, nan = np.inf, np.nan
rng = np.random.default_rng(20)


def lin(a, b, n=60):
    return rng.uniform(a, b, n)


def log(a, b, n=60):
    return np.exp(rng.uniform(np.log(a), np.log(b), n))


def both(x):
    return np.concatenate([x, -x])


def normal(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def loggamma(x):
    return mp.log(abs(mp.gamma(x)))


# function, reference, points, allowed error in ulp of float64 (float32 is always allowed 0.51)
CASES = {
    "erf": (libm.erf, mp.erf, both(np.r_[log(1e-300, 1), lin(0, 6.5)]), 2),
    "erfc": (libm.erfc, mp.erfc, np.r_[lin(-6, 26), both(log(1e-10, 1))], 4),
    "erfcx": (
        libm.erfcx,
        lambda x: mp.exp(x * x) * mp.erfc(x),
        np.r_[lin(-26, 60), log(1, 1e9)],
        5,
    ),
    "erfinv": (
        libm.erfinv,
        mp.erfinv,
        both(np.r_[log(1e-30, 1), lin(0, 1), 1 - log(1e-15, 0.1)]),
        5,
    ),
    "ndtr": (libm.ndtr, normal, np.r_[lin(-38, 9), lin(-2, 2)], 5),
    "log_ndtr": (libm.log_ndtr, lambda x: mp.log(normal(x)), np.r_[lin(-38, 8), lin(-2, 2)], 9),
    "ndtri": (libm.ndtri, lambda p: -mp.sqrt(2) * mp.erfinv(1 - 2 * p), lin(1e-9, 1), 6),
    "logit": (libm.logit, lambda x: mp.log(x / (1 - x)), lin(0, 1), 3),
    "expit": (libm.expit, lambda x: 1 / (1 + mp.exp(-x)), lin(-80, 40), 3),
    "lgamma": (
        gamma.lgamma,
        loggamma,
        np.r_[log(1e-30, 1), lin(0, 12), 1 + log(1e-15, 0.1), log(8, 1e30)],
        5,
    ),
    "digamma": (gamma.digamma, mp.digamma, np.r_[log(1e-30, 1), lin(0, 12), log(8, 1e30)], 5),
    "digamma next to its zero": (
        gamma.digamma,
        mp.digamma,
        1.4616321449683622 + lin(-1e-3, 1e-3),
        5,
    ),
    "trigamma": (
        gamma.trigamma,
        lambda x: mp.polygamma(1, x),
        np.r_[lin(-20, 12), log(1, 1e9)],
        6,
    ),
    "polygamma 2": (
        lambda x: gamma.polygamma(2, x),
        lambda x: mp.polygamma(2, x),
        np.r_[log(1e-9, 1), lin(0, 15)],
        6,
    ),
    "i0": (bessel.i0, lambda x: mp.besseli(0, x), both(np.r_[lin(0, 20), lin(20, 80)]), 5),
    "i1": (bessel.i1, lambda x: mp.besseli(1, x), both(np.r_[lin(0, 20), lin(20, 80)]), 5),
    "k0": (bessel.k0, lambda x: mp.besselk(0, x), np.r_[log(1e-9, 1), lin(0, 60)], 6),
    "k1": (bessel.k1, lambda x: mp.besselk(1, x), np.r_[log(1e-9, 1), lin(0, 60)], 6),
    "i0e": (bessel.i0e, lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), both(lin(0, 90)), 4),
    "i1e": (bessel.i1e, lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), both(lin(0, 90)), 4),
}


def ulps(got, reference, points):
    wanted = [reference(mp.mpf(float(x))) for x in points]
    unit = np.spacing(np.abs(np.array([float(w) for w in wanted]).astype(got.dtype)))
    return max(
        float(abs(mp.mpf(float(g)) - w) / mp.mpf(float(u)))
        for g, w, u in zip(got, wanted, unit, strict=True)
    )


@pytest.mark.long
@pytest.mark.parametrize("name", CASES)
def test_error_in_ulps(name):
    function, reference, points, allowed = CASES[name]
    with mp.workdps(40):
        assert ulps(function(points), reference, points) <= allowed
        single = points.astype(np.float32)
        single = single[
            (np.abs(single) > 1e-37) & (np.abs(single) < 1e37) & (single != np.round(single))
        ]
        got = function(single)
        assert got.dtype == np.float32
        finite = np.isfinite(got)
        assert ulps(got[finite], reference, single[finite]) <= 0.51


@pytest.mark.slow
@pytest.mark.parametrize("name", ["j0", "j1", "y0", "y1"])
def test_bessel_error_relative_to_the_envelope(name):
    function = getattr(bessel, "bessel_" + name)
    reference = {"j": mp.besselj, "y": mp.bessely}[name[0]]
    points = np.r_[lin(0.5, 8), lin(8, 100), log(100, 1e7)]
    with mp.workdps(40):
        wanted = [reference(int(name[1]), mp.mpf(x)) for x in points]
        errors = [
            float(abs(mp.mpf(float(g)) - w)) * np.sqrt(x)
            for g, w, x in zip(function(points), wanted, points, strict=True)
        ]
    assert max(errors) < 2e-15


@pytest.mark.long
def test_incomplete_gamma_functions():
    a = np.r_[log(1e-3, 1e3, 150), log(1e3, 1e5, 10)]
    x = a * log(0.2, 5, 160)
    with mp.workdps(40):
        for function, low in ((gamma.igamma, True), (gamma.igammac, False)):
            for got, u, v in zip(function(a, x), a, x, strict=True):
                wanted = (
                    mp.gammainc(u, 0, v, regularized=True)
                    if low
                    else mp.gammainc(u, v, mp.inf, regularized=True)
                )
                if wanted > 1e-300:
                    assert abs(got - wanted) <= 2e-12 * wanted, (u, v)


def test_a_long_array_does_not_wait_for_a_factor_that_never_settles():
    x = np.linspace(2.4, 30, 8192)
    got = gamma.igammac(np.full_like(x, 2.5), x)
    with mp.workdps(40):
        for i in range(0, x.size, 400):
            wanted = mp.gammainc(2.5, x[i], mp.inf, regularized=True)
            assert abs(got[i] - wanted) <= 2e-14 * wanted, x[i]


def test_hurwitz_zeta():
    s, q = lin(1.05, 20, 80), lin(0.01, 30, 80)
    got = gamma.zeta(s, q)
    with mp.workdps(60):
        wanted = np.array([float(mp.zeta(mp.mpf(u), mp.mpf(v))) for u, v in zip(s, q, strict=True)])
    np.testing.assert_allclose(got, wanted, rtol=2e-14)


SPECIAL = [
    (libm.erf, [0, -0.0, inf, -inf, nan, 5e-324], [0, -0.0, 1, -1, nan, 5e-324]),
    (libm.erfc, [0, inf, -inf, nan, 30, -30], [1, 0, 2, nan, 0, 2]),
    (libm.erfcx, [0, inf, -inf, nan], [1, 0, inf, nan]),
    (libm.erfinv, [0, -0.0, 1, -1, 1.1, -2, nan], [0, -0.0, inf, -inf, nan, nan, nan]),
    (libm.ndtr, [0, inf, -inf, nan], [0.5, 1, 0, nan]),
    (libm.ndtri, [0, 0.5, 1, -1, 2, nan], [-inf, 0, inf, nan, nan, nan]),
    (libm.log_ndtr, [inf, -inf, nan], [0, -inf, nan]),
    (libm.expit, [0, inf, -inf, nan, -800], [0.5, 1, 0, nan, 0]),
    (libm.logsigmoid, [0, inf, -inf, nan, -800], [-np.log(2), 0, -inf, nan, -800]),
    (libm.logit, [0, 1, 0.5, 2, nan], [-inf, inf, 0, nan, nan]),
    (libm.entr, [0, 1, -1, inf, nan], [0, 0, -inf, -inf, nan]),
    (libm.sinc, [0, 1, 0.5, inf, nan], [1, 0, 2 / np.pi, nan, nan]),
    (gamma.lgamma, [0, -0.0, 1, 2, -1, inf, -inf, nan], [inf, inf, 0, 0, inf, inf, inf, nan]),
    (gamma.digamma, [0, -0.0, -1, inf, nan], [-inf, inf, nan, inf, nan]),
    (gamma.trigamma, [0, inf, nan], [inf, 0, nan]),
    # at infinity PyTorch's are NaN, not the limits; so are these
    (bessel.i0, [0, inf, -inf, nan], [1, nan, nan, nan]),
    (bessel.i1, [0, inf, -inf, nan], [0, nan, nan, nan]),
    (bessel.i0e, [0, inf, -inf, nan], [1, 0, 0, nan]),
    (bessel.bessel_j0, [0, inf, nan], [1, nan, nan]),
    (bessel.bessel_y0, [0, -1, inf, nan], [-inf, nan, nan, nan]),
    (bessel.bessel_y1, [0, -1, inf, nan], [-inf, nan, nan, nan]),
]


@pytest.mark.parametrize(
    ("function", "points", "wanted"), SPECIAL, ids=lambda v: getattr(v, "__name__", "")
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_special_values(function, points, wanted, dtype):
    got = function(np.array(points, dtype))
    np.testing.assert_allclose(got, np.array(wanted, dtype), rtol=1e-6, atol=0)
    if function in (libm.erf, libm.erfinv):
        zero = got == 0
        np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(np.array(wanted)[zero]))


def test_two_argument_zeros():
    x, y = np.array([0.0, 0, 0, 0, 2]), np.array([0.0, -1, inf, nan, 3])
    np.testing.assert_allclose(libm.xlogy(x, y), [0, 0, 0, nan, 2 * np.log(3)])
    np.testing.assert_allclose(libm.xlog1py(x, y), [0, 0, 0, nan, 2 * np.log(4)])


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (200, 300)])
def test_shapes_and_layouts(shape):
    x = rng.normal(size=shape)
    wanted = libm.erf(x.reshape(-1)).reshape(shape)
    assert libm.erf(x).shape == shape
    np.testing.assert_array_equal(libm.erf(x.T), wanted.T)
    np.testing.assert_array_equal(
        libm.erf(x[..., ::2] if x.ndim else x), wanted[..., ::2] if x.ndim else wanted
    )
    assert libm.erf(np.broadcast_to(x, (2, *shape))).shape == (2, *shape)
