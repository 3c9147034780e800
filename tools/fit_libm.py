"""Makes `rushlight/kernels/special/tables.py`: the polynomials behind the special functions.

Run `python tools/fit_libm.py > rushlight/kernels/special/tables.py` (needs mpmath). Each table is a
Chebyshev fit in 60 digits over t in [-1, 1], written as monomials with the highest power first. The
number of terms is the smallest whose error is below 2**-55 of the function. Nothing imports this
file.
"""

from __future__ import annotations

import mpmath as mp

mp.mp.dps = 60


def fit(f, most=40, eps=2.0**-55):
    """Monomials (highest first) of the smallest Chebyshev fit of f on [-1, 1] that is below eps,
    relative to max |f|."""
    nodes = [mp.cos(mp.pi * (2 * k + 1) / (2 * most)) for k in range(most)]
    values = [f(t) for t in nodes]
    scale = max(abs(v) for v in values)
    cheb = [
        2
        * mp.fsum(v * mp.cos(j * mp.pi * (2 * k + 1) / (2 * most)) for k, v in enumerate(values))
        / most
        for j in range(most)
    ]
    cheb[0] /= 2
    terms = most
    while mp.fsum(abs(c) for c in cheb[terms - 1 :]) < eps * scale:
        terms -= 1
    rows = [[mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]]
    while len(rows) < terms:
        up = [mp.mpf(0)] + [2 * c for c in rows[-1]]
        for i, c in enumerate(rows[-2]):
            up[i] -= c
        rows.append(up)
    mono = [mp.mpf(0)] * terms
    for c, row in zip(cheb[:terms], rows, strict=False):
        for i, r in enumerate(row):
            mono[i] += c * r
    return mono[::-1]


def rational(f, low, high, top, bottom, rounds=12):
    """P, Q (lowest first, Q[0] = 1) with P(z)/Q(z) near f(z) in the relative sense: reweighted
    linear least squares."""
    nodes = [low + (high - low) * (1 + mp.cos(mp.pi * (2 * k + 1) / 400)) / 2 for k in range(200)]
    weights = [mp.mpf(1)] * 200
    values = [f(z) for z in nodes]
    for _ in range(rounds):
        rows, right = [], []
        for z, v, w in zip(nodes, values, weights, strict=True):
            rows.append(
                [w * z**i / v for i in range(top + 1)] + [-w * z**i for i in range(1, bottom + 1)]
            )
            right.append(w)
        solution = mp.lu_solve(mp.matrix(rows), mp.matrix(right))
        p = list(solution[: top + 1])
        q = [mp.mpf(1), *solution[top + 1 :]]
        den = [mp.polyval(q[::-1], z) for z in nodes]
        errors = [
            abs(mp.polyval(p[::-1], z) / d / v - 1)
            for z, v, d in zip(nodes, values, den, strict=True)
        ]
        worst = max(errors)
        weights = [1 / abs(d) for d in den]
    print(f"# largest relative error {mp.nstr(worst, 3)}")
    return p, q


def show(name, numbers, note):
    print(f"# {note}")
    print(f"{name} = (")
    for number in numbers:
        print(f"    {float(number)!r},")
    print(")")


def show_split(name, number, note):
    """A constant as the sum of two doubles, for differences that must not lose digits."""
    high = mp.mpf(float(number))
    print(f"{name} = ({float(high)!r}, {float(number - high)!r})  # {note}")


def erfcx(x):
    return mp.exp(x * x) * mp.erfc(x)


def phase(order):
    """P and Q of the large-x form J + iY = sqrt(2 / (pi x)) (P + iQ) exp(i (x - (2 order + 1) pi /
    4)), as functions of x."""

    def both(x):
        hankel = mp.besselj(order, x) + 1j * mp.bessely(order, x)
        turn = mp.exp(-1j * (x - (2 * order + 1) * mp.pi / 4))
        return hankel * turn * mp.sqrt(mp.pi * x / 2)

    return both


