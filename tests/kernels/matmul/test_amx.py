"""RUSHLIGHT_AMX=0 forbids the matrix unit, whatever the CPU has; nothing else is asked then."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from rushlight.kernels.matmul import amx
from rushlight.kernels.runtime import jit


class Linux:
    """A system that gives leave."""

    def __init__(self, _name: None) -> None: ...

    def syscall(self, *_given: int) -> int:
        return 0


@pytest.fixture
def a_cpu_with_the_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    found: Any = SimpleNamespace(features="+amx-tile,+amx-bf16,+avx512bf16", lanes=amx.SIDE)
    monkeypatch.setattr(jit, "target", lambda: found)
    monkeypatch.setattr(amx.ctypes, "CDLL", Linux)
    monkeypatch.setattr(sys, "platform", "linux")


@pytest.mark.parametrize(
    ("value", "allowed"),
    [(None, True), ("1", True), ("", True), ("0", False), ("off", False), ("No", False)],
)
@pytest.mark.usefixtures("a_cpu_with_the_unit")
def test_the_setting(value: str | None, allowed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUSHLIGHT_AMX", raising=False)
    if value is not None:
        monkeypatch.setenv("RUSHLIGHT_AMX", value)
    assert amx.available.__wrapped__() is allowed  # the function below its cache
