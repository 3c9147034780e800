"""Run data-apis' array-api-tests, the test suite of the array standard, on the drop-in.

    git clone --recurse-submodules https://github.com/data-apis/array-api-tests
    pip install array-api-compat hypothesis ndindex pytest-json-report
    python -m tests.array_api array-api-tests                    # all of it
    python -m tests.array_api array-api-tests test_fft.py -x     # a file, with options of pytest
    python -m tests.array_api array-api-tests --pytorch          # under PyTorch, to compare

The module under test is array-api-compat's wrapper of torch, which here is Rushlight. What is
expected to fail is listed with reasons in xfails.txt; docs/array_api.md sums it up.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXAMPLES = "20"  # of each test; the suite's own default is 100


def command(arguments: list[str]) -> tuple[list[str], Path]:
    """The call of pytest, and the folder to call it in."""
    if not arguments:
        raise SystemExit(__doc__)
    folder, *rest = arguments
    suite = Path(folder).resolve()
    if not (suite / "array_api_tests").is_dir():
        raise SystemExit(f"{suite} is no checkout of array-api-tests")
    run = [sys.executable, "-m", *([] if "--pytorch" in rest else ["rushlight", "-m"]), "pytest"]
    files = [f"array_api_tests/{name}" for name in rest if name.startswith("test_")]
    others = [name for name in rest if name != "--pytorch" and not name.startswith("test_")]
    if not any(name.startswith("--max-examples") for name in others):
        others += ["--max-examples", EXAMPLES]
    expected = ["--xfails-file", str(HERE / "xfails.txt")]
    own = ["-c", "pytest.ini", "--rootdir", "."]  # or a path among the options brings another's
    options = [*own, "-q", "--disable-deadline", "--derandomize", *expected, *others]
    return [*run, *options, *(files or ["array_api_tests"])], suite


def main(arguments: list[str]) -> int:
    """Run the suite; pytest's exit code."""
    call, suite = command(arguments)
    home = os.environ | {"ARRAY_API_TESTS_MODULE": "array_api_compat.torch"}
    home.setdefault("ARRAY_API_TESTS_VERSION", "2024.12")
    home["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(HERE.parents[1]), os.environ.get("PYTHONPATH")])
    )
    return subprocess.run(call, cwd=suite, env=home, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
