"""Advice: that it speaks where something is wrong, and is silent about healthy steps."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.explain.advice import findings, memory, speed
from rushlight.explain.advice.reading import duration, names, percent, size
from rushlight.explain.recording import NONE, Finding, Machine, Recording
from rushlight.nn import functional as F

from . import handmade, programs

# What may be said of a step in which nothing is wrong.
HARMLESS = {"item", "saved", "checkpoint", "compile", "small work", "loader"}


def recorded(fn: Callable[[], Any]) -> Recording:
    torch.manual_seed(0)
    with torch.explain.recording() as session:
        fn()
    found: Recording = session.recording
    return found


def said(recording: Recording, kind: str) -> Finding:
    """The one finding of a kind."""
    found = [f for f in recording.findings if f.kind == kind]
    assert len(found) == 1, [(f.kind, f.title) for f in recording.findings]
    return found[0]


def source(recording: Recording, finding: Finding) -> str:
    return recording.lines[finding.line].text


def train(
    model: Any, loss_of: Callable[[Any], Any], steps: int = 3, lr: float = 0.01, **more: Any
) -> None:
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for _ in range(steps):
        optimizer.zero_grad(**more)
        loss_of(model).backward()
        optimizer.step()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mnist", "resnet", "lstm", "gpt", "dcgan"])
def test_a_healthy_step_has_no_finding_of_the_wrong_kind(name: str) -> None:
    found = recorded(lambda: getattr(programs, name)(2 if name == "resnet" else 3)).findings
    assert {f.kind for f in found} <= HARMLESS, [(f.kind, f.title, f.text) for f in found]


def test_findings_are_in_order_and_have_their_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "TAKEN", 0.0)
    found = recorded(lambda: programs.mnist(3)).findings
    assert found
    assert [f.weight for f in found] == sorted([f.weight for f in found], reverse=True)
    for f in found:
        assert f.title
        assert f.text.endswith((".", ")"))
        assert "  " not in f.text


def test_an_empty_recording_has_none() -> None:
    machine = Machine("", 1, 1, 0.0, 0.0)
    assert findings(Recording("", "", machine, "")) == []


@pytest.mark.slow
def test_whatever_a_recording_holds() -> None:
    """Advice runs inside the user's program: it must not fail, whatever was recorded."""
    seed = int(os.environ["RUSHLIGHT_TEST_SEED"])
    for k in range(100):
        print("handmade.random", seed + k)
        recording = handmade.random(seed + k)
        recording.findings = findings(recording)
        assert torch.explain.text(recording)
    assert {f.kind for f in findings(handmade.mnist())} <= HARMLESS
    assert {"nan", "unreached"} <= {f.kind for f in findings(handmade.broken())}


# -- gradients that are never cleared --------------------------------------------------------------


def test_zero_grad_forgotten() -> None:
    def run() -> None:
        model = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(3):
            model(torch.ones(8, 4)).sum().backward()
            optimizer.step()

    recording = recorded(run)
    finding = said(recording, "zero_grad")
    assert "weight and bias grow" in finding.title
    assert "16, 32, 48" in finding.text
    assert source(recording, finding) == "model(torch.ones(8, 4)).sum().backward()"


def accumulate(optimizer: Any, model: Any) -> None:
    optimizer.zero_grad()
    for _ in range(2):
        model(torch.ones(8, 4)).sum().backward()


def by_hand(optimizer: Any, model: Any) -> None:
    for p in model.parameters():
        if p.grad is not None:
            p.grad.zero_()
    model(torch.ones(8, 4)).sum().backward()


def by_none(optimizer: Any, model: Any) -> None:
    for p in model.parameters():
        p.grad = None
    model(torch.ones(8, 4)).sum().backward()


def by_module(optimizer: Any, model: Any) -> None:
    model.zero_grad()
    model(torch.ones(8, 4)).sum().backward()


@pytest.mark.parametrize("way", [accumulate, by_hand, by_none, by_module])
def test_zero_grad_in_other_ways(way: Callable[[Any, Any], None]) -> None:
    def run() -> None:
        model = nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        for _ in range(3):
            way(optimizer, model)
            optimizer.step()

    assert {f.kind for f in recorded(run).findings} <= HARMLESS


def test_set_to_none() -> None:
    model = nn.Linear(500, 500)
    loss = lambda m: m(torch.ones(1, 500)).sum()  # noqa: E731 - the same for both
    recording = recorded(lambda: train(model, loss, 6, set_to_none=False))
    finding = said(recording, "set_to_none")
    assert finding.measured
    assert "of" in finding.gain
    assert "set_to_none" not in {f.kind for f in recorded(lambda: train(model, loss)).findings}


