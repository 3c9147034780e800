"""Operators on DTensors, by PyTorch or by the drop-in: what lies where, as JSON of rank 0.

python like_pytorch.py RANKS        python -m rushlight like_pytorch.py RANKS
"""

import json
import os
import socket
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

R, S0, S1, P = Replicate(), Shard(0), Shard(1), Partial()


def number(*shape):
    count = torch.Size(shape).numel()
    return (torch.arange(float(count)).reshape(shape) * 0.37).sin()


def calls():
    x, y, w = number(4, 6), number(4, 6) + 1, number(6, 8)
    words, table = torch.tensor([[1, 4, 0, 3]]), number(6, 4)
    one = [
        ("neg", lambda a: -a), ("exp", torch.exp), ("times", lambda a: a * 2),
        ("t", lambda a: a.t()),
        ("sum", lambda a: a.sum()), ("sum 0", lambda a: a.sum(0)), ("mean 1", lambda a: a.mean(1)),
        ("mean", lambda a: a.mean()), ("amax", lambda a: a.amax(0)),
        ("softmax", lambda a: a.softmax(-1)), ("view", lambda a: a.view(2, 2, 6)),
        ("flatten", lambda a: a.view(24)), ("unsqueeze", lambda a: a.unsqueeze(0)),
        ("slice", lambda a: a[:, 1:3]), ("select", lambda a: a.select(0, 1)),
        ("layer_norm", lambda a: F.layer_norm(a, (6,))), ("gelu", F.gelu),
    ]  # fmt: skip
    for name, fn in one:
        for p in (R, S0, S1):
            yield f"{name} {p}", fn, [(x, p)]
    yield "times P", lambda a: a * 2, [(x, P)]
    yield "sum P", lambda a: a.sum(1), [(x, P)]
    yield "relu P", torch.relu, [(x, P)]
    for a, b in ((R, R), (S0, R), (S0, S0), (R, S1), (S1, S1), (S1, R)):
        yield f"add {a} {b}", torch.add, [(x, a), (y, b)]
        yield f"mul row {a}", torch.mul, [(x, a), (number(6), R)]
    for a, b in ((R, R), (S0, R), (R, S1), (S1, S0)):
        yield f"mm {a} {b}", torch.mm, [(x, a), (w, b)]
    for a, b in ((R, S0), (S1, S1), (S0, R)):
        yield f"linear {a} {b}", F.linear, [(x, a), (number(8, 6), b)]
    yield "cat", lambda a, b: torch.cat([a, b], 1), [(x, S0), (y, S0)]
    yield "embedding rows", lambda a, b: F.embedding(b, a), [(table, S0), (words, R)]
    yield "embedding columns", lambda a, b: F.embedding(b, a), [(table, S1), (words, R)]
    yield "embedding words", lambda a, b: F.embedding(b, a), [(table, R), (words, S1)]


def shown(t):
    return [str(p) for p in t.placements]


def local(t):
    return [round(float(v), 4) + 0.0 for v in t.to_local().detach().reshape(-1)]


def run(rank, n, port):
    os.environ.update(MASTER_ADDR="localhost", MASTER_PORT=str(port))
    dist.init_process_group("gloo", rank=rank, world_size=n)
    mesh = init_device_mesh("cpu", (n,), mesh_dim_names=("tp",))
    told = {"mesh": [repr(mesh), list(mesh.shape), mesh.mesh.tolist()]}
    for name, fn, operands in calls():
        leaves = [
            DTensor.from_local(t / n, mesh, [p]) if p == P else distribute_tensor(t, mesh, [p])
            for t, p in operands
        ]
        leaves = [t.detach().requires_grad_(t.is_floating_point()) for t in leaves]
        out = fn(*leaves)
        told[name] = [shown(out), list(out.shape), list(out.stride()), local(out)]
        out.full_tensor().sum().backward()
        for t in leaves:
            if t.grad is not None:
                g = t.grad.full_tensor()
                told[name].append([list(g.shape), [round(float(v), 3) + 0.0 for v in g.flatten()]])
    uneven = distribute_tensor(number(5, 3), mesh, [S0])
    told["uneven"] = [local(uneven), local(uneven.redistribute(mesh, [S1])), repr(uneven)]
    if rank == 0:
        print(json.dumps(told))
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    with socket.create_server(("localhost", 0)) as s:
        port = s.getsockname()[1]
    mp.spawn(run, (ranks, port), nprocs=ranks)
