"""What type checkers say of programs: nothing of the examples and of `program.py`, and on each line
of `mistakes.py` the error that is marked there.

mypy and pyright see the package as they would see it installed: through the environment of a Python
that finds it on its path, with the stub package beside it. pyright comes from PyPI and fetches its
program when it runs for the first time; where it cannot, these tests are skipped.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.long
HERE = Path(__file__).parent
ROOT = HERE.parent.parent
MARK = re.compile(r"# wrong: ([\w-]+), (\w+)$")


class Found(NamedTuple):
    """An error that a checker has found."""

    file: str
    line: int
    code: str
    text: str


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python in whose environment Rushlight is installed, with what these tests run in."""
    home = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(home)], check=True)
    site = next(home.glob("lib/python*/site-packages"))
    (site / "here.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    return home / "bin" / "python"


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs in one folder, each with a name of its own and `import rushlight as torch`."""
    home = tmp_path_factory.mktemp("programs")
    files = [HERE / "program.py", HERE / "mistakes.py", *(ROOT / "examples").rglob("*.py")]
    for path in files:
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"^(\s*)import torch$", r"\1import rushlight as torch", text, flags=re.M)
        text = re.sub(r"^(\s*)(from|import) torch\b", r"\1\2 rushlight", text, flags=re.M)
        folder = "" if path.parent.name in ("typing", "examples") else path.parent.name + "_"
        (home / f"{folder}{path.name}").write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "rushlight-stubs", home / "stubs")  # pyright looks at them as well
    return home


@pytest.fixture(scope="module")
def by_mypy(python: Path, programs: Path) -> list[Found]:
    if find_spec("mypy") is None:
        pytest.skip("mypy is not installed")
    made = subprocess.run(
        [sys.executable, "-m", "mypy", "--python-executable", str(python), "--config-file", "",
         "--cache-dir", str(programs / "cache"), "--ignore-missing-imports",
         "--disable-error-code", "import-untyped", *[p.name for p in programs.glob("*.py")]],
        cwd=programs, capture_output=True, text=True, env=environment(),
    )  # fmt: skip
    assert made.returncode in (0, 1), made.stdout + made.stderr
    said = re.finditer(r"^(.*?):(\d+): error: (.*?)\s+\[([\w-]+)\]$", made.stdout, re.M)
    return [Found(m[1], int(m[2]), m[4], m[3]) for m in said]


@pytest.fixture(scope="module")
def by_pyright(python: Path, programs: Path) -> list[Found]:
    if find_spec("pyright") is None:
        pytest.skip("pyright is not installed")
    (programs / "pyrightconfig.json").write_text(
        json.dumps({"typeCheckingMode": "basic", "reportMissingImports": False,
                    "reportMissingModuleSource": False, "pythonVersion": "3.11"})
    )  # fmt: skip
    made = subprocess.run(
        [sys.executable, "-m", "pyright", "--pythonpath", str(python), "--outputjson"],
        cwd=programs, capture_output=True, text=True, env=environment(),
    )  # fmt: skip
    try:
        said = json.loads(made.stdout)["generalDiagnostics"]
    except (ValueError, KeyError):
        pytest.skip(f"pyright does not run here: {(made.stderr or made.stdout)[-300:]}")
    return [
        Found(Path(d["file"]).name, at["line"] + 1, d.get("rule", ""), d["message"])
        for d in said
        if d["severity"] == "error" and (at := d["range"]["start"])
    ]


def environment() -> dict[str, str]:
    """This environment without what would show the package otherwise."""
    return {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "MYPYPATH")}


def expected(which: int) -> dict[int, str]:
    """Line -> what a checker says of it (1: mypy, 2: pyright)."""
    lines = (HERE / "mistakes.py").read_text(encoding="utf-8").splitlines()
    marks = {i: MARK.search(line) for i, line in enumerate(lines, 1)}
    return {i: m[which] for i, m in marks.items() if m is not None}


def in_programs(found: list[Found]) -> list[Found]:
    return [f for f in found if f.file != "mistakes.py"]


def listed(found: list[Found]) -> str:
    return "\n".join(f"{f.file}:{f.line} {f.code} {f.text}" for f in in_programs(found))


def told(found: list[Found]) -> dict[int, set[str]]:
    lines: dict[int, set[str]] = {}
    for f in found:
        if f.file == "mistakes.py":
            lines.setdefault(f.line, set()).add(f.code)
    return lines


def check(found: list[Found], wanted: dict[int, str]) -> None:
    """Assert that there is no error in programs, and that each mistake is found on its line."""
    assert not in_programs(found), listed(found)
    lines = told(found)
    assert len(wanted) >= 20
    assert lines.keys() == wanted.keys()
    assert {i: codes for i, codes in lines.items() if wanted[i] not in codes} == {}


# One test each: the processes that share the tests would run a checker twice for two.
def test_mypy_finds_mistakes_alone(by_mypy: list[Found]) -> None:
    check(by_mypy, expected(1))


def test_pyright_finds_mistakes_alone(by_pyright: list[Found]) -> None:
    check(by_pyright, expected(2))


def test_the_program_is_a_long_one_with_sixty_methods() -> None:
    text = (HERE / "program.py").read_text(encoding="utf-8")
    import rushlight

    called = {n for n in re.findall(r"\.(\w+)\(", text) if hasattr(rushlight.Tensor, n)}
    assert len(text.splitlines()) >= 200
    assert len(called) >= 60


def test_the_program_runs() -> None:
    made = subprocess.run(
        [sys.executable, str(HERE / "program.py")], capture_output=True, text=True, cwd=ROOT,
        env={**environment(), "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    first, last = re.findall(r"loss (\d\.\d+) -> (\d\.\d+)", made.stdout)[0]
    assert float(last) < float(first)
