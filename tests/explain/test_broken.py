"""Twelve broken programs: what `python -m rushlight explain` says of each.

All of them run in one process (`main` of the command, one after the other), which writes the page
and the text of each.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from .test_page import unpacked

FOLDER = Path(__file__).parent / "broken"
# The programs run as scripts, each in a fresh `__main__`; errors go on, as in a shell.
RUN = """\
import contextlib, gc, io, sys, traceback
from rushlight.explain.command import main
folder, out, *programs = sys.argv[1:]
for program in programs:
    sys.argv[:] = ["rushlight"]
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            where = ["--out", f"{out}/{program}.html", f"{folder}/{program}.py"]
            main(["--steps", "5", "--text", *where])
        except Exception:
            print("RAISED")
            traceback.print_exc()
    with open(f"{out}/{program}.txt", "w", encoding="utf-8") as file:
        file.write(said.getvalue())
    vars(sys.modules["__main__"]).clear()  # as the end of a process would
    gc.collect()
"""


class Case(NamedTuple):
    """A program, and what is to be said of it."""

    program: str
    kind: str  # of the finding
    line: str  # of the program: its text
    title: tuple[str, ...]  # what stands in the title
    text: tuple[str, ...]  # and in the text


CASES = [
    Case("detached_by_data", "unreached", "code = code.data.clamp(-0.9, 0.9)",
         ("encoder.weight", "encoder.bias", ".data cut it off"), (".detach()",)),
    Case("integer_cast", "unreached", "level = (4 * torch.sigmoid(self.gate(x))).long()",
         ("gate.weight", "gate.bias", "int64"), ("no derivative", "sigmoid")),
    Case("nan_from_log", "nan", "loss = -(wanted * torch.log(p)).sum(1).mean()",
         ("Inf", "log of 0"), ("zeros", "log_softmax", "step 1, forward", "from 0 to 1")),
    Case("nan_from_division", "nan", "distance = torch.sqrt(((a - b) ** 2).sum(1))",
         ("Inf", "derivative of sqrt at 0"), ("divides by the root", "4 zeros", "backward")),
    Case("dead_relu", "dead relu", "h = torch.relu(self.fc1(x))",
         ("100 %", "dead"), ("derivative is 0", "fc1.weight", "learning rate")),
    Case("frozen_by_mistake", "frozen", "p.requires_grad = False",
         ("layer1.weight", "frozen", "optimiser holds"), ("layer_out.weight", "6 parameters of 7")),
    Case("forgotten_group", "forgotten", "optimizer = torch.optim.AdamW(",
         ("decoder.weight", "decoder.bias", "No optimiser holds"), ("model.parameters()",)),
    Case("kept_losses", "kept graphs", "history.append(loss)",
         ("kept with their graphs",), ("`history`", "loss.item()", "30 graphs")),
    Case("evaluation_with_graph", "no_grad", "predictions.append(model(x))",
         ("Evaluation without no_grad",),
         ("25 times", "KB for a backward", "with torch.no_grad():")),
    Case("slow_loader", "loader", "for x, y in loader:",
         ("DataLoader", "waiting"), ("num_workers=0", "num_workers=")),
    Case("exploding_rnn", "exploding gradients", "h = self.read(x[t]) + self.carry(h)",
         ("grows", "40 steps of time"), ("carry.weight", "clip_grad_norm_")),
    Case("changed_in_place", "in place", "weight /= weight.sum(1, keepdim=True)",
         ("div_", "exp"), ("weight = torch.exp(self.score(x))", "x = x / y")),
]  # fmt: skip


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the data and the text of each program."""
    out = tmp_path_factory.mktemp("broken")
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(FOLDER), str(out), *[c.program for c in CASES]],
        text=True, capture_output=True, check=False, cwd=out,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return out


def page(out: Path, program: str) -> Any:
    """What the script of a program's page gets to see."""
    return unpacked((out / f"{program}.html").read_text(encoding="utf-8"))


def rows(out: Path, program: str, table: str) -> list[dict[str, Any]]:
    """A table of it."""
    columns = page(out, program)[table]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def test_each_program_has_its_case() -> None:
    assert {p.stem for p in FOLDER.glob("*.py")} == {c.program for c in CASES}
    assert len(CASES) == 12


@pytest.mark.parametrize("case", CASES, ids=[c.program for c in CASES])
def test_the_page_names_cause_and_line(case: Case, out: Path) -> None:
    found = [f for f in rows(out, case.program, "findings") if f["kind"] == case.kind]
    assert len(found) == 1
    line = rows(out, case.program, "lines")[found[0]["line"]]
    assert Path(line["file"]).name == f"{case.program}.py"
    assert line["text"] == case.line
    for part in case.title:
        assert part in found[0]["title"]
    for part in case.text:
        assert part in found[0]["text"]


@pytest.mark.parametrize("case", CASES, ids=[c.program for c in CASES])
def test_the_text_names_cause_and_line(case: Case, out: Path) -> None:
    text = (out / f"{case.program}.txt").read_text(encoding="utf-8")
    source = (FOLDER / f"{case.program}.py").read_text(encoding="utf-8").splitlines()
    number = next(k for k, line in enumerate(source, 1) if line.strip() == case.line)
    told = " ".join(text.partition("Findings")[2].split())
    assert f"{case.program}.py:{number}" in told
    for part in (*case.title, *case.text):
        assert part in told
    assert ("RAISED" in text) == (case.program == "changed_in_place")


WRONG = {"nan", "unreached", "frozen", "forgotten", "zero_grad", "dead relu", "exploding gradients",
         "vanishing gradients", "kept graphs", "growing graph", "no_grad", "in place", "error",
         "loader"}  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[c.program for c in CASES])
def test_nothing_else_is_said_to_be_wrong(case: Case, out: Path) -> None:
    """The other findings follow from the same mistake, or there are none."""
    others = {f["kind"] for f in rows(out, case.program, "findings")} & WRONG - {case.kind}
    assert others <= ({"nan"} if case.program == "exploding_rnn" else set())


def test_an_error_goes_on_and_is_told(out: Path) -> None:
    said = (out / "changed_in_place.txt").read_text(encoding="utf-8")
    assert "modified by an inplace operation" in said
    data = page(out, "changed_in_place")
    assert "modified by an inplace operation" in data["error"]
    assert len(rows(out, "changed_in_place", "steps")) == 1
