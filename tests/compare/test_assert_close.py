"""`torch.testing.assert_close` against PyTorch's: what passes, and the words of what does not."""

from __future__ import annotations

import collections
import math
import re
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
nan, inf = math.nan, math.inf


class Cases:
    """Calls of `assert_close`, as `(actual, expected, options)`, made with either library."""

    def __init__(self, lib: Any) -> None:
        self.lib = lib
        self.t = lib.tensor
        self.parameter = lib.nn.Parameter
        self.mine = type("Mine", (lib.Tensor,), {})

    def numbers(self) -> list[Any]:
        return [
            (1, 1), (1, 1.0), (1, 2), (1.0, 1.1), (nan, nan), (inf, inf), (1j, 1j + 1),
            (True, False), (True, True), (np.bool_(True), True), (None, None), (None, 1), (1, None),
            (np.float32(1), 1.0), (np.float32(1), np.float64(1)), (10**20, 10**20 + 1),
            (1, 2, {"rtol": 0, "atol": 0}), (1, 2, {"rtol": 0.6, "atol": 0}),
            (nan, nan, {"equal_nan": True}), (1, 1.0, {"check_dtype": False}),
            (1, 1.5, {"check_dtype": False}),
        ]  # fmt: skip

    def holders(self) -> list[Any]:
        t = self.t
        return [
            ([1, 2], [1, 2]), ([1, 2], (1, 2)), ([1, 2], [1, 3]), ([1], [1, 2]), ([None], [1]),
            ({"a": 1}, {"a": 1}), ({"a": 1}, {"b": 1}), ({"a": 1, "c": 3}, {"b": 1, "d": 2}),
            ({"a": t([1.0])}, {"a": t([2.0])}), ([{"a": t([1.0])}], [{"a": t([2.0])}]),
            (collections.OrderedDict(a=1), {"a": 1}), (range(3), [0, 1, 2]),
            (self.lib.Size([1]), [1]), (self.lib.Size([1]), (2,)), ((t(1.0),), (t(3.0),)),
            ([t([1.0]), t([5.0])], [t([2.0]), t([6.0])]),
            ({"a": [1, {"b": t([1.0, 2.0])}]}, {"a": [1, {"b": t([1.0, 3.0])}]}),
        ]  # fmt: skip

    def tensors(self) -> list[Any]:
        t, lib = self.t, self.lib
        return [
            (t([1.0, 2.0]), t([1.0, 2.0])), (t([1.0, 2.0]), t([1.0, 2.5])), (t(1.0), t(2.0)),
            (t([[1.0, 2.0], [3.0, 4.0]]), t([[1.0, 2.5], [3.0, 0.0]])), (t([]), t([])),
            (t([1]), t([1])), (t([1]), t([2])), (t([1, 5, 9]), t([2, 5, 7])), (t(1), t(2)),
            (t([True]), t([False])), (t(True), t(False)), (t([nan]), t([nan])),
            (t([nan, 1.0]), t([1.0, nan])), (t([inf, 1.0]), t([inf, 1.0])),
            (t([inf, 1.0]), t([-inf, 1.0])), (t([1.0]), t([[1.0]])), (t([1j]), t([1j + 1])),
            (t([0.0, 0.0]), t([1e-6, 1.0])), (t([1.0]), t([0.0])), (t([2**62]), t([2**62 + 1])),
            (t([1.0], dtype=lib.float64), t([1.0])),
            (t([1.0], dtype=lib.bfloat16), t([1.01], dtype=lib.bfloat16)),
            (t([1.0], dtype=lib.float16), t([1.01], dtype=lib.float16)),
            (t([1], dtype=lib.uint8), t([2], dtype=lib.uint8)),
            (t([1, 2], dtype=lib.uint16), t([1, 3], dtype=lib.uint16)),
            (t([1.5], dtype=lib.float8_e4m3fn), t([1.5], dtype=lib.float8_e4m3fn)),
            (t([1.5], dtype=lib.float8_e4m3fn), t([2.0], dtype=lib.float8_e4m3fn)),
            (lib.ones(2, device="meta"), lib.ones(2, device="meta")),
            (lib.ones(2, device="meta"), lib.ones(2)),
            (t([1.0]), t([1.0]), {"allow_subclasses": False}), (np.ones(2), np.ones(3)),
            (np.ones(2), np.array([1.0, 2.0])), (self.parameter(t([1.0])), t([1.0])),
            (t([1.0]).as_subclass(self.mine), t([1.0])), (t([1.0]).requires_grad_(), t([1.0])),
        ]  # fmt: skip

    def options(self) -> list[Any]:
        t, lib = self.t, self.lib
        return [
            (t([1.0, 2.0]), t([1.0, 2.1]), {"rtol": 0.1, "atol": 0.0}),
            (t([1.0, 2.0]), t([1.0, 2.1]), {"rtol": 0, "atol": 0}),
            (t([1.0]), t([1.0]), {"rtol": 0.1}), (t([1.0]), t([1.0]), {"atol": 1}),
            (t([1]), t([2]), {"rtol": 0.0, "atol": 1.0}), (t([nan]), t([nan]), {"equal_nan": True}),
            (t([1]), t([1.5]), {"check_dtype": False}), (t(1), t(2), {"check_dtype": False}),
            (t([1.0], dtype=lib.bfloat16), t([1.02]), {"check_dtype": False}),
            (lib.ones(2, 3).t(), lib.ones(3, 2), {"check_stride": True}),
            (lib.ones(2, device="meta"), lib.ones(2), {"check_device": False}),
            (t([1.0]), t([2.0]), {"msg": "mine"}),
            (t([1.0]), t([2.0]), {"msg": lambda text: "X" + text}),
            ([1], [1, 2], {"msg": "mine"}), (None, 1, {"msg": "mine"}), ("a", "b", {"msg": "mine"}),
        ]  # fmt: skip

    def sparse(self) -> list[Any]:
        t = self.t
        x, y, z = t([1.0, 0.0]).to_sparse(), t([2.0, 0.0]).to_sparse(), t([0.0, 1.0]).to_sparse()
        rows, others = t([[1.0, 0.0]]).to_sparse_csr(), t([[2.0, 0.0]]).to_sparse_csr()
        return [
            (x, t([1.0, 0.0])), (x, x), (x, y), (x, z), (x, t([1.0, 1.0]).to_sparse()),
            (x, t([1.0, 0.0]), {"check_layout": False}),
            (y, t([1.0, 0.0]), {"check_layout": False}),
            (rows, rows), (rows, others), (rows, t([[0.0, 2.0]]).to_sparse_csr()),
            (rows, t([[2.0, 3.0]]).to_sparse_csr()),
            (t([[1.0]]).to_sparse(1), t([[1.0]]).to_sparse()),
        ]  # fmt: skip

    def unlike(self) -> list[Any]:
        t = self.t
        return [
            (1, t(1)), (t(1), 1), (t(1.0), t(1)), (np.ones(2), t([1.0, 1.0])), ("a", "a"),
            ("a", "b"), (object(), object()), ({1}, {1}), ("ab", ["a", "b"]),
            (self.lib.float32, self.lib.float32),
            (t([1.0]).as_subclass(self.mine), self.parameter(t([1.0]))),
            (self.parameter(t([1.0])), t([1.0]), {"allow_subclasses": False}),
        ]  # fmt: skip


def outcome(lib: Any, actual: Any, expected: Any, **kw: Any) -> str:
    try:
        lib.testing.assert_close(actual, expected, **kw)
    except (AssertionError, TypeError, ValueError) as error:
        text = f"{type(error).__name__}: {error}".replace("rushlight.", "torch.")
        return re.sub(r"<locals>\.|tensor\.Parameter", "", text)
    return "passes"


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta")
@pytest.mark.parametrize(
    "kind", ["numbers", "holders", "tensors", "options", "sparse", "unlike"]
)
def test_outcomes_and_words(kind: str) -> None:
    ours, theirs = getattr(Cases(rushlight), kind)(), getattr(Cases(torch), kind)()
    different = []
    for i, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
        found = outcome(rushlight, *mine[:2], **(mine[2] if len(mine) > 2 else {}))
        wanted = outcome(torch, *other[:2], **(other[2] if len(other) > 2 else {}))
        if found != wanted:
            different.append(f"{i}: {found!r}\n   {wanted!r}")
    assert not different, "\n".join(different)