# -- chains ----------------------------------------------------------------------------------------


def test_a_teacher_without_gradients_is_no_mistake() -> None:
    def run() -> None:
        teacher, model = nn.Linear(4, 2), nn.Linear(4, 2)

        def loss(m: Any) -> Any:
            x = torch.randn(8, 4)
            with torch.no_grad():
                wanted = teacher(x)
            return F.mse_loss(m(x), wanted)

        train(model, loss)

    assert {f.kind for f in recorded(run).findings} <= HARMLESS


def test_a_parameter_that_is_not_used() -> None:
    def run() -> None:
        model = nn.ModuleDict({"used": nn.Linear(4, 2), "spare": nn.Linear(4, 2, bias=False)})
        train(model, lambda m: m["used"](torch.randn(8, 4)).sum())

    finding = said(recorded(run), "unreached")
    assert "spare.weight" in finding.title
    assert "not used" in finding.text


def test_frozen_and_not_held_is_a_note_only() -> None:
    def run() -> None:
        model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
        model[0].requires_grad_(False)
        optimizer = torch.optim.SGD(model[1].parameters(), lr=0.1)
        for _ in range(2):
            optimizer.zero_grad()
            model(torch.randn(8, 4)).sum().backward()
            optimizer.step()

    finding = said(recorded(run), "frozen")
    assert finding.weight < 0.2
    assert "0.weight and 0.bias" in finding.title


def test_a_judge_whose_gradients_nobody_uses() -> None:
    def run() -> None:
        judge, model = nn.Linear(4, 1), nn.Linear(4, 4)
        train(model, lambda m: judge(m(torch.randn(8, 4))).sum())

    finding = said(recorded(run), "unused gradients")
    assert "requires_grad_(False)" in finding.text
    assert finding.weight < 1


# -- the first NaN or Inf --------------------------------------------------------------------------

ZEROS = [0.0, 1.0, 4.0]
BROKEN: list[tuple[str, Callable[[Any], Any], list[float], str, str]] = [
    ("exp", lambda x: (100 * x).exp(), ZEROS, "exp of 400", "above 88"),
    ("div", lambda x: 1 / (x * 1), ZEROS, " by 0", "1 zero"),
    ("sqrt", lambda x: (x - 1).sqrt(), ZEROS, "sqrt of a negative number", "1 negative"),
    ("log", lambda x: (x - 1).log(), ZEROS, "log of a negative number", "from -1 to 3"),
    ("where", lambda x: torch.where(x > 0, (x.detach() + 1) / x, x), ZEROS, " by 0", "clamp"),
    ("std", lambda x: x[:1].std(), ZEROS, "too few elements", "correction=0"),
    ("sqrt backward", lambda x: (x * 2).sqrt(), ZEROS, "derivative of sqrt at 0", "1 zero"),
    ("overflow", lambda x: x * 1e20 * 1e20, ZEROS, "too large", "4e+20"),
]


@pytest.mark.parametrize(("name", "fn", "values", "title", "text"), BROKEN,
                         ids=[b[0] for b in BROKEN])  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*degrees of freedom.*")
def test_the_first_broken_number(
    name: str, fn: Callable[[Any], Any], values: list[float], title: str, text: str
) -> None:
    recording = recorded(lambda: fn(torch.tensor(values, requires_grad=True)).sum().backward())
    finding = said(recording, "nan")
    assert title in finding.title
    assert text in finding.text
    assert finding.weight == 3
    assert finding.line != NONE


def test_a_batch_that_is_broken_already() -> None:
    x = torch.tensor([[1.0, math.nan]])
    finding = said(recorded(lambda: nn.Linear(2, 2)(x).sum().backward()), "nan")
    assert "in the data already" in finding.text


def test_an_optimizers_step_that_breaks_the_parameters() -> None:
    model = nn.Linear(2, 1)
    finding = said(
        recorded(lambda: train(model, lambda m: m(torch.ones(1, 2)).sum(), 2, lr=1e39)), "nan"
    )
    assert "a step of SGD" in finding.title


# -- health ----------------------------------------------------------------------------------------


def deep(activation: Any, gain: float, layers: int = 14) -> Any:
    stack: list[Any] = []
    for _ in range(layers):
        linear = nn.Linear(16, 16)
        nn.init.xavier_normal_(linear.weight, gain=gain)
        stack += [linear, activation()]
    return nn.Sequential(*stack)


