"""Tensor subclasses with `__torch_dispatch__`: what their class is told, and the tape above it."""

from __future__ import annotations

import copy
import io
import pickle
from typing import ClassVar

import pytest

import rushlight as torch
from rushlight.autograd import forward_ad
from rushlight.utils._mode_utils import no_dispatch
from rushlight.utils._python_dispatch import (
    TorchDispatchMode,
    return_and_correct_aliasing,
    transform_subclass,
)


def mapped(fn, values):
    if isinstance(values, (list, tuple)):
        return type(values)(mapped(fn, v) for v in values)
    if isinstance(values, dict):
        return {k: mapped(fn, v) for k, v in values.items()}
    return fn(values)


class Held(torch.Tensor):
    """Holds a tensor, and writes down what it is told."""

    told: ClassVar[list[str]] = []

    @staticmethod
    def __new__(cls, elem, requires_grad=False):
        return torch.Tensor._make_wrapper_subclass(
            cls, elem.size(), strides=elem.stride(), dtype=elem.dtype, device=elem.device,
            requires_grad=requires_grad,
        )  # fmt: skip

    def __init__(self, elem, requires_grad=False):
        self.elem = elem

    def __repr__(self):
        return super().__repr__(tensor_contents=f"{self.elem}")

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.told.append(str(func))
        inner = mapped(lambda v: v.elem if isinstance(v, cls) else v, (args, kwargs or {}))
        out = func(*inner[0], **inner[1])
        out = mapped(lambda v: cls(v) if isinstance(v, torch.Tensor) else v, out)
        return return_and_correct_aliasing(func, args, kwargs, out)

    def __tensor_flatten__(self):
        return ["elem"], None

    @staticmethod
    def __tensor_unflatten__(inner, about, size, stride):
        return Held(inner["elem"])


@pytest.fixture(autouse=True)
def forgotten():
    Held.told.clear()


def test_derivatives_are_recorded_above_the_class():
    x = Held(torch.tensor([1.0, 2.0]), requires_grad=True)
    y = (x * x).exp().sum()
    assert type(y) is Held
    assert y.grad_fn is not None
    assert not y.elem.requires_grad
    y.backward()
    z = torch.tensor([1.0, 2.0], requires_grad=True)
    (z * z).exp().sum().backward()
    assert type(x.grad) is Held
    assert torch.equal(x.grad.elem, z.grad)
    assert Held.told[:4] == [
        "aten.mul.Tensor", "aten.exp.default", "aten.detach.default", "aten.sum.default",
    ]  # fmt: skip


