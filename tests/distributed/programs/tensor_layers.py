"""Layers spread by `parallelize_module`: what they compute, and their gradients, are those of one
process.

python tensor_layers.py RANKS
"""

import copy
import datetime
import sys
import tempfile
import warnings

from start_ranks import start_ranks

import rushlight as torch
import rushlight.distributed as dist
import rushlight.nn.functional as F
from rushlight import nn
from rushlight.distributed.device_mesh import init_device_mesh
from rushlight.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from rushlight.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    PrepareModuleInputOutput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)

HEADS, WIDTH, WORDS, LENGTH = 4, 16, 12, 8


def close(a, b):
    assert a.shape == b.shape, (a.shape, b.shape)
    assert torch.allclose(a, b, rtol=1e-5, atol=1e-5), (a - b).abs().max()


def refused(kind, words, call, *args, **kw):
    try:
        call(*args, **kw)
        said = "nothing"
    except kind as error:
        said = str(error)
    assert words in said, said


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))
        self.out = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x):
        q, k, v = (f(x) for f in (self.q, self.k, self.v))
        b, s, _ = q.shape
        q, k, v = (t.view(b, s, -1, WIDTH // HEADS).transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, s, -1))


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.gate = nn.Linear(WIDTH, 24), nn.Linear(WIDTH, 24)
        self.down = nn.Linear(24, WIDTH)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attention, self.feed = Attention(), FeedForward()

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.feed(self.norm2(x))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(WORDS, WIDTH)
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm = nn.RMSNorm(WIDTH)
        self.head = nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, x):
        x = self.words(x)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def plain_plan():
    """Every block gets and gives whole tensors."""
    return {
        "words": RowwiseParallel(input_layouts=Replicate()),
        "blocks.*.attention.[qkv]": ColwiseParallel(),
        "blocks.*.attention.out": RowwiseParallel(),
        "blocks.*.feed.up": ColwiseParallel(),
        "blocks.*.feed.gate": ColwiseParallel(),
        "blocks.*.feed.down": RowwiseParallel(),
        "head": ColwiseParallel(output_layouts=Replicate()),
    }


def sequence_plan(loss):
    """Between the products each rank has a part of the sequence."""
    cut, whole = Shard(1), Replicate()
    return {
        "words": RowwiseParallel(input_layouts=whole, output_layouts=cut),
        "blocks.*.norm1": SequenceParallel(),
        "blocks.*.attention": PrepareModuleInput(
            input_layouts=cut, desired_input_layouts=whole
        ),
        "blocks.*.attention.[qkv]": ColwiseParallel(),
        "blocks.*.attention.out": RowwiseParallel(output_layouts=cut),
        "blocks.*.norm2": SequenceParallel(),
        "blocks.*.feed": PrepareModuleInput(input_layouts=cut, desired_input_layouts=whole),
        "blocks.*.feed.up": ColwiseParallel(),
        "blocks.*.feed.gate": ColwiseParallel(),
        "blocks.*.feed.down": RowwiseParallel(output_layouts=cut),
        "norm": SequenceParallel(),
        "head": ColwiseParallel(
            input_layouts=cut, output_layouts=Shard(-1) if loss else whole,
            use_local_output=not loss,
        ),
    }  # fmt: skip


def models(rank, n, mesh):
    torch.manual_seed(0)
    model = Model()
    tokens = torch.randint(0, WORDS, (2, LENGTH))
    target = torch.randint(0, WORDS, (2, LENGTH))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    start = copy.deepcopy(model)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(tokens).flatten(0, 1), target.flatten())
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append((loss.detach(), norm))
    plans = ((plain_plan(), False), (sequence_plan(False), False), (sequence_plan(True), True))
    for plan, cut_loss in plans:
        spread = parallelize_module(copy.deepcopy(start), mesh, plan)
        optimizer = torch.optim.AdamW(spread.parameters(), lr=0.01)
        for wanted, norm in losses:
            optimizer.zero_grad()
            y = spread(tokens)
            if cut_loss:
                assert y.placements == (Shard(2),)
                with loss_parallel():
                    loss = F.cross_entropy(y.flatten(0, 1), target.flatten())
                    loss.backward()
                loss = loss.full_tensor()
            else:
                loss = F.cross_entropy(y.flatten(0, 1), target.flatten())
                loss.backward()
            close(loss.detach(), wanted)
            total = nn.utils.clip_grad_norm_(spread.parameters(), 1.0)
            close(total.full_tensor() if isinstance(total, DTensor) else total, norm)
            optimizer.step()
        for (name, p), q in zip(model.named_parameters(), spread.parameters(), strict=True):
            q = q.full_tensor() if isinstance(q, DTensor) else q
            assert torch.allclose(p, q, rtol=1e-4, atol=1e-4), (name, (p - q).abs().max())
        held = spread.state_dict()
        assert held["blocks.0.attention.q.weight"].placements == (Shard(0),)
        assert held["blocks.1.feed.down.weight"].placements == (Shard(1),)


