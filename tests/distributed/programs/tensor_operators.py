"""Operators on DTensors, of every placement of their operands: what they give is what they give of
the whole tensors, and so are the gradients.

python tensor_operators.py RANKS [NAME ...]: with names those alone, with all their placements.
"""

import datetime
import itertools
import sys
import tempfile

from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
import rushlight.nn.functional as F
from rushlight.distributed.device_mesh import init_device_mesh
from rushlight.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor


def number(*shape, seed=0):
    g = torch.Generator().manual_seed(seed + len(shape))
    return torch.randn(*shape, generator=g)


def whole(high, *shape):
    g = torch.Generator().manual_seed(7)
    return torch.randint(0, high, shape, generator=g)


# name, function, operands
UNARY = [
    ("neg", lambda x: -x), ("exp", torch.exp), ("gelu", F.gelu), ("relu", F.relu), ("silu", F.silu),
    ("mul 2", lambda x: x * 2), ("div 3", lambda x: x / 3), ("clone", torch.clone),
    ("to", lambda x: x.to(torch.float64)), ("abs", torch.abs), ("clamp", lambda x: x.clamp(-1, 1)),
    ("t", lambda x: x.mT), ("transpose", lambda x: x.transpose(0, 1)),
    ("permute", lambda x: x.permute(1, 0)), ("view", lambda x: x.reshape(-1)),
    ("view 3", lambda x: x.view(5, 2, 3)), ("view 4", lambda x: x.view(1, 5, 6, 1)),
    ("unsqueeze", lambda x: x.unsqueeze(1)), ("squeeze", lambda x: x.unsqueeze(0).squeeze(0)),
    ("unflatten", lambda x: x.unflatten(1, (3, 2))),
    ("flatten", lambda x: x.view(5, 3, 2).flatten(1)),
    ("select", lambda x: x[1]), ("slice", lambda x: x[1:4]), ("slice 1", lambda x: x[:, ::2]),
    ("split", lambda x: x.split(2, 1)[1]), ("chunk", lambda x: x.chunk(3, 0)[1]),
    ("unbind", lambda x: x.unbind(1)[2]), ("expand", lambda x: x.unsqueeze(0).expand(3, 5, 6)),
    ("repeat", lambda x: x.repeat(2, 1)), ("flip", lambda x: x.flip(0)),
    ("roll", lambda x: x.roll(1, 1)),
    ("tril", torch.tril), ("sum", torch.sum), ("sum 0", lambda x: x.sum(0)),
    ("sum 1", lambda x: x.sum(1, keepdim=True)), ("mean", torch.mean),
    ("mean 1", lambda x: x.mean(-1)),
    ("mean 0", lambda x: x.mean(0)), ("amax", lambda x: x.amax(0)), ("max", torch.max),
    ("min dim", lambda x: x.min(1)[0]), ("prod", lambda x: x.detach().prod(1)),
    ("var", lambda x: x.var(1)),
    ("std", lambda x: x.std(0)), ("logsumexp", lambda x: x.logsumexp(1)),
    ("norm", lambda x: x.norm()),
    ("norm 1", lambda x: torch.linalg.vector_norm(x, 1, 0)),
    ("norm inf", lambda x: torch.linalg.vector_norm(x, float("inf"))),
    ("norms", lambda x: (x.norm() - (x * 2).norm()) * 3 + x.norm(dim=0).sum()),
    ("softmax", lambda x: x.softmax(-1)), ("softmax 0", lambda x: x.softmax(0)),
    ("log_softmax", lambda x: F.log_softmax(x, 1)), ("cumsum", lambda x: x.cumsum(0)),
    ("layer_norm", lambda x: F.layer_norm(x, (6,))), ("rms_norm", lambda x: F.rms_norm(x, (6,))),
    ("glu", lambda x: F.glu(x, 1)), ("sort", lambda x: x.sort(1)[0]),
    ("topk", lambda x: x.topk(2, 1)[0]),
    ("pow", lambda x: x.abs() ** 1.5), ("mask", lambda x: x.masked_fill(x > 0, 0.0)),
    ("where", lambda x: torch.where(x > 0, x, x * 2)),
    ("zeros_like", lambda x: x * torch.ones_like(x)),
    ("new", lambda x: x + x.new_ones(6)), ("new alike", lambda x: x + x.new_full((5, 6), 2.0)),
    ("pad", lambda x: F.pad(x, (1, 2))),
]  # fmt: skip
BINARY = [
    ("add", torch.add, (5, 6), (5, 6)), ("add row", torch.add, (5, 6), (6,)),
    ("sub column", torch.sub, (5, 6), (5, 1)), ("mul", torch.mul, (5, 6), (5, 6)),
    ("div", torch.div, (5, 6), (1, 6)),
    ("add alpha", lambda x, y: torch.add(x, y, alpha=2), (5, 6), (5, 6)),
    ("mm", torch.mm, (5, 6), (6, 4)), ("matmul", torch.matmul, (3, 5, 6), (6, 4)),
    ("bmm", torch.bmm, (3, 5, 6), (3, 6, 4)), ("mv", torch.mv, (5, 6), (6,)),
    ("dot", torch.dot, (6,), (6,)), ("linear", F.linear, (5, 6), (4, 6)),
    ("linear 3", F.linear, (2, 5, 6), (4, 6)),
    ("cat", lambda x, y: torch.cat([x, y], 1), (5, 6), (5, 2)),
    ("stack", lambda x, y: torch.stack([x, y]), (5, 6), (5, 6)),
    ("mse", F.mse_loss, (5, 6), (5, 6)), ("maximum", torch.maximum, (5, 6), (5, 6)),
    ("mse sum", lambda x, y: F.mse_loss(x, y, reduction="sum"), (5, 6), (5, 6)),
    ("smooth_l1", F.smooth_l1_loss, (5, 6), (5, 6)),
    ("bce", F.binary_cross_entropy_with_logits, (5, 6), (5, 6)),
    ("baddbmm", lambda x, y: torch.baddbmm(torch.zeros_like(x @ y), x, y), (3, 5, 6), (3, 6, 4)),
    ("einsum", lambda x, y: torch.einsum("bij,bjk->bik", x, y), (3, 5, 6), (3, 6, 4)),
    ("outer", torch.outer, (5,), (6,)), ("lerp", lambda x, y: x.lerp(y, 0.3), (5, 6), (5, 6)),
]  # fmt: skip
TERNARY = [
    ("linear bias", F.linear, (5, 6), (4, 6), (4,)), ("addmm", torch.addmm, (5, 4), (5, 6), (6, 4)),
    ("addmm row", torch.addmm, (4,), (5, 6), (6, 4)),
    ("addcmul", torch.addcmul, (5, 6), (5, 6), (5, 6)),
    ("attention", F.scaled_dot_product_attention, (3, 4, 5, 6), (3, 4, 5, 6), (3, 4, 5, 6)),
    ("causal", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
     (2, 3, 4, 8), (2, 3, 4, 8), (2, 3, 4, 8)),
    ("layer_norm affine", lambda x, w, b: F.layer_norm(x, (6,), w, b), (5, 6), (6,), (6,)),
    ("where 3", lambda x, y, z: torch.where(x > 0, y, z), (5, 6), (5, 6), (6,)),
]  # fmt: skip
OTHERS = [
    ("embedding", lambda w, i: F.embedding(i, w), number(7, 4), whole(7, 3, 5)),
    ("cross_entropy", F.cross_entropy, number(5, 6), whole(6, 5)),
    ("cross_entropy sum", lambda x, t: F.cross_entropy(x, t, reduction="sum"),
     number(5, 6), whole(6, 5)),
    ("cross_entropy none", lambda x, t: F.cross_entropy(x, t, reduction="none"),
     number(5, 6), whole(6, 5)),
    ("cross_entropy ignore", lambda x, t: F.cross_entropy(x, t, ignore_index=2),
     number(5, 6), whole(6, 5)),
    ("nll", lambda x, t: F.nll_loss(F.log_softmax(x, 1), t), number(4, 6), whole(6, 4)),
    ("gather", lambda x, i: x.gather(1, i), number(5, 6), whole(6, 5, 3)),
    ("index_select", lambda x, i: x.index_select(0, i), number(5, 6), whole(5, 3)),
    ("index rows", lambda x, i: x[i], number(5, 6), whole(5, 3)),
    ("scatter_add", lambda x, i: torch.zeros_like(x).scatter_add(1, i, x[:, :3]),
     number(5, 6), whole(6, 5, 3)),
    ("conv2d", F.conv2d, number(4, 3, 6, 6), number(2, 3, 3, 3)),
]  # fmt: skip


