"""Selective checkpoints: what is kept is not computed again, and gradients are the same."""

from __future__ import annotations

import functools

import pytest

import rushlight as torch
from rushlight.autograd.observe import observing
from rushlight.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
)

aten = torch.ops.aten


def contexts(policy, **options):
    return functools.partial(create_selective_checkpoint_contexts, policy, **options)


def kept(f, policy, *xs, **options):
    return checkpoint(f, *xs, use_reentrant=False, context_fn=contexts(policy, **options))


def leaves():
    x = torch.arange(9.0).reshape(3, 3).sin()
    return x.clone().requires_grad_(), x.t().clone().requires_grad_()


def several(x, w):
    values, _ = (x @ w).sin().max(1)
    return torch.cat([values, values.exp()]).view(2, 3).t() * w[:, :2]


@pytest.mark.parametrize(
    ("names", "again"),
    [
        ("mm.default", {"matmul": 0, "sin": 1}),
        ("sin.default exp.default", {"matmul": 1, "sin": 0}),
        ("max.dim cat.default view.default t.default mul.Tensor", {"matmul": 1, "sin": 1}),
        ("", {"matmul": 1, "sin": 1}),
    ],
)
def test_what_is_kept_is_not_computed_again(names, again):
    keep = [functools.reduce(getattr, name.split("."), aten) for name in names.split()]
    x, w = leaves()
    y = kept(several, keep, x, w)
    computed = []
    with observing(lambda record, *rest: computed.append(record.name)):
        y.sum().backward()
    assert {name: computed.count(name) for name in again} == again
    x2, w2 = leaves()
    several(x2, w2).sum().backward()
    assert torch.equal(x.grad, x2.grad)
    assert torch.equal(w.grad, w2.grad)


def test_under_autocast():
    x, w = leaves()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = kept(lambda x, w: (x @ w).sin(), [aten.mm.default], x, w)
        x2, w2 = leaves()
        z = (x2 @ w2).sin()
    y.sum().backward()
    z.sum().backward()
    assert torch.equal(x.grad, x2.grad)


def test_a_policy_is_asked_once_and_told_the_result():
    told = []

    def policy(context, op, *args, **kw):
        told.append((str(op), context.is_recompute, context.op_output.shape))
        return CheckpointPolicy.MUST_SAVE if op == aten.sin.default else False

    x, _ = leaves()
    kept(lambda x: x.sin().exp().sum(), policy, x).backward()
    names = ["aten.sin.default", "aten.exp.default", "aten.sum.default"]
    assert told == [(n, False, s) for n, s in zip(names, [(3, 3), (3, 3), ()], strict=True)]


def test_a_kept_result_that_was_changed():
    x, _ = leaves()
    f = lambda x: x.sin().mul_(2).cos()  # noqa: E731
    with pytest.raises(RuntimeError, match="has been mutated"):
        kept(f, [aten.sin.default], x).sum().backward()
    kept(f, [aten.sin.default], x, allow_cache_entry_mutation=True).sum().backward()


def test_backward_twice_and_another_function_are_refused():
    x, _ = leaves()
    y = kept(lambda x: x.sin().exp(), [aten.sin.default], x).sum()
    y.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="Trying to backward an extra time"):
        y.backward()
    calls = iter([torch.sin, torch.cos])
    y = kept(lambda x: next(calls)(x).exp(), [aten.sin.default], x).sum()
    with pytest.raises(RuntimeError, match="not found in storage"):
        y.backward()


def test_bad_policies():
    with pytest.raises(ValueError, match="Expected op in `op_list` to be an OpOverload"):
        create_selective_checkpoint_contexts([2])
    with pytest.raises(ValueError, match="update the OpOverloadPacket to a specific OpOverload"):
        create_selective_checkpoint_contexts([aten.sin])
    with pytest.raises(TypeError, match=r"either a function or a list of ops\."):
        create_selective_checkpoint_contexts(2)
