"""Full shard beside the backward: reductions go on meanwhile, and the next unit is gathered.

python sharded_overlap.py RANKS
"""

import contextlib
from unittest import mock

from sharded import start

import rushlight as torch
import rushlight.distributed as dist
from rushlight import nn
from rushlight.distributed.fsdp import BackwardPrefetch, MixedPrecision, fully_shard
from rushlight.distributed.fsdp import FullyShardedDataParallel as FSDP
from rushlight.distributed.fsdp._flat import FlatUnit
from rushlight.distributed.fsdp._rows import RowsUnit
from rushlight.distributed.fsdp._unit import Tree, Unit
from rushlight.distributed.fsdp.wrap import ModuleWrapPolicy

WIDE, LAYERS = 24, 4


class Layer(nn.Linear):
    def forward(self, x):
        return super().forward(x).tanh()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.Sequential(*[Layer(WIDE, WIDE) for _ in range(LAYERS)])
        self.head = nn.Linear(WIDE, 1)

    def forward(self, x):
        return self.head(self.layers(x))


def flat(**kw):
    return FSDP(Net(), auto_wrap_policy=ModuleWrapPolicy({Layer}), **kw)


def rows(**kw):
    model = Net()
    for m in model.layers:
        fully_shard(m, **kw)
    return fully_shard(model, **kw)


@contextlib.contextmanager
def one_by_one():
    """Nothing goes on beside anything: as if each call were waited for at once."""
    plain = Unit.reduce_all

    def reduce_all(self):
        plain(self)
        self.tree.settle()

    with mock.patch.object(Unit, "reduce_all", reduce_all), \
            mock.patch.object(Unit, "prefetch"):  # fmt: skip
        yield


def trained(rank, model, steps=3):
    opt = torch.optim.AdamW(model.parameters(), 0.01)
    inputs = torch.Generator().manual_seed(rank)
    for k in range(steps):
        for _ in range(1 + k % 2):  # gradients add up
            model(torch.randn(6, WIDE, generator=inputs)).square().mean().backward()
        opt.step()
        opt.zero_grad()
    model(torch.randn(6, WIDE, generator=inputs)).square().mean().backward()
    found = [*model.parameters()]
    found += [p.grad for p in found if p.grad is not None]  # (empty ones have none)
    return [getattr(t, "_local_tensor", t).detach().clone() for t in found]