def kinds(t, extra=()):
    return [Replicate(), *(Shard(d) for d in range(t.ndim)), *extra]


def same(a, b, what):
    assert a.shape == b.shape, (what, a.shape, b.shape)
    assert a.dtype == b.dtype, (what, a.dtype, b.dtype)
    floats = a.is_floating_point()
    close = torch.allclose(a, b, rtol=1e-5, atol=1e-6) if floats else torch.equal(a, b)
    assert close, f"{what}:\n{a}\n{b}"


def spread(t, mesh, where):
    """A DTensor that lies like this; of what is to be added up, each rank has a share."""
    if any(p.is_partial() for p in where):
        n, r = mesh.size(), dist.get_rank()
        share = (t / n + (r - (n - 1) / 2)).requires_grad_(t.requires_grad)
        return DTensor.from_local(share.detach(), mesh, where).requires_grad_(t.requires_grad)
    return distribute_tensor(t.detach(), mesh, where).requires_grad_(t.requires_grad)


def check(name, fn, tensors, mesh, where):
    what = (name, where)
    plain = [t.detach().clone().requires_grad_(t.is_floating_point()) for t in tensors]
    y = fn(*plain)
    weights = None
    if y.requires_grad:
        weights = torch.linspace(-1, 1, y.numel()).reshape(y.shape).to(y.dtype)
        (y * weights).sum().backward()
    spreads = [spread(t, mesh, p) for t, p in zip(plain, where, strict=True)]
    z = fn(*spreads)
    assert isinstance(z, DTensor), what
    assert z.shape == y.shape, (what, z.shape, y.shape)
    same(z.full_tensor(), y, what)
    if weights is not None:
        (z.full_tensor() * weights).sum().backward()
        for t, s in zip(plain, spreads, strict=True):
            if t.grad is not None:
                assert isinstance(s.grad, DTensor), what
                same(s.grad.full_tensor(), t.grad, (*what, "gradient", s.grad.placements))


