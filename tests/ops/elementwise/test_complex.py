"""Conjugates and negatives as views: bits of a tensor, which kernels never see."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.kernels.meta import UnresolvedArray

VALUES = [[1 + 2j, 3 - 1j], [-2 + 0.5j, 4j]]


def base() -> Any:
    return torch.tensor(VALUES, dtype=torch.complex128)


def test_a_conjugate_is_a_view_of_the_same_memory() -> None:
    x = base()
    c = x.conj()
    assert c.is_conj()
    assert c.data_ptr() == x.data_ptr()
    assert c._base is x
    assert c.untyped_storage() is x.untyped_storage()
    assert c.tolist() == np.conj(VALUES).tolist()
    c[0, 0] = 5j
    assert x[0, 0].item() == -5j
    x[1, 1] = 1 + 1j
    assert c[1, 1].item() == 1 - 1j
    assert not c.conj().is_conj()
    assert c.conj().tolist() == x.tolist()


def test_the_storage_of_a_conjugate_is_the_memory_as_it_is() -> None:
    x = torch.tensor(VALUES)
    assert x.conj().storage().tolist() == x.flatten().tolist()
    assert len(x.conj().imag.storage()) == 2 * x.numel()


def test_the_imaginary_part_of_a_conjugate_is_a_negative_view() -> None:
    x = base()
    part = x.conj().imag
    assert part.is_neg()
    assert not part.is_conj()
    assert part.tolist() == [[-2, 1], [-0.5, -4]]
    part.add_(1)
    assert x.imag.tolist() == [[1, -2], [-0.5, 3]]
    assert not x.conj().real.is_neg()
    both = torch._neg_view(x).conj()
    assert (both.is_conj(), both.is_neg()) == (True, True)
    assert both.imag.tolist() == x.imag.tolist()


VIEWS: dict[str, Callable[[Any], Any]] = {
    "transpose": lambda t: t.mT,
    "select": lambda t: t[0],
    "slice": lambda t: t[:, 1:],
    "view": lambda t: t.view(-1),
    "unbind": lambda t: t.unbind(1)[1],
    "split": lambda t: t.split(1)[0],
    "expand": lambda t: t.expand(3, 2, 2),
    "diagonal": lambda t: t.diagonal(),
    "as_strided": lambda t: t.as_strided((2,), (1,)),
    "detach": lambda t: t.detach(),
    "contiguous": lambda t: t.contiguous(),
    "parameter": lambda t: torch.nn.Parameter(t),
}


@pytest.mark.parametrize("name", VIEWS)
def test_views_keep_the_bits(name: str) -> None:
    x = base()
    v = VIEWS[name](x.conj())
    assert v.is_conj()
    assert v.resolve_conj().tolist() == VIEWS[name](torch.tensor(np.conj(VALUES))).tolist()


COMPUTED: dict[str, Callable[[Any], Any]] = {
    "a formula": lambda t: t * 2 + 1,
    "a reduction": lambda t: t.sum(0),
    "a product": lambda t: t @ t.mH,
    "cat": lambda t: torch.cat([t, t]),
    "index": lambda t: t[[1]],
    "clone": lambda t: t.clone(),
    "contiguous": lambda t: t.mT.contiguous(),
    "a cast": lambda t: t.to(torch.complex64),
    "deepcopy": copy.deepcopy,
    "unique": lambda t: torch.unique(t.imag),
    "sparse": lambda t: t.to_sparse().to_dense(),
}


@pytest.mark.parametrize("name", COMPUTED)
def test_what_is_computed_has_no_bits(name: str) -> None:
    got = COMPUTED[name](base().conj())
    assert not got.is_conj()
    assert not got.is_neg()
    assert torch.equal(got, COMPUTED[name](torch.tensor(np.conj(VALUES))))


WRITES: dict[str, Callable[[Any], Any]] = {
    "mul_": lambda t: t.mul_(1 + 1j),
    "copy_": lambda t: t.copy_(torch.tensor([1j, 2])),
    "fill_": lambda t: t.fill_(2j),
    "scatter_": lambda t: t.scatter_(0, torch.tensor([[0, 1]]), 9j),
    "masked_fill_": lambda t: t.masked_fill_(torch.tensor([True, False]), 1j),
    "out": lambda t: torch.exp(t.clone(), out=t),
    "index_put_": lambda t: t.index_put_((torch.tensor([1]),), torch.tensor(3j).to(t.dtype)),
    "imag": lambda t: t.imag.exp_(),
    "optimizer": lambda t: torch.optim.Adam([with_grad(t)]).step(),
}


def with_grad(t: Any) -> Any:
    p = t.detach().requires_grad_()
    p.grad = torch.tensor(VALUES, dtype=torch.complex128).conj()
    return p


@pytest.mark.parametrize("name", WRITES)
def test_writes_arrive_conjugated(name: str) -> None:
    x, plain = base(), torch.tensor(np.conj(VALUES))
    WRITES[name](x.conj())
    WRITES[name](plain)
    assert np.allclose(x.numpy(), plain.numpy().conj())


def test_the_bits_are_resolved() -> None:
    x = base()
    c, n = x.conj(), torch._neg_view(x)
    assert x.resolve_conj() is x
    assert c.resolve_neg() is c
    assert not c.resolve_conj().is_conj()
    assert not n.resolve_neg().is_neg()
    assert c.conj_physical().tolist() == VALUES
    assert torch.real(torch.ones(2)).conj().is_conj() is False
    with pytest.raises(RuntimeError, match=r"conjugate bit set\. Use tensor\.resolve_conj"):
        c.numpy()
    with pytest.raises(RuntimeError, match="negative bit set"):
        np.asarray(c.imag)
    assert c.numpy(force=True).tolist() == c.tolist()
    with pytest.raises(RuntimeError, match="unresolved conjugated tensors"):
        torch.view_as_real(c)
    assert torch.view_as_real(n).is_neg()
    with pytest.raises(RuntimeError, match="not supported for conjugate view tensors"):
        c.view(torch.float64)
    with pytest.raises(BufferError, match="conjugate bit"):
        c.__dlpack__()
    assert repr(c) == repr(c.resolve_conj())
    assert f"{c.imag[0, 0]:.1f}" == "-2.0"
    assert x.mH.is_conj()
    assert x.H.is_conj()


def test_memory_that_a_tensor_is_set_to_is_read_as_before() -> None:
    x, y = base(), torch.zeros(1, dtype=torch.complex128)
    assert not y.set_(x.conj()).is_conj()
    assert y.data_ptr() == x.data_ptr()
    c = torch.zeros(1, dtype=torch.complex128).conj().set_(x)
    assert c.is_conj()
    assert c.tolist() == np.conj(VALUES).tolist()
    y.data = x.conj()
    assert y.is_conj()
    assert c.resize_(1, 2).is_conj()


def gradient(fn: Callable[[Any], Any]) -> Any:
    x = base().requires_grad_()
    fn(x * 1).abs().sum().backward()
    return x.grad


def test_gradients_pass_through_the_bits() -> None:
    for lazy, at_once in (
        (lambda x: x.conj() * x * 1j, lambda x: x.conj_physical() * x * 1j),
        (lambda x: x.conj().imag ** 2, lambda x: x.imag**2),
        (lambda x: torch._neg_view(x).exp(), lambda x: (-x).exp()),
        (lambda x: x.mH @ x, lambda x: x.conj_physical().mT @ x),
    ):
        assert torch.allclose(gradient(lazy), gradient(at_once))


def written(x: Any) -> Any:
    x.conj()[0].mul_(x[1].clone())
    return x


def written_plainly(x: Any) -> Any:
    return torch.stack([(x[0].conj_physical() * x[1]).conj_physical(), x[1]])


def test_changes_of_a_conjugate_are_changes_of_its_base() -> None:
    assert torch.allclose(gradient(written), gradient(written_plainly))
    x = base().requires_grad_()
    y = x * 1
    z = y.conj() * y.conj()
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.abs().sum().backward()
    x = base().requires_grad_()
    (g,) = torch.autograd.grad((x.conj() * x).sum().real, x, create_graph=True)
    (g.abs() ** 2).sum().backward()
    assert torch.allclose(x.grad, 8 * x.detach())


def test_gradients_may_be_views() -> None:
    x = base().requires_grad_()
    x.grad = base().conj()
    x.sum().abs().backward(torch.tensor(1.0))
    assert x.grad.is_conj()
    plain = base().requires_grad_()
    plain.grad = base().conj().resolve_conj()
    plain.sum().abs().backward()
    assert torch.allclose(x.grad, plain.grad)
    (x * 1).backward(base().conj())
    assert torch.allclose(x.grad, plain.grad + base().conj())


def test_no_kernel_takes_what_is_unresolved() -> None:
    a: Any = base().conj()._a
    assert isinstance(a, UnresolvedArray)
    with pytest.raises(TypeError, match="does not support ufuncs"):
        np.exp(a)
    with pytest.raises(ValueError, match="read-only"):
        a.reshape(-1)[0] = 1
    assert (a == np.conj(VALUES)).all()
    assert np.array_equal(1 + a, 1 + np.conj(VALUES))


def test_a_compiled_function_does_what_it_does() -> None:
    def fn(x: Any) -> Any:
        y = x.conj()
        return (y * x).imag + y.imag

    x = base()
    compiled = torch.compile(fn)
    for given in (x, x + 1):
        assert torch.equal(compiled(given), fn(given))
    with pytest.warns(UserWarning, match="a view of conjugates"):
        assert torch.equal(compiled(x.conj()), fn(x.conj()))


@pytest.mark.parametrize("shape", [(0, 2), (3, 0, 2)])
def test_no_numbers_are_complex_ones_too(shape: tuple[int, ...]) -> None:
    x = torch.empty(shape)
    assert torch.view_as_complex(-x).shape == shape[:-1]


@pytest.mark.parametrize("make", [torch.complex, torch.polar])
def test_a_result_is_written_to_memory_of_its_own_type_alone(make: Callable[..., Any]) -> None:
    x = torch.ones(2)
    for wrong, name in [(x, "Float"), (torch.ones(2, dtype=torch.complex128), "ComplexDouble")]:
        with pytest.raises(RuntimeError, match=f"ComplexFloat but got scalar type {name} for arg"):
            make(x, x, out=wrong)
    out = torch.ones(2, dtype=torch.complex64)
    assert make(x, x, out=out) is out
