"""A job that goes on after one of its processes has died.

    python -m rushlight -m torch.distributed.run --nproc-per-node 2 --max-restarts 3 \\
        examples/distributed/restarting.py --die-in 2

The launcher gives each process its rank in the environment. Rank 0 saves a snapshot after each
epoch; when a process dies (here, with --die-in, one kills itself), all are started again, load the
snapshot and go on from there.
"""

import argparse
import os
import signal
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.elastic.multiprocessing.errors import record
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Trainer:
    def __init__(self, path):
        self.rank, self.path, self.epoch = dist.get_rank(), path, 0
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(20, 64), nn.Tanh(), nn.Linear(64, 1))
        self.optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
        if os.path.exists(path):
            snapshot = torch.load(path, weights_only=True)
            net.load_state_dict(snapshot["model"])
            self.optimizer.load_state_dict(snapshot["optimizer"])
            self.epoch = snapshot["epoch"]
            if self.rank == 0:
                print(f"going on from epoch {self.epoch}", flush=True)
        self.model = DDP(net)
        x = torch.randn(512, 20)
        data = TensorDataset(x, (x**2).mean(1, keepdim=True))
        self.sampler = DistributedSampler(data)
        self.loader = DataLoader(data, batch_size=32, sampler=self.sampler)

    def train(self, epochs, die_in):
        first = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") == "0"
        for epoch in range(self.epoch, epochs):
            self.sampler.set_epoch(epoch)
            for i, (x, y) in enumerate(self.loader):
                if first and epoch == die_in and i == 3 and self.rank == dist.get_world_size() - 1:
                    os.kill(os.getpid(), signal.SIGKILL)
                loss = nn.functional.mse_loss(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            if self.rank == 0:
                print(f"epoch {epoch}: loss {loss.item():.6f}", flush=True)
                self.save(epoch + 1)

    def save(self, epoch):
        """Whole, or not at all: a process that dies here leaves the former snapshot."""
        state = {
            "model": self.model.module.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "epoch": epoch,
        }
        torch.save(state, self.path + ".new")
        os.replace(self.path + ".new", self.path)


@record
def main():
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--die-in", type=int, default=-1, help="the epoch in which a process dies")
    parser.add_argument("--snapshot", default="", help="where; a file of this job unless given")
    args = parser.parse_args()
    job = os.environ.get("TORCHELASTIC_RUN_ID", "none")
    path = args.snapshot or os.path.join(tempfile.gettempdir(), f"snapshot-{job}.pt")
    dist.init_process_group("gloo")
    trainer = Trainer(path)
    trainer.train(args.epochs, args.die_in)
    dist.barrier()
    if trainer.rank == 0 and not args.snapshot:
        os.remove(path)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
