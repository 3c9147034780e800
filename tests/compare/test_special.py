"""Special functions on the samples of PyTorch's operator tables."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

NAMES = [
    "erf",
    "erfc",
    "erfinv",
    "lgamma",
    "digamma",
    "polygamma",
    "i0",
    "igamma",
    "igammac",
    "mvlgamma",
    "sinc",
    "xlogy",
    "logit",
    "special.entr",
    "special.erfcx",
    "special.i0e",
    "special.i1",
    "special.i1e",
    "special.log_ndtr",
    "special.ndtr",
    "special.ndtri",
    "special.xlog1py",
    "special.zeta",
    "special.polygamma",
    "special.bessel_y0",
    "special.spherical_bessel_j0",
    "special.modified_bessel_i0",
    "special.modified_bessel_i1",
    "special.modified_bessel_k0",
    "special.modified_bessel_k1",
    "special.chebyshev_polynomial_t",
    "special.chebyshev_polynomial_u",
    "special.hermite_polynomial_h",
    "special.hermite_polynomial_he",
    "special.laguerre_polynomial_l",
    "special.legendre_polynomial_p",
]
VARIANTS = {
    "polygamma": "polygamma_n_1",
    "special.polygamma": "special_polygamma_n_0",
    "mvlgamma": "mvlgamma_p_3",
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_special(compare_op, name, dtype):
    compare_op(name, dtype, variant=VARIANTS.get(name, ""))
