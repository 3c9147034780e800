"""Collectives with gradients, SyncBatchNorm, averaging of models, uneven inputs.

python gradients.py RANKS
"""

import re
import sys
import tempfile
import warnings

import pytest
from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
import rushlight.distributed._functional_collectives as fc
import rushlight.distributed.nn as dnn
import rushlight.nn as nn
from rushlight.distributed import distributed_c10d
from rushlight.distributed.algorithms import Join
from rushlight.distributed.distributed_c10d import _get_default_group, _rank_not_in_group
from rushlight.distributed.optim import _apply_optimizer_in_backward
from rushlight.nn.parallel import DistributedDataParallel as DDP

close = torch.testing.assert_close


def raises(kind, words, fn):
    with pytest.raises(kind, match=re.escape(words)):
        fn()


def numbers(rank, *shape):
    g = torch.Generator().manual_seed(rank)
    return torch.randn(*shape, generator=g)


def leaf(rank, *shape):
    return numbers(rank, *shape).requires_grad_()


def weight(rank, r, *shape):
    """What the loss of a rank multiplies its r-th result with."""
    return numbers(100 + 10 * rank + r, *shape)


def collectives(rank, n):
    """The gradient of the sum of all ranks' losses, against one process that has all inputs."""
    everybody = [leaf(r, 3, 2) for r in range(n)]

    def check(found, wanted, x):
        """`found`: this rank's loss; `wanted`: those of all ranks, of everybody's inputs."""
        close(found, wanted[rank])
        found.backward()
        sum(wanted).backward()
        g = everybody[rank].grad
        close(x.grad, torch.zeros_like(x) if g is None else g)
        for t in everybody:
            t.grad = None

    root = n - 1
    x = leaf(rank, 3, 2)
    check((dnn.all_reduce(x) * weight(rank, 0, 3, 2)).sum(),
          [(sum(everybody) * weight(r, 0, 3, 2)).sum() for r in range(n)], x)  # fmt: skip
    x = leaf(rank, 3, 2)
    check((dnn.broadcast(x, root) * weight(rank, 0, 3, 2)).sum(),
          [(everybody[root] * weight(r, 0, 3, 2)).sum() for r in range(n)], x)  # fmt: skip
    x = leaf(rank, 3, 2)
    check(sum((t * weight(rank, i, 3, 2)).sum() for i, t in enumerate(dnn.all_gather(x))),
          [sum((t * weight(r, i, 3, 2)).sum() for i, t in enumerate(everybody))
           for r in range(n)], x)  # fmt: skip
    x = leaf(rank, 3, 2)
    out = dnn.reduce(x, root)
    zero = 0.0 if rank == root else 0.0 * out.sum()
    check((out * weight(rank, 0, 3, 2)).sum() * float(rank == root) + zero,
          [(sum(everybody) * weight(r, 0, 3, 2)).sum() * float(r == root)
           for r in range(n)], x)  # fmt: skip
    x = leaf(rank, 3, 2)
    parts = dnn.gather(x, root)
    check(sum((t * weight(rank, i, 3, 2)).sum() for i, t in enumerate(parts))
          * float(rank == root),
          [sum((t * weight(r, i, 3, 2)).sum() for i, t in enumerate(everybody)) * float(r == root)
           for r in range(n)], x)  # fmt: skip
    everybody = [leaf(r, 2 * n, 2) for r in range(n)]
    chunks = [t.chunk(n) for t in everybody]
    x = leaf(rank, 2 * n, 2)
    check((dnn.scatter(x.chunk(n), root) * weight(rank, 0, 2, 2)).sum(),
          [(chunks[root][r] * weight(r, 0, 2, 2)).sum() for r in range(n)], x)  # fmt: skip
    x = leaf(rank, 2 * n, 2)
    check((dnn.reduce_scatter(torch.empty(2, 2), x.chunk(n)) * weight(rank, 0, 2, 2)).sum(),
          [(sum(c[r] for c in chunks) * weight(r, 0, 2, 2)).sum() for r in range(n)],
          x)  # fmt: skip
    x = leaf(rank, 2 * n, 2)
    got = dnn.all_to_all([torch.empty(2, 2) for _ in range(n)], x.chunk(n))
    check(sum((t * weight(rank, i, 2, 2)).sum() for i, t in enumerate(got)),
          [sum((c[r] * weight(r, i, 2, 2)).sum() for i, c in enumerate(chunks))
           for r in range(n)], x)  # fmt: skip
    functional(rank, n, everybody, chunks, check)