def test_second_derivatives_and_plain_leaves():
    x = Held(torch.tensor([2.0]), requires_grad=True)
    w = torch.tensor([3.0], requires_grad=True)
    (g,) = torch.autograd.grad((x**3 * w).sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    assert g.elem.item() == 36
    assert h.elem.item() == 36
    (x * w).sum().backward()
    assert type(w.grad) is Held
    assert w.grad.elem.item() == 2


def test_places_that_a_result_is_saved_with():
    x = Held(torch.tensor([[1.0, 5.0], [7.0, 2.0]]), requires_grad=True)
    x.max(1)[0].sum().backward()
    assert x.grad.elem.tolist() == [[0, 1], [1, 0]]
    with forward_ad.dual_level():
        d = forward_ad.make_dual(x.detach(), Held(torch.ones(2, 2)))
        assert forward_ad.unpack_dual(d.max(1)[0]).tangent.elem.tolist() == [1, 1]


def test_parameters_with_names_are_one_value():
    x = Held(torch.rand(1, 1, 4, 4))
    y = torch.nn.functional.interpolate(x, scale_factor=2)
    assert torch.equal(y.elem, torch.nn.functional.interpolate(x.elem, scale_factor=2))
    assert torch.nn.functional.max_pool2d(x, 2).shape == (1, 1, 2, 2)
    assert x.as_strided((2,), (1,), 3).elem.tolist() == x.elem.reshape(-1)[3:5].tolist()


def test_changes_in_place_have_a_version_and_a_history():
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    x = Held(a.detach(), requires_grad=True)
    y = x * 1
    y.mul_(y)
    assert y._version == 1
    assert str(Held.told[-1]) == "aten.mul_.Tensor"
    y[0] = 5
    y.sum().backward()
    assert x.grad.elem.tolist() == [0, 4]
    z = x.exp()
    z.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_views_share_storage_and_are_told():
    x = Held(torch.arange(4.0))
    v = x.view(2, 2)
    assert v._base is x
    assert v.untyped_storage() is x.untyped_storage()
    assert v.elem.untyped_storage() is x.elem.untyped_storage()
    assert x[1:].elem.tolist() == [1, 2, 3]
    assert Held.told[-1] == "aten.slice.default"


def test_functions_that_look_into_arrays_are_operators():
    x = Held(torch.tensor([1.0, 0.0, 2.0]))
    assert x.nonzero().elem.tolist() == [[0], [2]]
    assert torch.zeros_like(x).elem.tolist() == [0, 0, 0]
    assert x.new_ones(2).elem.tolist() == [1, 1]
    assert x[0].item() == 1.0
    assert bool(x[0])
    assert Held.told[-1] == "aten._local_scalar_dense.default"


def test_no_numbers_leave_by_arrays():
    x = Held(torch.ones(2))
    with pytest.raises(RuntimeError, match="not supported for tensor subclasses"):
        x.numpy()
    with pytest.raises(RuntimeError, match="not supported for tensor subclasses"):
        x.tolist()
    assert x.data_ptr() == 0
    assert repr(x) == "Held(tensor([1., 1.]))"


def test_copies_and_pickles():
    x = Held(torch.ones(2), requires_grad=True)
    y = copy.deepcopy(x)
    assert type(y) is Held
    assert y.requires_grad
    assert y.elem is not x.elem
    z = pickle.loads(pickle.dumps(Held(torch.ones(2))))
    assert type(z) is Held
    assert z.elem.tolist() == [1, 1]
    assert transform_subclass(x, lambda name, t: t * 2).elem.tolist() == [2, 2]


def test_parameters_of_such_classes_are_begun_once():
    p = torch.nn.Parameter(Held(torch.ones(2)))
    assert isinstance(p, torch.nn.Parameter)
    assert type(p.elem) is torch.Tensor  # not what was given to Parameter
    y = pickle.loads(pickle.dumps(p))
    assert (y.requires_grad, y.elem.tolist()) == (True, [1, 1])
    assert isinstance(y, torch.nn.Parameter)
    assert isinstance(y, Held)


@pytest.mark.parametrize("kind", [lambda t: t, torch.nn.Parameter])
def test_such_classes_are_saved_as_pytorch_saves_them(kind):
    file = io.BytesIO()
    torch.save({"w": kind(Held(torch.ones(2, 3)))}, file)
    assert b"_rebuild_wrapper_subclass" in file.getvalue()
    with pytest.raises(pickle.UnpicklingError, match=r"Unsupported global: GLOBAL .*Held"):
        torch.load(io.BytesIO(file.getvalue()))
    with torch.serialization.safe_globals([Held]):
        w = torch.load(io.BytesIO(file.getvalue()))["w"]
    assert (w.shape, w.elem.tolist()) == ((2, 3), [[1, 1, 1], [1, 1, 1]])
    assert isinstance(w, torch.nn.Parameter) is (kind is torch.nn.Parameter)


def test_classes_around_data_are_saved_with_it():
    x = torch.Tensor._make_subclass(Held, torch.arange(3.0))
    x.elem = torch.ones(1)
    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    with torch.serialization.safe_globals([Held]):
        saved = torch.load(file)
    for y in (pickle.loads(pickle.dumps(x)), saved):
        assert (type(y), y.elem.item()) == (Held, 1)
        assert y._a.inner.tolist() == [0, 1, 2]


def test_classes_without_it_are_refused():
    class Other(torch.Tensor):
        pass

    with pytest.raises(TypeError, match="must define __torch_dispatch__"):
        torch.Tensor._make_wrapper_subclass(Other, (2,))
    with pytest.raises(NotImplementedError, match="dispatch_sizes_strides_policy"):
        torch.Tensor._make_wrapper_subclass(Held, (2,), dispatch_sizes_strides_policy="sizes")


class Refuses(Held):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


def test_all_classes_may_refuse():
    with pytest.raises(TypeError, match="Multiple dispatch failed for 'aten"):
        Refuses(torch.ones(2)) + 1


class Below(torch.Tensor):
    """Made around data: the usual goes on where nobody is asked."""

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return super().__torch_dispatch__(func, types, args, kwargs)


def test_made_around_data():
    t = torch.ones(2)
    x = torch.Tensor._make_subclass(Below, t)
    assert type(x) is Below
    assert type(x + 1) is torch.Tensor
    assert (x + 1).tolist() == [2, 2]
    x.add_(1)
    assert t.tolist() == [2, 2]
    assert type(t.as_subclass(Below)) is Below


def test_without_dispatch_there_are_shapes():
    x = Held(torch.ones(2, 3))
    with no_dispatch():
        y = x.t()
    assert type(y) is torch.Tensor
    assert y.shape == (3, 2)
    assert not Held.told


class Names(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.told = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.told.append((str(func), [t.__name__ for t in types]))
        return func(*args, **(kwargs or {}))


def test_modes_are_asked_before_classes():
    with Names() as mode:
        y = Held(torch.ones(2)).exp()
        y.detach()
    assert type(y) is Held
    assert ("aten.exp.default", ["Held"]) in mode.told
    assert ("aten.detach.default", ["Held"]) in mode.told


def test_functions_without_a_derivative_say_so():
    x = Held(torch.tensor([1.0, 3.0, 2.0]), requires_grad=True)
    with pytest.raises(NotImplementedError, match="no derivative is known"):
        torch.histc(x)


class Doubled(torch.autograd.Function):
    """A Function on tensors without a class of their own."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        assert type(g) is torch.Tensor
        return g * 2


class Emptied(torch.autograd.Function):
    """A plain tensor from one of the class; its backward makes one of the class."""

    @staticmethod
    def forward(ctx, x):
        return x.elem.clone()

    @staticmethod
    def backward(ctx, g):
        return Held(g)


def test_graphs_without_such_tensors_run_on_arrays_also_where_there_are_some(monkeypatch):
    from rushlight.autograd import engine, outer

    Held(torch.ones(2))  # from here on all graphs are looked at
    x = torch.ones(3, requires_grad=True)
    base = x * 1
    base[:2].mul_(3)
    monkeypatch.setattr(engine, "twice", [0])  # tests before this one differentiated twice
    compiled = torch.compile(lambda x: torch.dropout(x, 0.5, True))
    for y in (Doubled.apply(x), base, compiled(x)):
        assert not outer.touched([engine.edge_of(y)], [None])
        y.sum().backward()


def test_a_function_that_met_such_a_tensor_runs_with_tensors():
    x = Held(torch.ones(3), requires_grad=True)
    y = Doubled.apply(Emptied.apply(x.exp()))
    y.sum().backward()
    assert type(x.grad) is Held
    assert torch.allclose(x.grad.elem, 2 * torch.ones(3).exp())


@pytest.mark.parametrize("within", [False, True])
def test_classes_are_asked_for_numbers_after_something_was_compiled(within, monkeypatch):
    """Compiling swaps the same methods for a while, as the first such tensor does for good."""
    from rushlight import tensor_dispatch
    from rushlight.compiler import capture

    before = {name: torch.Tensor.__dict__[name] for name in capture.TAKING}
    with monkeypatch.context() as m:
        for name, fn in before.items():
            m.setattr(torch.Tensor, name, fn)  # what the next lines leave is taken away again
        own = tensor_dispatch.swapped("item", before["item"], tensor_dispatch.item)
        if not within:
            torch.Tensor.item = own
        with capture.telling():
            if within:
                torch.Tensor.item = tensor_dispatch.swapped(
                    "item", torch.Tensor.item, tensor_dispatch.item
                )
            assert torch.ones(()).item() == 1
        Held.told = []
        assert Held(torch.ones(())).item() == 1
        assert Held.told == ["aten._local_scalar_dense.default"]
        if not within:
            assert torch.Tensor.item is own


def test_the_gradient_of_a_product_asks_no_numbers():
    x = Held(torch.tensor([2.0, 0.0, 3.0]), requires_grad=True)
    x.prod().backward()
    assert x.grad.elem.tolist() == [0, 6, 0]
    y = Held(torch.tensor([[2.0, 4.0], [5.0, 3.0]]), requires_grad=True)
    y.prod(1).sum().backward()
    assert y.grad.elem.tolist() == [[4, 2], [3, 5]]
