"""A siamese network: one ResNet looks at two digits, and a small head says whether they are alike.

python main.py --data DIR [--epochs 14] [--dry-run]
"""

import argparse
import random

import torch
import torchvision
from torch import nn, optim
from torch.optim.lr_scheduler import StepLR
from torchvision import datasets


class SiameseNetwork(nn.Module):
    """ResNet-18 on one channel, without its classifier, twice with the same weights."""

    def __init__(self):
        super().__init__()
        resnet = torchvision.models.resnet18(weights=None)
        resnet.conv1 = nn.Conv2d(1, 64, kernel_size=(7, 7), stride=(2, 2), padding=3, bias=False)
        self.fc_in_features = resnet.fc.in_features
        self.resnet = nn.Sequential(*list(resnet.children())[:-1])
        self.fc = nn.Sequential(
            nn.Linear(self.fc_in_features * 2, 256),
            nn.ReLU(inplace=True),
            nn.Linear(256, 1),
        )
        self.sigmoid = nn.Sigmoid()
        self.resnet.apply(self.init_weights)
        self.fc.apply(self.init_weights)

    def init_weights(self, m):
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight)
            m.bias.data.fill_(0.01)

    def forward_once(self, x):
        output = self.resnet(x)
        return output.view(output.size(0), -1)

    def forward(self, input1, input2):
        both = torch.cat((self.forward_once(input1), self.forward_once(input2)), 1)
        return self.sigmoid(self.fc(both))


class APP_MATCHER(torch.utils.data.Dataset):
    """Pairs of digits: at even places of the same class (target 1), at odd places of two."""

    def __init__(self, root, train, download=False):
        super().__init__()
        self.dataset = datasets.MNIST(root, train=train, download=download)
        # Scaled here once rather than by a transform at every look.
        self.data = self.dataset.data.unsqueeze(1).clone().float() / 255
        self.group_examples()

    def group_examples(self):
        """The places of each class."""
        targets = self.dataset.targets
        self.grouped = {i: torch.where(targets == i)[0].tolist() for i in range(10)}

    def __len__(self):
        return self.data.shape[0]

    def __getitem__(self, index):
        first_class = random.randint(0, 9)
        first = random.choice(self.grouped[first_class])
        if index % 2 == 0:
            second = first
            while second == first:
                second = random.choice(self.grouped[first_class])
            target = torch.tensor(1, dtype=torch.float)
        else:
            other_class = random.randint(0, 9)
            while other_class == first_class:
                other_class = random.randint(0, 9)
            second = random.choice(self.grouped[other_class])
            target = torch.tensor(0, dtype=torch.float)
        return self.data[first].clone(), self.data[second].clone(), target


def train(args, model, device, loader, optimizer, epoch):
    model.train()
    criterion = nn.BCELoss()
    for batch, (images_1, images_2, targets) in enumerate(loader):
        images_1, images_2, targets = images_1.to(device), images_2.to(device), targets.to(device)
        optimizer.zero_grad()
        outputs = model(images_1, images_2).squeeze()
        loss = criterion(outputs, targets)
        loss.backward()
        optimizer.step()
        if batch % args.log_interval == 0:
            seen, done = batch * len(images_1), 100.0 * batch / len(loader)
            print(
                f"Train Epoch: {epoch} [{seen}/{len(loader.dataset)} ({done:.0f}%)]"
                f"\tLoss: {loss.item():.6f}"
            )
        if args.dry_run:
            break


def test(args, model, device, loader):
    model.eval()
    loss, correct, count = 0.0, 0, 0
    criterion = nn.BCELoss(reduction="sum")
    with torch.no_grad():
        for images_1, images_2, targets in loader:
            images_1, images_2 = images_1.to(device), images_2.to(device)
            targets = targets.to(device)
            outputs = model(images_1, images_2).squeeze()
            loss += criterion(outputs, targets).item()
            said = torch.where(outputs > 0.5, 1, 0)
            correct += said.eq(targets.view_as(said)).sum().item()
            count += len(targets)
            if args.dry_run:
                break
    print(
        f"\nTest set: Average loss: {loss / count:.4f}, "
        f"Accuracy: {correct}/{count} ({100.0 * correct / count:.0f}%)\n"
    )


def main():
    parser = argparse.ArgumentParser(description="Siamese network on MNIST")
    parser.add_argument("--batch-size", type=int, default=64, metavar="N")
    parser.add_argument("--test-batch-size", type=int, default=1000, metavar="N")
    parser.add_argument("--epochs", type=int, default=14, metavar="N")
    parser.add_argument("--lr", type=float, default=1.0, metavar="LR")
    parser.add_argument("--gamma", type=float, default=0.7, metavar="M")
    parser.add_argument("--no-accel", action="store_true", help="use no accelerator")
    parser.add_argument("--dry-run", action="store_true", help="one batch an epoch")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--log-interval", type=int, default=10, metavar="N")
    parser.add_argument("--save-model", action="store_true", help="save the trained model")
    parser.add_argument("--data", default="../data", help="where MNIST is, or goes")
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    random.seed(args.seed)
    use_accel = not args.no_accel and torch.accelerator.is_available()
    device = torch.accelerator.current_accelerator() if use_accel else torch.device("cpu")

    train_set = APP_MATCHER(args.data, train=True, download=True)
    test_set = APP_MATCHER(args.data, train=False)
    train_loader = torch.utils.data.DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    test_loader = torch.utils.data.DataLoader(test_set, batch_size=args.test_batch_size)

    model = SiameseNetwork().to(device)
    optimizer = optim.Adadelta(model.parameters(), lr=args.lr)
    scheduler = StepLR(optimizer, step_size=1, gamma=args.gamma)
    for epoch in range(1, args.epochs + 1):
        train(args, model, device, train_loader, optimizer, epoch)
        test(args, model, device, test_loader)
        scheduler.step()
    if args.save_model:
        torch.save(model.state_dict(), "siamese_network.pt")


if __name__ == "__main__":
    main()
