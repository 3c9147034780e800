"""Layers cut by tensor parallelism and fully sharded, beside PyTorch with gloo on 2 by 2 ranks: the
same norms, parameters and states, lying alike."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None, reason="mpi4py is not installed"
)
ROOT = Path(__file__).parents[2]
MODEL = ROOT / "tests" / "distributed" / "programs" / "two_ways.py"

END = '''
import json

import numpy
import torch._dynamo  # PyTorch's ranks would each import it
import torch.multiprocessing as mp


def compared(rank, n, folder):
    torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank,
                                         world_size=n)
    torch.set_num_threads(1)
    mesh = init_device_mesh("cpu", (2, n // 2), mesh_dim_names=("dp", "tp"))
    net = spread(mesh, ALONG)
    told, arrays = {}, {}
    opt = adam(net)
    arrays["norms"] = torch.tensor(train(net, opt, range(20), rows_of(mesh, "dp")))
    for name, p in net.named_parameters():
        told[name] = [str(list(p.placements)), str(p.device_mesh.mesh_dim_names), list(p.shape),
                      list(p.to_local().shape)]
        arrays[f"grad {name}"] = p.grad.full_tensor()
    sharded = get_optimizer_state_dict(net, opt)
    told["optim"] = {
        k: {j: str(list(getattr(v, "placements", []))) for j, v in sorted(s.items())}
        for k, s in sharded["state"].items()
    }
    full = StateDictOptions(full_state_dict=True)
    for name, v in get_model_state_dict(net, options=full).items():
        arrays[name] = v
    for name, s in get_optimizer_state_dict(net, opt, options=full)["state"].items():
        arrays.update({f"{k} {name}": v for k, v in s.items()})
    dcp.save({"model": get_model_state_dict(net)}, checkpoint_id=f"{folder}/saved")
    if rank == n - 1:
        numpy.savez(f"{folder}/state.npz", **{k: v.detach().numpy() for k, v in arrays.items()})
        with open(f"{folder}/told.json", "w") as f:
            json.dump(told, f)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    # Forked, so that PyTorch is imported once. (`spawn` is tested by tests/multiprocessing.)
    mp.start_processes(compared, (4, sys.argv[1]), nprocs=4, start_method="fork")
'''


def test_same_as_pytorch(tmp_path: Path) -> None:
    text = MODEL.read_text().split("\ndef run(")[0]
    text = text.replace("import rushlight as torch", "import torch").replace("rushlight", "torch")
    program = tmp_path / "train.py"
    program.write_text(text + END)
    found = []
    for name, how in (("theirs", []), ("ours", ["-m", "rushlight"])):
        folder = tmp_path / name
        folder.mkdir()
        done = subprocess.run(
            [sys.executable, *how, str(program), str(folder)],
            cwd=ROOT, capture_output=True, text=True, timeout=200, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        found.append((dict(np.load(folder / "state.npz")),
                      json.loads((folder / "told.json").read_text())))  # fmt: skip
    (theirs, told), (ours, said) = found
    assert said == told
    assert set(ours) == set(theirs)
    for k, a in theirs.items():
        np.testing.assert_allclose(ours[k], a, rtol=1e-6, atol=1e-9, err_msg=k)
    read_by_pytorch(tmp_path / "ours" / "saved", theirs)


def read_by_pytorch(folder: Path, wanted: dict[str, np.ndarray]) -> None:
    """The checkpoint of our shards, read by PyTorch in one process."""
    import torch
    import torch.distributed.checkpoint as dcp

    names = [k for k in wanted if f"exp_avg {k}" in wanted]
    state = {"model": {k: torch.zeros(wanted[k].shape, dtype=torch.float64) for k in names}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it is one process
        dcp.load(state, checkpoint_id=folder, no_dist=True)
    for k in names:
        np.testing.assert_allclose(state["model"][k].numpy(), wanted[k], rtol=1e-6, atol=1e-9)
