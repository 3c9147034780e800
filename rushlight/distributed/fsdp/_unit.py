"""A unit: parameters that are spread together, gathered together and reduced together.

Both interfaces, `FullyShardedDataParallel` and `fully_shard`, are made of units. What happens when:

    before the forward of its module   `unshard`: gather the shards of all ranks
    after it                           `reshard`: free the memory again
    before its backward                `unshard` once more; an output's hook says so. The unit
                                       whose backward comes next begins to gather (`prefetch`)
    when all its gradients are there   `reduce`: begin to average them; `reshard`
    when the next one's are, or at     this rank's part of the average is added to the shards'
    the end of the backward            gradients (`Tree.settle`)

Autograd knows the whole parameters, leaves in the unit's `Memory`; the optimiser the shards. What a
shard is, FlatUnit (`_flat.py`) and RowsUnit (`_rows.py`) say.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

import rushlight.distributed as dist
from rushlight.autograd import door, engine
from rushlight.nn.module import Module
from rushlight.optim.optimizer import register_optimizer_step_post_hook
from rushlight.tensor import Parameter, Tensor

from ._memory import Memory
from .api import BackwardPrefetch

MOST_FORWARDS = 10_000  # that are remembered for their backwards
steps = [0]  # how many steps optimisers have made: what was gathered before is old


def _count(*_: Any) -> None:
    steps[0] += 1


def count_steps() -> None:
    """Begin to count the steps of optimisers; once in a process."""
    if not _counting:
        _counting.append(register_optimizer_step_post_hook(_count))


_counting: list[Any] = []


class Held:
    """One parameter of a unit: where modules have it, and in which forms."""

    __slots__ = (
        "dtype", "name", "names", "numel", "of_rank", "places", "shape", "shard", "whole"
    )  # fmt: skip

    def __init__(self, name: str, places: list[tuple[Module, str]], param: Any) -> None:
        self.name, self.names, self.places = name, [name], places
        self.shape, self.dtype, self.numel = tuple(param.shape), param.dtype, param.numel()
        self.of_rank: Any = None  # the spec of a parameter that tensor parallelism has spread
        self.whole: Any = None  # the leaf that the tape knows
        self.shard: Any = param  # what stands in the modules while the unit is spread


class Tree:
    """What the units of one outermost module share: the backward that is under way.

    Attributes:
        reducing: ends the reduction that goes on beside the backward; there is one at most, so that
            memory for one unit's gradients is enough.
        ended: units in the order in which their forwards have ended: backwards come in the other.
        begun: units in the order in which their forwards begin, learnt until a backward has ended.
    """

    def __init__(self) -> None:
        self.units: list[Unit] = []
        self.queued = False
        self.reducing: Callable[[], None] | None = None
        self.ended: list[Unit] = []
        self.begun: dict[Unit, Unit | None] = {}  # each with the next one
        self.newest: Unit | None = None
        self.learnt = False

    def begin(self) -> None:
        """A backward has reached one of the units: look after all of them when it ends."""
        if not self.queued:
            self.queued = True
            engine.queue_callback(self.end)

    def end(self) -> None:
        self.queued = False
        for unit in reversed(self.units):
            unit.finish()
        self.settle()
        self.ended.clear()
        self.learnt = True

    def settle(self) -> None:
        """Wait for the reduction that is under way."""
        ends, self.reducing = self.reducing, None
        if ends is not None:
            with door.grad_enabled(False):
                ends()

    def forget(self) -> None:
        """Let go of a backward that has not come to its end, and of what it was reducing."""
        self.queued, self.reducing = False, None
        self.ended.clear()
        for unit in self.units:
            unit.pending = None

    # -- what comes next ---------------------------------------------------------------------------

    def forward_of(self, unit: Unit) -> None:
        """The forward of a unit begins."""
        if engine.running():  # a checkpoint computes again
            return
        if not self.learnt and unit not in self.begun:
            self.begun[unit] = None
            if self.newest is not None:
                self.begun[self.newest] = unit
            self.newest = unit
        following = self.begun.get(unit) if self.learnt and unit.forward_prefetch else None
        if following is not None:
            following.prefetch()

    def forward_ended(self, unit: Unit) -> None:
        if len(self.ended) >= MOST_FORWARDS:  # without a backward
            self.ended.clear()
        self.ended.append(unit)

    def backward_of(self, unit: Unit) -> Unit | None:
        """The unit whose backward probably comes after that of `unit`."""
        for k in reversed(range(len(self.ended))):
            if self.ended[k] is unit:
                del self.ended[k:]
                return self.ended[-1] if k else None
        return None

    def recover(self) -> None:
        """Forget a backward that an error has ended."""
        if self.queued and not engine.running():
            self.forget()


class Unit:
    """Parameters that are gathered and reduced together, over the ranks of `group`.

    Args:
        held: the parameters.
        group: the ranks over which they are spread.
        replicas: the ranks that have the same shard, for hybrid sharding; None: there are none.
    """

    memory: Memory

    def __init__(self, held: list[Held], group: Any, replicas: Any = None) -> None:
        self.held, self.group, self.replicas = held, group, replicas
        self.ranks: int = 1 if group is None else group.size()
        self.rank: int = 0 if group is None else group.rank()
        self.hook: Any = None  # of register_comm_hook, with its state
        self.tree = Tree()
        self.shown = False  # whether modules have the whole parameters
        self.gathered = False
        self.at_step = -1  # steps[0] when it was gathered
        self.param_dtype: Any = None
        self.reduce_dtype: Any = None
        self.reshard_after_forward = True
        self.reshard_after_backward = True
        self.sync = True  # whether a backward ends with the exchange of gradients
        self.all_reduce = True  # between replicas as well
        self.kept_whole = False  # within summon_full_params: nothing is freed
        self.pending: set[int] | None = None  # gradients that the backward under way will bring
        self.tokens: weakref.WeakSet[Any] = weakref.WeakSet()  # inputs whose gradient is to come
        self.until_end = False  # an input is a leaf: nobody says when its gradient is there
        self.under_way: Any = None  # a gathering that was begun
        self.in_backward = True  # whether the backward needs the parameters
        self.forward_prefetch = False
        self.backward_prefetch: BackwardPrefetch | None = BackwardPrefetch.BACKWARD_PRE
        self.backward_next: tuple[Any, ...] = ()  # instead: what the user has said
        count_steps()

    # -- what a shard is -----------------------------------------------------------------------

    def gather(self) -> None:
        """Bring the whole parameters into `memory`."""
        if self.under_way is None:
            self.begin_gather(False)
        self.end_gather()

    def begin_gather(self, async_op: bool) -> None:
        """Send this rank's part, and set `under_way` to (work, ...)."""
        raise NotImplementedError

    def end_gather(self) -> None:
        """Wait until the parts of the others are there."""
        work, *_ = self.under_way
        self.under_way = None
        if work is not None:
            work.wait()

    def prefetch(self) -> None:
        """Begin to gather, so that the parameters are there when they are needed."""
        if not self.gathered and self.under_way is None and self.ranks > 1:
            with door.grad_enabled(False):
                self.begin_gather(True)
            self.at_step = steps[0]

    def show(self, whole: bool) -> None:
        """Let the modules have the whole parameters, or the shards."""
        self.shown = whole
        for h in self.held:
            for module, name in h.places:
                module._parameters[name] = h.whole if whole else h.shard

    def reduce(self) -> Callable[[], None]:
        """Begin to average the gradients of the whole parameters; what is returned waits, and adds
        this rank's part to the shards."""
        raise NotImplementedError

    # -- gathering and freeing -----------------------------------------------------------------

    def lead(self, h: Held, array: Any) -> None:
        """Make the whole form of a parameter, in the unit's memory."""
        h.whole = Parameter(self.leaf(h, array), requires_grad=h.shard.requires_grad)
        h.whole.__dict__.update(h.shard.__dict__)
        if array.dtype.kind in "fcVW":
            trained = h.whole.requires_grad
            h.whole.requires_grad_(True)
            h.whole.register_post_accumulate_grad_hook(self.has_gradient)
            h.whole.requires_grad_(trained)

    def leaf(self, h: Held, array: Any) -> Any:
        """The whole form of a parameter, over an array."""
        return Tensor._wrap(array)

    def unshard(self) -> None:
        """Gather, unless it is gathered, and show the whole parameters."""
        if self.under_way is not None and self.old():
            self.end_gather()
        if self.gathered and self.old():
            self.gathered = self.kept_whole
        if not self.gathered:
            with door.grad_enabled(False):
                self.gather()
            self.gathered, self.at_step = True, steps[0]
        for h in self.held:
            if h.whole.requires_grad is not h.shard.requires_grad:
                h.whole.requires_grad_(h.shard.requires_grad)
        self.show(True)

    def old(self) -> bool:
        """Whether an optimiser has changed the shards since they were gathered."""
        return self.at_step != steps[0] and not engine.running()

    def reshard(self) -> None:
        """Free the whole parameters and show the shards."""
        if self.under_way is not None:  # begun and not needed after all
            self.end_gather()
            self.gathered = True
        if self.kept_whole:
            return
        if self.gathered:
            self.free()
        if self.shown:
            self.show(False)

    def free(self) -> None:
        self.gathered = False
        self.memory.release()

    # -- around forward and backward -----------------------------------------------------------

    def after_forward(self, inputs: Any, output: Any) -> None:
        """Free, and see to it that the backward gathers again."""
        if not self.held:
            return
        recording = door.state.enabled
        found = False
        if recording:
            for t in tensors_in(output):
                if t.requires_grad:
                    t.register_hook(self.before_backward)
                    found = True
            for t in tensors_in(inputs):
                if t.requires_grad:
                    self.watch(t)
        again = engine.running()  # a checkpoint computes again: the backward follows at once
        if found and not again:
            self.tree.forward_ended(self)
        if (self.reshard_after_forward or not recording) and not again:
            if recording and not found and any(h.whole.requires_grad for h in self.held):
                return  # tensors are hidden in objects: nobody would gather for the backward
            self.reshard()

    def watch(self, x: Any) -> None:
        """Hear when the gradient of an input is there: then the backward is through."""
        if x.grad_fn is None:
            self.until_end = True
            return
        token = Token()
        self.tokens.add(token)
        me = weakref.ref(self)

        def through(g: Any) -> None:
            unit = me()
            if unit is not None:
                unit.tokens.discard(token)
                unit.through()

        x.register_hook(through)

    def before_backward(self, g: Any) -> None:
        """An output's gradient is there: the backward of this unit begins."""
        begins = self.pending is None
        self.expect()
        if self.in_backward or self.gathered:
            self.unshard()
        for unit in self.backward_next:
            unit.prefetch()
        if begins and not self.backward_next:
            self.following = self.tree.backward_of(self)
            if self.backward_prefetch is BackwardPrefetch.BACKWARD_PRE:
                self.prefetch_following()

    following: Unit | None = None  # whose backward comes next

    def prefetch_following(self) -> None:
        unit, self.following = self.following, None
        if unit is not None and unit.in_backward:
            unit.prefetch()

    def expect(self) -> None:
        self.tree.begin()
        if self.pending is None:
            run = engine.current()
            self.pending = {
                id(h.whole) for h in self.held if h.whole.requires_grad and run.will_reach(h.whole)
            }

    def has_gradient(self, whole: Any) -> None:
        """A whole parameter has its gradient of this backward."""
        self.expect()
        assert self.pending is not None
        self.pending.discard(id(whole))
        if not self.pending:
            if self.sync:
                self.reduce_all()
            if self.backward_prefetch is BackwardPrefetch.BACKWARD_POST:
                self.prefetch_following()
            self.through()

    def through(self) -> None:
        """Free the parameters if the backward needs them no longer."""
        if self.pending is not None and not self.pending and not self.until_end:
            if self.tokens:
                return
            self.pending = None
            if self.reshard_after_backward:
                self.reshard()

    def finish(self) -> None:
        """The backward has ended."""
        waited = self.pending is not None
        self.pending, self.until_end = None, False
        if waited and self.sync:
            self.reduce_all()
        self.following = None
        if (self.gathered or self.under_way is not None) and self.reshard_after_backward:
            self.reshard()

    def reduce_all(self) -> None:
        if any(h.whole.grad is not None for h in self.held):
            self.tree.settle()
            with door.grad_enabled(False):
                self.tree.reducing = self.reduce()


