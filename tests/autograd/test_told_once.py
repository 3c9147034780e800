"""Warnings that a process is told once, of scalars that have gradients and of graphs in gradients;
attributes of tensors that cannot be deleted; versions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest

import rushlight as torch


@pytest.fixture
def always() -> Iterator[None]:
    before = torch.is_warn_always_enabled()
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(before)


@pytest.mark.usefixtures("always")
def test_float_and_complex_of_what_requires_grad_warn() -> None:
    x = torch.tensor(1.5, requires_grad=True)
    for convert in (float, complex):
        with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True"):
            assert convert(x) == 1.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (int(x), bool(x), x.item(), x.tolist(), f"{x:.1f}") == (1, True, 1.5, 1.5, "1.5")
        with torch.no_grad():
            assert float(x) == 1.5
        assert float(x.detach()) == 1.5


def test_they_warn_once() -> None:
    x = torch.tensor(1.5, requires_grad=True)
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        float(x)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        float(x)
    assert not told


@pytest.mark.usefixtures("always")
def test_backward_with_create_graph_warns() -> None:
    x = torch.ones(2, requires_grad=True)
    y = (x * x).sum()
    with pytest.warns(UserWarning, match=r"Using backward\(\) with create_graph=True"):
        y.backward(create_graph=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.autograd.grad((x * x).sum(), x, create_graph=True)


def test_attributes_that_are_not_deleted() -> None:
    x = torch.ones(2, requires_grad=True)
    for name, words in (
        ("data", "Deleting tensor data is not allowed"),
        ("requires_grad", "requires_grad must be a bool"),
        ("_grad_fn", "Deletion of _grad_fn not allowed"),
        ("_backward_hooks", "Deletion of _backwards_hooks not allowed"),
    ):
        with pytest.raises(RuntimeError, match=words):
            delattr(x, name)
    del x.grad


def test_changes_that_are_not_counted() -> None:
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    z = y * y
    with torch.no_grad(), torch.autograd._unsafe_preserve_version_counter(y):
        y.add_(1)
    assert y._version == 0
    z.sum().backward()
    assert x.grad.tolist() == [12.0, 12.0]


def test_a_saved_result_has_the_version_of_the_result() -> None:
    a = torch.ones(2, requires_grad=True)
    b = torch.exp(a)
    unpacked = b.grad_fn._saved_result
    assert unpacked._version == b._version == 0
    with torch.no_grad():
        b += 1
    assert unpacked._version == b._version == 1


def test_higher_derivatives_want_the_history_of_what_was_saved() -> None:
    x = torch.ones(2, requires_grad=True)
    a = x * 2
    b = a.sin()
    a.detach_()
    with pytest.raises(RuntimeError, match="saved tensor that has been detached"):
        torch.autograd.grad(b.sum(), x, create_graph=True)


def test_a_view_of_an_inference_tensor_requires_no_grad() -> None:
    with torch.inference_mode():
        c = torch.ones(2, requires_grad=True)
        assert not c.view(-1).requires_grad


def test_the_exponents_gradient_where_the_base_is_negative() -> None:
    e = torch.tensor([1.0 + 2.0j], dtype=torch.complex128, requires_grad=True)
    torch.autograd.gradcheck(lambda e: torch.pow(-1, e), (e,))
    torch.autograd.gradcheck(lambda e: torch.pow(torch.tensor([-1.0]).double(), e), (e,))


def test_unsafe_parts_are_changed_in_place() -> None:
    for cut in (
        lambda t: t.unsafe_split(1),
        lambda t: t.unsafe_split_with_sizes((1, 2)),
        lambda t: t.unsafe_chunk(2),
    ):
        a = torch.ones(3, requires_grad=True)
        part = cut(a * 2)[0]
        part.mul_(3)
        part.sum().backward()
        assert a.grad[0].item() == 6.0
        assert not part._is_view()


def test_sparse_gradients_of_two_leaves_are_two() -> None:
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):  # type: ignore[no-untyped-def]
            return a + b

        @staticmethod
        def backward(ctx, g):  # type: ignore[no-untyped-def]
            return g, g

    a, b = torch.ones(4, 2, requires_grad=True), torch.ones(4, 2, requires_grad=True)
    table = Same.apply(a, b)
    torch.nn.functional.embedding(torch.tensor([1, 2]), table, sparse=True).sum().backward()
    assert a.grad.is_sparse
    a.grad._values().zero_()
    assert b.grad._values().sum().item() == 4.0


def test_the_same_where_classes_compute_below_the_tape() -> None:
    """The first tensor of such a class swaps Tensor's methods for the life of the process."""
    from rushlight import tensor_dispatch

    tensor_dispatch.install()
    test_attributes_that_are_not_deleted()
    test_sparse_gradients_of_two_leaves_are_two()
    z, w = torch.zeros(2, dtype=torch.complex64), torch.ones(2, dtype=torch.float64)
    w.requires_grad_()
    z.real.copy_(w)
    z.real.sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [1.0, 1.0]
