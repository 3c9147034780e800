"""The ways of a convolution, each by itself: copies, margins, blocks, parts; exact on integers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import runtime, tuning
from rushlight.kernels.conv import launches, reference, select
from rushlight.kernels.conv.problem import Conv
from rushlight.kernels.matmul import amx
from rushlight.kernels.meta import MetaArray
from rushlight.kernels.plan import Draft, Launch, Plan, Reference

NATIVE = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
ONE, NONE = (1, 1), (0, 0)


def meta(a: Any) -> Any:
    return None if a is None else MetaArray(a.shape, a.dtype, a.strides)


class Case:
    """A convolution of small integers, and what NumPy makes of it."""

    def __init__(self, rng: np.random.Generator, x: Any, w: Any, *how: Any, dtype: Any = "f4"):
        out = reference.out_size(x[2:], w[2:], *how[:3])
        shapes = (x, w, w[:1], (x[0], w[0], *out))
        self.x, self.w, self.b, self.g = (rng.integers(-4, 5, s).astype(dtype) for s in shapes)
        self.how = how
        self.c = Conv.of(self.x, self.w, out, *how, "highest")

    def draft(self, result: str, bias: bool = True) -> tuple[Draft, tuple[Any, ...], Any]:
        """A draft for one of the three directions, its operands, and what shall come out."""
        names = {"y": ("x", "w", "bias"), "dx": ("g", "w"), "dw": ("x", "g")}[result]
        arrays = {"x": self.x, "w": self.w, "g": self.g, "bias": self.b if bias else None}
        d = Draft({k: meta(arrays[k]) for k in names})
        wanted = {
            "y": lambda: reference.forward(self.x, self.w, arrays["bias"], *self.how),
            "dx": lambda: reference.input_gradient(self.g, self.w, self.x.shape[2:], *self.how),
            "dw": lambda: reference.weight_gradient(self.x, self.g, self.w.shape[2:], *self.how),
        }[result]()
        d.array(result, MetaArray(wanted.shape, wanted.dtype))
        return d, tuple(arrays[k] for k in names), wanted


def forward(c: Conv, d: Draft) -> Plan:
    launches.implicit_gemm_forward(c, d, "x", "y")
    return launches.finished(c, d, "implicit_gemm", "y")


def flipped(c: Conv, d: Draft) -> Plan:
    launches.implicit_gemm_forward(c.flipped(), d, "g", "dx")
    return launches.finished(c, d, "implicit_gemm", "dx")


# Windows that kernels of other tests have too, so that they are compiled once.
DEPTHWISE = [((3, 4, 7, 9), (4, 1, 3, 3), ONE, ONE, ONE, 4),
             ((2, 3, 20), (6, 1, 5), (1,), (2,), (2,), 3)]  # fmt: skip
PLAIN = [((3, 4, 7, 9), (6, 4, 3, 2), (2, 1), (0, 1), ONE, 1),
         ((1, 6, 8, 8), (4, 3, 3, 3), ONE, ONE, ONE, 2),
         ((2, 3, 4, 4), (4, 3, 4, 4), ONE, NONE, ONE, 1),
         ((5, 2, 19), (3, 2, 3), (2,), (2,), (1,), 1)]  # fmt: skip
FLAT = [((3, 4, 7, 9), (6, 4, 3, 2), ONE, (1, 0), ONE, 1),
        ((2, 6, 8, 8), (4, 3, 3, 3), ONE, ONE, (1, 2), 2)]  # fmt: skip
SOLID = [*PLAIN, ((1, 6, 8, 8), (4, 3, 3, 3), ONE, ONE, (1, 2), 2),
         ((2, 3, 4, 5, 6), (4, 3, 2, 3, 2), (1, 2, 1), (1, 0, 1), (1, 1, 2), 1)]  # fmt: skip
WAYS: list[tuple[str, str, Any, Any]] = [
    *[("depthwise", "y", launches.depthwise_forward, case) for case in DEPTHWISE],
    *[("depthwise", "dx", launches.depthwise_input, case) for case in DEPTHWISE],
    *[("depthwise", "dw", launches.depthwise_weight, case) for case in DEPTHWISE],
    *[("im2col", "y", launches.im2col_forward, case) for case in PLAIN],
    *[("im2col", "dw", launches.im2col_weight, case) for case in PLAIN if case[-1] == 1],
    *[("col2im", "dx", launches.col2im_input, case) for case in PLAIN],
    *[("implicit_gemm", "y", forward, case) for case in SOLID],
    *[("implicit_gemm", "dw", launches.implicit_gemm_weight, case) for case in SOLID],
    *[("implicit_gemm", "dx", flipped, case) for case in FLAT],
]  # fmt: skip
FLOPS = {"y": "conv", "dx": "conv_input", "dw": "conv_weight"}


@NATIVE
@pytest.mark.parametrize("dtype", ["f4", pytest.param("f8", marks=pytest.mark.long)])
@pytest.mark.parametrize(("way", "result", "make", "case"), WAYS,
                         ids=[f"{w[0]}-{w[1]}-{i}" for i, w in enumerate(WAYS)])  # fmt: skip
def test_a_way_by_itself(
    way: str, result: str, make: Any, case: Any, dtype: Any, rng: np.random.Generator, limits: Any,
    by_threads: Any,
) -> None:  # fmt: skip
    """Any misplaced element shows; with blocks of an image or two it is the same."""
    one = Case(rng, *case, dtype=dtype)
    with limits(MATMUL_AMX_LEAST=1 << 62):
        d, arrays, wanted = one.draft(result)
        plan = make(one.c, d)
        if one.c.is_whole and way == "col2im":
            way = "one_window"  # a product alone
        assert plan.name == f"{FLOPS[result]}.{way}"
        np.testing.assert_array_equal(by_threads(lambda: plan.run(*arrays)), wanted)
        small = 2 * one.c.groups * one.c.k * one.c.p
        for changed in (
            {"CONV_BLOCK": small, "CONV_NARROW": 1, "CONV_FULL": 1, "DEPTHWISE_PLANES": 1},
            {"CONV_BLOCK": small, "CONV_NARROW": 1 << 30, "CONV_FULL": 1 << 30, "CONV_SLICES": 1},
        ):
            with limits(**changed, MATMUL_AMX_LEAST=1 << 62):
                d, arrays, _ = one.draft(result)
                np.testing.assert_array_equal(make(one.c, d).run(*arrays), wanted)


@NATIVE
@pytest.mark.parametrize(("result", "make"), [
    ("y", forward), ("y", launches.im2col_forward), ("dx", launches.col2im_input),
    ("dw", launches.implicit_gemm_weight),
])  # fmt: skip
def test_operands_in_another_order(
    result: str, make: Any, rng: np.random.Generator, limits: Any
) -> None:
    """Their copies are launches; a bias of another type is brought to that of the rest."""
    one = Case(rng, *PLAIN[0])
    with limits(MATMUL_AMX_LEAST=1 << 62):
        one.x, one.w, one.g = (np.asfortranarray(a) for a in (one.x, one.w, one.g))
        one.b = one.b.astype(np.float64)
        d, arrays, _ = one.draft(result)
        plan = make(one.c, d)
        d, _, wanted = Case.draft(plain_of(one), result)
        np.testing.assert_array_equal(plan.run(*arrays), wanted)


def plain_of(one: Case) -> Case:
    """The same in row-major order, of one type."""
    other = object.__new__(Case)
    other.x, other.w, other.g = (np.ascontiguousarray(a) for a in (one.x, one.w, one.g))
    other.b, other.how, other.c = one.b.astype(one.x.dtype), one.how, one.c
    return other


@NATIVE
def test_what_a_plan_costs(rng: np.random.Generator) -> None:
    """Two FLOPs for each multiplication, one for each bias that is added."""
    one = Case(rng, *PLAIN[0])
    for bias in (True, False):
        d, *_ = one.draft("y", bias)
        made = forward(one.c, d)
        assert made.flops == 2 * one.c.work + bias * one.g.size
        assert made.returns == ("y",)


@NATIVE
def test_how_many_images_share_a_panel() -> None:
    """All where the positions of one do not fill it; one where they do, or offsets would not fit
    into 32 bits."""

    def images(n: int, size: tuple[int, ...], channels: int = 4) -> int:
        x, w = MetaArray((n, channels, *size), "f4"), MetaArray((4, channels, *ONE), "f4")
        c = Conv.of(x, w, size, ONE, NONE, ONE, 1, "highest")
        return launches.images_of_a_panel(c, 16)

    full = tuning.CONV_FULL
    assert images(9, (1, full - 1)) == 9
    assert images(9, (1, full)) == 1  # it is a multiple of the tile
    assert images(9, (1, full + 1)) == 9
    assert images(9, (1, 4 * full + 1)) == 1
    assert images(1 << 20, (1, 33), 1 << 10) == 1


@NATIVE
def test_sums_of_slices_have_room_of_their_own(rng: np.random.Generator, limits: Any) -> None:
    """Where there is one slice it is the result itself."""
    one = Case(rng, (6, 4, 20, 20), (8, 4, 3, 3), ONE, ONE, ONE, 1)
    for slices, names in ((1, {"dw"}), (4, {"dw", "dw_parts"})):
        with limits(CONV_SLICES=slices):
            d, arrays, wanted = one.draft("dw")
            plan = launches.implicit_gemm_weight(one.c, d)
            assert {k for k in plan.outputs if k.startswith("dw")} == names
            np.testing.assert_array_equal(plan.run(*arrays), wanted)


def test_margins_are_made_where_there_are_any() -> None:
    for padding, name in ((NONE, "x"), ((1, 2), "padded")):
        x, w = MetaArray((2, 3, 5, 6), "f4"), MetaArray((4, 3, 1, 1), "f4")
        c = Conv.of(x, w, (5, 6), ONE, padding, ONE, 1, "highest")
        d = Draft({"x": x})
        assert launches.with_margin(c, d, "x") == name
        assert d.metas[name].shape == (2, 3, *c.padded)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("shape", [(3, 5), (2, 3, 5)])
def test_matrices_that_lie_dense(turned: bool, shape: Any) -> None:
    x, w = MetaArray((1, 1, 1), "f8"), MetaArray((1, 1, 1), "f8")
    c = Conv.of(x, w, (1,), (1,), (0,), (1,), 1, "highest")
    a = np.empty(shape)
    found = launches.matrix(c, *shape, turned=turned)
    wanted = a.swapaxes(-1, -2) if turned else a
    assert (found.shape, found.strides, found.dtype) == (wanted.shape, wanted.strides, a.dtype)


@pytest.mark.parametrize("least", [1, 1 << 60])
@pytest.mark.parametrize("reshaped", [False, True])
def test_a_product_within_a_plan(
    least: int, reshaped: bool, rng: np.random.Generator, limits: Any
) -> None:
    """Operands seen as matrices of other shapes and strides; by a kernel, or by NumPy, which looks
    at shapes."""
    x, w = MetaArray((1, 1, 1), "f8"), MetaArray((1, 1, 1), "f8")
    c = Conv.of(x, w, (1,), (1,), (0,), (1,), 1, "highest")
    a, b = rng.integers(-4, 5, (20, 3, 10)).astype(float), rng.integers(-4, 5, (25, 30)) * 1.0
    with limits(MATMUL_LEAST_WORK=least):
        d = Draft({"a": meta(a), "b": meta(b)})
        turned = launches.matrix(c, 25, 30, turned=True)
        shape = (4, 5, 25) if reshaped else None
        launches.multiply(c, d, "a", launches.matrix(c, 20, 30), "b", turned, "y", shape)
        y = d.plan("test.product").run(a, b)
        assert any(isinstance(k, Reference) for k in d.launches) == (
            least > 1 or not runtime.available()
        )
    np.testing.assert_array_equal(y, (a.reshape(20, 30) @ b.T).reshape(shape or (20, 25)))


# -- the matrix unit: plans can be made where they cannot be run -----------------------------------


def test_another_plan_computes_what_cannot_be_split() -> None:
    """The flag is set by whoever packs."""
    x = np.array([1.0, 2.0])
    other = Plan("test.twice", ("x", "w"), {"y": meta(x)},
                 [Reference(lambda x, w: 2 * x, ("x", "w"), ("y",))])  # fmt: skip
    flag, y = np.zeros(64, np.uint8), np.zeros(2)
    launches.unless_split(flag, y, x, None, plan=other)
    assert y.tolist() == [0, 0]
    flag[0] = 1
    launches.unless_split(flag, y, x, None, plan=other)
    assert y.tolist() == [2, 4]


@NATIVE
@pytest.mark.parametrize("most", [1, 1 << 60])
def test_plans_of_the_matrix_unit(most: int, limits: Any) -> None:
    """Blocks of images, tables and rooms; at the end the plan that takes over. Nothing is run."""
    x, w = MetaArray((5, 32, 9, 9), "f4"), MetaArray((16, 32, 3, 3), "f4")
    key = tuple(v for a in (x, w) for v in (a.dtype, a.shape, a.strides))
    c = Conv.of(x, w, (9, 9), ONE, ONE, ONE, 1, "highest")
    with limits(CONV_AMX_MOST=most):
        other = select.plan_forward(*key, None, ONE, ONE, ONE, 1, None, "highest", False)
        assert "amx" not in other.name
        d = Draft({"x": x, "w": w, "bias": None})
        d.array("y", MetaArray((5, 16, 9, 9), "f4"))
        plan = launches.amx_forward(c, d, "y", other)
        *kernels, last = plan.launches
        assert plan.name == "conv.amx"
        assert len(kernels) == (5 if most == 1 else 1)
        assert all(isinstance(k, Launch) for k in kernels)
        assert isinstance(last, Reference)
        assert last.parameters["plan"] is other
        assert set(plan.constants) == {"first", "mask", "tap", "w_offset"}
        image = amx.PARTS["highest"] * c.grid.pixels * 64
        assert plan.workspace["image"] == image * (1 if most == 1 else 5)
        g = MetaArray((5, 16, 9, 9), "f4")
        d = Draft({"x": x, "g": g})
        d.array("dw", w)
        plan = launches.amx_weight(c, d, other)
        assert plan.name == "conv_weight.amx"
        assert sum(isinstance(k, Launch) for k in plan.launches) == (5 if most == 1 else 1)


@NATIVE
def test_without_the_matrix_unit_nothing_falls_on_it(
    monkeypatch: pytest.MonkeyPatch, limits: Any
) -> None:
    monkeypatch.setattr(launches.matmul, "has_amx", lambda: False)
    x, w = MetaArray((8, 64, 32, 32), "f4"), MetaArray((64, 64, 3, 3), "f4")
    key = tuple(v for a in (x, w) for v in (a.dtype, a.shape, a.strides))
    every = {"CONV_AMX_LEAST_WORK": 1, "CONV_AMX_FEW": 1, "CONV_AMX_FEW_OF_WEIGHT": 1}
    with limits(**every, CONV_SKIPPED_LEAST=1 << 40, CONV_SKIPPING_LONG=1 << 40):
        plans = (
            select.plan_forward(*key, None, ONE, ONE, ONE, 1),
            select.plan_input(*key, (32, 32), ONE, ONE, ONE, 1),
            select.plan_weight(*key[:3], *key[:3], (3, 3), ONE, ONE, ONE, 1),
        )
        assert [plan.way for plan in plans] == ["implicit_gemm", "implicit_gemm", "direct"]
        assert all("amx" not in plan.describe() for plan in plans)


@NATIVE
def test_a_gradient_that_is_packed_once(
    rng: np.random.Generator, limits: Any, by_threads: Any
) -> None:
    """The bits of packing it in each chunk, over several slices, groups, blocks and chunks."""
    for x, w, groups in (((5, 16, 20, 20), (30, 16, 3, 3), 1), ((3, 32, 17, 18), (8, 16, 3, 3), 2)):
        one, found = Case(rng, x, w, ONE, ONE, ONE, groups), []
        one.x, one.g = (rng.standard_normal(a.shape).astype("f4") for a in (one.x, one.g))
        for most, has_room in ((1 << 25, True), (0, False)):
            with limits(CONV_PACKED_MOST=most):
                d, arrays, _ = one.draft("dw")
                plan = launches.implicit_gemm_weight(one.c, d)
                assert ("packed" in plan.workspace) == has_room
                found.append(by_threads(lambda: plan.run(*arrays)).tobytes())  # noqa: B023
        assert found[0] == found[1]
