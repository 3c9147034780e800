"""What a node has kept, opened by machine code: what Python finds, and what it leaves to others."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.autograd import op_node
from rushlight.kernels import runtime
from rushlight.kernels.runtime import few

pytestmark = pytest.mark.skipif(not runtime.available(), reason="no LLVM here, or RUSHLIGHT_JIT=0")


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    few.load()


def both(node: Any) -> Any:
    """What machine code and Python find, which is the same."""
    assert op_node.opened is not op_node.opened_by_python
    found, wanted = op_node.opened(node), op_node.opened_by_python(node)
    assert (found is None) is (wanted is None)
    if wanted is not None:
        assert found.__class__ is tuple
        assert len(found) == len(wanted)
        assert all(a is b for a, b in zip(found, wanted, strict=True))
    return found


def test_arrays_and_parameters() -> None:
    x = torch.randn(3, requires_grad=True)
    w = torch.nn.Parameter(torch.randn(2, 3))
    assert both((x * 2.0).grad_fn)[1:] == (None, 2.0)
    assert both(x.exp().grad_fn)[0].__class__ is np.ndarray
    found = both(torch.nn.functional.linear(x, w).grad_fn)
    assert found[1] is x._a
    assert found[2] is w._a
    assert both(torch.nn.functional.layer_norm(x, (3,)).grad_fn)[0].__class__ is tuple


def test_one_with_an_output_that_has_a_view() -> None:
    """The cells of saved outputs are looked at."""
    y = torch.randn(3, requires_grad=True).exp()
    part, node = y[:2], y.grad_fn
    assert node.x.cells is not None
    assert both(node) is not None
    part.mul_(2)
    assert both(node) is None


def changed_output(x: Any) -> Any:
    y = x.exp()
    node = y.grad_fn
    y.mul_(2)
    return node


def changed_operand(x: Any) -> Any:
    w = torch.ones(3)
    node = (x * w).grad_fn
    w.add_(1)
    return node


def with_hook(x: Any) -> Any:
    y = x.exp()
    y.register_hook(lambda g: g)
    return y.grad_fn


def freed(x: Any) -> Any:
    y = x.exp()
    y.sum().backward()
    return y.grad_fn


def packed(x: Any) -> Any:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        return x.exp().grad_fn


def of_a_class(x: Any) -> Any:
    class Mine(torch.Tensor):
        pass

    return (x * torch.ones(3).as_subclass(Mine)).grad_fn


def nothing_kept(x: Any) -> Any:
    return (x + 1).grad_fn


@pytest.mark.parametrize(
    "make", [changed_output, changed_operand, with_hook, freed, packed, of_a_class, nothing_kept]
)
def test_what_takes_more_than_a_look(make: Callable[[Any], Any]) -> None:
    assert both(make(torch.randn(3, requires_grad=True))) is None


def test_references_are_let_go() -> None:
    """Of what is found, and of what was begun and then refused."""
    x, w, changed = torch.randn(3, requires_grad=True), torch.ones(3), torch.ones(3)
    good, bad = (x * w).grad_fn, (x * changed).grad_fn
    changed.add_(1)
    counted = [x._a, w._a, changed._a, None]
    for node in (good, bad):
        op_node.opened(node)
    gc.collect()
    before = [sys.getrefcount(thing) for thing in counted[:-1]]
    for _ in range(100):
        for node in (good, bad):
            op_node.opened(node)
    assert [sys.getrefcount(thing) for thing in counted[:-1]] == before
