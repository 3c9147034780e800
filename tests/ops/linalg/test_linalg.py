"""Products, norms, systems and factorizations: identities, errors, and gradients where they are
special."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import gradcheck, gradgradcheck

rng = np.random.default_rng(5)


def real(*shape):
    return torch.from_numpy(rng.normal(size=shape))


def close(a, b, tolerance=1e-10):
    np.testing.assert_allclose(
        a.detach().numpy(), b.detach().numpy(), rtol=tolerance, atol=tolerance
    )


# -- products --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [((3,), (3,)), ((4, 3), (3,)), ((3,), (3, 5)), ((2, 4, 3), (3, 5)), ((4, 3), (2, 3, 5))],
)
def test_matmul_is_numpys(a, b):
    x, y = real(*a), real(*b)
    np.testing.assert_allclose((x @ y).numpy(), x.numpy() @ y.numpy())
    assert gradcheck(torch.matmul, (x.requires_grad_(), y.requires_grad_()))
    assert gradgradcheck(torch.matmul, (x, y))


def test_strided_operands_are_products_too():
    x = real(6, 8)
    a, b = x[::2, ::2], x.T[::2, ::2]  # neither has neighbouring elements side by side
    np.testing.assert_allclose((a @ b).numpy(), a.numpy().copy() @ b.numpy().copy())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: torch.ones(4, 3) @ torch.ones(5, 2),
            r"mat1 and mat2 shapes cannot be multiplied \(4x3 and 5x2\)",
        ),
        (lambda: torch.ones(4, 3) @ torch.ones(5, 3), r"try +b\.mT"),
        (
            lambda: torch.ones(4, 3) @ torch.ones(4),
            r"size mismatch, got input \(4\), mat \(4x3\), vec \(4\)",
        ),
        (lambda: torch.ones(3) @ torch.ones(4), "inconsistent tensor size"),
        (
            lambda: torch.ones(2, 3, 4) @ torch.ones(2, 5, 6),
            "Expected size for first two dimensions",
        ),
        (lambda: torch.ones(2, 3, 4) @ torch.ones(3, 4, 6), "must match the size"),
        (lambda: torch.ones(()) @ torch.ones(3), "at least 1D"),
        (lambda: torch.ones(2, 2) @ torch.ones(2, 2).double(), "same dtype.*float != double"),
        (lambda: torch.mm(torch.ones(2), torch.ones(2, 2)), "self must be a matrix"),
        (lambda: torch.dot(torch.ones(2, 2), torch.ones(2)), "1D tensors expected"),
        (
            lambda: torch.nn.functional.linear(torch.ones(2, 3), torch.ones(4, 5)),
            r"\(2x3 and 5x4\)",
        ),
        (lambda: torch.addmm(torch.ones(3), torch.ones(2, 2), torch.ones(2, 2)), "expanded size"),
    ],
)
def test_product_errors_say_what_to_do(call, words):
    with pytest.raises(RuntimeError, match=words):
        call()


def test_beta_zero_forgets_the_input():
    bad = torch.full((2, 2), float("nan"))
    assert torch.addmm(bad, torch.eye(2), torch.eye(2), beta=0).tolist() == [[1, 0], [0, 1]]


def test_linear_gradients_have_the_layout_of_the_weight():
    x, w, b = real(2, 7, 3), real(5, 3).requires_grad_(), real(5).requires_grad_()
    torch.nn.functional.linear(x, w, b).sum().backward()
    assert w.grad.is_contiguous()
    close(w.grad, x.sum((0, 1)).expand(5, 3))
    assert b.grad.tolist() == [14] * 5


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_narrow_products_accumulate_in_float32(dtype):
    x = torch.ones(1, 4096, dtype=dtype)
    assert (x @ x.T).item() == 4096


def test_shapes_without_data():
    a, b = torch.empty(5, 4, 3, device="meta"), torch.empty(3, 7, device="meta")
    assert (a @ b).shape == (5, 4, 7)
    assert torch.nn.functional.linear(a, torch.empty(2, 3, device="meta")).shape == (5, 4, 2)
    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        a @ torch.empty(4, 7, device="meta")


EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("bhid,bhjd->bhij", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("i,j->ij", (2,), (3,)),
    ("ij->ji", (2, 3)),
    ("ij->", (2, 3)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 3)),
    ("i...,j...->...ij", (2, 3, 4), (5, 3, 4)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("ij,ij->j", (2, 3), (2, 3)),
    ("b i d, b j d -> b i j", (2, 3, 4), (2, 5, 4)),
    ("ij,kj", (2, 3), (4, 3)),
]


@pytest.mark.parametrize("case", EQUATIONS, ids=lambda c: c[0])
def test_einsum_is_numpys(case):
    equation, *shapes = case
    xs = [real(*s) for s in shapes]
    wanted = np.einsum(equation, *[x.numpy() for x in xs])
    np.testing.assert_allclose(torch.einsum(equation, *xs).numpy(), wanted, atol=1e-12)
    xs = [x.requires_grad_() for x in xs]
    assert gradcheck(lambda *t: torch.einsum(equation, *t), xs)
    assert gradgradcheck(lambda *t: torch.einsum(equation, *t), xs)


def test_einsum_tells_operands_of_a_list_one_by_one():
    class Told:
        @classmethod
        def __torch_function__(cls, fn, types, args=(), kwargs=None):
            return fn, args

    a = Told()
    assert torch.einsum("i,i->", [a, a]) == (torch.einsum, ("i,i->", a, a))
    assert torch.einsum("i->", a) == (torch.einsum, ("i->", a))
    assert torch._assert(a, "said") == (torch._assert, (a, "said"))


def test_einsum_with_lists_of_dims():
    a, b = real(2, 3), real(3, 4)
    close(torch.einsum(a, [0, 1], b, [1, 2], [0, 2]), a @ b)
    close(torch.einsum(a, [..., 0], b, [0, 1]), a @ b)


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("ij,jk->il", real(2, 3), real(3, 4)), "output subscript l does not appear"),
        (("ij,jk", real(2, 3)), "fewer operands were provided"),
        (("ijk", real(2, 3)), "does not match the number of dimensions"),
        (("ij,jk", real(2, 3), real(4, 5)), "does not broadcast"),
        (("i1", real(2, 3)), "invalid subscript"),
        (("ii", real(2, 3)), "sizes don't match"),
    ],
)
def test_einsum_errors(args, words):
    with pytest.raises(RuntimeError, match=words):
        torch.einsum(*args)


def test_chains_are_multiplied_in_the_cheapest_order():
    xs = [real(*s) for s in ((2, 30), (30, 3), (3, 20), (20,))]
    wanted = xs[0] @ xs[1] @ xs[2] @ xs[3]
    close(torch.linalg.multi_dot(xs), wanted)
    a, b = real(2, 3, 4), real(4, 3, 5)
    close(torch.tensordot(a, b, ([1, 2], [1, 0])), torch.einsum("ijk,kjl->il", a, b))


# -- norms -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [0, 1, 2, 3, 0.5, float("inf"), -float("inf")])
def test_vector_norms(p):
    x = real(3, 4)
    np.testing.assert_allclose(
        torch.linalg.vector_norm(x, p, dim=1).numpy(), np.linalg.norm(x.numpy(), p, axis=1)
    )


@pytest.mark.parametrize("p", ["fro", "nuc", 1, -1, 2, -2, float("inf"), -float("inf")])
def test_matrix_norms(p):
    x = real(3, 4)
    assert torch.linalg.matrix_norm(x, p).item() == pytest.approx(np.linalg.norm(x.numpy(), p))


def test_the_norm_of_zero_has_gradient_zero():
    for p in (1, 2, 3, 0.5):
        x = torch.zeros(3, requires_grad=True)
        x.norm(p).backward()
        assert x.grad.tolist() == [0, 0, 0]


def test_norm_of_large_and_of_tiny_numbers():
    assert torch.tensor([3e200, 4e200], dtype=torch.float64).norm().isinf()
    assert torch.zeros(0).norm().item() == 0
    assert torch.tensor(-3.0).norm().item() == 3


def test_distances_both_ways():
    a, b = real(30, 3).requires_grad_(), real(40, 3).requires_grad_()
    fast = torch.cdist(a, b)
    slow = torch.cdist(a, b, compute_mode="donot_use_mm_for_euclid_dist")
    close(fast, slow, 1e-7)
    g1 = torch.autograd.grad(fast.sum(), (a, b))
    g2 = torch.autograd.grad(slow.sum(), (a, b))
    for x, y in zip(g1, g2, strict=True):
        close(x, y, 1e-6)
    i, j = np.triu_indices(4, 1)
    close(torch.nn.functional.pdist(a[:4]), torch.cdist(a[:4], a[:4])[i, j])


# -- systems and factorizations --------------------------------------------------------------------


def test_factorizations_give_the_matrix_back():
    x, square = real(2, 5, 3), real(2, 4, 4)
    u, s, vh = torch.linalg.svd(x, full_matrices=False)
    close(u * s.unsqueeze(-2) @ vh, x)
    q, r = torch.linalg.qr(x)
    close(q @ r, x)
    p, low, up = torch.linalg.lu(x)
    close(p @ low @ up, x)
    sym = square @ square.mT + torch.eye(4, dtype=torch.float64)
    low = torch.linalg.cholesky(sym)
    close(low @ low.mT, sym)
    values, vectors = torch.linalg.eigh(sym)
    close(vectors * values.unsqueeze(-2) @ vectors.mT, sym)
    values, vectors = torch.linalg.eig(square)
    close((vectors * values.unsqueeze(-2) @ torch.linalg.inv(vectors)).real, square)


def test_solutions_solve():
    a, b = real(2, 4, 4), real(2, 4, 3)
    close(a @ torch.linalg.solve(a, b), b)
    close(torch.linalg.solve(a, b.mT, left=False) @ a, b.mT)
    close(a[0] @ torch.linalg.solve(a[0], b[0, :, 0]), b[0, :, 0])
    close(torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b), torch.linalg.solve(a, b))
    close(a.triu() @ torch.linalg.solve_triangular(a, b, upper=True), b, 1e-7)
    tall = real(6, 3)
    x = torch.linalg.lstsq(tall, torch.ones(6, 2).double()).solution
    close(tall.T @ (tall @ x - 1), torch.zeros(3, 2).double())
    close(torch.linalg.pinv(tall) @ tall, torch.eye(3).double())


def test_large_triangular_systems():
    a, b = real(150, 150).tril() + 150 * torch.eye(150).double(), real(150, 2)
    close(a @ torch.linalg.solve_triangular(a, b, upper=False), b)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: torch.linalg.inv(torch.zeros(2, 2)), "diagonal element 1 is zero.*singular"),
        (
            lambda: torch.linalg.inv(torch.stack([torch.eye(2), torch.zeros(2, 2)])),
            "Batch element 1",
        ),
        (lambda: torch.linalg.solve(torch.zeros(2, 2), torch.ones(2)), "singular"),
        (lambda: torch.linalg.cholesky(-torch.eye(2)), "minor of order 1 is not positive-definite"),
    ],
)
def test_singular_matrices_raise_linalg_errors(call, words):
    with pytest.raises(torch.linalg.LinAlgError, match=words):
        call()


def test_shape_and_type_errors_of_functions_of_matrices():
    with pytest.raises(RuntimeError, match=r"square matrices.*2 by 3"):
        torch.linalg.inv(torch.ones(2, 3))
    with pytest.raises(RuntimeError, match="at least 2 dimensions"):
        torch.linalg.svd(torch.ones(3))
    with pytest.raises(RuntimeError, match="floating point or complex"):
        torch.linalg.det(torch.ones(2, 2, dtype=torch.int64))
    with pytest.raises(RuntimeError, match="Incompatible shapes"):
        torch.linalg.solve(torch.eye(3), torch.ones(4, 2))
    with pytest.raises(RuntimeError, match=r"now removed(.|\n)*torch\.linalg\.eigh"):
        torch.symeig(torch.eye(2))


def test_errors_can_be_asked_for_as_numbers():
    both = torch.stack([torch.eye(2), torch.zeros(2, 2)])
    assert torch.linalg.inv_ex(both).info.tolist() == [0, 1]
    assert torch.linalg.cholesky_ex(both).info.tolist() == [0, 1]


def test_a_determinant_that_overflows_is_infinite_and_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = torch.linalg.det(torch.diag(torch.tensor([1e30, -1e30])))
    assert y.item() == float("-inf")


def test_the_determinant_of_a_singular_matrix_has_a_gradient():
    x = torch.tensor([[1.0, 2], [2, 4]], dtype=torch.float64, requires_grad=True)
    torch.linalg.det(x).backward()
    close(x.grad, torch.tensor([[4.0, -2], [-2, 1]]).double())


@pytest.mark.parametrize(
    "f",
    [
        torch.linalg.inv,
        torch.linalg.det,
        torch.linalg.slogdet,
        torch.linalg.pinv,
        torch.linalg.matrix_exp,
        torch.linalg.svdvals,
        lambda x: torch.linalg.eigvalsh(x + x.mT),
        lambda x: torch.linalg.cholesky(x @ x.mT + torch.eye(3).double()),
        lambda x: torch.linalg.qr(x)[1].abs(),
        lambda x: torch.linalg.lu_factor(x)[0],
        lambda x: torch.linalg.solve(x, x.sin()),
        lambda x: torch.linalg.matrix_power(x, -3),
    ],
)
def test_gradients_of_both_orders(f):
    x = (real(3, 3) + 3 * torch.eye(3).double()).requires_grad_()

    def differentiable(t):
        y = f(t)
        return y[1] if isinstance(y, tuple) and len(y) == 2 else y

    assert gradcheck(differentiable, (x,))
    assert gradgradcheck(differentiable, (x,), atol=1e-4)


def test_empty_matrices():
    x = torch.zeros(0, 3, 3)
    assert torch.linalg.inv(x).shape == (0, 3, 3)
    assert torch.linalg.det(torch.zeros(2, 0, 0)).tolist() == [1, 1]
    assert torch.linalg.svd(torch.zeros(3, 0))[0].shape == (3, 3)
    assert torch.linalg.eigh(torch.zeros(0, 0))[0].shape == (0,)
    assert (torch.zeros(2, 0) @ torch.zeros(0, 3)).tolist() == [[0, 0, 0]] * 2


def test_named_results():
    u, s, vh = result = torch.linalg.svd(torch.eye(2))
    assert (result.U is u, result.S is s, result.Vh is vh) == (True,) * 3
    assert repr(result).startswith("torch.return_types.linalg_svd(\nU=tensor(")


def test_triangles_and_diagonals():
    x = real(3, 4)
    np.testing.assert_array_equal(x.tril(1).numpy(), np.tril(x.numpy(), 1))
    np.testing.assert_array_equal(x.triu(-1).numpy(), np.triu(x.numpy(), -1))
    np.testing.assert_array_equal(torch.diag(x, 1).numpy(), np.diag(x.numpy(), 1))
    np.testing.assert_array_equal(torch.diag(x[0], -1).numpy(), np.diag(x[0].numpy(), -1))
    y = x.clone()
    assert y.tril_() is y
    assert y[0, 1] == 0
    assert torch.trace(x).item() == pytest.approx(np.trace(x.numpy()))


def test_results_into_given_tensors():
    out = torch.empty(0)
    y = torch.mm(torch.eye(2), torch.ones(2, 3), out=out)
    assert y is out
    assert out.shape == (2, 3)
    torch.linalg.inv(2 * torch.eye(3), out=out.resize_(0))
    assert out[1, 1] == 0.5


def test_addr_takes_mixed_types():
    ints = torch.ones(2, 3, dtype=torch.int32)
    assert torch.addr(ints, torch.ones(2), torch.ones(3)).dtype is torch.float32
    longs = torch.ones(2, dtype=torch.int64), torch.ones(3, dtype=torch.bool)
    assert torch.addr(ints, *longs, alpha=2).tolist() == [[3] * 3] * 2
    for word in ("alpha", "beta"):
        with pytest.raises(RuntimeError, match=f"integral input tensors, argument {word}"):
            torch.addr(ints, *longs, **{word: 1.5})
    x = torch.ones(2, requires_grad=True)
    torch.addr(ints, x, torch.ones(3, dtype=torch.float64)).sum().backward()
    assert x.grad.tolist() == [3, 3]


def test_products_of_vectors_and_triangles_promote_nothing():
    a, b = torch.ones(2, 3), torch.ones(2, 3, dtype=torch.int64)
    for first, second in ((a, b), (a.half(), a), (a.half(), b)):
        with pytest.raises(RuntimeError, match="expected scalar type"):
            torch.linalg.cross(first, second)
    with pytest.raises(RuntimeError, match="must have length 3"):
        torch.linalg.cross(a[:, :2].bool(), a)
    with pytest.raises(RuntimeError, match="Expected b and A to have the same dtype"):
        torch.ones(3, 2).triangular_solve(torch.ones(3, 3).double())
    with pytest.raises(RuntimeError, match="Incompatible matrix sizes"):
        torch.ones(4, 2).triangular_solve(torch.ones(3, 3))
    with pytest.raises(RuntimeError, match=r"same dtype, got input1: float, input2: long"):
        torch.nn.functional.bilinear(a, b, torch.ones(5, 3, 3))
    with pytest.raises(RuntimeError, match="B must have at least 2 dimensions"):
        torch.linalg.lu_solve(torch.ones(3, 3), torch.ones(3, dtype=torch.int32), torch.ones(3))


def test_einsum_takes_what_has_one_element_for_its_own_sum():
    one = torch.tensor([[True]])
    assert torch.einsum("ij,jk->ik", one, torch.tensor([[True, False]])).tolist() == [[True, False]]
    short = torch.tensor([[3]], dtype=torch.int16)
    assert torch.einsum("ij,kl->ik", short, short).dtype == torch.int16


def test_a_zero_takes_the_gradient_of_a_norm_of_negative_order():
    x = torch.tensor([[2.5, 0.0, 0.5], [1.0, 2.0, 4.0]], requires_grad=True)
    x.norm(-1, 1).sum().backward()
    assert x.grad[0].tolist() == [0.0, 0.0, 0.0]
    norm = 1 / (1 + 1 / 2 + 1 / 4)
    assert torch.allclose(x.grad[1], norm**2 / x[1].detach() ** 2)


def test_adjoints_of_one_number_are_it():
    x = torch.tensor(1.0, requires_grad=True)
    with pytest.warns(UserWarning, match="deprecated on 0-D"):
        assert x.mT is x.mH is x.H is x.adjoint() is x
    assert not x.T.is_leaf


def test_outer_products_of_two_types_have_gradients() -> None:
    x, i = torch.ones(3, requires_grad=True), torch.arange(4)
    for y in (torch.outer(x, i), torch.outer(i, x)):
        x.grad = None
        y.sum().backward()
        assert x.grad is not None
        assert x.grad.tolist() == [6.0, 6.0, 6.0]


def test_residuals_of_the_default_driver_are_empty() -> None:
    a, b = torch.tensor([[1.0, 0], [0, 1], [1, 1]]), torch.tensor([[1.0], [2.0], [0.0]])
    assert torch.linalg.lstsq(a, b).residuals.tolist() == []
    torch.testing.assert_close(
        torch.linalg.lstsq(a, b, driver="gelsd").residuals, torch.tensor([3.0])
    )


def test_numbers_are_no_tensors_of_products_and_distances() -> None:
    x = torch.ones(3)
    with pytest.raises(TypeError, match=r"addr\(\): argument 'input' \(position 1\)"):
        torch.addr(2, x, x)
    with pytest.raises(TypeError, match=r"argument 'x1' \(position 1\) must be Tensor, not float"):
        torch.nn.functional.pairwise_distance(-1.5, x)


# -- types and gradients of what PyTorch composes otherwise ----------------------------------------


def test_distances_of_two_types():
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        torch.cdist(torch.ones(2, 3), torch.ones(2, 3, dtype=torch.float64))


def test_norms_of_order_zero_hand_on_no_gradient():
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    x.norm(0).backward()
    assert x.grad is None
    a = torch.ones(2, 3, requires_grad=True)
    torch.cdist(a, torch.zeros(2, 3), 0).sum().backward()
    assert a.grad.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_both_results_of_triangular_solve_are_differentiable():
    b, a = torch.ones(2, 1, requires_grad=True), torch.eye(2)
    x, copied = torch.triangular_solve(b, a)
    assert x.requires_grad
    assert copied.requires_grad
    m = torch.tensor([[2.0, 1.0], [0.0, 4.0]], dtype=torch.float64, requires_grad=True)
    w = torch.ones(2, 1, dtype=torch.float64, requires_grad=True)
    for how in ({}, {"transpose": True}, {"upper": False}, {"unitriangular": True}):
        assert gradcheck(lambda b, a, how=how: torch.triangular_solve(b, a, **how), (w, m))


def test_triangular_systems_are_solved_in_the_type_of_the_matrix():
    b = torch.tensor([[2], [4]])
    x = torch.linalg.solve_triangular(torch.eye(2) * 2, b, upper=True)
    assert x.dtype is torch.float32
    assert x.tolist() == [[1], [2]]


def test_the_residuals_of_lstsq_require_grad():
    a, b = torch.rand(4, 3), torch.rand(4, 2, requires_grad=True)
    found = torch.linalg.lstsq(a, b)
    assert [t.requires_grad for t in found] == [True, True, False, False]
    assert found.residuals.shape == (0,)


def test_a_matrix_of_powers_is_that_of_a_vector():
    for x in (torch.tensor(2.0), torch.ones(2, 2)):
        with pytest.raises(RuntimeError, match="x must be a one-dimensional tensor"):
            torch.vander(x)


def test_a_bias_of_another_type_is_added_where_rows_do_not_lie_in_order() -> None:
    x, w = real(2, 4, 3), real(5, 3)
    bias = torch.ones(5, dtype=torch.float16, requires_grad=True)
    y = torch.nn.functional.linear(x.transpose(0, 1), w, bias)
    assert y.dtype is torch.float64
    close(y, x.transpose(0, 1) @ w.T + 1)
    y.sum().backward()
    assert bias.grad is not None
    assert bias.grad.dtype is torch.float16
    with pytest.raises(RuntimeError, match="same dtype"):
        torch.nn.functional.linear(x, w, bias)


# -- where results lie -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        torch.linalg.cholesky, torch.linalg.inv, torch.inverse, torch.linalg.qr, torch.geqrf,
        torch.linalg.eigh, torch.linalg.eig, torch.linalg.svd, torch.linalg.lu_factor,
        lambda a: torch.linalg.solve(a, a), lambda a: torch.cholesky_solve(a, a),
        lambda a: torch.linalg.solve_triangular(a, a, upper=True),
        lambda a: torch.triangular_solve(a, a), lambda a: torch.linalg.lstsq(a, a),
        lambda a: torch.linalg.householder_product(a, torch.ones(2, 3)),
        lambda a: torch.ormqr(a, torch.ones(2, 3), a),
        lambda a: torch.lu_solve(a, *torch.linalg.lu_factor(a)),
    ],
)  # fmt: skip
def test_matrices_lie_by_columns(call):
    x = torch.rand(2, 3, 3)
    for a in (x @ x.mT + torch.eye(3), (x @ x.mT + torch.eye(3)).mT):
        found = call(a)
        for y in found if isinstance(found, tuple) else (found,):
            assert y.ndim < 3 or y.stride() == (9, 1, 3)


def test_what_out_resizes_lies_as_the_result():
    assert torch.linalg.inv(torch.eye(3), out=torch.empty(0)).stride() == (1, 3)
    assert torch.linalg.inv(torch.eye(3), out=torch.empty(3, 3)).stride() == (3, 1)


def test_gradients_of_eigenvectors_are_symmetric():
    a = torch.tensor([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 1.0]], requires_grad=True)
    vectors = torch.linalg.eigh(a).eigenvectors
    (vectors * torch.arange(9.0).reshape(3, 3)).sum().backward()
    close(a.grad, a.grad.mT, 1e-5)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: torch.outer(0.1, torch.ones(2)), TypeError, "must be Tensor, not float"),
        (lambda: torch.einsum(0.0, torch.ones(2)), TypeError, "must be str, not float"),
        (lambda: torch.ones(3).renorm(2, 5, 1.0), RuntimeError, "needs at least 2 dimensions"),
        (lambda: torch.ones(3, dtype=torch.bool).renorm_(2, 0), TypeError, "maxnorm"),
        (lambda: torch.nn.functional.linear(torch.ones(4, 3), torch.ones(3), torch.ones(4)),
         RuntimeError, "mat2 must be a matrix, got 1-D tensor"),
        (lambda: torch.nn.functional.bilinear(torch.ones(2, 2), torch.ones(2, 2),
                                              torch.ones(3, 2, 2), torch.ones(2)),
         RuntimeError, "bias size does not match"),
        (lambda: torch.addr(*torch.ones(3, 3, dtype=torch.int64), alpha=2.0), RuntimeError,
         "argument alpha must not be a floating point number"),
        (lambda: torch.addr(*torch.ones(3, 3), alpha=1j), RuntimeError, "cannot be converted"),
    ],
)  # fmt: skip
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_renorm_leaves_what_has_no_norm():
    x = torch.tensor([[1.0, float("nan")], [0.5, 0.5]])
    assert x.renorm(2, 0, 1.5)[0, 0].item() == 1


def test_products_of_truths_without_elements():
    none = torch.ones(2, 0, dtype=torch.bool)
    assert (none @ none.mT).tolist() == [[False, False], [False, False]]
    assert torch.mm(none, none.mT).dtype is torch.bool
    with pytest.raises(NotImplementedError, match="'Bool'"):
        none.mT.new_ones(2, 2) @ none.mT.new_ones(2, 2)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: torch.mv(torch.tensor(1.0), torch.ones(2)), IndexError),
        (lambda: torch.mv(torch.ones(2), torch.ones(2)), RuntimeError),
        (lambda: torch.baddbmm(torch.ones(2), torch.ones(4), torch.ones(2, 3, 5)), IndexError),
        (lambda: torch.baddbmm(torch.ones(2), torch.ones(2, 4, 3), torch.ones(3, 5)), IndexError),
        (lambda: torch.baddbmm(torch.ones(2), torch.ones(4, 3), torch.ones(2, 3, 5)), RuntimeError),
        (lambda: torch.addbmm(torch.ones(2), torch.ones(2, 4, 3), torch.ones(3)), IndexError),
        (lambda: torch.cdist(torch.ones(2, 2), 1.0), TypeError),
        (lambda: torch.cross(torch.ones(3), 0), TypeError),
        (lambda: torch.spmm(torch.ones(3), torch.ones(3, 4)), RuntimeError),
        (lambda: torch.ormqr(torch.ones(4, 3), torch.ones(3), torch.ones(4)), RuntimeError),
    ],
)
def test_what_is_asked_first(call, error):
    with pytest.raises(error) as found:
        call()
    assert type(found.value) is error


def test_matrices_without_elements_have_any_shape():
    none = torch.ones(0, 3)
    assert torch.cholesky(none).shape == (0, 3)
    assert torch.linalg.cond(none.int()).item() == 0
    assert torch.linalg.matrix_rank(none, hermitian=True).item() == 0
    with pytest.raises(RuntimeError, match="square"):
        torch.linalg.cholesky(none)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: torch.chain_matmul(2.0, torch.ones(2, 2)), TypeError),
        (lambda: torch.linalg.solve_triangular(torch.eye(2), torch.ones(2), upper=True),
         RuntimeError),
        (lambda: torch.vander(torch.ones(3), True), TypeError),
        (lambda: torch.float_power(2, 2.5), TypeError),
        (lambda: torch.broadcast_shapes(0.5, (3,)), RuntimeError),
        (lambda: torch.kaiser_window(5, 8.0), TypeError),
        (lambda: torch.lu_solve(torch.ones(3, 2), torch.eye(3), torch.tensor(1)), IndexError),
    ],
)  # fmt: skip
def test_mistaken_operands(call, error):
    with pytest.raises(error) as found:
        call()
    assert type(found.value) is error


def test_pinv_of_nothing_may_be_called_hermitian():
    assert torch.linalg.pinv(torch.ones(0, 3), hermitian=True).shape == (3, 0)
    with pytest.raises(RuntimeError, match="square"):
        torch.linalg.pinv(torch.ones(2, 3), hermitian=True)


def test_norms_of_matrices_without_elements():
    for shape in ((0, 4), (4, 0), (0, 0)):
        x = torch.zeros(shape, requires_grad=True)
        for ord, counted in ((2, 0), (1, shape[1]), (torch.inf, shape[0])):
            norm = torch.linalg.matrix_norm(x, ord)
            assert norm.item() == 0
            assert norm.requires_grad == bool(counted)
        assert torch.linalg.norm(x, 2).item() == 0
        with pytest.raises(IndexError, match="non-zero size"):
            torch.linalg.matrix_norm(x, -2)
    x = torch.zeros(2, 0, 4, dtype=torch.complex64)
    norm = torch.linalg.matrix_norm(x, 2, keepdim=True)
    assert norm.shape == (2, 1, 1)
    assert norm.dtype is torch.float32
    assert torch.linalg.norm(x, 2, dim=(0, 1)).shape == (4,)


def test_norms_without_dim_are_of_matrices_and_vectors():
    for ord in ("fro", "nuc", 2):
        with pytest.raises(RuntimeError, match="the input must be 1D or 2D"):
            torch.linalg.norm(torch.zeros(2, 3, 4), ord)


def test_condition_of_nothing_has_no_history():
    x = torch.zeros(0, 4, requires_grad=True)
    for ord in (None, 2, -2, 1, torch.inf):
        assert not torch.linalg.cond(x, ord).requires_grad
    with pytest.raises(RuntimeError, match="square matrices"):
        torch.linalg.cond(x, "fro")


def test_reflections_take_no_zero_for_negative():
    x = torch.tensor([[-0.0, 1.0], [3.0, 2.0], [4.0, -1.0]])
    for r in (torch.linalg.qr(x)[1], torch.linalg.qr(x, mode="r")[1], torch.geqrf(x)[0]):
        assert r[0, 0].item() == pytest.approx(-5)


def test_results_of_batches_lie_in_rows():
    """However the batch lies: PyTorch copies it for LAPACK, NumPy keeps its order."""
    x = torch.rand(3, 2, 4, 4).transpose(0, 1)
    s = (x @ x.mT).transpose(0, 1).contiguous().transpose(0, 1)
    linalg = torch.linalg
    for y in (
        linalg.det(x),
        *linalg.slogdet(x),
        linalg.svdvals(x),
        linalg.svd(x).S,
        linalg.eigvals(x),
        linalg.eigvalsh(s),
        linalg.eigh(s).eigenvalues,
        linalg.matrix_rank(x),
        linalg.matrix_rank(s, hermitian=True),
        linalg.cond(x),
        linalg.pinv(x),
        *linalg.lu(x),
        torch.geqrf(x).tau,
    ):
        assert y.is_contiguous(), y.stride()


def test_the_sign_of_a_determinant_of_real_numbers_has_no_gradient():
    x = torch.zeros(2, 2, requires_grad=True)  # whose inverse is not finite
    sign, size = torch.linalg.slogdet(x)
    assert torch.autograd.grad(sign, x, allow_unused=True, retain_graph=True) == (None,)
    assert torch.autograd.grad(size, x)[0].shape == (2, 2)


def test_norms_of_complex_numbers_that_are_infinite_beside_nan():
    x = torch.tensor([complex(torch.inf, torch.nan), 1 + 0j])
    for order in (2, 1, 3, torch.inf):
        assert torch.linalg.vector_norm(x, order).item() == torch.inf
    assert torch.linalg.vector_norm(torch.tensor([complex(torch.nan, 1)])).isnan()


def test_renorm_of_slices_that_stay():
    """Their gradient is what comes back, also in half precision, where 1e-7 is 0, and for NaN."""
    for dtype in (torch.float16, torch.float32):
        x = torch.tensor([[torch.nan, 1.0], [3.0, 4.0], [0.0, 0.5]], dtype=dtype)
        y = x.requires_grad_().renorm(2, 0, 1.0)
        assert torch.allclose(y[1], torch.tensor([0.6, 0.8], dtype=dtype), atol=1e-3)
        y.backward(torch.ones(3, 2, dtype=dtype))
        assert x.grad[::2].tolist() == [[1.0, 1.0], [1.0, 1.0]]
        assert x.grad[1].isfinite().all()