MOST = {1: 1, 2: 4, 3: 2, 4: 2}  # of a call's placements, on so many ranks


def table(mesh, only):
    """All calls, each with some of its placements."""
    failed = {}
    partial = (Partial(),)
    calls = [(name, fn, [number(5, 6)], partial) for name, fn in UNARY]
    calls += [(name, fn, [number(*a), number(*b, seed=1)], ()) for name, fn, a, b in BINARY]
    calls += [(name, fn, [number(*s, seed=k) for k, s in enumerate(shapes)], ())
              for name, fn, *shapes in TERNARY]  # fmt: skip
    calls += [(name, fn, tensors, ()) for name, fn, *tensors in OTHERS]
    for name, fn, tensors, extra in calls:
        if only and name not in only:
            continue
        every = list(itertools.product(*[kinds(t, extra) for t in tensors]))
        most = 1000 if only else MOST[mesh.size()]
        for where in every[:: -(-len(every) // most)]:
            if mesh.ndim == 1:
                places = [[p] for p in where]
            else:  # the other dimension of the mesh: another of the ways
                other = every[(every.index(where) * 7 + 3) % len(every)]
                places = [[p, q if not (p.is_partial() or q.is_partial()) else p]
                          for p, q in zip(where, other, strict=True)]  # fmt: skip
            try:
                check(name, fn, tensors, mesh, places)
            except Exception as error:  # all of them are told
                failed.setdefault(name, (places, error))
    return failed


def run(rank, n, address, only):
    dist.init_process_group(
        "gloo", init_method=address, rank=rank, world_size=n, timeout=datetime.timedelta(seconds=60)
    )
    failed = table(init_device_mesh("cpu", (2, 2) if n == 4 else (n,)), only)
    if failed:
        for name, (where, error) in failed.items():
            print(f"rank {rank}:", name, where, f"{type(error).__name__}: {error}"[:300])
    assert not failed
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    address = f"file://{tempfile.mkdtemp()}/meet"
    start_ranks(run, (ranks, address, sys.argv[2:]), nprocs=ranks)
    print("well", ranks)
