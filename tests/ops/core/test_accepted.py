"""Which mistake of a call is named, where there are several; and what passes although its type is
none that a kernel takes, because nothing is computed. The order is PyTorch's: arguments, then dims
and sizes, then types."""

from __future__ import annotations

import pytest

import rushlight as torch

F = torch.nn.functional
truths = torch.ones(2, 3, dtype=torch.bool)
whole = torch.ones(2, 3, dtype=torch.int64)
pairs = torch.ones(2, 3, dtype=torch.complex64)
x = torch.ones(2, 3)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        # arguments before types
        (lambda: torch.linalg.vecdot(whole), TypeError, "missing 1 required positional"),
        (lambda: whole.cholesky_solve(), TypeError, "missing 1 required positional"),
        (lambda: torch.prelu(whole), TypeError, "missing 1 required positional"),
        (lambda: F.kl_div(whole, reduction="sum"), TypeError, "missing 1 required positional"),
        (lambda: torch.logcumsumexp(truths, (0, 1)), TypeError, "must be int, not tuple"),
        (lambda: torch.argsort(pairs, (0, 1)), TypeError, "must be int, not tuple"),
        # dims before types
        (lambda: torch.logcumsumexp(truths, 5), IndexError, "Dimension out of range"),
        (lambda: torch.amax(pairs, 5), IndexError, "Dimension out of range"),
        (lambda: torch.cummax(pairs, 5), IndexError, "Dimension out of range"),
        (lambda: torch.cumsum(truths, 5, dtype=torch.bool), IndexError, "Dimension out of range"),
        (lambda: torch.mode(pairs[:0], 0), IndexError, "non-zero size"),
        # types
        (lambda: torch.cumprod(x, 0, dtype=torch.bool), NotImplementedError, "cumprod_out_cpu"),
        (lambda: torch.cumsum(truths, 0, out=truths.clone()), NotImplementedError, "Bool"),
        (lambda: torch.amax(x, 1, out=torch.ones(2).double()), RuntimeError, "input and out"),
        (lambda: torch.heaviside(x, x, out=x.double()), RuntimeError, "input and out"),
        # numbers and tensors in each other's place
        (lambda: torch.clamp(0, x), TypeError, "'input' .* must be Tensor, not int"),
        (lambda: torch.clamp(x, 0, x), TypeError, "invalid combination"),
        (lambda: torch.dist(3, x), TypeError, "'input' .* must be Tensor, not int"),
        (lambda: torch.cat(0.0, x), TypeError, "tuple of Tensors, not float"),
        (lambda: torch.cat([x], x), TypeError, "'dim' must be int, not Tensor"),
        (lambda: F.leaky_relu(x, torch.ones(2)), TypeError, "'negative_slope' must be float"),
        (lambda: torch.cartesian_prod(x[0], 3), TypeError, "element 1 in argument 0"),
        (lambda: torch.hann_window(2.0), TypeError, "'window_length' .* int, not float"),
    ],
)
def test_the_mistake_that_is_named(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_out_is_refused_before_dims_where_there_is_a_derivative():
    leaf = torch.ones(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="support automatic"):
        torch.amax(leaf, 5, out=torch.ones(2))
    with pytest.raises(NotImplementedError, match="gcd"):
        torch.gcd(leaf, leaf, out=torch.ones(2, 3))


def test_bounds_of_a_clamp_may_be_a_number_and_a_tensor_without_dimensions():
    assert torch.clamp(x, 2, torch.tensor(3)).tolist() == [[2.0] * 3] * 2


def test_what_passes_a_kernel_that_has_nothing_to_compute():
    number = torch.tensor(1 + 1j)
    assert torch.cummax(number, 0).values == number
    assert torch.cummin(pairs[:0], 1).indices.shape == (0, 3)
    assert torch.mode(number).values == number
    assert torch.kthvalue(torch.tensor(True), 1).values.item() is True
    assert torch.cumsum(truths[:0], 0, dtype=torch.bool).dtype == torch.bool
    with pytest.raises(NotImplementedError, match="cummax_cpu"):
        torch.cummax(pairs, 0)
