"""What `tools/stubs.py` cannot read from records and signatures: overloads, and types of parameters
by their names.

Names of Python's types have an underscore (`_int`), as `torch.int` and `Tensor.int` are others.
"""

from __future__ import annotations

import re

OUT = "out: Tensor | None = None"
MADE = (
    "dtype: _dtype | None = None, layout: _layout | None = None, device: Device = None, "
    "pin_memory: _bool = False, requires_grad: _bool = False"
)
RANDOM = f"generator: Generator | None = None, {OUT}, {MADE}"
KEPT = "keepdim: _bool = False"
NUMBER = "Tensor | Number"
TWO = "out: _tuple[Tensor, Tensor] | None = None"


def extreme(name: str) -> list[str]:
    return [
        f"(input: Tensor, *, {OUT}) -> Tensor",
        f"(input: Tensor, other: Tensor, *, {OUT}) -> Tensor",
        f"(input: Tensor, dim: _int, {KEPT}, *, {TWO}) -> return_types.{name}",
    ]


def spread(result: str, out: str) -> list[str]:
    return [
        f"(input: Tensor, dim: Dims | None = None, *, correction: Number | None = None, {KEPT}"
        f"{out}) -> {result}",
        f"(input: Tensor, dim: Dims | None, unbiased: _bool, {KEPT}"
        f"{', *' + out if out else ''}) -> {result}",
        f"(input: Tensor, unbiased: _bool) -> {result}",
    ]


def sized(made: str) -> list[str]:
    return [
        f"(size: Sequence[_int], *, {made}) -> Tensor",
        f"(*size: _int, {made}) -> Tensor",
    ]


def sizes(name: str, more: str = "") -> list[str]:
    """A method that takes numbers one by one or in a sequence."""
    return [
        f"(self, {name}: Sequence[_int]{', *, ' + more if more else ''}) -> Tensor",
        f"(self, *{name}: _int{', ' + more if more else ''}) -> Tensor",
    ]


COUNTED = "sorted: _bool = True, return_inverse: {0}, return_counts: {1}, dim: _int | None = None"
ALONE = "Literal[False] = False"


def unique(sorted_: str) -> list[str]:
    both = f"return_inverse: {ALONE}, return_counts: {ALONE}, dim: _int | None = None"
    any_ = "return_inverse: _bool = False, return_counts: _bool = False, dim: _int | None = None"
    return [
        f"(input: Tensor, {sorted_}{both}) -> Tensor",
        f"(input: Tensor, {sorted_}{any_}) -> _tuple[Tensor, ...]",
    ]


BITS = "non_blocking: _bool = False, copy: _bool = False"

