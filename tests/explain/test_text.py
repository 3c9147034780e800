"""Text twins: `explain.text`, `explain.memory`, `explain.gradients`."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.explain.recording import Machine, Recording

from . import programs

F = nn.functional


# -- text(recording) -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mnist() -> str:
    torch.manual_seed(0)
    with torch.explain.recording(program="mnist.py --epochs 1") as session:
        programs.mnist(3)
    text: str = torch.explain.text(session.recording)
    return text


def test_the_overview(mnist: str) -> None:
    lines = mnist.splitlines()
    assert lines[0] == "mnist.py --epochs 1"
    assert re.search(r"3 steps, [\d.]+ (ms|µs) each \(the first ", mnist)
    assert re.search(r"  loss 2\.\d+, 2\.\d+, 2\.\d+", mnist)
    assert "21,840 parameters in 8 tensors" in mnist


def test_where_time_goes(mnist: str) -> None:
    table = mnist.partition("Time of a step")[2].partition("\n\n")[0].splitlines()
    assert len(table) == 14
    shares = [int(m[1]) for line in table if (m := re.match(r" +(\d+) %", line))]
    # from the first to the last but one they are in order, and with the last one all
    assert shares[:-1] == sorted(shares[:-1], reverse=True)
    assert 90 <= sum(shares) <= 110
    assert any("convolution" in line and "programs.py:" in line for line in table)
    assert "other rows" in table[-1]


def test_what_holds_the_memory(mnist: str) -> None:
    table = mnist.partition("Memory at the peak")[2]
    assert "saved for backward" in table
    assert "parameter" in table
    assert "input of max_pool2d at programs.py:" in table


def test_no_line_is_too_wide(mnist: str) -> None:
    assert max(map(len, mnist.splitlines())) <= 120


def test_a_recording_without_steps() -> None:
    text = torch.explain.text(Recording("nothing.py", "1", Machine("", 2, 1, 0, 0), ""))
    assert text.startswith("nothing.py\n")
    assert "Findings\n  None" in text
    assert "Memory" not in text


# -- memory() --------------------------------------------------------------------------------------


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.hidden = nn.Linear(300, 70)
        self.register_buffer("table", torch.zeros(50, 50))
        self.out = nn.Linear(70, 300)

    def forward(self, x: Any) -> Any:
        return self.out(torch.sigmoid(self.hidden(x)))


def test_live_tensors_by_holder() -> None:
    model = Net()
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.randn(32, 300)
    F.mse_loss(model(x), x).backward()
    optimizer.step()
    history = [torch.ones(100, 100) * k for k in range(4)]
    y = model(x)
    found = torch.explain.memory()
    rows = {(r.role, r.holder): r for r in found.rows}
    weight = 300 * 70 * 4

    def of(role: str, end: str) -> Any:
        """The row whose holder is called so (other models may be alive in this process)."""
        return next(r for (kind, name), r in rows.items() if kind == role and name.endswith(end))

    assert of("parameter", "hidden.weight").bytes % weight == 0
    assert of("buffer", "table").bytes % 10_000 == 0
    assert of("gradient", "hidden.weight").bytes % weight == 0
    assert of("optimizer state", "hidden.weight").bytes % weight == 0
    kept = of("other", "`history`, a list of 4")
    assert (kept.count, kept.bytes, kept.largest) == (4, 160_000, "100x100 float32")
    result = of("result", "`y`")
    assert result.source == "return self.out(torch.sigmoid(self.hidden(x)))"
    assert result.bytes == 32 * 300 * 4
    saved = next(r for r in found.rows if r.role == "saved for backward"
                 and r.source == result.source)  # fmt: skip
    assert re.fullmatch(r"saved by \w+Backward0 at test_text\.py:\d+", saved.holder)
    assert [r.bytes for r in found.rows] == sorted([r.bytes for r in found.rows], reverse=True)
    assert found.bytes == sum(found.roles.values())
    text = str(found)
    assert "other: 4 x 100x100 float32, `history`, a list of 4" in text
    assert f"made at {result.where}: {result.source}" in text
    assert y.shape == x.shape
    assert len(history) == 4


def test_shared_memory_is_counted_once() -> None:
    before = torch.explain.memory().bytes
    base = torch.zeros(1000, 1000)
    views = [base[k:] for k in range(5)]
    assert torch.explain.memory().bytes - before == base.nbytes
    assert len(views) == 5


# -- gradients() -----------------------------------------------------------------------------------


class Cut(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder, self.decoder = nn.Linear(4, 3), nn.Linear(3, 4)
        self.frozen = nn.Parameter(torch.ones(4), requires_grad=False)
        self.unused = nn.Parameter(torch.ones(4))

    def forward(self, x: Any) -> Any:
        code = torch.tanh(self.encoder(x))
        code = code.data * 2
        return self.decoder(code) * self.frozen


def check(found: Any, model: Any, loss: Any, exact: bool) -> None:
    assert [r.name for r in found.rows] == [name for name, _ in model.named_parameters()]
    wanted = torch.autograd.grad(loss, list(model.decoder.parameters()), retain_graph=True)
    for name, g in zip(("decoder.weight", "decoder.bias"), wanted, strict=True):
        assert found[name].reached
        assert found[name].norm == pytest.approx(float(g.norm()), rel=1e-5)
        assert not found[name].nan
    for name in ("encoder.weight", "encoder.bias"):
        assert not found[name].reached
        assert found[name].source == "code = code.data * 2"
        assert re.fullmatch(r"test_text\.py:\d+", found[name].where)
        assert (".data" if exact else "detach") in found[name].why
    assert "frozen" in found["frozen"].why
    assert not found["unused"].reached
    assert "The loss reaches 2 of 6 parameters" in str(found)
    assert "encoder.weight  3x4" in str(found)


def test_gradients_of_a_loss() -> None:
    model = Cut()
    x = torch.randn(5, 4)
    loss = F.mse_loss(model(x), x)
    found = torch.explain.gradients(loss)
    check(found, model, loss, exact=False)
    assert "The graph of the loss ends at:\n  test_text.py:" in str(found)
    assert all(p.grad is None for p in model.parameters())
    loss.backward()  # the graph is still there
    before = {n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}
    torch.explain.gradients(F.mse_loss(model(x), x), model)
    after = {n: p.grad for n, p in model.named_parameters() if p.grad is not None}
    assert before.keys() == after.keys()
    assert all(torch.equal(g, after[n]) for n, g in before.items())


def test_gradients_of_a_function_are_exact() -> None:
    model = Cut()
    x = torch.randn(5, 4)
    found = torch.explain.gradients(lambda: F.mse_loss(model(x), x), model)
    check(found, model, F.mse_loss(model(x), x), exact=True)
    assert "not used in the forward" in found["unused"].why
    assert all(p.grad is None for p in model.parameters())


def test_a_nan_in_a_gradient() -> None:
    w = torch.tensor([0.0, 4.0], requires_grad=True)
    found = torch.explain.gradients((w * 0).sqrt().sum())
    assert found["w"].nan
    assert math.isnan(found["w"].norm)
    assert "NaN or Inf" in str(found)


def test_a_loss_without_history() -> None:
    model = nn.Linear(2, 1)
    with torch.no_grad():
        loss = model(torch.ones(1, 2)).sum()
    found = torch.explain.gradients(loss, model)
    assert [r.reached for r in found.rows] == [False, False]
    assert "no_grad" in found["weight"].why
    assert found["weight"].source == "loss = model(torch.ones(1, 2)).sum()"
