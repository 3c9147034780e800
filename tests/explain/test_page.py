"""The page as text: what stands in it, what must not, and that a user's words are only words."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from rushlight.explain.page import html, write
from rushlight.explain.page.pack import pack, packed
from rushlight.explain.page.write import HERE, SCRIPTS
from rushlight.explain.recording import Module, Recording

from . import handmade

DATA = re.compile(r'<script type="text/plain" id="data">([A-Za-z0-9+/=]*)</script>')


def unpacked(text: str) -> Any:
    """What the page's script gets to see."""
    found = DATA.search(text)
    assert found
    return json.loads(gzip.decompress(base64.b64decode(found.group(1))))


def without_data(recording: Recording) -> str:
    return DATA.sub("", html(recording))


def test_it_is_one_whole_file(tmp_path: Path) -> None:
    path = write(handmade.mnist(), tmp_path / "deep" / "page.html")
    assert path == tmp_path / "deep" / "page.html"
    text = path.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>")
    assert text.rstrip().endswith("</html>")
    assert "<title>examples/mnist.py --epochs 1 · Rushlight</title>" in text
    assert [p.name for p in path.parent.iterdir()] == ["page.html"]


def test_a_page_is_replaced_in_one_move(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("older", encoding="utf-8")
    recording = handmade.mnist()
    recording.plans[0].flops = object()  # type: ignore[assignment]  # cannot be written
    with pytest.raises(TypeError):
        write(recording, path)
    assert path.read_text(encoding="utf-8") == "older"


@pytest.mark.parametrize("make", [handmade.empty, handmade.mnist, handmade.broken])
def test_no_address_stands_in_it(make: Any) -> None:
    text = without_data(make())
    for word in ("http:", "https:", "//cdn", "url(", "@import", "XMLHttpRequest", "WebSocket",
                 "sendBeacon", "EventSource", "localStorage"):  # fmt: skip
        assert word not in text, word
    assert not re.search(r"\b(import|fetch|importScripts|eval)\b", text)
    asking = r"<(link|img|iframe|object|embed|video|audio|source)\b"
    assert not re.search(asking + r"(?![^>]*data:,)", text)
    assert not re.search(r"\bsrc\s*=", text)
    assert "default-src 'none'" in text


def test_every_script_stands_in_it_once() -> None:
    assert sorted(SCRIPTS) == sorted(p.name for p in HERE.glob("*.js"))
    text = html(handmade.empty())
    for name in SCRIPTS:
        assert text.count((HERE / name).read_text(encoding="utf-8")) == 1
    assert "</script" not in "".join((HERE / n).read_text(encoding="utf-8") for n in SCRIPTS)


def test_columns_hold_what_rows_held() -> None:
    recording = handmade.broken()
    got = unpacked(html(recording))
    want = packed(recording)
    assert got == json.loads(json.dumps(want))
    begin = 0
    for i, event in enumerate(recording.events):
        begin += got["events"]["begin"][i]
        assert (begin, begin + got["events"]["end"][i]) == (event.begin, event.end)
        assert got["events"]["name"][i] == event.name
        for value, (kind, maker, grad, *name) in zip(
            event.takes, got["events"]["takes"][i], strict=True
        ):
            assert got["types"][kind] == [value.dtype, list(value.shape)]
            assert (maker, bool(grad), "".join(name)) == (value.made_by, value.grad, value.name)
    for i, block in enumerate(recording.blocks):
        assert sum(got["blocks"]["born"][: i + 1]) == block.born
    for table in ("modules", "lines", "records", "plans", "unreached", "findings"):
        rows = getattr(recording, table)
        for field in dataclasses.fields(rows[0]):
            values = [getattr(r, field.name) for r in rows]
            assert got[table][field.name] == values


def test_numbers_that_json_lacks() -> None:
    got = unpacked(html(handmade.broken()))
    assert "NaN" in got["numbers"]["mean"]
    assert "Infinity" in got["numbers"]["largest"]


def test_words_of_the_user_are_text() -> None:
    recording = handmade.mnist()
    evil = "</script><script>alert(1)</script><!--"
    recording.program = f"{evil} \"quoted\" 'too' & more"
    recording.modules.append(Module(evil, evil, evil, 0, 0, True))
    text = html(recording)
    assert evil not in text
    assert "&lt;/script&gt;" in text  # in the title
    assert text.count("</script>") == 2  # the data's and the script's own
    assert unpacked(text)["modules"]["path"][-1] == evil


def test_a_line_that_is_not_unicode_can_be_written() -> None:
    recording = handmade.mnist()
    recording.lines[0].text = "x = '\udcff'"
    assert "x = '" in unpacked(html(recording))["lines"]["text"][0]


def test_the_same_recording_gives_the_same_page() -> None:
    assert html(handmade.mnist()) == html(handmade.mnist())


def test_size() -> None:
    """Three steps of 720 layers: more than a ResNet-50 has; the whole file is within 3 MB."""
    recording = handmade.mnist(3, repeat=60)
    assert len(recording.events) > 6000
    assert len(pack(recording)) < 1_000_000
    assert len(html(handmade.empty())) < 200_000


def test_pictures_of_the_readme() -> None:
    """They are there, small, and nothing else is (tools/explain_screenshots.py makes them)."""
    root = Path(__file__).parents[2]
    named = re.findall(r"\((docs/images/[^)]+)\)", (root / "README.md").read_text("utf-8"))
    found = sorted((root / "docs" / "images").glob("explain-*.png"))
    assert sorted(root / name for name in named if "explain" in name) == found
    assert found
    for path in found:
        assert path.stat().st_size < 150_000, path.name
