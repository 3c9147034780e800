"""Changes that go around the usual ways: dictionaries of modules, classes, memory, counters."""

from __future__ import annotations

import gc
import multiprocessing
import os
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from tests.compiler.twins import FORMS, Lab, Twin, network, same

forms = pytest.mark.parametrize("form", FORMS)


class Scaled(nn.Module):
    """4 numbers to 2, times a number."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.scale = nn.Linear(4, 2), 2.0
        self.register_buffer("shift", torch.zeros(2))

    def forward(self, x: Any) -> Any:
        return self.layer(x) * self.scale + self.shift


def put(d: Any, key: str, value: Any) -> None:
    d[key] = value


CHANGES: dict[str, Callable[[Any], Any]] = {
    "a number in __dict__": lambda m: put(m.__dict__, "scale", 3.0),
    "a number by vars": lambda m: vars(m).update(scale=3),
    "a number by object": lambda m: object.__setattr__(m, "scale", 3.0),
    "a parameter in its dictionary": lambda m: put(
        m.layer._parameters, "weight", nn.Parameter(torch.randn(2, 4))
    ),
    "no bias in its dictionary": lambda m: put(m.layer._parameters, "bias", None),
    "a module in its dictionary": lambda m: put(m._modules, "layer", nn.Linear(4, 2)),
    "a buffer in its dictionary": lambda m: put(m._buffers, "shift", torch.ones(2)),
    "requires_grad set": lambda m: setattr(m.layer.weight, "requires_grad", False),
    "training set": lambda m: setattr(m, "training", False),
    "an attribute that hides a parameter": lambda m: put(
        m.layer.__dict__, "weight", torch.ones(2, 4)
    ),
    "deleted": lambda m: delattr(m, "scale"),
    "a parameter of another shape": lambda m: setattr(
        m, "shift", torch.ones(3, 2)
    ),
    "a parameter exchanged with another": lambda m: m.layer.bias.data.copy_(m.layer.weight[:, 0]),
    "memory of another parameter": lambda m: setattr(
        m.layer.bias, "data", m.layer.weight.data[:, 0]
    ),
    "set_": lambda m: m.shift.set_(torch.full((2,), 3.0)),
    "resized": lambda m: m.shift.resize_(1),
    "turned in place": lambda m: m.layer.weight.data.t_(),
    "one in the place of two": lambda m: setattr(m, "shift", m.shift[:1]),
}  # fmt: skip


@forms
@pytest.mark.parametrize("name", CHANGES)
def test_a_change(name: str, form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form, Scaled())
        lab(3)
        CHANGES[name](lab.model)
        lab(3)

    same(program)


@forms
def test_methods_of_classes_of_modules(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = nn.Linear.forward

    def program(t: Twin) -> None:
        with monkeypatch.context() as patch:
            lab = Lab(t, form)
            lab(2)
            patch.setattr(nn.Linear, "forward", lambda self, x: plain(self, x) * 2)
            lab(2)
            patch.setattr(nn.Linear, "forward", plain)
            lab(2)
            patch.setattr(nn.ReLU, "__call__", lambda self, x: x, raising=False)
            lab(2)

    same(program)


def test_a_tensor_that_is_held_gets_other_memory() -> None:
    def program(t: Twin) -> None:
        held = torch.ones(4)
        t.watch(held)

        @t.compile
        def function(x: Any) -> Any:
            return x * held + held.sum()

        t(function, torch.ones(4))
        t(function, torch.ones(4))
        held.data = torch.full((4,), 2.0)
        t(function, torch.ones(4))
        held.set_(torch.full((4,), 3.0))
        t(function, torch.ones(4))
        held.numpy()[0] = 9
        t(function, torch.ones(4))
        held.resize_(1)
        t(function, torch.ones(4))
        held.data = torch.ones(4, dtype=torch.float64)
        t(function, torch.ones(4))

    same(program)


@pytest.mark.slow
@pytest.mark.eager
def test_loops_over_parameters_and_modules() -> None:
    def program(t: Twin) -> None:
        model = network()
        t.watch(model)

        @t.compile
        def step(x: Any) -> Any:
            loss = model(x).square().mean()
            for name, p in model.named_parameters():
                if p.requires_grad and "weight" in name:
                    loss = loss + 0.1 * p.square().sum()
            for part in model.modules():
                if isinstance(part, nn.Linear):
                    loss = loss + part.out_features
            loss.backward()
            with torch.no_grad():
                for p in model.parameters():
                    if p.grad is not None:
                        p -= 0.1 * p.grad
                        p.grad = None
            return loss, len(list(model.children())), len(model.state_dict())

        def calls() -> None:
            t(step, torch.randn(3, 4))
            t(step, torch.randn(3, 4))

        calls()
        calls()
        model[0].requires_grad_(False)
        calls()
        model.append(nn.Linear(2, 2))
        calls()
        model[0].register_parameter("more", nn.Parameter(torch.ones(2)))
        calls()
        model[2].out_features = 7
        calls()
        del model[1]
        calls()

    same(program)


def test_gradients_that_are_asked_for() -> None:
    def program(t: Twin) -> None:
        w = torch.ones(3, requires_grad=True)
        t.watch(w)

        @t.compile
        def function(x: Any) -> Any:
            if w.grad is None:
                return (x * w).sum()
            return (x * w.grad).sum() + w.grad.shape[0]

        for gradient in (None, None, 2.0, 2.0, 3.0, None):
            w.grad = None if gradient is None else torch.full((3,), gradient)
            t(function, torch.ones(3))
        (w * 2).sum().backward()
        t(function, torch.ones(3))

    same(program)


@pytest.mark.eager
def test_numbers_of_an_optimizer_that_are_read() -> None:
    def program(t: Twin) -> None:
        model = network()
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2)
        t.watch(model, optimizer)

        @t.compile
        def step(x: Any) -> Any:
            optimizer.zero_grad()
            loss = model(x).square().mean()
            loss.backward()
            optimizer.step()
            group = optimizer.param_groups[0]
            done = optimizer.state[model[0].weight]["step"]
            return loss * group["lr"], len(optimizer.param_groups), done, group["betas"]

        for k in range(8):
            t(step, torch.randn(3, 4))
            scheduler.step()
            if k == 5:
                optimizer.param_groups[0]["params"].pop()

    same(program)


@pytest.mark.eager
def test_results_written_into_given_tensors() -> None:
    def program(t: Twin) -> None:
        buffer = torch.zeros(3)

        @t.compile
        def function(a: Any, out: Any) -> Any:
            torch.add(a, 1, out=out)
            torch.mul(a, 2, out=buffer)
            y = torch.sub(out, buffer, out=out)
            return y is out, y

        t.watch(buffer)
        for k in range(4):
            t(function, torch.full((3,), float(k)), torch.zeros(3))
        a = torch.ones(3)
        t(function, a, a)
        t(function, a[:2], a[1:])
        t(function, torch.ones(3), buffer)
        t(function, torch.ones(3), torch.zeros(0))

    same(program)


def test_arrays_at_odd_addresses_and_of_other_orders() -> None:
    def program(t: Twin) -> None:
        compiled = t.compile(lambda x: (torch.relu(x) * 2 + 1, x.sum(), x @ x.t()))

        def odd() -> Any:
            block = np.zeros(4 * 16 + 1, np.uint8)
            a = block[1:].view(np.float32).reshape(4, 4)
            a[...] = np.arange(16).reshape(4, 4)
            return torch.from_numpy(a)

        for _ in range(2):
            t(compiled, torch.randn(4, 4))
            t(compiled, odd())
            t(compiled, torch.from_numpy(np.asfortranarray(np.ones((4, 4), np.float32))))
            t(compiled, torch.from_numpy(np.ones((8, 4), np.float32)[::2]))
            t(compiled, torch.from_numpy(np.broadcast_to(np.float32(2), (4, 4)).copy()))

    same(program)


def test_a_hook_calls_what_is_compiled() -> None:
    def program(t: Twin) -> None:
        w = torch.ones(3, requires_grad=True)
        compiled = t.compile(lambda x: (x * 2).sum() + x.mean())
        t.watch(w)

        def call() -> Any:
            y = w * 3
            y.register_hook(lambda g: g * compiled(g.detach()))
            loss = compiled(y)
            loss.backward()
            return loss

        for _ in range(4):
            t(call)

    same(program)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["module", "step"])
def test_nothing_is_kept_alive(form: str) -> None:
    lab: Any = Lab(Twin(True), form)
    lab(4)
    seen = [weakref.ref(lab.model), weakref.ref(lab.model[0].weight), weakref.ref(lab.optimizer)]
    x = torch.randn(3, 4)
    seen.append(weakref.ref(x))
    lab.step(x, torch.randn(3, 2))
    del x
    gc.collect()
    assert seen[-1]() is None, "an argument is kept"
    del lab
    gc.collect()
    assert [r() for r in seen] == [None] * 4


def test_results_are_not_kept() -> None:
    lab = Lab(Twin(True), "step")
    lab(3)
    kept = []
    for _ in range(3):
        loss = lab.step(*lab.batch())
        kept.append(weakref.ref(loss))
        del loss
    gc.collect()
    assert [r() for r in kept] == [None] * 3


def child(compiled: Any, x: Any, results: Any) -> None:
    results.put([float(compiled(x).sum()) for _ in range(3)])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_process_that_was_forked() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))
    compiled = torch.compile(model)
    x = torch.randn(64, 64)
    for _ in range(3):
        wanted = float(compiled(x).sum())
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    process = context.Process(target=child, args=(compiled, x, results))
    process.start()
    assert results.get(timeout=60) == [wanted] * 3
    process.join()


@pytest.mark.eager
def test_sets_orders_of_dictionaries_and_identities() -> None:
    def program(t: Twin) -> None:
        names, table = {"a"}, {"x": 1.0, "y": 2.0}
        first, second = torch.ones(2), torch.ones(2)
        which = first

        @t.compile
        def function(x: Any) -> Any:
            y = x
            for key, value in table.items():
                y = y * 2 + value if key == "x" else y - value
            if "b" in names:
                y = y + len(names)
            return y * 3 if which is first else y

        def calls() -> None:
            t(function, torch.ones(2))
            t(function, torch.ones(2))

        calls()
        names.add("b")
        calls()
        names.discard("a")
        calls()
        table["x"] = table.pop("x")
        calls()
        which = second
        calls()
        table.clear()
        calls()

    same(program)


@pytest.mark.eager
def test_a_property_that_reads_something_else() -> None:
    class Config:
        level = 1

        @property
        def scale(self) -> float:
            return STATE["scale"] * self.level

        def __len__(self) -> int:
            return int(STATE["scale"])

        def __bool__(self) -> bool:
            return STATE["scale"] > 2

        def __getitem__(self, name: str) -> Any:
            return STATE[name]

        def __contains__(self, name: str) -> bool:
            return name in STATE

        def __iter__(self) -> Any:
            return iter(sorted(STATE))

        def __eq__(self, other: object) -> bool:
            return STATE["scale"] == other

        __hash__ = object.__hash__

    def program(t: Twin) -> None:
        STATE.clear()
        STATE["scale"] = 2.0
        config = Config()

        @t.compile
        def function(x: Any) -> Any:
            y = x * config.scale + len(config) + config["scale"]
            y = y + 1 if config else y - 1
            y = y + 5 if "more" in config else y
            y = y * 7 if config == 4.0 else y
            return y + len([k for k in config])

        for scale in (2.0, 2.0, 3.0, 3.0, 4.0, 1.0):
            STATE["scale"] = scale
            t(function, F.relu(torch.ones(2)))
        STATE["more"] = 1
        t(function, torch.ones(2))
        Config.level = 3
        t(function, torch.ones(2))
        Config.level = 1

    same(program)


STATE: dict[str, Any] = {}
