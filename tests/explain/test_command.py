"""`python -m rushlight explain`: options, the page, the program that runs on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import rushlight
from rushlight.explain.command import parsed

PROGRAM = """\
import sys
import torch
from torch import nn

def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    losses = []
    for k in range(int(sys.argv[1])):
        x = torch.randn(16, 4)
        loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if "keep" in sys.argv:
            losses.append(loss)
    model.eval()
    for _ in range(30 if "evaluate" in sys.argv else 0):
        model(torch.randn(16, 4))
    if "fail" in sys.argv:
        model(torch.randn(16, 5))
    print("end", *sys.argv[1:])

if __name__ == "__main__":
    main()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explained")
    (folder / "train.py").write_text(PROGRAM, encoding="utf-8")
    return folder


def run(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rushlight", "explain", *args], cwd=folder, text=True,
        capture_output=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip


def data(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("line", "steps", "out", "stop", "program"),
    [
        ("a.py", 3, "explain.html", False, "a.py"),
        ("--steps 2 a.py x", 2, "explain.html", False, "a.py x"),
        ("a.py --lr 3 --steps 5 --out p.html", 5, "p.html", False, "a.py --lr 3"),
        ("a.py x --out=p.html --stop", 3, "p.html", True, "a.py x"),
        ("--stop a.py --steps 5", 3, "explain.html", True, "a.py --steps 5"),
        ("-m pkg.train --steps 4 y", 3, "explain.html", False, "-m pkg.train --steps 4 y"),
        ("-m pkg.train y --steps 4", 4, "explain.html", False, "-m pkg.train y"),
    ],
)
def test_options(line: str, steps: int, out: str, stop: bool, program: str) -> None:
    options, rest = parsed(line.split())
    assert (options.steps, options.out, options.stop) == (steps, out, stop)
    assert rest == program.split()


@pytest.mark.parametrize("line", ["", "-m", "--steps 0 a.py", "--stepz 3 a.py", "--out"])
def test_wrong_options(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        parsed(line.split())
    assert end.value.code == 2
    assert "usage: python -m rushlight explain" in capsys.readouterr().err


@pytest.mark.slow
def test_the_first_steps_and_then_to_the_end(folder: Path) -> None:
    done = run(folder, "train.py", "40", "keep", "evaluate", "--steps", "2", "--out", "a.json")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "end 40 keep evaluate\n"
    assert str(folder / "a.json") in done.stderr
    found = data(folder / "a.json")
    assert len(found["steps"]) == 2
    assert found["program"] == "train.py 40 keep evaluate"
    assert found["version"] == rushlight.__version__  # and not PyTorch's
    lines = [line["text"] for line in found["lines"]]
    assert "loss.backward()" in lines
    watched = {(w["kind"], lines[w["line"]]): w["count"] for w in found["watched"]}
    assert watched["kept graphs", "losses.append(loss)"] >= 2
    assert watched["evaluation", "model(torch.randn(16, 4))"] == 30
    assert [p.name for p in folder.glob("a.json*")] == ["a.json"]


@pytest.mark.slow
def test_stop(folder: Path) -> None:
    done = run(folder, "--steps", "2", "--out", "b.json", "--stop", "train.py", "1000000")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert len(data(folder / "b.json")["steps"]) == 2


@pytest.mark.slow
def test_an_error_and_a_module(folder: Path) -> None:
    done = run(folder, "-m", "train", "1", "fail", "--out", "c.json")
    assert done.returncode == 1
    assert "rushlight/explain/command.py" not in done.stderr.replace(os.sep, "/")
    found = data(folder / "c.json")
    assert "in module: 0 (Linear" in found["error"]
    failed = found["events"][found["failed"]]
    assert "model(torch.randn(16, 5))" in [
        found["lines"][failed["line"]]["text"],
        *[found["lines"][e["line"]]["text"] for e in found["events"] if e["kind"] == "module"],
    ]
    assert len(found["steps"]) == 2


@pytest.mark.slow
def test_an_error_behind_the_recorded_steps(folder: Path) -> None:
    done = run(folder, "train.py", "5", "fail", "--steps", "1", "--out", "e.json")
    assert done.returncode == 1
    found = data(folder / "e.json")
    assert found["error"].startswith("RuntimeError: linear: mat1 and mat2")
    assert (len(found["steps"]), found["failed"]) == (1, -1)


@pytest.mark.slow
def test_a_program_without_an_optimizer(folder: Path) -> None:
    (folder / "plain.py").write_text("import torch\ntorch.ones(3).exp()\n", encoding="utf-8")
    done = run(folder, "plain.py", "--out", "d.json")
    assert done.returncode == 0, done.stderr
    assert [e["name"] for e in data(folder / "d.json")["events"]] == ["step 1", "ones", "exp"]
