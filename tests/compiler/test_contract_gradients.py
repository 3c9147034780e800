"""What is done to gradients between two calls, and steps in which more than one thing happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from tests.compiler.twins import FORMS, Lab, Twin, network, same

forms = pytest.mark.parametrize("form", FORMS)
optim = torch.optim


@pytest.mark.parametrize("to_none", [True, False])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_gradients_accumulate_over_steps(k: int, to_none: bool) -> None:
    def program(t: Twin) -> None:
        model = network()
        optimizer = optim.Adam(model.parameters(), lr=0.1)
        t.watch(model, optimizer)

        @t.compile
        def part(x: Any) -> Any:
            loss = model(x).square().mean() / k
            loss.backward()
            return loss

        @t.compile
        def end() -> None:
            optimizer.step()
            optimizer.zero_grad(set_to_none=to_none)

        for _ in range(4):
            for _ in range(k):
                t(part, torch.randn(3, 4))
            t(end)

    same(program)


def test_gradients_that_nobody_looks_at_accumulate_in_a_plan() -> None:
    model = network()
    step = torch.compile(lambda x: model(x).square().mean().backward())
    plain = network()
    plain.load_state_dict(model.state_dict())
    for _ in range(5):
        x = torch.randn(3, 4)
        step(x)
        plain(x).square().mean().backward()
    assert [e.runs for e in step.entries] == [3, 0]
    for p, q in zip(model.parameters(), plain.parameters(), strict=True):
        assert torch.equal(p.grad, q.grad)


def test_a_step_every_other_call() -> None:
    def program(t: Twin) -> None:
        model = network()
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        t.watch(model, optimizer)

        @t.compile
        def step(x: Any, k: int) -> None:
            (model(x).square().mean() / 2).backward()
            if k % 2:
                optimizer.step()
                optimizer.zero_grad()

        for k in range(8):
            t(step, torch.randn(3, 4), k)

    same(program)


@pytest.mark.eager("the weight itself-step", "turned-step")
@forms
@pytest.mark.parametrize(
    "hand",
    [
        lambda p: torch.ones_like(p),
        lambda p: None,
        lambda p: torch.ones(4, 6).t(),
        lambda p: p.grad * 2,
        lambda p: p.detach(),
    ],
    ids=["ones", "none", "turned", "twice", "the weight itself"],
)
def test_gradients_set_by_hand(hand: Callable[[Any], Any], form: str) -> None:
    def program(t: Twin) -> None:
        model = network()
        t.watch(model)

        def loss(x: Any) -> Any:
            y = model(x).square().mean()
            if form == "step":
                y.backward()
            return y

        compiled = t.compile(model if form == "module" else loss)

        def call(x: Any) -> None:
            y = compiled(x)
            if form != "step":
                (y.square().mean() if form == "module" else y).backward()

        for _ in range(2):
            t(call, torch.randn(3, 4))
        for _ in range(3):
            model[0].weight.grad = hand(model[0].weight)
            t(call, torch.randn(3, 4))

    same(program)


@forms
def test_gradients_that_were_kept_stay_as_they_were(form: str) -> None:
    def program(t: Twin) -> None:
        lab = Lab(t, form)
        kept: list[Any] = []
        t.watch(kept)
        for _ in range(5):
            lab(1)
            kept.append(lab.model[0].weight.grad)
        lab.model[0].weight.grad.zero_()
        lab(2)

    same(program)


@pytest.mark.eager
@forms
def test_gradients_changed_between_backward_and_step(form: str) -> None:
    def program(t: Twin) -> None:
        model = network()
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        t.watch(model, optimizer)

        def loss(x: Any) -> Any:
            y = model(x).square().mean()
            if form == "step":
                y.backward()
            return y

        compiled, end = t.compile(model if form == "module" else loss), t.compile(optimizer.step)
        for _ in range(4):
            y = t(compiled, torch.randn(3, 4))
            if form != "step":
                y.square().mean().backward()
            for p in model.parameters():
                p.grad.mul_(0.5)
            t(end)
            optimizer.zero_grad(set_to_none=False)

    same(program)


@pytest.mark.parametrize("to_none", [True, False])
def test_zeros_in_place_of_no_gradient(to_none: bool) -> None:
    def program(t: Twin) -> None:
        model = network()
        optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
        t.watch(model, optimizer)

        @t.compile
        def step(x: Any) -> None:
            optimizer.zero_grad(set_to_none=to_none)
            F.relu(model[0](x)).sum().backward()  # the last layer gets no gradient
            optimizer.step()

        for _ in range(4):
            t(step, torch.randn(3, 4))
        model(torch.randn(3, 4)).sum().backward()
        for _ in range(3):
            t(step, torch.randn(3, 4))

    same(program)


def test_clipping_and_values_of_the_norm() -> None:
    def program(t: Twin) -> None:
        model = network()
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        t.watch(model, optimizer)

        @t.compile
        def step(x: Any, most: float) -> Any:
            optimizer.zero_grad()
            model(x).square().sum().backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), most)
            nn.utils.clip_grad_value_(model.parameters(), 0.5)
            optimizer.step()
            return norm

        for most in (0.5, 0.5, 1e9, 1e-3, 0.5):
            t(step, torch.randn(3, 4), most)

    same(program)


def test_weights_averaged_along_the_way() -> None:
    def program(t: Twin) -> None:
        model, average = network(), network()
        average.load_state_dict(model.state_dict())
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        t.watch(model, optimizer, average)

        @t.compile
        def step(x: Any, decay: float) -> None:
            optimizer.zero_grad()
            model(x).square().sum().backward()
            optimizer.step()
            with torch.no_grad():
                for a, p in zip(average.parameters(), model.parameters(), strict=True):
                    a.lerp_(p, 1 - decay)

        for decay in (0.5, 0.5, 0.9, 0.99):
            t(step, torch.randn(3, 4), decay)

    same(program)


def test_a_step_written_by_hand() -> None:
    def program(t: Twin) -> None:
        model = network()
        t.watch(model)

        @t.compile
        def step(x: Any, rate: float) -> Any:
            loss = model(x).square().mean()
            model.zero_grad()
            loss.backward()
            for p in model.parameters():
                p.data.add_(p.grad, alpha=-rate)
            return loss

        for rate in (0.1, 0.1, 0.2, 0.1):
            t(step, torch.randn(3, 4), rate)

    same(program)


@pytest.mark.eager("True")
@pytest.mark.parametrize("inside", [True, False])
def test_a_scaler_of_losses(inside: bool) -> None:
    def program(t: Twin) -> None:
        model = network()
        optimizer = optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=16.0, growth_interval=2)
        t.watch(model, optimizer, scaler)

        def loss(x: Any) -> Any:
            return model(x).square().mean()

        def step(x: Any) -> None:
            optimizer.zero_grad()
            scaler.scale((loss if inside else compiled)(x)).backward()
            scaler.step(optimizer)
            scaler.update()

        compiled = t.compile(step if inside else loss)
        for k in range(6):
            x = torch.randn(3, 4)
            if k == 3:
                x[0, 0] = torch.inf  # this step is left out, and the scale is halved
            t(compiled if inside else step, x)

    same(program)


def test_two_networks_against_each_other() -> None:
    def program(t: Twin) -> None:
        forger, judge = nn.Sequential(nn.Linear(2, 4), nn.Tanh()), network()
        first, second = optim.Adam(forger.parameters()), optim.Adam(judge.parameters())
        t.watch(forger, judge, first, second)

        @t.compile
        def step(real: Any) -> Any:
            fake = forger(torch.randn(len(real), 2))
            judge.zero_grad()
            one = F.binary_cross_entropy_with_logits(judge(real), torch.ones(len(real), 2))
            one.backward()
            two = F.binary_cross_entropy_with_logits(
                judge(fake.detach()), torch.zeros(len(real), 2)
            )
            two.backward()
            second.step()
            forger.zero_grad()
            three = F.binary_cross_entropy_with_logits(judge(fake), torch.ones(len(real), 2))
            three.backward()
            first.step()
            return one + two, three

        for n in (3, 3, 3, 2, 2, 3):
            t(step, torch.randn(n, 4))

    same(program)
