"""Forms of calls that PyTorch keeps for its first programs."""

from __future__ import annotations

import pytest

import rushlight as torch


def test_add_takes_alpha_in_the_middle():
    """A tensor of one number, or a number; the other operand may be a number as well."""
    one = torch.tensor([1, 2])
    for name, args, wanted in [
        ("add", (one, torch.tensor(2), 3), [7, 8]),
        ("sub", (one, 2, 3), [-5, -4]),
        ("add", (torch.tensor(True), torch.tensor(True), True), True),
    ]:
        with pytest.warns(UserWarning, match="deprecated"):
            assert getattr(torch, name)(*args).tolist() == wanted
    with pytest.raises(TypeError, match="takes 2 positional arguments"):
        torch.add(one, one, 3)
