"""Operators by namespace: `torch.ops.aten.add.Tensor`, `torch.ops.mine.double`.

PyTorch's operators (`aten`, `prims`) are this package's public functions, found when they are asked
for; nothing lists them. Other namespaces hold what `torch.library` was told. Overloads, which
PyTorch tells apart by type, are one function here: `add.Tensor` and `add.Scalar` call the same.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Iterator
from typing import Any

from rushlight.autograd import changes, door
from rushlight.ops.core import overrides
from rushlight.ops.core.record import Op, registry

__all__ = ["OpOverload", "OpOverloadPacket", "OperatorBase", "Tag", "namespace", "packet_of"]

ATEN = ("aten", "prims", "quantized_decomposed")


# Operators that programs name, to be told of, and that nothing here calls.
NAMES = (
    "_embedding_bag _fft_c2c _fft_c2r _fft_r2c _grouped_mm _sparse_addmm _sparse_mm_reduce_impl "
    "_scaled_dot_product_cudnn_attention _scaled_dot_product_cudnn_attention_backward "
    "_scaled_dot_product_efficient_attention _scaled_dot_product_efficient_attention_backward "
    "_scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_backward "
    "_scaled_dot_product_flash_attention_for_cpu _upsample_bilinear2d_aa _scaled_mm "
    "_efficient_attention_forward _flash_attention_forward "
    "convolution_backward native_layer_norm_backward native_dropout "
    "sym_constrain_range sym_constrain_range_for_size "
)
NAMED = frozenset(NAMES.split())


def local_scalar_dense(x: Any) -> Any:
    """The only element as a number."""
    if x.numel() == 0:
        raise RuntimeError("_local_scalar_dense: Empty tensor not supported")
    return x.item()


# Operators that PyTorch's public functions are made of, in terms of those.
INNER: dict[str, Callable[..., Any]] = {
    "_softmax": lambda x, dim, half_to_float=False: x.softmax(dim),
    "_log_softmax": lambda x, dim, half_to_float=False: x.log_softmax(dim),
    "_to_copy": lambda x, **kw: x.to(copy=True, **{k: v for k, v in kw.items() if v is not None}),
    "_unsafe_view": lambda x, size: x.reshape(size),
    "_reshape_alias": lambda x, size, stride: x.as_strided(size, stride),
    "_pin_memory": lambda x, device=None: x.pin_memory(),
    "slice": lambda x, dim=0, start=None, end=None, step=1: x[
        (slice(None),) * (dim % x.ndim) + (slice(start, end, step),)
    ],
    "index": lambda x, indices: x[tuple(slice(None) if i is None else i for i in indices)],
    "sym_size": lambda x, dim=None: x.size(dim),
    "sym_numel": lambda x: x.numel(),
    "_is_all_true": lambda x: x.all(),
    "alias": lambda x: x.view_as(x),
    "lift": lambda x: x,
    "lift_fresh": lambda x: x,
    "lift_fresh_copy": lambda x: x.clone(),
    "_local_scalar_dense": local_scalar_dense,
    "copy": lambda x, other, non_blocking=False: other.to(x.dtype).expand_as(x).clone(),
}


class OperatorBase:
    """What all operators are."""


class Tag(enum.Enum):
    """What PyTorch knows of operators."""

    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19


class Schema:
    """What can be told of an operator's signature: its name."""

    def __init__(self, name: str, overload: str) -> None:
        self.name, self.overload_name = name, overload
        self.arguments: list[Any] = []
        self.returns: list[Any] = []
        self.is_mutable = name.rpartition("::")[2].rstrip("_") + "_" == name.rpartition("::")[2]

    def __str__(self) -> str:
        return f"{self.name}.{self.overload_name}(...)"


class OpOverload(OperatorBase):
    """One operator that can be called: `torch.ops.aten.add.Tensor`."""

    def __init__(self, packet: OpOverloadPacket, overload: str) -> None:
        self._packet, self._overloadname = packet, overload
        self._op = packet._op
        self.__name__ = f"{packet.__name__}.{overload}"
        self.__module__ = packet.__module__
        self._schema = Schema(packet._qualified_op_name, overload)
        # What carries out a call as a class was told of it (`ops/core/dispatch.py`).
        self._told: Callable[..., Any] | None = None
        self.record: Any = None  # what it is told of, where that is a record

    overloadpacket = property(lambda self: self._packet, doc="All overloads of this name.")
    _opname = property(lambda self: self._packet.__name__)
    namespace = property(lambda self: self._packet.namespace, doc="Such as 'aten'.")

    @property
    def tags(self) -> list[Tag]:
        """What is known of it: `pointwise`, where each element is computed of those in its place;
        `dynamic_output_shape`, where the result's shape is a matter of values."""
        record = self._packet.record
        found = [Tag.pointwise] if getattr(record, "kind", None) == "elementwise" else []
        if record is not None and record.numerics.data_dependent:
            found.append(Tag.dynamic_output_shape)
        return found

    is_view = property(
        lambda self: bool(getattr(self.record or self._packet.record, "view", False))
    )

    def __call__(self, *args: Any, **kw: Any) -> Any:
        # (no record has a parameter `device`: moving is what classes alone are told of)
        if self._told is not None and overrides.state.told is self and "device" not in kw:
            return self._told(*args, **kw)
        return self._op(*args, **kw)

    def name(self) -> str:
        """`aten::add.Tensor`."""
        over = "" if self._overloadname == "default" else f".{self._overloadname}"
        return self._packet._qualified_op_name + over

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self._packet}', overload='{self._overloadname}')>"

    def __str__(self) -> str:
        return f"{self._packet}.{self._overloadname}"

    def __hash__(self) -> int:
        return hash((self._packet._qualified_op_name, self._overloadname))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpOverload) and self.name() == other.name()


