"""A transformer whose layers tensor parallelism has cut, fully sharded over the other dimension of
the mesh: it trains, is clipped, saved and loaded as one process does on the whole batch.

python two_ways.py RANKS
"""

import copy
import datetime
import re
import sys
import tempfile
import warnings

import pytest

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed.checkpoint as dcp
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.distributed.checkpoint.state_dict import (
    StateDictOptions,
    get_model_state_dict,
    get_optimizer_state_dict,
    set_model_state_dict,
    set_optimizer_state_dict,
)
from rushlight.distributed.device_mesh import DeviceMesh, init_device_mesh
from rushlight.distributed.fsdp import FullyShardedDataParallel, MixedPrecisionPolicy, fully_shard
from rushlight.distributed.tensor import Replicate, Shard, _StridedShard
from rushlight.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    SequenceParallel,
    parallelize_module,
)

BATCH, LONG, WORDS = 8, 6, 11


class Block(nn.Module):
    def __init__(self, n, heads):
        super().__init__()
        self.heads, self.each = heads, n // heads
        self.first, self.second = nn.LayerNorm(n), nn.LayerNorm(n)
        self.q, self.k, self.v = (nn.Linear(n, n, bias=False) for _ in range(3))
        self.o = nn.Linear(n, n)
        self.up, self.down = nn.Linear(n, 3 * n), nn.Linear(3 * n, n)

    def forward(self, x):
        y = self.first(x)
        q, k, v = (f(y).unflatten(-1, (-1, self.each)).transpose(1, 2)
                   for f in (self.q, self.k, self.v))  # fmt: skip
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.second(x))))


class Model(nn.Module):
    def __init__(self, n=12, heads=4):
        super().__init__()
        self.words = nn.Embedding(WORDS, n)
        self.blocks = nn.ModuleList(Block(n, heads) for _ in range(2))
        self.last = nn.Linear(n, WORDS)

    def forward(self, x):
        x = self.words(x)
        for b in self.blocks:
            x = b(x)
        return self.last(x)


PLAN = {
    "words": RowwiseParallel(input_layouts=Replicate()),
    **{f"blocks.*.{name}": ColwiseParallel() for name in ("q", "k", "v", "up")},
    **{f"blocks.*.{name}": RowwiseParallel() for name in ("o", "down")},
    "last": ColwiseParallel(output_layouts=Replicate()),
}

# Norms along the sequence: parameters that are replicated.
ALONG = {
    "words": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
    **{f"blocks.*.{name}": SequenceParallel(use_local_output=False)
       for name in ("first", "second")},
    **{f"blocks.*.{name}": ColwiseParallel(input_layouts=Shard(1))
       for name in ("q", "k", "v", "up")},
    **{f"blocks.*.{name}": RowwiseParallel(output_layouts=Shard(1)) for name in ("o", "down")},
    "last": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
}  # fmt: skip


def model():
    torch.manual_seed(1)
    return Model().double()  # in which the steps of AdamW do not drift apart


def spread(mesh, plan=PLAN, tp="tp", dp="dp", net=None, **kw):
    net = parallelize_module(model() if net is None else net, mesh[tp], plan)
    for b in net.blocks:
        fully_shard(b, mesh=mesh[dp], **kw)
    return fully_shard(net, mesh=mesh[dp], **kw)


def adam(net):
    return torch.optim.AdamW(net.parameters(), lr=1e-2)


def batch(step):
    data = torch.Generator().manual_seed(step)
    return torch.randint(WORDS, (BATCH, LONG + 1), generator=data)


