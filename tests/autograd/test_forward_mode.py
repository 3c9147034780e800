"""Forward mode: tangents of views and of what is changed in place, packing and unpacking."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.autograd import forward_ad as fwAD
from rushlight.autograd.forward_ad import make_dual, unpack_dual


def test_a_tangent_is_changed_in_place_with_its_tensor() -> None:
    with fwAD.dual_level():
        x, t = torch.ones(2), torch.ones(2)
        dual = make_dual(x, t)
        dual *= 2
        assert t.tolist() == [2.0, 2.0]
        assert x.tolist() == [2.0, 2.0]
        assert unpack_dual(x).tangent is None
        dual.zero_()
        assert t.tolist() == [0.0, 0.0]


def test_the_primal_has_no_tangent_and_the_memory_and_history_of_the_dual() -> None:
    x = torch.ones(2, requires_grad=True)
    with fwAD.dual_level():
        dual = make_dual(x, torch.ones(2))
        p, t = unpack_dual(dual)
        assert unpack_dual(p * 2).tangent is None
        assert p is not unpack_dual(dual).primal
        assert t is unpack_dual(dual).tangent
        assert p.data_ptr() == x.data_ptr()
        (g,) = torch.autograd.grad(p.sum(), x)
        assert g.tolist() == [1.0, 1.0]
        assert "tangent" in str(dual)
        assert "tangent" not in str(p)


@pytest.mark.parametrize("requires_grad", [False, True])
def test_a_view_of_a_dual_shares_its_tangent(requires_grad: bool) -> None:
    x = torch.ones(3, requires_grad=requires_grad).clone()
    with fwAD.dual_level():
        dual = make_dual(x, torch.ones(3))
        view = dual[:2]
        view[1:].mul_(3)
        assert unpack_dual(dual).tangent.tolist() == [1.0, 3.0, 1.0]
        assert unpack_dual(view).tangent.tolist() == [1.0, 3.0]
        assert unpack_dual(x).tangent is None


def test_what_is_written_to_a_view_reaches_its_base() -> None:
    base = torch.zeros(2, 3)
    with fwAD.dual_level():
        base.t()[1].copy_(make_dual(torch.ones(2), torch.tensor([5.0, 6.0])))
        assert unpack_dual(base).tangent.tolist() == [[0.0, 5.0, 0.0], [0.0, 6.0, 0.0]]


def test_the_tangent_lies_as_its_tensor() -> None:
    x, t = torch.zeros(2, 3).t(), torch.ones(3, 2)
    with fwAD.dual_level():
        got = unpack_dual(make_dual(x, t)).tangent
        assert got is not t
        assert got.stride() == x.stride()
        part = torch.randn(5)[:4].detach()  # as_strided may go beyond it
        dual = make_dual(part, t.flatten()[:4])
        assert dual.as_strided((5,), (1,), 0).shape == (5,)
        c = torch.ones(2, dtype=torch.cfloat).conj()
        assert unpack_dual(make_dual(c, torch.ones(2, dtype=torch.cfloat))).tangent.is_conj()


def test_a_change_in_place_keeps_the_history_of_tangents() -> None:
    t = torch.tensor([3.0], requires_grad=True)
    with fwAD.dual_level():
        y = make_dual(torch.tensor([2.0]), t * 1).clone()
        y.mul_(y)
        (g,) = torch.autograd.grad(unpack_dual(y).tangent, t)
    assert g.tolist() == [4.0]


def test_detach_in_place_forgets_the_tangent() -> None:
    with fwAD.dual_level():
        dual = make_dual(torch.ones(2), torch.ones(2)).clone()
        assert unpack_dual(dual.detach_()).tangent is None


def test_refusals() -> None:
    with fwAD.dual_level():
        with pytest.raises(ValueError, match="Expected tangent to be floating point or complex"):
            make_dual(torch.ones(2), torch.ones(2, dtype=torch.int64))
        x = make_dual(torch.rand(2, requires_grad=True), torch.ones(2))
        with pytest.raises(NotImplementedError, match="Trying to use forward AD with igamma"):
            torch.igamma(x, torch.rand(2))
