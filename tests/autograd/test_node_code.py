"""Nodes made by machine code: field by field those that Python makes."""

from __future__ import annotations

import gc
import sys
from typing import Any

import pytest

import rushlight as torch
from rushlight.autograd import node
from rushlight.kernels import runtime
from rushlight.kernels.runtime import few
from rushlight.ops.core.record import registry

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")
FIELDS = ("edges", "saved", "shape", "dtype", "x", "code")


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    few.load()


def given(kw: Any, seen: list[Any]) -> tuple[Any, ...]:
    x = torch.ones(2, requires_grad=True)
    return (x,), (x._a,), kw, (2,), x._a.dtype, sys._getframe(), seen


@pytest.mark.parametrize("kw", [None, {"alpha": 2}])
def test_fields_are_those_of_python(kw: Any) -> None:
    cls = registry["exp" if kw is None else "layer_norm_op"].plain_node
    assert node.made is not node.made_by_python
    arguments = given(kw, [None])
    for _ in range(2):  # a line that is not known yet, and one that is
        first, second = node.made(cls, *arguments), node.made_by_python(cls, *arguments)
        assert type(first) is type(second) is cls
        for name in FIELDS:
            assert getattr(first, name) is getattr(second, name)
        assert first.kw is second.kw is kw
        assert second.seq == first.seq + 1
        assert first.lasti == second.lasti == arguments[5].f_lasti


def test_nodes_are_collected() -> None:
    """They are known to the collector of cycles, as those of Python."""
    cls = registry["exp"].plain_node
    made = node.made(cls, *given(None, [None]))
    assert gc.is_tracked(made)
    arguments = given(None, [None])
    counted = [x for x in arguments if x is not None]
    before = [sys.getrefcount(x) for x in counted]
    for _ in range(100):
        node.made(cls, *arguments)
    assert [sys.getrefcount(x) for x in counted] == before
