"""weights_only=False: classes of the program and simple ones of Python; nothing is called."""

from __future__ import annotations

import argparse
import collections
import contextlib
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import io
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import types
import uuid
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest

import rushlight as torch
from rushlight.serialization import CheckpointError

nn = torch.nn
Point = collections.namedtuple("Point", "x y")


def activation(x: Any) -> Any:
    return x.clamp(min=0)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(3, 4)
        self.decoder = nn.ModuleList([nn.GRUCell(4, 4), nn.Dropout(0.1)])
        self.act = nn.functional.relu
        self.own = activation

    def forward(self, x: Any) -> Any:
        return self.own(self.act(self.encoder(x)))


@dataclasses.dataclass
class Settings:
    lr: float
    names: list[str]


@dataclasses.dataclass(slots=True)
class Slotted:
    a: int


class Kind(enum.Enum):
    A = 1


class Words(list):
    pass


class Table(dict):
    pass


class Stateful:
    def __init__(self, n: int) -> None:
        self.n = n

    def __getstate__(self) -> Any:
        return {"half": self.n // 2}

    def __setstate__(self, state: Any) -> None:
        self.n = state["half"] * 2


class Calls:
    def __reduce__(self) -> Any:
        return activation, (torch.ones(1),)


def through(value: Any, **options: Any) -> Any:
    torch.save(value, file := io.BytesIO())
    file.seek(0)
    return torch.load(file, **options)


def test_a_module_of_the_program() -> None:
    net = Net().eval()
    x = torch.ones(2, 3)
    with pytest.raises(CheckpointError, match="Weights only load failed"):
        through(net)
    back = through(net, weights_only=False)
    assert back(x).tolist() == net(x).tolist()
    assert type(back) is Net
    assert back.own is activation
    names = [
        Net,
        nn.Linear,
        nn.modules.container.ModuleList,
        nn.modules.rnn.GRUCell,
        nn.modules.dropout.Dropout,
        nn.functional.relu,
        activation,
    ]
    with torch.serialization.safe_globals(names):
        assert through(net)(x).tolist() == net(x).tolist()
    with torch.serialization.safe_globals(names[:-1]), pytest.raises(CheckpointError):
        through(net)


@pytest.mark.parametrize(
    "value",
    [
        Settings(0.1, ["a"]),
        Slotted(3),
        Kind.A,
        Point(1, 2),
        Words(["a", "b"]),
        Table(a=1),
        argparse.Namespace(lr=0.1, resume=None),
        types.SimpleNamespace(a=1),
        collections.deque([1, 2], 3),
        datetime.datetime(2020, 1, 2, 3, tzinfo=datetime.UTC),
        datetime.date(2020, 1, 2),
        datetime.timedelta(1, 2),
        decimal.Decimal("1.5"),
        fractions.Fraction(1, 3),
        pathlib.Path("/a/b"),
        pathlib.PurePosixPath("a/b"),
        uuid.UUID(int=12345),
    ],
    ids=lambda v: type(v).__name__,
)
def test_values(value: Any) -> None:
    back = through({"v": value}, weights_only=False)["v"]
    assert back == value
    assert type(back) is type(value)
    with pytest.raises(CheckpointError):
        through({"v": value})


def test_states_and_partial_functions() -> None:
    assert through(Stateful(10), weights_only=False).n == 10
    back = through(functools.partial(activation, x=1), weights_only=False)
    assert back.func is activation
    assert back.keywords == {"x": 1}
    settings = through({"a": Settings, "f": activation, "l": nn.Linear}, weights_only=False)
    assert settings == {"a": Settings, "f": activation, "l": nn.Linear}


@pytest.mark.parametrize(
    "target",
    [
        os.system,
        subprocess.Popen,
        tempfile.NamedTemporaryFile,
        tempfile._TemporaryFileCloser,  # type: ignore[attr-defined]  # deletes a file when collected
        pickle.loads,
        eval,
        zipfile.ZipFile,
        contextlib.closing,
        torch.load,
        torch.save,
        torch.utils.data,
        sys.exit,
    ],
    ids=lambda v: v.__name__,  # not the text, in which addresses stand: xdist compares names
)
@pytest.mark.parametrize("form", ["value", "call", "new"])
def test_what_is_not_of_the_program_is_refused(target: Any, form: str) -> None:
    name = getattr(target, "__qualname__", "get_worker_info")
    module = getattr(target, "__module__", target.__name__)
    mention = b"\x80\x02c" + f"{module}\n{name}\n".encode()
    code = mention + {"value": b".", "call": b")R.", "new": b")\x81}b."}[form]
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
        archive.writestr("x/data.pkl", code)
    for weights_only in (True, False):
        file.seek(0)
        with pytest.raises(CheckpointError):
            torch.load(file, weights_only=weights_only)


def test_functions_of_the_program_are_values_only() -> None:
    with pytest.raises(CheckpointError, match="data only"):
        through(Calls(), weights_only=False)
    with torch.serialization.safe_globals([activation]):
        assert through(Calls()).tolist() == [1]


def test_nothing_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evil_module.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
        archive.writestr("x/data.pkl", b"\x80\x02cevil_module\nThing\n)\x81.")
    file.seek(0)
    with pytest.raises(CheckpointError, match="import the module that defines it"):
        torch.load(file, weights_only=False)
    assert "evil_module" not in sys.modules


def test_all_missing_names_at_once() -> None:
    torch.save(Net(), file := io.BytesIO())
    names = torch.serialization.get_unsafe_globals_in_checkpoint(file)
    assert names == [
        f"{__name__}.Net",
        f"{__name__}.activation",
        "torch.nn.functional.relu",
        "torch.nn.modules.container.ModuleList",
        "torch.nn.modules.dropout.Dropout",
        "torch.nn.modules.linear.Linear",
        "torch.nn.modules.rnn.GRUCell",
    ]


def test_allowing_and_taking_back() -> None:
    torch.serialization.add_safe_globals([Settings, (Point, "elsewhere.Point")])
    try:
        assert torch.serialization.get_safe_globals() == [Settings, (Point, "elsewhere.Point")]
        with torch.serialization.safe_globals([Kind]):
            assert Kind in torch.serialization.get_safe_globals()
            assert through(Kind.A) is Kind.A
        assert Kind not in torch.serialization.get_safe_globals()
    finally:
        torch.serialization.clear_safe_globals()
    assert torch.serialization.get_safe_globals() == []
    for bad, error in ((5, TypeError), ((Point,), ValueError), ((Point, 5), ValueError)):
        with pytest.raises(error):
            torch.serialization.add_safe_globals([bad])


def test_models_and_transforms_of_vision() -> None:
    model = torch.vision.models.squeezenet1_1(num_classes=3).eval()
    transform = torch.vision.transforms.Compose([torch.vision.transforms.Normalize([0.5], [2.0])])
    x = torch.ones(1, 3, 32, 32)
    back = through({"model": model, "transform": transform}, weights_only=False)
    assert back["model"](x).tolist() == model(x).tolist()
    assert repr(back["transform"]) == repr(transform)


def test_the_old_format_knows_when_a_class_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "changing_net", types.ModuleType("changing_net"))
    text = "import rushlight\n\n\nclass Net(rushlight.nn.Linear):\n    version = {}\n"

    def load(number: int) -> Any:
        path = tmp_path / f"version{number}.py"
        path.write_text(text.format(number))
        module: Any = types.ModuleType("changing_net")
        module.__file__ = str(path)
        exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
        sys.modules["changing_net"] = module
        return module

    torch.save(load(1).Net(2, 3), file := io.BytesIO(), _use_new_zipfile_serialization=False)

    def read() -> Any:
        file.seek(0)
        return torch.load(file, weights_only=False)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read().version == 1
    load(2)
    with pytest.warns(torch.serialization.SourceChangeWarning, match="source code of class"):
        assert read().version == 2