class OpOverloadPacket(OperatorBase):
    """An operator with all its overloads: `torch.ops.aten.add`."""

    def __init__(self, space: str, name: str, fn: Callable[..., Any]) -> None:
        self.namespace, self.__name__, self._op = space, name, fn
        self._qualified_op_name = f"{space}::{name}"
        self.__module__ = f"torch.ops.{space}"
        self._made: dict[str, OpOverload] = {}
        self.record: Any = registry.get(name) or getattr(fn, "op", None)

    def __call__(self, *args: Any, **kw: Any) -> Any:
        return self._op(*args, **kw)

    def __getattr__(self, overload: str) -> OpOverload:
        if overload.startswith("__"):
            raise AttributeError(overload)
        if overload not in self._made:
            self._made[overload] = OpOverload(self, overload)
        return self._made[overload]

    def overloads(self) -> list[str]:
        """The overloads that were asked for, `default` among them."""
        return list({"default": None, **self._made})

    def __iter__(self) -> Iterator[str]:
        return iter(self.overloads())

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self.namespace}.{self.__name__}')>"

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"


class Namespace:
    """`torch.ops.aten` and its like: operators, looked for when they are asked for."""

    def __init__(self, name: str) -> None:
        self._name = self.name = name
        self.__name__ = f"torch.ops.{name}"

    def __getattr__(self, name: str) -> OpOverloadPacket:
        if name.startswith("__"):
            raise AttributeError(name)
        fn = found(self._name, name)
        if fn is None:
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")
        made = OpOverloadPacket(self._name, name, fn)
        if self._name in ATEN:  # others may be registered anew
            self.__dict__[name] = made
        return made

    def __dir__(self) -> list[str]:
        from rushlight.library import operators

        start = self._name + "::"
        own = [n.removeprefix(start) for n in operators if n.startswith(start)]
        return sorted({*own, *(registry if self._name == "aten" else ())})

    def __repr__(self) -> str:
        return f"<module 'torch.ops.{self._name}'>"


def found(space: str, name: str) -> Callable[..., Any] | None:
    """The function that an operator calls."""
    import rushlight
    from rushlight.library import operators

    registered: Any = operators.get(f"{space}::{name}")
    if registered is not None:
        return registered  # type: ignore[no-any-return]
    if space not in ATEN:
        return OTHERS[space](name) if space in OTHERS else None
    if name in INNER:
        return INNER[name]
    for where in (rushlight, rushlight.nn.functional, rushlight.Tensor):
        own = getattr(where, name, None)
        if callable(own):
            return own  # type: ignore[no-any-return]
    for prefix, where in (("linalg_", rushlight.linalg), ("special_", rushlight.special),
                          ("fft_", rushlight.fft)):  # fmt: skip
        if name.startswith(prefix) and hasattr(where, name.removeprefix(prefix)):
            return getattr(where, name.removeprefix(prefix))  # type: ignore[no-any-return]
    if name in NAMED:
        from rushlight import unsupported

        return unsupported.function(f"torch.ops.aten.{name}", "PyTorch's dispatcher")
    return None


def profiling(name: str) -> Callable[..., Any] | None:
    """The profiler's operators: the two halves of `record_function`."""
    from rushlight.profiler import recording

    halves = {"_record_function_enter": recording.begun, "_record_function_exit": recording.ended}
    return halves.get(name) or halves.get(name.removesuffix("_new"))


def vision(name: str) -> Callable[..., Any] | None:
    """torchvision's operators: the functions of `vision.ops`."""
    from rushlight import vision

    own = getattr(vision.ops, name, None)
    return own if callable(own) else None


OTHERS = {"torchvision": vision, "profiler": profiling}


@functools.cache
def namespace(name: str) -> Namespace:
    """The operators of one namespace."""
    return Namespace(name)


def __getattr__(name: str) -> Any:
    """What is asked for seldom, in a file of its own."""
    if name == "HigherOrderOperator":
        from ._higher_order import HigherOrderOperator

        return HigherOrderOperator
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


loaded_libraries: set[str] = set()


