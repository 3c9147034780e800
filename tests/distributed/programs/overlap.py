"""Gradients of compiled modules are reduced while the plan of the backward goes on.

python overlap.py RANKS
"""

import contextlib
import itertools
import sys
import tempfile
import warnings
from unittest import mock

import pytest
from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
from rushlight import nn
from rushlight.compiler import state
from rushlight.distributed import local
from rushlight.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
from rushlight.distributed.reducer import Reducer

DDP = nn.parallel.DistributedDataParallel
WAYS = ("outside", "inside", "step", "late")
DIM = 32


class Net(nn.Module):
    """Layers, one of which is used twice, and one of which need not be used."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList([nn.Linear(DIM, DIM) for _ in range(5)])
        self.norm = nn.BatchNorm1d(DIM)
        self.spare = nn.Linear(DIM, DIM)

    def forward(self, x, spare=True):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        x = self.norm(self.layers[2](x))
        return self.spare(x) if spare else x


class Pieces(nn.Module):
    """A model of which two pieces are compiled, each for itself."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        made = [nn.Sequential(nn.Linear(DIM, DIM), nn.Tanh(), nn.Linear(DIM, DIM))
                for _ in range(2)]  # fmt: skip
        self.pieces = nn.ModuleList(made)

    def forward(self, x):
        for piece in self.pieces:
            x = piece(x)
        return x


def plans():
    """The backwards of all compiled functions: how often each stops."""
    entries = [e for c in state.compiled for e in c.entries]
    regions = [e.region for e in entries if e.region is not None]
    found = [way.stops for r in regions for plan in r.plans for way in plan.ways.values()]
    return found + [stops_of(e) for e in entries]


def stops_of(entry):
    """How often a plan begins reductions with something to compute before and behind."""
    names = [line.record.name for line in entry.program.lines]
    names = [name for name in names if name not in ("gradient", "wait for reductions")]
    return sum(a == "reduce a gradient" != b for a, b in itertools.pairwise(names))


def trained(rank, way, spare=True, hook=None, parts=1, made=Net, **settings):
    """Parameters, gradients and buffers after some steps; how often backwards stopped."""
    torch.compiler.reset()
    net = made()
    inner = net
    if way in ("inside", "late"):
        inner = torch.compile(net)
    inputs = torch.Generator().manual_seed(rank)
    if way == "late":  # there are plans already when DistributedDataParallel comes
        for _ in range(3):
            inner(torch.randn(4, DIM, generator=torch.Generator().manual_seed(9)), spare)
        net.norm.reset_running_stats()
    model = DDP(inner, bucket_cap_mb=0.005, **settings)
    if hook is not None:
        model.register_comm_hook(*hook())
    call = torch.compile(model) if way == "outside" else model
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    more = () if spare else (False,)

    def step(*xs):
        optimizer.zero_grad()
        for k, x in enumerate(xs):
            with model.no_sync() if k + 1 < len(xs) else contextlib.nullcontext():
                call(x, *more).square().mean().backward()
        optimizer.step()

    if way == "step":

        def step(x):
            optimizer.zero_grad()
            loss = model(x, *more).square().mean()
            loss.backward()
            optimizer.step()

        step = torch.compile(step)
    for _ in range(6):
        step(*[torch.randn(4, DIM, generator=inputs) for _ in range(parts)])
    found = [p.detach().clone() for p in net.parameters()]
    found += [p.grad.clone() for p in net.parameters() if p.grad is not None]
    return found + [b.clone() for b in net.buffers()], plans()


def same_bits(rank, ways=WAYS, **how):
    wanted, _ = trained(rank, "eager", **how)
    for way in ways:
        found, stops = trained(rank, way, **how)
        assert len(found) == len(wanted)
        assert all(map(torch.equal, found, wanted)), (way, how)
        assert max(stops) >= 2, (way, how, stops)  # it was in the middle of a plan


def every_kind(rank, n):
    same_bits(rank)
    few = ("outside", "step")
    same_bits(rank, few, spare=False, find_unused_parameters=True)
    same_bits(rank, few, spare=False, static_graph=True)
    same_bits(rank, few, gradient_as_bucket_view=True)
    same_bits(rank, ("outside", "inside"), parts=3)
    same_bits(rank, ("inside",), batched_grad_copy=True)
    for hook in (
        lambda: (None, default_hooks.fp16_compress_hook),
        lambda: (powerSGD_hook.PowerSGDState(None, start_powerSGD_iter=3),
                 powerSGD_hook.powerSGD_hook),
    ):  # fmt: skip
        same_bits(rank, ("outside",), hook=hook)


