"""What else fully_shard does: meshes, placements, accumulation, types, states, prefetching.

python fully_sharded_more.py RANKS [PART ...]
"""

import copy
import datetime
import re

import pytest
from fully_sharded import sharded, whole
from sharded import Net, adam, alone, close, data, loss_of, mine, net, start

import rushlight as torch
import rushlight.distributed as dist
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.distributed.device_mesh import init_device_mesh
from rushlight.distributed.fsdp import (
    CPUOffloadPolicy,
    DataParallelMeshDims,
    FSDPModule,
    MixedPrecisionPolicy,
    fully_shard,
    register_fsdp_forward_method,
    share_comm_ctx,
)
from rushlight.distributed.tensor import DTensor, Replicate, Shard
from rushlight.utils.checkpoint import checkpoint


def gradients(model):
    return {k: p.grad.full_tensor() for k, p in model.named_parameters() if p.grad is not None}


def reference(steps=(0,), model=None):
    model = model or net()
    for s in steps:
        loss_of(model, data(s)).backward()
    return {k: p.grad for k, p in model.named_parameters() if p.grad is not None}


def raises(kind, words, fn):
    with pytest.raises(kind, match=re.escape(words)):
        fn()


def units(model):
    return model._units(recurse=True)


def looks(rank, n):
    model = sharded()
    assert type(model).__name__ == "FSDPNet"
    assert isinstance(model, Net)
    assert isinstance(model.blocks[0], FSDPModule)
    assert not isinstance(model.words, FSDPModule)
    p = model.blocks[0].up.weight
    assert isinstance(p, nn.Parameter)
    assert p.shape == (14, 7)
    assert p.placements == (Shard(0),)
    size = -(-14 // n)
    assert p.to_local().shape == (max(0, min(size, 14 - rank * size)), 7)
    model.unshard()
    assert not isinstance(model.words.weight, DTensor)
    assert model.head.weight is model.words.weight
    model.reshard()
    assert isinstance(model.words.weight, DTensor)
    handle = model.blocks[0].unshard(async_op=True)
    handle.wait()
    close({"w": model.blocks[0].up.weight.detach()}, {"w": net().blocks[0].up.weight.detach()},
          "async", 0, 0)
    model.blocks[0].reshard()
    with torch.no_grad():
        model(data(0))
    assert not any(u.gathered for u in units(model))
    raises(AssertionError, "only be applied to a module once", lambda: fully_shard(model))
    raises(ValueError, "do not implement forward", lambda: fully_shard(net().blocks))
    raises(AssertionError, "does not support deepcopy", lambda: copy.deepcopy(model))
    raises(ValueError, "factor of", lambda: fully_shard(net(), reshard_after_forward=n + 1))
    raises(ValueError, "should be a bool or an int", lambda: fully_shard(
        net(), reshard_after_forward="yes"))
    stack = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    fully_shard(stack)
    assert type(stack[:1]) is nn.Sequential
    share_comm_ctx([model])
    raises(ValueError, "Expects FSDPModule", lambda: model.set_modules_to_forward_prefetch(
        [nn.Linear(1, 1)]))
    scalar = nn.Linear(2, 2)
    scalar.s = nn.Parameter(torch.tensor(1.0))
    raises(ValueError, "scalar parameters", lambda: fully_shard(scalar))


def placements(rank, n):
    """Dimensions other than the first, modules of one call, ignored and frozen parameters."""
    def choose(p):
        return Shard(1) if p.ndim == 2 and p.shape[1] % n == 0 else None

    wanted = reference()
    model = sharded(shard_placement_fn=choose)
    if n == 2:
        assert model.blocks[0].down.weight.placements == (Shard(1),)
    opt = adam(model.parameters())
    loss_of(model, mine(data(0), rank, n)).backward()
    close(gradients(model), wanted, "Shard(1)", 1e-4, 1e-6)
    opt.step()
    close(whole(model.state_dict()), alone(1, adam)[0].state_dict(), "Shard(1)", 2e-4, 2e-5)
    if n > 1:
        raises(NotImplementedError, "uneven sharding", lambda: fully_shard(
            nn.Linear(2 * n + 1, 3), shard_placement_fn=lambda p: Shard(p.ndim - 1)))

    model = net()
    fully_shard([model.blocks[0], model.blocks[1]])
    fully_shard(model)
    for _ in range(2):
        model.zero_grad()
        loss_of(model, mine(data(0), rank, n)).backward()
        close(gradients(model), wanted, "several modules", 1e-4, 1e-6)

    model = net()
    left = {model.blocks[0].norm.weight}
    fully_shard(model, ignored_params=left)
    assert not isinstance(model.blocks[0].norm.weight, DTensor)
    loss_of(model, mine(data(0), rank, n)).backward()

    def freeze(model):
        for k, p in model.named_parameters():
            p.requires_grad_("down" in k or "words" in k)
        return model

    wanted = reference(model=freeze(net()))
    close_to = sharded(freeze(net()))
    loss_of(close_to, mine(data(0), rank, n)).backward()
    close(gradients(close_to), wanted, "frozen", 1e-4, 1e-6)
    model = sharded()  # frozen later
    freeze(model)
    loss_of(model, mine(data(0), rank, n)).backward()
    close(gradients(model), wanted, "frozen later", 1e-4, 1e-6)


def accumulation(rank, n):
    wanted = reference((0, 1))
    model = sharded()
    model.set_requires_gradient_sync(False)
    loss_of(model, mine(data(0), rank, n)).backward()
    assert all(p.grad is None for p in model.parameters())
    model.set_requires_gradient_sync(True)
    loss_of(model, mine(data(1), rank, n)).backward()
    close(gradients(model), wanted, "without sync", 1e-4, 1e-6)
    for reshard in (True, False):
        model.zero_grad()
        model.set_reshard_after_backward(reshard)
        for s in (0, 1):
            model.set_is_last_backward(s == 1)
            loss_of(model, mine(data(s), rank, n)).backward()
        assert reshard is not any(u.gathered for u in units(model))
        for u in units(model):
            u.reshard()
        close(gradients(model), wanted, "twice", 1e-4, 1e-6)
    model.set_reshard_after_backward(True)
    model.zero_grad(set_to_none=False)
    opt = adam(model.parameters())
    opt.zero_grad(set_to_none=False)
    a, b = (loss_of(model, mine(data(s), rank, n)) for s in (0, 1))
    (a + b).backward()
    close(gradients(model), wanted, "two forwards", 1e-4, 1e-6)
    model.zero_grad()
    for m in (model, *model.blocks):
        m.set_gradient_divide_factor(2.0 * n)
    loss_of(model, mine(data(0), rank, n)).backward()
    close({k: 2 * g for k, g in gradients(model).items()}, reference(), "factor", 1e-4, 1e-6)


class Checkpointed(Net):
    reentrant = False

    def forward(self, x):
        x = self.words(x)
        for b in self.blocks:
            x = checkpoint(b, x, use_reentrant=self.reentrant)
        return self.head(x)


def ways(rank, n):
    """Prefetching, reshard_after_forward of all kinds, checkpoints: the same gradients."""
    wanted = reference()
    for kw in ({"reshard_after_forward": True}, {"reshard_after_forward": False},
               *([{"reshard_after_forward": 2}] if n == 4 else [])):
        model = sharded(**kw)
        for _ in range(2):
            model.zero_grad()
            loss_of(model, mine(data(0), rank, n)).backward()
            close(gradients(model), wanted, str(kw), 1e-4, 1e-6)
    model = sharded()
    first, second = model.blocks
    first.set_modules_to_forward_prefetch([second])
    second.set_modules_to_backward_prefetch([first])
    for _ in range(2):
        model.zero_grad()
        loss_of(model, mine(data(0), rank, n)).backward()
        close(gradients(model), wanted, "prefetched", 1e-4, 1e-6)
    model.set_reshard_after_forward(False)
    model.zero_grad()
    loss_of(model, mine(data(0), rank, n)).backward()
    close(gradients(model), wanted, "set_reshard_after_forward", 1e-4, 1e-6)
    for reentrant in (False, True):
        torch.manual_seed(3)
        model = Checkpointed()
        model.reentrant = reentrant
        sharded(model)
        for _ in range(2):
            model.zero_grad()
            loss_of(model, mine(data(0), rank, n)).backward()
            close(gradients(model), wanted, f"checkpoint {reentrant}", 1e-4, 1e-6)

    class Called(Net):
        def logits(self, x):
            return Net.forward(self, x)

    torch.manual_seed(3)
    model = sharded(Called())
    register_fsdp_forward_method(model, "logits")
    F.cross_entropy(model.logits(mine(data(0), rank, n)).reshape(-1, 11),
                    mine(data(0), rank, n).roll(1, 1).reshape(-1)).backward()
    close(gradients(model), wanted, "another method", 1e-4, 1e-6)
    raises(ValueError, "does not have a method", lambda: register_fsdp_forward_method(model, "no"))


def unused(rank, n):
    """Ranks that use different layers."""
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)

        def forward(self, x, which):
            return (self.a if which else self.b)(x)

    model = fully_shard(Two())
    model.set_reduce_scatter_unused_params(True)
    model(torch.ones(2, 3), rank == 0).sum().backward()
    found = gradients(model)
    assert torch.allclose(found["a.bias"], torch.full((3,), 2.0 / n))
    assert torch.allclose(found["b.bias"], torch.full((3,), 2.0 * (n - 1) / n))
    model = fully_shard(Two())
    model(torch.ones(2, 3), True).sum().backward()
    assert model.b.weight.grad is None
    hooked = []
    model.set_all_reduce_hook(hooked.append)
    model(torch.ones(2, 3), True).sum().backward()
    assert len(hooked) == 1


