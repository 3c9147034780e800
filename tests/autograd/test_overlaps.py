"""Operands that lie partly where an operation writes are refused where PyTorch refuses them."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import overlaps

FIRST = torch.tensor([0])
ZEROS = torch.zeros(1, 3, dtype=torch.int64)
PLACES = torch.tensor([2, 1, 0])
REFUSED: dict[str, Any] = {
    "row": lambda x: x.sub_(x[0]),
    "element": lambda x: x.mul_(x[0, 0]),
    "transposed": lambda x: x.add_(x.T),
    "neighbours": lambda x: x[1:].add_(x[:-1]),
    "setitem": lambda x: x.__setitem__(slice(1, None), x[:-1]),
    "copy_": lambda x: x.copy_(x.T),
    "another type": lambda x: x.view(torch.int32)[1:].add_(x[:-1].view(torch.int32)),
    "detached": lambda x: x[1:].add_(x.detach()[:-1]),
    "lerp_": lambda x: x[1:].lerp_(x[:-1], 0.5),
    "addcmul_": lambda x: x[1:].addcmul_(x[:-1], x[1:]),
    "shift": lambda x: x[:-1].__ilshift__(x[1:]),
    "out of a formula": lambda x: torch.exp(x, out=x.T),
    "out of add": lambda x: torch.add(x[1:], 1, out=x[:-1]),
    "out of clamp": lambda x: torch.clamp(x[1:], 0, 1, out=x[:-1]),
    "out of cumsum": lambda x: torch.cumsum(x, 0, out=x.T),
    "out of cat": lambda x: torch.cat([x], out=x),
    "out of gather": lambda x: torch.gather(PLACES, 0, PLACES, out=PLACES),
    "index_add_": lambda x: x.index_add_(0, FIRST, x[1:2]),
    "scatter_": lambda x: x.scatter_(0, ZEROS, x[1:2]),
    "put_": lambda x: x.put_(FIRST, x[0, 1]),
    "index_put_": lambda x: x.index_put_((FIRST,), x[1]),
    "index": lambda x: x.__setitem__(FIRST, x[1]),
    "masked_fill_": lambda x: (lambda m: m[1:].masked_fill_(m[:-1], False))(x > 0),
    "index_fill_": lambda x: (lambda i: i.index_fill_(0, i, 0))(PLACES.clone()),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("grad", [True, False])
def test_what_overlaps_is_refused_before_anything_is_changed(name: str, grad: bool) -> None:
    x = torch.arange(9.0).reshape(3, 3)
    told = r"(?s)single memory location.*clone\(\)"
    with torch.set_grad_enabled(grad), pytest.raises(RuntimeError, match=told):
        REFUSED[name](x)
    assert x.flatten().tolist() == list(range(9))


TAKEN: dict[str, Any] = {
    "all of it": lambda x: x.add_(x),
    "the same part": lambda x: x[1:].add_(x[1:]),
    "beside": lambda x: x[0].copy_(x[1]),
    "broadcast before": lambda x: x.__setitem__(slice(None), x[0]),
    "with gaps": lambda x: x[:, 1:].add_(x[:, :-1]),
    "one of its numbers": lambda x: x.fill_(x[0, 1]),
    "a clone": lambda x: x[1:].add_(x[:-1].clone()),
    "another view of NumPy's": lambda x: x[1:].add_(torch.from_numpy(x.numpy())[:-1]),
    "mask": lambda x: (lambda m: m.__setitem__(m, False))(x > 0),
    "reduction": lambda x: torch.sum(x, 0, out=x[0]),
}


@pytest.mark.parametrize("name", TAKEN)
@pytest.mark.parametrize("grad", [True, False])
def test_what_pytorch_takes_is_taken(name: str, grad: bool) -> None:
    with torch.set_grad_enabled(grad):
        TAKEN[name](torch.arange(9.0).reshape(3, 3))


def test_overlap_within_a_tensor() -> None:
    x = torch.ones(3, 3)
    assert torch._debug_has_internal_overlap(x.T) == overlaps.NO
    assert torch._debug_has_internal_overlap(x[0].expand(4, 3)) == overlaps.YES
    assert torch._debug_has_internal_overlap(x[:, ::2]) == overlaps.TOO_HARD
