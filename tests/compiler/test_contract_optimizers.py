"""What is changed in an optimiser, its groups or the gradients between two calls."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from tests.compiler.twins import FORMS, Lab, Twin, network, same

forms = pytest.mark.parametrize("form", FORMS)
optim = torch.optim

KINDS: dict[str, Callable[..., Any]] = {
    "SGD": lambda p, lr: optim.SGD(p, lr=lr),
    "SGD with momentum": lambda p, lr: optim.SGD(p, lr=lr, momentum=0.9, nesterov=True),
    "Adam": optim.Adam,
    "AdamW": optim.AdamW,
    "Adam, amsgrad": lambda p, lr: optim.Adam(p, lr=lr, amsgrad=True, weight_decay=0.1),
    "RMSprop": lambda p, lr: optim.RMSprop(p, lr=lr, momentum=0.5, centered=True),
    "Adagrad": optim.Adagrad,
    "Adadelta": optim.Adadelta,
    "Adamax": optim.Adamax,
    "NAdam": optim.NAdam,
    "RAdam": optim.RAdam,
    "Rprop": optim.Rprop,
    "ASGD": optim.ASGD,
    "Adafactor": optim.Adafactor,
    "one by one": lambda p, lr: optim.Adam(p, lr=lr, foreach=False),
    "a rate in a tensor": lambda p, lr: optim.Adam(p, lr=torch.tensor(lr)),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_optimizer(kind: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, "step", optimizer=KINDS[kind])
        lab(4)
        lab.optimizer.param_groups[0]["lr"] = 0.3
        lab(2)
        state = copy.deepcopy(lab.optimizer.state_dict())
        lab(2)
        lab.optimizer.load_state_dict(state)
        lab(2)

    same(program)


def set_group(**values: Any) -> Callable[[Lab], None]:
    return lambda lab: lab.optimizer.param_groups[0].update(values)


def loaded(lab: Lab) -> None:
    other = network()
    fresh = optim.SGD(other.parameters(), lr=0.5, momentum=0.5)
    other(torch.randn(3, 4)).sum().backward()
    fresh.step()
    lab.optimizer.load_state_dict(fresh.state_dict())


def more_parameters(lab: Lab) -> None:
    lab.model.append(nn.Linear(2, 2))
    lab.optimizer.add_param_group({"params": lab.model[-1].parameters(), "lr": 0.5})


def fewer_parameters(lab: Lab) -> None:
    del lab.optimizer.param_groups[0]["params"][0]


CHANGES: dict[str, Callable[[Lab], Any]] = {
    "lr": set_group(lr=0.01),
    "lr is 0": set_group(lr=0.0),
    "lr is an integer": set_group(lr=1),
    "momentum": set_group(momentum=0.2),
    "no momentum": set_group(momentum=0),
    "weight decay": set_group(weight_decay=0.1),
    "nesterov": set_group(nesterov=True),
    "dampening": set_group(dampening=0.5),
    "maximize": set_group(maximize=True),
    "a loaded state": loaded,
    "a group more": more_parameters,
    "a parameter less": fewer_parameters,
    "no state": lambda lab: lab.optimizer.state.clear(),
    "a buffer of momentum": lambda lab: lab.optimizer.state[lab.model[0].weight][
        "momentum_buffer"
    ].zero_(),
    "a step of one's own": lambda lab: lab.optimizer.step(),
    "a step replaced": lambda lab: setattr(lab.optimizer, "step", lambda: None),
}


@forms
@pytest.mark.parametrize("name", CHANGES)
def test_a_change(name: str, form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form)
        lab(3)
        CHANGES[name](lab)
        lab(3)

    same(program)


def test_betas_and_eps() -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, "step", optimizer=KINDS["Adam"])
        lab(3)
        for values in ({"betas": (0.5, 0.9)}, {"eps": 0.1}, {"amsgrad": True}, {"lr": 0.2}):
            lab.optimizer.param_groups[0].update(values)
            lab(2)

    same(program)


def test_a_rate_in_a_tensor_changed_in_place() -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, "step", optimizer=KINDS["a rate in a tensor"])
        lab(3)
        lab.optimizer.param_groups[0]["lr"].fill_(0.5)
        lab(3)

    same(program)


SCHEDULERS: dict[str, Callable[[Any], Any]] = {
    "exponential": lambda o: optim.lr_scheduler.ExponentialLR(o, 0.5),
    "by steps": lambda o: optim.lr_scheduler.StepLR(o, 2),
    "cosine": lambda o: optim.lr_scheduler.CosineAnnealingLR(o, 5),
    "of a function": lambda o: optim.lr_scheduler.LambdaLR(o, lambda k: 1 / (k + 1)),
    "one cycle": lambda o: optim.lr_scheduler.OneCycleLR(o, 0.5, total_steps=20),
}


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("kind", SCHEDULERS)
def test_a_scheduler(kind: str, inside: bool) -> None:
    def program(t: Twin) -> None:
        model = network()
        optimizer = optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
        scheduler = SCHEDULERS[kind](optimizer)
        t.watch(model, optimizer, scheduler)

        @t.compile
        def step(x: Any) -> Any:
            loss = model(x).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if inside:
                scheduler.step()
            return loss

        for _ in range(6):
            t(step, torch.randn(3, 4))
            if not inside:
                scheduler.step()

    same(program)


@pytest.mark.eager
def test_a_rate_of_ones_own_for_each_step() -> None:
    def program(t: Twin) -> None:
        model = network()
        optimizer = optim.AdamW(model.parameters(), lr=0.5)
        t.watch(model, optimizer)

        def rate(k: int) -> float:
            return 0.1 * (k + 1) if k < 3 else 0.1 / k

        @t.compile
        def step(x: Any, k: int) -> Any:
            for group in optimizer.param_groups:
                group["lr"] = rate(k)
            optimizer.zero_grad(set_to_none=True)
            loss = model(x).square().mean()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.1)
            optimizer.step()
            return loss

        for k in range(6):
            t(step, torch.randn(3, 4), k)

    same(program)


@forms
def test_two_optimizers_take_turns(form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form)
        other = optim.Adam(lab.model.parameters(), lr=0.1)
        t.watch(other)
        for _ in range(3):
            lab(2)
            other.step()

    same(program)


def test_hooks_of_an_optimizer() -> None:
    def program(t: Twin) -> None:
        lab, seen = Lab(t), []
        t.watch(seen)
        lab(2)
        handle = lab.optimizer.register_step_post_hook(lambda o, a, k: seen.append(1))
        lab(2)
        before = lab.optimizer.register_step_pre_hook(
            lambda o, a, k: o.param_groups[0].update(lr=o.param_groups[0]["lr"] / 2)
        )
        lab(2)
        handle.remove()
        before.remove()
        lab(2)

    same(program)


@pytest.mark.eager
def test_a_closure() -> None:
    def program(t: Twin) -> None:
        model = network()
        optimizer = optim.LBFGS(model.parameters(), max_iter=3)
        t.watch(model, optimizer)

        @t.compile
        def step(x: Any) -> Any:
            def closure() -> Any:
                optimizer.zero_grad()
                loss = model(x).square().mean()
                loss.backward()
                return loss

            return optimizer.step(closure)

        for _ in range(3):
            t(step, torch.randn(3, 4))

    same(program)