def mixed(rank, n):
    policy = MixedPrecisionPolicy(torch.bfloat16, torch.float32, torch.float32)
    model = net()
    for b in model.blocks:
        fully_shard(b, mp_policy=MixedPrecisionPolicy(torch.bfloat16, torch.float32))
    fully_shard(model, mp_policy=policy, offload_policy=CPUOffloadPolicy())
    kinds = []
    model.blocks[0].up.register_forward_hook(
        lambda m, a, y: kinds.append((m.weight.dtype, y.dtype))
    )
    out = model(mine(data(0), rank, n))
    assert out.dtype is torch.float32
    assert kinds == [(torch.bfloat16, torch.bfloat16)]
    loss_of(model, mine(data(0), rank, n)).backward()
    assert all(p.grad.dtype is torch.float32 for p in model.parameters())
    close(gradients(model), reference(), "bfloat16", 0.2, 0.03)
    several = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3).double())  # types in one unit
    several[1].register_forward_pre_hook(lambda m, a: (a[0].double(),))
    fully_shard(several)
    several(torch.ones(2, 3)).sum().backward()
    assert several[0].weight.grad.dtype is torch.float32
    assert several[1].weight.grad.dtype is torch.float64


def states(rank, n):
    other = fresh(3)
    model = sharded()
    model.load_state_dict({k: torch.distributed.tensor.distribute_tensor(
        v, model.words.weight.device_mesh, [Shard(0)]) for k, v in other.state_dict().items()})
    close(whole(model.state_dict()), other.state_dict(), "loaded", 0, 0)
    parts = sharded(fresh(3)).state_dict()
    again = sharded()
    again.load_state_dict(parts, assign=True)
    assert again.words.weight.to_local().data_ptr() == parts["words.weight"].to_local().data_ptr()
    opt = adam(again.parameters())
    loss_of(again, mine(data(0), rank, n)).backward()
    opt.step()
    state = opt.state[again.words.weight]
    assert isinstance(state["exp_avg"], DTensor)
    copy_ = adam(again.parameters())
    copy_.load_state_dict(opt.state_dict())
    assert isinstance(copy_.state[again.words.weight]["exp_avg"], DTensor)
    reference_opt = adam(other.parameters())
    loss_of(other, data(0)).backward()
    reference_opt.step()
    close(whole(again.state_dict()), other.state_dict(), "after a step", 2e-4, 2e-5)
    assert sharded().double()(data(0)).dtype is torch.float64
    with torch.device("meta"):
        empty = Net()
    sharded(empty)
    assert empty.words.weight.is_meta
    raises(RuntimeError, "materialized from meta device", lambda: empty(data(0)))
    empty.to_empty(device="cpu")
    empty.load_state_dict(model.state_dict())
    loss_of(empty, mine(data(1), rank, n)).backward()
    close(gradients(empty), reference((1,), fresh(3)), "from meta", 1e-4, 1e-6)


