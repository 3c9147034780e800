"""What is computed: one record an op (`core/record.py`), one file a theme, one folder a kind."""

from __future__ import annotations

import importlib
from typing import Any

THEMES = (
    "elementwise.formulas",
    "elementwise.arithmetic_public",
    "reduce.sums",
    "shape.views",
    "shape.convert",
    "index.getitem",
    "create.from_data",
    "create.factories",
    "create.ranges",
    "index.gather",
    "index.scatter_reduce",
    "index.scatter_public",
    "reduce.statistics",
    "reduce.public",
    "shape.public",
    "shape.in_place_views",
    "shape.transpose",
    "shape.split",
    "shape.reorder",
    "shape.stack",
    "reduce.cumulative",
    "elementwise.clamp",
    "elementwise.pointwise",
    "elementwise.binary",
    "index.masks",
    "index.index_select",
    "index.index_fill",
    "index.along_dim",
    "index.index_put",
    "elementwise.compare",
    "shape.view_copies",
    "core.methods",
    "core.sparse_methods",
    "elementwise.complex",
    "linalg.matmul",
    "nn.linear",
    "linalg.addmm",
    "linalg.triangles",
    "linalg.einsum",
    "linalg.norm",
    "linalg.distances",
    "linalg.matrices",
    "linalg.cholesky",
    "linalg.qr",
    "linalg.lu",
    "linalg.ldl",
    "linalg.spectral",
    "linalg.inverse",
    "linalg.solve",
    "linalg.solve_triangular",
    "linalg.least_squares",
    "linalg.matrix_functions",
    "linalg.vander",
    "linalg.covariance",
    "fft.transforms",
    "fft.transforms_public",
    "fft.frequencies",
    "fft.stft",
    "reduce.sort",
    "reduce.counts",
    "elementwise.special",
    "elementwise.gamma",
    "elementwise.bessel",
    "elementwise.polynomials",
    "random.factories",
    "random.sampling",
    "random.fill",
    "random.rejection",
    "elementwise.activation",
    "elementwise.activation_public",
    "elementwise.rrelu",
    "nn.softmax",
    "nn.loss",
    "nn.loss_classes",
    "nn.cross_entropy",
    "nn.loss_pairs",
    "nn.loss_probability",
    "nn.loss_ctc",
    "nn.embedding",
    "nn.embedding_bag",
    "nn.dropout",
    "nn.attention",
    "nn.rnn_public",
    "nn.pad",
    "nn.conv_public",
    "nn.fold",
    "nn.pool_public",
    "nn.unpool",
    "nn.batch_norm",
    "nn.norm_public",
    "nn.native_attention",
    "nn.pixel_shuffle",
    "nn.resample_public",
    "nn.fake_quantize_public",
)


def __getattr__(name: str) -> Any:
    """`torch.ops.aten` and its like: operators by namespace (`namespaces/_ops.py`)."""
    if name.startswith("__") or name in {theme.partition(".")[0] for theme in THEMES}:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    operators: Any = importlib.import_module("rushlight._ops")
    if name in ("load_library", "loaded_libraries"):
        return getattr(operators, name)
    return operators.namespace(name)


def load() -> None:
    """Import every theme, which declares its records."""
    for theme in THEMES:
        importlib.import_module(f"{__package__}.{theme}")
