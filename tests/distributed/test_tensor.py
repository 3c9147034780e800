"""Meshes and tensors spread over them, on 1 to 4 ranks."""

from __future__ import annotations

import pytest

from .test_processes import program, pytestmark  # noqa: F401 - skips without mpi4py


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_tensors_come_go_and_change_their_placements(ranks: int) -> None:
    assert program("tensors.py", str(ranks)) == f"well {ranks}\n"


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_operators_give_what_they_give_of_whole_tensors(ranks: int) -> None:
    assert program("tensor_operators.py", str(ranks)) == f"well {ranks}\n"


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [1, 3])
def test_models_train_as_on_one_process(ranks: int) -> None:
    assert program("tensor_training.py", str(ranks)) == f"well {ranks}\n"


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 4])
def test_layers_compute_what_they_compute_on_one_process(ranks: int) -> None:
    assert program("tensor_layers.py", str(ranks)) == f"well {ranks}\n"


@pytest.mark.long
def test_what_networks_are_made_of_computes_what_it_computes_of_whole_tensors() -> None:
    """Layers, activations, losses: 170 calls, each with a third of the ways it can lie."""
    assert program("tensor_networks.py", "2") == "well 2\n"
