"""Tracebacks of errors that we raise on purpose; what `python -m rushlight` prints of them is
tested in test_dropin.py."""

from __future__ import annotations

import contextlib
import gc
import weakref
from typing import Any

import pytest

import rushlight as torch
from rushlight import nn, tracebacks


class Own(nn.Module):
    def __init__(self, wrong: Any) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 5), wrong)

    def forward(self, x: Any) -> Any:
        return self.layers(x)


class Fails(nn.Module):
    def forward(self, x: Any) -> Any:
        raise ValueError("of the program")


def caught(fn: Any) -> BaseException:
    with pytest.raises(Exception, match=r".") as found:
        fn()
    return found.value


def hidden(error: BaseException) -> list[bool]:
    """Which of our lines are marked; the program's are never."""
    ours = []
    for each in tracebacks.lines(error.__traceback__):
        marked = bool(each.tb_frame.f_locals.get("__tracebackhide__"))
        if tracebacks.is_ours(each):
            ours.append(marked)
        else:
            assert not marked
    return ours


@pytest.fixture(autouse=True)
def _settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUSHLIGHT_TRACEBACK", raising=False)


def test_our_lines_are_hidden_from_notebooks_and_pytest():
    error = caught(lambda: Own(nn.Linear(6, 2))(torch.ones(1, 4)))
    assert "mat1 and mat2" in str(error)
    assert all(hidden(error))


def test_an_error_of_the_program_or_unforeseen_hides_nothing(monkeypatch: pytest.MonkeyPatch):
    assert not any(hidden(caught(lambda: Own(Fails())(torch.ones(1, 4)))))
    monkeypatch.setattr(nn.functional, "linear", lambda *_: 1 / 0)
    assert not any(hidden(caught(lambda: Own(nn.ReLU())(torch.ones(1, 4)))))


def test_all_is_shown_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUSHLIGHT_TRACEBACK", "1")
    assert not any(hidden(caught(lambda: Own(nn.Linear(6, 2))(torch.ones(1, 4)))))


def test_a_marked_error_keeps_nothing_alive():
    def fail() -> weakref.ref[Any]:
        x = torch.ones(1, 4)
        with contextlib.suppress(RuntimeError):
            Own(nn.Linear(6, 2))(x)
        return weakref.ref(x)

    gc.collect()
    gc.disable()  # the error goes with its last name, not when cycles are looked for
    try:
        assert fail()() is None
    finally:
        gc.enable()


def test_programs_lines():
    error = caught(lambda: Own(nn.Linear(6, 2))(torch.ones(1, 4)))
    assert tracebacks.explains_itself(error, error.__traceback__)
    where, left_out = tracebacks.programs_lines(error.__traceback__)
    assert left_out > 3
    names = [each.tb_frame.f_code.co_name for each in tracebacks.lines(where)]
    assert names[-2:] == ["<lambda>", "forward"]
    assert not any(map(tracebacks.is_ours, tracebacks.lines(where)))
