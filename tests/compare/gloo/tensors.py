"""Device meshes, DTensors (where results lie, what they are, and their gradients), and layers
spread by parallelize_module."""

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)

CLOSE = {"rtol": 1e-4, "atol": 2e-5}
R, S0, S1, P = Replicate(), Shard(0), Shard(1), Partial()


def number(*shape):
    count = torch.Size(shape).numel()
    return (torch.arange(float(count)).reshape(shape) * 0.37).sin()


def calls(n):
    x, y, w = number(8, 8), number(8, 8) + 1, number(8, 7)
    words, table = torch.tensor([[1, 4, 0, 3, 7, 3, 5, 2]]), number(8, 7)
    one = [
        ("neg", lambda a: -a), ("exp", torch.exp), ("times", lambda a: a * 2),
        ("t", lambda a: a.t()),
        ("sum", lambda a: a.sum()), ("sum 0", lambda a: a.sum(0)), ("mean 1", lambda a: a.mean(1)),
        ("mean", lambda a: a.mean()), ("amax", lambda a: a.amax(0)),
        ("softmax", lambda a: a.softmax(-1)), ("unsqueeze", lambda a: a.unsqueeze(0)),
        ("view" + " uneven" * bool(4 % n), lambda a: a.view(4, 2, 8)),
        ("flatten" + " uneven" * bool(8 % n), lambda a: a.view(64)),
        ("slice", lambda a: a[:, 1:3]), ("select", lambda a: a.select(0, 1)),
        ("layer_norm", lambda a: F.layer_norm(a, (8,))), ("gelu", F.gelu),
    ]  # fmt: skip
    for name, fn in one:
        for p in (R, S0, S1):
            yield f"{name} {p}", fn, [(x, p)]
    yield "times P", lambda a: a * 2, [(x, P)]
    yield "sum P", lambda a: a.sum(1), [(x, P)]
    yield "relu P", torch.relu, [(x, P)]
    for a, b in ((R, R), (S0, R), (S0, S0), (R, S1), (S1, S1), (S1, R)):
        yield f"add {a} {b}", torch.add, [(x, a), (y, b)]
        yield f"mul row {a}", torch.mul, [(x, a), (number(8), R)]
    for a, b in ((R, R), (S0, R), (R, S1), (S1, S0)):
        yield f"mm {a} {b}", torch.mm, [(x, a), (w, b)]
    for a, b in ((R, S0), (S1, S1), (S0, R)):
        yield f"linear {a} {b}", F.linear, [(x, a), (number(7, 8), b)]
    yield "cat", lambda a, b: torch.cat([a, b], 1), [(x, S0), (y, S0)]
    yield "embedding rows", lambda a, b: F.embedding(b, a), [(table, S0), (words, R)]
    yield "embedding columns", lambda a, b: F.embedding(b, a), [(table, S1), (words, R)]
    yield "embedding words", lambda a, b: F.embedding(b, a), [(table, R), (words, S1)]


def grids(n):
    return {1: [(1, 1)], 2: [(1, 2), (2, 1)], 3: [(3, 1)], 4: [(2, 2), (4, 1), (2, 1, 2)]}[n]


