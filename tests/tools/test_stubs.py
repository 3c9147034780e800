"""The stub package is what `tools/stubs.py` makes of the records, and says what the records say."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight import assembly

ROOT = Path(__file__).parent.parent.parent
STUBS = ROOT / "rushlight-stubs"


@pytest.fixture(scope="module")
def tool() -> Any:
    name = "rushlight_stubs_tool"
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / "stubs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    before = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


@pytest.mark.slow
def test_the_stubs_are_not_stale() -> None:
    # in a process of its own: tests leave traces, such as a module that was asked for
    check = [sys.executable, str(ROOT / "tools/stubs.py"), "--check"]
    done = subprocess.run(check, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, f"stale: run python tools/stubs.py\n{done.stdout}{done.stderr}"


def definitions(file: str, cls: str | None = None) -> dict[str, list[ast.FunctionDef]]:
    body = ast.parse((STUBS / file).read_text(encoding="utf-8")).body
    if cls is not None:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == cls)
    found: dict[str, list[ast.FunctionDef]] = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            found.setdefault(node.name, []).append(node)
    return found


def names(node: ast.FunctionDef) -> list[str]:
    a = node.args
    star = [a.vararg.arg] if a.vararg else []
    return [p.arg for p in a.args] + star + [p.arg for p in a.kwonlyargs]


@pytest.mark.parametrize(
    ("file", "cls", "home"),
    [
        ("__init__.pyi", None, rushlight),
        ("tensor.pyi", "Tensor", rushlight.Tensor),
        ("nn/functional.pyi", None, rushlight.nn.functional),
        ("linalg.pyi", None, rushlight.linalg),
        ("fft.pyi", None, rushlight.fft),
        ("special.pyi", None, rushlight.special),
    ],
)
def test_parameters_are_those_that_python_shows(
    tool: Any, file: str, cls: str | None, home: Any
) -> None:
    by_hand = tool.texts.OVERLOADS | (tool.texts.METHODS if cls else tool.texts.ALONE_OVERLOADS)
    wrong = []
    for name, nodes in definitions(file, cls).items():
        value = inspect.getattr_static(home, name, None)
        if not inspect.isfunction(value) or name.startswith("__") or name in by_hand:
            continue
        shown = list(inspect.signature(value).parameters)
        if [names(node) for node in nodes] != [shown]:
            wrong.append(f"{name}: {shown}")
    assert wrong == []


def test_every_published_name_is_there() -> None:
    places = {
        "torch": ("__init__.pyi", None),
        "Tensor": ("tensor.pyi", "Tensor"),
        "nn.functional": ("nn/functional.pyi", None),
        "linalg": ("linalg.pyi", None),
        "fft": ("fft.pyi", None),
        "special": ("special.pyi", None),
    }
    for space, (file, cls) in places.items():
        wanted = {n for n in assembly.namespaces[space] if not n.startswith("_")}
        assert wanted - definitions(file, cls).keys() == set(), space


def test_types_of_results_are_known() -> None:
    # of a thousand functions and methods, few return what the samples do not tell
    unknown = {}
    functions = "nn/functional.pyi"
    for file, cls in (("__init__.pyi", None), ("tensor.pyi", "Tensor"), (functions, None)):
        found = definitions(file, cls)
        unknown[file] = sorted(
            n for n, nodes in found.items() if any(ast.unparse(d.returns) == "Any" for d in nodes)
        )
        assert len(unknown[file]) < 0.07 * len(found), unknown[file]


@pytest.mark.slow
def test_a_changed_stub_is_told(tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for path in STUBS.rglob("*.pyi"):
        target = tmp_path / path.relative_to(STUBS)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "py.typed").write_text("partial\n")
    text = (tmp_path / "fft.pyi").read_text()
    monkeypatch.setattr(tool, "HOME", tmp_path)
    before = tool.stale(docs=False)  # what other tests left in this process may have changed some
    (tmp_path / "fft.pyi").write_text(text.replace("def fft(input: Tensor", "def fft(input: Any"))
    assert set(tool.stale(docs=False)) - set(before) == {"fft.pyi"}
