"""What is computed: one record an op (`record.py`), one file a theme."""

from __future__ import annotations

import importlib

THEMES = (
    "math",
    "arithmetic",
    "reduce",
    "shape",
    "convert",
    "index",
    "create",
    "gather",
    "reduce_more",
    "reduce_public",
    "shape_public",
    "splits",
    "shape_more",
    "stacks",
    "cumulative",
    "pointwise",
    "masks",
    "index_public",
    "compare",
    "copies",
    "methods",
    "complex",
    "linalg",
    "linalg_add",
    "linalg_parts",
    "linalg_einsum",
    "linalg_norm",
    "linalg_factor",
    "linalg_spectral",
    "linalg_inverse",
    "linalg_solve",
    "linalg_more",
    "fft",
    "signal",
    "sort",
    "counts",
    "special",
    "random",
    "random_fill",
    "random_gamma",
    "activation",
    "softmax",
    "loss",
    "loss_classes",
    "loss_entropy",
    "loss_pairs",
    "loss_probability",
    "loss_ctc",
    "embedding",
    "dropout",
    "attention",
    "rnn",
    "pad",
    "conv",
    "fold",
    "pool",
    "pool_more",
    "norm",
    "shuffle",
    "resample",
)


def load() -> None:
    """Import every theme, which declares its records."""
    for theme in THEMES:
        importlib.import_module(f"{__name__}.{theme}")
