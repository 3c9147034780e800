"""Calls that want the first of several outputs alone: one output of the node, and all else alike.

`native_layer_norm` and its like give all outputs of the same record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.ops.nn import attention, cross_entropy, norm

F = torch.nn.functional


def layer_norm(x: Any) -> tuple[Any, dict[str, Any]]:
    return (x, torch.ones(6) * 1.5, torch.zeros(6)), {"dims": (2,), "eps": 1e-5}


def batch_norm(x: Any) -> tuple[Any, dict[str, Any]]:
    return (x, torch.ones(4) * 1.5, torch.zeros(4)), {"eps": 1e-5}


def causal(x: Any) -> tuple[Any, dict[str, Any]]:
    return (x, x * 0.5, x + 1, None), {"scale": 0.3, "causal": True}


def entropy(x: Any) -> tuple[Any, dict[str, Any]]:
    target = torch.tensor([[0, 1, 2, 3, 0, 1], [2, 2, 0, 1, 3, 0]])
    how = {"reduction": "mean", "ignore_index": -100, "smoothing": 0.0}
    return (x, target, None), how


CASES: list[tuple[Any, Callable[..., Any]]] = [
    (norm.layer_norm_op, layer_norm),
    (norm.batch_norm_op, batch_norm),
    (attention.attention_by_blocks, causal),
    (cross_entropy.class_entropy, entropy),
]
both = pytest.mark.parametrize(("record", "case"), CASES, ids=[r.name for r, _ in CASES])


@pytest.fixture
def x() -> Any:
    torch.manual_seed(0)
    return torch.randn(2, 4, 6, requires_grad=True)


@both
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_values_and_gradients_of_all_orders(record: Any, case: Any, dtype: Any, x: Any) -> None:
    x = x.detach().to(dtype).requires_grad_()
    found = []
    for one in (True, False):
        inputs, kw = case(x)
        inputs = tuple([t.to(dtype) if t is not None and t.is_floating_point() else t
                        for t in inputs])  # fmt: skip
        y = record.first(inputs, kw) if one else record.call(inputs, kw)[0]
        assert y.grad_fn.name() == record.node_name
        (g,) = torch.autograd.grad((y * y).sum(), x, create_graph=True)
        (h,) = torch.autograd.grad((g * g).sum(), x, retain_graph=True)
        y.sum().backward()
        found.append([t.detach().to(torch.float64).numpy() for t in (y, g, h, x.grad)])
        x.grad = None
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@both
def test_the_node_has_one_output(record: Any, case: Any, x: Any) -> None:
    y = record.first(*case(x))
    several = record.call(*case(x))[0]
    assert y.output_nr == several.output_nr == 0
    assert [n is None for n, _ in y.grad_fn.next_functions] == [
        n is None for n, _ in several.grad_fn.next_functions
    ]
    assert y.grad_fn.__class__.__name__ == several.grad_fn.__class__.__name__
    assert y.grad_fn.n_out == 1


@both
def test_all_outputs_beside_the_first(record: Any, case: Any, x: Any) -> None:
    y, found = record.first_and_others(*case(x))
    wanted = record.call(*case(x))
    assert y.grad_fn.n_out == 1
    for ours, theirs in zip(found, wanted, strict=True):
        assert isinstance(ours, np.ndarray)
        np.testing.assert_array_equal(ours, theirs.detach().numpy())
    with torch.no_grad():
        y, found = record.first_and_others(*case(x))
        assert y.grad_fn is None
        assert len(found) == len(wanted)


@both
def test_hooks_and_retained_gradients(record: Any, case: Any, x: Any) -> None:
    seen = []
    y = record.first(*case(x))
    y.retain_grad()
    y.register_hook(lambda g: seen.append(g.shape))
    y.grad_fn.register_hook(lambda into, out: seen.append((len(into), len(out))))
    y.sum().backward()
    assert seen == [y.shape, (len(y.grad_fn.next_functions), 1)]
    np.testing.assert_array_equal(y.grad.numpy(), np.ones(y.shape, np.float32))


@both
def test_without_a_history(record: Any, case: Any, x: Any) -> None:
    with torch.no_grad():
        y = record.first(*case(x))
    assert y.grad_fn is None
    with pytest.raises(RuntimeError, match="no_grad"):
        y.sum().backward()
    with torch.inference_mode():
        assert record.first(*case(x)).is_inference()
    assert record.first(*case(x.detach())).grad_fn is None


def test_a_result_that_is_kept_may_not_be_changed(x: Any) -> None:
    inputs, kw = causal(x)
    y = attention.attention_by_blocks.first(inputs, kw)
    y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    z = F.layer_norm(x, (6,))
    z.mul_(2)  # nobody keeps this one
    z.sum().backward()


def test_a_second_backward_is_refused(x: Any) -> None:
    y = F.layer_norm(x, (6,)).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_saved_tensor_hooks_have_all_that_is_kept(x: Any) -> None:
    packed: list[Any] = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: packed.append(t.shape) or t, lambda t: t
    ):
        y = F.layer_norm(x, (6,), torch.ones(6))
    y.sum().backward()
    assert x.grad is not None
    assert torch.Size((2, 4, 6)) in packed
