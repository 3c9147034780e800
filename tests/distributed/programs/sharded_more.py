"""What else FullyShardedDataParallel does: states, summoning, accumulation, types, policies.

python sharded_more.py RANKS [PART ...]
"""

import datetime
import functools
import re

import pytest
from sharded import Block, Net, adam, alone, close, data, loss_of, mine, net, sgd, start

import rushlight as torch
import rushlight.distributed as dist
from rushlight import nn
from rushlight.distributed.algorithms._checkpoint.checkpoint_wrapper import (
    apply_activation_checkpointing,
)
from rushlight.distributed.fsdp import (
    FullOptimStateDictConfig,
    FullStateDictConfig,
    LocalStateDictConfig,
    MixedPrecision,
    OptimStateKeyType,
    ShardedStateDictConfig,
    ShardingStrategy,
    StateDictType,
)
from rushlight.distributed.fsdp import FullyShardedDataParallel as FSDP
from rushlight.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
from rushlight.distributed.fsdp.wrap import (
    CustomPolicy,
    ModuleWrapPolicy,
    _or_policy,
    always_wrap_policy,
    enable_wrap,
    lambda_auto_wrap_policy,
    size_based_auto_wrap_policy,
    transformer_auto_wrap_policy,
    wrap,
)
from rushlight.distributed.tensor import DTensor
from rushlight.utils.checkpoint import checkpoint

BLOCKS = ModuleWrapPolicy({Block})


def wrapped(orig=True, **kw):
    kw.setdefault("auto_wrap_policy", BLOCKS)
    return FSDP(net(), use_orig_params=orig, **kw)


def raises(kind, words, fn):
    with pytest.raises(kind, match=re.escape(words)):
        fn()


def gradients(model):
    """All whole gradients by name."""
    with FSDP.summon_full_params(model, with_grads=True, writeback=False):
        return {k: p.grad.clone() for k, p in model.named_parameters() if p.grad is not None}


def reference_gradients(steps=(0,)):
    model = net()
    for s in steps:
        loss_of(model, data(s)).backward()
    return {k: p.grad for k, p in model.named_parameters()}


def summoning(rank, n):
    names = [k for k, _ in net().named_parameters()]
    for orig in (False, True):
        model = wrapped(orig)
        assert len(FSDP.fsdp_modules(model)) == 3
        assert FSDP.fsdp_modules(model, root_only=True) == [model]
        assert model.check_is_root()
        assert not model.blocks[0].check_is_root()
        with FSDP.summon_full_params(model):
            found = dict(model.named_parameters())
            assert sorted(found) == sorted(names), list(found)
            close({k: v.detach() for k, v in found.items()},
                  {k: v.detach() for k, v in net().named_parameters()}, "summoned", 0, 0)
            assert model.head.weight is model.words.weight
            before = model(data(0)).detach()  # computing goes on as usual
            with torch.no_grad():
                model.blocks[1].up.weight.fill_(0.5)
        with FSDP.summon_full_params(model, writeback=False):
            assert (model.blocks[1].up.weight == 0.5).all()
            with torch.no_grad():
                model.blocks[1].up.weight.fill_(0.25)
        with FSDP.summon_full_params(model, recurse=False, writeback=False):
            assert model.words.weight.shape == (11, 7)
        with FSDP.summon_full_params(model, rank0_only=True, writeback=False):
            if rank == 0:
                assert (model.blocks[1].up.weight == 0.5).all()
        assert not torch.equal(model(data(0)), before)
        raises(NotImplementedError, "rank0_only", lambda m=model: FSDP.summon_full_params(
            m, rank0_only=True).__enter__())
        model.apply(lambda m: isinstance(m, nn.Linear) and nn.init.constant_(m.weight, 0.125))
        assert (model.state_dict()["blocks.0.up.weight"] == 0.125).all()
    model = wrapped()
    loss_of(model, mine(data(0), rank, n)).backward()
    close(gradients(model), reference_gradients(), "gradients", 1e-4, 1e-6)
    with FSDP.summon_full_params(model, with_grads=True):
        for p in model.parameters():
            p.grad.mul_(2)
    close(gradients(model), {k: 2 * g for k, g in reference_gradients().items()}, "twice", 1e-4)