def fresh(steps):
    model, _, _ = alone(steps, adam)
    model.zero_grad()
    return model


def optimizers(rank, n):
    """Each that works number by number, on DTensors."""
    for make in (
        lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
        lambda p: torch.optim.Adam(p, lr=0.01, amsgrad=True),
        lambda p: torch.optim.AdamW(p, lr=0.01, fused=True),
        lambda p: torch.optim.Adagrad(p, lr=0.01),
        lambda p: torch.optim.RMSprop(p, lr=0.01, centered=True),
        lambda p: torch.optim.NAdam(p, lr=0.01),
    ):
        wanted, _, _ = alone(2, make)
        model = sharded()
        opt = make(model.parameters())
        for s in range(2):
            opt.zero_grad()
            loss_of(model, mine(data(s), rank, n)).backward()
            opt.step()
        close(whole(model.state_dict()), wanted.state_dict(), str(opt), 2e-3, 2e-4)


def hybrid(rank, n):
    if n != 4:
        return
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    dims = DataParallelMeshDims(shard="shard", replicate="replicate")
    for kw in ({"mesh": mesh}, {"mesh": mesh, "dp_mesh_dims": dims}):
        model = sharded(**kw)
        assert model.words.weight.placements == (Replicate(), Shard(0))
        opt = adam(model.parameters())
        for s in range(3):
            opt.zero_grad()
            if s == 1:  # replicas add up once for two backwards
                model.set_requires_all_reduce(False)
            loss_of(model, mine(data(s), rank, n)).backward()
            if s == 1:
                assert all(p.grad is None for p in model.parameters())
                model.set_requires_all_reduce(True)
                continue
            wanted = {0: (0,), 2: (1, 2)}[s]
            if s == 0:
                close(gradients(model), reference(wanted), "hybrid", 1e-4, 1e-6)
                opt.step()
        close(gradients(model), reference((1, 2), fresh(1)), "hybrid", 1e-3, 1e-5)
        total = nn.utils.clip_grad_norm_(model.parameters(), 1.0).full_tensor()
        plain = fresh(1)
        reference((1, 2), plain)
        assert torch.allclose(total, nn.utils.clip_grad_norm_(plain.parameters(), 1.0), rtol=1e-3)
    raises(ValueError, "expects a 1D or 2D DeviceMesh", lambda: fully_shard(
        net(), mesh=init_device_mesh("cpu", (1, 2, 2))))


