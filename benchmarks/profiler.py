"""The profiler over training steps of ResNet-18: what it accounts for, and what it costs.

    python -m benchmarks.profiler                 ten steps, images as CIFAR's, 8 a batch
    python -m benchmarks.profiler --trace t.json  and a trace of them

Profiled and unprofiled steps alternate, so that a machine that gets slower or faster in the
meantime slows down both. Figures are worth something only when nothing else runs on the machine;
processor time (second line) suffers less from company. Limits: operations at the top level account
for 95 % of the clock on the wall, recording costs at most 30 %.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import rushlight as torch
from rushlight.nn import functional as F
from rushlight.profiler import profile, record_function

from . import models

LEAST_ACCOUNTED, MOST_COST = 0.95, 1.30


def training(batch: int) -> Callable[[], None]:
    """A function that makes one step of training."""
    torch.manual_seed(0)
    model = models.resnet18(torch, classes=10, small=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    x, target = torch.randn(batch, 3, 32, 32), torch.randint(0, 10, (batch,))

    def step() -> None:
        optimizer.zero_grad()
        F.cross_entropy(model(x), target).backward()
        optimizer.step()

    return step


def timed(step: Callable[[], None]) -> tuple[float, float]:
    """Seconds of one step: on the wall, of the processor."""
    wall, processor = time.perf_counter(), time.process_time()
    step()
    return time.perf_counter() - wall, time.process_time() - processor


def small() -> None:
    """What a single small operation costs, in and out of a profile."""
    a = torch.ones(4, 4)

    def per_call(fn: Callable[[], Any], number: int = 20_000) -> float:
        start = time.perf_counter()
        for _ in range(number):
            fn()
        return (time.perf_counter() - start) / number * 1e6

    def marked() -> None:
        with record_function("mark"):
            pass

    off = per_call(lambda: a + a), per_call(marked)
    with profile():
        on = per_call(lambda: a + a), per_call(marked)
    print(f"a + a            off {off[0]:6.2f} µs   on {on[0]:6.2f} µs")
    print(f"record_function  off {off[1]:6.2f} µs   on {on[1]:6.2f} µs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--rows", type=int, default=12)
    parser.add_argument("--trace", help="write a trace of the recorded steps to this file")
    options = parser.parse_args()
    step = training(options.batch_size)
    for _ in range(2):
        step()
    plain, recorded, accounted, events = [], [], [], 0
    for _ in range(options.steps):
        plain.append(timed(step))
        with profile() as prof:
            recorded.append(timed(step))
        found = prof.events()
        events += len(found)
        top = sum(e.cpu_time_total for e in found if e.cpu_parent is None) / 1e6
        accounted.append(top / recorded[-1][0])
    wall = sum(w for w, _ in recorded)
    ratio = sum(a * w for a, (w, _) in zip(accounted, recorded, strict=True)) / wall
    cost = statistics.median(w for w, _ in recorded) / statistics.median(w for w, _ in plain)
    processor = sum(p for _, p in recorded) / sum(p for _, p in plain)
    with profile(record_shapes=True, with_flops=True, profile_memory=True) as prof:
        for _ in range(options.steps):
            step()
    print(prof.key_averages().table(sort_by="self_cpu_time_total", row_limit=options.rows))
    if options.trace:
        prof.export_chrome_trace(options.trace)
    print(f"wall clock of {options.steps} recorded steps   {wall:8.3f} s")
    print(f"sum of the events at the top       {ratio * wall:8.3f} s")
    print(f"accounted for                      {ratio:8.1%}   (at least {LEAST_ACCOUNTED:.0%})")
    print(f"cost on, wall clock (medians)      {cost - 1:8.1%}   (at most {MOST_COST - 1:.0%})")
    print(f"cost on, processor time            {processor - 1:8.1%}")
    print(f"events a step                      {events / options.steps:8.0f}")
    small()
    print("cost off                           none: tests/profiler/test_swaps.py finds the same")
    print("                                   functions in place before and after")


if __name__ == "__main__":
    main()
