"""What events are called: PyTorch's operator names where it has such an operator.

A public operation `name` is `aten::name`, one of `torch.linalg` is `aten::linalg_name`. What is
Rushlight's own, because PyTorch has no operator of that kind, is `rushlight::name`.
"""

from __future__ import annotations

from typing import Any


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


SPACES = {"special": "special_", "linalg": "linalg_", "fft": "fft_"}

# Records and composites whose operator has another name in PyTorch.
OTHERS = {
    "saddmm": "sspaddmm",
    "add_scaled": "add",
    "sub_scaled": "sub",
    "sum_all": "sum",
    "max_all": "max",
    "min_all": "min",
    "max_dim": "max",
    "min_dim": "min",
    "trunc_divide": "div",
    "convolve_input": "convolution_backward",
    "convolve_weight": "convolution_backward",
    "to_copy": "_to_copy",
    "sum_to_shape": "sum_to_size",
    "view_as_shape": "view",
    "reshape_copy": "_reshape_copy",
    "prelu_kernel": "_prelu_kernel",
    "moments": "var_mean",
    "batch_norm_op": "native_batch_norm",
    "batch_norm_eval": "native_batch_norm",
    "layer_norm_op": "native_layer_norm",
    "group_norm_op": "native_group_norm",
    "rms_norm_op": "_fused_rms_norm",
    "max_pool_with_indices": "max_pool2d_with_indices",
    "avg_pool_1d": "avg_pool1d",
    "avg_pool_2d": "avg_pool2d",
    "avg_pool_3d": "avg_pool3d",
    "max_pool_1d": "max_pool1d",
    "max_pool_2d": "max_pool2d",
    "max_pool_3d": "max_pool3d",
    "adaptive_avg_1d": "adaptive_avg_pool1d",
    "adaptive_avg_2d": "_adaptive_avg_pool2d",
    "adaptive_avg_3d": "_adaptive_avg_pool3d",
    "ctc_loss_backward": "_ctc_loss_backward",
    "grid_sampler_op": "grid_sampler",
    "fft_c2c": "_fft_c2c",
    "fft_r2c": "_fft_r2c",
    "fft_c2r": "_fft_c2r",
    "cross_entropy": "cross_entropy_loss",
    "logsigmoid": "log_sigmoid",
    "fold": "col2im",
    "grid_sample": "grid_sampler",
    "affine_grid": "affine_grid_generator",
    "dropout1d": "feature_dropout",
    "dropout2d": "feature_dropout",
    "dropout3d": "feature_dropout",
    "unique": "_unique2",
    "tensor": "lift_fresh",
    **dict.fromkeys(
        words("float double half bfloat16 long int short char byte bool cfloat cdouble cpu"), "to"
    ),
}

# Private records that are operators of PyTorch too, under the same name.
SAME = words(
    "select_backward slice slice_backward diagonal_backward unfold_backward split copy index "
    "index_put nll_loss_backward embedding_dense_backward im2col col2im linalg_vector_norm "
    "rrelu_with_noise linalg_cholesky linalg_qr linalg_eigh linalg_eig linalg_svd linalg_inv "
    "linalg_lu linalg_lu_factor linalg_pinv linalg_det linalg_slogdet linalg_solve "
    "linalg_solve_triangular linalg_lstsq linalg_matrix_exp linalg_cross "
    "upsample_nearest1d upsample_linear1d upsample_nearest2d upsample_bilinear2d "
    "upsample_nearest3d upsample_trilinear3d upsample_bicubic2d"
)

# Public functions that PyTorch has without an operator of the name. Those that compute are shown as
# Rushlight's own; the rest ask or wrap, and are not shown.
OWN = words(
    "unravel_index apply_ map_ map2_ lu svd_lowrank pca_lowrank softsign tanhshrink softmin "
    "gumbel_softmax gaussian_nll_loss multilabel_soft_margin_loss linear_cross_entropy "
    "triplet_margin_with_distance_loss multi_head_attention_forward "
    "adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices "
    "adaptive_max_pool3d_with_indices max_unpool1d lp_pool1d lp_pool2d lp_pool3d "
    "local_response_norm normalize interpolate upsample upsample_nearest "
    "upsample_bilinear"
)
QUIET = words(
    "as_tensor asarray from_numpy frombuffer cuda broadcast_shapes T H __buffer__ __reversed__ "
    "dim_order const_data_ptr to_sparse_coo typename is_storage set_default_tensor_type eig lstsq "
    "solve symeig numel is_tensor result_type can_cast is_nonzero is_same_size data_ptr "
    "is_complex is_floating_point is_distributed is_inference is_neg is_signed "
    "promote_types spmm matrix_rank"
)

_ops: dict[Any, str] = {}
_composites: dict[Any, str] = {}


def public_name(name: str, spaces: tuple[str, ...]) -> str:
    """'aten::name' of a public function."""
    other = OTHERS.get(name)
    if other is not None and spaces and spaces[0] not in SPACES:
        return "aten::" + other
    if name in OWN:
        return "rushlight::" + name
    space = SPACES.get(spaces[0], "") if spaces else ""
    return "aten::" + (name if name.startswith(space) else space + name)


def is_quiet(composite: Any) -> bool:
    """Whether a composite has no event; names of QUIET stand for functions of `torch` itself."""
    spaces = composite.public
    return not spaces or (composite.name in QUIET and spaces[0] not in SPACES)


def op_name(op: Any) -> str:
    """The name of an op record's events."""
    found = _ops.get(op)
    if found is None:
        found = _ops[op] = _op_name(op)
    return found


def _op_name(op: Any) -> str:
    from ..ops.core.composite import composites

    if op.public:
        return public_name(op.name, op.public)
    if op.name in OTHERS:
        return "aten::" + OTHERS[op.name]
    if op.name in SAME:
        return "aten::" + op.name
    # The public function of a private record; `torch.x` rather than `torch.special.x`.
    spaces = [c.public for c in composites.values() if c.name == op.name and c.public]
    if spaces:
        return public_name(op.name, min(spaces, key=lambda s: s[0] in SPACES))
    return "rushlight::" + op.name


def composite_name(composite: Any) -> str:
    """The name of a composite's events, or "" for what is not shown."""
    found = _composites.get(composite)
    if found is None:
        found = "" if is_quiet(composite) else public_name(composite.name, composite.public)
        _composites[composite] = found
    return found
