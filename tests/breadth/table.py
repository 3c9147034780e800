"""The calls of all themes in one table, and results as plain data. Not a test file.

A call takes the package (`torch`, or Rushlight) and returns something to compare: tensors,
numbers, strings, lists of them. `t.vision` is its torchvision.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
THEMES = (
    "tensor_methods functions modules nn_functions training vision elsewhere".split()  # noqa: SIM905
)
NAMES: dict[str, int] = {
    name: int(repos)
    for name, repos in (
        line.split()
        for line in (HERE.parent / "data" / "breadth_names.txt").read_text("utf-8").splitlines()
    )
}


def load() -> dict[str, Callable[[Any], Any]]:
    """name -> call."""
    found: dict[str, Callable[[Any], Any]] = {}
    for theme in THEMES:
        calls = run_path(str(HERE / f"{theme}.py"))["CALLS"]
        assert not found.keys() & calls.keys(), f"named twice: {found.keys() & calls.keys()}"
        found |= calls
    return found


CALLS = load()


class Package:
    """A package and its torchvision under one name."""

    def __init__(self, package: Any, vision: Any) -> None:
        self._package, self._vision = package, vision

    def __getattr__(self, name: str) -> Any:
        return self._vision() if name == "vision" else getattr(self._package, name)


def plain(value: Any) -> Any:
    """A result as JSON could hold it; a tensor keeps its type and shape."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if hasattr(value, "requires_grad") and hasattr(value, "numpy"):
        if str(value.device) != "cpu":
            return str(value.device)
        return {
            "dtype": str(value.dtype),
            "shape": list(value.shape),
            "values": plain_numbers(value.detach().reshape(-1).tolist()),
        }
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "__len__") and hasattr(value, "__iter__"):
        return [plain(v) for v in value]
    return str(value)


def plain_numbers(values: list[Any]) -> list[Any]:
    """NaN and infinities as words, which JSON can hold."""
    return [v if not isinstance(v, float) or np.isfinite(v) else str(v) for v in values]


def differs(got: Any, wanted: Any, where: str = "result") -> str | None:
    """What differs first between two plain results; None if nothing does, up to rounding."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        if got.keys() != wanted.keys():
            return f"{where}: keys {list(got)}, wanted {list(wanted)}"
        pairs = [(got[k], wanted[k], f"{where}[{k!r}]") for k in wanted]
    elif isinstance(wanted, list) and isinstance(got, list):
        if len(got) != len(wanted):
            return f"{where}: {len(got)} parts, wanted {len(wanted)}"
        pairs = [(g, w, f"{where}[{i}]") for i, (g, w) in enumerate(zip(got, wanted, strict=True))]
    elif isinstance(wanted, float) and isinstance(got, float):
        near = abs(got - wanted) <= 2e-6 + 2e-5 * abs(wanted)
        return None if near else f"{where}: {got}, wanted {wanted}"
    else:
        same = type(got) is type(wanted) and got == wanted
        return None if same else f"{where}: {got!r}, wanted {wanted!r}"
    return next((text for pair in pairs if (text := differs(*pair)) is not None), None)
