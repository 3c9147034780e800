"""Changes in place within functions that are transformed."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.autograd import changes
from rushlight.func import grad, jvp, vjp, vmap


def test_a_captured_tensor_is_not_changed_by_the_inputs():
    captured = torch.zeros(3)
    x = torch.ones(3)

    def f(x):
        captured.copy_(x)
        return (x * captured).sum()

    def view(x):
        captured[1:].mul_(x[1:])
        return x.sum()

    for g in (f, view):
        with pytest.raises(RuntimeError, match="mutate a captured Tensor"):
            grad(g)(x)
        with pytest.raises(RuntimeError, match="mutate a captured Tensor"):
            jvp(g, (x,), (x,))
    assert captured.tolist() == [0, 0, 0]
    assert not changes.change_watchers

    def own(x):
        captured.add_(1)  # of nothing that is differentiated
        y = torch.zeros(3)
        y.copy_(x)
        return (y * captured).sum()

    assert grad(own)(x).tolist() == [1, 1, 1]
    assert captured.tolist() == [1, 1, 1]


def test_forward_mode_lets_inputs_be_changed():
    def f(x, y):
        x[1:].copy_(y)
        return x * 2

    x, y = torch.ones(3), torch.full((2,), 5.0)
    out, tangent = jvp(f, (x, y), (torch.full((3,), 7.0), torch.full((2,), 3.0)))
    assert out.tolist() == [2, 10, 10]
    assert tangent.tolist() == [14, 6, 6]
    assert x.tolist() == [1, 5, 5]
    rows = torch.ones(2, 3)
    out, _ = vmap(lambda x: jvp(lambda x: x.mul_(2), (x,), (x.clone(),)))(rows)
    assert out.tolist() == [[2, 2, 2]] * 2
    assert rows.tolist() == [[2, 2, 2]] * 2


def test_a_pull_takes_its_cotangents_as_one_argument():
    _, pull = vjp(lambda x: (x * 2, x * 3), torch.ones(1))
    one = torch.ones(1)
    assert pull((one, one))[0].tolist() == [5]
    assert pull((one, one), True, False)[0].tolist() == [5]
    with pytest.raises(RuntimeError, match="pytree structure of cotangents"):
        pull(one)


def test_a_batching_rule_is_given_the_defaults_of_forward():
    class Taken(torch.autograd.Function):
        @staticmethod
        def forward(x, idx=(2,)):
            return x[idx]

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.idx = inputs[1]

        @staticmethod
        def vmap(info, in_dims, x, idx):
            seen.append((in_dims, idx))
            return Taken.apply(x.movedim(in_dims[0], 1), idx), 0

    seen: list = []
    x = torch.arange(6.0).view(2, 3)
    assert vmap(Taken.apply)(x).tolist() == [2, 5]
    assert vmap(Taken.apply, in_dims=(0, None))(x, (0,)).tolist() == [0, 3]
    assert [idx for _, idx in seen] == [(2,), (0,)]
    assert seen[0][0] == (0, (None,))


def test_a_slice_may_be_what_is_filled_with() -> None:
    """Its value is not looked at: it is taken as a tensor."""
    x, v = torch.arange(6.0).reshape(2, 3), torch.tensor([10.0, 20.0])
    masked = [[0, 1, 10], [20, 20, 20]]
    assert torch.vmap(lambda t, u: t.masked_fill(t > 1, u))(x, v).tolist() == masked
    assert torch.vmap(lambda t, u: t.clone().masked_fill_(t > 1, u))(x, v).tolist() == masked
    first = torch.tensor([0])
    filled = torch.vmap(lambda t, u: t.index_fill(0, first, u))(x, v)
    assert filled.tolist() == [[10, 1, 2], [20, 4, 5]]


def test_as_strided_counts_from_the_slice() -> None:
    x = torch.arange(24.0).reshape(2, 3, 4)[1]  # (3, 4), from element 12 on
    offset = x.storage_offset()
    rows = torch.vmap(lambda t: t.as_strided((2, 2), (1, 1), offset + 1))(x)
    assert rows.tolist() == [[[a + 1, a + 2], [a + 2, a + 3]] for a in (12, 16, 20)]
    columns = torch.vmap(lambda t: t.as_strided((2,), (8,), offset), in_dims=1)(x)
    assert columns.tolist() == [[a, a + 8] for a in (12, 13, 14, 15)]
    inner = torch.vmap(lambda t: t.as_strided((), (), offset))
    assert torch.vmap(inner, in_dims=1)(x).tolist() == x.T.tolist()
    computed = torch.vmap(lambda t: (t + 0).as_strided((2,), (2,), 1))(x)
    assert computed.tolist() == x[:, 1::2].tolist()
    assert torch.vmap(lambda t: x.as_strided((2,), (1,), 0))(x)[2].tolist() == [0.0, 1.0]
    for size, stride, start in (((4,), (1,), offset + 1), ((2,), (1,), 0), ((5,), (1,), None)):
        with pytest.raises(RuntimeError, match="This is not supported inside of vmap"):
            torch.vmap(lambda t, a=(size, stride, start): t.as_strided(*a))(x)


def test_a_result_that_is_a_view_of_an_input_is_one_outside():
    """A change in place is seen in the input, with its history; so in PyTorch."""

    def of_vjp(f, x):
        return vjp(f, x)[0]

    def of_jvp(f, x):
        return jvp(f, (x,), (x,))[0]

    def of_linearize(f, x):
        return torch.func.linearize(f, x)[0]

    for transformed in (of_vjp, of_jvp, of_linearize):
        for f in (lambda x: x, lambda x: x.mT, lambda x: x[0, 1:], lambda x: x.view(-1)[1]):
            x = torch.zeros(2, 3)
            y = transformed(f, x)
            assert not y.requires_grad
            w = torch.ones((), requires_grad=True)
            y[...] = 2 * w
            assert x.requires_grad
            x.sum().backward()
            assert w.grad == 2 * y.numel()
        x = torch.zeros(2, 3)
        y = transformed(lambda x: x[0] * 1, x)
        y[...] = torch.ones((), requires_grad=True)
        assert not x.requires_grad
        assert x.sum() == 0
    z = torch.zeros(2, dtype=torch.complex64)
    of_vjp(lambda x: x.real, z).fill_(1)  # of another type: the memory alone
    assert z.tolist() == [1, 1]


def test_grad_of_complex_results_without_a_path():
    """Zeros, as for others; a complex result of the input is refused."""
    x = torch.ones(2, dtype=torch.complex64)
    assert grad(lambda x: x.detach().sum())(x).tolist() == [0, 0]
    assert grad(lambda x: torch.ones((), dtype=torch.complex64))(torch.ones(2)).tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="only for real scalar outputs"):
        grad(lambda x: x.sum())(x)


def test_tangents_where_a_rule_asks_whether_its_gradient_is_zero():
    """Of xlogy at places that have no logarithm, and of logcumsumexp over a wide range."""
    x, t = torch.tensor([1.0, 2.0, 3.0, 0.0]), torch.tensor([1.0, -2.0, 3.0, 0.5])
    y = torch.tensor([-1.0, 2.0, 0.0, 0.0])
    (slope,) = vjp(lambda x: x.xlogy(y), x)[1](torch.ones(4))
    assert str(slope.tolist()) == str([float("nan"), y[1].log().item(), -float("inf"), 0.0])
    for tangent in (jvp(lambda x: x.xlogy(y), (x,), (t,))[1], forward(lambda x: x.xlogy(y), x, t)):
        assert str(tangent.tolist()) == str((slope * t).tolist())
    wide = torch.tensor([0.0, 200.0, -300.0, 5.0])
    for f in (lambda x: x.logcumsumexp(0), lambda x: (x + 0j).logcumsumexp(0)):
        for tangent in (jvp(f, (wide,), (t,))[1], forward(f, wide, t)):
            assert torch.allclose(torch.view_as_real(tangent + 0j)[1:, 0], torch.tensor(-2.0))
    slopes = torch.func.jacfwd(lambda x: x.logcumsumexp(0))(wide)
    assert torch.allclose(slopes[1:, 1], torch.tensor(1.0))


def forward(f, x, t):
    with torch.autograd.forward_ad.dual_level():
        y = f(torch.autograd.forward_ad.make_dual(x, t))
        return torch.autograd.forward_ad.unpack_dual(y).tangent


def test_what_vmap_detaches_is_a_view_of_its_input():
    """So a change in place is seen there, as of other views of slices."""
    for f in (lambda x: x.detach(), lambda x: x.detach()[1:], lambda x: x[1:].detach()):
        for dim in (0, 1):
            x = torch.zeros(2, 3)
            y = vmap(f, dim)(x)
            y.fill_(1)
            assert x.sum() == y.numel()
            assert not y.requires_grad
    x = torch.zeros(2, 3)
    vmap(lambda x: x.detach() * 1)(x).fill_(1)
    assert x.sum() == 0
    vmap(lambda x: x[1:].view(torch.int32))(x).fill_(1 << 29)
    assert (x[:, 1:] > 0).all()
    assert x[:, 0].sum() == 0
    for kind, other in ((torch.bool, torch.int32), (torch.float64, torch.int8)):
        x = torch.ones(2, 8, dtype=kind)[:, 4:]
        vmap(lambda x, other=other: x.view(other))(x).zero_()
        assert not x.any()


def test_inference_tensors_may_stand_in_what_is_transformed() -> None:
    """As in PyTorch, whose transforms keep wrappers of them; plain backward refuses them."""
    with torch.inference_mode():
        fixed = torch.tensor([[1.0, 2.0]])
    x = torch.tensor([[3.0], [4.0]])
    assert torch.func.grad(lambda t: (fixed @ t).sum())(x).tolist() == [[1.0], [2.0]]
    assert torch.func.jacrev(lambda t: fixed @ t)(x).tolist() == [[[[1.0], [2.0]]]]
    assert torch.func.jacfwd(lambda t: fixed @ t)(x).tolist() == [[[[1.0], [2.0]]]]
    assert torch.func.jvp(lambda t: fixed @ t, (x,), (x,))[1].tolist() == [[11.0]]
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved"):
        fixed @ x.requires_grad_()


def test_an_index_that_is_a_slice_gives_no_view():
    """The rows are gathered, as by one tensor for all: changes of them are not seen."""
    x, rows = torch.arange(6.0).reshape(3, 2), torch.tensor([2, 0])
    y = vmap(lambda i: x[i])(rows)
    assert y.tolist() == [[4.0, 5.0], [0.0, 1.0]]
    y.fill_(9)
    assert x.max() == 5
    assert vmap(lambda i: x[i, 1])(rows).tolist() == [5.0, 1.0]
    assert vmap(lambda i: x[:, None, i - 2])(rows).shape == (2, 3, 1)
    places = torch.tensor([[1], [0]])  # with a None between, what is gathered stands in front
    assert vmap(lambda i: x[i, None, places])(rows).shape == (2, 2, 1, 1)
    assert vmap(lambda i: vmap(lambda j: x[i, j])(places[:, 0]))(rows).tolist() == [[5, 4], [1, 0]]
    assert vmap(lambda i: x[i] + x[places[0, 0]])(rows).tolist() == [[6.0, 8.0], [2.0, 4.0]]
    with pytest.raises(IndexError):
        vmap(lambda i: x[i + 3])(rows)
