"""Parameters under NumPy's names: native functions take them, as PyTorch's do."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight

CALLS = [
    lambda torch, x: torch.fft.fft(x, axis=0),
    lambda torch, x: torch.fft.fft2(x, axis=(0, 1)),
    lambda torch, x: torch.linalg.vector_norm(x, axis=0, keepdims=True),
    lambda torch, x: torch.linalg.matrix_norm(x, axis=(0, 1)),
    lambda torch, x: torch.linalg.cross(x, x2=x),
    lambda torch, x: torch.linalg.vecdot(x, x, axis=0),
    lambda torch, x: torch.special.logsumexp(x, axis=0),
    lambda torch, x: torch.cumsum(x, axis=0),
    lambda torch, x: x.cummax(axis=0),
    lambda torch, x: torch.add(x1=x, x2=x),
    lambda torch, x: torch.sum(a=x),
    lambda torch, x: torch.unbind(x, axis=0),
    lambda torch, x: torch.roll(torch.tensor(0), 0, None),
    # and these take none
    lambda torch, x: torch.flip(x, axis=0),
    lambda torch, x: torch.roll(x, 1, axis=0),
    lambda torch, x: torch.fft.fft(x, nope=1),
]


def outcome(torch: Any, call: Any) -> Any:
    x = torch.arange(6.0).reshape(2, 3)
    try:
        found = call(torch, x)
    except TypeError:
        return TypeError
    return [t.tolist() for t in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("row", range(len(CALLS)))
def test_names(row: int) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = outcome(rushlight, CALLS[row]), outcome(torch, CALLS[row])
    if theirs is TypeError:
        assert ours is TypeError
    else:
        rushlight.testing.assert_close(rushlight.tensor(ours), rushlight.tensor(theirs))
