"""Modules that are executed when they are first used."""

from __future__ import annotations

import importlib
import importlib.util
import pickle
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from rushlight import late

from .interrupting import interrupt_at

BODY = """
import time
from helped import count
count.append(1)
first = 1
def both(): return first + second
time.sleep(0.05)
second = 2
"""


@pytest.fixture
def package(tmp_path: Path) -> Iterator[types.ModuleType]:
    """A package of two late modules: one takes its time, one fails."""
    folder = tmp_path / "lately"
    folder.mkdir()
    (tmp_path / "helped.py").write_text("count = []\n")
    (folder / "__init__.py").write_text(
        "from rushlight import late\nlate.modules(__name__, 'slow', 'broken')\n"
    )
    (folder / "slow.py").write_text(BODY)
    (folder / "broken.py").write_text("import helped\nhelped.count.append(2)\n1 / 0\n")
    sys.path.insert(0, str(tmp_path))
    try:
        yield importlib.import_module("lately")
    finally:
        sys.path.remove(str(tmp_path))
        for name in ("helped", *[n for n in sys.modules if n.startswith("lately")]):
            sys.modules.pop(name, None)
            late.waiting.pop(name, None)


def executed() -> list[int]:
    return list(importlib.import_module("helped").count)


def test_importing_a_late_module_does_not_execute_it(package: types.ModuleType) -> None:
    slow = importlib.import_module("lately.slow")
    assert slow is package.slow
    assert importlib.util.find_spec("lately.slow") is slow.__spec__
    assert (slow.__name__, slow.__package__) == ("lately.slow", "lately")
    assert slow.__file__ is not None and slow.__file__.endswith("slow.py")  # noqa: PT018
    assert isinstance(slow, types.ModuleType)
    assert not executed()


def test_a_name_executes_it_once_and_then_it_is_a_plain_module(package: types.ModuleType) -> None:
    assert package.slow.both() == 3
    assert package.slow.second == 2
    assert executed() == [1]
    assert type(package.slow) is types.ModuleType
    assert not hasattr(package.slow, "third")


@pytest.mark.parametrize("way", ["dir", "vars", "from", "pickle", "reload"])
def test_every_way_of_asking_executes_it(package: types.ModuleType, way: str) -> None:
    if way == "dir":
        assert "second" in dir(package.slow)
    elif way == "vars":
        assert vars(package.slow)["second"] == 2
    elif way == "from":
        space: dict[str, object] = {}
        exec("from lately.slow import second", space)
        assert space["second"] == 2
    elif way == "pickle":
        assert pickle.loads(pickle.dumps(package.slow.both))() == 3
    else:
        assert importlib.reload(package.slow).second == 2
    assert executed()


def test_what_is_set_beforehand_stays(package: types.ModuleType) -> None:
    package.slow.second = 5
    assert package.slow.both() == 6
    del package.slow.first
    assert not hasattr(package.slow, "first")


def test_threads_wait_until_it_is_complete(package: types.ModuleType) -> None:
    found: list[object] = []
    start = threading.Barrier(8)

    def use() -> None:
        start.wait()
        try:
            found.append(package.slow.both())
        except Exception as e:
            found.append(e)

    threads = [threading.Thread(target=use) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert found == [3] * 8
    assert executed() == [1]


def test_a_module_that_fails_is_tried_again(package: types.ModuleType) -> None:
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            package.broken.anything  # noqa: B018
    assert executed() == [2, 2]


def test_kernels_wait_until_they_are_used() -> None:
    program = (
        "import rushlight as torch\n"
        "from rushlight import late\n"
        "assert 'rushlight.kernels.conv.select' in late.waiting\n"
        "torch.nn.functional.conv2d(torch.ones(1, 1, 4, 4), torch.ones(1, 1, 2, 2))\n"
        "assert 'rushlight.kernels.conv.select' not in late.waiting\n"
        "assert 'rushlight.kernels.rnn.select' in late.waiting\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_every_late_module_can_be_executed() -> None:
    for name in list(late.waiting):
        assert vars(sys.modules[name])["__doc__"], name
        assert name not in late.waiting


def test_an_interrupted_execution_is_done_again(tmp_path: Path) -> None:
    (tmp_path / "early").mkdir()
    names = [f"part{i}" for i in range(200)]
    (tmp_path / "early" / "__init__.py").write_text(
        f"from rushlight import late\nlate.modules(__name__, *{names})\n"
    )
    for name in names:
        (tmp_path / "early" / f"{name}.py").write_text("first = 1\nsecond = 2\n")
    sys.path.insert(0, str(tmp_path))
    try:
        package = importlib.import_module("early")
        for at, name in enumerate(names, 1):
            module = getattr(package, name)
            seen, error = interrupt_at(at, lambda module=module: module.first)  # type: ignore[misc]
            assert (module.first, module.second) == (1, 2), f"instruction {at}"
            assert not late.running
            if error is None:
                break
        assert seen < len(names)
    finally:
        sys.path.remove(str(tmp_path))
        for name in [n for n in sys.modules if n.startswith("early")]:
            sys.modules.pop(name, None)
            late.waiting.pop(name, None)
