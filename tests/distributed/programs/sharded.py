"""FullyShardedDataParallel on each rank, against one process that has the whole batch.

python sharded.py RANKS
"""

import datetime
import sys
import tempfile

from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.distributed.fsdp import FullyShardedDataParallel as FSDP
from rushlight.distributed.fsdp import (
    ShardingStrategy,
)
from rushlight.distributed.fsdp.wrap import ModuleWrapPolicy

STRATEGIES = [
    ShardingStrategy.FULL_SHARD,
    ShardingStrategy.SHARD_GRAD_OP,
    ShardingStrategy.NO_SHARD,
]
BATCH = 12  # divisible by 1, 2, 3 and 4 ranks


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.LayerNorm(n)
        self.up, self.down = nn.Linear(n, 2 * n), nn.Linear(2 * n, n, bias=False)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Net(nn.Module):
    """Sizes that no number of ranks divides; the first and the last layer share their weight."""

    def __init__(self, n=7, layers=2, words=11):
        super().__init__()
        self.words = nn.Embedding(words, n)
        self.blocks = nn.ModuleList(Block(n) for _ in range(layers))
        self.head = nn.Linear(n, words, bias=False)
        self.head.weight = self.words.weight

    def forward(self, x):
        x = self.words(x)
        for b in self.blocks:
            x = b(x)
        return self.head(x)


def net():
    torch.manual_seed(3)
    return Net()


def data(step):
    g = torch.Generator().manual_seed(100 + step)
    return torch.randint(0, 11, (BATCH, 5), generator=g)


def loss_of(model, x):
    return F.cross_entropy(model(x).reshape(-1, 11), x.roll(1, 1).reshape(-1))


def mine(x, rank, n):
    return x[rank * BATCH // n : (rank + 1) * BATCH // n]


def alone(steps, optimizer, clip=None):
    """What one process makes of the whole batches."""
    model = net()
    opt = optimizer(model.parameters())
    norms = []
    for step in range(steps):
        opt.zero_grad()
        loss_of(model, data(step)).backward()
        if clip:
            norms.append(nn.utils.clip_grad_norm_(model.parameters(), clip))
        opt.step()
    return model, opt, norms


def trained(model, steps, opt, rank, n, clip=None):
    norms = []
    for step in range(steps):
        opt.zero_grad()
        loss_of(model, mine(data(step), rank, n)).backward()
        if clip:
            norms.append(model.clip_grad_norm_(clip))
        opt.step()
    return norms


def close(found, wanted, what, rtol=2e-5, atol=2e-6):
    assert set(found) == set(wanted), (what, set(found) ^ set(wanted))
    for k in wanted:
        a, b = found[k], wanted[k]
        assert a.shape == b.shape, (what, k, a.shape, b.shape)
        assert torch.allclose(a, b, rtol=rtol, atol=atol), (what, k, (a - b).abs().max())


def adam(p):
    return torch.optim.AdamW(p, lr=1e-2)


def sgd(p):
    return torch.optim.SGD(p, lr=0.1, momentum=0.9)


def twenty_steps(rank, n):
    """The same parameters after 20 steps as one process has with the whole batch, to rounding."""
    for optimizer in (adam, sgd) if n == 2 else (adam,):
        reference, ref_opt, norms = alone(20, optimizer, clip=1.0)
        for strategy in STRATEGIES if n == 2 and optimizer is adam else STRATEGIES[:1]:
            for orig in (False, True) if strategy is STRATEGIES[0] else (False,):
                model = FSDP(
                    net(), sharding_strategy=strategy, auto_wrap_policy=ModuleWrapPolicy({Block}),
                    use_orig_params=orig,
                )  # fmt: skip
                opt = optimizer(model.parameters())
                found = trained(model, 20, opt, rank, n, clip=1.0)
                what = (optimizer.__name__, strategy, orig)
                assert torch.allclose(torch.stack(found), torch.stack(norms), rtol=1e-4), what
                close(model.state_dict(), reference.state_dict(), what, 2e-4, 2e-5)
                states(model, opt, reference, ref_opt, optimizer, what)


def states(model, opt, reference, ref_opt, optimizer, what):
    """States of optimisers under the modules' names, and back."""
    osd = FSDP.optim_state_dict(model, opt)
    names = [k for k, _ in reference.named_parameters()]
    ref = ref_opt.state_dict()
    assert sorted(osd["state"]) == sorted(names), what
    for i, name in enumerate(names):
        assert set(osd["state"][name]) == set(ref["state"][i]), what
        for k, v in ref["state"][i].items():
            assert torch.allclose(osd["state"][name][k], v, rtol=2e-3, atol=2e-5), (what, name, k)
    again = optimizer(model.parameters())
    FSDP.optim_state_dict_to_load(model, again, osd, load_directly=True)
    a, b = opt.state_dict()["state"], again.state_dict()["state"]
    for i in a:
        for k, v in a[i].items():
            assert torch.equal(torch.as_tensor(v), torch.as_tensor(b[i][k])), (what, i, k)


def run(rank, n, path, names):
    dist.init_process_group(
        "gloo", init_method=f"file://{path}/meet", rank=rank, world_size=n,
        timeout=datetime.timedelta(seconds=30),
    )  # fmt: skip
    twenty_steps(rank, n)
    dist.barrier()
    dist.destroy_process_group()


def start(run):
    n, *names = int(sys.argv[1]), *sys.argv[2:]
    with tempfile.TemporaryDirectory() as path:
        start_ranks(run, (n, path, names), n)
    print("well", n)


if __name__ == "__main__":
    start(run)