def meshes(t, rank, n):
    line = init_device_mesh("cpu", (n,), mesh_dim_names=("tp",))
    asked = [
        ("repr", repr), ("shape", lambda m: m.shape), ("mesh", lambda m: m.mesh.tolist()),
        ("size", lambda m: m.size()), ("ndim", lambda m: m.ndim),
        ("names", lambda m: m.mesh_dim_names), ("rank", lambda m: m.get_rank()),
        ("coordinate", lambda m: m.get_coordinate()), ("device", lambda m: m.device_type),
    ]  # fmt: skip

    def told(what, mesh):
        for name, fn in asked:
            t.attempt(f"{what} {name}", fn, mesh)
        for d in range(mesh.ndim):
            t.note(f"{what} group {d}", dist.get_process_group_ranks(mesh.get_group(d)))
            t.attempt(f"{what} local rank {d}", mesh.get_local_rank, d)
            t.attempt(f"{what} size {d}", mesh.size, d)
            x = torch.tensor([rank + 1.0])
            dist.all_reduce(x, group=mesh.get_group(d))
            t.note(f"{what} sum {d}", x)
        t.note(f"{what} groups", len(mesh.get_all_groups()))
        t.attempt(f"{what} local rank", mesh.get_local_rank)
        t.attempt(f"{what} the group", lambda: type(mesh.get_group()).__name__)

    told("line", line)
    t.note("by name", line["tp"] == line)
    t.attempt("no such name", lambda: line["dp"])
    t.attempt("no such dim", line.get_group, "dp")
    t.attempt("dim 7", line.size, 7)
    t.attempt("too large", init_device_mesh, "cpu", (n + 1,))
    t.attempt("other names", init_device_mesh, "cpu", (n,), mesh_dim_names=("a", "b"))
    t.attempt("twice", init_device_mesh, "cpu", (1, n), mesh_dim_names=("a", "a"))
    t.attempt("an index", init_device_mesh, "cpu:0", (n,))
    t.attempt("no size", init_device_mesh, "cpu", ())
    for shape in grids(n):
        names = ("pp", "dp", "tp")[-len(shape) :]
        grid = init_device_mesh("cpu", shape, mesh_dim_names=names)
        told(f"grid {shape}", grid)
        for name in names:
            told(f"grid {shape} {name}", grid[name])
            t.note("equal", grid[name] == grid[name])
        told("two names", grid["dp", "tp"])
        t.attempt("the other order", lambda grid=grid: repr(grid["tp", "dp"]))
        flat = grid["dp", "tp"]._flatten("both")
        told("flat", flat)
        t.attempt("flat by name", lambda grid=grid: repr(grid["both"]))
    back = DeviceMesh("cpu", torch.arange(n).flip(0))
    told("backwards", back)
    told("of a group", DeviceMesh.from_group(dist.group.WORLD, "cpu"))


def operators(t, rank, n):
    mesh = init_device_mesh("cpu", (n,), mesh_dim_names=("tp",))
    for name, fn, operands in calls(n):
        leaves = [
            DTensor.from_local(x / n, mesh, [p]) if p == P else distribute_tensor(x, mesh, [p])
            for x, p in operands
        ]
        leaves = [x.detach().requires_grad_(x.is_floating_point()) for x in leaves]
        try:
            out = fn(*leaves)
        except Exception as error:
            for what in ("placements", "shape", "local", "whole", "gradients"):
                t.note(f"{name}: {what}", type(error).__name__)
            continue
        t.note(f"{name}: placements", [str(p) for p in out.placements])
        t.note(f"{name}: shape", [list(out.shape), list(out.stride())])
        t.note(f"{name}: local", out.to_local(), **CLOSE)
        whole = out.full_tensor()
        t.note(f"{name}: whole", whole, **CLOSE)
        whole.sum().backward()
        grads = [x.grad.full_tensor() for x in leaves if x.grad is not None]
        t.note(f"{name}: gradients", grads, **CLOSE)


