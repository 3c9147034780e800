"""FullyShardedDataParallel and fully_shard: parameters after 20 steps, norms of gradients, the
names, shapes and shards of states."""

import functools

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    set_model_state_dict,
)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import (
    FullOptimStateDictConfig,
    FullStateDictConfig,
    MixedPrecision,
    MixedPrecisionPolicy,
    ShardedOptimStateDictConfig,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictType,
    fully_shard,
)
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp.wrap import ModuleWrapPolicy, size_based_auto_wrap_policy
from torch.distributed.tensor import DTensor, Shard

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


def one_step(model, rank, n, k):
    x = torch.randn(BATCH, 1, 12, 12, generator=torch.Generator().manual_seed(k))
    y = torch.randint(10, (BATCH,), generator=torch.Generator().manual_seed(k))
    part = slice(rank * BATCH // n, (rank + 1) * BATCH // n)
    F.nll_loss(model(x[part]), y[part]).backward()


def states(t, rank, n):
    """The kinds of states, there and back; no_sync; summon_full_params; unshard and reshard."""
    model = FSDP(net(), device_id=torch.device("cpu"), auto_wrap_policy=ModuleWrapPolicy({Block}))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    with model.no_sync():
        one_step(model, rank, n, 0)
    one_step(model, rank, n, 1)
    t.note("gathered norm", model.clip_grad_norm_(1e6), **CLOSE)
    optimizer.step()
    with FSDP.summon_full_params(model, writeback=True):
        t.note("summoned", {k: p for k, p in model.named_parameters()}, **CLOSE)
        model.last.bias.data.add_(1.0)
    t.note("written", model.state_dict(), **CLOSE)
    with FSDP.summon_full_params(model, writeback=False):
        model.last.bias.data.add_(1.0)
    one = " by one" if n == 1 else ""
    t.note(f"not written{one}", model.state_dict()["last.bias"], **CLOSE)
    kinds = [
        ("full", StateDictType.FULL_STATE_DICT, FullStateDictConfig(),
         FullOptimStateDictConfig()),
        ("rank 0", StateDictType.FULL_STATE_DICT, FullStateDictConfig(rank0_only=True),
         FullOptimStateDictConfig(rank0_only=True)),
        ("sharded", StateDictType.SHARDED_STATE_DICT, ShardedStateDictConfig(
         _use_dtensor=True), ShardedOptimStateDictConfig(_use_dtensor=True)),
    ]  # fmt: skip
    mesh = init_device_mesh("cpu", (n,))
    model = FSDP(net(), device_id=torch.device("cpu"), auto_wrap_policy=ModuleWrapPolicy({Block}),
                 device_mesh=mesh)  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for k in range(2):
        optimizer.zero_grad()
        one_step(model, rank, n, k)
        optimizer.step()
    for name, kind, settings, of_optimizer in kinds:
        with FSDP.state_dict_type(model, kind, settings, of_optimizer):
            state, osd = model.state_dict(), FSDP.optim_state_dict(model, optimizer)
        for k, v in state.items():
            what = f"{name} {k}" if n > 1 else f"{name} of one {k}"
            t.note(what, [type(v).__name__, list(v.shape), parted(v)], **CLOSE)
        for k, s in osd.get("state", {}).items():
            for q, v in sorted(s.items()):
                t.note(f"{name} optimizer {k} {q}", [type(v).__name__, parted(v)], **CLOSE)
        if name == "rank 0":
            continue
        other = FSDP(Net(), device_id=torch.device("cpu"), device_mesh=mesh,
                     auto_wrap_policy=ModuleWrapPolicy({Block}))  # fmt: skip
        again = torch.optim.AdamW(other.parameters(), lr=1e-2)
        with FSDP.state_dict_type(other, kind, settings, of_optimizer):
            other.load_state_dict(state)
            again.load_state_dict(FSDP.optim_state_dict_to_load(other, again, osd))
        one_step(other, rank, n, 5)
        again.step()
        with FSDP.state_dict_type(other, StateDictType.FULL_STATE_DICT):
            t.note(f"{name} loaded", other.state_dict(), **CLOSE)


def parted(v):
    return v.to_local() if isinstance(v, DTensor) else v


def calls(t, rank, n):
    """What modules of fully_shard can be told."""
    model = net()
    for b in model.blocks:
        fully_shard(b)
    fully_shard(model)
    model.set_requires_gradient_sync(False)
    one_step(model, rank, n, 0)
    t.note("not reduced", [p.grad is None for p in model.parameters()])
    model.set_requires_gradient_sync(True)
    one_step(model, rank, n, 1)
    grads = {k: p.grad.full_tensor() for k, p in model.named_parameters()}
    t.note("gradients of two", grads, **CLOSE)
    t.note("unshard", type(model.unshard()).__name__)
    t.note("whole", [[type(p).__name__, list(p.shape)] for p in model.last.parameters()])
    model.reshard()
    t.note("parts", [type(p).__name__ for p in model.last.parameters()])
    model.zero_grad()
    model.set_gradient_divide_factor(2.0)
    if n > 1:  # gloo has no sums with a factor, and one rank would divide twice in PyTorch
        model.set_force_sum_reduction_for_comms(True)
    one_step(model, rank, n, 1)
    t.note("divided", {k: p.grad.full_tensor() for k, p in model.named_parameters()}, **CLOSE)
    for name, options in {
        "whole": StateDictOptions(full_state_dict=True),
        "rank 0": StateDictOptions(full_state_dict=True, cpu_offload=True),
        "parts": StateDictOptions(),
    }.items():
        state = get_model_state_dict(model, options=options)
        t.note(f"{name} state", {k: parted(v) for k, v in state.items()}, **CLOSE)
    whole = {k: v + 1 for k, v in net().state_dict().items()} if rank == 0 else {}
    set_model_state_dict(model, whole, options=StateDictOptions(
        full_state_dict=True, broadcast_from_rank0=True))  # fmt: skip
    t.note("set", {k: v.full_tensor() for k, v in model.state_dict().items()}, **CLOSE)
    columns = fully_shard(nn.Linear(12, 4, bias=False), shard_placement_fn=lambda p: Shard(1))
    t.note("columns", [repr(columns.weight.placements), list(columns.weight.to_local().shape)])
    t.attempt("no module", fully_shard, 3)
    t.attempt("twice", fully_shard, model)


def run(t, rank, n, folder):
    for part in (flat, rows, hybrid, states, calls):
        part(t, rank, n)
