"""What a step is: a round of the training loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.explain.recording import NONE, Recording

F = nn.functional


def kinds(found: Recording) -> list[str]:
    return [s.kind for s in found.steps]


def inside(found: Recording, step: int, kind: str = "optimizer") -> list[str]:
    s = found.steps[step]
    return [e.name for e in found.events[s.first : s.last + 1] if e.kind == kind]


def check(found: Recording) -> None:
    """Steps stand one behind the other, and everything knows its own."""
    behind = 0
    for k, s in enumerate(found.steps):
        assert s.first == behind
        assert not k or s.kind == "rest" or s.begin == found.steps[k - 1].end
        behind = s.last + 1
        around = found.events[s.first]
        assert (around.kind, around.parent) == ("step", NONE)
        assert s.begin == around.begin <= around.end == s.end
        for e in found.events[s.first + 1 : behind]:
            assert e.step == k
            assert s.first <= e.parent <= s.last
            assert s.begin <= e.begin <= e.end <= s.end
            assert all(v.made_by < behind for v in e.takes)
            assert e.kind != "node" or found.events[e.of].kind in ("op", "function")
    assert behind == len(found.events)
    numbers = [s.number for s in found.steps if s.kind == "round"]
    assert numbers == list(range(1, len(numbers) + 1))
    for n in found.numbers:
        assert n.step == found.events[n.event].step


def recorded(fn: Callable[..., Any], **options: Any) -> Recording:
    with torch.explain.recording(**options) as session:
        fn(session) if fn.__code__.co_argcount else fn()
    found: Recording = session.recording
    check(found)
    return found


class Gan:
    def __init__(self) -> None:
        self.netG, self.netD = nn.Linear(2, 3), nn.Linear(3, 1)
        self.optD = torch.optim.SGD(self.netD.parameters(), lr=0.1)
        self.optG = torch.optim.Adam(self.netG.parameters())

    def judge(self) -> None:
        self.netD.zero_grad()
        self.netD(self.netG(torch.ones(4, 2)).detach()).sum().backward()
        self.optD.step()

    def make(self) -> None:
        self.netG.zero_grad()
        self.netD(self.netG(torch.ones(4, 2))).sum().backward()
        self.optG.step()


@pytest.mark.parametrize("steps", [1, 2, None])
def test_optimizers_that_take_turns_make_a_step_together(steps: int | None) -> None:
    gan = Gan()

    def run() -> None:
        for _ in range(3):
            gan.judge()
            gan.make()

    found = recorded(run, steps=steps)
    assert kinds(found) == ["round"] * (steps or 3)  # and nothing of the next one
    for k in range(len(found.steps)):
        assert inside(found, k) == ["SGD", "Adam"]
        assert len(inside(found, k, "backward")) == 2
    assert found.steps[0].loss is not None


def test_an_optimizer_that_comes_less_often_is_in_the_step_before() -> None:
    gan = Gan()

    def run() -> None:
        for k in range(6):
            gan.judge()
            if k % 3 == 2:
                gan.make()

    found = recorded(run, steps=3)
    assert [inside(found, k) for k in range(3)] == [["SGD"], ["SGD"], ["SGD", "Adam"]]
    assert kinds(found) == ["round"] * 3
    found = recorded(run, steps=1)  # that the other one does not come is known with the next step
    assert kinds(found) == ["round", "rest"]
    assert [inside(found, k) for k in range(2)] == [["SGD"], []]


def test_optimizers_of_one_model_make_a_step_together() -> None:
    model = nn.Sequential(nn.Embedding(4, 3, sparse=True), nn.Linear(3, 1))
    both = torch.optim.SparseAdam(model[0].parameters()), torch.optim.Adam(model[1].parameters())

    def run() -> None:
        for _ in range(3):
            for o in both:
                o.zero_grad()
            model(torch.tensor([1, 2])).sum().backward()
            for o in both:
                o.step()

    found = recorded(run, steps=2)
    assert kinds(found) == ["round"] * 2
    assert inside(found, 1) == ["SparseAdam", "Adam"]


def trained(model: Any, optimizer: Any, backwards: int = 1) -> None:
    for _ in range(backwards):
        model(torch.ones(4, 2)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()


def test_gradients_are_accumulated_in_one_step() -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    other = torch.optim.SGD(nn.Linear(2, 1).parameters(), lr=0.1)  # of another program

    def run() -> None:
        for _ in range(3):
            trained(model, optimizer, 4)

    found = recorded(run, steps=2)
    assert [len(inside(found, k, "backward")) for k in range(2)] == [4, 4]
    assert other.param_groups


def test_closures_and_steps_inside_of_steps_are_one() -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)

    class Ahead(torch.optim.Optimizer):
        def __init__(self, inner: Any) -> None:
            super().__init__(inner.param_groups, {})
            self.inner = inner

        def step(self, closure: Any = None) -> None:
            self.inner.step()
            for group in self.param_groups:
                for p in group["params"]:
                    p.data.mul_(0.99)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = model(torch.ones(4, 2)).pow(2).sum()
        loss.backward()
        return loss

    def run() -> None:
        for _ in range(3):
            optimizer.step(closure)

    found = recorded(run, steps=2)
    assert kinds(found) == ["round"] * 2
    assert len(inside(found, 0, "backward")) > 1
    ahead = Ahead(torch.optim.SGD(model.parameters(), lr=0.1))
    found = recorded(lambda: [trained(model, ahead) for _ in range(3)], steps=2)
    first = next(s for s in found.steps if s.number == 1)
    assert found.events[first.last].phase == "optimizer"
    assert inside(found, 0) == ["Ahead", "SGD"]


def test_steps_in_hooks_of_a_backward_are_one() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in model.parameters()}
    for p in model.parameters():
        p.register_post_accumulate_grad_hook(lambda p: optimizers[p].step())

    def run() -> None:
        for _ in range(3):
            model(torch.ones(4, 2)).sum().backward()
            model.zero_grad()

    found = recorded(run, steps=2)
    assert [s.number for s in found.steps] == [1, 2]
    for k in range(2):
        assert inside(found, k) == ["SGD"] * 4
        assert len(inside(found, k, "backward")) == 1


def test_an_evaluation_is_no_part_of_a_step() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.Dropout(0.1), nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def evaluate() -> None:
        model.eval()
        with torch.no_grad():
            right = sum((model(torch.ones(4, 2)) > 0).sum().item() for _ in range(3))
        assert right >= 0
        model.train()

    def run() -> None:
        evaluate()
        for _ in range(3):
            for _ in range(2):
                trained(model, optimizer)
            evaluate()

    found = recorded(run, steps=4)
    assert kinds(found) == ["evaluation", "round", "round", "evaluation", "round", "round"]
    assert [s.number for s in found.steps] == [0, 1, 2, 0, 3, 4]
    for s in found.steps:
        models = [found.events[k] for k in found.evaluated if s.first <= k <= s.last]
        assert len(models) == (3 if s.kind == "evaluation" else 0)


def test_what_the_step_computes_on_with_is_in_it() -> None:
    """The teacher of a student, and the generator that is in eval() while it is judged."""
    teacher, model = nn.Linear(2, 1).eval(), nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def run() -> None:
        for _ in range(3):
            x = torch.ones(4, 2)
            with torch.no_grad():
                wanted = teacher(x)
            F.mse_loss(model(x), wanted).backward()
            optimizer.step()

    found = recorded(run)
    assert kinds(found) == ["round"] * 3


@pytest.mark.parametrize("marked", [False, True])
def test_a_program_may_say_where_steps_end(marked: bool) -> None:
    gan = Gan()

    def run(session: Any) -> None:
        for _ in range(3):
            for _ in range(3):
                gan.judge()
            gan.make()
            session.step()

    found = recorded(run, steps=2 if marked else None, marked=marked)
    assert kinds(found) == ["round"] * (2 if marked else 3)
    for k in range(2):
        assert inside(found, k) == ["SGD", "SGD", "SGD", "Adam"]


def test_steps_without_an_optimizer_can_be_marked() -> None:
    model = nn.Linear(2, 1)

    def run(session: Any) -> None:
        for _ in range(3):
            model(torch.ones(4, 2))
            session.step()
        model(torch.ones(4, 2))

    assert kinds(recorded(run)) == ["round"] * 3 + ["rest"]


def test_a_generator_of_batches_is_in_the_step_that_takes_them() -> None:
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = torch.utils.data.TensorDataset(torch.ones(12, 2))

    def batches() -> Iterator[Any]:
        yield from torch.utils.data.DataLoader(data, 4)

    def run() -> None:
        for (x,) in batches():
            model(x).sum().backward()
            optimizer.step()

    found = recorded(run, steps=3)
    assert [len(inside(found, k, "loader")) for k in range(3)] == [1, 1, 1]


def test_compiled_steps_of_several_optimizers_are_a_round() -> None:
    gan = Gan()
    judge, make = torch.compile(gan.judge), torch.compile(gan.make)

    def run() -> None:
        for _ in range(4):
            judge()
            make()

    run()
    found = recorded(run, steps=3)
    assert kinds(found) == ["round"] * 3
    assert [len(inside(found, k, "compiled")) for k in range(3)] == [2, 2, 2]
