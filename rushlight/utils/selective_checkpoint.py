"""Selective checkpointing: a policy says which operations' results a checkpoint keeps.

`create_selective_checkpoint_contexts(policy)` makes the two contexts that `checkpoint(...,
context_fn=)` asks for. The first asks the policy about each operation and keeps what it says; the
second, when backward computes again, gives these results in place of computing them.

Operations are those of the door, below composites, told as operators of `torch.ops.aten`. The modes
stand below the tape, so what is given is recorded and saves what it saved before; only the numbers
are not computed. Views, and changes in place, are done again whatever the policy says: a view costs
nothing, and a change belongs to the tensor that is there now. Read next: checkpoint.py.
"""

from __future__ import annotations

import enum
import functools
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from ..autograd import door
from ..errors import message
from ..ops.core.modes import TorchDispatchMode, operators

__all__ = [
    "CheckpointPolicy",
    "SelectiveCheckpointContext",
    "create_selective_checkpoint_contexts",
]


class CheckpointPolicy(enum.Enum):
    """What becomes of an operation's result: kept, or computed again.

    `MUST_` and `PREFER_` are the same here. The CPU is where tensors are, so what is offloaded to
    it is kept.

    >>> from rushlight.utils.checkpoint import CheckpointPolicy
    >>> CheckpointPolicy.MUST_SAVE.name, CheckpointPolicy.PREFER_RECOMPUTE.name
    ('MUST_SAVE', 'PREFER_RECOMPUTE')
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


RECOMPUTED = (CheckpointPolicy.MUST_RECOMPUTE, CheckpointPolicy.PREFER_RECOMPUTE)


class SelectiveCheckpointContext:
    """What a policy is told besides the operation: its result (`op_output`).

    >>> from functools import partial
    >>> from rushlight.utils.checkpoint import (
    ...     CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts
    ... )
    >>> def policy(ctx, op, *args, **kwargs):
    ...     if not ctx.is_recompute:
    ...         print(type(ctx).__name__)
    ...     return CheckpointPolicy.MUST_SAVE
    >>> contexts = partial(create_selective_checkpoint_contexts, policy)
    >>> x = torch.zeros(1, requires_grad=True)
    >>> y = checkpoint(torch.exp, x, use_reentrant=False, context_fn=contexts)
    SelectiveCheckpointContext
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


class _Kept:
    """A tensor without its history, and its version when it was kept."""

    def __init__(self, t: Any) -> None:
        self.val = t.detach()
        self.version = self.val._version

    def get_val(self, allow_cache_entry_mutation: bool) -> Any:
        if self.val._version != self.version and not allow_cache_entry_mutation:
            raise RuntimeError(
                message(
                    "Tensor cached during selective activation checkpoint has been mutated",
                    got=f"a change in place of a result of shape {tuple(self.val.shape)}",
                    hint="the form of that change that makes a new tensor, another policy, or "
                    "allow_cache_entry_mutation=True, if backward may see the changed values",
                )
            )
        return self.val


_AGAIN = object()  # the policy: computed again
_USED = object()  # given once; it is kept no longer


class _CachingTorchDispatchMode(TorchDispatchMode):
    """The forward: keeps the results that the policy says."""

    def __init__(self, policy_fn: Callable[..., Any], storage: Any) -> None:
        self.policy_fn = policy_fn
        self.storage = storage

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        context = SelectiveCheckpointContext(is_recompute=False, op_output=out)
        policy = self.policy_fn(context, func, *args, **kwargs)
        if isinstance(policy, bool):
            policy = CheckpointPolicy.MUST_SAVE if policy else CheckpointPolicy.PREFER_RECOMPUTE
        keep = policy not in RECOMPUTED and can_be_given(func)
        made = self.storage[func]
        made[len(made)] = each(_Kept, out) if keep else _AGAIN
        return out


class _CachedTorchDispatchMode(TorchDispatchMode):
    """The recomputation: gives what was kept."""

    def __init__(
        self, policy_fn: Any, storage: Any, allow_cache_entry_mutation: bool = False
    ) -> None:
        self.storage = storage
        self.allow_cache_entry_mutation = allow_cache_entry_mutation
        self.asked: dict[Any, int] = defaultdict(int)

    def __enter__(self) -> Any:
        self.asked.clear()
        return super().__enter__()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        number = self.asked[func]
        self.asked[func] += 1
        kept = self.storage.get(func, {}).get(number)
        if kept is None:
            raise RuntimeError(
                message(
                    f"{func} encountered during backward but not found in storage",
                    got=f"call {number + 1} of it",
                    wanted="the operations of the forward, in their order",
                    hint="a checkpointed function that does the same whenever it is called",
                )
            )
        if kept is _USED:
            raise RuntimeError(
                message(
                    "Trying to backward an extra time. You are only allowed to backward once on "
                    "any region computed under selective activation checkpoint.",
                    hint="checkpoint() without context_fn, or one backward of the sum",
                )
            )
        if kept is _AGAIN:
            return func(*args, **kwargs)
        self.storage[func][number] = _USED
        return each(lambda k: k.get_val(self.allow_cache_entry_mutation), kept)


def can_be_given(func: Any) -> bool:
    """Whether a result may stand for the operation that made it: see the top of this file."""
    if func.record is None:  # a change in place, or a tensor made of nothing
        return not func._schema.is_mutable
    return not func.record.view


def each(fn: Callable[[Any], Any], results: Any) -> Any:
    """A function of each tensor among an operation's results."""
    if isinstance(results, (tuple, list)):
        return tuple(each(fn, r) for r in results)
    return fn(results) if isinstance(results, (door.TensorBase, _Kept)) else results


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[Any, Any]:
    """The contexts of `checkpoint(f, x, use_reentrant=False, context_fn=...)`.

    Args:
        policy_fn_or_list: `policy(context, operator, *args, **kwargs)`, which returns a
            CheckpointPolicy or whether to keep the result; or a list of the operators whose results
            are kept.
        allow_cache_entry_mutation: give a kept result that was changed in place since; otherwise
            that is an error.

    >>> import functools
    >>> from rushlight.utils.checkpoint import checkpoint
    >>> keep_products = [torch.ops.aten.mm.default]
    >>> contexts = functools.partial(create_selective_checkpoint_contexts, keep_products)
    >>> x = torch.ones(2, 2, requires_grad=True)
    >>> y = checkpoint(lambda x: (x @ x).sin(), x, use_reentrant=False, context_fn=contexts)
    >>> y.sum().backward()
    """
    policy = policy_fn_or_list
    if isinstance(policy, list):
        for op in policy:
            if not isinstance(op, operators().OpOverload):
                packet = isinstance(op, operators().OpOverloadPacket)
                more = " Please update the OpOverloadPacket to a specific OpOverload."
                raise ValueError(
                    message(
                        f"Expected op in `op_list` to be an OpOverload but got: {op} of type "
                        f"{type(op)}.{more * packet}",
                        hint="torch.ops.aten.mm.default in place of torch.ops.aten.mm",
                    )
                )
        policy = functools.partial(listed, frozenset(policy))
    elif not callable(policy):
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: Any = defaultdict(dict)
    return (
        _CachingTorchDispatchMode(policy, storage),
        _CachedTorchDispatchMode(None, storage, allow_cache_entry_mutation),
    )


def listed(keep: frozenset[Any], context: Any, op: Any, *args: Any, **kw: Any) -> bool:
    """The policy that keeps what some operators make."""
    return op in keep
