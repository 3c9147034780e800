"""What recording a step costs (`rushlight.explain`): time and memory, for five networks.

    python -m benchmarks.explain              the table
    python -m benchmarks.explain --only GPT   one of them

Recorded and unrecorded rounds of three steps alternate, so that a machine that gets slower or
faster in the meantime slows down both; times are of the processor, which suffers less from company.
Memory is the most that a process had (resident), of two processes that make the same steps.
Figures are worth something only when nothing else runs on the machine. Limits: 2.5 times the time,
1.3 times the memory.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight import explain, nn
from rushlight.nn import functional as F

from . import models

MOST_TIME, MOST_MEMORY = 2.5, 1.3
STEPS = 3  # that one recording has, as of the command


def trained(
    model: Any, optimizer: Any, loss: Callable[[Any], Any], *inputs: Any
) -> Callable[[], None]:
    """A function that makes one step of training."""

    def step() -> None:
        optimizer.zero_grad()
        loss(model(*inputs)).backward()
        optimizer.step()

    return step


def mnist() -> Callable[[], None]:
    """The small convolutional network, 64 digits a batch."""
    model, target = models.mnist(torch), torch.randint(0, 10, (64,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.5)
    x = torch.randn(64, 1, 28, 28)
    return trained(model, optimizer, lambda y: F.nll_loss(y, target), x)


def resnet50() -> Callable[[], None]:
    """ResNet-50, 4 images of 64 by 64."""
    model, target = models.resnet50(torch), torch.randint(0, 1000, (4,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x = torch.randn(4, 3, 64, 64)
    return trained(model, optimizer, lambda y: F.cross_entropy(y, target), x)


def lstm() -> Callable[[], None]:
    """Two layers of 128 cells, 32 texts of 35 words."""

    class Language(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(1000, 128)
            self.cells = nn.LSTM(128, 128, 2, batch_first=True)
            self.head = nn.Linear(128, 1000)

        def forward(self, x: Any) -> Any:
            return self.head(self.cells(self.words(x))[0])

    model, x = Language(), torch.randint(0, 1000, (32, 35))
    optimizer = torch.optim.Adam(model.parameters())
    return trained(
        model, optimizer, lambda y: F.cross_entropy(y.flatten(0, 1), x.flatten()), x
    )


def gpt() -> Callable[[], None]:
    """Four blocks of width 128, 8 texts of 64 letters."""
    model = models.gpt(torch, letters=65, context=64, width=128, layers=4, heads=4)
    x, target = (torch.randint(0, 65, (8, 64)) for _ in range(2))
    optimizer = torch.optim.AdamW(model.parameters())
    return trained(
        model, optimizer, lambda y: F.cross_entropy(y.flatten(0, 1), target.flatten()), x
    )


def dcgan() -> Callable[[], None]:
    """A generator and a discriminator of images of 32 by 32, 16 a batch."""
    made = models.generator(torch, 64, 256)
    judge = nn.Sequential(
        nn.Conv2d(3, 64, 4, 2, 1), nn.LeakyReLU(0.2),
        nn.Conv2d(64, 128, 4, 2, 1, bias=False), nn.BatchNorm2d(128), nn.LeakyReLU(0.2),
        nn.Conv2d(128, 256, 4, 2, 1, bias=False), nn.BatchNorm2d(256), nn.LeakyReLU(0.2),
        nn.Conv2d(256, 1, 4), nn.Flatten(), nn.Sigmoid(),
    )  # fmt: skip
    first = torch.optim.Adam(judge.parameters(), lr=2e-4, betas=(0.5, 0.999))
    second = torch.optim.Adam(made.parameters(), lr=2e-4, betas=(0.5, 0.999))
    real, ones, zeros = torch.randn(16, 3, 32, 32), torch.ones(16, 1), torch.zeros(16, 1)

    def step() -> None:
        fake = made(torch.randn(16, 64, 1, 1))
        judge.zero_grad()
        F.binary_cross_entropy(judge(real), ones).backward()
        F.binary_cross_entropy(judge(fake.detach()), zeros).backward()
        first.step()
        made.zero_grad()
        F.binary_cross_entropy(judge(fake), ones).backward()
        second.step()

    return step


WORK = {"MNIST": mnist, "ResNet-50": resnet50, "LSTM": lstm, "GPT": gpt, "DCGAN": dcgan}


def round_of(step: Callable[[], None], recorded: bool) -> tuple[float, float]:
    """Seconds of the processor of one step, and of making the recording and its page's data."""
    if not recorded:
        begun = time.process_time()
        for _ in range(STEPS):
            step()
        return (time.process_time() - begun) / STEPS, 0.0
    with explain.recording() as session:
        begun = time.process_time()
        for _ in range(STEPS):
            step()
        taken = (time.process_time() - begun) / STEPS
    begun = time.process_time()
    found = session.recording
    assert found.events
    assert not found.left_out
    return taken, time.process_time() - begun


def once(name: str, recorded: bool) -> float:
    """Megabytes that a process needs for some steps."""
    torch.manual_seed(0)
    step = WORK[name]()
    for k in range(3):
        round_of(step, recorded and k == 1)
    with open("/proc/self/status", encoding="utf-8") as file:  # of this program, not its parent
        line = next(line for line in file if line.startswith("VmHWM"))
    return float(line.split()[1]) / 1024


def memory(name: str, recorded: bool) -> float:
    """The same, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.explain", "--once", name]
    command += ["--recorded"] if recorded else []
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def compare(name: str, rounds: int) -> tuple[list[float], list[float], float]:
    """Seconds of unrecorded and recorded steps, and of what comes behind a recording."""
    torch.manual_seed(0)
    step = WORK[name]()
    plain: list[float] = []
    recorded: list[float] = []
    behind: list[float] = []
    for k in range(rounds + 1):
        a, (b, c) = round_of(step, False)[0], round_of(step, True)
        if k:  # the first round compiles kernels
            plain.append(a)
            recorded.append(b)
            behind.append(c)
    return plain, recorded, statistics.median(behind)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", choices=WORK)
    parser.add_argument("--once", choices=WORK, help=argparse.SUPPRESS)
    parser.add_argument("--recorded", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.once:
        print(once(args.once, args.recorded))
        return
    print(f"{'':10} {'step':>9} {'recorded':>9} {'times':>6} {'MB':>6} {'recorded':>9} {'times':>6}"
          f" {'afterwards':>11}")  # fmt: skip
    missed = []
    for name in [args.only] if args.only else WORK:
        plain, recorded, behind = compare(name, args.rounds)
        a, b = statistics.median(plain), statistics.median(recorded)
        m, n = memory(name, False), memory(name, True)
        print(f"{name:10} {a * 1e3:6.1f} ms {b * 1e3:6.1f} ms {b / a:6.2f} {m:6.0f} {n:9.0f}"
              f" {n / m:6.2f} {behind * 1e3:8.0f} ms", flush=True)  # fmt: skip
        if b / a > MOST_TIME or n / m > MOST_MEMORY:
            missed.append(name)
    if missed:
        raise SystemExit(f"over the limits: {', '.join(missed)}")


if __name__ == "__main__":
    main()
