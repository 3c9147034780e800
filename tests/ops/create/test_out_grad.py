"""Factories that write to `out=` a tensor that shall require grad."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch


@pytest.mark.parametrize("layout", [torch.strided, torch.sparse_coo])
def test_what_is_written_to_requires_grad(layout: Any) -> None:
    out = torch.empty(2, 3, layout=layout)
    assert torch.zeros(2, 3, out=out, requires_grad=True) is out
    assert out.requires_grad
    assert out.is_leaf


def test_integers_do_not() -> None:
    with pytest.raises(RuntimeError, match="Only Tensors of floating point and complex dtype"):
        torch.zeros(2, out=torch.empty(2, dtype=torch.int32), requires_grad=True)