def same_bits(rank, n):
    pre, post = BackwardPrefetch.BACKWARD_PRE, BackwardPrefetch.BACKWARD_POST
    half = MixedPrecision(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
    ways = [
        *((flat, {"backward_prefetch": b, "forward_prefetch": f})
          for b, f in ((pre, False), (post, True), (None, False))),
        (flat, {"use_orig_params": True, "mixed_precision": half}),
        (rows, {}), (rows, {"reshard_after_forward": False}),
    ]  # fmt: skip
    for make, kw in ways:
        with one_by_one():
            wanted = trained(rank, make(**kw))
        found = trained(rank, make(**kw))
        assert all(map(torch.equal, found, wanted)), (make.__name__, kw)


def what_is_begun(rank, model, steps=2):
    """Of the last step: what was begun, in order, and how many reductions at most."""
    units = {}
    modules = [*model.layers, model] if hasattr(model, "layers") else []
    for k, m in enumerate(modules):
        unit = m._unit if isinstance(m, FSDP) else m._get_fsdp_state().unit
        units[unit] = "head" if m is model else k
    told, most = [], [0]
    begin = {kind: kind.begin_gather for kind in (FlatUnit, RowsUnit)}
    reduce_all, settle = Unit.reduce_all, Tree.settle

    def gathers(kind):
        def begin_gather(self, async_op):
            told.append(("gather" if async_op else "wait", units[self]))
            begin[kind](self, async_op)

        return begin_gather

    def reduces(self):
        reduce_all(self)
        told.append(("reduce", units[self]))
        assert self.tree.reducing is not None
        most[0] += 1
        assert most[0] == 1  # one at a time

    def settles(self):
        most[0] -= self.reducing is not None
        settle(self)

    with contextlib.ExitStack() as stack:
        for kind in begin:
            stack.enter_context(mock.patch.object(kind, "begin_gather", gathers(kind)))
        stack.enter_context(mock.patch.object(Unit, "reduce_all", reduces))
        stack.enter_context(mock.patch.object(Tree, "settle", settles))
        for _ in range(steps):
            told.clear()
            model.zero_grad()
            loss = model(torch.ones(6, WIDE)).square().mean()
            told.append("backward")
            loss.backward()
    return told


def backward_of(layers):
    """What BACKWARD_PRE begins: the next unit's gathering, then this one's reduction."""
    found = []
    for k in layers:
        found += [("gather", k - 1)] * (k > 0) + [("reduce", k)]
    return found


def order(rank, n):
    forward = [("wait", "head"), *(("wait", k) for k in range(LAYERS))]
    down = range(LAYERS - 1, -1, -1)
    before = [("gather", LAYERS - 1), ("reduce", "head")]
    for make in (flat, rows):
        found = what_is_begun(rank, make())
        assert found == [*forward, "backward", *before, *backward_of(down)], found
    post = flat(backward_prefetch=BackwardPrefetch.BACKWARD_POST)
    after = [("reduce", "head"), ("gather", LAYERS - 1)]
    for k in down:
        after += [("reduce", k)] + [("gather", k - 1)] * (k > 0)
    assert what_is_begun(rank, post) == [*forward, "backward", *after]
    never = [("reduce", "head")]
    for k in down:
        never += [("wait", k), ("reduce", k)]
    assert what_is_begun(rank, flat(backward_prefetch=None)) == [*forward, "backward", *never]
    ahead = [("wait", "head"), *(("gather", k) for k in range(LAYERS))]
    found = what_is_begun(rank, flat(forward_prefetch=True))
    assert found == [*ahead, "backward", *before, *backward_of(down)], found
    model = rows()
    model.layers[3].set_modules_to_backward_prefetch([model.layers[2], model.layers[1]])
    model.layers[0].set_modules_to_forward_prefetch([model.layers[1]])
    found = what_is_begun(rank, model)
    assert found[1:4] == [("wait", 0), ("gather", 1), ("wait", 2)], found
    at = found.index(("gather", 3))
    assert found[at + 2 : at + 5] == [("gather", 2), ("gather", 1), ("reduce", 3)], found


def beside(rank, n):
    """The profiler shows reductions in the lane's thread, begun before the backward is over."""
    for make in (flat, rows):
        model = make()
        for _ in range(2):
            loss = model(torch.ones(6, WIDE)).square().mean()
            with torch.profiler.profile() as prof:
                loss.backward()
        events = prof.events()
        reductions = [e for e in events if e.name == "mpi:reduce_scatter"]
        assert len(reductions) == LAYERS + 1
        assert all(e.thread != 1 for e in reductions)
        last = max(e.time_range.start for e in events if e.name == "TanhBackward0")
        asked = [e.time_range.start for e in events if e.name == "c10d::reduce_scatter_"]
        assert sum(t < last for t in asked) == LAYERS


def errors(rank, n):
    """A backward that fails is forgotten, with what it was reducing."""
    for make in (flat, rows):
        model = make()
        wanted = trained(rank, make())
        x = torch.ones(6, WIDE)
        failing = [True]

        def fail(g, failing=failing):
            if failing[0]:
                raise ValueError("stop")

        handle = model.layers[1].register_forward_hook(
            lambda m, args, y, fail=fail: y.register_hook(fail) and None
        )
        try:
            model(x).sum().backward()
        except ValueError:
            if make is rows:  # which of them shows its shards depends on where it ended
                model.reset_iter_state()
            model.zero_grad()
        else:
            raise AssertionError("the error is lost")
        failing[0] = False
        handle.remove()
        found = trained(rank, model)
        assert all(map(torch.equal, found, wanted))


PARTS = (same_bits, order, beside, errors)


def run(rank, n, path, names):
    dist.init_process_group(
        "gloo", init_method=f"file://{path}/meet", rank=rank, world_size=n
    )
    for part in PARTS:
        part(rank, n)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    start(run)
