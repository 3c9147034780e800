"""lobpcg against eigh, which finds all eigenvalues."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch


def symmetric(m: int, seed: int = 0) -> torch.Tensor:
    a = torch.randn(m, m, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
    return a @ a.T + torch.eye(m, dtype=torch.float64)


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("k", [1, 3])
def test_values_and_vectors(k: int, largest: bool) -> None:
    torch.manual_seed(1)
    a = symmetric(12)
    values, vectors = torch.lobpcg(a, k=k, largest=largest)
    every = torch.linalg.eigvalsh(a)
    assert torch.allclose(values, every.flip(0)[:k] if largest else every[:k])
    assert (a @ vectors - vectors * values).norm() < 1e-5
    assert torch.allclose(vectors.T @ vectors, torch.eye(k, dtype=torch.float64))


def test_another_metric_and_a_preconditioner() -> None:
    torch.manual_seed(1)
    a, b = symmetric(15), symmetric(15, 1)
    values, vectors = torch.lobpcg(a, k=2, B=b, iK=torch.linalg.inv(a), largest=False)
    assert (a @ vectors - b @ vectors * values).norm() < 1e-5
    assert torch.allclose(vectors.T @ b @ vectors, torch.eye(2, dtype=torch.float64))


def test_many_sparse_narrow_and_guessed() -> None:
    torch.manual_seed(1)
    a = torch.stack([symmetric(9), symmetric(9, 1)])
    values, vectors = torch.lobpcg(a, k=2)
    assert torch.allclose(values, torch.linalg.eigvalsh(a).flip(1)[:, :2])
    assert vectors.shape == (2, 9, 2)
    assert torch.allclose(torch.lobpcg(a[0].to_sparse(), k=2)[0], values[0])
    assert torch.allclose(torch.lobpcg(a[0].float(), k=1)[0], values[0, :1].float(), rtol=1e-4)
    assert len(torch.lobpcg(a[0], k=1, n=3)[0]) == 1
    assert len(torch.lobpcg(a[0], X=vectors[0])[0]) == 2


def test_a_tracker_sees_each_step() -> None:
    torch.manual_seed(1)
    steps: list[int] = []
    torch.lobpcg(symmetric(12), k=2, niter=3, tracker=lambda w: steps.append(w.ivars["istep"]))
    assert steps == [1, 2, 3]


def test_gradients() -> None:
    torch.manual_seed(1)
    a = symmetric(9).requires_grad_()
    kept = torch.arange(18.0, dtype=torch.float64).reshape(9, 2)

    def loss(values: torch.Tensor, vectors: torch.Tensor) -> torch.Tensor:
        return values.square().sum() + (vectors.abs() * kept).sum()

    (mine,) = torch.autograd.grad(loss(*torch.lobpcg(a, k=2, tol=1e-12)), a)
    values, vectors = torch.linalg.eigh(a)
    (whole,) = torch.autograd.grad(loss(values.flip(0)[:2], vectors.flip(1)[:, :2]), a)
    assert torch.allclose(mine, (whole + whole.T) / 2, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="B != I"):
        torch.lobpcg(a, k=1, B=torch.eye(9, dtype=torch.float64))


def test_what_does_not_fit() -> None:
    a = symmetric(12)
    with pytest.raises(ValueError, match="not applicable when the number of A rows"):
        torch.lobpcg(a, k=5)
    with pytest.raises(AssertionError, match="A must be square"):
        torch.lobpcg(a[:3])
    with pytest.raises(AssertionError, match="X shape mismatch"):
        torch.lobpcg(a, k=2, X=torch.ones(3, 2))
    with pytest.raises(ValueError, match="unknown method"):
        torch.lobpcg(a, k=2, method="x")


def test_gradients_of_one_element_alone() -> None:
    """gradcheck varies one half of a symmetric matrix: what counts is the symmetric part."""
    torch.manual_seed(0)
    a = torch.rand(6, 6, dtype=torch.float64)
    a = (a @ a.mT / 10).requires_grad_()
    x = torch.eye(6, 1, dtype=torch.float64)

    def pair(a: Any) -> Any:
        values, vectors = torch.lobpcg(a, X=x)
        return values, vectors * vectors[0].sign()

    assert torch.autograd.gradcheck(pair, a)