def main():
    print(
        '"""Polynomials of the special functions. '
        'Written by tools/fit_libm.py: change that, not this."""'
    )
    print()
    one = mp.mpf(1)
    p, q = rational(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z), one / 10**8, mp.mpf(16), 6, 6)
    show("ERF32_P", p[::-1], "erf(x)/x = P(x*x)/Q(x*x) for |x| <= 4, enough for float32")
    show("ERF32_Q", q[::-1], "its denominator")
    show(
        "ERF",
        fit(
            lambda t: (
                mp.erf(mp.sqrt((t + 1 + one / 10**40) / 2)) / mp.sqrt((t + 1 + one / 10**40) / 2)
            )
        ),
        "erf(x)/x, t = 2*x*x - 1, |x| <= 1",
    )
    show(
        "ERFCX",
        fit(
            lambda t: (
                (1 + 2 * (4 * (1 + t) / (1 - t))) * erfcx(4 * (1 + t) / (1 - t))
                if t < 1 - one / 10**4
                else (1 + 2 * (4 * (1 + t) / (1 - t))) * asymptotic(4 * (1 + t) / (1 - t))
            ),
            60,
        ),
        "(1 + 2x) erfcx(x), t = (x - 4)/(x + 4), x >= 0",
    )
    show(
        "LGAMMA2",
        fit(lambda t: mp.loggamma(2 + t / 2 + one / 10**45) / (t / 2 + one / 10**45)),
        "lgamma(2 + z)/z, t = 2z, |z| <= 1/2",
    )
    root = mp.findroot(mp.digamma, 1.4616)
    show_split("DIGAMMA_ROOT", root, "the positive zero of digamma")
    show(
        "DIGAMMA1",
        fit(lambda t: mp.digamma(1.5 + t / 2) / (1.5 + t / 2 - root)),
        "digamma(x)/(x - root), t = 2x - 3, 1 <= x <= 2",
    )
    for order in (0, 1):
        show(
            f"I{order}_FAR",
            fit(lambda t, n=order: large_i(n, 8 * 2 / (t + 1) if t > -1 else mp.inf), 60),
            f"sqrt(x) exp(-x) I{order}(x), t = 16/x - 1, x >= 8",
        )
    near = lambda t: mp.sqrt(2 * (t + 1) + one / 10**40)  # noqa: E731
    show(
        "K0_NEAR",
        fit(lambda t: mp.besselk(0, near(t)) + mp.log(near(t)) * mp.besseli(0, near(t))),
        "K0(x) + log(x) I0(x), t = x*x/2 - 1, x <= 2",
    )
    show(
        "K1_NEAR",
        fit(
            lambda t: (
                (mp.besselk(1, near(t)) - mp.log(near(t)) * mp.besseli(1, near(t)) - 1 / near(t))
                / near(t)
            )
        ),
        "(K1(x) - log(x) I1(x) - 1/x)/x, t = x*x/2 - 1, x <= 2",
    )
    for order in (0, 1):
        show(
            f"K{order}_FAR",
            fit(lambda t, n=order: large_k(n, 4 / (t + 1)), 60),
            f"sqrt(x) exp(x) K{order}(x), t = 4/x - 1, x >= 2",
        )
    zeros0 = [mp.besseljzero(0, k) for k in (1, 2)]
    zero1 = mp.besseljzero(1, 1), mp.besseljzero(1, 2)
    for k, z in enumerate(zeros0):
        show_split(f"J0_ZERO{k + 1}", z, "zero of J0")
    for k, z in enumerate(zero1):
        show_split(f"J1_ZERO{k + 1}", z, "zero of J1")
    small = lambda t: mp.sqrt(32 * (t + 1) + one / 10**40)  # noqa: E731
    show(
        "J0_NEAR",
        fit(
            lambda t: (
                mp.besselj(0, small(t))
                / ((small(t) ** 2 - zeros0[0] ** 2) * (small(t) ** 2 - zeros0[1] ** 2))
            )
        ),
        "J0(x)/((x*x - z1*z1)(x*x - z2*z2)), t = x*x/32 - 1, x <= 8",
    )
    show(
        "J1_NEAR",
        fit(
            lambda t: (
                mp.besselj(1, small(t))
                / small(t)
                / ((small(t) ** 2 - zero1[0] ** 2) * (small(t) ** 2 - zero1[1] ** 2))
            )
        ),
        "J1(x)/(x (x*x - z1*z1)(x*x - z2*z2)), t = x*x/32 - 1, x <= 8",
    )
    show(
        "Y0_NEAR",
        fit(
            lambda t: (
                mp.bessely(0, small(t)) - 2 / mp.pi * mp.log(small(t)) * mp.besselj(0, small(t))
            )
        ),
        "Y0(x) - 2/pi log(x) J0(x), t = x*x/32 - 1, x <= 8",
    )
    show(
        "Y1_NEAR",
        fit(
            lambda t: (
                (
                    mp.bessely(1, small(t))
                    - 2 / mp.pi * (mp.log(small(t)) * mp.besselj(1, small(t)) - 1 / small(t))
                )
                / small(t)
            )
        ),
        "(Y1(x) - 2/pi (log(x) J1(x) - 1/x))/x, t = x*x/32 - 1, x <= 8",
    )
    for order in (0, 1):
        both = phase(order)
        at = lambda t: 8 / mp.sqrt((t + 1) / 2)  # noqa: E731
        show(
            f"P{order}_FAR",
            fit(lambda t, f=both, a=at: mp.re(f(a(t))), 44),
            f"amplitude P of J{order}, Y{order}, t = 2 (8/x)**2 - 1",
        )
        show(
            f"Q{order}_FAR",
            fit(lambda t, f=both, a=at: mp.im(f(a(t))) * a(t), 44),
            f"x Q of J{order}, Y{order}",
        )


def asymptotic(x):
    """erfcx for large x, where exp(x*x) would overflow even mpmath's patience."""
    total = term = mp.mpf(1)
    for k in range(1, 25):
        term *= -(2 * k - 1) / (2 * x * x)
        total += term
    return total / (x * mp.sqrt(mp.pi))


def large_k(order, x):
    if x > 200:
        total = term = mp.mpf(1)
        for k in range(1, 40):
            term *= (4 * order * order - (2 * k - 1) ** 2) / (k * 8 * x)
            total += term
        return total * mp.sqrt(mp.pi / 2)
    return mp.sqrt(x) * mp.exp(x) * mp.besselk(order, x)


def large_i(order, x):
    if x > 200:
        total = term = mp.mpf(1)
        for k in range(1, 40):
            term *= -(4 * order * order - (2 * k - 1) ** 2) / (k * 8 * x)
            total += term
        return total / mp.sqrt(2 * mp.pi)
    return mp.sqrt(x) * mp.exp(-x) * mp.besseli(order, x)


main()
