"""What notebooks show: right in what it says, bounded, without a change to anything else."""

from __future__ import annotations

import base64
import importlib
import re
import struct
import subprocess
import sys
import time
import zlib
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.show import find, plan_of
from rushlight.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset


class Balanced(HTMLParser):
    """Fails where a tag is not closed; collects the text and the tags."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag != "img":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def parsed(what: Any) -> Balanced:
    """The display of an object, taken apart; a display is what it is of, and sends for nothing."""
    made = what._repr_html_()
    assert isinstance(made, str), f"no display of {type(what).__name__}"
    found = Balanced()
    found.feed(made)
    assert found.open == []
    assert "http" not in re.sub("base64,[^\"]*", "", made)  # letters of an image may be any
    assert "<script" not in made
    return found


def pixels(found: Balanced) -> np.ndarray:
    """The pixels of the PNG in a display."""
    (src,) = [attrs["src"] for tag, attrs in found.seen if tag == "img"]
    assert src is not None
    head, _, data = src.partition(",")
    assert head == "data:image/png;base64"
    raw = base64.b64decode(data)
    assert raw[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(raw):
        (length,) = struct.unpack(">I", raw[at : at + 4])
        body = raw[at + 4 : at + 8 + length]
        assert struct.unpack(">I", raw[at + 8 + length : at + 12 + length])[0] == zlib.crc32(body)
        chunks[body[:4]] = body[4:]
        at += 12 + length
    width, height, depth, kind = struct.unpack(">IIBB", chunks[b"IHDR"][:10])
    assert depth == 8
    channels = {0: 1, 2: 3, 6: 4}[kind]
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, -1)
    assert (rows[:, 0] == 0).all()
    return rows[:, 1:].reshape(height, width, channels)


def squares(what: Any) -> list[str]:
    """The words at the squares of a heat map."""
    return re.findall(r"<title>(\[\d+, \d+\]  [^<]*)</title>", what._repr_html_())


def test_images_are_images() -> None:
    x = torch.rand(3, 9, 12)
    want = (x.numpy().transpose(1, 2, 0) * 255).round()
    assert (pixels(parsed(x)) == want).all()
    u8 = torch.arange(64, dtype=torch.uint8).reshape(1, 8, 8)
    assert (pixels(parsed(u8))[..., 0] == u8[0].numpy()).all()
    assert (pixels(parsed(x.to(torch.bfloat16))) - want < 3).all()
    large = pixels(parsed(torch.rand(3, 2000, 1000)))
    assert large.shape == (250, 125, 3)


def test_a_batch_is_a_grid() -> None:
    x = torch.rand(20, 1, 8, 8)
    found = parsed(x)
    drawn = pixels(found)
    assert drawn.shape == (4 * 9 - 1, 4 * 9 - 1, 4)
    assert (drawn[9:17, 18:26, 0] == (x[6, 0].numpy() * 255).round()).all()
    assert (drawn[8, :, 3] == 0).all()
    assert "the first 16 of 20 images" in found.text


@pytest.mark.parametrize("shape", [(3, 7, 8), (2, 8, 8), (5, 2, 8, 8)])
def test_what_is_no_image_by_its_shape(shape: tuple[int, ...]) -> None:
    assert not [tag for tag, _ in parsed(torch.rand(shape)).seen if tag == "img"]


@pytest.mark.parametrize("value", [-0.1, 1.5, float("nan"), float("inf")])
def test_what_is_no_image_by_its_values(value: float) -> None:
    x = torch.rand(1, 8, 8)
    x[0, 3, 3] = value
    assert not [tag for tag, _ in parsed(x).seen if tag == "img"]


def test_a_matrix_is_a_heat_map() -> None:
    x = torch.tensor([[1.5, -2.0], [float("nan"), 0.0]])
    assert squares(x) == ["[0, 0]  1.5", "[0, 1]  -2", "[1, 0]  nan", "[1, 1]  0"]
    rects = [attrs for tag, attrs in parsed(x).seen if tag == "rect"]
    assert len({r["fill"] for r in rects}) == 3  # positive, negative, not finite
    assert [r["fill-opacity"] for r in rects] == ["0.76", "1.00", "1.00", "0.04"]
    assert parsed(x).text.endswith(repr(x))


def test_complex_matrices_and_their_conjugates() -> None:
    x = torch.tensor([[1 + 2j, 0]])
    assert squares(x)[0] == "[0, 0]  1+2j"
    assert squares(x.conj())[0] == "[0, 0]  1-2j"


def test_large_ones_are_sampled() -> None:
    x = torch.zeros(3000, 2000)
    x[-1, -1] = 7
    begin = time.perf_counter()
    found = parsed(x)
    assert time.perf_counter() - begin < 1
    assert "24 of 3000 rows, 32 of 2000 columns" in found.text
    assert squares(x)[-1] == "[2999, 1999]  7"
    assert len(x._repr_html_()) < 150_000


def test_a_vector_is_a_line() -> None:
    found = parsed(torch.tensor([1.0, float("nan"), 3.0, 2.0]))
    lines = [attrs["points"] for tag, attrs in found.seen if tag == "polyline"]
    assert len(lines) == 2  # the gap
    assert "from 1 to 3, 1 not finite" in found.text
    assert "at 200 places" in parsed(torch.arange(1000)).text


class Named(torch.Tensor):
    pass


class OwnText(torch.Tensor):
    def __repr__(self, **kw: Any) -> str:
        return "mine"


class Layer(nn.Module):
    def extra_repr(self) -> str:
        raise RuntimeError("not yet")


def test_every_kind_of_tensor_has_its_text() -> None:
    kinds = {
        "requires_grad": torch.ones(2, requires_grad=True),
        "sparse_coo": torch.eye(3).to_sparse(),
        "3 values stored": torch.eye(3).to_sparse_csr(),
        "meta": torch.empty(2, 3, device="meta"),
        "(0, 3)": torch.zeros(0, 3),
        "Named": torch.ones(2, 2).as_subclass(Named),
        "Parameter": nn.Parameter(torch.ones(2, 2)),
        "bfloat16": torch.ones(2, 2, dtype=torch.bfloat16),
        "float8_e4m3fn": torch.ones(2, 2).to(torch.float8_e4m3fn),
        "bool": torch.ones(2, 2) > 0,
        "grad_fn": torch.ones(2, requires_grad=True) * 2,
    }
    for word, t in kinds.items():
        text = parsed(t).text
        assert word in text
        assert text.endswith(repr(t))


def test_where_the_text_says_all() -> None:
    assert torch.tensor(3.0)._repr_html_() is None
    assert torch.ones(2).as_subclass(OwnText)._repr_html_() is None
    assert nn.ReLU()._repr_html_() is None
    assert nn.Sequential(Layer())._repr_html_() is None  # a program's own mistake


def test_a_module_is_a_tree() -> None:
    inner = nn.Sequential(nn.Linear(4, 5), nn.LazyLinear(3))
    model = nn.ModuleDict({"<b>": inner, "same": inner[0], "norm": nn.BatchNorm1d(2)})
    inner[0].bias.requires_grad_(False)
    found = parsed(model)
    assert next(a for tag, a in found.seen if tag == "details") == {"open": None}
    assert "ModuleDict · 29 parameters" in found.text  # the shared layer counts once
    assert "(<b>) Sequential" in found.text
    assert "Linear(in_features=4, out_features=5, bias=True) · 25 parameters" in found.text
    assert "weight(5, 4)float32" in found.text
    assert "bias(5,)float32frozen" in found.text
    assert "waits for the first input" in found.text
    assert "running_mean(2,)float32buffer" in found.text


def test_an_optimiser_is_its_groups() -> None:
    a, b = nn.Parameter(torch.ones(3)), nn.Parameter(torch.ones(2, 2))
    optimizer = torch.optim.SGD([{"params": [a]}, {"params": [b], "momentum": 0.5}], lr=0.1)
    text = parsed(optimizer).text
    assert "SGD · 2 groups · no step yet" in text
    assert "grouptensorsnumberslrmomentum0130.101140.10.5" in text
    assert "weight_decay = 0" in text


def test_plans() -> None:
    told = torch.compiler.explain(lambda x: (2 * x).relu())(torch.ones(3))
    assert "relu" in parsed(told).text
    assert str(told).splitlines()[-1] in parsed(told).text
    arrays = [t.numpy() for t in (torch.ones(8, 8), torch.ones(8, 8))]
    plan = plan_of(find("mm"), tuple(arrays), {})
    assert plan.describe() in parsed(plan).text


class Noise(Dataset[Any]):
    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: int) -> Any:
        return {"x": torch.rand(2, 2), "name": "<i>"}


class Broken(Noise):
    def __getitem__(self, index: int) -> Any:
        raise KeyError("no such file")


class Stream(IterableDataset[Any]):
    def __iter__(self) -> Any:
        raise AssertionError("a display reads no stream")


def test_data() -> None:
    data = TensorDataset(torch.rand(5, 3, 8, 8), torch.arange(5))
    found = parsed(data)
    assert "TensorDataset · 5 items" in found.text
    assert (pixels(found) == (data[0][0].numpy().transpose(1, 2, 0) * 255).round()).all()
    loader = parsed(DataLoader(data, 2, shuffle=True))
    assert "DataLoader · 3 batches · batch_size 2 · order by RandomSampler" in loader.text
    assert "'<i>'" in parsed(Noise()).text
    assert "asking for it raises KeyError: 'no such file'" in parsed(Broken()).text
    assert "Stream · a stream" in parsed(DataLoader(Stream(), 4)).text


def test_looking_draws_no_number() -> None:
    torch.manual_seed(3)
    want = torch.rand(2).tolist()
    torch.manual_seed(3)
    parsed(Noise())
    parsed(DataLoader(Noise(), 2, shuffle=True))
    assert torch.rand(2).tolist() == want


def test_it_is_read_when_asked_for() -> None:
    code = (
        "import sys, rushlight as t; x = t.ones(2); repr(x)\n"
        "assert 'rushlight.display.tensors' not in sys.modules\n"
        "assert x._repr_html_() and 'PIL' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_under_the_drop_in() -> None:
    code = (
        "import rushlight.dropin as d; d.install()\n"
        "import torch; x = torch.ones(2, 2)\n"
        "assert x._repr_html_().count('<rect') == 4\n"
        "assert repr(x) == 'tensor([[1., 1.],\\n        [1., 1.]])'\n"
        "m = torch.nn.Sequential(torch.nn.Linear(2, 2))\n"
        "assert '6 parameters' in m._repr_html_()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_ipython_takes_it() -> None:
    formatters = pytest.importorskip("IPython.core.formatters", reason="IPython is not installed")
    show = formatters.DisplayFormatter().format
    made, _ = show(torch.eye(2))
    assert made["text/html"] == torch.eye(2)._repr_html_()
    made, _ = show(torch.tensor(1.0))
    assert "text/html" not in made
    assert made["text/plain"] == "tensor(1.)"


def test_each_kind_has_one_who_draws_it():
    from rushlight import display

    for kind, file in display.KINDS.items():
        assert callable(getattr(importlib.import_module(f"rushlight.display.{file}"), kind))
