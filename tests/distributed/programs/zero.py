"""Optimisers whose state is spread: the same numbers as one optimiser's, and a share of its bytes.

python zero.py RANKS
"""

import copy
import io
import sys
import tempfile

from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
from rushlight import nn, optim
from rushlight.distributed.algorithms.join import Join
from rushlight.distributed.optim import PostLocalSGDOptimizer, ZeroRedundancyOptimizer
from rushlight.nn.parallel import DistributedDataParallel

CLASSES = [
    (optim.SGD, {"lr": 0.1, "momentum": 0.9, "nesterov": True}), (optim.Adam, {"lr": 0.01}),
    (optim.AdamW, {"lr": 0.01, "amsgrad": True}), (optim.Adagrad, {"lr": 0.1}),
    (optim.Adadelta, {}), (optim.Adamax, {}), (optim.ASGD, {}), (optim.NAdam, {}),
    (optim.RAdam, {}), (optim.RMSprop, {"momentum": 0.5}), (optim.Rprop, {}),
    (optim.Adafactor, {}),
]  # fmt: skip


def model(seed=3):
    torch.manual_seed(seed)
    a, b, c = nn.Linear(6, 20), nn.Linear(20, 12), nn.Linear(12, 3)
    return nn.Sequential(a, nn.Tanh(), b, nn.Tanh(), c)


def batch(k, n=12):
    g = torch.Generator().manual_seed(k)
    return torch.randn(n, 6, generator=g), torch.randn(n, 3, generator=g)


def same_bits(a, b):
    for x, y in zip(a.parameters(), b.parameters(), strict=True):
        assert torch.equal(x, y), (x - y).abs().max()


def same_state(a, b):
    assert a["param_groups"] == b["param_groups"]
    assert a["state"].keys() == b["state"].keys()
    for i, row in a["state"].items():
        assert row.keys() == b["state"][i].keys()
        for name, value in row.items():
            other = b["state"][i][name]
            assert torch.equal(torch.as_tensor(value), torch.as_tensor(other)), (i, name)


def raises(kind, text, call):
    said = None
    try:
        call()
    except kind as error:
        said = str(error)
    assert said is not None and text in said, (text, said)  # noqa: PT018


def loss_of(net, x, y):
    return ((net(x) - y) ** 2).mean()


def backward(net, x, y):
    net.zero_grad()
    out = loss_of(net, x, y)
    out.backward()
    return out


def every_class(rank, n):
    """The bits of one optimiser over all parameters, whichever rank updates them."""
    for cls, settings in CLASSES:
        for views in (False, True):
            plain, net = model(), model()
            one = cls(plain.parameters(), **settings)
            opt = ZeroRedundancyOptimizer(
                net.parameters(), cls, parameters_as_bucket_view=views, **settings
            )
            for k in range(4):
                backward(plain, *batch(k))
                one.step()
                backward(net, *batch(k))
                opt.step()
                same_bits(plain, net)
            for to in range(n):
                opt.consolidate_state_dict(to)
                if rank == to:
                    same_state(opt.state_dict(), one.state_dict())
                    same_state(opt.state_dict(), one.state_dict())
                else:
                    raises(RuntimeError, f"consolidate_state_dict(to={rank})", opt.state_dict)


def as_one_process(rank, n):
    """20 steps on parts of a batch and on the whole: the parameters agree to rounding."""
    for cls, settings, bound in (
        (optim.SGD, {"lr": 0.1, "momentum": 0.9}, 2e-6),
        (optim.AdamW, {"lr": 0.01}, 2e-5),
    ):
        whole, net = model(), model()
        one = cls(whole.parameters(), **settings)
        opt = ZeroRedundancyOptimizer(net.parameters(), cls, **settings)
        for k in range(20):
            x, y = batch(k)
            backward(whole, x, y)
            one.step()
            backward(net, x[rank::n], y[rank::n])
            for p in net.parameters():
                dist.all_reduce(p.grad, dist.ReduceOp.AVG)
            opt.step()
        far = max(
            ((p - q).abs() / q.abs().clamp(min=0.1)).max().item()
            for p, q in zip(net.parameters(), whole.parameters(), strict=True)
        )
        assert far <= bound, (cls, far)


def bytes_of(state):
    return sum(
        v.numel() * v.element_size()
        for row in state.values()
        for v in row.values()
        if isinstance(v, torch.Tensor) and v.dim()
    )


