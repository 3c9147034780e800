"""States of models and optimisers that are spread in one way, loaded where they are in another.

python states.py RANKS
"""

import sys
import tempfile

from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed.checkpoint as dcp
from rushlight import nn
from rushlight.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    get_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
    set_state_dict,
)
from rushlight.distributed.device_mesh import init_device_mesh
from rushlight.distributed.fsdp import FullyShardedDataParallel, fully_shard
from rushlight.distributed.optim import ZeroRedundancyOptimizer
from rushlight.distributed.tensor import DTensor
from rushlight.nn.parallel import DistributedDataParallel

FULL = StateDictOptions(full_state_dict=True)


class Net(nn.Module):
    def __init__(self, seed):
        super().__init__()
        torch.manual_seed(seed)
        self.first = nn.Sequential(nn.Linear(5, 7), nn.Tanh())
        self.norm = nn.BatchNorm1d(7)
        self.last = nn.Linear(7, 3)

    def forward(self, x):
        return self.last(self.norm(self.first(x)))


def shard(net):
    for m in (net.first, net):
        fully_shard(m)
    return net


def flat(orig):
    def wrap(net):
        net.first = FullyShardedDataParallel(net.first, use_orig_params=orig)
        return FullyShardedDataParallel(net, use_orig_params=orig)

    return wrap


KINDS = {
    "plain": lambda net: net, "ddp": DistributedDataParallel, "compiled": torch.compile,
    "sharded": shard, "flat": flat(False), "flat, own": flat(True),
}  # fmt: skip


def made(kind, seed, steps=2):
    model = KINDS[kind](Net(seed))
    opt = torch.optim.AdamW(model.parameters(), lr=0.01 + seed)
    for k in range(steps):
        step(model, opt, k)
    return model, opt


def step(model, opt, k):
    x = torch.randn(6, 5, generator=torch.Generator().manual_seed(k))
    opt.zero_grad()
    (model(x) ** 2).mean().backward()
    opt.step()


def full(model, opt):
    return in_order(get_state_dict(model, opt, options=FULL))


def in_order(state):  # of parameters, which wrappers change
    for group in state[1].get("param_groups", ()):
        group["params"] = sorted(group["params"])
    return state


def near(a, b, bound=1e-5, path=()):
    if isinstance(a, dict):
        assert a.keys() == b.keys(), a.keys() ^ b.keys()
        for k in a:
            near(a[k], b[k], bound, (*path, k))
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            near(x, y, bound, (*path, i))
    elif isinstance(a, torch.Tensor):
        assert not isinstance(a, DTensor)
        assert a.shape == b.shape
        far = (a.double() - b.double()).abs().max().item() if a.numel() else 0
        assert far <= bound, (path, far)
    else:
        assert a == b or isinstance(a, float), (a, b)


def every_way(rank, n, folder):
    """From each kind to each: the same names, the same numbers, the same next step."""
    wanted = full(*made("plain", 1))
    after = made("plain", 1)
    step(*after, 5)
    after = full(*after)
    for source in KINDS:
        model, opt = made(source, 1)
        near(full(model, opt), wanted)
        state = dict(zip(("model", "optim"), get_state_dict(model, opt), strict=True))
        if source == "sharded":
            assert isinstance(state["model"]["last.weight"], DTensor)
        dcp.save(state, checkpoint_id=f"{folder}/{source}")
    for i, kind in enumerate(KINDS):
        source = list(KINDS)[i - 2]
        model, opt = made(kind, 2, steps=0 if i % 2 else 1)
        state = dict(zip(("model", "optim"), get_state_dict(model, opt), strict=True))
        dcp.load(state, checkpoint_id=f"{folder}/{source}")
        found = set_state_dict(
            model, opt, model_state_dict=state["model"], optim_state_dict=state["optim"]
        )
        assert not found.missing_keys
        assert not found.unexpected_keys
        near(full(model, opt), wanted)
        assert opt.param_groups[0]["lr"] == 1.01
        step(model, opt, 5)
        near(full(model, opt), after)


def whole_states(rank, n, folder):
    """Whole states on all ranks, and on rank 0 alone."""
    wanted = full(*made("plain", 1))
    alone = StateDictOptions(full_state_dict=True, cpu_offload=True)
    from_0 = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    for kind in KINDS:
        model, opt = made(kind, 1)
        state = get_state_dict(model, opt, options=alone)
        if rank == 0:
            near(in_order(state), wanted)
        else:
            assert state == ({}, {})
        for options, given in ((FULL, wanted), (from_0, wanted if rank == 0 else ({}, {}))):
            model, opt = made(kind, 2, steps=0)
            set_model_state_dict(model, given[0], options=options)
            set_optimizer_state_dict(model, opt, given[1], options=options)
            near(full(model, opt), wanted)


def other_options(rank, n, folder):
    flat_ = StateDictOptions(flatten_optimizer_state_dict=True)
    for kind in ("plain", "sharded"):
        model, opt = made(kind, 1)
        state = get_optimizer_state_dict(model, opt, options=flat_)
        assert state["param_groups.last.weight.lr"] == 1.01
        dcp.save(state, checkpoint_id=f"{folder}/{kind}")
        model, opt = made(kind, 2)
        before = get_model_state_dict(model, options=FULL)
        into = get_optimizer_state_dict(model, opt, options=flat_)
        dcp.load(into, checkpoint_id=f"{folder}/{kind}")
        set_optimizer_state_dict(model, opt, into, options=flat_)
        near(full(model, opt)[1], full(*made("plain", 1))[1])
        near(get_model_state_dict(model, options=FULL), before)
    # one process alone, of what fully_shard has written
    if rank == 0:
        model, opt = Net(4), None
        state = {"model": get_model_state_dict(model)}
        dcp.load(state, checkpoint_id=f"{folder}/../every_way/sharded", no_dist=True)
        set_model_state_dict(model, state["model"])
        near(get_model_state_dict(model), full(*made("plain", 1))[0])
    dist.barrier()
    # ZeRO's state is consolidated, and goes by names
    net = Net(1)
    opt = ZeroRedundancyOptimizer(net.parameters(), torch.optim.AdamW, lr=1.01)
    for k in range(2):
        step(net, opt, k)
    opt.consolidate_state_dict(0)
    if rank == 0:
        near(in_order((0, get_optimizer_state_dict(net, opt)))[1], full(*made("plain", 1))[1])
    # the model on meta, filled from rank 0
    with torch.device("meta"):
        model = nn.Linear(3, 4)
    fully_shard(model, mesh=init_device_mesh("cpu", (n,)))
    given = {"weight": torch.arange(12.0).reshape(4, 3), "bias": torch.ones(4)}
    set_model_state_dict(
        model, given if rank == 0 else {},
        options=StateDictOptions(full_state_dict=True, broadcast_from_rank0=True),
    )  # fmt: skip
    near(get_model_state_dict(model, options=FULL), given)


def run(rank, n, folder):
    dist.init_process_group(init_method=f"file://{folder}/meet", rank=rank, world_size=n)
    for part in (every_way, whole_states, other_options):
        part(rank, n, f"{folder}/{part.__name__}")
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        start_ranks(run, (ranks, folder), nprocs=ranks)
    print("well", ranks)
