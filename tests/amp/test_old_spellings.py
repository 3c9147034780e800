"""The older names of autocast's questions answer as the present ones, and say that they are old."""

from __future__ import annotations

import pytest

import rushlight


def test_older_questions() -> None:
    with rushlight.autocast("cpu", dtype=rushlight.bfloat16):
        with pytest.warns(DeprecationWarning, match="is_autocast_enabled"):
            assert rushlight.is_autocast_cpu_enabled()
        with pytest.warns(DeprecationWarning, match="get_autocast_dtype"):
            assert rushlight.get_autocast_cpu_dtype() is rushlight.bfloat16
    with pytest.warns(DeprecationWarning, match="get_autocast_dtype"):
        assert rushlight.get_autocast_gpu_dtype() is rushlight.float16
