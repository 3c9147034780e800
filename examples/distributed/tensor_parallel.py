"""Tensor parallelism in the shape of PyTorch's tutorial: a small Llama whose layers are cut.

    python -m rushlight examples/distributed/tensor_parallel.py                     # 2 ranks
    python -m rushlight examples/distributed/tensor_parallel.py --world-size 4      # 2 x 2
    python examples/distributed/tensor_parallel.py                                  # PyTorch

Attention's heads and the hidden units of the feed-forward layers are spread over the "tp" dimension
of a mesh; between them each rank has a part of the sequence. With four ranks there is a "dp"
dimension as well: each half of the ranks has a half of the batch, and gradients are averaged over
both. The same model is trained in each process alone, to compare.
"""

import argparse
import copy
import os
import socket
from typing import cast

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    SequenceParallel,
    loss_parallel,
    parallelize_module,
)

WORDS, WIDTH, HEADS, HIDDEN, LENGTH = 64, 32, 4, 64, 16


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.wq, self.wk, self.wv = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))
        self.wo = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x):
        parts = (f(x) for f in (self.wq, self.wk, self.wv))
        # -1: this rank has some of the heads
        q, k, v = (t.view(*x.shape[:2], -1, WIDTH // HEADS).transpose(1, 2) for t in parts)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.wo(y.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self):
        super().__init__()
        self.w1, self.w3 = (nn.Linear(WIDTH, HIDDEN, bias=False) for _ in range(2))
        self.w2 = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention_norm, self.attention = nn.RMSNorm(WIDTH), Attention()
        self.ffn_norm, self.feed_forward = nn.RMSNorm(WIDTH), FeedForward()

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.ffn_norm(x))


class Llama(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.tok_embeddings = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleList(Block() for _ in range(layers))
        self.norm = nn.RMSNorm(WIDTH)
        self.output = nn.Linear(WIDTH, WORDS, bias=False)

    def forward(self, tokens):
        x = self.tok_embeddings(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.output(self.norm(x))


def cut(model, mesh):
    """The tutorial's plan: products cut, and the sequence in between; scores cut along words."""
    parallelize_module(model, mesh, {
        "tok_embeddings": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "output": ColwiseParallel(
            input_layouts=Shard(1), output_layouts=Shard(-1), use_local_output=False
        ),
    })  # fmt: skip
    for layer in model.layers:
        parallelize_module(layer, mesh, {
            "attention_norm": SequenceParallel(),
            "attention": PrepareModuleInput(
                input_layouts=Shard(1), desired_input_layouts=Replicate()
            ),
            "attention.wq": ColwiseParallel(),
            "attention.wk": ColwiseParallel(),
            "attention.wv": ColwiseParallel(),
            "attention.wo": RowwiseParallel(output_layouts=Shard(1)),
            "ffn_norm": SequenceParallel(),
            "feed_forward": PrepareModuleInput(
                input_layouts=Shard(1), desired_input_layouts=Replicate()
            ),
            "feed_forward.w1": ColwiseParallel(),
            "feed_forward.w2": RowwiseParallel(output_layouts=Shard(1)),
            "feed_forward.w3": ColwiseParallel(),
        })  # fmt: skip


def batch(step):
    """Sentences that count in steps of 1 to 4."""
    g = torch.Generator().manual_seed(step)
    start = torch.randint(0, WORDS, (8, 1), generator=g)
    by = torch.randint(1, 5, (8, 1), generator=g)
    words = (start + by * torch.arange(LENGTH + 1)) % WORDS
    return words[:, :-1], words[:, 1:]


def alone(model, steps):
    """The losses of a plain model on whole batches."""
    optimizer, losses = torch.optim.AdamW(model.parameters(), lr=3e-3), []
    for step in range(steps):
        x, y = batch(step)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def average(model, mesh):
    """Give all replicas the mean of their gradients, each rank that of its part."""
    for p in model.parameters():
        part = p.grad.to_local() if isinstance(p.grad, DTensor) else p.grad
        dist.all_reduce(part, group=mesh.get_group())
        part /= mesh.size()


def train(rank, world_size, steps):
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    tp = min(world_size, 2) if world_size != 3 else 1
    mesh = init_device_mesh("cpu", (world_size // tp, tp), mesh_dim_names=("dp", "tp"))
    torch.manual_seed(0)
    whole = Llama(layers=2)
    model = copy.deepcopy(whole)
    cut(model, mesh["tp"])
    wanted = alone(whole, steps)
    optimizer, losses = torch.optim.AdamW(model.parameters(), lr=3e-3), []
    for step in range(steps):
        x, y = (t.chunk(mesh["dp"].size())[mesh["dp"].get_local_rank()] for t in batch(step))
        optimizer.zero_grad()
        with loss_parallel():
            loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
            loss.backward()
        average(model, mesh["dp"])
        optimizer.step()
        mean = cast(DTensor, loss.detach()).full_tensor()
        dist.all_reduce(mean)
        losses.append(mean.item() / world_size)
    here = sum(
        (p.to_local() if isinstance(p, DTensor) else p).numel() for p in model.parameters()
    )
    count = sum(p.numel() for p in whole.parameters())
    far = max(abs(a - b) for a, b in zip(losses, wanted, strict=True))
    if rank == 0:
        print(f"mesh {tuple(mesh.shape)} (dp, tp): {here} of {count} numbers on a rank")
        print(f"loss {losses[0]:.3f} -> {losses[-1]:.3f}, at most {far:.0e} from one process alone")
    assert far < 1e-3, (losses, wanted)
    dist.destroy_process_group()


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--world-size", type=int, default=2)
    parser.add_argument("--steps", type=int, default=30)
    args = parser.parse_args()
    os.environ["MASTER_ADDR"] = "localhost"
    with socket.create_server(("localhost", 0)) as s:  # a free port
        os.environ["MASTER_PORT"] = str(s.getsockname()[1])
    mp.spawn(train, args=(args.world_size, args.steps), nprocs=args.world_size)


if __name__ == "__main__":
    main()
