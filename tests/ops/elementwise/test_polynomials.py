"""Orthogonal polynomials against their closed forms, and of degrees beyond the largest numbers."""

from __future__ import annotations

import numpy as np

import rushlight as torch


def test_polynomials():
    x = torch.tensor([-0.5, 0.3], dtype=torch.float64)
    t3 = 4 * x**3 - 3 * x
    np.testing.assert_allclose(torch.special.chebyshev_polynomial_t(x, 3).numpy(), t3.numpy())
    p2 = (3 * x * x - 1) / 2
    np.testing.assert_allclose(
        torch.special.legendre_polynomial_p(x, torch.tensor(2)).numpy(), p2.numpy()
    )


def test_hermite_polynomials_of_any_degree_end() -> None:
    """Beyond the largest numbers there is NaN alone: no steps are taken for it."""
    x = torch.tensor([0.3, 2.0])
    for family in (torch.special.hermite_polynomial_h, torch.special.hermite_polynomial_he):
        y = family(x, torch.tensor([10**12, 3]))
        assert y[0].isnan()
        assert y[1] == family(x, 3)[1]
