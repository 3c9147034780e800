"""Every PyTorch name that programs use is there: `data/api_names.txt`, one public name a line.

The list was counted over public repositories; each of its names occurs in two of them or more.
"""

from __future__ import annotations

import importlib
import pickle
import warnings
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

import rushlight

NAMES = (Path(__file__).parent / "data" / "api_names.txt").read_text(encoding="utf-8").split()

# What belongs to later work, by prefix. A prefix of which nothing is missing must go.
LATER: dict[str, str] = {}


def resolve(name: str) -> Any:
    """The object under rushlight of this name under torch; submodules are imported on the way."""
    found: Any = rushlight
    path = "rushlight"
    for part in name.split(".")[1:]:
        path += "." + part
        if not hasattr(found, part):
            importlib.import_module(path)
        found = getattr(found, part)
    return found


def is_there(name: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some old names say that they are old
        try:
            resolve(name)
        except (AttributeError, ImportError):
            return False
    return True


def later(name: str) -> str | None:
    return next((p for p in LATER if name.startswith(p) and (p[-1] == "." or p == name)), None)


def test_the_list_is_whole() -> None:
    assert len(NAMES) > 650
    assert sorted(set(NAMES)) == NAMES


@pytest.mark.parametrize("name", [n for n in NAMES if later(n) is None])
def test_name_is_there(name: str) -> None:
    if name.startswith("torch.utils.tensorboard."):
        pytest.importorskip("tensorboardX", reason="tensorboardX is not installed")
    assert is_there(name), f"programs use {name}; Rushlight lacks it"


@pytest.mark.parametrize("prefix", LATER)
def test_what_is_left_for_later_is_missing(prefix: str) -> None:
    names = [n for n in NAMES if later(n) == prefix]
    assert names
    assert not all(is_there(n) for n in names), f"all of {prefix} is there: take it off the list"


def test_only_what_programs_mean_is_listed() -> None:
    import rushlight

    assert not {"Any", "derive", "kernels", "late", "publish", "annotations"} & set(dir(rushlight))
    assert {"tensor", "nn", "save", "qint8", "float32", "Tensor"} <= set(dir(rushlight))


def test_the_nearest_name_is_told() -> None:
    import rushlight

    with pytest.raises(AttributeError, match=r"no attribute 'tensr'(.|\n)*  try     torch.tensor"):
        _ = rushlight.tensr
    assert not hasattr(rushlight, "nothing_like_it")


@pytest.mark.parametrize("space", ["", "nn.functional", "special", "fft", "linalg"])
def test_functions_are_pickled_by_where_they_are_public(space: str) -> None:
    """Processes that are started get functions so, and modules that hold them are saved so."""
    module = importlib.import_module(f"rushlight.{space}".rstrip("."))
    names = [n for n in dir(module) if n[0] != "_"]
    functions = {n: f for n in names if (f := getattr(module, n)).__class__ is FunctionType}
    assert len(functions) > 15
    for name, fn in functions.items():
        if fn.__module__ == "rushlight.unsupported":
            continue  # what quantized tensors would need, which raises
        assert pickle.loads(pickle.dumps(fn)) is fn, name


def test_methods_are_pickled_by_where_they_are_public() -> None:
    cls: Any = rushlight.Tensor
    for fn in (cls.relu, cls.mul_, cls.sum, cls.unfold):
        assert pickle.loads(pickle.dumps(fn)) is fn
    assert cls.mul_.__qualname__ == "Tensor.mul_"
