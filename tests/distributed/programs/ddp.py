"""DistributedDataParallel: the parameters of one process on the whole batch, and what it refuses.

python ddp.py RANKS
"""

import re
import sys
import tempfile
import warnings

import pytest
from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
import rushlight.nn as nn
from rushlight.distributed.algorithms import ddp_comm_hooks as hooks
from rushlight.distributed.buckets import assigned
from rushlight.nn.parallel import DistributedDataParallel as DDP
from rushlight.utils.checkpoint import checkpoint

F = nn.functional


def raises(kind, words, fn):
    with pytest.raises(kind, match=re.escape(words)):
        fn()


def cnn():
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 10))


def batches(steps, size=12):
    g = torch.Generator().manual_seed(1)
    for _ in range(steps):
        yield torch.randn(size, 1, 8, 8, generator=g), torch.randint(10, (size,), generator=g)


def mine(rank, n, *tensors):
    k = len(tensors[0]) // n
    return [t[rank * k : rank * k + k] for t in tensors]


def same_as_one_process(rank, n):
    """20 steps, to rounding: means over parts are added in another order than over the whole."""
    for kw in (
        {},
        {"gradient_as_bucket_view": True},
        {"static_graph": True},
        {"find_unused_parameters": True},
        {"bucket_cap_mb": 0.001},
        {"bucket_cap_mb_list": [0.0001, 0.002], "batched_grad_copy": True},
    ):
        alone, model = cnn(), DDP(cnn(), **kw)
        one = torch.optim.SGD(alone.parameters(), 0.1, momentum=0.9)
        many = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
        for x, y in batches(20):
            one.zero_grad()
            F.cross_entropy(alone(x), y).backward()
            one.step()
            px, py = mine(rank, n, x, y)
            many.zero_grad(set_to_none=len(kw) != 1)
            F.cross_entropy(model(px), py).backward()
            many.step()
        for p, q in zip(alone.parameters(), model.parameters(), strict=True):
            torch.testing.assert_close(q, p, rtol=1e-4, atol=1e-6)
        equal_on_all(model.parameters(), n)
        assert list(model.state_dict()) == ["module." + k for k in alone.state_dict()]
        if "bucket_cap_mb" in kw:
            assert len(model.reducer.buckets) > 1
            assert model._has_rebuilt_buckets


def equal_on_all(tensors, n):
    for t in tensors:
        rows = [torch.empty_like(t) for _ in range(n)]
        dist.all_gather(rows, t.detach())
        assert all(torch.equal(r, rows[0]) for r in rows)


