"""DistributedDataParallel in the shape of PyTorch's tutorial: a toy model, then a checkpoint.

    python -m rushlight examples/distributed/ddp_tutorial.py            # Rushlight
    python examples/distributed/ddp_tutorial.py                         # PyTorch

Processes are started by `torch.multiprocessing.spawn` and find each other at MASTER_ADDR and
MASTER_PORT. `--world-size` says how many.
"""

import argparse
import os
import socket
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn, optim
from torch.nn.parallel import DistributedDataParallel as DDP


def setup(rank, world_size):
    dist.init_process_group("gloo", rank=rank, world_size=world_size)
    torch.manual_seed(rank)  # DDP gives all ranks the parameters of rank 0


def cleanup():
    dist.destroy_process_group()


class ToyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.net1 = nn.Linear(10, 10)
        self.relu = nn.ReLU()
        self.net2 = nn.Linear(10, 5)

    def forward(self, x):
        return self.net2(self.relu(self.net1(x)))


def learn(model, optimizer, rank, steps):
    """Fit a linear map on data of this rank's own; the loss of all ranks at the end."""
    target = torch.linspace(-1, 1, 50).reshape(5, 10)
    for step in range(steps):
        torch.manual_seed(1000 * step + rank)
        x = torch.randn(20, 10)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), x @ target.T)
        loss.backward()  # gradients are averaged over the ranks here
        optimizer.step()
    total = loss.detach()
    dist.all_reduce(total)
    return total.item() / dist.get_world_size()


def demo_basic(rank, world_size):
    setup(rank, world_size)
    model = DDP(ToyModel())
    optimizer = optim.SGD(model.parameters(), lr=0.05)
    first, last = learn(model, optimizer, rank, 1), learn(model, optimizer, rank, 100)
    weights = model.module.net1.weight.detach()
    of_all = [torch.empty_like(weights) for _ in range(world_size)]
    dist.all_gather(of_all, weights)
    assert all(torch.equal(w, weights) for w in of_all), "ranks have different parameters"
    if rank == 0:
        print(f"basic: loss {first:.3f} -> {last:.3f} on {world_size} ranks, equal parameters")
    cleanup()


def demo_checkpoint(rank, world_size, path):
    setup(rank, world_size)
    model = DDP(ToyModel())
    if rank == 0:
        torch.save(model.state_dict(), path)
    dist.barrier()  # nobody loads before rank 0 has saved
    model.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))
    loss = learn(model, optim.SGD(model.parameters(), lr=0.05), rank, 100)
    dist.barrier()
    if rank == 0:
        print(f"checkpoint: loss {loss:.3f} after loading")
    cleanup()


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--world-size", type=int, default=2)
    args = parser.parse_args()
    os.environ["MASTER_ADDR"] = "localhost"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.pt")
        for demo, more in ((demo_basic, ()), (demo_checkpoint, (path,))):
            with socket.create_server(("localhost", 0)) as s:  # a free port
                os.environ["MASTER_PORT"] = str(s.getsockname()[1])
            mp.spawn(demo, args=(args.world_size, *more), nprocs=args.world_size)


if __name__ == "__main__":
    main()
