"""Numbers that functions take out of tensors without saying so: other numbers, other results."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.nn import functional as F
from tests.compiler.twins import Twin, same

# f(x, n): x has shape (4, 4), n is a tensor of one whole number from 0 to 3.
BY_A_NUMBER: dict[str, Callable[[Any, Any], Any]] = {
    "an index": lambda x, n: x[n],
    "an index of a tuple": lambda x, n: x[0, n],
    "a slice": lambda x, n: x[n:],
    "a slice's end": lambda x, n: x[: n + 1] * 2,
    "a step": lambda x, n: x[:: n + 1],
    "an index of a list": lambda x, n: x[[n, 0]],
    "a list's index": lambda x, n: x * [5.0, 6.0, 7.0, 8.0][n],
    "a place to write": lambda x, n: x.clone().index_fill_(0, n.view(1), 7.0),
    "written to": lambda x, n: x.clone().__setitem__(n, 0.0),
    "range": lambda x, n: sum(x[k] for k in range(n)),
    "arange": lambda x, n: torch.arange(n),
    "arange, dtype": lambda x, n: torch.arange(0, 1, 1 / (n + 1)),
    "linspace": lambda x, n: torch.linspace(0, n, 3),
    "full": lambda x, n: torch.full((2,), n),
    "full of a size": lambda x, n: torch.full((n,), 1.0),
    "zeros": lambda x, n: torch.zeros(n, 2),
    "a tensor of tensors": lambda x, n: torch.tensor([n, 2 * n]),
    "a tensor of a tensor": lambda x, n: torch.tensor(float(n)),
    "new_full": lambda x, n: x.new_full((2,), n),
    "as_tensor": lambda x, n: torch.as_tensor([n, n + 1]),
    "fill_": lambda x, n: x.clone().fill_(n),
    "masked_fill": lambda x, n: x.masked_fill(x > 0, n),
    "alpha": lambda x, n: torch.add(x, x, alpha=n),
    "add_, alpha": lambda x, n: x.clone().add_(x, alpha=n),
    "clamp": lambda x, n: x.clamp(max=n),
    "power": lambda x, n: x**n,
    "number to a power": lambda x, n: n**2 + 2**n,
    "repeat": lambda x, n: x.repeat(n + 1, 1),
    "expand": lambda x, n: x[0].expand(n + 1, 4),
    "view": lambda x, n: x[:, : n + 1].reshape(n + 1, 4),
    "roll": lambda x, n: torch.roll(x, n, 0),
    "topk": lambda x, n: torch.topk(x, n + 1),
    "select": lambda x, n: x.select(0, n),
    "narrow": lambda x, n: x.narrow(0, n, 1),
    "split": lambda x, n: x.split(n + 1),
    "split in places": lambda x, n: torch.tensor_split(x, n.view(1)),
    "one_hot": lambda x, n: F.one_hot(n.view(1)),
    "bincount": lambda x, n: torch.bincount(n.view(1)),
    "repeat_interleave": lambda x, n: torch.repeat_interleave(x, n, 0),
    "a mask": lambda x, n: x[x > n],
    "masked_select": lambda x, n: x.masked_select(x > n),
    "a mask that is written by": lambda x, n: x.clone().masked_fill_(x > n, 0),
    "written by a mask": lambda x, n: (lambda y: (y.__setitem__(y > n, 0.0), y)[1])(x.clone()),
    "where": lambda x, n: torch.where(x > n),
    "dropout": lambda x, n: F.dropout(x, n / 10),
    "probability": lambda x, n: F.dropout(x, float(n) / 10),
    "a batch of indices": lambda x, n: x[torch.stack([n, n])],
    "gather": lambda x, n: x.gather(0, n.view(1, 1)),
    "scatter": lambda x, n: x.scatter(0, n.view(1, 1), 1.0),
    "take_along_dim": lambda x, n: torch.take_along_dim(x, n.view(1, 1) - 2, 0),
    "take": lambda x, n: x.take(n),
    "embedding": lambda x, n: F.embedding(n.view(1), x),
    "embedding_bag": lambda x, n: F.embedding_bag(n.view(1, 1), x),
    "cross entropy": lambda x, n: F.cross_entropy(x[:1], n.view(1)),
    "nll, weights": lambda x, n: F.nll_loss(x[:1], n.view(1), torch.arange(4.0)),
    "tril": lambda x, n: x.tril(int(n)),
    "eye": lambda x, n: torch.eye(n),
    "quantile": lambda x, n: torch.quantile(x, n / 4),
    "lerp": lambda x, n: torch.lerp(x, x * 2, n / 4),
    "searchsorted": lambda x, n: torch.searchsorted(torch.arange(4.0), n.float()),
    "histc": lambda x, n: torch.histc(x + n, 3),
    "a list": lambda x, n: [n] * int(n),
    "format": lambda x, n: f"{n}",
    "a truth": lambda x, n: x if n else -x,
    "comparison": lambda x, n: x if n == 2 else -x,
    "in": lambda x, n: x if n in (1, 2) else -x,
    "max of Python": lambda x, n: max(n, 2),
    "float": lambda x, n: x * float(n),
    "hash of a table": lambda x, n: {0: x, 1: -x}.get(n.item(), x * 2),
    "pad": lambda x, n: F.pad(x, (int(n), 0)),
    "interpolate": lambda x, n: F.interpolate(x[None, None], scale_factor=int(n) + 1.0),
    "matrix power": lambda x, n: torch.linalg.matrix_power(x, int(n)),
    "unique": lambda x, n: torch.unique(torch.stack([n, n * 0])),
    "nonzero": lambda x, n: (x > n).nonzero(),
    "equal": lambda x, n: torch.equal(x, x + n),
    "normal": lambda x, n: torch.normal(n.float(), 1.0),
    "bernoulli": lambda x, n: torch.bernoulli(n / 3),
    "randint": lambda x, n: torch.randint(0, int(n) + 1, (3,)),
    "a seed": lambda x, n: torch.Generator().manual_seed(int(n)).initial_seed(),
    "item": lambda x, n: n.item() * x,
    "tolist": lambda x, n: n.tolist() * x,
    "a size of another": lambda x, n: torch.ones(int(n) + 1).shape[0] * x,
    "sequence": lambda x, n: nn.utils.rnn.pack_padded_sequence(x[:1, :, None], n.view(1) + 1, True)[
        0
    ],
    "a rounded number": lambda x, n: round(float(n) / 2) * x,
    "random of Python": lambda x, n: x * random.Random(int(n)).random(),
    "quantized": lambda x, n: (x * 2**n).round() / 2**n,
    "device": lambda x, n: x.to(n.device) * n,
    "type of": lambda x, n: x.type_as(n) * n,
    "setitem": lambda x, n: (lambda y: (y.__setitem__((n, 0), n), y)[1])(x.clone()),
    "index_add": lambda x, n: x.index_add(0, n.view(1), x[:1]),
    "einsum": lambda x, n: torch.einsum("ij,j->i", x, torch.full((4,), float(n))),
    "std": lambda x, n: torch.std(x, correction=int(n)),
    "cumulative": lambda x, n: torch.cumsum(x, int(n) % 2),
    "diagonal": lambda x, n: torch.diagonal(x, int(n)),
    "swapped": lambda x, n: x.transpose(0, int(n) % 2) * 2,
    "copied": lambda x, n: x.clone().copy_(n),
    "conv": lambda x, n: F.conv2d(x[None, None], torch.ones(1, 1, 1, 1) * n),
    "softmax": lambda x, n: F.softmax(x / (n + 1), -1),
    "trapezoid": lambda x, n: torch.trapezoid(x, dx=float(n)),
}


@pytest.mark.eager
@pytest.mark.parametrize("name", BY_A_NUMBER)
def test_another_number(name: str) -> None:
    """The number as an argument, and as the result of a computation inside."""
    function = BY_A_NUMBER[name]

    def program(t: Twin) -> None:
        given = t.compile(function)

        @t.compile
        def inside(x: Any) -> Any:
            return function(x, (x.sum() * 0 + x[0, 0]).round().long().abs() % 4)

        for k in (2, 2, 3, 1, 2, 0, 3):
            x = torch.randn(4, 4)
            t(given, x, torch.tensor(k))
            x[0, 0] = k
            t(inside, x)

    same(program)


@pytest.mark.eager
def test_masks_of_other_sums() -> None:
    """Shapes that numbers decide, and a loop until they are small."""

    def program(t: Twin) -> None:
        @t.compile
        def function(x: Any, mask: Any) -> Any:
            chosen = x[mask]
            steps = 0
            while (chosen.abs() > 0.1).any():
                chosen = chosen / 2
                steps += 1
            return chosen, steps, mask.sum(), x[mask.nonzero(as_tuple=True)]

        for _ in range(6):
            t(function, torch.randn(5) * 3, torch.rand(5) > 0.5)

    same(program)


@pytest.mark.eager
def test_text_made_letter_by_letter() -> None:
    def program(t: Twin) -> None:
        model = nn.Sequential(nn.Embedding(7, 8), nn.Linear(8, 7))

        @t.compile
        @torch.no_grad()
        def sampled(length: int, heat: float) -> Any:
            text = torch.zeros(1, 1, dtype=torch.long)
            for _ in range(length):
                scores = model(text)[:, -1] / heat
                text = torch.cat((text, torch.multinomial(F.softmax(scores, -1), 1)), 1)
                if text[0, -1] == 3:
                    break
            return text

        compiled = t.compile(model)

        @torch.no_grad()
        def greedy(length: int) -> Any:
            text = torch.zeros(1, 1, dtype=torch.long)
            for _ in range(length):
                text = torch.cat((text, compiled(text)[:, -1].argmax(-1, keepdim=True)), 1)
            return text

        for length in (4, 4, 6, 4):
            t(sampled, length, 1.0)
            t(sampled, length, 0.5)
            t(greedy, length)

    same(program)


@pytest.mark.eager
def test_shapes_that_masks_decide_are_read() -> None:
    def program(t: Twin) -> None:
        @t.compile
        def counted(x: Any) -> Any:
            v = x[x > 0]
            return v * v.shape[0] + len(v), [v.numel()] * v.dim()

        @t.compile
        def unread(x: Any) -> Any:
            _, _ = x[x > 0].max(-1)  # which fails when nothing is left
            return x.sum() * 2

        @t.compile
        def rows(x: Any, index: Any) -> Any:
            return x[index].sum(0), x[index > 0].shape, x.nonzero().shape[0] * x

        for numbers in ([1, 2, 3], [1, 2, 3], [1, -2, 3], [-1, -2, -3], [0, 0, 1], [1, 2, 3]):
            x = torch.tensor(numbers).float()
            t(counted, x)
            t(unread, x)
            t(rows, x, torch.tensor(numbers).abs() % 3)

    same(program)


def test_sums_of_negative_zeros() -> None:
    def program(t: Twin) -> None:
        @t.compile
        def function(x: Any) -> Any:
            v = x * 0
            rows = [v.sum(-1), v.mean(-1), v.sum(), v.sum(0), v.mean(0), v.unfold(1, 2, 1).sum(-1)]
            return [*rows, v.cumsum(0), v.prod(-1), v.norm(dim=-1), v.amax(0), v @ v.t()]

        for columns in (1, 4, 4, 9, 9, 0, 0, 1, 200, 200):
            t(function, -torch.ones(3, columns))

    same(program)


@pytest.mark.parametrize("n", [2, 3, 5, 8, 11, 17, 33, 100])
def test_small_products_and_sums_of_many_numbers(n: int) -> None:
    """An order of adding that is another one has the same bits now and then, not each time."""

    def program(t: Twin) -> None:
        @t.compile
        def function(x: Any, w: Any) -> Any:
            return x @ x, x.sum(), x.mean(), w @ x, x.norm(), x @ w.t(), (w * x).sum(1)

        for _ in range(12):
            t.see(function(torch.randn(n), torch.randn(3, n)))

    same(program)


@pytest.mark.eager
@pytest.mark.parametrize(
    "function",
    [
        lambda n: F.one_hot(n) * 2,
        lambda n: torch.bincount(n, minlength=5) * 2,
        lambda n: n.bincount(minlength=5) * 2,
        lambda n: torch.searchsorted(n.sort()[0], n) * 2,
        lambda n: torch.bucketize(n, torch.tensor([1, 3])) * 2,
        lambda n: torch.histc(n.float(), 4, 0, 5) * 2,
        lambda n: torch.linalg.matrix_rank(torch.diag(n.float())) * 2,
    ],
)
def test_results_that_pass_no_door_are_no_constants(function: Callable[[Any], Any]) -> None:
    def program(t: Twin) -> None:
        compiled = t.compile(function)
        for values in ([0, 2, 1], [0, 2, 1], [1, 4, 4], [0, 0, 0], [0, 2, 1]):
            t(compiled, torch.tensor(values))

    same(program)


def test_numbers_that_fill_and_are_chosen() -> None:
    def program(t: Twin) -> None:
        @t.compile
        def function(x: Any, n: Any, value: float) -> Any:
            kept = x.clone().fill_(value) + x.clone().zero_()
            chosen = torch.where(x > 0, x, value), torch.where(x > 0, 1, 0)
            return kept, *chosen, F.one_hot(n, 5) * 2

        for value in (1.5, 1.5, 0.25, 1.5):
            t(function, torch.randn(3), torch.randint(0, 5, (3,)), value)
        t(function, torch.randn(3), torch.tensor([1, 2, 5]), value)  # no such class

    same(program)
