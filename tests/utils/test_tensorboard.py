"""Event files: what was written is read back, record by record."""

from __future__ import annotations

import glob
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight.utils import tensorboard


def events(folder: Path) -> Iterator[Any]:
    """The events of all files in a folder: length, checksum, protobuf, checksum."""
    from tensorboardX.proto.event_pb2 import Event

    for path in sorted(glob.glob(os.path.join(folder, "events*"))):
        raw = Path(path).read_bytes()
        place = 0
        while place < len(raw):
            (size,) = struct.unpack_from("<Q", raw, place)
            yield Event.FromString(raw[place + 12 : place + 12 + size])
            place += size + 16
        assert place == len(raw)


def values(folder: Path) -> dict[str, list[tuple[int, Any]]]:
    found: dict[str, list[tuple[int, Any]]] = {}
    for event in events(folder):
        for value in event.summary.value:
            found.setdefault(value.tag, []).append((event.step, value))
    return found


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Any]:
    pytest.importorskip("tensorboardX", reason="tensorboardX is not installed")
    with tensorboard.SummaryWriter(tmp_path / "run") as made:
        yield made


def read(writer: Any) -> dict[str, list[tuple[int, Any]]]:
    writer.close()
    return values(writer.log_dir)


def test_scalars(writer: Any, tmp_path: Path) -> None:
    loss = torch.tensor(0.5, requires_grad=True)
    for step, value in enumerate([loss, torch.tensor([[2.5]]), 3, np.float64(4.5)]):
        writer.add_scalar("loss", value, step)
    writer.add_scalar("half", torch.tensor(1.5, dtype=torch.bfloat16), global_step=7, walltime=5.0)
    writer.add_scalar("more", 1, 0, new_style=True, double_precision=True)
    writer.add_scalars("both", {"a": torch.tensor(1.0), "b": 2}, 3)
    found = read(writer)
    assert [(s, v.simple_value) for s, v in found["loss"]] == [(0, 0.5), (1, 2.5), (2, 3), (3, 4.5)]
    assert [(s, v.simple_value) for s, v in found["half"]] == [(7, 1.5)]
    ((step, value),) = values(tmp_path / "run" / "both_b")["both"]
    assert (step, value.simple_value) == (3, 2.0)
    with pytest.raises(ValueError, match="scalar should be 0D"):
        writer.add_scalar("loss", torch.zeros(2))


def test_histograms(writer: Any) -> None:
    weights = torch.nn.Linear(30, 10).weight
    writer.add_histogram("w", weights, 1)
    writer.add_histogram("w", weights.to(torch.float16), 2, bins="auto", max_bins=5)
    writer.add_histogram("i", torch.arange(10))
    found = read(writer)
    (_, first), (_, second) = found["w"]
    assert first.histo.num == second.histo.num == 300
    assert first.histo.min == pytest.approx(weights.min().item())
    assert first.histo.sum == pytest.approx(weights.sum().item(), abs=1e-4)
    assert found["i"][0][1].histo.max == 9


def test_images(writer: Any) -> None:
    import io

    Image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    picture = torch.rand(3, 4, 5)
    writer.add_image("one", picture, 3)
    writer.add_image("hw", torch.zeros(4, 5, dtype=torch.uint8), dataformats="HW")
    writer.add_images("list", [picture, picture], 1)
    writer.add_images("batch", torch.rand(2, 1, 4, 5), 1)
    writer.add_image_with_boxes("boxes", picture, torch.tensor([[0, 0, 2, 2]]))  # tensorboardX's
    found = read(writer)
    ((step, value),) = found["one"]
    assert (step, value.image.height, value.image.width) == (3, 4, 5)
    pixels = np.asarray(Image.open(io.BytesIO(value.image.encoded_image_string)))
    assert abs(pixels / 255 - picture.permute(1, 2, 0).numpy()).max() < 1 / 254
    assert found["list"][0][1].image.width == 10
    assert {"hw", "batch", "boxes"} <= set(found)


@pytest.mark.slow
def test_figures(writer: Any) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(1, 1), dpi=40)
    axes.plot([1, 2])
    writer.add_figure("f", figure, 2)
    assert not plt.get_fignums()
    assert read(writer)["f"][0][1].image.height == 40


def test_text_curves_and_settings(writer: Any, tmp_path: Path) -> None:
    writer.add_text("note", "**hello**", 1)
    truth = torch.tensor([1, 0, 1, 1])
    writer.add_pr_curve("pr", truth, torch.tensor([0.9, 0.1, 0.4, 0.8]), 4, num_thresholds=11)
    settings = {"lr": torch.tensor(0.1), "name": "sgd", "on": True, "n": 3}
    writer.add_hparams(settings, {"acc": torch.tensor(0.75)}, run_name="try", global_step=2)
    found = read(writer)
    assert found["note/text_summary"][0][1].tensor.string_val == [b"**hello**"]
    curve = found["pr"][0][1].tensor
    assert [d.size for d in curve.tensor_shape.dim] == [6, 11]
    inner = values(tmp_path / "run" / "try")
    assert inner["acc"][0][0] == 2
    assert inner["acc"][0][1].simple_value == 0.75
    assert any("hparams" in tag for tag in inner)


def test_embedding(writer: Any, tmp_path: Path) -> None:
    pytest.importorskip("PIL", reason="Pillow is not installed")
    points = torch.randn(4, 3, requires_grad=True)
    labels = torch.tensor([3, 1, 4, 1])
    writer.add_embedding(points, labels, torch.rand(4, 3, 8, 8), global_step=5, tag="e")
    writer.close()
    (folder,) = (tmp_path / "run").glob("*/e")
    lines = (folder / "tensors.tsv").read_text().splitlines()
    table = [[float(x) for x in line.split("\t")] for line in lines]
    assert np.allclose(table, points.detach().numpy())
    assert (folder / "metadata.tsv").read_text().split() == ["3", "1", "4", "1"]
    assert (folder / "sprite.png").exists()


