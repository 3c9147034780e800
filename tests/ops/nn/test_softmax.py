"""softmax and log_softmax as functions and methods: what they refuse, in each form of the call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight as torch

FORMS: dict[str, Callable[[str, Any], Any]] = {
    "function": lambda name, x: getattr(torch, name)(x, 1),
    "named": lambda name, x: getattr(torch, name)(input=x, dim=-1),
    "method": lambda name, x: getattr(x, name)(1),
    "special": lambda name, x: getattr(torch.special, name)(x, 1),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_whole_and_complex_numbers(name: str, form: str) -> None:
    """Refused with PyTorch's words unless a type is given; what has no elements is returned."""
    for dtype in (torch.int64, torch.int16, torch.bool, torch.complex64):
        with pytest.raises(NotImplementedError, match=f"{name}_lastdim_kernel_impl"):
            FORMS[form](name, torch.ones(2, 3).to(dtype))
    assert FORMS[form](name, torch.zeros(2, 0, dtype=torch.int64)).shape == (2, 0)
    given = getattr(torch, name)(torch.ones(2, 3, dtype=torch.int64), 1, torch.float64)
    assert given.dtype == torch.float64


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_numbers_without_dims(name: str) -> None:
    assert getattr(torch.tensor(3.0), name)(0).item() == (name == "softmax")
    with pytest.raises(IndexError):
        getattr(torch.ones(2), name)(1)
