"""`torch._refs`, the mode that calls them, and `torch._decomp`."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest
from rushlight._decomp import (
    core_aten_decompositions,
    decomposition_table,
    get_decompositions,
    register_decomposition,
    remove_decompositions,
)
from rushlight._prims.context import TorchRefsMode, torch_to_refs_map

import rushlight as torch
from rushlight.fx.experimental.proxy_tensor import make_fx
from tests.ops.core.test_records import CASES, as_tensors, sample

refs: Any = importlib.import_module("rushlight._refs")


def test_the_references_are_listed() -> None:
    names = set(refs.__all__)
    assert names >= {"add", "native_layer_norm", "new_empty", "rpow", "item", "add_"}
    assert not names & {"Tensor", "float32", "nn", "of", "public"}
    assert all(callable(getattr(refs, name)) for name in names)
    functional = importlib.import_module("rushlight._refs.nn.functional")
    assert "relu" in functional.__all__
    conversions = importlib.import_module("rushlight._refs._conversions")
    assert all(callable(getattr(conversions, name)) for name in conversions.__all__)


def test_what_is_there_alone() -> None:
    a = torch.tensor([1.0, 2.0])
    assert refs.rpow(a, 3).tolist() == [3, 9]
    assert refs.rtruediv(a, 3).tolist() == [3, 1.5]
    assert refs.rfloordiv(a, 3).tolist() == [3, 1]
    assert refs.trunc_divide(a, -3).tolist() == [0, 0]
    assert refs.alias(a)._base is a
    assert refs.zero(a).tolist() == [0, 0]
    assert refs.copy_to(torch.zeros(2), a).tolist() == [1, 2]
    assert refs.T(torch.ones(2, 3)).shape == refs.swap_axes(torch.ones(2, 3), 0, 1).shape == (3, 2)
    with pytest.raises(RuntimeError, match="dimension other than 0 or 2"):
        refs.T(torch.ones(2, 3, 4))
    for name, given in [("exponential", (2.0,)), ("cauchy", (1.0, 2.0)), ("geometric", (0.5,)),
                        ("log_normal", (0.5, 1.5))]:  # fmt: skip
        torch.manual_seed(3)
        made = getattr(refs, name)(a, *given)
        torch.manual_seed(3)
        assert torch.equal(made, getattr(a.clone(), name + "_")(*given))
        assert a.tolist() == [1, 2]


def test_a_strict_mode_refuses_what_has_no_reference() -> None:
    x = torch.ones(2, 2)
    with TorchRefsMode(strict=True):
        assert (2 * x + 1).sum().item() == 12
        assert x.shape == x.size() == (2, 2)
        assert torch.nn.functional.relu(x).add_(1)[0].tolist() == [2, 2]
        with pytest.raises(RuntimeError, match="no _refs support for"):
            x[0] = 1
    with TorchRefsMode():
        x[0] = 2
    assert x[0].tolist() == [2, 2]


def test_a_mode_may_fall_back() -> None:
    asked = []

    def fall_back(mode: Any, func: Any, reference: Any, args: Any, kwargs: Any) -> bool:
        asked.append(func)
        return True

    with TorchRefsMode(should_fallback_fn=fall_back):
        assert torch.exp(torch.zeros(1)).item() == 1
    assert asked[0] in (torch.zeros, torch.exp)
    assert torch_to_refs_map()[torch.exp] is refs.exp


@pytest.mark.parametrize("made", sorted({op.__name__ for op in decomposition_table.values()}))
def test_a_decomposition_is_the_formula(made: str) -> None:
    (key,) = [k for k, fn in decomposition_table.items() if fn.__name__ == made]
    for name, i in CASES:
        op, args, kw = sample(name, i) if key.record.name == name else (None, [], {})
        if op is None:
            continue
        tensors = as_tensors(op, args)

        def fn(*xs: Any, op: Any = op, kw: Any = kw) -> Any:
            return op(*xs, **kw)

        graph = make_fx(fn, core_aten_decompositions())(*tensors)
        called = [n.target for n in graph.graph.nodes if n.op == "call_function"]
        assert called
        assert key not in called
        assert not any(target in decomposition_table for target in called)
        got, wanted = graph(*tensors), fn(*tensors)
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-6, atol=1e-7)


def test_tables_of_decompositions() -> None:
    aten = torch.ops.aten
    table = get_decompositions([aten.silu, aten.add.Tensor])
    assert [str(op) for op in table] == ["aten.silu.default"]
    mine: Any = {}

    @register_decomposition([aten.mul.Tensor, aten.sub], mine)
    def twice(a: Any, b: Any) -> Any:
        return a + b + b

    assert mine[aten.mul.Tensor] is mine[aten.sub.default] is twice
    graph = make_fx(lambda x: x * 3, mine)(torch.ones(2))
    assert graph(torch.ones(2)).tolist() == [7, 7]
    with pytest.raises(RuntimeError, match="duplicate registrations"):
        register_decomposition(aten.silu)(twice)
    remove_decompositions(mine, [aten.mul])
    assert aten.mul.Tensor not in mine
    with pytest.raises(TypeError, match="an operator was expected"):
        register_decomposition("silu")(twice)
