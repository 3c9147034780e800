"""Subclasses of Tensor in pickles, files and copies: their attributes, slots and own words."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import pytest

import rushlight as torch


class Slotted(torch.Tensor):
    __slots__ = ("elem", "empty")


class Telling(torch.Tensor):
    def __getstate__(self) -> Any:
        return ("told", dict(self.__dict__))

    def __setstate__(self, state: Any) -> None:
        self.word, attributes = state
        self.__dict__.update(attributes)


def pickled(x: Any) -> Any:
    return pickle.loads(pickle.dumps(x))


def saved(x: Any) -> Any:
    file = io.BytesIO()
    torch.save(x, file)
    file.seek(0)
    with torch.serialization.safe_globals([Slotted, Telling]):
        return torch.load(file)


@pytest.mark.parametrize("through", [pickled, saved, copy.deepcopy])
@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_slots_are_kept(through: Any, device: str) -> None:
    x: Any = torch.ones(2, device=device).as_subclass(Slotted)
    x.elem, x.label = torch.arange(2), "x"
    y = through(x)
    assert (type(y), y.label, y.elem.tolist()) == (Slotted, "x", [0, 1])
    assert y.elem is not x.elem
    assert not hasattr(y, "empty")


@pytest.mark.parametrize("through", [pickled, saved])
def test_classes_say_what_is_kept(through: Any) -> None:
    x: Any = torch.ones(2).as_subclass(Telling)
    x.label = "x"
    y = through(x)
    assert (type(y), y.word, y.label, y.tolist()) == (Telling, "told", "x", [1, 1])
