"""Launches: names, places, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.codegen.interface import Interface
from rushlight.kernels.launch import Launch, Reference, Series, address_of, renamed


class Kernel:
    """A kernel's outside."""

    interface = Interface("toy", "y = x n", {"x?": "", "y": ""}, {"n": ""}, {"by": ""})


def launch(**given: Any) -> Launch:
    return Launch(Kernel(), **{"x": "a", "y": "b", "n": 3, "by": 2.0, **given})  # type: ignore[arg-type]


def test_fields_are_in_the_order_of_the_call() -> None:
    assert [*launch().fields()] == [("x", "a"), ("y", "b"), ("n", 3), ("by", 2.0)]


@pytest.mark.parametrize(
    ("given", "words"),
    [({"z": 1}, "unknown"), ({"n": 1.5}, "n is an int"), ({"y": None}, "name of an array")],
)
def test_wrong_arguments(given: dict[str, Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        launch(**given)


def test_arguments_of_the_native_function() -> None:
    one = launch(x=None, y=("b", 16), by="factor")
    assert one.arguments({"b": 1000}, {"factor": 0.5}) == [0, 1016, 3, 0.5]
    assert address_of(None, {}) == 0


def test_other_names() -> None:
    one = renamed(launch(y=("b", 8)), {"a": "input"}, "inner_", {})
    assert isinstance(one, Launch)
    assert one.arrays == ("input", ("inner_b", 8))
    both = renamed(Series([launch()]), {"b": "out"}, "inner_", {})
    assert isinstance(both, Series)
    assert both.arrays == ("inner_a", "out")
    other = renamed(Reference(np.add, ("a", "b"), ("c",)), {}, "inner_", {})
    assert isinstance(other, Reference)
    assert other.results == ("inner_c",)