def kinds_of_states(rank, n):
    other, _, _ = alone(3, adam)
    for orig in (False, True):
        model = wrapped(orig)
        model.load_state_dict(other.state_dict())
        full = model.state_dict()
        assert list(full) == list(other.state_dict()), list(full)
        close(full, other.state_dict(), "loaded", 0, 0)
        plain = net()
        plain.load_state_dict(full)
        with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT,
                                  FullStateDictConfig(rank0_only=True, offload_to_cpu=True)):
            first = model.state_dict()
            assert (set(first) == set(full)) if rank == 0 else first == {}
        with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT,
                                  ShardedStateDictConfig(offload_to_cpu=True)):
            parts = model.state_dict()
            assert all(isinstance(v, DTensor) for v in parts.values())
            close({k: v.full_tensor() for k, v in parts.items()}, full, "sharded", 0, 0)
            again = wrapped(not orig)
            FSDP.set_state_dict_type(again, StateDictType.SHARDED_STATE_DICT)
            again.load_state_dict(parts)
            opt = adam(model.parameters())
            trained = loss_of(model, mine(data(0), rank, n))
            trained.backward()
            opt.step()
            osd = FSDP.optim_state_dict(model, opt)
            assert isinstance(osd["state"]["words.weight"]["exp_avg"], DTensor)
            other_way = adam(again.parameters())
            FSDP.optim_state_dict_to_load(again, other_way, osd, load_directly=True)
            osd2 = FSDP.optim_state_dict(again, other_way)
            for k, s in osd["state"].items():
                a, b = s["exp_avg"].full_tensor(), osd2["state"][k]["exp_avg"].full_tensor()
                assert torch.equal(a, b), k
            FSDP.set_state_dict_type(again, StateDictType.FULL_STATE_DICT)
        close(again.state_dict(), full, "sharded load", 0, 0)
        local = lambda m: FSDP.state_dict_type(  # noqa: E731
            m, StateDictType.LOCAL_STATE_DICT, LocalStateDictConfig())
        if orig:
            with local(model):
                raises(NotImplementedError, "LOCAL_STATE_DICT", model.state_dict)
        else:
            with local(model):
                flat = model.state_dict()
            assert sorted(flat) == ["_flat_param", "blocks.0._flat_param", "blocks.1._flat_param"]
            third = wrapped(False)
            with local(third):
                third.load_state_dict(flat)
            close(third.state_dict(), model.state_dict(), "local", 0, 0)
        less = {k: v for k, v in full.items() if k != "blocks.0.norm.bias"}
        raises(RuntimeError, "Missing key(s) in state_dict: \"blocks.0.norm.bias\"",
               lambda m=model, s=less: m.load_state_dict(s))
        raises(RuntimeError, "Expected state_dict_config of type",
               lambda m=model: FSDP.set_state_dict_type(
                   m, StateDictType.FULL_STATE_DICT, ShardedStateDictConfig()))
        older(model, rank)


def steps_of_their_own(rank, n):
    """A collected state and the optimisers it is loaded into count their steps apart."""
    model = wrapped(False)
    opt = adam(model.parameters())

    def counts(osd):
        return {k: float(s["step"]) for k, s in osd["state"].items()}

    def trained(model, opt):
        loss_of(model, mine(data(0), rank, n)).backward()
        opt.step()
        return counts(FSDP.optim_state_dict(model, opt))

    trained(model, opt)
    osd = FSDP.optim_state_dict(model, opt)
    for orig in (True, False):
        again = wrapped(orig)
        other = adam(again.parameters())
        other.load_state_dict(FSDP.optim_state_dict_to_load(again, other, osd))
        assert set(trained(again, other).values()) == {2.0}
        assert set(counts(osd).values()) == {1.0}
    assert set(counts(FSDP.optim_state_dict(model, opt)).values()) == {1.0}


