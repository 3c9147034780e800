"""Collectives beside what else looks on: the profiler, `torch.compile`.

python together.py RANKS
"""

import json
import sys
import tempfile
import warnings

from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
from rushlight import nn


def profiler(rank, n, folder):
    x = torch.ones(1000)
    with torch.profiler.profile(record_shapes=True) as prof:
        dist.all_reduce(x)
        dist.all_reduce(x, async_op=True).wait()
        dist.barrier()
    found = [(e.name, e.input_shapes, e.kwinputs.get("Bytes")) for e in prof.events()]
    assert found == [
        *[("c10d::allreduce_", [[1000]], None)] * 2,
        ("c10d::barrier", [], None),
        *[("mpi:all_reduce", [[1000]], 4000)] * 2,
        ("mpi:barrier", [], 0),
    ]
    events = prof.events()
    own = {e.thread for e in events if e.name.startswith("c10d")}
    threads = [e.thread for e in events if e.name == "mpi:all_reduce"]
    assert own == {1}
    assert threads[0] != threads[1]  # one was carried out by the caller, one by the lane
    total = sum(e.self_cpu_time_total for e in prof.key_averages())
    assert abs(total - sum(e.cpu_time_total for e in events if e.thread == 1)) < 1e-3
    prof.export_chrome_trace(f"{folder}/{rank}.json")
    with open(f"{folder}/{rank}.json", encoding="utf-8") as file:
        trace = [e for e in json.load(file)["traceEvents"] if e["name"] == "mpi:all_reduce"]
    assert trace[0]["args"]["Group size"] == n
    assert trace[0]["args"]["Bytes"] == 4000
    dist.all_reduce(x)  # nobody looks on any more
    assert len(prof.events()) == len(events)


def compiled(rank, n):
    def step(x):
        y = x * 2
        dist.all_reduce(y)
        return y + 1

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        fast = torch.compile(step)
        for k in range(4):
            x = torch.ones(3) * (rank + k)
            assert torch.equal(fast(x), step(x))
            assert fast(x)[0] == 2 * sum(r + k for r in range(n)) + 1
    assert any("all_reduce" in str(w.message) for w in told)


def reduced(rank, n):
    """A DistributedDataParallel around what is compiled, or compiled itself: the bits of eager."""
    found = []
    for way in ("eager", "inside", "outside"):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
        model = nn.parallel.DistributedDataParallel(torch.compile(net) if way == "inside" else net)
        if way == "outside":
            model = torch.compile(model)
        opt = torch.optim.Adam(model.parameters(), 0.01)
        inputs = torch.Generator().manual_seed(rank)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # it would say what runs eagerly
            for _ in range(5):
                opt.zero_grad()
                model(torch.randn(4, 8, generator=inputs)).square().mean().backward()
                opt.step()
        found.append([p.detach().clone() for p in net.parameters()])
        if way == "inside":
            assert model.module._compiled.entries[0].runs == 4
    for other in found[1:]:
        assert all(map(torch.equal, found[0], other))


def run(rank, n, folder):
    dist.init_process_group(init_method=f"file://{folder}/meet", rank=rank, world_size=n)
    profiler(rank, n, folder)
    compiled(rank, n)
    reduced(rank, n)
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    start_ranks(run, (ranks, tempfile.mkdtemp()), nprocs=ranks)
    print("well", ranks)