def load_library(path: Any) -> None:
    """Raises: compiled extensions cannot be loaded."""
    from rushlight import unsupported

    unsupported.refuse("torch.ops.load_library", "compiled extensions", "torch.library.custom_op")


# Records whose operators have another name in PyTorch, or an overload that is not the default.
CALLED = {
    "add_scaled": "add.Tensor",
    "attention_by_blocks": "scaled_dot_product_attention",
    "class_entropy": "cross_entropy_loss",
    "fft_c2c": "_fft_c2c",
    "layer_norm_op": "native_layer_norm",
    "log_softmax": "_log_softmax",
    "max_dim": "max.dim",
    "min_dim": "min.dim",
    "scatter_value": "scatter.value",
    "select": "select.int",
    "softmax": "_softmax",
    "sort_values": "sort",
    "split": "split.Tensor",
    "sub_scaled": "sub.Tensor",
    "sum": "sum.dim_IntList",
    "sum_all": "sum.default",
    "to_copy": "_to_copy",
    "topk_values": "topk",
    "transpose": "transpose.int",
    "unbind": "unbind.int",
    "view_as_shape": "view",
    "where": "where.self",
}
COMPARED = ("lt", "le", "gt", "ge", "eq", "ne")  # these alone take a number as such
MATRICES = {(2, 2): "mm", (3, 3): "bmm", (2, 1): "mv", (1, 1): "dot"}


def overload(op: Op, inputs: tuple[Any, ...]) -> str:
    """Which of PyTorch's overloads a call of a record is."""
    if len(op.inputs) != 2 or op.promote is None or op.name == "matmul":
        return "default"
    number = len(inputs) > 1 and isinstance(inputs[1], (int, float, complex))
    return "Scalar" if number and op.name.partition("_")[0] in COMPARED else "Tensor"


def packet_of(op: Op, inputs: tuple[Any, ...] = ()) -> OpOverload:
    """The operator that a record is when it is called with these: what modes are told."""
    name = op.name.removesuffix("_plain").removesuffix("_all")
    if name == "matmul":
        dims = tuple(getattr(t, "ndim", None) for t in inputs)
        name = MATRICES.get(dims, name)  # type: ignore[arg-type]
    name, _, stated = CALLED.get(op.name, CALLED.get(name, name)).partition(".")
    return made_of(op, name, stated or overload(op, inputs))


@functools.cache
def made_of(op: Op, name: str, overload: str) -> OpOverload:
    space = namespace("aten")
    try:
        packet = getattr(space, name)
    except AttributeError:
        carried_out = functools.partial(as_told, op)
        packet = space.__dict__[name] = OpOverloadPacket("aten", name, carried_out)
    found = getattr(packet, overload)
    if op.part_of is not None:  # the operator itself is the other record's
        found = OpOverload(packet, overload)
    made = told_by(found, functools.partial(as_told, op))
    made.record = op
    return made


def as_told(op: Op, *args: Any, **kw: Any) -> Any:
    """A record called as classes and modes are told of it: it has been checked before."""
    args = tuple([a.value if a.__class__ is overrides.Given else a for a in args])
    kw = {k: v.value if v.__class__ is overrides.Given else v for k, v in kw.items()}
    if op.variadic:
        return door.apply(op, tuple(args[0]), kw)
    n = len(op.inputs)
    if len(args) > n:
        kw = {**dict(zip(op.defaults, args[n:], strict=False)), **kw}
    return door.apply(op, op.signature.pad(args[:n]), kw)


def told_by(made: OpOverload, told: Callable[..., Any]) -> OpOverload:
    """An operator that classes are told of, with what carries out their calls."""
    if made._told is not None:  # two records are one operator of PyTorch
        made = OpOverload(made._packet, made._overloadname)
    made._told = told
    return made


def exactly(func: OpOverload) -> OpOverload:
    """An operator that carries out its record whoever calls it, in the form in which classes and
    modes are told of it: for calls that are done again."""
    if func._told is None or func._op is func._told:
        return func
    made = OpOverload(func._packet, func._overloadname)
    made.record = func.record
    made._op = made._told = func._told
    return made


@functools.cache
def change_of(op: Op, name: str, overload: str) -> OpOverload:
    """The operator of a record's form in place."""

    def told(target: Any, *rest: Any, **kw: Any) -> Any:
        return changes.apply_inplace(op, target, rest, kw)

    known, _, stated = CALLED.get(op.name, "").partition(".")
    if known and not hasattr(namespace("aten"), name):
        name, overload = known + "_", stated or overload
    return told_by(getattr(getattr(namespace("aten"), name), overload), told)


@functools.cache
def whole_of(public: Callable[..., Any], overload: str = "default") -> OpOverload:
    """The operator that is a public function."""
    name = public.__name__
    space = namespace("aten")
    try:
        packet = getattr(space, name)
    except AttributeError:
        packet = space.__dict__[name] = OpOverloadPacket("aten", name, public)
    return told_by(getattr(packet, overload), public)
