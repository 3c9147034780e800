"""Kernels made for a CPU that can do less than this one give right results too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rushlight.kernels.matmul import select as matmul
from rushlight.kernels.runtime import jit

ROOT = Path(__file__).parents[2]
FILES = [
    "codegen/test_vecmath.py",
    "codegen/test_vecspecial.py",
    "codegen/test_piecewise.py",
    "codegen/test_planes.py",
    "elementwise/test_contiguous.py",
    "elementwise/test_formula.py",
    "elementwise/test_lowered.py",
    "elementwise/test_select.py",
    "matmul/test_select.py",
    "matmul/test_narrow.py",
    "matmul/test_gemv.py",
    "matmul/test_pairs.py",
    "conv/test_implicit_gemm.py",
    "conv/test_skipping_forward.py",
    "conv/test_direct_weight.py",
    "conv/test_skipping_weight.py",
    "conv/test_pairs.py",
    "conv/test_col2im.py",
    "conv/test_depthwise.py",
    "softmax/test_softmax.py",
    "norm/test_select.py",
    "norm/test_layer_norm.py",
    "norm/test_batch_norm.py",
    "norm/test_reference.py",
    "pool/test_average_pool.py",
    "loss/test_cross_entropy.py",
    "embedding/test_table.py",
    "pool/test_max_pool.py",
    "reduce/test_select.py",
    "scan/test_select.py",
    "optim/test_update.py",
    "multi_tensor/test_select.py",
    "fft/test_select.py",
    "sort/test_topk.py",
    "runtime/test_allocator.py",
]

WHICH = (
    "0 or special or lines or within or error_functions or alike or far or edge "
    "or scale_and or one_call or do_not_share or layouts or directions "
    "or stable_sort"
)

# Vectors of 16 bytes: what is made of the same instructions in another width was seen with 32.
FEW_FILES = ["codegen/test_vecmath.py", "codegen/test_piecewise.py",
             "elementwise/test_contiguous.py", "matmul/test_select.py", "matmul/test_gemv.py",
             "conv/test_implicit_gemm.py", "conv/test_direct_weight.py",
             "conv/test_skipping_weight.py", "softmax/test_softmax.py", "norm/test_layer_norm.py",
             "pool/test_average_pool.py", "reduce/test_select.py", "scan/test_select.py",
             "optim/test_update.py", "fft/test_select.py"]  # fmt: skip

UNIT_FILES = ["matmul/test_select.py", "conv/test_reference.py", "rnn/test_select.py",
              "conv/test_amx_conv.py", "conv/test_pairs.py", "matmul/test_amx_gemm.py",
              "matmul/test_amx_packed.py", "matmul/test_pairs.py"]  # fmt: skip

RUN = """
import sys
import llvmlite.binding as llvm
import pytest

lanes, files = int(sys.argv[1]), sys.argv[2:]
real = llvm.get_host_cpu_features()
beyond = {4: ("avx512", "avx10", "amx", "avx2"), 8: ("avx512", "avx10", "amx"), 16: ("amx",)}[lanes]
less = type(real)({k: v and not k.startswith(beyond) for k, v in real.items()})
llvm.get_host_cpu_features = lambda: less
if lanes < 16:
    llvm.get_host_cpu_name = lambda: "haswell" if lanes == 8 else "x86-64"
from rushlight.kernels.matmul import select as matmul
from rushlight.kernels.runtime import jit

assert jit.target().lanes == lanes, jit.target().lanes
assert not matmul.has_amx()
sys.exit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", "--no-header", *files]))
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0"),
    pytest.mark.skipif(
        not jit.available() or not jit.target().machine.triple.startswith("x86_64"),
        reason="another kind of CPU",
    ),
]


def passes(lanes: int, names: list[str], folder: Path, *options: str) -> None:
    """Run test files in a process that sees a lesser CPU."""
    env = {"RUSHLIGHT_CACHE": str(folder), **os.environ, "PYTHONPATH": str(ROOT)}
    files = [str(Path(__file__).parent / name) for name in names]
    out = subprocess.run(
        [sys.executable, "-c", RUN, str(lanes), *files, *options],
        cwd=ROOT, env=env, capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    assert out.returncode == 0, out.stdout[-3000:] + out.stderr[-2000:]


@pytest.mark.parametrize("lanes", [4, 8])
def test_narrower_vectors(lanes: int, tmp_path: Path) -> None:
    if jit.target().lanes <= lanes:
        pytest.skip("this CPU has no wider vectors")
    seen = lanes == 4 and jit.target().lanes > 8
    files = FEW_FILES if seen else FILES
    passes(lanes, files, tmp_path, "-k", WHICH)


def test_no_matrix_unit(tmp_path: Path) -> None:
    if not matmul.has_amx():
        pytest.skip("this CPU has no matrix unit, so the other tests are these")
    passes(16, UNIT_FILES, tmp_path)
