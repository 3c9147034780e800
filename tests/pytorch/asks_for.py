"""PyTorch's tests that ask for something that Rushlight is not, by name and with the reason.

A mere mistake of Rushlight's does not belong here, nor does a test that takes too long: what is
here could pass only if Rushlight were built as PyTorch is. A named test that passes counts as any
other. `python -m tests.pytorch --names` writes the list as docs/pytorch_tests_names.md.
"""

from __future__ import annotations

import fnmatch

# reason: test files, and patterns of the names of tests in them
NAMES: dict[str, dict[str, list[str]]] = {
    "quantized tensors and modules: names, not tensors (decision 0034)": {
        "test_torch": ["test_nondeterministic_resize_quantized_*", "test_storage_error",
                       "test_tensoriterator_output_setup", "test_storage_setitem_cpu_q*"],
        "test_shape_ops": ["test_flip_cpu_float32", "test_flip_per_channel_quantized_error_cpu"],
        "test_sort_and_select": ["test_topk_quantized_scalar_input_cpu"],
        "test_view_ops": ["test_flatten_cpu"],
        "test_pooling": ["test_quantized_max_pool1d_empty_kernel", "test_quantized_max_pool3d"],
        "test_nn": ["test_fb_fc_packed"],
    },
    "nested tensors": {
        "test_torch": ["test_is_same_size"],
        "test_nn": ["test_nested_tensor_from_mask*", "test_TransformerEncoderLayer_empty_cpu",
                    "test_transformerencoderlayer_cpu_*"],
        "test_serialization": ["test_load_njt_*"],
        "test_vmap": ["TestVmapNestedTensorCPU.*"],
        "test_multihead_attention": ["test_multihead_attn_nested_tensor_outside_fast_path"],
        "test_autograd": ["test_per_dispatch_key_input_saving_cpu"],
    },
    "the C++ dispatcher: its keys, its libraries, its tables": {
        "test_autograd": ["test_autograd_composite_implicit_and_dispatch_registration_cpu",
                          "test_function_with_non_tensor_output", "test_set_sequence_nr_cpu"],
        "test_eager_transforms": ["test_can_use_*_when_key_is_excluded_cpu"],
        "test_torch": ["test_storage_preserve_nonhermetic_in_hermetic_context"],
        "test_vmap": ["test_decomposition_under_python_dispatcher", "test_fallback_*"],
    },
    "C++ functions that PyTorch has for its own tests (`_test_...`, `_warn`, its abort handler)": {
        "test_torch": ["test_parallel_cow_materialize_error_cpu_*",
                       "test_check_tensor_internal_cpu", "test_warn_types",
                       "test_terminate_handler_on_crash"],
        "test_vmap": ["test_check_tensor_cpu"],
        "test_autograd": ["test_warning_in_backward_cpu", "TestAutogradMultipleDispatchCPU.*",
                          "test_multi_grad_all_hooks"],
    },
    "libraries that PyTorch's wheel is built with: oneDNN, NNPACK, ITT": {
        "test_autograd": ["test_gradcheck_multiple_mkldnn_inputs", "test_gradcheck_test_outputs",
                          "test_gradcheck_validates_input_mkldnn", "test_profiler_emit_itt_cpu"],
        "test_nn": ["test_LSTM_differentiable_backward_using_oneDNN_*"],
        "test_convolution": ["test_nnpack_conv", "test_conv_backend_*"],
    },
    "PyTorch's kernels as operators of their own, behind the public functions": {
        "test_autograd": ["test_codegen_ignores_undefined_outputs",
                          "test_create_new_zeros_with_same_meta"],
        "test_convolution": ["test_conv_double_backward_strided_with_3D_input_and_weight_cpu"],
        "test_linalg": ["test_addmm_activation_cpu_*", "test_linalg_matrix_exp_utils_cpu_*",
                        "test_*int8_mm_*", "test_*int4_mm_*",
                        "test_addmm_gelu_cpu_*", "test_addmm_relu_cpu_*"],
        "test_nn": ["test_conv_empty_input_cpu_*", "test_masked_softmax_*",
                    "test_batch_norm_update_stats"],
        "test_torch": ["test_conj_physical_meta_stride", "test_upsample_nearest*d_meta",
                       "test_NPU_device_idx_cpu"],
        "test_ops": ["*_max_pool2d_with_indices_backward_*", "*__unsafe_masked_index*"],
        "test_vmap": ["*__unsafe_masked_index*", "*_new_zeros_with_same_feature_meta*",
                      "*_safe_softmax_default*", "*_max_pool2d_with_indices_backward_*",
                      "*_native_dropout_backward_*", "*__upsample_bilinear2d_aa_*",
                      "test_silu_backward", "test_conv_double_backward_cpu"],
    },
    "functions inside PyTorch's own Python files": {
        "test_autograd": ["test_calculate_shape_util", "test_grad_to_node"],
        "test_distributions": ["test_kl_exponential_family", "test_dirichlet_tangent_field"],
        "test_linalg": ["test_lobpcg_basic_*", "test_lobpcg_ortho_*"],
        "test_torch": ["test_doc_template"],
    },
    "PyTorch's table of decompositions: what is made of others there is one operator here": {
        "test_ops": ["TestRefsOpsInfoCPU.test_refs_are_in_decomp_table_*"],
    },
    "TorchScript's graphs": {
        "test_serialization": ["test_serialization_zipfile_actually_jit"],
        "test_distributions": ["TestJit.test_rsample", "TestJit.test_sample"],
        "test_linalg": ["test_lobpcg_torchscript_*"],
    },
    "the inside of PyTorch's engine: its events, its operators by name, tracked views": {
        "test_autograd": ["test_current_node", "test_profiler_seq_nr", "test_view_func_replay*",
                          "test_view_replay_enabled", "test_inplace_on_view_backward"],
    },
    "the text of a graph of PyTorch's C++ operators, which decompose as ours do not": {
        "test_eager_transforms": ["test_functionalize_*", "test_resize_program_inputs_cpu"],
    },
    "wrappers of transforms: derivatives stand on the tape, vmap is a loop (decision 0008)": {
        "test_eager_transforms": ["test_tensor_print_*", "test_escaped_wrappers_*"],
    },
    "reading a file by a module that executes what the file names: `load` executes nothing": {
        "test_serialization": ["test_pickle_module"],
    },
    "a file whose data was overwritten: its checksum says so, and it is refused": {
        "test_serialization": ["test_filewriter_metadata_writing_*"],
    },
    "tensors of zeros without memory (`_efficientzerotensor`)": {
        "test_serialization": ["test_serialization_efficient_zerotensor_*"],
    },
    "the order of a set of a tensor and a text: PyTorch's hash of a tensor is its address": {
        "test_segment_reductions": ["test_pytorch_scatter_test_cases_*_float64_*"],
    },
    "sizes that are symbols: `from_tensor` under `FakeTensorMode(shape_env=...)`": {
        "test_ops": [f"TestFakeTensorCPU.test_fake_{how}{name}_cpu_*"
                     for how in ("", "autocast_")
                     for name in ("nonzero", "unique", "repeat_interleave", "masked_select")],
    },
    "sparse tensors without data (the meta device)": {
        "test_sparse": ["TestSparseMeta.*"],
    },
    "storages and tensors that come back to life, and their weak references in C++": {
        "test_torch": ["test_storage_*resurrected*", "test_tensor_resurrected_*",
                       "test_storage_*zombie*", "test_*_fix_weakref_no_leak"],
    },
    "alerts about operations that vary from run to run: none does": {
        "test_torch": ["test_nondeterministic_alert_*"],
    },
    "tensors of 65 dimensions: an array has 64 at most": {
        "test_reductions": ["test_dim_ndim_limit_*", "test_dim_reduction_less_than_64_cpu"],
        "test_vmap": ["*_amax_cpu_float32", "*_amin_cpu_float32", "*_aminmax_cpu_float32"],
    },
    "legacy Functions as an error: they run, on purpose": {
        "test_autograd": ["test_legacy_function_deprecation_exception"],
    },
    "DataPipes, which left PyTorch's interface": {
        "test_dataloader": ["test_multiprocessing_iterdatapipe"],
    },
    "batches that are collated into shared storages: ours come in blocks (decision 0015)": {
        "test_dataloader": ["test_default_collate_shared_tensor"],
    },
}  # fmt: skip


def reason(file: str, test: str) -> str | None:
    """Why a test of a file ("test_nn") cannot pass; None for all others."""
    for why, files in NAMES.items():
        for pattern in files.get(file, ()):
            if fnmatch.fnmatchcase(test, pattern) or fnmatch.fnmatchcase(
                test.partition(".")[2], pattern
            ):
                return why
    return None


def page() -> str:
    """The list as a page of docs/."""
    lines = [
        "# What PyTorch's tests ask for that Rushlight is not",
        "",
        "Written by `python -m tests.pytorch --names` from tests/pytorch/asks_for.py. The tests",
        "are those of [PyTorch's own files](pytorch_tests.md); `*` stands for any letters.",
    ]
    for why, files in NAMES.items():
        lines += ["", f"## {why[0].upper()}{why[1:]}", ""]
        lines += [
            f"* {file}: {', '.join(f'`{p}`' for p in patterns)}" for file, patterns in files.items()
        ]
    return "\n".join(lines) + "\n"
