"""Which rank ZeroRedundancyOptimizer gives each parameter, here and in PyTorch."""

from __future__ import annotations

import importlib
import random
import warnings
from types import SimpleNamespace
from typing import Any

import pytest

import rushlight
from rushlight.distributed.optim import ZeroRedundancyOptimizer

torch: Any = pytest.importorskip("torch")


@pytest.mark.parametrize("world", [1, 2, 3, 4, 7])
def test_same_partition(world: int) -> None:
    seed = random.randrange(10**6)
    print("seed", seed)
    rng = random.Random(seed)
    sizes = [[rng.choice([1, 2, 2, 3, 5, 8, 100]) for _ in range(rng.randrange(1, 12))]
             for _ in range(3)]  # fmt: skip
    ours: Any = SimpleNamespace(
        world_size=world,
        param_groups=[{"params": [rushlight.zeros(n) for n in row]} for row in sizes],
    )
    theirs: Any = SimpleNamespace(
        world_size=world, _partition_parameters_cache=[],
        param_groups=[{"params": [torch.zeros(n) for n in row]} for row in sizes],
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # PyTorch's own, of its compiler
        peer = importlib.import_module("torch.distributed.optim").ZeroRedundancyOptimizer
    theirs._get_min_index = lambda values: peer._get_min_index(theirs, values)
    theirs._partition_param_group = lambda g, p: peer._partition_param_group(theirs, g, p)
    found = [peer._partition_parameters(theirs), ZeroRedundancyOptimizer._dealt(ours)]
    numbers = []
    for side, groups in zip(found, (theirs.param_groups, ours.param_groups), strict=True):
        at = {id(p): (g, i) for g, row in enumerate(groups) for i, p in enumerate(row["params"])}
        numbers.append([[[at[id(p)] for p in g["params"]] for g in rank] for rank in side])
    assert numbers[0] == numbers[1]
