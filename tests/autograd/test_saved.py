"""Saved values as objects, and what the core of PyTorch's engine tells: `torch._C._autograd`."""

import gc
import weakref

import pytest

import rushlight as torch
from rushlight import _C
from rushlight.autograd import graph, watch
from rushlight.autograd.saved import SavedTensor


def test_hooks_of_one_saved_value():
    a = torch.tensor([1.0, 3.0], requires_grad=True)
    y = a * a
    y.grad_fn._raw_saved_self.register_hooks(lambda x: 2 * x, lambda x: x)
    assert torch.equal(y.grad_fn._saved_self, 2 * a)
    y.sum().backward()
    assert torch.equal(a.grad, 3 * a)


def test_hooks_of_a_saved_result():
    a = torch.tensor([1.0, 3.0], requires_grad=True)
    y = a.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda x: x, lambda x: x)
    y.sum().backward()
    assert torch.equal(a.grad, y)


def test_hooks_are_refused():
    a = torch.tensor([1.0, 3.0], requires_grad=True)
    y = a * a
    raw = y.grad_fn._raw_saved_self
    assert isinstance(raw, SavedTensor)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        raw.register_hooks(1, 1)
    with pytest.raises(RuntimeError, match="modifying its input in place"):
        raw.register_hooks(lambda x: x.mul_(2), lambda x: x)
    a = torch.tensor([1.0, 3.0], requires_grad=True)
    y = a * a
    raw = y.grad_fn._raw_saved_self
    raw.register_hooks(lambda x: x, lambda x: 1)
    with pytest.raises(RuntimeError, match="already been set"):
        raw.register_hooks(lambda x: x, lambda x: x)
    with pytest.raises(TypeError, match="unpack_hook expected to be a Tensor"):
        y.sum().backward()
    y = a * a
    y.sum().backward()
    with pytest.raises(RuntimeError, match="after it has been freed"):
        y.grad_fn._raw_saved_self.register_hooks(lambda x: x, lambda x: x)
    with pytest.raises(RuntimeError, match="from Python is forbidden"):
        torch.autograd.SavedTensor()


def test_saved_tensors_of_a_function():
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None)
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0]

    a = torch.tensor([2.0], requires_grad=True)
    y = Same.apply(a)
    first, second = y.grad_fn._raw_saved_tensors
    with pytest.raises(RuntimeError, match="None is forbidden"):
        second.register_hooks(lambda x: x, lambda x: x)
    first.register_hooks(lambda x: x, lambda x: x * 5)
    y.sum().backward()
    assert a.grad.item() == 10
    with pytest.raises(RuntimeError, match="already been freed"):
        _ = y.grad_fn._raw_saved_tensors


def test_hooks_set_in_backward_end_with_it():
    def scope():
        def unpack(x):
            again().__enter__()
            return x

        block = graph.saved_tensors_hooks(lambda x: x, unpack)
        again = weakref.ref(block)
        x = torch.ones(2, requires_grad=True)
        with block:
            x.sin().sum().backward()
        return weakref.ref(unpack)

    gc.collect()
    assert scope()() is None
    assert not torch.autograd.door.state.packers


def test_input_metadata():
    x = torch.ones(3, requires_grad=True)
    about = (x * x).grad_fn._input_metadata
    assert [(m.shape, m.dtype) for m in about] == [((3,), torch.float32)]


def test_callbacks_queue_callbacks():
    engine = torch.autograd.Variable._execution_engine
    seen = []

    def first():
        seen.append(1)
        engine.queue_callback(lambda: seen.append(2))

    x = torch.ones(1, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: engine.queue_callback(first))
    y.sum().backward()
    assert seen == [1, 2]
    with pytest.raises(RuntimeError, match="only be installed during backward"):
        engine.queue_callback(first)


def test_what_the_engine_tells():
    x = torch.ones(1, requires_grad=True)
    y = x * 2
    z = y.exp()
    told = []

    def hook(g):
        told.append(_C._current_graph_task_id() != -1)
        told.append(_C._will_engine_execute_node(y.grad_fn))
        told.append(_C._autograd._get_current_graph_task_keep_graph())

    z.register_hook(hook)
    z.backward(retain_graph=True)
    z.backward()
    assert told == [True, True, True, True, True, False]
    assert _C._current_graph_task_id() == -1
    with pytest.raises(RuntimeError, match="during the backward pass"):
        _C._will_engine_execute_node(y.grad_fn)


def test_nodes_of_the_core():
    x = torch.ones(1, requires_grad=True)
    assert isinstance((x * 2).grad_fn.next_functions[0][0], _C._functions.AccumulateGrad)
    with pytest.raises(RuntimeError, match="Boom"):
        _C._functions.DelayedError("Boom", 1)(x * 2).backward()
    _C._functions.UndefinedGrad()(x * 2).backward()
    assert x.grad is None or x.grad.item() == 0