def functional(rank, n, everybody, chunks, check):
    group = dist.group.WORLD
    x = leaf(rank, 2 * n, 2)
    got = fc.wait_tensor(fc.all_to_all_single(x, None, None, group))
    check((got * weight(rank, 0, 2 * n, 2)).sum(),
          [(torch.cat([c[r] for c in chunks]) * weight(r, 0, 2 * n, 2)).sum()
           for r in range(n)], x)  # fmt: skip
    x = leaf(rank, 2 * n, 2)
    got = fc.all_gather_tensor_autograd(x, 1, group)
    check((got * weight(rank, 0, 2 * n, 2 * n)).sum(),
          [(torch.cat(everybody, 1) * weight(r, 0, 2 * n, 2 * n)).sum()
           for r in range(n)], x)  # fmt: skip
    x = leaf(rank, 2 * n, 2)
    got = fc.reduce_scatter_tensor_autograd(x, "sum", 0, group.group_name)
    check((got * weight(rank, 0, 2, 2)).sum(),
          [(sum(c[r] for c in chunks) * weight(r, 0, 2, 2)).sum() for r in range(n)],
          x)  # fmt: skip
    x = numbers(rank, 4)
    close(fc.all_reduce(x, "max", list(range(n))), torch.stack(
        [numbers(r, 4) for r in range(n)]).amax(0))  # fmt: skip
    ring = [(r + 1) % n for r in range(n)]
    assert torch.equal(fc.permute_tensor(x, ring, group), numbers((rank - 1) % n, 4))
    assert not isinstance(x, fc.AsyncCollectiveTensor)
    raises(ValueError, "unknown reduction", lambda: fc.all_reduce(x, "median", group))
    loss = fc.all_reduce(leaf(rank, 2), "max", group).sum()
    raises(RuntimeError, "backward only supports 'sum' reduction, got 'max'", loss.backward)
    assert _get_default_group() is group
    assert not _rank_not_in_group(group)
    assert _rank_not_in_group(dist.GroupMember.NON_GROUP_MEMBER)
    assert distributed_c10d._world.default_pg is group
    assert distributed_c10d.all_reduce is dist.all_reduce


def batch_norm_over_ranks(rank, n):
    """Outputs, gradients and running statistics of BatchNorm on the whole batch."""
    sizes = [3 + r for r in range(n)]  # parts may differ
    whole = torch.cat([numbers(r, s, 4, 5, 5) * (r + 1) for r, s in enumerate(sizes)])
    at = sum(sizes[:rank])
    for momentum, affine in ((0.1, True), (None, False)):
        torch.manual_seed(0)
        one = nn.BatchNorm2d(4, momentum=momentum, affine=affine)
        if affine:
            with torch.no_grad():
                one.weight.copy_(torch.rand(4) + 0.5)
                one.bias.copy_(torch.rand(4))
        many = nn.SyncBatchNorm(4, momentum=momentum, affine=affine)
        many.load_state_dict(one.state_dict())
        for _ in range(2):
            x = whole.clone().requires_grad_()
            y = one(x)
            g = numbers(7, *y.shape)
            y.backward(g)
            part = whole[at : at + sizes[rank]].clone().requires_grad_()
            out = many(part)
            out.backward(g[at : at + sizes[rank]])
            close(out, y[at : at + sizes[rank]])
            close(part.grad, x.grad[at : at + sizes[rank]], rtol=1e-4, atol=1e-5)
        close(many.running_mean, one.running_mean)
        close(many.running_var, one.running_var)
        assert many.num_batches_tracked == 2
        if affine:
            for name in ("weight", "bias"):
                total = getattr(many, name).grad.clone()
                dist.all_reduce(total)
                close(total, getattr(one, name).grad, rtol=1e-4, atol=1e-4)
        close(many.eval()(whole), one.eval()(whole))
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2))
    model = DDP(nn.SyncBatchNorm.convert_sync_batchnorm(net))
    model(torch.ones(2, 1, 4, 4)).sum().backward()


def calls_in_callbacks(rank, n):
    """What a future's callback calls comes before what is queued, on all ranks."""
    import time

    for k in range(10):
        first, second, third = torch.ones(1), torch.ones(2), torch.ones(3)
        if (rank + k) % 2:
            time.sleep(0.002)  # now this rank is ahead, now another one
        done = dist.all_reduce(first, async_op=True).get_future().then(
            lambda f, t=second: (f.value()[0], dist.all_reduce(t, async_op=True).wait(), t)
        )
        last = dist.all_reduce(third, async_op=True)
        dist.barrier()
        last.wait()
        assert done.wait()[2].tolist() == [n, n]
        assert third.tolist() == [n] * 3


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.fc = nn.Linear(2, 1, bias=False)
        self.spare = nn.Linear(2, 1, bias=False)
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x, spare=False):
        self.count += 1
        return self.spare(x) if spare else self.fc(x)


