"""Singular values of matrices that LAPACK must not be given."""

from __future__ import annotations

import pytest

import rushlight as torch


def test_svd_of_what_is_not_finite_ends() -> None:
    """NaN is refused; LAPACK, which may go on for ever with infinities, is not given any."""
    for n in (2, 3, 5, 8):
        x = torch.arange(1.0, n * n + 1).reshape(n, n) ** 0.5
        x[0, n - 1] = x[n - 1, 0] = float("inf")
        pair = torch.stack([torch.eye(n), x])
        values = torch.linalg.svdvals(pair)
        assert values[0].tolist() == [1.0] * n
        assert values[1].isnan().all()
        assert torch.linalg.norm(x, 2).isnan()
        assert torch.linalg.svd(x)[0].isnan().all()
        x[0, 0] = float("nan")
        with pytest.raises(torch.linalg.LinAlgError, match="contained non-finite values"):
            torch.linalg.norm(x, "nuc")
        with pytest.raises(torch.linalg.LinAlgError, match=r"Batch element 1\)"):
            torch.linalg.svd(torch.stack([torch.eye(n), x]))
