"""The machine code of small steps: what it is linked with, and that it is written as stated."""

from __future__ import annotations

import numpy as np
import pytest

from rushlight.kernels import runtime
from rushlight.kernels.runtime import builtin, few_code, jit
from rushlight.kernels.runtime.memory import numpy_address

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no machine code here")


def test_all_that_is_declared_has_an_address() -> None:
    found = few_code.symbols()
    module = few_code.build()
    needed = {*module.declared, *module.globals}
    assert {n for n in needed if not n.startswith("llvm.")} <= set(found)
    assert all(found.values())
    assert found["array_new"] == numpy_address(few_code.NEW_FROM_DESCR)


def test_the_fields_of_an_ndarray() -> None:
    import ctypes

    a = np.zeros((2, 3), np.float32)
    at = lambda offset, kind: kind.from_address(id(a) + offset).value  # noqa: E731
    assert at(few_code.KIND, ctypes.c_void_p) == id(np.ndarray)
    assert at(few_code.DESCR, ctypes.c_void_p) == id(a.dtype)
    assert at(few_code.FLAGS, ctypes.c_int) == a.flags.num
    assert at(builtin.ND, ctypes.c_int) == 2


def test_a_function_returns_none_where_a_demand_fails() -> None:
    def build() -> few_code.Module:
        module = few_code.Module("few_test")
        few_code.declare(module)
        f, args = few_code.begin(module, "call")
        few_code.demand(f, few_code.demand_int(f, args[0]) == 7)
        f.call("Py_IncRef", None, [args[0]])
        few_code.end(f, args[0])
        return module

    found = jit.load(("few_test",), build, ["call"], few_code.symbols())
    seven = builtin.function(found["call"], "seven")
    assert seven(7) == 7
    assert [seven(x) for x in (8, True, 7.0, "7", 1 << 90)] == [None] * 5
