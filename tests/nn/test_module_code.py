"""Attributes and calls of modules by machine code: what Python's methods do."""

from __future__ import annotations

import inspect
import traceback
from collections import OrderedDict
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.kernels import runtime
from rushlight.kernels.runtime import few
from rushlight.nn import module as home

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    few.load()


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(2, 3)
        self.scale = nn.Parameter(torch.ones(3))
        self.register_buffer("mean", torch.zeros(3))
        self.register_buffer("nothing", None)

    def forward(self, *args: Any, **kw: Any) -> Any:
        return args, kw


def test_they_are_machine_code() -> None:
    for name in ("__call__", "__getattr__"):
        made = vars(nn.Module)[name]
        assert not inspect.isfunction(made)
        assert made.__doc__ == home._IN_PYTHON[name].__doc__ or not made.__doc__
        names = list(inspect.signature(made).parameters)
        assert names == list(inspect.signature(home._IN_PYTHON[name]).parameters)


def test_attributes() -> None:
    net = Net()
    for name in ("inner", "scale", "mean", "nothing", "missing", "forward"):
        found = []
        for get in (getattr, home._IN_PYTHON["__getattr__"]):
            if name == "forward" and get is not getattr:
                continue
            try:
                found.append(get(net, name))
            except AttributeError as error:
                found.append(str(error))
        assert all(f is found[0] or f == found[0] for f in found), name
    assert net.nothing is None
    assert not hasattr(net, "other")
    with pytest.raises(TypeError):
        nn.Module.__getattr__(net)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        nn.Module.__getattr__(3, "x")  # type: ignore[arg-type]
    half = Net.__new__(Net)
    with pytest.raises(AttributeError):
        _ = half.inner


def test_registries_of_a_class_of_ones_own_are_asked() -> None:
    class Asked(dict[str, Any]):
        def __getitem__(self, name: str) -> Any:
            return "asked"

    net = Net()
    net.__dict__["_modules"] = Asked(net._modules)
    assert net.inner == "asked"
    net.__dict__["_buffers"] = OrderedDict(net._buffers)
    assert net.mean is net._buffers["mean"]


@pytest.mark.parametrize(
    ("args", "kw"),
    [
        ((), {}), ((1,), {}), ((1, 2), {"x": 3}), ((), {"x": 1, "y": 2}),
        (tuple(range(300)), {"z": 0}),
    ],
)
def test_calls_hand_on_what_they_get(args: Any, kw: Any) -> None:
    net = Net()
    assert net(*args, **kw) == (args, kw)
    assert net.__call__(*args, **kw) == (args, kw)
    assert nn.Module.__call__(net, *args, **kw) == (args, kw)
    seen = []
    net.register_forward_hook(lambda _m, given, out: seen.append((given, out)))
    assert net(*args, **kw) == (args, kw)
    assert seen == [(args, (args, kw))]


def test_hooks_are_run() -> None:
    """Of each kind, of this module and of all."""
    for register in ("register_forward_hook", "register_forward_pre_hook",
                     "register_full_backward_hook", "register_full_backward_pre_hook"):  # fmt: skip
        net, seen = nn.Linear(2, 2), []
        getattr(net, register)(lambda *_, seen=seen: seen.append(1))
        net(torch.ones(1, 2, requires_grad=True)).sum().backward()
        assert seen == [1], register
    for register in (home.register_module_forward_hook, home.register_module_forward_pre_hook):
        count: list[int] = []
        handle = register(lambda *_, count=count: count.append(1))
        net(torch.ones(1, 2))
        handle.remove()
        net(torch.ones(1, 2))
        assert count == [1]


def test_an_instance_may_have_another_forward() -> None:
    net = Net()
    net.forward = lambda x: x + 1  # type: ignore[method-assign]
    assert net(2) == 3


def test_errors_name_the_module_and_keep_their_traceback() -> None:
    class Wrong(nn.Module):
        def forward(self, x: Any) -> Any:
            raise KeyError("mine")

    net = nn.Sequential(nn.Identity(), Wrong())
    with pytest.raises(KeyError, match="mine") as caught:
        net(1)
    assert "in module" in "".join(getattr(caught.value, "__notes__", ["in module"]))
    text = "".join(traceback.format_exception(caught.value))
    assert text.count("raise KeyError") == 1

    class Stop(nn.Module):
        def forward(self) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Stop()()


def test_a_replaced_method_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def mine(self: Any, *args: Any, **kw: Any) -> Any:
        return "mine"

    monkeypatch.setattr(nn.Module, "__call__", mine)
    few.load()
    assert Net()() == "mine"
