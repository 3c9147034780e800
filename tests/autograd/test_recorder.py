"""A recorder at the door writes down a whole training step and runs it again, to the same bits."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.autograd import door
from rushlight.nn import functional as F


class Recorder:
    """A program: (record, operands, parameters, results) with the numbers of values for arrays."""

    def __init__(self, *given: Any) -> None:
        self.values: list[Any] = []  # kept, so that no id is used twice
        self.number: dict[int, int] = {}
        self.lines: list[tuple[Any, Any, dict[str, Any], Any]] = []
        for value in given:
            self.name(value)

    def name(self, value: Any) -> int:
        """The number of an array, a new one when nobody has seen it."""
        if id(value) not in self.number:
            self.number[id(value)] = len(self.values)
            self.values.append(value)
        return self.number[id(value)]

    def refer(self, value: Any, new: bool) -> Any:
        """Numbers in place of arrays, in lists and tuples too."""
        if isinstance(value, (tuple, list)):
            return type(value)(self.refer(v, new) for v in value)
        if not isinstance(value, (np.ndarray, np.generic)):
            return value
        assert new or id(value) in self.number, "nobody made this array"
        return Ref(self.name(value))

    def __call__(self, record: Any, arrays: Any, kw: dict[str, Any], results: Any) -> None:
        operands = self.refer(tuple(arrays), False)
        self.lines.append((record, operands, kw, self.refer(results, True)))

    def replay(self) -> list[Any]:
        """Run the program on the arrays that were given; the values by their numbers."""
        values = list(self.values)
        for record, operands, kw, results in self.lines:
            assign(values, results, record.fn(*look_up(values, operands), **kw))
        return values


class Ref(int):
    """The number of a value."""


def look_up(values: list[Any], x: Any) -> Any:
    if isinstance(x, (tuple, list)):
        return type(x)(look_up(values, v) for v in x)
    return values[x] if isinstance(x, Ref) else x


def assign(values: list[Any], to: Any, results: Any) -> None:
    if isinstance(to, (tuple, list)):
        for t, r in zip(to, results, strict=True):
            assign(values, t, r)
    elif isinstance(to, Ref):
        values[to] = results


# -- programs --------------------------------------------------------------------------------------


class Training:
    """All that one step changes, and the step."""

    def __init__(self, size: int = 8) -> None:
        torch.manual_seed(0)
        net = nn.Sequential(
            nn.Conv2d(1, 4, 3, padding=1),
            nn.BatchNorm2d(4),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Dropout(0.25),
            nn.Linear(size * size, 3),
        )
        self.begin(net, torch.randn(6, 1, size, size), torch.optim.Adam)

    def begin(self, net: Any, x: Any, kind: Any, **options: Any) -> None:
        """Six samples of three classes."""
        self.net, self.x, self.target = net, x, torch.tensor([0, 1, 2, 0, 1, 2])
        self.optimizer = kind(self.net.parameters(), lr=0.01, **options)
        self.nodes: list[str] = []
        self.step()  # the optimizer's state is there from now on

    def step(self) -> Any:
        self.optimizer.zero_grad()
        loss = F.cross_entropy(self.net(self.x), self.target)
        self.nodes = nodes(loss)
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.optimizer.step()
        return loss

    def state(self) -> list[np.ndarray]:
        """The arrays that a step changes."""
        kept = [t for p in self.net.parameters() for t in self.optimizer.state[p].values()]
        return [t._a for t in (*self.net.parameters(), *self.net.buffers(), *kept)]


class Sequences(nn.Module):
    """Tokens or numbers (N, T) into three classes, through attention or a recurrent network."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.embed = nn.Embedding(7, 8)
        self.norm = nn.LayerNorm(8)
        self.inner: Any = (
            nn.MultiheadAttention(8, 2, dropout=0.1, batch_first=True)
            if kind == "attention"
            else getattr(nn, kind)(8, 8, num_layers=2, dropout=0.1, batch_first=True)
        )
        self.head = nn.Linear(8, 3)

    def forward(self, tokens: Any) -> Any:
        x = self.norm(self.embed(tokens) + torch.arange(tokens.shape[1])[:, None] / 10)
        y = self.inner(x, x, x) if isinstance(self.inner, nn.MultiheadAttention) else self.inner(x)
        return self.head(F.gelu(y[0] + x).mean(1))


def sequences(kind: str, optimizer: str, **options: Any) -> Training:
    """A Training of such a network."""
    training = Training.__new__(Training)
    torch.manual_seed(0)
    tokens = torch.randint(0, 7, (6, 5))
    training.begin(Sequences(kind), tokens, getattr(torch.optim, optimizer), **options)
    return training


