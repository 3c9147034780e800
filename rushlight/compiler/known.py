"""What code may call while it is captured, and what such a call means.

Three kinds: *seen* calls, whose computations pass the door and which read nothing but their
arguments; *metadata*, which gives Python values that guards cover; *repeated* calls, such as
`optimizer.step()`, which a replay makes again in their place. Everything else is unknown, and what
is unknown is not replayed.
"""

from __future__ import annotations

import builtins
import collections
import contextlib
import functools
import itertools
import math
import operator
import types
from typing import Any

import numpy as np

from ..kernels.meta import MetaArray
from ..torch_names import is_own, own
from .instrument import HOOKS

NUMBERS = (int, float, complex, bool)
PLAIN = (*NUMBERS, str, bytes, type(None), type(Ellipsis), type(NotImplemented), range, slice)

# Built-in functions and types that read no more than the Python values they are given.
PURE: frozenset[Any] = frozenset((
    builtins.abs, builtins.all, builtins.any, builtins.bool, builtins.bytes, builtins.callable,
    builtins.chr, builtins.complex, builtins.dict, builtins.divmod, builtins.enumerate,
    builtins.float, builtins.format, builtins.frozenset, builtins.int, builtins.isinstance,
    builtins.issubclass, builtins.iter, builtins.len, builtins.list, builtins.max, builtins.min,
    builtins.next, builtins.ord, builtins.pow, builtins.range, builtins.reversed, builtins.round,
    builtins.set, builtins.slice, builtins.sorted, builtins.str, builtins.sum, builtins.tuple,
    builtins.type, builtins.zip, builtins.repr, builtins.ascii, builtins.bin, builtins.hex,
    collections.OrderedDict, collections.deque,
    itertools.accumulate, itertools.chain, itertools.chain.from_iterable, itertools.combinations,
    itertools.islice, itertools.pairwise, itertools.permutations, itertools.product,
    itertools.repeat, itertools.zip_longest,
    types.SimpleNamespace, contextlib.nullcontext,
))  # fmt: skip
PURE_MODULES = frozenset(("math", "_operator", "operator", "cmath"))
assert math.sqrt.__module__ == "math"
assert operator.add.__module__ == "_operator"

# Methods of built-in containers that only read them.
READING = frozenset((
    "copy", "count", "get", "index", "items", "keys", "values", "__contains__", "__getitem__",
    "__len__", "__iter__", "isdisjoint", "issubset", "issuperset", "union", "intersection",
    "difference",
))  # fmt: skip
CONTAINERS = (list, tuple, dict, set, frozenset, collections.deque)

# Functions and methods of tensors that give Python values which guards cover.
METADATA = frozenset((
    "size", "dim", "numel", "nelement", "ndimension", "element_size", "stride",
    "is_floating_point", "is_complex", "is_signed", "is_conj", "is_neg", "is_contiguous",
    "is_same_size", "is_inference", "is_tensor", "is_grad_enabled", "is_inference_mode_enabled",
    "get_default_dtype", "broadcast_shapes", "result_type", "promote_types", "can_cast", "finfo",
    "iinfo", "get_device", "type", "is_pinned", "is_shared", "is_nested", "is_sparse", "is_cuda",
    "is_autocast_enabled", "get_autocast_dtype", "is_compiling", "is_dynamo_compiling",
    "is_exporting", "_is_view", "is_distributed", "__len__", "is_storage",
    "are_deterministic_algorithms_enabled", "get_num_threads", "is_available",
))  # fmt: skip

# Functions of this package that change or read more than their arguments.
UNKNOWN = frozenset((
    "manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state", "fork_rng",
    "set_default_dtype", "set_default_device", "set_default_tensor_type", "set_num_threads",
    "set_num_interop_threads", "use_deterministic_algorithms", "save",
    "load", "set_printoptions", "from_numpy", "frombuffer", "as_tensor", "asarray", "from_dlpack",
    "register_hook", "register_post_accumulate_grad_hook", "retain_grad", "share_memory_", "set_",
    "storage", "untyped_storage", "data_ptr", "numpy", "tolist", "item", "resize_", "resize_as_",
    "apply_", "map_", "map2_", "to_sparse", "pin_memory", "set_float32_matmul_precision",
    "compile", "unique", "nonzero", "cov", "storage_offset", "is_set_to", "as_subclass",
    "_make_subclass", "__deepcopy__", "__reduce_ex__", "__setstate__", "saved_tensors_hooks",
    "register_module_forward_hook", "checkpoint", "get_state", "set_state", "index_reduce_",
    "put_", "seed_all",
))  # fmt: skip

# Parts of `rushlight.nn` that compute or change things; the others read attributes of modules and
# call, so they are looked into like a user's code.
COMPUTING = ("rushlight.nn.functional", "rushlight.nn.utils", "rushlight.nn.init",
             "rushlight.nn.parallel", "rushlight.nn.grad", "rushlight.nn._")  # fmt: skip
