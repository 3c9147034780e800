"""Each kernel file has a test file of its name, in the mirrored place."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).parent
KERNELS = TESTS.parents[1] / "rushlight" / "kernels"
EXEMPT = {"__init__.py"}  # packages' words about themselves


def test_each_kernel_file_has_a_test_file_of_its_name() -> None:
    files = [p.relative_to(KERNELS) for p in KERNELS.rglob("*.py") if p.name not in EXEMPT]
    assert files
    missing = [p for p in files if not (TESTS / p.with_name(f"test_{p.name}")).exists()]
    assert not sorted(map(str, missing))


def test_each_folder_of_tests_is_one_of_kernels() -> None:
    folders = {p.parent.relative_to(TESTS) for p in TESTS.rglob("test_*.py")}
    assert not [str(p) for p in folders if not (KERNELS / p).is_dir()]
