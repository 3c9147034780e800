"""What is taken for an int, a bool, a float: PyTorch's rules, asked of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import door
from rushlight.ops.core import kinds

F = torch.nn.functional


@pytest.mark.parametrize("wrong", [True, 1.0, 2.5, "a", [1], np.float32(1), np.bool_(True)])
def test_what_is_no_int(wrong: Any) -> None:
    x = torch.ones(3, 3)
    for call in (
        lambda v: x.tril(v), lambda v: x.tril_(v), lambda v: torch.triu(x, diagonal=v),
        lambda v: x.diagonal(v), lambda v: x.diag(v), lambda v: x.chunk(v),
        lambda v: x.chunk(2, dim=v), lambda v: x.unbind(v), lambda v: x.unfold(0, 1, v),
        lambda v: x.topk(v), lambda v: x.sort(v), lambda v: torch.cat([x, x], v),
        lambda v: F.one_hot(x.long(), v), lambda v: x.narrow(0, 0, v), lambda v: x.flatten(v),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=f"must be int, not {type(wrong).__name__}"):
            call(wrong)


def test_the_function_and_the_place() -> None:
    """Errors have the public name; a method's arguments are counted behind its tensor."""
    x, index = torch.ones(2), torch.zeros(2, dtype=torch.int64)
    for call, words in {
        lambda: torch.gather(x, 1.5, index): r"gather\(\): argument 'dim' \(position 2\) must be",
        lambda: x.gather(1.5, index): r"gather\(\): argument 'dim' \(position 1\) must be",
        lambda: torch.gather(x, 0, index, sparse_grad=1): r"gather\(\): argument 'sparse_grad'",
        lambda: torch.gather(x, 0): r"gather\(\) missing 1 required positional argument",
        lambda: torch.gather(x, 0, index, axes=1): r"gather\(\) got an unexpected .* 'axes'",
        lambda: torch.softmax(x, 1.5): r"softmax\(\): argument 'dim' \(position 2\) must be",
        lambda: x.softmax("a"): r"softmax\(\): argument 'dim' \(position 1\) must be int, not str",
        lambda: x.log_softmax(True): r"log_softmax\(\): argument 'dim' \(position 1\) must be",
        lambda: F.softmax(x, 1.5): r"softmax\(\): argument 'dim' \(position 2\) must be",
    }.items():
        with pytest.raises(TypeError, match="^" + words):
            call()


def test_what_stands_for_an_int() -> None:
    x = torch.arange(9).reshape(3, 3)
    for one in (1, np.int64(1), torch.tensor(1)):
        assert x.tril(one).sum().item() == x.tril(1).sum().item()
        assert x.diag(one).tolist() == [1, 5]
        assert x.chunk(2, one)[0].shape == (3, 2)
        assert x.narrow(0, 0, one).tolist() == [[0, 1, 2]]
        assert torch.hann_window(one).tolist() == [1]
    with pytest.raises(TypeError, match="must be int, not Tensor"):
        x.diag(torch.tensor(1.0))


@pytest.mark.parametrize("wrong", [1, 0, 1.0, "a", np.bool_(True)])
def test_what_is_no_bool(wrong: Any) -> None:
    x = torch.ones(3, 3)
    for call in (
        lambda v: x.amax(0, v), lambda v: x.sum(0, keepdim=v), lambda v: x.max(0, v),
        lambda v: x.sort(0, v), lambda v: x.topk(1, 0, v), lambda v: x.nanmean(0, v),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="must be bool, not"):
            call(wrong)


def test_what_is_no_float() -> None:
    x = torch.ones(3)
    for wrong in ("a", 1j, [1.0]):
        with pytest.raises(TypeError, match="'negative_slope' must be float"):
            F.leaky_relu(x, wrong)
    for right in (1, True, np.float32(1), torch.tensor(1.0)):
        assert F.leaky_relu(-x, right).tolist() == [-1, -1, -1]


def test_functions_in_python_ask_nothing_of_truths() -> None:
    x = torch.ones(1, 1, 4)
    assert F.dropout(x, 0.5, 0).tolist() == x.tolist()
    assert len(F.max_pool1d(x, 2, return_indices=1)) == 2
    with pytest.warns(UserWarning, match="size_average"):
        assert F.mse_loss(x, x * 0, size_average=0).item() == 4


def test_a_call_that_was_right_is_remembered_by_its_classes() -> None:
    def function(input: Any, k: int, largest: bool = True) -> None:
        pass

    known = kinds.Kinds("function", kinds.of(function), ("input", "k", "largest"), function)
    assert known.mixed
    for args in ((None, 2), (None, 2, False)):
        assert known.brought(args, {}) == (args, {})
    assert known.seen == {(type(None), int), (type(None), int, bool)}
    assert known.brought((None, np.int64(2)), {"largest": True}) == ((None, 2), {"largest": True})
    with pytest.raises(TypeError, match=r"function\(\): argument 'k' \(position 2\) must be int"):
        known.brought((None, True), {})


def test_kinds_are_asked_while_somebody_observes() -> None:
    x = torch.ones(3, 3)
    with door.observing(lambda *_: None):
        assert x.chunk(2, 1)[0].shape == (3, 2)
        for call in (lambda: x.chunk(True), lambda: x.tril(True), lambda: x.nanmean(0, 1)):
            with pytest.raises(TypeError, match="must be"):
                call()
    assert x.chunk(2, 1)[0].shape == (3, 2)
    with pytest.raises(TypeError, match="must be int"):
        x.chunk(True)


def test_a_function_that_refuses_a_value_of_the_right_kind_is_asked_once() -> None:
    x = torch.ones(2)
    with pytest.raises(TypeError, match=r"'atol' .* must be float, not Tensor"):
        torch.isclose(x, x, torch.tensor(1.5), torch.tensor(1.0, requires_grad=True))
