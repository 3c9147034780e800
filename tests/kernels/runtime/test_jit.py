"""Kernels are assembled, compiled, kept on disk, loaded and called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.kernels.codegen import ir
from rushlight.kernels.codegen.ir import F32, F64, I32, I64, PTR
from rushlight.kernels.runtime import builtin, jit

from .damage import DAMAGES, damage

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def scale(lanes: int = 8) -> ir.Module:
    """y = 2 x + 1 with a masked tail."""
    module = ir.Module("scale")
    f = module.function("scale", None, [("x", PTR), ("y", "ptr noalias"), ("n", I64)])
    x, y, n = f.args["x"].of(F32), f.args["y"].of(F32), f.args["n"]
    main = n - n % lanes
    with f.range(0, main, lanes) as i:
        y.store(x.load(i, lanes) * 2.0 + 1.0, i)
    rest = f.convert(n - main, I32)
    mask = f.iota(ir.vector(I32, lanes)) < rest
    with f.when(rest > 0):
        y.store_masked(x.load_masked(main, mask) * 2.0 + 1.0, main, mask)
    f.ret()
    builtin.entry(module, "call", "scale", ["array", "array", "int"], release=(2, 100))
    return module


def loaded(key: tuple[Any, ...], build: Any, name: str = "call") -> Any:
    return builtin.function(jit.load(key, build, [name], builtin.symbols())[name], name)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9, 37, 1000])
@pytest.mark.parametrize("lanes", [4, 8, 16])
def test_a_kernel_computes_and_stays_within_its_arrays(n: int, lanes: int) -> None:
    call = loaded(("test-scale", lanes), lambda: scale(lanes))
    x = np.arange(n, dtype=np.float32)
    y = np.full(n + 4, -1, np.float32)
    assert call(x, y, n) is None
    np.testing.assert_array_equal(y[:n], 2 * x + 1)
    np.testing.assert_array_equal(y[n:], -1)


def one_float(write: Any, element: str = F64) -> Any:
    """A Python function of an array that writes `write(f, x[0])` to x[1]."""

    def build() -> ir.Module:
        module = ir.Module("one")
        f = module.function("one", None, [("x", PTR)])
        x = f.args["x"].of(element)
        x[1] = write(f, x[0])
        f.ret()
        builtin.entry(module, "call", "one", ["array"], release=False)
        return module

    text = build().text()
    return loaded(("test-one", text), build)


def test_operators_branches_and_loops() -> None:
    def collatz(f: ir.Function, x: ir.Value) -> ir.Value:
        n = f.var(f.convert(x, I64))
        steps = f.var(0)
        with f.repeat() as loop:
            loop.stop_if(n.get() == 1)
            with f.when(n.get() % 2 == 0) as branch:
                n.set(n.get() // 2)
            with branch.otherwise():
                n.set(n.get() * 3 + 1)
            steps.set(steps.get() + 1)
        return f.convert(steps.get(), F64)

    x = np.array([27.0, 0.0])
    one_float(collatz)(x)
    assert x[1] == 111


def test_float32_constants_are_rounded_as_numpy_rounds() -> None:
    for value in (0.1, 1e-46, 1e39, float("nan"), float("-inf"), 16777217.0):
        x = np.zeros(2, np.float32)
        with np.errstate(all="ignore"):
            one_float(lambda f, _x, v=value: f.const(F32, v), F32)(x)
            np.testing.assert_array_equal(x[1], np.float32(value))


def test_lanes_shuffles_and_masks() -> None:
    def build() -> ir.Module:
        module = ir.Module("lanes")
        f = module.function("lanes", None, [("x", PTR)])
        x = f.args["x"].of(F32)
        v = x.load(0, 4)
        x.store(f.shuffle(v, None, [3, 2, 1, 0]), 4)
        x.store(f.select(v > 1.5, v, -v), 8)
        x[12] = f.lane(v, 2) + f.lane(f.with_lane(v, f.const(F32, 9), 1), 1)
        f.ret()
        builtin.entry(module, "call", "lanes", ["array"], release=False)
        return module

    x = np.zeros(13, np.float32)
    x[:4] = [0, 1, 2, 3]
    loaded(("test-lanes",), build)(x)
    assert x.tolist() == [0, 1, 2, 3, 3, 2, 1, 0, 0, -1, 2, 3, 11]


def test_a_kernel_cannot_branch_on_a_value_in_python() -> None:
    with pytest.raises(TypeError, match=r"fn\.when"):
        one_float(lambda f, x: 1.0 if x > 0 else 0.0)


def test_none_is_a_null_pointer() -> None:
    def build() -> ir.Module:
        module = ir.Module("maybe")
        f = module.function("maybe", None, [("x", PTR), ("y", PTR)])
        with f.when(f.emit("i1", f"icmp ne ptr {f.args['y'].text}, null")):
            f.args["x"].of(F64)[0] = f.args["y"].of(F64)[0]
        f.ret()
        builtin.entry(module, "call", "maybe", ["array", "array?"], release=False)
        return module

    call = loaded(("test-maybe",), build)
    x = np.zeros(1)
    call(x, None)
    assert x[0] == 0
    call(x, np.array([5.0]))
    assert x[0] == 5


def test_calls_do_not_leak_references() -> None:
    call = loaded(("test-scale", 8), scale)
    x, y = np.zeros(4, np.float32), np.zeros(4, np.float32)
    before = sys.getrefcount(x), sys.getrefcount(None)
    for _ in range(1000):
        call(x, y, 4)
    assert sys.getrefcount(x) == before[0]
    assert abs(sys.getrefcount(None) - before[1]) < 50


SCRIPT = """
import numpy as np
from tests.kernels.runtime.test_jit import loaded, scale
from rushlight.kernels.runtime import jit
call = loaded(("scale", 16), scale)
x = np.arange(5, dtype=np.float32); y = np.zeros_like(x); call(x, y, 5)
assert y.tolist() == [1, 3, 5, 7, 9]
print(jit.counts.compiled, jit.counts.read, len(jit.counts.refused))
"""


def run(cache: str) -> list[int]:
    root = Path(__file__).parents[3]
    env = {**os.environ, "RUSHLIGHT_CACHE": cache, "PYTHONPATH": str(root)}
    out = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=env,
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert out.returncode == 0, out.stderr
    return [int(n) for n in out.stdout.split()]


def test_the_second_process_compiles_nothing(tmp_path: Path) -> None:
    assert run(str(tmp_path)) == [1, 0, 0]
    assert run(str(tmp_path)) == [0, 1, 0]


@pytest.mark.slow
@pytest.mark.parametrize("how", DAMAGES)
def test_damaged_cache_files_are_compiled_again(tmp_path: Path, how: str) -> None:
    run(str(tmp_path))
    (file,) = (tmp_path / "kernels").glob("*.o")
    damage(file, how)
    assert run(str(tmp_path)) == [1, 0, 1]
    assert run(str(tmp_path)) == [0, 1, 0]


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert run(str(blocked))[0] == 1
    assert run("") == [1, 0, 0]


def test_the_name_of_a_file_depends_on_the_key() -> None:
    assert jit.file_name(("a", 1)) != jit.file_name(("a", 2))
    assert jit.file_name(("a", 1)) == jit.file_name(("a", 1))


def test_code_on_disk_depends_on_all_that_write_it() -> None:
    """Else an older version's code would be run by a newer one."""
    package = Path(rushlight.__file__).parent
    texts = {p: p.read_text(encoding="utf-8") for p in package.rglob("*.py")}
    words = ("jit.load(", "compiled(")
    loading = [p for p, t in texts.items() if "ir import" in t and any(w in t for w in words)]
    assert {*loading} <= {*jit.writers()}
    assert package / "autograd" / "step_code.py" in jit.writers()


def test_assembly_can_be_read() -> None:
    assert "call" in jit.assembly(scale().text())
