"""`python -m rushlight tune`: measuring with made-up processes, what follows, and the commands."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rushlight.dropin import command, tune, tune_work
from rushlight.kernels import runtime, tuned
from rushlight.kernels.matmul import amx, narrow
from rushlight.kernels.tuned import Figure, Kept

ROOT = Path(__file__).parents[2]
CPU: dict[str, str | int] = {"model": "Xeon of a test", "features": "amx", "processors": 4}
FAST = {"matmul": 0.5, "conv": 0.6}  # what the unit takes of the time of vectors
ALL = ("matmul", "conv")


@pytest.fixture(autouse=True)
def _a_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A CPU with a matrix unit, a cache of our own, and no setting."""
    monkeypatch.setenv("RUSHLIGHT_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("RUSHLIGHT_AMX", raising=False)
    monkeypatch.setattr(tuned, "cpu", lambda: CPU)
    monkeypatch.setattr(tuned, "kernels", lambda: "abc")
    monkeypatch.setattr(tune, "missing", lambda: "")


class MadeUp:
    """A process whose work takes a millisecond by vectors and a share of it by the unit."""

    begun: list[MadeUp]
    shares: dict[Any, float]  # by group, or by group and threads

    def __init__(self, unit: bool) -> None:
        self.unit, self.open = unit, True
        self.begun.append(self)

    def __enter__(self) -> MadeUp:
        return self

    def __exit__(self, *_: object) -> None:
        self.open = False

    def ready(self) -> int:
        return 4

    def __call__(self, work: str, threads: int) -> float:
        group = tune_work.WORK[work][0]
        share = self.shares.get((group, threads), self.shares.get(group, 1.0))
        return 0.001 * (share if self.unit else 1.0)


@pytest.fixture
def on_a_host(monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[Any, float]], list[MadeUp]]:
    """Measure where the unit takes these shares of the time of vectors."""

    def measure(shares: dict[Any, float]) -> list[MadeUp]:
        MadeUp.begun, MadeUp.shares = [], shares
        monkeypatch.setattr(tune, "Process", MadeUp)
        tune.main([])
        return MadeUp.begun

    return measure


def kept() -> Kept | None:
    path = tuned.place()
    assert path is not None
    return tuned.read(path)


# -- figures -------------------------------------------------------------------------------------


def test_sides_alternate_by_rounds_and_so_does_who_begins() -> None:
    calls: list[tuple[str, str, int]] = []

    def side(name: str, seconds: float) -> tune.Side:
        return lambda work, n: (calls.append((name, work, n)), seconds)[1]

    works = [("matmul", "a"), ("conv", "b")]
    figures = tune.alternating(works, side("unit", 1.0), side("vectors", 2.0), [1, 2], rounds=2)
    turns = [("unit", "a"), ("unit", "b"), ("vectors", "a"), ("vectors", "b")]
    turns += turns[2:] + turns[:2]
    assert calls == [(who, work, n) for n in (1, 2) for who, work in turns]
    assert figures == [
        Figure(group, work, n, 1.0, 2.0, 0.5, 0.5, 2, 0) for n in (1, 2) for group, work in works
    ]


def test_figures_are_medians_and_lost_rounds_are_counted() -> None:
    times = iter([1.0, 2.0, 2.0, 3.0, 2.2, 2.0])  # unit, vectors; vectors, unit; unit, vectors

    def side(_work: str, _n: int) -> float:
        return next(times)

    (figure,) = tune.alternating([("conv", "c")], side, side, [1], rounds=3)
    assert (figure.unit, figure.vectors) == (2.2, 2.0)
    assert (figure.ratio, figure.worst) == (1.1, 1.5)
    assert (figure.rounds, figure.lost) == (3, 2)