class Twice(torch.nn.Module):
    """A layer that is called twice, a change in place, a number, two results."""

    def __init__(self) -> None:
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())
        self.scale = torch.nn.Parameter(torch.ones(2))

    def forward(self, x: Any, more: Any) -> Any:
        y = self.body(self.body(x))
        y.add_(more * 2)
        return y * self.scale, {"more": more}


def test_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tensorboardX.proto.graph_pb2 import GraphDef

    model = Twice()
    model.body.eval()
    state = torch.get_rng_state()
    with tensorboard.SummaryWriter(str(tmp_path)) as writer:
        writer.add_graph(model, (torch.zeros(1, 2), torch.ones(2)), verbose=True)
    assert torch.equal(torch.get_rng_state(), state)  # in evaluation mode nothing is dropped
    assert (model.training, model.body.training) == (True, False)
    (found,) = [e.graph_def for e in events(tmp_path) if e.graph_def]
    nodes = {node.name: node for node in GraphDef.FromString(found).node}
    first, second = (f"Twice/Sequential[body]/Linear[0]/linear{end}" for end in ("", "_1"))
    assert nodes[first].op == "aten::linear"
    assert list(nodes[first].input) == [
        "input/0",
        "Twice/Sequential[body]/Linear[0]/weight",
        "Twice/Sequential[body]/Linear[0]/bias",
    ]
    assert nodes[second].input[0] == "Twice/Sequential[body]/Dropout[1]/dropout"
    assert [d.size for d in nodes[first].attr["_output_shapes"].list.shape[0].dim] == [1, 2]
    assert [node.name for node in nodes.values() if node.op == "prim::GetAttr"] == [
        *nodes[first].input[1:],
        "Twice/scale",
    ]
    for node in nodes.values():  # nothing hangs in the air
        assert set(node.input) <= set(nodes)
    # The product reads what was changed in place, and the second output is an input.
    end = nodes[nodes["output/0"].input[0]]
    assert nodes[end.input[0]].input[0] == "Twice/Sequential[body]/Dropout[1]/dropout_1"
    assert list(nodes["output/1"].input) == ["input/1"]
    assert f"{first}: aten::linear(input/0" in capsys.readouterr().out


def test_a_graph_needs_an_input(writer: Any) -> None:
    with pytest.raises(ValueError, match=r"add_graph[^$]*got[^$]*None[^$]*try"):
        writer.add_graph(torch.nn.Linear(2, 2))


def test_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tensorboardX", reason="tensorboardX is not installed")
    monkeypatch.chdir(tmp_path)
    writer = tensorboard.SummaryWriter(comment="_mine", purge_step=3, filename_suffix=".end")
    assert writer.get_logdir() == writer.log_dir
    assert writer.log_dir.startswith("runs")
    assert writer.log_dir.endswith("_mine")
    writer.add_scalar("x", 1, 3)
    writer.flush()
    assert len(values(Path(writer.log_dir))["x"]) == 1
    assert any(event.session_log.status for event in events(Path(writer.log_dir)))
    writer.close()
    writer.close()
    writer.add_scalar("x", 2, 4)  # opens another file
    writer.close()
    assert [step for step, _ in values(Path(writer.log_dir))["x"]] == [3, 4]
    names = os.listdir(writer.log_dir)
    assert len(names) == 2
    assert all(name.endswith(".end") for name in names)
    with pytest.raises(AttributeError, match="add_nothing"):
        writer.add_nothing()


def test_checksums(tmp_path: Path) -> None:
    """tensorboardX's own reader accepts the records."""
    pytest.importorskip("tensorboardX", reason="tensorboardX is not installed")
    from tensorboardX.crc32c import crc32c

    with tensorboard.SummaryWriter(tmp_path, max_queue=1) as writer:
        for step in range(3):
            writer.add_scalar("x", step, step)
        (path,) = tmp_path.iterdir()
        assert len(list(events(tmp_path))) >= 3  # some are there before the end
    raw = path.read_bytes()
    place = 0
    while place < len(raw):
        (size,) = struct.unpack_from("<Q", raw, place)
        for begin, length in ((place, 8), (place + 12, size)):
            crc = crc32c(raw[begin : begin + length])
            masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
            assert struct.unpack_from("<I", raw, begin + length) == (masked,)
        place += size + 16


def test_without_tensorboardx(monkeypatch: pytest.MonkeyPatch) -> None:
    from rushlight.utils.tensorboard import writer

    monkeypatch.delitem(sys.modules, "tensorboardX", raising=False)
    monkeypatch.setattr(writer.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"needs tensorboardX[^$]*pip install 'rushlight\["):
        from rushlight.utils.tensorboard import SummaryWriter  # noqa: F401
    with pytest.raises(ImportError, match="tensorboardX"):
        writer.SummaryWriter("nowhere")
    with pytest.raises(AttributeError, match="not there"):
        tensorboard.FileWriter  # noqa: B018


@pytest.mark.slow
def test_pytorch_is_not_imported_by_the_way() -> None:
    pytest.importorskip("tensorboardX", reason="tensorboardX is not installed")
    code = (
        "import sys, tempfile\n"
        "from rushlight.utils.tensorboard import SummaryWriter\n"
        "SummaryWriter(tempfile.mkdtemp()).close()\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
