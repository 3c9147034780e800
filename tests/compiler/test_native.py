"""The native executor gives the bits of the plain one, for whole training steps."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.compiler import arrays, native
from rushlight.compiler.program import Program
from rushlight.kernels import runtime
from tests.autograd.test_recorder import PROGRAMS
from tests.compiler.recording import recorded

jit = pytest.mark.skipif(not runtime.available(), reason="needs machine code")
Make = Callable[[], tuple[Program, list[Any], list[Any]]]


def training(name: str) -> tuple[Program, list[Any], list[Any]]:
    """A step of training: (program, arrays that are given, arrays that it changes)."""
    step = PROGRAMS[name]()
    given, state = [step.x._a, step.target._a], step.state()
    program, _ = recorded(step.step, given, [*state, torch.default_generator._rng])
    return program, given, state


def tiny(width: int = 16, rows: int = 16) -> tuple[Program, list[Any], list[Any]]:
    """A network of 8, 16 and 1 units, with SGD."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    x, y = torch.randn(rows, 8), torch.randn(rows, 1)

    def step() -> Any:
        loss = ((net(x) - y) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    step()
    state = [p._a for p in net.parameters()]
    program, _ = recorded(step, [x._a, y._a], state)
    return program, [x._a, y._a], state


def chain() -> tuple[Program, list[Any], list[Any]]:
    """Twenty operations on 4 x 4 numbers, forward and backward."""
    torch.manual_seed(0)
    x, w = torch.randn(4, 4, requires_grad=True), torch.randn(4, 4)

    def step() -> Any:
        y = x
        for _ in range(10):
            y = (y * w + x) / 1.5
        g = torch.autograd.grad(y.sum(), x)[0]
        return [y.detach(), g]

    program, _ = recorded(step, [x._a, w._a])
    return program, [x._a, w._a], []


MAKERS: dict[str, Make] = {
    **{name: lambda name=name: training(name) for name in PROGRAMS},  # type: ignore[misc]
    "tiny": tiny,
    "chain": chain,
}


def runs(run: Any, given: list[Any], state: list[Any], times: int = 3) -> list[bytes]:
    """What some runs return and leave behind, all as before afterwards."""
    before, drawn = [a.copy() for a in state], torch.get_rng_state()
    found = [r.tobytes() for _ in range(times) for r in run(*given)]
    found += [a.tobytes() for a in state]
    found.append(bytes(torch.get_rng_state().tolist()))
    for a, old in zip(state, before, strict=True):
        a[...] = old
    torch.set_rng_state(drawn)
    return found


@pytest.mark.parametrize("name", MAKERS)
def test_the_same_bits_as_the_plain_executor(name: str) -> None:
    program, given, state = MAKERS[name]()
    before = [a.tobytes() for a in (*given, *state)]
    drawn = torch.get_rng_state().tolist()
    run = native.function(program)
    assert [a.tobytes() for a in (*given, *state)] == before  # making it changes nothing
    assert torch.get_rng_state().tolist() == drawn
    plain = arrays.function(program)
    assert runs(run, given, state) == runs(plain, given, state)
    others = [a[::-1].copy() for a in given]  # other numbers at other addresses
    assert runs(run, others, state) == runs(plain, others, state)


@jit
def test_numbers_of_the_program_live_as_long_as_it() -> None:
    """Kernels know their addresses alone."""
    x, y = torch.randn(3, 5), torch.randn(3, 5)
    given = [x._a, y._a]
    program, _ = recorded(lambda: torch.where(x > y, x, -1e9).softmax(-1), given)
    run = native.function(program)
    gc.collect()
    taken = [np.full((), 1e9, np.float32) for _ in range(2000)]  # whatever memory was given back
    for a, b in zip(arrays.function(program)(*given), run(*given), strict=True):
        assert a.tobytes() == b.tobytes()
    assert taken


@jit
def test_what_is_returned_stays_as_it_is() -> None:
    program, given, _ = chain()
    run = native.function(program)
    first = run(*given)
    bits = [a.tobytes() for a in first]
    second = run(*[a + 1 for a in given])
    assert [a.tobytes() for a in first] == bits
    assert not any(np.may_share_memory(a, b) for a, b in zip(first, second, strict=True))


@jit
def test_it_says_what_it_consists_of() -> None:
    program, _, _ = training("larger cnn")
    run: Any = native.function(program)
    kinds = {e.name: e.kind for e in run.entries}
    assert kinds["convolution"] == kinds["NativeBatchNormBackward0[0]"] == "native"
    assert kinds["bernoulli_"] == "python"
    assert all(e.why for e in run.entries if e.kind == "python")
    assert run.arena_bytes > 0


@jit
def test_a_run_in_the_middle_of_a_run_has_memory_of_its_own() -> None:
    program, given, _ = chain()
    inner: list[Any] = []

    def again(*found: Any) -> None:
        if not inner:
            inner.append(None)
            inner.append(run(*given))

    from rushlight.compiler.program import Effect, Line

    program.lines.insert(len(program.lines) // 2, Line(Effect("again", again), (), {}, None))
    run = native.function(program)
    wanted = [a.tobytes() for a in arrays.function(program)(*given)]
    inner.clear()
    assert [a.tobytes() for a in run(*given)] == wanted
    assert [a.tobytes() for a in inner[1]] == wanted


@jit
def test_threads_that_run_it_at_the_same_time() -> None:
    program, given, _ = chain()
    run, plain = native.function(program), arrays.function(program)
    inputs = [[a + k for a in given] for k in range(4)]
    wanted = [[a.tobytes() for a in plain(*each)] for each in inputs]
    different: list[int] = []

    def work(k: int) -> None:
        for _ in range(500):
            if [a.tobytes() for a in run(*inputs[k])] != wanted[k]:
                different.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert different == []


@jit
@pytest.mark.parametrize("kind", ["LSTM", "GRU", "RNN"])
def test_shares_of_a_recurrent_layer(kind: str) -> None:
    """Compiled by two threads, which take sequences each: the bits of one thread that computes
    them all together."""
    torch.manual_seed(0)
    model, x = getattr(nn, kind)(32, 32, 2), torch.randn(20, 18, 32)

    def step() -> Any:
        model.zero_grad()
        y = model(x)[0]
        (y * y).sum().backward()
        return y

    def found(run: Any) -> list[np.ndarray]:
        return [run().detach().numpy().copy(), *(p.grad.numpy().copy() for p in model.parameters())]

    before = torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        wanted = found(step)
        torch.set_num_threads(2)
        compiled = torch.compile(step, fullgraph=True)
        for _ in range(3):
            for one, other in zip(found(compiled), wanted, strict=True):
                np.testing.assert_array_equal(one, other)
    finally:
        torch.set_num_threads(before)
