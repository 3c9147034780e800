"""docs/absent_names.md names all that PyTorch's public modules have and ours have not, and nothing
else.
"""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path
from typing import Any

import pytest

import rushlight

torch = pytest.importorskip("torch")

DOCUMENT = Path(__file__).parents[2] / "docs" / "absent_names.md"
MODULES = """
    torch torch.amp torch.ao.nn.intrinsic torch.ao.nn.qat.modules torch.ao.nn.quantized
    torch.ao.quantization torch.ao.quantization.fake_quantize
    torch.ao.quantization.observer torch.ao.quantization.qconfig torch.ao.quantization.quantize
    torch.autograd torch.autograd.forward_ad torch.autograd.function
    torch.autograd.functional torch.autograd.grad_mode torch.autograd.gradcheck torch.autograd.graph
    torch.autograd.profiler torch.backends.cuda torch.compiler torch.cpu torch.cuda
    torch.distributed.device_mesh torch.distributed.fsdp torch.distributed.optim
    torch.distributed.tensor torch.distributed.tensor.parallel torch.distributions torch.fft
    torch.func torch.functional torch.futures torch.fx torch.hub torch.jit torch.library
    torch.multiprocessing torch.nn.attention torch.nn.init torch.nn.modules torch.nn.parallel
    torch.nn.utils torch.nn.utils.parametrizations torch.nn.utils.parametrize torch.nn.utils.rnn
    torch.nn.utils.stateless torch.optim torch.optim.lr_scheduler torch.optim.swa_utils
    torch.overrides torch.profiler torch.random torch.serialization torch.signal.windows
    torch.sparse torch.special torch.storage torch.types torch.utils.checkpoint torch.utils.data
    torch.utils.dlpack torch.utils.flop_counter torch.utils.hooks torch.Tensor
""".split()  # noqa: SIM905 - a list of sixty strings is harder to read


def both(name: str) -> tuple[Any, Any]:
    if name == "torch.Tensor":
        assert rushlight.autograd.Variable  # with which `Tensor.volatile` comes
        return torch.Tensor, rushlight.Tensor
    ours = "rushlight" + name.removeprefix("torch")
    return importlib.import_module(name), importlib.import_module(ours)


def missing(name: str) -> set[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some names warn that they are old
        theirs, ours = both(name)
        names = dir(theirs) if name == "torch.Tensor" else theirs.__all__
        return {n for n in names if not n.startswith("_") and not hasattr(ours, n)}


def listed() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for entry in DOCUMENT.read_text("utf-8").split("\n* ")[1:]:
        name, _, names = entry.partition("\n\n")[0].partition(": ")
        found.setdefault(name, []).extend(names.split())
    return found


@pytest.mark.parametrize("name", MODULES)
def test_what_is_missing_is_listed(name: str) -> None:
    names = listed().get(name, [])
    assert len(names) == len(set(names))
    assert missing(name) == set(names)


def test_no_other_module_is_listed() -> None:
    assert set(listed()) <= set(MODULES)
