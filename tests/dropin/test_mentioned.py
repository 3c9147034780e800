"""Names that programs only mention: modules of them are there like those of real files."""

from __future__ import annotations

from pathlib import Path

import pytest

from rushlight.dropin import mentioned

from .test_renaming import run

ROOT = Path(mentioned.__file__).parent.parent


@pytest.mark.slow
def test_modules_need_no_import_of_their_own() -> None:
    told = run("""
import sys, torch
print(torch._guards.active_fake_mode(), torch._guards.detect_fake_mode([]))
import torch._guards as again
print(again is torch._guards is sys.modules["torch._guards"], hasattr(torch, "_no_such_part"))
""")
    assert told.split() == ["None", "None", "True", "False"]


@pytest.mark.slow
def test_private_classes_that_packages_import() -> None:
    told = run("""
import torch
from torch.distributions.transforms import ExpTransform, _InverseTransform
from torch.nn.parameter import _BufferMeta, _ParameterMeta
print(isinstance(ExpTransform().inv, _InverseTransform))
print(isinstance(torch.nn.Parameter, _ParameterMeta), isinstance(torch.nn.Buffer, _BufferMeta))
print(isinstance(torch.ones(2).untyped_storage(), torch.StorageBase))
""")
    assert told.split() == ["True"] * 4


@pytest.mark.slow
def test_parts_of_data_loaders_that_packages_import() -> None:
    """torchdata's `StatefulDataLoader` names them; accelerate imports it where it is installed."""
    told = run("""
from torch.utils.data import Dataset, IterDataPipe, MapDataPipe
from torch.utils.data._utils import HAS_NUMPY, MP_STATUS_CHECK_INTERVAL, signal_handling
from torch.utils.data._utils.worker import ManagerWatchdog, _generate_state, _ResumeIteration
from torch.utils.data.dataloader import _InfiniteConstantSampler, _sharding_worker_init_fn
from torch.utils.data.datapipes.datapipe import _IterDataPipeSerializationWrapper
from torch.utils.data.graph_settings import apply_random_seed
print(isinstance(Dataset(), IterDataPipe))
try:
    apply_random_seed(None, None)
except NotImplementedError as error:
    print("data pipes" in str(error))
""")
    assert told.split() == ["False", "True"]


def test_no_module_of_the_table_has_a_file() -> None:
    """A file wins, so an entry beside it would only look as if it said something."""
    for name in mentioned.MODULES:
        parts = name.split(".")[1:]
        for home in (ROOT, ROOT / "namespaces"):
            place = home.joinpath(*parts)
            assert not place.with_suffix(".py").exists(), name
            assert not (place / "__init__.py").exists(), name