def uneven(rank, n):
    """Rank r has r + 2 batches: gradients are divided by all ranks, or by those that are there."""
    for by_all in (True, False):
        for kw in ({}, {"find_unused_parameters": True}):
            model = DDP(Net() if kw else Net().fc, **kw)
            fc = model.module.fc if kw else model.module
            start = fc.weight.detach().clone()
            optimizer = torch.optim.SGD(model.parameters(), 1.0)
            with model.join(divide_by_initial_world_size=by_all):
                for _ in range(rank + 2):
                    optimizer.zero_grad()
                    model(torch.ones(3, 2)).sum().backward()
                    optimizer.step()
            step = 0.0
            for i in range(n + 1):
                there = sum(r + 2 > i for r in range(n))
                step += 3.0 * there / (n if by_all else there)
            close(fc.weight.detach(), start - step)
            if kw:
                assert model.module.count == n + 1  # of a rank that was there to the end
    model = DDP(Net().fc)
    stopped = []
    words = "exhausted all inputs" if rank == 0 else "Detected at least one rank"

    def train():
        with model.join(throw_on_early_termination=True):
            for i in range(rank + 2):
                stopped.append(i)
                model(torch.ones(3, 2)).sum().backward()

    if n > 1:
        raises(RuntimeError, words, train)
        assert len(stopped) == (2 if rank == 0 else 3)
    model(torch.ones(3, 2)).sum().backward()  # outside of the block all is as before
    with model.join(enable=False):
        model(torch.ones(3, 2)).sum().backward()
    raises(ValueError, "requires at least one joinable", lambda: Join([]))


def optimizers_in_the_backward(rank, n):
    """They see the mean of the gradients, not this rank's."""
    for register in ("before", "after"):
        net = Net().fc
        start = net.weight.detach().clone()
        if register == "before":
            _apply_optimizer_in_backward(torch.optim.SGD, net.parameters(), {"lr": 0.5})
        model = DDP(net)
        if register == "after":
            model._register_fused_optim(torch.optim.SGD, 0.5)
        for _ in range(2):
            model(torch.full((1, 2), float(rank))).sum().backward()
            assert net.weight.grad is None
        close(net.weight.detach(), start - sum(range(n)) / n)


def buffers(rank, n):
    model = DDP(Net(), find_unused_parameters=True)
    model.module.count.fill_(float(rank))
    model(torch.ones(1, 2))
    assert model.module.count == 1  # rank 0's
    model.module.count.fill_(float(rank))
    with model.no_sync():
        model(torch.ones(1, 2))  # sends them, as the last forward was not in no_sync
        model.module.count.fill_(float(rank))
        model(torch.ones(1, 2))
    assert model.module.count == rank + 1

    def add(state, named):
        assert list(named) == ["count"]
        return [dist.all_reduce(named["count"], async_op=True).get_future()]

    model = DDP(Net(), find_unused_parameters=True)
    model._register_buffer_comm_hook(None, add)
    model(torch.ones(1, 2)).sum().backward()
    assert model.module.count == n
    model = DDP(Net(), find_unused_parameters=True, forward_sync_buffers=False)
    model.module.count.fill_(float(rank))
    model(torch.ones(1, 2))
    assert model.module.count == rank + 1


def delayed(rank, n):
    net = Net()
    names = [("fc.weight", net.fc.weight)]
    model = DDP(net, delay_all_reduce_named_params=names, param_to_hook_all_reduce=net.spare.weight)
    for _ in range(2):
        model.zero_grad()
        x = torch.full((1, 2), float(rank + 1))
        (model.module.spare(model(x) * torch.ones(1, 2))).sum().backward()
    assert net.fc.weight.grad is not None


def averaged_models(rank, n):
    from rushlight.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
    from rushlight.distributed.algorithms.model_averaging.hierarchical_model_averager import (
        HierarchicalModelAverager,
    )

    def train(averager):
        p = nn.Parameter(torch.zeros(2))
        seen = []
        for _ in range(5):
            p.grad = torch.ones(2)
            with torch.no_grad():
                p += rank
            averager.average_parameters(iter([p]))
            seen.append(p[0].item())
        return seen

    mean = sum(range(n)) / n
    wanted, at = [], 0.0
    for i in range(5):
        at += rank
        if i >= 1 and (i - 1) % 2 == 0:
            at = mean * (i + 1)
        wanted.append(at)
    assert train(PeriodicModelAverager(2, warmup_steps=1)) == wanted
    if n == 4:
        pair = [0.5, 0.5, 2.5, 2.5][rank]
        seen = train(HierarchicalModelAverager({2: 2, 4: 4}))
        assert seen[0] == mean  # step 0 divides by all: the largest group
        assert seen[2] == 2 * pair + mean
        assert seen[4] == 5 * mean
    raises(ValueError, "``period`` must be a positive", lambda: PeriodicModelAverager(0))
    raises(ValueError, "must be equal to the size", lambda: HierarchicalModelAverager({1: n + 1}))


def run(rank, n, address):
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=n)
    warnings.simplefilter("ignore")
    for part in (
        collectives, batch_norm_over_ranks, uneven, buffers, delayed, averaged_models,
        optimizers_in_the_backward, calls_in_callbacks,
    ):  # fmt: skip
        part(rank, n)


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    start_ranks(run, (ranks, f"file://{tempfile.mkdtemp()}/meet"), nprocs=ranks)
    print("well", ranks)
