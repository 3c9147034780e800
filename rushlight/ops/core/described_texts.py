"""Signatures that neither a record nor a Python function says: those of functions that PyTorch lets
be called in several ways, of which this is all in one, and of those that take what they are given
apart themselves.

Read when one of them is asked for. A key is the name of a function of `torch`, or has its namespace
before it: "Tensor.max", "nn.functional.elu".
"""

from __future__ import annotations

MADE = "dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False"
ALIKE = f"memory_format=None, {MADE}"
RANDOM = f"generator=None, out=None, {MADE}"
SPARSE = "dtype=None, device=None, requires_grad=False, check_invariants=None"
RNN = "has_biases, num_layers, dropout, train, bidirectional"

TEXTS: dict[str, str] = {
    # -- making tensors
    "arange": f"(start=0, end=None, step=1, *, out=None, {MADE})",
    "empty": f"(*size, out=None, {MADE}, memory_format=None)",
    "empty_like": f"(input, *, {ALIKE})",
    "empty_permuted": f"(size, physical_layout, *, {MADE})",
    "empty_strided": f"(size, stride, *, {MADE})",
    "full_like": f"(input, fill_value, *, {ALIKE})",
    "normal": f"(mean=0.0, std=1.0, size=None, *, {RANDOM})",
    "ones": f"(*size, out=None, {MADE})",
    "ones_like": f"(input, *, {ALIKE})",
    "rand": f"(*size, {RANDOM})",
    "rand_like": f"(input, *, generator=None, {ALIKE})",
    "randint": f"(low=0, high=None, size=None, *, {RANDOM})",
    "randint_like": f"(input, low=0, high=None, *, generator=None, {ALIKE})",
    "randn": f"(*size, {RANDOM})",
    "randn_like": f"(input, *, generator=None, {ALIKE})",
    "randperm": f"(n, *, generator=None, out=None, {MADE})",
    "scalar_tensor": f"(s, *, {MADE})",
    "tril_indices": f"(row, col, offset=0, *, {MADE})",
    "triu_indices": f"(row, col, offset=0, *, {MADE})",
    "zeros": f"(*size, out=None, {MADE})",
    "zeros_like": f"(input, *, {ALIKE})",
    "sparse_bsc_tensor": f"(ccol_indices, row_indices, values, size=None, *, {SPARSE})",
    "sparse_bsr_tensor": f"(crow_indices, col_indices, values, size=None, *, {SPARSE})",
    "sparse_compressed_tensor": "(compressed_indices, plain_indices, values, size=None, *, "
    "dtype=None, layout=None, device=None, requires_grad=False, check_invariants=None)",
    "sparse_coo_tensor": f"(indices, values, size=None, *, {SPARSE}, is_coalesced=None)",
    "sparse_csc_tensor": f"(ccol_indices, row_indices, values, size=None, *, {SPARSE})",
    "sparse_csr_tensor": f"(crow_indices, col_indices, values, size=None, *, {SPARSE})",
    "Tensor.new_empty": f"(self, *size, {MADE})",
    "Tensor.new_empty_strided": f"(self, size, stride, *, {MADE})",
    "Tensor.new_full": f"(self, size, fill_value, *, {MADE})",
    "Tensor.new_ones": f"(self, *size, {MADE})",
    "Tensor.new_zeros": f"(self, *size, {MADE})",
    # -- several results or operands in one name
    "argsort": "(input, dim=-1, descending=False, stable=False, *, out=None)",
    "sort": "(input, dim=-1, descending=False, *, stable=False, out=None)",
    "Tensor.sort": "(self, dim=-1, descending=False, *, stable=False)",
    "max": "(input, dim=None, keepdim=False, *, other=None, out=None)",
    "min": "(input, dim=None, keepdim=False, *, other=None, out=None)",
    "round": "(input, *, decimals=0, out=None)",
    "round_": "(input, *, decimals=0)",
    "Tensor.round": "(self, *, decimals=0)",
    "Tensor.round_": "(self, *, decimals=0)",
    "scatter": "(input, dim, index, src=None, *, value=None, reduce=None, out=None)",
    "where": "(condition, input=None, other=None, *, out=None)",
    "convolution": "(input, weight, bias, stride, padding, dilation, transposed=False, "
    "output_padding=(), groups=1)",
    "cumulative_trapezoid": "(y, x=None, *, dx=1, dim=-1)",
    "trapezoid": "(y, x=None, *, dx=1, dim=-1)",
    "addcdiv": "(input, tensor1, tensor2, *, value=1, out=None)",
    "addcmul": "(input, tensor1, tensor2, *, value=1, out=None)",
    "Tensor.addcdiv": "(self, tensor1, tensor2, *, value=1)",
    "Tensor.addcmul": "(self, tensor1, tensor2, *, value=1)",
    "Tensor.addcdiv_": "(self, tensor1, tensor2, *, value=1)",
    "Tensor.addcmul_": "(self, tensor1, tensor2, *, value=1)",
    # -- recurrent networks, on a tensor or on a packed sequence
    "gru": f"(input, hx, params, {RNN}, batch_first)",
    "lstm": f"(input, hx, params, {RNN}, batch_first)",
    "rnn_relu": f"(input, hx, params, {RNN}, batch_first)",
    "rnn_tanh": f"(input, hx, params, {RNN}, batch_first)",
    # -- methods as functions, and functions that take sizes one by one
    "channel_shuffle": "(input, groups)",
    "native_channel_shuffle": "(input, groups)",
    "pixel_shuffle": "(input, upscale_factor)",
    "pixel_unshuffle": "(input, downscale_factor)",
    "detach": "(input)",
    "detach_": "(input)",
    "as_strided_copy": "(input, size, stride, storage_offset=None, *, out=None)",
    "detach_copy": "(input, *, out=None)",
    "diagonal_copy": "(input, offset=0, dim1=0, dim2=1, *, out=None)",
    "expand_copy": "(input, size, *, implicit=False, out=None)",
    "permute_copy": "(input, dims, *, out=None)",
    "select_copy": "(input, dim, index, *, out=None)",
    "split_copy": "(input, split_size, dim=0, *, out=None)",
    "split_with_sizes_copy": "(input, split_sizes, dim=0, *, out=None)",
    "squeeze_copy": "(input, dim=None, *, out=None)",
    "t_copy": "(input, *, out=None)",
    "transpose_copy": "(input, dim0, dim1, *, out=None)",
    "unbind_copy": "(input, dim=0, *, out=None)",
    "unfold_copy": "(input, dimension, size, step, *, out=None)",
    "unsqueeze_copy": "(input, dim, *, out=None)",
    "view_as_complex_copy": "(input, *, out=None)",
    "view_as_real_copy": "(input, *, out=None)",
    "view_copy": "(input, size=None, *, dtype=None, out=None)",
    "fill_": "(input, value)",
    "resize_as_": "(input, the_template, *, memory_format=None)",
    "hspmm": "(mat1, mat2, *, out=None)",
    "dsplit": "(input, indices_or_sections)",
    "hsplit": "(input, indices_or_sections)",
    "vsplit": "(input, indices_or_sections)",
    "Tensor.dsplit": "(self, indices_or_sections)",
    "Tensor.hsplit": "(self, indices_or_sections)",
    "Tensor.vsplit": "(self, indices_or_sections)",
    "Tensor.expand": "(self, *size, implicit=False)",
    "Tensor.flip": "(self, *dims)",
    "Tensor.permute": "(self, *dims)",
    "Tensor.repeat": "(self, *repeats)",
    "Tensor.reshape": "(self, *shape)",
    "Tensor.resize_": "(self, *size, memory_format=None)",
    "Tensor.tile": "(self, *dims)",
    "Tensor.to": "(self, *args, dtype=None, device=None, non_blocking=False, copy=False, "
    "memory_format=None, other=None)",
    "Tensor.view": "(self, *size, dtype=None)",
    "Tensor.index_add": "(self, dim, index, source, *, alpha=1)",
    "Tensor.index_add_": "(self, dim, index, source, *, alpha=1)",
    "Tensor.index_copy": "(self, dim, index, source)",
    "Tensor.index_copy_": "(self, dim, index, source)",
    "Tensor.index_reduce": "(self, dim, index, source, reduce, *, include_self=True)",
    "Tensor.index_reduce_": "(self, dim, index, source, reduce, *, include_self=True)",
    "index_add": "(input, dim, index, source, *, alpha=1, out=None)",
    "index_copy": "(input, dim, index, source, *, out=None)",
    "index_reduce": "(input, dim, index, source, reduce, *, include_self=True, out=None)",
    "Tensor.random_": "(self, from_=0, to=None, *, generator=None)",
    "Tensor.uniform_": "(self, from_=0, to=1, *, generator=None)",
    "Tensor.squeeze_": "(self, *dim)",
    "Tensor.mvlgamma_": "(self, p)",
    "Tensor.renorm_": "(self, p, dim, maxnorm)",
    # -- sparse tensors
    "Tensor.ccol_indices": "(self)",
    "Tensor.coalesce": "(self)",
    "Tensor.col_indices": "(self)",
    "Tensor.crow_indices": "(self)",
    "Tensor.indices": "(self)",
    "Tensor.is_coalesced": "(self)",
    "Tensor.row_indices": "(self)",
    "Tensor.values": "(self)",
    "Tensor._coalesced_": "(self, coalesced)",
    "Tensor._dimI": "(self)",
    "Tensor._dimV": "(self)",
    "Tensor._indices": "(self)",
    "Tensor._nnz": "(self)",
    "Tensor._values": "(self)",
    "Tensor.resize_as_sparse_": "(self, the_template)",
    "Tensor.sparse_resize_": "(self, size, sparse_dim, dense_dim)",
    "Tensor.sparse_resize_and_clear_": "(self, size, sparse_dim, dense_dim)",
    "Tensor.to_sparse": "(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None)",
    "Tensor.to_sparse_bsc": "(self, blocksize, dense_dim=None)",
    "Tensor.to_sparse_bsr": "(self, blocksize, dense_dim=None)",
    "Tensor.to_sparse_coo": "(self)",
    "Tensor.to_sparse_csc": "(self, dense_dim=None)",
    "Tensor.to_sparse_csr": "(self, dense_dim=None)",
    # -- what PyTorch has removed, which raises
    "eig": "(self, eigenvectors=False, *, e=None, v=None)",
    "lstsq": "(input, A, *, out=None)",
    "matrix_rank": "(input, tol=None, symmetric=False, *, out=None)",
    "solve": "(input, A, *, out=None)",
    "symeig": "(input, eigenvectors=False, upper=True, *, out=None)",
    "Tensor.eig": "(self, eigenvectors=False)",
    "Tensor.lstsq": "(self, other)",
    "Tensor.solve": "(self, other)",
    "Tensor.symeig": "(self, eigenvectors=False)",
}

# Functions that take no `out=` in PyTorch.
WITHOUT_OUT = frozenset(
    """
    _lazy_clone adjoint affine_grid_generator allclose argwhere as_strided
    as_strided_scatter broadcast_to celu chunk combinations constant_pad_nd count_nonzero
    diag_embed diagflat diagonal_scatter equal fill flatten flip fliplr flipud glu
    gradient index_fill index_put is_nonzero is_same_size isclose isfinite isinf
    isnan linear logsigmoid masked_fill masked_scatter moveaxis movedim narrow numel
    positive put ravel relu repeat_interleave reshape roll rot90 select_scatter selu
    softplus split split_with_sizes std_mean tanhshrink tile trace unflatten unravel_index
    unsafe_chunk unsafe_split unsafe_split_with_sizes var_mean
    """.split()
)
