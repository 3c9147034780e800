"""What users of this field ask for again and again: a test for each, which shows what they are
told, or that there is nothing to tell. What is behind it has tests of its own.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn

HERE = os.path.basename(__file__)


def told(fn: Any) -> str:
    """The text of the error that a function raises, with its notes."""
    with pytest.raises(Exception) as caught:  # noqa: PT011 - which one, the tests say by its words
        fn()
    return "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])


def ordered(text: str, *parts: str) -> None:
    """Assert that a text says all parts, in this order."""
    at = 0
    for part in parts:
        assert part in text[at:], f"{part!r} is not in {text[at:]!r}"
        at = text.index(part, at) + len(part)


def test_a_second_backward_names_node_line_and_the_first_backward():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()  # the forward
    y.sum().backward()
    text = told(y.sum().backward)
    ordered(text, "backward through the graph a second time", "ExpBackward0", HERE, "# the forward")
    ordered(text, "first backward at", HERE, "y.sum().backward()")
    ordered(text, "try", "detach()", "retain_graph=True")  # in this order: the second one costs


def test_a_change_in_place_names_both_lines():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()  # where it was saved
    y.add_(1)  # where it was changed
    text = told(y.sum().backward)
    ordered(text, "modified by an inplace operation", "ExpBackward0", "# where it was saved")
    ordered(text, "changed by add_", "# where it was changed", "try", "clone()")


def detached(x: Any) -> Any:
    return x.detach().sum()


def without_grad(x: Any) -> Any:
    with torch.no_grad():
        return x.sum()


def as_integers(x: Any) -> Any:
    return x.long().float().sum()


def through_numpy(x: Any) -> Any:
    return torch.from_numpy(x.detach().numpy()).sum()


@pytest.mark.parametrize(
    ("cut", "words"),
    [
        (detached, ("detach at", HERE, "in detached", "leave out that detach()")),
        (without_grad, ("no_grad at", HERE, "in without_grad", "out of the torch.no_grad() block")),
        (as_integers, ("torch.int64", HERE, "in as_integers", "keep the values floating point")),
        (through_numpy, ("only from tensors with requires_grad=False", "requires_grad_()")),
    ],
)
def test_what_cut_the_chain_is_named(cut: Any, words: tuple[str, ...]):
    loss = cut(torch.ones(3, requires_grad=True))
    ordered(told(loss.backward), "does not require grad", *words)


def test_graphs_that_are_kept_are_named_with_their_line():
    def train() -> None:
        x = torch.ones(2, requires_grad=True)
        total = 0
        for _ in range(1500):  # looked for after 500, and when they have doubled
            loss = (x * x).sum()
            loss.backward()
            total = total + loss  # with its graph

    with pytest.warns(UserWarning, match="graphs are still alive") as caught:
        train()
    assert len(caught) == 1  # not once a step
    ordered(str(caught[0].message), HERE, "loss.backward()", "try", "loss.item()")


def test_a_graph_that_was_run_holds_no_activations():
    x = torch.ones(1000, 1000, requires_grad=True)
    before = torch.cpu.memory_allocated()
    loss = x.exp().sum()
    during = torch.cpu.memory_allocated()
    loss.backward()
    x.grad = None
    if during > before:  # without machine code memory is NumPy's, and not counted
        assert during - before >= 4_000_000
        assert torch.cpu.memory_allocated() - before < 100_000


def test_out_of_memory_says_who_fills_it():
    layer = nn.Linear(3000, 1000)
    batch = torch.zeros(2000, 1000)
    kept = [torch.zeros(1500, 1000)]
    x = torch.ones(1200, 1000, requires_grad=True)
    y = x.exp()
    text = told(lambda: torch.zeros(10**13))
    ordered(text, "not enough memory", "the largest live tensors are")
    assert "MiB (1000, 3000): weight of Linear" in text
    assert "7.6 MiB (2000, 1000): batch in test_out_of_memory_says_who_fills_it" in text
    assert "5.7 MiB (1500, 1000): kept (a list of 1) in test_out_of_memory" in text
    ordered(text, "4.6 MiB (1200, 1000): y in test_out", "ExpBackward0 at", HERE)
    del layer, batch, kept, y


def test_a_wrong_shape_names_the_layer():
    model = nn.Sequential(nn.Linear(4, 5), nn.Sequential(nn.ReLU(), nn.Linear(6, 2)))
    text = told(lambda: model(torch.ones(1, 4)))
    ordered(text, "mat1 and mat2 shapes cannot be multiplied (1x5 and 6x2)", "in_features=5")
    ordered(text, "in module: 1.1 (Linear(in_features=6, out_features=2, bias=True)) of Sequential")


@pytest.mark.skipif(os.environ.get("RUSHLIGHT_JIT") in ("0", "always"), reason="sizes decide")
def test_small_work_stays_in_one_thread(capsys: pytest.CaptureFixture[str]):
    torch.show("relu", torch.ones(20, 20))
    assert "computed by NumPy" in capsys.readouterr().out
    torch.show("relu", torch.ones(46, 46))
    ordered(capsys.readouterr().out, "computed by machine code", "1 chunks")  # no thread is woken
    torch.show("relu", torch.ones(1000, 1000))
    ordered(capsys.readouterr().out, "computed by machine code", "16 chunks of 65536 elements")


def test_results_do_not_depend_on_the_number_of_threads():
    def step() -> list[Any]:
        torch.manual_seed(0)
        layers = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Flatten(), nn.Linear(7200, 9)
        model = nn.Sequential(*layers)
        model(torch.randn(16, 3, 32, 32)).logsumexp(1).mean().backward()
        return [p.grad.numpy().tobytes() for p in model.parameters()]

    def products() -> list[bytes]:
        made = []
        for m, n, k in ((16, 7200, 9), (27, 8, 14400), (14400, 8, 27)):
            a, b = np.linspace(-1, 1, m * k, dtype="f4"), np.linspace(-2, 3, k * n, dtype="f4")
            made.append((a.reshape(m, k) @ b.reshape(k, n)).tobytes())
        return made

    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        one, bare = step(), products()
        torch.set_num_threads(3)
        if os.environ.get("RUSHLIGHT_JIT") == "0" and products() != bare:
            pytest.skip("NumPy computes products here, and this BLAS by as many parts as threads")
        assert [a == b for a, b in zip(step(), one, strict=True)] == [True] * 6
    finally:
        torch.set_num_threads(threads)


def test_memory_goes_back_to_the_system():
    x = torch.ones(4_000_000)
    del x
    torch.cpu.empty_cache()
    assert torch.cpu.memory_reserved() - torch.cpu.memory_allocated() < 4_000_000


class Pictures(torch.utils.data.Dataset):
    """Of which one cannot be read."""

    def __len__(self) -> int:
        return 8

    def __getitem__(self, i: int) -> Any:
        if i == 5:
            raise ValueError("cannot identify the image")
        return torch.full((2,), float(i))


def test_what_a_worker_raises_says_where():
    # Workers begin as new processes, not as copies of this one with its threads and locks.
    loader = torch.utils.data.DataLoader(Pictures(), batch_size=2, num_workers=1)
    text = told(lambda: list(loader))
    ordered(text, "Caught ValueError in DataLoader worker process 0", "cannot identify the image")


def test_a_loader_goes_on_in_the_middle_twice():
    def loader() -> Any:
        order = torch.Generator().manual_seed(7)
        return torch.utils.data.DataLoader(list(range(20)), 2, shuffle=True, generator=order)

    whole = [b.tolist() for b in loader()]
    seen, state = [], None
    for _ in range(3):  # begun, gone on, gone on again
        now = loader()
        if state is not None:
            now.load_state_dict(state)
        for batch in now:
            seen.append(batch.tolist())
            if len(seen) % 4 == 0:
                break
        state = now.state_dict()
    assert seen == whole


class Unwritable:
    def __reduce__(self) -> Any:
        raise OSError("the disk is full")


def test_a_save_that_fails_leaves_the_former_file(tmp_path: Path):
    path = tmp_path / "model.pt"
    torch.save({"step": torch.tensor(1)}, path)
    assert "the disk is full" in told(lambda: torch.save([torch.ones(100), Unwritable()], path))
    assert torch.load(path)["step"] == 1
    assert [p.name for p in tmp_path.iterdir()] == ["model.pt"]


def test_load_executes_nothing(tmp_path: Path):
    class Attack:
        def __reduce__(self) -> Any:
            return os.mkdir, (str(tmp_path / "executed"),)

    path = tmp_path / "model.pt"
    path.write_bytes(pickle.dumps({"weight": Attack()}))
    for weights_only in (True, False):
        text = told(lambda w=weights_only: torch.load(path, weights_only=w))  # type: ignore[misc]
        assert "mkdir" in text  # named, not called
    assert not (tmp_path / "executed").exists()


class Logarithm(nn.Module):
    def forward(self, x: Any) -> Any:
        return torch.log(x)  # where the NaN is made


def test_the_first_nan_of_the_forward_is_named():
    model = nn.Sequential(nn.Identity(), Logarithm())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that anomaly mode is slow
        with torch.autograd.detect_anomaly(check_forward=True):
            text = told(lambda: model(torch.tensor([1.0, -1.0], requires_grad=True)))
    ordered(text, "log", "in module: 1 (Logarithm()) of Sequential")
    assert "nan" in text.lower()


def test_compile_says_what_it_does_and_needs_no_compiler():
    def step(x: Any) -> Any:
        return (2 * x).relu().sum()

    explained = str(torch.compiler.explain(step)(torch.ones(3)))
    ordered(explained, "relu")
    assert HERE in explained  # each line with the user's


def test_a_profile_is_bounded_and_a_table_first():
    x = torch.ones(4)
    with torch.profiler.profile(max_events=10) as prof:
        for _ in range(100):
            x = x + 1
    assert len(prof.events()) == 10
    ordered(prof.key_averages().table(row_limit=3), "Name", "aten::add", "100")


def test_an_import_is_light():
    heavy = ["scipy", "matplotlib", "PIL", "mpi4py", "pandas", "rushlight.explain", "unittest"]
    code = f"import rushlight, sys; print([m for m in {heavy!r} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_small_addition_is_one_call():
    a, b = torch.ones(10, 10), torch.ones(10, 10)
    a + b
    a + b  # (what is made at the first calls, is there)
    calls = []
    sys.setprofile(lambda frame, event, _: calls.append(frame) if event == "call" else None)
    try:
        c = a + b
    finally:
        sys.setprofile(None)
    assert len(calls) == 1  # of Python's
    assert np.all(c.numpy() == 2)