@pytest.mark.parametrize(
    ("ratios", "lost", "chosen"),
    [
        ([0.5], [0], True),
        ([0.9], [0], True),
        ([0.95], [0], False),  # no clear gain
        ([0.5, 0.99], [0, 1], True),
        ([0.5, 1.01], [0, 0], False),  # slower somewhere
        ([0.5, 0.6], [0, 2], False),  # slower too often, as beside a busy neighbour
        ([1.4, 1.5], [5, 5], False),
        ([], [], False),
    ],
)
def test_the_unit_is_chosen_where_it_wins(
    ratios: list[float], lost: list[int], chosen: bool
) -> None:
    figures = [
        Figure("conv", "c", 1, r, 1.0, r, r, 5, n) for r, n in zip(ratios, lost, strict=True)
    ]
    assert tune.wins(figures) is chosen


def test_the_average_of_a_half_and_a_double_is_one() -> None:
    assert tune.average([0.5, 2.0]) == pytest.approx(1.0)


# -- measuring -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shares", "groups"),
    [
        (FAST, ALL),
        ({"matmul": 1.4, "conv": 1.3}, ()),
        ({"matmul": 1.4, "conv": 0.6}, ("conv",)),
        ({**FAST, ("conv", 4): 1.2}, ("matmul",)),  # a unit that the threads of a core share
    ],
)
def test_each_kind_of_host(
    shares: dict[Any, float], groups: tuple[str, ...], on_a_host: Any, capsys: Any
) -> None:
    begun = on_a_host(shares)
    assert [(p.unit, p.open) for p in begun] == [(True, False), (False, False)]
    found = kept()
    assert found is not None
    assert (found.groups, found.by, found.kernels) == (groups, "measurement", "abc")
    assert len(found.figures) == 2 * len(tune_work.WORK)  # on one thread, and on four
    assert {f.threads for f in found.figures} == {1, 4}
    assert tuned.chosen().groups == groups
    told = capsys.readouterr().out
    assert str(tuned.place()) in told
    assert f"from now on {tune.computed(groups)}" in told
    assert ("slower in 5 of 5 rounds" in told) == (groups != ALL)


