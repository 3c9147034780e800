"""Freed memory serves the next result, and goes back when asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rushlight.kernels.runtime import memory

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not memory.settle(), reason="the C library is not glibc"
)


def run(script: str, **env: str) -> list[int]:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MALLOC_")}
    out = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT,
        env={**clean, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **env},
    )  # fmt: skip
    return [int(n) for n in out.stdout.split()]


FAULTS = """
import resource, rushlight as torch
x = [torch.ones(n << 18) for n in (2, 8, 24)]
def faults():
    for _ in range(10):
        for t in x:
            (t + t).sum()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
first = faults()
print(faults() - first)
"""


@pytest.mark.slow
def test_results_of_some_megabytes_take_no_new_pages() -> None:
    pages = 10 * (2 + 8 + 24) * 256
    assert run(FAULTS)[0] < pages / 20


@pytest.mark.slow
def test_settings_of_the_environment_are_kept() -> None:
    script = "from rushlight.kernels.runtime import memory; print(int(memory.settle()))"
    assert run(script) == [1]
    assert run(script, MALLOC_TRIM_THRESHOLD_="131072") == [0]


BURST = """
import rushlight as torch
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096
start = resident()
many = [torch.ones(2 << 18) for _ in range(100)]
top = resident()
del many
torch.cpu.empty_cache()
print(start, top, resident())
"""


def test_a_burst_is_given_back() -> None:
    start, top, after = run(BURST)
    assert top - start > 150 << 20
    assert after - start < 20 << 20
