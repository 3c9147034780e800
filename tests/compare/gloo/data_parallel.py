"""DistributedDataParallel, its hooks, uneven inputs, SyncBatchNorm, DistributedSampler."""

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.algorithms.ddp_comm_hooks import (
    default_hooks,
    post_localSGD_hook,
    powerSGD_hook,
)
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

STEPS, BATCH = 20, 24


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, 5)
        self.conv2 = nn.Conv2d(10, 20, 5)
        self.drop = nn.Dropout2d()
        self.norm = nn.BatchNorm1d(50)
        self.fc1 = nn.Linear(320, 50)
        self.fc2 = nn.Linear(50, 10)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(F.max_pool2d(self.drop(self.conv2(x)), 2))
        x = F.relu(self.norm(self.fc1(x.view(-1, 320))))
        x = F.dropout(x, training=self.training)
        return F.log_softmax(self.fc2(x), dim=1)


def mnist(t, rank, n):
    """Dropout and all: the sums are rounded in other orders, and steps make it larger: 20 steps in
    double precision, 4 in single. (After more of them one library may take another element of a
    pool as the largest, and is 1e-4 away from then on; at which step, if any, is a matter of how
    the CPU's vectors round: of 20 steps none with AVX-512, one of 4 ranks with AVX2.)"""
    for name, options in {
        "": {}, "double": {"bucket_cap_mb": 0.1},
        "buckets": {"bucket_cap_mb": 0.05, "gradient_as_bucket_view": True},
        "static": {"static_graph": True, "broadcast_buffers": False},
    }.items():  # fmt: skip
        torch.manual_seed(rank)  # rank 0's parameters count
        kind = torch.float64 if name == "double" else torch.float32
        model = DDP(Net().to(kind), **options)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.5)
        data = torch.Generator().manual_seed(10)
        for _ in range(STEPS if name == "double" else 4):
            x = torch.randn(BATCH, 1, 28, 28, generator=data).to(kind)
            y = torch.randint(10, (BATCH,), generator=data)
            part = slice(rank * BATCH // n, (rank + 1) * BATCH // n)
            optimizer.zero_grad()
            F.nll_loss(model(x[part]), y[part]).backward()
            optimizer.step()
        close = {"rtol": 1e-10, "atol": 1e-12} if name == "double" else {"rtol": 1e-4, "atol": 5e-6}
        t.note(f"mnist {name}", model.state_dict(), **close)


class Branches(nn.Module):
    """Layers of which some calls use some."""

    def __init__(self):
        super().__init__()
        self.first, self.even, self.odd = (nn.Linear(5, 5) for _ in range(3))
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x, which):
        self.calls += 1
        x = self.first(x)
        if which is None:
            return x
        return (self.odd if which else self.even)(x)


def graphs(t, rank, n):
    close = {"rtol": 1e-5, "atol": 1e-6}
    torch.manual_seed(2)
    model = DDP(Branches(), find_unused_parameters=True)
    for step, which in enumerate([rank % 2, None, 1]):
        model.zero_grad()
        model(torch.full((2, 5), rank + 1.0), which).sum().backward()
        grads = {k: p.grad for k, p in model.named_parameters()}
        t.note(f"unused {step}", grads, **close)
        t.note(f"buffer {step}", model.module.calls)
    model = DDP(nn.Linear(4, 2))
    with model.no_sync():
        model(torch.full((1, 4), rank + 1.0)).sum().backward()
    t.note("no_sync", model.module.weight.grad, **close)
    model(torch.full((1, 4), rank + 2.0)).sum().backward()
    t.note("after", model.module.weight.grad, **close)
    torch.manual_seed(rank)
    double = DDP(nn.Linear(3, 3).double())
    t.note("of rank 0", double.state_dict(), rtol=1e-6)
    out = double({"x": torch.ones(2, 3, dtype=torch.float64)}["x"])
    t.note("output", out, rtol=1e-6)
    t.note("logging", double.module is not double and double.require_backward_grad_sync)


def bf16(state, bucket):
    """PyTorch refuses its own hook, by its name, where there is no NCCL."""
    return default_hooks.bf16_compress_hook(state, bucket)


def bf16_wrapper(state, bucket):
    hook = default_hooks.bf16_compress_wrapper(default_hooks.allreduce_hook)
    return hook(state, bucket)


def hooks():
    yield "allreduce", None, default_hooks.allreduce_hook
    yield "fp16", None, default_hooks.fp16_compress_hook
    yield "bf16", None, bf16
    yield "fp16 wrapper", None, default_hooks.fp16_compress_wrapper(default_hooks.allreduce_hook)
    yield "bf16 wrapper", None, bf16_wrapper
    state = powerSGD_hook.PowerSGDState
    yield "low rank", state(None, 1, 2), powerSGD_hook.powerSGD_hook
    yield "rank 3", state(None, 3, 2, warm_start=False, batch_tensors_with_same_shape=True), (
        powerSGD_hook.powerSGD_hook)  # fmt: skip
    alone, _ = dist.new_subgroups(1)
    local = post_localSGD_hook.PostLocalSGDState(None, alone, 3)
    yield "local", local, post_localSGD_hook.post_localSGD_hook


