"""torch.distributed.checkpoint: folders that either library saves with 1 to 4 ranks, and either
loads with 1 to 4 ranks."""

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard, distribute_tensor

ONE = {"rows": Shard(0), "columns": Shard(1), "whole": Replicate()}


def trained(n, steps):
    """A model with full shard, and its optimiser, after some steps on the same data."""
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 3))
    mesh = init_device_mesh("cpu", (n,))
    for layer in model:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for k in range(steps):
        optimizer.zero_grad()
        x = torch.randn(4, 5, generator=torch.Generator().manual_seed(k))
        model(x).pow(2).mean().backward()
        optimizer.step()
    return model, optimizer


def state(rank, n, filled):
    mesh = init_device_mesh("cpu", (n,))
    w = torch.arange(35.0).reshape(7, 5) * filled
    tensors = {k: distribute_tensor(w, mesh, [p]) for k, p in ONE.items()}
    if n == 4:
        grid = init_device_mesh("cpu", (2, 2))
        tensors["grid"] = distribute_tensor(w, grid, [Shard(0), Shard(1)])
    else:
        tensors["grid"] = distribute_tensor(w, mesh, [Shard(1)])
    return {
        "tensors": tensors, "low": w.to(torch.bfloat16), "number": 3 * filled,
        "text": "run" * filled, "list": [torch.full((2,), 5 * filled), {"deep": filled}],
    }  # fmt: skip


def everything(rank, n, filled):
    model, optimizer = trained(n, 3 * filled)
    if not filled:
        for p in model.parameters():
            torch.nn.init.zeros_(p)
    names, moments = get_state_dict(model, optimizer)
    return model, optimizer, {"model": names, "optim": moments, **state(rank, n, filled)}


def save(t, rank, n, folder):
    *_, saved = everything(rank, n, 1)
    dcp.save(saved, checkpoint_id=f"{folder}/saved")
    work = dcp.async_save({"n": n, **state(rank, n, 1)}, checkpoint_id=f"{folder}/async")
    work.result()
    meta = dcp.FileSystemReader(f"{folder}/saved").read_metadata().state_dict_metadata
    t.note("names", sorted(meta))
    for name, entry in sorted(meta.items()):
        if hasattr(entry, "chunks"):
            chunks = sorted((list(c.offsets), list(c.sizes)) for c in entry.chunks
                            if all(c.sizes))  # PyTorch lists empty ones, too  # fmt: skip
            t.note(f"chunks of {name}", [chunks, list(entry.size), str(entry.properties.dtype)])


def whole(value):
    if isinstance(value, dict):
        return {k: whole(v) for k, v in value.items()}
    return value.full_tensor() if hasattr(value, "full_tensor") else value


def load(t, rank, n, folder):
    """Both libraries' folders, of all numbers of ranks."""
    for which in ("torch", "rushlight"):
        for ranks in (1, 2, 3, 4):
            model, optimizer, into = everything(rank, n, 0)
            at = f"{folder}/../../{which}/{ranks}"
            dcp.load(into, checkpoint_id=f"{at}/saved")
            set_state_dict(model, optimizer, model_state_dict=into["model"],
                           optim_state_dict=into["optim"])  # fmt: skip
            t.note(f"{which}'s of {ranks}", whole(state_of(into)))
            t.note("model", whole(model.state_dict()), rtol=1e-5, atol=1e-7)
            t.note("moments", {i: whole(s) for i, s in optimizer.state_dict()["state"].items()},
                   rtol=1e-4, atol=1e-6)  # fmt: skip
            into = {"n": 0, **state(rank, n, 0)}
            dcp.load(into, checkpoint_id=f"{at}/async")
            t.note("written behind", whole(into))
    dist.barrier()


def state_of(into):
    return {k: v for k, v in into.items() if k not in ("model", "optim")}
