"""Modules, optimisers and schedulers saved whole: the names in the files are PyTorch's."""

from __future__ import annotations

import importlib
import inspect
import io
import pkgutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight
from rushlight.serialization import get_unsafe_globals_in_checkpoint, safe_globals
from rushlight.serialization.classes import library_object, torch_name

torch = pytest.importorskip("torch")


def modules() -> Iterator[tuple[str, Any, Any]]:
    """Every class of modules, optimisers and schedulers that both libraries have."""
    import torch.nn.modules as package

    spaces = [
        (torch.nn, rushlight.nn),
        (torch.optim, rushlight.optim),
        (torch.optim.lr_scheduler, rushlight.optim.lr_scheduler),
        (torch.optim.swa_utils, rushlight.optim.swa_utils),
        (torch.utils.data, rushlight.utils.data),
    ]
    for info in pkgutil.iter_modules(package.__path__):
        theirs = importlib.import_module(f"torch.nn.modules.{info.name}")
        try:
            spaces.append((theirs, importlib.import_module(f"rushlight.nn.modules.{info.name}")))
        except ModuleNotFoundError:
            continue
    bases = (
        torch.nn.Module,
        torch.optim.Optimizer,
        torch.optim.lr_scheduler.LRScheduler,
        torch.utils.data.Dataset,
    )
    for theirs, ours in spaces:
        for name, cls in vars(theirs).items():
            if inspect.isclass(cls) and issubclass(cls, bases) and name[0] != "_":
                own = getattr(ours, name, None)
                if own is not None:
                    yield name, cls, own


CLASSES = {f"{theirs.__module__}.{name}": (theirs, ours) for name, theirs, ours in modules()}


@pytest.mark.parametrize("path", sorted(CLASSES))
def test_classes_go_by_pytorchs_names(path: str) -> None:
    theirs, ours = CLASSES[path]
    assert torch_name(ours) == (theirs.__module__, theirs.__qualname__)
    assert library_object(theirs.__module__, theirs.__qualname__) is ours


def test_functions_go_by_pytorchs_names() -> None:
    for name, theirs in vars(torch.nn.functional).items():
        ours = getattr(rushlight.nn.functional, name, None)
        if not inspect.isfunction(theirs) or name[0] == "_" or ours is None:
            continue
        same = theirs.__module__ == "torch.nn.functional" and theirs.__name__ == name
        if same and name not in ("sigmoid", "tanh"):
            assert torch_name(ours) == ("torch.nn.functional", name)
            assert library_object("torch.nn.functional", name) is ours


X2, X3, X4 = (2, 6), (2, 4, 6), (2, 4, 6, 6)
LAYERS: dict[str, tuple[Any, tuple[int, ...]]] = {
    "mlp": (lambda nn: nn.Sequential(nn.Linear(6, 3), nn.ReLU(), nn.Dropout(0.5)), X2),
    "conv": (lambda nn: nn.Conv2d(4, 2, 3, padding=1, padding_mode="reflect"), X4),
    "transposed": (lambda nn: nn.ConvTranspose2d(4, 2, 3, stride=2), X4),
    "conv1d": (lambda nn: nn.Conv1d(4, 2, 3, bias=False), X3),
    "norms": (lambda nn: nn.Sequential(nn.BatchNorm2d(4), nn.GroupNorm(2, 4)), X4),
    "instance": (lambda nn: nn.InstanceNorm2d(4, affine=True), X4),
    "layernorm": (lambda nn: nn.LayerNorm(6), X3),
    "rmsnorm": (lambda nn: nn.RMSNorm(6), X3),
    "pools": (lambda nn: nn.Sequential(nn.MaxPool2d(2), nn.AdaptiveAvgPool2d(1)), X4),
    "pads": (lambda nn: nn.Sequential(nn.ZeroPad2d(1), nn.ReflectionPad2d(1)), X4),
    "up": (lambda nn: nn.Upsample(scale_factor=2, mode="bilinear"), X4),
    "shuffle": (lambda nn: nn.Sequential(nn.PixelShuffle(2), nn.Flatten()), X4),
    "acts": (
        lambda nn: nn.Sequential(
            nn.ELU(), nn.GELU(), nn.SiLU(), nn.LeakyReLU(0.1), nn.PReLU(), nn.Hardtanh(),
            nn.Softplus(), nn.Mish(), nn.Tanh(), nn.Sigmoid(), nn.LogSoftmax(-1), nn.Softmax(1),
        ),
        X2,
    ),
    "lstm": (lambda nn: nn.LSTM(6, 5, num_layers=2, bidirectional=True, batch_first=True), X3),
    "gru": (lambda nn: nn.GRU(6, 5), X3),
    "rnn": (lambda nn: nn.RNN(6, 5, nonlinearity="relu"), X3),
    "cell": (lambda nn: nn.LSTMCell(6, 5), X2),
    "bilinear": (lambda nn: nn.Unfold(3), X4),
    "encoder": (
        lambda nn: nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8, batch_first=True), 2),
        X3,
    ),
    "containers": (
        lambda nn: nn.Sequential(nn.Sequential(nn.Identity()), nn.LocalResponseNorm(2)),
        X4,
    ),
}  # fmt: skip


