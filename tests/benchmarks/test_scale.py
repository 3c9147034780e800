"""The simulation of many ranks (benchmarks/scale.py), against what can be known without it."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import scale
from benchmarks.scale import Cost, Job, Machines

QUIET = Machines(jitter=0.0)


@pytest.mark.parametrize("way", [scale.ddp, scale.full_shard])
def test_one_rank_pays_nothing(way):
    found = way(Job(step=0.5), QUIET, 1, False, 4, 0)
    assert found.seconds == pytest.approx(0.5)
    assert found.cost == Cost()


@pytest.mark.parametrize("n", [16, 64, 512])
def test_messages_and_bytes_are_those_of_the_formulas(n):
    size, m = 1e8, 8
    found = scale.all_reduce(n, size, m)
    headers = scale.agree(n)
    assert found.messages - headers.messages == 2 * (n - 1)
    assert found.bytes - headers.bytes == pytest.approx(2 * size * (n - 1) / n)
    tree = scale.all_reduce_by_tree(n, size, m)
    assert tree.bytes < found.bytes / 4
    assert tree.messages <= 4 * np.ceil(np.log2(n))


def test_a_bucket_that_is_late_ends_the_step():
    """Without jitter: the first bucket is there after its part of the backward, and the others
    follow one behind another."""
    job, n = Job(parameters=200e6, step=0.1), 64
    count = int(np.ceil(job.parameters * 4 / scale.BUCKET))
    each = QUIET.seconds(scale.all_reduce(n, job.parameters * 4 / count, QUIET.local), n)
    found = scale.ddp(job, QUIET, n, False, 3, 0)
    backward = 2 / 3 * job.step
    assert each > backward / count  # the network is what it waits for
    assert found.seconds == pytest.approx(job.step / 3 + backward / count + count * each)


def test_a_step_that_computes_long_hides_what_is_sent():
    found = scale.ddp(Job(parameters=1e6, step=1.0), QUIET, 64, False, 3, 0)
    assert 0.98 < found.efficiency <= 1.0


def test_the_slowest_of_many():
    few, many = (
        scale.ddp(Job(parameters=1e3), Machines(jitter=0.05), n, True, 20, 1).seconds
        for n in (2, 1000)
    )
    assert many > few * 1.05


def test_checkpoints_are_made_as_often_as_is_best():
    every, lost = scale.lost_to_failures(QUIET, 1000, 30.0)
    between = QUIET.lifetime * 3600 / 1000

    def share(t):
        return 30.0 / t + t / (2 * between)

    assert lost == pytest.approx(share(every))
    assert share(every) < min(share(every * 1.1), share(every * 0.9))


def test_the_table_has_a_line_for_each_size():
    lines = scale.table(Job(), Machines(), (1, 2, 10_000), 2, 0).splitlines()
    assert [line.split("|")[1].strip() for line in lines[4:]] == ["1", "2", "10,000"]
