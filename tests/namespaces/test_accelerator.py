"""There is no accelerator: questions whether there is one are answered, others raise."""

from __future__ import annotations

import pytest

import rushlight as torch
from rushlight import accelerator


@pytest.mark.parametrize("name", accelerator.ASKED.split())
def test_none_is_there(name: str) -> None:
    told = rf"none is available[\s\S]*{name}\(\)[\s\S]*is_available"
    with pytest.raises(RuntimeError, match=told):
        getattr(torch.accelerator, name)()


def test_no_device_is_chosen() -> None:
    with torch.accelerator.device_index(None):
        assert torch.ones(1).device.type == "cpu"
    with pytest.raises(RuntimeError, match="device 0"), torch.accelerator.device_index(0):
        pass
    for old in (lambda: accelerator.set_device_idx(0), accelerator.current_device_idx):
        with pytest.raises(RuntimeError), pytest.warns(FutureWarning, match="instead"):
            old()


def test_modules_of_devices() -> None:
    assert torch.get_device_module() is torch.cpu is torch.get_device_module(torch.device("cpu"))
    assert torch.get_device_module("cuda") is torch.cuda
    for wrong in (3, "foo", "meta"):
        with pytest.raises(RuntimeError):
            torch.get_device_module(wrong)
