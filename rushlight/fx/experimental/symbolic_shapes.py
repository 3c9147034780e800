"""`torch.fx.experimental.symbolic_shapes`: what code that is ready for unknown sizes asks.

Sizes are numbers here, every one of them known, so its questions are questions about numbers. A
`ShapeEnv` can be made and handed on: it holds what may be done where a size is not known, and says
that there is no such size when one is to be made.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight import unsupported

__all__ = [
    "ShapeEnv",
    "definitely_false",
    "definitely_true",
    "free_symbols",
    "free_unbacked_symbols",
    "guard_bool",
    "guard_float",
    "guard_int",
    "guard_or_false",
    "guard_or_true",
    "guard_scalar",
    "guard_size_oblivious",
    "has_free_symbols",
    "has_free_unbacked_symbols",
    "has_static_value",
    "has_symbolic_sizes_strides",
    "is_concrete_bool",
    "is_concrete_float",
    "is_concrete_int",
    "is_nested_int",
    "is_symbolic",
    "statically_known_false",
    "statically_known_true",
    "sym_and",
    "sym_eq",
    "sym_or",
]

SYMBOLS = "sizes that are not known while a program runs"


class ShapeEnv:
    """Settings for sizes that are symbols; of these there are none, and none can be made.

    Args:
        should_record_events, tracked_fakes: must be left out; there is nothing to record.
        allow_scalar_outputs, allow_dynamic_output_shape_ops: permissions to make symbols where a
            number or a size is a matter of values.
        assume_static_by_default, specialize_zero_one, duck_shape,
        prefer_deferred_runtime_asserts_over_guards: how symbols would be made.
    """

    def __init__(
        self,
        *,
        should_record_events: bool | None = None,
        tracked_fakes: Any = None,
        allow_scalar_outputs: bool = True,
        allow_dynamic_output_shape_ops: bool = True,
        assume_static_by_default: bool = False,
        specialize_zero_one: bool = True,
        duck_shape: bool | None = None,
        prefer_deferred_runtime_asserts_over_guards: bool = False,
    ) -> None:
        if should_record_events or tracked_fakes is not None:
            unsupported.refuse("ShapeEnv(should_record_events=, tracked_fakes=)", SYMBOLS)
        self.allow_scalar_outputs = allow_scalar_outputs
        self.allow_dynamic_output_shape_ops = allow_dynamic_output_shape_ops
        self.assume_static_by_default = assume_static_by_default
        self.specialize_zero_one = specialize_zero_one
        self.duck_shape = True if duck_shape is None else duck_shape
        self.prefer_deferred_runtime_asserts_over_guards = (
            prefer_deferred_runtime_asserts_over_guards
        )
        self.guards: list[Any] = []  # what symbols were found to be: nothing

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """`create_symbol` and its like, which would make symbols."""
        if name.startswith(("create_", "produce_", "evaluate_", "bind_", "defer_", "constrain_")):
            return unsupported.function(f"ShapeEnv.{name}", SYMBOLS)
        raise AttributeError(f"'ShapeEnv' object has no attribute '{name}'")


# -- questions about sizes, which are numbers ------------------------------------------------------


def known(a: Any, kinds: type | tuple[type, ...], name: str) -> Any:
    """The value itself; AssertionError for what is of another kind."""
    if not isinstance(a, kinds):
        raise AssertionError(f"Expected {name}, got {type(a)}")
    return a


def is_concrete_int(a: Any) -> bool:
    """Whether a size is a number: always."""
    return known(a, int, "SymInt or int") is a


def is_concrete_float(a: Any) -> bool:
    """Whether a value is a number: always."""
    return known(a, float, "SymFloat or float") is a


def is_concrete_bool(a: Any) -> bool:
    """Whether a condition is known: always."""
    return known(a, bool, "SymBool or bool") is a


def has_static_value(a: Any) -> bool:
    """Whether a value is known: always."""
    return known(a, (bool, float, int), "BoolLike/FloatLike/IntLike") is a


def is_symbolic(val: Any) -> bool:
    """Whether a value is a symbol: numbers are not."""
    return not isinstance(val, (bool, float, int)) and bool(val.node.is_symbolic())


def is_nested_int(val: Any) -> bool:
    """Whether a size stands for those of several tensors: never."""
    return False


def has_symbolic_sizes_strides(elem: Any) -> bool:
    """Whether a tensor has sizes or strides that are symbols: none has."""
    return False


def guard_int(a: Any) -> int:
    """A size itself."""
    if type(a) is not int:
        raise AssertionError(f"Expected int, got {a}")
    return a


def guard_float(a: Any) -> float:
    """A number itself."""
    if not isinstance(a, float):
        raise AssertionError(f"Expected float, got {a}")
    return a


def guard_bool(a: Any) -> bool:
    """A condition itself."""
    if not isinstance(a, bool):
        raise AssertionError(f"Expected bool, got {a}")
    return a


def guard_scalar(a: Any) -> Any:
    """A number itself."""
    if not isinstance(a, (bool, int, float)):
        raise AssertionError(f"unrecognized scalar {a}")
    return a


def condition(a: Any) -> bool:
    """A condition, which is known."""
    return bool(known(a, bool, "bool"))


guard_size_oblivious = guard_or_true = guard_or_false = condition
statically_known_true = definitely_true = condition


def statically_known_false(a: Any) -> bool:
    """Whether a condition does not hold."""
    return not condition(a)


definitely_false = statically_known_false


def free_symbols(val: Any) -> set[Any]:
    """The symbols in a value: none."""
    return set()


free_unbacked_symbols = free_symbols


def has_free_symbols(val: Any) -> bool:
    """Whether there are symbols in a value: never."""
    return False


has_free_unbacked_symbols = has_free_symbols


def sym_eq(x: Any, y: Any) -> bool:
    """Whether two sizes, or two shapes, are equal."""
    if isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)):
        return len(x) == len(y) and all(map(sym_eq, x, y))
    if isinstance(x, (int, bool)) and isinstance(y, (int, bool)):
        return x == y
    raise AssertionError(f"unexpected sym_eq between {type(x)} {type(y)}")


def sym_and(x: Any, *others: Any) -> Any:
    """`x &` all the others."""
    for y in others:
        x = x & y
    return x


def sym_or(x: Any, *others: Any) -> Any:
    """`x |` all the others."""
    for y in others:
        x = x | y
    return x


NAMES = """
    ConstraintViolationError DimConstraints DimDynamic GuardOnDataDependentSymNode
    RelaxedUnspecConstraint StatefulSymbolicContext StatelessSymbolicContext StrictMinMaxConstraint
    SubclassSymbolicContext
"""
__getattr__, __dir__ = unsupported.module(__name__, NAMES, SYMBOLS)
