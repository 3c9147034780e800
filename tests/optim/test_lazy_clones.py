"""Optimisers write to parameters whose memory a lazy clone has, and the clone keeps its own."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch


@pytest.mark.parametrize("name", ["SGD", "Adam", "Adafactor", "Muon"])
def test_step(name: Any) -> None:
    w = torch.nn.Parameter(torch.ones(3, 4))
    shared = torch._lazy_clone(w)
    w.grad = torch.ones(3, 4)
    getattr(torch.optim, name)([w], lr=0.1).step()
    assert not torch.equal(w, torch.ones(3, 4))
    assert torch.equal(shared, torch.ones(3, 4))
