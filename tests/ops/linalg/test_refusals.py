"""What linalg refuses, and what its `out=` and its messages say, as in PyTorch."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest

import rushlight as torch


@pytest.mark.parametrize("ord", [None, 0, 1, 2, 3, math.inf, -1])
def test_norms_of_complex_vectors_count_imaginary_parts_with_out_as_well(ord: Any) -> None:
    x = torch.tensor([3 + 4j, 5 - 12j])
    out = torch.empty(0)
    torch.linalg.norm(x, ord, out=out)
    assert out.item() == pytest.approx(np.linalg.norm(x.numpy(), ord), rel=1e-5)
    assert out.item() == torch.linalg.norm(x, ord).item()


@pytest.mark.parametrize("norm", ["vector_norm", "matrix_norm"])
def test_orders_of_norms_are_real(norm: str) -> None:
    with pytest.raises(RuntimeError, match="Expected a non-complex scalar as the order of norm"):
        getattr(torch.linalg, norm)(torch.ones(2, 2), 1 + 2j)


def test_norms_of_three_dims_are_neither_of_vectors_nor_of_matrices() -> None:
    x = torch.ones(2, 2, 2)
    with pytest.raises(RuntimeError, match="must be of length 1 or 2"):
        torch.linalg.norm(x, 1, (0, 1, 2))
    with pytest.raises(RuntimeError, match=r"must be 1D or 2D\. Got 3D"):
        torch.linalg.norm(x, 1)
    with pytest.raises(RuntimeError, match="got an invalid norm type: 3"):
        torch.linalg.cond(x, 3)


def test_the_first_singular_matrix_of_a_stack_is_told_by_one_number() -> None:
    x = torch.eye(4).repeat(2, 3, 1, 1)
    x[1, 1, 2, 2] = 0
    for call, words in [
        (torch.linalg.inv, r"\(Batch element 4\): The diagonal element 3 is zero"),
        (torch.linalg.cholesky, r"\(Batch element 4\): The factorization"),
        (torch.cholesky_inverse, r"\(Batch element 4\): The diagonal element 3 is zero"),
        (lambda x: torch.linalg.solve(x, x), r"\(Batch element 4\): The solver failed"),
    ]:
        with pytest.raises(torch.linalg.LinAlgError, match=words):
            call(x)
    assert torch.linalg.cond(x, "nuc")[1].tolist() == [16.0, math.inf, 16.0]


def test_factors_for_integers_are_integers() -> None:
    m, v = torch.ones(2, 2, dtype=torch.int64), torch.tensor([1, 2])
    with pytest.raises(RuntimeError, match="argument beta must not be a floating point number"):
        torch.addr(m, v, v, beta=2.0)
    assert torch.addr(m, v, v, beta=2).tolist() == [[3, 4], [4, 6]]


CHAINS = [
    ((2, 2, 2), (2,), "the first tensor must be 1D or 2D but got 3D"),
    ((2,), (), "the last tensor must be 1D or 2D but got 0D"),
    ((2,), (3,), r"tensors 0 and 1 with shapes \[2\] and \[3\] cannot be multiplied"),
]


@pytest.mark.parametrize(("a", "b", "words"), CHAINS)
def test_chains_that_are_none(a: Any, b: Any, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        torch.linalg.multi_dot([torch.ones(a), torch.ones(b)])


def test_chains_have_one_type() -> None:
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="tensor 0 is float and tensor 1 double"):
        torch.linalg.multi_dot([x, x.double()])
    with pytest.raises(RuntimeError, match="to have dtype float but got double"):
        torch.linalg.multi_dot([x, x], out=x.double())


@pytest.mark.parametrize("name", ["rcond", "atol", "rtol"])
def test_tolerances_are_real(name: str) -> None:
    with pytest.raises(RuntimeError, match=f"{name} tensor of complex type"):
        torch.linalg.pinv(torch.eye(2), **{name: torch.tensor(1j)})


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_determinants_want_precision(dtype: Any) -> None:
    x = torch.eye(2, dtype=dtype)
    for name in ("slogdet", "logdet"):
        with pytest.raises(RuntimeError, match="Low precision dtypes not supported"):
            getattr(torch, name)(x)
    with pytest.raises(NotImplementedError, match='"lu_cpu" not implemented'):
        torch.det(x)


def test_gelss_leaves_out_what_is_no_larger_than_rcond() -> None:
    a, b = torch.ones(3, 2), torch.ones(3, 1)
    found = torch.linalg.lstsq(a, b, rcond=1.0, driver="gelss")
    assert found.solution.tolist() == [[0.0], [0.0]]
    assert found.rank.item() == 0
    assert torch.linalg.lstsq(a, b, rcond=1.0, driver="gelsd").rank.item() == 1
    with pytest.raises(RuntimeError, match=r"should match other\.size\(-1\)"):
        torch.linalg.lstsq(a, torch.ones(2))


EQUATIONS = [
    (". ..", "found '.' for operand 0 that is not part of any ellipsis"),
    ("... ...", "found '.' for operand 0 for which an ellipsis was already found"),
    ("a...b", r"\(2\) is more than the number of dimensions \(1\) for operand 0"),
    ("a->... .", r"found '.' for output but an ellipsis \(...\) was already found"),
    ("a->..", r"found '.' for output that is not part of any ellipsis"),
    ("a->1", "invalid subscript given at index 3"),
    ("a->aa", "appears more than once in the output"),
]


@pytest.mark.parametrize(("equation", "words"), EQUATIONS)
def test_equations_that_are_none(equation: str, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        torch.einsum(equation, torch.ones(2))


def test_losses_of_phases_have_no_gradient() -> None:
    a = torch.tensor([[1.0, 2 + 1j], [0.5j, 3.0]], requires_grad=True)
    h = a + a.mH
    u, _, vh = torch.linalg.svd(a)
    for name, loss in [
        ("linalg_eigh_backward", torch.linalg.eigh(h).eigenvectors.sum().abs()),
        ("linalg_eig_backward", torch.linalg.eig(a).eigenvectors.sum().abs()),
        ("svd_backward", (u + vh).sum().abs()),
    ]:
        with pytest.raises(RuntimeError, match=f"{name}(.|\n)*ill-defined"):
            loss.backward()
    torch.linalg.eigh(h).eigenvectors.abs().sum().backward()  # has no phase
    assert a.grad is not None


def test_bools_are_multiplied_where_there_is_nothing_to_multiply() -> None:
    o = partial(torch.ones, dtype=torch.bool)
    assert torch.baddbmm(o(2), o(2, 0, 3), o(2, 3, 2), beta=0.5).shape == (2, 0, 2)
    assert torch.addmm(o(1), o(0, 3), o(3, 2)).shape == (0, 2)
    assert torch.addbmm(o(1), o(2, 0, 3), o(2, 3, 2)).shape == (0, 2)
    assert not torch.addmm(o(1), o(2, 0), o(0, 2), beta=0).any()
    assert torch.addmv(o(2), o(2, 0), o(0)).all()
    for call in (
        lambda: torch.addmm(o(1), o(2, 0), o(0, 2)),
        lambda: torch.baddbmm(o(1), o(2, 2, 0), o(2, 0, 2)),
        lambda: torch.addbmm(o(1), o(0, 2, 3), o(0, 3, 2)),
    ):
        with pytest.raises(RuntimeError, match="result type Long can't be cast"):
            call()
    with pytest.raises(NotImplementedError, match="\"baddbmm\" not implemented for 'Bool'"):
        torch.baddbmm(o(1), o(2, 2, 3), o(2, 3, 2))
    with pytest.raises(RuntimeError, match="same dtype"):
        torch.baddbmm(o(1), torch.ones(2, 2, 3), torch.ones(2, 3, 2))


@pytest.mark.parametrize("bias", [torch.ones(5), torch.ones(1)])
def test_a_bias_beside_one_line_of_weights(bias: Any) -> None:
    line = torch.ones(3)
    with pytest.raises(RuntimeError, match="mat2 must be a matrix"):
        torch.nn.functional.linear(line, line, bias)
    assert torch.nn.functional.linear(line, line, bias[0]).item() == 4
    with pytest.raises(RuntimeError, match="mat2 must be a matrix"):
        torch.nn.functional.linear(torch.ones(4, 2, 3), line, torch.ones(2))


REFLECTIONS = torch.ones(4, 3), torch.ones(3), torch.ones(4, 2)


def test_reflections_fit_their_matrix() -> None:
    a, tau, other = REFLECTIONS
    for call, words in (
        (lambda: torch.orgqr(a[None], tau), "Expected tau to have one dimension less"),
        (lambda: torch.ormqr(a[None], tau, other), "Expected tau to have one dimension less"),
        (lambda: torch.ormqr(a[0, 0], tau, other), "input must have at least 2 dimensions"),
        (lambda: torch.ormqr(torch.ones(5, 3), tau, other), "must be equal to input.shape"),
        (lambda: torch.linalg.tensorinv(torch.tensor(1.0)), "invalid slice, N = 2; size = 0"),
    ):
        with pytest.raises(RuntimeError, match=words):
            call()
    with pytest.raises(IndexError, match="no dimensions"):
        torch.orgqr(a, tau[0])


def test_dims_of_a_number_are_looked_at() -> None:
    x = torch.tensor(3.0)
    assert torch.linalg.vector_norm(x, dim=-1).item() == 3
    for call in (
        lambda: x.norm(1, 1),
        lambda: torch.linalg.vector_norm(x, 1, 1),
        lambda: torch.nn.functional.normalize(x),
    ):
        with pytest.raises(IndexError, match="Dimension out of range"):
            call()


def test_norms_to_renormalise_by() -> None:
    with pytest.raises(RuntimeError, match="non-positive-norm not supported"):
        torch.ones(3, 4).renorm(0, 0, 1.0)
    with pytest.raises(RuntimeError, match="expected maxnorm to be >= 0"):
        torch.ones(3, 4).renorm(1, 0, -1.0)


@pytest.mark.parametrize("other", [torch.float16, torch.int64])
def test_vectors_of_two_types(other: Any) -> None:
    x, y = torch.ones(3), torch.ones(3, dtype=other)
    told = "both vectors to have same dtype, but found Float and "
    told += {torch.float16: "Half", torch.int64: "Long"}[other]
    for call in (torch.dot, torch.vdot, torch.matmul):
        with pytest.raises(RuntimeError, match=told):
            call(x, y)
    with pytest.raises(RuntimeError, match="both inputs should have same dtype"):
        torch.inner(x, y)
