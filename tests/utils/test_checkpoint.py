"""Checkpoints within checkpoints and within derivatives, and what is looked at twice."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)


def f(x):
    return x.sin().exp().sin()


def kept(fn):
    return lambda x: checkpoint(fn, x, use_reentrant=False)


def slope(fn):
    def derivative(x):
        with torch.enable_grad():
            return torch.autograd.grad(fn(x), x, create_graph=True)[0]

    return derivative


@pytest.mark.parametrize("early_stop", [True, False])
def test_derivatives_within(early_stop):
    x = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    with set_checkpoint_early_stop(early_stop):
        for plain, *others in (
            (slope(f), slope(kept(f)), slope(kept(kept(f)))),
            (slope(slope(f)), slope(kept(slope(f))), kept(slope(slope(kept(f)))),
             slope(kept(slope(kept(f))))),
            (slope(slope(slope(f))), slope(kept(slope(slope(kept(f))))),
             slope(kept(slope(kept(slope(kept(f))))))),
        ):  # fmt: skip
            for other in others:
                assert torch.equal(other(x), plain(x))


def test_each_look_computes_again_and_backward_once():
    counts = []

    def counted(x):
        counts.append(1)
        return torch.exp(x) * 2

    x = torch.ones(2, requires_grad=True)
    y = checkpoint(counted, x, use_reentrant=False)
    node = y.grad_fn.next_functions[0][0]
    for looks in (2, 3):
        assert torch.equal(node._saved_result, x.exp())
        assert len(counts) == looks
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert len(counts) == 5
    assert torch.equal(x.grad, 4 * x.exp())


def test_what_needs_no_gradient_is_the_tensor_itself():
    seen = []

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.save_for_backward(factor)
            return x * factor

        @staticmethod
        def backward(ctx, g):
            seen.extend(ctx.saved_tensors)
            return g * seen[0], None

    x, factor = torch.ones(1, requires_grad=True), torch.full((1,), 3.0)
    checkpoint(Scale.apply, x, factor, use_reentrant=False).backward()
    assert seen[0] is factor
    assert x.grad.tolist() == [3.0]


def test_what_other_checkpoints_are_made_of() -> None:
    import rushlight.utils.checkpoint as c

    x = torch.ones(2, requires_grad=True) * 2
    found, three = c.detach_variable((x, 3))
    assert found.is_leaf
    assert found.requires_grad
    assert three == 3
    with pytest.raises(RuntimeError, match="Only tuple of tensors"):
        c.detach_variable([x])  # type: ignore[arg-type]
    c.check_backward_validity([x, 3])
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        c.check_backward_validity([torch.ones(1)])


def fickle(first, again):
    calls = []

    def fn(x):
        calls.append(1)
        return (first if len(calls) == 1 else again)(x)

    return fn


def test_a_recomputation_that_saves_more_is_an_error_without_early_stop():
    x = torch.ones(1, requires_grad=True)
    with set_checkpoint_early_stop(False):
        y = checkpoint(fickle(lambda x: x.sin().exp(), f), x, use_reentrant=False)
        with pytest.raises(CheckpointError, match="trying to save more tensors"):
            y.backward()


def test_debug_tells_the_operations_of_both_computations():
    x = torch.ones(1, requires_grad=True)
    fn = fickle(lambda x: x.sin().exp(), lambda x: x.sin() * torch.tensor([1.0, 2.0]))
    y = checkpoint(fn, x, use_reentrant=False, debug=True)
    with pytest.raises(CheckpointError, match="different metadata") as e:
        y.sum().backward()
    text = str(e.value)
    assert "because you passed `debug=True` to checkpoint" in text
    assert "2. exp(torch.float32[1])" in text
    assert "2. mul(torch.float32[1], torch.float32[2])" in text
    assert "test_checkpoint.py" in text
    assert text.endswith("differs: number 2")
    with set_checkpoint_debug_enabled(True):
        y = checkpoint(fickle(torch.exp, torch.sin), x, use_reentrant=False)
        y.backward()  # nothing differs in shape
    with pytest.raises(ValueError, match="incompatible with non-default context_fn"):
        checkpoint(f, x, use_reentrant=False, debug=True, context_fn=lambda: (None, None))


def test_inference_tensors_are_not_kept():
    """What is checkpointed is kept until backward, which inference tensors are not."""
    with torch.inference_mode():
        x = torch.ones(2)
        assert checkpoint(f, x, use_reentrant=False).shape == (2,)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        checkpoint(f, x, use_reentrant=False)
    with torch.no_grad():
        assert checkpoint(f, x, use_reentrant=False).shape == (2,)
