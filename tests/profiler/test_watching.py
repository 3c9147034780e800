"""How the profiler sees: all of it, changing nothing, and nothing of it is left afterwards."""

from __future__ import annotations

import importlib
import threading
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.autograd import changes, door, engine, in_place, specialize, watch
from rushlight.autograd.function import Function
from rushlight.kernels.optim.reference import Arrays
from rushlight.nn import functional as F
from rushlight.ops.core import overrides
from rushlight.ops.core.composite import composites
from rushlight.ops.core.record import Op
from rushlight.optim import optimizer
from rushlight.profiler import profile
from rushlight.profiler.recording import local

# The attribute of this name in the package is the function `backward`.
backward_pass = importlib.import_module("rushlight.autograd.backward")


def names(prof: Any) -> list[str]:
    return [e.name for e in prof.events()]


def top(prof: Any) -> list[str]:
    return [e.name for e in prof.events() if e.cpu_parent is None]


def everything_swapped() -> dict[str, Any]:
    """Every object that the profiler may put another one in place of."""
    found: dict[str, Any] = {}
    for module in (door, watch, engine, backward_pass, changes, in_place, torch, F, optimizer):
        found |= {f"{module.__name__}.{k}": v for k, v in vars(module).items()}
    for cls in (torch.Tensor, Op, Arrays, Function, optimizer.Optimizer):
        found |= {f"{cls.__name__}.{k}": v for k, v in vars(cls).items()}
    for key, c in composites.items():
        for i, cell in enumerate(getattr(c.fn, "__closure__", None) or ()):
            found[f"{key}[{i}]"] = cell.cell_contents
    found["hooks"] = [
        *optimizer._global_optimizer_pre_hooks.items(),
        *optimizer._global_optimizer_post_hooks.items(),
    ]
    found["watchers"] = door.state.watchers
    found["known"] = set(overrides.known)
    found |= {f"specialize.plain: {cls.__name__}": cls for cls in specialize.plain}
    return found


COUNTERS = {"rushlight.autograd.watch._general_count"}


def test_off_is_what_it_was_before() -> None:
    with profile():
        torch.ones(2)  # what is imported late is there now
    before = everything_swapped()
    with profile():
        during = everything_swapped()
        (torch.ones(2, requires_grad=True) * 2).sum().backward()
    after = everything_swapped()
    changed = {k for k in before if during.get(k) is not before[k] and k not in COUNTERS}
    changed -= {"hooks", "known"}  # new objects each time, compared below
    assert changed == {  # the door's own functions: nothing of anybody else's
        "rushlight.autograd.door.apply",
        "rushlight.autograd.door.perform",
        "rushlight.autograd.watch._innermost",
        "rushlight.autograd.in_place.otherwise",
        "specialize.plain: Tensor",
        "specialize.plain: Parameter",
        "Op.__call__",
    }
    assert during["known"] == set() != before["known"] == after["known"]
    for found in (before, during, after):
        del found["known"]
    assert before.keys() == after.keys()
    hooks = before.pop("hooks"), after.pop("hooks")
    assert hooks[0] == hooks[1]
    assert [k for k in before if after[k] is not before[k]] == []
    assert local.recorder is None


def test_off_after_an_error() -> None:
    before = everything_swapped()
    with pytest.raises(RuntimeError, match="inner sizes"), profile() as prof:
        torch.ones(2, 3) @ torch.ones(2, 3)
    after = everything_swapped()
    assert [k for k in before if after[k] is not before[k] and k not in ("hooks", "known")] == []
    assert names(prof) == ["aten::ones", "aten::ones", "aten::matmul"]


def test_what_others_set_meanwhile_stays() -> None:
    plain = F.__dict__["relu_"]
    prof = profile()
    prof.start()
    try:
        F.relu_ = mine = lambda x: x  # type: ignore[attr-defined]
        prof.stop()
        assert F.relu_ is mine  # type: ignore[attr-defined]
    finally:
        F.relu_ = plain  # type: ignore[attr-defined]


