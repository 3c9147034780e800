"""What holds for a while: it ends also when what begins or ends it is interrupted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rushlight.blocks import Presence, contextmanager

from .interrupting import interrupt_at


def test_a_block_whose_entrance_is_interrupted_has_ended() -> None:
    stack: list[str] = []

    @contextmanager
    def block() -> Iterator[str]:
        stack.append("inside")
        try:
            yield "value"
        finally:
            stack.pop()

    def program() -> None:
        with block() as value:
            assert value == "value"
            assert stack == ["inside"]

    total, error = interrupt_at(-1, program)
    assert error is None
    kept = []  # their tracebacks, as a notebook keeps the last one
    for at in range(1, total + 1):
        kept.append(interrupt_at(at, program)[1])
        assert not stack
    assert any(kept)


def test_a_block_is_one_of_contextlib() -> None:
    @contextmanager
    def block(fail: bool) -> Iterator[None]:
        if not fail:
            yield

    with block(False):
        pass
    with pytest.raises(RuntimeError, match="didn't yield"), block(True):
        pass

    @block(False)
    def decorated() -> int:
        return 5

    assert decorated() == decorated() == 5


def test_presence_tells_when_the_first_comes_and_the_last_goes() -> None:
    told: list[bool] = []
    someone = Presence(told.append)
    for who in "abb":
        someone.come(who)
    assert told == [True]
    for who in "bba":
        someone.go(who)
    assert told == [True, False]
    someone.again()
    assert told == [True, False, False]


def test_presence_that_is_interrupted() -> None:
    world: dict[str, bool] = {}

    def fit(on: bool) -> None:
        for name in ("first", "second", "third"):
            world.update({name: on})

    someone = Presence(fit)

    def leave() -> None:
        try:
            someone.go("me")
        except BaseException:
            someone.go("me")
            raise

    def program() -> None:
        someone.come("me")
        try:
            assert all(world.values())
        finally:
            try:
                leave()
            except BaseException:
                leave()
                raise

    total, _ = interrupt_at(-1, program)
    interrupts = 0
    for at in range(1, total + 1):
        error: Any = interrupt_at(at, program)[1]
        interrupts += error is not None
        assert not any(world.values())
        assert not someone.there
        assert someone.settled is False
    assert interrupts == total
    someone.come("other")
    assert all(world.values())
