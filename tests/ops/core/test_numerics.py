"""How NumPy computes a formula: what records say of it, and the sizes that follow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rushlight.kernels import tuning
from rushlight.kernels.elementwise import select
from rushlight.kernels.elementwise.formula import Formula
from rushlight.ops.core.numerics import Numerics
from rushlight.ops.core.record import Op, registry

# A number for each size, so that none is taken for another (nor for what RUSHLIGHT_JIT makes them).
SIZES = {"": 60, "STEPS_": 10, "FUNCTION_": 20, "AVX2_": 30, "SCALAR_": 40, "ARITHMETIC_": 50}


@pytest.mark.parametrize("wide", [False, True], ids=["AVX2", "AVX-512"])
def test_a_kernel_is_asked_sooner_where_numpy_is_slower(
    monkeypatch: pytest.MonkeyPatch, wide: bool
) -> None:
    monkeypatch.setattr(select, "has_avx512", lambda: wide)
    for kind, size in SIZES.items():
        monkeypatch.setattr(tuning, f"ELEMENTWISE_{kind}LEAST", size)
    wanted = {
        "add": 50, "sqrt": 60, "exp": 20 if wide else 30, "atan": 20 if wide else 40, "hypot": 40,
        "sign": 20, "silu": 60, "gelu": 10, "erf": 10,
    }  # fmt: skip
    assert {name: registry[name].fn.planned.least() for name in wanted} == wanted


def test_rules_of_many_steps_have_many_steps() -> None:
    named = {name: registry[name].plain_node.rules[0] for name in ("gelu", "exp", "silu")}
    assert {name: rule.planned.by_numpy for name, rule in named.items()} == {
        "gelu": "steps", "exp": None, "silu": None,
    }  # fmt: skip
    assert not hasattr(registry["neg"].plain_node.rules[0], "planned")  # arithmetic: it stays bare


def test_a_record_says_it_in_known_words() -> None:
    with pytest.raises(TypeError, match="numpy='stpes' says nothing"):
        Numerics("elementwise", numpy="stpes")
    with pytest.raises(TypeError, match="of a record of kind 'op'"):
        Numerics("op", numpy="steps")


def test_a_number_that_decides_on_the_code_is_in_the_key(rng: np.random.Generator) -> None:
    x, y = rng.random(4), rng.random(4)
    pow_ = registry["pow"]
    rules = pow_.plain_node.rules

    def keyed(formula: Formula, *args: Any) -> Any:
        found = formula.key(args, {})
        assert found is not None
        return found[0][-1]

    forward, by_base, by_exponent = (fn.planned for fn in (pow_.fn, rules[0], rules[1]))
    assert keyed(forward, x, 2) == (int, 2.0)
    assert keyed(forward, x, 4) is int  # computed as any other
    assert keyed(by_base, y, y, x, 4.0) == (float, 4.0)  # for its derivative is 4 * x ** 3
    assert keyed(by_base, y, y, x, 5.0) is float
    assert by_exponent.fixed is None
    with pytest.raises(TypeError, match="says nothing of a record of kind 'op'"):
        Numerics("op", fixed={None: (0, (2.0,))})


def test_a_rule_that_has_no_kernel_cannot_have_such_a_number() -> None:
    with pytest.raises(TypeError, match="those of arithmetic have no kernel"):
        Numerics("elementwise", numpy="arithmetic", fixed={0: (0, (2.0,))})
    Numerics("elementwise", numpy="arithmetic", fixed={None: (0, (2.0,))})
    made = Op(lambda x: x, "elementwise", name="never_published", fixed={0: (0, (2.0,))})
    with pytest.raises(TypeError, match="never_published: fixed= names a rule, but a joint one"):
        made.joint(lambda g, y, x: (g,))