def moves(t, rank, n):
    mesh = init_device_mesh("cpu", (n,))
    for shape in ((5, 3), (1, 4), (8, 4), (0, 2)):
        x = number(*shape)
        for a in (R, S0, S1, P):
            d = DTensor.from_local(x / n, mesh, [P]) if a == P else distribute_tensor(x, mesh, [a])
            for b in (R, S0, S1):
                leaf = d.detach().requires_grad_()
                moved = leaf.redistribute(mesh, [b])
                t.note(f"{shape} {a} -> {b}", moved.to_local(), **CLOSE)
                (moved.full_tensor() ** 2).sum().backward()
                t.note("its gradient", leaf.grad.full_tensor(), **CLOSE)
        t.note(f"repr {shape}", repr(distribute_tensor(torch.ones(shape), mesh, [S0])))
    for shape in grids(n):
        grid = init_device_mesh("cpu", shape[:2] if len(shape) == 2 else shape)
        x = number(6, 7)
        some = [(R, S0), (S0, R), (S0, S1), (S1, S0), (S0, S0), (R, R), (S1, S1)]
        if grid.ndim != 2:
            continue
        for a in some:
            d = distribute_tensor(x, grid, a)
            t.note(f"grid {shape} {a}", d.to_local(), **CLOSE)
            for b in some:
                moved = d.redistribute(grid, b)
                t.note(f"{a} -> {b}", moved.to_local(), **CLOSE)
            t.note("whole", d.full_tensor(), **CLOSE)
        product = torch.mm(distribute_tensor(x, grid, (S0, R)),
                           distribute_tensor(number(7, 5), grid, (R, S1)))  # fmt: skip
        t.note("product", [str(p) for p in product.placements])
        t.note("product's part", product.to_local(), **CLOSE)
    local = torch.full((2 + rank, 2), float(rank))
    d = DTensor.from_local(local[:2], mesh, [S0])
    t.note("from_local", [list(d.shape), list(d.stride())])
    t.note("from_local whole", d.full_tensor())


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(24), nn.LayerNorm(24)
        self.q, self.k, self.v, self.out = (nn.Linear(24, 24, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(24, 36), nn.Linear(36, 24)

    def attend(self, x):
        q, k, v = (f(x) for f in (self.q, self.k, self.v))
        b, s, w = q.shape
        q, k, v = (y.view(b, s, w // 2, 2).transpose(1, 2) for y in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, s, w))

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.down(F.silu(self.up(self.norm2(x))))


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.block = nn.Embedding(12, 24), Block()
        self.norm, self.head = nn.LayerNorm(24), nn.Linear(24, 12, bias=False)

    def forward(self, x):
        return self.head(self.norm(self.block(self.words(x))))


def plain():
    return {
        "words": RowwiseParallel(input_layouts=R), "block.[qkv]": ColwiseParallel(),
        "block.out": RowwiseParallel(), "block.up": ColwiseParallel(),
        "block.down": RowwiseParallel(), "head": ColwiseParallel(output_layouts=R),
    }  # fmt: skip


def sequence():
    """Between the products each rank has a part of the sequence."""
    return {
        "words": RowwiseParallel(input_layouts=R, output_layouts=S1),
        "block.norm1": SequenceParallel(), "block.norm2": SequenceParallel(),
        "block.[qkv]": ColwiseParallel(input_layouts=S1),
        "block.out": RowwiseParallel(output_layouts=S1), "block.up": ColwiseParallel(
            input_layouts=S1), "block.down": RowwiseParallel(output_layouts=S1),
        "norm": SequenceParallel(), "head": ColwiseParallel(input_layouts=S1, output_layouts=R),
    }  # fmt: skip


def losses():
    return {**plain(), "head": ColwiseParallel(output_layouts=Shard(-1), use_local_output=False)}


def layers(t, rank, n):
    mesh = init_device_mesh("cpu", (n,), mesh_dim_names=("tp",))
    x = torch.randint(12, (2, 12), generator=torch.Generator().manual_seed(1))
    for plan in (plain, sequence, losses):
        name = plan.__name__
        torch.manual_seed(2)
        model = parallelize_module(Words(), mesh, plan())
        for k, p in model.named_parameters():
            placed = repr(p.placements) if isinstance(p, DTensor) else None
            t.note(f"{name} {k}", [placed, list(p.shape)])
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, foreach=False)
        for step in range(4):
            optimizer.zero_grad()
            y = model(x)
            if plan is losses:
                with loss_parallel():
                    loss = F.cross_entropy(y.flatten(0, 1), x.roll(1, 1).flatten())
                    loss.backward()
            else:
                loss = F.cross_entropy(y.flatten(0, 1), x.roll(1, 1).flatten())
                loss.backward()
            loss = loss.full_tensor() if isinstance(loss, DTensor) else loss
            t.note(f"{name} loss {step}", loss, **CLOSE)
            if step == 0:
                for k, p in model.named_parameters():
                    g = p.grad
                    g = g.full_tensor() if isinstance(g, DTensor) else g
                    t.note(f"{name} gradient {k}", g, **CLOSE)
            optimizer.step()
        for k, v in model.state_dict().items():
            v = v.full_tensor() if isinstance(v, DTensor) else v
            t.note(f"{name} value {k}", v, rtol=1e-3, atol=1e-4)


def run(t, rank, n, folder):
    for part in (meshes, operators, moves, layers):
        part(t, rank, n)