def older(model, rank):
    opt = adam(model.parameters())
    loss_of(model, data(0)).backward()
    opt.step()
    full = FSDP.full_optim_state_dict(model, opt)
    assert (full == {}) == (rank != 0)
    scattered = FSDP.scatter_full_optim_state_dict(full, model, optim=opt)
    kept = opt.state_dict()["state"]
    for i, s in scattered["state"].items():
        assert all(torch.equal(torch.as_tensor(v), torch.as_tensor(kept[i][k]))
                   for k, v in s.items())
    everywhere = FSDP.full_optim_state_dict(model, opt, rank0_only=False)
    opt.load_state_dict(FSDP.shard_full_optim_state_dict(everywhere, model, optim=opt))
    plain = net()
    plain_opt = adam(plain.parameters())
    numbered = FSDP.rekey_optim_state_dict(
        everywhere, OptimStateKeyType.PARAM_ID, plain, optim=plain_opt)
    plain_opt.load_state_dict(numbered)
    named = FSDP.rekey_optim_state_dict(
        plain_opt.state_dict(), OptimStateKeyType.PARAM_NAME, plain, optim=plain_opt)
    assert set(named["state"]) == set(everywhere["state"])
    parts = FSDP.sharded_optim_state_dict(model, opt)
    opt.load_state_dict(FSDP.flatten_sharded_optim_state_dict(parts, model, opt))
    FSDP.set_state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig(),
                             FullOptimStateDictConfig(rank0_only=True))
    first = FSDP.optim_state_dict(model, opt)
    assert (first == {}) == (rank != 0)
    opt.load_state_dict(FSDP.optim_state_dict_to_load(model, opt, first))
    FSDP.set_state_dict_type(model, StateDictType.FULL_STATE_DICT)


def accumulation(rank, n):
    for orig in (False, True):
        model = wrapped(orig)
        with model.no_sync():
            loss_of(model, mine(data(0), rank, n)).backward()
            assert all(p.grad is None for p in model.parameters())
        loss_of(model, mine(data(1), rank, n)).backward()
        if orig:
            close(gradients(model), reference_gradients((0, 1)), "no_sync", 1e-4, 1e-6)
        raises(RuntimeError, "no_sync", lambda m=model: m.blocks[0].no_sync().__enter__())
        model.zero_grad()
        for s in (0, 1):  # and with an exchange each time
            loss_of(model, mine(data(s), rank, n)).backward()
        if orig:
            close(gradients(model), reference_gradients((0, 1)), "accumulated", 1e-4, 1e-6)
    model = wrapped()
    a, b = (loss_of(model, mine(data(s), rank, n)) for s in (0, 1))
    (a + b).backward()
    close(gradients(model), reference_gradients((0, 1)), "two forwards", 1e-4, 1e-6)
    model.zero_grad()
    a, b = (loss_of(model, mine(data(s), rank, n)) for s in (0, 1))
    a.backward()
    b.backward()
    close(gradients(model), reference_gradients((0, 1)), "two backwards", 1e-4, 1e-6)
    with torch.no_grad():  # nothing stays behind
        model(data(0))
    assert not any(m._unit.gathered for m in FSDP.fsdp_modules(model))


class Checkpointed(Net):
    def __init__(self, reentrant):
        super().__init__()
        self.reentrant = reentrant

    def forward(self, x):
        x = self.words(x)
        for b in self.blocks:
            x = checkpoint(b, x, use_reentrant=self.reentrant)
        return self.head(x)


class Inside(Block):
    def forward(self, x):
        return checkpoint(super().forward, x, use_reentrant=False)


