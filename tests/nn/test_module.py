"""Module: registering, finding, changing, printing, copying, and errors that name the path."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Linear(3, 4), nn.Identity(), nn.Linear(4, 2))
        self.head = nn.Linear(2, 2, bias=False)
        self.register_buffer("steps", torch.zeros(1))
        self.register_buffer("scratch", torch.ones(2), persistent=False)

    def forward(self, x: Any) -> Any:
        return self.head(self.features(x))


# --- registering --------------------------------------------------------------------------------


def test_attributes_are_registered_by_kind() -> None:
    m = nn.Module()
    m.w = nn.Parameter(torch.ones(2))
    m.child = nn.Linear(1, 1)
    m.b = nn.Buffer(torch.ones(1))
    m.quiet = nn.Buffer(torch.ones(1), persistent=False)
    m.plain = torch.ones(3)
    assert list(m._parameters) == ["w"]
    assert list(m._modules) == ["child"]
    assert list(m._buffers) == ["b", "quiet"]
    assert list(m.state_dict()) == ["w", "b", "child.weight", "child.bias"]
    assert "plain" in m.__dict__
    del m.w, m.child, m.b
    assert not m._parameters
    assert not m._modules
    assert list(m._buffers) == ["quiet"]


def test_assigning_moves_a_name_between_registries() -> None:
    m = nn.Module()
    m.x = 3
    m.x = nn.Linear(1, 1)
    assert list(m._modules) == ["x"]
    assert "x" not in m.__dict__
    m.x = nn.Parameter(torch.ones(1))
    assert not m._modules
    assert list(m._parameters) == ["x"]
    m.x = None
    assert m._parameters == {"x": None}
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter 'x'"):
        m.x = torch.ones(1)


@pytest.mark.parametrize(
    ("act", "error", "text"),
    [
        (lambda m: m.register_buffer("a.b", None), KeyError, r'buffer name can.+t contain "\."'),
        (lambda m: m.register_buffer("", None), KeyError, "can.+t be empty string"),
        (lambda m: m.register_buffer(3, None), TypeError, "buffer name should be a string"),
        (lambda m: m.register_buffer("head", None), KeyError, "attribute 'head' already exists"),
        (lambda m: m.register_buffer("n", 3), TypeError, "torch Tensor or None required"),
        (lambda m: m.register_parameter("n", torch.ones(1)), TypeError, "torch.nn.Parameter or"),
        (lambda m: m.register_parameter("forward", None), KeyError, "already exists"),
        (lambda m: m.add_module("n", 3), TypeError, "int is not a Module subclass"),
        (lambda m: m.add_module("a.b", None), KeyError, "module name can.+t contain"),
        (lambda m: setattr(m, "head", 3), TypeError, "as child module 'head'"),
        (lambda m: setattr(m, "steps", 3), TypeError, "as buffer 'steps'"),
        (lambda m: m.nothing, AttributeError, "'Net' object has no attribute 'nothing'"),
        (lambda m: m.train(1), ValueError, "training mode is expected to be boolean"),
        (lambda m: m.to(torch.int32), TypeError, "only accepts floating point or complex dtypes"),
        (lambda m: m.to("cpu", copy=True), RuntimeError, "does not accept copy argument"),
        (lambda m: m.get_submodule("features.9"), AttributeError, "has no attribute `9`"),
        (lambda m: m.get_submodule("steps"), AttributeError, "`steps` is not an nn.Module"),
        (lambda m: m.get_parameter("steps"), AttributeError, "`steps` is not an nn.Parameter"),
        (lambda m: m.get_buffer("training"), AttributeError, "`training` is not a buffer"),
        (lambda m: m.set_submodule("", m), ValueError, "without a target name"),
        (lambda m: m.set_submodule("x.y", m), AttributeError, "has no attribute `x`"),
    ],
)
def test_misuse(act: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        act(Net())


def test_parameter_must_be_a_leaf() -> None:
    m = nn.Module()
    p = nn.Parameter(torch.ones(2))
    with pytest.raises((ValueError, TypeError)):
        m.register_parameter("p", p * 2)


def test_before_init() -> None:
    class Early(nn.Module):
        def __init__(self, value: Any) -> None:
            self.x = value

    with pytest.raises(AttributeError, match=r"cannot assign parameters before Module.__init__"):
        Early(nn.Parameter(torch.ones(1)))
    with pytest.raises(AttributeError, match=r"cannot assign module before Module.__init__"):
        Early(nn.Identity())
    assert Early(3).x == 3


def test_constructor_arguments() -> None:
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'size'"):
        nn.Module(size=3)
    with pytest.raises(TypeError, match="takes 1 positional argument but 2 were given"):
        nn.Module(3)


def test_mixins_that_take_part_in_construction_and_assignment() -> None:
    log: list[str] = []

    class Mixin:
        def __init__(self, size: int = 0, **kwargs: Any) -> None:
            super().__init__(**kwargs)
            log.append(f"init {size}")

        def __setattr__(self, name: str, value: Any) -> None:
            log.append(name)
            super().__setattr__(name, value)

    class Both(nn.Module, Mixin):
        call_super_init = True

    m = Both(size=3)
    m.plain = 1
    assert log == ["init 3", "plain"]


def test_no_forward() -> None:
    with pytest.raises(NotImplementedError, match=r'missing the required "forward" function'):
        nn.Module()(1)


# --- finding ------------------------------------------------------------------------------------


def test_names() -> None:
    net = Net()
    assert [n for n, _ in net.named_modules()] == [
        "",
        "features",
        "features.0",
        "features.1",
        "features.2",
        "head",
    ]
    assert [n for n, _ in net.named_parameters()] == [
        "features.0.weight",
        "features.0.bias",
        "features.2.weight",
        "features.2.bias",
        "head.weight",
    ]
    assert [n for n, _ in net.named_parameters(prefix="net", recurse=False)] == []
    assert [n for n, _ in net.named_buffers()] == ["steps", "scratch"]
    assert [n for n, _ in net.named_children()] == ["features", "head"]
    assert net.get_submodule("features.2") is net.features[2]
    assert net.get_parameter("head.weight") is net.head.weight
    assert net.get_buffer("steps") is net.steps
    net.set_submodule("features.1", nn.ReLU() if hasattr(nn.functional, "relu") else nn.Identity())
    assert len(net.features) == 3
    assert {"features", "head", "steps", "forward", "training"} <= set(dir(net))


def test_shared_members_are_found_once() -> None:
    m = nn.Module()
    m.a = nn.Linear(2, 2)
    m.b = m.a
    m.c = nn.Linear(2, 2)
    m.c.weight = m.a.weight
    assert len(list(m.parameters())) == 3
    assert len(list(m.modules())) == 3
    assert len(list(m.named_parameters(remove_duplicate=False))) == 6
    assert list(m.state_dict()) == [f"{k}.{p}" for k in "abc" for p in ("weight", "bias")]


# --- changing -----------------------------------------------------------------------------------


def test_train_eval_and_apply() -> None:
    net = Net()
    assert net.eval() is net
    assert not any(m.training for m in net.modules())
    net.train()
    assert all(m.training for m in net.modules())
    seen: list[str] = []
    net.apply(lambda m: seen.append(type(m).__name__))
    assert seen == ["Linear", "Identity", "Linear", "Sequential", "Linear", "Net"]


def test_conversions_keep_parameters_and_gradients() -> None:
    net = Net()
    net(torch.ones(1, 3)).sum().backward()
    first = net.head.weight
    assert net.double() is net
    assert net.head.weight is first
    assert first.dtype is torch.float64
    assert first.grad.dtype is torch.float64
    assert net.steps.dtype is torch.float64
    net.to(torch.float16)
    assert first.dtype is torch.float16
    net.bfloat16()
    assert first.dtype is torch.bfloat16
    net.to(torch.ones(1, dtype=torch.float32))
    assert first.dtype is torch.float32
    net.to("cpu", torch.float64).to(device="cpu", dtype=torch.float32, non_blocking=True)
    assert first.dtype is torch.float32
    net.type(torch.float64).float().half().cpu()
    assert first.dtype is torch.float16
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        net.to(3.5)


def test_integer_buffers_keep_their_type() -> None:
    norm = nn.BatchNorm1d(2).double()
    assert norm.num_batches_tracked.dtype is torch.int64
    assert norm.running_mean.dtype is torch.float64


def test_cuda_tells_the_truth() -> None:
    with pytest.raises(Exception, match=r"(?i)cuda"):
        Net().cuda()
    with pytest.raises(Exception, match=r"(?i)cuda"):
        Net().to("cuda")


def test_meta_and_to_empty() -> None:
    net = nn.Linear(3, 4, device="meta")
    assert net.weight.device.type == "meta"
    assert net(torch.empty(2, 3, device="meta")).shape == (2, 4)
    with pytest.raises(NotImplementedError, match=r"meta tensor; no data! Please use .*to_empty"):
        net.to("cpu")
    net.to_empty(device="cpu")
    assert net.weight.device.type == "cpu"
    net.reset_parameters()
    assert net(torch.ones(2, 3)).shape == (2, 4)
    assert isinstance(net.weight, nn.Parameter)


def test_zero_grad_and_freezing() -> None:
    net = Net()
    net(torch.ones(1, 3)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert net.head.weight.grad.abs().sum() == 0
    net.zero_grad()
    assert all(p.grad is None for p in net.parameters())
    net.requires_grad_(False)
    assert not any(p.requires_grad for p in net.parameters())
    assert not net(torch.ones(1, 3)).requires_grad


# --- copying and printing -----------------------------------------------------------------------


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_are_independent(copier: Any) -> None:
    net = Net()
    other = copier(net)
    x = torch.ones(2, 3)
    np.testing.assert_array_equal(net(x).detach().numpy(), other(x).detach().numpy())
    assert isinstance(other.head.weight, nn.Parameter)
    with torch.no_grad():
        other.head.weight.zero_()
    assert net.head.weight.abs().sum() > 0


def test_old_pickles_get_the_newer_hook_dictionaries() -> None:
    net = nn.Linear(1, 1)
    state = net.__getstate__()
    for name in ("_forward_hooks_with_kwargs", "_backward_pre_hooks", "_is_full_backward_hook"):
        del state[name]
    new = nn.Linear.__new__(nn.Linear)
    new.__setstate__(state)
    assert new(torch.ones(1, 1)).shape == (1, 1)


def test_repr() -> None:
    assert repr(Net()) == (
        "Net(\n"
        "  (features): Sequential(\n"
        "    (0): Linear(in_features=3, out_features=4, bias=True)\n"
        "    (1): Identity()\n"
        "    (2): Linear(in_features=4, out_features=2, bias=True)\n"
        "  )\n"
        "  (head): Linear(in_features=2, out_features=2, bias=False)\n"
        ")"
    )
    assert repr(nn.Module()) == "Module()"


# --- errors name the path -----------------------------------------------------------------------


def note(error: BaseException) -> str:
    (text,) = error.__notes__
    return text


def test_error_names_the_path_of_the_module() -> None:
    with pytest.raises(RuntimeError) as caught:
        Net()(torch.ones(2, 5))
    assert note(caught.value) == (
        "in module: features.0 (Linear(in_features=3, out_features=4, bias=True)) of Net"
    )


def test_error_in_a_module_that_is_called_alone() -> None:
    with pytest.raises(RuntimeError) as caught:
        nn.Linear(3, 4)(torch.ones(2, 5))
    assert note(caught.value) == "in module: Linear(in_features=3, out_features=4, bias=True)"


def test_path_leads_through_lists_that_are_not_called() -> None:
    class Deep(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.blocks = nn.ModuleList([Net(), Net()])

        def forward(self, x: Any) -> Any:
            for block in self.blocks:
                x = block(x)
            return x

    with pytest.raises(RuntimeError) as caught:
        Deep()(torch.ones(1, 3))
    assert note(caught.value).startswith("in module: blocks.1.features.0 (Linear(")
    assert note(caught.value).endswith(" of Deep")


def test_module_that_is_not_registered() -> None:
    hidden = [nn.Linear(3, 3)]

    class Outer(nn.Module):
        def forward(self, x: Any) -> Any:
            return hidden[0](x)

    with pytest.raises(RuntimeError) as caught:
        Outer()(torch.ones(1, 2))
    assert note(caught.value).startswith("in module: ? (Linear(")


def test_noted_errors_can_be_pickled_and_copied() -> None:
    with pytest.raises(RuntimeError) as caught:
        Net()(torch.ones(2, 5))
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.__notes__ == caught.value.__notes__


def test_exceptions_pass_unchanged_otherwise() -> None:
    class Stop(Exception):
        __slots__ = ()

    stop = Stop()

    class Stopper(nn.Module):
        def forward(self) -> None:
            raise stop

    with pytest.raises(Stop) as caught:
        nn.Sequential(OrderedDict(inner=Stopper())).inner()
    assert caught.value is stop


def test_subclasses_of_parameters_take_other_arguments():
    class OnSphere(torch.nn.Parameter):
        def __new__(cls, data, radius=1.0, requires_grad=True):
            made = torch.Tensor._make_subclass(cls, data, requires_grad)
            made.radius = radius
            return made

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = OnSphere(torch.ones(2), radius=3.0)

    assert Layer().w.radius == 3.0
    assert list(Layer().state_dict()) == ["w"]
    with pytest.raises(TypeError, match="unexpected keyword argument 'radius'"):
        torch.nn.Parameter(torch.ones(2), radius=3.0)