def test_mutation_on_saved_tensors():
    with graph.allow_mutation_on_saved_tensors():
        with (
            pytest.raises(RuntimeError, match="cannot be nested"),
            graph.allow_mutation_on_saved_tensors(),
        ):
            pass
        a = torch.ones(2, requires_grad=True)
        out = (a**2).sum()
    with pytest.raises(AssertionError, match="backward outside of the"):
        out.backward()


def test_messages_of_functional():
    f = torch.autograd.functional
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match=r"The given v should contain a single Tensor\."):
        f.vjp(lambda x: x * 2, x, (x, x))
    with pytest.raises(TypeError, match="The v given to vhp must be"):
        f.vhp(lambda x: x.sum(), x, (x, 2))
    with pytest.raises(RuntimeError, match="does not require gradients"):
        f.hvp(lambda x: torch.ones(()), x, x, strict=True)
    with pytest.raises(RuntimeError, match="jacobian of the user-provided function with respect"):
        f.hessian(lambda x: (3 * x).sum(), x, strict=True)


def test_forward_mode_tells_its_level():
    fw = torch.autograd.forward_ad
    assert fw._current_level == -1
    with fw.dual_level():
        assert fw._current_level == 0
        x = fw.make_dual(torch.ones(2), torch.ones(2))
        with fw._set_fwd_grad_enabled(False):
            assert not fw._is_fwd_grad_enabled()
            assert fw.unpack_dual(x * 2).tangent is None
        assert fw.unpack_dual(x * 2).tangent.tolist() == [2, 2]
    assert fw._current_level == -1


@pytest.mark.parametrize(
    "call",
    [
        lambda a: a.sum(),
        lambda a: a.sum(1),
        lambda a: a @ a.mT,
        lambda a: torch.stack([a]),
        lambda a: a.softmax(1),
        lambda a: a.std(),
        lambda a: torch.nn.functional.gelu(a),
    ],
)
def test_what_dir_lists_can_be_read(call):
    node = call(torch.randn(3, 4, requires_grad=True)).grad_fn
    for name in dir(node):
        getattr(node, name)


def test_mutation_copies_only_what_is_changed_and_still_saved() -> None:
    x = torch.rand(3, requires_grad=True)
    with graph.allow_mutation_on_saved_tensors() as kept:
        a = x * 1
        y, z = a**2, a**2
        assert (len(kept.original), len(kept.cloned)) == (1, 0)
        a[1:].sin_()
        assert len(kept.cloned) == 1  # sin_ has saved its operand as well
        (y + z).sum().backward()
        assert len(kept.cloned) == 0
        assert torch.equal(x.grad, 4 * x)
        e = x.exp()
        e.mul_(2)  # what is saved of exp is its result
        (e * 1).sum().backward()
        assert torch.allclose(x.grad, 4 * x + 2 * x.exp())
        constant = torch.ones(3)
        w = x * constant
        torch.add(constant, 1, out=constant)
        w.sum().backward()
    assert torch.allclose(x.grad, 4 * x + 2 * x.exp() + 1)


def test_an_unpack_hook_may_leave_the_block_around_it_and_enter_another() -> None:
    inner = graph.saved_tensors_hooks(lambda x: x, lambda x: x)

    def unpack(x):
        outer.__exit__(None, None, None)
        inner.__enter__()
        return x

    outer = graph.saved_tensors_hooks(lambda x: x, unpack)
    x = torch.ones(2, requires_grad=True)
    watched = dict(watch.watched.there)
    with outer:
        y = x.exp()
        inside = dict(watch.watched.there)
        y.sum().backward()
        assert watch.watched.there == inside
    assert watch.watched.there == watched
    assert x.grad.tolist() == y.tolist()


@pytest.mark.parametrize("shown", ["view", "detach"])
def test_a_view_of_a_kept_result_makes_no_special_node(shown: str) -> None:
    """Softmax keeps its result; who makes a view of that asks for the version cell, and the node
    still runs the short way, which sees changes."""

    def view_of(y: torch.Tensor) -> torch.Tensor:
        return y.view(4) if shown == "view" else y.detach()

    x = torch.tensor([0.0, 1.0, 2.0, 3.0], requires_grad=True)
    y = x.softmax(0)
    view_of(y)
    assert y.grad_fn.x.plain
    assert list(y.grad_fn.x.cells) == [0]
    (expected,) = torch.autograd.grad(x.softmax(0)[1], x)
    y[1].backward()
    assert torch.equal(x.grad, expected)

    y = x.softmax(0)
    view = view_of(y)
    with torch.no_grad():
        view.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()

    y = x.softmax(0)
    view_of(y)
    seen = []
    y.grad_fn.register_hook(lambda got, given: seen.append(given[0].shape))
    assert not y.grad_fn.x.plain
    y.sum().backward()
    assert seen == [(4,)]
