"""FullyShardedDataParallel and fully_shard: parameters after 20 steps, norms of gradients, the
names, shapes and shards of states."""

import functools

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import (
    MixedPrecision,
    MixedPrecisionPolicy,
    ShardingStrategy,
    fully_shard,
)
from torch.distributed.fsdp.wrap import ModuleWrapPolicy, size_based_auto_wrap_policy

STEPS, BATCH = 20, 24
CLOSE = {"rtol": 1e-3, "atol": 2e-5}


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.LayerNorm(n)
        self.up, self.down = nn.Linear(n, 3 * n), nn.Linear(3 * n, n, bias=False)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 5, 5, stride=2)
        self.blocks = nn.ModuleList(Block(5) for _ in range(2))
        self.last = nn.Linear(5, 10)

    def forward(self, x):
        x = F.relu(self.conv(x)).mean((2, 3))
        for b in self.blocks:
            x = b(x)
        return F.log_softmax(self.last(x), dim=1)


def net():
    torch.manual_seed(5)
    return Net()


def train(model, clip, rank, n):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    data = torch.Generator().manual_seed(7)
    norms = []
    for _ in range(STEPS):
        x = torch.randn(BATCH, 1, 12, 12, generator=data)
        y = torch.randint(10, (BATCH,), generator=data)
        part = slice(rank * BATCH // n, (rank + 1) * BATCH // n)
        optimizer.zero_grad()
        F.nll_loss(model(x[part]).float(), y[part]).backward()
        total = clip(model)
        norms.append(float(total.full_tensor() if hasattr(total, "full_tensor") else total))
        optimizer.step()
    return norms, optimizer


def shapes(params):
    return [list(p.shape) for p in params]



def flat(t, rank, n):
    small = functools.partial(size_based_auto_wrap_policy, min_num_params=60)
    for name, options in {
        "full": {},
        "grad op": {"sharding_strategy": ShardingStrategy.SHARD_GRAD_OP},
        "orig": {"use_orig_params": True},
        "small": {"auto_wrap_policy": small},
        "half": {"mixed_precision": MixedPrecision(torch.bfloat16, torch.float32)},
    }.items():
        options = {"auto_wrap_policy": ModuleWrapPolicy({Block}), **options}
        model = FSDP(net(), device_id=torch.device("cpu"), **options)
        t.note(f"{name} modules", [k for k, _ in model.named_modules()])
        t.note(f"{name} parameters", [k for k, _ in model.named_parameters()])
        if name != "orig":  # whose shards are not filled up to whole cache lines here
            t.note(f"{name} shapes", shapes(model.parameters()))
        norms, optimizer = train(model, lambda m: m.clip_grad_norm_(0.5), rank, n)
        state = model.state_dict()
        t.note(f"{name} state", list(state))
        osd = FSDP.optim_state_dict(model, optimizer)
        t.note(f"{name} groups", [sorted(g["params"]) for g in osd["param_groups"]])
        t.note(f"{name} optimizer", {k: sorted(s) for k, s in sorted(osd["state"].items())})
        if name == "half":  # in bfloat16 the roads part after some steps
            t.note(f"{name} norms", norms[:3], rtol=0.02)
            continue
        t.note(f"{name} norms", norms, **CLOSE)
        t.note(f"{name} values", state, **CLOSE)
        if name != "orig":  # with use_orig_params PyTorch's exp_avg is exp_avg_sq, on a CPU
            t.note(f"{name} moments", {k: s["exp_avg"] for k, s in osd["state"].items()}, **CLOSE)


def rows(t, rank, n):
    mesh = init_device_mesh("cpu", (n,))
    low = MixedPrecisionPolicy(torch.bfloat16, torch.float32)
    for name, options in {
        "rows": {}, "kept": {"reshard_after_forward": False}, "low": {"mp_policy": low},
    }.items():  # fmt: skip
        model = net()
        for b in model.blocks:
            fully_shard(b, mesh=mesh, **options)
        fully_shard(model, mesh=mesh, **options)
        t.note(f"{name} types", [type(m).__name__ for m in model.modules()])
        t.note(f"{name} local", shapes(p.to_local() for p in model.parameters()))
        t.note(f"{name} placements", [repr(p.placements) for p in model.parameters()])
        norms, optimizer = train(
            model, lambda m: nn.utils.clip_grad_norm_(m.parameters(), 0.5), rank, n
        )
        state = {k: v.full_tensor() for k, v in model.state_dict().items()}
        t.note(f"{name} state", list(state))
        if name == "low":
            t.note(f"{name} norms", norms[:3], rtol=0.02)
            continue
        t.note(f"{name} norms", norms, **CLOSE)
        t.note(f"{name} values", state, **CLOSE)
        moments = {i: s["exp_avg"].full_tensor()
                   for i, s in optimizer.state_dict()["state"].items()}  # fmt: skip
        t.note(f"{name} moments", moments, **CLOSE)


def hybrid(t, rank, n):
    """Shards within a group of ranks, the same in each group: two of two ranks, four of one, ..."""
    for shape in {1: [(1, 1)], 2: [(1, 2), (2, 1)], 3: [(3, 1)], 4: [(2, 2)]}[n]:
        mesh = init_device_mesh("cpu", shape, mesh_dim_names=("replicate", "shard"))
        model = net()
        for b in model.blocks:
            fully_shard(b, mesh=mesh)
        fully_shard(model, mesh=mesh)
        norms, _ = train(model, lambda m: nn.utils.clip_grad_norm_(m.parameters(), 0.5), rank, n)
        state = {k: v.full_tensor() for k, v in model.state_dict().items()}
        t.note(f"hybrid {shape}", [repr(p.placements) for p in model.parameters()])
        t.note("hybrid local", shapes(p.to_local() for p in model.parameters()))
        t.note("hybrid norms", norms, **CLOSE)
        t.note("hybrid values", state, **CLOSE)
    if n == 4:
        model = FSDP(net(), device_mesh=mesh, sharding_strategy=ShardingStrategy.HYBRID_SHARD,
                     device_id=torch.device("cpu"),
                     auto_wrap_policy=ModuleWrapPolicy({Block}))  # fmt: skip
        t.note("flat hybrid shapes", shapes(model.parameters()))
        norms, _ = train(model, lambda m: m.clip_grad_norm_(0.5), rank, n)
        t.note("flat hybrid norms", norms, **CLOSE)
        t.note("flat hybrid values", model.state_dict(), **CLOSE)


def run(t, rank, n, folder):
    for part in (flat, rows, hybrid):
        part(t, rank, n)
