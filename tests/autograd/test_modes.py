"""Modes and warnings that differ from PyTorch on purpose, or that only a test without it shows."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import rushlight as torch
from rushlight.utils.checkpoint import CheckpointError, checkpoint, set_checkpoint_early_stop


def leaf(*values: float) -> Any:
    return torch.tensor(values, requires_grad=True)


def test_what_inference_tensors_refuse_names_the_block() -> None:
    x = leaf(1.0, 2.0)
    with torch.inference_mode():
        z = torch.ones(2) * 3
    with pytest.raises(RuntimeError, match="cannot be saved for backward") as e:
        x * z
    assert "with torch.inference_mode():" in str(e.value)
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside"):
        z.add_(1)
    assert z.tolist() == [3.0, 3.0]


def test_in_inference_mode_the_tensors_of_other_threads_are_ordinary() -> None:
    def here() -> tuple[bool, bool]:
        return (torch.ones(2) * 3).is_inference(), (given + 1).is_inference()

    given = torch.ones(2)
    with ThreadPoolExecutor(1) as other:
        assert other.submit(here).result() == (False, False)
        with torch.inference_mode():
            assert here() == (True, True)
            assert other.submit(here).result() == (False, False)
            with ThreadPoolExecutor(1) as later:  # a thread that starts inside the block
                assert later.submit(here).result() == (False, False)
    assert here() == (False, False)


def test_gradcheck_warns_of_single_precision() -> None:
    x = leaf(0.5, 1.0)
    with pytest.warns(UserWarning, match="not a double precision floating point"):
        torch.autograd.gradcheck(torch.sin, (x,), eps=1e-2, atol=1e-2, rtol=1e-1)


def test_gradcheck_shows_both_jacobians_and_the_worst_element() -> None:
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * torch.tensor([2.0, 3.0], dtype=torch.float64)

    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    with pytest.raises(torch.autograd.GradcheckError, match="Jacobian mismatch for output 0") as e:
        torch.autograd.gradcheck(Wrong.apply, (x,))
    assert "input element 1, output element 1: 3 where differences give 2" in str(e.value)
    with pytest.raises(torch.autograd.GradcheckError, match="fast_mode=False"):
        torch.autograd.gradcheck(Wrong.apply, (x,), fast_mode=True)


def test_strategies_of_jacobian_and_hessian_are_checked() -> None:
    x = torch.ones(2)
    with pytest.raises(ValueError, match="Expected strategy"):
        torch.autograd.functional.jacobian(torch.sin, x, strategy="sideways")
    with pytest.raises(ValueError, match="Expected strategy"):
        torch.autograd.functional.hessian(torch.sum, x, outer_jacobian_strategy="sideways")


def test_checkpoint_asks_for_use_reentrant() -> None:
    x = leaf(1.0, 2.0)
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        checkpoint(torch.exp, x).sum().backward()
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        checkpoint(torch.exp, torch.ones(2), use_reentrant=True)


def test_checkpoint_stops_when_it_has_what_is_needed() -> None:
    seen: list[str] = []

    def f(t: Any) -> Any:
        y = t.exp()
        seen.append("after exp")
        return y

    x = leaf(1.0, 2.0)
    checkpoint(f, x, use_reentrant=False).sum().backward()
    assert seen == ["after exp"]
    with set_checkpoint_early_stop(False):
        checkpoint(f, x, use_reentrant=False).sum().backward()
    assert len(seen) == 3


def test_checkpoint_notices_another_computation() -> None:
    count = [0]

    def f(t: Any) -> Any:
        count[0] += 1
        return (t * torch.ones(2 if count[0] == 1 else 1)).exp()

    y = checkpoint(f, leaf(1.0, 2.0), use_reentrant=False)
    with pytest.raises(CheckpointError, match="different metadata"):
        y.sum().backward()

    def g(t: Any) -> Any:
        count[0] += 1
        return t.exp().sin() if count[0] == 3 else t + 1

    count[0] = 2
    y = checkpoint(g, leaf(1.0, 2.0), use_reentrant=False)
    with pytest.raises(CheckpointError, match="A different number of tensors was saved"):
        y.sum().backward()


def test_the_values_of_max_and_pools_may_be_changed_in_place() -> None:
    functional = torch.nn.functional
    x = torch.arange(16.0).reshape(1, 1, 4, 4).requires_grad_()
    for y in (functional.adaptive_max_pool2d(x, 2), x.max(3)[0], x.topk(2)[0], x.sort()[0]):
        x.grad = None
        y.mul_(2)
        y.sum().backward()
        assert x.grad.sum().item() == 2 * y.numel()


def test_a_pooled_maximum_may_be_changed_in_place() -> None:
    functional = torch.nn.functional
    x = torch.arange(16.0).reshape(1, 1, 4, 4).sub(8).requires_grad_()
    functional.relu(functional.max_pool2d(x, 2), inplace=True).sum().backward()
    once = x.grad.clone()
    assert once.sum().item() == 2  # two of the four maxima are positive
    for change in (lambda y: y.view(-1).mul_(0).add_(1), lambda y: y.zero_()):
        x.grad = None
        y = functional.max_pool2d(x, 2)
        keep = y * 1
        change(y)
        (keep.sum() + y.sum()).backward()
        assert x.grad.sum().item() == 4


def test_a_quotient_may_be_changed_in_place() -> None:
    x, w = leaf(1.0, 2.0), leaf(4.0, 5.0)
    y = x / w
    y.add_(1)
    y.sum().backward()
    assert w.grad.tolist() == pytest.approx([-1 / 16, -2 / 25])
