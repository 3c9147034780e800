"""Models of DTensors: random numbers, changes in place, optimizers, clipping, modules.

python tensor_training.py RANKS
"""

import copy
import datetime
import sys
import tempfile

from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed._functional_collectives as funcol
import rushlight.distributed.tensor as dt
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.distributed.device_mesh import init_device_mesh
from rushlight.distributed.tensor import (
    DTensor,
    Partial,
    Replicate,
    Shard,
    distribute_module,
    distribute_tensor,
)
from rushlight.distributed.tensor.experimental import implicit_replication, local_map
from rushlight.utils.checkpoint import checkpoint


def refused(kind, words, call, *args, **kw):
    try:
        call(*args, **kw)
        said = "nothing"
    except kind as error:
        said = str(error)
    assert words in said, said


def close(a, b, tolerance=1e-5):
    assert a.shape == b.shape
    assert torch.allclose(a, b, rtol=tolerance, atol=tolerance), (a - b).abs().max()


def factories(rank, n, mesh):
    for where in (Shard(0), Shard(1), Replicate()):
        kw = {"device_mesh": mesh, "placements": [where]}
        assert torch.equal(dt.zeros(5, 3, **kw).full_tensor(), torch.zeros(5, 3))
        assert torch.equal(dt.ones((5, 3), **kw).full_tensor(), torch.ones(5, 3))
        assert torch.equal(dt.full((5, 3), 2.5, **kw).full_tensor(), torch.full((5, 3), 2.5))
        assert dt.empty(5, 3, dtype=torch.int64, **kw).dtype is torch.int64
        assert dt.ones(5, 3, requires_grad=True, **kw).requires_grad
        dt._random.manual_seed(3, mesh)
        x, y = dt.rand(5, 3, **kw), dt.randn(20, 3, **kw)
        z = dt.empty(5, 3, **kw).normal_(1, 2)
        u = nn.init.uniform_(dt.empty(5, 3, **kw), -1, 1)
        drop = F.dropout(dt.ones(5, 3, **kw), 0.5)
        like = torch.rand_like(z)
        torch.manual_seed(3)
        assert torch.equal(x.full_tensor(), torch.rand(5, 3))
        assert torch.equal(y.full_tensor(), torch.randn(20, 3))
        assert torch.equal(z.full_tensor(), torch.empty(5, 3).normal_(1, 2))
        assert torch.equal(u.full_tensor(), torch.empty(5, 3).uniform_(-1, 1))
        assert torch.equal(drop.full_tensor(), F.dropout(torch.ones(5, 3), 0.5))
        assert torch.equal(like.full_tensor(), torch.rand(5, 3))


def in_place(rank, n, mesh):
    whole = torch.arange(15.0).reshape(5, 3)
    for where in (Shard(0), Shard(1), Replicate()):
        x = distribute_tensor(whole, mesh, [where])
        y = distribute_tensor(whole + 1, mesh, [Shard(0)])
        assert x.add_(y) is x
        x.mul_(2).clamp_(max=20.0).sub_(1)
        close(x.full_tensor(), ((whole + whole + 1) * 2).clamp(max=20) - 1)
        x.zero_()
        x.copy_(y)
        assert torch.equal(x.full_tensor(), whole + 1)
        assert x.placements == (where,)
        x.fill_(3)
        assert (x == 3).all().item()
        assert torch.equal(x, x.clone())
        assert not torch.equal(x, x + 1)
        assert bool((x.sum() == 45).item())
        assert x.max().item() == 3
        row = x[:, 1] if where != Shard(1) else None
        if row is not None:
            row.fill_(9)
            assert (x.full_tensor()[:, 1] == 9).all()
    if n > 1:
        part = DTensor.from_local(torch.ones(3), mesh, [Partial()])
        other = DTensor.from_local(torch.ones(3), mesh, [Replicate()])
        refused(RuntimeError, "in-place operations that require placement changes", part.exp_)
        assert part.add_(other).full_tensor().tolist() == [n + 1] * 3
    x = distribute_tensor(whole, mesh, [Shard(0)])
    refused(RuntimeError, "got mixed torch.Tensor and DTensor", torch.add, x, whole)
    refused(NotImplementedError, "does not have a sharding strategy", torch.histc, x)
    assert (x + torch.tensor(1.0)).full_tensor()[0, 0] == 1
    with implicit_replication():
        assert torch.equal((x + whole).full_tensor(), whole * 2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 7)
        self.norm = nn.LayerNorm(7)
        self.b = nn.Linear(7, 3)

    def forward(self, x):
        return self.b(F.gelu(self.norm(self.a(x))))