class Token:
    """Stands for an input of a unit as long as its graph lives."""

    __slots__ = ("__weakref__",)


def tensors_in(x: Any, seen: set[int] | None = None) -> list[Any]:
    """The tensors in lists, tuples, sets, dicts, data classes and outputs of models."""
    if isinstance(x, Tensor):
        return [x]
    if x is None or isinstance(x, (int, float, str, bytes, Module)):
        return []
    seen = set() if seen is None else seen
    if id(x) in seen:
        return []
    seen.add(id(x))
    parts: Iterable[Any]
    if isinstance(x, dict):
        parts = x.values()
    elif isinstance(x, (list, tuple, set, frozenset)):
        parts = x
    else:
        parts = getattr(x, "__dict__", {}).values()
    return [t for part in parts for t in tensors_in(part, seen)]


def mapped(x: Any, fn: Callable[[Any], Any]) -> Any:
    """Lists, tuples, dicts and data classes with `fn` applied to their tensors."""
    import dataclasses

    if isinstance(x, Tensor):
        return fn(x)
    if isinstance(x, dict):
        made = {k: mapped(v, fn) for k, v in x.items()}
        return made if type(x) is dict else type(x)(made)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*[mapped(v, fn) for v in x])
    if isinstance(x, (list, tuple, set)):
        return type(x)([mapped(v, fn) for v in x])
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        fields = {
            f.name: mapped(getattr(x, f.name), fn) for f in dataclasses.fields(x) if f.init
        }
        return dataclasses.replace(x, **fields)
    return x


