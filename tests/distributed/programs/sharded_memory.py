"""Bytes of a rank with full shard against those of one process: counted, and at the peak.

python sharded_memory.py RANKS
"""

import datetime
import gc
import sys

from sharded import start

import rushlight as torch
import rushlight.distributed as dist
from rushlight import nn
from rushlight.distributed.fsdp import FullyShardedDataParallel as FSDP
from rushlight.distributed.fsdp import fully_shard
from rushlight.distributed.fsdp.wrap import ModuleWrapPolicy
from rushlight.kernels.runtime import memory

WIDE, LAYERS = 576, 30  # 1.3 MB a layer


class Layer(nn.Linear):
    def forward(self, x):
        return super().forward(x).relu()


def net(layers):
    return nn.Sequential(*[Layer(WIDE, WIDE) for _ in range(layers)])


def steps(model, n):
    opt = torch.optim.AdamW(model.parameters())
    for _ in range(2):
        opt.zero_grad()
        model(torch.ones(8 // n, WIDE)).sum().backward()
        opt.step()
    return opt


def size(t):
    local = getattr(t, "_local_tensor", t)
    return local.numel() * local.element_size()


def counted(model, opt):
    """Bytes of parameters, gradients and optimiser state."""
    params = list(model.parameters())
    return (
        sum(size(p) for p in params)
        + sum(size(p.grad) for p in params if p.grad is not None)
        + sum(size(torch.as_tensor(v)) for s in opt.state.values() for v in s.values())
    )


def status(key):
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith(key)) * 1024


def peak(fn):
    """What `fn` returns, and by how much the memory in use grew at most."""
    gc.collect()
    memory.trim()  # what is free goes back to the system
    with open("/proc/self/clear_refs", "w") as f:
        f.write("5")  # the peak begins anew
    before = status("VmRSS")
    result = fn()
    return result, status("VmHWM") - before


def flat(n, layers):
    model = FSDP(net(layers), auto_wrap_policy=ModuleWrapPolicy({Layer}))
    return counted(model, steps(model, n))


def rows(n, layers):
    model = net(layers)
    for m in model:
        fully_shard(m)
    fully_shard(model)
    return counted(model, steps(model, n))


def one(n, layers):
    model = net(layers)
    return counted(model, steps(model, 1))


def bytes_of_a_rank(rank, n, names=()):
    can = sys.platform == "linux"
    for fn in (one, flat, rows):  # what is made once is there now
        fn(n, 2)
    whole, most = peak(lambda: one(n, LAYERS)) if can else (one(n, LAYERS), 0)
    for fn in (flat, rows):
        mine, high = peak(lambda: fn(n, LAYERS)) if can else (fn(n, LAYERS), 0)  # noqa: B023
        assert mine <= 0.26 * whole, (fn.__name__, mine / whole)
        if can:
            if "show" in names and rank == 0:
                print(fn.__name__, round(mine / whole, 4), round(high / most, 4), most >> 20)
            # its part, one unit whole or so, and what the messages need
            assert high <= 0.36 * most, (fn.__name__, high / most)


def run(rank, n, path, names):
    dist.init_process_group(
        "gloo", init_method=f"file://{path}/meet", rank=rank, world_size=n,
        timeout=datetime.timedelta(seconds=60),
    )  # fmt: skip
    bytes_of_a_rank(rank, n, names)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    start(run)