def test_vanishing_through_layers() -> None:
    model = deep(nn.Sigmoid, 1.0)
    recording = recorded(lambda: train(model, lambda m: m(torch.randn(32, 16)).mean()))
    finding = said(recording, "vanishing gradients")
    assert "14 layers with weights" in finding.title
    assert "relu" in finding.text


def test_exploding_through_layers() -> None:
    model = deep(nn.Identity, 4.0)
    recording = recorded(
        lambda: train(model, lambda m: m(torch.randn(32, 16)).mean(), 1, lr=1e-12)
    )
    assert "14 layers with weights" in said(recording, "exploding gradients").title


@pytest.mark.parametrize("healthy", [True, False])
def test_recurrent_layers(healthy: bool) -> None:
    rnn = nn.RNN(8, 32, nonlinearity="relu")
    if not healthy:
        nn.init.normal_(rnn.weight_hh_l0, std=0.5)
    x = torch.randn(40, 16, 8)
    found = recorded(lambda: train(rnn, lambda m: m(x)[0][-1].mean(), 2, lr=1e-30))
    if healthy:
        assert {f.kind for f in found.findings} <= HARMLESS
    else:
        finding = said(found, "exploding gradients")
        assert "RNN" in finding.title
        assert "weight_" in finding.text


def test_a_healthy_deep_network() -> None:
    model = deep(nn.ReLU, math.sqrt(2))
    found = recorded(lambda: train(model, lambda m: m(torch.randn(32, 16)).mean(), lr=1e-3))
    assert {f.kind for f in found.findings} <= HARMLESS


def test_steps_that_are_too_large() -> None:
    model = nn.Linear(8, 1)
    recording = recorded(
        lambda: train(model, lambda m: m(torch.ones(8, 8)).pow(2).mean(), lr=30.0)
    )
    finding = said(recording, "large step")
    assert "weight" in finding.title
    assert source(recording, finding) == "optimizer.step()"


# -- memory ----------------------------------------------------------------------------------------


def test_evaluation_inside_the_recorded_steps() -> None:
    model = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 2))
    x = torch.randn(32, 64)

    def run(guard: Any) -> None:
        train(model, lambda m: m(x).sum(), 1)
        model.eval()
        with guard():
            for _ in range(3):
                model(x)
        model.train()
        train(model, lambda m: m(x).sum(), 1)

    recording = recorded(lambda: run(torch.enable_grad))
    finding = said(recording, "no_grad")
    assert "3 times" in finding.text
    assert finding.gain == f"{size(32 * 256 * 4)} a call"
    assert source(recording, finding) == "model(x)"
    assert {f.kind for f in recorded(lambda: run(torch.no_grad)).findings} <= HARMLESS


@pytest.mark.slow
@pytest.mark.parametrize("keep", [True, False])
def test_an_evaluation_whose_losses_are_kept(keep: bool) -> None:
    model = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 1))
    x = torch.randn(32, 64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def evaluate() -> Any:
        model.eval()
        losses = [model(x).mean() for _ in range(3)]
        model.train()
        return sum(losses) if keep else sum(losses).item()

    def run() -> None:
        for _ in range(3):
            for _ in range(2):
                optimizer.zero_grad()
                model(x).sum().backward()
                optimizer.step()
            total = evaluate()
        del total

    text = said(recorded(run), "no_grad").text
    assert ("lives on until the next step is over" in text) == keep
    if keep:
        assert f"{size(3 * 32 * 256 * 4)} of it" in text


def test_a_graph_that_no_backward_enters() -> None:
    model = nn.Linear(64, 64)
    x = torch.randn(32, 64)

    def run() -> None:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(4):
            optimizer.zero_grad()
            wanted = model(x).detach()
            F.mse_loss(model(x + 1), wanted).backward()
            optimizer.step()

    recording = recorded(run)
    finding = said(recording, "unused graph")
    assert source(recording, finding) == "wanted = model(x).detach()"
    assert "4 calls of 4 by" in finding.text


def test_a_backward_that_comes_in_a_later_step_is_no_unused_graph() -> None:
    model = nn.Linear(64, 64)
    x = torch.randn(32, 64)

    def run() -> None:
        optimizer = torch.optim.SGD([model.bias], lr=0.1)
        losses = []
        for _ in range(5):
            losses.append(model(x).pow(2).mean())
            losses.append(model(x + 1).pow(2).mean())
            if len(losses) > 2:
                (losses.pop(0) + losses.pop(0)).backward()
            optimizer.step()

    assert "unused graph" not in {f.kind for f in recorded(run).findings}


def recurrent(detach: bool) -> None:
    cell = nn.RNNCell(4, 8)
    optimizer = torch.optim.SGD(cell.parameters(), lr=0.01)
    h = torch.zeros(2, 8)
    for _ in range(4):
        for _ in range(3):
            h = cell(torch.randn(2, 4), h)
        optimizer.zero_grad()
        h.sum().backward(retain_graph=not detach)
        with torch.no_grad():
            optimizer.param_groups[0]["lr"] = 0.0
        if detach:
            optimizer.step()
            h = h.detach()
    optimizer.step()


def test_a_graph_that_grows() -> None:
    finding = said(recorded(lambda: recurrent(False)), "growing graph")
    assert "hidden = hidden.detach()" in finding.text
    assert {f.kind for f in recorded(lambda: recurrent(True)).findings} <= HARMLESS


def test_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "LEAST", 1_000_000)
    ids = torch.randint(0, 64, (16, 32))
    model = programs.GPT(6, 64)
    recording = recorded(lambda: programs.train(model, lambda m: m(ids).mean(), 2))
    finding = said(recording, "checkpoint")
    assert "6 Block layers" in finding.title
    assert source(recording, finding) == "x = block(x)"
    assert "more a step" in finding.gain
    assert "kept for backward" in said(recording, "saved").title


