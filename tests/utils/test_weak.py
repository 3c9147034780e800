"""Dictionaries that hold tensors by what they are, as long as these live."""

from __future__ import annotations

import gc

import pytest

import rushlight as torch
from rushlight.utils.weak import (
    TensorWeakRef,
    WeakIdKeyDictionary,
    WeakIdRef,
    WeakTensorKeyDictionary,
)


def test_keys_are_told_apart_by_what_they_are() -> None:
    a, b = torch.ones(2), torch.ones(2)
    held = WeakTensorKeyDictionary({a: "a"})
    held[b] = "b"
    assert (held[a], held[b], len(held)) == ("a", "b", 2)
    assert a in held
    assert torch.ones(2) not in held
    assert 1 not in held  # nothing that can die
    assert {id(k) for k in held} == {id(a), id(b)}
    assert held.get(torch.ones(2), 3) == 3
    assert held.setdefault(a, "x") == "a"
    assert held.pop(b) == "b"
    with pytest.raises(KeyError):
        del held[b]
    again = held.copy()
    assert type(again) is type(held)
    assert again[a] == "a"


def test_entries_go_with_their_keys() -> None:
    a, b = torch.ones(2), torch.ones(2)
    held = WeakIdKeyDictionary({a: 1, b: 2})
    del a
    gc.collect()
    assert list(held.values()) == [2]


def test_references() -> None:
    a = torch.ones(2)
    first, second, other = WeakIdRef(a), WeakIdRef(a), WeakIdRef(torch.ones(2))
    assert first == second
    assert hash(first) == hash(second) == id(a)
    assert first != other
    ref = TensorWeakRef(a)
    assert ref() is a
    del a
    gc.collect()
    assert ref() is None
    assert first() is None
    assert first == first  # of dead ones only itself
    assert first != second
