"""`--cuda-as-cpu`: programs that ask for a CUDA device without a question run on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import rushlight as torch
from rushlight import config

ROOT = Path(__file__).parents[1]


@pytest.fixture
def stand_in() -> Iterator[None]:
    config.current.cuda_as_cpu = True
    yield
    config.current.cuda_as_cpu = False


@pytest.mark.usefixtures("stand_in")
def test_what_programs_ask_for() -> None:
    x = torch.ones(2, requires_grad=True)
    model = torch.nn.DataParallel(torch.nn.Linear(2, 2).cuda(), device_ids=[0]).cuda()
    y = model(x.cuda(non_blocking=True).to("cuda:0").pin_memory())
    y.sum().backward()
    assert x.grad is not None
    assert y.device == torch.zeros(1, device="cuda").device == torch.device("cpu")
    assert torch.zeros(1, device=0).device.type == "cpu"
    with torch.device("cuda"), torch.cuda.device(0):
        assert torch.empty(1, pin_memory=True).device.type == "cpu"
    torch.cuda.set_device(0)
    assert torch.cuda.current_device() == 0
    assert torch.cuda.is_available() is False  # what asks is told the truth
    assert torch.Generator("cuda").manual_seed(1).device.type == "cpu"
    assert torch.cuda.get_rng_state().dtype is torch.uint8
    assert torch.UntypedStorage(4, device="cuda").cuda().device.type == "cpu"


@pytest.mark.usefixtures("stand_in")
def test_legacy_types() -> None:
    assert torch.cuda.FloatTensor([1, 2]).dtype is torch.float32
    assert torch.cuda.LongTensor(2, 3).shape == (2, 3)
    assert torch.ones(1).type(torch.cuda.DoubleTensor).dtype is torch.float64
    assert torch.ones(1).type("torch.cuda.IntTensor").dtype is torch.int32
    torch.set_default_tensor_type("torch.cuda.DoubleTensor")
    assert torch.tensor(1.0).dtype is torch.float64
    torch.set_default_tensor_type(torch.cuda.FloatTensor)
    assert torch.tensor(1.0).dtype is torch.float32


@pytest.mark.usefixtures("stand_in")
def test_events_and_streams() -> None:
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        start.record()
        end.record(stream)
    end.synchronize()
    torch.cuda.synchronize()
    assert start.elapsed_time(end) >= 0
    assert stream.query()
    assert end.query()
    with pytest.raises(ValueError, match="recorded"):
        start.elapsed_time(torch.cuda.Event())
    with pytest.raises(NotImplementedError, match="CUDAGraph"):
        torch.cuda.CUDAGraph()


def test_checkpoints_of_a_device(tmp_path: Path) -> None:
    torch.save(torch.ones(2), tmp_path / "x.pt")
    with pytest.raises(RuntimeError, match="CUDA"):
        torch.load(tmp_path / "x.pt", map_location="cuda")
    config.current.cuda_as_cpu = True
    try:
        x = torch.load(tmp_path / "x.pt", map_location={"cpu": "cuda:0"})
    finally:
        config.current.cuda_as_cpu = False
    assert x.tolist() == [1, 1]


def test_types_without_it() -> None:
    assert not isinstance(torch.ones(1), torch.cuda.FloatTensor)
    assert torch.cuda.FloatTensor is torch.cuda.FloatTensor
    assert repr(torch.cuda.FloatTensor) == "<class 'torch.cuda.FloatTensor'>"
    with pytest.raises(TypeError, match=r"torch.cuda.LongTensor not available(.|\n)*--cuda-as-cpu"):
        torch.cuda.LongTensor(2)
    with pytest.raises(RuntimeError, match="CUDA"):
        torch.ones(1).type(torch.cuda.FloatTensor)
    with pytest.raises(RuntimeError, match=r"CUDA(.|\n)*--cuda-as-cpu"):
        torch.ones(1).cuda()


@pytest.mark.slow
def test_a_program_and_its_children(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import os, subprocess, sys, torch\n"
        "print(torch.ones(2).cuda().sum().item(), torch.cuda.is_available(), flush=True)\n"
        "if 'child' not in sys.argv:\n"
        "    subprocess.run([sys.executable, __file__, 'child'], check=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "rushlight", "--cuda-as-cpu", str(path)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "2.0 False\n2.0 False\n"
