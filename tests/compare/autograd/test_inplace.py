"""In-place changes, views and versions: programs compared with PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

programs: list[Any] = []


def program(fn: Callable[[Any], Any]) -> Callable[[Any], Any]:
    programs.append(pytest.param(fn, id=fn.__name__))
    return fn


@pytest.mark.parametrize("fn", programs)
def test_program(fn: Callable[[Any], Any], both: Callable[..., Any]) -> None:
    both(fn)


def caught(fn: Callable[[], Any]) -> Any:
    try:
        return fn()
    except Exception as error:
        return error


def leaf(torch: Any, *values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


def grid(torch: Any) -> Any:
    return torch.arange(1.0, 13.0).reshape(3, 4).requires_grad_()


# -- versions --------------------------------------------------------------------------------------


@program
def versions(torch):
    a = torch.zeros(4)
    v = a[1:3]
    seen = [a._version, v._version]
    a.add_(1)
    seen += [a._version, v._version]
    v.mul_(2)
    seen += [a._version, v._version]
    d = a.detach()
    d.zero_()
    seen += [a._version, d._version]
    a.data.add_(1)
    seen += [a._version, a.data._version]
    a[0] = 5
    seen += [a._version]
    b = a.clone()
    seen += [b._version]
    a.copy_(b)
    seen += [a._version, b._version]
    return seen, a


@program
def base_and_is_view(torch):
    a = torch.zeros(4)
    v = a[1:3]
    w = v[0:1]
    return (
        v._base is a,
        w._base is a,
        a._base is None,
        v._is_view(),
        a._is_view(),
        v.clone()._base is None,
    )


@program
def in_place_on_a_leaf(torch):
    leaf(torch, 1.0).add_(1)


@program
def in_place_on_a_view_of_a_leaf(torch):
    leaf(torch, 1.0, 2.0)[0:1].add_(1)


@program
def setitem_on_a_leaf(torch):
    x = leaf(torch, 1.0, 2.0)
    x[0] = 3.0


@program
def in_place_on_a_leaf_under_no_grad(torch):
    x = leaf(torch, 1.0, 2.0)
    for _ in range(3):
        (x * x).sum().backward()
        with torch.no_grad():
            x -= 0.1 * x.grad
            x.grad.zero_()
    return x, x.is_leaf, x.grad


@program
def leaf_changed_under_no_grad_after_use(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x * x).sum()
    with torch.no_grad():
        x.add_(1)
    return caught(y.backward)


@program
def detach_changed_after_use(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x * x).sum()
    x.detach().add_(1)
    return caught(y.backward)


@program
def unsaved_input_may_change(torch):
    x = leaf(torch, 1.0, 2.0)
    a = x * 1
    y = a + 5
    a.mul_(3)
    (y.sum() + a.sum()).backward()
    return x.grad


@program
def saved_input_changed(torch):
    x = leaf(torch, 1.0, 2.0)
    a = x * 1
    y = a * a
    a.add_(1)
    y.sum().backward()


@program
def saved_output_changed(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.exp()
    y.mul_(2)
    y.sum().backward()


@program
def saved_output_changed_through_a_view(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.tanh()
    y[0] = 5.0
    y.sum().backward()


@program
def saved_output_changed_through_detach(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.sigmoid()
    y.detach().zero_()
    y.sum().backward()


@program
def saved_before_and_changed_back(torch):
    x = leaf(torch, 1.0, 2.0)
    a = x * 1
    y = a * a
    a.add_(1).sub_(1)
    y.sum().backward()


@program
def changed_before_saving(torch):
    x = leaf(torch, 1.0, 2.0)
    a = x * 1
    a.mul_(3)
    y = a * a
    y.sum().backward()
    return x.grad


@program
def saved_constant_changed(torch):
    x = leaf(torch, 1.0, 2.0)
    c = torch.ones(2)
    y = x * c
    c.add_(1)
    y.sum().backward()


@program
def saved_constant_view_of_changed_storage(torch):
    x = leaf(torch, 1.0, 2.0)
    c = torch.ones(4)
    y = x * c[:2]
    c[3] = 9
    y.sum().backward()


@program
def data_is_not_watched(torch):
    x = leaf(torch, 1.0, 2.0)
    c = torch.ones(2)
    y = x * c
    c.data.add_(1)
    y.sum().backward()
    return x.grad


@program
def index_saved_changed(torch):
    x = leaf(torch, 1.0, 2.0)
    i = torch.tensor([0, 1, 1])
    y = x[i]
    i.zero_()
    return caught(y.sum().backward)


# -- in-place ops on non-views ---------------------------------------------------------------------


@program
def chain_of_in_place_ops(torch):
    x = leaf(torch, 0.5, 2.0)
    a = x * 2
    a.add_(1).mul_(3).sub_(x).div_(2)
    a += 1
    a *= x
    a -= 2 * x
    a /= 3
    a.pow_(2)
    a.clamp_(0.1, 50)
    a.neg_()
    a.sum().backward()
    return a, x.grad, a.grad_fn.name()


@program
def unary_in_place(torch):
    out = []
    for name in (
        "exp_",
        "sin_",
        "tanh_",
        "sigmoid_",
        "relu_",
        "sqrt_",
        "log_",
        "abs_",
        "square_",
        "reciprocal_",
    ):
        x = leaf(torch, 0.5, 2.0)
        a = x * 1
        getattr(a, name)()
        a.sum().backward()
        out.append((a, x.grad))
    return out


@program
def in_place_activation_functions(torch):
    import_f = torch.nn.functional
    out = []
    for f in (
        lambda t: import_f.relu(t, inplace=True),
        lambda t: import_f.leaky_relu(t, 0.1, inplace=True),
        lambda t: import_f.elu(t, inplace=True),
        lambda t: import_f.hardtanh(t, inplace=True),
        lambda t: import_f.relu6(t, inplace=True),
        lambda t: import_f.silu(t, inplace=True),
        lambda t: import_f.threshold(t, 0.1, 5.0, inplace=True),
    ):
        x = leaf(torch, -1.0, 0.5, 2.0)
        a = x * 1
        y = f(a)
        y.sum().backward()
        out.append((a, y is a, x.grad))
    return out


@program
def relu_in_place_on_a_saved_output(torch):
    x = leaf(torch, -1.0, 2.0)
    y = x.sigmoid()
    torch.relu_(y)
    y.sum().backward()


@program
def in_place_broadcast_grows(torch):
    a = torch.zeros(2)
    a.add_(torch.ones(3, 2))


@program
def in_place_result_type(torch):
    a = torch.zeros(2, dtype=torch.int64)
    a.add_(0.5)


@program
def in_place_on_expanded(torch):
    torch.zeros(1).expand(3).add_(1)


@program
def in_place_of_constant_with_grad_operand(torch):
    x = leaf(torch, 1.0, 2.0)
    c = torch.ones(2)
    c.mul_(x)
    c.add_(x)
    c.sum().backward()
    return x.grad, c.requires_grad, c.is_leaf


@program
def in_place_zero_and_fill(torch):
    x = leaf(torch, 1.0, 2.0)
    a = x * 3
    b = a.clone()
    b.zero_()
    c = a.clone()
    c.fill_(x[0])
    (a + b + c).sum().backward()
    return x.grad, b.requires_grad


@program
def copy_in_place(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    a = x * 1
    b = a * 2
    b.copy_(w * 5)
    (a + b).sum().backward()
    return x.grad, w.grad


@program
def copy_broadcasts_and_casts(torch):
    w = torch.tensor([3.0], dtype=torch.float64, requires_grad=True)
    b = torch.zeros(2, 3)
    b.copy_(w)
    b.sum().backward()
    return w.grad, b


@program
def normal_in_place_cuts(torch):
    x = leaf(torch, 2.0, 3.0)
    a = x * 1
    a.normal_()
    return a.requires_grad, a.grad_fn is not None


@program
def masked_fill_in_place(torch):
    x = grid(torch)
    a = x * 1
    a.masked_fill_(a > 6, 0.0)
    a.sum().backward()
    return x.grad


@program
def index_ops_in_place(torch):
    x, w = grid(torch), torch.ones(2, 4, requires_grad=True)
    i = torch.tensor([0, 2])
    a = x * 1
    a.index_add_(0, i, w * 2)
    a.index_fill_(0, torch.tensor([1]), 7.0)
    a.index_copy_(0, torch.tensor([0]), w[:1] * 3)
    (a * a).sum().backward()
    return x.grad, w.grad, a


@program
def scatter_in_place(torch):
    x, w = grid(torch), torch.ones(3, 2, requires_grad=True)
    i = torch.tensor([[0, 1], [2, 3], [1, 1]])
    a = x * 1
    a.scatter_add_(1, i, w)
    b = a.clone()
    b.scatter_(1, i[:, :1], w[:, :1] * 2)
    (a * b).sum().backward()
    return x.grad, w.grad


@program
def unsqueeze_in_place(torch):
    x = leaf(torch, 1.0, 2.0)
    a = x * 2
    a.unsqueeze_(0)
    a.t_()
    (a * torch.tensor([[1.0], [10.0]])).sum().backward()
    return a.shape == (2, 1), x.grad


@program
def requires_grad_after_in_place(torch):
    a = torch.zeros(2)
    a.add_(1)
    a.requires_grad_()
    (a * a).sum().backward()
    return a.grad


# -- views -----------------------------------------------------------------------------------------


@program
def view_changed_base_differentiated(torch):
    x = grid(torch)
    a = x * 1
    a[0].mul_(10)
    a.sum().backward()
    return x.grad, a.grad_fn.name(), a


@program
def view_changed_view_differentiated(torch):
    x = grid(torch)
    a = x * 1
    v = a[1:]
    v.mul_(10)
    (v * v).sum().backward()
    return x.grad, v


@program
def base_changed_view_differentiated(torch):
    x = grid(torch)
    a = x * 1
    v = a[1:]
    a.mul_(10)
    (v * 3).sum().backward()
    return x.grad, v


@program
def base_changed_twice_and_views_of_views(torch):
    x = grid(torch)
    a = x * 1
    v = a[1:]
    w = v[:, 1:3]
    u = w.t()
    a.mul_(2)
    w.add_(x[:2, :2])
    u[0].mul_(5)
    v[0, 0] = 100.0
    loss = (u * u).sum() + v.sum() + (a * a).sum() + w.mean()
    loss.backward()
    return x.grad, a, v, w, u


@program
def two_views_of_a_base(torch):
    x = grid(torch)
    a = x * 1
    v, w = a[:2], a[1:]
    v.mul_(3)
    w.exp_()
    v.add_(1)
    (v.sum() + w.sum() + a.sum()).backward()
    return x.grad, v, w, a


@program
def view_op_kinds(torch):
    views = [
        lambda a: a.view(4, 3),
        lambda a: a.t(),
        lambda a: a.permute(1, 0),
        lambda a: a.reshape(2, 6),
        lambda a: a[:, ::2],
        lambda a: a.unsqueeze(1),
        lambda a: a.narrow(1, 1, 2),
        lambda a: a.select(1, 2),
        lambda a: a.diagonal(),
        lambda a: a.flatten(),
        lambda a: a.unfold(1, 2, 2),
        lambda a: a[1],
        lambda a: a[None, ..., 1:],
        lambda a: a.view_as(a),
        lambda a: a.squeeze(),
        lambda a: a.transpose(0, 1)[1:],
        lambda a: a.unflatten(1, (2, 2)),
        lambda a: a.movedim(0, 1),
        lambda a: a.as_strided((2, 2), (4, 1), 1),
        lambda a: a.detach(),
    ]
    out = []
    for f in views:
        x = grid(torch)
        a = x * 1
        v = f(a)
        v.mul_(3)
        v.add_(a.sum() * 0.1)
        (a * a).sum().backward()
        out.append((a, x.grad))
    return out


@program
def in_place_view_with_double_backward(torch):
    x = grid(torch)
    a = x * x
    a[1:].mul_(x[:2])
    (g,) = torch.autograd.grad((a * a).sum(), x, create_graph=True)
    return g, torch.autograd.grad((g * g).sum(), x)


@program
def view_of_a_constant_gets_history(torch):
    w = leaf(torch, 2.0, 3.0)
    buffer = torch.zeros(4)
    v = buffer[1:3]
    v.copy_(w * 2)
    (buffer * torch.tensor([1.0, 10.0, 100.0, 1000.0])).sum().backward()
    return w.grad, buffer, buffer.requires_grad, v.requires_grad


@program
def slices_assigned_in_a_loop(torch):
    w = leaf(torch, 2.0, 3.0, 4.0)
    out = torch.zeros(5, 3)
    h = w
    for i in range(5):
        h = h * w
        out[i] = h
    out.sum().backward()
    return out, w.grad


@program
def recurrence_in_one_buffer(torch):
    w = torch.tensor(1.5, requires_grad=True)
    h = torch.zeros(6)
    h[0] = 1.0
    for i in range(1, 6):
        h[i] = h[i - 1].clone() * w
    h.sum().backward()
    return h, w.grad


@program
def recurrence_in_one_buffer_without_clone(torch):
    w = torch.tensor(1.5, requires_grad=True)
    h = torch.zeros(6)
    h[0] = 1.0
    for i in range(1, 6):
        h[i] = h[i - 1] * w
    h.sum().backward()


@program
def setitem_mask(torch):
    x, w = grid(torch), torch.tensor(3.0, requires_grad=True)
    a = x * 1
    a[a > 6] = w
    a[a < 3] = 0
    (a * a).sum().backward()
    return x.grad, w.grad


@program
def setitem_mask_with_tensor(torch):
    x, w = grid(torch), leaf(torch, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
    a = x * 1
    a[x > 6] = w * 2
    (a * a).sum().backward()
    return x.grad, w.grad


@program
def setitem_integers(torch):
    x, w = grid(torch), leaf(torch, 1.0, 2.0)
    a = x * 1
    a[[0, 2], [1, 3]] = w
    a[torch.tensor([1, 1])] = x[:2] * 2
    (a * a).sum().backward()
    return a, x.grad, w.grad


@program
def setitem_add(torch):
    x, w = grid(torch), leaf(torch, 1.0, 2.0)
    a = x * 1
    i = torch.tensor([0, 2])
    a[i, 1] += w
    a[1] *= 3
    a[:, 0] -= x[:, 1]
    (a * a).sum().backward()
    return a, x.grad, w.grad


@program
def setitem_broadcasts(torch):
    x, w = grid(torch), leaf(torch, 5.0)
    a = x * 1
    a[1:, ::2] = w
    a[0] = w[0]
    (a * a).sum().backward()
    return x.grad, w.grad, a


@program
def setitem_of_itself(torch):
    x = grid(torch)
    a = x * 1
    a[0] = a[1] * 2
    a[2] = a[0].clone()
    (a * a).sum().backward()
    return x.grad


@program
def index_put(torch):
    x, w = grid(torch), leaf(torch, 1.0, 2.0, 3.0)
    a = x * 1
    a.index_put_((torch.tensor([0, 0, 1]), torch.tensor([1, 1, 2])), w, accumulate=True)
    (a * a).sum().backward()
    return a, x.grad, w.grad


@program
def view_made_before_history(torch):
    buffer = torch.zeros(4)
    v = buffer[1:3]
    w = leaf(torch, 2.0, 3.0, 4.0, 5.0)
    buffer.add_(w)
    (v * v).sum().backward()
    return v.requires_grad, w.grad


@program
def output_of_unbind_changed(torch):
    x = grid(torch)
    a = x * 1
    a.unbind(0)[0].add_(1)


@program
def output_of_split_changed(torch):
    x = grid(torch)
    a = x * 1
    a.split(1)[0].mul_(2)


@program
def output_of_chunk_changed_without_grad(torch):
    a = torch.zeros(4, 2)
    first, second = a.chunk(2)
    first.add_(1)
    return a, first, second


@program
def iterating_rows_changed_without_grad(torch):
    a = torch.zeros(3, 2)
    for i, row in enumerate(a):
        row += i
    return a


@program
def view_made_in_no_grad_changed_outside(torch):
    x = grid(torch)
    a = x * 1
    with torch.no_grad():
        v = a[0]
    v.mul_(2)


@program
def view_of_a_leaf_made_in_no_grad_changed_inside(torch):
    x = grid(torch)
    with torch.no_grad():
        x[0].mul_(2)
        x[1:].zero_()
        v = x.view(-1)
        v[11] = 100
    (x * x).sum().backward()
    return x, x.grad, x._version


@program
def view_changed_in_no_grad(torch):
    x = grid(torch)
    a = x * 1
    v = a[0]
    with torch.no_grad():
        v.mul_(2)
    (a * 3).sum().backward()
    return a, v, x.grad, v.requires_grad


@program
def detached_view_changed(torch):
    x = grid(torch)
    a = x * 1
    v = a.detach()[0]
    v.mul_(2)
    (a * 3).sum().backward()
    return a, x.grad


@program
def optimizer_like_update(torch):
    torch.manual_seed(0)
    w, b = torch.randn(3, 2, requires_grad=True), torch.zeros(2, requires_grad=True)
    m = [torch.zeros_like(w), torch.zeros_like(b)]
    x, y = torch.randn(8, 3), torch.randn(8, 2)
    losses = []
    for _ in range(4):
        loss = ((x @ w + b - y) ** 2).mean()
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            for p, v in zip((w, b), m, strict=True):
                v.mul_(0.9).add_(p.grad)
                p.sub_(v, alpha=0.1)
                p.grad.zero_()
    return losses, w, b, w.grad


@program
def hooks_on_a_changed_base(torch):
    x = grid(torch)
    a = x * 1
    seen = []
    a.register_hook(lambda g: seen.append(("before", g.clone())))
    a[0].mul_(10)
    a.register_hook(lambda g: seen.append(("after", g.clone())))
    a.sum().backward()
    return seen


@program
def retain_grad_of_a_view(torch):
    x = grid(torch)
    a = x * 1
    v = a[1]
    v.retain_grad()
    (v * v).sum().backward()
    return v.grad, x.grad


@program
def complex_parts_assigned(torch):
    z = torch.zeros(2, dtype=torch.complex64)
    w = leaf(torch, 1.0, 2.0)
    z.real.copy_(w * 2)
    z.imag.copy_(w * 3)
    (z * z.conj()).real.sum().backward()
    return z, w.grad


@program
def clone_separates(torch):
    x = grid(torch)
    a = x * 1
    c = a.clone()
    c[0] = 0
    (a + c).sum().backward()
    return x.grad


@program
def functions_with_out(torch):
    x = leaf(torch, 1.0)
    torch.add(x, x, out=torch.zeros(1))


@program
def swap_rows(torch):
    x = grid(torch)
    a = x * 1
    a[[0, 1]] = a[[1, 0]]
    (a * torch.arange(12.0).reshape(3, 4)).sum().backward()
    return a, x.grad


@program
def delayed_view_of_freed_graph(torch):
    x = grid(torch)
    a = x * 1
    v = a[0]
    a.mul_(2)
    a.sum().backward()
    return caught(lambda: (v * 1).sum().backward())


@program
def copy_slices_twice_backward_fails(torch):
    x = grid(torch)
    a = x * 1
    a[0].mul_(x[0])
    y = a.sum()
    y.backward()
    return caught(y.backward)


@program
def copy_slices_next_functions(torch):
    x, w = grid(torch), torch.ones(4, requires_grad=True)
    a = x * 1
    a[0].mul_(w)
    return [n.name() if n is not None else None for n, _ in a.grad_fn.next_functions]


@program
def backward_with_inputs_through_copy_slices(torch):
    x, w = grid(torch), torch.ones(4, requires_grad=True)
    a = x * 1
    a[0].mul_(w)
    return torch.autograd.grad((a * a).sum(), [w], retain_graph=True), torch.autograd.grad(
        a.sum(), [x]
    )


@program
def fancy_index_is_a_copy(torch):
    x = grid(torch)
    a = x * 1
    a[[0, 1]].mul_(100)
    a[a > 3].zero_()
    a.sum().backward()
    return a, x.grad
