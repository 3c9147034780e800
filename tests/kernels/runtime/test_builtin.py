"""Built-in functions around machine code: arrays, None, numbers, and the global lock."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels.codegen.ir import F64, I64, PTR, Module, Value
from rushlight.kernels.runtime import builtin, jit

pytestmark = pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


def built(release: Any) -> Any:
    """f(y, x or None, n, by): y[:n] = x[:n] * by, or by."""

    def build() -> Module:
        module = Module("toy")
        args = [("y", PTR), ("x", PTR), ("n", I64), ("by", F64)]
        f = module.function("run", None, args)
        y, x, by = f.args["y"].of(F64), f.args["x"].of(F64), f.args["by"]
        there = f.compare("ne", f.args["x"], Value(f, PTR, "null"))
        with f.range(f.args["n"]) as i:
            value = f.var(by)
            with f.when(there):
                value.set(x[i] * by)
            y[i] = value.get()
        f.ret()
        builtin.entry(module, "call", "run", ["array", "array?", "int", "float"], release)
        return module

    found = jit.load(("test_builtin", release), build, ["call"], builtin.symbols())
    return builtin.function(found["call"], "toy", "what it does")


@pytest.mark.parametrize("release", [True, False, (2, 10)])
def test_arguments(release: Any) -> None:
    call = built(release)
    for n in (0, 3, 12):
        x, y = np.arange(n, dtype=np.float64), np.empty(n)
        assert call(y, x, n, 2.5) is None
        np.testing.assert_array_equal(y, x * 2.5)
        call(y, None, n, 2)
        assert (y == 2).all()


def test_name_and_documentation() -> None:
    call = built(True)
    assert call.__name__ == "toy"
    assert call.__doc__ == "what it does"
