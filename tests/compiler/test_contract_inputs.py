"""Tensors that come in: shapes, types, memory that is shared, and what they are packed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from tests.compiler.twins import FORMS, Lab, Twin, network, same

forms = pytest.mark.parametrize("form", FORMS)


def with_inputs(function: Callable[..., Any], *inputs: Callable[[], tuple[Any, ...]]) -> None:
    """Call with each set of inputs, all of them twice, and backward where it can be."""

    def program(t: Twin) -> None:
        compiled = t.compile(function)

        def call(*args: Any) -> Any:
            y = compiled(*args)
            first = y[0] if isinstance(y, tuple) else y
            if first.requires_grad and first.is_floating_point():
                first.sum().backward()
            return y

        for _ in range(2):
            for make in (inputs[0], *inputs, inputs[0]):
                t(call, *make())

    same(program)


def leaf(*shape: int, **options: Any) -> Any:
    return torch.randn(*shape, **options).requires_grad_()


def test_shapes() -> None:
    with_inputs(
        lambda x, w: torch.relu(x @ w).sum(0) + x.shape[0],
        *[lambda n=n: (torch.randn(n, 4), leaf(4, 2)) for n in (3, 2, 1, 0, 7, 3)],
        lambda: (torch.randn(5, 3, 4), leaf(4, 2)),
        lambda: (torch.randn(4), leaf(4)),
        lambda: (torch.randn(3, 4), leaf(5, 2)),
    )


@pytest.mark.slow
def test_dtypes() -> None:
    kinds = [torch.float32, torch.float64, torch.int64, torch.bool, torch.bfloat16, torch.uint8]
    kinds += [torch.float16, torch.int32, torch.complex64, torch.float32]
    with_inputs(
        lambda x: (x * 2 + 1, x.sum(), x.to(torch.float32), x.cumsum(0)),
        *[lambda k=k: (torch.tensor([[1, 0], [1, 1]]).to(k),) for k in kinds],
    )


@pytest.mark.eager
def test_scalars_and_empty_inputs() -> None:
    with_inputs(
        lambda x: (x * 2 + x.sum(), x.reshape(-1).exp()),
        lambda: (torch.tensor(2.0),),
        lambda: (leaf(1)[0],),
        lambda: (torch.empty(0),),
        lambda: (torch.empty(0, 3),),
        lambda: (torch.empty(3, 0),),
        lambda: (leaf(1, 1),),
    )


@pytest.mark.eager
def test_layouts() -> None:
    with_inputs(
        lambda x: (x.exp().sum(1), x * 2, x + x.t(), x.contiguous().view(-1), x.reshape(-1)),
        lambda: (torch.randn(4, 4),),
        lambda: (torch.randn(4, 4).t(),),
        lambda: (torch.randn(8, 8)[::2, ::2],),
        lambda: (torch.randn(4, 1).expand(4, 4),),
        lambda: (torch.randn(4, 8)[:, 4:],),
        lambda: (torch.randn(4, 4).flip(0),),
        lambda: (torch.randn(20)[4:].view(4, 4),),
        lambda: (torch.randn(16).as_strided((4, 4), (1, 4)),),
        lambda: (torch.randn(4).as_strided((4, 4), (0, 1)),),
        lambda: (leaf(4, 4).t(),),
    )


def test_a_view_of_a_layout_that_does_not_fit() -> None:
    """The error is that of the eager call, though the contiguous one was captured."""
    with_inputs(
        lambda x: x.view(-1) * 2,
        lambda: (torch.randn(4, 4),),
        lambda: (torch.randn(4, 4).t(),),
        lambda: (torch.randn(4, 4),),
    )


@pytest.mark.eager
def test_branches_on_layout_shape_and_type() -> None:
    def function(x: Any) -> Any:
        if not x.is_contiguous():
            x = x * 3
        if x.dtype == torch.float64 or x.dim() == 1:
            x = x - 1
        if len(x) > 3 and x.stride(0) > 2 and x.storage_offset() == 0:
            x = x.abs()
        if x.requires_grad and not x.is_leaf:
            x = x * 5
        return x * 2

    with_inputs(
        function,
        lambda: (torch.randn(4, 4),),
        lambda: (torch.randn(4, 4).t(),),
        lambda: (torch.randn(4).double(),),
        lambda: (torch.randn(4),),
        lambda: (torch.randn(8, 4)[4:],),
        lambda: (leaf(4, 4),),
        lambda: (leaf(4, 4) * 2,),
    )


@pytest.mark.eager
@pytest.mark.parametrize("first", ["apart", "same", "overlap"])
def test_inputs_that_share_memory(first: str) -> None:
    def function(a: Any, b: Any) -> Any:
        a.mul_(2)
        y = b + 1
        b.add_(a)
        return y, a, b, a is b

    def apart() -> Any:
        return torch.arange(4.0), torch.arange(4.0)

    def one() -> Any:
        x = torch.arange(4.0)
        return x, x

    def overlap() -> Any:
        x = torch.arange(6.0)
        return x[:4], x[2:]

    def views() -> Any:
        x = torch.arange(4.0)
        return x, x.view(2, 2).view(4)

    def parts() -> Any:
        x = torch.arange(8.0)
        return x[:4], x[4:]

    def backwards() -> Any:
        x = torch.arange(6.0)
        return x[2:], x[:4]

    kinds = {"apart": apart, "same": one, "overlap": overlap}
    with_inputs(function, kinds[first], apart, one, overlap, views, parts, backwards)


@pytest.mark.eager
def test_an_input_that_is_a_parameter_or_shares_its_memory() -> None:
    def program(t: Twin) -> None:
        layer = nn.Linear(4, 4)
        t.watch(layer)

        @t.compile
        def function(x: Any) -> Any:
            y = layer(x)
            with torch.no_grad():
                layer.weight.mul_(0.5)
            return y, x * 2

        for given in (torch.randn(4, 4), torch.randn(4, 4), layer.weight, layer.weight.data):
            t(function, given)
        t(function, layer.weight.detach().t())
        t(function, torch.randn(4, 4))
        t(function, layer.weight)

    same(program)


def test_gradients_of_inputs_switched_on_and_off() -> None:
    def program(t: Twin) -> None:
        w = torch.randn(4, 2, requires_grad=True)
        compiled = t.compile(lambda x: torch.relu(x @ w))
        t.watch(w)

        def call(x: Any) -> Any:
            y = compiled(x)
            y.sum().backward()
            return y

        for on in (False, False, True, True, False, True):
            t(call, torch.randn(3, 4, requires_grad=on))
        root = torch.randn(3, 4, requires_grad=True)
        t(call, root * 2)
        t(call, root * 2)
        t.see(root)
        w.requires_grad_(False)
        t(call, torch.randn(3, 4, requires_grad=True))
        t(call, torch.randn(3, 4))  # nothing has a gradient

    same(program)


@forms
def test_a_smaller_last_batch_and_another_learning_rate(form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form)
        for epoch in range(3):
            for n in (8, 8, 8, 3):
                lab(1, n)
            lab.optimizer.param_groups[0]["lr"] = 0.1 / (epoch + 2)

    same(program)


@pytest.mark.slow
@forms
def test_sequences_of_many_lengths(form: str) -> None:
    class Reader(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.cell = nn.Embedding(9, 4), nn.GRU(4, 4, batch_first=True)
            self.head = nn.Linear(4, 2)

        def forward(self, x: Any) -> Any:
            places = torch.arange(x.shape[1]) / 10
            y, h = self.cell(self.embed(x) + places[:, None])
            return self.head(y.mean(1) + h[0])

    def program(t: Twin) -> None:
        lab = Lab(t, form, Reader())
        for n in [5, 5, 5, *range(1, 14), 5, 7, 3]:
            t(lab.step, torch.randint(0, 9, (2, n)), torch.randn(2, 2))

    same(program)


@pytest.mark.eager
@pytest.mark.parametrize("dynamic", [None, True, False])
def test_free_sizes(dynamic: bool | None) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, "step", dynamic=dynamic)
        for n in (3, 3, 4, 5, 6, 7, 1, 2, 3, 9):
            x, y = lab.batch(n)
            if n == 4:
                torch._dynamo.mark_dynamic(x, 0)
            t(lab.step, x, y)

    same(program)


def test_sizes_that_are_read() -> None:
    def function(x: Any, y: Any) -> Any:
        n, m = x.shape
        if n > 4:
            x = x[:4]
        z = x.view(-1, 2).sum(1) / n
        for k in range(m):
            z = z + k
        return z.sum() + x.numel() + y.size(0) if n != y.shape[0] else z

    sizes = [(2, 2), (3, 2), (5, 2), (6, 4), (2, 4), (3, 3), (2, 2)]
    with_inputs(
        function, *[lambda n=n, m=m: (torch.randn(n, m), torch.ones(n % 3)) for n, m in sizes]
    )


def test_inputs_changed_in_place_and_between_calls() -> None:
    def program(t: Twin) -> None:
        buffer = torch.zeros(4)
        kept = torch.arange(4.0)
        t.watch(buffer, kept)

        @t.compile
        def function(x: Any) -> Any:
            buffer.mul_(0.5).add_(x)
            buffer[0] = 7
            x.clamp_(max=2)
            return buffer.sum()

        for _ in range(3):
            t(function, kept)
            kept.add_(1)
            buffer[1] += 3
        t(function, buffer)

    same(program)


@pytest.mark.parametrize("ndim", [0, 1, 2])
def test_a_leaf_that_may_not_be_changed_in_place(ndim: int) -> None:
    def program(t: Twin) -> None:
        compiled = t.compile(lambda x: x.add_(1) * 2)
        for on in (False, False, True, False, True):
            t(compiled, torch.ones((2,) * ndim, requires_grad=on))

    same(program)


@pytest.mark.eager
def test_subclasses_of_tensor() -> None:
    class Named(torch.Tensor):
        pass

    seen: list[str] = []

    class Told(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kw: Any = None) -> Any:
            seen.append(func.__name__)
            return super().__torch_function__(func, types, args, kw or {})

    def program(t: Twin) -> None:
        seen.clear()
        compiled = t.compile(lambda x: x * 2 + 1)
        t.watch(seen)
        for kind in (torch.Tensor, Named, Told, torch.Tensor, Told, nn.Parameter):
            x = torch.ones(3)
            t(compiled, nn.Parameter(x) if kind is nn.Parameter else x.as_subclass(kind))

    same(program)


def test_buffers_of_a_growing_text() -> None:
    """A cache that grows by one place a call, and one of full length that is filled."""

    def program(t: Twin) -> None:
        layer = nn.Linear(4, 8)
        full = torch.zeros(10, 4)
        t.watch(full)

        @t.compile
        @torch.no_grad()
        def token(x: Any, cache: Any, place: int) -> Any:
            k, v = layer(x).split(4, -1)
            cache = torch.cat((cache, k))
            full[place] = v[0]
            y = F.softmax(x @ cache.t(), -1) @ full[: place + 1]
            return y, cache

        x, cache = torch.randn(1, 4), torch.empty(0, 4)
        for place in range(8):
            x, cache = t(token, x, cache, place)

    same(program)


@forms
def test_inputs_and_targets_may_be_one_tensor(form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form, nn.Sequential(nn.Linear(4, 4), nn.Tanh()))
        x = torch.randn(3, 4)
        t(lab.step, x, torch.randn(3, 4))
        t(lab.step, x, torch.randn(3, 4))
        t(lab.step, x, x)
        t(lab.step, x, x)
        t(lab.step, x, x[:])
        t(lab.step, x.requires_grad_(), x.detach())

    same(program)


def test_network_of_another_size_by_the_same_function() -> None:
    def program(t: Twin) -> None:
        nets = [network(), nn.Linear(4, 2), network(), nn.Linear(4, 2).double()]
        t.watch(nets)

        @t.compile
        def step(model: Any, x: Any) -> Any:
            loss = model(x).square().mean()
            loss.backward()
            return loss

        for _ in range(3):
            for net in nets:
                x = torch.randn(3, 4)
                t(step, net, x.double() if net is nets[3] else x)

    same(program)


def test_as_strided_counts_from_where_the_storage_begins() -> None:
    """Not from where its operand does: an operand in the middle of another storage, and numbers
    that are others each time. (The memory in which a line is tried out begins elsewhere.)"""

    def program(t: Twin) -> None:
        step = t.compile(lambda x: x.as_strided((3,), (2,), 1) * 2)
        for k in range(12):
            whole = torch.arange(24.0) + 100 * (k // 3)
            t(step, whole[:12] if k % 3 == 0 else whole[4 * (k % 3) : 4 * (k % 3) + 12])

    same(program)