def outcome(model: Any, x: Any) -> np.ndarray:
    y = model.eval()(x)
    return (y[0] if isinstance(y, tuple) else y).detach().numpy()


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.filterwarnings("ignore")
def test_layers_saved_whole_compute_the_same(name: str) -> None:
    make, shape = LAYERS[name]
    x = np.linspace(-2, 2, int(np.prod(shape)), dtype=np.float32).reshape(shape)
    for writer, reader in ((rushlight, torch), (torch, rushlight)):
        model = make(writer.nn).eval()
        wanted = outcome(model, writer.from_numpy(x))
        writer.save(model, file := io.BytesIO())
        for trusted in (False, True):
            file.seek(0)
            with reader.serialization.safe_globals(allowed(file, reader)):
                file.seek(0)
                back = reader.load(file, weights_only=not trusted)
            got = outcome(back, reader.from_numpy(x))
            np.testing.assert_allclose(got, wanted, rtol=1e-4, atol=1e-5)
            back.train()
            assert repr(back) == repr(model.train())
            model.eval()


def allowed(file: io.BytesIO, reader: Any) -> list[Any]:
    """The objects of `reader` that the file mentions."""
    found = []
    for full in reader.serialization.get_unsafe_globals_in_checkpoint(file):
        path, name = full.rsplit(".", 1)
        root = "rushlight" if reader is rushlight else "torch"
        space = importlib.import_module(root + path[len("torch") :])
        found.append(getattr(space, name))
    return found


@pytest.mark.parametrize("name", ["mlp", "lstm", "encoder", "norms"])
@pytest.mark.filterwarnings("ignore")
def test_files_mention_the_same_names(name: str, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.pt", tmp_path / "theirs.pt"
    rushlight.save(LAYERS[name][0](rushlight.nn), ours)
    torch.save(LAYERS[name][0](torch.nn), theirs)
    names = get_unsafe_globals_in_checkpoint(ours)
    assert names == get_unsafe_globals_in_checkpoint(theirs)
    assert names == sorted(torch.serialization.get_unsafe_globals_in_checkpoint(ours))


def test_optimizers_and_schedulers_saved_whole(tmp_path: Path) -> None:
    def made(lib: Any) -> list[Any]:
        weight = lib.nn.Parameter(lib.ones(3))
        optimizer = lib.optim.Adam([weight], lr=0.5)
        weight.square().sum().backward()
        optimizer.step()
        scheduler = lib.optim.lr_scheduler.StepLR(optimizer, 2)
        return [weight, optimizer, scheduler]

    path = tmp_path / "o.pt"
    for writer, reader in ((rushlight, torch), (torch, rushlight), (rushlight, rushlight)):
        try:
            writer.save(made(writer)[:2], path)
        except (AttributeError, TypeError) as error:  # local functions that PyTorch hangs on
            pytest.fail(str(error))
        weight, optimizer = reader.load(path, weights_only=False)
        optimizer.zero_grad()
        weight.square().sum().backward()
        optimizer.step()
        fresh, again, _ = made(reader)
        again.zero_grad()
        fresh.square().sum().backward()
        again.step()
        np.testing.assert_allclose(weight.tolist(), fresh.tolist(), rtol=1e-5)


def test_functions_of_torch_saved_as_values() -> None:
    for name in ("relu", "tanh", "matmul"):
        for writer, reader in ((rushlight, torch), (torch, rushlight)):
            writer.save({"act": getattr(writer, name)}, file := io.BytesIO())
            file.seek(0)
            assert reader.load(file, weights_only=False)["act"] is getattr(reader, name)
    torch.save(torch.nn.functional.relu, file := io.BytesIO())
    file.seek(0)
    with safe_globals([rushlight.nn.functional.relu]):
        assert rushlight.load(file) is rushlight.nn.functional.relu


def test_generators_layouts_and_named_tuples() -> None:
    def values(lib: Any) -> dict[str, Any]:
        pair = lib.max(lib.tensor([[1.0, 5.0]]), 1)
        generator = lib.Generator()
        generator.manual_seed(5)
        lib.rand(3, generator=generator)
        return {"layout": lib.strided, "pair": pair, "generator": generator, "dots": ...}

    for writer, reader in ((rushlight, torch), (torch, rushlight)):
        writer.save(values(writer), file := io.BytesIO())
        file.seek(0)
        back = reader.load(file, weights_only=False)
        wanted = values(reader)
        assert back["layout"] is reader.strided
        assert type(back["pair"]) is type(wanted["pair"])
        assert back["pair"].indices.tolist() == [1]
        assert back["dots"] is ...
        got = reader.rand(4, generator=back["generator"])
        assert got.tolist() == reader.rand(4, generator=wanted["generator"]).tolist()


def test_lazy_parameters_and_buffers() -> None:
    for writer, reader in ((rushlight, torch), (torch, rushlight)):
        model = quiet(lambda lib=writer: lib.nn.LazyLinear(3))
        state = {"lazy": dict(model.state_dict()), "buffer": writer.nn.Buffer(writer.ones(2))}
        writer.save(state, file := io.BytesIO())
        file.seek(0)
        with reader.serialization.safe_globals([reader.nn.parameter.UninitializedParameter]):
            back = reader.load(file)
        assert type(back["lazy"]["weight"]) is reader.nn.parameter.UninitializedParameter
        assert back["buffer"].tolist() == [1, 1]


def quiet(make: Any) -> Any:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make()


def test_names_inside_the_archive(tmp_path: Path) -> None:
    rushlight.save(rushlight.nn.Linear(2, 2), tmp_path / "a.pt")
    with zipfile.ZipFile(tmp_path / "a.pt") as archive:
        assert b"ctorch.nn.modules.linear\nLinear\n" in archive.read("a/data.pkl")
