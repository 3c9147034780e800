"""fully_shard on each rank, against one process that has the whole batch.

python fully_sharded.py RANKS
"""

import datetime

from sharded import adam, alone, close, data, loss_of, mine, net, sgd, start

import rushlight as torch
import rushlight.distributed as dist
from rushlight import nn
from rushlight.distributed.fsdp import FSDPModule, fully_shard
from rushlight.distributed.tensor import DTensor


def sharded(model=None, **kw):
    model = net() if model is None else model
    for b in model.blocks:
        fully_shard(b, **kw)
    return fully_shard(model, **kw)


def whole(state):
    return {k: v.full_tensor() if isinstance(v, DTensor) else v for k, v in state.items()}


def twenty_steps(rank, n):
    for optimizer in (adam, sgd) if n == 2 else (adam,):
        reference, _, norms = alone(20, optimizer, clip=1.0)
        for kw in ({}, {"reshard_after_forward": False}) if n == 2 else ({},):
            model = sharded(**kw)
            assert isinstance(model, FSDPModule)
            assert all(isinstance(p, DTensor) for p in model.parameters())
            assert [k for k, _ in model.named_parameters()] == [
                k for k, _ in reference.named_parameters()
            ]
            opt = optimizer(model.parameters())
            for step in range(20):
                opt.zero_grad()
                loss_of(model, mine(data(step), rank, n)).backward()
                total = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                total = total.full_tensor() if isinstance(total, DTensor) else total
                assert torch.allclose(total, norms[step], rtol=1e-4), (step, total, norms[step])
                opt.step()
            close(whole(model.state_dict()), reference.state_dict(), str(kw), 2e-4, 2e-5)


def run(rank, n, path, names):
    dist.init_process_group(
        "gloo", init_method=f"file://{path}/meet", rank=rank, world_size=n,
        timeout=datetime.timedelta(seconds=30),
    )  # fmt: skip
    twenty_steps(rank, n)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    start(run)
