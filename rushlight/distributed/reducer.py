"""Reducer: averages gradients over the ranks while a backward goes on.

Each parameter has a hook that the engine calls when its gradient is whole. The gradient is copied
into its bucket (buckets.py), divided by the number of ranks; a bucket that is full is reduced by
the lane's thread while the engine computes the next gradients. When the backward ends, the results
are copied back. All ranks reduce their buckets in one order, whatever the order of their hooks.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd import door, engine
from ..autograd.grad_mode import no_grad
from ..errors import message
from ..futures import Future
from ..tensor import Tensor
from .buckets import Bucket, BuiltinCommHookType, GradBucket, assigned, refused_sparse
from .collectives import all_reduce, broadcast
from .group import ProcessGroup
from .objects import tensor as of_array

TWICE = (
    "Expected to mark a variable ready only once. This error is caused by one of the following "
    "reasons: 1) Use of a module parameter outside the `forward` function. Please make sure model "
    "parameters are not shared across multiple concurrent forward-backward passes, or try to use "
    "_set_static_graph() as a workaround if this module graph does not change during training "
    "loop. 2) Reused parameters in multiple reentrant backward passes. For example, if you use "
    "multiple `checkpoint` functions to wrap the same part of your model, it would result in the "
    "same set of parameters been used by different reentrant backward passes multiple times, and "
    "hence marking a variable ready multiple times. DDP does not support such use cases in "
    "default. You can try to use _set_static_graph() as a workaround if your module graph does not "
    "change over iterations."
)
UNFINISHED = (
    "Expected to have finished reduction in the prior iteration before starting a new one. This "
    "error indicates that your "
)
CHANGED = (
    "training graph has changed in this iteration, e.g., one parameter is {}used in first "
    "iteration, but then got {}used in the second iteration. this is not compatible with "
    "static_graph set to True."
)
UNUSED = "module has parameters that were not used in producing loss. "
TRY_FINDING = (
    "You can enable unused parameter detection by passing the keyword argument "
    "`find_unused_parameters=True` to `torch.nn.parallel.DistributedDataParallel`, and by \n"
    "making sure all `forward` function outputs participate in calculating loss. \nIf you already "
    "have done the above, then the distributed data parallel module wasn't able to locate the "
    "output tensors in the return value of your module's `forward` function. Please include the "
    "loss function and the structure of the return value of `forward` of your module when "
    "reporting this issue (e.g. list, dict, iterable)."
)


class Reducer:
    """The gradients of some parameters, kept equal on all ranks.

    Args:
        parameters, names: what has gradients.
        buckets, limits: which parameters share a bucket, and how many bytes each may have.
        sparse: for each parameter whether its gradient is sparse.
        caps: the limits of buckets that are made anew once the order of gradients is known.
    """

    def __init__(
        self,
        parameters: Sequence[Tensor],
        names: Sequence[str],
        buckets: Sequence[Sequence[int]],
        limits: Sequence[int],
        group: ProcessGroup,
        sparse: Sequence[bool],
        caps: Sequence[int],
        find_unused: bool = False,
        as_views: bool = False,
        skip_unused: bool = False,
        in_batches: bool = False,
    ) -> None:
        self.parameters, self.names, self.group = list(parameters), list(names), group
        self.sparse, self.caps = list(sparse), list(caps)
        self.find_unused, self.as_views = find_unused, as_views
        self.skip_unused, self.in_batches = skip_unused, in_batches
        self.static = False
        self.hook: Callable[[Any, GradBucket], Any] | None = None
        self.hook_state: Any = None
        self.builtin: BuiltinCommHookType | None = None
        self.rebuilt = False
        self.order: list[int] = []  # in which gradients came, the first time
        self.forward_work: tuple[Any, bool] | None = None  # of `join`: who still has inputs
        self.futures: list[Any] = []  # that a hook of buffers wants to be waited for
        self.stepping: dict[Tensor, Any] = {}  # optimisers that wait for reduced gradients
        self.iterations = 0
        self.planned = False  # a plan goes on, which says when the backward is over
        self.expected = False  # whether hooks mark gradients as ready
        self.unfinished = False  # some are, and the rest not yet
        self.ready: set[int] = set()
        self.unused: list[int] = []
        self.used = np.zeros(len(self.parameters), np.int32)  # on this rank
        self.used_anywhere: np.ndarray | None = None
        self.counted: list[int] | None = None  # static graph: how often each hook was called
        self.counting = [0] * len(self.parameters)
        self.divisor = 0
        self.last_order: list[int] = []
        self.said: set[str] = set()
        self._made(buckets, limits)
        me = weakref.ref(self)
        self.handles = [
            p.register_post_accumulate_grad_hook(Accumulated(me, i))
            for i, p in enumerate(self.parameters)
        ]
        weakref.finalize(self, _removed, self.handles)

    def _made(self, buckets: Sequence[Sequence[int]], limits: Sequence[int]) -> None:
        self.buckets: list[Bucket] = []
        self.place: list[tuple[int, int]] = [(0, 0)] * len(self.parameters)
        for b, (members, limit) in enumerate(zip(buckets, limits, strict=True)):
            parameters = [self.parameters[i] for i in members]
            lone = self.sparse[members[0]]
            self.buckets.append(Bucket(b, members, parameters, limit, lone))
            for k, i in enumerate(members):
                self.place[i] = (b, k)
        self.next = 0

    # -- before a backward -------------------------------------------------------------------------

    def prepare_for_forward(self) -> None:
        """A forward whose backward is to be reduced begins."""
        self.iterations += 1

    def prepare_for_backward(self, outputs: Sequence[Tensor]) -> None:
        """Expect gradients; of parameters that `outputs` do not depend on, none.

        Raises:
            RuntimeError: some gradients of the iteration before have not come.
        """
        self.check_finished()
        self.expected = True
        self.next = 0
        self.ready = set()
        self.last_order = []
        self.divisor = 0
        self.counting = list(self.counted or [0] * len(self.parameters))
        for b in self.buckets:
            b.pending, b.work, b.future = len(b.indices), None, None
        if self.find_unused and not self.static:
            roots = [engine.edge_of(t) for t in outputs if t.requires_grad]
            reached = engine.count([e for e in roots if e is not None])
            self.unused = [i for i, p in enumerate(self.parameters) if p not in reached]
            if not self.unused and self.iterations > 0:
                self._say(
                    "find_unused_parameters=True was specified in DDP constructor, but did not "
                    "find any unused parameters in the forward pass. This flag results in an extra "
                    "traversal of the autograd graph every iteration, which can adversely affect "
                    "performance. If your model indeed never has any unused parameters in the "
                    "forward pass, consider turning this flag off. Note that this warning may be a "
                    "false positive if your model has flow control causing later iterations to "
                    "have unused parameters."
                )

    def _say(self, text: str) -> None:
        """Warn of something once."""
        if text not in self.said:
            self.said.add(text)
            warnings.warn(text, UserWarning, stacklevel=4)

    def check_finished(self) -> None:
        """RuntimeError when gradients have been reduced, and others have not come."""
        if not self.unfinished:
            return
        missing = [i for i in range(len(self.parameters)) if i not in self.ready]
        rank = self.group.rank()
        if self.static:
            text = CHANGED.format("", "un")
        else:
            text = UNUSED + ("" if self.find_unused else TRY_FINDING)
        told = (
            f"\nParameter indices which did not receive grad for rank {rank}: "
            f"{' '.join(map(str, missing))}\n"
            f"Parameters which did not receive grad for rank {rank}: "
            f"{', '.join(self.names[i] for i in missing)}"
        )
        raise RuntimeError(UNFINISHED + text + told)

    @property
    def counts_first(self) -> bool:
        """Whether this is the iteration in which a static graph is learnt."""
        return self.static and self.counted is None

    # -- during a backward -------------------------------------------------------------------------

    def came(self, i: int) -> None:
        """The engine has accumulated a gradient of parameter `i`."""
        p = self.parameters[i]
        if (self.find_unused or self.counts_first) and p.grad is not None:
            self.used[i] = 1
        if not self.expected:
            return
        if self.counts_first:
            if not any(self.counting):
                engine.queue_callback(self.finish_first)
            if not self.counting[i]:
                self.last_order.append(i)
            self.counting[i] += 1
            return
        if not self.unfinished:
            self.unfinished = True
            if self.find_unused and not self.static:
                engine.queue_callback(self.finish_others)
            for u in self.unused:
                self.mark(u)
        if self.counted is not None:
            if not self.counted[i]:
                raise RuntimeError("Your " + CHANGED.format("un", ""))
            self.counting[i] -= 1
            if self.counting[i] > 0:
                return
        self.last_order.append(i)
        self.mark(i)

    def mark(self, i: int) -> None:
        """The gradient of parameter `i` will not change any more in this backward."""
        if i in self.ready:
            raise RuntimeError(
                f"{TWICE}\nParameter at index {i} with name {self.names[i]} has been marked as "
                "ready twice. This means that multiple autograd engine hooks have fired for this "
                "particular parameter during this iteration."
            )
        self.ready.add(i)
        b, k = self.place[i]
        bucket = self.buckets[b]
        if not (bucket.lone or self.in_batches):
            self.fill(bucket, k)
        bucket.pending -= 1
        if bucket.pending == 0 and b == self.next:
            self.launch()

    def fill(self, bucket: Bucket, k: int) -> None:
        """Bring a gradient into its bucket, divided where no hook does that."""
        grad, view = bucket.parameters[k].grad, bucket.views[k]
        if grad is None:
            view[...] = 0
            return
        if grad._fn is not None:
            self._say(
                "Using DistributedDataParallel with create_graph=True is not well-supported. The "
                "higher-order gradient will not be synchronized across ranks, and backpropagation "
                "through all_reduce operations will not occur."
            )
        scale = 1.0 if self.hook is not None else 1.0 / self.divided_by()
        a = door.resolved(grad._a)
        if a.__class__ is not np.ndarray:
            raise RuntimeError(
                message(
                    f"the gradient of {self.names[bucket.indices[k]]} is sparse",
                    wanted="dense gradients, or an Embedding(sparse=True) whose weight is in one "
                    "layer alone",
                )
            )
        if scale == 1.0:
            if a is not view and not same_memory(a, view):
                view[...] = a
        elif a.dtype.kind in "fc":
            np.multiply(a, scale, out=view)
        else:
            with no_grad():
                view[...] = (grad.detach() * scale)._a

    def divided_by(self) -> int:
        """How many ranks contribute: all, or those that have inputs (`join`)."""
        if not self.divisor:
            self.divisor = self.group.size()
            if self.forward_work is not None and not self.forward_work[1]:
                work = self.forward_work[0]
                work.wait()
                self.divisor = int(work.result()[0].item())
        return self.divisor

    def launch(self) -> None:
        """Reduce the buckets that are full, in their order; the last one ends the backward."""
        n = len(self.buckets)
        while self.next < n and self.buckets[self.next].pending == 0:
            bucket = self.buckets[self.next]
            self.next += 1
            if self.in_batches and not bucket.lone:
                for k in range(len(bucket.indices)):
                    self.fill(bucket, k)
            if self.skipped(bucket) or bucket.lone:
                continue  # sparse gradients wait for the end
            assert bucket.flat is not None
            if self.hook is not None or self.next < n:
                self.begin(bucket, bucket.flat)
        others = self.counts_first or (self.find_unused and not self.static)
        if self.next == n and not others and not self.planned:
            engine.queue_callback(self.ending)

    def ending(self) -> None:
        """`finish`, told to who writes a plan."""
        for observer in door.state.observers:
            if observer.reducing(self, None):
                return
        self.finish()

    def came_in_plan(self, i: int) -> None:
        """`came` in a plan, which calls `finish` itself."""
        self.planned = True
        try:
            self.came(i)
        finally:
            self.planned = False

    def finish_in_plan(self) -> None:
        """`finish`, where all buckets have been launched."""
        if self.unfinished and self.next == len(self.buckets):
            self.finish()

    def begin(self, bucket: Bucket, flat: Tensor) -> None:
        """Reduce a bucket while the backward goes on."""
        if self.hook is not None:
            bucket.future = self.called(GradBucket(bucket, flat, bucket is self.buckets[-1]))
        else:
            bucket.work = all_reduce(flat, group=self.group, async_op=True)

    def called(self, bucket: GradBucket) -> Any:
        """What the hook makes of a bucket: a Future."""
        assert self.hook is not None
        found = self.hook(self.hook_state, bucket)
        if not isinstance(found, Future):
            raise RuntimeError(
                message(
                    "DDP communication hook's callback must return a torch.futures.Future object, "
                    f"but got {type(found).__module__}.{type(found).__name__}",
                    hint="dist.all_reduce(t, async_op=True).get_future(), or a Future() whose "
                    "result was set",
                )
            )
        return found

    def skipped(self, bucket: Bucket) -> bool:
        unused = set(self.unused)
        return self.skip_unused and all(i in unused for i in bucket.indices)

    # -- the end of a backward ---------------------------------------------------------------------

    def finish_others(self) -> None:
        """find_unused_parameters: what has got no gradient by now gets none."""
        if not self.unfinished:
            return
        for i in range(len(self.parameters)):
            if i not in self.ready:
                self.mark(i)
        self.finish()

    def finish_first(self) -> None:
        """The first backward of a static graph: everything is reduced when it is over."""
        if not self.expected:
            return
        self.unused = [i for i, c in enumerate(self.counting) if not c]
        self.unfinished = True
        for i in range(len(self.parameters)):
            self.mark(i)
        self.finish()
        self.counted = list(self.counting)

    def finish(self) -> None:
        """Wait for all buckets and copy them back to the gradients."""
        self.expected = self.unfinished = False
        for bucket in self.buckets:
            if self.skipped(bucket):
                continue
            if bucket.lone:
                self.reduce_sparse(bucket)
            elif bucket.work is None and bucket.future is None:  # the last: nothing is left to do
                all_reduce(bucket.flat, group=self.group)  # type: ignore[arg-type]
        self.share_used()
        for bucket in self.buckets:
            if not bucket.lone and not self.skipped(bucket):
                self.hand_back(bucket)
        for future in self.futures:
            future.wait()
        self.futures = []
        for p, optimizers in self.stepping.items():
            if p.grad is not None:
                for optimizer in optimizers:
                    optimizer.step()
                p.grad = None
        self.forward_work = None
        self.divisor = 0
        if self.learns_order and not self.order:
            came = dict.fromkeys(self.last_order)
            self.order = [*came, *(i for i in range(len(self.parameters)) if i not in came)]

    def share_used(self) -> None:
        """Which parameters any rank has used: others keep the gradients that they have."""
        if self.counts_first or (self.find_unused and not self.static):
            all_reduce(of_array(self.used), group=self.group)
            self.used_anywhere = self.used
            self.used = np.zeros(len(self.parameters), np.int32)

    def hand_back(self, bucket: Bucket) -> None:
        """Copy a reduced bucket to the gradients, or make them views of it."""
        views = bucket.views
        if bucket.work is not None:
            bucket.work.wait()
        elif bucket.future is not None:
            found = bucket.future.wait()
            found = found[0] if isinstance(found, (list, tuple)) else found
            flat = bucket.flat
            assert flat is not None
            if not isinstance(found, Tensor) or found.numel() != flat.numel():
                raise RuntimeError(
                    message(
                        "a communication hook gave something else than its bucket",
                        got=f"{tuple(found.shape)}"
                        if isinstance(found, Tensor)
                        else type(found).__name__,
                        wanted=f"a tensor of {flat.numel()} elements",
                    )
                )
            if found is not flat:
                array = np.ascontiguousarray(door.resolved(found._a)).reshape(-1)
                if array.dtype != flat._a.dtype:
                    array = array.astype(flat._a.dtype)
                if self.as_views:
                    flat._a[...] = array
                else:
                    views = bucket.parts(array)
        for k, i in enumerate(bucket.indices):
            if self.used_anywhere is not None and not self.used_anywhere[i]:
                continue
            p = bucket.parameters[k]
            grad: Any = p.grad
            if self.as_views:
                if grad is None or grad._a.__class__ is not np.ndarray or not same_memory(
                    grad._a, views[k]
                ):
                    p.grad = bucket.tensor(k)
            elif grad is None:
                p.grad = door.wrap(np.array(views[k], order="K"))
            else:
                door.put(grad._a, views[k])
                if grad._vc is not None:
                    grad._vc.bump("backward")

    def reduce_sparse(self, bucket: Bucket) -> None:
        """Average the sparse gradient of a parameter: entries of all ranks one behind another."""
        from .sparse_gradients import averaged

        if self.hook is not None:
            refused_sparse("register_comm_hook")
        p = bucket.parameters[0]
        grad = averaged(p, p.grad, self.group, self.divided_by())
        p.grad = grad

    # -- buckets in the order of the gradients -----------------------------------------------------

    @property
    def learns_order(self) -> bool:
        return (self.static or not self.find_unused) and not self.rebuilt

    def rebuild(self) -> bool:
        """Make the buckets anew, in the order in which gradients came on rank 0; once."""
        if not self.learns_order or not self.order:
            return False
        order = np.array(self.order, np.int64)
        broadcast(of_array(order), group=self.group, group_src=0)
        numbers = [int(i) for i in order]
        tensors = [self.parameters[i] for i in numbers]
        views = self.as_views
        self._made(*assigned(tensors, self.caps, self.sparse, numbers))
        if views:  # gradients that are kept are views of the old buckets
            for p in self.parameters:
                if p.grad is not None and p.grad._a.__class__ is np.ndarray:
                    p.grad = p.grad.detach().clone()
        self.rebuilt = True
        return True

    def fills(self, leaves: Sequence[Any]) -> list[int]:
        """Where buckets are full if gradients come in the order of `leaves`, which is about how the
        buckets are made anew; of other parameters those behind them come first."""
        number = {p: i for i, p in enumerate(self.parameters)}
        place = {number[p]: at for at, p in enumerate(leaves) if p in number}
        if not place:
            return []
        newest = max(place)
        for i in range(len(self.parameters)):
            place.setdefault(i, -1 if i > newest else len(leaves))
        members = [b.indices for b in self.buckets]
        if self.learns_order:
            order = sorted(place, key=lambda i: (place[i], -i))
            tensors = [self.parameters[i] for i in order]
            members, _ = assigned(tensors, self.caps, self.sparse, order)
        found, last = [], 0
        for indices in members:  # they are reduced in this order
            last = max(last, *(place[i] for i in indices))
            if last < len(leaves):
                found.append(last)
        return found

    # -- hooks, and what DDP asks ------------------------------------------------------------------

    def register(self, state: Any, hook: Any) -> None:
        if self.hook is not None:
            raise RuntimeError(
                "register_comm_hook or register_builtin_comm_hook can only be called once."
            )
        self.hook, self.hook_state = hook, state

    def zero_buckets(self) -> list[GradBucket]:
        """The buckets with zeros, for a rank that has no more inputs."""
        found = []
        for b in self.buckets:
            if b.lone:
                refused_sparse("join")
            assert b.flat is not None
            found.append(GradBucket(b, b.flat.new_zeros(b.flat.numel()), b is self.buckets[-1]))
        return found

    def run_hook(self, bucket: GradBucket) -> Any:
        """Reduce a bucket as in a backward; a Future."""
        if self.hook is not None:
            return self.called(bucket)
        work = all_reduce(bucket.buffer(), group=self.group, async_op=True)
        assert work is not None
        return work.get_future()

    def remove(self) -> None:
        """Take the hooks from the parameters."""
        _removed(self.handles)


def _removed(handles: list[Any]) -> None:
    while handles:
        handles.pop().remove()


class Accumulated:
    """The hook of a parameter.

    Attributes:
        of: the reducer, weakly.
        fills: tells a compiled backward where it should stop (`compiler/early.py`).
    """

    __slots__ = ("number", "of")

    def __init__(self, of: Any, number: int) -> None:
        self.of, self.number = of, number

    def __call__(self, p: Any) -> None:
        found = self.of()
        if found is None:
            return
        for observer in door.state.observers:  # a plan is being written down?
            if observer.reducing(found, self.number):
                return
        found.came(self.number)

    def fills(self, leaves: Sequence[Any]) -> list[int]:
        """The places in an order of leaves behind which a bucket is full."""
        found = self.of()
        return [] if found is None else found.fills(leaves)


def same_memory(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays of one shape are the same places in memory."""
    return a.ctypes.data == b.ctypes.data and a.strides == b.strides
