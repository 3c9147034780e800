"""What somebody is told who makes one of the mistakes that people ask about: PyTorch's class and
words, what was got, what was wanted, and what to do. One row a mistake, ordered by area.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

import rushlight as torch
import rushlight.nn.functional as F
from rushlight import nn, optim

X = torch.ones(3, 4)
LABELS = torch.tensor([1, 2, 3])


def told(fn: Any, kind: type[BaseException]) -> str:
    with pytest.raises(kind) as caught:
        fn()
    return "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])])


def check(fn: Any, kind: type[BaseException], *words: str) -> None:
    """The error says all words, in this order, in four parts and no part twice."""
    text = told(fn, kind)
    at = 0
    for word in words:
        assert word in text[at:], f"{word!r} is not in {text[at:]!r}"
        at = text.index(word, at) + len(word)
    for part in ("got", "wanted", "try"):
        assert len(re.findall(rf"^  {part} ", text, re.MULTILINE)) <= 1


class NoInit(nn.Module):
    def __init__(self) -> None:
        self.layer = nn.Linear(2, 2)


class NoInitUsed(nn.Module):
    def __init__(self) -> None:
        self.n = 1

    def forward(self, x: Any) -> Any:
        return x


class Misspelt(nn.Module):
    def foward(self, x: Any) -> Any:
        return x


class Inside(nn.Module):
    def __init__(self) -> None:
        super().__init__()

        def forward(x: Any) -> Any:
            return x


class Wrapper(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.module = nn.Linear(2, 3)


def assigned(name: str, value: Any) -> None:
    setattr(nn.Linear(2, 2), name, value)


MODULES = [
    (NoInit, AttributeError, "cannot assign module before", "super().__init__()"),
    (lambda: NoInitUsed()(X), AttributeError, "no attribute '_forward_hooks'", "wanted", "try"),
    (lambda: Misspelt()(X), NotImplementedError, 'missing the required "forward"', "foward", "try"),
    (lambda: Inside()(X), NotImplementedError, 'missing the required "forward"', "indented as"),
    (lambda: nn.ModuleList([nn.ReLU()])(X), NotImplementedError, '"forward"', "for layer in"),
    (lambda: nn.Sequential([nn.ReLU()]), TypeError, "list is not a Module", "Sequential(*layers)"),
    (lambda: nn.Sequential(F.relu), TypeError, "is not a Module", "function relu", "nn.ReLU()"),
    (lambda: nn.Sequential(F.log_softmax), TypeError, "is not a Module", "nn.LogSoftmax()"),
    (lambda: nn.Sequential(torch.add), TypeError, "is not a Module", "whose forward calls it"),
    (lambda: nn.ModuleList([X]), TypeError, "is not a Module", "nn.Parameter(tensor)"),
    (lambda: assigned("weight", X), TypeError, "cannot assign", "nn.Parameter", "copy_(tensor)"),
    (lambda: nn.Module().register_parameter("w", X), TypeError, "cannot assign", "Parameter(te"),
    (lambda: Wrapper().out_features, AttributeError, "around a Linear", "module.out_features"),
]  # fmt: skip

LOSSES = [
    (lambda: F.binary_cross_entropy(X * 5, X), RuntimeError, "all elements of input", "sigmoid"),
    (lambda: F.binary_cross_entropy(X / 2, X * 2), RuntimeError, "all elements of target should",
     "values from 2 to 2", "labels 0 and 1"),
    (lambda: nn.CrossEntropyLoss(X, LABELS), RuntimeError, "Boolean value of Tensor",
     "got     the data", "nn.MSELoss()(input, target)"),
    (lambda: nn.MSELoss(X, X), RuntimeError, "Boolean value of Tensor", "making the loss"),
    (lambda: nn.CrossEntropyLoss([1.0, 2.0]), TypeError, "cannot assign 'list'", "torch.tensor("),
    (lambda: F.cross_entropy(torch.ones(2, 5, 7), torch.zeros(2, 5, dtype=torch.long)),
     RuntimeError, "Expected target size [2, 7], got [2, 5]", "movedim(-1, 1)"),
    (lambda: F.cross_entropy(torch.ones(2, 4, 8), torch.zeros(2, 1, 8, dtype=torch.long)),
     RuntimeError, "Expected target size [2, 8]", "target.squeeze(1)"),
    (lambda: F.cross_entropy(X, torch.ones(3, 5)), RuntimeError, "expected target dtype",
     "a target of shape (3, 4) for probabilities, of (3,) for indices"),
    (lambda: F.cross_entropy(X, torch.ones(3)), RuntimeError, "expected target dtype", "long()"),
]  # fmt: skip


def stepped(closure: Any) -> None:
    optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1).step(closure)


def twice() -> None:
    layer = nn.Linear(2, 2)
    optim.SGD([{"params": layer.parameters()}, {"params": layer.weight}], lr=0.1)


OPTIMISERS = [
    (lambda: optim.SGD(nn.Linear(2, 2), lr=0.1), TypeError, "'Linear' object is not iterable",
     "wanted", "model.parameters()"),
    (lambda: optim.SGD(nn.Linear(2, 2).parameters, lr=0.1), TypeError, "'method' object is not",
     "brackets: parameters()"),
    (lambda: optim.SGD([], lr=0.1), ValueError, "empty parameter list", "nn.ModuleList"),
    (lambda: optim.SGD([{"parameters": [X]}], lr=0.1), KeyError, "params", "['parameters']"),
    (lambda: optim.Adam(nn.Linear(2, 2).parameters(), lr="1e-3"), TypeError, "'<=' not supported",
     "lr='1e-3', a text", "float(lr)"),
    (twice, ValueError, "more than one parameter group", "1 of them again", "(2, 2)"),
    (lambda: stepped(X), TypeError, "'Tensor' object is not callable", "loss.backward(), then"),
]  # fmt: skip


@pytest.mark.parametrize("row", [*MODULES, *LOSSES, *OPTIMISERS], ids=lambda row: row[2][:40])
def test_what_is_told(row: Any):
    check(*row)


def test_warnings_name_the_programs_line():
    def run() -> None:
        F.kl_div(X.log_softmax(1), X.softmax(1))
        F.grid_sample(torch.ones(1, 1, 4, 4), torch.zeros(1, 2, 2, 2))
        nn.MSELoss(size_average=False)
        weight = nn.Parameter(torch.ones(2))
        optim.SGD([weight, weight], lr=0.1)

    with pytest.warns(UserWarning, match=".") as caught:
        run()
    assert [w.filename for w in caught] == [__file__] * 4