def optimizers(rank, n, mesh):
    made = [
        lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.9),
        lambda ps: torch.optim.Adam(ps, lr=0.01),
        lambda ps: torch.optim.AdamW(ps, lr=0.01, foreach=True, amsgrad=True),
        lambda ps: torch.optim.RMSprop(ps, lr=0.01),
    ]
    for k, make in enumerate(made):
        torch.manual_seed(k)
        plain = Net()
        spread = copy.deepcopy(plain)

        def cut(name, m, mesh):
            for key, p in list(m._parameters.items()):
                where = Shard(1 if name == "b" and p.ndim == 2 else 0)
                m.register_parameter(key, nn.Parameter(distribute_tensor(p.data, mesh, [where])))

        distribute_module(spread, mesh, cut)
        refused(RuntimeError, "only be called once", distribute_module, spread, mesh)
        one, many = make(plain.parameters()), make(spread.parameters())
        x, t = torch.randn(8, 6), torch.randint(0, 3, (8,))
        own = [distribute_tensor(v, mesh, [Shard(0)]) for v in (x, t)]
        for _ in range(4):
            for model, opt, (data, target) in ((plain, one, (x, t)), (spread, many, own)):
                opt.zero_grad()
                loss = F.cross_entropy(model(data), target)
                loss.backward()
                norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                opt.step()
                if model is plain:
                    wanted = loss.detach(), norm
                else:
                    close(loss.detach().full_tensor(), wanted[0])
                    close(norm.full_tensor(), wanted[1])
        for p, q in zip(plain.parameters(), spread.parameters(), strict=True):
            close(q.full_tensor().detach(), p.detach())
        held = many.state[next(iter(spread.parameters()))]
        if k:
            assert held["exp_avg" if k < 3 else "square_avg"].placements == (Shard(0),)
        again = make(spread.parameters())
        again.load_state_dict(many.state_dict())
        for key, v in again.state[next(iter(spread.parameters()))].items():
            assert v is None or torch.equal(v, held[key])
        state = spread.state_dict()
        assert all(isinstance(v, DTensor) for v in state.values())
        other = copy.deepcopy(spread)
        other.load_state_dict(state)
        half = spread.to(torch.float64)
        assert next(iter(half.parameters())).to_local().dtype is torch.float64


def local_functions(rank, n, mesh):
    """Functions of parts: their arguments, results and gradients."""
    w, x = curved(5, 6), curved(6, 4, at=1.0)
    rows, columns, whole = [Shard(0)], [Shard(1)], [Replicate()]

    def product(of, w, x, scale=1):
        return funcol.all_reduce(w @ x, "sum", of) * scale

    spread = [distribute_tensor(w, mesh, columns), distribute_tensor(x, mesh, rows)]
    fn = local_map(product, whole, (None, columns, rows), device_mesh=mesh)
    y = fn(mesh, *spread, scale=2)
    assert y.placements == (Replicate(),)
    close(y.to_local(), w @ x * 2)
    assert torch.equal(local_map(torch.mm, whole)(w, x), w @ x)  # nothing is spread
    refused(ValueError, "mismatched placements", fn, mesh, spread[0], spread[0].t().t() @ spread[1])
    again = local_map(
        product, whole, (None, columns, rows), device_mesh=mesh, redistribute_inputs=True
    )
    other = [distribute_tensor(t, mesh, whole) for t in (w, x)]
    close(again(mesh, *other).to_local(), w @ x)

    @local_map(out_placements=(rows, None, [Partial()]), in_placements=(rows, rows, whole))
    def several(both, factor):
        a, b = both
        return {"a": a * b, "n": 3, "sum": (a * factor).sum()}

    a, b = (distribute_tensor(t, mesh, rows) for t in (w, w + 1))
    out = several((a, b), distribute_tensor(torch.ones(6).double(), mesh, whole))
    close(out["a"].to_local(), a.to_local() * b.to_local())
    assert out["n"] == 3
    close(out["sum"].full_tensor(), w.sum())
    # gradients: of a replicated argument each rank has a part
    f, g = curved(6).requires_grad_(), distribute_tensor(curved(6), mesh, whole).requires_grad_()
    local = distribute_tensor(curved(2 * n, 6), mesh, rows).requires_grad_()
    plain = curved(2 * n, 6).requires_grad_()
    times = local_map(torch.mul, rows, (rows, whole), (rows, [Partial()]))
    (times(local, g) ** 2).sum().backward()
    ((plain * f) ** 2).sum().backward()
    close(local.grad.full_tensor(), plain.grad)
    close(g.grad.full_tensor(), f.grad)
    bad = local_map(lambda x: x, whole, (rows, rows))
    refused(AssertionError, "in_placements length 2 does not match", bad, a)
    refused(AssertionError, "expects placements", local_map(torch.neg, rows, (None,)), a)
    two = local_map(torch.mul, rows, (rows, rows))
    refused(AssertionError, "expects None placements", two, a, 2)
    refused(AssertionError, "in grad placements", local_map(torch.neg, rows, None, (None,)), a)
    refused(AssertionError, "one PlacementType", local_map(lambda x: (x, x), rows), a)
    refused(AssertionError, "Non-tensor output", local_map(lambda x: 1, rows), a)
    refused(AssertionError, "torch.Tensor output", local_map(lambda x: a, rows), a)


