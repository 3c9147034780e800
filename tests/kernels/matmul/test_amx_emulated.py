"""The emulated instructions against what Intel's manual says of them, number by number, and against
the unit itself where there is one."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime, tuned
from rushlight.kernels.codegen.ir import PTR, Module
from rushlight.kernels.matmul import amx, amx_emulated
from rushlight.kernels.runtime import jit

WIDE = pytest.mark.skipif(
    not runtime.available() or jit.target().lanes != amx.SIDE, reason="no AVX-512, or no LLVM"
)
SMALLEST = np.float32(amx_emulated.SMALLEST)


def product(monkeypatch: pytest.MonkeyPatch, emulated: bool) -> Any:
    """`run(a, b, c)`: c += a @ b by one instruction; all are tiles that lie in rows."""
    monkeypatch.setattr(tuned, "emulated", lambda: emulated)
    module = Module("a product of two tiles")
    amx.configure(module)
    f = module.function("product", None, [("a", PTR), ("b", PTR), ("c", PTR)])
    a, b, c = (f.args[n].of("i8") for n in "abc")
    amx.begin(f)
    amx.zero(f, 1)  # another register than any below: it must not matter
    for tile, place in ((0, c), (4, a), (6, b)):
        amx.load(f, tile, place, 64)
    amx.instruct(f, "tdpbf16ps", [amx.number(f, t) for t in (0, 4, 6)])
    amx.store(f, 0, c, 64)
    amx.end(f)
    f.ret()
    code = jit.compiled(module.text())
    address = jit.link("product", code, ["product"], {})["product"]
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(address)

    def run(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        c = c.copy()
        call(a.ctypes.data, b.ctypes.data, c.ctypes.data)
        return c

    return run


def flushed(x: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) < SMALLEST, np.float32(0), x).astype(np.float32)


def by_the_manual(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """TDPBF16PS on words of two bfloat16 numbers. Products of such are exact in float64, and so
    is the sum with a float32 number as far as it decides how float32 rounds it here."""
    halves = [
        [flushed((w << 16).view(np.float32)), flushed((w & -65536).view(np.float32))]
        for w in (a, b)
    ]
    sums = []
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for x, y in zip(*halves, strict=True):
            found = np.zeros((16, 16), np.float32)
            for k in range(16):
                exact = x[:, k : k + 1].astype(np.float64) * y[k].astype(np.float64)
                found = flushed((exact + found).astype(np.float32))
            sums.append(found)
        return flushed(flushed(c) + flushed(sums[0] + sums[1]))


def operands(rng: np.random.Generator, how: str) -> list[np.ndarray]:
    """Two tiles of bfloat16 numbers, as words, and one of float32 sums."""
    x = rng.standard_normal((2, 16, 32)).astype(np.float32)
    if how == "small":  # products and sums about the smallest number that counts
        x *= np.exp2(rng.integers(-70, -60, x.shape)).astype(np.float32)
    elif how == "denormal":
        x *= np.exp2(rng.integers(-140, 10, x.shape)).astype(np.float32)
    elif how == "special":
        x[rng.random(x.shape) < 0.02] = rng.choice([np.inf, -np.inf, np.nan, 0.0, -0.0])
    c = rng.standard_normal((16, 16)).astype(np.float32)
    c *= SMALLEST if how == "small" else np.float32(1)
    bits = (x.view(np.uint32) >> 16).astype(np.uint16)
    a = bits[0].copy().view(np.int32)
    b = bits[1].copy().view(np.int32)
    return [a, b, c]


@WIDE
@pytest.mark.parametrize("how", ["plain", "small", "denormal", "special"])
def test_the_product_is_that_of_the_manual(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run, rng = product(monkeypatch, True), np.random.default_rng(0)
    for _ in range(20):
        a, b, c = operands(rng, how)
        found, wanted = run(a, b, c), by_the_manual(a, b, c)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
        good = ~np.isnan(wanted)
        np.testing.assert_array_equal(found.view(np.int32)[good], wanted.view(np.int32)[good])
        assert how == "special" or good.all()


@WIDE
@pytest.mark.skipif(
    not runtime.available() or "+amx-bf16" not in jit.target().features.split(","), reason="no AMX"
)
@pytest.mark.parametrize("how", ["plain", "small", "denormal", "special"])
def test_the_product_is_that_of_the_unit(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # asks Linux for leave; where the whole run emulates the unit, nobody has asked yet
    monkeypatch.setattr(tuned, "emulated", lambda: False)
    assert amx.present()
    emulated, by_the_unit = product(monkeypatch, True), product(monkeypatch, False)
    rng = np.random.default_rng(1)
    for _ in range(20):
        given = operands(rng, how)
        np.testing.assert_array_equal(emulated(*given), by_the_unit(*given))


@WIDE
def test_threads_have_registers_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    run, rng = product(monkeypatch, True), np.random.default_rng(2)
    given = [operands(rng, "plain") for _ in range(8)]
    wanted = [run(*g) for g in given]
    found: list[Any] = [None] * len(given)

    def work(i: int) -> None:
        for _ in range(200):  # ctypes lets the other threads run meanwhile
            found[i] = run(*given[i])
            if found[i].tobytes() != wanted[i].tobytes():
                return

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(given))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(a, b)


def test_kernels_that_emulate_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuned, "emulated", lambda: False)
    assert amx.key("name", 3) == ("name", 3)
    monkeypatch.setattr(tuned, "emulated", lambda: True)
    assert amx.key("name", 3) == ("name", 3, "emulated")