def cast_floats(x: Any, dtype: Any) -> Any:
    """`x` with the floating-point tensors in it converted."""
    return mapped(x, lambda t: t.to(dtype) if t.is_floating_point() and t.dtype != dtype else t)


def collect(
    root: Module, skip_modules: Callable[[Module], bool], ignored: set[int], prefix: str = ""
) -> list[Held]:
    """The parameters below `root` that belong to no other unit; shared ones once."""
    found: dict[int, Held] = {}
    stack = [(prefix, root)]
    seen = set()
    while stack:
        path, module = stack.pop()
        if id(module) in seen or (module is not root and skip_modules(module)):
            continue
        seen.add(id(module))
        for name, p in module._parameters.items():
            if p is None or id(p) in ignored:
                continue
            if id(p) in found:
                found[id(p)].places.append((module, name))
                found[id(p)].names.append(path + name)
            else:
                found[id(p)] = Held(path + name, [(module, name)], p)
        children = [(f"{path}{n}.", c) for n, c in module._modules.items() if c is not None]
        stack.extend(reversed(children))
    return list(found.values())


def averaging(x: Any, group: Any) -> list[Any]:
    """Begin to average a tensor over the ranks of a group, in place: what is to be waited for."""
    if group is None or group.size() == 1:
        return []
    return [dist.all_reduce(x, dist.ReduceOp.AVG, group, async_op=True)]
