"""A file whose dict or set has many keys of one hash is refused before it takes time."""

from __future__ import annotations

import io
import pickle
from typing import Any

import pytest

import rushlight as torch

STEP = 2**61 - 1  # whole numbers are hashed modulo this prime


@pytest.mark.parametrize("kind", [dict.fromkeys, set, frozenset], ids=["dict", "set", "frozenset"])
def test_colliding_keys_are_refused(kind: Any) -> None:
    file = io.BytesIO()
    torch.save(kind([i * STEP for i in range(400)]), file)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError, match="collide"):
        torch.load(file)


def test_large_dicts_of_other_keys_load() -> None:
    value = {"steps": {i: i for i in range(3000)}, "names": {str(i): i for i in range(3000)}}
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    assert torch.load(file) == value