def train(net, opt, steps, rows=slice(None)):
    norms = []
    for s in steps:
        x = batch(s)[rows]
        opt.zero_grad()
        loss = F.cross_entropy(net(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
        loss.backward()
        norm = nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        norms.append(float(norm.full_tensor() if hasattr(norm, "full_tensor") else norm))
        opt.step()
    return norms


def close(found, wanted, rtol=1e-8, atol=1e-10):
    assert list(found) == list(wanted)
    for k, a in wanted.items():
        b = found[k]
        b = b.full_tensor() if hasattr(b, "full_tensor") else b
        assert torch.allclose(b, a, rtol=rtol, atol=atol), (k, (a - b).abs().max())


def rows_of(mesh, *names):
    """This rank's rows of a batch."""
    at, n = 0, 1
    for name in names:
        at, n = at * mesh[name].size() + mesh[name].get_local_rank(), n * mesh[name].size()
    return slice(at * BATCH // n, (at + 1) * BATCH // n)


def trains(mesh, folder):
    """9 steps of AdamW with clipping; states whole and in shards, saved and loaded."""
    alone = model()
    own = adam(alone)
    wanted = train(alone, own, range(6))
    net = spread(mesh)
    opt = adam(net)
    rows = rows_of(mesh, "dp")
    found = train(net, opt, range(6), rows)
    assert torch.allclose(torch.tensor(found), torch.tensor(wanted), rtol=1e-8), (found, wanted)
    close(net.state_dict(), alone.state_dict())
    full = StateDictOptions(full_state_dict=True)
    close(get_model_state_dict(net, options=full), alone.state_dict())
    state = get_optimizer_state_dict(net, opt, options=full)
    whole = get_optimizer_state_dict(alone, own)
    for name, held in whole["state"].items():
        close(dict(sorted(state["state"][name].items())), dict(sorted(held.items())))
    shards = {
        "model": get_model_state_dict(net), "optim": get_optimizer_state_dict(net, opt),
    }  # fmt: skip
    dcp.save(shards, checkpoint_id=folder)
    again = spread(mesh)
    with torch.no_grad():
        for p in again.parameters():
            p.zero_()
    new = adam(again)
    into = {
        "model": get_model_state_dict(again), "optim": get_optimizer_state_dict(again, new),
    }  # fmt: skip
    dcp.load(into, checkpoint_id=folder)
    set_model_state_dict(again, into["model"])
    set_optimizer_state_dict(again, new, into["optim"])
    close(again.state_dict(), alone.state_dict())
    other = spread(mesh)
    third = adam(other)
    whole_state = alone.state_dict() if dist.get_rank() == 0 else {}
    told = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True)
    set_model_state_dict(other, whole_state, options=told)
    set_optimizer_state_dict(other, third, copy.deepcopy(state), options=full)
    one = model()  # the checkpoint of shards, in one process
    target = {"model": one.state_dict()}
    dcp.load(target, checkpoint_id=folder)
    one.load_state_dict(target["model"])
    close(one.state_dict(), alone.state_dict())
    wanted = train(alone, own, range(6, 9))
    for n, o in ((net, opt), (again, new), (other, third)):
        found = torch.tensor(train(n, o, range(6, 9), rows))
        assert torch.allclose(found, torch.tensor(wanted), rtol=1e-8), (found, wanted)
        close(n.state_dict(), alone.state_dict())


def lie(mesh):
    """Where shards lie, on the mesh of both."""
    net = spread(mesh)
    found = {k: p.placements for k, p in net.named_parameters()}
    n = mesh["tp"].size()
    assert found["blocks.0.up.weight"] == (_StridedShard(0, split_factor=n), Shard(0))
    assert found["blocks.0.down.weight"] == (Shard(0), Shard(1))
    assert found["blocks.0.down.bias"] == (Shard(0), Replicate())
    assert found["blocks.0.first.weight"] == (Shard(0),)
    up = net.blocks[0].up.weight
    assert up.device_mesh.mesh_dim_names == ("dp", "tp")
    assert up.shape == (36, 12)
    assert up.to_local().shape == (36 // mesh.size(), 12)
    whole = model().blocks[0].up.weight
    assert torch.equal(up.full_tensor(), whole)
    net.unshard()
    assert net.last.weight.placements == (Shard(0),)
    assert net.last.weight.device_mesh == mesh["tp"]
    net.reshard()
    # accumulation without exchange, frozen parameters, other types, another dimension
    choose = lambda p: Shard(1 if p.ndim == 2 and p.shape[-1] == 12 else 0)  # noqa: E731
    low = MixedPrecisionPolicy(torch.bfloat16, torch.float32)
    rows = rows_of(mesh, "dp")
    for kw, tol in (
        ({"shard_placement_fn": choose}, 1e-9), ({"reshard_after_forward": False}, 1e-9),
        ({"mp_policy": low}, 5e-2),
    ):  # fmt: skip
        alone, net = model(), spread(mesh, **kw)
        for each in (alone, net):
            each.words.weight.requires_grad_(False)
        for step, r, each in ((0, rows, net), (1, rows, net), (0, slice(None), alone),
                              (1, slice(None), alone)):  # fmt: skip
            if each is net:
                net.set_requires_gradient_sync(step == 1)
            x = batch(step)[r]
            F.cross_entropy(each(x[:, :-1]).double().flatten(0, 1), x[:, 1:].flatten()).backward()
        for (name, p), q in zip(net.named_parameters(), alone.parameters(), strict=True):
            assert (p.grad is None) == (q.grad is None) == (name == "words.weight")
            if q.grad is not None:
                g = p.grad.full_tensor()
                assert p.grad.placements == p.placements
                assert torch.allclose(g, q.grad, rtol=tol, atol=tol), (kw, name)


def sequence(mesh):
    """Parameters that tensor parallelism leaves whole are DTensors, too."""
    alone, net = model(), spread(mesh, ALONG)
    assert net.blocks[0].first.weight.placements == (Shard(0), Replicate())
    wanted = train(alone, adam(alone), range(3))
    found = train(net, adam(net), range(3), rows_of(mesh, "dp"))
    assert torch.allclose(torch.tensor(found), torch.tensor(wanted), rtol=1e-8)
    close(net.state_dict(), alone.state_dict())


def odd(mesh):
    """Sizes that nothing divides."""
    for n in (5, 9):
        torch.manual_seed(n)
        alone = nn.Sequential(nn.Linear(3, n), nn.Tanh(), nn.Linear(n, 3)).double()
        torch.manual_seed(n)
        net = nn.Sequential(nn.Linear(3, n), nn.Tanh(), nn.Linear(n, 3)).double()
        parallelize_module(net, mesh["tp"], {"0": ColwiseParallel(use_local_output=False),
                                             "2": RowwiseParallel()})  # fmt: skip
        net[2]._forward_pre_hooks.clear()  # which take a plain tensor
        fully_shard(net, mesh=mesh["dp"])
        close(net.state_dict(), alone.state_dict())
        x = torch.randn(4, 3).double()
        alone(x).sum().backward()
        net(x).sum().backward()
        for p, q in zip(net.parameters(), alone.parameters(), strict=True):
            assert torch.allclose(p.grad.full_tensor(), q.grad)


def refusals(mesh):
    def raises(kind, words, fn):
        with pytest.raises(kind, match=re.escape(words)):
            fn()

    net = parallelize_module(model(), mesh["tp"], PLAN)
    other = DeviceMesh("cpu", list(reversed(range(mesh.size()))), mesh_dim_names=("all",))
    raises(RuntimeError, "different device meshs", lambda: fully_shard(net, mesh=other))
    raises(RuntimeError, "overlapping meshes", lambda: fully_shard(net, mesh=mesh["tp"]))
    raises(NotImplementedError, "a parameter is a DTensor", lambda: FullyShardedDataParallel(net))
    if mesh["dp"].size() > 1:
        raises(
            NotImplementedError, "Resharding to smaller mesh is not supported for DTensor",
            lambda: fully_shard(net, mesh=mesh["dp"], reshard_after_forward=1),
        )  # fmt: skip


def run(rank, n, folder):
    warnings.filterwarnings("ignore", category=FutureWarning)
    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=n,
        timeout=datetime.timedelta(seconds=60),
    )  # fmt: skip
    mesh = init_device_mesh("cpu", (2, n // 2), mesh_dim_names=("dp", "tp"))
    lie(mesh)
    trains(mesh, f"{folder}/saved")
    sequence(mesh)
    odd(mesh)
    refusals(mesh)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    from start_ranks import start_ranks  # here: tests/compare takes what stands above

    ranks = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        start_ranks(run, (ranks, folder), nprocs=ranks)
    print("well", ranks)
