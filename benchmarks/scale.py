"""How training in many processes grows: a simulation of DDP and full shard on 1 to 10,000 ranks.

    python -m benchmarks.scale --parameters 124e6 --step 0.5 --latency 2e-6 --bandwidth 12.5e9

Inputs are what can be measured on a few machines: the time of a step alone, the latency and the
bandwidth between two machines, how much steps differ from rank to rank. Every rank has a clock; a
collective begins when the last rank has come and lasts as long as its messages take. What it sends
is counted by the functions below: of the algorithms that `rushlight.distributed` has now, and of
those that it would need ("with trees"). docs/scale.md explains the result.
"""

from __future__ import annotations

import argparse
import dataclasses
import math

import numpy as np

from rushlight.distributed.exchange import GATHERED, HEADER
from rushlight.distributed.world import TELL_EVERY

SIZES = (1, 2, 4, 8, 64, 512, 4096, 10_000)
BUCKET = 25 * 2**20  # bytes, DistributedDataParallel's bucket_cap_mb


@dataclasses.dataclass(frozen=True)
class Cost:
    """What one rank sends in a collective: messages one behind another, bytes to other machines,
    and bytes that it reads and writes in the memory that a machine's ranks share."""

    messages: float = 0.0
    bytes: float = 0.0
    inside: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        mine, theirs = dataclasses.astuple(self), dataclasses.astuple(other)
        return Cost(*(a + b for a, b in zip(mine, theirs, strict=True)))

    def __mul__(self, times: float) -> Cost:
        return Cost(*(a * times for a in dataclasses.astuple(self)))


@dataclasses.dataclass(frozen=True)
class Machines:
    """What is measured.

    Attributes:
        latency: seconds of an empty message between machines.
        bandwidth: bytes a second out of one machine.
        local: ranks of a machine.
        memory: bytes a second that one rank reads or writes in memory that a machine shares.
        call: seconds of Python in front of a collective.
        jitter: the standard deviation of a rank's computing time, of its mean.
        lifetime: hours until a rank's machine fails, on average.
    """

    latency: float = 2e-6
    bandwidth: float = 12.5e9
    local: int = 8
    memory: float = 8e9
    call: float = 50e-6
    jitter: float = 0.02
    lifetime: float = 50_000.0

    def seconds(self, cost: Cost, ranks: int) -> float:
        """The time of a collective: the ranks of a machine share its way out."""
        if ranks == 1:
            return 0.0
        sharing = min(self.local, ranks)
        between = cost.messages * self.latency + cost.bytes * sharing / self.bandwidth
        return self.call + between + cost.inside / self.memory


# -- what is sent ----------------------------------------------------------------------------------


def doublings(n: int) -> int:
    """Steps in which n ranks hear of one another when each step doubles what is known."""
    return math.ceil(math.log2(n)) if n > 1 else 0


def agree(n: int) -> Cost:
    """The headers of all ranks to all ranks."""
    return Cost(doublings(n), HEADER.size * (n - 1))


def agree_by_tree(n: int) -> Cost:
    """Whether all headers are equal: their least and their greatest, up a tree and down."""
    return Cost(2 * doublings(n), 4 * HEADER.size)


def all_reduce(n: int, size: float, local: int) -> Cost:
    """One machine: written once, read by each rank or, from three ranks on, in parts. Several:
    gathered whole when small, else each part by one rank."""
    if n <= local:
        return Cost(inside=size * (2 if n < 3 else 4)) if n > 1 else Cost()
    if size * n <= GATHERED:
        return agree(n) + Cost(doublings(n), size * (n - 1))
    return agree(n) + Cost(2 * (n - 1), 2 * size * (n - 1) / n)


def all_gather(n: int, size: float, local: int) -> Cost:
    """`size` bytes in all, in a ring, or read by each from all."""
    if n <= local:
        return Cost(inside=size * (1 + 1 / n)) if n > 1 else Cost()
    return agree(n) + Cost(n - 1, size * (n - 1) / n)


def reduce_scatter(n: int, size: float, local: int) -> Cost:
    """Sizes and whether they fit go round first (all_to_all), then a part to each rank."""
    if n <= local:
        return Cost(inside=2 * size) if n > 1 else Cost()
    return agree(n) + agree(n) + Cost(2 * (n - 1), size * (n - 1) / n + 8 * n)


