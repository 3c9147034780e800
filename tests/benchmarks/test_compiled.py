"""The compiled table: its rows run, its rounds ask whom they should, its text says what it must."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any, ClassVar

import pytest

import rushlight
from benchmarks import __main__ as program
from benchmarks import compiled, compiled_report, compiled_rounds, jax_steps, machine, peers
from benchmarks.compiled_rounds import EAGER, INDUCTOR, JAX, OURS, PYTORCH, Found
from benchmarks.peers import Plan
from benchmarks.work import ROWS, SPECIAL


@pytest.mark.parametrize("name", list(compiled.OWN))
def test_row_runs(name: str) -> None:
    rushlight.manual_seed(0)
    row = compiled.OWN[name]
    call = compiled.made(row, rushlight, lambda f: f, **row.tiny)
    for _ in range(2):
        call()


def test_letters_with_a_cache_are_those_without_it() -> None:
    """The same weights under the same names give the same scores for each letter of a text."""
    sizes = {"letters": 11, "context": 5, "width": 12, "layers": 2, "heads": 3}
    rushlight.manual_seed(0)
    whole = compiled.models.gpt(rushlight, **sizes).eval()
    one = compiled.models.gpt_with_cache(rushlight, **sizes).eval()
    one.load_state_dict(whole.state_dict(), strict=False)
    text = rushlight.tensor([[3, 1, 4, 1, 5]])
    with rushlight.no_grad():
        scores = [one(text[:, k : k + 1], rushlight.tensor([k])) for k in range(5)]
        rushlight.testing.assert_close(rushlight.cat(scores, 1), whole(text))


def test_what_is_wrapped_is_the_call_or_what_the_row_says() -> None:
    seen: list[Any] = []

    def wrap(f: Any) -> Any:
        seen.append(f)
        return f

    for name in ("nanogpt_tokens", "chain8"):
        row = compiled.found(name)
        call = compiled.made(row, rushlight, wrap, **row.tiny)
        assert (seen[-1] is call) == (name == "chain8")
    assert isinstance(seen[0], rushlight.nn.Module)


def test_names_and_limits_fit() -> None:
    limits = compiled.LIMITS
    assert set(compiled.TIMED) <= {*ROWS, *compiled.OWN}
    assert not set(compiled.OWN) & {*ROWS, *SPECIAL}
    assert not set(compiled.TITLES) & {*ROWS, *SPECIAL}
    assert all(limit.aim < limit.at_most for limit in limits.values())
    assert set(jax_steps.STEPS) <= set(limits)
    assert {name for name, limit in limits.items() if limit.jax} <= set(jax_steps.STEPS)
    assert all(compiled.title(name) for name in limits)


def test_what_runs_under_the_other_interpreter_needs_nothing_of_ours() -> None:
    """`--jax PYTHON` may have neither Rushlight nor PyTorch: neither is imported at the top."""
    folder = Path(compiled.__file__).parent
    for path in folder.glob("*.py"):
        if path.name in ("profiler.py", "checkpoints.py", "shared_tensors.py", "data.py",
                         "vision_transforms.py", "convolutions.py", "arrays.py",
                         "scale.py", "explain.py"):  # fmt: skip
            continue  # programs of their own
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {n.split(".")[0] for n in names} & {"rushlight", "torch", "jax"}, path


class MadeUp:
    """A process that answers at once; the list has what was asked, in order."""

    asked: ClassVar[list[tuple[str, bool, str, str]]] = []
    times: ClassVar[dict[tuple[str, bool], float]] = {
        ("rushlight", True): 1.0, ("rushlight", False): 2.0,
        ("torch", False): 4.0, ("torch", True): 8.0, ("jax", True): 0.5,
    }  # fmt: skip

    def __init__(self, library: str, threads: int, python: str = "", **environment: str) -> None:
        self.library, self.python, self.environment = library, python, environment

    def __enter__(self) -> MadeUp:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def ask(self, what: str, row: str, **more: Any) -> Any:
        if what == "ready":
            return None
        self.asked.append((self.library, more["compiled"], what, row))
        if self.library == "torch" and more["compiled"] and row == "lstm":
            raise peers.RowFailed("torch: no")
        if self.library == "jax":
            assert self.python == "/jax/python"
        return self.times[self.library, more["compiled"]]


@pytest.fixture
def sides(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool, str, str]]:
    monkeypatch.setattr(compiled_rounds, "Side", MadeUp)
    monkeypatch.setattr(compiled_rounds, "libraries", lambda: ["rushlight", "torch"])
    monkeypatch.setattr(compiled_rounds, "cpp", lambda: "g++")
    monkeypatch.setattr(compiled_report, "cpp", lambda: "g++")
    MadeUp.asked.clear()
    return MadeUp.asked


def rounds(names: list[str], count: int, jax: str | None = "/jax/python") -> dict[str, Found]:
    results = {name: Found() for name in names}
    for number in range(count):
        compiled_rounds.one_round(names, Plan(), number, results, jax)
    return results


def test_all_take_turns_and_pytorchs_compiler_the_first_alone(sides: list[Any]) -> None:
    found = rounds(["mlp_step"], 2)["mlp_step"]
    asked = [(library, whole) for library, whole, _, _ in sides]
    first = [("rushlight", True), ("rushlight", False), ("torch", False), ("torch", True)]
    assert asked[:5] == [*first, ("jax", True)]
    assert asked[5:] == [("jax", True), *first[2::-1]]
    assert found.taken == {OURS: [1.0] * 2, EAGER: [2.0] * 2, PYTORCH: [4.0] * 2,
                           INDUCTOR: [8.0], JAX: [0.5] * 2}  # fmt: skip
    assert found.ratios(PYTORCH) == [0.25, 0.25]


def test_a_quick_look_is_without_pytorchs_compiler(sides: list[Any]) -> None:
    results = {"mlp_step": Found()}
    compiled_rounds.one_round(["mlp_step"], Plan(), 0, results, None, quick=True)
    assert set(results["mlp_step"].taken) == {OURS, EAGER, PYTORCH}


def test_a_column_that_fails_leaves_the_others(sides: list[Any]) -> None:
    found = rounds(["lstm"], 1)
    assert found["lstm"].errors == {INDUCTOR: "torch: no"}
    assert "- LSTM 2x256, T64, b32, forward + backward, torch.compile: torch: no" in (
        compiled_report.text(found, "/jax/python")
    )


def test_rows_without_a_form_of_jax_and_without_jax(sides: list[Any]) -> None:
    found = rounds(["dcgan"], 1)
    assert JAX not in found["dcgan"].taken
    assert ("jax", True, "time", "dcgan") not in sides
    told = compiled_report.text(rounds(["mlp_step"], 1, None), None)
    assert "JAX is not installed here" in told
    assert "| JAX" not in told


def test_memory_and_capture(sides: list[Any]) -> None:
    names = ["memory_gpt", "capture_warm", "capture_cold", "guards"]
    found = rounds(names, 1)
    assert found["memory_gpt"].taken == {OURS: [1.0], EAGER: [2.0], PYTORCH: [4.0]}
    assert found["capture_warm"].taken == {OURS: [1.0], INDUCTOR: [8.0]}
    assert found["capture_cold"].taken == {OURS: [1.0], INDUCTOR: [8.0], JAX: [0.5]}
    assert found["guards"].taken == {OURS: [1.0]}
    assert [row for _, _, what, row in sides if what == "memory"] == ["gpt_step"] * 3


@pytest.mark.parametrize(
    ("name", "times", "word"),
    [
        ("chain", {OURS: 0.02, PYTORCH: 1.0}, "aim"),
        ("chain", {OURS: 0.05, PYTORCH: 1.0}, "reached"),
        ("chain", {OURS: 0.2, PYTORCH: 1.0}, "**missed**"),
        ("gpt_step", {OURS: 0.3, PYTORCH: 1.0, JAX: 0.2}, "**missed**"),
        ("gpt_step", {OURS: 0.3, PYTORCH: 1.0, JAX: 0.4}, "aim"),
        ("tiny_mlp_step", {OURS: 0.04, PYTORCH: 1.0, JAX: 0.04}, "reached"),
        ("cifar_step", {OURS: 0.95, EAGER: 1.0, PYTORCH: 0.1}, "reached"),
        ("capture_warm", {OURS: 0.2}, "**missed**"),
        ("guards", {OURS: 5e-6}, "reached"),
    ],
)
def test_verdicts(name: str, times: dict[str, float], word: str) -> None:
    f = Found({column: [value] * 3 for column, value in times.items()})
    line = compiled_report.rows({name: f})[-1]
    assert line.split(" | ")[-3] == word, line


def test_limits_of_eager_stand_beside(sides: list[Any]) -> None:
    line = compiled_report.rows(rounds(["gpt_step"], 1))[-1]
    assert line.endswith("| 0.50 | 0.65 |")


def test_the_program_chooses_tables(
    sides: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(program, "one_round", lambda names, *_: asked.extend(names))
    monkeypatch.setattr(machine, "others_now", lambda: 0.0)
    monkeypatch.setattr(machine.Watch, "others", lambda self: 0.0)
    monkeypatch.setattr(machine, "peaks", lambda n: {"gflops": 1.0, "how": "so", "copy": 1.0})

    def run(*arguments: str) -> str:
        monkeypatch.setattr("sys.argv", ["benchmarks", *arguments])
        assert program.main() == 0
        return capsys.readouterr().out

    told = run("--only", "compiled", "--quick", "mlp_step", "ln_gelu")
    assert "## Compiled" in told
    assert "layer_norm(gelu(x) + y), 768x512 |" in told
    assert {row for *_, row in sides} == {"mlp_step", "ln_gelu"}
    assert asked == []
    assert "nanogpt_cached" in run("--list")
