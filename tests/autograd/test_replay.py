"""Views once more, on other bases: `_view_func` and its reverse."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch

VIEWS: list[tuple[Any, tuple[int, ...]]] = [
    (lambda x: x.t(), (2, 4)),
    (lambda x: x.unsqueeze(-1).transpose(-1, -2).squeeze(1), (2, 4)),
    (lambda x: x.chunk(2, -1)[1].transpose(0, 1), (3, 4)),
    (lambda x: x[1:, ::2].unfold(0, 2, 1), (4, 6)),
    (lambda x: x.expand(3, 4), (1, 4)),
    (lambda x: torch.view_as_complex(x), (3, 2)),
    (lambda x: x.view(-1)[3:], (3, 2)),
]


@pytest.mark.parametrize(("of", "shape"), VIEWS)
def test_there_and_back(of: Any, shape: tuple[int, ...]) -> None:
    base = torch.rand(shape)
    view = of(base)
    other = base.clone() + 1
    again = view._view_func(other)
    assert torch.equal(again, of(other))
    assert again._base is other
    back = view._rev_view_func_unsafe(view.detach())
    assert (back.shape, back.stride(), back.dtype) == (base.shape, base.stride(), base.dtype)
    assert torch.equal(back, base)
    assert back.data_ptr() == base.data_ptr()


def test_other_bases_and_what_is_no_view() -> None:
    base = torch.rand(2, 3)
    view = base[:, 1:]
    assert view._view_func(torch.rand(3, 3)) is None
    assert view._view_func_unsafe(torch.rand(3, 3)).shape == (3, 2)
    assert base._view_func(base) is None
    assert base._rev_view_func_unsafe(base) is None


def test_the_switch_is_noted() -> None:
    tracking = torch.autograd._force_original_view_tracking
    assert not torch.autograd.is_view_replay_enabled()
    with tracking(True):
        assert torch.autograd.is_view_replay_enabled()
    assert not torch.autograd.is_view_replay_enabled()
    tracking(True)
    assert torch.autograd.is_view_replay_enabled()
    tracking(False)
