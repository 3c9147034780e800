"""Births, deaths, roles and names of memory; the peak of a step."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.explain.memory import Memory, peaks
from rushlight.explain.recording import NONE, Block, Recording

F = nn.functional


@pytest.fixture(scope="module")
def found() -> Recording:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.BatchNorm1d(128), nn.Linear(128, 32))
    optimizer = torch.optim.Adam(model.parameters())
    data = torch.utils.data.TensorDataset(torch.randn(64, 64))
    with torch.explain.recording(steps=2) as session:
        for (x,) in torch.utils.data.DataLoader(data, 32):
            optimizer.zero_grad()
            model(x).pow(2).mean().backward()
            optimizer.step()
    recording: Recording = session.recording
    return recording


def role(recording: Recording, name: str) -> list[Block]:
    return [b for b in recording.blocks if b.role == name]


def test_parameters_and_buffers_were_there(found: Recording) -> None:
    names = {b.name: b.bytes for b in role(found, "parameter")}
    assert names == {
        "0.weight": 64 * 128 * 4, "0.bias": 512, "2.weight": 512, "2.bias": 512,
        "3.weight": 128 * 32 * 4,
    }  # fmt: skip
    assert {b.name for b in role(found, "buffer")} == {"2.running_mean", "2.running_var"}
    assert all(b.born == 0 and b.died == NONE for b in role(found, "parameter"))


def test_gradients_live_until_zero_grad(found: Recording) -> None:
    blocks = [b for b in role(found, "gradient") if b.name == "gradient of 0.weight"]
    assert len(blocks) == 2
    second = found.steps[1]
    assert second.begin <= blocks[0].died <= blocks[1].born <= second.end
    assert found.events[blocks[0].event].kind == "node"


def test_state_of_the_optimizer(found: Recording) -> None:
    names = {b.name for b in role(found, "optimizer state")}
    assert {"exp_avg of 0.weight", "exp_avg_sq of 3.weight"} <= names
    assert all(b.died == NONE for b in role(found, "optimizer state"))


def test_what_is_saved_says_by_whom(found: Recording) -> None:
    blocks = role(found, "saved for backward")
    relu = next(b for b in blocks if b.name.startswith("result of relu"))
    assert "test_memory.py:" in relu.name
    assert relu.bytes == 32 * 128 * 4
    node = next(e for e in found.events if e.name == "ReluBackward0")
    assert relu.born < node.begin
    assert node.begin <= relu.died


def test_batches(found: Recording) -> None:
    blocks = role(found, "batch")
    assert [b.bytes for b in blocks] == [32 * 64 * 4] * 2
    assert found.events[blocks[0].event].kind in ("loader", "op")


def test_the_peak_is_the_sum_of_what_lived(found: Recording) -> None:
    for step in found.steps:
        at = step.peak_at
        living = [b for b in found.blocks if b.born <= at and (b.died == NONE or b.died > at)]
        assert sum(b.bytes for b in living) == step.peak
        assert step.begin <= at <= step.end


def test_memory_is_counted_once_for_all_views() -> None:
    time = [0]
    memory = Memory(lambda: time[0])
    a = np.zeros((16, 16), np.float32)
    first = memory.met(a, 3, 1, 5)
    assert memory.met(a.T[2:], 4, 1, 6) == first
    assert memory.met(np.zeros(4, np.float32), 4, 1, 6) == NONE  # too small to follow
    assert memory.live == 1024
    assert peaks(memory.blocks, [(0, 4), (5, 9)]) == [(0, 0), (1024, 5)]
    time[0] = 9
    del a
    assert memory.blocks[first].died == 9
    assert memory.live == 0


@pytest.mark.slow
def test_graphs_that_only_wait_for_the_collector_are_not_kept() -> None:
    """What one line left in circles is neither a finding nor counted with what a list keeps."""
    def left_in_circles() -> None:
        model = nn.Linear(4, 4)
        for _ in range(6):
            loss = model(torch.ones(2, 4)).sum()
            loss.backward()
            circle: list[Any] = [loss]
            circle.append(circle)

    losses: list[Any] = []
    gc.collect()
    gc.disable()
    try:
        left_in_circles()
        with torch.explain.recording(steps=4) as session:
            for _ in range(6):
                losses.append(torch.ones(8, requires_grad=True).pow(2).sum())
                losses[-1].backward()
    finally:
        gc.enable()
    assert [(w.kind, w.count) for w in session.recording.watched] == [("kept graphs", 6)]


@pytest.mark.slow
def test_a_list_of_losses_keeps_its_graphs() -> None:
    model = nn.Linear(64, 64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses: list[Any] = []
    total: Any = 0
    with torch.explain.recording(steps=4) as session:
        for _ in range(6):
            loss = model(torch.ones(8, 64)).pow(2).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss)
    watched = session.recording.watched
    assert [w.kind for w in watched] == ["kept graphs"]
    assert watched[0].count == 4
    line = session.recording.lines[watched[0].line]
    assert line.text == "losses.append(loss)"
    assert "`losses`" in watched[0].text

    with torch.explain.recording(steps=4) as session:
        losses.clear()
        for _ in range(4):
            loss = model(torch.ones(8, 64)).pow(2).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
    assert session.recording.watched == []


@pytest.mark.slow
def test_a_sum_of_losses_keeps_its_graphs() -> None:
    model = nn.Linear(64, 64)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    total: Any = 0
    with torch.explain.recording(steps=3) as session:
        for _ in range(3):
            loss = model(torch.ones(8, 64)).pow(2).sum()
            optimizer.zero_grad()
            loss.backward()
            total += loss
            optimizer.step()
    watched = session.recording.watched
    assert [w.count for w in watched] == [3]
    assert session.recording.lines[watched[0].line].text == "total += loss"


@pytest.mark.slow
def test_a_recording_keeps_nothing_alive() -> None:
    """Neither activations, nor what stood in variables when somebody looked into them."""
    w = torch.ones(50, 50, requires_grad=True)
    refs, losses = [], []
    with torch.explain.recording() as session:
        for _ in range(3):
            h = (w * 2).exp()
            refs.append(weakref.ref(h))
            loss = (h * h).sum()
            loss.backward()
            losses.append(loss)
            del h
        assert [ref() for ref in refs] == [None] * 3
        model = nn.Linear(2, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        seen = weakref.ref(model)
    del model, optimizer
    assert seen() is None
    assert session.recording.events


def test_births_and_deaths_stand_in_the_order_in_which_they_happened() -> None:
    """An event tells of its result later than of what died meanwhile: together they never were."""
    memory = Memory(lambda: 100)
    first = np.zeros(1000, np.float32)
    memory.met(first, 0, NONE, 10)
    del first  # at 100
    second = np.zeros(1000, np.float32)
    memory.met(second, 1, NONE, 90)  # the event ended before its operand was given up
    assert peaks(memory.blocks, [(0, 200)]) == [(4000, 10)]
    assert [(b.born, b.died) for b in memory.blocks] == [(10, 100), (101, NONE)]
