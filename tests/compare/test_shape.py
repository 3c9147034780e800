"""Shapes, views, splits, stacks and repeats in every form, on PyTorch's samples."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path

import pytest

pytest.importorskip("torch")
pytest.importorskip("expecttest")
run = run_path(str(Path(__file__).with_name("op_variants.py")))["run"]

NAMES = [
    "view",
    "view_as",
    "reshape",
    "reshape_as",
    "flatten",
    "unflatten",
    "ravel",
    "expand",
    "expand_as",
    "sum_to_size",
    "broadcast_to",
    "broadcast_tensors",
    "broadcast_shapes",
    "squeeze",
    "unsqueeze",
    "t",
    "transpose",
    "movedim",
    "narrow",
    "split",
    "split_with_sizes",
    "chunk",
    "tensor_split",
    "hsplit",
    "vsplit",
    "dsplit",
    "unbind",
    "hstack",
    "vstack",
    "dstack",
    "column_stack",
    "tile",
    "repeat",
    "repeat_interleave",
    "flip",
    "fliplr",
    "flipud",
    "roll",
    "rot90",
    "meshgrid",
    "cartesian_prod",
    "combinations",
    "block_diag",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "diag",
    "diagflat",
    "diag_embed",
    "tril_indices",
    "triu_indices",
    "select_scatter",
    "slice_scatter",
    "diagonal_scatter",
    "diagonal",
    "unfold",
    "select",
    "permute",
    "cat",
    "stack",
    "unsafe_chunk",
    "unsafe_split",
    "diagonal_copy",
    "expand_copy",
    "permute_copy",
    "split_with_sizes_copy",
    "squeeze_copy",
    "t_copy",
    "transpose_copy",
    "unbind_copy",
    "unfold_copy",
    "unsqueeze_copy",
    "view_copy",
    "alias_copy",
    "unravel_index",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_form(name):
    run(name)


def test_narrow_copy():
    run("narrow_copy", errors=False)  # PyTorch's texts there name its C++
