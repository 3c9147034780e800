"""Names of what cannot be done here: they import, they answer questions, calling them says why."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import rushlight as torch

REFUSED = {
    "distributed": ["Logger"],
    "distributed.optim": ["DistributedOptimizer"],
    "distributed.rpc": ["init_rpc", "rpc_async", "RRef"],
    "distributed.checkpoint": ["HuggingFaceStorageReader", "load_sharded_optimizer_state_dict"],
    "onnx": ["export", "ONNXProgram"],
    "nested": ["nested_tensor"],
    "package": ["PackageExporter"],
    "ao.quantization": ["quantize_dynamic", "quantize_per_tensor"],
    "quantization": ["quantize_qat"],
}


@pytest.mark.parametrize(
    ("where", "name"), [(where, name) for where, names in REFUSED.items() for name in names]
)
def test_calling_names_the_feature(where: str, name: str) -> None:
    module = importlib.import_module(f"rushlight.{where}")
    found = getattr(module, name)
    assert getattr(module, name) is found
    with pytest.raises(NotImplementedError, match=rf"torch\.\S*{name} needs .+ does not have"):
        found(1, x=2)
    assert hasattr(module, name)
    assert not hasattr(module, "no_such_name")
    if name in dir(module) and name[0].isupper():
        assert isinstance(found, type)
        assert not isinstance(torch.nn.Linear(1, 1), found)
        assert found.__doc__.startswith("Raises")


def test_methods_of_such_classes_are_there_to_be_named() -> None:
    from rushlight.distributed.rpc import RRef

    with pytest.raises(NotImplementedError, match=r"RRef\.to_here"):
        RRef.to_here()

    class Mine(RRef):
        pass

    with pytest.raises(NotImplementedError, match="several processes"):
        Mine()


def test_one_process_is_asked_as_before_init_process_group() -> None:
    dist = torch.distributed
    assert dist.is_available() == (importlib.util.find_spec("mpi4py") is not None)
    assert not dist.is_initialized()
    assert not dist.is_nccl_available()
    assert dist.is_backend_available("gloo") == dist.is_available()
    for ask in (dist.get_rank, dist.get_world_size, dist.get_backend):
        with pytest.raises(ValueError, match="Default process group has not been initialized"):
            ask()
    with pytest.raises(AssertionError, match="Process group cannot be None"):
        dist.destroy_process_group()
    assert dist.Backend("NCCL") == dist.Backend.NCCL == "nccl"
    with pytest.raises(ValueError, match="string-ish"):
        dist.Backend(3)
    assert str(dist.ReduceOp.SUM) == "RedOpType.SUM"
    assert dist.group.WORLD is None


def test_local_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    assert torch.distributed.get_node_local_rank(3) == 3
    with pytest.raises(RuntimeError, match="LOCAL_RANK"):
        torch.distributed.get_node_local_rank()
    monkeypatch.setenv("LOCAL_RANK", "2")
    assert torch.distributed.get_node_local_rank() == 2


def test_harmless_parts_work() -> None:
    x = torch.ones(2)
    assert torch.ao.quantization.QuantStub()(x) is x
    assert torch.quantization.DeQuantStub()(x) is x
    assert torch.onnx.is_in_onnx_export() is False
    assert torch.onnx.TrainingMode.EVAL == 0
    assert torch.functional.einsum is torch.einsum
    assert isinstance(3, torch.types.Number)
    assert torch.cpu.is_available()
    assert torch.cpu.current_device() == "cpu"
    with torch.cpu.stream(torch.cpu.current_stream()):
        torch.cpu.synchronize()
    assert not torch.xpu.is_available()
    assert torch.cuda.memory_stats() == {}
    assert torch.cuda.memory.memory_allocated() == 0
    with pytest.raises(RuntimeError, match="NVTX functions not installed"):
        torch.cuda.nvtx.range_push("x")
    with pytest.raises(RuntimeError, match="not compiled with CUDA"):
        torch.cuda.Event(enable_timing=True)
    with pytest.raises(RuntimeError, match="none is available"):
        torch.accelerator.set_device_index(0)


def test_a_program_that_only_mentions_them_runs(tmp_path: Path) -> None:
    program = tmp_path / "p.py"
    program.write_text(
        textwrap.dedent(
            """
            import torch
            import torch.distributed as dist
            import torch.quantization
            from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, StateDictType
            from torch.distributed.fsdp.fully_sharded_data_parallel import CPUOffload
            from torch.distributed.tensor.parallel import ColwiseParallel
            from torch.fx import GraphModule
            from torch.nn.parallel import DistributedDataParallel as DDP
            from torch.onnx import OperatorExportTypes
            from torch.cuda.amp import autocast, GradScaler
            from torch.types import Device

            model = torch.nn.Linear(1, 1)
            rank = dist.get_rank() if dist.is_available() and dist.is_initialized() else 0
            assert not isinstance(model, (FSDP, DDP, GraphModule))
            print("rank", rank)
            """
        )
    )
    root = Path(__file__).parent.parent
    command = [sys.executable, "-m", "rushlight", str(program)]
    done = subprocess.run(
        command, cwd=root, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "rank 0\n", done.stderr