def share_of_bytes(rank, n):
    net = nn.Sequential(*(nn.Linear(32, 32) for _ in range(8)))
    one = optim.Adam(net.parameters())
    opt = ZeroRedundancyOptimizer(net.parameters(), optim.Adam)
    backward_all = torch.randn(4, 32)
    net(backward_all).sum().backward()
    for p in net.parameters():
        dist.all_reduce(p.grad, dist.ReduceOp.AVG)
    one.step()
    opt.step()
    mine, all_of_it = bytes_of(opt.optim.state), bytes_of(one.state)
    largest = max(p.numel() * p.element_size() for p in net.parameters())
    assert mine <= all_of_it / n + 2 * largest, (mine, all_of_it)
    total = torch.tensor([mine])
    dist.all_reduce(total)
    assert total.item() == all_of_it
    assert not opt.state  # no second copy
    if n in (2, 4):
        assert mine == all_of_it // n


def saved_and_loaded(rank, n):
    """The state goes through a file into one optimiser, and back into spread ones."""
    net, plain = model(), model()
    opt = ZeroRedundancyOptimizer(net.parameters(), optim.Adam, lr=0.01)
    one = optim.Adam(plain.parameters(), lr=0.01)
    for k in range(3):
        backward(net, *batch(k))
        opt.step()
        backward(plain, *batch(k))
        one.step()
    opt.consolidate_state_dict()
    if rank == 0:
        file = io.BytesIO()
        torch.save(opt.state_dict(), file)
        file.seek(0)
        again = optim.Adam(plain.parameters(), lr=7)
        again.load_state_dict(torch.load(file))
        same_state(again.state_dict(), one.state_dict())
    for group in (None, dist.new_group(list(range(n)))):
        other = copy.deepcopy(net)
        spread = ZeroRedundancyOptimizer(
            other.parameters(), optim.Adam, group, parameters_as_bucket_view=group is None, lr=7
        )
        state = one.state_dict()
        spread.load_state_dict(state)
        assert all(row is not None for row in state["state"].values())  # the caller's is as it was
        assert not spread.state
        assert spread.param_groups[0]["lr"] == spread.optim.param_groups[0]["lr"] == 0.01
        follow = copy.deepcopy(plain)
        straight = optim.Adam(follow.parameters())
        straight.load_state_dict(copy.deepcopy(one.state_dict()))
        for k in range(3, 5):
            backward(follow, *batch(k))
            straight.step()
            backward(other, *batch(k))
            spread.step()
        same_bits(follow, other)


def groups_and_schedules(rank, n):
    net, plain = model(), model()
    first, rest = list(net[0].parameters()), list(net[2].parameters())
    one = optim.SGD([{"params": plain[0].parameters(), "lr": 0.3}], momentum=0.9, lr=0.1)
    opt = ZeroRedundancyOptimizer(
        [{"params": first, "lr": 0.3}], optim.SGD, momentum=0.9, lr=0.1,
        parameters_as_bucket_view=True,
    )  # fmt: skip
    assert opt.param_groups[0]["dampening"] == 0  # settings of the class, too
    schedules = [optim.lr_scheduler.StepLR(o, 1, 0.5) for o in (one, opt)]

    def steps(k):
        backward(plain, *batch(k))
        one.step()
        backward(net, *batch(k))
        opt.step()
        for s in schedules:
            s.step()
        same_bits(plain, net)

    steps(0)
    assert opt.param_groups[0]["lr"] == 0.15
    steps(1)
    assert opt.optim.param_groups[0]["lr"] == 0.15  # brought in step with each step
    where = {id(p): r for r in range(n) for p in opt._share(r)}
    one.add_param_group({"params": plain[2].parameters(), "weight_decay": 0.1})
    opt.add_param_group({"params": rest, "weight_decay": 0.1})
    assert {id(p): r for r in range(n) for p in opt._share(r) if id(p) in where} == where
    assert opt.param_groups[1]["momentum"] == 0.9
    schedules[:] = []
    steps(2)
    # frozen, thawed, and given other memory
    for net_ in (net, plain):
        net_[0].weight.requires_grad_(False)
    steps(3)
    net[2].bias.data = net[2].bias.data.clone()
    steps(4)


