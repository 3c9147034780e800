"""Small steps of changes in place by machine code: the notes and answers of Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import changes
from rushlight.kernels import runtime
from rushlight.kernels.runtime import few

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True)
def loaded() -> Iterator[None]:
    before = changes.noted, changes.both_free
    few.load()
    yield
    changes.noted, changes.both_free = before


def cells(tensors: Any) -> list[Any]:
    return [(t._vc.count, t._vc.what, t._vc.code, t._vc.lasti) for t in tensors]


@pytest.mark.parametrize("kind", [tuple, list])
def test_all_changed_notes_the_same(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> Any:
        tensors = kind(torch.zeros(2) for _ in range(3))
        for t in tensors:
            changes.cell(t)
        for name in ("first", "second"):
            changes.all_changed(tensors, name)
        stamps = [t._vc.stamp for t in tensors]
        assert stamps == sorted(set(stamps))
        assert stamps[0] > 0
        return cells(tensors)

    found = []
    for noted in (changes.noted, few.refused):
        monkeypatch.setattr(changes, "noted", noted)
        found.append(make())
    assert found[0] == found[1]
    assert [c[:2] for c in found[0]] == [(2, "second")] * 3


def test_what_it_leaves_to_python() -> None:
    """Tensors without a cell, views, other containers: nothing is noted before."""
    a, b = torch.zeros(4), torch.zeros(4)
    changes.cell(a)
    for tensors in ((a, b), (a, a[1:]), iter((a,)), (a, 3), {a: 1}):
        assert not changes.noted(tensors, "x", None, 0)
    assert a._vc.count == 0
    changes.all_changed((a, b), "x")
    assert (a._vc.count, b._vc.count) == (1, 1)


class Sub(torch.Tensor):
    """A class of one's own."""


def test_both_free_says_what_changeable_says() -> None:
    plain, other = torch.zeros(3), torch.zeros(3)
    assert changes.both_free(plain, other) is True
    turned = torch.zeros(3, 2)
    turned._a = turned._a.T
    assert changes.both_free(plain, turned) is False
    locked = torch.zeros(3)
    locked._a = np.broadcast_to(np.zeros((), np.float32), (3,))
    assert changes.both_free(locked, plain) is False
    leaf = torch.zeros(3, requires_grad=True)
    unusual = [
        leaf, leaf * 2, plain[1:], torch.zeros(3).as_subclass(Sub),
        torch.nn.Parameter(torch.zeros(3)), torch.zeros(3, device="meta"), None, 3,
    ]  # fmt: skip
    for t in unusual:
        assert changes.both_free(plain, t) is None
        assert changes.both_free(t, plain) is None
    for t in unusual[:-2]:
        expected = changes.changeable(plain) and changes.changeable(t)
        assert changes.both_changeable(plain, t) == expected


def test_both_free_looks_whether_somebody_looks_on() -> None:
    watcher = changes.ChangeWatcher()
    changes.change_watchers.append(watcher)
    try:
        assert changes.both_free(torch.zeros(3), torch.zeros(3)) is None
    finally:
        changes.change_watchers.remove(watcher)
