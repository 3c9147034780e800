"""`torch._foreach_*`: a function for each tensor of a list, as PyTorch's."""

from __future__ import annotations

from typing import Any

import pytest

import rushlight

# What stands beside the first list: "a" to "c" are lists of tensors, the rest is meant as it is.
GIVEN = [
    (), ("b",), (2,), (2.5,), ([1.0, 2.0],), ("b", "c"), ("b", 0.5), ("b", "c", 0.5),
    ("b", "c", [1.0, 2.0]), ("b", {"alpha": 2}), ("b", "c", {"value": 0.5}),
    ("b", "c", {"scalars": [1.0, 2.0]}), ("b", {"weight": 0.3}), ("short",), ("tensor",),
]  # fmt: skip


def outcome(torch: Any, name: str, given: Any) -> Any:
    torch.manual_seed(0)
    lists = {k: [torch.rand(3) / 2 + 0.2, torch.rand(2, 2) / 2 + 0.2] for k in "abc"}
    lists["short"], lists["tensor"] = lists["b"][:1], torch.tensor(2.0)
    kw = next((g for g in given if isinstance(g, dict)), {})
    args = [lists.get(g, g) if isinstance(g, str) else g for g in given if g is not kw]
    try:
        found = getattr(torch, name)(lists["a"], *args, **kw)
    except Exception as error:
        return type(error).__name__
    changed = [t.tolist() for t in lists["a"]]
    if found is None:
        return "nothing", changed
    return type(found), found is lists["a"], [t.tolist() for t in found], changed


def names() -> list[str]:
    torch = pytest.importorskip("torch")
    return [n for n in dir(torch) if n.startswith("_foreach_")]


def test_each_function() -> None:
    torch = pytest.importorskip("torch")
    assert len(names()) > 80
    for name in names():
        for given in GIVEN:
            ours, theirs = outcome(rushlight, name, given), outcome(torch, name, given)
            if isinstance(theirs, str):
                assert isinstance(ours, str), (name, given, theirs, ours)
                continue
            assert not isinstance(ours, str), (name, given, ours)
            assert ours[:2] == theirs[:2], (name, given)
            for a, b in zip(ours[2:], theirs[2:], strict=True):
                assert [pytest.approx(y, rel=1e-5) for x in b for y in flat(x)] == [
                    y for x in a for y in flat(x)
                ], (name, given)


def flat(x: Any) -> list[float]:
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]


SPECIAL = [
    lambda torch, x: torch._foreach_pow(2, x),
    lambda torch, x: torch._foreach_pow(torch.tensor(2.0), x),
    lambda torch, x: torch._foreach_addcmul(x, x, x, scalars=torch.tensor([1.0, 2.0])),
    lambda torch, x: torch._foreach_addcdiv(x, x, x, torch.tensor([1.0, 2.0])),
    lambda torch, x: torch._foreach_addcmul(x, x, x, scalars=torch.tensor([1.0])),
    lambda torch, x: torch._foreach_addcmul(x, x, x, scalars=torch.tensor(1.0)),
    lambda torch, x: torch._foreach_addcmul(x, x, x, torch.ones(2, 2)[:, 0]),
    lambda torch, x: torch._foreach_maximum(x, 1j),
]


@pytest.mark.parametrize("row", range(len(SPECIAL)))
def test_numbers_in_other_places(row: int) -> None:
    torch = pytest.importorskip("torch")

    def told(torch: Any) -> Any:
        try:
            return [t.tolist() for t in SPECIAL[row](torch, [torch.ones(3) * 2, torch.ones(2)])]
        except (RuntimeError, TypeError) as error:
            return type(error).__name__, str(error).split("\n")[0]

    assert told(rushlight) == told(torch)
