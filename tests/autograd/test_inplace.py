"""In-place changes where Rushlight computes what PyTorch refuses, and Hypothesis over views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rushlight as torch


def leaf(*values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


def test_an_operand_that_is_the_target_is_kept_as_it_was() -> None:
    x = leaf(2.0, 3.0)
    a = x * 1
    a.mul_(a)
    a.sum().backward()
    assert a.tolist() == [4.0, 9.0]
    assert x.grad.tolist() == [4.0, 6.0]


def test_an_operand_that_overlaps_the_target() -> None:
    x = leaf(2.0, 3.0, 4.0)
    a = x * 1
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        a[:2].mul_(a[1:])
    a[:2].mul_(a[1:].clone())
    (a * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert a.tolist() == [6.0, 12.0, 4.0]
    assert x.grad.tolist() == [3.0, 2.0 + 40.0, 30.0 + 100.0]


def test_a_leaf_that_shares_memory_with_the_target() -> None:
    x = leaf(2.0, 3.0)
    d = x.detach().clone()
    e = x.detach()
    d.mul_(x)
    d.sum().backward()
    assert x.grad.tolist() == [2.0, 3.0]
    x.grad = None
    e.mul_(x)  # changes x too; the gradient is that of the values before
    e.sum().backward()
    assert x.grad.tolist() == [2.0, 3.0]


def test_one_of_several_views_may_not_be_used_after_the_base_changed() -> None:
    x = torch.ones(3, 2, requires_grad=True)
    a = x * 1
    rows = a.unbind(0)
    a.mul_(2)
    with pytest.raises(RuntimeError, match="Output 1 of Unbind is a view and its base or another"):
        rows[1] * 3
    assert rows[1].requires_grad
    assert "grad_fn=<Invalid>" in repr(rows[1])
    with torch.no_grad():
        assert (rows[1] * 3).tolist() == [6.0, 6.0]


def test_nothing_is_written_when_an_in_place_op_fails() -> None:
    a = torch.zeros(2, dtype=torch.int64)
    with pytest.raises(RuntimeError):
        a.add_(0.5)
    assert a.tolist() == [0, 0]
    assert a._version == 0


VIEWS = [
    lambda t: t[1:],
    lambda t: t[:, ::2],
    lambda t: t.t(),
    lambda t: t[0],
    lambda t: t.reshape(-1),
    lambda t: t.unsqueeze(0),
    lambda t: t[..., -1:],
    lambda t: t.diagonal(),
]
CHANGES = [
    lambda v, w: v.mul_(w),
    lambda v, w: v.add_(w * 0.5),
    lambda v, w: v.sin_(),
    lambda v, w: v.copy_(v.clone() * w),
    lambda v, w: v.zero_(),
    lambda v, w: v.fill_(w),
    lambda v, w: v.masked_fill_(v.detach() > 1, 0.5),
]


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 3), st.integers(0, len(VIEWS) - 1), st.integers(0, len(CHANGES) - 1)
        ),
        min_size=1,
        max_size=6,
    )
)
def test_random_changes_of_random_views_have_the_gradient_of_finite_differences(steps: Any) -> None:
    """Build a family of views, change members of it in random order, and check one direction."""

    def program(x: Any, w: Any) -> Any:
        a = x * 1
        family = [a]
        for member, view, change in steps:
            t = family[member % len(family)]
            try:
                v = VIEWS[view](t)
            except (RuntimeError, IndexError):
                continue
            family.append(v)
            CHANGES[change](v, w)
        return sum((t * t * (i + 1)).sum() for i, t in enumerate(family)) + a.sum()

    rng = np.random.default_rng(0)
    x0 = rng.uniform(0.2, 0.9, (4, 4))
    direction = rng.standard_normal((4, 4))
    x = torch.tensor(x0, requires_grad=True)
    w = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    program(x, w).backward()
    eps = 1e-6

    def value(dx: float, dw: float) -> float:
        with torch.no_grad():
            return float(
                program(
                    torch.tensor(x0 + dx * direction), torch.tensor(0.7 + dw, dtype=torch.float64)
                )
            )

    got = 0.0 if x.grad is None else float((x.grad.numpy() * direction).sum())
    assert got == pytest.approx((value(eps, 0) - value(-eps, 0)) / (2 * eps), rel=1e-4, abs=1e-4)
    got = 0.0 if w.grad is None else w.grad.item()
    assert got == pytest.approx((value(0, eps) - value(0, -eps)) / (2 * eps), rel=1e-4, abs=1e-4)


INDEXED = {
    "max": lambda x: x.max(0),
    "sort": lambda x: x.sort(),
    "topk": lambda x: x.topk(1),
    "median": lambda x: x.median(0),
    "kthvalue": lambda x: x.kthvalue(1),
    "mode": lambda x: x.mode(),
    "cummax": lambda x: x.cummax(0),
    "max_pool1d": lambda x: torch.nn.functional.max_pool1d(x[None], 2, return_indices=True),
}


@pytest.mark.parametrize("name", INDEXED)
@pytest.mark.parametrize("create_graph", [False, True])
def test_indices_that_changed_are_noticed(name: str, create_graph: bool) -> None:
    """They have no gradient, and say where those of the values go."""
    x = torch.tensor([1.0, 3.0, 2.0, 0.0], requires_grad=True)
    values, indices = INDEXED[name](x)
    torch.autograd.grad(values.sum(), x, retain_graph=True, create_graph=create_graph)
    indices.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(values.sum(), x, create_graph=create_graph)


def test_complex_numbers_with_an_imaginary_part_are_true():
    x = torch.zeros(2, dtype=torch.bool)
    v = torch.tensor([0.5j, 0], requires_grad=True)
    x[...] = v * 1
    assert x.tolist() == [True, False]
    assert torch.zeros(2, dtype=torch.bool).copy_(v * 1).tolist() == [True, False]


def test_conjugates_of_expanded_tensors_are_not_written_to():
    x = torch.zeros(1, 3, dtype=torch.complex64).expand(2, 3).conj()
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
        x += 1


def test_a_view_by_strides_of_a_transposed_base() -> None:
    """The gradient is laid as the base is before `as_strided` looks for its elements."""
    for create_graph in (False, True):
        x = torch.arange(6.0).reshape(2, 3).t().requires_grad_()
        y = x + 0
        z = y.as_strided((2,), (1,))  # x[0, 0] and x[1, 0]
        z *= 5
        g = torch.arange(6.0).reshape(3, 2)
        (found,) = torch.autograd.grad(y, x, g, retain_graph=True, create_graph=create_graph)
        assert found.tolist() == [[0, 1], [10, 3], [4, 5]]
        (found,) = torch.autograd.grad(y, x, g.t().contiguous().t(), create_graph=create_graph)
        assert found.tolist() == [[0, 1], [10, 3], [4, 5]]

    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x + 0
    y.as_strided((2,), (1,)).mul_(5)
    y.backward(torch.arange(6.0).reshape(3, 2).t())  # a gradient that lies in another order
    assert x.grad.tolist() == [[0, 10, 4], [1, 3, 5]]


def test_a_view_that_was_resized_is_another_view_of_its_base() -> None:
    """Changes of it went to the elements that it had before."""
    base = torch.arange(12.0).reshape(2, 6).clone()
    view = base[..., ::2].resize_(2, 2)
    assert view._base is base
    w = torch.ones(2, 1, requires_grad=True)
    view -= w
    assert view.grad_fn.name() == "AsStridedBackward0"
    view.sum().backward(retain_graph=True)
    assert w.grad.tolist() == [[-2.0], [-2.0]]
    base.sum().backward()
    assert w.grad.tolist() == [[-4.0], [-4.0]]


def test_a_view_that_outgrows_its_base_stands_alone() -> None:
    base, w = torch.arange(4.0), torch.ones(2, requires_grad=True)
    out = base[::2]
    with pytest.warns(UserWarning, match="was resized"):
        torch.cumsum(torch.ones(3, 3), 0, out=out)
    out *= w.sum()
    out.sum().backward()
    assert w.grad.tolist() == [18.0, 18.0]
    assert base.tolist() == [0, 1, 2, 3]
    assert not base.requires_grad


def test_a_change_of_a_part_of_an_expanded_tensor_has_no_gradient() -> None:
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    part = torch.unsafe_split_with_sizes(x.expand(5, 2), [1, 4])[1]
    part[0] = 2.0
    for create_graph in (False, True):
        with pytest.raises(RuntimeError, match="more than one element of the written-to tensor"):
            torch.autograd.grad(part.sum(), x, retain_graph=True, create_graph=create_graph)


def test_a_change_of_a_part_of_nothing_has_a_gradient() -> None:
    x = torch.ones(3, 0, 3, requires_grad=True)
    y = x * 1
    y[:, :, 0] = 2.0
    assert torch.autograd.grad(y.sum(), x)[0].shape == (3, 0, 3)


def test_as_strided_of_a_view_changes_what_lies_beside_that_view() -> None:
    """It is a view of the base: the places between those of the view it was made of count."""
    w = torch.tensor([2.0, 3.0], requires_grad=True)
    gaps = torch.arange(1.0, 9.0)[::2]
    y = gaps.as_strided((2,), (1,))
    y *= w
    y.backward(torch.tensor([10.0, 100.0]))
    assert w.grad is not None
    assert w.grad.tolist() == [10.0, 200.0]
    base = (x := torch.arange(4.0, requires_grad=True)) * 1
    none = base[0:0].as_strided((2,), (1,))
    none.mul_(5)
    base.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [5.0, 5.0, 1.0, 1.0]