def scaled_and_recomputed(rank, n, mesh):
    """GradScaler, where one rank's part alone is too large; checkpoints of activations."""
    p = nn.Parameter(distribute_tensor(torch.ones(2 * n, 3), mesh, [Shard(0)]))
    opt = torch.optim.SGD([p], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    scaler.scale((p * p).sum()).backward()
    scaler.unscale_(opt)
    assert torch.equal(p.grad.full_tensor(), torch.full((2 * n, 3), 2.0))
    scaler.step(opt)
    scaler.update()
    close(p.full_tensor().detach(), torch.full((2 * n, 3), 0.8))
    opt.zero_grad()
    scaler.scale((p * p).sum()).backward()
    if rank == 0:
        p.grad.to_local()[0, 0] = float("inf")
    scaler.step(opt)  # of no rank
    scaler.update()
    assert scaler.get_scale() == 4.0
    close(p.full_tensor().detach(), torch.full((2 * n, 3), 0.8))
    for reentrant in (False, True):
        p = nn.Parameter(distribute_tensor(curved(2 * n, 3), mesh, [Shard(0)]))
        q = curved(2 * n, 3).requires_grad_()
        for x in (p, q):
            y = checkpoint(lambda y, x=x: (y * x).exp(), x * 2, use_reentrant=reentrant)
            y.sum().backward()
        close(p.grad.full_tensor(), q.grad)


EVERY = {
    **{k: {} for k in ("SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop",
                       "Adagrad", "Adadelta", "ASGD", "Adafactor", "Muon")},
    "Adagrad fused": {"fused": True}, "Adam capturable": {"amsgrad": True, "maximize": True},
    "Adafactor decay": {"weight_decay": 0.1}, "LBFGS": {"max_iter": 4},
    "LBFGS search": {"max_iter": 4, "line_search_fn": "strong_wolfe"},
}  # fmt: skip


def curved(*shape, at=0.0):
    return (torch.arange(float(torch.Size(shape).numel())) * 0.7 + at).sin().reshape(shape).double()


def every_optimizer(rank, n, mesh):
    """20 steps of each, cut evenly and unevenly, beside plain tensors."""
    for name, kw in EVERY.items():
        wanted = None
        steps = 4 if name.startswith("LBFGS") else 20
        for spread in (False, True):
            leaves = [((5, 4), Shard(0)), ((3, 6), Shard(1)), ((2, 2), Replicate())]
            leaves += [((5,), Shard(0))] if name != "Muon" else []
            params, goals = [], []
            for shape, where in leaves:
                p, g = curved(*shape), curved(*shape, at=3.0)
                if spread:
                    p, g = (distribute_tensor(t, mesh, [where]) for t in (p, g))
                params.append(nn.Parameter(p))
                goals.append(g)
            opt = getattr(torch.optim, name.split()[0])(params, lr=0.05, **kw)

            def closure(opt=opt, params=params, goals=goals):
                opt.zero_grad()
                if not isinstance(opt, torch.optim.LBFGS):  # whose loss decides; else nothing sent
                    for p, g in zip(params, goals, strict=True):
                        p.grad = torch.zeros_like(p)
                        to, at, of = (getattr(t, "_local_tensor", t) for t in (p.grad, p, g))
                        to.copy_(2 * (at.detach() - of) + at.detach().exp())
                    return None
                loss = sum(
                    ((p - g) ** 2 + p.exp()).sum() for p, g in zip(params, goals, strict=True)
                )
                loss.backward()
                return loss

            for step in range(steps):
                if spread and step == steps // 2:  # go on from a state
                    again = type(opt)(params, lr=0.05, **kw)
                    again.load_state_dict(opt.state_dict())
                    opt = again
                    closure.__defaults__ = (opt, params, goals)
                opt.step(closure)
            if not spread:
                wanted = params
                continue
            for p, q in zip(params, wanted, strict=True):
                close(p.full_tensor().detach(), q.detach(), 1e-12)
            for key, v in opt.state[params[0]].items():
                if isinstance(v, DTensor):
                    whole = key in ("row_var", "col_var")
                    assert v.placements == (Replicate() if whole else Shard(0),), key
    p = nn.Parameter(distribute_tensor(torch.ones(3, 2), mesh, [Shard(0)]))
    p.sum().backward()
    refused(RuntimeError, "does not support dense gradients", torch.optim.SparseAdam([p]).step)


def run(rank, n, address):
    dist.init_process_group(
        "gloo", init_method=address, rank=rank, world_size=n, timeout=datetime.timedelta(seconds=60)
    )
    mesh = init_device_mesh("cpu", (n,), mesh_dim_names=("tp",))
    parts = factories, in_place, optimizers, local_functions, scaled_and_recomputed, every_optimizer
    for part in parts:
        if n > 1 or part is not every_optimizer:
            part(rank, n, mesh)
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    start_ranks(run, (ranks, f"file://{tempfile.mkdtemp()}/meet"), nprocs=ranks)
    print("well", ranks)