def losses(rank, n, mesh):
    torch.manual_seed(1)
    x, t = torch.randn(6, 7), torch.tensor([0, 6, 2, -100, 4, 2])
    w = torch.rand(7) + 0.5
    for kind in ("mean", "sum", "none"):
        for weight in (None, w):
            plain = x.clone().requires_grad_()
            wanted = F.cross_entropy(plain, t, weight, reduction=kind)
            factors = torch.linspace(1, 2, wanted.numel()).reshape(wanted.shape)
            (wanted * factors).sum().backward()
            for by_logs in (False, True):
                cut = distribute_tensor(x.clone().requires_grad_(), mesh, [Shard(1)])
                with loss_parallel():
                    if by_logs:
                        loss = F.nll_loss(F.log_softmax(cut, 1), t, weight, reduction=kind)
                    else:
                        loss = F.cross_entropy(cut, t, weight, reduction=kind)
                    assert loss.placements == (Replicate(),)
                    close(loss.full_tensor(), wanted)
                    (loss.full_tensor() * factors).sum().backward()
                assert cut.grad.placements == (Shard(1),)
                close(cut.grad.full_tensor(), plain.grad)


def styles(rank, n, mesh):
    torch.manual_seed(2)
    table, x = nn.Embedding(9, 6), torch.randint(0, 9, (3, 5))
    for style in (ColwiseParallel(output_layouts=Replicate()),
                  RowwiseParallel(input_layouts=Replicate())):  # fmt: skip
        spread = parallelize_module(copy.deepcopy(table), mesh, style)
        close(spread(x), table(x))
    layer = nn.Linear(6, 5)
    y = torch.randn(4, 6)
    spread = parallelize_module(
        copy.deepcopy(layer), mesh, ColwiseParallel(use_local_output=False)
    )
    out = spread(y)
    assert out.placements == (Shard(1),)
    close(out.full_tensor(), layer(y))

    class Two(nn.Module):
        def forward(self, a, b=None):
            return a * 2, a if b is None else a + b

    made = parallelize_module(Two(), mesh, PrepareModuleInput(
        input_layouts=(Replicate(),), desired_input_layouts=(Shard(0),),
        input_kwarg_layouts={"b": Replicate()}, desired_input_kwarg_layouts={"b": Shard(0)},
    ))  # fmt: skip
    a, b = made(y, b=y + 1)
    assert a.placements == b.placements == (Shard(0),)
    close(b.full_tensor(), y * 2 + 1)
    made = parallelize_module(Two(), mesh, PrepareModuleOutput(
        output_layouts=(Shard(0), None), desired_output_layouts=(Replicate(), None)))  # fmt: skip
    a, b = made(y[:1])
    assert a.shape == (n, 6)
    made = parallelize_module(Two(), mesh, PrepareModuleInputOutput(
        input_layouts=Replicate(), desired_input_layouts=Shard(0), output_layouts=(None, None),
        desired_output_layouts=(None, None)))  # fmt: skip
    assert made(y)[0].placements == (Shard(0),)
    refused(NotImplementedError, "only support nn.Linear", parallelize_module, nn.ReLU(), mesh,
            ColwiseParallel())  # fmt: skip
    refused(TypeError, "Expect Union", parallelize_module, layer, mesh, "all")
    refused(AssertionError, "same length", PrepareModuleInput, input_layouts=(Shard(0),),
            desired_input_layouts=())  # fmt: skip
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        parallelize_module(Two(), mesh, {"zz": ColwiseParallel()})
        parallelize_module(Two(), mesh)
    assert ["could not be resolved" in str(w.message) for w in said] == [True, False]
    assert repr(ColwiseParallel()) == (
        "ColwiseParallel(input_layouts=(Replicate(),), output_layouts=(Shard(dim=-1),), "
        "use_local_output=True)"
    )


def run(rank, n, address):
    dist.init_process_group(
        "gloo", init_method=address, rank=rank, world_size=n, timeout=datetime.timedelta(seconds=60)
    )
    mesh = init_device_mesh("cpu", (n,), mesh_dim_names=("tp",))
    parts = (styles, losses) if n == 3 else (styles, losses, models)  # heads divide by the ranks
    for part in parts:
        part(rank, n, mesh)
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks = int(sys.argv[1])
    start_ranks(run, (ranks, f"file://{tempfile.mkdtemp()}/meet"), nprocs=ranks)
    print("well", ranks)
