"""Kernels made for a CPU with narrower vectors than this one give right results too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rushlight.kernels.llvm import jit

ROOT = Path(__file__).parents[3]
FILES = [
    "llvm/test_vecmath.py",
    "test_fused.py",
    "test_matmul.py",
    "test_conv_native.py",
    "test_conv_depthwise.py",
    "test_rows.py",
    "test_norm.py",
    "test_average.py",
    "test_loss_native.py",
    "test_embedding.py",
    "test_pool_native.py",
    "test_reduce_native.py",
    "test_scans.py",
    "test_update.py",
    "test_many.py",
    "test_allocator.py",
]

WHICH = (
    "0 or special or lines or within or error_functions or alike or far "
    "or scale_and or one_call or do_not_share"
)

RUN = """
import sys
import llvmlite.binding as llvm
import pytest

lanes, files = int(sys.argv[1]), sys.argv[2:]
real = llvm.get_host_cpu_features()
beyond = ("avx512", "avx10", "amx") if lanes == 8 else ("avx512", "avx10", "amx", "avx2")
less = type(real)({k: v and not k.startswith(beyond) for k, v in real.items()})
llvm.get_host_cpu_features = lambda: less
llvm.get_host_cpu_name = lambda: "haswell" if lanes == 8 else "x86-64"
from rushlight.kernels.llvm import jit

assert jit.target().lanes == lanes, jit.target().lanes
sys.exit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", "--no-header", *files]))
"""


@pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
@pytest.mark.parametrize("lanes", [4, 8])
def test_narrower_vectors(lanes: int, tmp_path: Path) -> None:
    if jit.target().lanes <= lanes or not jit.target().machine.triple.startswith("x86_64"):
        pytest.skip("this CPU has no wider vectors")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "RUSHLIGHT_CACHE": str(tmp_path)}
    files = [str(Path(__file__).parents[1] / name) for name in FILES]
    out = subprocess.run(
        [sys.executable, "-c", RUN, str(lanes), *files, "-k", WHICH],
        cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert out.returncode == 0, out.stdout[-3000:] + out.stderr[-2000:]
