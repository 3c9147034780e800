"""What is known of the machine, and the kernel that measures its peak (never how fast it is)."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import machine
from rushlight.kernels.runtime import jit


def test_processor_seconds_of_all_but_idle() -> None:
    stat = "cpu  100 20 30 9000 400 5 6 7 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n"
    assert machine.busy_seconds(stat, 100) == pytest.approx(1.68)


def test_others_are_what_is_busy_and_not_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = iter([(0.0, 100.0, 5.0), (10.0, 118.0, 15.0)])
    monkeypatch.setattr(machine.Watch, "now", staticmethod(lambda: next(moments)))
    assert machine.Watch().others() == pytest.approx(0.8)


def test_a_system_that_does_not_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.Watch, "now", staticmethod(lambda: None))
    assert machine.Watch().others() is None


def test_refusal_in_four_parts() -> None:
    text = machine.refusal(0.8)
    assert "the machine is loaded" in text
    assert [x.split()[0] for x in text.splitlines()[1:]] == ["got", "wanted", "try"]
    assert "--force" in text


def test_description_has_what_the_report_needs() -> None:
    found = machine.description()
    assert found["cpu"]
    assert found["cores"] >= 1
    assert found["memory"] > 0
    assert found["versions"]["numpy"] == np.__version__


@pytest.mark.skipif(not jit.available(), reason="no machine code here")
def test_peak_kernel_computes_what_it_says() -> None:
    lanes = jit.target().lanes
    room = np.full(lanes, 0.5, np.float32)
    machine.fused_multiply_adds(lanes)(room, 1)
    wanted = sum(0.5 * i + 0.5 for i in range(machine.CHAINS))
    np.testing.assert_array_equal(room, np.float32(wanted))
