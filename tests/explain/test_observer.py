"""Events of a step: their order, times, modules, lines, values and records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.explain.recording import KINDS, NONE, PHASES, Event, Recording

F = nn.functional


class Net(nn.Module):
    """A convolution, a layer, functions between them."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(4 * 13 * 13, 10)

    def forward(self, x: Any) -> Any:
        x = F.relu(F.max_pool2d(self.conv(x), 2))
        return F.log_softmax(self.fc(x.flatten(1)), dim=1)


def steps(n: int, model: Any = None) -> Any:
    model = Net() if model is None else model
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, y = torch.randn(8, 1, 28, 28), torch.randint(0, 10, (8,))
    for _ in range(n):
        optimizer.zero_grad()
        loss = F.nll_loss(model(x), y)
        loss.backward()
        optimizer.step()
    return loss.item()


@pytest.fixture(scope="module")
def found() -> Recording:
    torch.manual_seed(0)
    with torch.explain.recording() as session:
        steps(2)
    recording: Recording = session.recording
    return recording


def named(recording: Recording, name: str, kind: str = "op") -> list[Event]:
    return [e for e in recording.events if e.name == name and e.kind == kind]


def test_a_recording_is_plain_data(found: Recording) -> None:
    again = json.loads(json.dumps(found.as_json()))
    assert len(again["events"]) == len(found.events)
    assert again["steps"][0]["loss"] == found.steps[0].loss


def test_events_lie_in_each_other(found: Recording) -> None:
    for k, e in enumerate(found.events):
        assert e.kind in KINDS
        assert e.phase in PHASES
        assert e.begin <= e.end
        if e.parent != NONE:
            around = found.events[e.parent]
            assert e.parent < k
            assert around.begin <= e.begin
            assert e.end <= around.end


def test_a_step_ends_with_the_optimizer(found: Recording) -> None:
    whole = [s for s in found.steps if found.events[s.last].phase == "optimizer"]
    assert len(whole) == 2
    for s in whole:
        inside = found.events[s.first : s.last + 1]
        kinds = [e.kind for e in inside]
        assert [kinds.count(k) for k in ("backward", "optimizer", "zero_grad")] == [1, 1, 1]
        assert s.begin <= inside[1].begin
        assert s.end >= inside[-1].end
    assert whole[0].loss == pytest.approx(2.3, abs=0.5)


def test_an_op_has_its_module_line_and_operands(found: Recording) -> None:
    conv = named(found, "convolution")[0]
    module = found.modules[conv.module]
    assert (module.path, module.kind) == ("conv", "Conv2d")
    assert found.modules[module.parent].kind == "Net"
    assert "self.conv(x)" in found.lines[conv.line].text
    assert [v.name for v in conv.takes] == ["", "conv.weight", "conv.bias"]
    assert conv.gives[0].shape == (8, 4, 26, 26)
    relu = named(found, "relu")[0]
    assert found.events[relu.takes[0].made_by].name == "max_pool_2d"


def test_a_node_belongs_to_its_op(found: Recording) -> None:
    nodes = [e for e in found.events if e.kind == "node"]
    assert nodes
    for e in nodes:
        of = found.events[e.of]
        assert (of.kind, of.phase, e.phase) == ("op", "forward", "backward")
        assert (e.line, e.module) == (of.line, of.module)
    assert {e.name for e in found.events if e.kind == "leaf"} == {
        "conv.weight", "conv.bias", "fc.weight", "fc.bias",
    }  # fmt: skip


def test_records_and_plans_are_told(found: Recording) -> None:
    relu = named(found, "relu")[0]
    record = found.records[relu.record]
    assert record.name == "relu"
    assert "where" in record.derivative
    assert "activation.py" in record.declared
    assert [s.name for s in relu.saved] == ["result"]
    assert "y" in relu.saved[0].why
    conv = named(found, "convolution")[0]
    assert found.plans[conv.plan].text
    assert conv.flops >= 2 * 8 * 4 * 26 * 26 * 9


def test_nothing_is_left_behind() -> None:
    call = nn.Module.__call__

    def fail() -> None:
        nn.Linear(2, 2)(torch.ones(1, 2))
        raise ZeroDivisionError

    with torch.explain.recording() as session, pytest.raises(ZeroDivisionError):
        fail()
    assert nn.Module.__call__ is call
    assert [e.name for e in session.recording.events if e.kind == "module"] == ["Linear"]


def test_one_at_a_time() -> None:
    with (
        torch.explain.recording(),
        pytest.raises(RuntimeError, match="already"),
        torch.explain.recording(),
    ):
        pass


def test_the_same_numbers_come_out() -> None:
    torch.manual_seed(0)
    plain = steps(3)
    torch.manual_seed(0)
    with torch.explain.recording():
        assert steps(3) == plain


def test_what_is_handed_on_costs_nothing() -> None:
    x = torch.ones(64, 64, requires_grad=True)

    def run() -> None:
        y = (x @ x).view(4096)[1:]
        (y + y).sum().backward()

    found = torch.explain.record_step(run)
    cost = {e.name: (e.flops, e.bytes) for e in found.events if e.kind in ("op", "node")}
    assert cost["view_as_shape"] == cost["ViewBackward0"] == cost["AddBackward0"] == (0, 0)
    assert cost["matmul"][0] == 2 * 64**3
    assert cost["matmul"][1] == 3 * 64 * 64 * 4
    product = next(v for k, v in cost.items() if k.startswith(("Mm", "Matmul")))
    assert product[0] == 2 * cost["matmul"][0]


def test_gradients_of_before_are_there_again() -> None:
    model = nn.Linear(2, 1)
    model.weight.grad = torch.full((1, 2), 7.0)
    found = torch.explain.record(model, input=torch.ones(3, 2))
    assert model.weight.grad.tolist() == [[7.0, 7.0]]
    assert model.bias.grad is None
    assert [len(e.takes) for e in found.events if e.kind == "leaf"] == [1, 1]


def test_a_page_of_a_call_that_fails(tmp_path: Path) -> None:
    path = str(tmp_path / "page.json")
    with pytest.raises(RuntimeError, match="mat1"):
        torch.explain.page(nn.Linear(2, 1), torch.ones(3, 3), path=path)
    with open(path, encoding="utf-8") as file:
        assert "mat1" in json.load(file)["error"]