# Functions; a method of the same name has the same overloads, with `self` for `input` and no `out`.
OVERLOADS: dict[str, list[str]] = {
    "max": extreme("max"),
    "min": extreme("min"),
    "std": spread("Tensor", f", {OUT}"),
    "var": spread("Tensor", f", {OUT}"),
    "std_mean": spread("_tuple[Tensor, Tensor]", ""),
    "var_mean": spread("_tuple[Tensor, Tensor]", ""),
    "unique": unique("sorted: _bool = True, "),
    "unique_consecutive": unique(""),
    "split": [
        "(tensor: Tensor, split_size_or_sections: _int | Sequence[_int], dim: _int = 0) "
        "-> _tuple[Tensor, ...]",
    ],
    "aminmax": [
        f"(input: Tensor, *, dim: _int | None = None, {KEPT}, {TWO}) -> return_types.aminmax",
    ],
    "einsum": ["(equation: _str, *operands: Tensor | Sequence[Tensor]) -> Tensor"],
    "scatter": [
        f"(input: Tensor, dim: _int, index: Tensor, src: Tensor, *, reduce: _str | None = None, "
        f"{OUT}) -> Tensor",
        f"(input: Tensor, dim: _int, index: Tensor, value: Number, *, reduce: _str | None = None, "
        f"{OUT}) -> Tensor",
    ],
    "logical_not": [f"(input: Tensor, *, {OUT}) -> Tensor"],
    "repeat_interleave": [
        "(input: Tensor, repeats: Tensor | _int, dim: _int | None = None, *, "
        "output_size: _int | None = None) -> Tensor",
    ],
    "median": [
        f"(input: Tensor, *, {OUT}) -> Tensor",
        f"(input: Tensor, dim: _int, {KEPT}, *, {TWO}) -> return_types.median",
    ],
    "nanmedian": [
        f"(input: Tensor, *, {OUT}) -> Tensor",
        f"(input: Tensor, dim: _int, {KEPT}, *, {TWO}) -> return_types.nanmedian",
    ],
}
ALONE_OVERLOADS: dict[str, list[str]] = {  # of functions alone
    "where": [
        "(condition: Tensor) -> _tuple[Tensor, ...]",
        f"(condition: Tensor, input: {NUMBER}, other: {NUMBER}, *, {OUT}) -> Tensor",
    ],
    "arange": [
        f"(end: Number, *, {OUT}, {MADE}) -> Tensor",
        f"(start: Number, end: Number, step: Number = 1, *, {OUT}, {MADE}) -> Tensor",
    ],
    "randint": [
        f"(high: _int, size: Sequence[_int], *, {RANDOM}) -> Tensor",
        f"(low: _int, high: _int, size: Sequence[_int], *, {RANDOM}) -> Tensor",
    ],
    "normal": [
        f"(mean: Tensor, std: Tensor | _float = 1.0, *, generator: Generator | None = None, {OUT})"
        " -> Tensor",
        f"(mean: _float, std: Tensor, *, generator: Generator | None = None, {OUT}) -> Tensor",
        f"(mean: _float, std: _float, size: Sequence[_int], *, {RANDOM}) -> Tensor",
    ],
    **{name: sized(f"{OUT}, {MADE}") for name in ("ones", "zeros", "empty")},
    **{name: sized(RANDOM) for name in ("rand", "randn")},
    "tensor": [
        "(data: Any, *, dtype: _dtype | None = None, device: Device = None, "
        "requires_grad: _bool = False, pin_memory: _bool = False) -> Tensor",
    ],
    "broadcast_shapes": ["(*shapes: _int | Sequence[_int]) -> Size"],
    "broadcast_tensors": ["(*tensors: Tensor | Sequence[Tensor]) -> _tuple[Tensor, ...]"],
    "block_diag": ["(*tensors: Tensor | Sequence[Tensor]) -> Tensor"],
    "meshgrid": [
        "(*tensors: Tensor | Sequence[Tensor], indexing: _str | None = None) "
        "-> _tuple[Tensor, ...]",
    ],
    "cartesian_prod": ["(*tensors: Tensor | Sequence[Tensor]) -> Tensor"],
    "atleast_1d": ["(*tensors: Tensor | Sequence[Tensor]) -> Any"],
    "atleast_2d": ["(*tensors: Tensor | Sequence[Tensor]) -> Any"],
    "atleast_3d": ["(*tensors: Tensor | Sequence[Tensor]) -> Any"],
    "from_numpy": ["(ndarray: Any) -> Tensor"],
    "is_tensor": ["(obj: Any) -> TypeGuard[Tensor]"],
}
METHODS: dict[str, list[str]] = {
    "__init__": ["(self, *args: Any, **kw: Any) -> None"],
    "size": ["(self, dim: None = None) -> Size", "(self, dim: _int) -> _int"],
    "stride": ["(self, dim: None = None) -> _tuple[_int, ...]", "(self, dim: _int) -> _int"],
    "to": [
        f"(self, dtype: _dtype, {BITS}, *, memory_format: memory_format | None = None) -> Tensor",
        f"(self, device: Device = None, dtype: _dtype | None = None, {BITS}, *, "
        "memory_format: memory_format | None = None) -> Tensor",
        f"(self, other: Tensor, {BITS}, *, memory_format: memory_format | None = None) -> Tensor",
    ],
    "view": ["(self, dtype: _dtype) -> Tensor", *sizes("size")],
    "reshape": sizes("shape"),
    "permute": sizes("dims"),
    "flip": sizes("dims"),
    "tile": sizes("dims"),
    "repeat": sizes("repeats"),
    "expand": sizes("size", "implicit: _bool = False"),
    "resize_": sizes("size", "memory_format: memory_format | None = None"),
    "squeeze_": [*sizes("dim")],
    "new_zeros": sizes("size", MADE),
    "new_ones": sizes("size", MADE),
    "new_empty": sizes("size", MADE),
    "new_full": [f"(self, size: Sequence[_int], fill_value: Number, *, {MADE}) -> Tensor"],
    "new_tensor": [
        "(self, data: Any, *, dtype: _dtype | None = None, device: Device = None, "
        "requires_grad: _bool = False) -> Tensor",
    ],
    "split": [
        "(self, split_size: _int | Sequence[_int], dim: _int = 0) -> _tuple[Tensor, ...]",
    ],
    "where": [f"(self, condition: Tensor, other: {NUMBER}) -> Tensor"],
    "type": [
        "(self, dtype: None = None, non_blocking: _bool = False) -> _str",
        "(self, dtype: _dtype | _str, non_blocking: _bool = False) -> Tensor",
    ],
    "scatter_": [
        "(self, dim: _int, index: Tensor, src: Tensor, *, reduce: _str | None = None) -> Tensor",
        "(self, dim: _int, index: Tensor, value: Number, *, reduce: _str | None = None) -> Tensor",
    ],
    "random_": [
        "(self, *, generator: Generator | None = None) -> Tensor",
        "(self, to: _int, *, generator: Generator | None = None) -> Tensor",
        "(self, from_: _int, to: _int | None, *, generator: Generator | None = None) -> Tensor",
    ],
    "numpy": ["(self, *, force: _bool = False) -> Any"],
    "requires_grad_": ["(self, requires_grad: _bool = True) -> Self"],
    "as_subclass": ["(self, cls: _type[_S]) -> _S"],
    "__iter__": ["(self) -> Iterator[Tensor]"],
    "__getitem__": ["(self, key: Any) -> Tensor"],
    "__setitem__": [f"(self, key: Any, value: {NUMBER}) -> None"],
    "__deepcopy__": ["(self, memo: Any) -> Self"],
    "__torch_function__": [
        "(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any"
    ],
    "backward": [
        "(self, gradient: Tensor | None = None, retain_graph: _bool | None = None, "
        "create_graph: _bool = False, inputs: Tensor | Sequence[Tensor] | None = None) -> None",
    ],
    "register_hook": ["(self, hook: Callable[[Tensor], Any]) -> Any"],
}
PROPERTIES = {
    "data": "Tensor",
    "device": "_device",
    "grad": "Tensor | None",
    "layout": "_layout",
    "requires_grad": "_bool",
    "shape": "Size",
    "dtype": "_dtype",
    **dict.fromkeys(("T", "mT", "H", "mH", "real", "imag"), "Tensor"),
    **dict.fromkeys(("itemsize", "nbytes"), "_int"),
    **dict.fromkeys(("is_leaf", "retains_grad"), "_bool"),
}
WRITABLE = ("data", "grad", "requires_grad", "real", "imag")

