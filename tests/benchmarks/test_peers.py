"""How rounds are made, with processes and clocks that are made up."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import time
from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from benchmarks import __main__ as program
from benchmarks import jax_forms, machine, peers
from benchmarks.peers import Figures, Plan
from benchmarks.work import ROWS


class MadeUp:
    """A side that answers at once; the list has what was asked, in order."""

    asked: ClassVar[list[tuple[str, str, int]]] = []
    ready: ClassVar[set[MadeUp]] = set()
    running: ClassVar[set[MadeUp]] = set()

    def __init__(self, library: str, threads: int, **environment: str) -> None:
        self.running.add(self)
        self.library, self.threads, self.environment = library, threads, environment

    def __enter__(self) -> MadeUp:
        return self

    def __exit__(self, *error: object) -> None:
        self.running.discard(self)

    def ask(self, what: str, row: str, **more: Any) -> Any:
        if what == "ready":
            self.ready.add(self)
            return None
        if what in ("time", "share"):  # nobody is still importing
            assert self.running <= self.ready
        self.asked.append((self.library, row, self.threads))
        if row == "exp" and self.library == "torch":
            raise peers.RowFailed("torch: no")
        ours = self.library == "rushlight"
        if what == "first":
            known = os.listdir(self.environment["RUSHLIGHT_CACHE"]) if ours else []
            if ours:
                with open(os.path.join(self.environment["RUSHLIGHT_CACHE"], "k"), "w"):
                    pass
            return {"step": 0.1 if known else 1.0, "compiling": 0.0 if known else 0.9}
        if what == "share":
            return {"seconds": 1.0, "peak": 200.0}
        return 1.0 if ours else 2.0


@pytest.fixture
def sides(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, int]]:
    @contextlib.contextmanager
    def nobody() -> Iterator[None]:
        MadeUp.asked.append(("busy", "", 0))
        yield

    monkeypatch.setattr(peers, "Side", MadeUp)
    monkeypatch.setattr(peers, "busy_core", nobody)
    monkeypatch.setattr(peers, "libraries", lambda: ["rushlight", "torch"])
    monkeypatch.setattr(peers, "matrix_unit", lambda: False)
    for kept in (MadeUp.asked, MadeUp.ready, MadeUp.running):
        kept.clear()
    return MadeUp.asked


def made(*names: str) -> dict[str, Figures]:
    return {name: Figures() for name in names}


def test_libraries_take_turns_and_who_begins_changes(sides: list[Any]) -> None:
    results = made("gelu", "tanh")
    for number in range(2):
        peers.one_round(results, Plan(), number, results)
    assert [library for library, _, _ in sides] == [
        "rushlight", "torch", "rushlight", "torch", "torch", "rushlight", "torch", "rushlight"
    ]  # fmt: skip
    assert [row for _, row, _ in sides[:4]] == ["gelu", "gelu", "tanh", "tanh"]
    assert results["tanh"].ratios == [0.5, 0.5]


def test_products_are_measured_on_one_thread_too(sides: list[Any]) -> None:
    results = made("matmul")
    for number in range(4):
        peers.one_round(results, Plan(), number, results)
    assert [threads for _, _, threads in sides].count(1) == 2 * 3
    assert len(results["matmul"].alone_ours) == 3
    assert results["matmul"].alone_peak == [200.0] * 3
    assert len(results["matmul"].ours) == 4


def test_one_thread_is_measured_without_the_matrix_unit_and_with_it(
    sides: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "matrix_unit", lambda: True)
    settings: list[dict[str, str]] = []
    begin = MadeUp.__init__
    monkeypatch.setattr(
        MadeUp, "__init__", lambda self, *a, **kw: settings.append(kw) or begin(self, *a, **kw)
    )
    results = made("matmul")
    peers.one_round(results, Plan(), 0, results)
    off, on = ({"RUSHLIGHT_AMX": word} for word in "01")
    assert settings == [{}, {}, off, off, on]  # two threads, one thread of each, the unit
    assert len(results["matmul"].alone_unit) == len(results["matmul"].alone_ours) == 1


def test_python_in_front_of_kernels_is_ours_alone(sides: list[Any]) -> None:
    results = made("front_conv2d", "gelu")
    peers.one_round(results, Plan(), 0, results)
    assert sides == [
        ("rushlight", "gelu", 2),
        ("torch", "gelu", 2),
        ("rushlight", "front_conv2d", 2),
    ]
    assert results["front_conv2d"].ours == [1.0]
    assert results["front_conv2d"].theirs == []


def test_a_busy_core_is_compared_with_ours_on_an_idle_machine(sides: list[Any]) -> None:
    results = made("busy")
    peers.one_round(results, Plan(), 0, results)
    assert [library for library, _, _ in sides] == [
        "rushlight", "torch", "busy", "rushlight", "torch"
    ]  # fmt: skip
    assert results["busy"].ratio == 1.0
    assert results["busy"].more["PyTorch"] == [2.0]


@pytest.mark.parametrize("names", [("first_cold", "first_warm"), ("first_warm",)])
def test_the_warm_step_finds_what_the_cold_one_left(
    sides: list[Any], names: tuple[str, ...]
) -> None:
    results = made(*names)
    peers.one_round(results, Plan(), 0, results)
    assert results["first_warm"].ours == [0.1]
    assert results["first_warm"].more["PyTorch"] == [1.0]
    if "first_cold" in names:
        assert results["first_cold"].ours == [1.0]
        assert results["first_cold"].more["of it compiling"] == [0.9]


def test_first_steps_begin_with_nothing_on_disk(sides: list[Any]) -> None:
    results = made("first_cold", "first_resnet", "first_gpt")
    peers.one_round(results, Plan(), 0, results)
    assert all(f.ours == [1.0] and f.more["PyTorch"] == [1.0] for f in results.values())


def test_a_row_that_fails_does_not_stop_the_others(sides: list[Any]) -> None:
    results = made("exp", "gelu", "memory")
    peers.one_round(results, Plan(), 0, results)
    assert results["exp"].error == "torch: no"
    assert results["gelu"].ratio == results["memory"].ratio == 0.5


def test_without_pytorch(sides: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "libraries", lambda: ["rushlight"])
    names = ("gelu", "matmul", "busy", "first_warm", "first_cold", "memory")
    results = made(*names)
    peers.one_round(names, Plan(), 0, results)
    assert all(not f.error and len(f.ours) == 1 for f in results.values())
    assert results["gelu"].ratio is None
    assert results["busy"].ratio == 1.0


def test_rounds_with_company_are_repeated_then_refused(
    sides: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    company = iter([0.5, 0.02, 0.03, *[0.5] * 10])
    monkeypatch.setattr(machine.Watch, "others", lambda self: next(company))
    results, worst = program.collected(["gelu"], Plan(rounds=2), force=False)
    assert worst == 0.03
    assert results["gelu"].ours == [1.0, 1.0]
    with pytest.raises(SystemExit, match="the machine is loaded"):
        program.collected(["gelu"], Plan(rounds=2), force=False)
    _, worst = program.collected(["gelu"], Plan(rounds=2), force=True)
    assert worst == 0.5


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["benchmarks", *arguments])
    return program.main()


def test_a_loaded_machine_is_refused_before_anything_runs(
    sides: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(machine, "others_now", lambda: 1.0)
    assert run(monkeypatch, "gelu") == 2
    assert "the machine is loaded" in capsys.readouterr().err
    assert not sides


def test_a_report_of_some_rows_goes_where_it_is_told(
    sides: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setattr(machine, "others_now", lambda: 0.0)
    monkeypatch.setattr(machine.Watch, "others", lambda self: 0.0)
    monkeypatch.setattr(machine, "peaks", lambda n: {"gflops": 1.0, "how": "so", "copy": 1.0})
    path = tmp_path / "report.md"
    assert run(monkeypatch, "gelu", "--output", str(path)) == 0
    assert "| gelu, 1M | 1 s | 2 s | 0.50 |" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("arguments", [["nonsense"], ["--profile"], ["busy", "--profile"]])
def test_arguments_that_mean_nothing(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(monkeypatch, *arguments)
    assert "error:" in capsys.readouterr().err


def test_samples_of_quick_calls_hold_many_of_them() -> None:
    now = [0.0]

    def call() -> None:
        now[0] += 0.001

    assert peers.measure(call, 0.1, clock=lambda: now[0]) == pytest.approx(0.001)
    assert now[0] == pytest.approx(0.1, abs=0.03)


def test_long_calls_have_the_least_number_of_samples() -> None:
    times = iter([9.0, 9.0, 9.0, 1.0, 5.0, 2.0])
    now = [0.0]

    def call() -> None:
        now[0] += next(times)

    assert peers.measure(call, 0.1, least=3, clock=lambda: now[0]) == 2.0


def test_the_peak_is_measured_between_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    monkeypatch.setattr(peers, "arithmetic", lambda: (lambda: order.append("peak"), 1e6, "so"))
    found = peers.measure_beside_peak(lambda: order.append("row") or time.sleep(0.006), 0.1, 5)
    assert found["seconds"] >= 0.006
    assert found["peak"] > 0
    assert order[-6:] == ["row", "peak"] * 3
    assert order[0] == "peak"  # compiles


@pytest.mark.slow
def test_a_process_answers_with_errors_and_ends_with_its_input() -> None:
    with peers.Side("rushlight", 1) as side, pytest.raises(peers.RowFailed, match="KeyError"):
        side.ask("time", "nonsense")
    assert side.process.returncode is not None
    with peers.Side("math", 1) as side, pytest.raises(peers.RowFailed, match="ended"):
        side.ask("time", "gelu")


def test_jax_is_asked_for_the_rows_that_it_has(
    sides: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name == "jax")
    results = made("exp", "mnist_step")
    peers.measure_jax(["exp", "mnist_step"], Plan(), results)
    assert results["exp"].jax == [2.0]
    assert results["mnist_step"].jax == []
    assert ("jax", "exp", 2) in sides
    assert set(jax_forms.FORMS) <= set(ROWS)