PROGRAMS = {
    "cnn": Training,
    "larger cnn": lambda: Training(32),
    "attention": lambda: sequences("attention", "AdamW"),
    "lstm": lambda: sequences("LSTM", "SGD", momentum=0.9, nesterov=True),
    "gru": lambda: sequences("GRU", "RMSprop"),
}


def nodes(t: Any) -> list[str]:
    """The names of all nodes behind a tensor."""
    found, stack = {}, [t.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in found:
            found[node] = node.name()
            stack += [n for n, _ in node.next_functions]
    return sorted(found.values())


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_recorded_step_runs_again_to_the_same_bits(program: str) -> None:
    training = PROGRAMS[program]()
    state, rng = training.state(), torch.default_generator._rng
    before, drawn = [a.copy() for a in state], torch.get_rng_state()
    recorder = Recorder(*state, training.x._a, training.target._a, rng)
    with door.observing(recorder):
        loss = training.step()
    after, seen = [a.copy() for a in state], recorder.number[id(loss._a)]
    bits = loss._a.tobytes()

    for a, old in zip(state, before, strict=True):
        a[...] = old
    torch.set_rng_state(drawn)
    values = recorder.replay()
    assert values[seen].tobytes() == bits
    for a, wanted in zip(state, after, strict=True):
        assert a.tobytes() == wanted.tobytes()

    # and on other numbers: nothing of the first ones is left in the program
    for a, old in zip(state, before, strict=True):
        a[...] = old
    training.x._a[...] = training.x._a[::-1].copy()
    torch.set_rng_state(drawn)
    values = recorder.replay()
    replayed = [a.copy() for a in state]
    for a, old in zip(state, before, strict=True):
        a[...] = old
    torch.set_rng_state(drawn)
    loss = training.step()
    assert values[seen].tobytes() == loss._a.tobytes()
    for a, wanted in zip(state, replayed, strict=True):
        assert a.tobytes() == wanted.tobytes()


def test_the_program_says_what_is_written_to() -> None:
    training = Training()
    changed = [(id(a), a.tobytes()) for a in training.state()]
    written: set[int] = set()

    def note(record: Any, arrays: Any, kw: Any, results: Any) -> None:
        written.update(id(arrays[i]) for i in record.written(arrays, kw) if isinstance(i, int))

    with door.observing(note):
        training.step()
    now = {id(a): a.tobytes() for a in training.state()}
    assert {i for i, bits in changed if now[i] != bits} <= written


@pytest.mark.parametrize("program", PROGRAMS)
def test_an_observer_changes_neither_bits_nor_nodes(program: str) -> None:
    plain, observed = PROGRAMS[program](), PROGRAMS[program]()
    torch.manual_seed(1)
    losses = [plain.step()._a.tobytes() for _ in range(3)]
    torch.manual_seed(1)
    with door.observing(lambda *_: None):
        again = [observed.step()._a.tobytes() for _ in range(3)]
    assert again == losses
    assert observed.nodes == plain.nodes
    for a, b in zip(plain.state(), observed.state(), strict=True):
        assert a.tobytes() == b.tobytes()


def test_views_are_records_and_share_memory_when_run_again() -> None:
    x = torch.arange(6.0)
    recorder = Recorder(x._a)
    with door.observing(recorder):
        x.view(2, 3)[1].mul_(10.0)
    views = [record.view for record, *_ in recorder.lines]
    assert views[:2] == [True, True]
    assert not any(views[2:])  # one step, or a product and a copy
    x._a[...] = np.arange(6)
    recorder.replay()
    assert x.tolist() == [0, 1, 2, 30, 40, 50]


def test_observers_come_and_go() -> None:
    plain, seen, other = door.perform, [], []
    with door.observing(lambda record, *_: seen.append(record.name)):
        torch.ones(2) + 1
        with door.observing(lambda record, *_: other.append(record.name)):
            torch.ones(2) * 2
        with pytest.raises(RuntimeError):
            torch.ones(2, 3) @ torch.ones(2, 3)
    torch.ones(2) - 1
    assert door.perform is plain
    assert [n for n in seen if n in ("add", "mul", "sub")] == ["add", "mul"]
    assert [n for n in other if n in ("add", "mul", "sub")] == ["mul"]


def test_gradients_that_meet_are_summed_by_records() -> None:
    w = torch.ones(2, 3, requires_grad=True)
    b = torch.ones(3, requires_grad=True)
    names: list[str] = []
    with door.observing(lambda record, *_: names.append(record.name)):
        ((w + b) * w + b).sum().backward()
        w.sum().backward()
    assert {"unbroadcast", "add", "accumulated"} <= set(names)
    assert "MulBackward0[0]" in names
    assert copy.copy(w.grad).shape == w.shape