def all_reduce_by_tree(n: int, size: float, local: int) -> Cost:
    """In shared memory first; then each rank of a machine takes its part over the machines, by
    halving and doubling."""
    if n <= local:
        return all_reduce(n, size, local)
    machines = max(1, n // local)
    own = size / local * (machines - 1) / machines
    return agree_by_tree(n) + Cost(2 * doublings(machines), 2 * own, 4 * size)


def all_gather_by_tree(n: int, size: float, local: int) -> Cost:
    """Over machines by doubling, each byte into a machine once, then in shared memory. The same
    backwards is a reduce_scatter."""
    if n <= local:
        return all_gather(n, size, local)
    machines = max(1, n // local)
    own = size / local * (machines - 1) / machines
    return agree_by_tree(n) + Cost(doublings(machines), own, size * (1 + 1 / local))


# -- steps -----------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Job:
    """One training step of one rank.

    Attributes:
        parameters: how many, of 4 bytes.
        units: blocks that are sharded one by one.
        step: seconds of forward and backward alone; a third of it is the forward.
    """

    parameters: float = 124e6
    units: int = 12
    step: float = 0.5


@dataclasses.dataclass
class Result:
    """A mean step: seconds, what a rank sends, and the share of the time in which it computes."""

    seconds: float
    cost: Cost
    efficiency: float


def ddp(job: Job, machines: Machines, n: int, trees: bool, steps: int, seed: int) -> Result:
    """Buckets are reduced behind one another while the backward goes on."""
    size = job.parameters * 4
    count = max(1, math.ceil(size / BUCKET))
    reduce_ = all_reduce_by_tree if trees else all_reduce
    each = reduce_(n, size / count, machines.local)
    rng = np.random.default_rng(seed)
    clocks, last = np.zeros(n), machines.seconds(each, n)
    for _ in range(steps):
        noise = np.maximum(0.5, rng.normal(1.0, machines.jitter, (2, n)))
        clocks += job.step / 3 * noise[0]
        lane = 0.0
        for k in range(count):  # the k-th bucket is ready after its part of the backward
            ready = clocks + 2 / 3 * job.step * noise[1] * (k + 1) / count
            if n > 1:
                lane = max(lane, float(ready.max())) + last
        clocks = np.maximum(clocks + 2 / 3 * job.step * noise[1], lane)
    seconds = float(clocks.max()) / steps
    return Result(seconds, each * count, job.step / seconds)


def full_shard(job: Job, machines: Machines, n: int, trees: bool, steps: int, seed: int) -> Result:
    """Each unit is gathered before its forward and its backward, one ahead; its gradients are
    scattered behind it."""
    size = job.parameters * 4 / job.units
    gather = (all_gather_by_tree if trees else all_gather)(n, size, machines.local)
    scatter = (all_gather_by_tree if trees else reduce_scatter)(n, size, machines.local)
    rng = np.random.default_rng(seed)
    clocks = np.zeros(n)
    gathering, scattering = machines.seconds(gather, n), machines.seconds(scatter, n)
    for _ in range(steps):
        noise = np.maximum(0.5, rng.normal(1.0, machines.jitter, (2, n)))
        lane = float(clocks.max())
        for way, share in ((0, 1 / 3), (1, 2 / 3)):
            lane += gathering
            for k in range(job.units):
                clocks = np.maximum(clocks, lane)  # this unit is there
                if k + 1 < job.units:
                    lane = max(lane, float(clocks.max())) + gathering  # and the next begun
                clocks = clocks + job.step * share / job.units * noise[way]
                if way:
                    lane = max(lane, float(clocks.max())) + scattering
        clocks = np.maximum(clocks, lane)
    seconds = float(clocks.max()) / steps
    return Result(seconds, (gather * 2 + scatter) * job.units, job.step / seconds)


def lost_to_failures(machines: Machines, n: int, checkpoint: float) -> tuple[float, float]:
    """The best time between checkpoints of `checkpoint` seconds (Young 1974), and the share of the
    job's time that checkpoints and repeated steps take."""
    between = machines.lifetime * 3600 / n
    best = math.sqrt(2 * checkpoint * between)
    return best, min(1.0, checkpoint / best + best / (2 * between))


def book(n: int) -> tuple[float, int]:
    """Rank 0's book: how often a rank tells it where it stands, and its connections."""
    return TELL_EVERY * max(1, n / 64), 3 * n


def table(job: Job, machines: Machines, sizes: tuple[int, ...], steps: int, seed: int) -> str:
    """All of it, one line for each number of ranks."""
    lines = [
        f"{job.parameters / 1e6:g} M parameters, {job.units} units, {job.step:g} s a step alone; "
        f"{machines.latency * 1e6:g} us, {machines.bandwidth / 1e9:g} GB/s out of a machine of "
        f"{machines.local} ranks; jitter {machines.jitter:.0%}; seed {seed}",
        "",
        "| ranks | DDP: step, efficiency | messages, MB between machines | with trees | "
        "full shard: step, efficiency | messages, MB between machines | with trees | "
        "told after, connections of rank 0 | checkpoint every, lost |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for n in sizes:
        found = []
        for way in (ddp, full_shard):
            now, then = (way(job, machines, n, trees, steps, seed) for trees in (False, True))
            found += [
                f"{now.seconds:.3g} s, {now.efficiency:.0%}",
                f"{now.cost.messages:,.0f}, {now.cost.bytes / 1e6:,.0f}",
                f"{then.seconds:.3g} s, {then.efficiency:.0%}",
            ]
        told, connections = book(n)
        every, lost = lost_to_failures(machines, n, 30.0)
        found += [f"{told:.1f} s, {connections:,}", f"{every / 60:,.0f} min, {lost:.1%}"]
        lines.append(f"| {n:,} | " + " | ".join(found) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the table for what is given."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    for about in (Job(), Machines()):
        for field in dataclasses.fields(about):
            value = getattr(about, field.name)
            parser.add_argument(f"--{field.name}", type=type(value), default=value)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    given = vars(parser.parse_args())
    steps, seed = given.pop("steps"), given.pop("seed")
    of = {cls: {f.name: given[f.name] for f in dataclasses.fields(cls)} for cls in (Job, Machines)}
    print(table(Job(**of[Job]), Machines(**of[Machines]), SIZES, steps, seed))


if __name__ == "__main__":
    main()
