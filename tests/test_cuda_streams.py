"""Streams of a device that is not there: making one raises, the context of None is harmless."""

from __future__ import annotations

import pytest

import rushlight


def test_a_stream_needs_a_device() -> None:
    with pytest.raises((RuntimeError, AssertionError), match="CUDA"):
        rushlight.cuda.Stream()


def test_no_stream_is_harmless() -> None:
    with rushlight.cuda.stream(None):
        assert rushlight.ones(2).sum().item() == 2
