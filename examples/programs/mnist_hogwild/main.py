"""Hogwild: several processes train one model in shared memory, without locks.

python main.py --data DIR [--num-processes 2] [--dry-run]
"""

import argparse

import torch
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional as F
from torchvision import datasets, transforms
from train import test, train


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, kernel_size=5)
        self.conv2 = nn.Conv2d(10, 20, kernel_size=5)
        self.conv2_drop = nn.Dropout2d()
        self.fc1 = nn.Linear(320, 50)
        self.fc2 = nn.Linear(50, 10)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))  # (N, 10, 12, 12)
        x = F.relu(F.max_pool2d(self.conv2_drop(self.conv2(x)), 2))  # (N, 20, 4, 4)
        x = F.relu(self.fc1(x.view(-1, 320)))
        x = F.dropout(x, training=self.training)
        return F.log_softmax(self.fc2(x), dim=1)


def arguments():
    parser = argparse.ArgumentParser(description="MNIST by Hogwild")
    parser.add_argument("--batch-size", type=int, default=64, metavar="N")
    parser.add_argument("--test-batch-size", type=int, default=1000, metavar="N")
    parser.add_argument("--epochs", type=int, default=10, metavar="N")
    parser.add_argument("--lr", type=float, default=0.01, metavar="LR")
    parser.add_argument("--momentum", type=float, default=0.5, metavar="M")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--log-interval", type=int, default=10, metavar="N")
    parser.add_argument("--num-processes", type=int, default=2, metavar="N")
    parser.add_argument("--cuda", action="store_true", help="train on a GPU")
    parser.add_argument("--save_model", action="store_true", help="save the trained model")
    parser.add_argument("--dry-run", action="store_true", help="one batch a process")
    parser.add_argument("--data", default="../data", help="where MNIST is, or goes")
    return parser.parse_args()


def main():
    args = arguments()
    use_cuda = args.cuda and torch.cuda.is_available()
    device = torch.device("cuda" if use_cuda else "cpu")
    transform = transforms.Compose(
        [transforms.ToTensor(), transforms.Normalize((0.1307,), (0.3081,))]
    )
    train_set = datasets.MNIST(args.data, train=True, download=True, transform=transform)
    test_set = datasets.MNIST(args.data, train=False, transform=transform)
    loading = {"batch_size": args.batch_size, "shuffle": True}
    if use_cuda:
        loading.update({"num_workers": 1, "pin_memory": True})

    torch.manual_seed(args.seed)
    mp.set_start_method("spawn", force=True)

    model = Net().to(device)
    model.share_memory()  # its gradients are made by each process for itself

    processes = []
    for rank in range(args.num_processes):
        p = mp.Process(target=train, args=(rank, args, model, device, train_set, loading))
        p.start()
        processes.append(p)
    for p in processes:
        p.join()
    if any(p.exitcode != 0 for p in processes):
        raise SystemExit("a training process failed")

    test(args, model, device, test_set, loading)
    if args.save_model:
        torch.save(model.state_dict(), "mnist_hogwild.pt")


if __name__ == "__main__":
    main()
