"""Hooks of modules: order, arguments, what they may change, removal, and the global ones."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn.modules import module as M


class Scale(nn.Module):
    def __init__(self, factor: float = 2.0) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x: Any, shift: float = 0.0) -> Any:
        return x * self.factor + shift


@pytest.fixture(autouse=True)
def _no_global_hooks() -> Iterator[None]:
    yield
    for name in dir(M):
        if name.startswith("_global_") and isinstance(getattr(M, name), dict):
            getattr(M, name).clear()
    M._hooks._global_is_full_backward_hook = None


def test_forward_hooks_run_in_order_and_change_things() -> None:
    m = Scale()
    log: list[str] = []
    m.register_forward_pre_hook(lambda m, args: log.append("pre1"))
    m.register_forward_pre_hook(lambda m, args: (log.append("pre0"), args[0] + 1)[1], prepend=True)
    m.register_forward_hook(lambda m, args, out: log.append("post1"))
    m.register_forward_hook(lambda m, args, out: (log.append("post0"), out * 10)[1], prepend=True)
    assert m(torch.ones(1)).item() == 40
    assert log == ["pre0", "pre1", "post0", "post1"]


def test_hooks_with_keyword_arguments() -> None:
    m = Scale()

    def pre(module: Any, args: Any, kwargs: Any) -> Any:
        return args, {"shift": kwargs["shift"] + 1}

    seen: list[Any] = []
    m.register_forward_pre_hook(pre, with_kwargs=True)
    m.register_forward_hook(lambda m, a, kw, out: seen.append(kw["shift"]), with_kwargs=True)
    assert m(torch.ones(1), shift=1.0).item() == 4
    assert seen == [2.0]
    m.register_forward_pre_hook(lambda m, a, kw: 3, with_kwargs=True)
    with pytest.raises(RuntimeError, match="must return None or a tuple of"):
        m(torch.ones(1), shift=1.0)


def test_handles_remove() -> None:
    m = Scale()
    with m.register_forward_hook(lambda m, a, out: out * 0):
        assert m(torch.ones(1)).item() == 0
    assert m(torch.ones(1)).item() == 2
    assert not m._forward_hooks


def test_always_call() -> None:
    class Fails(nn.Module):
        def forward(self) -> None:
            raise ValueError("no")

    m = Fails()
    log: list[str] = []
    m.register_forward_hook(lambda *a: log.append("plain"))
    m.register_forward_hook(lambda *a: log.append("always"), always_call=True)
    with pytest.raises(ValueError, match="no"):
        m()
    assert log == ["always"]

    def broken(*_: Any) -> None:
        raise KeyError("hook")

    m.register_forward_hook(broken, always_call=True)
    with (
        pytest.warns(UserWarning, match="raised an exception that was silenced"),
        pytest.raises(ValueError, match="no"),
    ):
        m()


def test_full_backward_hooks() -> None:
    m = Scale()
    log: list[Any] = []
    m.register_full_backward_pre_hook(lambda m, g: log.append(("pre", g[0].item())))
    m.register_full_backward_hook(
        lambda m, gi, go: log.append(("post", gi[0].item(), go[0].item()))
    )
    x = torch.ones(1, requires_grad=True)
    m(x * 1).sum().backward()
    assert log == [("pre", 1.0), ("post", 2.0, 1.0)]
    assert x.grad.item() == 2


def test_full_backward_hooks_may_replace_gradients() -> None:
    m = Scale()
    m.register_full_backward_pre_hook(lambda m, g: (g[0] * 10,))
    m.register_full_backward_hook(lambda m, gi, go: (gi[0] + 1,))
    x = torch.ones(1, requires_grad=True)
    m(x).sum().backward()
    assert x.grad.item() == 21


def test_full_backward_hook_without_input_gradients() -> None:
    m = nn.Linear(1, 1)
    log: list[Any] = []
    m.register_full_backward_hook(lambda m, gi, go: log.append((gi, go[0].item())))
    with pytest.warns(UserWarning, match="no inputs require gradients"):
        m(torch.ones(1, 1)).sum().backward()
    assert log == [((None,), 1.0)]


def test_full_backward_hook_with_several_inputs_and_outputs() -> None:
    class Two(nn.Module):
        def forward(self, a: Any, n: int, b: Any) -> Any:
            return a * n, b * n, n

    m = Two()
    log: list[Any] = []
    m.register_full_backward_hook(lambda m, gi, go: log.append((gi, go)))
    a, b = torch.ones(1, requires_grad=True), torch.ones(1)
    out = m(a, 3, b)
    assert out[2] == 3
    out[0].sum().backward()
    ((gi, go),) = log
    assert gi[0].item() == 3
    assert gi[1] is None
    assert gi[2].item() == 0  # an input without a gradient, as in PyTorch
    assert go[0].item() == 1
    assert go[2] is None


def test_full_backward_hooks_around_a_module_that_works_in_place() -> None:
    """Refused, as by PyTorch: the module before has handed out what the next one changes."""
    m = nn.Sequential(nn.Linear(3, 4), nn.ReLU(inplace=True), nn.Linear(4, 2))
    for part in m:
        part.register_full_backward_hook(lambda *_: None)
    with pytest.raises(RuntimeError, match="BackwardHookFunction is a view and is being modified"):
        m(torch.ones(2, 3))


def test_wrong_number_of_gradients() -> None:
    m = Scale()
    m.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0]))
    with pytest.raises(RuntimeError, match="invalid number of grad_input, got 2, but expected 1"):
        m(torch.ones(1, requires_grad=True)).sum().backward()


@pytest.mark.filterwarnings("ignore:Using a non-full backward hook")
def test_old_backward_hook() -> None:
    m = Scale()
    log: list[Any] = []
    m.register_backward_hook(lambda m, gi, go: log.append(go[0].item()))
    m(torch.ones(1, requires_grad=True)).sum().backward()
    assert log == [1.0]
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full"):
        m.register_full_backward_hook(lambda *a: None)


def test_old_backward_hook_warns_when_it_misses_gradients() -> None:
    m = Scale()
    m.register_backward_hook(lambda *a: None)
    with pytest.warns(FutureWarning, match="the forward contains multiple autograd Nodes"):
        m(torch.ones(1, requires_grad=True))


def test_global_hooks() -> None:
    log: list[str] = []
    handles = [
        M.register_module_forward_pre_hook(lambda m, a: log.append(f"pre {type(m).__name__}")),
        M.register_module_forward_hook(lambda m, a, o: log.append(f"post {type(m).__name__}")),
        M.register_module_full_backward_pre_hook(lambda m, g: log.append("bpre")),
        M.register_module_full_backward_hook(lambda m, gi, go: log.append("bpost")),
    ]
    nn.Sequential(Scale())(torch.ones(1, requires_grad=True)).sum().backward()
    assert log == [
        "pre Sequential",
        "pre Scale",
        "post Scale",
        "post Sequential",
        "bpre",
        "bpre",
        "bpost",
        "bpost",
    ]
    with pytest.raises(RuntimeError, match="as a global Module hook"):
        M.register_module_backward_hook(lambda *a: None)
    for handle in handles:
        handle.remove()
    log.clear()
    Scale()(torch.ones(1))
    assert not log


def test_registration_hooks() -> None:
    log: list[str] = []
    M.register_module_parameter_registration_hook(lambda m, n, p: log.append(f"p {n}"))
    M.register_module_buffer_registration_hook(lambda m, n, b: log.append(f"b {n}"))
    M.register_module_module_registration_hook(lambda m, n, c: log.append(f"m {n}"))
    m = nn.Module()
    m.w = nn.Parameter(torch.ones(1))
    m.c = nn.Identity()
    m.register_buffer("b", torch.ones(1))
    assert log == ["p w", "m c", "b b"]
    M._global_parameter_registration_hooks.clear()
    other = nn.Parameter(torch.zeros(1))
    M.register_module_parameter_registration_hook(lambda m, n, p: other)
    m.v = nn.Parameter(torch.ones(1))
    assert m.v is other


def hook(module: Any, args: Any, out: Any) -> Any:
    return out + 1


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_keep_hooks(copier: Any) -> None:
    m = Scale()
    m.register_forward_hook(hook)
    assert copier(m)(torch.ones(1)).item() == 3


def test_global_hooks_are_where_programs_replace_them(monkeypatch):
    from collections import OrderedDict

    home = nn.modules.module
    monkeypatch.setattr(home, "_global_forward_hooks", OrderedDict())
    seen = []
    handle = home.register_module_forward_hook(lambda module, args, out: seen.append(module))
    net = nn.ReLU()
    net(torch.ones(1))
    assert seen == [net]
    home._global_forward_hooks = OrderedDict()
    net(torch.ones(1))
    assert seen == [net]
    handle.remove()