def checkpointing(rank, n):
    wanted = reference_gradients()
    for reentrant in (False, True):
        torch.manual_seed(3)
        model = FSDP(Checkpointed(reentrant), use_orig_params=True, auto_wrap_policy=BLOCKS)
        for _ in range(2):
            model.zero_grad()
            loss_of(model, mine(data(0), rank, n)).backward()
            close(gradients(model), wanted, f"checkpoint {reentrant}", 1e-4, 1e-6)
    for within in (False, True):
        inner = net()
        if within:
            apply_activation_checkpointing(inner, check_fn=lambda m: isinstance(m, Block))
        model = FSDP(inner, use_orig_params=True, auto_wrap_policy=BLOCKS)
        if not within:
            apply_activation_checkpointing(model, check_fn=lambda m: isinstance(m, Block))
        loss_of(model, mine(data(0), rank, n)).backward()
        found = {k.replace("_checkpoint_wrapped_module.", ""): g
                 for k, g in gradients(model).items()}
        close(found, wanted, f"checkpoint_wrapper {within}", 1e-4, 1e-6)
        close(model.state_dict(), net().state_dict(), "checkpoint_wrapper", 0, 0)
        model.load_state_dict(net().state_dict())
    inner = net()
    for b in inner.blocks:
        b.__class__ = Inside
    model = FSDP(inner, use_orig_params=True, auto_wrap_policy=ModuleWrapPolicy({Inside}))
    loss_of(model, mine(data(0), rank, n)).backward()
    close(gradients(model), wanted, "checkpoint inside", 1e-4, 1e-6)


def frozen(rank, n):
    """Frozen layers in a unit: it stays whole until their part of the backward is over."""
    def freeze(model):
        for k, p in model.named_parameters():
            p.requires_grad_("down" in k or "words" in k)
        return model

    plain = freeze(net())
    loss_of(plain, data(0)).backward()
    model = FSDP(freeze(net()), use_orig_params=True, auto_wrap_policy=BLOCKS)
    loss_of(model, mine(data(0), rank, n)).backward()
    wanted = {k: p.grad for k, p in plain.named_parameters() if p.grad is not None}
    close(gradients(model), wanted, "frozen", 1e-4, 1e-6)
    raises(ValueError, "uniform requires_grad", lambda: FSDP(freeze(net())))
    raises(ValueError, "uniform dtype", lambda: FSDP(
        nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2).double())))


