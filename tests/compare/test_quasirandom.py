"""Sobol's points are PyTorch's, to the bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")
pytest.importorskip("scipy")

# what is drawn from an engine, one after the other
DRAWS: dict[str, Callable[[Any, Any], list[Any]]] = {
    "at once": lambda _, e: [e.draw(100)],
    "one by one": lambda _, e: [e.draw(), e.draw(), e.draw(1), e.draw(5), e.draw(0)],
    "doubles": lambda t, e: [e.draw(9, dtype=t.float64), e.draw(1, dtype=t.float64)],
    "integers": lambda t, e: [e.draw(1, dtype=t.int64)],
    "powers of 2": lambda _, e: [e.draw_base2(3), e.draw_base2(3), e.draw_base2(4)],
    "forward": lambda _, e: [e.fast_forward(0).draw(2), e.fast_forward(77).draw(3)],
    "forward first": lambda _, e: [e.fast_forward(6).draw(3), e.num_generated],
    "again": lambda _, e: [e.draw(5), e.reset().draw(5), e.sobolstate, e.shift, e.quasi],
    "into": lambda t, e: [e.draw(5, out=t.zeros(0))],
    "names": lambda _, e: [repr(e), e.dimension, e.seed, e.scramble],
}


@pytest.mark.parametrize("how", [{}, {"scramble": True, "seed": 7}, {"scramble": True}], ids=str)
@pytest.mark.parametrize("case", DRAWS)
@pytest.mark.parametrize("dimension", [1, 5, 111])
def test_draws(dimension: int, case: str, how: dict[str, Any]) -> None:
    results = []
    for t in (rushlight, torch):
        t.manual_seed(3)
        engine = t.quasirandom.SobolEngine(dimension, **how)
        drawn = DRAWS[case](t, engine)
        results.append(
            [(str(x.dtype), x.tolist()) if hasattr(x, "tolist") else x for x in drawn]
            + [t.rand(3).tolist()]
        )
    ours, theirs = results
    assert repr(ours).replace("rushlight.", "torch.") == repr(theirs)


@pytest.mark.parametrize(
    "call",
    [
        lambda S, t: S(0),
        lambda S, t: S(21202),
        lambda S, t: S(2).draw(0),
        lambda S, t: S(2).draw(-1),
        lambda S, t: S(2).draw(2.5),
        lambda S, t: S(2).draw(3, dtype=t.float16),
        lambda S, t: S(2).draw(3, dtype=t.int64),
        lambda S, t: S(2).fast_forward(1).draw_base2(2),
    ],
)
def test_refused(call: Callable[[Any, Any], Any]) -> None:
    with pytest.raises(Exception) as theirs:  # noqa: PT011 (PyTorch says which one)
        call(torch.quasirandom.SobolEngine, torch)
    with pytest.raises(theirs.type) as ours:
        call(rushlight.quasirandom.SobolEngine, rushlight)
    assert " ".join(str(theirs.value).split()[:4]) in str(ours.value)
