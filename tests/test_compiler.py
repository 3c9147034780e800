"""Questions about a compiler have an answer: there is none at work."""

from __future__ import annotations

import rushlight


def test_nothing_is_being_compiled() -> None:
    assert rushlight.compiler.is_compiling() is False
    assert rushlight.compiler.is_exporting() is False
