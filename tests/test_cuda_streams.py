"""Streams of a device that is not there: making one raises, the context of None is harmless."""

from __future__ import annotations

import pytest

import rushlight


def test_a_stream_needs_a_device() -> None:
    with pytest.raises((RuntimeError, AssertionError), match="CUDA"):
        rushlight.cuda.Stream()


def test_reversible_layers_ask_whether_devices_have_a_random_state() -> None:
    """As `Deterministic` of the reversible transformers does, of which there are many copies."""
    from rushlight.utils.checkpoint import get_device_states, set_device_states

    assert rushlight.cuda._initialized is False
    assert rushlight.cuda._is_in_bad_fork() is False
    devices, states = get_device_states(rushlight.ones(2))
    assert (list(devices), list(states)) == ([], [])
    with rushlight.random.fork_rng(devices=devices, enabled=True):
        set_device_states(devices, states)
    with pytest.raises(RuntimeError, match="CUDA"):
        rushlight.cuda._lazy_init()


def test_no_stream_is_harmless() -> None:
    with rushlight.cuda.stream(None):
        assert rushlight.ones(2).sum().item() == 2