# -- speed -----------------------------------------------------------------------------------------


class Slow(torch.utils.data.Dataset):
    def __init__(self, work: int) -> None:
        self.work = work

    def __len__(self) -> int:
        return 16

    def __getitem__(self, k: int) -> Any:
        sum(math.sin(i) for i in range(self.work))
        return torch.full((8,), float(k))


def loaded(work: int, batch: Callable[[Any], None]) -> Recording:
    model = nn.Linear(8, 8)

    def run() -> None:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x in torch.utils.data.DataLoader(Slow(work), 4):
            optimizer.zero_grad()
            loss = model(x).mean()
            loss.backward()
            optimizer.step()
            batch(loss)

    return recorded(run)


def test_a_loader_that_keeps_waiting() -> None:
    recording = loaded(20_000, lambda loss: None)
    finding = said(recording, "loader")
    assert finding.measured
    assert finding.weight > 0.5
    assert "num_workers=" in finding.text
    assert source(recording, finding).startswith("for x in torch.utils.data.DataLoader")


def test_batches_that_are_made_by_hand() -> None:
    model = nn.Linear(8, 8)

    def run(work: int) -> None:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(4):
            batch = [math.sin(i) for i in range(work)]
            x = torch.tensor(batch[:64]).view(8, 8)
            optimizer.zero_grad()
            model(x).mean().backward()
            optimizer.step()

    recording = recorded(lambda: run(200_000))
    finding = said(recording, "preparation")
    assert source(recording, finding) == "x = torch.tensor(batch[:64]).view(8, 8)"
    assert "DataLoader" in finding.text
    assert "compile" not in {f.kind for f in recording.findings}
    assert "preparation" not in {f.kind for f in recorded(lambda: run(64)).findings}


def test_numbers_taken_out_in_each_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "TAKEN", 0.0)
    losses: list[float] = []

    def keep(loss: Any) -> None:
        losses.append(loss.item())

    recording = loaded(0, keep)
    finding = said(recording, "item")
    assert "1 number" in finding.text
    assert source(recording, finding) == "losses.append(loss.item())"
    assert "item" not in {f.kind for f in loaded(0, lambda loss: None).findings}

    def show(loss: Any) -> None:
        print(loss)

    recording = loaded(0, show)
    assert "print()" in said(recording, "item").text

    def now_and_then(loss: Any) -> None:
        losses.append(0.0)
        if len(losses) % 4 == 0:
            losses[-1] = loss.item()

    assert "item" not in {f.kind for f in loaded(0, now_and_then).findings}
    monkeypatch.setattr(speed, "TAKEN", 0.9)  # of a step: it is not worth a word
    assert "item" not in {f.kind for f in loaded(0, keep).findings}


# -- how things are said ---------------------------------------------------------------------------


def test_words() -> None:
    assert [size(n) for n in (12, 4096, 140e6, 2.5e9)] == ["12 bytes", "4.1 KB", "140 MB", "2.5 GB"]
    assert [duration(n) for n in (12, 4096, 140e6)] == ["12 ns", "4.1 µs", "140 ms"]
    assert [percent(n) for n in (0.004, 0.12, 1.0)] == ["less than 1 %", "12 %", "100 %"]
    assert names("a") == "a"
    assert names("ab") == "a and b"
    assert names("abcdefg") == "a, b, c, d and 3 others"
