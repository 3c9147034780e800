"""A variational autoencoder (Kingma and Welling, 2013) of handwritten digits.

    python main.py --data DIR [--epochs 10] [--dry-run]

After each epoch `results/reconstruction_N.png` shows digits above what the model makes of them,
and `results/sample_N.png` digits that it dreamed.
"""

import argparse
import os

import torch
from torch import nn, optim
from torch.nn import functional as F
from torchvision import datasets, transforms
from torchvision.utils import save_image


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 400)
        self.fc21 = nn.Linear(400, 20)  # the mean
        self.fc22 = nn.Linear(400, 20)  # the logarithm of the variance
        self.fc3 = nn.Linear(20, 400)
        self.fc4 = nn.Linear(400, 784)

    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.fc21(h), self.fc22(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def decode(self, z):
        return torch.sigmoid(self.fc4(F.relu(self.fc3(z))))

    def forward(self, x):
        mu, logvar = self.encode(x.view(-1, 784))
        return self.decode(self.reparameterize(mu, logvar)), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    """How badly the picture is told, and how far the code is from a standard normal one."""
    bce = F.binary_cross_entropy(recon_x, x.view(-1, 784), reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + kld


def train(args, model, device, loader, optimizer, epoch):
    model.train()
    total, seen = 0.0, 0
    for batch, (data, _) in enumerate(loader):
        data = data.to(device)
        optimizer.zero_grad()
        recon, mu, logvar = model(data)
        loss = loss_function(recon, data, mu, logvar)
        loss.backward()
        total += loss.item()
        seen += len(data)
        optimizer.step()
        if batch % args.log_interval == 0:
            at, done = batch * len(data), 100.0 * batch / len(loader)
            print(
                f"Train Epoch: {epoch} [{at}/{len(loader.dataset)} ({done:.0f}%)]"
                f"\tLoss: {loss.item() / len(data):.6f}"
            )
        if args.dry_run:
            break
    print(f"====> Epoch: {epoch} Average loss: {total / seen:.4f}")


def test(args, model, device, loader, epoch):
    model.eval()
    total, seen = 0.0, 0
    with torch.no_grad():
        for i, (data, _) in enumerate(loader):
            data = data.to(device)
            recon, mu, logvar = model(data)
            total += loss_function(recon, data, mu, logvar).item()
            seen += len(data)
            if i == 0:
                n = min(data.size(0), 8)
                both = torch.cat([data[:n], recon.view(-1, 1, 28, 28)[:n]])
                save_image(both.cpu(), f"{args.results}/reconstruction_{epoch}.png", nrow=n)
            if args.dry_run:
                break
    print(f"====> Test set loss: {total / seen:.4f}")


def main():
    parser = argparse.ArgumentParser(description="VAE of MNIST")
    parser.add_argument("--batch-size", type=int, default=128, metavar="N")
    parser.add_argument("--epochs", type=int, default=10, metavar="N")
    parser.add_argument("--no-accel", action="store_true", help="use no accelerator")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--log-interval", type=int, default=10, metavar="N")
    parser.add_argument("--workers", type=int, default=0, help="data loading processes")
    parser.add_argument("--dry-run", action="store_true", help="one batch an epoch")
    parser.add_argument("--data", default="../data", help="where MNIST is, or goes")
    parser.add_argument("--results", default="results", help="where the pictures go")
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    use_accel = not args.no_accel and torch.accelerator.is_available()
    device = torch.accelerator.current_accelerator() if use_accel else torch.device("cpu")
    print(f"Using device: {device}")
    os.makedirs(args.results, exist_ok=True)

    loading = {"batch_size": args.batch_size, "num_workers": args.workers, "pin_memory": use_accel}
    digits = transforms.ToTensor()
    train_loader = torch.utils.data.DataLoader(
        datasets.MNIST(args.data, train=True, download=True, transform=digits),
        shuffle=True,
        **loading,
    )
    test_loader = torch.utils.data.DataLoader(
        datasets.MNIST(args.data, train=False, transform=digits), shuffle=False, **loading
    )
    model = VAE().to(device)
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(1, args.epochs + 1):
        train(args, model, device, train_loader, optimizer, epoch)
        test(args, model, device, test_loader, epoch)
        with torch.no_grad():
            sample = model.decode(torch.randn(64, 20).to(device)).cpu()
            save_image(sample.view(64, 1, 28, 28), f"{args.results}/sample_{epoch}.png")


if __name__ == "__main__":
    main()
