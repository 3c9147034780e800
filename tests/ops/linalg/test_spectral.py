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


def test_eigvals_of_what_is_not_finite_are_nan() -> None:
    """Of these matrices alone; where a derivative is asked for they are refused, as by eig."""
    for n in (2, 3, 8):
        wrong = torch.arange(1.0, n * n + 1).reshape(n, n)
        for number in (float("inf"), float("nan")):
            wrong[0, n - 1] = number
            pair = torch.stack([torch.eye(n), wrong])
            values = torch.linalg.eigvals(pair)
            assert values[0].tolist() == [1.0] * n
            assert values[1].real.isnan().all()
            assert values[1].imag.isnan().all()
            assert torch.linalg.eigvals(wrong.cfloat()).isnan().all()
            with pytest.raises(RuntimeError, match="should not contain infs or NaNs"):
                torch.linalg.eig(wrong)
            wrong.requires_grad_()
            with pytest.raises(RuntimeError, match="should not contain infs or NaNs"):
                torch.linalg.eigvals(wrong)
            with torch.no_grad():
                assert torch.linalg.eigvals(wrong).isnan().all()
            wrong = wrong.detach()
