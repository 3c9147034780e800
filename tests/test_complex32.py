"""Tensors of complex32: pairs of float16 that are computed in complex64 and rounded."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import pytest

import rushlight as torch

C = torch.complex32


def x(**kw: Any) -> Any:
    return torch.tensor([[1.25 + 4j, -7 + 6j, 0.5j], [2, 3 - 1j, -0.25]], dtype=C, **kw)


def test_the_type() -> None:
    assert C is torch.chalf
    assert (C.itemsize, C.is_complex, C.is_signed, C.to_real()) == (4, True, True, torch.float16)
    assert torch.float16.to_complex() is C
    assert pickle.loads(pickle.dumps(C)) is C
    assert torch.finfo(C).bits == 16


@pytest.mark.parametrize(
    ("other", "common"),
    [(torch.float16, C), (torch.int64, C), (torch.bfloat16, torch.complex64),
     (torch.float32, torch.complex64), (torch.float64, torch.complex128)],
)  # fmt: skip
def test_promotion(other: Any, common: Any) -> None:
    assert torch.promote_types(C, other) is common
    assert (x() + torch.ones(3, dtype=other)).dtype is common


def test_results_are_those_of_complex64_rounded() -> None:
    a, wide = x(), x().to(torch.complex64)
    for f in (
        *(lambda t: t * t, lambda t: t + 1, lambda t: t - 2j, lambda t: -t, lambda t: t.exp()),
        *(lambda t: t.sum(), lambda t: t.mean(0), lambda t: t @ t.T),
    ):
        assert f(a).dtype is C
        assert torch.equal(f(a), f(wide).to(C))
    assert a.abs().dtype is torch.float16
    assert (torch.ones(2, dtype=torch.float16) * 1j).dtype is C


def test_views_share_memory() -> None:
    a = x()
    a.real[0, 0] = 9
    a.T.imag[0, 0] = -1
    torch.view_as_real(a)[1, 2, 1] = 7
    a.conj()[0, 1] = 2j
    assert a.tolist() == [[9 - 1j, -2j, 0.5j], [2, 3 - 1j, -0.25 + 7j]]
    assert torch.equal(torch.view_as_complex(torch.view_as_real(a)), a)
    assert a.T.clone().as_strided((2,), (2,), 1).dtype is C
    assert a.real.dtype is torch.float16


def test_conversions_files_and_copies() -> None:
    a = x()
    assert torch.equal(a.to(torch.complex64).chalf(), a)
    assert torch.ones(2).chalf().tolist() == [1, 1]
    with pytest.warns(UserWarning, match="discards the imaginary part"):
        assert a.float().tolist()[0] == [1.25, -7, 0]
    assert a.bool().all()
    held = io.BytesIO()
    torch.save(a, held)
    held.seek(0)
    for b in (torch.load(held), copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
        assert b.dtype is C
        assert torch.equal(a, b)
    with pytest.raises(TypeError, match="unsupported ScalarType ComplexHalf"):
        a.numpy()
    assert str(a[0, :2]) == "tensor([ 1.2500+4.j, -7.0000+6.j], dtype=torch.complex32)"


def test_gradients_and_steps() -> None:
    a = x(requires_grad=True)
    y = a * a
    (y.real.float() + 2 * y.imag.float()).sum().backward()
    assert a.grad.dtype is C
    assert a.grad.tolist()[0] == [18.5 - 3j, 10 - 40j, 2 - 1j]
    a.grad = torch.ones_like(a)
    torch.optim.SGD([a], 0.5).step()
    assert a.tolist()[0] == [0.75 + 4j, -7.5 + 6j, -0.5 + 0.5j]


@pytest.mark.parametrize("size", [3, 3000])  # as NumPy chooses, and as the kernel of bits does
def test_gradients_of_powers(size: int) -> None:
    base = torch.tensor([2.0, -1.5, 0.0], dtype=C).repeat(size // 3).requires_grad_()
    exponent = torch.full((size,), 1.5, requires_grad=True)
    wide = [base.detach().to(torch.complex64).requires_grad_(), exponent.detach().clone()]
    wide[1].requires_grad_()
    for a, b in ((base, exponent), wide):
        y = a**b
        y.backward(torch.ones_like(y))
    assert torch.allclose(base.grad.to(torch.complex64), wide[0].grad, rtol=2e-3)
    assert torch.allclose(exponent.grad, wide[1].grad, rtol=2e-3)
    assert torch._conj_physical(base.detach() + 1j).tolist()[0] == 2 - 1j
