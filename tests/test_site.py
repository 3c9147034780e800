"""The site: what it says of names, and, built whole, that every name is on it and no link is dead.

    RUSHLIGHT_TEST_SITE=build/docs python -m pytest tests/test_site.py

looks at a site that `make docs` has built; without the variable one is built, which takes half a
minute.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rushlight
from tests.public_names import callables

ROOT = Path(__file__).parent.parent
for name in ("sphinx", "myst_parser", "furo"):
    pytest.importorskip(name, reason=f"{name} is not installed: pip install -e '.[docs]'")


def part(name: str) -> Any:
    """A module of the site's extension."""
    folder = str(ROOT / "docs/site")
    if folder not in sys.path:
        sys.path.append(folder)
    return importlib.import_module(f"extension.{name}")


@pytest.fixture(scope="module")
def site(tmp_path_factory: Any) -> Path:
    given = os.environ.get("RUSHLIGHT_TEST_SITE")
    if given:
        return ROOT / given
    folder: Path = tmp_path_factory.mktemp("site") / "docs"
    build = [sys.executable, str(ROOT / "docs/site/build.py"), str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return folder


# -- what is said ----------------------------------------------------------------------------------


def text_of(doc: str) -> str:
    from docutils import nodes

    made = part("docstring").converted(doc)
    return nodes.section("", *made).pformat()


def test_docstrings_are_plain_text() -> None:
    shown = text_of(
        """Rows of `x` times *y*, (*, n) -> (*, m).

        Args:
            a, b: two numbers,
                on two lines.
            **kw: the rest.

        - one
          more
        - two

            y = a * b

        >>> f(1)
        2

        >>> f(2)  # doctest: +ELLIPSIS
        """
    )
    assert "<literal>\n            x\n" in shown
    assert "times *y*, (*, n) -> (*, m)." in shown
    assert "<literal>\n                    a, b\n" in shown
    assert "two numbers, on two lines." in shown
    assert "**kw" in shown
    assert shown.count("<list_item>") == 2
    assert "one more" in shown
    assert '<literal_block language="text" xml:space="preserve">\n        y = a * b' in shown
    assert shown.count('language="pycon"') == 1  # examples that follow each other are one
    assert "doctest" not in shown


def told(path: str, space: str) -> Any:
    value: Any = rushlight
    for step in path.split(".")[1:]:
        value = getattr(value, step)
    return part("facts").facts(path, space, value)


def test_facts_come_from_the_record() -> None:
    found = told("torch.rsqrt", "")
    assert found.formula == "div(1, sqrt(input))"
    assert found.keeps == "the result"
    assert "-0.5 * g" in found.derivative
    assert found.source.startswith("rushlight/ops/elementwise/elementary.py:")
    assert found.kernels == ["rushlight/kernels/elementwise/select.py"]
    assert found.tests[0] == "tests/ops/core/test_records.py"
    assert told("torch.unsqueeze", "").result == "a view of the first input"


def test_functions_in_front_of_a_record_say_what_it_says() -> None:
    found = told("torch.nn.functional.conv2d", "nn.functional")
    assert found.source.startswith("rushlight/ops/nn/conv_public.py:")
    assert "rushlight/kernels/conv/select.py" in found.kernels
    assert found.keeps == "input, weight"


def test_differences_are_those_that_pages_state() -> None:
    assert any("atomic" in text for text in told("torch.save", "").differs)
    assert any("memory of its own" in t for t in told("torch.Tensor.resize_", "Tensor").differs)
    assert told("torch.rsqrt", "").differs == []


def test_sources_and_tests_exist() -> None:
    names, facts = part("names"), part("facts")
    missing = []
    for page in names.pages():
        for name in page.names:
            file, line = facts.home(name.value, name.space, name.path.rpartition(".")[2])
            if not (ROOT / file).is_file() or not file.endswith(".py") or line < 0:
                missing.append((name.path, file))
    assert not missing


# -- the pages -------------------------------------------------------------------------------------


@pytest.mark.long
def test_every_public_name_has_an_anchor(site: Path) -> None:
    anchors = {
        anchor
        for path in (site / "api").glob("*.html")
        for anchor in re.findall(r'<dt class="sig[^>]*? id="([^"]+)"', path.read_text("utf-8"))
    }
    assert not sorted({f"torch.{name}" for name, _ in callables()} - anchors)
    assert "torch.float32" in anchors
    assert "torch.Tensor.shape" in anchors
    assert "torch.nn.Module.state_dict" in anchors


@pytest.mark.long
def test_no_link_is_dead_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    assert part("links").faults(site) == []


@pytest.mark.long
def test_dead_links_and_requests_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<p id="x"><a href="#x">1</a><a href="#y">2</a><a href="b.html">3</a>'
        '<img src="https://example.org/a.png"><script src="no.js"></script>'
    )
    (tmp_path / "a.css").write_text("@import url(https://example.org/font.css);")
    faults = part("links").faults(tmp_path)
    words = ["loads https", "loads no.js", "no such anchor", "b.html, which", "a.css loads"]
    assert len(faults) == len(words)
    for fault, word in zip(faults, words, strict=True):
        assert word in fault


@pytest.mark.long
def test_pages_for_what_is_written(site: Path) -> None:
    for path in ROOT.glob("docs/**/*.md"):
        made = site / path.relative_to(ROOT).with_suffix(".html")
        assert made.is_file(), made
    text = (ROOT / "docs/architecture.md").read_text("utf-8")
    walks = len(re.findall("^## A walk: ", text, re.MULTILINE))
    walks += len(re.findall(r"^\*[^*]+\?\*", text, re.MULTILINE))
    assert len(list((site / "walks").glob("*.html"))) == walks + 1 == 9
    page = (site / "walks/a-compiled-step.html").read_text("utf-8")
    assert "runs <code" in page.replace("\n", " ")


@pytest.mark.long
def test_search_knows_every_name(site: Path) -> None:
    text = (site / "searchindex.js").read_text("utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    found = {
        f"{before}.{entry[-1]}" for before, group in index["objects"].items() for entry in group
    }
    assert not sorted({f"torch.{name}" for name, _ in callables()} - found)
