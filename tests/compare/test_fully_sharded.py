"""One program under PyTorch with gloo and under `python -m rushlight`: the same parameters after 20
steps of FullyShardedDataParallel and fully_shard, the same states' names, shapes and shards."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed"
)
ROOT = Path(__file__).parents[2]

PROGRAM = '''
import functools
import json
import sys
import warnings

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
from torch.distributed.fsdp import MixedPrecision, MixedPrecisionPolicy, fully_shard
from torch.distributed.fsdp.wrap import ModuleWrapPolicy, size_based_auto_wrap_policy

warnings.simplefilter("ignore")
STEPS, BATCH = 20, 24


class Block(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.norm = nn.LayerNorm(n)
        self.up, self.down = nn.Linear(n, 3 * n), nn.Linear(3 * n, n, bias=False)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 5, 5, stride=2)
        self.blocks = nn.ModuleList(Block(5) for _ in range(2))
        self.last = nn.Linear(5, 10)

    def forward(self, x):
        x = F.relu(self.conv(x)).mean((2, 3))
        for b in self.blocks:
            x = b(x)
        return F.log_softmax(self.last(x), dim=1)


def net():
    torch.manual_seed(5)
    return Net()


def train(model, clip, rank, n):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    data = torch.Generator().manual_seed(7)
    norms = []
    for step in range(STEPS):
        x = torch.randn(BATCH, 1, 12, 12, generator=data)
        y = torch.randint(10, (BATCH,), generator=data)
        part = slice(rank * BATCH // n, (rank + 1) * BATCH // n)
        optimizer.zero_grad()
        F.nll_loss(model(x[part]).float(), y[part]).backward()
        total = clip(model)
        norms.append(float(total.full_tensor() if hasattr(total, "full_tensor") else total))
        optimizer.step()
    return norms, optimizer


def shapes(params):
    return [list(p.shape) for p in params]


def run(rank, n, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=n)
    torch.set_num_threads(1)
    arrays, told = {}, {}
    flat = {
        "full": {},
        "orig": {"use_orig_params": True},
        "small": {"auto_wrap_policy": functools.partial(size_based_auto_wrap_policy,
                                                        min_num_params=60)},
        "half": {"mixed_precision": MixedPrecision(torch.bfloat16, torch.float32)},
    }
    for name, options in flat.items():
        options = {"auto_wrap_policy": ModuleWrapPolicy({Block}), **options}
        model = FSDP(net(), device_id=torch.device("cpu"), **options)
        told[f"{name} modules"] = [k for k, _ in model.named_modules()]
        told[f"{name} parameters"] = [k for k, _ in model.named_parameters()]
        if name != "orig":  # whose shards are not filled up to whole cache lines here
            told[f"{name} shapes"] = shapes(model.parameters())
        norms, optimizer = train(model, lambda m: m.clip_grad_norm_(0.5), rank, n)
        arrays[f"{name} norms"] = torch.tensor(norms)
        state = model.state_dict()
        told[f"{name} state"] = list(state)
        arrays.update({f"{name} {k}": v for k, v in state.items()})
        osd = FSDP.optim_state_dict(model, optimizer)
        told[f"{name} groups"] = [sorted(g["params"]) for g in osd["param_groups"]]
        told[f"{name} optim"] = {k: sorted(s) for k, s in sorted(osd["state"].items())}
        for k, s in osd["state"].items() if name != "orig" else ():
            # (with use_orig_params PyTorch's exp_avg is exp_avg_sq, on a CPU)
            arrays[f"{name} m {k}"] = s["exp_avg"]
    mesh = init_device_mesh("cpu", (n,))
    for name, options in {
        "rows": {},
        "low": {"mp_policy": MixedPrecisionPolicy(torch.bfloat16, torch.float32)},
    }.items():
        model = net()
        for b in model.blocks:
            fully_shard(b, mesh=mesh, **options)
        fully_shard(model, mesh=mesh, **options)
        told[f"{name} types"] = [type(m).__name__ for m in model.modules()]
        told[f"{name} local"] = shapes(p.to_local() for p in model.parameters())
        clip = lambda m: torch.nn.utils.clip_grad_norm_(m.parameters(), 0.5)
        norms, optimizer = train(model, clip, rank, n)
        arrays[f"{name} norms"] = torch.tensor(norms)
        state = {k: v.full_tensor() for k, v in model.state_dict().items()}
        told[f"{name} state"] = list(state)
        arrays.update({f"{name} {k}": v for k, v in state.items()})
    if rank == n - 1:
        import numpy
        numpy.savez(f"{folder}/state.npz", **{k: v.numpy() for k, v in arrays.items()})
        with open(f"{folder}/told.json", "w") as f:
            json.dump(told, f)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(run, args=(int(sys.argv[1]), sys.argv[2]), nprocs=int(sys.argv[1]))
'''


@pytest.mark.parametrize("ranks", [2, 3])
def test_same_as_pytorch(tmp_path: Path, ranks: int) -> None:
    import json

    program = tmp_path / "train.py"
    program.write_text(PROGRAM)
    found = []
    for name, how in (("theirs", []), ("ours", ["-m", "rushlight"])):
        folder = tmp_path / name
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, *how, str(program), str(ranks), str(folder)],
            cwd=ROOT, capture_output=True, text=True, timeout=200, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        found.append((dict(np.load(folder / "state.npz")),
                      json.loads((folder / "told.json").read_text())))  # fmt: skip
    (theirs, told), (ours, said) = found
    assert said == told
    assert set(ours) == set(theirs)
    for k, a in theirs.items():
        b = ours[k]
        if k.startswith(("half", "low")):  # in bfloat16 the roads part after some steps
            if k.endswith("norms"):
                np.testing.assert_allclose(b[:3], a[:3], rtol=0.02, err_msg=k)
            continue
        np.testing.assert_allclose(b, a, rtol=1e-3, atol=2e-5, err_msg=k)