def test_the_setting_of_this_process_changes_no_measurement(
    on_a_host: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RUSHLIGHT_AMX", "0")
    on_a_host(FAST)
    found = kept()
    assert found is not None
    assert found.groups == ALL
    assert "RUSHLIGHT_AMX=0 is set here, and comes before it" in capsys.readouterr().out
    assert tuned.chosen().groups == ()


@pytest.mark.parametrize("error", [tune.Failed("it ended with code -4"), KeyboardInterrupt()])
def test_a_measurement_that_fails_keeps_what_was_there(
    error: BaseException, on_a_host: Any, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Kept(("conv",), "hand", "2030", "0.1.0")
    tuned.write(before)

    def fail(*_: Any) -> float:
        raise error

    monkeypatch.setattr(MadeUp, "__call__", fail)
    with pytest.raises((SystemExit, KeyboardInterrupt)):
        on_a_host(FAST)
    assert not any(p.open for p in MadeUp.begun)
    assert kept() == before
    if isinstance(error, tune.Failed):
        told = capsys.readouterr().err
        assert [x.split()[0] for x in told.splitlines()] == ["the", "got", "try"]
        assert "code -4" in told


def test_a_cpu_without_the_unit(on_a_host: Any, capsys: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(tune, "missing", lambda: "this CPU has no matrix unit")
    assert on_a_host(FAST) == []
    told = capsys.readouterr().out
    assert told == "There is nothing to choose: this CPU has no matrix unit.\n"
    assert kept() is None
    tune.main(["amx", "off"])
    found = kept()
    assert found is not None
    assert (found.groups, found.by) == ((), "hand")
    tune.main(["--clear"])
    assert kept() is None


# -- the commands --------------------------------------------------------------------------------


def said(capsys: Any, *words: str) -> str:
    command.main(list(words))
    text: str = capsys.readouterr().out
    return text


def test_by_hand(capsys: Any) -> None:
    assert "products by vectors, convolutions by vectors: the default" in said(
        capsys, "tune", "--show"
    )
    told = said(capsys, "tune", "amx", "on")
    assert "products by AMX, convolutions by AMX: set by hand" in told
    assert tuned.chosen().groups == ALL
    assert "set by hand" in said(capsys, "tune", "--show")
    assert "by vectors, convolutions by vectors: set by hand" in said(capsys, "tune", "amx", "off")
    assert tuned.chosen().groups == ()
    assert "what was kept is removed" in said(capsys, "tune", "--clear")
    assert "nothing was kept" in said(capsys, "tune", "--clear")


def test_show_and_info_tell_the_figures(on_a_host: Any, capsys: Any) -> None:
    on_a_host({"matmul": 0.5, "conv": 1.25})
    capsys.readouterr()
    told = said(capsys, "tune", "--show")
    assert "products by AMX, convolutions by vectors: measured on" in told
    for name in tune_work.WORK:
        assert told.count(name) == 2
    told = said(capsys, "--info")
    part = told.partition("\nmatrix unit ")[2].partition("\nthreads ")[0]
    assert part.startswith("products by AMX, convolutions by vectors: measured on")
    assert f"kept in {tuned.place()}" in part
    assert "products: AMX takes 0.50 of the time of vectors (0.50 to 0.50)" in part
    assert "convolutions: AMX takes 1.25 of the time of vectors (1.25 to 1.25)" in part


def test_info_names_the_setting_and_the_default(
    capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "not measured here (`python -m rushlight tune` does)" in said(capsys, "--info")
    monkeypatch.setenv("RUSHLIGHT_AMX", "0")
    assert "convolutions by vectors: forbidden by RUSHLIGHT_AMX=0" in said(capsys, "--info")
    monkeypatch.setattr(tune, "missing", lambda: "this CPU has no matrix unit")
    assert "nothing to choose: this CPU has no matrix unit" in said(capsys, "--info")
    for pairs in (True, False):
        monkeypatch.setattr(narrow, "makes_pairs", lambda pairs=pairs: pairs)
        assert ("of bfloat16 by pairs" in said(capsys, "--info")) is pairs


def test_a_damaged_file_is_told(capsys: Any) -> None:
    path = tuned.write(Kept((), "hand", "2030", "0.1.0"))
    assert path is not None
    path.write_text("{")
    for words in (["--info"], ["tune", "--show"]):
        told = said(capsys, *words)
        assert f"{path}: it is damaged (no JSON)" in told
        assert "by vectors, convolutions by vectors: the default" in told
    assert "what was kept is removed" in said(capsys, "tune", "--clear")


def test_help(capsys: Any) -> None:
    assert "tune amx on|off" in said(capsys, "tune", "--help")
    assert "\n  tune  " in command.HELP


def test_what_cannot_be_kept_is_an_error(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(SystemExit) as ended:
        tune.main(["amx", "on"])
    assert ended.value.code == 1
    assert "No space left" in capsys.readouterr().err
    monkeypatch.setenv("RUSHLIGHT_CACHE", "")
    with pytest.raises(SystemExit) as ended:
        tune.main(["amx", "on"])
    assert ended.value.code == 1
    assert "nothing is kept here" in capsys.readouterr().err
    assert "RUSHLIGHT_CACHE is empty" in said(capsys, "tune", "--show")


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`python -m rushlight` in a folder of its own, without machine code: there is no unit."""

    def start(*args: str, code: int = 0, **env: str) -> subprocess.CompletedProcess[str]:
        own = {k: v for k, v in os.environ.items() if not k.startswith("RUSHLIGHT_")}
        own |= {"PYTHONPATH": str(ROOT), "RUSHLIGHT_CACHE": str(tmp_path / "kept")}
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "rushlight", *args],
            cwd=tmp_path, env=own | {"RUSHLIGHT_JIT": "0"} | env, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done

    return start


@pytest.mark.slow
def test_the_command_line(run: Any, tmp_path: Path) -> None:
    assert "There is nothing to choose: kernels are not compiled" in run("tune").stdout
    assert "kept in" in run("tune", "amx", "on").stdout
    assert "products by AMX, convolutions by AMX, set by hand" in run("--info").stdout
    wrong = run("tune", "amx", "perhaps", code=2).stderr
    assert wrong.startswith("tune: amx perhaps is not understood\nusage:")


@pytest.mark.slow
def test_a_script_of_that_name_is_run(run: Any, tmp_path: Path) -> None:
    (tmp_path / "tune").write_text("print('mine')")
    assert run("tune").stdout == "mine\n"


@pytest.mark.slow
def test_no_file_stops_an_import(run: Any, tmp_path: Path) -> None:
    run("tune", "amx", "on")
    (file,) = (tmp_path / "kept").glob("tuned-*.json")
    file.write_bytes(b"__import__('os').abort()")
    assert run("-c", "import torch; print(torch.ones(2) @ torch.ones(2))").stdout == "tensor(2.)\n"


# -- the processes -------------------------------------------------------------------------------


def test_there_is_work_of_each_group() -> None:
    assert {group for group, *_ in tune_work.WORK.values()} == set(tuned.GROUPS)


def test_time_is_a_median_of_what_fits() -> None:
    clock, calls = iter(range(1000)), []
    # The first call is not counted; the clock goes on by one each time it is read.
    taken = tune_work.timed(lambda: calls.append(1), 8, lambda: next(clock))
    assert (taken, len(calls)) == (1, 4)
    clock = iter(range(1000))
    assert tune_work.timed(lambda: None, 0, lambda: next(clock)) == 1


@pytest.mark.parametrize(
    "given", [("product", 4, 5, 6), ("linear", 4, 5, 6), ("packed", 4, 5, 6)], ids=lambda g: g[0]
)
def test_products_of_any_size(given: tuple[Any, ...]) -> None:
    if given[0] == "packed" and not runtime.available():
        pytest.skip("NumPy packs nothing")
    name, *sizes = given
    getattr(tune_work, name)(*sizes)()


@pytest.mark.parametrize("way", ["forward", "input", "weight"])
def test_convolutions_of_any_size(way: str) -> None:
    shape = tune_work.conv(way, 2, 3, 5)().shape
    assert shape == ((3, 3, 3, 3) if way == "weight" else (2, 3, 5, 5))


def command_of(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes of `tune` run this code instead of theirs."""
    begin = subprocess.Popen
    monkeypatch.setattr(
        tune.subprocess, "Popen", lambda _, **kw: begin([sys.executable, "-c", code], **kw)
    )


def test_a_process_that_ends_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    command_of("import sys; sys.exit(3)", monkeypatch)
    with tune.Process(True) as side, pytest.raises(tune.Failed, match="with AMX ended with code 3"):
        side.ready()
    with tune.Process(False) as side:
        side.process.wait()
        with pytest.raises(tune.Failed, match="without AMX ended with code 3"):
            side("product", 1)


def test_a_process_that_says_nothing_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune, "PATIENCE", 0.2)
    command_of("import time; time.sleep(60)", monkeypatch)
    with tune.Process(True) as side, pytest.raises(tune.Failed, match="ended with code"):
        side.ready()


def test_a_process_that_does_something_else_is_no_measurement(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = """print('{"uses": ["conv"], "threads": 2}', flush=True); input()"""
    command_of(code, monkeypatch)
    for unit in (True, False):
        with tune.Process(unit) as side, pytest.raises(tune.Failed, match=r"\['conv'\]"):
            side.ready()


@pytest.mark.long
@pytest.mark.skipif(not runtime.available(), reason="nothing is measured without machine code")
def test_real_processes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two processes without the unit, which every CPU can do; where there is one, with it too."""
    monkeypatch.undo()
    monkeypatch.setattr(tune, "SECONDS", 0.0)
    with tune.Process(amx.present()) as one, tune.Process(False) as other:
        threads = {1, one.ready(), other.ready()}
        works = [(group, name) for name, (group, *_) in tune_work.WORK.items()]
        figures = tune.alternating(works, one, other, sorted(threads), rounds=1)
    assert len(figures) == len(threads) * len(works)
    assert all(f.unit > 0 and f.vectors > 0 for f in figures)