SIZE = "_int | Sequence[_int]"
# Types of parameters by name, where neither a record nor an annotation says them. A default of None
# adds None.
TYPES = {
    **dict.fromkeys(
        ("input", "self", "tensor", "tensor1", "tensor2", "mat", "mat1", "mat2", "batch1",
         "batch2", "vec", "vec1", "vec2", "weight", "bias", "target", "index", "source",
         "src", "mask", "condition", "A", "B", "L", "LU", "pivots", "LU_data",
         "LU_pivots", "tau", "query", "key", "x", "y", "x1", "x2", "input1", "input2",
         "input3", "hx", "w_ih", "w_hh", "b_ih", "b_hh", "running_mean", "running_var",
         "anchor", "positive", "negative", "attn_mask", "theta", "grid", "the_template",
         "offsets", "lengths", "logits", "log_probs", "targets", "window",
         "sorted_sequence", "boundaries", "sorter", "weights", "pos_weight",
         "q_proj_weight", "k_proj_weight", "v_proj_weight", "in_proj_weight",
         "in_proj_bias", "bias_k", "bias_v", "out_proj_weight", "out_proj_bias",
         "key_padding_mask", "static_k", "static_v", "per_sample_weights", "var",
         "elements_", "prepend", "append", "LD", "initial", "matrices_", "fweights",
         "aweights", "M",),
        "Tensor",
    ),
    **dict.fromkeys(
        ("tensors", "matrices",),
        "Sequence[Tensor]"),
    "params": "Sequence[Tensor]",
    "out": "Tensor",
    "dtype": "_dtype",
    "device": "Device",
    "layout": "_layout",
    "memory_format": "memory_format",
    "generator": "Generator",
    **dict.fromkeys(
        ("requires_grad", "pin_memory", "keepdim", "upper", "left", "transpose",
         "descending", "stable", "sorted", "non_blocking", "check_invariants", "unbiased",
         "has_biases", "train", "bidirectional", "batch_first", "inplace", "include_self",
         "has_biases", "hermitian", "is_coalesced",),
        "_bool",
    ),
    **dict.fromkeys(
        ("dim0", "dim1", "dim2", "num_layers", "groups", "upscale_factor",
         "downscale_factor", "sparse_dim", "dense_dim", "storage_offset", "dimension",
         "n", "decimals",),
        "_int",
    ),
    **dict.fromkeys(
        ("size", "stride", "padding", "dilation", "kernel_size", "output_size",
         "output_padding", "split_sizes", "dims", "s", "shape", "normalized_shape",
         "sizes", "shifts", "physical_layout", "blocksize", "repeats", "destination",
         "pad", "split_size",),
        SIZE,
    ),
    "dim": "Dims",
    **dict.fromkeys(
        ("alpha", "beta", "fill_value", "dropout", "dx",),
        "Number"),
    **dict.fromkeys(
        ("other", "value", "values", "min", "max", "exponent", "end", "start", "step",),
        NUMBER),
    **dict.fromkeys(
        ("eps", "nan", "posinf", "neginf", "threshold", "atol", "rtol", "tol", "rcond", "q", "high",
         "elements", "test_elements"),
        NUMBER,
    ),
    **dict.fromkeys(("a", "b", "count", "prob", "linear_weight", "linear_bias"), "Tensor"),
    "indices_or_sections": f"Tensor | {SIZE}",
    "p": "Number | _str",
    "ord": "Number | _str",
    "correction": "Number",
    "reduce": "_str",
    "scale_factor": "Number | Sequence[_float]",
    "output_ratio": "Number | Sequence[_float]",
}  # fmt: skip
# Types of results that neither a sample nor an annotation tells.
RESULTS = {
    **dict.fromkeys(
        ("ccol_indices", "coalesce", "col_indices", "crow_indices", "cuda", "hspmm", "indices",
         "new_empty_strided", "pin_memory", "resize", "resize_as_", "row_indices", "set_",
         "share_memory_", "smm", "sparse_bsc_tensor", "sparse_bsr_tensor",
         "sparse_compressed_tensor", "sparse_coo_tensor", "sparse_csc_tensor",
         "sparse_csr_tensor", "sparse_mask", "sspaddmm", "to_padded_tensor", "to_sparse",
         "to_sparse_bsc", "to_sparse_bsr", "to_sparse_coo", "to_sparse_csc", "to_sparse_csr",
         "values"),
        "Tensor",
    ),
    **dict.fromkeys(("is_coalesced", "is_pinned"), "_bool"),
    "__copy__": "Self",
}  # fmt: skip
# (function, parameter): where the table above is wrong.
PARAMETERS: dict[tuple[str, str], str] = {}

WORD = re.compile(r"\b(int|float|bool|complex|str|tuple|list|dict|type|bytes)\b")


def plain(annotation: str) -> str:
    """An annotation of the sources as it is written in stubs."""
    return WORD.sub(r"_\1", annotation)
