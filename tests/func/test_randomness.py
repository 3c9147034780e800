"""Random numbers under vmap, also where a stream's few numbers come of one native call."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.func import vmap


@pytest.fixture(autouse=True)
def kernels_draw() -> None:
    for _ in range(200):  # as many as it takes until they do
        torch.rand(1)


@pytest.mark.parametrize("randomness", ["different", "same"])
def test_slices_draw_as_one_call(randomness: str) -> None:
    different = randomness == "different"
    torch.manual_seed(0)
    want = torch.rand(4, 2) if different else torch.rand(2).expand(4, 2)
    after = torch.rand(1)
    torch.manual_seed(0)
    got = vmap(lambda x: x + torch.rand(2), randomness=randomness)(torch.zeros(4, 1))
    assert torch.equal(got, want)
    assert torch.equal(torch.rand(1), after)


def test_few_numbers_are_refused_as_others_are() -> None:
    with pytest.raises(RuntimeError, match="random operation while in randomness error mode"):
        vmap(lambda x: x + torch.rand(1))(torch.zeros(4, 1))
    assert torch.rand(1).shape == (1,)
