"""`torch._prims_common` and `symbolic_shapes`: questions whose answers are PyTorch's."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

OF_TYPES = """
    is_boolean_dtype is_integer_dtype is_float_dtype is_complex_dtype is_low_precision_dtype
    get_computation_dtype dtype_to_type corresponding_real_dtype corresponding_complex_dtype
"""
OF_SIZES = """
    is_concrete_int is_concrete_float is_concrete_bool has_static_value is_nested_int guard_int
    guard_float guard_bool guard_scalar guard_size_oblivious guard_or_true guard_or_false
    statically_known_true statically_known_false has_free_symbols has_free_unbacked_symbols
    is_symbolic
"""
TYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex32 complex64"


def answer(ask: Callable[[], Any]) -> Any:
    """What is answered, or the class of the error and its first words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return str(ask())
        except Exception as error:
            return type(error), str(error).replace("rushlight", "torch")[:60]


def both(place: str, ask: Callable[[Any, Any], Any]) -> None:
    mine, theirs = (
        answer(lambda t=t: ask(importlib.import_module(f"{t}.{place}"), importlib.import_module(t)))
        for t in ("rushlight", "torch")
    )
    assert mine == theirs


@pytest.mark.parametrize("name", [*TYPES.split(), "complex128", "uint16", "float8_e5m2", None])
def test_questions_about_types(name: str | None) -> None:
    for ask in OF_TYPES.split():
        if name is None and ask.startswith(("corresponding", "get_")):
            continue
        both("_prims_common", lambda m, t, ask=ask: getattr(m, ask)(name and getattr(t, name)))


@pytest.mark.parametrize("kind", range(6))
def test_types_of_elementwise_operations(kind: int) -> None:
    def found(m: Any, t: Any) -> Any:
        kinds = list(m.ELEMENTWISE_TYPE_PROMOTION_KIND)
        dims = [t.ones(2, dtype=getattr(t, d)) for d in TYPES.split()]
        others = [*dims, *(t.ones((), dtype=x.dtype) for x in dims), True, 2, 2.5, 1j, None]
        pairs = [(x, y) for x in [*dims, 3, 1j] for y in others]
        return [m.elementwise_dtypes(x, y, type_promotion_kind=kinds[kind]) for x, y in pairs]

    both("_prims_common", found)


@pytest.mark.parametrize(
    "ask",
    [
        lambda m, t: [m.canonicalize_dim(3, i) for i in range(-3, 3)],
        lambda m, t: m.canonicalize_dim(3, 3),
        lambda m, t: [m.canonicalize_dim(0, i) for i in (-1, 0)],
        lambda m, t: m.canonicalize_dim(0, 0, False),
        lambda m, t: m.canonicalize_dim(-1, 0),
        lambda m, t: (m.canonicalize_dims(3, (-1, 0)), m.canonicalize_dims(3, -2)),
        lambda m, t: [m.is_valid_permutation(2, p) for p in ((0, 1), (1, 1), (0,), 3)],
        lambda m, t: (m.is_same_shape((2, 3), [2, 3]), m.is_same_shape((2, 3), (3,))),
        lambda m, t: [
            m.is_expandable_to(a, b)
            for a, b in [((3,), (2, 3)), ((2, 1), (2, 3)), ((2, 3), (3,)), ((2,), (3,)), ((), (2,))]
        ],
        lambda m, t: [
            m.make_contiguous_strides_for(s, row_major=r)
            for s in [(), (3,), (2, 3), (4, 2, 3), (4, 0, 3), (4, 3, 0)] for r in (True, False)
        ],
        lambda m, t: [m.type_to_dtype(k) for k in (bool, int, float, complex)],
        lambda m, t: m.type_to_dtype(str),
        lambda m, t: m.type_to_dtype(3),
        lambda m, t: (m.get_dtype(1.5), m.get_dtype(t.ones(1, dtype=t.int8))),
        lambda m, t: m.elementwise_dtypes("x", type_promotion_kind=None),
    ],
)  # fmt: skip
def test_shapes_and_numbers(ask: Any) -> None:
    both("_prims_common", ask)


@pytest.mark.parametrize("value", [3, 0, 2.5, True, False, "x", None, (2, 3)])
def test_questions_about_sizes(value: Any) -> None:
    place = "fx.experimental.symbolic_shapes"
    for ask in OF_SIZES.split():
        both(place, lambda m, t, ask=ask: getattr(m, ask)(value))
    for ask in ("sym_and", "sym_or"):
        both(place, lambda m, t, ask=ask: getattr(m, ask)(value, 1, 0))
    both(place, lambda m, t: [m.sym_eq(a, b) for a, b in [((1, 2), (1, 2)), ((1,), (1, 2))]])
    both(place, lambda m, t: sorted(m.free_symbols(value)) + sorted(m.free_unbacked_symbols(value)))