def closures_and_hooks(rank, n):
    net, plain = model(), model()
    one = optim.SGD(plain.parameters(), lr=0.1)
    opt = ZeroRedundancyOptimizer(net.parameters(), optim.SGD, lr=0.1)
    seen = []
    opt.register_step_post_hook(lambda *_: seen.append(1))
    a = one.step(lambda: backward(plain, *batch(0)))
    b = opt.step(lambda: backward(net, *batch(0)))
    assert a.item() == b.item()
    assert seen == [1]
    same_bits(plain, net)
    mixed = [nn.Parameter(torch.ones(5)), nn.Parameter(torch.ones(3, dtype=torch.float64)),
             nn.Parameter(torch.ones(2, 2, dtype=torch.bfloat16)),
             nn.Parameter(torch.ones(600, 600)), nn.Parameter(torch.ones(4, 3).t())]  # fmt: skip
    for views in (False, True):
        opt = ZeroRedundancyOptimizer(mixed, optim.SGD, lr=0.5, parameters_as_bucket_view=views)
        for p in mixed:
            p.grad = torch.ones_like(p)
        before = [p.clone() for p in mixed]
        opt.step()
        for p, q in zip(mixed, before, strict=True):
            assert torch.equal(p, q - 0.5)


def averaged(rank, n):
    class Averager:
        step = 0

        def average_parameters(self, params):
            self.step += 1
            if self.step % 2 == 0:
                for group in params:
                    for p in group["params"]:
                        dist.all_reduce(p.data, dist.ReduceOp.AVG)

    w = nn.Parameter(torch.zeros(2))
    opt = PostLocalSGDOptimizer(optim.SGD([w], lr=1.0), Averager())
    for wanted in (-(rank + 1.0), -(n + 1.0)):
        w.grad = torch.full((2,), rank + 1.0)
        opt.step()
        assert torch.allclose(w.data, torch.full((2,), wanted)), (w, wanted)
    assert opt.state_dict()["step"] == 2
    opt.load_state_dict({**opt.state_dict(), "step": 9})
    assert opt.averager.step == 9


def with_ddp(rank, n):
    """DistributedDataParallel averages, ZeRO updates: one rank's numbers on the whole batch."""
    whole, net = model(), DistributedDataParallel(model())
    one = optim.AdamW(whole.parameters(), lr=0.01)
    opt = ZeroRedundancyOptimizer(net.parameters(), optim.AdamW, lr=0.01)
    for k in range(20):
        x, y = batch(k)
        backward(whole, x, y)
        one.step()
        backward(net, x[rank::n], y[rank::n])
        opt.step()
    far = max(
        ((p - q).abs() / q.abs().clamp(min=0.1)).max().item()
        for p, q in zip(net.parameters(), whole.parameters(), strict=True)
    )
    assert far <= 2e-5, far


def uneven(rank, n):
    """Rank r has 3 + r batches: those without any step along, and all end with the same."""
    net = DistributedDataParallel(model())
    opt = ZeroRedundancyOptimizer(net.parameters(), optim.Adam, lr=0.01)
    with Join([net, opt]):
        for k in range(3 + rank):
            backward(net, *batch(10 * rank + k))
            opt.step()
    for p in net.parameters():
        q = p.data.clone()
        dist.broadcast(q, n - 1)
        assert torch.equal(p.data, q)
    steps = {int(row["step"]) for row in opt.optim.state.values()}
    assert steps <= {3 + n - 1}, steps
    assert opt.join_device == torch.device("cpu")
    assert opt.join_process_group is dist.group.WORLD


def refused(rank, n):
    w = [nn.Parameter(torch.ones(2))]
    for make, kind, text in (
        (lambda: ZeroRedundancyOptimizer(w, optim.SGD, overlap_with_ddp=True, lr=1),
         NotImplementedError, "overlap_with_ddp=False"),
        (lambda: ZeroRedundancyOptimizer(w[0], optim.SGD, lr=1), TypeError, "iterable"),
        (lambda: ZeroRedundancyOptimizer([], optim.SGD, lr=1), ValueError, "empty parameter list"),
        (lambda: ZeroRedundancyOptimizer([1], optim.SGD, lr=1), TypeError, "Tensors or dicts"),
        (lambda: ZeroRedundancyOptimizer([{"lr": 1}], optim.SGD, lr=1), ValueError, "'params'"),
    ):  # fmt: skip
        raises(kind, text, make)


def run(rank, n, address):
    dist.init_process_group(init_method=address, rank=rank, world_size=n)
    parts = (every_class, as_one_process, share_of_bytes, saved_and_loaded, groups_and_schedules,
             closures_and_hooks, averaged, with_ddp, uneven, refused)  # fmt: skip
    for part in parts:
        part(rank, n)
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    start_ranks(run, (ranks, f"file://{tempfile.mkdtemp()}/meet"), nprocs=ranks)
    print("well", ranks)
