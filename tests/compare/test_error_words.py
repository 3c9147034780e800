"""What a mistaken call says: PyTorch's class and first line, and then what to do about it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import rushlight

MISTAKES: dict[str, Any] = {
    "int_beyond_a_dim": lambda t: t.zeros(3, 4)[1, 7],
    "int_beyond_the_last_dim": lambda t: t.zeros(3, 4, 5)[0, :, 9],
    "int_beyond_after_two": lambda t: t.zeros(3, 4, 5, 6)[0, 0, 9],
    "set_beyond_a_dim": lambda t: t.zeros(3, 4).__setitem__((1, 7), 0.0),
    "size_that_is_a_float": lambda t: t.zeros(2.5),
    "sizes_with_a_float": lambda t: t.ones(2, 2.5),
    "list_with_a_float": lambda t: t.empty([2.5]),
    "swapped_scores_and_classes": lambda t: t.nn.functional.cross_entropy(
        t.tensor([0, 1, 2, 0]), t.zeros(4, 3)
    ),
    "cat_of_other_sizes": lambda t: t.cat([t.zeros(2, 3), t.zeros(2, 3), t.zeros(2, 2)]),
    "cat_along_the_last": lambda t: t.cat([t.zeros(2, 3), t.zeros(3, 3)], 1),
    "class_for_a_module": lambda t: t.nn.Sequential(t.nn.Linear(2, 2), t.nn.ReLU),
    "one_state_of_a_cell": lambda t: t.nn.LSTMCell(2, 2)(t.zeros(1, 2), t.zeros(1, 2)),
    "integer_scores": lambda t: t.nn.functional.binary_cross_entropy_with_logits(
        t.tensor([1, 2]), t.tensor([0, 1])
    ),
    "fractional_pool_too_high": lambda t: t.nn.FractionalMaxPool2d(2, output_size=(9, 3))(
        t.zeros(1, 1, 7, 7)
    ),
    "fractional_pool_too_wide": lambda t: t.nn.FractionalMaxPool3d(2, output_size=(3, 3, 9))(
        t.zeros(1, 1, 7, 7, 7)
    ),
}


def caught(call: Any, package: Any) -> Exception | None:
    try:
        call(package)
    except (TypeError, IndexError, ValueError, RuntimeError) as error:
        return error
    return None


@pytest.mark.parametrize("name", MISTAKES)
def test_class_and_first_line(name: str) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = caught(MISTAKES[name], rushlight), caught(MISTAKES[name], torch)
    assert type(ours) is type(theirs)
    first = str(ours).split("\n")[0].replace("rushlight", "torch")
    assert first == str(theirs).split("\n")[0]


def test_swapped_arguments_are_named() -> None:
    with pytest.raises(NotImplementedError, match="swapped"):
        rushlight.nn.functional.cross_entropy(rushlight.tensor([0, 1]), rushlight.zeros(2, 3))


def test_an_lstm_wants_a_pair() -> None:
    with pytest.raises(TypeError, match=r"h_0, c_0"):
        rushlight.nn.LSTM(2, 2)(rushlight.zeros(3, 1, 2), rushlight.zeros(1, 1, 2))


def test_a_class_is_not_a_module() -> None:
    with pytest.raises(TypeError, match=r"try     ReLU\(\.\.\.\)"):
        rushlight.nn.Sequential(rushlight.nn.ReLU)


@pytest.mark.parametrize(
    "make",
    [
        lambda n: rushlight.zeros(n),
        lambda n: rushlight.empty(n),
        lambda n: rushlight.randn(n),
        lambda n: rushlight.zeros(10**10, 10**10),
        lambda n: rushlight.nn.Linear(10**7, 10**8),
        lambda n: rushlight.nn.functional.one_hot(rushlight.tensor([n])),
        lambda n: rushlight.ones(1).new_zeros(n),
    ],
)
def test_too_much_memory(make: Any) -> None:
    with pytest.raises(rushlight.OutOfMemoryError, match="not enough memory"):
        make(10**14)


def test_no_folder_to_save_into(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "model.pt"
    with pytest.raises(RuntimeError, match=r"^Parent directory .*missing does not exist\.$"):
        rushlight.save(1, path)
    with pytest.raises(FileNotFoundError):
        rushlight.save(1, path)