def train(steps: int, profiled: bool) -> tuple[list[float], list[np.ndarray]]:
    """Losses and parameters of a small training run with a shared weight and a residual."""
    torch.manual_seed(0)
    conv, norm, head = nn.Conv2d(2, 2, 3, padding=1), nn.BatchNorm2d(2), nn.Linear(8, 3)
    parameters = [*conv.parameters(), *norm.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=0.01)
    x, target = torch.randn(4, 2, 2, 2), torch.tensor([0, 1, 2, 0])
    losses = []

    def run() -> None:
        for _ in range(steps):
            optimizer.zero_grad()
            y = F.relu(norm(conv(x)) + x)
            y = y + conv(y)  # the weight twice: its gradient is summed
            loss = F.cross_entropy(head(y.flatten(1)), target)
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            losses.append(loss.item())

    if profiled:
        with profile(record_shapes=True, profile_memory=True, with_flops=True, with_stack=True):
            run()
    else:
        run()
    return losses, [p.detach().numpy().copy() for p in parameters]


def test_numbers_are_the_same_to_the_last_bit() -> None:
    plain, profiled = train(4, False), train(4, True)
    assert plain[0] == profiled[0]
    for a, b in zip(plain[1], profiled[1], strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_gradient_that_others_hold_is_not_kept() -> None:
    g = torch.ones(3)
    w = torch.zeros(3, requires_grad=True)
    with profile():
        (w + 0.0).backward(g)
        assert w.grad is not None
        w.grad.add_(1)
    assert g.tolist() == [1, 1, 1]


def test_operators_methods_and_functions() -> None:
    x, y = torch.ones(2, 2), torch.ones(2, 2)
    with profile() as prof:
        x + y, 2 * x, x.exp(), x.sum(), x @ y, -x, x == y
        F.relu(x), x.relu(), torch.relu(x)
        x.add_(1)
        x -= y
        x.clamp_(0, 1)
        torch.cat([x, y])
    assert top(prof) == [
        *("aten::add", "aten::mul", "aten::exp", "aten::sum", "aten::matmul", "aten::neg"),
        *("aten::eq", "aten::relu", "aten::relu", "aten::relu"),
        *("aten::add_", "aten::sub_", "aten::clamp_", "aten::cat"),
    ]


def test_indexing_copies_and_conversions() -> None:
    x = torch.ones(3, 4)
    with profile() as prof:
        x[0]
        x[:, 1:]
        x[torch.tensor([0, 2])]
        x[1] = 2.0
        x.fill_(0)
        x.copy_(torch.zeros(3, 4))
        x.double()
        x.detach()
        x[0, 0].item()
        x.reshape(4, 3)
    found = set(names(prof))
    assert found >= {
        *("aten::select", "aten::slice", "aten::index", "aten::fill_", "aten::copy_", "aten::to"),
        *("aten::detach", "aten::item", "aten::reshape", "aten::zeros", "aten::lift_fresh"),
    }
    assert not {n for n in found if n.startswith("rushlight::")}


def test_changes_in_place() -> None:
    x = torch.ones(3)
    with profile() as prof:
        x.zero_()
        torch.zero_(x)
        x.fill_(2)
        x.clamp_(0, 1)
        x.add_(x, alpha=2)
        x.sub_(1, alpha=2)
        x.copy_(x.clamp(max=1))
    wanted = "zero_ zero_ fill_ clamp_ add_ sub_ clamp copy_"
    assert names(prof) == [f"aten::{name}" for name in wanted.split()]


def test_a_function_and_what_it_calls() -> None:
    weight = torch.ones(3)  # with which it is not one operation, in any mode
    with profile() as prof:
        F.cross_entropy(torch.zeros(2, 3), torch.tensor([0, 1]), weight)
    event = next(e for e in prof.events() if e.name == "aten::cross_entropy_loss")
    assert [c.name for c in event.cpu_children] == ["rushlight::class_entropy"]
    assert all(c.cpu_parent is event for c in event.cpu_children)


def test_functions_imported_under_another_name_are_seen() -> None:
    from rushlight.nn.functional import cross_entropy as mine

    with profile() as prof:
        mine(torch.zeros(2, 3), torch.tensor([0, 1]))
    assert "aten::cross_entropy_loss" in names(prof)


def test_backward() -> None:
    a = torch.ones(2, 2, requires_grad=True)
    with profile() as prof:
        ((a @ a).relu() + a).sum().backward()
    engine_ = "autograd::engine::evaluate_function: "
    leaf = "torch::autograd::AccumulateGrad"
    assert top(prof)[4:] == [
        engine_ + n for n in ("SumBackward0", "AddBackward0", "ReluBackward0", "MmBackward0", leaf)
    ]
    for e in prof.events():
        if e.name.startswith(engine_):
            (inner,) = e.cpu_children
            assert inner.name == e.name.removeprefix(engine_)
            assert (e.scope, inner.scope) == (0, 1)
            assert e.sequence_nr == inner.sequence_nr
    forward = {e.sequence_nr: e.name for e in prof.events() if e.scope == 0 and not e.fwd_thread}
    pairs = {
        e.name: forward[e.sequence_nr]
        for e in prof.events()
        if e.scope == 1 and e.sequence_nr in forward and e.name != leaf
    }
    assert pairs == {
        "SumBackward0": "aten::sum",
        "AddBackward0": "aten::add",
        "ReluBackward0": "aten::relu",
        "MmBackward0": "aten::matmul",
    }


def test_backward_in_all_its_forms() -> None:
    def run() -> list[Any]:
        a = torch.ones(3, requires_grad=True)
        b = a * a / 3
        b.retain_grad()
        b.register_hook(lambda g: g * 2)
        (g,) = torch.autograd.grad(b.sum(), a, create_graph=True)
        (gg,) = torch.autograd.grad(g.sum(), a, retain_graph=True)
        b.sum().backward(inputs=[a])
        j = torch.autograd.functional.jacobian(lambda x: x * x, torch.ones(2))
        return [t.tolist() for t in (g, gg, a.grad, b.grad, j)]

    plain = run()
    with profile() as prof:
        assert run() == plain
    assert local.recorder is None
    own = next(e for e in prof.events() if e.name == "MulBackward0")
    assert "aten::mul" in [c.name for c in own.cpu_children]  # on tensors, because of create_graph


def test_reentrant_backward() -> None:
    w = torch.ones(2, requires_grad=True)

    def inner(g: Any) -> None:
        with torch.enable_grad():
            (w.detach().requires_grad_() * 3).sum().backward()

    y = w * 2
    y.register_hook(inner)
    with profile() as prof:
        y.sum().backward()
    assert sum(n == "SumBackward0" for n in names(prof)) == 2
    depth: Any = next(e for e in prof.events() if e.name == "MulBackward0")
    assert depth.cpu_parent.name.endswith("MulBackward0")


def test_checkpoints() -> None:
    w = torch.ones(2, requires_grad=True)
    for reentrant in (True, False):
        with profile() as prof:
            y = torch.utils.checkpoint.checkpoint(lambda x: x * x, w, use_reentrant=reentrant)
            y.sum().backward()
        assert names(prof).count("aten::mul") == 2
    assert w.grad is not None
    assert w.grad.tolist() == [4, 4]


def test_an_error_in_backward_closes_its_frames() -> None:
    w = torch.ones(2, requires_grad=True)
    y = w * 2
    y.register_hook(lambda g: 1 / 0)
    with profile() as prof:
        with pytest.raises(ZeroDivisionError):
            y.sum().backward()
        w + 1
    assert top(prof)[-1] == "aten::add"


def test_custom_functions() -> None:
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

    w = torch.ones(2, requires_grad=True)
    with profile() as prof:
        Twice.apply(w).sum().backward()
    events = {e.name: e for e in prof.events()}
    assert [c.name for c in events["Twice"].cpu_children] == ["aten::mul"]
    assert [c.name for c in events["TwiceBackward"].cpu_children] == ["aten::mul"]
    assert events["Twice"].sequence_nr == events["TwiceBackward"].sequence_nr


@pytest.mark.parametrize(
    ("kind", "inner"),
    [
        ("SGD", "aten::_fused_sgd_"),
        ("Adam", "aten::_fused_adam_"),
        ("RMSprop", "rushlight::rmsprop_"),
        ("LBFGS", "aten::item"),
    ],
)
def test_optimizers(kind: str, inner: str) -> None:
    w = torch.ones(2, requires_grad=True)
    optimizer = getattr(torch.optim, kind)([w], lr=0.1)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    closure()
    with profile() as prof:
        optimizer.step(closure) if kind == "LBFGS" else optimizer.step()
        optimizer.zero_grad()
    assert top(prof)[0] == f"Optimizer.step#{kind}.step"
    assert top(prof)[-1] == f"Optimizer.zero_grad#{kind}.zero_grad"
    assert inner in names(prof)
    assert prof.events()[0].scope == 7


def test_data_loaders() -> None:
    data = torch.utils.data.TensorDataset(torch.arange(6))
    with profile() as prof:
        for _ in torch.utils.data.DataLoader(data, batch_size=2):
            pass
    found = [n for n in names(prof) if n.startswith("enumerate(DataLoader)#")]
    assert len(found) == 4  # the last one finds nothing
    assert found[0].endswith(".__next__")


def test_other_threads_are_not_recorded() -> None:
    done = []

    def elsewhere() -> None:
        w = torch.ones(2, requires_grad=True)
        (w * w).sum().backward()
        with torch.profiler.record_function("there"):
            done.append(w.grad)

    with profile() as prof:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        torch.zeros(1)
    assert len(done) == 1
    assert names(prof) == ["aten::zeros"]


def test_two_threads_profile_at_once() -> None:
    found: dict[str, list[str]] = {}
    both = threading.Barrier(2)

    def work(name: str) -> None:
        with profile() as prof:
            both.wait()
            getattr(torch, name)(3)
            both.wait()
        found[name] = names(prof)

    threads = [threading.Thread(target=work, args=(n,)) for n in ("ones", "zeros")]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == {"ones": ["aten::ones"], "zeros": ["aten::zeros"]}


def test_other_watchers_may_come_and_go() -> None:
    w = torch.ones(2, requires_grad=True)
    with profile() as prof:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            torch.ones(2, 2) @ torch.ones(2, 2)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            y = w * w
        with pytest.warns(UserWarning, match="Anomaly"), torch.autograd.detect_anomaly():
            y.sum().backward()
    assert {"aten::matmul", "aten::mul", "MulBackward0"} <= set(names(prof))
    # Not in the order in which they came.
    for other in (
        torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t),
        torch.autocast("cpu", dtype=torch.bfloat16),
    ):
        prof = profile()
        with other:
            prof.start()
        w * w
        prof.stop()
        assert names(prof) == ["aten::mul"]
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype is torch.float32
    assert door.state.watchers == ()


def test_errors_are_the_same() -> None:
    x, y = torch.zeros(1, 1, 4).double(), torch.zeros(1, 1, 2)
    for call, words in (
        (lambda: F.conv1d(x, y), "should be the same"),
        (lambda: F.layer_norm(x, [4], torch.ones(4)), "same datatype"),
        (lambda: F.scaled_dot_product_attention(x, y, y), "same dtype"),
        (lambda: F.softmax(torch.arange(3), 0), "not implemented for"),
        (lambda: nn.RNN(4, 2)(x), "does not match weight dtype"),
    ):
        kind: Any = (RuntimeError, NotImplementedError, ValueError)
        with pytest.raises(kind, match=words):
            call()
        with profile(), pytest.raises(kind, match=words):
            call()


def test_meta_tensors_and_subclasses() -> None:
    class Mine(torch.Tensor):
        pass

    with profile(record_shapes=True, profile_memory=True) as prof:
        torch.ones(2, device="meta") + 1
        torch.ones(2).as_subclass(Mine) + 1
    assert names(prof).count("aten::add") == 2
