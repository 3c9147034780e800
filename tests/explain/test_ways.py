"""Ways of running a step: compiled, checkpointed, with autocast, hooks, workers, generators, in
other threads, with several models and optimisers."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.explain.recording import NONE, Event, Recording

F = nn.functional


def made(fn: Any, **options: Any) -> Recording:
    with torch.explain.recording(**options) as session:
        fn()
    found: Recording = session.recording
    return found


def kinds(recording: Recording, kind: str) -> list[Event]:
    return [e for e in recording.events if e.kind == kind]


def test_a_compiled_step_is_one_event() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.ones(3, 4)

    @torch.compile
    def step(x: Any) -> Any:
        optimizer.zero_grad()
        loss = model(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        return loss

    def run() -> None:
        for _ in range(4):
            step(x)

    found = made(run, steps=3)
    events = kinds(found, "compiled")
    assert len(events) == len(found.steps) == 3
    assert "first run" in events[0].name
    assert events[2].name.endswith("step")
    assert "SGD.step()" in found.plans[events[2].plan].text
    assert len(found.events) == 6
    assert not step.why


def test_a_compiled_model_has_its_backward_told() -> None:
    model = torch.compile(nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def run() -> None:
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.ones(3, 4)).sum().backward()
            optimizer.step()

    found = made(run)
    assert len(kinds(found, "compiled")) == 3
    assert {e.name for e in kinds(found, "leaf")} == {"_orig_mod.weight", "_orig_mod.bias"}
    assert not found.unreached


def test_a_checkpoint_is_computed_again_in_backward() -> None:
    inner = nn.Sequential(nn.Linear(4, 4), nn.Tanh())

    def run() -> None:
        x = torch.ones(2, 4, requires_grad=True)
        torch.utils.checkpoint.checkpoint(inner, x, use_reentrant=False).sum().backward()

    found = made(run)
    assert [e.phase for e in kinds(found, "op") if e.name == "tanh"] == ["forward", "backward"]


def test_autocast_hooks_and_views() -> None:
    model = nn.Linear(8, 8)
    seen = []
    model.register_full_backward_hook(lambda *a: seen.append("full"))
    model.weight.register_hook(lambda g: seen.append("tensor"))

    def run() -> None:
        x = torch.ones(4, 8, requires_grad=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = model(x)
        y = y.float().view(2, 16)[0]
        y += 1
        y.sum().backward()

    found = made(run)
    assert sorted(seen) == ["full", "tensor"]
    linear = next(e for e in kinds(found, "op") if e.name == "linear")
    assert linear.gives[0].dtype == "bfloat16"
    assert any(e.name == "add_" for e in kinds(found, "op"))


def test_workers_and_the_wait_for_them() -> None:
    data = torch.utils.data.TensorDataset(torch.ones(32, 128), torch.zeros(32))
    loader = torch.utils.data.DataLoader(data, 8, num_workers=1)

    def run() -> None:
        for x, _ in loader:
            x.sum()

    found = made(run)
    waits = kinds(found, "loader")
    assert [len(e.gives) for e in waits] == [2, 2, 2, 2, 0]
    assert {e.phase for e in waits} == {"data"}
    batches = [b for b in found.blocks if b.role == "batch"]
    assert {b.bytes for b in batches} == {8 * 128 * 4}


def test_other_threads_are_not_recorded() -> None:
    model = nn.Linear(2, 2)

    def run() -> None:
        thread = threading.Thread(target=lambda: model(torch.ones(1, 2)))
        thread.start()
        thread.join()

    assert not made(run).events


def test_a_generator_may_outlive_the_recording() -> None:
    def batches() -> Any:
        for k in range(4):
            yield torch.full((2, 2), k + 3.0)

    source = batches()
    found = made(lambda: next(source).sum())
    assert [e.name for e in kinds(found, "op")] == ["full", "sum_all"]
    assert next(source)[0, 0].item() == 4


def test_an_error_ends_the_recording_and_goes_on() -> None:
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(5, 1))
    session: Any = None

    def run() -> None:
        nonlocal session
        with torch.explain.recording() as session:
            model(torch.ones(2, 4))

    with pytest.raises(RuntimeError, match="mat1"):
        run()
    found = session.recording
    assert "mat1" in found.error
    assert "in module: 1 (Linear" in found.error
    assert found.events[found.failed].name == "linear"
    assert found.modules[found.events[found.failed].module].path == "1"


def test_two_models_have_names_of_their_own() -> None:
    netG, netD = nn.Sequential(nn.Linear(2, 4)), nn.Sequential(nn.Linear(4, 1))
    first = torch.optim.Adam(netG.parameters())
    second = torch.optim.Adam(netD.parameters())

    def run() -> None:
        fake = netG(torch.ones(3, 2))
        netD(fake.detach()).sum().backward()
        second.step()
        netD(fake).sum().backward()
        first.step()

    found = made(run, steps=1)
    assert [o.parameters for o in found.optimizers] == [
        ["netD.0.weight", "netD.0.bias"], ["netG.0.weight", "netG.0.bias"],
    ]  # fmt: skip
    assert [m.name for m in found.modules if m.parent == NONE] == ["netG", "netD"]
    assert [n.name for n in found.numbers if n.what == "gradient"] == [
        "netD.0.weight", "netD.0.bias", "netG.0.weight", "netG.0.bias",
    ]  # fmt: skip
    assert not found.unreached


def test_parts_of_a_model_belong_to_it() -> None:
    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder, self.decoder = nn.Linear(3, 2), nn.Linear(2, 3)

        def encode(self, x: Any) -> Any:
            return self.encoder(x)

    model = Both()
    found = made(lambda: model.decoder(model.encode(torch.ones(1, 3))))
    assert [(m.path, m.name) for m in found.modules] == [
        ("", "model"), ("encoder", ""), ("decoder", ""),
    ]  # fmt: skip


def test_a_closure_runs_inside_the_step() -> None:
    w = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.LBFGS([w], max_iter=2)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    found = made(lambda: optimizer.step(closure), steps=1)
    assert len(found.steps) == 1
    assert kinds(found, "backward")
    assert found.steps[0].loss == 3.0
    assert {e.name for e in kinds(found, "leaf")} == {"w"}


def test_too_many_events_are_counted() -> None:
    def run() -> None:
        x = torch.ones(2)
        for _ in range(30):
            x = x + 1

    found = made(run, events=20)
    assert len(found.events) == 20
    assert found.left_out == 12


def test_a_full_recording_ends_with_the_next_step() -> None:
    w = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    seen = []

    def run() -> None:
        for _ in range(3):
            for _ in range(20):
                (w * 2).sum().backward()
            optimizer.step()
            seen.append(torch.autograd.door.state.observers)

    found = made(run, events=50, steps=3)
    assert len(found.events) == 50
    assert seen == [(), (), ()]


def test_the_profiler_looks_on_as_well() -> None:
    from rushlight.profiler import profile

    with torch.explain.recording() as session, profile() as prof:
        torch.ones(3).exp()
    assert "aten::exp" in [e.key for e in prof.key_averages()]
    assert [e.name for e in kinds(session.recording, "op")] == ["ones", "exp"]


def test_each_rank_has_a_page_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    from rushlight.explain.command import own_path

    assert own_path("a/page.html") == "a/page.html"
    monkeypatch.setenv("RANK", "0")
    assert own_path("a/page.html") == "a/page.html"
    monkeypatch.setenv("RANK", "3")
    assert own_path("a/page.html") == "a/page.rank3.html"


def test_a_child_process_records_nothing() -> None:
    import os

    with torch.explain.recording() as session:
        torch.ones(1)
        pid = os.fork()
        if not pid:
            count = len(session.look.events)
            torch.ones(2).sum()
            os._exit(len(session.look.events) - count)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        torch.ones(2).sum()
    assert len(kinds(session.recording, "op")) == 3