def errors(rank, n):
    model = sharded()
    x = model(mine(data(0), rank, n))

    def stop(g):
        raise ValueError("in the middle")

    handle = x.register_hook(stop)
    raises(ValueError, "in the middle", lambda: x.sum().backward())
    handle.remove()
    model.reset_iter_state()
    model.zero_grad()
    loss_of(model, mine(data(0), rank, n)).backward()
    close(gradients(model), reference(), "after an error", 1e-4, 1e-6)


class Gather:
    def __init__(self):
        self.calls = 0

    def allocate(self, size, *, dtype, device):
        return torch.empty(size, dtype=dtype, device=device)

    def __call__(self, output_tensor, input_tensor, group, async_op=False):
        self.calls += 1
        return dist.all_gather_into_tensor(output_tensor, input_tensor, group, async_op)


class Reduce(Gather):
    def __call__(self, output_tensor, input_tensor, group, op, async_op=False):
        self.calls += 1
        return dist.reduce_scatter_tensor(output_tensor, input_tensor, op, group, async_op)


def own_messages(rank, n):
    model = sharded()
    comms = Gather(), Reduce()
    model.blocks[0].set_custom_all_gather(comms[0])
    model.blocks[0].set_custom_reduce_scatter(comms[1])
    loss_of(model, mine(data(0), rank, n)).backward()
    close(gradients(model), reference(), "own messages", 1e-4, 1e-6)
    assert [c.calls for c in comms] == [2, 1]


PARTS = [looks, placements, accumulation, ways, unused, mixed, states, optimizers, hybrid, errors,
         own_messages]  # fmt: skip


def run(rank, n, path, names):
    dist.init_process_group(
        "gloo", init_method=f"file://{path}/meet", rank=rank, world_size=n,
        timeout=datetime.timedelta(seconds=30),
    )  # fmt: skip
    for part in PARTS:
        if not names or part.__name__ in names:
            part(rank, n)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    start(run)