def whole_steps(rank, n):
    """A step with its backward and its optimizer is one plan, which waits for the reductions before
    the optimizer's launches."""
    results = {}
    for way, settings in itertools.product(("eager", "compiled"), range(4)):
        torch.compiler.reset()
        net = Net()
        more = {"static_graph": True} if settings == 1 else {}
        model = DDP(net, bucket_cap_mb=0.005, **more)
        if settings == 2:
            model.register_comm_hook(None, default_hooks.bf16_compress_hook)
        optimizer = torch.optim.AdamW(net.parameters(), 0.01)

        def step(x, model=model, optimizer=optimizer, settings=settings):
            loss = model(x).square().mean()
            loss.backward()
            if settings == 0:
                torch.nn.utils.clip_grad_norm_(model.parameters(), 0.01)
            if settings != 3:
                optimizer.step()
                optimizer.zero_grad()
            return loss.detach()

        call = torch.compile(step) if way == "compiled" else step
        inputs = torch.Generator().manual_seed(rank)
        losses = []
        for k in range(12):
            few = settings != 3 and k % 4 == 3  # batches of two sizes
            x = torch.randn(4 + few, DIM, generator=inputs)
            if settings == 3:  # gradients add up; the optimizer is outside
                with model.no_sync() if k % 3 else contextlib.nullcontext():
                    losses.append(call(x))
                if k % 3 == 0:
                    optimizer.step()
                    optimizer.zero_grad()
            else:
                losses.append(call(x))
        found = [*losses, *net.parameters(), *net.buffers()]
        found += [p.grad for p in net.parameters() if p.grad is not None]
        results[way, settings] = [t.detach().clone() for t in found]
        if way == "compiled":
            entries = call.entries
            assert len(entries) >= 2, (settings, call.why)
            assert sum(e.runs for e in entries) >= 6, settings
            assert all(e.region is None for e in entries)
            assert max(map(stops_of, entries)) >= 2
            for e in entries:
                names = [line.record.name for line in e.program.lines]
                if "AdamW.step()" in names:
                    assert names.index("wait for reductions") < names.index("AdamW.step()")
    for settings in range(4):
        wanted, found = results["eager", settings], results["compiled", settings]
        assert len(found) == len(wanted)
        assert all(map(torch.equal, found, wanted)), settings


def losses_alone(rank, n):
    """A compiled function that has the module and its loss in it."""
    found = []
    for compiled in (False, True):
        torch.compiler.reset()
        net = Net()
        model = DDP(net, bucket_cap_mb=0.005)

        def loss_of(x, model=model):
            return model(x).square().mean()

        call = torch.compile(loss_of) if compiled else loss_of
        inputs = torch.Generator().manual_seed(rank)
        for _ in range(4):
            call(torch.randn(4, DIM, generator=inputs)).backward()
        found.append([p.grad.clone() for p in net.parameters()])
    assert call.entries[0].runs >= 2
    assert max(plans()) >= 2
    assert all(map(torch.equal, *found))


def refused(rank, n):
    """A plan raises what eager steps raise; what no plan can have is named."""
    texts = []
    for compiled in (False, True):
        model = DDP(Net(), bucket_cap_mb=0.005)

        def step(x, model=model):
            model(x, False).sum().backward()

        call = torch.compile(step) if compiled else step
        for _ in range(2):
            try:
                call(torch.ones(4, DIM))
            except RuntimeError as error:
                texts.append(str(error))
    assert "did not receive grad for rank" in texts[0]
    assert texts == texts[:1] * 2
    model = DDP(Net(), gradient_as_bucket_view=True)
    step = torch.compile(lambda x: model(x).sum().backward(), fullgraph=True)
    words = "a DistributedDataParallel with gradient_as_bucket_view"
    with pytest.raises(torch._dynamo.exc.Unsupported, match=words):
        step(torch.ones(4, DIM))


def gradients_elsewhere(rank, n):
    """What is not a plain backward gets all gradients from the node, as it asks for them."""
    torch.compiler.reset()
    net = Net()
    model = DDP(torch.compile(net), bucket_cap_mb=0.005)
    x = torch.randn(4, DIM, generator=torch.Generator().manual_seed(rank), requires_grad=True)
    model(x).sum().backward()
    for _ in range(2):
        wanted = torch.autograd.grad(net.layers[0](x).sum(), net.layers[0].weight)
        y = torch.tanh(net.layers[0](x))
        for layer in net.layers[1:]:
            y = torch.tanh(layer(y))
        y = net.spare(net.norm(net.layers[2](y))).square().mean()
        parameters = list(net.parameters())
        wanted = torch.autograd.grad(y, [x, *parameters])
        with model.no_sync():
            found = torch.autograd.grad(model(x).square().mean(), [x, *parameters])
        assert all(map(torch.equal, found, wanted))
    assert max(plans()) >= 3
    # another use of a parameter, outside of the plan: its gradient is not whole in the middle
    x = x.detach()
    model.zero_grad()
    with model.no_sync():
        (model(x).square().mean() + net.layers[4].weight.sum()).backward()
    found = [p.grad.clone() for p in net.parameters()]
    model.zero_grad()
    with model.no_sync(), torch.compiler.set_stance("force_eager"):
        (model(x).square().mean() + net.layers[4].weight.sum()).backward()
    assert all(map(torch.equal, found, [p.grad for p in net.parameters()]))
    # hooks of the user's see whole gradients; what they raise leaves the plan usable
    seen = []

    def fails(p):
        seen.append(p.grad.clone())
        raise ValueError("no")

    handle = net.layers[4].weight.register_post_accumulate_grad_hook(fails)
    with model.no_sync():
        for _ in range(2):
            model.zero_grad()
            try:
                model(x).square().mean().backward()
            except ValueError:
                pass
            else:
                raise AssertionError("the hook's error is lost")
        handle.remove()
        model.zero_grad()
        model(x).square().mean().backward()
        assert all(torch.equal(g, net.layers[4].weight.grad) for g in seen)


