"""Optimisers whose state is spread over ranks: parameters after 20 steps, and the whole state."""

import io

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.algorithms.join import Join
from torch.distributed.optim import PostLocalSGDOptimizer, ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel as DDP

CLOSE = {"rtol": 1e-4, "atol": 2e-6}
CASES = [
    (torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}, {}),
    (torch.optim.AdamW, {"lr": 0.01, "amsgrad": True}, {"parameters_as_bucket_view": True}),
    (torch.optim.Adagrad, {"lr": 0.05}, {}),
]


def model(seed=3):
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(6, 20), nn.Tanh(), nn.Linear(20, 12), nn.Tanh(),
                         nn.Linear(12, 3))  # fmt: skip


def batch(k, rank, n, size=24):
    g = torch.Generator().manual_seed(k)
    x, y = torch.randn(size, 6, generator=g), torch.randn(size, 3, generator=g)
    return x[rank::n], y[rank::n]


def steps(net, opt, ks, rank, n):
    for k in ks:
        x, y = batch(k, rank, n)
        opt.zero_grad()
        ((net(x) - y) ** 2).mean().backward()
        opt.step()


def twenty(t, rank, n):
    for cls, settings, options in CASES:
        net = DDP(model())
        opt = ZeroRedundancyOptimizer(net.parameters(), cls, **options, **settings)
        what = cls.__name__
        t.note(f"{what} share", [list(p.shape) for g in opt.optim.param_groups
                                 for p in g["params"]])  # fmt: skip
        schedule = torch.optim.lr_scheduler.StepLR(opt, 8, 0.5)
        for k in range(20):
            steps(net, opt, [k], rank, n)
            schedule.step()
        t.note(f"{what} parameters", net.state_dict(), **CLOSE)
        t.attempt(f"{what} not consolidated", lambda opt=opt: sorted(opt.state_dict()))
        for to in {0, n - 1}:
            opt.consolidate_state_dict(to)
            if rank != to:
                t.attempt(f"{what} of rank {to}", opt.state_dict)
                continue
            state = opt.state_dict()
            t.note(f"{what} groups of {to}", state["param_groups"])
            t.note(f"{what} state of {to}", state["state"], rtol=1e-3, atol=1e-5)
        # every rank goes on from the state of rank n - 1
        file = io.BytesIO()
        if rank == n - 1:
            torch.save(opt.state_dict(), file)
        sent = [file.getvalue()]
        dist.broadcast_object_list(sent, n - 1)
        opt = ZeroRedundancyOptimizer(net.parameters(), cls, **options, **settings)
        opt.load_state_dict(torch.load(io.BytesIO(sent[0])))
        t.note(f"{what} own state", sorted(opt.optim.state_dict()["state"]))
        steps(net, opt, range(20, 23), rank, n)
        t.note(f"{what} parameters of the loaded", net.state_dict(), **CLOSE)


def more(t, rank, n):
    net = DDP(model())
    layers = list(net.module)[::2]
    opt = ZeroRedundancyOptimizer(
        [{"params": list(layers[0].parameters()), "lr": 0.3}], torch.optim.SGD, lr=0.1, momentum=0.9
    )
    steps(net, opt, range(3), rank, n)
    opt.add_param_group({"params": [*layers[1].parameters(), *layers[2].parameters()]})
    steps(net, opt, range(3, 6), rank, n)
    t.note("groups", net.state_dict(), **CLOSE)
    t.note("settings", [{k: v for k, v in g.items() if k != "params"} for g in opt.param_groups])
    for name, make in {
        "no parameters": lambda: ZeroRedundancyOptimizer([], torch.optim.SGD, lr=0.1),
        "a tensor": lambda: ZeroRedundancyOptimizer(torch.ones(2), torch.optim.SGD, lr=0.1),
        "numbers": lambda: ZeroRedundancyOptimizer([1, 2], torch.optim.SGD, lr=0.1),
    }.items():
        t.attempt(name, make)


def uneven(t, rank, n):
    """Rank r has 3 + r batches of its own."""
    net = DDP(model())
    opt = ZeroRedundancyOptimizer(net.parameters(), torch.optim.Adam, lr=0.01)
    with Join([net, opt]):
        steps(net, opt, range(10 * rank, 11 * rank + 3), 0, 1)
    t.note("uneven", net.state_dict(), **CLOSE)


def local(t, rank, n):
    from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager

    net = model()
    opt = PostLocalSGDOptimizer(
        torch.optim.SGD(net.parameters(), lr=0.05), PeriodicModelAverager(period=3, warmup_steps=2)
    )
    for k in range(7):
        steps(net, opt, [k], rank, n)
        t.note(f"averaged {k}", net.state_dict(), **CLOSE)
    t.note("steps", opt.state_dict()["step"])


def run(t, rank, n, folder):
    for part in (twenty, more, uneven, local):
        part(t, rank, n)
