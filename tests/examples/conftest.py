"""What the tests of the examples share: a short run of one, unmodified, in a process of its own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
QUICK = ("test_mnist.py", "test_profiler_session.py", "test_readme.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The main example runs with the other tests; together the rest takes minutes."""
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.name not in QUICK:
            item.add_marker(pytest.mark.long)


@pytest.fixture(params=["rushlight", "torch"])
def run_example(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Callable[..., tuple[str, list[Path]]]:
    """`run_example(name, *options)`: what it printed and the pictures that it wrote.

    `import torch` is Rushlight, or PyTorch where that is installed. Its assertions, that something
    was learned, have held when the run ends well.
    """
    if request.param == "torch" and importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed")
    for needed in ("PIL", "matplotlib", "sklearn"):
        pytest.importorskip(needed, reason="the example needs rushlight[examples]")

    def run(name: str, *options: object) -> tuple[str, list[Path]]:
        interpreter = ["-m", "rushlight"] if request.param == "rushlight" else []
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        program = str(ROOT / "examples" / f"{name}.py")
        done = subprocess.run(
            [sys.executable, *interpreter, program, *map(str, options), "--out", str(tmp_path)],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout, sorted(tmp_path.glob("*.png"))

    return run
