"""Who holds the memory: errors say it in a line, `torch.explain.memory` in a table, of the same."""

from __future__ import annotations

from typing import Any

import rushlight as torch
from rushlight import nn
from rushlight.autograd import holders


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.Sequential(nn.Linear(1500, 900), nn.Linear(900, 1))


def said(shape: tuple[int, ...]) -> list[str]:
    return [str(h) for h in holders.largest(20) if h.shape == shape]


def test_parameters_are_named_by_their_path() -> None:
    model = Net()
    optimizer = torch.optim.Adam(model.parameters())
    model.blocks(torch.ones(2, 1500)).sum().backward()
    optimizer.step()
    names = {text.partition(": ")[2] for text in said((900, 1500))}
    weight = "blocks.0.weight of Net"
    assert {weight, f"gradient of {weight}", f"exp_avg of {weight}"} <= names


def test_what_a_variable_holds_is_said_by_it() -> None:
    kept: Any = {"a": [torch.ones(1100, 1300)]}
    x = torch.ones(1200, 1300, requires_grad=True)
    y = x.exp()  # which its node keeps as well
    (text,) = said((1100, 1300))
    assert "kept (a dict of 1) in test_what" in text
    assert sorted(": y in test" in t or ": x in test" in t for t in said((1200, 1300))) == [
        True, True,
    ]  # fmt: skip
    z = y * y.sum()
    del y
    texts = said((1200, 1300))
    assert any("saved by" in t and "Backward0 at" in t for t in texts)
    del kept, x, z


def test_objects_that_stand_for_others_are_not_asked() -> None:
    class Proxy:
        @property
        def __class__(self) -> Any:
            raise AssertionError

    proxy, t = Proxy(), torch.ones(1700, 1300)
    assert len(said((1700, 1300))) == 1
    del proxy, t


def test_nothing_is_kept_by_looking() -> None:
    import gc
    import weakref

    def look() -> Any:
        t = torch.ones(1900, 1300)
        holders.largest(3)
        torch.explain.memory()
        return weakref.ref(t)

    gc.disable()
    try:
        assert look()() is None
    finally:
        gc.enable()