class Normed(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.norm, self.last = nn.Linear(5, 6), nn.BatchNorm1d(6), nn.Linear(6, 3)

    def forward(self, x):
        self.seen = (x.dtype, self.first.weight.dtype)
        x = self.first(x)
        x = self.norm(x)
        return self.last(x)


def mixed(rank, n):
    x = torch.randn(8, 5, generator=torch.Generator().manual_seed(1))
    half = MixedPrecision(torch.bfloat16, torch.float32, torch.bfloat16)
    model = FSDP(Normed(), mixed_precision=half, use_orig_params=True)
    y = model(x)
    assert y.dtype is torch.bfloat16
    assert model.seen == (torch.bfloat16, torch.bfloat16)
    assert model.norm.running_mean.dtype is torch.bfloat16
    y.float().square().mean().backward()
    assert all(p.dtype is torch.float32 for p in model.parameters())
    assert all(p.grad.dtype is torch.float32 for p in model.parameters() if p.grad is not None)
    state = model.state_dict()
    assert all(v.dtype in (torch.float32, torch.int64) for v in state.values())
    plain = Normed()
    plain(x).square().mean().backward()
    wanted = {k: p.grad for k, p in plain.named_parameters()}
    close(gradients(model), wanted, "bfloat16", 0.1, 0.02)
    low = MixedPrecision(torch.bfloat16, keep_low_precision_grads=True)
    model = FSDP(Normed(), mixed_precision=low)
    model(x).float().sum().backward()
    assert model._flat_param.grad.dtype is torch.bfloat16
    import warnings

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = FSDP(Normed(), mixed_precision=half, auto_wrap_policy=functools.partial(
            size_based_auto_wrap_policy, min_num_params=1))
    assert "mixed precision disabled" in str(told[0].message)
    assert isinstance(model.norm, FSDP)
    kinds = []
    model.norm.module.register_forward_pre_hook(lambda m, args: kinds.append(args[0].dtype))
    y = model(x)
    assert kinds == [torch.float32]
    assert y.dtype is torch.bfloat16
    assert model.norm.running_mean.dtype is torch.float32
    y.float().sum().backward()


def ignoring(rank, n):
    inner = net()
    model = FSDP(inner, ignored_states=[inner.blocks[0]], use_orig_params=True)
    assert inner.blocks[0].up.weight.shape == (14, 7)
    model = FSDP(net(), use_orig_params=True)
    bias = [p for k, p in inner.named_parameters() if "norm" in k]
    inner = net()
    bias = [p for k, p in inner.named_parameters() if "norm" in k]
    model = FSDP(inner, ignored_states=bias, use_orig_params=True)
    assert inner.blocks[0].norm.weight.shape == (7,)
    loss_of(model, mine(data(0), rank, n)).backward()
    assert inner.blocks[0].norm.weight.grad.shape == (7,)
    raises(ValueError, "Cannot pass both", lambda: FSDP(
        net(), ignored_modules=[], ignored_states=[]))
    raises(ValueError, "elements but got types", lambda: FSDP(net(), ignored_states=[1]))


def beginnings(rank, n):
    """Modules without values yet; ranks that begin with different ones."""
    torch.manual_seed(rank)
    model = FSDP(Net(), sync_module_states=True, use_orig_params=True, auto_wrap_policy=BLOCKS)
    torch.manual_seed(0)
    close(model.state_dict(), Net().state_dict(), "sync_module_states", 0, 0)
    with torch.device("meta"):
        made = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    torch.manual_seed(5)
    model = FSDP(made, auto_wrap_policy=always_wrap_policy)
    torch.manual_seed(5)
    close(model.state_dict(), nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2)).state_dict(), "meta",
          0, 0)

    def init(m):
        m.to_empty(device="cpu", recurse=False)
        for p in m.parameters(recurse=False):
            nn.init.constant_(p, 2.0)

    with torch.device("meta"):
        made = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 2))
    model = FSDP(made, param_init_fn=init)
    assert all((v == 2).all() for v in model.state_dict().values())


def policies(rank, n):
    def units(policy, **kw):
        return len(FSDP.fsdp_modules(FSDP(net(), auto_wrap_policy=policy, **kw)))

    part = functools.partial
    assert units(BLOCKS) == 3
    assert units(part(transformer_auto_wrap_policy, transformer_layer_cls={Block})) == 3
    assert units(part(lambda_auto_wrap_policy, lambda_fn=lambda m: isinstance(m, Block))) == 3
    assert units(part(size_based_auto_wrap_policy, min_num_params=150)) == 3
    assert units(part(size_based_auto_wrap_policy, min_num_params=10**6)) == 1
    either = part(_or_policy, policies=[
        part(lambda_auto_wrap_policy, lambda_fn=lambda m: isinstance(m, nn.LayerNorm)), BLOCKS])
    assert units(either) == 5
    custom = CustomPolicy(lambda m: {"sharding_strategy": ShardingStrategy.SHARD_GRAD_OP}
                          if isinstance(m, Block) else False)
    model = FSDP(net(), auto_wrap_policy=custom)
    assert model.blocks[0].sharding_strategy is (
        ShardingStrategy.SHARD_GRAD_OP if n > 1 else ShardingStrategy.NO_SHARD)
    with enable_wrap(wrapper_cls=FSDP, use_orig_params=True):
        assert isinstance(wrap(nn.Linear(3, 3)), FSDP)
    assert isinstance(wrap(nn.Linear(3, 3)), nn.Linear)
    raises(ValueError, "already have FSDP applied", lambda: FSDP(
        nn.Sequential(FSDP(nn.Linear(2, 2))), auto_wrap_policy=always_wrap_policy))


