"""What CI shares among processes is every test, once in each mode that it has."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / ".ci" / "share_tests.py"


@pytest.fixture(scope="module")
def shared() -> ModuleType:
    spec = importlib.util.spec_from_file_location("share_tests", PROGRAM)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["share_tests"] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def files(shared: ModuleType, mode: str) -> Counter[Path]:
    """How often each test file is given to pytest."""
    count: Counter[Path] = Counter()
    for group in shared.groups_of(mode):
        given = [a for part in group.command for a in part.removeprefix("ARGS=").split()]
        ignored = [ROOT / a.removeprefix("--ignore=") for a in given if a.startswith("--ignore=")]
        for path in group.paths:
            assert str(path.relative_to(ROOT)) in given
            for file in [path] if path.is_file() else path.rglob("test_*.py"):
                count[file] += not any(file.is_relative_to(i) for i in ignored)
    return count


def test_every_file_is_in_one_group(shared: ModuleType) -> None:
    every = set((ROOT / "tests").rglob("test_*.py"))
    count = files(shared, "default")
    assert every - set(count) == {ROOT / "tests" / "test_site.py"}
    assert set(count.values()) == {1}


@pytest.mark.parametrize("mode", ["numpy", "always", "emulated", "packages", "compare"])
def test_no_file_is_in_two_groups(shared: ModuleType, mode: str) -> None:
    assert set(files(shared, mode).values()) <= {0, 1}


def test_the_other_modes_have_what_the_first_one_leaves_out(shared: ModuleType) -> None:
    tests = ROOT / "tests"
    for mode, folder in (("packages", "packages"), ("compare", "compare")):
        assert set((tests / folder).rglob("test_*.py")) <= set(files(shared, mode))
    assert tests / "test_site.py" in files(shared, "packages")
    assert not any(f.is_relative_to(tests / "utils" / "data")
                   for f, n in files(shared, "numpy").items() if n)  # fmt: skip


@pytest.mark.parametrize(
    ("program", "failed", "told"),
    [
        ("print('2 passed in 0.1s')", False, "some: 2 passed in"),
        ("print('1 failed, 2 passed in 0.1s'); sys.exit(1)", True, "some: 1 failed, 2 passed in"),
        ("sys.exit(1)", True, "some: kernels/matmul and 1 more: ended with 1"),
        ("pass", True, "1 more: ended with 0"),  # nothing was run
    ],
)
def test_what_a_group_says_is_counted(
    shared: ModuleType, capsys: pytest.CaptureFixture[str], program: str, failed: bool, told: str
) -> None:
    paths = shared.groups_of("emulated")[0].paths
    command = [sys.executable, "-c", f"import sys; {program}"]
    sums = shared.Sums()
    sums.add(shared.run(shared.Group("some", paths, command, {})))
    sums.tell(1.0)
    said = capsys.readouterr().out
    assert told in said
    assert ("FAILED some: kernels/matmul and 1 more" in said) == failed == bool(sums.failed)


@pytest.mark.parametrize(("status", "failed"), [("0", False), ("1", True)])
def test_a_group_waits_for_what_it_needs(
    shared: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str, failed: bool
) -> None:
    monkeypatch.setattr(shared, "INSTALLED", tmp_path)
    paths = shared.groups_of("emulated")[0].paths
    command = [sys.executable, "-c", "print('2 passed in 0.1s')"]
    writes = threading.Timer(0.3, (tmp_path / "some").write_text, [status])
    writes.start()
    ended = shared.run(shared.Group("some", paths, command, {}, ("some",)))
    writes.join()
    assert ended.seconds > 0.2
    assert (ended.status != 0) == failed
    assert ("some, which it needs, is not there: 1" in ended.lines) == failed


def test_a_mode_by_hand_takes_what_is_there(
    shared: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "INSTALLED", None)
    for variable in ("CI_TORCH", "CI_PACKAGES", "CI_SITE"):
        monkeypatch.delenv(variable, raising=False)
    assert shared.installed("torch") == "0"
    assert [g.environment for g in shared.groups_of("compare")[:1]] == [{}]
    assert [g.environment for g in shared.groups_of("packages")[:1]] == [{}]
    monkeypatch.setenv("CI_TORCH", "/some/folder")
    assert shared.groups_of("compare")[0].environment == {"CI_SEES_TORCH": "/some/folder"}


def test_a_group_that_hangs_is_ended(shared: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the processes that it has started; one of another session, which has its output open
    too, is not waited for."""
    monkeypatch.setattr(shared, "LIMIT", 1.0)
    sleeps = "[sys.executable, '-c', 'import time; time.sleep(60)']"
    other = f"subprocess.Popen({sleeps}, start_new_session=True)"
    begins = "import subprocess, sys; print('begun', flush=True)"
    program = f"{begins}; {other}; subprocess.run({sleeps})"
    command = [sys.executable, "-c", program]
    paths = shared.groups_of("emulated")[0].paths
    ended = shared.run(shared.Group("some", paths, command, {}))
    assert ended.status != 0
    assert ended.seconds < 30
    assert ended.lines[0] == "begun"
    assert ended.lines[-1] == "ended after 1.0 s"


@pytest.mark.parametrize(("does", "status"), [("echo made", 0), ("false; echo made", 1)])
def test_a_function_of_the_shell(
    shared: ModuleType, monkeypatch: pytest.MonkeyPatch, does: str, status: int
) -> None:
    monkeypatch.setenv("BASH_FUNC_making%%", f"() {{ {does}; }}")
    (group,) = shared.groups_of("+making")
    sums = shared.Sums()
    sums.add(ended := shared.run(group))
    assert ended.status == status
    assert ended.lines == ["made"] * (status == 0)
    assert sums.failed == ["making"] * status
    assert not sums.counts  # these are no tests


def test_it_ends_as_its_groups_do() -> None:
    """A name that is no mode does not end well with nothing run."""
    done = subprocess.run(
        [sys.executable, str(PROGRAM), "unheard"], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "unheard" in done.stderr