def pieces(rank, n):
    """Two compiled pieces in one model: a bucket may have gradients of both."""
    found = []
    for compiled in (False, True):
        torch.compiler.reset()
        net = Pieces()
        if compiled:
            for piece in net.pieces:
                piece.compile()
        model = DDP(net, bucket_cap_mb=0.005)
        optimizer = torch.optim.SGD(net.parameters(), 0.1)
        inputs = torch.Generator().manual_seed(rank)
        for _ in range(4):
            optimizer.zero_grad()
            model(torch.randn(4, DIM, generator=inputs)).square().mean().backward()
            optimizer.step()
        found.append([p.detach().clone() for p in net.parameters()])
    assert all(map(torch.equal, *found))
    assert sum(plans()) >= 1


def while_it_goes_on(rank, n):
    """The first bucket's all_reduce begins before the plan's last launch has ended."""
    for way in ("outside", "inside"):
        torch.compiler.reset()
        torch.manual_seed(0)
        net = nn.Sequential(*[nn.Linear(256, 256) for _ in range(6)])
        model = DDP(torch.compile(net) if way == "inside" else net, bucket_cap_mb=0.3)
        model = torch.compile(model) if way == "outside" else model
        for k in range(4):
            loss = model(torch.ones(64, 256)).square().mean()
            with torch.profiler.profile() if k == 3 else contextlib.nullcontext() as prof:
                loss.backward()
        events = prof.events()
        plan = next(e for e in events if e.name == "CompiledFunctionBackward").time_range
        begun = [e.time_range.start for e in events if e.name == "mpi:all_reduce"]

        assert len(begun) >= 4
        asked = [e.time_range.start for e in events if e.name == "c10d::allreduce_"]
        assert sum(plan.start < t < plan.end for t in asked) == len(begun) - 1 > 2


def while_a_step_goes_on(rank, n):
    """The same of a whole step in one plan: by the clock, as the profiler's steps are eager."""
    torch.compiler.reset()
    net = nn.Sequential(*[nn.Linear(256, 256) for _ in range(6)])
    model = DDP(net, bucket_cap_mb=0.3)
    optimizer = torch.optim.SGD(net.parameters(), 0.01)
    told = []
    plain, finish = local.all_reduce, Reducer.finish_in_plan

    def reduces(*args):
        told.append("all_reduce")
        return plain(*args)

    def finishes(self):
        told.append("computed")  # the backward's launches are over
        finish(self)

    @torch.compile
    def step(x):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()

    with mock.patch.object(local, "all_reduce", reduces), \
            mock.patch.object(Reducer, "finish_in_plan", finishes):  # fmt: skip
        # Which comes first is also the scheduler's choice where processes outnumber the cores, so
        # steps are taken until each rank has seen it; a hundred without it are a fault.
        mine = False
        for steps in range(1, 101):
            told.clear()
            step(torch.ones(512, 256))
            seen = list(told)
            mine = mine or ("computed" in seen and seen[0] == "all_reduce")
            early = torch.tensor([float(mine)])
            dist.all_reduce(early, dist.ReduceOp.MIN)
            if early and steps >= 6:
                break
    assert step.entries[0].runs == steps - 1
    assert len(seen) >= 5
    assert early, seen


def run(rank, n, folder):
    dist.init_process_group(init_method=f"file://{folder}/meet", rank=rank, world_size=n)
    warnings.simplefilter("ignore")
    few = (whole_steps, losses_alone, pieces)
    every = (while_it_goes_on, while_a_step_goes_on, every_kind, refused, gradients_elsewhere, *few)
    for part in every if n == 2 else few:
        part(rank, n)
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    start_ranks(run, (ranks, tempfile.mkdtemp()), nprocs=ranks)
    print("well", ranks)
