"""Training in the shape of PyTorch's ImageNet example, on images that are made up.

    python -m rushlight examples/distributed/imagenet.py --multiprocessing-distributed

One process for each of `--processes` is started on this machine, as the original starts one for
each GPU; with `--world-size 2 --rank 0|1 --dist-url tcp://FIRST-MACHINE:PORT` on two machines.
The networks are torchvision's. Without `--multiprocessing-distributed` it is one process.
"""

import argparse
import os
import tempfile
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler
from torchvision import models


def parse():
    parser = argparse.ArgumentParser(description=(__doc__ or " ").splitlines()[0])
    add = parser.add_argument
    add("-a", "--arch", default="resnet18")
    add("-j", "--workers", type=int, default=0, help="loader processes of each rank")
    add("--epochs", type=int, default=2)
    add("-b", "--batch-size", type=int, default=32, help="of all processes of a machine together")
    add("--lr", type=float, default=0.01)
    add("--momentum", type=float, default=0.9)
    add("--wd", type=float, default=1e-4)
    add("-p", "--print-freq", type=int, default=8)
    add("--resume", default="", help="a checkpoint")
    add("--out", default="", help="where checkpoints go; a temporary folder unless given")
    add("--world-size", type=int, default=1, help="machines")
    add("--rank", type=int, default=0, help="of this machine")
    add("--dist-url", default="", help="tcp://ADDRESS:PORT of the first machine")
    add("--dist-backend", default="gloo")
    add("--seed", type=int, default=0)
    add("--processes", type=int, default=2, help="on this machine, where it has no GPUs")
    add("--multiprocessing-distributed", action="store_true")
    add("--images", type=int, default=256)
    add("--size", type=int, default=32)
    add("--classes", type=int, default=8)
    return parser.parse_args()


class MadeUp(Dataset):
    """Images of noise, whose class stands in their mean."""

    def __init__(self, count, size, classes):
        self.count, self.size, self.classes = count, size, classes

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        label = i % self.classes
        noise = torch.randn(3, self.size, self.size, generator=torch.Generator().manual_seed(i))
        return noise + label / self.classes, label


class AverageMeter:
    """A sum and a count; `all_reduce` adds up those of all ranks."""

    def __init__(self, name):
        self.name, self.sum, self.count = name, 0.0, 0

    def update(self, value, n=1):
        self.sum += value * n
        self.count += n

    def all_reduce(self):
        total = torch.tensor([self.sum, self.count], dtype=torch.float64)
        dist.all_reduce(total)
        self.sum, self.count = total.tolist()

    def __str__(self):
        return f"{self.name} {self.sum / max(1, self.count):.3f}"


def accuracy(output, target, topk):
    """The share of images whose class is among the k most likely, in percent, for each k."""
    _, guessed = output.topk(max(topk), 1)
    right = guessed.eq(target[:, None])
    return [100.0 * right[:, :k].any(1).float().mean().item() for k in topk]


def main():
    args = parse()
    per_node = torch.cuda.device_count() or args.processes
    with tempfile.TemporaryDirectory() as folder:
        args.out = args.out or folder
        if not args.multiprocessing_distributed:
            main_worker(0, 1, args)
            return
        args.dist_url = args.dist_url or f"file://{folder}/meet"
        args.world_size *= per_node
        mp.spawn(main_worker, args=(per_node, args), nprocs=per_node)


def main_worker(local, per_node, args):
    args.distributed = args.multiprocessing_distributed
    if args.distributed:
        args.rank = args.rank * per_node + local
        dist.init_process_group(
            args.dist_backend, init_method=args.dist_url, world_size=args.world_size, rank=args.rank
        )
    torch.manual_seed(args.seed)
    model = models.__dict__[args.arch](num_classes=args.classes)
    if args.distributed:
        args.batch_size //= per_node
        model = nn.parallel.DistributedDataParallel(model)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(
        model.parameters(), args.lr, momentum=args.momentum, weight_decay=args.wd
    )
    scheduler = StepLR(optimizer, step_size=30, gamma=0.1)
    start = 0
    if args.resume:
        checkpoint = torch.load(args.resume, map_location="cpu", weights_only=True)
        start = checkpoint["epoch"]
        model.load_state_dict(checkpoint["state_dict"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        scheduler.load_state_dict(checkpoint["scheduler"])
    training = MadeUp(args.images, args.size, args.classes)
    sampler = DistributedSampler(training) if args.distributed else None
    train_loader = DataLoader(
        training, args.batch_size, shuffle=sampler is None, sampler=sampler,
        num_workers=args.workers,
    )  # fmt: skip
    held_out = MadeUp(args.images // 2, args.size, args.classes)
    val_sampler = DistributedSampler(held_out, shuffle=False) if args.distributed else None
    val_loader = DataLoader(held_out, args.batch_size, sampler=val_sampler)
    for epoch in range(start, args.epochs):
        if sampler is not None:
            sampler.set_epoch(epoch)  # another order in each epoch, the same for all ranks
        train(train_loader, model, criterion, optimizer, epoch, args)
        top1 = validate(val_loader, model, criterion, args)
        scheduler.step()
        if args.rank == 0:
            path = os.path.join(args.out, "checkpoint.pth.tar")
            torch.save(
                {"epoch": epoch + 1, "arch": args.arch, "state_dict": model.state_dict(),
                 "best_acc1": top1, "optimizer": optimizer.state_dict(),
                 "scheduler": scheduler.state_dict()},
                path,
            )  # fmt: skip
    if args.distributed:
        dist.destroy_process_group()


def train(loader, model, criterion, optimizer, epoch, args):
    losses, top1, took = AverageMeter("loss"), AverageMeter("acc@1"), AverageMeter("seconds")
    model.train()
    end = time.time()
    for i, (images, target) in enumerate(loader):
        output = model(images)
        loss = criterion(output, target)
        losses.update(loss.item(), len(images))
        top1.update(accuracy(output, target, (1,))[0], len(images))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        took.update(time.time() - end)
        end = time.time()
        if args.rank == 0 and i % args.print_freq == 0:
            print(f"epoch {epoch} [{i}/{len(loader)}] {took}  {losses}  {top1}", flush=True)


def validate(loader, model, criterion, args):
    losses, top1, top5 = (AverageMeter(n) for n in ("loss", "acc@1", "acc@5"))
    model.eval()
    with torch.no_grad():
        for images, target in loader:
            output = model(images)
            losses.update(criterion(output, target).item(), len(images))
            one, five = accuracy(output, target, (1, 5))
            top1.update(one, len(images))
            top5.update(five, len(images))
    if args.distributed:
        for meter in (losses, top1, top5):
            meter.all_reduce()
    if args.rank == 0:
        print(f" * {losses}  {top1}  {top5}  ({top1.count:.0f} images)", flush=True)
    return top1.sum / top1.count


if __name__ == "__main__":
    main()
