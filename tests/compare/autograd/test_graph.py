"""Nodes, hooks of every kind, saved tensors: programs compared with PyTorch."""

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


# -- nodes -----------------------------------------------------------------------------------------


@program
def names_of_nodes(torch):
    x = torch.ones(2, 3, requires_grad=True)
    w = torch.ones(3, 3, requires_grad=True)
    c = torch.tensor([1 + 1j], requires_grad=True)
    made = [
        x + 1,
        x - w[:2],
        x * 2,
        x / 3,
        -x,
        x**2,
        x.exp(),
        x.log(),
        x.sin(),
        x.tanh(),
        x.sigmoid(),
        x.relu(),
        x.mm(w),
        x.sum(),
        x.mean(),
        x.max(),
        x.max(1)[0],
        x.view(6),
        x.reshape(3, 2),
        x.t(),
        x.transpose(0, 1),
        x.permute(1, 0),
        x.unsqueeze(0),
        x.squeeze(),
        x[0],
        x[0:1],
        x[:, [0, 1]],
        x.clone(),
        x.abs(),
        x.sqrt(),
        torch.cat([x, x]),
        torch.stack([x, x]),
        x.expand(4, 2, 3),
        x.double(),
        x.softmax(1),
        x.log_softmax(1),
        torch.where(x > 0, x, x * 2),
        x.std(),
        x.var(),
        x.norm(),
        x.prod(),
        x.cumsum(0),
        x.gather(0, torch.zeros(1, 3).long()),
        x.index_select(0, torch.tensor([0])),
        x.masked_fill(x > 3, 0.0),
        x.repeat(2, 1),
        x.flatten(),
        x.chunk(3, 1)[1],
        x.split(1)[0],
        x.unbind(0)[0],
        x.narrow(0, 0, 1),
        x.select(0, 0),
        x.diagonal(),
        x.flip(0),
        x.roll(1),
        x.tril(),
        x.triu(),
        x.minimum(x * 2),
        torch.addmm(x[:, :3], x, w),
        torch.bmm(x[None], w[None]),
        torch.dot(x[0], x[1]),
        x.logsumexp(1),
        x.sort()[0],
        x.topk(1)[0],
        c.abs(),
        x.erf(),
        x.rsqrt(),
        x.reciprocal(),
        x.sign(),
        x.floor(),
        x.mT,
        x.min(),
        x.amax(1),
        x.argsort().float() * x,
        x.contiguous() * 1,
        torch.nn.functional.leaky_relu(x),
        torch.nn.functional.elu(x),
        torch.nn.functional.gelu(x),
        torch.nn.functional.softplus(x),
        torch.nn.functional.mse_loss(x, x.detach()),
        torch.nn.functional.silu(x),
        torch.nn.functional.dropout(x, 0.5),
    ]
    return [t.grad_fn.name() for t in made if t.grad_fn is not None]