def hooks(rank, n):
    seen = []

    def halves(state, whole, part=None):
        seen.append(state)
        dist.all_reduce(whole)
        if part is not None:
            part.copy_(whole.reshape(n, -1)[rank])
            part.div_(n)
        else:
            whole.div_(n)

    model = wrapped()
    model.register_comm_hook("told", halves)
    loss_of(model, mine(data(0), rank, n)).backward()
    close(gradients(model), reference_gradients(), "comm hook", 1e-4, 1e-6)
    assert seen == ["told"] * 3
    raises(AssertionError, "already registered", lambda: model.register_comm_hook(None, halves))


def scaling(rank, n):
    model = wrapped(False)
    opt = sgd(model.parameters())
    scaler = ShardedGradScaler("cpu", init_scale=4.0, growth_interval=100)
    for bad in (True, False):
        opt.zero_grad()
        before = model.state_dict()
        scaler.scale(loss_of(model, mine(data(0), rank, n))).backward()
        if bad and rank == n - 1:  # one rank's part alone
            model._flat_param.grad[0] = float("inf")
        scaler.step(opt)
        scaler.update()
        assert scaler.get_scale() == 2.0
        same = torch.equal(before["words.weight"], model.state_dict()["words.weight"])
        assert same is bad


def errors(rank, n):
    class Fails(Block):
        ok = False

        def forward(self, x):
            if not self.ok:
                raise ValueError("not now")
            return super().forward(x)

    inner = net()
    inner.blocks[1].__class__ = Fails
    model = FSDP(inner, use_orig_params=True, auto_wrap_policy=BLOCKS)
    raises(ValueError, "not now", lambda: model(data(0)))
    Fails.ok = True
    loss_of(model, mine(data(0), rank, n)).backward()
    close(gradients(model), reference_gradients(), "after an error", 1e-4, 1e-6)
    model.zero_grad()
    x = model(mine(data(0), rank, n))

    def stop(g):
        raise ValueError("in the middle")

    x.register_hook(stop)
    raises(ValueError, "in the middle", lambda: x.sum().backward())
    loss_of(model, mine(data(0), rank, n)).backward()
    close(gradients(model), reference_gradients(), "after an error in backward", 1e-4, 1e-6)
    raises(RuntimeError, "clip_grad_norm_", lambda: model.blocks[0].clip_grad_norm_(1.0))


def converted(rank, n):
    for orig in (False, True):
        model = wrapped(orig).double()
        assert all(p.dtype is torch.float64 for p in model.parameters())
        assert model(data(0)).dtype is torch.float64
        close(model.float().state_dict(), net().state_dict(), "double", 0, 0)


def hybrid(rank, n):
    """Two groups of two: shards within, averages between."""
    if n != 4:
        return
    within, _ = dist.new_subgroups(2)
    between, _ = dist.new_subgroups_by_enumeration([[0, 2], [1, 3]])
    from rushlight.distributed.device_mesh import init_device_mesh

    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    for kw in ({"process_group": (within, between)}, {"device_mesh": mesh},
               {"sharding_strategy": ShardingStrategy._HYBRID_SHARD_ZERO2,
                "process_group": (within, between)}):
        kw = {"sharding_strategy": ShardingStrategy.HYBRID_SHARD, **kw}
        model = wrapped(**kw)
        assert model.world_size == 2
        opt = adam(model.parameters())
        for step in range(3):
            opt.zero_grad()
            loss_of(model, mine(data(step), rank, n)).backward()
            if step == 0:
                close(gradients(model), reference_gradients(), "hybrid", 1e-4, 1e-6)
            opt.step()
        close(model.state_dict(), alone(3, adam)[0].state_dict(), "hybrid", 2e-4, 2e-5)
    raises(ValueError, "requires explicit specification", lambda: FSDP(
        net(), sharding_strategy=ShardingStrategy.HYBRID_SHARD))


PARTS = [summoning, kinds_of_states, steps_of_their_own, accumulation, checkpointing, frozen, mixed,
         ignoring, beginnings, policies, hooks, scaling, errors, converted, hybrid]


def run(rank, n, path, names):
    import warnings

    warnings.filterwarnings("ignore", category=FutureWarning)
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
