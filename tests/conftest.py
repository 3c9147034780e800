"""What all tests share: a seed for a run, a marker, and visible words about what did not run.

The seed is in pytest's header; RUSHLIGHT_TEST_SEED repeats it. With `-n 2` (pytest-xdist) two
processes share the tests, and both use the seed of the process that started them. Comparison tests
live in `tests/compare/` and take PyTorch by `pytest.importorskip("torch")`.
"""

from __future__ import annotations

import gc
import importlib.util
import multiprocessing
import os
import random
import signal
import threading
import zlib
from collections.abc import Generator
from typing import Any

import numpy as np
import pytest
from _pytest.runner import runtestprotocol

# Drawn by the first process of a run; those that it starts find it in their environment.
SEED = int(os.environ.get("RUSHLIGHT_TEST_SEED", "0")) or random.SystemRandom().randrange(1, 2**31)
os.environ["RUSHLIGHT_TEST_SEED"] = str(SEED)
# Where there is a matrix unit its kernels are tested, whatever was measured on this machine.
os.environ.setdefault("RUSHLIGHT_AMX", "1")
HAS_TORCH = importlib.util.find_spec("torch") is not None
LEFT = pytest.StashKey[int]()  # tests marked `slow` or `long` that this run leaves to CI


def pytest_configure(config: pytest.Config) -> None:
    # What a shell starts in the background may ignore Ctrl-C, and hands that on to its children, of
    # which some tests expect that they end by it. (A handler is not handed on: the default is.)
    ours = threading.current_thread() is threading.main_thread()
    if ours and signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line("markers", "slow: takes 0.25 s or more; `make test` leaves it to CI")
    config.addinivalue_line("markers", "collectives: stays in `make test` with two processes")
    config.addinivalue_line("markers", "long: takes seconds; CI runs it too, but in one mode only")


def pytest_report_header() -> list[str]:
    found = "installed" if HAS_TORCH else "NOT INSTALLED: the comparison tests will be skipped"
    return [f"seed: RUSHLIGHT_TEST_SEED={SEED}", f"PyTorch (the yardstick): {found}"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    random_names = [item.nodeid for item in items if " at 0x" in item.nodeid]
    if random_names:  # processes that share the tests must give them the same names
        raise pytest.UsageError(f"an address in the name of a test: {random_names[0]}")
    # A job of several processes takes seconds. Of those the collectives themselves stay, with two:
    # more than a newcomer has cores wait for each other.
    for item in items:
        ranks = getattr(item, "callspec", None) and item.callspec.params.get("ranks", 1)
        if ranks and ranks > 2:
            item.add_marker(pytest.mark.long)
        elif ranks == 2 and item.get_closest_marker("collectives") is None:
            item.add_marker(pytest.mark.slow)
    # Files with such tests come first: at the end of a run no process works alone at one of them.
    long_files = {item.path for item in items if left_to_ci(item)}
    items.sort(key=lambda item: item.path not in long_files)


def left_to_ci(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in ("slow", "long"))


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items:
        if left_to_ci(item):
            item.config.stash[LEFT] = item.config.stash.get(LEFT, 0) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, Any, Any]:
    # Tens of thousands of tests are made here, and stay: looking through them for what may go takes
    # as long as making them.
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    # Processes of a fork server begin with what it has imported. The server starts once, and not
    # always for a DataLoader, which would see to this: hundreds of processes would import it all.
    if "forkserver" in multiprocessing.get_all_start_methods():
        from rushlight.utils.data._utils import start

        start.preload(multiprocessing.get_context("forkserver"))
    # What collecting has made stays for the whole run: no collection need look through it again.
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """How a test ended is told; of its setup and its teardown only what went wrong. Most tests take
    a millisecond, and a process of pytest-xdist needs as much again to tell the first one of all
    three parts. `--durations`, `--junitxml` and `--setup-show` ask for all."""
    if all_parts_asked(item.config):
        return None
    if not hasattr(item.config, "workerinput"):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def all_parts_asked(config: pytest.Config) -> bool:
    asked = ("xmlpath", "setupshow")
    return config.getoption("durations") is not None or any(map(config.getoption, asked))


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):  # a process of pytest-xdist tells the first one
        session.config.workeroutput["left"] = session.config.stash.get(LEFT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Each process has collected all tests, so their counts are equal."""
    left = getattr(node, "workeroutput", {}).get("left", 0)
    node.config.stash[LEFT] = max(left, node.config.stash.get(LEFT, 0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    left = terminalreporter.config.stash.get(LEFT, 0)
    if left:
        terminalreporter.write_line(
            f"{left} slow tests were left to CI. To run them: "
            "make test ARGS='-m \"slow or long\"', or with all others: make test-all",
            yellow=True,
        )
    if not HAS_TORCH:
        terminalreporter.write_line(
            "PyTorch is not installed, so nothing was compared with it. To compare: "
            "pip install -e '.[compare]'",
            yellow=True,
        )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Each test draws its own numbers from the run's seed, whichever tests run before it. (A hook:
    making a fixture takes longer, and most tests have no other one.)"""
    import rushlight

    seed = SEED ^ zlib.crc32(item.nodeid.encode())
    random.seed(seed)
    np.random.seed(seed)
    rushlight.manual_seed(seed)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> np.random.Generator:
    """A NumPy generator of the test's own, from the run's seed."""
    return np.random.default_rng(SEED ^ zlib.crc32(request.node.nodeid.encode()))