@program
def next_functions(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    y = (x * w + torch.ones(2)).sum()
    out = []
    todo = [(y.grad_fn, 0)]
    while todo:
        node, depth = todo.pop()
        if node is None:
            out.append((depth, None))
            continue
        out.append((depth, node.name(), [nr for _, nr in node.next_functions]))
        todo += [(n, depth + 1) for n, _ in node.next_functions]
    return out


@program
def next_functions_of_constants(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * torch.ones(2)
    z = torch.ones(2) + x
    return [f is None for f, _ in y.grad_fn.next_functions], [
        f is None for f, _ in z.grad_fn.next_functions
    ]


@program
def number_operands_have_an_edge(torch):
    x = leaf(torch, 1.0, 2.0)
    return [len(y.grad_fn.next_functions) for y in (x + 1, x * 2, x - 2, x / 2)]


@program
def output_numbers(torch):
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    a, b = x.unbind(0)
    v, _ = x.max(0)
    y = a * b
    return [nr for _, nr in y.grad_fn.next_functions], a.output_nr, b.output_nr, v.output_nr


@program
def accumulate_grad(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * 2
    node = y.grad_fn.next_functions[0][0]
    again = (x + 1).grad_fn.next_functions[0][0]
    node(torch.tensor([5.0, 6.0]))
    node(torch.tensor([5.0, 6.0]))
    return node.name(), node.variable is x, again is node, x.grad, node.next_functions


@program
def nodes_by_hand(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    y = x * w
    s = y.sum()
    e = s.grad_fn(torch.tensor(2.0))
    pair = y.grad_fn(e)
    return e, pair, (x.exp()).grad_fn(torch.ones(2)), x.grad


@program
def node_by_hand_is_differentiable(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.sin()
    g = y.grad_fn(torch.ones(2))
    return g, torch.autograd.grad(g.sum(), x)


@program
def node_by_hand_after_backward(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x.exp()
    y.sum().backward()
    return y.grad_fn(torch.ones(2))


@program
def node_equality(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    z = y + 1
    return (
        z.grad_fn.next_functions[0][0] is y.grad_fn,
        y.grad_fn == y.grad_fn,
        hash(y.grad_fn) is not None,
    )


@program
def metadata(torch):
    x = leaf(torch, 1.0)
    y = x * 2
    y.grad_fn.metadata["mine"] = 5
    return y.grad_fn.metadata, (y + 1).grad_fn.next_functions[0][0].metadata["mine"]


@program
def saved_attributes(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    m = x * w
    e = x.exp()
    return (
        m.grad_fn._saved_self,
        m.grad_fn._saved_other,
        e.grad_fn._saved_result,
        m.grad_fn._saved_self is x,
    )


@program
def gradient_edge(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * 3
    edge = torch.autograd.graph.get_gradient_edge(y)
    end = torch.autograd.graph.get_gradient_edge(x)
    return edge.node is y.grad_fn, edge.output_nr, end.node.name(), type(edge).__name__


@program
def gradient_edge_of_constant(torch):
    torch.autograd.graph.get_gradient_edge(torch.ones(1))


@program
def grad_with_gradient_edges(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * 3
    z = (y * y).sum()
    get = torch.autograd.graph.get_gradient_edge
    return torch.autograd.grad(get(z), [get(x), get(y)], torch.tensor(1.0))


@program
def backward_from_gradient_edges(torch):
    x = leaf(torch, 1.0, 2.0)
    z = (x * x).sum()
    edge = torch.autograd.graph.get_gradient_edge(z)
    torch.autograd.backward(edge, torch.tensor(2.0))
    return x.grad


# -- tensor hooks ----------------------------------------------------------------------------------


@program
def hook_on_leaf(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = []
    handle = x.register_hook(seen.append)
    (x * 3).sum().backward()
    handle.remove()
    handle.remove()
    (x * 3).sum().backward()
    return seen, x.grad


@program
def hook_replaces(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 2
    h.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    (h * 3).sum().backward()
    return x.grad


@program
def hooks_run_in_order(torch):
    x = leaf(torch, 1.0)
    h = x * 2
    h.register_hook(lambda g: g + 1)
    h.register_hook(lambda g: g * 2)
    removed = h.register_hook(lambda g: g * 100)
    removed.remove()
    h.register_hook(lambda g: None)
    h.sum().backward()
    return x.grad


@program
def hook_as_context(torch):
    x = leaf(torch, 1.0)
    with x.register_hook(lambda g: g * 5):
        (x * 1).sum().backward()
    (x * 1).sum().backward()
    return x.grad


@program
def hook_runs_once_on_the_sum(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = []
    x.register_hook(lambda g: seen.append(g.clone()))
    (x * 2 + x.exp() + x).sum().backward()
    return seen


@program
def hook_returns_wrong_shape(torch):
    x = leaf(torch, 1.0, 2.0)
    x.register_hook(lambda g: g[:1])
    (x * 2).sum().backward()


@program
def hook_returns_no_tensor(torch):
    x = leaf(torch, 1.0, 2.0)
    x.register_hook(lambda g: 5)
    (x * 2).sum().backward()


@program
def hook_without_requires_grad(torch):
    torch.ones(1).register_hook(print)


@program
def hook_is_seen_by_grad(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 2
    h.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g * 100)
    y = (h * 3).sum()
    return torch.autograd.grad(y, [h, x], retain_graph=True), torch.autograd.grad(y, x)


@program
def hook_on_a_node_with_two_outputs(torch):
    x = torch.arange(4.0).reshape(2, 2).requires_grad_()
    a, b = x.unbind(0)
    b.register_hook(lambda g: g * 10)
    (a + b).sum().backward()
    return x.grad


@program
def hook_with_create_graph(torch):
    x = leaf(torch, 2.0)
    h = x * x
    h.register_hook(lambda g: g * g)
    (g,) = torch.autograd.grad(h**2, x, create_graph=True)
    return g, torch.autograd.grad(g, x)


@program
def exception_in_a_hook(torch):
    x = leaf(torch, 1.0, 2.0)

    def bad(g):
        raise KeyError("mine")

    handle = x.register_hook(bad)
    y = (x * 2).sum()
    first = caught(lambda: y.backward(retain_graph=True))
    handle.remove()
    y.backward()
    return first, x.grad, torch.is_grad_enabled()


@program
def hook_added_to_an_in_place_changed_tensor(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 2
    h.register_hook(lambda g: g * 10)
    h.mul_(3)
    h.register_hook(lambda g: g + 1)
    h.sum().backward()
    return x.grad


@program
def retain_grad_then_in_place(torch):
    x = leaf(torch, 1.0, 2.0)
    h = x * 2
    h.retain_grad()
    h.mul_(3)
    (h * 5).sum().backward()
    return h.grad, x.grad


# -- node hooks ------------------------------------------------------------------------------------


@program
def node_hook(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * 3
    seen = []
    handle = y.grad_fn.register_hook(lambda gi, go: seen.append((gi, go)))
    y.sum().backward(retain_graph=True)
    handle.remove()
    y.sum().backward()
    return seen


@program
def node_hook_replaces(torch):
    x, w = leaf(torch, 1.0, 2.0), leaf(torch, 3.0, 4.0)
    y = x * w
    y.grad_fn.register_hook(lambda gi, go: (gi[0] * 10, gi[1] * 100))
    y.sum().backward()
    return x.grad, w.grad


@program
def node_prehook_replaces(torch):
    x = leaf(torch, 1.0, 2.0)
    y = x * 3
    y.grad_fn.register_prehook(lambda go: (go[0] * 10,))
    y.sum().backward()
    return x.grad


@program
def node_hook_order(torch):
    x = leaf(torch, 1.0)
    y = x * 3
    seen = []
    y.grad_fn.register_hook(lambda gi, go: seen.append("post"))
    y.grad_fn.register_prehook(lambda go: seen.append("pre"))
    y.register_hook(lambda g: seen.append("tensor"))
    y.grad_fn.register_prehook(lambda go: seen.append("pre 2"))
    y.sum().backward()
    return seen


@program
def hooks_on_accumulate_grad(torch):
    x = leaf(torch, 1.0)
    node = (x * 1).grad_fn.next_functions[0][0]
    seen = []
    node.register_hook(
        lambda gi, go: seen.append(("post", gi, [g.clone() for g in go], x.grad.clone()))
    )
    node.register_prehook(lambda go: seen.append(("pre", [g.clone() for g in go])))
    x.register_hook(lambda g: seen.append(("tensor", g.clone())))
    x.register_post_accumulate_grad_hook(lambda p: seen.append(("accumulated", p.grad.clone())))
    (x * 3).sum().backward()
    return seen


@program
def post_accumulate(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = []

    def step(p):
        with torch.no_grad():
            p.sub_(p.grad, alpha=0.1)
        seen.append((p is x, torch.is_grad_enabled()))
        p.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * x).sum().backward()
    (x * x).sum().backward()
    handle.remove()
    (x * x).sum().backward()
    return x, seen, x.grad


@program
def post_accumulate_on_non_leaf(torch):
    (leaf(torch, 1.0) * 2).register_post_accumulate_grad_hook(print)


@program
def post_accumulate_is_not_run_by_grad(torch):
    x = leaf(torch, 1.0)
    seen = []
    x.register_post_accumulate_grad_hook(lambda p: seen.append(1))
    torch.autograd.grad((x * 2).sum(), x)
    return seen


@program
def multi_grad_hook_all(torch):
    x, w, u = leaf(torch, 1.0), leaf(torch, 2.0), leaf(torch, 3.0)
    h = x * 2
    seen = []
    handle = torch.autograd.graph.register_multi_grad_hook((x, w, u, h), seen.append)
    (h * w).sum().backward()
    (h.detach() * u).sum().backward()
    handle.remove()
    (x * w).sum().backward()
    return seen


@program
def multi_grad_hook_any(torch):
    x, w = leaf(torch, 1.0), leaf(torch, 2.0)
    seen = []
    handle = torch.autograd.graph.register_multi_grad_hook((x, w), seen.append, mode="any")
    y = (x * w).sum()
    y.backward(retain_graph=True)
    y.backward(retain_graph=True)
    handle.remove()
    y.backward()
    return len(seen)


@program
def multi_grad_hook_bad_mode(torch):
    torch.autograd.graph.register_multi_grad_hook((leaf(torch, 1.0),), print, mode="some")


# -- saved tensors ---------------------------------------------------------------------------------


@program
def saved_tensors_hooks(torch):
    x = leaf(torch, 1.0, 2.0)
    seen = []

    def pack(t):
        seen.append(("pack", t.detach().clone()))
        return t * 2

    def unpack(t):
        seen.append("unpack")
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x * x
    y.sum().backward()
    return seen, x.grad


@program
def saved_tensors_hooks_pack_anything(torch):
    x = leaf(torch, 1.0, 2.0)
    store = {}

    def pack(t):
        store[len(store)] = t.detach().numpy().copy()
        return len(store) - 1

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda i: torch.from_numpy(store[i])):
        y = (x.exp() * x).sum()
    y.backward()
    return x.grad, len(store)


@program
def saved_tensors_hooks_nested(torch):
    x = leaf(torch, 1.0)
    seen = []
    hooks = torch.autograd.graph.saved_tensors_hooks
    with hooks(lambda t: seen.append("outer") or t, lambda t: t):
        with hooks(lambda t: seen.append("inner") or t, lambda t: t):
            a = x.exp()
        b = x.exp()
    (a + b).sum().backward()
    return seen, x.grad


@program
def saved_tensors_hooks_double_backward(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x**3 * x.sin()
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return g, torch.autograd.grad(g.sum(), x)


@program
def saved_tensors_hooks_of_function(torch):
    seen = []

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * x * g

    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: seen.append("pack") or t, lambda t: seen.append("unpack") or t * 10
    ):
        y = Square.apply(x)
    y.sum().backward()
    return seen, x.grad


@program
def save_on_cpu(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.save_on_cpu():
        y = x.exp() * x
    with torch.autograd.graph.save_on_cpu(pin_memory=False):
        z = y * y
    z.sum().backward()
    return x.grad


@program
def disabled_saved_tensors_hooks(torch):
    graph = torch.autograd.graph
    with (
        graph.disable_saved_tensors_hooks("not here"),
        graph.saved_tensors_hooks(lambda t: t, lambda t: t),
    ):
        pass


@program
def allow_mutation(torch):
    x = leaf(torch, 1.0, 2.0)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        a = x * 1
        y = a * a
        a.mul_(10)
        y.sum().backward()
    return x.grad


@program
def increment_version(torch):
    x = leaf(torch, 1.0)
    t = torch.ones(1)
    y = x * t
    torch.autograd.graph.increment_version(t)
    return t._version, caught(y.sum().backward)


# -- order and reentrance --------------------------------------------------------------------------


@program
def order_of_backward(torch):
    x = leaf(torch, 1.0)
    seen = []
    a = x * 1
    b = a * 2
    c = a * 3
    d = b + c
    e = a + d
    for name, t in {"a": a, "b": b, "c": c, "d": d, "e": e}.items():
        t.register_hook(lambda g, name=name: seen.append(name))
    e.sum().backward()
    return seen


@program
def backward_inside_backward(torch):
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x.detach())
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with torch.enable_grad():
                y = x.detach().requires_grad_()
                (y * y).sum().backward()
            return y.grad * g

    x = leaf(torch, 1.0, 2.0)
    w = leaf(torch, 3.0, 4.0)
    (Inner.apply(x * w) * w).sum().backward()
    return x.grad, w.grad


@program
def reentrant_on_the_same_leaf(torch):
    w = leaf(torch, 3.0)

    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            with torch.enable_grad():
                (w * 5).sum().backward()
            return g * 2

    (Inner.apply(w) * w).sum().backward()
    return w.grad


@program
def backward_in_a_hook(torch):
    x, w = leaf(torch, 1.0), leaf(torch, 2.0)
    x.register_hook(lambda g: (w * w).sum().backward())
    (x * 3).sum().backward()
    return x.grad, w.grad


@program
def deep_reentrance(torch):
    class Down(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.depth = depth
            return x * 1

        @staticmethod
        def backward(ctx, g):
            if ctx.depth:
                with torch.enable_grad():
                    y = g.detach().requires_grad_()
                    Down.apply(y, ctx.depth - 1).sum().backward()
                return y.grad * g * 1.01, None
            return g, None

    x = leaf(torch, 1.0)
    Down.apply(x, 10).sum().backward()
    return x.grad


@program
def queue_callback(torch):
    x = leaf(torch, 1.0)
    seen = []

    def hook(g):
        seen.append("hook")
        torch.autograd.Variable._execution_engine.queue_callback(lambda: seen.append("end"))

    x.register_hook(hook)
    w = leaf(torch, 2.0)
    w.register_hook(lambda g: seen.append("other"))
    (x * w).sum().backward()
    return seen[-1], sorted(seen)


@program
def grad_mode_inside_backward(torch):
    seen = []

    class Look(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            seen.append(torch.is_grad_enabled())
            return x * 1

        @staticmethod
        def backward(ctx, g):
            seen.append((torch.is_grad_enabled(), g.requires_grad))
            return g

    x = leaf(torch, 1.0)
    y = Look.apply(x)
    y.backward(retain_graph=True)
    y.backward(create_graph=True)
    with torch.no_grad():
        y.backward()
    return seen


@program
def backward_under_no_grad(torch):
    x = leaf(torch, 1.0, 2.0)
    y = (x * x).sum()
    with torch.no_grad():
        y.backward(retain_graph=True)
        (g,) = torch.autograd.grad(y, x, create_graph=True)
    return x.grad, g