def hooked(t, rank, n):
    """Five steps with each hook: numbers that are rounded to 16 bits fall to the other side now and
    then. (PyTorch's hooks of bytes do not run with gloo, and its batched PowerSGD does not run at
    all.)"""
    for name, state, hook in hooks():
        torch.manual_seed(3)
        net = nn.Sequential(
            nn.Linear(12, 16), nn.Tanh(), nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 5)
        )
        model = DDP(net)
        model.register_comm_hook(state, hook)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        data = torch.Generator().manual_seed(rank)
        for _ in range(5):
            x = torch.randn(8, 12, generator=data)
            optimizer.zero_grad()
            model(x).pow(2).mean().backward()
            optimizer.step()
        atol = {"fp16": 1e-5, "bf16": 1e-4}.get(name[:4], 1e-6)
        t.note(f"hook {name}", net.state_dict(), rtol=1e-4, atol=atol)


def uneven(t, rank, n):
    """Rank r has 2 + 2r batches."""
    for name, options in {
        "": {}, "by all": {"divide_by_initial_world_size": False},
        "not": {"enable": False}, "throwing": {"throw_on_early_termination": True},
    }.items():  # fmt: skip
        torch.manual_seed(1)
        model = DDP(nn.Sequential(nn.Linear(4, 6), nn.BatchNorm1d(6), nn.Linear(6, 1)))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        steps = 0
        try:
            with model.join(**options):
                for k in range(3 if name == "not" else 2 + 2 * rank):
                    x = torch.randn(5, 4, generator=torch.Generator().manual_seed(10 * rank + k))
                    optimizer.zero_grad()
                    model(x).pow(2).sum().backward()
                    optimizer.step()
                    steps += 1
        except RuntimeError as error:
            t.note("raised", str(error).split(".")[0])
        t.note(f"join {name} steps", steps)
        if name != "throwing":
            t.note(f"join {name}", model.state_dict(), rtol=1e-4, atol=1e-6)


def batch_norm(t, rank, n):
    """PyTorch has no SyncBatchNorm of the CPU: there BatchNorm sees all ranks' batches at once."""
    close = {"rtol": 1e-4, "atol": 1e-5}
    for momentum, affine, *size in ((0.1, True, 4, 5, 5), (None, False, 4), (0.3, True, 4, 7)):
        kind = (nn.BatchNorm1d, nn.BatchNorm1d, nn.BatchNorm2d)[len(size) - 1]
        layer = nn.SyncBatchNorm(4, momentum=momentum, affine=affine)
        whole = kind(4, momentum=momentum, affine=affine)
        counts = [3 + r for r in range(n)]
        part = slice(sum(counts[:rank]), sum(counts[: rank + 1]))
        for step in range(3):
            xs = torch.randn(sum(counts), *size, generator=torch.Generator().manual_seed(step))
            at = part if layer is not whole else slice(None)
            try:
                x = xs[at].clone().requires_grad_()
                out = layer(x)
            except ValueError:
                layer, at = whole, slice(None)
                x = xs.clone().requires_grad_()
                out = layer(x)
            out.tanh().pow(2).sum().backward()
            shown = [out[part], x.grad[part]] if layer is whole else [out, x.grad]
            if layer is not whole:
                for p in layer.parameters():
                    dist.all_reduce(p.grad)
            t.note(f"norm {size} {step}", [*shown, *(p.grad for p in layer.parameters())], **close)
            layer.zero_grad()
        t.note("statistics", layer.state_dict(), **close)
        layer.eval()
        t.note("eval", layer(torch.ones(2, *size)), **close)
    net = nn.Sequential(nn.Conv2d(1, 3, 3), nn.BatchNorm2d(3), nn.Sequential(nn.BatchNorm2d(3)))
    net = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    t.note("converted", [type(m).__name__ for m in net.modules()])
    t.note("its names", list(net.state_dict()))
    t.note("repr", repr(net))


def sampled(t, rank, n):
    for size in (1, 7, 8, 13):
        data = TensorDataset(torch.arange(size))
        for options in ({}, {"shuffle": False}, {"drop_last": True}, {"seed": 5}):
            sampler = DistributedSampler(data, **options)
            found = []
            for epoch in range(2):
                sampler.set_epoch(epoch)
                found.append(list(sampler))
            t.note(f"sampler {size} {options}", [len(sampler), *found])
        sampler = DistributedSampler(data)
        t.note("loader", [b for (b,) in DataLoader(data, batch_size=2, sampler=sampler)])
    t.attempt("no such rank", DistributedSampler, data, n, n)
    t.attempt("below 0", DistributedSampler, data, n, -1)


def run(t, rank, n, folder):
    for part in (mnist, graphs, hooked, uneven, batch_norm, sampled):
        part(t, rank, n)