LOOKED_INTO = ("rushlight.nn.", "rushlight.vision.models", "rushlight.vision.ops")


# Parts of this package whose functions compute and do nothing else.
SEEN = ("rushlight.ops.", "rushlight.tensor", "rushlight.autograd.", "rushlight.nn.functional",
        "rushlight.nn.utils.clip_grad", "rushlight.nn._", "rushlight.nn.grad", "rushlight.publish",
        "rushlight.dtypes", "rushlight.size", "rushlight.device",
        "rushlight.layout", "rushlight.config", "rushlight.backends", "rushlight.compiler",
        "rushlight.profiler")  # fmt: skip


def is_seen(fn: Any) -> bool:
    """Whether all that a function of this package does passes the door."""
    space = getattr(fn, "__globals__", None)
    found = space.get("__name__") if isinstance(space, dict) else getattr(fn, "__module__", "")
    module = own(str(found))
    return module == "rushlight" or module.startswith(SEEN)


def is_ours(fn: Any) -> bool:
    """Whether a function, class or module belongs to this package."""
    space: Any = getattr(fn, "__globals__", None)  # a wrapper has the name of what it wraps
    # (the class of functions has a descriptor of that name)
    given = isinstance(space, dict)
    module = space.get("__name__") if given else getattr(fn, "__module__", None)
    if isinstance(fn, types.ModuleType):
        module = fn.__name__
    return is_own(module)


def is_looked_into(fn: Any) -> bool:
    """Whether an instrumented copy of a function runs in its place."""
    if not is_ours(fn):
        return True
    inner = getattr(fn, "__wrapped__", None)
    if isinstance(inner, types.FunctionType) and not is_ours(inner):  # no_grad as a decorator
        return True
    module = own(getattr(fn, "__module__", None) or "")
    if module in ("rushlight.nn._tree", "rushlight.autograd.grad_mode"):
        return True
    return module.startswith(LOOKED_INTO) and not module.startswith(COMPUTING)


def shape_is_by_numbers(record: Any, arrays: Any, kw: dict[str, Any]) -> bool:
    """Whether the shape of what an operation gives depends on numbers in these arrays."""
    numerics = getattr(record, "numerics", None)
    if numerics is None or not numerics.data_dependent:
        return False
    metas = [MetaArray(a.shape, a.dtype) if isinstance(a, np.ndarray) else a for a in arrays]
    try:
        numerics.infer(record.name, record.fn, metas, kw)
    except Exception:  # it cannot be told
        return True
    return False


def is_number_type(value: Any) -> bool:
    """Whether a value is one that was taken out of a tensor, or could have been."""
    return isinstance(value, (*NUMBERS, np.generic, np.ndarray))


# Values of this package that are compared as numbers are.
COMPARED = ("dtype", "Device", "device", "memory_format", "layout")

# -- what things are ------------------------------------------------------------------------------


def lookup(cls: type, name: str) -> Any:
    """What a class and its bases hold under a name, unbound."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base.__dict__[name]
    return None


def plain_call(fn: Any, args: Any, kw: Any) -> tuple[Any, Any, Any]:
    """A call without `functools.partial`."""
    while isinstance(fn, functools.partial):
        args, kw = (*fn.args, *args), {**fn.keywords, **kw}
        fn = fn.func
    return fn, args, kw


def has_hooks(module: Any) -> bool:
    """Whether hooks run when a module is called."""
    from ..nn import _hooks

    state = module.__dict__
    return bool(
        module._forward_hooks or state["_forward_pre_hooks"] or state["_backward_hooks"]
        or state["_backward_pre_hooks"] or _hooks._global_forward_pre_hooks
        or _hooks._global_forward_hooks or _hooks._global_backward_hooks
        or _hooks._global_backward_pre_hooks
    )  # fmt: skip


def known_value(value: Any) -> bool:
    """Whether an argument is a value of this package that is compared as a number is."""
    return is_ours(type(value)) and type(value).__name__ in COMPARED


def looked_into(generator: types.GeneratorType[Any, Any, Any]) -> bool:
    """Whether the code of a generator has hooks, or is this package's."""
    code = generator.gi_code
    if HOOKS in code.co_freevars:
        return True
    frame = generator.gi_frame
    name = "" if frame is None else frame.f_globals.get("__name__", "")
    return is_own(name)


def name_of(fn: Any) -> str:
    """A function as people know it."""
    if isinstance(fn, types.MethodType):
        return f"{type(fn.__self__).__name__}.{fn.__name__}"
    owner = getattr(fn, "__self__", None)
    name = getattr(fn, "__qualname__", None) or getattr(fn, "__name__", None) or type(fn).__name__
    if owner is not None and not isinstance(owner, types.ModuleType):
        return str(name)
    module = getattr(fn, "__module__", None)
    return str(name) if module in (None, "builtins", "__main__") else f"{module}.{name}"
