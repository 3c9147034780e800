"""A kernel's interface: from the declaration to packing, native functions and documentation."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from rushlight.kernels.codegen.interface import Interface, Kernel, Words
from rushlight.kernels.codegen.ir import F64, I64, PTR, Function, Module
from rushlight.kernels.runtime import jit, threads


def interface(state: tuple[str, ...] = ()) -> Interface:
    return Interface(
        "toy",
        "y = x * by, or by",
        arrays={"y": "the result", "x?": "an operand"},
        ints={"n": "elements", "each": "elements of a chunk"},
        floats={"by": "a factor"},
        state=state,
        release=("n", 500),
    )


TOY = interface(("seen",))


def build(made: Interface, ends: bool) -> Module:
    """y = x * by; with `ends`, y = x * by + by, where the calling thread adds when all is done."""
    module = Module("toy")
    threads.declare_run(module)
    f = module.function("chunk", None, [("context", PTR), ("index", I64)], private=True)
    word = made.words(f.args["context"])
    start = f.args["index"] * word["each"]
    stop = f.select(start + word["each"] < word["n"], start + word["each"], word["n"])
    with f.range(start, stop) as i:
        word["y"].of(F64)[i] = word["x"].of(F64)[i] * word["by"]
    f.ret()

    def finish(f: Function, words: Words) -> None:
        y = words["y"].of(F64)
        with f.range(words["n"]) as i:
            y[i] = y[i] + words["by"]

    made.write(
        module, lambda _f, w: (w["n"] + (w["each"] - 1)) // w["each"],
        finish=finish if ends else None,
    )  # fmt: skip
    return module


def test_types_and_places() -> None:
    assert TOY.types == {"y": PTR, "x": PTR, "n": I64, "each": I64, "by": F64}
    assert TOY.optional == {"x"}
    assert TOY.places["seen"] == 5
    assert repr(TOY) == "toy(y, x, n, each, by)"


def test_documentation() -> None:
    text = TOY.documentation()
    assert text.startswith("toy: y = x * by, or by")
    assert "    x: array or None. an operand" in text
    assert "    by: float. a factor" in text


@pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
@pytest.mark.parametrize("ends", [False, True])
@pytest.mark.parametrize("state", [(), ("seen",)], ids=["packed as given", "with a state"])
def test_python_native_and_packed_calls_are_one(state: tuple[str, ...], ends: bool) -> None:
    threads.ready()
    made = interface(state)
    kernel = Kernel(made, ("test", state, ends), lambda: build(made, ends))
    for n in (1000, 130, 0):
        x = np.arange(float(n))
        found = [np.empty_like(x) for _ in range(3)]
        kernel.call(found[0], x, n, 128, 0.5)
        run = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 4, ctypes.c_double)(kernel.address)
        run(found[1].ctypes.data, x.ctypes.data, n, 128, 0.5)
        words = np.array([found[2].ctypes.data, x.ctypes.data, n, 128, 0], np.int64)
        words[4:].view(np.float64)[0] = 0.5
        ctypes.CFUNCTYPE(None, ctypes.c_int64)(kernel.invoke)(words.ctypes.data)
        for y in found:
            np.testing.assert_array_equal(y, x * 0.5 + 0.5 * ends)
    assert kernel.call.__doc__ == made.documentation()


@pytest.mark.skipif(not jit.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
def test_kernels_with_the_same_arguments_share_pythons_way_in() -> None:
    assert interface().entry() == TOY.entry()
    other = Interface("other", "", arrays={"y": ""}, ints={"n": ""})
    assert other.entry() != TOY.entry()
