"""Calls from the records: their samples, with operands of other types and layouts.

Every public operation states sample calls, so every one of them is tried without being named here.
A call has at most one mistake of those in `MISTAKES`: operands may still be of any type, since most
operations take all.
"""

from __future__ import annotations

import functools
import random
from typing import Any

import numpy as np

from rushlight.ops.core.record import composites, registry
from tests.compare.random_calls import values

SPACES = {"torch": "torch.", "nn.functional": "torch.nn.functional.", "linalg": "torch.linalg.",
          "special": "torch.special.", "fft": "torch.fft."}  # fmt: skip
# Left out: what draws numbers or shows memory, settings of the process, other programs' objects.
SETTINGS = {
    "set_default_dtype", "set_default_tensor_type", "set_flush_denormal", "set_printoptions",
    "from_numpy", "frombuffer", "from_file", "from_dlpack", "share_memory_", "is_shared",
    "set_default_device", "get_default_device", "manual_seed", "seed", "initial_seed",
    "requires_grad_", "data_ptr", "storage", "untyped_storage", "typed_storage", "set_", "empty",
    "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "resize_",
    "resize_as_", "backward", "register_hook", "__dlpack__", "__dlpack_device__", "numpy", "cuda",
    "storage_type", "is_storage", "is_tensor", "tolist", "__reduce_ex__", "module_load",
    "to_mkldnn",
    "register_post_accumulate_grad_hook", "retain_grad", "rename", "rename_", "refine_names",
    "align_to", "record_stream", "hash_tensor", "names", "has_names",
    "creator", "as_subclass", "set_data", "_neg_view",
}  # fmt: skip
# Left whole: PyTorch reads beyond operands of too few elements, and may crash.
UNCHECKED = {"lstm", "embedding_bag", "lu_unpack", "segment_reduce"}


@functools.cache
def functions() -> list[tuple[str, str, Any]]:
    """(namespace, name, record) of every public operation that gives the same each time."""
    import torch

    found = []
    for made in (*registry.values(), *composites.values()):
        about = made.samples
        if about.random or about.ambiguous or about.undefined or made.name in SETTINGS:
            continue
        for space in made.publication.spaces:
            names = (made.name, *(n for n in made.publication.aliases if n[0] != "_"))
            for name in (*names, *(f"{n}_" for n in names)):
                home = torch.Tensor if space == "Tensor" else torch
                for part in () if space in ("torch", "Tensor") else space.split("."):
                    home = getattr(home, part)
                if name not in names and space not in ("torch", "Tensor"):
                    continue
                if callable(getattr(home, name, None)) and about.cases:
                    found.append((space, name, made))
    return sorted(found, key=lambda f: f[:2])


def arguments(rng: random.Random, sample: Any) -> tuple[list[Any], dict[str, Any]]:
    """A sample's arguments, with arrays in place of their descriptions."""
    return sample.make(np.random.default_rng(rng.getrandbits(32)))


# What may be wrong with a call: at most one thing, for which of two PyTorch names first is a matter
# of each function's own order.
MISTAKES = ["type", "types", "empty", "row", "number", "left out", ""]
SHARES = [60, 10, 8, 4, 3, 2, 30]


def call(rng: random.Random, new: Any) -> str:
    """The text of a call; `new(text)` names a tensor that it makes for it."""
    space, name, made = rng.choice(functions())
    about = made.samples
    args, kw = arguments(rng, rng.choice(about.cases))
    mistake = rng.choices(MISTAKES, SHARES)[0]
    if mistake in ("empty", "row") and name in UNCHECKED:
        mistake = ""
    if kw and name.rstrip("_") != made.name.rstrip("_"):
        raise ValueError("an alias may have other names for its parameters")
    kind = values.pick_type(rng) if mistake == "type" else None
    struck = rng.randrange(3)  # the operand that it befalls
    seen = iter(range(100))

    def text(x: Any) -> str:
        if isinstance(x, np.ndarray):
            own = str(x.dtype) if x.dtype.kind in "iub" else "float32"
            dtype = own if x.dtype.kind == "c" or kind is None else kind
            if x.dtype.kind in "iub" and rng.random() < 0.7:
                dtype = own  # an index, a mask
            hit = next(seen) == struck
            if mistake == "types" and hit:
                dtype = values.pick_type(rng)
            if x.dtype.kind == "c" and not dtype.startswith("complex"):
                dtype = "complex64"
            if dtype not in values.TYPES:
                dtype = "int64"
            if x.ndim and mistake == "empty" and hit:
                x = x[:0]
            elif x.ndim and mistake == "row" and hit:
                x = x[0]
            return new(values.tensor(rng, values.as_type(x, dtype), dtype), dtype)
        if isinstance(x, list) and any(isinstance(v, np.ndarray) for v in x):
            return "[" + ", ".join(text(v) for v in x) + "]"
        return values.written(x)

    parts = [text(a) for a in args]
    if not parts and space == "Tensor":
        raise ValueError("a method without an operand")
    for k, v in kw.items():
        if isinstance(v, bool) and rng.random() < 0.2:
            v = not v
        elif isinstance(v, int) and not isinstance(v, bool) and not mistake and rng.random() < 0.4:
            v = rng.randrange(-3, 4)
        parts.append(f"{k}={text(v)}")
    if mistake == "left out" and len(parts) > 1:
        parts.pop(rng.randrange(1, len(parts)))
    elif mistake == "number":
        parts[:1] = [values.written(values.number(rng))]
    if space == "Tensor":
        if not parts or not parts[0].startswith("v"):
            raise ValueError("a method without an operand")
        return f"{parts[0]}.{name}({', '.join(parts[1:])})"
    return f"{SPACES[space]}{name}({', '.join(parts)})"
