"""The list of PyTorch's tests that ask for what Rushlight is not (tests/pytorch/asks_for.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pytorch import asks_for

PAGE = Path(__file__).parents[2] / "docs" / "pytorch_tests_names.md"


def test_the_page_is_the_list() -> None:
    assert PAGE.read_text(encoding="utf-8") == asks_for.page(), "python -m tests.pytorch --names"


@pytest.mark.parametrize(
    ("file", "test", "named"),
    [
        ("test_nn", "TestNN.test_nested_tensor_from_mask_error", True),
        ("test_distributions", "TestJit.test_sample", True),
        ("test_distributions", "TestDistributions.test_sample", False),
        ("test_torch", "TestNN.test_nested_tensor_from_mask_error", False),
    ],
)
def test_names_are_of_a_file_with_or_without_the_class(file: str, test: str, named: bool) -> None:
    assert (asks_for.reason(file, test) is not None) is named