class Two(nn.Module):
    """Uses the layers that it is told to use."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(3, 2), nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, x, which):
        return [getattr(self, w)(x) for w in which]


def parameters_that_are_not_used(rank, n):
    x = torch.ones(2, 3)
    model = DDP(Two())
    model(x, "ab")[0].sum().backward()
    raises(RuntimeError, "Expected to have finished reduction in the prior iteration",
           lambda: model(x, "a"))  # fmt: skip
    raises(RuntimeError, f"for rank {rank}: b.weight, b.bias, c.weight", lambda: model(x, "a"))

    model = DDP(Two(), find_unused_parameters=True)
    for _ in range(2):
        # a by all, b by rank 0 alone, c by nobody; of two outputs one is not in the loss
        sum(model(x, "ab" if rank == 0 else "a")).sum().backward()
        assert model.module.c.weight.grad is None
        assert torch.equal(model.module.b.weight.grad, torch.full((2, 3), 2.0 / n))
        assert torch.equal(model.module.a.weight.grad, torch.full((2, 3), 2.0))
        model.zero_grad()
    model(x, "ac")[0].sum().backward()
    assert model.module.c.weight.grad is None
    model.zero_grad()

    model = DDP(Two(), static_graph=True)
    for _ in range(3):
        model(x, "ab")[0].sum().backward()
        assert model.module.b.weight.grad is None
        assert torch.equal(model.module.a.weight.grad, torch.full((2, 3), 2.0))
        model.zero_grad()
    raises(RuntimeError, "Your training graph has changed",
           lambda: model(x, "ab")[1].sum().backward())  # fmt: skip


class Checkpointed(nn.Module):
    def __init__(self, reentrant):
        super().__init__()
        torch.manual_seed(3)
        self.a, self.b, self.reentrant = nn.Linear(3, 3), nn.Linear(3, 1), reentrant

    def forward(self, x):
        x = checkpoint(self.a, x, use_reentrant=self.reentrant)
        return self.b(checkpoint(self.a, x, use_reentrant=self.reentrant))


def backwards_of_many_kinds(rank, n):
    x = torch.full((2, 3), float(rank + 1))
    mean = sum(range(1, n + 1)) / n
    model = DDP(nn.Linear(3, 1, bias=False))
    with model.no_sync():
        model(x).sum().backward()
    assert torch.equal(model.module.weight.grad, x.sum(0, keepdim=True))
    model(x).sum().backward()  # reduces what has been added up
    torch.testing.assert_close(model.module.weight.grad, torch.full((1, 3), 4.0 * mean))
    model.zero_grad()
    y = model(x).sum()
    y.backward(retain_graph=True)
    y.backward()  # is not reduced: one backward a forward is
    torch.testing.assert_close(
        model.module.weight.grad, torch.full((1, 3), 2.0 * mean + 2.0 * (rank + 1))
    )
    model.zero_grad()
    (model(x).sum() + model(x).sum()).backward()
    torch.testing.assert_close(model.module.weight.grad, torch.full((1, 3), 4.0 * mean))
    # gradients of gradients in the loss
    model.zero_grad()
    x.requires_grad_()
    (g,) = torch.autograd.grad(model(x).pow(2).sum(), x, create_graph=True)
    g.pow(2).sum().backward()
    equal_on_all([model.module.weight.grad], n)
    # a gradient that is recorded stays local as a graph
    model.zero_grad()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model(x).pow(2).sum().backward(create_graph=True)
    assert n == 0 or any("create_graph=True is not well-supported" in str(w.message) for w in said)
    model.zero_grad()

    x = torch.randn(4, 3, generator=torch.Generator().manual_seed(rank)).requires_grad_()
    model = DDP(Checkpointed(True))
    raises(RuntimeError, "Expected to mark a variable ready only once",
           lambda: model(x).sum().backward())  # fmt: skip
    for reentrant in (True, False):
        model = DDP(Checkpointed(reentrant), static_graph=reentrant)
        alone = Checkpointed(False)
        for _ in range(3):
            model.zero_grad()
            model(x).sum().backward()
        total = None
        for r in range(n):
            part = torch.randn(4, 3, generator=torch.Generator().manual_seed(r))
            loss = alone(part).sum() / n
            total = loss if total is None else total + loss
        total.backward()
        for p, q in zip(alone.parameters(), model.parameters(), strict=True):
            torch.testing.assert_close(q.grad, p.grad)


def construction(rank, n):
    assigned_ = assigned([torch.empty(10) for _ in range(7)], [40, 80])
    assert assigned_ == ([[0], [1, 2], [3, 4], [5, 6]], [40, 80, 80, 80])
    raises(RuntimeError, "doesn't have any parameter that requires", lambda: DDP(nn.ReLU()))
    raises(ValueError, "only work with single-device",
           lambda: DDP(nn.Linear(1, 1), device_ids=[0]))  # fmt: skip
    raises(ValueError, "single element", lambda: DDP(nn.Linear(1, 1), device_ids=[0, 1]))
    raises(RuntimeError, "uninitialized parameters", lambda: DDP(nn.LazyLinear(2)))
    raises(NotImplementedError, "mixed_precision",
           lambda: DDP(nn.Linear(1, 1), mixed_precision="float16"))  # fmt: skip
    if n > 1:
        raises(RuntimeError, "DDP expects same model across all ranks, but Rank 0 has 2 params",
               lambda: DDP(nn.Linear(2, 2, bias=rank == 0)))  # fmt: skip
        raises(RuntimeError, "[1]: params[0] in this process with sizes",
               lambda: DDP(nn.Linear(2 + (rank == 1), 2)))  # fmt: skip
    torch.manual_seed(rank)
    model = DDP(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))  # rank 0's, buffers as well
    equal_on_all(model.parameters(), n)
    model.module[1].running_mean.fill_(rank + 1.0)
    model.eval()(torch.ones(3, 2))
    assert torch.equal(model.module[1].running_mean, torch.ones(2))
    other = nn.Linear(2, 2)
    with torch.no_grad():
        other.weight.fill_(float(rank))
    DDP(other, init_sync=False)
    assert other.weight[0, 0].item() == rank
    import io
    import pickle

    again = pickle.loads(pickle.dumps(model))
    assert again.process_group is dist.group.WORLD
    again(torch.ones(3, 2)).sum().backward()
    torch.save(model, io.BytesIO())
    apart = DDP(nn.Linear(1, 1), process_group=dist.new_group(list(range(n))))
    raises(RuntimeError, "DDP Pickling/Unpickling are only supported", lambda: pickle.dumps(apart))


def sparse(rank, n):
    model = DDP(nn.Sequential(nn.Embedding(5, 2, sparse=True), nn.Linear(2, 1)))
    for _ in range(2):
        model.zero_grad()
        model(torch.tensor([rank, 4])).sum().backward()
    g = model.module[0].weight.grad
    assert g.is_sparse
    g = g.to_dense()
    row = model.module[1].weight[0]
    torch.testing.assert_close(g[4], row)
    torch.testing.assert_close(g[0], row / n)


def trained(rank, n, steps=6, register=None, **kw):
    model = DDP(cnn(), bucket_cap_mb=0.001, **kw)
    if register is not None:
        register(model)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x, y in batches(steps):
        px, py = mine(rank, n, x, y)
        optimizer.zero_grad()
        F.cross_entropy(model(px), py).backward()
        optimizer.step()
    return list(model.parameters())


def communication_hooks(rank, n):
    plain = trained(rank, n)
    seen = []

    def hook(state, bucket: dist.GradBucket) -> torch.futures.Future[torch.Tensor]:
        seen.append((bucket.index(), bucket.is_last(), len(bucket.parameters())))
        assert sum(g.numel() for g in bucket.gradients()) == bucket.buffer().numel()
        work = dist.all_reduce(bucket.buffer().div_(n), async_op=True)
        return work.get_future().then(lambda done: done.value()[0])

    for as_views in (False, True):
        found = trained(rank, n, register=lambda m: m.register_comm_hook(None, hook),
                        gradient_as_bucket_view=as_views)  # fmt: skip
        for p, q in zip(plain, found, strict=True):
            assert torch.equal(p, q)
    assert seen[0] == (0, True, 4)  # one bucket at first
    assert {(i, last) for i, last, _ in seen} >= {(0, False), (1, True)}, seen
    kind = hooks.DDPCommHookType
    for name, error in [
        (kind.ALLREDUCE, 0.0), (kind.FP16_COMPRESS, 1e-3), (kind.BF16_COMPRESS, 1e-2),
        (kind.QUANTIZE_PER_TENSOR, 3e-2), (kind.QUANTIZE_PER_CHANNEL, 3e-2),
    ]:  # fmt: skip
        found = trained(rank, n, register=lambda m, k=name: hooks.register_ddp_comm_hook(k, m))
        for p, q in zip(plain, found, strict=True):
            assert (p - q).abs().max() <= error, (name, (p - q).abs().max())
        equal_on_all(found, n)
    compress = hooks.default.bf16_compress_wrapper(hooks.default.allreduce_hook)
    found = trained(rank, n, register=lambda m: m.register_comm_hook(None, compress))
    for p, q in zip(plain, found, strict=True):
        assert (p - q).abs().max() <= 1e-2
    builtin = dist.BuiltinCommHookType.FP16_COMPRESS
    found = trained(rank, n, register=lambda m: m._register_builtin_comm_hook(builtin))
    equal_on_all(found, n)
    low_rank(rank, n)
    model = DDP(nn.Linear(1, 1))
    raises(TypeError, "must be callable", lambda: model.register_comm_hook(None, 3))
    raises(ValueError, "bucket annotation should be", lambda: model.register_comm_hook(None, odd))
    model.register_comm_hook(None, lambda state, bucket: 3)
    raises(RuntimeError, "can only be called once",
           lambda: model.register_comm_hook(None, hook))  # fmt: skip
    raises(RuntimeError, "must return a torch.futures.Future object, but got builtins.int",
           lambda: model(torch.ones(1, 1)).sum().backward())  # fmt: skip


def odd(state, bucket: int):
    """A hook of something else."""


def low_rank(rank, n):
    """PowerSGD trains, sends less, and is exact for gradients of that rank."""
    for hook in (hooks.powerSGD.powerSGD_hook, hooks.powerSGD.batched_powerSGD_hook):
        for more in ({}, {"matrix_approximation_rank": 3, "warm_start": False}):
            state = hooks.powerSGD.PowerSGDState(
                None, start_powerSGD_iter=2, batch_tensors_with_same_shape=bool(more),
                orthogonalization_epsilon=1e-8, **more,
            )  # fmt: skip
            found = trained(rank, n, 8, lambda m, s=state, h=hook: m.register_comm_hook(s, h))
            equal_on_all(found, n)
            assert state.iter == 8
            assert state.compression_stats()[0] > 1.5
    state = hooks.powerSGD.PowerSGDState(None, 1, 2, 0.5, False)
    raises(ValueError, "Expect `start_powerSGD_iter` > 1",
           lambda: hooks.powerSGD.PowerSGDState(None, 1, 1))  # fmt: skip
    model = DDP(nn.Linear(6, 5, bias=False))
    model.register_comm_hook(state, hooks.powerSGD.powerSGD_hook)
    for i in range(4):  # the gradient is an outer product on all ranks together
        model.zero_grad()
        x = torch.arange(6.0).view(1, 6) * (rank + 1)
        (model(x) * torch.arange(5.0)).sum().backward()
        wanted = torch.arange(5.0)[:, None] * torch.arange(6.0) * (n + 1) / 2
        torch.testing.assert_close(model.module.weight.grad, wanted, rtol=1e-4, atol=1e-4)
        assert state.iter == i + 1


def compiled(rank, n):
    """Plans give the bits of eager steps; hooks hear of their gradients."""
    plain = trained(rank, n)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nothing runs eagerly
        for outside in (False, True):
            inside = cnn() if outside else torch.compile(cnn())
            model = DDP(inside, bucket_cap_mb=0.001)
            call = torch.compile(model) if outside else model
            optimizer = torch.optim.SGD(model.parameters(), 0.1)
            for x, y in batches(6):
                px, py = mine(rank, n, x, y)
                optimizer.zero_grad()
                F.cross_entropy(call(px), py).backward()
                optimizer.step()
            for p, q in zip(plain, model.parameters(), strict=True):
                assert torch.equal(p, q)
    model = DDP(cnn())
    optimizer = torch.optim.SGD(model.parameters(), 0.1)

    @torch.compile
    def step(x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    for x, y in batches(6):
        step(*mine(rank, n, x, y))
    for p, q in zip(plain, model.parameters(), strict=True):
        torch.testing.assert_close(q, p)


def run(rank, n, address):
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=n)
    warnings.simplefilter("ignore")
    for part in (
        compiled,  # first: programs that differentiate twice keep plans from being made
        same_as_one_process, parameters_that_are_not_used, backwards_of_many_kinds, construction,
        sparse, communication_hooks,
    ):  # fmt: skip
        part(rank, n)


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    start_ranks(run, (ranks, f"file://{tempfile.mkdtemp()}/meet"), nprocs=ranks)
    print("well", ranks)
